//! One-way delays of segments, and the utilisation of the busiest queue.

use crate::common::*;
use crate::engines::agree_in;
use crate::snapshots::continues_as;
use mesonet_sim::Engine;
use serde_json::{Value, json};

const DELAYS: [&str; 3] = ["segment_delay_p50", "segment_delay_p95", "segment_delay_p99"];

fn recorded(scenario: Value) -> Value {
    with(scenario, &[("measurement.segment_delays", json!(true))])
}

/// Half of the round trip of the dumbbell without queues, ms.
fn half_round_trip_ms(simulation: &mesonet_sim::Simulation) -> f64 {
    simulation.network().round_trip_at(0, 1, 0) as f64 * 1e-9 / 2.0
}

#[test]
fn a_flow_alone_takes_its_round_trip_less_the_way_back() {
    let mut scenario = recorded(with(dumbbell(), &[("time", time(20.0, 8.0, 1))]));
    scenario["flows"][0]["interface"] = json!(100.0);
    let simulation = run(&scenario, 1);
    // Acknowledgements take time on links only.
    let one_way = response(&simulation, "rtt") - half_round_trip_ms(&simulation);
    for name in DELAYS {
        let delay = response(&simulation, name);
        assert!((delay / one_way - 1.0).abs() < 1.0 / 64.0, "{name} is {delay} ms, not {one_way} ms");
    }
}

/// A full queue of 162 segments at 1 segment/ms, a round trip of data, adds up to 162 ms.
#[test]
fn a_full_queue_adds_its_length() {
    let values = [
        ("time", time(200.0, 50.0, 1)),
        ("network.speed", json!(1_000.0)),
        ("network.buffer", segments(162.0)),
    ];
    let simulation = run(&recorded(with(dumbbell(), &values)), 1);
    let [p50, p95, p99] = DELAYS.map(|name| response(&simulation, name));
    let least = half_round_trip_ms(&simulation);
    // A segment waits for the queue, then for its own service at both routers.
    let most = (least + 162.0 + 2.0) * 65.0 / 64.0;
    assert!(least <= p50 && p50 < p95 && p95 <= p99 && p99 <= most, "{least} {p50} {p95} {p99} {most}");
    assert!(p99 > least + 0.9 * 162.0, "{p99}");
    assert!((0.95..=1.0).contains(&response(&simulation, "utilisation_bottleneck")));
}

#[test]
fn delays_that_are_not_asked_for_are_unknown_and_change_nothing() {
    let scenario = with(abilene(), &[("time", time(8.0, 2.0, 2))]);
    let (without, with) = (run(&scenario, 4), run(&recorded(scenario), 4));
    for ((period, name, a), (_, _, b)) in without.responses().into_iter().zip(with.responses()) {
        if DELAYS.contains(&name) {
            assert!(a.is_nan() && b > 0.0, "{name} in {period}: {a} {b}");
        } else {
            assert!(a == b || a.is_nan() && b.is_nan(), "{name} in {period}: {a} {b}");
        }
    }
}

#[test]
fn datagrams_do_not_count() {
    let mut scenario = recorded(with(dumbbell(), &[("time", time(8.0, 2.0, 1))]));
    scenario["flows"][0]["transport"] = json!("udp");
    scenario["flows"][0]["application"] = json!({
        "source": {"constant": {"rate": 100.0}}, "late_after": 0.25, "report_interval": 1.0
    });
    let simulation = run(&scenario, 1);
    assert!(response(&simulation, "datagrams_delivered") > 500.0);
    assert!(response(&simulation, "segment_delay_p50").is_nan());
}

#[test]
fn engines_threads_and_snapshots_agree() {
    for (seed, path) in [(3, "instant"), (4, "queued")] {
        let mut scenario = recorded(everything_at_once());
        if path == "queued" {
            scenario["network"]["ack_path"] = json!(path);
        }
        let text = agree_in(&scenario, seed, 8);
        continues_as(&scenario, seed, Engine::Domains, 8, &text);
    }
}
