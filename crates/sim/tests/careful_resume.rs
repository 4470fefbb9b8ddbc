//! Careful resume (RFC 9959) on the path of 162 ms and 21 segments/ms, which holds 3402 segments.

use crate::common::*;
use crate::{engines, snapshots};
use mesonet_cc::registry::ALGORITHMS;
use mesonet_sim::{Engine, Scenario};
use serde_json::{Value, json};

/// A flow of 8000 segments by `algorithm`, with a saved window and a saved round-trip time.
fn path(algorithm: &str, window: f64, rtt: f64) -> Value {
    let scenario = with(
        dumbbell_of(&[algorithm], 0.0),
        &[
            ("transport.initial_window", json!(10.0)),
            ("transport.saved_window", json!(window)),
            ("transport.saved_rtt", json!(rtt)),
            ("network.buffer", segments(3402.0)),
            ("time", time(6.0, 0.0, 1)),
        ],
    );
    with(scenario, &[("flows.0.size", json!(8000.0))])
}

/// Half of the saved window is in flight one round trip after the first data, where slow start has 20
/// segments: every algorithm ends at least four round trips earlier, and nothing is dropped.
#[test]
fn every_algorithm_begins_with_half_of_the_saved_window() {
    for algorithm in ALGORITHMS {
        let transfer = |window: f64, rtt: f64| {
            let mut simulation = run(&path(algorithm.name, window, rtt), 1);
            assert_eq!(response(&simulation, "total_segments_dropped"), 0.0, "{}", algorithm.name);
            let flows = simulation.take_flows();
            assert_eq!(integer(&flows, "completed"), [1], "{}", algorithm.name);
            float(&flows, "last_acked_s")[0]
        };
        let (plain, resumed) = (transfer(0.0, 0.0), transfer(3402.0, 0.162));
        assert!(resumed < plain - 4.0 * 0.162, "{}: {resumed} against {plain} s", algorithm.name);
    }
}

/// A saved round trip of more than twice the present one, or of less than a tenth, changes no byte.
#[test]
fn a_path_that_is_not_confirmed_changes_nothing() {
    for algorithm in ["cubic", "bbr3"] {
        let bytes = |window: f64, rtt: f64| {
            let scenario = path(algorithm, window, rtt);
            in_slices(&scenario, 1, Engine::Domains, 1, 6)
        };
        let plain = bytes(0.0, 0.0);
        for rtt in [0.33, 0.016] {
            assert!(bytes(3402.0, rtt) == plain, "{algorithm}, {rtt} s");
        }
        assert!(bytes(3402.0, 0.3) != plain, "{algorithm}");
    }
}

/// The window of a flow that may jump to 1701 segments, when the loss of transmission `lost` has been found.
fn window_after_loss(algorithm: &str, lost: u64) -> f64 {
    let mut simulation = simulation(&path(algorithm, 3402.0, 0.162), 1);
    simulation.lose_transmissions(vec![lost]);
    for step in 1..200 {
        simulation.advance(0.01 * f64::from(step));
        if simulation.counters().loss_events > 0 {
            break;
        }
    }
    assert_eq!(simulation.counters().loss_events, 1, "{algorithm}");
    simulation.flow_window(0)
}

/// Some 300 unvalidated segments are known to have arrived when the loss of segment 300 is found: half of
/// what is known to fit remains, whatever the algorithm leaves of a window of 1701.
#[test]
fn a_loss_of_an_unvalidated_segment_leaves_half_of_what_fits() {
    for algorithm in ["tcp", "cubic", "scalable", "ctcp", "fast", "westwood"] {
        let window = window_after_loss(algorithm, 300);
        assert!((140.0..200.0).contains(&window), "{algorithm}: {window}");
    }
}

/// A loss of the initial window: the flow goes on as without a saved window.
#[test]
fn a_loss_in_reconnaissance_ends_careful_resume() {
    for algorithm in ["tcp", "cubic"] {
        let window = window_after_loss(algorithm, 8);
        assert!(window < 20.0, "{algorithm}: {window}");
    }
}

/// Segments are marked instead of dropped: a scalable control retreats as all do.
#[test]
fn a_mark_of_an_unvalidated_segment_makes_the_flow_retreat() {
    for algorithm in ["tcp", "dctcp", "prague"] {
        let largest = |window: f64, rtt: f64| {
            let mut scenario = path(algorithm, window, rtt);
            set(&mut scenario, "network.ecn_threshold", json!(200.0));
            set(&mut scenario, "network.speed", json!(4_000.0));
            set(
                &mut scenario,
                "trace",
                json!({"flows": [1], "sources": [], "routers": [], "packets": false, "every": 0.01}),
            );
            let mut simulation = run(&scenario, 1);
            let traces = simulation.take_flow_traces();
            let (cwnd, ssthresh) = (float(&traces, "cwnd"), float(&traces, "ssthresh"));
            let top = cwnd.iter().copied().fold(0.0, f64::max);
            let after = cwnd.iter().skip_while(|window| **window < top).copied().fold(top, f64::min);
            (top, after, ssthresh.iter().copied().fold(f64::INFINITY, f64::min))
        };
        let (top, after, ssthresh) = largest(13_608.0, 0.162);
        // Some 200 segments are acknowledged before the first mark.
        assert!((6804.0..7100.0).contains(&top), "{algorithm}: {top}");
        assert!(after < 1000.0 && ssthresh > after, "{algorithm}: {after}, ssthresh {ssthresh}");
    }
}

/// Engines, threads and snapshots agree while many flows jump, meet losses and marks, and retreat.
#[test]
fn engines_and_snapshots_agree() {
    let saved = [
        ("transport.saved_window", json!(80.0)),
        ("transport.saved_rtt", json!(0.03)),
        ("time", time(4.0, 1.0, 2)),
    ];
    for (place, receiver) in receivers().iter().enumerate() {
        let values = [("network.ack_path", json!(["delay", "queued", "queued"][place]))];
        let scenario = with(with(with(everything_at_once(), &saved), receiver), &values);
        let resumed = engines::agree(&scenario, 4 + place as u64);
        let plain = with(
            scenario.clone(),
            &[("transport.saved_window", json!(0.0)), ("transport.saved_rtt", json!(0.0))],
        );
        assert!(in_slices(&plain, 4 + place as u64, Engine::Domains, 1, 3) != resumed, "no flow jumps");
        snapshots::continues(&scenario, 5, Engine::Domains, 3);
    }
}

#[test]
fn saved_parameters_come_together() {
    let refused = |window: f64, rtt: f64, most: f64| {
        let scenario = with(path("tcp", window, rtt), &[("transport.max_cwnd", json!(most))]);
        Scenario::from_json(&scenario.to_string()).expect_err("refused").path
    };
    assert_eq!(refused(100.0, 0.0, 1e9), "transport.saved_rtt");
    assert_eq!(refused(0.0, 0.1, 1e9), "transport.saved_window");
    assert_eq!(refused(100.0, 0.1, 49.0), "transport.max_cwnd");
}
