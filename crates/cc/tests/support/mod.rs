//! Flows without a network: what the tests of the algorithms share.
#![allow(dead_code, reason = "each test file uses its part")]

pub mod events;
pub mod recursions;

use mesonet_cc::{
    AckEvent, Common, Config, Controller, FlowName, LossCause, LossEvent, Picos, Positions, Preset,
    SlowStart, Start, picos, registry,
};

/// An algorithm with the constants of a preset, some of them changed.
pub fn config(name: &str, preset: Preset, changes: &[(&str, f64)]) -> Config {
    let params = registry::algorithm(name).expect("a registered algorithm").params;
    for (changed, _) in changes {
        assert!(params.iter().any(|p| p.name == *changed), "{name} has no parameter {changed}");
    }
    let value = |name: &str| changes.iter().find(|change| change.0 == name).map(|change| change.1);
    let values: Vec<_> = params.iter().map(|p| value(p.name).unwrap_or_else(|| p.default(preset))).collect();
    Config::new(name, Common::of(preset), &values).expect("a registered algorithm")
}

/// A flow with classic slow start.
pub fn start(initial_window: f64, initial_ssthresh: f64) -> Start {
    Start {
        now: 0,
        initial_window,
        initial_ssthresh,
        slow_start: SlowStart::Classic,
        rtt: 0,
        seed: 1,
        flow: FlowName::default(),
    }
}

/// A backlogged flow in congestion avoidance whose acknowledgements arrive at the pace of its window: a
/// fluid.
pub struct Fluid {
    config: Config,
    pub flow: Controller,
    /// Seconds.
    pub now: f64,
    /// Segments to be acknowledged before a new round trip begins.
    left: u32,
    min_rtt: f64,
}

impl Fluid {
    pub fn new(config: Config, window: f64) -> Self {
        let flow = config.start(&start(window, 2.0));
        Self { config, flow, now: 0.0, left: 0, min_rtt: f64::INFINITY }
    }

    pub fn cwnd(&self) -> f64 {
        self.flow.cwnd()
    }

    /// One segment is acknowledged, at a round-trip time of `rtt` seconds; returns the seconds since the one
    /// before.
    pub fn acknowledge(&mut self, rtt: f64) -> f64 {
        let step = rtt / self.cwnd();
        self.now += step;
        self.min_rtt = self.min_rtt.min(rtt);
        let round_start = self.left == 0;
        if round_start {
            self.left = self.cwnd() as u32;
        }
        self.left -= 1;
        let ack = AckEvent {
            now: self.instant(),
            acked: 1,
            rtt: picos(rtt),
            min_rtt: picos(self.min_rtt),
            srtt: picos(rtt),
            round_start,
            in_flight: self.cwnd() as u32,
            cwnd_limited: true,
            ..AckEvent::default()
        };
        self.flow.on_ack(&self.config, &ack, Positions::default);
        step
    }

    /// One loss, repaired at once.
    pub fn lose(&mut self) {
        let now = self.instant();
        // The flight is not rounded, so that reductions from it and from the window agree.
        let in_flight = self.cwnd().ceil() as u32;
        let cause = LossCause::FastRetransmit;
        self.flow.on_loss(&self.config, &LossEvent { now, cause, in_flight, lost: 1, first_timeout: true });
        self.flow.on_recovery_exit(&self.config, now);
    }

    /// [`mesonet_cc::CongestionControl::timer_period`] has passed again.
    pub fn tick(&mut self) {
        let now = self.instant();
        self.flow.on_timer(&self.config, now);
    }

    pub fn timer_period(&self) -> Option<Picos> {
        self.config.timer_period()
    }

    fn instant(&self) -> Picos {
        picos(self.now)
    }
}

/// Asserts that `value` is within the relative `tolerance` of `expected`.
#[track_caller]
pub fn assert_close(what: &str, value: f64, expected: f64, tolerance: f64) {
    let off = (value / expected - 1.0).abs();
    assert!(off <= tolerance, "{what}: {value} is {:.2} % off {expected}", 100.0 * off);
}
