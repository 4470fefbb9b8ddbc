//! All engines give the same bytes: domains in windows on any number of threads, one domain, and the plain
//! reference.

use crate::common::*;
use mesonet_sim::network::{DomainId, Domains, Network};
use mesonet_sim::{Engine, Scenario};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The engines agree on a scenario: what they give, in three slices of time.
pub fn agree(scenario: &Value, seed: u64) -> String {
    agree_in(scenario, seed, 3)
}

/// The engines agree on a scenario: what they give, in so many slices of time. Domains run on one thread for
/// an even seed and on two for an odd one.
pub fn agree_in(scenario: &Value, seed: u64, slices: usize) -> String {
    let reference = in_slices(scenario, seed, Engine::Reference, 1, slices);
    for (engine, threads) in [(Engine::OneDomain, 1), (Engine::Domains, 1 + seed as usize % 2)] {
        assert!(
            in_slices(scenario, seed, engine, threads, slices) == reference,
            "{engine:?} on {threads} threads differs from the reference for seed {seed}: {scenario}"
        );
    }
    reference
}

/// Users with every algorithm, jumbo files, impatience, long-lived flows and marks, in overload.
#[test]
fn everything_at_once_on_abilene() {
    let scenario = everything_at_once();
    let counters = run(&scenario, 3).counters();
    assert!(counters.completed > 3000 && counters.aborted > 100, "{counters:?}");
    assert!(counters.dropped > 10_000 && counters.marked > 10_000 && counters.timeouts > 500, "{counters:?}");
    let text = agree(&scenario, 3);
    for threads in [1, 4] {
        assert!(in_slices(&scenario, 3, Engine::Domains, threads, 3) == text, "{threads} threads differ");
    }
}

/// Heavy loss: records and groups know of drops in other domains at the end of a flow.
#[test]
fn under_heavy_loss() {
    let scenario = with(
        abilene(),
        &[
            ("users.base_sources", json!(40.0)),
            ("network.speed", json!(16_000.0)),
            ("network.buffer", segments(8.0)),
            ("time", time(6.0, 1.0, 1)),
        ],
    );
    agree(&scenario, 9);
}

/// Windows that are watched give the same bytes. More threads could be faster, as much as there are threads
/// and domains.
#[test]
fn watched_windows() {
    let scenario = everything_at_once();
    let plain = everything(begin(&scenario, 3, Engine::Domains, 1), 2.0, |s, _| s);
    let mut watched = begin(&scenario, 3, Engine::Domains, 1);
    watched.watch_windows(&[1, 2, 4, 64]);
    let mut bounds = Vec::new();
    let all = everything(watched, 2.0, |simulation, _| {
        bounds = simulation.bounds_of_threads();
        simulation
    });
    assert!(all == plain);
    let [(1, one), (2, two), (4, four), (64, most)] = bounds[..] else { panic!("{bounds:?}") };
    assert!((one - 1.0).abs() < 1e-12, "{one}");
    assert!(
        1.2 < two && two < 2.0 && two < four && four < 4.0 && four < most && most < 11.0,
        "{two} {four} {most}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn on_random_networks(scenario in networks::random(), seed: u32) {
        agree(&scenario, u64::from(seed));
    }
}

/// Large files are compared over all domains.
#[test]
fn everything_at_once_with_large_files_limited_by_concurrency() {
    let scenario = concurrent(everything_at_once());
    agree(&with(scenario.clone(), &[("time", time(6.0, 1.0, 2))]), 5);
    // Receivers learn the lookahead later that files are longer.
    // With this seed a domain has no event between a departure and the news that its acknowledgement was
    // dropped.
    let delayed = [("network.ack_path", json!("queued")), ("time", time(4.0, 1.0, 2))];
    agree(&with(with(scenario, &delayed), &receivers()[1]), 6);
}

/// Acknowledgements pass routers and are dropped: everything at once, by every loss recovery.
#[test]
fn everything_at_once_with_acknowledgements_in_queues() {
    for (place, recovery) in recoveries().into_iter().enumerate() {
        let scenario = with(with(everything_at_once(), &recovery), &receivers()[[0, 1, 0, 2, 2][place]]);
        let values = [("time", time(4.0, 1.0, 2)), ("network.ack_path", json!(QUEUED[place / 2 % 2]))];
        agree(&with(scenario, &values), 4 + place as u64);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn on_random_networks_with_acknowledgements_in_queues(
        scenario in networks::random(),
        path in 0..QUEUED.len(),
        recovery in 0..recoveries().len(),
        receiver in 0..receivers().len(),
        seed: u32,
    ) {
        let scenario = with(with(scenario, &recoveries()[recovery]), &[("network.ack_path", json!(QUEUED[path]))]);
        agree(&with(scenario, &receivers()[receiver]), u64::from(seed));
    }
}

/// Abilene falls apart into its eleven cities; co-located routers stay together.
#[test]
fn domains_follow_the_distances() {
    let domains = |scenario: &Value| {
        let scenario = Scenario::from_json(&scenario.to_string()).unwrap();
        Domains::of(&Network::build(&scenario).unwrap())
    };
    let cities = domains(&abilene());
    assert_eq!(cities.count, 11);
    assert!(cities.lookahead > 1_000_000_000, "{} ps", cities.lookahead);
    let own = domains(&with(
        abilene(),
        &[("topology", networks::own(&[(0, 1, 0.05), (1, 2, 3.0), (2, 3, 0.0), (3, 4, 0.1)], 5))],
    ));
    assert_eq!((own.count, own.lookahead), (3, 100_000_000));
    // The first routers are those of the backbone.
    assert_eq!(own.of[..5], [0, 0, 1, 1, 2].map(DomainId::new));
}
