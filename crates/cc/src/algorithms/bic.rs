//! BIC TCP (L. Xu, K. Harfoush and I. Rhee, INFOCOM 2004; Linux tcp_bic.c): a search for the window of the
//! last loss.
//!
//! * Congestion avoidance: `I(w) / w` per acknowledged segment, I(w) segments per round trip. Below the
//!   window of the last loss I is 1/`search_divisor` of the distance to it, between bounds: additive far
//!   away, a search near it. Above, the growth starts as small as it ended and speeds up again (Xu et al.,
//!   binary search increase and slow start towards a new maximum). I(w) never exceeds w, one segment per
//!   acknowledged segment (Linux).
//! * Loss: the window gives up `decrease`. A flow that did not reach its last maximum aims lower, half-way
//!   between its old and its new window, and so makes room for newcomers (Xu et al., fast convergence).
//! * Up to and including `low_window` segments both rules are those of standard TCP (Linux; NIST SP 500-282,
//!   chapter 10).
//! * Before the first loss there is nothing to search for and the flow speeds up from 0; `first_growth` is a
//!   least growth that Linux grants there and the study does not.
//! * Timeout: ssthresh as after a loss, then slow start; the last maximum is forgotten (Linux).
//!
//! The parameter `search` chooses between Linux's increments, the default, and those of the paper. The paper
//! sets its target once per round trip; here, as in Linux, the increment follows the window, which is the
//! same at the beginning of each round trip.
//!
//! # Deviations
//!
//! The default is Linux's increments in real numbers.
//!
//! * Linux divides whole segments: the distance to the last maximum over `search_divisor` is truncated, so
//!   that it counts as at most 1 up to 7 segments below the maximum, not 4, and the slowest growth lasts 30
//!   to 35 round trips, not 20. `whole_distance` 1 has this. Its other divisions (window over distance) are
//!   not truncated here.
//! * Linux multiplies the increments by its estimate of segments per acknowledgement, and counts acknowledged
//!   segments, too: `ack_ratio` 2 for receivers that delay acknowledgements, and in ns-2's Linux module. The
//!   estimate begins at 2. For receivers that acknowledge every segment it is 31/16, less 1/16 for each first
//!   duplicate, down to 1, because 31/16 is truncated to 1; here it is a constant.
//! * Linux adds whole segments and truncates ssthresh and the last maximum; here both are real numbers.
//! * Linux computes the increment at most once per 1/32 s while the window stays.
//! * ns-3 has `smooth_part` 5 and another fast convergence: `decrease` of the window as the new maximum.

use crate::param::params;
use crate::{
    AckEvent, Common, CongestionControl, IdleEvent, LossCause, LossEvent, Phase, Picos, ResumeStep, Start,
    Window,
};
use serde::{Deserialize, Serialize};

params! {
    /// Constants of BIC.
    pub struct BicConfig {
        common: Common,
        /// largest window to which the rules of standard TCP apply
        low_window: number("segments", [0.0, 1e9], 14.0, "Linux tcp_bic.c; NIST SP 500-282, chapter 10"),
        /// largest growth per round trip
        max_increment: number("segments", [0.01, 1e6], 16.0,
            "Linux tcp_bic.c from 2.6.14.1 (before, and Xu et al. 2004: 32)"),
        /// part of the window given up after a loss above the low window
        decrease: number("1", [0.001, 0.99], 205.0 / 1024.0, "Linux tcp_bic.c (Xu et al. 2004: 0.125)"),
        /// part of the distance to the last maximum that one round trip covers, inverted
        search_divisor: number("1", [1.01, 1000.0], 4.0, "Linux tcp_bic.c (Xu et al. 2004: 2)"),
        /// round trips that the last search_divisor segments below the last maximum take, used where search =
        /// 0
        smooth_part: number("1", [0.01, 1000.0], 20.0, "Linux tcp_bic.c (ns-3: 5)"),
        /// smallest growth per round trip, used where search = 1
        min_increment: number("segments", [0.0, 1000.0], 0.01, "Xu et al. 2004"),
        /// 1: a flow that lost below its last maximum aims lower; 0: at the window of its last loss
        fast_convergence: flag(true, "Xu et al. 2004; Linux tcp_bic.c"),
        /// least growth per round trip before the first loss, part of the window
        first_growth: number("1", [0.0, 1.0], 0.05, Sp500282 = 0.0,
            "Linux tcp_bic.c; none in Xu et al. 2004, which is nearer to the study's goodput latency"),
        /// 1: a timeout erases the last maximum; 0: it counts as a loss
        forget_on_timeout: flag(true, "Linux tcp_bic.c"),
        /// 0 Linux's increments; 1 those of the paper
        search: choice(1, 0,
            "Linux tcp_bic.c (figure 17 of Mills et al., ASME 2011, agrees with its constants); Xu et al. 2004"),
        /// 1: distances to the last maximum are divided in whole segments; used where search = 0
        whole_distance: flag(false, Linux = true, "Xu et al. 2004, in real numbers (Linux tcp_bic.c: 1)"),
        /// segments per acknowledgement that the increments are multiplied by
        ack_ratio: number("1", [1.0, 16.0], 1.0, Linux = 2.0,
            "Xu et al. 2004 (Linux tcp_bic.c with delayed acknowledgements, ns-2: 2)"),
    }
}

/// The rule by which the increment follows the distance from the last maximum.
#[derive(Clone, Copy, Debug)]
enum Search {
    /// The smallest increment is `search_divisor / smooth_part`, within `search_divisor` of the maximum on
    /// both sides.
    Linux { smallest: f64, whole: bool },
    /// The smallest increment is `min_increment`; beyond the maximum it doubles every round trip, from 1
    /// segment.
    Paper { smallest: f64 },
}

impl BicConfig {
    fn search(&self) -> Search {
        match self.search {
            0 => {
                Search::Linux { smallest: self.search_divisor / self.smooth_part, whole: self.whole_distance }
            }
            _ => Search::Paper { smallest: self.min_increment },
        }
    }

    /// I(w), segments per round trip, where `last_max` is the window of the last loss or 0 before the first
    /// one.
    fn increment(&self, w: f64, last_max: f64) -> f64 {
        // tcp_bic.c, bictcp_update, low_window; NIST SP 500-282, chapter 10.
        if w <= self.low_window {
            return 1.0;
        }
        let distance = match self.search() {
            Search::Linux { whole: true, .. } => last_max.floor() - w.floor(),
            Search::Linux { whole: false, .. } | Search::Paper { .. } => last_max - w,
        };
        let increment = if distance > 0.0 { self.towards(distance) } else { self.beyond(-distance) };
        // tcp_bic.c, bictcp_update: at least 5 % per round trip before the first loss, and at most one
        // segment per acknowledged one.
        let first = if last_max == 0.0 { self.first_growth * w } else { 0.0 };
        (increment.max(first) * self.ack_ratio).min(w)
    }

    /// I at a distance below the last maximum (Xu et al. 2004, binary search increase and additive increase;
    /// tcp_bic.c, bictcp_update).
    fn towards(&self, distance: f64) -> f64 {
        let part = distance / self.search_divisor;
        match self.search() {
            Search::Linux { smallest, whole: true } if part < 2.0 => smallest,
            Search::Linux { whole: true, .. } => part.floor().min(self.max_increment),
            Search::Linux { smallest, .. } if part <= 1.0 => smallest,
            Search::Linux { .. } => part.min(self.max_increment),
            Search::Paper { smallest } => part.max(smallest).min(self.max_increment),
        }
    }

    /// I at a distance above the last maximum (Xu et al. 2004, slow start towards a new maximum, or max
    /// probing; tcp_bic.c, bictcp_update).
    fn beyond(&self, distance: f64) -> f64 {
        match self.search() {
            Search::Linux { smallest, .. } if distance < self.search_divisor => smallest,
            Search::Linux { .. } => (distance / (self.search_divisor - 1.0)).min(self.max_increment),
            // 1, 2, 4, ... segments in as many round trips add up to one segment less than the next of them.
            Search::Paper { .. } => (distance + 1.0).min(self.max_increment),
        }
    }

    /// Part of the window that a loss leaves (Xu et al. 2004, multiplicative decrease; RFC 5681, section 3.1,
    /// in the low window).
    fn kept(&self, w: f64) -> f64 {
        1.0 - if w <= self.low_window { 0.5 } else { self.decrease }
    }
}

/// BIC: the state of one flow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Bic {
    window: Window,
    /// The window to search for; 0 before the first loss.
    last_max: f64,
}

impl CongestionControl for Bic {
    type Params = BicConfig;
    type Config = BicConfig;

    const NAME: &'static str = "bic";
    const TITLE: &'static str = "BIC TCP";
    const SOURCE: &'static str = "Xu, Harfoush and Rhee, INFOCOM 2004; Linux tcp_bic.c";

    fn new(config: &BicConfig, start: &Start) -> Self {
        Self { window: Window::new(&config.common, start), last_max: 0.0 }
    }

    #[inline]
    fn on_ack(&mut self, config: &BicConfig, ack: &AckEvent) {
        if !config.common.may_grow(ack) {
            return;
        }
        // Xu et al. 2004, binary search increase and slow start towards a new maximum: I(w) / w per
        // acknowledged segment.
        for _ in 0..self.window.grow_in_slow_start(&config.common, ack) {
            let w = self.window.cwnd();
            self.window.grow(&config.common, config.increment(w, self.last_max) / w);
        }
    }

    fn on_idle(&mut self, config: &BicConfig, idle: &IdleEvent) {
        self.window.restart(&config.common, idle);
    }

    fn on_resume(&mut self, config: &BicConfig, step: &ResumeStep) {
        self.window.resume(&config.common, step);
    }

    fn on_loss(&mut self, config: &BicConfig, loss: &LossEvent) {
        // Xu et al. 2004, multiplicative decrease; tcp_bic.c, bictcp_recalc_ssthresh.
        let basis = self.window.basis(&config.common, loss);
        let reduced = basis * config.kept(basis);
        let timeout = loss.cause == LossCause::Timeout;
        if timeout && config.forget_on_timeout {
            // tcp_bic.c, bictcp_state: a timeout erases the last maximum.
            self.last_max = 0.0;
        } else if !timeout || loss.first_timeout {
            // Xu et al. 2004, fast convergence: half-way between the old window and the new one. A timeout
            // that follows another one is no new loss (RFC 5681, section 3.1).
            let lower = config.fast_convergence && basis < self.last_max;
            self.last_max = if lower { basis * (1.0 - config.decrease / 2.0) } else { basis };
        }
        self.window.back_off(&config.common, loss, reduced, reduced);
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn phase(&self, config: &BicConfig, _: Picos) -> Phase {
        if self.window.in_slow_start() {
            Phase::SlowStart
        } else if self.window.cwnd() <= config.low_window {
            Phase::Standard
        } else {
            Phase::Alternate
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;
    use crate::testing::{acks, assert_near, config, loss, start};

    const PRESETS: [Preset; 2] = [Preset::Standard, Preset::Sp500282];

    fn study() -> BicConfig {
        config::<Bic>(Preset::Sp500282, &[])
    }

    /// A flow in congestion avoidance.
    fn flow(config: &BicConfig, cwnd: f64, last_max: f64) -> Bic {
        Bic { last_max, ..Bic::new(config, &start(cwnd, 2.0)) }
    }

    #[test]
    fn increments_per_round_trip() {
        for preset in PRESETS {
            let config = config::<Bic>(preset, &[]);
            for (w, last_max, increment) in [
                (14.0, 100.0, 1.0),
                (15.0, 100.0, 15.0),
                (40.0, 100.0, 15.0),
                (80.0, 100.0, 5.0),
                (97.0, 100.0, 0.2),
                (103.0, 100.0, 0.2),
                (106.0, 100.0, 2.0),
                (130.0, 100.0, 10.0),
                (148.0, 100.0, 16.0),
                (3266.0, 4082.0, 16.0),
            ] {
                assert_eq!(config.increment(w, last_max), increment, "{w} after a loss at {last_max}");
                let mut bic = flow(&config, w, last_max);
                bic.on_ack(&config, &acks(1));
                assert_eq!(bic.cwnd(), w + increment / w);
            }
        }
    }

    #[test]
    fn one_loss() {
        for preset in PRESETS {
            let config = config::<Bic>(preset, &[]);
            for (w, last_max, next_max, reduced) in
                [(4082.0, 0.0, 4082.0, 3264.8), (3800.0, 4082.0, 3419.6, 3039.3), (14.0, 50.0, 12.6, 7.0)]
            {
                let mut bic = flow(&config, w, last_max);
                bic.on_loss(&config, &loss(LossCause::FastRetransmit, w as u32));
                assert_near(bic.last_max, next_max, 0.051);
                assert_near(bic.cwnd(), reduced, 0.051);
                assert_eq!(bic.ssthresh(), bic.cwnd());
            }
        }
        let exact = config::<Bic>(Preset::Standard, &[("decrease", 0.2)]);
        let mut bic = flow(&exact, 4082.0, 0.0);
        bic.on_loss(&exact, &loss(LossCause::FastRetransmit, 4082));
        assert_near(bic.cwnd(), 3265.6, 1e-9);
    }

    #[test]
    fn without_fast_convergence_the_aim_is_the_window_of_the_last_loss() {
        let config = config::<Bic>(Preset::Standard, &[("fast_convergence", 0.0)]);
        let mut bic = flow(&config, 3800.0, 4082.0);
        bic.on_loss(&config, &loss(LossCause::FastRetransmit, 3800));
        assert_eq!(bic.last_max, 3800.0);
    }

    /// Windows at the ends of the round trips from `from` until `last_max` is reached, one step per round
    /// trip.
    fn search(config: &BicConfig, from: f64, last_max: f64) -> Vec<f64> {
        let step = |w: &f64| (*w < last_max).then(|| w + config.increment(*w, last_max));
        // Twenty steps of 0.2 are not quite 4 in binary.
        std::iter::successors(Some(from), step).skip(1).take_while(|w| *w < last_max + 1.0).collect()
    }

    #[test]
    fn the_search_for_the_last_maximum() {
        for preset in PRESETS {
            let config = config::<Bic>(preset, &[]);
            let windows = search(&config, 80.0, 100.0);
            for (window, expected) in windows.iter().zip([85.0, 88.75, 91.5625, 93.6719, 95.2539, 96.4404]) {
                assert_near(*window, expected, 5.1e-5);
            }
            assert!(windows[6..].windows(2).all(|pair| (pair[1] - pair[0] - 0.2).abs() < 1e-9));
            assert_eq!(windows.len(), 24);
            assert_eq!(search(&config, 3265.6, 4082.0).len(), 76);
        }
    }

    #[test]
    fn linux_divides_whole_segments() {
        let config = config::<Bic>(Preset::Standard, &[("whole_distance", 1.0)]);
        // Last maximum 100: distances of 7, 8, 11, 12, 63, 64 and 68 segments over 4 are 1, 2, 2, 3, 15, 16
        // and 17.
        for (w, increment) in [
            (93.0, 0.2),
            (92.0, 2.0),
            (92.9, 2.0),
            (89.0, 2.0),
            (88.0, 3.0),
            (37.0, 15.0),
            (36.0, 16.0),
            (32.0, 16.0),
            (100.0, 0.2),
            (103.0, 0.2),
            (104.0, 4.0 / 3.0),
        ] {
            assert_eq!(config.increment(w, 100.0), increment, "{w}");
        }
        assert_eq!(search(&config, 93.0, 100.0).len(), 35);
        assert_eq!(search(&standard(), 96.0, 100.0).len(), 20);
    }

    fn standard() -> BicConfig {
        config::<Bic>(Preset::Standard, &[])
    }

    #[test]
    fn an_estimate_of_two_segments_per_acknowledgement_doubles_the_increments() {
        let doubled = config::<Bic>(Preset::Standard, &[("ack_ratio", 2.0)]);
        for w in [20.0, 80.0, 97.0, 103.0, 148.0] {
            let expected = (2.0 * standard().increment(w, 100.0)).min(w);
            assert_eq!(doubled.increment(w, 100.0), expected);
        }
        assert_eq!(doubled.increment(14.0, 100.0), 1.0);
    }

    #[test]
    fn the_search_beyond_the_last_maximum() {
        for preset in PRESETS {
            let config = config::<Bic>(preset, &[]);
            let mut w = 100.0;
            for step in 1..=20 {
                w += config.increment(w, 100.0);
                assert_near(w, 100.0 + 0.2 * f64::from(step), 1e-9);
            }
            w = 104.0;
            for expected in [105.333, 107.111, 109.481, 112.642, 116.856] {
                w += config.increment(w, 100.0);
                assert_near(w, expected, 5.1e-4);
            }
            while config.increment(w, 100.0) < 16.0 {
                w += config.increment(w, 100.0);
            }
            assert!((148.0..164.0).contains(&w), "full speed from {w}");
        }
    }

    #[test]
    fn the_search_of_the_paper() {
        let changes =
            [("search", 1.0), ("max_increment", 32.0), ("decrease", 0.125), ("search_divisor", 2.0)];
        let config = config::<Bic>(Preset::Sp500282, &changes);
        let mut bic = flow(&config, 1000.0, 0.0);
        bic.on_loss(&config, &loss(LossCause::FastRetransmit, 1000));
        assert_eq!((bic.cwnd(), bic.last_max), (875.0, 1000.0));
        let windows = search(&config, 875.0, 1000.0);
        for (window, expected) in windows.iter().zip([907.0, 939.0, 969.5, 984.75, 992.375, 996.1875]) {
            assert_eq!(*window, expected);
        }
        assert_near(config.increment(999.999, 1000.0), 0.01, 0.0);
        let mut w = 1000.0;
        for expected in [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 32.0] {
            assert_eq!(config.increment(w, 1000.0), expected);
            w += expected;
        }
    }

    #[test]
    fn response_function_of_one_step_per_round_trip() {
        for preset in PRESETS {
            let config = config::<Bic>(preset, &[]);
            for (p, mean) in [(1e-2, 14.0), (1e-3, 49.0), (1e-4, 362.0)] {
                let mut bic = flow(&config, mean, 0.0);
                let mut round_trips = 0.0;
                for _ in 0..500 {
                    round_trips = 0.0;
                    let mut left = 1.0 / p;
                    while left > 0.0 {
                        let w = bic.cwnd();
                        let acked = f64::min(w, left);
                        left -= acked;
                        round_trips += acked / w;
                        bic.window.grow(&config.common, acked / w * config.increment(w, bic.last_max));
                    }
                    bic.on_loss(&config, &loss(LossCause::FastRetransmit, bic.cwnd().ceil() as u32));
                }
                assert_near(1.0 / p / round_trips, mean, 0.005 * mean);
            }
        }
    }

    #[test]
    fn before_the_first_loss_linux_grows_by_five_percent() {
        let linux = config::<Bic>(Preset::Standard, &[]);
        for (w, with, without) in [
            (14.0, 1.0, 1.0),
            (15.0, 5.0, 5.0),
            (30.0, 10.0, 10.0),
            (100.0, 16.0, 16.0),
            (320.0, 16.0, 16.0),
            (1000.0, 50.0, 16.0),
        ] {
            assert_eq!(linux.increment(w, 0.0), with);
            assert_eq!(study().increment(w, 0.0), without);
        }
        assert_eq!(linux.increment(1000.0, 100.0), 16.0, "not after the first loss");
    }

    #[test]
    fn a_time_out_keeps_its_own_ssthresh_and_forgets_the_last_maximum() {
        for (preset, restart) in [(Preset::Standard, 1.0), (Preset::Sp500282, 2.0)] {
            let config = config::<Bic>(preset, &[]);
            let mut bic = Bic { last_max: 1200.0, ..Bic::new(&config, &start(2.0, 1000.0)) };
            (0..998).for_each(|_| bic.on_ack(&config, &acks(1)));
            bic.on_loss(&config, &loss(LossCause::Timeout, 1000));
            assert_eq!((bic.cwnd(), bic.last_max), (restart, 0.0));
            assert_near(bic.ssthresh(), 799.8, 0.01);
            assert_eq!(bic.phase(&config, 0), Phase::SlowStart);
        }
        let config = config::<Bic>(Preset::Standard, &[("forget_on_timeout", 0.0)]);
        let mut bic = flow(&config, 14.0, 0.0);
        let first = loss(LossCause::Timeout, 14);
        bic.on_loss(&config, &first);
        assert_eq!((bic.cwnd(), bic.ssthresh(), bic.last_max), (1.0, 7.0, 14.0));
        bic.on_loss(&config, &LossEvent { first_timeout: false, ..first });
        assert_eq!((bic.ssthresh(), bic.last_max), (7.0, 14.0), "a repeated expiry is no news");
    }

    #[test]
    fn the_mode_switches_above_the_low_window() {
        for preset in PRESETS {
            let config = config::<Bic>(preset, &[]);
            for (w, phase) in [(14.0, Phase::Standard), (14.01, Phase::Alternate)] {
                assert_eq!(flow(&config, w, 50.0).phase(&config, 0), phase);
            }
            assert_eq!(Bic::new(&config, &start(2.0, 50.0)).phase(&config, 0), Phase::SlowStart);
        }
    }
}
