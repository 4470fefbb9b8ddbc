//! Standard TCP: additive increase, multiplicative decrease (RFC 5681), under selective acknowledgement.
//!
//! * Congestion avoidance: `increase / cwnd` per acknowledged segment, so `increase` segments per round trip (RFC 5681,
//!   section 3.1, equation 3).
//! * Loss: ssthresh and cwnd become `1 - decrease` of the window, at least 2 (section 3.1, equation 4).
//! * Time-out: ssthresh is half the window and cwnd 1 (section 3.1), or the rule of the study.

use crate::param::constants;
use crate::{AckEvent, Common, CongestionControl, LossEvent, Param, Phase, Picos, Start, Window};
use serde::{Deserialize, Serialize};

/// Constants of standard TCP.
#[derive(Clone, Debug)]
pub struct TcpConfig {
    common: Common,
    increase: f64,
    decrease: f64,
}

/// Standard TCP: the state of one flow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Tcp {
    window: Window,
}

impl CongestionControl for Tcp {
    type Config = TcpConfig;

    const NAME: &'static str = "tcp";
    const TITLE: &'static str = "Standard TCP (AIMD)";
    const SOURCE: &'static str = "RFC 5681";
    const PARAMS: &'static [Param] = &[
        Param {
            name: "increase",
            doc: "window growth per round trip in congestion avoidance",
            unit: "segments",
            min: 0.0,
            max: 1000.0,
            standard: 1.0,
            sp500_282: 1.0,
            source: "RFC 5681, section 3.1",
        },
        Param {
            name: "decrease",
            doc: "part of the window given up after a loss",
            unit: "1",
            min: 0.01,
            max: 0.99,
            standard: 0.5,
            sp500_282: 0.5,
            source: "RFC 5681, section 3.1",
        },
    ];

    fn config(common: Common, values: &[f64]) -> TcpConfig {
        let [increase, decrease] = constants(values);
        TcpConfig { common, increase, decrease }
    }

    fn new(config: &TcpConfig, start: &Start) -> Self {
        Self { window: Window::new(&config.common, start) }
    }

    #[inline]
    fn on_ack(&mut self, config: &TcpConfig, ack: &AckEvent) {
        if !config.common.may_grow(ack) {
            return;
        }
        for _ in 0..self.window.grow_in_slow_start(&config.common, ack) {
            self.window.grow(&config.common, config.increase / self.window.cwnd());
        }
    }

    fn on_loss(&mut self, config: &TcpConfig, loss: &LossEvent) {
        let basis = self.window.basis(&config.common, loss);
        let reduced = basis * (1.0 - config.decrease);
        self.window.back_off(&config.common, loss, reduced, basis / 2.0);
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
