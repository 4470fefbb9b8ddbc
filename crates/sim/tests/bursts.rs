//! Bursts of a source on the path of the ASME paper's Fig. 2: 21 segments/ms, 162 ms, and a buffer of 680
//! segments beside the one in service.

use crate::common::*;
use serde_json::json;

/// A flow of `size` segments that its window allows at once, over an interface of `rate` segments/ms:
/// dropped, and most that waited or were served.
fn burst(size: f64, rate: f64, buffer: f64) -> (u64, f64) {
    let mut scenario = with(
        dumbbell(),
        &[
            ("network.buffer", segments(buffer)),
            ("connection.establish", json!(false)),
            ("transport.initial_window", json!(size)),
            ("measurement.interval", json!(0.0001)),
            // Before anything lost is sent again.
            ("time", time(0.15, 0.0, 1)),
        ],
    );
    scenario["flows"][0]["size"] = json!(size);
    scenario["flows"][0]["interface"] = json!(1000.0 * rate);
    let simulation = run(&scenario, 1);
    (simulation.counters().dropped, of_router(&simulation, "A", "queue_max"))
}

/// A train of n segments at r > C leaves n (1 - C / r) waiting: 680 of 922 at 80 segments/ms, 1505 of 2041,
/// none at 8.
#[test]
fn trains_of_segments() {
    assert_eq!(burst(921.0, 80.0, 680.0).0, 0);
    assert!(burst(925.0, 80.0, 680.0).0 > 0);
    let (dropped, most) = burst(2041.0, 80.0, 1e4);
    assert!(dropped == 0 && (most - 1505.0).abs() <= 3.0, "{most}");
    let (dropped, most) = burst(2041.0, 8.0, 680.0);
    assert!(dropped == 0 && most <= 1.0, "{most}");
}

/// Slow start, two segments for each acknowledged, overflows first in the round that begins with more than
/// the buffer takes: its window by the initial one.
#[test]
fn the_first_overflow_of_slow_start() {
    for (initial, expected) in [
        (1.0, 1704.0),
        (2.0, 1704.0),
        (4.0, 1704.0),
        (8.0, 1704.0),
        (10.0, 1960.0),
        (5.0, 1960.0),
        (3.0, 1448.0),
    ] {
        let scenario = with(
            dumbbell(),
            &[
                ("transport.initial_window", json!(initial)),
                ("time", time(6.0, 0.0, 1)),
                ("measurement.interval", json!(1.0)),
            ],
        );
        let mut simulation = simulation(&scenario, 1);
        let mut window = 0.0;
        while simulation.counters().dropped == 0 {
            window = simulation.flow_window(0);
            assert!(simulation.step(6_000_000_000_000));
        }
        assert!((window - expected).abs() < 25.0, "{window} with an initial window of {initial}");
    }
}

/// A SYN without an answer is sent again after twice the time: 3, 9 and then failure at 21 s with 3 tries
/// from 3 s (RFC 1122), 1, 3, 7, 15, 31 and 63 s with 6 from 1 s (RFC 6298). Linux adds four tries of 1 s.
#[test]
fn connections_that_are_not_answered() {
    for (timer, linear, attempts, instants) in [
        (3.0, 0, 3, vec![0.0, 3.0, 9.0, 21.0]),
        (1.0, 0, 6, vec![0.0, 1.0, 3.0, 7.0, 15.0, 31.0, 63.0]),
        (1.0, 4, 11, vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 11.0, 19.0, 35.0, 67.0, 131.0]),
    ] {
        let scenario = with(
            dumbbell(),
            &[
                ("network.queue", json!("port")),
                ("impairments.at", json!(["A -> B"])),
                ("impairments.outage", json!("drop")),
                ("impairments.outage_length", json!(200.0)),
                ("connection.syn_timeout", json!(timer)),
                ("connection.syn_linear_timeouts", json!(linear)),
                ("connection.syn_attempts", json!(attempts)),
                ("time", time(200.0, 0.0, 1)),
                ("measurement.interval", json!(200.0)),
            ],
        );
        let mut simulation = simulation(&scenario, 1);
        let (mut seen, mut before) = (Vec::new(), 0);
        while simulation.step(200_000_000_000_000) {
            let c = simulation.counters();
            if c.entering + c.failures > before {
                before = c.entering + c.failures;
                seen.push(simulation.time());
            }
        }
        assert_eq!(simulation.counters().failures, 1);
        assert_eq!(seen, instants);
    }
}

/// The first window of a flow whose SYNs are lost for `outage` s, over a round trip of `round_trip` s.
fn after_lost_syns(rule: &str, samples: &str, outage: f64, round_trip: f64) -> f64 {
    let outage = match outage {
        0.0 => vec![],
        length => vec![
            ("network.queue", json!("port")),
            ("impairments.at", json!(["A -> B"])),
            ("impairments.outage", json!("drop")),
            ("impairments.outage_length", json!(length)),
        ],
    };
    let values = [
        ("network.speed", json!(1e6)),
        ("network.delay_multiplier", json!(round_trip / 0.1621)),
        ("connection.syn_timeout", json!(1.0)),
        ("connection.syn_linear_timeouts", json!(4)),
        ("connection.syn_attempts", json!(11)),
        ("connection.retry_rule", json!(rule)),
        ("connection.window_after_retry", json!(1.0)),
        ("transport.initial_window", json!(10.0)),
        ("transport.rtt_samples", json!(samples)),
        ("transport.timestamp_tick", json!(0.001)),
        ("time", time(30.0, 0.0, 1)),
    ];
    let mut simulation = simulation(&with(with(dumbbell(), &outage), &values), 1);
    while simulation.flow_window(0).is_nan() {
        assert!(simulation.step(u64::MAX), "it never begins");
    }
    simulation.flow_window(0)
}

/// Measured on Linux 6.18: the window is 10 after one lost SYN and 1 after two; 10 where four repeats were
/// needless, which a sender without timestamps cannot know. RFC 5681, section 3.1: 1 in each case.
#[test]
fn a_second_lost_syn_reduces_the_window_of_linux() {
    for (rule, samples, outage, round_trip, window) in [
        ("linux", "linux", 0.0, 0.04, 10.0),
        ("linux", "linux", 0.5, 0.04, 10.0),
        ("linux", "linux", 1.5, 0.04, 1.0),
        ("linux", "linux", 0.0, 4.9, 10.0),
        ("linux", "round_trip", 0.0, 4.9, 1.0),
        ("rfc", "linux", 0.0, 0.04, 10.0),
        ("rfc", "linux", 0.5, 0.04, 1.0),
        ("rfc", "linux", 0.0, 4.9, 1.0),
    ] {
        let found = after_lost_syns(rule, samples, outage, round_trip);
        assert_eq!(found, window, "{rule}, {samples}, {outage} s, {round_trip} s");
    }
}
