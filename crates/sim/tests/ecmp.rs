//! Routes of equal cost, among which the hash of a connection chooses.

use crate::common::*;
use crate::engines::{agree, agree_in};
use crate::snapshots::continues_as;
use mesonet_cc::seconds;
use mesonet_sim::Scenario;
use mesonet_sim::network::Network;
use mesonet_sim::network::ecmp::connection_hash;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Service of a segment at a port of 12 Mbit/s, s.
const SERVICE: f64 = 0.001;
const HOSTS: f64 = 1_000_000_000.0;

/// From A to Z over as many routers as there are delays, each of 12 Mbit/s and the same cost.
fn parallel(delays: &[f64], values: &[(&str, Value)]) -> Value {
    let router = |name: String| json!({"name": name, "class": "plain", "speed_factor": 1.0});
    let names = ["A".to_string(), "Z".to_string()].into_iter();
    let names = names.chain((0..delays.len()).map(|n| format!("M{n}")));
    let link = |a: usize, b: usize, delay: f64| json!({"a": a, "b": b, "delay": delay, "cost": 1.0, "capacity": [12e6, 12e6]});
    let links: Vec<Value> =
        (2..).zip(delays).flat_map(|(m, delay)| [link(0, m, delay / 2.0), link(m, 1, delay / 2.0)]).collect();
    let topology =
        json!({"name": "parallel", "routers": names.map(router).collect::<Vec<_>>(), "links": links});
    let base = [
        ("topology", topology),
        ("network.routing", json!("ecmp")),
        ("network.queue", json!("port")),
        ("network.speed", json!(HOSTS)),
        ("network.buffer", segments(200.0)),
        ("connection.establish", json!(false)),
        ("flows", json!([])),
        ("time", time(20.0, 0.0, 1)),
    ];
    with(with(dumbbell(), &base), values)
}

fn network(scenario: &Value) -> (Scenario, Network) {
    let scenario = Scenario::from_json(&scenario.to_string()).unwrap();
    let network = Network::build(&scenario).unwrap();
    (scenario, network)
}

/// Two flows fill two paths of 1000 segments/s together, or one of them, as their hashes choose: by hand from
/// the tables of routers, and from the hash.
#[test]
fn two_flows_on_two_paths_have_one_each_or_share_one() {
    let flows = json!([flow("A", "Z", 0.0), flow("A", "Z", 0.0)]);
    let scenario = parallel(&[0.02, 0.02], &[("flows", flows)]);
    let mut met = [0; 2];
    for seed in 1..=12 {
        let simulation = run(&scenario, seed);
        let sent = [0, 1].map(|n| of_router(&simulation, &format!("A -> M{n}"), "utilisation"));
        let both = sent.iter().all(|utilisation| *utilisation > 0.95);
        let delivered = simulation.counters().leaving as f64 / 20.0;
        let expected = if both { 2.0 } else { 1.0 } / SERVICE;
        assert!((0.95 * expected..=expected).contains(&delivered), "{delivered} of {expected}, {sent:?}");
        assert!(both || sent.contains(&0.0), "{sent:?}");
        met[usize::from(both)] += 1;
    }
    // Both cases occur with probability 1 - 2^-11.
    assert!(met[0] > 0 && met[1] > 0, "{met:?}");
}

/// Shares of many connections over parallel paths: each path has an equal share of the offered load, and the
/// flows that a hash gives it, within four standard deviations of the binomial law.
#[test]
fn many_connections_share_paths_equally() {
    for count in [2, 3] {
        let scenario = parallel(
            &vec![0.02; count],
            &[
                ("arrivals", json!([arrivals(json!(["A"]), json!(["Z"]), 20.0)])),
                ("time", time(60.0, 0.0, 1)),
            ],
        );
        let (parsed, network) = network(&scenario);
        let loads = network.load().offered_loads(&parsed, &network.speeds);
        for n in 0..count {
            let port = (0..loads.len())
                .find(|q| network.queues.name(*q, &network.topology) == format!("A -> M{n}"))
                .unwrap();
            assert!((loads[port] - 20.0 * 60.0 * SERVICE / count as f64).abs() < 1e-12);
        }
        let simulation = run(&scenario, 7);
        let utilisation = |n: usize| of_router(&simulation, &format!("A -> M{n}"), "utilisation");
        let all: f64 = (0..count).map(utilisation).sum();
        // About 1200 flows of equal size.
        let p = 1.0 / count as f64;
        let deviation = (p * (1.0 - p) / 1200.0).sqrt();
        for n in 0..count {
            let share = utilisation(n) / all;
            assert!((share - p).abs() < 4.0 * deviation, "{share} of path {n} of {count}");
        }
        assert_eq!(network.describe(&parsed).shared_paths, 2 + count * (count - 1));
    }
}

/// Loads divide at each router: a path that divides twice has a quarter of the flows on each last link.
#[test]
fn loads_divide_at_each_router() {
    let router = |name: &str| json!({"name": name, "class": "plain", "speed_factor": 1.0});
    let link = |(a, b): (usize, usize)| json!({"a": a, "b": b, "delay": 0.01, "cost": 1.0, "capacity": [12e6, 12e6]});
    // A to Z over B or C; from B over D or E.
    let links = [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (3, 6), (4, 6), (5, 6)].map(link);
    let routers = ["A", "B", "C", "D", "E", "F", "Z"].map(router);
    let topology = json!({"name": "tree", "routers": routers, "links": links});
    let scenario = parallel(
        &[0.02],
        &[("topology", topology), ("arrivals", json!([arrivals(json!(["A"]), json!(["Z"]), 5.0)]))],
    );
    let (parsed, network) = network(&scenario);
    let loads = network.load().offered_loads(&parsed, &network.speeds);
    let load = |name: &str| {
        loads[(0..loads.len()).find(|q| network.queues.name(*q, &network.topology) == name).unwrap()]
    };
    for (name, share) in
        [("A -> B", 0.5), ("A -> C", 0.5), ("B -> D", 0.25), ("E -> Z", 0.25), ("F -> Z", 0.5)]
    {
        assert!((load(name) - 0.3 * share).abs() < 1e-12, "{name}: {}", load(name));
    }
    assert_eq!(network.longest_route, 4);
}

/// A segment takes the delays of the way that its hash names, there and back, in the simulation and in what
/// is known of the flow: alone, a flow has a slowdown of 1.
#[test]
fn a_flow_has_the_round_trip_of_its_own_way() {
    let mut took = Vec::new();
    for (path, ack_services, bytes) in [("delay", 0.0, 64.0), ("queued", 2.0, 1500.0)] {
        let mut flows = flow("A", "Z", 0.0);
        flows["size"] = json!(1.0);
        let scenario = parallel(
            &[0.02, 0.06],
            &[
                ("flows", json!([flows])),
                ("network.ack_path", json!(path)),
                ("network.ack_bytes", json!(bytes)),
                ("measurement.flow_records", json!(1.0)),
            ],
        );
        for seed in 1..=12 {
            let records = run(&scenario, seed).take_flows();
            let last = float(&records, "last_acked_s")[0];
            let propagation = last - SERVICE * (2.0 + ack_services);
            assert!((float(&records, "slowdown")[0] - 1.0).abs() < 1e-6);
            took.push((path, (propagation * 1e3).round() as u32));
        }
    }
    // Acknowledgements that only take time take the first way; others choose for themselves.
    for (path, expected) in [("delay", vec![40, 80]), ("queued", vec![40, 80, 120])] {
        let mut found: Vec<u32> = took.iter().filter(|t| t.0 == path).map(|t| t.1).collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, expected, "{path}");
    }
}

/// A link that fails moves its own flows, which return when it is up again.
#[test]
fn a_link_that_fails_moves_its_own_flows_only() {
    let down = |time: f64, state: &str| json!({"time": time, "router": null, "link": ["M1", "Z"], "speed": null, "delay": null, "factor": null, "state": state});
    let scenario =
        parallel(&[0.02, 0.02, 0.02], &[("network.changes", json!([down(1.0, "down"), down(2.0, "up")]))]);
    let (_, network) = network(&scenario);
    let mut moved = 0;
    for number in 0..300 {
        let hash = connection_hash(3, mesonet_sim::engine::FlowId::new(0, number), 1);
        let way =
            |routes: usize| -> Vec<usize> { network.hops(routes, 0, 1, hash).map(|hop| hop.0).collect() };
        let [before, during, after] =
            [0.5, 1.5, 2.5].map(|time| way(network.routes_at((time * 1e12) as u64)));
        let fails = before.iter().any(|queue| network.queues.name(*queue, &network.topology) == "M1 -> Z");
        assert_eq!(before != during, fails);
        assert_eq!(before, after);
        moved += u32::from(fails);
    }
    assert!((60..140).contains(&moved), "{moved}");
}

/// Without routes of equal cost nothing is shared, and runs have the bytes of `shortest`.
#[test]
fn unique_routes_have_the_bytes_of_shortest() {
    let scenario = with(abilene(), &[("users.base_sources", json!(4.0)), ("time", time(4.0, 1.0, 1))]);
    let ecmp = with(scenario.clone(), &[("network.routing", json!("ecmp"))]);
    assert_eq!(network(&ecmp).1.lane_sets.count(), 0);
    assert!(agree(&ecmp, 3) == agree(&scenario, 3));
}

/// Links that cost nothing lead in no circle, and every route ends.
#[test]
fn links_without_a_cost_lead_in_no_circle() {
    let mut scenario = parallel(&[0.02, 0.02], &[]);
    let links = scenario["topology"]["links"].as_array_mut().unwrap();
    links.iter_mut().for_each(|link| link["cost"] = json!(0.0));
    links.push(json!({"a": 2, "b": 3, "delay": 0.01, "cost": 0.0, "capacity": [12e6, 12e6]}));
    let (_, network) = network(&scenario);
    for (from, to) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))).filter(|(a, b)| a != b) {
        for connection in 0..50 {
            assert!(network.hops(0, from, to, connection).count() <= 3);
        }
        let mut arrived = 0.0;
        network.visit_shares(0, from, to, |_, lane, share| {
            arrived += if network.router_behind(lane).is_none() { share } else { 0.0 };
        });
        assert!((arrived - 1.0).abs() < 1e-12);
    }
    assert!(seconds(network.delay_of(0, 1, 5, 0)) > 0.0);
}

/// Abilene with a cost of 1 for each link, where some routes are equal, and links that fail.
fn equal_abilene(path: &str, queue: &str, discipline: &str) -> Value {
    let backbone = [
        ("A", "B"),
        ("A", "D"),
        ("B", "C"),
        ("B", "D"),
        ("C", "F"),
        ("D", "E"),
        ("E", "F"),
        ("E", "G"),
        ("F", "I"),
        ("G", "H"),
        ("G", "I"),
        ("H", "K"),
        ("I", "J"),
        ("J", "K"),
    ];
    let cost = |(a, b): (&str, &str)| json!({"time": 0.1, "router": null, "link": [a, b], "speed": null, "delay": null, "factor": null, "cost": 1.0});
    let state = |time: f64, ends: [&str; 2], word: &str| json!({"time": time, "router": null, "link": ends, "speed": null, "delay": null, "factor": null, "state": word});
    let mut changes: Vec<Value> = backbone.map(cost).into();
    changes.extend([
        state(1.0, ["A", "B"], "down"),
        state(2.0, ["A", "B"], "up"),
        state(2.5, ["F", "I"], "down"),
    ]);
    with(
        abilene(),
        &[
            ("network.routing", json!("ecmp")),
            ("users.base_sources", json!(4.0)),
            ("network.speed", json!(8_000.0)),
            ("network.queue", json!(queue)),
            ("network.buffer", segments(20.0)),
            ("network.ack_path", json!(path)),
            ("network.changes", json!(changes)),
            ("aqm.discipline", json!(discipline)),
            ("time", time(4.0, 1.0, 1)),
        ],
    )
}

#[test]
fn engines_agree_on_shared_routes() {
    for (seed, path, queue, discipline) in [
        (1, "delay", "router", "drop_tail"),
        (2, "queued", "router", "drop_tail"),
        (3, "direction", "router", "drop_tail"),
        (4, "queued", "router", "codel"),
        (5, "queued", "port", "fq_codel"),
        (6, "delay", "port", "drop_tail"),
    ] {
        let scenario = equal_abilene(path, queue, discipline);
        assert!(network(&scenario).1.lane_sets.count() > 0);
        let text = agree_in(&scenario, seed, 8);
        let shortest = with(scenario.clone(), &[("network.routing", json!("shortest"))]);
        assert!(agree_in(&shortest, seed, 8) != text);
        continues_as(&scenario, seed, mesonet_sim::Engine::Domains, 8, &text);
        // Receivers that hold acknowledgements back.
        agree(&with(scenario, &receivers()[1]), seed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Random networks whose links mostly cost 1: all segments are accounted for, and engines agree.
    #[test]
    fn on_random_networks(scenario in networks::random(), path in 0..3usize, at_ports: bool, seed: u32) {
        let path = ["delay", "queued", "direction"][path];
        let queue = if at_ports && path != "direction" { "port" } else { "router" };
        let scenario = with(scenario, &[
            ("network.routing", json!("ecmp")),
            ("network.ack_path", json!(path)),
            ("network.queue", json!(queue)),
        ]);
        let simulation = run(&scenario, u64::from(seed));
        let (c, census) = (simulation.counters(), simulation.census());
        prop_assert_eq!(c.entering, c.leaving + c.dropped + census.queued + census.in_flight);
        agree(&scenario, u64::from(seed));
    }
}
