//! Places of access routers below a backbone: what rules and names choose, and which of them are refused.

use crate::common::*;
use mesonet_sim::network::Network;
use mesonet_sim::{Engine, Scenario};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const RULES: [&str; 4] = ["metropolitan", "near", "far", "spread"];

fn scenario(topology: &str, values: &[(&str, Value)]) -> Scenario {
    let text = with(with(abilene(), &[("topology", json!(topology))]), values);
    Scenario::from_json(&text.to_string()).unwrap()
}

fn build(topology: &str, values: &[(&str, Value)]) -> Network {
    Network::build(&scenario(topology, values)).unwrap()
}

/// Direct routers, and second fast ones, where a rule puts both.
fn ruled(rule: &str) -> [(&'static str, Value); 2] {
    [("tiers.direct_at", json!(rule)), ("tiers.second_fast_at", json!(rule))]
}

/// Names of the backbone routers with a direct router.
fn direct(network: &Network) -> String {
    let routers = &network.topology.routers;
    let names = routers.iter().filter(|r| r.class.name() == "direct access");
    names.map(|r| routers[r.region].name.clone()).collect()
}

/// Access routers of a class by the point of presence above them.
fn by_pop(network: &Network, class: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for link in &network.topology.links {
        let [above, below] = [link.a, link.b].map(|r| &network.topology.routers[r]);
        if below.class.name() == class {
            *counts.entry(above.name.clone()).or_insert(0) += 1;
        }
    }
    counts
}

/// Sum of the delays from each backbone router to all others, from the lanes of acknowledgements.
fn sums(network: &Network) -> Vec<(u64, usize)> {
    let regions = network.topology.regions;
    let first = |region| (0..network.access.len()).find(|&a| network.region_of(a) == region).unwrap();
    let ends: Vec<usize> = (0..regions).map(first).collect();
    let sum = |&from: &usize| ends.iter().map(|&to| network.round_trip(from, to)).sum();
    ends.iter().map(sum).zip(0..regions).collect()
}

#[test]
fn rules_choose_by_delay_and_keep_the_counts() {
    for (topology, counts, chosen) in [
        ("abilene", [22, 6, 28, 105], ["BCHIJK", "DEFGHI", "ABCFJK", "ACEFHJ"]),
        ("isp", [32, 8, 40, 122], ["BCFGJKNO", "EFGHIJKM", "ABCDLNOP", "ACEGHLMP"]),
    ] {
        for (rule, expected) in RULES.into_iter().zip(chosen) {
            let network = build(topology, &ruled(rule));
            assert_eq!(direct(&network), expected, "{topology}, {rule}");
            let d = network.describe(&scenario(topology, &ruled(rule)));
            let count = |class: &str| d.classes.iter().find(|c| c.class == class).unwrap().routers;
            assert_eq!(["pop", "direct access", "fast access", "normal access"].map(count), counts);
            let second = by_pop(&network, "fast access").into_iter().filter(|(_, count)| *count == 2);
            let second: String = second.map(|(pop, _)| pop.strip_suffix('1').unwrap().to_string()).collect();
            assert_eq!(second, expected, "second fast routers, {topology}, {rule}");
        }
        let mut sums = sums(&build(topology, &[]));
        sums.sort_unstable();
        let letters = |routers: &[(u64, usize)]| {
            let mut letters: Vec<char> = routers.iter().map(|(_, r)| char::from(b'A' + *r as u8)).collect();
            letters.sort_unstable();
            letters.into_iter().collect::<String>()
        };
        let count = counts[1];
        assert_eq!(letters(&sums[..count]), chosen[1], "near");
        assert_eq!(letters(&sums[sums.len() - count..]), chosen[2], "far");
    }
}

/// Round trips by class of path against a mean over all pairs of access routers.
#[test]
fn round_trips_follow_the_places() {
    let mut very_fast = Vec::new();
    for rule in RULES {
        let values = ruled(rule);
        let (scenario, network) = (scenario("abilene", &values), build("abilene", &values));
        let (mut sums, mut weights) = ([0.0; 3], [0.0; 3]);
        for source in 0..network.access.len() {
            let receivers = network.traffic.pairs.weights(source);
            let choice: f64 = receivers.iter().sum();
            for (receiver, weight) in receivers.iter().enumerate() {
                let classes = [source, receiver].map(|a| network.class_of(a).distribution_index().unwrap());
                let class = 2 - classes.into_iter().min().unwrap();
                let flows = network.traffic.sources[source] as f64 * weight / choice;
                sums[class] += flows * network.round_trip(source, receiver) as f64 / 1e12;
                weights[class] += flows;
            }
        }
        let found = network.describe(&scenario).class_rtt.map(Option::unwrap);
        for class in 0..3 {
            let expected = sums[class] / weights[class];
            assert!((found[class] - expected).abs() < 1e-12, "{rule}, {class}: {found:?} against {expected}");
        }
        very_fast.push(found[0]);
    }
    // Near each other, far from each other: the other two lie between.
    assert!(very_fast[1] < 0.024 && very_fast[2] > 0.051, "{very_fast:?}");
    assert!(very_fast[0] > very_fast[1] && very_fast[0] < very_fast[2]);
    // Without sources no class has flows.
    let none = scenario("abilene", &[("users.base_sources", json!(0.0))]);
    assert_eq!(Network::build(&none).unwrap().describe(&none).class_rtt, [None; 3]);
}

#[test]
fn names_choose_backbone_routers_and_points_of_presence() {
    let network = build(
        "abilene",
        &[("tiers.direct_at", json!(["D", "A", "D"])), ("tiers.second_fast_at", json!(["K2", "A"]))],
    );
    assert_eq!(direct(&network), "ADD");
    assert!(["D0a", "D0b", "A0a"].iter().all(|name| network.topology.router(name).is_some()));
    let fast = by_pop(&network, "fast access");
    assert_eq!((fast["K2"], fast["A1"], fast["K1"]), (2, 2, 1));
    assert_eq!(fast.values().sum::<usize>(), 24);
    // The usual pairs of long-lived flows have no direct routers now: the only pair of regions with some.
    assert_eq!(network.long_lived_pairs(), [("A0a".into(), "D0a".into())]);
    let all: Vec<String> = (b'A'..=b'K').map(|c| char::from(c).to_string()).collect();
    let usual = build("abilene", &[("tiers.direct_at", json!(all))]);
    assert_eq!(usual.long_lived_pairs(), build("abilene", &[]).long_lived_pairs());
    let nowhere = build("isp", &[("tiers.direct_at", json!([])), ("tiers.second_fast_at", json!([]))]);
    assert_eq!((direct(&nowhere), by_pop(&nowhere, "fast access").values().max()), (String::new(), Some(&1)));
}

#[test]
fn normal_routers_follow_weights_of_two() {
    for (topology, total, crowded) in [("abilene", 105, "BCHIJK"), ("isp", 122, "BCFGJKNO")] {
        let network = build(topology, &[("tiers.double_normal_at", json!("metropolitan"))]);
        let normal = by_pop(&network, "normal access");
        assert_eq!(normal.values().sum::<usize>(), total);
        let weights: usize = normal.keys().map(|pop| 1 + usize::from(crowded.contains(&pop[..1]))).sum();
        for (pop, count) in &normal {
            let weight = 1 + usize::from(crowded.contains(&pop[..1]));
            let share = total as f64 * weight as f64 / weights as f64;
            assert!((*count as f64 - share).abs() < 1.0, "{pop}: {count} of {share}");
        }
    }
    let even = by_pop(&build("abilene", &[]), "normal access");
    assert_eq!((even.values().min(), even.values().max()), (Some(&4), Some(&5)));
}

#[test]
fn places_that_do_not_exist_are_refused() {
    for (topology, path, value, words) in [
        (
            "abilene",
            "tiers.direct_at",
            json!(["A", "Z"]),
            "no backbone router \"Z\"; allowed: metropolitan, near",
        ),
        ("isp", "tiers.direct_at", json!(["A1"]), "no backbone router \"A1\""),
        ("abilene", "tiers.second_fast_at", json!(["A3"]), "point of presence \"A3\""),
        ("abilene", "tiers.double_normal_at", json!(["A2"]), "no backbone router \"A2\""),
        ("dumbbell", "tiers.direct_at", json!("near"), "no access routers are built below \"dumbbell\""),
        ("parking-lot", "tiers.second_fast_at", json!([]), "allowed: metropolitan"),
        ("dumbbell-two-rtt", "tiers.double_normal_at", json!(["A"]), "allowed: none"),
    ] {
        let error = Network::build(&scenario(topology, &[(path, value)])).unwrap_err();
        assert_eq!(error.path, path);
        assert!(error.message.contains(words), "{error}");
    }
    let rule = with(abilene(), &[("tiers.direct_at", json!("nearest"))]);
    let error = Scenario::from_json(&rule.to_string()).unwrap_err();
    assert!(error.to_string().contains("metropolitan, near, far, spread"), "{error}");
}

#[test]
fn the_engines_agree_on_other_places() {
    let values = [
        ("tiers.direct_at", json!("far")),
        ("tiers.second_fast_at", json!(["D2", "E"])),
        ("tiers.double_normal_at", json!("near")),
        ("time", time(4.0, 1.0, 2)),
    ];
    let scenario = with(everything_at_once(), &values);
    let run = |engine, threads| everything(begin(&scenario, 7, engine, threads), 2.0, |s, _| s);
    assert!(run(Engine::Domains, 2) == run(Engine::Reference, 1));
}
