//! Queues at the ports of routers: each output serves bytes at the capacity of its link.

use crate::common::*;
use crate::{engines, snapshots};
use mesonet_sim::network::Network;
use mesonet_sim::{Engine, Scenario, Simulation};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The scenario with queues at ports.
fn at_ports(scenario: Value) -> Value {
    with(scenario, &[("network.queue", json!("port"))])
}

/// Bits of a data segment.
const BITS: f64 = 12_000.0;

/// A flow from A over M to B, whose links have these capacities, segments/s: there and back.
fn chain(there: f64, back: f64) -> Value {
    let router = |name: &str| json!({"name": name, "class": "plain", "speed_factor": 100.0});
    let routers = ["A", "M", "B"].map(router);
    let link = |a: usize, capacity: [f64; 2]| json!({"a": a, "b": a + 1, "delay": 0.01, "cost": 1.0, "capacity": capacity.map(|rate| rate * BITS)});
    with(
        at_ports(dumbbell()),
        &[
            (
                "topology",
                json!({
                    "name": "chain",
                    "routers": routers,
                    "links": [link(0, [10_000.0, 10_000.0]), link(1, [there, back])],
                }),
            ),
            ("network.speed", json!(1_000.0)),
            ("network.buffer", segments(50.0)),
            ("time", time(60.0, 20.0, 1)),
        ],
    )
}

fn built(scenario: &Value) -> Network {
    Network::build(&Scenario::from_json(&scenario.to_string()).unwrap()).unwrap()
}

fn refusal(scenario: &Value) -> String {
    Scenario::from_json(&scenario.to_string())
        .and_then(|scenario| Simulation::new(scenario, 1).map(|_| ()))
        .unwrap_err()
        .to_string()
}

/// If each router has one busy output, its port serves as the router would: every number of every flow is the
/// same.
#[test]
fn one_busy_output_makes_a_port_of_the_router() {
    let scenario = with(
        dumbbell_of(&["tcp", "bic", "cubic"], 0.5),
        &[
            ("network.speed", json!(2_000.0)),
            ("network.buffer", segments(60.0)),
            ("time", time(60.0, 10.0, 1)),
        ],
    );
    let [of_routers, of_ports] = [scenario.clone(), at_ports(scenario)].map(|scenario| run(&scenario, 1));
    assert_eq!(of_routers.counters(), of_ports.counters());
    assert!(of_routers.counters().dropped > 100);
    assert_eq!(of_routers.responses().len(), of_ports.responses().len());
    for (a, b) in of_routers.responses().into_iter().zip(of_ports.responses()) {
        // Ports that carry nothing count as free places.
        let same = a.2 == b.2 || (a.2.is_nan() && b.2.is_nan()) || a.1.starts_with("buffer_use");
        assert!(same, "{a:?} {b:?}");
    }
    let [a, b] = [of_routers.routers(), of_ports.routers()];
    assert_eq!(texts(&b, "router")[..4], ["A -> B", "B -> A", "A -> hosts", "B -> hosts"]);
    for column in ["queue_mean", "utilisation", "loss_rate", "speed"] {
        let (routers, ports) = (float(&a, column), float(&b, column));
        assert_eq!([routers[0], routers[1]], [ports[0], ports[3]], "{column}");
    }
}

/// A round trip on an idle path is propagation and, at each port, the time that the link needs for the bytes.
#[test]
fn bytes_take_time() {
    let mut scenario = with(
        chain(1_000.0, 500.0),
        &[("network.ack_path", json!("queued")), ("network.ack_bytes", json!(75.0))],
    );
    scenario["flows"][0]["size"] = json!(1);
    let flows = run(&scenario, 1).take_flows();
    let round_trip = 1e3 * (float(&flows, "last_acked_s")[0] - float(&flows, "first_sent_s")[0]);
    // Data: .1 ms, 1 ms, and .01 ms to the hosts; a twentieth of 2 ms, of .1 ms and of .01 ms for the
    // acknowledgement.
    let expected = 40.0 + 0.1 + 1.0 + 0.01 + (2.0 + 0.1 + 0.01) / 20.0;
    assert!((round_trip - expected).abs() < 1e-6, "{round_trip}");
}

/// Acknowledgements fill a slow way back: one for each segment, 64 bytes for 1500.
#[test]
fn a_slow_way_back_limits_the_rate() {
    let rate = |back: f64, path: &str| {
        let scenario = with(chain(1_000.0, back), &[("network.ack_path", json!(path))]);
        response(&run(&scenario, 1), "segment_rate")
    };
    let full = rate(1_000.0, "queued");
    assert!((full - 1_000.0).abs() < 10.0, "{full}");
    assert!((rate(10.0, "delay") - full).abs() < 1.0, "acknowledgements that only take time");
    // 10 segments/s carry 234 acknowledgements/s; those that are dropped let more data through.
    let slow = run(&with(chain(1_000.0, 10.0), &[("network.ack_path", json!("queued"))]), 1);
    let back = slow.routers();
    let place = texts(&back, "router").iter().position(|name| name == "B -> M").unwrap();
    assert!(float(&back, "utilisation")[place] > 0.99);
    let acknowledged = integer(&back, "segments_accepted")[place] as f64 / 40.0;
    assert!((acknowledged / (10.0 * 1500.0 / 64.0) - 1.0).abs() < 0.05, "{acknowledged} a second");
}

/// A way back that carries 703 acknowledgements/s limits data to as many segments, unless every second one is
/// held back.
#[test]
fn delayed_acknowledgements_need_half_of_the_way_back() {
    let [each, second, _] = receivers().map(|receiver| {
        let scenario = with(chain(1_000.0, 30.0), &[("network.ack_path", json!("queued"))]);
        response(&run(&with(scenario, &receiver), 1), "segment_rate")
    });
    assert!((each / 703.0 - 1.0).abs() < 0.01 && (second / 1_000.0 - 1.0).abs() < 0.02, "{each} {second}");
}

/// The two directions of a link do not share a buffer or a server.
#[test]
fn directions_are_apart() {
    let mut scenario = chain(1_000.0, 1_000.0);
    scenario["flows"] = json!([flow("A", "B", 0.0), flow("B", "A", 0.0)]);
    let rate = response(&run(&scenario, 1), "segment_rate");
    assert!((rate - 2_000.0).abs() < 40.0, "{rate}");
    scenario["network"]["queue"] = json!("router");
    scenario["topology"]["routers"][1]["speed_factor"] = json!(1.0);
    let shared = response(&run(&scenario, 1), "segment_rate");
    assert!((shared - 1_000.0).abs() < 40.0, "{shared}");
}

/// Buffers by the rate of each port; capacities that are missing follow from the slower router.
#[test]
fn capacities_and_buffers_are_those_of_the_links() {
    let speed = |network: &Network, name: &str| {
        let queue = (0..network.queues.count()).find(|q| network.queues.name(*q, &network.topology) == name);
        (network.speeds[queue.unwrap()], network.buffers[queue.unwrap()])
    };
    let buffer = |rule: &str, factor: f64| [("network.buffer", json!({"rule": rule, "factor": factor}))];
    let network = built(&with(chain(3_000.0, 400.0), &buffer("time", 0.1)));
    assert_eq!(speed(&network, "M -> B"), (3_000.0, 300));
    assert_eq!(speed(&network, "B -> M"), (400.0, 40));
    assert_eq!(speed(&network, "B -> hosts"), (100_000.0, 10_000));
    let doubled = with(chain(3_000.0, 400.0), &[("network.capacity_factor", json!(2.0))]);
    assert_eq!(speed(&built(&doubled), "B -> M").0, 800.0);
    // Propagation is 40 ms on this path, and 20 ms on each link between neighbours.
    let network = built(&with(chain(3_000.0, 400.0), &buffer("bdp", 1.0)));
    let mean = network.mean_round_trip();
    assert_eq!(speed(&network, "M -> B").1, (3_000.0 * mean).round() as u64);
    let tiers = built(&at_ports(abilene()));
    let slower = |name: &str| speed(&tiers, name).0 / 80_000.0;
    assert_eq!(slower("A -> B"), 2.0);
    assert_eq!([slower("A -> A1"), slower("A1 -> A")], [0.25, 0.25]);
    assert_eq!([slower("A1 -> A1a"), slower("A1a -> A1"), slower("A1a -> hosts")], [0.05, 0.05, 0.05]);
}

/// Ports of plain routers towards hosts keep up with the links into the router, unless it has a speed of its
/// own. A note has what is raised.
#[test]
fn ports_towards_hosts_keep_up_with_links() {
    let hosts = |scenario: &Value| {
        let network = built(scenario);
        let queue = (0..network.queues.count())
            .find(|q| network.queues.name(*q, &network.topology) == "B -> hosts")
            .expect("a port");
        let notes = network.describe(&Scenario::from_json(&scenario.to_string()).unwrap()).raised;
        (network.speeds[queue], notes)
    };
    let mut scenario = chain(3_000.0, 400.0);
    assert_eq!(hosts(&scenario), (100_000.0, vec![]));
    for router in scenario["topology"]["routers"].as_array_mut().unwrap() {
        router.as_object_mut().unwrap().remove("speed_factor");
    }
    let (speed, notes) = hosts(&scenario);
    assert_eq!(speed, 3_000.0);
    assert!(notes[0].starts_with("3 ports towards hosts serve faster than network.speed"), "{notes:?}");
    let fast = with(scenario, &[("network.speed", json!(5_000.0))]);
    assert_eq!(hosts(&fast).0, 5_000.0);
}

/// Buffers in segments and in time are as given; only products of rate and delay have a floor, with a note.
#[test]
fn the_floor_holds_for_products_of_rate_and_delay() {
    let buffers = |rule: &str, factor: f64, own: Value| {
        let mut scenario =
            with(chain(3_000.0, 400.0), &[("network.buffer", json!({"rule": rule, "factor": factor}))]);
        scenario["topology"]["links"][1]["buffer"] = own;
        let network = built(&scenario);
        let notes = network.describe(&Scenario::from_json(&scenario.to_string()).unwrap()).raised;
        let queue = (0..network.queues.count())
            .find(|q| network.queues.name(*q, &network.topology) == "M -> B")
            .expect("a port");
        (network.buffers[queue], notes.into_iter().next().unwrap_or_default())
    };
    assert_eq!(buffers("segments", 2.0, json!(null)), (2, String::new()));
    assert_eq!(buffers("time", 0.001, json!(null)).0, 3);
    assert_eq!(buffers("bdp", 1.0, json!([0.002, null])).0, 6);
    let (raised, note) = buffers("bdp", 0.005, json!(null));
    assert_eq!(raised, 8);
    assert!(note.starts_with("network.buffer_floor raises the buffers of"), "{note}");
    let (raised, note) = buffers("time", 0.0001, json!(null));
    assert_eq!(raised, 1);
    assert!(note.contains("the smallest buffer, a segment"), "{note}");
}

/// Each direction of a link has its delay and its buffer. The round trip is the sum of both ways, whichever
/// way a flow goes, and a change by a factor keeps their ratio.
#[test]
fn directions_have_delays_and_buffers_of_their_own() {
    let mut scenario = chain(3_000.0, 400.0);
    scenario["topology"]["links"][1]["delay_back"] = json!(0.07);
    scenario["topology"]["links"][0]["buffer"] = json!([null, 0.5]);
    let changed = |time: f64, key: &str, value: f64| {
        let mut change = json!({"time": time, "router": null, "link": ["M", "B"], "speed": null, "delay": null, "factor": null});
        change[key] = json!(value);
        change
    };
    scenario["network"]["changes"] = json!([changed(40.0, "factor", 0.5), changed(50.0, "delay", 0.02)]);
    let network = built(&scenario);
    let rtt = |source: usize, receiver: usize, at: u64| {
        network.round_trip_at(source, receiver, at * mesonet_cc::SECOND) as f64 / 1e12
    };
    for (at, expected) in [(0, 0.1), (45, 0.06), (55, 0.06)] {
        assert_eq!([rtt(0, 2, at), rtt(2, 0, at)], [expected; 2], "{at} s");
    }
    assert!((network.mean_round_trip() - (0.02 + 0.08 + 0.1) / 3.0).abs() < 1e-12);
    let buffer = |name: &str| {
        let queue = (0..network.queues.count()).find(|q| network.queues.name(*q, &network.topology) == name);
        network.buffers[queue.unwrap()]
    };
    assert_eq!(["A -> M", "M -> A", "M -> B"].map(buffer), [50, 5_000, 50]);
    for path in ["delay", "queued"] {
        let measured = |from: &str, to: &str| {
            let mut one =
                with(scenario.clone(), &[("network.ack_path", json!(path)), ("network.changes", json!([]))]);
            (one["flows"][0]["from"], one["flows"][0]["to"]) = (json!(from), json!(to));
            one["flows"][0]["size"] = json!(1);
            let mut simulation = simulation(&one, 1);
            while simulation.counters().completed == 0 {
                assert!(simulation.step(u64::MAX));
            }
            simulation.time()
        };
        // SYN and data take a round trip each; services are 2 ms at most each way.
        for ends in [["A", "B"], ["B", "A"]] {
            let took = measured(ends[0], ends[1]);
            assert!((0.2..0.22).contains(&took), "{path} {ends:?}: {took} s");
        }
    }
}

/// Offered loads are utilisations of an uncongested network, acknowledgements by their bytes included.
#[test]
fn offered_loads_are_utilisations() {
    let mut back = Vec::new();
    for path in ["delay", "queued"] {
        let scenario = with(
            at_ports(abilene()),
            &[
                ("network.ack_path", json!(path)),
                ("network.ack_bytes", json!(700.0)),
                ("users.base_sources", json!(5.0)),
                ("users.size_shape", json!(3.0)),
                ("users.start", json!("thinking")),
                ("time", time(40.0, 10.0, 1)),
            ],
        );
        let network = built(&scenario);
        let given = Scenario::from_json(&scenario.to_string()).unwrap();
        let offered = network.load().offered_loads(&given, &network.speeds);
        let ports = run(&scenario, 1).routers();
        let (names, found) = (texts(&ports, "router"), float(&ports, "utilisation"));
        for kind in [" -> hosts", " -> A", " -> K"] {
            let of: Vec<usize> = (0..offered.len()).filter(|queue| names[*queue].contains(kind)).collect();
            let sum = |values: &[f64]| of.iter().map(|queue| values[*queue]).sum::<f64>();
            let ratio = sum(found) / sum(&offered);
            assert!((ratio - 1.0).abs() < 0.15, "{path}{kind}: {ratio}");
        }
        back.push(offered[names.iter().position(|name| name == "A1a -> A1").unwrap()]);
    }
    assert!(back[1] > back[0], "{back:?}");
}

/// sent = delivered + dropped + queued + in flight, in overload.
#[test]
fn segments_are_conserved() {
    for path in ["delay", "queued"] {
        let scenario = with(
            at_ports(abilene()),
            &[
                ("users.base_sources", json!(20.0)),
                ("network.speed", json!(20_000.0)),
                ("network.ack_path", json!(path)),
            ],
        );
        let mut simulation = simulation(&scenario, 5);
        for step in 1..=40 {
            simulation.advance(f64::from(step) * 0.25);
            let (c, census) = (simulation.counters(), simulation.census());
            assert_eq!(c.entering, c.leaving + c.dropped + census.queued + census.in_flight, "step {step}");
        }
        assert!(simulation.counters().dropped > 1000);
    }
}

/// A flow of small segments beside one of large ones: the port serves bytes, so that each segment takes its
/// own time, and FQ-CoDel shares bytes.
#[test]
fn flows_have_segments_of_their_own_size() {
    for discipline in ["drop_tail", "codel", "fq_codel"] {
        let mut scenario = with(
            chain(1_000.0, 1_000.0),
            &[("aqm.discipline", json!(discipline)), ("measurement.interval", json!(0.2))],
        );
        let mut small = flow("A", "B", 0.5);
        small["segment_bytes"] = json!(300.0);
        scenario["flows"].as_array_mut().unwrap().push(small);
        let mut simulation = run(&scenario, 1);
        let series = simulation.take_series();
        let rate = |number: usize| {
            let column = integer(&series, &format!("flow_{number}_delivered"));
            (column[299] - column[99]) as f64 / 40.0
        };
        let bits = BITS * rate(1) + BITS / 5.0 * rate(2);
        assert!((0.9..1.001).contains(&(bits / (1_000.0 * BITS))), "{discipline}: {} {}", rate(1), rate(2));
        if discipline == "fq_codel" {
            assert!((4.0..5.5).contains(&(rate(2) / rate(1))), "{} {}", rate(1), rate(2));
        }
        let utilisation = of_router(&simulation, "M -> B", "utilisation");
        assert!((utilisation - bits / (1_000.0 * BITS)).abs() < 0.01, "{discipline}: {utilisation}");
    }
    let alone = |bytes: Option<f64>| {
        let mut scenario = chain(1_000.0, 1_000.0);
        scenario["flows"][0]["segment_bytes"] = json!(bytes);
        run(&scenario, 1).counters()
    };
    assert_eq!(alone(Some(1500.0)), alone(None), "the same size, from the same place");
    // A threshold that no queue reaches: an empty one is below it, whatever the size.
    let mut far = with(chain(1_000.0, 1_000.0), &[("network.ecn_threshold", json!(1000.0))]);
    far["flows"][0]["segment_bytes"] = json!(300.0);
    assert_eq!(run(&far, 1).counters().marked, 0);
}

/// A buffer of packets holds as many small ones as large ones; without small ones it is what a buffer of
/// bytes is.
#[test]
fn buffers_count_bytes_or_packets() {
    let run_with = |counts: &str, size: Option<f64>| {
        let mut scenario = with(chain(1_000.0, 1_000.0), &[("network.buffer_counts", json!(counts))]);
        let mut second = flow("A", "B", 0.5);
        second["segment_bytes"] = json!(size);
        scenario["flows"].as_array_mut().unwrap().push(second);
        run(&scenario, 1)
    };
    let [bytes, packets] = ["bytes", "packets"].map(|counts| run_with(counts, None).counters());
    assert!(bytes.dropped > 50);
    // A segment that arrives at the instant at which another one leaves finds its place taken where segments
    // are held.
    assert!((packets.dropped as f64 / bytes.dropped as f64 - 1.0).abs() < 0.05, "{packets:?} {bytes:?}");
    assert!((packets.delivered as f64 / bytes.delivered as f64 - 1.0).abs() < 0.01, "{packets:?} {bytes:?}");
    // Small segments beside large ones: 50 packets last less than 50 large segments.
    let longest = |counts: &str| of_router(&run_with(counts, Some(150.0)), "M -> B", "queue_max");
    let [bytes, packets] = ["bytes", "packets"].map(longest);
    assert!(bytes >= 50.0 && packets == 51.0, "{bytes} {packets}");
    let mean = |counts: &str| of_router(&run_with(counts, Some(150.0)), "M -> B", "loss_rate");
    assert!(mean("packets") > 1.5 * mean("bytes"), "{} {}", mean("packets"), mean("bytes"));
}

/// Random capacities of the links of a random network.
fn random_ports() -> impl Strategy<Value = Value> {
    let capacities = proptest::collection::vec(proptest::option::of((0usize..4, 0usize..4)), 12);
    let transports = (0..recoveries().len(), 0..receivers().len());
    (networks::random(), capacities, 0usize..3, transports, any::<bool>()).prop_map(
        |(scenario, capacities, acks, (recovery, receiver), packets)| {
            let scenario = with(at_ports(scenario), &recoveries()[recovery]);
            let mut scenario = with(scenario, &receivers()[receiver]);
            let rates = [800.0, 4_000.0, 8_000.0, 80_000.0];
            for (link, capacity) in
                scenario["topology"]["links"].as_array_mut().unwrap().iter_mut().zip(capacities)
            {
                link["capacity"] =
                    json!(capacity.map(|(there, back)| [rates[there] * BITS, rates[back] * BITS]));
                link["delay_back"] = json!(capacity.map(|(there, back)| 0.003 * (there + back) as f64));
                link["buffer"] = json!(capacity.map(|(there, _)| [None, Some(0.01 * there as f64)]));
            }
            for (number, flow) in scenario["flows"].as_array_mut().unwrap().iter_mut().enumerate() {
                flow["segment_bytes"] = json!([None, Some(500.0), Some(9000.0)][number % 3]);
            }
            let (path, bytes) = [("delay", 64.0), ("queued", 64.0), ("queued", 1500.0)][acks];
            let counts = json!(if packets { "packets" } else { "bytes" });
            let values = [
                ("network.ack_path", json!(path)),
                ("network.ack_bytes", json!(bytes)),
                ("network.buffer_counts", counts),
            ];
            with(scenario, &values)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, ..ProptestConfig::default() })]

    #[test]
    fn all_engines_agree(scenario in random_ports(), seed: u32) {
        engines::agree(&scenario, u64::from(seed));
    }

    #[test]
    fn a_run_goes_on_from_a_snapshot(scenario in random_ports(), seed: u32) {
        snapshots::continues(&scenario, u64::from(seed), Engine::Domains, 3);
        snapshots::continues(&scenario, u64::from(seed), Engine::Reference, 2);
    }
}

#[test]
fn what_ports_do_not_do_is_refused() {
    let mut sized = with(chain(1_000.0, 1_000.0), &[("network.queue", json!("router"))]);
    sized["flows"][0]["segment_bytes"] = json!(500.0);
    assert_eq!(
        refusal(&sized),
        "flows[0].segment_bytes: segments have no size where a router has one queue; allowed with network.queue = port"
    );
    let refused = refusal(&with(chain(2e7, 400.0), &[("network.capacity_factor", json!(1e6))]));
    assert!(refused.starts_with("network.capacity_factor: M -> B ") && refused.contains("1 ps"), "{refused}");
    let mut fast =
        with(chain(1e3, 1e3), &[("network.speed", json!(1e9)), ("network.capacity_factor", json!(2.0))]);
    fast["topology"]["routers"][0]["speed_factor"] = json!(1e4);
    let refused = refusal(&fast);
    assert!(refused.starts_with("network.speed: ") && refused.contains("1 ps"), "{refused}");
    let refused = refusal(&with(chain(1e3, 1e3), &[("network.ack_path", json!("direction"))]));
    assert!(refused.starts_with("network.ack_path: "), "{refused}");
    let change =
        json!([{"time": 1.0, "router": "A", "link": null, "speed": null, "delay": null, "factor": 2.0}]);
    let refused = refusal(&with(chain(1e3, 1e3), &[("network.changes", change)]));
    assert!(refused.starts_with("network.changes[0].router: "), "{refused}");
    let counting = |path: &str, value: Value| {
        let packets = ("network.buffer_counts", json!("packets"));
        refusal(&with(chain(1e3, 1e3), &[packets, (path, value)]))
    };
    for (path, value) in [
        ("network.queue", json!("router")),
        ("network.ecn_threshold", json!(10.0)),
        ("aqm.discipline", json!("pie")),
    ] {
        let refused = counting(path, value);
        assert!(refused.starts_with("network.buffer_counts: \"packets\""), "{refused}");
    }
    for capacity in [[0.0, 1e9], [1e9, -1.0], [1e9, 1e14]] {
        let mut scenario = chain(1e3, 1e3);
        scenario["topology"]["links"][1]["capacity"] = json!(capacity);
        let refused = refusal(&scenario);
        assert!(refused.starts_with("topology.links[1].capacity: "), "{refused}");
    }
}
