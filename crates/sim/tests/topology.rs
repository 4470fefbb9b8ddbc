//! Topologies of the user's own: what is built of them, what holds on any of them, and what is refused.

use crate::common::*;
use mesonet_sim::network::{Network, scenario_topology};
use mesonet_sim::scenario::{GivenLink, GivenRouter, GivenTopology};
use mesonet_sim::{Scenario, Simulation};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Routers as (name, class), links as (end, end, delay in ms, cost).
fn given(routers: &[(&str, &str)], links: &[(usize, usize, f64, f64)]) -> Value {
    let router = |(name, class): &(&str, &str)| json!({"name": name, "class": class, "speed_factor": null});
    let link = |(a, b, ms, cost): &(usize, usize, f64, f64)| json!({"a": a, "b": b, "delay": ms / 1e3, "cost": cost});
    json!({
        "name": "mine",
        "routers": routers.iter().map(router).collect::<Vec<_>>(),
        "links": links.iter().map(link).collect::<Vec<_>>(),
    })
}

fn scenario(topology: Value) -> Value {
    with(abilene(), &[("topology", topology)])
}

fn build(scenario: &Value) -> Network {
    Network::build(&Scenario::from_json(&scenario.to_string()).unwrap()).unwrap()
}

/// A triangle of backbone routers, Bonn with a third link to Lyon.
fn backbone() -> Value {
    let names = [("Oslo", "backbone"), ("Rome", "backbone"), ("Bonn", "backbone"), ("Lyon", "backbone")];
    given(&names, &[(0, 1, 20.0, 1.0), (1, 2, 10.0, 1.0), (0, 2, 15.0, 1.0), (2, 3, 4.0, 1.0)])
}

/// Not of tiers: delays below the backbone, a fast router with two ways up, an access router on an access
/// router, a transit backbone router without hosts, a plain router.
fn irregular() -> Value {
    given(
        &[
            ("n", "normal"),
            ("West", "backbone"),
            ("f", "fast"),
            ("Mid", "backbone"),
            ("p", "pop"),
            ("East", "backbone"),
            ("deep", "normal"),
            ("d", "direct"),
            ("Island", "plain"),
            ("n2", "normal"),
        ],
        &[
            (0, 4, 0.0, 0.0),
            (4, 1, 2.0, 1.0),
            (2, 1, 1.0, 5.0),
            (2, 5, 3.0, 4.0),
            (1, 3, 10.0, 10.0),
            (3, 5, 11.0, 10.0),
            (6, 2, 0.5, 1.0),
            (7, 5, 0.0, 0.0),
            (8, 3, 7.0, 2.0),
            (9, 4, 0.0, 0.0),
        ],
    )
}

/// Routers from one access router to another along the lanes of the data, and their delays.
fn walk(network: &Network, source: usize, receiver: usize) -> (Vec<usize>, u64) {
    use mesonet_sim::network::lanes::LaneEnd;
    let (mut routers, mut delay) = (vec![network.access[source]], 0);
    loop {
        let lane = network.lanes[network.next_lanes(0, *routers.last().unwrap(), receiver)[0].index()];
        delay += lane.delay;
        match lane.end {
            LaneEnd::Router(next) => routers.push(next.index()),
            LaneEnd::Receivers(index) => {
                assert_eq!((index.index(), *routers.last().unwrap()), (receiver, network.access[receiver]));
                return (routers, delay);
            }
            LaneEnd::Sources(_) => panic!("data on a lane of acknowledgements"),
        }
        assert!(routers.len() <= network.topology.routers.len(), "a loop");
    }
}

/// Checks the laws of any topology.
fn check_laws(text: &Value) {
    let scenario = Scenario::from_json(&text.to_string()).unwrap();
    let network = Network::build(&scenario).unwrap();
    let hosts = 0..network.access.len();
    let total: u64 = network.traffic.sources.iter().sum();
    let mut share = vec![0.0; network.topology.routers.len()];
    for source in hosts.clone() {
        let region = network.region_of(source);
        let weights = network.traffic.pairs.weights(source);
        let sum: f64 = weights.iter().sum();
        for receiver in hosts.clone() {
            let elsewhere = network.region_of(receiver) != region || scenario.users.allow_same_backbone;
            assert_eq!(weights[receiver], if elsewhere { network.traffic.by_class[receiver] } else { 0.0 });
            let (routers, delay) = walk(&network, source, receiver);
            // An acknowledgement takes the time of the route of its own direction, on links.
            let lane = network.lanes[network.ack_lane(receiver, source).index()];
            let (_, back) = walk(&network, receiver, source);
            assert_eq!(lane.delay, back, "{source} to {receiver}");
            assert_eq!(network.round_trip(source, receiver), delay + back);
            assert!(routers.len() <= network.longest_route);
            for router in routers {
                share[router] +=
                    network.traffic.sources[source] as f64 / total as f64 * weights[receiver] / sum;
            }
        }
    }
    for (expected, found) in share.iter().zip(network.load().flow_shares(false)) {
        assert!((expected - found).abs() < 1e-9, "{expected} against {found}");
    }
}

#[test]
fn a_bare_backbone_gets_tiers() {
    let network = build(&scenario(backbone()));
    let names: Vec<&str> = network.topology.routers.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names[..4], ["Oslo", "Rome", "Bonn", "Lyon"]);
    // Half of four have a direct router: Bonn with three links, and Oslo, the first with two.
    assert_eq!(names[4..8], ["Oslo.0a", "Oslo.1", "Oslo.1a", "Oslo.1b"]);
    let direct: Vec<&&str> = names.iter().filter(|n| n.contains(".0")).collect();
    assert_eq!(direct, [&"Oslo.0a", &"Bonn.0a"]);
    let s = Scenario::from_json(&scenario(backbone()).to_string()).unwrap();
    let d = network.describe(&s);
    let count = |class: &str| d.classes.iter().find(|c| c.class == class).unwrap().routers;
    assert_eq!(
        ["backbone", "pop", "direct access", "fast access", "normal access"].map(count),
        [4, 8, 2, 8 + 2, 40]
    );
    assert_eq!((d.paths, d.routers, d.links), (12, 64, 4 + 60));
    assert_eq!(d.regions, ["Oslo", "Rome", "Bonn", "Lyon"]);
    // Rome reaches Bonn directly, Oslo by one link as well; the longest way is 20 ms.
    assert!((d.max_rtt - 0.040).abs() < 1e-12, "{}", d.max_rtt);
    assert_eq!(d.longest_paths, [["Oslo", "Rome"]]);
    // Twelve paths: 20, 10, 15, 4, 14 and 19 ms, twice each.
    assert!((d.mean_rtt - 2.0 * 0.082 / 6.0).abs() < 1e-12, "{}", d.mean_rtt);
    check_laws(&scenario(backbone()));
}

/// The tiers of the scenario, and names beyond z.
#[test]
fn tiers_follow_the_scenario() {
    let tiers = [
        ("tiers.pops_per_backbone", json!(1)),
        ("tiers.fast_per_pop", json!(3)),
        ("tiers.normal_per_pop", json!(30)),
        ("tiers.direct_share", json!(0.0)),
    ];
    let network = build(&with(scenario(backbone()), &tiers));
    let names: BTreeSet<&str> = network.topology.routers.iter().map(|r| r.name.as_str()).collect();
    assert_eq!((names.len(), network.topology.routers.len()), (4 * 35, 4 * 35));
    assert!(names.contains("Rome.1z") && names.contains("Rome.1aa") && names.contains("Rome.1ag"));
    // The numbers change given backbones only.
    let abilene = with(abilene(), &[("tiers.normal_per_pop", json!(9))]);
    assert_eq!(build(&abilene).topology.routers.len(), 172);
}

/// Oslo is 20, 15 and 19 ms from the others, Rome 20, 10 and 14, Bonn 15, 10 and 4, Lyon 19, 14 and 4.
#[test]
fn places_on_a_bare_backbone_follow_its_delays() {
    let direct = |values: &[(&str, Value)]| {
        let network = build(&with(scenario(backbone()), values));
        let names = network.topology.routers.iter().map(|r| r.name.as_str());
        names.filter_map(|n| n.strip_suffix(".0a")).collect::<Vec<_>>().join(" ")
    };
    for (rule, share, expected) in [
        ("metropolitan", 0.5, "Oslo Bonn"),
        ("near", 0.5, "Bonn Lyon"),
        ("far", 0.5, "Oslo Rome"),
        ("spread", 0.25, "Bonn"),
        ("spread", 0.5, "Oslo Bonn"),
        ("spread", 0.75, "Oslo Rome Bonn"),
        ("spread", 1.0, "Oslo Rome Bonn Lyon"),
        ("near", 0.0, ""),
    ] {
        let values = [("tiers.direct_at", json!(rule)), ("tiers.direct_share", json!(share))];
        assert_eq!(direct(&values), expected, "{rule} {share}");
    }
    assert_eq!(direct(&[("tiers.direct_at", json!(["Lyon"]))]), "Lyon");
    let pops = with(scenario(backbone()), &[("tiers.second_fast_at", json!(["Rome.2"]))]);
    let fast = build(&pops).topology.routers.iter().filter(|r| r.class.name() == "fast access").count();
    assert_eq!(fast, 8 + 1);
    let bare = with(scenario(irregular()), &[("tiers.direct_at", json!(["West"]))]);
    let error = Network::build(&Scenario::from_json(&bare.to_string()).unwrap()).unwrap_err();
    assert!(
        error.path == "tiers.direct_at" && error.message.contains("\"mine\", which has its own"),
        "{error}"
    );
}

#[test]
fn other_topologies_are_taken_as_they_are() {
    let network = build(&scenario(irregular()));
    let topology = &network.topology;
    let names: Vec<&str> = topology.routers.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["West", "Mid", "East", "Island", "n", "f", "p", "deep", "d", "n2"]);
    let region =
        |name: &str| topology.routers[topology.routers[topology.router(name).unwrap()].region].name.as_str();
    // f is nearer to East by cost, to West by delay; deep is behind f.
    assert_eq!(
        ["n", "p", "n2", "f", "deep", "d"].map(region),
        ["West", "West", "West", "East", "East", "East"]
    );
    let s = Scenario::from_json(&scenario(irregular()).to_string()).unwrap();
    let d = network.describe(&s);
    // Mid has no hosts: paths between three regions.
    assert_eq!((d.regions.len(), d.paths), (4, 6));
    check_laws(&scenario(irregular()));
    check_laws(&with(scenario(irregular()), &[("users.allow_same_backbone", json!(true))]));
    // n and n2 are equally far from everywhere, all others are not.
    let places: BTreeSet<usize> = (0..network.access.len()).map(|a| network.group_of(a)).collect();
    assert_eq!((network.access.len(), places.len()), (6, 5));
}

/// Hops count hosts: A, B and a host at each end; on the parking lot the pairs are one, two and three links
/// apart.
#[test]
fn hops_are_those_of_the_routes() {
    let hops = |topology: Value| {
        let s = Scenario::from_json(&scenario(topology).to_string()).unwrap();
        Network::build(&s).unwrap().describe(&s).mean_hops
    };
    assert_eq!(hops(json!("dumbbell")), 4.0);
    assert!((hops(json!("parking-lot")) - (2.0 + (3.0 * 2.0 + 2.0 * 3.0 + 4.0) / 6.0)).abs() < 1e-12);
    // Only direct routers: a backbone router and an access router at each end.
    let direct = [("A", "backbone"), ("B", "backbone"), ("a", "direct"), ("b", "direct")];
    let links = [(0, 1, 1.0, 1.0), (0, 2, 1.0, 1.0), (1, 3, 1.0, 1.0)];
    assert_eq!(hops(given(&direct, &links)), 6.0);
}

#[test]
fn the_laws_hold_on_the_built_in_topologies() {
    for name in ["abilene", "isp", "dumbbell", "dumbbell-two-rtt", "bottleneck", "parking-lot"] {
        check_laws(&scenario(json!(name)));
    }
}

/// A round trip on an idle path: twice the links, and the service of every router on the way there.
#[test]
fn a_segment_takes_the_links_there_and_back() {
    let mut text = with(
        scenario(irregular()),
        &[("users.base_sources", json!(0.0)), ("network.delay_multiplier", json!(2.0))],
    );
    text["flows"] =
        json!([with(flow("deep", "n2", 0.0), &[("size", json!(1.0)), ("interface", json!(8e3))])]);
    let mut simulation = run(&text, 1);
    let network = simulation.network();
    let at = |name: &str| network.access_index[network.topology.router(name).unwrap()].unwrap().index();
    let (routers, delay) = walk(network, at("deep"), at("n2"));
    // deep, f, West, p, n2: 0.5 + 1 + 2 + 0 ms, doubled.
    assert_eq!((routers.len(), delay), (5, 7_000_000_000));
    let services: f64 = routers.iter().map(|&r| 1.0 / network.speeds[r]).sum();
    let flows = simulation.take_flows();
    let took = float(&flows, "last_acked_s")[0] - float(&flows, "first_sent_s")[0];
    let expected = 2.0 * delay as f64 / 1e12 + services;
    assert!((took - expected).abs() < 1e-9, "{took} against {expected}");
}

/// sent = delivered + dropped + queued + in flight in an irregular network in overload.
#[test]
fn segments_are_conserved_on_an_irregular_topology() {
    let text = with(
        scenario(irregular()),
        &[("users.base_sources", json!(50.0)), ("network.speed", json!(20_000.0))],
    );
    let mut simulation = simulation(&text, 5);
    for step in 1..=200 {
        simulation.advance(f64::from(step) * 0.1);
        let (c, census) = (simulation.counters(), simulation.census());
        assert_eq!(c.entering, c.leaving + c.dropped + census.queued + census.in_flight, "step {step}");
    }
    let c = simulation.counters();
    assert!(c.dropped > 1000 && c.completed > 100, "{c:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// Any connected graph of any classes with few different costs and delays, zero among them, so that ties
    /// abound.
    #[test]
    fn the_laws_hold_on_any_topology(
        classes in proptest::collection::vec(0usize..6, 3..14),
        tree in proptest::collection::vec((any::<u16>(), 0u8..4, 0u8..3), 14),
        more in proptest::collection::vec((any::<u16>(), any::<u16>(), 0u8..4, 0u8..3), 0..10),
    ) {
        let kinds = ["backbone", "pop", "normal", "fast", "direct", "plain"];
        // Two regions with hosts in any case.
        let mut routers: Vec<(String, &str)> = vec![("x".into(), "plain"), ("y".into(), "plain")];
        routers.extend(classes.iter().enumerate().map(|(i, &c)| (format!("r{i}"), kinds[c])));
        let n = routers.len();
        let mut links: Vec<(usize, usize, f64, f64)> = Vec::new();
        let mut add = |a: usize, b: usize, ms: u8, cost: u8| {
            let joined = links.iter().any(|l| (l.0.min(l.1), l.0.max(l.1)) == (a.min(b), a.max(b)));
            if a != b && !joined {
                links.push((a, b, f64::from(ms), f64::from(cost)));
            }
        };
        for (i, &(above, ms, cost)) in (1..n).zip(tree.iter().cycle()) {
            add(usize::from(above) % i, i, ms, cost);
        }
        for (a, b, ms, cost) in more {
            add(usize::from(a) % n, usize::from(b) % n, ms, cost);
        }
        let routers: Vec<(&str, &str)> = routers.iter().map(|(name, class)| (name.as_str(), *class)).collect();
        check_laws(&scenario(given(&routers, &links)));
    }
}

/// Long, median and short path; the first of those that tie.
#[test]
fn long_lived_flows_find_their_pairs() {
    let network = build(&with(scenario(backbone()), &[("tiers.direct_share", json!(1.0))]));
    let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
    // One-way delays 20 (Oslo-Rome), 19 (Oslo-Lyon), 15, 14 (Rome-Lyon), 10, 4: the lower median is 14.
    assert_eq!(
        network.long_lived_pairs(),
        [pair("Oslo.0a", "Rome.0a"), pair("Rome.0a", "Lyon.0a"), pair("Bonn.0a", "Lyon.0a")]
    );
    // With a single direct router all access routers count.
    let pairs = build(&scenario(irregular())).long_lived_pairs();
    assert_eq!((pairs.len(), &pairs[0]), (3, &pair("Island", "deep")));
    // Two regions have one pair.
    assert_eq!(build(&scenario(json!("dumbbell"))).long_lived_pairs(), [pair("A", "B")]);
    let text = with(
        scenario(backbone()),
        &[("users.long_lived_flows", json!(3)), ("tiers.direct_share", json!(1.0))],
    );
    let mut simulation = run(&text, 1);
    let series = simulation.take_series();
    for n in 1..=3 {
        assert!(*integer(&series, &format!("flow_{n}_delivered")).last().unwrap() > 100);
    }
}

#[test]
fn speeds_follow_the_class_or_the_factor() {
    let mut topology = irregular();
    topology["routers"][8]["speed_factor"] = json!(10.0);
    let network = build(&scenario(topology));
    let speed = |name: &str| network.speeds[network.topology.router(name).unwrap()] / 80_000.0;
    assert_eq!(["West", "p", "d", "Island"].map(speed), [2.0, 0.25, 0.25, 10.0]);
}

#[test]
fn what_cannot_be_simulated_is_refused() {
    let refused = |topology: Value, path: &str, word: &str| {
        let text = scenario(topology).to_string();
        let error = Scenario::from_json(&text).and_then(|s| Simulation::new(s, 1)).unwrap_err();
        assert_eq!(error.path, path, "{error}");
        assert!(error.message.contains(word), "{error}");
    };
    let edit = |pointer: &str, value: Value| {
        let mut topology = irregular();
        *topology.pointer_mut(pointer).unwrap() = value;
        topology
    };
    refused(json!("arpanet"), "topology", "abilene");
    refused(edit("/links/3/a", json!(10)), "topology.links[3].a", "no router 10");
    refused(edit("/links/3/a", json!(5)), "topology.links[3]", "\"East\" to itself");
    refused(
        edit("/links/6", json!({"a": 1, "b": 2, "delay": 0.1, "cost": 1.0})),
        "topology.links[6]",
        "link 2",
    );
    refused(edit("/links/0/delay", json!(-1e-9)), "topology.links[0].delay", "at least 0 and at most 1000");
    refused(edit("/links/0/delay", json!(1001.0)), "topology.links[0].delay", "1001");
    refused(edit("/links/0/delay", json!(999.0)), "topology", "without any queue");
    refused(edit("/links/0/cost", json!(-1)), "topology.links[0].cost", "-1");
    refused(edit("/links/0/cost", json!(1e10)), "topology.links[0].cost", "10000000000");
    refused(edit("/routers/0/name", json!("d")), "topology.routers", "\"d\"");
    refused(edit("/routers/0/name", json!(" ")), "topology.routers[0].name", "without a name");
    refused(edit("/routers/0/speed_factor", json!(0)), "topology.routers[0].speed_factor", "0");
    refused(edit("/routers/0/class", json!("core")), "scenario", "core");
    refused(edit("/routers", json!([])), "topology.routers", "at least 2");
    // West, Mid, East and the routers behind them are cut off from Island.
    refused(
        edit("/links/8", json!({"a": 0, "b": 1, "delay": 0.0, "cost": 0})),
        "topology",
        "\"West\" and \"Island\"",
    );
    let two = [("A", "backbone"), ("B", "backbone"), ("a", "pop")];
    refused(given(&two, &[(0, 1, 1.0, 1.0), (1, 2, 1.0, 1.0)]), "topology", "no access router");
    let one_sided = [("A", "backbone"), ("B", "backbone"), ("b", "fast"), ("c", "fast")];
    refused(
        given(&one_sided, &[(0, 1, 1.0, 1.0), (1, 2, 1.0, 1.0), (1, 3, 1.0, 1.0)]),
        "topology",
        "router \"B\"",
    );
    let single = [("A", "backbone"), ("b", "fast"), ("c", "fast")];
    refused(given(&single, &[(0, 1, 1.0, 1.0), (0, 2, 1.0, 1.0)]), "topology.routers", "at least 2");
    // A name that the tiers below another router take.
    let clash = [("A", "backbone"), ("A.1", "backbone")];
    refused(given(&clash, &[(0, 1, 1.0, 1.0)]), "topology.routers", "\"A.1\"");
}

/// A ring of `n` routers.
fn ring(n: usize, class: &str) -> GivenTopology {
    let class = serde_json::from_value(json!(class)).unwrap();
    let router = |i| GivenRouter {
        name: format!("r{i}"),
        class,
        speed_factor: None,
        latitude: None,
        longitude: None,
        access: None,
    };
    let link = |i| GivenLink {
        a: i,
        b: (i + 1) % n,
        delay: 0.001,
        delay_back: None,
        cost: 1.0,
        cost_back: None,
        capacity: None,
        buffer: None,
    };
    GivenTopology {
        name: "ring".into(),
        routers: (0..n).map(router).collect(),
        links: (0..n).map(link).collect(),
    }
}

/// Refused before any work that grows faster than the size.
#[test]
fn what_is_too_large_is_refused_at_once() {
    let tiers = Scenario::from_json(&abilene().to_string()).unwrap().tiers;
    let with_tiers =
        |pops: u32| mesonet_sim::scenario::TierParameters { pops_per_backbone: pops, ..tiers.clone() };
    for (topology, tiers, path) in [
        (ring(1_000_000, "backbone"), with_tiers(2), "topology.routers"),
        (ring(10_001, "normal"), with_tiers(2), "topology.routers"),
        (ring(1001, "plain"), with_tiers(2), "topology.routers"),
        (ring(900, "backbone"), with_tiers(2), "tiers"),
    ] {
        let error = scenario_topology::from_given(&topology, &tiers).unwrap_err();
        assert_eq!(error.path, path, "{error}");
    }
    // Routers fit, the lanes of their acknowledgements do not.
    let text = scenario(serde_json::to_value(ring(300, "plain")).unwrap());
    let error = Network::build(&Scenario::from_json(&text.to_string()).unwrap()).unwrap_err();
    assert!(error.path == "topology" && error.message.contains("at most 65534"), "{error}");
    // A number that JSON cannot hold.
    for delay in [f64::NAN, f64::INFINITY, -1.0] {
        let mut topology = ring(5, "plain");
        topology.links[2].delay = delay;
        assert_eq!(
            scenario_topology::from_given(&topology, &tiers).unwrap_err().path,
            "topology.links[2].delay"
        );
    }
}

/// Delivered segments of every explicit flow on unlimited flows between the given ends.
fn delivered(topology: &str, ends: &[(&str, &str)], duration: f64) -> Vec<u64> {
    let flow = |(from, to): &(&str, &str)| flow(from, to, 0.0);
    let text = with(
        dumbbell(),
        &[
            ("topology", json!(topology)),
            ("flows", ends.iter().map(flow).collect()),
            ("time", time(duration, 0.0, 1)),
        ],
    );
    let series = run(&text, 1).take_series();
    let last = |n: usize| *integer(&series, &format!("flow_{}_delivered", n + 1)).last().unwrap();
    (0..ends.len()).map(last).collect()
}

/// A flow over three bottlenecks, with a longer round trip, gets less than the flow of each hop.
#[test]
fn the_long_flow_of_the_parking_lot_gets_least() {
    let found = delivered("parking-lot", &[("A", "D"), ("A", "B"), ("B", "C"), ("C", "D")], 120.0);
    assert!(found[0] > 1000 && found[1..].iter().all(|hop| *hop > found[0]), "{found:?}");
}

/// With standard TCP the group of flows with twice the round trip gets less of the bottleneck.
#[test]
fn the_far_flow_of_two_round_trips_gets_less() {
    let found = delivered("dumbbell-two-rtt", &[("A", "B"), ("F", "B")], 600.0);
    assert!(found[1] > 1000 && found[1] < found[0], "{found:?}");
    let network = build(&scenario(json!("dumbbell-two-rtt")));
    let at = |name: &str| network.access_index[network.topology.router(name).unwrap()].unwrap().index();
    assert_eq!(network.round_trip(at("F"), at("B")), 2 * network.round_trip(at("A"), at("B")));
}
