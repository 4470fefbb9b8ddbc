//! Marks: what BBRv3 makes of accurate ECN feedback (Google's tcp_bbr.c, version 3; not in the draft).
//!
//! * Once per round, alpha moves by `ecn_gain` towards the share of segments that were marked.
//! * A round with marks outside a probe bounds what is in flight for the short term, by
//!   `1 - ecn_factor * alpha`.
//! * A probe ends where more than `ecn_threshold` of what it sent was marked, as where it lost too much; the
//!   start ends after `ecn_rounds` rounds of such shares.
//! * Where a cycle had marks, no losses, and marks cease, the next probe begins at once and fast.
//!
//! # Deviation
//!
//! Google's code answers marks only where the smallest round trip is at most 5 ms, because it is meant for
//! data centres. Here any round trip is answered (`ecn_max_rtt` 0): a flow that asks for marks must answer
//! them (RFC 3168, section 5; RFC 9331, section 4.3).

use super::modes::Mode;
use super::{Bbr3, Bbr3Config};
use crate::AckEvent;
use crate::ecn::MarkedShare;
use serde::{Deserialize, Serialize};

/// The marks of a flow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Marks {
    share: MarkedShare,
    /// Segments delivered once all are acknowledged that were outstanding at the last mark: the low 32 bits.
    recent_until: u32,
    /// Marks are answered: the flow asks for them, and its round trip was short enough once.
    answered: bool,
    in_round: bool,
    /// Marks, and losses, since the last probe.
    in_cycle: bool,
    lost_in_cycle: bool,
}

impl Marks {
    /// Of a new flow.
    pub fn new(c: &Bbr3Config) -> Self {
        Self {
            share: MarkedShare::new(c.ecn_initial_alpha),
            recent_until: 0,
            answered: false,
            in_round: false,
            in_cycle: false,
            lost_in_cycle: false,
        }
    }

    /// Begins a cycle of probes (`bbr_reset_congestion_signals`).
    pub fn start_cycle(&mut self) {
        (self.in_round, self.in_cycle, self.lost_in_cycle) = (false, false, false);
    }

    /// A segment was found lost (`bbr_note_loss`).
    pub fn note_loss(&mut self) {
        self.lost_in_cycle = true;
    }

    /// Takes the marks of a loss round: the part that they leave of what is in flight for the short term
    /// (`bbr_ecn_cut`); none without marks.
    pub fn end_loss_round(&mut self, c: &Bbr3Config) -> Option<f64> {
        let marked = std::mem::take(&mut self.in_round) && c.ecn_factor > 0.0;
        marked.then_some(1.0 - c.ecn_factor * self.share.alpha)
    }

    /// Returns whether more of a sample was marked than a probe may cause (`bbr_is_inflight_too_high`).
    pub fn too_high(&self, c: &Bbr3Config, ack: &AckEvent) -> bool {
        let delivered = ack.sample.delivered(ack.delivered) as f64;
        self.answered && c.ecn_threshold > 0.0 && f64::from(ack.sample.ce) > c.ecn_threshold * delivered
    }

    /// Returns whether marks, without losses, have ceased (`bbr_check_time_to_probe_bw`; the sender is in the
    /// state Open).
    pub fn have_ceased(&self, c: &Bbr3Config, ack: &AckEvent) -> bool {
        let after_mark = (ack.sample.prior_delivered as u32).wrapping_sub(self.recent_until) as i32;
        let open = !ack.in_recovery && ack.ce == 0 && after_mark >= 0;
        self.answered && c.ecn_reprobe_gain > 0.0 && self.in_cycle && !self.lost_in_cycle && open
    }
}

impl Bbr3 {
    /// Counts the marks of an acknowledgement. At the start of a round it moves alpha, and looks whether the
    /// start is over (`bbr_update_ecn_alpha`, `bbr_check_ecn_too_high_in_startup`).
    pub(super) fn update_marks(&mut self, c: &Bbr3Config, ack: &AckEvent) {
        let marks = &mut self.marks;
        marks.share.count(ack);
        if self.round_start {
            let min_rtt = self.model.min_rtt;
            marks.answered |= c.ecn_factor > 0.0 && (c.ecn_max_rtt == 0 || min_rtt <= c.ecn_max_rtt);
            if marks.answered {
                let share = marks.share.update(c.ecn_gain);
                self.check_startup_marks(c, share);
            }
        }
        if ack.ce > 0 {
            self.marks.in_cycle = true;
            self.marks.in_round |= self.marks.answered;
            self.marks.recent_until = (ack.delivered as u32).wrapping_add(ack.in_flight);
        }
    }

    /// Ends the start after some rounds in a row with too large a share of marks
    /// (`bbr_check_ecn_too_high_in_startup`).
    fn check_startup_marks(&mut self, c: &Bbr3Config, share: f64) {
        let Mode::Startup { marked_rounds, .. } = &mut self.mode else { return };
        let too_many = c.ecn_threshold > 0.0 && share >= c.ecn_threshold;
        *marked_rounds = if too_many { marked_rounds.saturating_add(1) } else { 0 };
        if !self.full.ever && c.ecn_rounds > 0 && u32::from(*marked_rounds) >= c.ecn_rounds {
            self.end_startup();
        }
    }

    /// The probe caused too many marks: it sets the long-term bound, once, and ends
    /// (`bbr_handle_inflight_too_high`).
    pub(super) fn answer_marked_probe(&mut self, c: &Bbr3Config, ack: &AckEvent) {
        if !self.probing {
            return;
        }
        self.probing = false;
        self.too_high_before = true;
        if !ack.sample.app_limited {
            self.model.long_in_flight = f64::from(ack.sample.in_flight).max(c.beta * self.target());
        }
        if matches!(self.mode, Mode::Up(_)) {
            self.start_down(c, ack.now, ack.delivered);
        }
    }

    /// Doublings of the slope with which the next probe begins, so that its first round raises the long-term
    /// bound by `ecn_reprobe_gain` of it (`bbr_check_time_to_probe_bw`).
    pub(super) fn fast_slope(&self, c: &Bbr3Config) -> u8 {
        let first = self.model.long_in_flight * c.ecn_reprobe_gain;
        libm::log2(first.clamp(1.0, f64::from(1_u32 << 30))) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::bbr3::model::UNBOUNDED;
    use crate::algorithms::bbr3::modes::Wait;
    use crate::testing::{acks, assert_near, config, start};
    use crate::{CongestionControl, DeliverySample, MILLISECOND, Picos, Preset, Start};

    const RTT: Picos = 20 * MILLISECOND;

    /// A flow that asks for marks, with a bandwidth of 10,000 segments/s: 200 in flight.
    fn flow(constants: &[(&str, f64)]) -> (Bbr3Config, Bbr3) {
        let config = config::<Bbr3>(Preset::Standard, &[constants, &[("ecn", 2.0)]].concat());
        let mut bbr = Bbr3::new(&config, &Start { rtt: RTT, ..start(10.0, 1e9) });
        bbr.model.max_bandwidth = [10_000.0; 2];
        bbr.window.set(&config.common, 200.0);
        (config, bbr)
    }

    /// The acknowledgement that ends a round of 200 segments, `ce` of them marked; all report as one.
    fn round(bbr: &Bbr3, now: Picos, ce: u32) -> AckEvent {
        AckEvent {
            now,
            acked: 200,
            segments: 200,
            ce,
            rtt: RTT,
            srtt: RTT,
            in_flight: 200,
            delivered: bbr.delivered + 200,
            delivery_rate: 10_000.0,
            sample: DeliverySample {
                prior_delivered: bbr.delivered,
                interval: RTT,
                in_flight: 200,
                ce,
                ..DeliverySample::default()
            },
            ..acks(1)
        }
    }

    /// A flow in Cruise.
    fn cruising(constants: &[(&str, f64)]) -> (Bbr3Config, Bbr3) {
        let (config, mut bbr) = flow(constants);
        bbr.full.ever = true;
        bbr.start_down(&config, 0, bbr.delivered);
        let Mode::Down(wait) = bbr.mode else { unreachable!() };
        bbr.mode = Mode::Cruise(wait);
        (config, bbr)
    }

    #[test]
    fn a_round_with_marks_cuts_the_flight_by_a_third_of_alpha_and_not_the_rate() {
        let (config, mut bbr) = cruising(&[("ecn_initial_alpha", 0.0)]);
        bbr.on_ack(&config, &round(&bbr, RTT, 100));
        let alpha = 0.5 / 16.0;
        assert_near(bbr.marks.share.alpha, alpha, 1e-12);
        assert_near(bbr.model.short_in_flight, 200.0 * (1.0 - alpha / 3.0), 1e-9);
        assert_eq!(bbr.model.short_bandwidth, UNBOUNDED);
        // No marks: no cut.
        let before = bbr.model.short_in_flight;
        let Mode::Cruise(wait) = bbr.mode else { panic!("{:?}", bbr.mode) };
        bbr.marks.lost_in_cycle = true;
        bbr.on_ack(&config, &round(&bbr, 2 * RTT, 0));
        assert_eq!(
            (bbr.model.short_in_flight, bbr.mode),
            (before, Mode::Cruise(Wait { rounds: wait.rounds + 1, ..wait }))
        );
    }

    #[test]
    fn flows_that_do_not_ask_or_do_not_answer_are_not_cut() {
        for constants in [[("ecn", 0.0)], [("ecn_factor", 0.0)], [("ecn_max_rtt", 0.005)]] {
            let (config, mut bbr) = cruising(&constants);
            bbr.on_ack(&config, &round(&bbr, RTT, 100));
            assert_eq!(bbr.model.short_in_flight, UNBOUNDED, "{constants:?}");
        }
    }

    #[test]
    fn two_rounds_with_many_marks_end_the_start() {
        let (config, mut bbr) = flow(&[]);
        // The delivery rate grows, so that the path does not look full.
        let rounds =
            [(100, 10_000.0, true), (99, 13_000.0, true), (100, 17_000.0, true), (100, 22_000.0, false)];
        for (number, (ce, rate, is_startup)) in (1..).zip(rounds) {
            let ack = AckEvent { delivery_rate: rate, ..round(&bbr, number * RTT, ce) };
            bbr.on_ack(&config, &ack);
            assert_eq!(bbr.mode.is_startup(), is_startup, "round {number}");
        }
        assert_near(bbr.model.long_in_flight, 22_000.0 * 0.02, 1e-6);
    }

    #[test]
    fn a_probe_with_many_marks_ends_at_what_was_in_flight() {
        let (config, mut bbr) = cruising(&[]);
        bbr.mode = Mode::Refill { doublings: 0 };
        bbr.on_ack(&config, &round(&bbr, RTT, 0));
        assert!(bbr.mode.is_up() && bbr.probing);
        bbr.on_ack(&config, &round(&bbr, 2 * RTT, 100));
        assert!(bbr.mode.is_up(), "half may be marked: {:?}", bbr.mode);
        let mut ack = round(&bbr, 3 * RTT, 101);
        ack.sample.in_flight = 230;
        bbr.on_ack(&config, &ack);
        assert!(matches!(bbr.mode, Mode::Down(_)), "{:?}", bbr.mode);
        assert_eq!((bbr.model.long_in_flight, bbr.probing, bbr.too_high_before), (230.0, false, true));
    }

    #[test]
    fn marks_that_cease_start_a_fast_probe() {
        let (config, mut bbr) = cruising(&[]);
        bbr.model.long_in_flight = 300.0;
        bbr.on_ack(&config, &round(&bbr, RTT, 1));
        assert!(matches!(bbr.mode, Mode::Cruise(_)), "{:?}", bbr.mode);
        // What was outstanding at the mark has not been acknowledged yet.
        bbr.on_ack(&config, &round(&bbr, 2 * RTT, 0));
        assert!(matches!(bbr.mode, Mode::Cruise(_)), "{:?}", bbr.mode);
        bbr.on_ack(&config, &round(&bbr, 3 * RTT, 0));
        // 2^7 is the largest power of two in half of 300.
        assert_eq!(bbr.mode, Mode::Refill { doublings: 7 });
    }
}
