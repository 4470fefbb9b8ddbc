//! A run that is interrupted, stored as bytes and continued ends as if it had never been.

use crate::common::*;
use mesonet_cc::registry::ALGORITHMS;
use mesonet_sim::{BadSnapshot, Engine, Simulation};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The run from which the bytes are, in a simulation of its own.
fn again(scenario: &Value, seed: u64, engine: Engine, threads: usize, bytes: &[u8]) -> Simulation {
    begin(scenario, seed, engine, threads).restored(bytes).expect("a snapshot of this run")
}

/// Continuing after every slice, on ever another number of threads, makes no difference.
pub fn continues(scenario: &Value, seed: u64, engine: Engine, slices: usize) {
    let untouched = in_slices(scenario, seed, engine, 1, slices);
    continues_as(scenario, seed, engine, slices, &untouched);
}

/// [`continues`], where the run in as many slices without snapshots is known already.
pub fn continues_as(scenario: &Value, seed: u64, engine: Engine, slices: usize, untouched: &str) {
    let continued =
        everything(begin(scenario, seed, engine, 2), slice_of(scenario, slices), |mut simulation, number| {
            let bytes = simulation.snapshot();
            assert!(simulation.snapshot() == bytes, "a snapshot changes what it stores");
            drop(simulation);
            let mut restored = again(scenario, seed, engine, 1 + number % 3, &bytes);
            assert!(restored.snapshot() == bytes, "what was restored is not what was stored");
            restored
        });
    assert!(continued == untouched, "{engine:?} went on differently for seed {seed}: {scenario}");
}

/// A run of which snapshots are taken goes on as if none had been.
#[test]
fn a_look_changes_nothing() {
    let scenario = with(
        crate::common::everything_at_once(),
        &[("network.ack_path", json!("queued")), ("time", time(4.0, 1.0, 2))],
    );
    for engine in [Engine::Domains, Engine::OneDomain, Engine::Reference] {
        let untouched = everything(begin(&scenario, 7, engine, 1), 0.5, |s, _| s);
        let looked_at = everything(begin(&scenario, 7, engine, 1), 0.5, |mut simulation, _| {
            let _ = simulation.snapshot();
            simulation
        });
        assert!(looked_at == untouched, "{engine:?} was disturbed by a snapshot");
    }
}

/// Loss recovery and receivers of every kind.
fn transports() -> Vec<Vec<(&'static str, Value)>> {
    let rack = ("transport.loss_detection", json!("rack"));
    let delayed = ("transport.delayed_acks", json!(true));
    vec![
        vec![],
        vec![("transport.recovery", json!("newreno")), delayed.clone()],
        vec![("transport.recovery", json!("reno"))],
        vec![("transport.prr", json!("safe_ack")), rack, delayed],
    ]
}

#[test]
fn users_of_every_algorithm() {
    for (i, algorithm) in ALGORITHMS.iter().enumerate() {
        let scenario = with(
            abilene(),
            &[
                ("users.base_sources", json!(10.0)),
                ("network.speed", json!(20_000.0)),
                ("time", time(4.0, 1.0, 2)),
                ("algorithms", json!([self::algorithm(algorithm.name, 1.0)])),
            ],
        );
        let transports = transports();
        continues(&with(scenario, &transports[i % transports.len()]), 1, Engine::Domains, 5);
    }
}

/// Users of every algorithm, marks, traces, long-lived flows, and a network that changes between the
/// snapshots.
#[test]
fn everything_at_once() {
    // At the first snapshot, after 2.67 s, segments are in flight that left when the delay was twenty times
    // as long.
    let changes = json!([
        {"time": 1.0, "router": "B", "link": null, "speed": null, "delay": null, "factor": 0.5},
        {"time": 2.0, "router": null, "link": ["A", "B"], "speed": null, "delay": null, "factor": 20.0},
        {"time": 2.62, "router": null, "link": ["A", "B"], "speed": null, "delay": null, "factor": 1.5},
        {"time": 2.7, "router": "B", "link": null, "speed": null, "delay": null, "factor": 1.0},
        {"time": 5.0, "router": null, "link": ["A", "B"], "speed": null, "delay": null, "factor": 1.0},
    ]);
    let scenario = with(crate::common::everything_at_once(), &[("network.changes", changes)]);
    let engines = [Engine::Domains, Engine::OneDomain, Engine::Reference, Engine::Domains];
    for (transport, engine) in transports().iter().zip(engines) {
        continues(&with(scenario.clone(), transport), 4, engine, 3);
    }
}

/// The end that a run found for itself, and what it knew of its means by then.
#[test]
fn a_run_that_ends_when_its_means_are_known() {
    let scenario = with(
        abilene(),
        &[
            ("users.base_sources", json!(10.0)),
            ("network.speed", json!(8e6)),
            ("time", time(600.0, 10.0, 1)),
            ("time.converged", json!(0.1)),
        ],
    );
    continues(&scenario, 1, Engine::Domains, 20);
    let mut whole = simulation(&scenario, 1);
    whole.advance(f64::INFINITY);
    assert!(whole.time() < 600.0, "the rule had something to decide");
}

#[test]
fn bytes_that_are_no_snapshot_of_this_run_are_refused() {
    let scenario = with(dumbbell(), &[("time", time(2.0, 0.0, 1))]);
    let mut simulation = simulation(&scenario, 1);
    simulation.advance(1.0);
    let bytes = simulation.snapshot();
    let refused = |scenario: &Value, seed, engine, bytes: &[u8]| {
        begin(scenario, seed, engine, 1).restored(bytes).map(|_| ()).unwrap_err()
    };
    let longer = with(scenario.clone(), &[("time", time(3.0, 0.0, 1))]);
    assert_eq!(refused(&longer, 1, Engine::Domains, &bytes), BadSnapshot::OtherRun);
    assert_eq!(refused(&scenario, 2, Engine::Domains, &bytes), BadSnapshot::OtherRun);
    assert_eq!(refused(&scenario, 1, Engine::Reference, &bytes), BadSnapshot::OtherRun);
    for broken in [&[][..], b"no snapshot", &bytes[..bytes.len() - 1], &[&bytes[..], &[0]].concat()] {
        assert_eq!(refused(&scenario, 1, Engine::Domains, broken), BadSnapshot::Broken);
    }
}

/// A snapshot keeps the segments that dropped acknowledgements would have reported.
#[test]
fn acknowledgements_in_queues() {
    let engines = [Engine::Domains, Engine::OneDomain, Engine::Reference, Engine::Domains, Engine::Domains];
    for (place, (recovery, engine)) in recoveries().into_iter().zip(engines).enumerate() {
        let scenario = with(crate::common::everything_at_once(), &recovery);
        let scenario = with(scenario, &receivers()[[1, 2, 1, 0, 2][place]]);
        let values = [("time", time(4.0, 1.0, 2)), ("network.ack_path", json!(QUEUED[place % 2]))];
        continues(&with(scenario, &values), 5, engine, 4);
    }
}

/// Large files under way, and flows that may become some, are the same after a snapshot.
#[test]
fn large_files_limited_by_concurrency() {
    let scenario = concurrent(crate::common::everything_at_once());
    for engine in [Engine::Domains, Engine::Reference] {
        continues(&with(scenario.clone(), &[("time", time(4.0, 1.0, 2))]), 6, engine, 4);
        let delayed = [("network.ack_path", json!("queued")), ("time", time(4.0, 1.0, 2))];
        continues(&with(with(scenario.clone(), &delayed), &receivers()[2]), 6, engine, 4);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn on_random_networks(
        scenario in networks::random(),
        transport in 0..transports().len(),
        marks: bool,
        engine in prop_oneof![Just(Engine::Domains), Just(Engine::OneDomain), Just(Engine::Reference)],
        slices in 1usize..9,
        seed: u32,
    ) {
        let mut scenario = with(scenario, &transports()[transport]);
        if marks {
            scenario["network"]["ecn_threshold"] = json!(4.0);
        }
        continues(&scenario, u64::from(seed), engine, slices);
    }
}
