//! FAST with alpha tuning: FAST whose alpha is one of three, by the throughput of the flow.
//!
//! * The window is FAST's under the alpha of the moment ([`super::fast`]); its other constants keep their
//!   names.
//! * Throughput is measured once per round trip: the segments acknowledged in it over its duration (NIST SP
//!   500-282, chapter 10).
//! * Every `tuning_period` alpha moves by at most one step: up where the throughput is above the threshold of
//!   the alpha of the moment, down where it is below it (NIST SP 500-282, chapter 10). Each threshold upwards
//!   is higher than the one back, so that a throughput between the two changes nothing.
//! * A flow starts with the largest alpha (NIST SP 500-282, chapter 10).
//!
//! The thresholds of the study are not published; the defaults are recalled from Caltech's implementation,
//! unverified.

use super::fast::{Fast, FastConfig, FastRules};
use crate::param::params;
use crate::{
    AckEvent, Common, CongestionControl, IdleEvent, LossEvent, Phase, Picos, ResumeStep, Start, Window,
    seconds,
};
use serde::{Deserialize, Serialize};

params! {
    /// Constants of FAST with alpha tuning.
    pub struct FastAtParams {
        common: Common,
        /// segments that a slow flow keeps in queues
        alpha_small: number("segments", [1.0, 1e6], 8.0, "NIST SP 500-282, chapter 10"),
        /// segments that a flow of medium speed keeps in queues
        alpha_medium: number("segments", [1.0, 1e6], 20.0, "NIST SP 500-282, chapter 10"),
        /// segments that a fast flow keeps in queues
        alpha_large: number("segments", [1.0, 1e6], 200.0, "NIST SP 500-282, chapter 10"),
        /// alpha of a new flow: 0 alpha_small; 1 alpha_medium; 2 alpha_large
        initial_alpha: choice(2, 2, "NIST SP 500-282, chapter 10"),
        /// throughput above which alpha_small becomes alpha_medium
        up_to_medium: number("segments/s", [0.0, 1e12], 1500.0,
            "recalled from Caltech's implementation, unverified"),
        /// throughput above which alpha_medium becomes alpha_large
        up_to_large: number("segments/s", [0.0, 1e12], 15000.0,
            "recalled from Caltech's implementation, unverified"),
        /// throughput below which alpha_medium becomes alpha_small
        down_to_small: number("segments/s", [0.0, 1e12], 1250.0,
            "recalled from Caltech's implementation, unverified"),
        /// throughput below which alpha_large becomes alpha_medium
        down_to_medium: number("segments/s", [0.0, 1e12], 12500.0,
            "recalled from Caltech's implementation, unverified"),
        /// time between tunings of alpha
        tuning_period: time([0.001, 1e6], 200.0, "NIST SP 500-282, chapter 10"),
        /// tuning periods begin: 0 with the flow; 1 with the simulation
        tuning_clock: choice(1, 0, "assumed"),
        rules: FastRules,
    }
}

/// Constants of FAST with alpha tuning, and what follows from them.
#[derive(Clone, Debug)]
pub struct FastAtConfig {
    /// FAST under each alpha, the smallest first.
    levels: [FastConfig; 3],
    initial: u8,
    /// Throughput above which alpha moves from each level to the next, segments/s.
    up: [f64; 2],
    /// Throughput below which alpha moves back to each level from the next, segments/s.
    down: [f64; 2],
    tuning_period: Picos,
    global_clock: bool,
}

impl From<FastAtParams> for FastAtConfig {
    fn from(p: FastAtParams) -> Self {
        let fast = |alpha| FastConfig { common: p.common, alpha, rules: p.rules.clone() };
        Self {
            levels: [p.alpha_small, p.alpha_medium, p.alpha_large].map(fast),
            initial: p.initial_alpha,
            up: [p.up_to_medium, p.up_to_large],
            down: [p.down_to_small, p.down_to_medium],
            tuning_period: p.tuning_period,
            global_clock: p.tuning_clock == 1,
        }
    }
}

impl FastAtConfig {
    /// The level after a tuning at `throughput` segments/s.
    fn tuned(&self, level: u8, throughput: f64) -> u8 {
        let at = usize::from(level);
        if self.up.get(at).is_some_and(|up| throughput > *up) {
            level + 1
        } else if at > 0 && throughput < self.down[at - 1] {
            level - 1
        } else {
            level
        }
    }
}

/// FAST with alpha tuning: the state of one flow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct FastAt {
    fast: Fast,
    /// Index of alpha.
    level: u8,
    /// Segments acknowledged in the round trip under way.
    acked: u32,
    /// The beginning of the round trip under way.
    began: Picos,
    /// Of the last round trip, segments/s; 0 before the end of the first one.
    throughput: f64,
    next_tuning: Picos,
}

impl FastAt {
    fn fast<'a>(&self, config: &'a FastAtConfig) -> &'a FastConfig {
        &config.levels[usize::from(self.level)]
    }

    fn measure(&mut self, ack: &AckEvent) {
        self.acked = self.acked.saturating_add(ack.segments);
        if ack.round_start && ack.now > self.began {
            self.throughput = f64::from(self.acked) / seconds(ack.now - self.began);
            (self.began, self.acked) = (ack.now, 0);
        }
    }

    fn tune(&mut self, config: &FastAtConfig, now: Picos) {
        if now < self.next_tuning {
            return;
        }
        self.next_tuning += ((now - self.next_tuning) / config.tuning_period + 1) * config.tuning_period;
        self.level = config.tuned(self.level, self.throughput);
    }
}

impl CongestionControl for FastAt {
    type Params = FastAtParams;
    type Config = FastAtConfig;

    const NAME: &'static str = "fast-at";
    const TITLE: &'static str = "FAST TCP with alpha tuning";
    const SOURCE: &'static str = "NIST SP 500-282, chapter 10; Jin, Wei and Low, INFOCOM 2004";

    fn new(config: &FastAtConfig, start: &Start) -> Self {
        let origin =
            if config.global_clock { start.now - start.now % config.tuning_period } else { start.now };
        Self {
            fast: Fast::new(&config.levels[usize::from(config.initial)], start),
            level: config.initial,
            acked: 0,
            began: start.now,
            throughput: 0.0,
            next_tuning: origin + config.tuning_period,
        }
    }

    #[inline]
    fn on_ack(&mut self, config: &FastAtConfig, ack: &AckEvent) {
        self.measure(ack);
        self.fast.on_ack(self.fast(config), ack);
    }

    fn on_idle(&mut self, config: &FastAtConfig, idle: &IdleEvent) {
        self.fast.on_idle(self.fast(config), idle);
    }

    fn on_resume(&mut self, config: &FastAtConfig, step: &ResumeStep) {
        self.fast.on_resume(self.fast(config), step);
    }

    fn on_loss(&mut self, config: &FastAtConfig, loss: &LossEvent) {
        self.fast.on_loss(self.fast(config), loss);
    }

    fn on_recovery_exit(&mut self, config: &FastAtConfig, now: Picos) {
        self.fast.on_recovery_exit(self.fast(config), now);
    }

    fn on_timer(&mut self, config: &FastAtConfig, now: Picos) {
        self.tune(config, now);
        self.fast.on_timer(self.fast(config), now);
    }

    fn timer_period(config: &FastAtConfig) -> Option<Picos> {
        Fast::timer_period(&config.levels[0])
    }

    fn window(&self) -> &Window {
        self.fast.window()
    }

    fn phase(&self, config: &FastAtConfig, now: Picos) -> Phase {
        self.fast.phase(self.fast(config), now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{acks, config, start};
    use crate::{LossCause, MILLISECOND, Preset, SECOND};

    const PRESETS: [Preset; 2] = [Preset::Standard, Preset::Sp500282];

    #[test]
    fn the_thresholds_of_alpha() {
        for preset in PRESETS {
            let config = config::<FastAt>(preset, &[]);
            let alphas = [8.0, 20.0, 200.0];
            let level = |alpha: f64| alphas.iter().position(|a| *a == alpha).expect("a level") as u8;
            for (before, throughput, after) in [
                (200.0, 10_500.0, 20.0),
                (20.0, 10_500.0, 20.0),
                (20.0, 15_001.0, 200.0),
                (20.0, 1249.0, 8.0),
                (8.0, 1400.0, 8.0),
                (8.0, 1501.0, 20.0),
                // At a threshold and beyond the last one.
                (20.0, 15_000.0, 20.0),
                (20.0, 1250.0, 20.0),
                (200.0, 12_500.0, 200.0),
                (200.0, 21_000.0, 200.0),
                (8.0, 0.0, 8.0),
                // One step at a time.
                (8.0, 21_000.0, 20.0),
                (200.0, 100.0, 20.0),
            ] {
                let tuned = config.tuned(level(before), throughput);
                assert_eq!(alphas[usize::from(tuned)], after, "{before} at {throughput} segments/s");
            }
        }
    }

    /// A flow that is acknowledged every millisecond, with round trips of 100 ms and updates every 20 ms.
    struct Path {
        config: FastAtConfig,
        flow: FastAt,
        now: Picos,
    }

    impl Path {
        fn new(changes: &[(&str, f64)], preset: Preset, began: Picos) -> Self {
            let config = config::<FastAt>(preset, changes);
            let flow = FastAt::new(&config, &Start { now: began, ..start(2.0, 10.0) });
            Self { config, flow, now: began }
        }

        /// The level and when it changed, in seconds since the flow began, while `per_ms` segments are
        /// acknowledged per millisecond.
        fn trace(&mut self, duration: Picos, per_ms: u32) -> Vec<(u64, u8)> {
            let began = self.now;
            let mut trace = vec![(0, self.flow.level)];
            while self.now < began + duration {
                self.now += MILLISECOND;
                let elapsed = (self.now - began) / MILLISECOND;
                let (now, rtt) = (self.now, 100 * MILLISECOND);
                let ack = AckEvent {
                    now,
                    rtt,
                    min_rtt: rtt,
                    round_start: now / MILLISECOND % 100 == 1,
                    ..acks(per_ms)
                };
                self.flow.on_ack(&self.config, &ack);
                if elapsed % 20 == 0 {
                    self.flow.on_timer(&self.config, now);
                    if self.flow.level != trace[trace.len() - 1].1 {
                        trace.push((elapsed / 1000, self.flow.level));
                    }
                }
            }
            trace
        }
    }

    #[test]
    fn the_throughput_of_a_round_trip() {
        let mut path = Path::new(&[], Preset::Sp500282, 0);
        path.trace(101 * MILLISECOND, 21);
        assert_eq!(path.flow.throughput, 21_000.0);
        path.trace(90 * MILLISECOND, 3);
        assert_eq!(path.flow.throughput, 21_000.0, "not before the round trip is over");
        path.trace(110 * MILLISECOND, 3);
        assert_eq!(path.flow.throughput, 3000.0);
    }

    #[test]
    fn from_the_smallest_to_the_largest_alpha_takes_two_tunings() {
        for preset in PRESETS {
            let mut at_worst = Path::new(&[("initial_alpha", 0.0)], preset, 150 * SECOND);
            assert_eq!(at_worst.trace(500 * SECOND, 21), [(0, 0), (200, 1), (400, 2)]);
            let changes = [("initial_alpha", 0.0), ("tuning_clock", 1.0)];
            let mut with_a_remainder = Path::new(&changes, preset, 150 * SECOND);
            assert_eq!(with_a_remainder.trace(500 * SECOND, 21), [(0, 0), (50, 1), (250, 2)]);
        }
    }

    #[test]
    fn alpha_follows_the_throughput() {
        for preset in PRESETS {
            let mut path = Path::new(&[], preset, 0);
            assert_eq!(path.trace(500 * SECOND, 21), [(0, 2)]);
            assert_eq!(path.trace(400 * SECOND, 10), [(0, 2), (100, 1)]);
            assert_eq!(path.trace(400 * SECOND, 1), [(0, 1), (100, 0)]);
            assert_eq!(path.trace(400 * SECOND, 2), [(0, 0), (100, 1)]);
        }
    }

    #[test]
    fn the_window_is_that_of_fast_under_the_alpha_of_the_moment() {
        for preset in PRESETS {
            for (level, alpha) in [(0.0, 8.0), (1.0, 20.0), (2.0, 200.0)] {
                let mut path = Path::new(&[("initial_alpha", level)], preset, 0);
                let fast_config = config::<Fast>(preset, &[("alpha", alpha)]);
                let mut fast = Fast::new(&fast_config, &start(2.0, 10.0));
                for elapsed in 1..3000 {
                    let now = elapsed * MILLISECOND;
                    let ack = AckEvent { now, rtt: 100 * MILLISECOND, ..acks(1) };
                    path.flow.on_ack(&path.config, &ack);
                    fast.on_ack(&fast_config, &ack);
                    if elapsed % 20 == 0 {
                        path.flow.on_timer(&path.config, now);
                        fast.on_timer(&fast_config, now);
                    }
                    if elapsed == 1500 {
                        let loss = LossEvent { now, ..crate::testing::loss(LossCause::FastRetransmit, 30) };
                        path.flow.on_loss(&path.config, &loss);
                        fast.on_loss(&fast_config, &loss);
                    }
                    if elapsed == 1600 {
                        path.flow.on_recovery_exit(&path.config, now);
                        fast.on_recovery_exit(&fast_config, now);
                    }
                    assert_eq!(path.flow.window(), fast.window());
                    assert_eq!(path.flow.phase(&path.config, now), fast.phase(&fast_config, now));
                }
            }
        }
    }

    #[test]
    fn a_loss_and_a_time_out_keep_alpha() {
        let mut path = Path::new(&[("initial_alpha", 1.0)], Preset::Sp500282, 0);
        path.trace(SECOND, 1);
        for cause in [LossCause::FastRetransmit, LossCause::Timeout] {
            path.flow.on_loss(&path.config, &crate::testing::loss(cause, 10));
            assert_eq!(path.flow.level, 1);
        }
    }
}
