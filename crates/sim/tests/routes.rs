//! Routes that change during a run: costs of links, and links that fail.

use crate::common::*;
use crate::engines::{agree, agree_in};
use crate::snapshots::continues_as;
use mesonet_cc::seconds;
use mesonet_sim::network::Network;
use mesonet_sim::{Engine, Scenario, Simulation};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Service of a segment at a port, s.
const SERVICE: f64 = 0.001;

fn change(time: f64, ends: [&str; 2], how: &str, value: Value) -> Value {
    let change =
        json!({"time": time, "router": null, "link": ends, "speed": null, "delay": null, "factor": null});
    let mut change = change;
    change[how] = value;
    change
}

/// Two ways from A to D: over B in 20 ms, and over C in 60 ms; ports take 1 ms for a segment.
fn two_ways(changes: &[Value], values: &[(&str, Value)]) -> Value {
    let router = |name: &str| json!({"name": name, "class": "plain", "speed_factor": 1.0});
    let link = |a: usize, b: usize, delay: f64, cost: f64| json!({"a": a, "b": b, "delay": delay, "cost": cost, "capacity": [12e6, 12e6]});
    let links = [link(0, 1, 0.01, 1.0), link(1, 3, 0.01, 1.0), link(0, 2, 0.03, 2.0), link(2, 3, 0.03, 2.0)];
    let topology = json!({"name": "two ways", "routers": (["A", "B", "C", "D"].map(router)), "links": links});
    let base = [
        ("topology", topology),
        ("network.queue", json!("port")),
        ("network.speed", json!(1_000_000_000.0)),
        ("network.buffer", segments(100.0)),
        ("network.changes", json!(changes)),
        ("connection.establish", json!(false)),
        ("flows", json!([flow("A", "D", 0.0)])),
        ("time", time(4.0, 0.0, 1)),
    ];
    with(with(dumbbell(), &base), values)
}

/// When the only segment of a flow that begins at `start` is acknowledged, after its start.
fn round_trip(start: f64, changes: &[Value], values: &[(&str, Value)]) -> f64 {
    let mut scenario = two_ways(changes, values);
    scenario["flows"][0]["start"] = json!(start);
    scenario["flows"][0]["size"] = json!(1.0);
    float(&run(&scenario, 1).take_flows(), "last_acked_s")[0] - start
}

/// Three routers: A - B directly, with the cost 1 from A and 100 from B, and both over C with 20 for each
/// link. Each link takes 15 ms.
fn two_costs(values: &[(&str, Value)]) -> Value {
    let router = |name: &str| json!({"name": name, "class": "plain", "speed_factor": 1.0});
    let link = |a: usize, b: usize, cost: f64, back: Value| json!({"a": a, "b": b, "delay": 0.015, "cost": cost, "cost_back": back, "capacity": [12e6, 12e6]});
    let links = [link(0, 1, 1.0, json!(100.0)), link(0, 2, 20.0, json!(null)), link(2, 1, 20.0, json!(20.0))];
    let topology = json!({"name": "two costs", "routers": (["A", "B", "C"].map(router)), "links": links});
    with(two_ways(&[], &[("topology", topology), ("flows", json!([flow("A", "B", 0.0)]))]), values)
}

/// A direction of a link has a cost of its own: data and acknowledgements each take the least cost of their
/// way.
#[test]
fn directions_of_a_link_have_their_own_costs() {
    let took = |from: &str, to: &str, values: &[(&str, Value)]| {
        let mut scenario = two_costs(values);
        scenario["flows"] = json!([with(flow(from, to, 0.0), &[("size", json!(1.0))])]);
        float(&run(&scenario, 1).take_flows(), "last_acked_s")[0]
    };
    let queued = [("network.ack_path", json!("queued")), ("network.ack_bytes", json!(1500.0))];
    let direction = [
        ("network.ack_path", json!("direction")),
        ("network.queue", json!("router")),
        ("network.speed", json!(1000.0)),
    ];
    // Directly there, and over C back; the other flow takes these ways in the other order.
    close(took("A", "B", &[]), 0.045 + SERVICE);
    close(took("B", "A", &[]), 0.045 + 2.0 * SERVICE);
    for (from, to) in [("A", "B"), ("B", "A")] {
        close(took(from, to, &queued), 0.045 + 3.0 * SERVICE);
        close(took(from, to, &direction), 0.045 + 5.0 * SERVICE);
    }
    // A change of the cost holds for both directions.
    let cheap = [("network.changes", json!([change(1.0, ["B", "A"], "cost", json!(1.0))]))];
    let network = Network::build(&Scenario::from_json(&two_costs(&cheap).to_string()).unwrap()).unwrap();
    let round_trip = |from: usize, to: usize, now| seconds(network.round_trip_at(from, to, now));
    for (from, to) in [(0, 1), (1, 0)] {
        close(round_trip(from, to, 0), 0.045);
        close(round_trip(from, to, 2_000_000_000_000), 0.03);
    }
    let described = network.describe(&Scenario::from_json(&two_costs(&cheap).to_string()).unwrap());
    close(described.max_rtt, 0.045);
    assert_eq!(described.longest_paths, [["A".to_string(), "B".to_string()]]);
    // From B to A only.
    assert_eq!(described.routes[0].paths, 1);
}

/// Routers of one queue serve data of some flows and acknowledgements of others: loads follow both
/// directions.
#[test]
fn loads_of_acknowledgements_follow_their_own_costs() {
    let loads = |queue: &str| {
        let values = [
            ("network.ack_path", json!("queued")),
            ("network.queue", json!(queue)),
            ("network.speed", json!(1000.0)),
            ("network.ack_bytes", json!(1500.0)),
            ("flows", json!([])),
            ("arrivals", json!([arrivals(json!(["A"]), json!(["B"]), 5.0)])),
        ];
        let scenario = Scenario::from_json(&two_costs(&values).to_string()).unwrap();
        let network = Network::build(&scenario).unwrap();
        let loads = network.load().offered_loads(&scenario, &network.speeds);
        (0..loads.len())
            .filter(|queue| loads[*queue] > 0.0)
            .map(|queue| (network.queues.name(queue, &network.topology), (loads[queue] * 1e6).round() / 1e6))
            .collect::<Vec<_>>()
    };
    let expected =
        |names: &[(&str, f64)]| names.iter().map(|(n, load)| (n.to_string(), *load)).collect::<Vec<_>>();
    assert_eq!(loads("router"), expected(&[("A", 0.6), ("B", 0.6), ("C", 0.3)]));
    assert_eq!(
        loads("port"),
        expected(&[
            ("A -> B", 0.3),
            ("B -> C", 0.3),
            ("C -> A", 0.3),
            ("A -> hosts", 0.3),
            ("B -> hosts", 0.3)
        ])
    );
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6, "{found} in place of {expected}");
}

/// A segment takes the routes in force when it reaches a router; what has left a router stays on its link.
#[test]
fn segments_follow_the_routes_in_force() {
    let longer = change(1.0, ["A", "B"], "cost", json!(10.0));
    let back = change(2.0, ["A", "B"], "cost", json!(1.0));
    let both = [longer.clone(), back];
    close(round_trip(0.5, &both, &[]), 0.04 + 2.0 * SERVICE);
    close(round_trip(1.5, &both, &[]), 0.12 + 2.0 * SERVICE);
    close(round_trip(2.5, &both, &[]), 0.04 + 2.0 * SERVICE);
    // On its way over B when the route over C becomes cheaper: it arrives over B. Its acknowledgement takes
    // the new route.
    close(round_trip(0.999, &[longer], &[]), 0.02 + 0.06 + 2.0 * SERVICE);
    // On its way to B when the link after B fails: from B back over A and C.
    let fails = change(1.0, ["B", "D"], "state", json!("down"));
    close(round_trip(0.995, std::slice::from_ref(&fails), &[]), 0.01 + 0.01 + 0.06 + 0.06 + 4.0 * SERVICE);
    let returns = change(2.0, ["D", "B"], "state", json!("up"));
    close(round_trip(2.5, &[fails, returns], &[]), 0.04 + 2.0 * SERVICE);
}

/// Acknowledgements that pass routers follow the routes, too.
#[test]
fn queued_acknowledgements_follow_the_routes() {
    let longer = change(1.0, ["A", "B"], "cost", json!(10.0));
    let acks = [("network.ack_path", json!("queued")), ("network.ack_bytes", json!(1500.0))];
    close(round_trip(0.5, std::slice::from_ref(&longer), &acks), 0.04 + 4.0 * SERVICE);
    close(round_trip(1.5, std::slice::from_ref(&longer), &acks), 0.12 + 4.0 * SERVICE);
    let direction = [
        ("network.ack_path", json!("direction")),
        ("network.queue", json!("router")),
        ("network.speed", json!(1000.0)),
    ];
    close(round_trip(0.5, std::slice::from_ref(&longer), &direction), 0.04 + 6.0 * SERVICE);
    close(round_trip(1.5, std::slice::from_ref(&longer), &direction), 0.12 + 6.0 * SERVICE);
    close(round_trip(0.999, &[longer], &direction), 0.02 + 0.06 + 6.0 * SERVICE);
}

/// A segment that leaves for a link while it is down is lost; a segment that had left arrives.
#[test]
fn a_link_that_fails_loses_what_leaves_for_it() {
    let lost = |time: f64| {
        let mut scenario = two_ways(&[change(time, ["B", "D"], "state", json!("down"))], &[]);
        scenario["flows"][0]["size"] = json!(10.0);
        let scenario = with(scenario, &[("transport.initial_window", json!(10.0))]);
        let run = run(&scenario, 1);
        let counters = run.counters();
        assert_eq!(counters.lost_on_links, counters.dropped);
        assert_eq!(counters.completed, 1);
        counters.lost_on_links
    };
    // Ten segments leave A from 1 ms on, one each millisecond, and B 11 ms later. Down after the fourth has
    // left B: the fifth was in service there, and the others come over A and C.
    assert_eq!(lost(0.0155), 1);
    assert_eq!(lost(0.1), 0);
}

/// A route with another bottleneck: what a flow receives follows the port of the route.
#[test]
fn another_route_has_another_bottleneck() {
    let changes = [change(20.0, ["A", "B"], "cost", json!(10.0))];
    let mut scenario =
        two_ways(&changes, &[("time", time(40.0, 0.0, 2)), ("network.buffer", segments(1000.0))]);
    scenario["topology"]["links"][3]["capacity"] = json!([1.2e6, 1.2e6]);
    let mut simulation = simulation(&scenario, 1);
    let mut leaving = |until: f64| {
        simulation.advance(until);
        simulation.counters().leaving
    };
    let (first, second, third) = (leaving(10.0), leaving(20.0), leaving(30.0));
    let fourth = leaving(40.0) - third;
    assert!((9_900..=10_010).contains(&(second - first)), "{}", second - first);
    assert!((980..=1010).contains(&fourth), "{fourth}");
}

#[test]
fn routes_that_do_not_exist_are_refused() {
    let down = |a, b| change(1.0, [a, b], "state", json!("down"));
    for (changes, path, words) in [
        (vec![down("A", "B"), down("C", "D")], "network.changes", "no way to each other: A - B, C - D down"),
        (vec![change(1.0, ["A", "D"], "cost", json!(1.0))], "network.changes[0].link", "no link between"),
        (vec![change(1.0, ["A", "B"], "cost", json!(-1.0))], "network.changes[0].cost", "at least 0"),
        (
            vec![with(down("A", "B"), &[("factor", json!(2.0))])],
            "network.changes[0]",
            "delay, factor, cost or state",
        ),
    ] {
        let refused = Scenario::from_json(&two_ways(&changes, &[]).to_string())
            .and_then(|scenario| Simulation::new(scenario, 1).map(|_| ()))
            .unwrap_err();
        assert!(refused.path == path && refused.message.contains(words), "{refused}");
    }
    let flaps: Vec<Value> = (1..300)
        .map(|n| change(0.01 * f64::from(n), ["A", "B"], "cost", json!(f64::from(n % 2) * 10.0)))
        .collect();
    let often = |size: f64| {
        let scenario = two_ways(&flaps, &[("network.buffer", segments(size)), ("time", time(500.0, 1.0, 1))])
            .to_string();
        Scenario::from_json(&scenario).and_then(|scenario| Simulation::new(scenario, 1).map(|_| ()))
    };
    assert!(often(10.0).is_ok());
    assert!(often(1000.0).unwrap_err().message.contains("routes change so often"));
    // A link may fail as soon as another one is back.
    let turns = [
        down("A", "B"),
        change(2.0, ["A", "B"], "state", json!("up")),
        change(2.0, ["A", "C"], "state", json!("down")),
    ];
    assert!(run(&two_ways(&turns, &[]), 1).counters().leaving > 0);
}

/// Abilene with links that fail and costs that change, as often as the run allows.
fn flapping(path: &str, queue: &str, discipline: &str) -> Value {
    let state = |time: f64, ends: [&str; 2], word: &str| change(time, ends, "state", json!(word));
    let changes = [
        state(1.0, ["A", "B"], "down"),
        change(1.5, ["C", "F"], "cost", json!(100.0)),
        state(2.0, ["A", "B"], "up"),
        state(2.5, ["F", "I"], "down"),
        change(3.0, ["B", "C"], "delay", json!(0.02)),
        state(3.5, ["F", "I"], "up"),
    ];
    with(
        abilene(),
        &[
            ("users.base_sources", json!(4.0)),
            ("network.speed", json!(8_000.0)),
            ("network.queue", json!(queue)),
            ("network.buffer", segments(20.0)),
            ("network.ack_path", json!(path)),
            ("network.changes", json!(changes)),
            ("aqm.discipline", json!(discipline)),
            ("time", time(5.0, 1.0, 1)),
        ],
    )
}

#[test]
fn engines_agree_on_routes() {
    for (seed, path, queue, discipline) in [
        (1, "delay", "router", "drop_tail"),
        (2, "queued", "router", "drop_tail"),
        (3, "direction", "router", "drop_tail"),
        (4, "queued", "router", "codel"),
        (5, "queued", "port", "fq_codel"),
        (6, "delay", "port", "pie"),
    ] {
        let scenario = flapping(path, queue, discipline);
        let text = agree_in(&scenario, seed, 10);
        // From snapshots between two changes and at the instant of one, in a simulation that has not begun.
        for engine in [Engine::Reference, Engine::Domains] {
            continues_as(&scenario, seed, engine, 10, &text);
        }
    }
}

/// Links that change the order of segments, and of acknowledgements that pass routers and are dropped there.
#[test]
fn engines_agree_where_acknowledgements_overtake() {
    for path in QUEUED {
        let mut scenario = flapping(path, "router", "drop_tail");
        scenario["impairments"] = with(
            impairments(),
            &[
                ("loss", json!(0.01)),
                ("keep_order", json!(false)),
                ("late", json!(0.1)),
                ("late_by", json!(0.03)),
            ],
        );
        scenario["network"]["changes"].as_array_mut().unwrap().retain(|change| change["delay"].is_null());
        for (seed, receiver) in (1..).zip(receivers()) {
            let scenario = with(scenario.clone(), &receiver);
            assert!(run(&scenario, seed).counters().acks_dropped > 100);
            agree(&scenario, seed);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Round trips are sums over the cheapest ways of both directions, found here by comparing all ways.
    #[test]
    fn any_costs_by_direction(given in proptest::collection::vec((1u8..40, 1u8..40, 0u8..30, 0u8..30), 10)) {
        let n = 5;
        let pairs: Vec<(usize, usize)> = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).collect();
        let router = |r: usize| json!({"name": format!("R{r}"), "class": "plain", "speed_factor": null});
        let mut links = Vec::new();
        // Of the cheapest way from a to b the cost and the delay, ms; a delay below a cost of 1 makes no
        // ties.
        let mut best = vec![vec![(0.0, 0.0); n]; n];
        for ((a, b), (there, back, out, home)) in pairs.into_iter().zip(given) {
            let costs = [f64::from(there) + 1e-6 * f64::from(out), f64::from(back) + 1e-6 * f64::from(home)];
            links.push(json!({"a": a, "b": b, "delay": f64::from(out) / 1e3, "delay_back": f64::from(home) / 1e3,
                "cost": costs[0], "cost_back": costs[1]}));
            (best[a][b], best[b][a]) = ((costs[0], f64::from(out)), (costs[1], f64::from(home)));
        }
        for over in 0..n {
            for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))).filter(|(a, b)| a != b) {
                let sum = (best[a][over].0 + best[over][b].0, best[a][over].1 + best[over][b].1);
                if over != a && over != b && sum.0 < best[a][b].0 - 1e-9 {
                    best[a][b] = sum;
                }
            }
        }
        let topology = json!({"name": "any", "routers": (0..n).map(router).collect::<Vec<_>>(), "links": links});
        let scenario = Scenario::from_json(&with(dumbbell(), &[("topology", topology), ("flows", json!([]))]).to_string());
        let network = Network::build(&scenario.unwrap()).unwrap();
        for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))).filter(|(a, b)| a != b) {
            let found = seconds(network.round_trip(a, b)) * 1e3;
            prop_assert!((found - best[a][b].1 - best[b][a].1).abs() < 1e-6, "{} - {}: {}", a, b, found);
        }
    }

    /// All segments are accounted for and engines agree, whatever costs change.
    #[test]
    fn any_costs(costs in proptest::collection::vec((0.0..3.0, 0usize..5, 0.0..20.0), 1..10), queued: bool, seed: u32) {
        let links = [["A", "B"], ["A", "D"], ["B", "C"], ["F", "I"], ["C", "F"]];
        let changes: Vec<Value> = costs
            .into_iter()
            .map(|(time, link, cost): (f64, usize, f64)| change(time, links[link], "cost", json!(cost)))
            .collect();
        let mut scenario = flapping(if queued { "queued" } else { "delay" }, "router", "drop_tail");
        scenario["network"]["changes"] = json!(changes);
        let simulation = run(&scenario, 1);
        let (c, census) = (simulation.counters(), simulation.census());
        prop_assert_eq!(c.entering, c.leaving + c.dropped + census.queued + census.in_flight);
        agree(&scenario, u64::from(seed));
    }
}

/// Check says what each change of routes does: paths that change, and the load on the routes from then on.
#[test]
fn loads_of_other_routes_are_known_before_the_run() {
    let changes = [change(1.0, ["A", "B"], "cost", json!(10.0)), change(2.0, ["A", "B"], "cost", json!(1.0))];
    let mut scenario = two_ways(&changes, &[("flows", json!([]))]);
    scenario["topology"]["links"][3]["capacity"] = json!([1.2e6, 12e6]);
    // 5 flows of 60 segments a second from A to D.
    scenario["arrivals"] = json!([arrivals(json!(["A"]), json!(["D"]), 5.0)]);
    let scenario = Scenario::from_json(&scenario.to_string()).unwrap();
    let network = mesonet_sim::network::Network::build(&scenario).unwrap();
    let [longer, back] = &network.describe(&scenario).routes[..] else { panic!("two changes") };
    // Between A and B, A and D, and B and C, which went over A, in both directions.
    assert_eq!((longer.time, longer.paths, longer.queue.as_str()), (1.0, 6, "C -> D"));
    assert!((longer.load - 3.0).abs() < 1e-9, "{}", longer.load);
    assert_eq!((back.time, back.paths, back.queue.as_str()), (2.0, 6, "A -> B"));
    assert!((back.load - 0.3).abs() < 1e-9, "{}", back.load);
}
