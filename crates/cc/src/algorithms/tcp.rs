//! Standard TCP: additive increase, multiplicative decrease (RFC 5681), under selective acknowledgement.
//!
//! * Congestion avoidance: `increase / cwnd` per acknowledged segment, so `increase` segments per round trip
//!   (RFC 5681, section 3.1, equation 3).
//! * Loss: ssthresh and cwnd become `1 - decrease` of the window, at least 2 (section 3.1, equation 4).
//! * Timeout: ssthresh is half the window and cwnd 1 (section 3.1), or the rule of the study.
//!
//! # Deviations
//!
//! * Linux (tcp_cong.c) counts whole segments: one more per window of acknowledged ones, half of the window
//!   truncated. Real numbers lag by up to half a segment, so that from 2041 to 4082 segments growth takes .35
//!   round trips longer. `whole_segments` 1 has Linux's count.
//! * Linux starts reductions from cwnd: `transport.reduce_from`.

use crate::param::params;
use crate::whole_segments::{Credit, whole};
use crate::{
    AckEvent, Codepoint, Common, CongestionControl, IdleEvent, LossEvent, Phase, Picos, ResumeStep, Start,
    Window,
};
use serde::{Deserialize, Serialize};

params! {
    /// Constants of standard TCP.
    pub struct TcpConfig {
        common: Common,
        increase: increase(),
        decrease: decrease("RFC 5681, section 3.1"),
        /// 1: windows grow and shrink by whole segments; 0: real numbers
        whole_segments: flag(false, Linux = true, "RFC 5681, section 3.1 (Linux tcp_cong.c: 1)"),
        /// 1: reductions alone are those of whole segments, truncated; 0: real numbers
        whole_reductions: flag(false, Ns2000 = true,
            "RFC 5681, section 3.1 (ns before 2006, precisionReduce_ false: 1)"),
        ecn: ecn(1, "RFC 3168, section 6.1"),
        paced: paced(),
    }
}

/// Standard TCP: the state of one flow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Tcp {
    window: Window,
    credit: Credit,
}

impl Tcp {
    /// `acked` segments were acknowledged in congestion avoidance: whole segments.
    #[cold]
    fn grow_whole(&mut self, config: &TcpConfig, acked: u32) {
        if config.increase > 0.0 {
            let per = whole(self.window.cwnd().floor() / config.increase);
            let growth = self.credit.take(per, acked);
            self.window.grow(&config.common, f64::from(growth));
        }
    }
}

impl CongestionControl for Tcp {
    type Params = TcpConfig;
    type Config = TcpConfig;

    const NAME: &'static str = "tcp";
    const TITLE: &'static str = "Standard TCP (AIMD)";
    const SOURCE: &'static str = "RFC 5681";

    fn codepoint(config: &TcpConfig) -> Codepoint {
        config.ecn
    }

    fn is_paced(config: &TcpConfig) -> bool {
        config.paced
    }

    fn new(config: &TcpConfig, start: &Start) -> Self {
        Self { window: Window::new(&config.common, start), credit: Credit::default() }
    }

    #[inline]
    fn on_ack(&mut self, config: &TcpConfig, ack: &AckEvent) {
        if !config.common.may_grow(ack) {
            return;
        }
        let left = self.window.grow_in_slow_start(&config.common, ack);
        if config.whole_segments {
            if left > 0 {
                self.grow_whole(config, left);
            }
            return;
        }
        for _ in 0..left {
            self.window.grow(&config.common, config.increase / self.window.cwnd());
        }
    }

    fn on_idle(&mut self, config: &TcpConfig, idle: &IdleEvent) {
        self.window.restart(&config.common, idle);
    }

    fn on_resume(&mut self, config: &TcpConfig, step: &ResumeStep) {
        self.window.resume(&config.common, step);
    }

    fn on_loss(&mut self, config: &TcpConfig, loss: &LossEvent) {
        let basis = self.window.basis(&config.common, loss);
        let (mut reduced, mut half) = (basis * (1.0 - config.decrease), basis / 2.0);
        if config.whole_segments || config.whole_reductions {
            let basis = basis.floor();
            (reduced, half) = ((basis * (1.0 - config.decrease)).floor(), (basis / 2.0).floor());
            self.credit.clear();
        }
        self.window.back_off(&config.common, loss, reduced, half);
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn phase(&self, _: &TcpConfig, _: Picos) -> Phase {
        if self.window.in_slow_start() { Phase::SlowStart } else { Phase::Standard }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{acks, assert_near, config, loss, start};
    use crate::{LossCause, Preset};

    fn flow(preset: Preset, cwnd: f64, ssthresh: f64) -> (TcpConfig, Tcp) {
        let config = config::<Tcp>(preset, &[]);
        let tcp = Tcp::new(&config, &start(cwnd, ssthresh));
        (config, tcp)
    }

    #[test]
    fn ten_acknowledgements_from_ten() {
        let (config, mut tcp) = flow(Preset::Standard, 10.0, 2.0);
        let mut expected = 10.0;
        for _ in 0..10 {
            tcp.on_ack(&config, &acks(1));
            expected += 1.0 / expected;
        }
        assert_eq!(tcp.cwnd(), expected);
        assert_near(tcp.cwnd(), 10.9586, 5e-5);
        assert_eq!(tcp.phase(&config, 0), Phase::Standard);

        let (_, mut at_once) = flow(Preset::Standard, 10.0, 2.0);
        at_once.on_ack(&config, &acks(10));
        assert_eq!(at_once.cwnd(), expected);
    }

    #[test]
    fn linux_counts_whole_segments() {
        let config = config::<Tcp>(Preset::Sp500282, &[("whole_segments", 1.0)]);
        let mut tcp = Tcp::new(&config, &start(10.0, 2.0));
        let windows: Vec<_> = (0..21)
            .map(|_| {
                tcp.on_ack(&config, &acks(1));
                tcp.cwnd()
            })
            .collect();
        assert_eq!((windows[8], windows[9], windows[19], windows[20]), (10.0, 11.0, 11.0, 12.0));
        tcp.on_ack(&config, &acks(13));
        assert_eq!(tcp.cwnd(), 13.0, "one of 13 is left");
        tcp.on_loss(&config, &loss(LossCause::FastRetransmit, 13));
        assert_eq!((tcp.cwnd(), tcp.ssthresh()), (6.0, 6.0));
        tcp.on_ack(&config, &acks(5));
        assert_eq!(tcp.cwnd(), 6.0, "a loss forgets it");
        tcp.on_ack(&config, &acks(1));
        assert_eq!(tcp.cwnd(), 7.0);
    }

    #[test]
    fn a_loss_halves() {
        let (config, mut tcp) = flow(Preset::Standard, 4082.0, 2.0);
        tcp.on_loss(&config, &loss(LossCause::FastRetransmit, 4082));
        assert_eq!((tcp.cwnd(), tcp.ssthresh()), (2041.0, 2041.0));
        let (config, mut tcp) = flow(Preset::Standard, 1.0, 2.0);
        tcp.on_loss(&config, &loss(LossCause::FastRetransmit, 1));
        assert_eq!((tcp.cwnd(), tcp.ssthresh()), (2.0, 2.0));
    }

    #[test]
    fn regaining_half_of_4082_takes_2041_round_trips() {
        let (config, mut tcp) = flow(Preset::Standard, 2041.0, 2.0);
        let mut round_trips = 0.0;
        while tcp.cwnd() < 4082.0 {
            round_trips += 1.0 / tcp.cwnd();
            tcp.on_ack(&config, &acks(1));
        }
        assert_near(round_trips, 2041.0, 1.0);
        assert_near(round_trips * 0.162, 330.6, 0.2);
    }

    #[test]
    fn after_a_time_out_slow_start_leads_to_half_the_window() {
        let (config, mut tcp) = flow(Preset::Standard, 40.0, 2.0);
        tcp.on_loss(&config, &loss(LossCause::Timeout, 40));
        assert_eq!((tcp.cwnd(), tcp.ssthresh()), (1.0, 20.0));
        assert_eq!(tcp.phase(&config, 0), Phase::SlowStart);
        let mut round = || {
            for _ in 0..tcp.cwnd() as u32 {
                tcp.on_ack(&config, &acks(1));
            }
            tcp.cwnd()
        };
        assert_eq!([round(), round(), round(), round()], [2.0, 4.0, 8.0, 16.0]);
        assert_near(round(), 20.5920, 5e-5);
    }

    #[test]
    fn after_a_time_out_the_study_restarts_from_the_initial_window() {
        let (config, mut tcp) = flow(Preset::Sp500282, 2.0, 40.0);
        tcp.on_ack(&config, &acks(38));
        assert_eq!(tcp.cwnd(), 40.0);
        tcp.on_loss(&config, &loss(LossCause::Timeout, 0));
        assert_eq!((tcp.cwnd(), tcp.ssthresh()), (2.0, 20.0));
        tcp.on_loss(&config, &loss(LossCause::Timeout, 0));
        assert_eq!((tcp.cwnd(), tcp.ssthresh()), (2.0, 2.0), "never below the initial window");
    }

    #[test]
    fn no_growth_in_recovery_or_while_something_else_limits() {
        let (config, mut tcp) = flow(Preset::Standard, 10.0, 2.0);
        tcp.on_ack(&config, &AckEvent { in_recovery: true, ..acks(1) });
        tcp.on_ack(&config, &AckEvent { cwnd_limited: false, ..acks(1) });
        assert_eq!(tcp.cwnd(), 10.0);
        let (config, mut tcp) = flow(Preset::Sp500282, 10.0, 2.0);
        tcp.on_ack(&config, &AckEvent { cwnd_limited: false, ..acks(1) });
        assert_eq!(tcp.cwnd(), 10.1);
    }
}
