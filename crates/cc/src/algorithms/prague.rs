//! Prague (draft-briscoe-iccrg-prague-congestion-control): DCTCP for the Internet, with the requirements of
//! L4S (RFC 9331).
//!
//! * Segments are ECT(1), retransmissions too, and every mark is fed back.
//! * The virtual round trip is the real one, but at least `reference_rtt`. A flow is independent of its
//!   round trip after `independent_after` real ones outside slow start. Before, virtual ones are real.
//! * Once per virtual round trip, alpha moves by `gain` towards the share of segments that were marked. It
//!   rests before the first mark, which halves the window.
//! * The first mark of a virtual round trip cuts cwnd and ssthresh to `1 - alpha / 2` of the window. As in
//!   the kernel, only the first mark of a real round trip may do so.
//! * Each acknowledged segment without a mark adds (smoothed over virtual round trip)^2 / cwnd, also after a
//!   mark: flows with short round trips grow in time as if theirs were the reference.
//! * Loss and timeout: as standard TCP, whatever was marked before (RFC 9331, section 4.3); alpha is kept.
//! * Segments are paced at a window per round trip, twice that in slow start up to half of ssthresh (Linux
//!   tcp_prague.c).
//!
//! When these rules apply is from `prague_is_rtt_indep`, `prague_update_alpha` and `prague_enter_cwr` of
//! L4STeam's tcp_prague.c, which the draft describes.
//!
//! Not here: detection of a bottleneck with classic ECN, which the draft leaves optional and off.

use crate::ecn::MarkedShare;
use crate::param::params;
use crate::{
    AckEvent, Codepoint, Common, CongestionControl, IdleEvent, LossCause, LossEvent, MarkRules, Phase, Picos,
    ResumeStep, Start, Window, seconds,
};
use serde::{Deserialize, Serialize};

params! {
    /// Constants of Prague.
    pub struct PragueConfig {
        common: Common,
        /// weight of the last virtual round trip in the estimated share of marked segments
        gain: number("1", [0.0001, 1.0], 0.0625,
            "draft-briscoe-iccrg-prague-congestion-control; RFC 8257, section 4.2"),
        /// estimated share of marked segments at the beginning
        initial_alpha: number("1", [0.0, 1.0], 1.0, "RFC 8257, section 3.3; Linux tcp_prague.c"),
        /// smallest virtual round-trip time; 0 grows by the round trip
        reference_rtt: time([0.0, 1.0], 0.025,
            "draft-briscoe-iccrg-prague-congestion-control, reduced dependence on round trips"),
        /// real round trips outside slow start before the smallest virtual one applies
        independent_after: count("round trips", [0, 1000000], 500,
            "L4STeam tcp_prague.c: prague_rtt_transition"),
        increase: increase(),
        decrease: decrease("draft-briscoe-iccrg-prague-congestion-control: losses as Reno; RFC 5681, section 3.1"),
        ecn: ecn(2, "RFC 9331, section 4.1"),
    }
}

/// Prague: the state of one flow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Prague {
    window: Window,
    marks: MarkedShare,
    /// When their mean was last updated.
    updated: Picos,
    /// Segments/s; 0 before a round trip was measured.
    pacing: f64,
    /// When a mark last reduced the window.
    cut: Option<Picos>,
    /// Real round trips outside slow start, up to `independent_after`.
    rounds: u32,
    /// A real round trip has ended since the mean was due.
    round_over: bool,
    /// A mark has come.
    seen_mark: bool,
}

impl CongestionControl for Prague {
    type Params = PragueConfig;
    type Config = PragueConfig;

    const NAME: &'static str = "prague";
    const TITLE: &'static str = "TCP Prague";
    const SOURCE: &'static str = "draft-briscoe-iccrg-prague-congestion-control; RFC 9331";
    // It is paced: its segments do not leave when those of the others do.
    const SHARED_SLOW_START: bool = false;

    fn codepoint(config: &PragueConfig) -> Codepoint {
        config.ecn
    }

    fn marks(_: &PragueConfig) -> MarkRules {
        MarkRules::SCALABLE
    }

    fn answers_mark(&self, config: &PragueConfig, now: Picos) -> bool {
        !self.is_independent(config) || self.cut.is_none_or(|cut| now - cut >= config.reference_rtt)
    }

    fn new(config: &PragueConfig, start: &Start) -> Self {
        let window = Window::new(&config.common, start);
        let mut prague = Self {
            window,
            marks: MarkedShare::new(config.initial_alpha),
            updated: start.now,
            pacing: 0.0,
            cut: None,
            rounds: 0,
            round_over: false,
            seen_mark: false,
        };
        prague.pace(start.rtt);
        prague
    }

    #[inline]
    fn on_ack(&mut self, config: &PragueConfig, ack: &AckEvent) {
        self.marks.count(ack);
        self.seen_mark |= ack.ce > 0;
        self.round_over |= ack.round_start;
        if self.round_over && (!self.is_independent(config) || ack.now - self.updated >= config.reference_rtt)
        {
            self.end_round(config, ack.now);
        }
        if config.common.may_grow(ack) {
            let virtual_rtt = ack.srtt.max(config.reference_rtt);
            let scales = self.rounds >= config.independent_after && ack.srtt > 0;
            let part = if scales { ack.srtt as f64 / virtual_rtt as f64 } else { 1.0 };
            let left = self.window.grow_in_slow_start(&config.common, ack);
            for _ in 0..left.min(ack.unmarked()) {
                self.window.grow(&config.common, config.increase * part * part / self.window.cwnd());
            }
        }
        self.pace(ack.srtt);
    }

    fn on_idle(&mut self, config: &PragueConfig, idle: &IdleEvent) {
        self.window.restart(&config.common, idle);
    }

    fn on_resume(&mut self, config: &PragueConfig, step: &ResumeStep) {
        self.window.resume(&config.common, step);
    }

    fn on_loss(&mut self, config: &PragueConfig, loss: &LossEvent) {
        if loss.cause == LossCause::Ecn {
            self.cut = Some(loss.now);
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

    fn pacing_rate(&self) -> Option<f64> {
        (self.pacing > 0.0).then_some(self.pacing)
    }

    fn phase(&self, _: &PragueConfig, _: Picos) -> Phase {
        if self.window.in_slow_start() { Phase::SlowStart } else { Phase::Alternate }
    }
}

impl Prague {
    /// The smallest virtual round trip applies (`prague_is_rtt_indep`).
    fn is_independent(&self, config: &PragueConfig) -> bool {
        self.rounds >= config.independent_after && !self.window.in_slow_start()
    }

    /// A virtual round trip is over (`prague_update_alpha`, `prague_new_round`).
    fn end_round(&mut self, config: &PragueConfig, now: Picos) {
        self.round_over = false;
        if self.seen_mark {
            self.marks.update(config.gain);
            self.updated = now;
        } else {
            self.marks.clear();
        }
        if self.rounds < config.independent_after && !self.window.in_slow_start() {
            self.rounds += 1;
        }
    }

    /// Sets the pacing rate for a round-trip time; 0 for none yet.
    fn pace(&mut self, rtt: Picos) {
        if rtt > 0 {
            let cwnd = self.window.cwnd();
            let gain = if cwnd < self.window.ssthresh() / 2.0 { 2.0 } else { 1.0 };
            self.pacing = gain * cwnd / seconds(rtt);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{acks, assert_near, config, loss, start};
    use crate::{MILLISECOND, Preset};

    /// A flow in congestion avoidance.
    fn flow(cwnd: f64, alpha: f64) -> (PragueConfig, Prague) {
        let config = config::<Prague>(Preset::Standard, &[("initial_alpha", alpha)]);
        let prague = Prague::new(&config, &start(cwnd, 2.0));
        (config, prague)
    }

    /// A flow in congestion avoidance that has had its real round trips, and a mark.
    fn independent(cwnd: f64, alpha: f64) -> (PragueConfig, Prague) {
        let (config, prague) = flow(cwnd, alpha);
        (config, Prague { rounds: 500, seen_mark: true, ..prague })
    }

    fn at(now: Picos, srtt: Picos, ce: u32) -> AckEvent {
        AckEvent { now, srtt, ce, ..acks(1) }
    }

    /// Acknowledgements 1 ms apart, from `first` to `last` ms, over a path of `rtt` ms.
    fn feed(config: &PragueConfig, prague: &mut Prague, [first, last]: [u64; 2], rtt: u64, ce: u32) {
        for ms in first..=last {
            let ack = at(ms * MILLISECOND, rtt * MILLISECOND, ce);
            prague.on_ack(config, &AckEvent { round_start: ms % rtt == 0, ..ack });
        }
    }

    #[test]
    fn alpha_moves_once_per_virtual_round_trip() {
        for (rtt, updates) in [(1, 4), (5, 4), (25, 4), (50, 2)] {
            let (config, mut prague) = independent(10.0, 1.0);
            feed(&config, &mut prague, [1, 100], rtt, 0);
            let mut expected = 1.0;
            (0..updates).for_each(|_| expected *= 15.0 / 16.0);
            assert_near(prague.marks.alpha, expected, 1e-12);
        }
    }

    /// `prague_update_alpha`: without a mark there is no proof of a queue that marks.
    #[test]
    fn alpha_rests_before_the_first_mark() {
        let (config, mut prague) = flow(10.0, 1.0);
        feed(&config, &mut prague, [1, 999], 25, 0);
        assert_eq!(prague.marks.alpha, 1.0);
        prague.on_ack(&config, &at(999 * MILLISECOND, 25 * MILLISECOND, 1));
        prague.on_loss(&config, &LossEvent { now: 999 * MILLISECOND, ..loss(LossCause::Ecn, 10) });
        assert_eq!(prague.cwnd(), prague.ssthresh());
        feed(&config, &mut prague, [1000, 1000], 25, 0);
        // One of the 26 segments of the round was marked.
        assert_near(prague.marks.alpha, 15.0 / 16.0 + 1.0 / 26.0 / 16.0, 1e-12);
    }

    /// `prague_enter_cwr`, and `prague_rtt_transition` round trips before.
    #[test]
    fn a_mark_is_answered_once_per_virtual_round_trip() {
        for (rtt, before, cuts) in [(5, 500, 4), (5, 0, 20), (10, 500, 4), (25, 500, 4), (50, 500, 2)] {
            let (config, prague) = flow(100.0, 0.1);
            let mut prague = Prague { rounds: before, ..prague };
            let mut answered = 0;
            for round in 1..=100 / rtt {
                let now = round * rtt * MILLISECOND;
                if prague.answers_mark(&config, now) {
                    answered += 1;
                    prague.on_loss(&config, &LossEvent { now, ..loss(LossCause::Ecn, 100) });
                }
            }
            // Of 10 ms: at 10, 40, 70 and 100 ms.
            assert_eq!(answered, cuts, "{rtt} ms, after {before} round trips");
        }
    }

    #[test]
    fn a_flow_is_independent_after_its_real_round_trips_outside_slow_start() {
        let (config, mut prague) = flow(10.0, 0.0);
        feed(&config, &mut prague, [1, 2495], 5, 0);
        assert_eq!((prague.rounds, prague.is_independent(&config)), (499, false));
        feed(&config, &mut prague, [2496, 2500], 5, 0);
        assert!(prague.is_independent(&config));
        let mut slow = Prague::new(&config, &start(10.0, 1e6));
        feed(&config, &mut slow, [1, 5000], 5, 0);
        assert_eq!(slow.rounds, 0);
    }

    #[test]
    fn growth_in_time_is_that_of_the_reference_round_trip() {
        for (srtt, increment) in [(5, 0.04), (25, 1.0), (100, 1.0)] {
            let (config, mut prague) = independent(10.0, 0.0);
            prague.on_ack(&config, &at(MILLISECOND, srtt * MILLISECOND, 0));
            assert_near(prague.cwnd() - 10.0, increment / 10.0, 1e-12);
            let (config, mut young) = flow(10.0, 0.0);
            young.on_ack(&config, &at(MILLISECOND, srtt * MILLISECOND, 0));
            assert_near(young.cwnd() - 10.0, 0.1, 1e-12);
        }
        let (config, mut prague) = flow(10.0, 0.0);
        prague.on_ack(&config, &at(MILLISECOND, 25 * MILLISECOND, 1));
        assert_eq!(prague.cwnd(), 10.0, "marked segments add nothing");
    }

    /// `transport.window_growth = "acks"`: an acknowledgement of 2 segments counts for 1.
    #[test]
    fn marks_are_shares_of_segments_where_acknowledgements_are_counted() {
        let (config, mut prague) = independent(10.0, 0.0);
        let ack =
            AckEvent { segments: 2, ce: 2, round_start: true, ..at(25 * MILLISECOND, 25 * MILLISECOND, 0) };
        prague.on_ack(&config, &ack);
        assert_eq!((prague.marks.alpha, prague.cwnd()), (0.0625, 10.0), "all are marked");
        prague.on_ack(&config, &AckEvent { ce: 1, round_start: false, ..ack });
        assert_near(prague.cwnd(), 10.1, 1e-12);
    }

    #[test]
    fn a_mark_cuts_by_half_of_alpha_and_a_loss_halves() {
        let (config, mut prague) = flow(100.0, 0.1);
        prague.on_loss(&config, &loss(LossCause::Ecn, 100));
        assert_near(prague.cwnd(), 95.0, 1e-12);
        let (config, mut prague) = flow(100.0, 0.1);
        prague.on_loss(&config, &loss(LossCause::FastRetransmit, 100));
        assert_eq!((prague.cwnd(), prague.marks.alpha), (50.0, 0.1));
    }

    #[test]
    fn a_window_leaves_per_round_trip() {
        let (config, mut prague) = flow(100.0, 0.0);
        assert_eq!(prague.pacing_rate(), None);
        prague.on_ack(&config, &at(MILLISECOND, 50 * MILLISECOND, 1));
        assert_near(prague.pacing_rate().unwrap(), 2_000.0, 1e-9);
        let mut slow = Prague::new(&config, &start(10.0, 1e6));
        slow.on_ack(&config, &at(MILLISECOND, 50 * MILLISECOND, 0));
        assert_near(slow.pacing_rate().unwrap(), 2.0 * slow.cwnd() / 0.05, 1e-9);
    }
}
