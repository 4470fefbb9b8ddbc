//! All engines give the same bytes: domains in windows on any number of threads, one domain, and the plain reference.

mod common;

use common::*;
use mesonet_cc::registry::ALGORITHMS;
use mesonet_sim::network::{Domains, Network};
use mesonet_sim::{Engine, Scenario, Simulation};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Everything that a run gives out, as text; in slices of simulated time.
fn everything(scenario: &Value, seed: u64, engine: Engine, threads: usize, slice: f64) -> String {
    let scenario = Scenario::from_json(&scenario.to_string()).unwrap();
    let mut simulation = Simulation::with(scenario, seed, engine, threads).unwrap();
    let (mut series, mut flows, mut t) = (String::new(), String::new(), 0.0);
    while !simulation.finished() {
        t += slice;
        simulation.advance(t);
        series += &format!("{:?}", simulation.take_series());
        flows += &format!("{:?}", simulation.take_flows());
    }
    simulation.record_unfinished();
    format!(
        "{:?} {series} {flows} {:?} {:?} {:?} {:?} {:?} {} {:?}",
        simulation.responses(),
        simulation.take_flows(),
        simulation.groups(),
        simulation.routers(),
        simulation.take_flow_traces(),
        simulation.take_router_traces(),
        simulation.router_hops(),
        simulation.census(),
    )
}

/// The engines agree on a scenario.
fn agree(scenario: &Value, seed: u64) {
    let slice = scenario["time"]["duration"].as_f64().unwrap() / 3.0;
    let reference = everything(scenario, seed, Engine::Reference, 1, slice);
    for (engine, threads) in [(Engine::OneDomain, 1), (Engine::Domains, 1), (Engine::Domains, 2)] {
        assert!(
            everything(scenario, seed, engine, threads, slice) == reference,
            "{engine:?} on {threads} threads differs from the reference for seed {seed}: {scenario}"
        );
    }
}

/// Users with every algorithm, jumbo files, impatience, long-lived flows and marks, in overload.
#[test]
fn everything_at_once_on_abilene() {
    let share = 1.0 / ALGORITHMS.len() as f64;
    let mut scenario = with(
        abilene(),
        &[
            ("users.base_sources", json!(20.0)),
            ("network.speed", json!(40_000.0)),
            ("network.ecn_threshold", json!(30.0)),
            ("users.patience_probability", json!(0.5)),
            ("users.patience_time", json!(3.0)),
            ("users.jumbo_period", json!(2)),
            ("users.long_lived_flows", json!(3)),
            ("time", time(8.0, 2.0, 3)),
            ("trace", json!({"flows": [1], "sources": [0, 40, 41, 900], "routers": ["all"], "every": 0.05})),
        ],
    );
    scenario["algorithms"] = ALGORITHMS.iter().map(|a| algorithm(a.name, share)).collect();
    agree(&scenario, 3);
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

/// A network of the user's own: some routers are co-located, some links are short, lengths in ms.
fn own(links: &[(usize, usize, f64)], routers: usize) -> Value {
    let router = |r| json!({"name": format!("R{r}"), "class": "backbone", "speed_factor": null});
    let link = |(a, b, ms): &(usize, usize, f64)| json!({"a": a, "b": b, "delay": ms / 1e3, "cost": 1.0});
    json!({
        "name": "own",
        "routers": (0..routers).map(router).collect::<Vec<_>>(),
        "links": links.iter().map(link).collect::<Vec<_>>(),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Random trees with extra links, delays from none to 9 ms in steps that make ties common, random load.
    #[test]
    fn on_random_networks(
        parents in proptest::collection::vec((0usize..100, 0usize..6), 2..7),
        extra in proptest::collection::vec((0usize..100, 0usize..100, 0usize..6), 0..3),
        speed in prop_oneof![Just(8_000.0), Just(40_000.0)],
        sources in 4.0..20.0f64,
        algorithm_index in 0..ALGORITHMS.len(),
        delays_and_overheads in proptest::collection::vec((0usize..100, 0usize..100, 0usize..3, 0usize..2), 0..4),
        seed: u32,
    ) {
        const DELAYS: [f64; 6] = [0.0, 0.05, 0.5, 1.0, 2.0, 9.0];
        let routers = parents.len() + 1;
        let mut links: Vec<(usize, usize, f64)> =
            parents.iter().enumerate().map(|(i, (p, d))| (p % (i + 1), i + 1, DELAYS[*d])).collect();
        for (a, b, d) in extra {
            let (a, b) = (a % routers, b % routers);
            if a != b && !links.iter().any(|l| (l.0.min(l.1), l.0.max(l.1)) == (a.min(b), a.max(b))) {
                links.push((a, b, DELAYS[d]));
            }
        }
        let mut scenario = with(
            abilene(),
            &[
                ("topology", own(&links, routers)),
                ("network.speed", json!(speed)),
                ("network.buffer", segments(12.0)),
                ("users.base_sources", json!(sources)),
                ("users.think_time", json!(0.5)),
                ("time", time(3.0, 1.0, 1)),
                ("algorithms", json!([algorithm(ALGORITHMS[algorithm_index].name, 0.5), algorithm("tcp", 0.5)])),
            ],
        );
        let scenario_check = Scenario::from_json(&scenario.to_string()).unwrap();
        let network = Network::build(&scenario_check).unwrap();
        let hosts: Vec<&str> =
            network.access.iter().map(|r| network.topology.routers[*r].name.as_str()).collect();
        scenario["flows"] = delays_and_overheads
            .iter()
            .map(|(a, b, delay, overhead)| (a % hosts.len(), b % hosts.len(), delay, overhead))
            .filter(|(a, b, ..)| a != b)
            .map(|(a, b, delay, overhead)| {
                with(
                    flow(hosts[a], hosts[b], 0.2),
                    &[
                        ("extra_delay", json!(0.01 * *delay as f64)),
                        ("overhead", json!(1e-4 * *overhead as f64)),
                        ("stop", json!(2.0)),
                    ],
                )
            })
            .collect();
        agree(&scenario, u64::from(seed));
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
        &[("topology", own(&[(0, 1, 0.05), (1, 2, 3.0), (2, 3, 0.0), (3, 4, 0.1)], 5))],
    ));
    assert_eq!((own.count, own.lookahead), (3, 100_000_000));
    // The first routers are those of the backbone.
    assert_eq!(own.of[..5], [0, 0, 1, 1, 2]);
}
