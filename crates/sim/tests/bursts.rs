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
/// from 3 s (RFC 1122), 1, 3, 7, 15, 31 and 63 s with 6 from 1 s (RFC 6298).
#[test]
fn connections_that_are_not_answered() {
    for (timer, attempts, instants) in
        [(3.0, 3, vec![0.0, 3.0, 9.0, 21.0]), (1.0, 6, vec![0.0, 1.0, 3.0, 7.0, 15.0, 31.0, 63.0])]
    {
        let slow =
            json!({"time": 0.0, "router": "A", "link": null, "speed": 0.015, "delay": null, "factor": null});
        let scenario = with(
            dumbbell(),
            &[
                ("network.changes", json!([slow])),
                ("network.buffer", segments(1.0)),
                ("network.buffer_floor", json!(1)),
                ("connection.syn_timeout", json!(timer)),
                ("connection.syn_attempts", json!(attempts)),
                ("time", time(100.0, 0.0, 1)),
                ("measurement.interval", json!(100.0)),
            ],
        );
        let mut simulation = simulation(&scenario, 1);
        let (mut seen, mut before) = (Vec::new(), 0);
        while simulation.step(100_000_000_000_000) {
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
