//! Data Center TCP (RFC 8257): a window cut by the share of segments that routers have marked.
//!
//! * Routers mark what arrives at a queue longer than a threshold; the receiver echoes every mark (section
//!   3.2), which [`AckEvent::ce`] is.
//! * Once per window of data, alpha moves by `gain` towards the share of its segments that were marked
//!   (section 3.3).
//! * The first mark of a window cuts cwnd and ssthresh to `1 - alpha / 2` of the window, at least 2 (section
//!   3.3).
//! * The window then rests until all that was outstanding has been acknowledged (section 3.3 by RFC 3168;
//!   Linux, ns-3).
//! * Growth, losses and timeouts are those of standard TCP (sections 3.4 and 3.5); alpha is kept. One
//!   reduction for a window of data is enough, so that a loss after a mark is none (section 3.5). Linux
//!   halves for it.

use crate::ecn::MarkedShare;
use crate::param::params;
use crate::{
    AckEvent, Codepoint, Common, CongestionControl, IdleEvent, LossCause, LossEvent, MarkRules, Phase, Picos,
    ResumeStep, Start, Window,
};
use serde::{Deserialize, Serialize};

params! {
    /// Constants of DCTCP.
    pub struct DctcpConfig {
        common: Common,
        /// weight of the last window of data in the estimated share of marked segments
        gain: number("1", [0.0001, 1.0], 0.0625, "RFC 8257, section 4.2"),
        /// estimated share of marked segments at the beginning
        initial_alpha: number("1", [0.0, 1.0], 1.0, "RFC 8257, section 3.3"),
        increase: increase(),
        decrease: decrease("RFC 8257, section 3.5; RFC 5681, section 3.1"),
        /// 1: a loss in the round trip after a mark reduces the window once more; 0: it does not
        loss_after_mark: flag(false, Linux = true,
            "RFC 8257, section 3.5: one reduction per window; Linux: dctcp_react_to_loss of tcp_dctcp.c"),
        ecn: ecn(1, "RFC 3168, section 6.1; L4S needs 2 (RFC 9331, section 4.1)"),
    }
}

/// DCTCP: the state of one flow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Dctcp {
    window: Window,
    marks: MarkedShare,
}

impl CongestionControl for Dctcp {
    type Params = DctcpConfig;
    type Config = DctcpConfig;

    const NAME: &'static str = "dctcp";
    const TITLE: &'static str = "Data Center TCP";
    const SOURCE: &'static str = "RFC 8257";

    fn codepoint(config: &DctcpConfig) -> Codepoint {
        config.ecn
    }

    fn marks(config: &DctcpConfig) -> MarkRules {
        MarkRules { covers_losses: !config.loss_after_mark, ..MarkRules::CLASSIC }
    }

    fn new(config: &DctcpConfig, start: &Start) -> Self {
        Self { window: Window::new(&config.common, start), marks: MarkedShare::new(config.initial_alpha) }
    }

    #[inline]
    fn on_ack(&mut self, config: &DctcpConfig, ack: &AckEvent) {
        self.marks.count(ack);
        if ack.round_start {
            self.marks.update(config.gain);
        }
        if !config.common.may_grow(ack) {
            return;
        }
        for _ in 0..self.window.grow_in_slow_start(&config.common, ack) {
            self.window.grow(&config.common, config.increase / self.window.cwnd());
        }
    }

    fn on_idle(&mut self, config: &DctcpConfig, idle: &IdleEvent) {
        self.window.restart(&config.common, idle);
    }

    fn on_resume(&mut self, config: &DctcpConfig, step: &ResumeStep) {
        self.window.resume(&config.common, step);
    }

    fn on_loss(&mut self, config: &DctcpConfig, loss: &LossEvent) {
        if loss.cause == LossCause::Ecn {
            self.window.reduce(&config.common, self.window.cwnd() * self.marks.remainder());
            return;
        }
        let basis = self.window.basis(&config.common, loss);
        let reduced = basis * (1.0 - config.decrease);
        self.window.back_off(&config.common, loss, reduced, basis / 2.0);
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn phase(&self, _: &DctcpConfig, _: Picos) -> Phase {
        if self.window.in_slow_start() { Phase::SlowStart } else { Phase::Alternate }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;
    use crate::testing::{acks, assert_near, config, loss, start};

    /// A flow in congestion avoidance.
    fn flow(cwnd: f64, alpha: f64) -> (DctcpConfig, Dctcp) {
        let config = config::<Dctcp>(Preset::Standard, &[("initial_alpha", alpha)]);
        let dctcp = Dctcp::new(&config, &start(cwnd, 2.0));
        (config, dctcp)
    }

    /// A window of ten segments, `marked` of them marked.
    fn window(config: &DctcpConfig, dctcp: &mut Dctcp, marked: u32) -> f64 {
        for i in 0..10 {
            let ce = u32::from(i < marked);
            dctcp.on_ack(config, &AckEvent { ce, round_start: i == 9, ..acks(1) });
        }
        dctcp.marks.alpha
    }

    #[test]
    fn alpha_falls_from_one_without_marks() {
        let (config, mut dctcp) = flow(10.0, 1.0);
        let alphas: Vec<f64> = (0..20).map(|_| window(&config, &mut dctcp, 0)).collect();
        for (after, alpha) in [(1, 0.9375), (2, 0.878_906), (5, 0.724_196), (10, 0.524_460), (20, 0.275_059)]
        {
            assert_near(alphas[after - 1], alpha, 5e-7);
        }
    }

    #[test]
    fn alpha_follows_the_share_of_marked_segments() {
        let (config, mut dctcp) = flow(10.0, 0.0);
        for (marked, alpha) in [(10, 0.0625), (10, 0.121_094), (0, 0.113_525), (5, 0.137_680)] {
            assert_near(window(&config, &mut dctcp, marked), alpha, 5e-7);
        }
    }

    /// A queue that marks every segment of a round trip in which the window exceeds `critical`: alpha settles
    /// near sqrt(2 / W) (Alizadeh et al., SIGCOMM 2010, section 3.3, to first order), where the average is
    /// longer than a cycle: the gain is well below their bound of 1.386 / sqrt(2 W).
    #[test]
    fn alpha_settles_with_the_length_of_the_cycle() {
        for (critical, settled) in [(100.0, 0.141), (1000.0, 0.0447)] {
            let changes = [("initial_alpha", settled), ("gain", 0.2 / f64::sqrt(2.0 * critical))];
            let config = config::<Dctcp>(Preset::Standard, &changes);
            let mut dctcp = Dctcp::new(&config, &start(critical, 2.0));
            let (mut sum, mut rounds) = (0.0, 0.0);
            for round in 0..4000 {
                let marked = dctcp.cwnd() > critical;
                if marked {
                    dctcp.on_loss(&config, &loss(LossCause::Ecn, dctcp.cwnd() as u32));
                }
                let acked = dctcp.cwnd() as u32;
                for i in 0..acked {
                    let ack = AckEvent { ce: u32::from(marked), round_start: i == acked - 1, ..acks(1) };
                    dctcp.on_ack(&config, &ack);
                }
                if round >= 2000 {
                    (sum, rounds) = (sum + dctcp.marks.alpha, rounds + 1.0);
                }
            }
            assert_near(sum / rounds, settled, 0.1 * settled);
        }
    }

    #[test]
    fn a_mark_cuts_by_half_of_alpha_whatever_is_in_flight() {
        for (cwnd, alpha, expected) in [(100.0, 0.5, 75.0), (100.0, 1.0, 50.0), (2.0, 1.0, 2.0)] {
            let (config, mut dctcp) = flow(cwnd, alpha);
            dctcp.on_loss(&config, &loss(LossCause::Ecn, 3));
            assert_eq!((dctcp.cwnd(), dctcp.ssthresh()), (expected, expected));
        }
    }

    #[test]
    fn losses_halve_and_keep_alpha() {
        for (cause, cwnd) in [(LossCause::FastRetransmit, 50.0), (LossCause::Timeout, 1.0)] {
            let (config, mut dctcp) = flow(100.0, 0.25);
            dctcp.on_loss(&config, &loss(cause, 100));
            assert_eq!((dctcp.cwnd(), dctcp.ssthresh(), dctcp.marks.alpha), (cwnd, 50.0, 0.25));
        }
    }

    #[test]
    fn a_loss_after_a_mark_is_one_more_in_linux() {
        for (preset, covers) in [(Preset::Standard, true), (Preset::Linux, false), (Preset::Sp500282, true)] {
            let marks = Dctcp::marks(&config::<Dctcp>(preset, &[]));
            assert_eq!((marks.rests, marks.covers_losses), (true, covers), "{preset:?}");
        }
    }

    #[test]
    fn grows_like_standard_tcp() {
        let (config, mut dctcp) = flow(10.0, 1.0);
        dctcp.on_ack(&config, &acks(1));
        assert_eq!(dctcp.cwnd(), 10.1);
    }
}
