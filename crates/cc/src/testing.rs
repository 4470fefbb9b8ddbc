//! Events for the unit tests of the algorithms.

use crate::{
    AckEvent, Common, CongestionControl, DeliverySample, FlowName, LossCause, LossEvent, MILLISECOND, Params,
    Picos, Preset, SlowStart, Start,
};

/// The constants of a preset, some of them changed.
pub fn config<T: CongestionControl>(preset: Preset, changes: &[(&str, f64)]) -> T::Config {
    for (name, _) in changes {
        assert!(T::Params::ALL.iter().any(|p| p.name == *name), "{} has no parameter {name}", T::NAME);
    }
    let value = |name: &str| changes.iter().find(|change| change.0 == name).map(|change| change.1);
    let values: Vec<_> =
        T::Params::ALL.iter().map(|p| value(p.name).unwrap_or_else(|| p.default(preset))).collect();
    T::Params::new(&Common::of(preset), &values).into()
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

/// An acknowledgement of `acked` segments of a flow that its window limits.
pub fn acks(acked: u32) -> AckEvent {
    AckEvent { acked, segments: acked, cwnd_limited: true, ..AckEvent::default() }
}

/// Round-trip time of [`round`].
pub const RTT: Picos = 162 * MILLISECOND;

/// The acknowledgement that ends a round of [`RTT`] in which `rate` segments/ms were delivered, after
/// `before` segments.
pub fn round(before: u64, now: Picos, rate: f64, in_flight: u32) -> AckEvent {
    AckEvent {
        now,
        rtt: RTT,
        srtt: RTT,
        in_flight,
        delivered: before + 1000,
        delivery_rate: rate * 1e3,
        sample: DeliverySample {
            prior_delivered: before,
            interval: RTT,
            in_flight,
            ..DeliverySample::default()
        },
        ..acks(1)
    }
}

/// A congestion event with `in_flight` segments in the network.
pub fn loss(cause: LossCause, in_flight: u32) -> LossEvent {
    LossEvent { now: 0, cause, in_flight, lost: 1, first_timeout: true }
}

/// Asserts that `value` is within `tolerance` of `expected`.
#[track_caller]
pub fn assert_near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not within {tolerance} of {expected}");
}
