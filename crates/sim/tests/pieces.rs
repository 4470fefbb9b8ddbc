//! Pieces of hosts, and pacing by the host, on the path of the ASME paper's Fig. 2: 162 ms, and 21 segments
//! in a ms behind interfaces of 80.

use crate::common::*;
use crate::engines::agree;
use crate::snapshots::continues;
use mesonet_sim::Engine;
use serde_json::{Value, json};

/// Standard TCP, paced, with a window of at most 1000 segments.
fn paced(burst: u32) -> Value {
    let mut tcp = algorithm("tcp", 1.0);
    tcp["parameters"]["paced"] = json!(1);
    let mut scenario = with(
        dumbbell(),
        &[
            ("algorithms", json!([tcp])),
            ("transport.max_cwnd", json!(1000.0)),
            ("transport.initial_ssthresh", json!(1000.0)),
            ("transport.loss_detection", json!("rack")),
            ("transport.burst", json!(burst)),
            (
                "trace",
                json!({"flows": [1], "sources": [], "routers": ["A"], "packets": false, "every": 0.00005}),
            ),
            ("time", time(4.0, 0.0, 1)),
        ],
    );
    scenario["flows"][0]["interface"] = json!(80_000.0);
    scenario
}

/// Segments that reached the queue together, and the pacing rate at the end.
fn arrivals(scenario: &Value) -> (Vec<u64>, f64) {
    let mut simulation = run(scenario, 1);
    let rate = simulation.flow_pacing_rate(0).expect("a paced flow");
    let traces = simulation.take_router_traces();
    let (times, accepted) = (float(&traces, "time_s"), integer(&traces, "segments_accepted"));
    let mut sizes = Vec::new();
    let mut last = 0.0;
    for (&time, &segments) in times.iter().zip(accepted).filter(|(time, n)| **time > 3.0 && **n > 0) {
        if time - last > 0.000_11 {
            sizes.push(0);
        }
        *sizes.last_mut().unwrap() += segments;
        last = time;
    }
    (sizes, rate)
}

/// 1.2 windows a round trip, of which 1/1024 s is a piece: 7 segments.
#[test]
fn a_paced_flow_sends_a_millisecond_at_once() {
    let (sizes, rate) = arrivals(&paced(45));
    let round_trip = 0.1621;
    assert!((rate / (1.2 * 1000.0 / round_trip) - 1.0).abs() < 0.01, "{rate}");
    // What is left of a window is a smaller piece.
    let full = sizes.iter().filter(|size| **size == 7).count();
    assert!(2 * full > sizes.len() && sizes.iter().all(|size| *size <= 7), "{sizes:?}");
    let (single, _) = arrivals(&paced(0));
    assert!(single.len() > 4 * sizes.len() && single.iter().all(|size| *size <= 2), "{single:?}");
}

/// An algorithm that is paced changes no byte of flows with other algorithms, if hosts form no pieces.
#[test]
fn pacing_of_one_algorithm_leaves_the_others_alone() {
    let mut other = algorithm("cubic", 0.0);
    let without = with(dumbbell_of(&["tcp", "bbr"], 0.1), &[("time", time(10.0, 0.0, 1))]);
    let mut scenario = without.clone();
    scenario["algorithms"].as_array_mut().unwrap().push(other.clone());
    let plain = in_slices(&scenario, 1, Engine::OneDomain, 1, 1);
    other["parameters"]["paced"] = json!(1);
    scenario["algorithms"][2] = other;
    assert!(in_slices(&scenario, 1, Engine::OneDomain, 1, 1) == plain);
}

/// Everything at once, with pieces, and standard TCP and CUBIC paced.
fn everything_in_pieces() -> Value {
    let mut scenario = with(everything_at_once(), &recoveries()[4]);
    let algorithms = scenario["algorithms"].as_array_mut().unwrap();
    algorithms
        .iter_mut()
        .filter_map(|a| a["parameters"].get_mut("paced"))
        .for_each(|paced| *paced = json!(1));
    with(scenario, &[("time", time(4.0, 1.0, 2)), ("transport.burst", json!(45))])
}

#[test]
fn engines_agree() {
    agree(&everything_in_pieces(), 3);
    agree(&with(with(everything_in_pieces(), &receivers()[2]), &[("network.ack_path", json!("queued"))]), 4);
}

#[test]
fn snapshots_continue() {
    continues(&everything_in_pieces(), 4, Engine::Domains, 5);
}

#[test]
fn pieces_need_departures_of_segments() {
    let refused = with(paced(45), &[("transport.loss_detection", json!("dupthresh"))]);
    let error = mesonet_sim::Scenario::from_json(&refused.to_string()).unwrap_err().to_string();
    assert!(error.contains("transport.burst") && error.contains("rack"), "{error}");
}
