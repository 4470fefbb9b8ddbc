//! Scalable TCP (T. Kelly, Computer Communication Review 33(2), 2003).
//!
//! * Congestion avoidance: `increase` segments per acknowledged segment whatever the window, so the window
//!   grows by 1 % per round trip (Kelly 2003).
//! * Loss: the window gives up `decrease`, so a loss costs the same number of round trips at every speed
//!   (Kelly 2003).
//! * Up to and including `low_window` segments both rules are those of standard TCP (Kelly 2003, legacy
//!   window).
//! * Timeout: ssthresh as after a loss, then slow start.
//!
//! # Deviations
//!
//! The default is Kelly's algorithm.
//!
//! * Linux (tcp_scalable.c, 6.1 and 6.12) adds one segment per min(cwnd, 100) acknowledged segments, and has
//!   no low window: `low_window_rule` 1.
//! * ns-3, and the module of older kernels in ns-2, have min(cwnd, 50), twice Kelly's increase, because they
//!   expect every second acknowledgement to be delayed: `increase` 0.02. At 162 ms and 4082 segments a cycle
//!   then takes half as long.
//! * Linux counts whole segments and truncates; here windows are real numbers.

use crate::param::params;
use crate::{
    AckEvent, Common, CongestionControl, IdleEvent, LossEvent, Phase, Picos, ResumeStep, Start, Window,
};
use serde::{Deserialize, Serialize};

params! {
    /// Constants of Scalable TCP.
    pub struct ScalableConfig {
        common: Common,
        /// window growth per acknowledged segment above the low window
        increase: number("segments", [0.0, 1.0], 0.01,
            "Kelly 2003; Linux tcp_scalable.c, 6.1 and 6.12 (ns-2, ns-3: 0.02)"),
        /// part of the window given up after a loss above the low window
        decrease: number("1", [0.001, 0.99], 0.125, "Kelly 2003"),
        /// largest window to which the rules of standard TCP apply
        low_window: number("segments", [0.0, 1e9], 16.0, "Kelly 2003; NIST SP 500-282, chapter 10"),
        /// 0: the rules of standard TCP up to low_window; 1: no low window, but growth of at least 1 / cwnd
        low_window_rule: choice(1, 0, Linux = 1, "Kelly 2003 (Linux tcp_scalable.c: 1)"),
    }
}

impl ScalableConfig {
    /// No low window: the growth is never less than standard TCP's, and the decrease is the same at every
    /// window.
    fn is_linux(&self) -> bool {
        self.low_window_rule == 1
    }

    /// Growth per acknowledged segment.
    fn growth(&self, w: f64) -> f64 {
        if self.is_linux() {
            self.increase.max(1.0 / w)
        } else if w <= self.low_window {
            1.0 / w
        } else {
            self.increase
        }
    }
}

/// Scalable TCP: the state of one flow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Scalable {
    window: Window,
}

impl CongestionControl for Scalable {
    type Params = ScalableConfig;
    type Config = ScalableConfig;

    const NAME: &'static str = "scalable";
    const TITLE: &'static str = "Scalable TCP";
    const SOURCE: &'static str = "Kelly, CCR 33(2), 2003";

    fn new(config: &ScalableConfig, start: &Start) -> Self {
        Self { window: Window::new(&config.common, start) }
    }

    #[inline]
    fn on_ack(&mut self, config: &ScalableConfig, ack: &AckEvent) {
        if !config.common.may_grow(ack) {
            return;
        }
        for _ in 0..self.window.grow_in_slow_start(&config.common, ack) {
            self.window.grow(&config.common, config.growth(self.window.cwnd()));
        }
    }

    fn on_idle(&mut self, config: &ScalableConfig, idle: &IdleEvent) {
        self.window.restart(&config.common, idle);
    }

    fn on_resume(&mut self, config: &ScalableConfig, step: &ResumeStep) {
        self.window.resume(&config.common, step);
    }

    fn on_loss(&mut self, config: &ScalableConfig, loss: &LossEvent) {
        let basis = self.window.basis(&config.common, loss);
        let standard = !config.is_linux() && basis <= config.low_window;
        let decrease = if standard { 0.5 } else { config.decrease };
        let reduced = basis * (1.0 - decrease);
        self.window.back_off(&config.common, loss, reduced, reduced);
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn phase(&self, config: &ScalableConfig, _: Picos) -> Phase {
        if self.window.in_slow_start() {
            Phase::SlowStart
        } else if config.is_linux() && config.increase * self.window.cwnd() <= 1.0
            || !config.is_linux() && self.window.cwnd() <= config.low_window
        {
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
    use crate::{LossCause, Preset};

    fn flow(preset: Preset, cwnd: f64) -> (ScalableConfig, Scalable) {
        let config = config::<Scalable>(preset, &[]);
        let scalable = Scalable::new(&config, &start(cwnd, 2.0));
        (config, scalable)
    }

    #[test]
    fn one_acknowledgement() {
        for (before, after, phase) in [
            (16.0, 16.0625, Phase::Standard),
            (17.0, 17.01, Phase::Alternate),
            (1000.0, 1000.01, Phase::Alternate),
        ] {
            let (config, mut scalable) = flow(Preset::Standard, before);
            assert_eq!(scalable.phase(&config, 0), phase);
            scalable.on_ack(&config, &acks(1));
            assert_eq!(scalable.cwnd(), after);
        }
    }

    #[test]
    fn linux_adds_a_segment_per_fifty_and_has_no_low_window() {
        let linux = config::<Scalable>(Preset::Standard, &[("increase", 0.02), ("low_window_rule", 1.0)]);
        for (w, growth, left, phase) in [
            (10.0, 0.1, 8.75, Phase::Standard),
            (40.0, 0.025, 35.0, Phase::Standard),
            (50.0, 0.02, 43.75, Phase::Standard),
            (51.0, 0.02, 44.625, Phase::Alternate),
            (1000.0, 0.02, 875.0, Phase::Alternate),
        ] {
            let mut scalable = Scalable::new(&linux, &start(w, 2.0));
            assert_eq!(scalable.phase(&linux, 0), phase);
            scalable.on_ack(&linux, &acks(1));
            assert_eq!(scalable.cwnd(), w + growth);
            let mut scalable = Scalable::new(&linux, &start(w, 2.0));
            scalable.on_loss(&linux, &loss(LossCause::FastRetransmit, w as u32));
            assert_eq!(scalable.cwnd(), left);
        }
    }

    #[test]
    fn one_round_trip_adds_one_percent() {
        let (config, mut scalable) = flow(Preset::Standard, 1000.0);
        scalable.on_ack(&config, &acks(1000));
        assert_near(scalable.cwnd(), 1010.0, 1e-9);
    }

    #[test]
    fn one_loss() {
        for (before, after) in [(4082.0, 3571.75), (17.0, 14.875), (16.0, 8.0), (2.0, 2.0)] {
            let (config, mut scalable) = flow(Preset::Standard, before);
            scalable.on_loss(&config, &loss(LossCause::FastRetransmit, before as u32));
            assert_eq!((scalable.cwnd(), scalable.ssthresh()), (after, after));
        }
    }

    #[test]
    fn a_time_out_keeps_its_own_ssthresh() {
        for (preset, restart) in [(Preset::Standard, 1.0), (Preset::Sp500282, 1000.0)] {
            let (config, mut scalable) = flow(preset, 1000.0);
            scalable.on_loss(&config, &loss(LossCause::Timeout, 1000));
            assert_eq!(scalable.cwnd(), restart);
            assert_eq!(scalable.ssthresh(), 875.0_f64.max(restart));
        }
        let (config, mut scalable) = flow(Preset::Standard, 16.0);
        scalable.on_loss(&config, &loss(LossCause::Timeout, 16));
        assert_eq!((scalable.cwnd(), scalable.ssthresh()), (1.0, 8.0));
    }

    #[test]
    fn recovery_takes_as_many_round_trips_at_every_window() {
        for peak in [100.0, 1000.0, 4082.0, 1e5] {
            let (config, mut scalable) = flow(Preset::Standard, 0.875 * peak);
            let mut round_trips = 0.0;
            while scalable.cwnd() < peak {
                // One whole round trip, or the part of it that is needed: growth within a round is linear.
                let round = 0.01 * scalable.cwnd();
                let part = f64::min(1.0, (peak - scalable.cwnd()) / round);
                let acked = (part * scalable.cwnd()).ceil() as u32;
                round_trips += f64::from(acked) / scalable.cwnd();
                scalable.on_ack(&config, &acks(acked));
            }
            assert_near(round_trips, 13.42, 0.06);
            assert_near(round_trips * 0.162, 2.17, 0.01);
            assert_near(round_trips * 0.200, 2.68, 0.012);
        }
    }
}
