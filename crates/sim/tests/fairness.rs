//! Fairness among explicit flows in whole runs.

use crate::common::*;
use crate::engines::agree_in;
use crate::snapshots::continues_as;
use mesonet_sim::{Engine, Scenario};
use serde_json::{Value, json};

const NAMES: [&str; 8] = [
    "jain_index",
    "goodput_ratio",
    "goodput_ratio_half",
    "goodput_ratio_quarter",
    "goodput_ratio_eighth",
    "starved_flows",
    "fair_windows",
    "convergence_time",
];

/// Flows through a dumbbell that is faster than all of their interfaces together: each gets the rate of its
/// interface.
fn constant(flows: &[(f64, f64)]) -> Value {
    let mut scenario =
        with(dumbbell(), &[("time", time(40.0, 8.0, 2)), ("transport.initial_window", json!(10.0))]);
    let explicit = |&(start, rate): &(f64, f64)| with(flow("A", "B", start), &[("interface", json!(rate))]);
    scenario["flows"] = flows.iter().map(explicit).collect();
    scenario
}

#[test]
fn constant_flows_have_the_shares_of_their_interfaces() {
    let simulation = run(&constant(&[(0.0, 100.0), (0.0, 300.0)]), 1);
    assert!((response(&simulation, "jain_index") - 0.8).abs() < 1e-3);
    assert!((response(&simulation, "goodput_ratio") - 1.0 / 3.0).abs() < 1e-3);
    assert_eq!(response(&simulation, "starved_flows"), 0.0);
    assert_eq!(response(&simulation, "fair_windows"), 0.0);
    assert!(response(&simulation, "convergence_time").is_nan());
    let starved = run(&constant(&[(0.0, 10.0), (0.0, 1000.0), (0.0, 1000.0), (0.0, 1000.0)]), 1);
    assert_eq!(response(&starved, "starved_flows"), 0.25);
}

/// A flow that joins at 20.3 s gets its rate within a second.
#[test]
fn equal_flows_converge_soon_after_the_last_one_has_started() {
    let simulation = run(&constant(&[(0.0, 500.0), (0.0, 500.0), (20.3, 500.0)]), 1);
    let converged = response(&simulation, "convergence_time");
    assert!((0.0..=2.0).contains(&converged), "{converged}");
    assert!(response(&simulation, "fair_windows") > 0.9);
    // The third flow is no part of the whole measured span.
    assert!(response(&simulation, "jain_index") > 0.999);
}

/// Two hundred flows, all of them in tables that show a hundred: the responses are those of the table of
/// flows.
#[test]
fn many_flows_are_compared_whatever_the_series_shows() {
    let rates: Vec<_> = (0..200).map(|i| (0.0, 10.0 + f64::from(i % 50))).collect();
    let scenario =
        with(constant(&rates), &[("measurement.flow_series", json!(0)), ("time", time(40.0, 0.0, 1))]);
    let mut simulation = run(&scenario, 1);
    let table = simulation.take_flows();
    let delivered: Vec<_> = integer(&table, "segments_delivered").iter().map(|d| *d as f64).collect();
    let (sum, squares) = (delivered.iter().sum::<f64>(), delivered.iter().map(|d| d * d).sum::<f64>());
    assert_eq!(delivered.len(), 200);
    assert!((response(&simulation, "jain_index") - sum * sum / 200.0 / squares).abs() < 1e-12);
    let lowest = delivered.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = delivered.iter().copied().fold(0.0, f64::max);
    assert!((response(&simulation, "goodput_ratio") - lowest / highest).abs() < 1e-12);
}

/// Competing flows between all access routers, some of them with a size, an application or another start.
fn crowd() -> Value {
    let mut scenario = with(
        abilene(),
        &[
            ("network.speed", json!(16_000.0)),
            ("time", time(16.0, 7.0, 2)),
            ("measurement.fair_window", json!(1.0)),
            ("measurement.fair_within", json!(1.0)),
            ("measurement.fair_windows", json!(2)),
        ],
    );
    let access = access_routers(&scenario);
    let flows = (0..24).map(|i| {
        let (from, to) = (&access[i], &access[(i + access.len() / 2) % access.len()]);
        let mut flow = with(flow(from, to, 0.2 * i as f64), &[("interface", json!(200.0))]);
        if i % 5 == 4 {
            flow["size"] = json!(500.0 * i as f64);
        }
        flow
    });
    scenario["flows"] = flows.collect();
    scenario
}

#[test]
fn engines_threads_and_snapshots_agree() {
    let scenario = crowd();
    let text = agree_in(&scenario, 4, 16);
    continues_as(&scenario, 4, Engine::Domains, 16, &text);
    let simulation = run(&scenario, 3);
    let unknown: Vec<_> = NAMES.iter().filter(|name| !response(&simulation, name).is_finite()).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

/// The last sample of a run that ends early ends its periods, too.
#[test]
fn a_run_that_ends_early_has_fairness() {
    let scenario = with(
        constant(&[(0.0, 100.0), (0.0, 300.0)]),
        &[("time", json!({"duration": 4000.0, "warmup": 8.0, "periods": 1, "converged": 0.05}))],
    );
    let simulation = run(&scenario, 1);
    assert!(simulation.time() < 400.0);
    assert!((response(&simulation, "jain_index") - 0.8).abs() < 1e-3);
}

#[test]
fn windows_and_deviations_out_of_range_are_refused() {
    for (path, value) in [
        ("measurement.fair_window", json!(0.0)),
        ("measurement.fair_within", json!(1.5)),
        ("measurement.fair_within", json!(-0.1)),
        ("measurement.fair_windows", json!(0)),
    ] {
        let refused = Scenario::from_json(&with(dumbbell(), &[(path, value)]).to_string()).expect_err(path);
        assert!(refused.to_string().contains(path), "{refused}");
    }
}
