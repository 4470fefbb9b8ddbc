//! Prague (draft-briscoe-iccrg-prague-congestion-control): DCTCP for the Internet, with the requirements of
//! L4S (RFC 9331).
//!
//! * Segments are ECT(1), retransmissions too, and every mark is fed back.
//! * The virtual round trip is the smoothed one, but at least `reference_rtt`.
//! * Once per virtual round trip, alpha moves by `gain` towards the share of segments that were marked.
//! * The first mark of a round trip cuts cwnd and ssthresh to `1 - alpha / 2` of the window.
//! * Each acknowledged segment without a mark adds (smoothed over virtual round trip)^2 / cwnd, also after a
//!   mark: flows with short round trips grow in time as if theirs were the reference.
//! * Loss and timeout: as standard TCP; alpha is kept.
//! * Segments are paced at a window per round trip, twice that in slow start up to half of ssthresh (Linux
//!   tcp_prague.c).
//!
//! Not here: detection of a bottleneck with classic ECN, which the draft leaves optional and off.

use crate::ecn::MarkedShare;
use crate::param::params;
use crate::{
    AckEvent, Codepoint, Common, CongestionControl, IdleEvent, LossCause, LossEvent, Phase, Picos, Start,
    Window, seconds,
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
}

impl CongestionControl for Prague {
    type Params = PragueConfig;
    type Config = PragueConfig;

    const NAME: &'static str = "prague";
    const TITLE: &'static str = "TCP Prague";
    const SOURCE: &'static str = "draft-briscoe-iccrg-prague-congestion-control; RFC 9331";
    // It is paced: its segments do not leave when those of the others do.
    const SHARED_SLOW_START: bool = false;
    const RESTS_AFTER_MARK: bool = false;

    fn codepoint(config: &PragueConfig) -> Codepoint {
        config.ecn
    }

    fn new(config: &PragueConfig, start: &Start) -> Self {
        let window = Window::new(&config.common, start);
        let mut prague =
            Self { window, marks: MarkedShare::new(config.initial_alpha), updated: start.now, pacing: 0.0 };
        prague.pace(start.rtt);
        prague
    }

    #[inline]
    fn on_ack(&mut self, config: &PragueConfig, ack: &AckEvent) {
        self.marks.count(ack);
        let virtual_rtt = ack.srtt.max(config.reference_rtt);
        if ack.srtt > 0 && ack.now - self.updated >= virtual_rtt {
            self.marks.update(config.gain);
            self.updated = ack.now;
        }
        if config.common.may_grow(ack) {
            let part = if ack.srtt > 0 { ack.srtt as f64 / virtual_rtt as f64 } else { 1.0 };
            let left = self.window.grow_in_slow_start(&config.common, ack);
            for _ in 0..left.min(ack.acked - ack.ce) {
                self.window.grow(&config.common, config.increase * part * part / self.window.cwnd());
            }
        }
        self.pace(ack.srtt);
    }

    fn on_idle(&mut self, config: &PragueConfig, idle: &IdleEvent) {
        self.window.restart(&config.common, idle);
    }

    fn on_loss(&mut self, config: &PragueConfig, loss: &LossEvent) {
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

    fn pacing_rate(&self) -> Option<f64> {
        (self.pacing > 0.0).then_some(self.pacing)
    }

    fn phase(&self, _: &PragueConfig, _: Picos) -> Phase {
        if self.window.in_slow_start() { Phase::SlowStart } else { Phase::Alternate }
    }
}

impl Prague {
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

    fn at(now: Picos, srtt: Picos, ce: u32) -> AckEvent {
        AckEvent { now, srtt, ce, ..acks(1) }
    }

    #[test]
    fn alpha_moves_once_per_virtual_round_trip() {
        for (srtt, updates) in [(1, 4), (25, 4), (50, 2)] {
            let (config, mut prague) = flow(10.0, 1.0);
            for ms in 1..=100 {
                prague.on_ack(&config, &at(ms * MILLISECOND, srtt * MILLISECOND, 0));
            }
            let mut expected = 1.0;
            (0..updates).for_each(|_| expected *= 15.0 / 16.0);
            assert_near(prague.marks.alpha, expected, 1e-12);
        }
    }

    #[test]
    fn growth_in_time_is_that_of_the_reference_round_trip() {
        for (srtt, increment) in [(5, 0.04), (25, 1.0), (100, 1.0)] {
            let (config, mut prague) = flow(10.0, 0.0);
            prague.on_ack(&config, &at(MILLISECOND, srtt * MILLISECOND, 0));
            assert_near(prague.cwnd() - 10.0, increment / 10.0, 1e-12);
        }
        let (config, mut prague) = flow(10.0, 0.0);
        prague.on_ack(&config, &at(MILLISECOND, 25 * MILLISECOND, 1));
        assert_eq!(prague.cwnd(), 10.0, "marked segments add nothing");
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
