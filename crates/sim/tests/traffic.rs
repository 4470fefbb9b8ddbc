//! Traffic between routers: rules and matrices, and the flows that follow.

use crate::common::{abilene, begin, rates, run, set, texts};
use mesonet_sim::network::Network;
use mesonet_sim::{Engine, Scenario, Simulation};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn network(scenario: &Value) -> Network {
    Network::build(&Scenario::from_json(&scenario.to_string()).unwrap()).unwrap()
}

fn with_traffic(traffic: Value) -> Value {
    let mut scenario = abilene();
    set(&mut scenario, "users.traffic", traffic);
    scenario
}

fn shares(entries: &[(&str, &str, f64)]) -> Value {
    let demand =
        |(from, to, share): &(&str, &str, f64)| json!({"from": from, "to": to, "share": share, "rate": null});
    entries.iter().map(demand).collect()
}

fn refused(traffic: Value) -> String {
    let scenario = with_traffic(traffic);
    match Scenario::from_json(&scenario.to_string()) {
        Err(error) => error.to_string(),
        Ok(scenario) => Network::build(&scenario).unwrap_err().to_string(),
    }
}

/// Sources below a router whose name begins with `prefix`.
fn sources_at(network: &Network, prefix: &str) -> u64 {
    let below = |access: &usize| network.topology.routers[network.access[*access]].name.starts_with(prefix);
    (0..network.access.len()).filter(below).map(|access| network.traffic.sources[access]).sum()
}

/// Completed flows by region of the sender and first two letters of the receiver's router.
fn ends(simulation: &mut Simulation) -> BTreeMap<(String, String), usize> {
    let flows = simulation.take_flows();
    let mut counts = BTreeMap::new();
    for (from, to) in texts(&flows, "from").iter().zip(texts(&flows, "to")) {
        *counts.entry((from[..1].to_string(), to[..2].to_string())).or_default() += 1;
    }
    counts
}

#[test]
fn flows_follow_the_shares() {
    let mut scenario = with_traffic(shares(&[("A", "B", 6.0), ("A", "K1", 3.0), ("C1", "B", 1.0)]));
    set(&mut scenario, "users.think_time", json!(0.2));
    let flows = |engine: Engine| {
        let mut simulation = begin(&scenario, 3, engine, 2);
        simulation.advance(f64::INFINITY);
        ends(&mut simulation)
    };
    let counts = flows(Engine::Domains);
    assert_eq!(counts, flows(Engine::Reference));
    let total: usize = counts.values().sum();
    let share = |from: &str, to: &str| {
        let found = counts.iter().filter(|((f, t), _)| f == from && t.starts_with(to)).map(|(_, n)| n);
        found.sum::<usize>() as f64 / total as f64
    };
    // No other pair: A to any of B, to the point of presence K1 only, and C to B.
    assert_eq!(share("A", "K"), share("A", "K1"));
    assert!((share("A", "B") + share("A", "K1") + share("C", "B") - 1.0).abs() < 1e-9);
    for (from, to, expected) in [("A", "B", 0.6), ("A", "K1", 0.3), ("C", "B", 0.1)] {
        let spread = (expected * (1.0 - expected) / total as f64).sqrt();
        // Five standard errors, and 349 sources that are whole.
        let found = share(from, to);
        assert!((found - expected).abs() < 5.0 * spread + 0.02, "{from} {to}: {found} of {total}");
    }
}

#[test]
fn shares_divide_the_sources_of_the_tiers() {
    let all: u64 = network(&abilene()).traffic.sources.iter().sum();
    let matrix = network(&with_traffic(shares(&[("A", "B", 2.0), ("B", "A", 1.0), ("D", "E", 0.0)])));
    assert_eq!(matrix.traffic.sources.iter().sum::<u64>(), all);
    // The same round trip both ways: sources in proportion.
    assert_eq!([sources_at(&matrix, "A"), sources_at(&matrix, "D")], [(all * 2 + 1) / 3, 0]);
    assert_eq!(sources_at(&matrix, "B"), all - sources_at(&matrix, "A"));
}

#[test]
fn rates_set_the_sources_and_are_carried() {
    let mut scenario = with_traffic(rates(&[("A", "B", 600.0), ("C", "B", 300.0), ("B0a", "A", 100.0)]));
    set(&mut scenario, "users.traffic_factor", json!(2.0));
    set(&mut scenario, "users.base_sources", json!(0.0));
    set(&mut scenario, "users.size_shape", json!(50.0));
    set(&mut scenario, "time.duration", json!(100.0));
    let network = network(&scenario);
    let expected = Scenario::from_json(&scenario.to_string()).unwrap();
    assert!((network.load().offered(&expected) - 2000.0).abs() < 1e-6);
    // A source at A begins a transfer every think time and round trips of a transfer to B.
    let [a, b] = [0, 1]
        .map(|region| (0..network.access.len()).find(|access| network.region_of(*access) == region).unwrap());
    let rounds = mesonet_sim::network::load::rounds(&expected);
    let cycle = 2.0 + rounds * network.round_trip(a, b) as f64 / 1e12;
    let sources = 1200.0 / expected.mean_file_size() * cycle;
    assert!((sources_at(&network, "A") as f64 - sources).abs() <= 1.0, "{sources}");
    let flows: usize = ends(&mut run(&scenario, 1)).values().sum();
    let delivered = flows as f64 * expected.mean_file_size() / 100.0;
    assert!((delivered / 2000.0 - 1.0).abs() < 0.1, "{delivered} segments/s");
}

#[test]
fn offered_loads_follow_the_matrix() {
    let scenario = with_traffic(shares(&[("B0a", "C0a", 3.0), ("B1a", "C0a", 1.0), ("B", "K1", 4.0)]));
    let network = network(&scenario);
    let shares = network.load().flow_shares(false);
    let share = |name: &str| shares[network.topology.router(name).unwrap()];
    assert!((share("C0a") - 0.5).abs() < 1e-9 && (share("K1") - 0.5).abs() < 1e-9);
    assert!((share("B") - 1.0).abs() < 1e-9 && share("A") < 1e-9);
    // B0a sends its own 3 of 8, and its part of the 4 by class: 3 x 0.3 of all weights below B.
    let weights: f64 = (0..network.access.len())
        .filter(|&access| network.region_of(access) == 1)
        .map(|access| match network.class_of(access).word() {
            "normal" => 0.3,
            "fast" => 1.8,
            _ => 0.9,
        })
        .sum();
    assert!((share("B0a") - (0.375 + 0.5 * 0.9 / weights)).abs() < 1e-9, "{}", share("B0a"));
    let received = network.traffic.pairs.received();
    assert!((received.iter().sum::<f64>() - 1.0).abs() < 1e-9);
}

#[test]
fn gravity_weighs_regions_by_their_links() {
    let network = network(&with_traffic(json!("gravity")));
    assert_eq!(network.traffic.rule, "gravity by number of links");
    let degree = |region: usize| {
        network
            .topology
            .links
            .iter()
            .filter(|l| l.a.max(l.b) < 11 && (l.a == region || l.b == region))
            .count() as f64
    };
    let degrees: Vec<f64> = (0..11).map(degree).collect();
    let pairs = (0..11).flat_map(|a| (0..11).map(move |b| (a, b))).filter(|(a, b)| a != b);
    let total: f64 = pairs.map(|(a, b)| degrees[a] * degrees[b]).sum();
    for region in 0..11 {
        let begun: f64 = (0..network.access.len())
            .filter(|&access| network.region_of(access) == region)
            .map(|access| network.traffic.pairs.begun[access])
            .sum();
        let expected = degrees[region] * (degrees.iter().sum::<f64>() - degrees[region]) / total;
        assert!((begun - expected).abs() < 1e-9, "{region}: {begun} against {expected}");
    }
}

#[test]
fn matrices_that_do_not_match_are_refused() {
    for (traffic, expected) in [
        (shares(&[("A", "Oslo", 1.0)]), "users.traffic[0].to: \"abilene\" has no router \"Oslo\"; allowed: "),
        (shares(&[("A", "B", 0.0)]), "users.traffic: the demands sum to 0"),
        (shares(&[("A", "B", -1.0)]), "users.traffic[0].share: -1 is too low"),
        (json!([]), "users.traffic: no entry"),
        (json!([{"from": "A", "to": "B", "share": 1.0, "rate": 1.0}]), "either a share or a rate"),
        (json!("gravitation"), "expected a rule (tiers, gravity)"),
    ] {
        let message = refused(traffic);
        assert!(message.contains(expected), "{message}");
    }
    let mixed = json!([
        {"from": "A", "to": "B", "share": 1.0, "rate": null}, {"from": "A", "to": "C", "share": null, "rate": 1.0}
    ]);
    assert!(refused(mixed).starts_with("users.traffic[1]: shares and rates in one matrix"));
    let mut nobody = with_traffic(shares(&[("B0a", "C", 1.0)]));
    set(&mut nobody, "users.source_distribution", json!([0.5, 0.5, 0.0]));
    let message = Network::build(&Scenario::from_json(&nobody.to_string()).unwrap()).unwrap_err().to_string();
    assert!(
        message.starts_with("users.traffic[0].from: users.source_distribution gives weight 0"),
        "{message}"
    );
    let too_many = rates(&[("A", "B", 1e12)]);
    assert!(refused(too_many).contains("allowed: at most 50000000 sources"));
}
