//! TCP Illinois (S. Liu, T. Başar and R. Srikant, 2008; Linux tcp_illinois.c): losses decide when the window
//! shrinks, queueing delay decides how much it grows and shrinks.
//!
//! * Congestion avoidance: `alpha / cwnd` per acknowledged segment, so alpha segments per round trip.
//! * Once per round trip alpha and beta follow d, the mean queueing delay of the round trip, relative to
//!   d_max, the largest one seen. Up to `low_delay` d_max alpha is `alpha_max`; above, `k1 / (k2 + d)`, which
//!   falls to `alpha_min` at d_max. beta is `beta_min` up to `beta_low` d_max, `beta_max` from `beta_high`
//!   d_max, and linear in between (Liu et al.).
//!   The delay of the acknowledgement that ends a round trip belongs to that round trip (Linux calls
//!   `pkts_acked` before `cong_avoid`).
//! * A flow that has met delay is back at `alpha_max` only after `theta` such round trips in a row; until
//!   then it keeps its alpha, so that one round trip of luck does not open the window (Liu et al.; Linux).
//! * A window below `low_window` at the end of a round trip gets the rules of standard TCP, alpha 1 and beta
//!   1/2.
//! * Round trips of slow start and of recovery change nothing, but their delays count for d_max.
//! * Loss: ssthresh and cwnd give up beta of the window.
//! * Timeout: ssthresh as after a loss, then slow start with alpha 1 and beta 1/2 (Linux), or the rule of the
//!   study.
//!
//! # Deviations
//!
//! * Linux counts the `theta` round trips without requiring them to follow each other.
//! * Linux begins with `alpha_max`; here standard TCP's rules hold until a whole round trip has shown its
//!   delays.
//! * Linux takes its mean over all delays since the parameters last changed, those of slow start included,
//!   and computes in 1/128 and 1/64; windows are whole segments.
//! * ns-3 compares its window in bytes with `low_window`.

use crate::param::params;
use crate::{
    AckEvent, Common, CongestionControl, IdleEvent, LossCause, LossEvent, Phase, Picos, ResumeStep, Start,
    Window,
};
use serde::{Deserialize, Serialize};

/// alpha and beta of standard TCP.
const STANDARD: (f64, f64) = (1.0, 0.5);

params! {
    /// Constants of TCP Illinois.
    pub struct IllinoisConfig {
        common: Common,
        /// growth per round trip at the largest queueing delay
        alpha_min: number("segments", [0.001, 1000.0], 0.3, "Liu et al. 2008; Linux tcp_illinois.c"),
        /// growth per round trip without queueing delay
        alpha_max: number("segments", [0.001, 1000.0], 10.0, "Liu et al. 2008; Linux tcp_illinois.c"),
        /// part of the window given up after a loss at little queueing delay
        beta_min: number("1", [0.001, 0.99], 0.125, "Liu et al. 2008; Linux tcp_illinois.c"),
        /// part of the window given up after a loss at a large queueing delay
        beta_max: number("1", [0.001, 0.99], 0.5, "Liu et al. 2008; Linux tcp_illinois.c"),
        /// smallest window to which the rules of standard TCP do not apply
        low_window: number("segments", [0.0, 1e9], 15.0, "Linux tcp_illinois.c"),
        /// round trips of little queueing delay in a row that lead back to alpha_max
        theta: count("1", [1, 1000], 5, "Liu et al. 2008; Linux tcp_illinois.c"),
        /// part of the largest queueing delay up to which alpha is alpha_max
        low_delay: number("1", [0.0, 1.0], 0.01, "Linux tcp_illinois.c"),
        /// part of the largest queueing delay up to which beta is beta_min
        beta_low: number("1", [0.0, 1.0], 0.1, "Liu et al. 2008; Linux tcp_illinois.c"),
        /// part of the largest queueing delay from which beta is beta_max
        beta_high: number("1", [0.0, 1.0], 0.8, "Liu et al. 2008; Linux tcp_illinois.c"),
    }
}

impl IllinoisConfig {
    /// alpha, segments per round trip, at the queueing delay `d` above `low_delay d_max`.
    fn alpha(&self, d: f64, d_max: f64) -> f64 {
        // k1 / (k2 + d), with both divided by alpha_min / (alpha_max - alpha_min), which may be infinite.
        let d1 = self.low_delay * d_max;
        let range = d_max - d1;
        range * self.alpha_max / (range + (d - d1) * (self.alpha_max - self.alpha_min) / self.alpha_min)
    }

    /// beta, part of the window, at the queueing delay `d`.
    fn beta(&self, d: f64, d_max: f64) -> f64 {
        let (low, high) = (self.beta_low * d_max, self.beta_high * d_max);
        if d <= low {
            self.beta_min
        } else if d >= high {
            self.beta_max
        } else {
            self.beta_min + (self.beta_max - self.beta_min) * (d - low) / (high - low)
        }
    }
}

/// TCP Illinois: the state of one flow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Illinois {
    window: Window,
    alpha: f64,
    beta: f64,
    max_rtt: Picos,
    /// Delays of the round trip under way.
    sum: Picos,
    samples: u32,
    /// Round trips of little delay in a row.
    low_rounds: u32,
    /// The flow has met delay since it was last at `alpha_max`.
    above: bool,
    /// The round trip under way was free of recovery and slow start so far.
    whole: bool,
    /// The rules of standard TCP applied in the last round trip.
    standard: bool,
}

impl Illinois {
    /// A round trip is over.
    fn end_round(&mut self, config: &IllinoisConfig, min_rtt: Picos) {
        self.standard = self.window.cwnd() < config.low_window;
        if self.standard {
            (self.alpha, self.beta) = STANDARD;
        } else if self.samples > 0 {
            let mean = self.sum as f64 / f64::from(self.samples);
            let d = (mean - min_rtt as f64).max(0.0);
            self.adapt(config, d, (self.max_rtt - min_rtt) as f64);
        }
    }

    /// alpha and beta from a round trip with the mean queueing delay `d`.
    fn adapt(&mut self, config: &IllinoisConfig, d: f64, d_max: f64) {
        self.beta = config.beta(d, d_max);
        if d > config.low_delay * d_max {
            self.alpha = config.alpha(d, d_max);
            (self.above, self.low_rounds) = (true, 0);
            return;
        }
        self.low_rounds += u32::from(self.above);
        if !self.above || self.low_rounds >= config.theta {
            self.alpha = config.alpha_max;
            (self.above, self.low_rounds) = (false, 0);
        }
    }
}

impl CongestionControl for Illinois {
    type Params = IllinoisConfig;
    type Config = IllinoisConfig;

    const NAME: &'static str = "illinois";
    const TITLE: &'static str = "TCP Illinois";
    const SOURCE: &'static str =
        "Liu, Başar and Srikant, Performance Evaluation 65, 2008; Linux tcp_illinois.c";

    fn new(config: &IllinoisConfig, start: &Start) -> Self {
        // Until a whole round trip has shown its delays, those of standard TCP (assumed; Linux has
        // alpha_max).
        let (alpha, beta) = STANDARD;
        Self {
            window: Window::new(&config.common, start),
            alpha,
            beta,
            max_rtt: 0,
            sum: 0,
            samples: 0,
            low_rounds: 0,
            above: false,
            whole: false,
            standard: true,
        }
    }

    #[inline]
    fn on_ack(&mut self, config: &IllinoisConfig, ack: &AckEvent) {
        let adapts = !ack.in_recovery && !self.window.in_slow_start();
        // Before the round is closed: the delay of the acknowledgement that closes it belongs to it.
        if ack.rtt > 0 {
            self.max_rtt = self.max_rtt.max(ack.rtt);
            self.sum = self.sum.saturating_add(ack.rtt);
            self.samples += 1;
        }
        if ack.round_start {
            if self.whole && adapts {
                self.end_round(config, ack.min_rtt);
            }
            (self.whole, self.sum, self.samples) = (true, 0, 0);
        }
        self.whole &= adapts;
        if !config.common.may_grow(ack) {
            return;
        }
        for _ in 0..self.window.grow_in_slow_start(&config.common, ack) {
            self.window.grow(&config.common, self.alpha / self.window.cwnd());
        }
    }

    fn on_idle(&mut self, config: &IllinoisConfig, idle: &IdleEvent) {
        self.window.restart(&config.common, idle);
    }

    fn on_resume(&mut self, config: &IllinoisConfig, step: &ResumeStep) {
        self.window.resume(&config.common, step);
    }

    fn on_loss(&mut self, config: &IllinoisConfig, loss: &LossEvent) {
        let reduced = self.window.basis(&config.common, loss) * (1.0 - self.beta);
        self.window.back_off(&config.common, loss, reduced, reduced);
        self.whole = false;
        if loss.cause == LossCause::Timeout {
            (self.alpha, self.beta) = STANDARD;
            (self.above, self.low_rounds, self.standard) = (false, 0, true);
        }
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn phase(&self, _: &IllinoisConfig, _: Picos) -> Phase {
        if self.window.in_slow_start() {
            Phase::SlowStart
        } else if self.standard {
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
    use crate::{MILLISECOND, Preset};

    const MS: Picos = MILLISECOND;
    const PRESETS: [Preset; 2] = [Preset::Standard, Preset::Sp500282];

    fn standard() -> IllinoisConfig {
        config::<Illinois>(Preset::Standard, &[])
    }

    /// A flow in congestion avoidance on a path of 100 ms whose queue has been as long as another 100 ms.
    fn flow(config: &IllinoisConfig, cwnd: f64) -> Illinois {
        Illinois { max_rtt: 200 * MS, ..Illinois::new(config, &start(cwnd, 2.0)) }
    }

    fn ack(rtt: Picos) -> AckEvent {
        AckEvent { rtt, min_rtt: 100 * MS, ..acks(1) }
    }

    /// A round trip of delays `rtts` and the acknowledgement that begins the next one; the window stays.
    fn round(illinois: &mut Illinois, config: &IllinoisConfig, rtts: &[Picos]) {
        let mark = AckEvent { acked: 0, round_start: true, rtt: 0, ..ack(0) };
        illinois.on_ack(config, &mark);
        for &rtt in rtts {
            illinois.on_ack(config, &AckEvent { acked: 0, ..ack(rtt) });
        }
        illinois.on_ack(config, &mark);
    }

    #[test]
    fn alpha_and_beta_follow_the_queueing_delay() {
        for preset in PRESETS {
            let config = config::<Illinois>(preset, &[]);
            for (delay, alpha, beta) in [
                (1, 10.0, 0.125),
                (2, 7.538071, 0.125),
                (5, 4.335766, 0.125),
                (10, 2.538462, 0.125),
                (20, 1.387850, 0.178571),
                (50, 0.588119, 0.339286),
                (80, 0.373116, 0.5),
                (100, 0.3, 0.5),
            ] {
                let mut illinois = flow(&config, 100.0);
                // The mean counts, not the extremes.
                round(&mut illinois, &config, &[(100 + delay) * MS - MS / 2, (100 + delay) * MS + MS / 2]);
                if delay < 100 {
                    assert_near(illinois.alpha, alpha, 5.1e-7);
                    assert_near(illinois.beta, beta, 5.1e-7);
                }
                illinois.adapt(&config, delay as f64, 100.0);
                assert_near(illinois.alpha, alpha, 5.1e-7);
                assert_near(illinois.beta, beta, 5.1e-7);
                // What they do.
                illinois.on_ack(&config, &ack(0));
                assert_near(illinois.cwnd(), 100.0 + alpha / 100.0, 1e-8);
                let (w, beta) = (illinois.cwnd(), illinois.beta);
                illinois.on_loss(&config, &loss(LossCause::FastRetransmit, w.ceil() as u32));
                assert_near(illinois.cwnd(), w * (1.0 - beta), 1e-9);
                assert_eq!((illinois.ssthresh(), illinois.beta), (illinois.cwnd(), beta));
            }
        }
    }

    #[test]
    fn below_the_low_window_the_rules_are_those_of_standard_tcp() {
        for preset in PRESETS {
            let config = config::<Illinois>(preset, &[]);
            for (cwnd, alpha, beta, phase) in
                [(14.99, 1.0, 0.5, Phase::Standard), (15.0, 10.0, 0.125, Phase::Alternate)]
            {
                let mut illinois = flow(&config, cwnd);
                round(&mut illinois, &config, &[100 * MS]);
                assert_eq!((illinois.alpha, illinois.beta), (alpha, beta));
                assert_eq!(illinois.phase(&config, 0), phase);
            }
        }
    }

    #[test]
    fn after_delay_alpha_max_takes_five_round_trips_of_little_delay_in_a_row() {
        let config = standard();
        let mut illinois = flow(&config, 100.0);
        let mut alpha_after = |delays: &[Picos]| {
            for delay in delays {
                round(&mut illinois, &config, &[(100 + delay) * MS]);
            }
            illinois.alpha
        };
        assert_eq!(alpha_after(&[0]), 10.0);
        assert_near(alpha_after(&[10]), 2.538462, 5.1e-7);
        assert_near(alpha_after(&[0, 1, 0, 1]), 2.538462, 5.1e-7);
        assert_near(alpha_after(&[20, 0, 0, 0, 0]), 1.387850, 5.1e-7);
        assert_eq!(alpha_after(&[0]), 10.0);
        assert_eq!(alpha_after(&[1]), 10.0);
    }

    #[test]
    fn a_path_without_queues_gets_alpha_max() {
        let config = standard();
        let mut illinois = Illinois::new(&config, &start(100.0, 2.0));
        assert_eq!((illinois.alpha, illinois.beta), (1.0, 0.5));
        round(&mut illinois, &config, &[100 * MS; 3]);
        assert_eq!((illinois.alpha, illinois.beta), (10.0, 0.125));
    }

    #[test]
    fn the_closing_acknowledgement_belongs_to_the_round_trip_that_it_ends() {
        let config = config::<Illinois>(Preset::Standard, &[]);
        let mut illinois = Illinois::new(&config, &start(100.0, 2.0));
        let mut ack = |ms: Picos, round_start| {
            let (rtt, min_rtt) = (ms * MS, 100 * MS);
            illinois.on_ack(&config, &AckEvent { acked: 0, rtt, min_rtt, round_start, ..acks(0) });
            (illinois.alpha, illinois.max_rtt)
        };
        ack(100, true);
        ack(100, false);
        // Delays of 0 and 100 ms: d = d_max / 2, whose alpha is .588119.
        let (alpha, max_rtt) = ack(200, true);
        assert_near(alpha, 0.588_119, 5.1e-7);
        assert_eq!(max_rtt, 200 * MS);
        // The round trip after it has only its own delays: d = .02 d_max.
        ack(102, false);
        assert_near(ack(102, true).0, 7.538_071, 5.1e-7);
    }

    #[test]
    fn round_trips_of_slow_start_and_of_recovery_change_nothing_but_the_largest_delay() {
        let config = standard();
        let mut illinois = Illinois::new(&config, &start(20.0, 200.0));
        round(&mut illinois, &config, &[100 * MS, 300 * MS]);
        assert_eq!((illinois.alpha, illinois.beta, illinois.max_rtt), (1.0, 0.5, 300 * MS));

        let mut illinois = flow(&config, 100.0);
        let mark = AckEvent { round_start: true, ..ack(110 * MS) };
        illinois.on_ack(&config, &mark);
        illinois.on_ack(&config, &AckEvent { in_recovery: true, ..ack(110 * MS) });
        illinois.on_ack(&config, &mark);
        assert_eq!(illinois.alpha, 1.0, "a round trip in part in recovery");
        illinois.on_loss(&config, &loss(LossCause::FastRetransmit, 100));
        illinois.on_ack(&config, &mark);
        assert_eq!(illinois.alpha, 1.0, "the round trip of the loss");
        illinois.on_ack(&config, &mark);
        assert_near(illinois.alpha, 2.538462, 5.1e-7);
    }

    #[test]
    fn a_time_out_returns_to_the_rules_of_standard_tcp() {
        for (preset, restart) in [(Preset::Standard, 1.0), (Preset::Sp500282, 2.0)] {
            let config = config::<Illinois>(preset, &[]);
            let mut illinois = Illinois { max_rtt: 200 * MS, ..Illinois::new(&config, &start(2.0, 100.0)) };
            (0..98).for_each(|_| illinois.on_ack(&config, &ack(0)));
            round(&mut illinois, &config, &[110 * MS]);
            assert_eq!((illinois.above, illinois.beta), (true, 0.125));
            illinois.on_loss(&config, &loss(LossCause::Timeout, 100));
            assert_eq!((illinois.cwnd(), illinois.ssthresh()), (restart, 87.5));
            assert_eq!((illinois.alpha, illinois.beta, illinois.above), (1.0, 0.5, false));
            assert_eq!(illinois.phase(&config, 0), Phase::SlowStart);
        }
    }
}
