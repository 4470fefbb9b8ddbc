//! Networks drawn at random, small enough to be run many times.

use super::*;
use mesonet_cc::registry::ALGORITHMS;
use mesonet_sim::network::Network;
use proptest::prelude::*;

/// A network of the user's own: some routers are co-located, some links are short, lengths in ms.
pub fn own(links: &[(usize, usize, f64)], routers: usize) -> Value {
    let router = |r| json!({"name": format!("R{r}"), "class": "backbone", "speed_factor": null});
    let link = |(a, b, ms): &(usize, usize, f64)| json!({"a": a, "b": b, "delay": ms / 1e3, "cost": 1.0});
    json!({
        "name": "own",
        "routers": (0..routers).map(router).collect::<Vec<_>>(),
        "links": links.iter().map(link).collect::<Vec<_>>(),
    })
}

/// Delays of links, s x 1000: none to 9 ms in steps that make ties common.
const DELAYS: [f64; 6] = [0.0, 0.05, 0.5, 1.0, 2.0, 9.0];

/// Random trees with extra links, whose costs may differ by direction, random load, users of some algorithm
/// and of standard TCP, explicit flows with extra delays and overheads.
pub fn random() -> impl Strategy<Value = Value> {
    (
        proptest::collection::vec((0usize..100, 0usize..6), 2..7),
        proptest::collection::vec((0usize..100, 0usize..100, 0usize..6), 0..3),
        prop_oneof![Just(8_000.0), Just(40_000.0)],
        4.0..20.0f64,
        0..ALGORITHMS.len(),
        proptest::collection::vec((0usize..100, 0usize..100, 0usize..3, 0usize..2), 0..4),
        proptest::collection::vec(0usize..4, 9),
    )
        .prop_map(|(parents, extra, speed, sources, algorithm_index, delays_and_overheads, back)| {
            let routers = parents.len() + 1;
            let mut links: Vec<(usize, usize, f64)> =
                parents.iter().enumerate().map(|(i, (p, d))| (p % (i + 1), i + 1, DELAYS[*d])).collect();
            for (a, b, d) in extra {
                let (a, b) = (a % routers, b % routers);
                if a != b && !links.iter().any(|l| (l.0.min(l.1), l.0.max(l.1)) == (a.min(b), a.max(b))) {
                    links.push((a, b, DELAYS[d]));
                }
            }
            let name = ALGORITHMS[algorithm_index].name;
            let mut topology = own(&links, routers);
            for (link, back) in topology["links"].as_array_mut().unwrap().iter_mut().zip(back) {
                if back > 0 {
                    link["cost_back"] = json!(back as f64);
                }
            }
            let scenario = with(
                abilene(),
                &[
                    ("topology", topology),
                    ("network.speed", json!(speed)),
                    ("network.buffer", segments(12.0)),
                    ("users.base_sources", json!(sources)),
                    ("users.think_time", json!(0.5)),
                    ("time", time(3.0, 1.0, 1)),
                    ("algorithms", both(name)),
                ],
            );
            with_flows(scenario, &delays_and_overheads)
        })
}

/// An algorithm for half of the sources, and standard TCP for the others.
fn both(name: &str) -> Value {
    if name == "tcp" {
        return json!([algorithm(name, 1.0)]);
    }
    json!([algorithm(name, 0.5), algorithm("tcp", 0.5)])
}

/// With explicit flows between hosts, given by any numbers: from, to, extra delay in 10 ms, overhead or none.
fn with_flows(scenario: Value, flows: &[(usize, usize, usize, usize)]) -> Value {
    let network = Network::build(&Scenario::from_json(&scenario.to_string()).unwrap()).unwrap();
    let hosts: Vec<&str> =
        network.access.iter().map(|r| network.topology.routers[*r].name.as_str()).collect();
    let flows: Value = flows
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
    with(scenario, &[("flows", flows)])
}
