//! The retransmission timer in full queues: timeouts where something is lost for good, and only there.

use crate::common::*;
use serde_json::{Value, json};

/// Many connections over a T1 line of 1.6 Mb/s, 50 ms one way, with a buffer of 400 packets of 500 bytes: a
/// full queue is worth 1.1 s.
fn large_pipe(changes: &[(&str, Value)]) -> Value {
    let flows: Vec<Value> = (0..100)
        .map(|_| {
            let mut each = flow("A", "B", 0.0);
            each["interface"] = json!(2500.0);
            each
        })
        .collect();
    let mut settings = vec![
        ("network.speed", json!(400.0)),
        ("network.delay_multiplier", json!(0.617_284)),
        ("network.buffer", segments(400.0)),
        ("network.buffer_counts_in_service", json!(true)),
        ("connection.establish", json!(false)),
        ("transport.recovery", json!("reno")),
        ("time", time(200.0, 100.0, 1)),
        ("flows", json!(flows)),
    ];
    settings.extend_from_slice(changes);
    with(dumbbell(), &settings)
}

/// Timeouts and spurious ones, for each packet dropped.
fn per_drop(changes: &[(&str, Value)]) -> (f64, f64) {
    let counters = run(&large_pipe(changes), 1).counters();
    assert!(counters.dropped > 1000, "{}", counters.dropped);
    let per = |count: u64| count as f64 / counters.dropped as f64;
    (per(counters.timeouts), per(counters.spurious_timeouts))
}

/// ns-2.35 has no timeout there.
#[test]
fn a_large_pipe_has_no_spurious_time_outs_to_speak_of() {
    for samples in ["rfc7323", "round_trip"] {
        let (_, spurious) = per_drop(&[("transport.rtt_samples", json!(samples))]);
        assert!(spurious < 0.02, "{samples}: {spurious}");
    }
}

/// RFC 6298 to the letter: a retransmission has only the rest of the old timer, and the gains of every
/// acknowledgement forget how long round trips may be.
#[test]
fn the_timer_to_the_letter_expires_for_no_need() {
    let letter =
        [("transport.rto_restart", json!("new_data")), ("transport.rtt_samples", json!("every_ack"))];
    let (timeouts, spurious) = per_drop(&letter);
    assert!(timeouts > 0.3 && spurious > 0.2, "{timeouts} {spurious}");
}

/// The simulator of the many-flow study: ticks of 100 ms, no least timeout.
#[test]
fn coarse_ticks_do_not_expire_early() {
    let (timeouts, spurious) = per_drop(&[
        ("transport.rtt_samples", json!("round_trip")),
        ("transport.timer_tick", json!(0.1)),
        ("transport.min_rto", json!(0.0)),
        ("transport.initial_rto", json!(6.0)),
        ("transport.initial_window", json!(1.0)),
        ("transport.limited_transmit", json!(false)),
        ("transport.recover_guard", json!(true)),
    ]);
    assert!(timeouts < 0.3 && spurious < 0.02, "{timeouts} {spurious}");
}
