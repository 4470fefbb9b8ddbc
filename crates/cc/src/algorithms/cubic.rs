//! CUBIC (RFC 9438): the window is a cubic function of the time since the last congestion event.
//!
//! * Congestion avoidance: W(t) = C (t - K)^3 + W_max, where t is the time since the epoch began, with the
//!   first acknowledgement in congestion avoidance after a congestion event, W_max the window of that event
//!   and K the time that the flow needs to return to it. Every acknowledged segment covers `1 / cwnd` of the
//!   way to W(t + RTT), which counts as at least cwnd and at most `target_limit` cwnd (section 4.2).
//! * Reno-friendly region: where standard TCP with the same `beta` would have the larger window W_est, the
//!   flow has that (section 4.3). W_est grows by `3 (1 - beta) / (1 + beta)` per round trip, by 1 once it has
//!   reached the window of the last congestion event.
//! * Loss: ssthresh and cwnd become `beta` of the window; W_max is the window, or less where the flow had not
//!   reached its last W_max and makes room for newcomers (sections 4.6 and 4.7, fast convergence). A mark may
//!   lead to a window of 1 (section 4.6).
//! * Slow start that ends without a loss, and a timeout: the epoch begins with K = 0 and W_max = cwnd
//!   (sections 4.8 and 4.10).
//! * Timeout: ssthresh is `beta` of the window, cwnd 1 (section 4.8), or the rule of the study.
//! * Time in which something else limits the flow does not count (section 5.8), unless windows grow
//!   regardless.
//! * `transport.undo` undoes reductions that were spurious (section 4.9), as Linux does.
//!
//! RFC 9438 recommends HyStart++ but does not require it; slow start is a rule of the scenario. `constants`
//! has what can be set, `linux` the arithmetic of `whole_segments` and HyStart.
//!
//! # Deviations
//!
//! The default is RFC 9438. Linux (tcp_cubic.c, 6.x) differs; each difference is a parameter:
//!
//! * `hystart` 3: HyStart with its rules of trains and of delays, in each slow start, also after a timeout.
//!   In Linux it belongs to CUBIC, and standard TCP has classic slow start; so it is a parameter of CUBIC,
//!   which takes the place of the slow start of the scenario for flows of CUBIC alone.
//! * `first_growth` 20: before the first loss, and after a timeout before the next loss, the window grows by
//!   at least a segment per 20 acknowledged.
//! * `alpha_one` 0: alpha stays what it is beyond the window of the last congestion event.
//! * `rtt_statistic` 1: the target looks ahead by the smallest round-trip time.
//! * `limited_time` 1: time in which something else limits the flow counts. Linux leaves out only time in
//!   which nothing is in flight, which does not occur here within a transfer.
//! * `whole_segments` 1: windows, ssthresh and W_max are whole segments, alpha is 8/15, beta 717/1024 and C
//!   410/1024. The window grows by one segment per count of acknowledged ones; the count, at least 2, follows
//!   once per `tick` and at most every 1/32 s while the window stays. A flow that returns to its last W_max
//!   then ties with it, and fast convergence does not act. A mark leaves at least 2 segments. The smallest
//!   round-trip time is that since the last timeout, without those of the first second of an epoch.
//! * Linux starts reductions from cwnd: `transport.reduce_from`.
//! * Linux takes the cube root from a table, within 0.2 % of the exact one here.
//! * ns-3 has beta 0.7, the smallest round-trip time and growth of at most a segment per 2 acknowledged. ns-2
//!   runs an older Linux module: until 2.6.x CUBIC, with beta 0.8 and a limit of 16 segments per 100 ms, was
//!   another algorithm.

mod constants;
mod linux;

use crate::hystart::{HyStart, HyStartRules};
use crate::window::MIN_SSTHRESH;
use crate::{
    AckEvent, Codepoint, Common, CongestionControl, IdleEvent, LossCause, LossEvent, Phase, Picos,
    ResumeStep, SlowStart, Start, Window, seconds,
};
pub use constants::CubicParams;
use linux::{Whole, WholeRules, hystart};
use serde::{Deserialize, Serialize};

/// A window after a loss.
struct Reduction {
    /// ssthresh and the next window.
    reduced: f64,
    /// W_max, and where the flow makes room for newcomers.
    w_max: f64,
    lowered: f64,
}

/// Constants of CUBIC, and what follows from them.
#[derive(Clone, Debug)]
pub struct CubicConfig {
    common: Common,
    c: f64,
    beta: f64,
    fast_convergence: bool,
    reno_friendly: bool,
    target_limit: f64,
    smallest_rtt: bool,
    /// Growth of W_est per round trip, segments (section 4.3), and beyond the window of the last congestion
    /// event.
    alpha: f64,
    alpha_beyond: f64,
    /// Most acknowledged segments per segment of growth before the first congestion event; infinite without
    /// that rule.
    first_growth: f64,
    /// Time in which something else limits the flow counts.
    limited_time: bool,
    /// HyStart as in Linux.
    hystart: Option<HyStartRules>,
    /// Linux's arithmetic.
    whole: Option<WholeRules>,
    codepoint: Codepoint,
    is_paced: bool,
}

impl From<CubicParams> for CubicConfig {
    fn from(p: CubicParams) -> Self {
        let alpha = 3.0 * (1.0 - p.beta) / (1.0 + p.beta);
        Self {
            common: p.common,
            c: p.c,
            beta: p.beta,
            fast_convergence: p.fast_convergence,
            reno_friendly: p.reno_friendly,
            target_limit: p.target_limit,
            smallest_rtt: p.rtt_statistic == 1,
            alpha,
            alpha_beyond: if p.alpha_one { 1.0 } else { alpha },
            first_growth: if p.first_growth > 0.0 { p.first_growth } else { f64::INFINITY },
            limited_time: p.limited_time,
            hystart: (p.hystart > 0).then(|| hystart(&p)),
            whole: p.whole_segments.then(|| WholeRules::new(&p)),
            codepoint: p.ecn,
            is_paced: p.paced,
        }
    }
}

impl CubicConfig {
    /// K, seconds: the time to grow from `cwnd` to `w_max`.
    fn k(&self, w_max: f64, cwnd: f64) -> f64 {
        libm::cbrt((w_max - cwnd) / self.c)
    }

    /// W(t), segments, `t` seconds into an epoch.
    fn w_cubic(&self, t: f64, k: f64, w_max: f64) -> f64 {
        let d = t - k;
        self.c * d * d * d + w_max
    }

    /// The target of a flow with the window `cwnd` in the next round trip, which ends at W = `w_cubic`.
    fn target(&self, w_cubic: f64, cwnd: f64) -> f64 {
        w_cubic.min(self.target_limit * cwnd).max(cwnd)
    }

    /// Returns the window `cwnd` after a loss, the reduction starting from `basis` (sections 4.6 and 4.7).
    fn reduction(&self, cwnd: f64, basis: f64) -> Reduction {
        match &self.whole {
            Some(rules) => rules.reduction(cwnd, basis),
            None => {
                Reduction { reduced: basis * self.beta, w_max: cwnd, lowered: cwnd * (1.0 + self.beta) / 2.0 }
            }
        }
    }
}

/// CUBIC: the state of one flow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Cubic {
    window: Window,
    /// Segments; 0 before the first congestion event and after a timeout.
    w_max: f64,
    /// The window of the last congestion event, or of the end of the first slow start; 0 before.
    cwnd_prior: f64,
    /// When the epoch began; none between a congestion event and the next acknowledgement in congestion
    /// avoidance.
    epoch: Option<Picos>,
    /// Since when something else limits the flow.
    idle: Option<Picos>,
    k: f64,
    w_est: f64,
    /// Standard TCP's window was the larger one when the window last changed.
    friendly: bool,
    /// No congestion event so far, or none since a timeout.
    fresh: bool,
    /// As Linux sees it: the smallest round-trip time, 0 before the first.
    delay_min: Picos,
    hystart: HyStart,
    whole: Whole,
}

impl Cubic {
    /// Seconds since the epoch began, which is now where none is under way; time that did not count is left
    /// out.
    fn elapsed(&mut self, config: &CubicConfig, now: Picos) -> f64 {
        let idle = self.idle.take().map_or(0, |since| now - since);
        let Some(epoch) = self.epoch else {
            self.begin_epoch(config, now);
            return 0.0;
        };
        self.epoch = Some(epoch + idle);
        seconds(now - epoch - idle)
    }

    fn begin_epoch(&mut self, config: &CubicConfig, now: Picos) {
        let cwnd = self.window.cwnd();
        self.epoch = Some(now);
        self.w_est = cwnd;
        if cwnd < self.w_max {
            self.k = config.k(self.w_max, cwnd);
        } else {
            (self.k, self.w_max) = (0.0, cwnd);
        }
        if self.cwnd_prior == 0.0 {
            self.cwnd_prior = cwnd;
        }
    }

    /// Grows after an acknowledged segment in congestion avoidance, `t` seconds into the epoch, at a
    /// round-trip time of `rtt` seconds.
    #[inline]
    fn grow(&mut self, config: &CubicConfig, t: f64, rtt: f64) {
        let cwnd = self.window.cwnd();
        let alpha = if self.w_est < self.cwnd_prior { config.alpha } else { config.alpha_beyond };
        self.w_est += alpha / cwnd;
        self.friendly = config.reno_friendly && config.w_cubic(t, self.k, self.w_max) < self.w_est;
        let increase = if self.friendly {
            (self.w_est - cwnd).max(0.0)
        } else {
            (config.target(config.w_cubic(t + rtt, self.k, self.w_max), cwnd) - cwnd) / cwnd
        };
        let least = if self.fresh { 1.0 / config.first_growth } else { 0.0 };
        self.window.grow(&config.common, increase.max(least));
    }
}

impl CongestionControl for Cubic {
    type Params = CubicParams;
    type Config = CubicConfig;

    const NAME: &'static str = "cubic";
    const TITLE: &'static str = "CUBIC";
    const SOURCE: &'static str = "RFC 9438";

    fn codepoint(config: &CubicConfig) -> Codepoint {
        config.codepoint
    }

    fn is_paced(config: &CubicConfig) -> bool {
        config.is_paced
    }

    fn new(config: &CubicConfig, start: &Start) -> Self {
        // HyStart of Linux begins with classic slow start.
        let slow_start = if config.hystart.is_some() { SlowStart::Classic } else { start.slow_start };
        Self {
            window: Window::new(&config.common, &Start { slow_start, ..*start }),
            w_max: 0.0,
            cwnd_prior: 0.0,
            epoch: None,
            idle: None,
            k: 0.0,
            w_est: 0.0,
            friendly: false,
            fresh: true,
            delay_min: 0,
            hystart: HyStart::new(start.now),
            whole: Whole::default(),
        }
    }

    #[inline]
    fn on_ack(&mut self, config: &CubicConfig, ack: &AckEvent) {
        if config.hystart.is_some() || config.whole.is_some() {
            self.sample(config, ack);
        }
        if !config.common.may_grow(ack) {
            if !ack.in_recovery && !config.limited_time {
                self.idle.get_or_insert(ack.now);
            }
            return;
        }
        let left = self.window.grow_in_slow_start(&config.common, ack);
        if left == 0 {
            self.idle = None;
            return;
        }
        if let Some(rules) = &config.whole {
            self.grow_whole(config, rules, ack.now, left);
            return;
        }
        let t = self.elapsed(config, ack.now);
        let rtt = seconds(if config.smallest_rtt { ack.min_rtt } else { ack.srtt });
        for _ in 0..left {
            self.grow(config, t, rtt);
        }
    }

    fn on_idle(&mut self, config: &CubicConfig, idle: &IdleEvent) {
        self.window.restart(&config.common, idle);
        // RFC 9438, section 5.8; Linux, cubictcp_cwnd_event: idle time does not count. What is left out
        // already is not left out twice.
        if self.idle.is_none() {
            if let Some(epoch) = &mut self.epoch {
                *epoch = (*epoch + idle.idle).min(idle.now);
            }
        }
    }

    fn on_resume(&mut self, config: &CubicConfig, step: &ResumeStep) {
        self.window.resume(&config.common, step);
    }

    fn on_loss(&mut self, config: &CubicConfig, loss: &LossEvent) {
        let cwnd = self.window.cwnd();
        let basis = self.window.basis(&config.common, loss);
        let Reduction { reduced, w_max, lowered } = config.reduction(cwnd, basis);
        self.window.back_off(&config.common, loss, reduced, reduced);
        match loss.cause {
            LossCause::Timeout => {
                (self.w_max, self.fresh, self.delay_min) = (0.0, true, 0);
                (self.hystart, self.whole) = (HyStart::new(loss.now), Whole::default());
            }
            LossCause::FastRetransmit | LossCause::Ecn => {
                let lower = config.fast_convergence && w_max < self.w_max;
                self.w_max = if lower { lowered } else { w_max };
                self.fresh = false;
                self.whole.credit.clear();
            }
        }
        if loss.cause != LossCause::Timeout || loss.first_timeout {
            self.cwnd_prior = cwnd;
        }
        if loss.cause == LossCause::Ecn && reduced < MIN_SSTHRESH && config.whole.is_none() {
            self.window.set(&config.common, reduced);
        }
        (self.epoch, self.idle) = (None, None);
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn phase(&self, _: &CubicConfig, _: Picos) -> Phase {
        if self.window.in_slow_start() {
            Phase::SlowStart
        } else if self.friendly {
            Phase::Standard
        } else {
            Phase::Alternate
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{acks, assert_near, config, loss, start};
    use crate::{MILLISECOND, Preset, SECOND, picos};

    const PRESETS: [Preset; 2] = [Preset::Standard, Preset::Sp500282];

    fn standard() -> CubicConfig {
        config::<Cubic>(Preset::Standard, &[])
    }

    /// A flow in congestion avoidance whose last congestion event left `cwnd` of `w_max`.
    pub fn flow(config: &CubicConfig, cwnd: f64, w_max: f64) -> Cubic {
        Cubic { w_max, cwnd_prior: w_max, ..Cubic::new(config, &start(cwnd, 2.0)) }
    }

    pub fn ack(now: Picos, rtt: Picos) -> AckEvent {
        AckEvent { now, rtt, srtt: rtt, min_rtt: rtt, ..acks(1) }
    }

    #[test]
    fn the_cubic_function() {
        #[rustfmt::skip]
        let vectors = [
            // W_max, window, K, W(1), W(K / 2), W(K + 1), W(2 K)
            (100.0, 70.0, 4.217163, 86.6808, 96.25, 100.4, 130.0),
            (1000.0, 700.0, 9.085603, 788.5551, 962.5, 1000.4, 1300.0),
            (3402.0, 2381.4, 13.664650, 2589.4696, 3274.425, 3402.4, 4422.6),
            (4082.0, 2857.4, 14.520384, 3093.3854, 3928.925, 4082.4, 5306.6),
            (10000.0, 7000.0, 19.574338, 7436.6965, 9625.0, 10000.4, 13000.0),
        ];
        for preset in PRESETS {
            let config = config::<Cubic>(preset, &[]);
            for (w_max, cwnd, expected, after_1, half, one_more, twice) in vectors {
                let k = config.k(w_max, cwnd);
                assert_near(k, expected, 5.1e-7);
                assert_near(config.w_cubic(0.0, k, w_max), cwnd, 1e-9);
                assert_near(config.w_cubic(1.0, k, w_max), after_1, 5.1e-5);
                assert_near(config.w_cubic(k / 2.0, k, w_max), half, 1e-9);
                assert_near(config.w_cubic(k + 1.0, k, w_max), one_more, 1e-9);
                assert_near(config.w_cubic(2.0 * k, k, w_max), twice, 1e-9);
            }
        }
    }

    #[test]
    fn one_acknowledgement_covers_its_part_of_the_way_to_the_target() {
        for preset in PRESETS {
            let config = config::<Cubic>(preset, &[]);
            let mut cubic = flow(&config, 70.0, 100.0);
            cubic.on_ack(&config, &ack(3 * SECOND, 100 * MILLISECOND));
            assert_eq!((cubic.epoch, cubic.friendly), (Some(3 * SECOND), true), "W(0) = cwnd < W_est");
            // The cubic function alone.
            let alone = self::config::<Cubic>(preset, &[("reno_friendly", 0.0)]);
            let mut cubic = flow(&alone, 70.0, 100.0);
            cubic.on_ack(&alone, &ack(3 * SECOND, 100 * MILLISECOND));
            assert_near(alone.w_cubic(0.1, cubic.k, 100.0), 72.0839, 5.1e-5);
            assert_near(cubic.cwnd() - 70.0, 0.029770, 5.1e-7);
            assert!(!cubic.friendly);
        }
    }

    #[test]
    fn the_target_is_at_least_the_window_and_at_most_half_as_much_again() {
        let config = standard();
        for (w_cubic, target) in [(90.0, 100.0), (120.0, 120.0), (150.0, 150.0), (151.0, 150.0)] {
            assert_eq!(config.target(w_cubic, 100.0), target);
        }
    }

    #[test]
    fn the_window_of_standard_tcp_with_the_same_decrease() {
        for preset in PRESETS {
            let config = config::<Cubic>(preset, &[]);
            assert_near(config.alpha, 0.529412, 5.1e-7);
            let mut cubic = flow(&config, 70.0, 100.0);
            cubic.begin_epoch(&config, 0);
            for _ in 0..70 {
                // The window stays at 70: only W_est moves.
                cubic.grow(&config, 0.0, 0.0);
                cubic.window.set(&config.common, 70.0);
            }
            assert_near(cubic.w_est, 70.5294, 5.1e-5);
            // From the window of the last congestion event on it grows like standard TCP's.
            cubic.w_est = 100.0;
            cubic.grow(&config, 0.0, 0.0);
            assert_eq!(cubic.w_est, 100.0 + 1.0 / 70.0);
            assert_eq!(cubic.cwnd(), cubic.w_est, "in the Reno-friendly region the window is W_est");
            assert_eq!(cubic.phase(&config, 0), Phase::Standard);
        }
    }

    #[test]
    fn one_loss() {
        for preset in PRESETS {
            let config = config::<Cubic>(preset, &[]);
            for (cwnd, w_max, next_max, reduced) in
                [(4082.0, 0.0, 4082.0, 2857.4), (90.0, 100.0, 76.5, 63.0), (100.0, 90.0, 100.0, 70.0)]
            {
                let mut cubic = flow(&config, cwnd, w_max);
                cubic.on_loss(&config, &loss(LossCause::FastRetransmit, cwnd as u32));
                assert_near(cubic.w_max, next_max, 1e-9);
                assert_near(cubic.cwnd(), reduced, 1e-9);
                assert_eq!((cubic.ssthresh(), cubic.cwnd_prior), (cubic.cwnd(), cwnd));
            }
        }
        let without = config::<Cubic>(Preset::Standard, &[("fast_convergence", 0.0)]);
        let mut cubic = flow(&without, 90.0, 100.0);
        cubic.on_loss(&without, &loss(LossCause::FastRetransmit, 90));
        assert_eq!(cubic.w_max, 90.0);
    }

    #[test]
    fn a_mark_may_lead_to_a_window_of_one() {
        let config = standard();
        for (cause, cwnd) in [(LossCause::Ecn, 1.4), (LossCause::FastRetransmit, 2.0)] {
            let mut cubic = flow(&config, 2.0, 0.0);
            cubic.on_loss(&config, &loss(cause, 2));
            assert_eq!((cubic.cwnd(), cubic.ssthresh()), (cwnd, 2.0));
        }
    }

    #[test]
    fn a_reduction_starts_from_the_flight_and_the_maximum_from_the_window() {
        for (preset, reduced) in [(Preset::Standard, 56.0), (Preset::Sp500282, 70.0)] {
            let config = config::<Cubic>(preset, &[]);
            let mut cubic = flow(&config, 100.0, 0.0);
            cubic.on_loss(&config, &loss(LossCause::FastRetransmit, 80));
            assert_near(cubic.cwnd(), reduced, 1e-9);
            assert_eq!(cubic.w_max, 100.0);
        }
    }

    #[test]
    fn the_epoch_after_slow_start_begins_on_the_plateau() {
        let config = standard();
        // Ended by ssthresh.
        let mut cubic = Cubic::new(&config, &start(10.0, 12.0));
        cubic.on_ack(&config, &AckEvent { acked: 2, ..ack(SECOND, MILLISECOND) });
        assert_eq!((cubic.cwnd(), cubic.epoch), (12.0, None));
        cubic.on_ack(&config, &ack(2 * SECOND, MILLISECOND));
        assert_eq!(
            (cubic.k, cubic.w_max, cubic.cwnd_prior, cubic.epoch),
            (0.0, 12.0, 12.0, Some(2 * SECOND))
        );
        // After a timeout.
        let mut cubic = flow(&config, 100.0, 120.0);
        cubic.on_loss(&config, &loss(LossCause::Timeout, 100));
        assert_eq!((cubic.cwnd(), cubic.ssthresh(), cubic.cwnd_prior), (1.0, 70.0, 100.0));
        assert_eq!(cubic.phase(&config, 0), Phase::SlowStart);
        cubic.on_loss(&config, &LossEvent { first_timeout: false, ..loss(LossCause::Timeout, 1) });
        assert_eq!((cubic.ssthresh(), cubic.cwnd_prior), (70.0, 100.0), "a repeated expiry is no news");
        for _ in 0..69 {
            cubic.on_ack(&config, &ack(SECOND, MILLISECOND));
        }
        assert_eq!(cubic.cwnd(), 70.0);
        cubic.on_ack(&config, &ack(2 * SECOND, MILLISECOND));
        assert_eq!((cubic.k, cubic.w_max, cubic.epoch), (0.0, 70.0, Some(2 * SECOND)));
        let mut cubic = Cubic::new(&study(), &start(2.0, 100.0));
        cubic.on_ack(&study(), &acks(98));
        cubic.on_loss(&study(), &loss(LossCause::Timeout, 100));
        assert_eq!(
            (cubic.cwnd(), cubic.ssthresh()),
            (2.0, 70.0),
            "the study restarts from the initial window"
        );
    }

    fn study() -> CubicConfig {
        config::<Cubic>(Preset::Sp500282, &[])
    }

    #[test]
    fn time_in_which_something_else_limits_the_flow_does_not_count() {
        let run = |config: &CubicConfig, pause: Picos| {
            let mut cubic = flow(config, 700.0, 1000.0);
            let rtt = 100 * MILLISECOND;
            for i in 0..2000_u64 {
                let paused = if i < 1000 { 0 } else { pause };
                cubic.on_ack(config, &ack(i * MILLISECOND + paused, rtt));
                if i == 999 {
                    let idle = AckEvent { cwnd_limited: false, ..ack(SECOND, rtt) };
                    cubic.on_ack(config, &idle);
                }
            }
            cubic.cwnd()
        };
        assert_eq!(run(&standard(), 5 * SECOND), run(&standard(), 0));
        assert!(run(&study(), 5 * SECOND) > run(&study(), 0) + 10.0);
    }

    #[test]
    fn the_window_follows_the_cubic_function() {
        for (rtt, tolerance) in [(0.01, 0.1), (0.1, 1.0)] {
            let config = config::<Cubic>(Preset::Standard, &[("reno_friendly", 0.0)]);
            let mut cubic = flow(&config, 700.0, 1000.0);
            let mut now = 0.0;
            for t in [1.0, 5.0, 9.085603, 15.0] {
                while now < t {
                    cubic.on_ack(&config, &ack(picos(now), picos(rtt)));
                    now += rtt / cubic.cwnd();
                }
                assert_near(cubic.cwnd(), config.w_cubic(t, cubic.k, 1000.0), tolerance);
            }
        }
    }

    #[test]
    fn the_target_looks_ahead_by_the_smoothed_or_the_smallest_round_trip_time() {
        for (statistic, rtt) in [(0.0, 0.3), (1.0, 0.1)] {
            let changes = [("rtt_statistic", statistic), ("reno_friendly", 0.0)];
            let config = config::<Cubic>(Preset::Standard, &changes);
            let mut cubic = flow(&config, 70.0, 100.0);
            let (srtt, min_rtt) = (300 * MILLISECOND, 100 * MILLISECOND);
            cubic.on_ack(&config, &AckEvent { srtt, min_rtt, ..acks(1) });
            let target = config.w_cubic(rtt, config.k(100.0, 70.0), 100.0);
            assert_near(cubic.cwnd(), 70.0 + (target - 70.0) / 70.0, 1e-12);
        }
    }

    #[test]
    fn linux_keeps_alpha_beyond_the_window_of_the_last_loss() {
        for (alpha_one, growth) in [(1.0, 1.0), (0.0, 0.9 / 1.7)] {
            let config = config::<Cubic>(Preset::Standard, &[("alpha_one", alpha_one)]);
            let mut cubic = Cubic { w_est: 100.0, ..flow(&config, 70.0, 100.0) };
            cubic.grow(&config, 0.0, 0.0);
            assert_near(cubic.w_est - 100.0, growth / 70.0, 1e-12);
        }
    }

    #[test]
    fn linux_counts_time_in_which_something_else_limits_the_flow() {
        for (limited_time, counts) in [(0.0, false), (1.0, true)] {
            let config = config::<Cubic>(Preset::Standard, &[("limited_time", limited_time)]);
            let mut cubic = flow(&config, 70.0, 100.0);
            cubic.on_ack(&config, &ack(SECOND, 100 * MILLISECOND));
            cubic.on_ack(&config, &AckEvent { cwnd_limited: false, ..ack(SECOND, 100 * MILLISECOND) });
            cubic.on_ack(&config, &ack(5 * SECOND, 100 * MILLISECOND));
            assert_eq!(cubic.epoch, Some(if counts { SECOND } else { 5 * SECOND }));
        }
    }
}
