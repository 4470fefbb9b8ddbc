//! CUBIC (RFC 9438): the window is a cubic function of the time since the last congestion event.
//!
//! * Congestion avoidance: W(t) = C (t - K)^3 + W_max, where t is the time since the epoch began, with the first
//!   acknowledgement in congestion avoidance after a congestion event, W_max the window of that event and K the time
//!   that the flow needs to return to it. Every acknowledged segment covers `1 / cwnd` of the way to W(t + RTT), which
//!   counts as at least cwnd and at most `target_limit` cwnd (section 4.2).
//! * Reno-friendly region: where standard TCP with the same `beta` would have the larger window W_est, the flow has
//!   that (section 4.3). W_est grows by `3 (1 - beta) / (1 + beta)` per round trip, by 1 once it has reached the window
//!   of the last congestion event.
//! * Loss: ssthresh and cwnd become `beta` of the window; W_max is the window, or less where the flow had not reached
//!   its last W_max and makes room for newcomers (sections 4.6 and 4.7, fast convergence). A mark may lead to a window
//!   of 1 (section 4.6).
//! * Slow start that ends without a loss, and a time-out: the epoch begins with K = 0 and W_max = cwnd (sections 4.8
//!   and 4.10).
//! * Time-out: ssthresh is `beta` of the window, cwnd 1 (section 4.8), or the rule of the study.
//! * Time in which something else limits the flow does not count (section 5.8), unless windows grow regardless.
//!
//! RFC 9438 recommends HyStart++ but does not require it; slow start is a rule of the scenario. Linux until 2.6.x, with
//! beta 0.8 and a limit of 16 segments per 100 ms, is another algorithm.

use crate::param::constants;
use crate::window::MIN_SSTHRESH;
use crate::{
    AckEvent, Common, CongestionControl, LossCause, LossEvent, Param, Phase, Picos, Start, Window, seconds,
};
use serde::{Deserialize, Serialize};

/// Constants of CUBIC.
#[derive(Clone, Debug)]
pub struct CubicConfig {
    common: Common,
    c: f64,
    beta: f64,
    fast_convergence: bool,
    reno_friendly: bool,
    target_limit: f64,
    smallest_rtt: bool,
    /// Growth of W_est per round trip, segments (section 4.3).
    alpha: f64,
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

    /// Where a flow with the window `cwnd` is headed in the next round trip, which ends at W = `w_cubic`.
    fn target(&self, w_cubic: f64, cwnd: f64) -> f64 {
        w_cubic.min(self.target_limit * cwnd).max(cwnd)
    }
}

/// CUBIC: the state of one flow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Cubic {
    window: Window,
    /// Segments; 0 before the first congestion event and after a time-out.
    w_max: f64,
    /// The window of the last congestion event, or of the end of the first slow start; 0 before.
    cwnd_prior: f64,
    /// When the epoch began; none between a congestion event and the next acknowledgement in congestion avoidance.
    epoch: Option<Picos>,
    /// Since when something else limits the flow.
    idle: Option<Picos>,
    k: f64,
    w_est: f64,
    /// Standard TCP's window was the larger one when the window last changed.
    friendly: bool,
}

impl Cubic {
    /// Seconds since the epoch began, which is now where none is under way; time that did not count is left out.
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

    /// One segment was acknowledged in congestion avoidance, `t` seconds into the epoch, at a round-trip time of `rtt`
    /// seconds.
    #[inline]
    fn grow(&mut self, config: &CubicConfig, t: f64, rtt: f64) {
        let cwnd = self.window.cwnd();
        let alpha = if self.w_est < self.cwnd_prior { config.alpha } else { 1.0 };
        self.w_est += alpha / cwnd;
        self.friendly = config.reno_friendly && config.w_cubic(t, self.k, self.w_max) < self.w_est;
        let increase = if self.friendly {
            (self.w_est - cwnd).max(0.0)
        } else {
            (config.target(config.w_cubic(t + rtt, self.k, self.w_max), cwnd) - cwnd) / cwnd
        };
        self.window.grow(&config.common, increase);
    }
}

impl CongestionControl for Cubic {
    type Config = CubicConfig;

    const NAME: &'static str = "cubic";
    const TITLE: &'static str = "CUBIC";
    const SOURCE: &'static str = "RFC 9438";
    const PARAMS: &'static [Param] = &[
        Param {
            name: "c",
            doc: "how fast the cubic function grows",
            unit: "segments/s^3",
            min: 0.001,
            max: 1000.0,
            standard: 0.4,
            sp500_282: 0.4,
            source: "RFC 9438, section 5.1",
        },
        Param {
            name: "beta",
            doc: "part of the window kept after a loss",
            unit: "1",
            min: 0.01,
            max: 0.99,
            standard: 0.7,
            sp500_282: 0.7,
            source: "RFC 9438, section 4.6 (Linux: 717/1024)",
        },
        Param {
            name: "fast_convergence",
            doc: "1: a flow that lost below its last maximum aims lower; 0: at the window of its last loss",
            unit: "1",
            min: 0.0,
            max: 1.0,
            standard: 1.0,
            sp500_282: 1.0,
            source: "RFC 9438, section 4.7",
        },
        Param {
            name: "reno_friendly",
            doc: "1: the window is never smaller than standard TCP's would be; 0: the cubic function alone",
            unit: "1",
            min: 0.0,
            max: 1.0,
            standard: 1.0,
            sp500_282: 1.0,
            source: "RFC 9438, section 4.3",
        },
        Param {
            name: "target_limit",
            doc: "largest target of one round trip, part of the window",
            unit: "1",
            min: 1.0,
            max: 1000.0,
            standard: 1.5,
            sp500_282: 1.5,
            source: "RFC 9438, section 4.2",
        },
        Param {
            name: "rtt_statistic",
            doc: "round-trip time by which the target looks ahead: 0 the smoothed one; 1 the smallest one",
            unit: "1",
            min: 0.0,
            max: 1.0,
            standard: 0.0,
            sp500_282: 0.0,
            source: "RFC 9438, section 4.1.2 (Linux, ns-3: 1)",
        },
    ];

    fn config(common: Common, values: &[f64]) -> CubicConfig {
        let [c, beta, fast_convergence, reno_friendly, target_limit, rtt_statistic] = constants(values);
        CubicConfig {
            common,
            c,
            beta,
            fast_convergence: fast_convergence >= 0.5,
            reno_friendly: reno_friendly >= 0.5,
            target_limit,
            smallest_rtt: rtt_statistic >= 0.5,
            alpha: 3.0 * (1.0 - beta) / (1.0 + beta),
        }
    }

    fn new(config: &CubicConfig, start: &Start) -> Self {
        Self {
            window: Window::new(&config.common, start),
            w_max: 0.0,
            cwnd_prior: 0.0,
            epoch: None,
            idle: None,
            k: 0.0,
            w_est: 0.0,
            friendly: false,
        }
    }

    #[inline]
    fn on_ack(&mut self, config: &CubicConfig, ack: &AckEvent) {
        if !config.common.may_grow(ack) {
            if !ack.in_recovery {
                self.idle.get_or_insert(ack.now);
            }
            return;
        }
        let left = self.window.grow_in_slow_start(&config.common, ack);
        if left == 0 {
            self.idle = None;
            return;
        }
        let t = self.elapsed(config, ack.now);
        let rtt = seconds(if config.smallest_rtt { ack.min_rtt } else { ack.srtt });
        for _ in 0..left {
            self.grow(config, t, rtt);
        }
    }

    fn on_loss(&mut self, config: &CubicConfig, loss: &LossEvent) {
        let cwnd = self.window.cwnd();
        let reduced = self.window.basis(&config.common, loss) * config.beta;
        self.window.back_off(&config.common, loss, reduced, reduced);
        match loss.cause {
            LossCause::Timeout => self.w_max = 0.0,
            LossCause::FastRetransmit | LossCause::Ecn => {
                let lower = config.fast_convergence && cwnd < self.w_max;
                self.w_max = if lower { cwnd * (1.0 + config.beta) / 2.0 } else { cwnd };
            }
        }
        if loss.cause != LossCause::Timeout || loss.first_timeout {
            self.cwnd_prior = cwnd;
        }
        if loss.cause == LossCause::Ecn && reduced < MIN_SSTHRESH {
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
    fn flow(config: &CubicConfig, cwnd: f64, w_max: f64) -> Cubic {
        Cubic { w_max, cwnd_prior: w_max, ..Cubic::new(config, &start(cwnd, 2.0)) }
    }

    fn ack(now: Picos, rtt: Picos) -> AckEvent {
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
        // After a time-out.
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
}
