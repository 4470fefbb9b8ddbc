//! FAST TCP (C. Jin, D. X. Wei and S. H. Low, INFOCOM 2004): a window equation driven by queueing delay.
//!
//! * Every `update_period` the window moves towards (base_rtt / avg_rtt) w + `alpha`, by the part `gamma` of
//!   the distance and to at most twice the window, so that the flow keeps `alpha` segments in queues (Jin et
//!   al., window control).
//! * base_rtt is the smallest round-trip time seen; avg_rtt an average with gain min(3/w, 1/4) (estimation).
//! * Of two round trips one is updated, its total step spread over its updates, and one is left alone, so
//!   that the next step starts from a delay that the window of the moment has caused (window control). The
//!   parameter `step` has this and the other ways found in implementations; all have the same equilibrium.
//! * Slow start is that of standard TCP. Control begins one round trip after slow start or fast recovery has
//!   ended, when the delays are fresh. The window never follows standard TCP's additive increase; there is no
//!   low window.
//! * Loss: ssthresh and cwnd are halved (NIST SP 500-282, chapter 10). Timeout: ssthresh is half the window,
//!   cwnd 1, or the rule of the study; base_rtt is kept.
//!
//! An update needs an acknowledgement since the last one. Retransmitted segments give no delay (Karn's rule).

use crate::param::params;
use crate::{
    AckEvent, Common, CongestionControl, IdleEvent, LossCause, LossEvent, Phase, Picos, ResumeStep, Start,
    Window, picos, seconds,
};
use serde::{Deserialize, Serialize};

params! {
    /// Constants of FAST but for alpha: those that alpha tuning keeps.
    pub struct FastRules {
        /// part of the distance to the wanted window that one step covers
        gamma: number("1", [0.01, 1.0], 0.5, "Jin et al. 2004"),
        /// time between updates of the window
        update_period: time([0.001, 10.0], 0.02, "NIST SP 500-282, chapter 10 (ns-2: 0.01 s)"),
        /// weight of a new round-trip time in the average, times the window
        gain_segments: number("segments", [0.01, 1000.0], 3.0, "Jin et al. 2004"),
        /// largest weight of a new round-trip time in the average
        gain_max: number("1", [0.0001, 1.0], 0.25, "Jin et al. 2004 (ns-2: 1/256)"),
        decrease: decrease("NIST SP 500-282, chapter 10"),
        /// smallest window that the window equation may set
        min_window: number("segments", [1.0, 1000.0], 2.0, "assumed"),
        /// 0 one step in every second round trip, spread over its updates; 1 one in every round trip, spread;
        /// 2 a whole step at every update; 3 a whole step at every update of every second round trip
        step: choice(3, 0, "Jin et al. 2004 (ns-2: 3)"),
    }
}

params! {
    /// Constants of FAST.
    pub struct FastConfig {
        common: Common,
        /// segments that the flow keeps in queues
        alpha: number("segments", [1.0, 1e6], 200.0,
            "NIST SP 500-282, chapter 10 (80 in figure 19 of Mills et al., ASME 2011)"),
        rules: FastRules,
    }
}

impl FastRules {
    /// A step per round trip, spread over its updates; otherwise a whole step at each update.
    fn spreads(&self) -> bool {
        matches!(self.step, 0 | 1)
    }

    /// Every second round trip is left alone.
    fn alternates(&self) -> bool {
        matches!(self.step, 0 | 3)
    }
}

impl FastConfig {
    /// The window equation from `w`, when the acknowledged segment left under the window `w_old` (Jin et al.
    /// 2004, window control).
    fn target(&self, w: f64, w_old: f64, base_rtt: f64, avg_rtt: f64) -> f64 {
        let next =
            (1.0 - self.rules.gamma) * w + self.rules.gamma * (base_rtt / avg_rtt * w_old + self.alpha);
        next.min(2.0 * w)
    }

    /// Weight of a new round-trip time in the average: min(3 / w, 1 / 4) (Jin et al. 2004, estimation).
    fn gain(&self, w: f64) -> f64 {
        (self.rules.gain_segments / w).min(self.rules.gain_max)
    }
}

/// The force that moves the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Mode {
    /// Acknowledgements, up to ssthresh.
    SlowStart,
    /// Nothing, until fast recovery ends.
    Recovery,
    /// Nothing, for one round trip.
    Frozen,
    /// The window equation, for one round trip.
    Active,
}

/// FAST: the state of one flow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Fast {
    window: Window,
    mode: Mode,
    /// Seconds; 0 before the first sample.
    base_rtt: f64,
    avg_rtt: f64,
    /// The round trip of control under way.
    began: Picos,
    ends: Picos,
    /// The window when the round trip before this one began, when this one began, and where this one leads.
    before: f64,
    from: f64,
    to: f64,
    /// Since the last update: acknowledgements; some that may raise the window.
    acked: bool,
    may_grow: bool,
}

impl Fast {
    /// Updates base_rtt and avg_rtt (Jin et al. 2004, estimation).
    fn sample_rtt(&mut self, config: &FastConfig, rtt: f64) {
        if self.base_rtt == 0.0 {
            (self.base_rtt, self.avg_rtt) = (rtt, rtt);
        } else {
            self.base_rtt = self.base_rtt.min(rtt);
            self.avg_rtt += config.gain(self.window.cwnd()) * (rtt - self.avg_rtt);
        }
    }

    /// Control begins at `now`, with a round trip of fresh delays: of two round trips one is left alone (Jin
    /// et al. 2004, window control).
    fn begin_control(&mut self, config: &FastConfig, now: Picos) {
        self.mode = Mode::Frozen;
        self.from = self.window.cwnd();
        self.begin_round(config, now);
    }

    /// Begins a round trip of control; an active one has its whole step from here (Jin et al. 2004, window
    /// control).
    fn begin_round(&mut self, config: &FastConfig, at: Picos) {
        self.before = self.from;
        self.from = self.window.cwnd();
        self.began = at;
        self.ends = at + picos(self.avg_rtt).max(1);
        if self.mode == Mode::Active {
            self.to = config.target(self.from, self.from, self.base_rtt, self.avg_rtt);
        }
    }

    /// Completes the step of the round trip that is over and begins the next round trip: of two round trips
    /// one is left alone (Jin et al. 2004, window control).
    fn end_round(&mut self, config: &FastConfig, now: Picos, may_grow: bool) {
        if self.mode == Mode::Active && config.rules.spreads() {
            self.move_to(config, self.to, may_grow);
        }
        self.mode =
            if self.mode == Mode::Active && config.rules.alternates() { Mode::Frozen } else { Mode::Active };
        // Round trips follow each other without a gap unless they are shorter than the time between updates.
        let late = now - self.ends;
        let at = if seconds(late) < self.avg_rtt { self.ends } else { now };
        self.begin_round(config, at);
    }

    /// Sets the window, at least `min_window` (assumed).
    fn move_to(&mut self, config: &FastConfig, window: f64, may_grow: bool) {
        let window = window.max(config.rules.min_window);
        if may_grow || window < self.window.cwnd() {
            self.window.set(&config.common, window);
        }
    }
}

impl CongestionControl for Fast {
    type Params = FastConfig;
    type Config = FastConfig;

    const NAME: &'static str = "fast";
    const TITLE: &'static str = "FAST TCP";
    const SOURCE: &'static str = "Jin, Wei and Low, INFOCOM 2004";

    fn new(config: &FastConfig, start: &Start) -> Self {
        let window = Window::new(&config.common, start);
        let w = window.cwnd();
        Self {
            window,
            mode: Mode::SlowStart,
            base_rtt: 0.0,
            avg_rtt: 0.0,
            began: start.now,
            ends: start.now,
            before: w,
            from: w,
            to: w,
            acked: false,
            may_grow: false,
        }
    }

    #[inline]
    fn on_ack(&mut self, config: &FastConfig, ack: &AckEvent) {
        if ack.rtt > 0 {
            self.sample_rtt(config, seconds(ack.rtt));
        }
        self.acked = true;
        if !config.common.may_grow(ack) {
            return;
        }
        self.may_grow = true;
        // RFC 5681, section 3.1, up to ssthresh (NIST SP 500-282, chapter 10).
        if self.mode == Mode::SlowStart {
            self.window.grow_in_slow_start(&config.common, ack);
            if !self.window.in_slow_start() {
                self.begin_control(config, ack.now);
            }
        }
    }

    fn on_idle(&mut self, config: &FastConfig, idle: &IdleEvent) {
        let before = self.window.cwnd();
        self.window.restart(&config.common, idle);
        if self.window.cwnd() == before || self.mode == Mode::Recovery {
            return;
        }
        // The step under way leads to the window of before.
        if self.window.in_slow_start() {
            self.mode = Mode::SlowStart;
        } else if self.mode != Mode::SlowStart {
            self.begin_control(config, idle.now);
        }
    }

    fn on_resume(&mut self, config: &FastConfig, step: &ResumeStep) {
        self.window.resume(&config.common, step);
    }

    fn on_loss(&mut self, config: &FastConfig, loss: &LossEvent) {
        let basis = self.window.basis(&config.common, loss);
        // NIST SP 500-282, chapter 10: halved.
        let reduced = basis * (1.0 - config.rules.decrease);
        self.window.back_off(&config.common, loss, reduced, basis / 2.0);
        match loss.cause {
            LossCause::Timeout => self.mode = Mode::SlowStart,
            // Window control pauses until fast recovery ends.
            LossCause::FastRetransmit => self.mode = Mode::Recovery,
            LossCause::Ecn => self.begin_control(config, loss.now),
        }
    }

    fn on_recovery_exit(&mut self, config: &FastConfig, now: Picos) {
        if self.mode == Mode::Recovery {
            self.begin_control(config, now);
        }
    }

    // Jin et al. 2004, window control; every 20 ms in NIST SP 500-282, chapter 10.
    fn on_timer(&mut self, config: &FastConfig, now: Picos) {
        let acked = std::mem::take(&mut self.acked);
        let may_grow = std::mem::take(&mut self.may_grow);
        let controlled = matches!(self.mode, Mode::Frozen | Mode::Active);
        if !acked || !controlled || self.base_rtt == 0.0 {
            return;
        }
        if now >= self.ends {
            self.end_round(config, now, may_grow);
        }
        if self.mode == Mode::Active {
            let part = (now - self.began) as f64 / (self.ends - self.began) as f64;
            // Jin et al. 2004, window control: the step of a round trip is spread over its updates.
            let window = if config.rules.spreads() {
                self.from + part * (self.to - self.from)
            } else {
                // One round trip ago: on the line between the windows at the beginnings of the last two.
                let w_old = self.before + part * (self.from - self.before);
                config.target(self.window.cwnd(), w_old, self.base_rtt, self.avg_rtt)
            };
            self.move_to(config, window, may_grow);
        }
    }

    fn timer_period(config: &FastConfig) -> Option<Picos> {
        Some(config.rules.update_period)
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn phase(&self, _: &FastConfig, _: Picos) -> Phase {
        if self.mode == Mode::SlowStart { Phase::SlowStart } else { Phase::Alternate }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{acks, assert_near, config, loss, start};
    use crate::{MILLISECOND, Preset};

    const MS: Picos = MILLISECOND;

    fn standard() -> FastConfig {
        config::<Fast>(Preset::Standard, &[])
    }

    #[test]
    fn the_window_equation() {
        for (w, base, rtt, alpha, next) in [
            (1000.0, 162.0, 162.0, 200.0, 1100.0),
            (3402.0, 162.0, 162.0, 200.0, 3502.0),
            (3402.0, 162.0, 170.0, 200.0, 3421.9529),
            (1000.0, 100.0, 200.0, 200.0, 850.0),
            (100.0, 100.0, 100.0, 200.0, 200.0),
            (100.0, 100.0, 100.0, 1000.0, 200.0),
            (4000.0, 162.0, 4000.0 / 21.0, 200.0, 3801.0),
            (3602.0, 162.0, 171.5238, 200.0, 3602.0),
            (3482.0, 162.0, 165.8095, 80.0, 3482.0),
        ] {
            let config = config::<Fast>(Preset::Sp500282, &[("alpha", alpha)]);
            assert_near(config.target(w, w, base, rtt), next, 5.1e-4);
        }
    }

    #[test]
    fn the_averaging_gain() {
        assert_near(standard().gain(3402.0), 8.818e-4, 5e-8);
        assert_eq!(standard().gain(8.0), 0.25);
        let ns2 = config::<Fast>(Preset::Standard, &[("gain_max", 1.0 / 256.0)]);
        assert_near(ns2.gain(3402.0), 8.818e-4, 5e-8);
        assert_near(ns2.gain(8.0), 0.0039, 1e-5);
    }

    /// A flow on a path of constant delay: an acknowledgement per millisecond, updates every 20 ms.
    struct Path {
        config: FastConfig,
        fast: Fast,
        now: Picos,
        rtt: Picos,
    }

    impl Path {
        fn new(config: FastConfig, cwnd: f64, rtt: Picos) -> Self {
            let fast = Fast::new(&config, &start(cwnd, 2.0));
            Self { config, fast, now: 0, rtt }
        }

        fn advance(&mut self, duration: Picos) -> f64 {
            let end = self.now + duration;
            while self.now < end {
                self.now += MS;
                let ack = AckEvent { now: self.now, rtt: self.rtt, ..acks(1) };
                self.fast.on_ack(&self.config, &ack);
                if self.now % (20 * MS) == 0 {
                    self.fast.on_timer(&self.config, self.now);
                }
            }
            self.fast.cwnd()
        }
    }

    #[test]
    fn without_a_queue_the_window_grows_as_the_step_says() {
        // Growth in two round trips of 160 ms: gamma alpha in one of the two, or in both. A whole step at
        // every update is (alpha - lag) / 2, where the window of one round trip ago lags by 7 to 8 updates: 8
        // / (lag + 2) alpha per round trip. Left alone every second round trip, the window lags by half of
        // that on average.
        for (step, least, most) in [
            (0.0, 99.9, 100.1),
            (1.0, 199.9, 200.1),
            (2.0, 2.0 * 200.0 * 8.0 / 10.0, 2.0 * 200.0 * 8.0 / 9.0),
            (3.0, 200.0 * 8.0 / 10.0, 200.0 * 8.0 / 5.5),
        ] {
            let config = config::<Fast>(Preset::Standard, &[("step", step)]);
            let mut path = Path::new(config, 1000.0, 160 * MS);
            let before = path.advance(1600 * MS);
            let growth = (path.advance(3200 * MS) - before) / 10.0;
            assert!((least..=most).contains(&growth), "step {step}: {growth} segments");
        }
    }

    #[test]
    fn a_step_is_spread_over_one_round_trip_and_the_next_is_left_alone() {
        let mut path = Path::new(standard(), 1000.0, 160 * MS);
        // Control begins with the acknowledgement at 1 ms, so round trips begin at 1, 161, 321 ms.
        assert_eq!(path.advance(160 * MS), 1000.0, "a round trip of fresh delays");
        for tick in 1..=7 {
            let expected = 1000.0 + 100.0 * (20.0 * f64::from(tick) - 1.0) / 160.0;
            assert_near(path.advance(20 * MS), expected, 1e-9);
        }
        for _ in 8..=15 {
            path.advance(20 * MS);
        }
        assert_eq!(path.fast.cwnd(), 1100.0);
        assert_near(path.advance(20 * MS), 1100.0, 1e-9);
        assert!(path.advance(20 * MS) > 1100.0);
    }

    #[test]
    fn an_update_at_most_doubles_the_window() {
        let mut path = Path::new(config::<Fast>(Preset::Standard, &[("alpha", 1000.0)]), 100.0, 160 * MS);
        assert_eq!(path.advance(340 * MS), 200.0);
    }

    #[test]
    fn without_acknowledgements_the_window_stays() {
        let mut path = Path::new(standard(), 1000.0, 160 * MS);
        path.advance(160 * MS);
        // The equation would lower the window now, which it may always do.
        path.fast.avg_rtt = 0.320;
        for tick in 9..100 {
            path.fast.on_timer(&path.config, tick * 20 * MS);
            assert_eq!(path.fast.cwnd(), 1000.0);
        }
        path.fast.on_ack(&path.config, &acks(1));
        path.fast.on_timer(&path.config, 2000 * MS);
        path.fast.on_ack(&path.config, &acks(1));
        path.fast.on_timer(&path.config, 2020 * MS);
        assert!(path.fast.cwnd() < 1000.0);
    }

    #[test]
    fn the_window_only_falls_while_something_else_limits_the_flow() {
        let unlimited = |rtt: Picos| {
            let mut path = Path::new(standard(), 1000.0, 160 * MS);
            path.advance(160 * MS);
            (path.fast.avg_rtt, path.fast.may_grow) = (seconds(rtt), false);
            path.fast.on_ack(&path.config, &AckEvent { cwnd_limited: false, ..acks(1) });
            path.fast.on_timer(&path.config, 180 * MS);
            path.fast.cwnd()
        };
        assert_eq!(unlimited(160 * MS), 1000.0);
        assert!(unlimited(320 * MS) < 1000.0);
    }

    #[test]
    fn slow_start_ends_for_good_at_ssthresh() {
        let config = standard();
        let mut fast = Fast::new(&config, &start(10.0, 12.0));
        assert_eq!(fast.phase(&config, 0), Phase::SlowStart);
        fast.on_ack(&config, &AckEvent { rtt: 100 * MS, ..acks(3) });
        assert_eq!((fast.cwnd(), fast.phase(&config, 0)), (12.0, Phase::Alternate));
        fast.window.set(&config.common, 6.0);
        fast.on_ack(&config, &acks(3));
        assert_eq!((fast.cwnd(), fast.phase(&config, 0)), (6.0, Phase::Alternate));
    }

    #[test]
    fn a_loss_halves_and_holds_the_window_until_a_round_trip_after_recovery() {
        let mut path = Path::new(standard(), 1000.0, 160 * MS);
        path.advance(170 * MS);
        path.fast.on_loss(&path.config, &loss(LossCause::FastRetransmit, 900));
        assert_eq!((path.fast.cwnd(), path.fast.ssthresh()), (450.0, 450.0));
        assert_eq!(path.advance(1000 * MS), 450.0);
        path.fast.on_recovery_exit(&path.config, path.now);
        assert_eq!(path.advance(160 * MS), 450.0);
        assert!(path.advance(40 * MS) > 450.0);
    }

    #[test]
    fn a_time_out_keeps_base_rtt_and_returns_to_slow_start() {
        let mut path = Path::new(standard(), 1000.0, 160 * MS);
        path.advance(170 * MS);
        path.fast.on_loss(&path.config, &loss(LossCause::Timeout, 1000));
        assert_eq!((path.fast.cwnd(), path.fast.ssthresh()), (1.0, 500.0));
        assert_eq!(path.fast.phase(&path.config, 0), Phase::SlowStart);
        path.rtt = 200 * MS;
        path.advance(20 * MS);
        assert_eq!(path.fast.cwnd(), 21.0);
        assert_eq!(path.fast.base_rtt, seconds(160 * MS));
        path.fast.on_recovery_exit(&path.config, path.now);
        assert_eq!(path.fast.phase(&path.config, 0), Phase::SlowStart);
    }

    #[test]
    fn acknowledgements_without_a_delay_leave_the_averages_alone() {
        let config = standard();
        let mut fast = Fast::new(&config, &start(8.0, 1e9));
        fast.on_ack(&config, &acks(1));
        assert_eq!((fast.base_rtt, fast.avg_rtt), (0.0, 0.0));
        fast.on_ack(&config, &AckEvent { rtt: 100 * MS, ..acks(1) });
        fast.on_ack(&config, &acks(1));
        assert_eq!((fast.base_rtt, fast.avg_rtt), (seconds(100 * MS), seconds(100 * MS)));
        // The window is 11 now, so the weight is the largest one, 1/4.
        fast.on_ack(&config, &AckEvent { rtt: 140 * MS, ..acks(1) });
        assert_near(fast.avg_rtt, 0.110, 1e-12);
        assert_eq!(fast.base_rtt, seconds(100 * MS));
    }

    #[test]
    fn the_equation_never_sets_less_than_two_segments() {
        let config = config::<Fast>(Preset::Standard, &[("alpha", 1.0)]);
        let mut path = Path::new(config, 4.0, 10 * MS);
        path.advance(100 * MS);
        path.rtt = 1000 * MS;
        assert_eq!(path.advance(20_000 * MS), 2.0);
    }
}
