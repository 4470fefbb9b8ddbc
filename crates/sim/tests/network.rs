//! The four-tier network against published arithmetic and against laws that hold whatever the traffic.

use crate::common::*;
use mesonet_cc::SECOND;
use mesonet_sim::Scenario;
use mesonet_sim::network::{Domains, Network, RouterClass};
use mesonet_sim::simulation::Census;
use serde_json::{Value, json};

fn network(scenario: &Value) -> (Network, Scenario) {
    let scenario = Scenario::from_json(&scenario.to_string()).unwrap();
    (Network::build(&scenario).unwrap(), scenario)
}

/// Published counts and path statistics of Abilene (ASME paper, section 5.3; SP 500-282 ch. 9).
#[test]
fn abilene_has_the_published_shape() {
    let (network, scenario) = network(&with(abilene(), &[("users.base_sources", json!(1000.0))]));
    let d = network.describe(&scenario);
    let count = |class: &str| d.classes.iter().find(|c| c.class == class).unwrap().routers;
    assert_eq!(
        ["backbone", "pop", "direct access", "fast access", "normal access"].map(count),
        [11, 22, 6, 28, 105]
    );
    assert_eq!(d.paths, 110);
    // 193 routers over 55 pairs: 3.509, published 3.51.
    assert!((d.mean_routers_per_path - 193.0 / 55.0).abs() < 1e-12);
    assert!((d.mean_hops - 9.43).abs() < 0.001, "{}", d.mean_hops);
    assert!((d.mean_rtt - 0.040_69).abs() < 5e-6, "{}", d.mean_rtt);
    // Published 200 ms at X2 = 2; the great-circle map gives 170 (the original delays are not published).
    assert!((d.max_rtt - 0.0851).abs() < 1e-4, "{}", d.max_rtt);
}

#[test]
fn places_are_points_of_presence_then_backbone_routers_then_the_router_itself() {
    let place = |network: &Network, name: &str| {
        let access = network.access_router(name).index();
        network.topology.routers[network.places()[access]].name.clone()
    };
    let (backbone, _) = network(&abilene());
    assert_eq!(["A1a", "A2b"].map(|name| place(&backbone, name)), ["A1", "A2"]);
    for (access, router) in backbone.places().into_iter().enumerate() {
        let wanted = match backbone.class_of(access) {
            RouterClass::Direct => RouterClass::Backbone,
            _ => RouterClass::Pop,
        };
        let router = &backbone.topology.routers[router];
        assert_eq!((router.class, router.region), (wanted, backbone.region_of(access)));
    }
    let (line, _) = network(&with(abilene(), &[("topology", json!("parking-lot"))]));
    assert_eq!(["A", "C"].map(|name| place(&line, name)), ["A", "C"]);
}

/// Servers are no homes, users are counted once, and a flow with an algorithm of its own is of no unit.
#[test]
fn units_are_counted_where_they_take_their_algorithm() {
    let mut scenario =
        with(abilene(), &[("topology", json!("dumbbell")), ("users.base_sources", json!(0.0))]);
    let to = |user: Option<&str>, algorithm: Option<&str>| {
        let mut flow = flow("A", "B", 0.0);
        flow["user"] = json!(user);
        flow["algorithm"] = json!(algorithm);
        flow
    };
    scenario["flows"] =
        json!([to(Some("one"), None), to(Some("one"), None), to(None, None), to(None, Some("tcp"))]);
    for (unit, wanted) in [("user", [0.0, 2.0]), ("flow", [0.0, 3.0]), ("home", [0.0, 1.0])] {
        scenario["users"]["assignment"] = json!(unit);
        let (network, scenario) = network(&scenario);
        let map = network.describe(&scenario).map;
        let at = |name: &str| map.routers.iter().find(|router| router.name == name).unwrap();
        assert_eq!(["A", "B"].map(|name| at(name).units), wanted, "{unit}");
        assert_eq!(at("A").place.map(|place| map.routers[place].name.as_str()), Some("A"));
    }
}

/// The name of a flow has room for 2^24 slots in a domain: those are its sources, not all sources of the
/// network.
#[test]
fn sources_are_limited_by_domain() {
    let (network, scenario) = network(&with(abilene(), &[("users.base_sources", json!(200_000.0))]));
    assert!(network.traffic.sources.iter().sum::<u64>() > 1 << 24);
    let check = |domains| mesonet_sim::simulation::check::check(&scenario, &network, &domains);
    check(Domains::of(&network)).unwrap();
    let message = check(Domains::one(&network)).unwrap_err().to_string();
    assert!(message.starts_with("users.base_sources: "), "{message}");
    assert!(message.contains("at most 16777216 sources in one domain"), "{message}");
}

/// Published counts of the ISP network (ASME paper, section 5.4). Its map is constructed: path lengths are
/// derived.
#[test]
fn isp_has_the_published_counts() {
    let (network, scenario) = network(&with(abilene(), &[("topology", json!("isp"))]));
    let d = network.describe(&scenario);
    let count = |class: &str| d.classes.iter().find(|c| c.class == class).unwrap().routers;
    assert_eq!(
        ["backbone", "pop", "direct access", "fast access", "normal access"].map(count),
        [16, 32, 8, 40, 122]
    );
    assert_eq!(d.paths, 240);
    assert_eq!(network.topology.links.len(), 24 + 32 + 170);
    // 2.97 links per path, mean and largest round trip 38.8 and 84.6 ms.
    assert!((d.mean_routers_per_path - 3.97).abs() < 0.005, "{}", d.mean_routers_per_path);
    assert!((d.mean_rtt - 0.0388).abs() < 5e-5, "{}", d.mean_rtt);
    assert!((d.max_rtt - 0.0846).abs() < 1e-4, "{}", d.max_rtt);
}

/// The load that users offer is the use of routers where there is room for it: with acknowledgements in the
/// queues it is twice as high.
#[test]
fn offered_loads_are_utilisations_of_an_uncongested_network() {
    let mut normal = Vec::new();
    for (path, factor) in [("delay", 1.0), ("queued", 2.0), ("direction", 1.0)] {
        let scenario = with(
            abilene(),
            &[
                ("network.ack_path", json!(path)),
                ("users.base_sources", json!(5.0)),
                ("users.size_shape", json!(3.0)),
                ("users.start", json!("thinking")),
                ("time", time(40.0, 10.0, 1)),
            ],
        );
        let (network, checked) = network(&scenario);
        let described = network.describe(&checked);
        let simulation = run(&scenario, 1);
        let table = simulation.routers();
        let (periods, classes) = (texts(&table, "period"), texts(&table, "class"));
        let used = float(&table, "utilisation");
        for class in described.classes {
            let of: Vec<f64> = (0..used.len())
                .filter(|i| periods[*i] == "measured" && classes[*i] == class.class)
                .map(|i| used[i])
                .collect();
            let mean = of.iter().sum::<f64>() / of.len() as f64;
            assert!(mean < 0.7 && class.load[1] >= class.load[0]);
            assert!(
                (class.load[0] / mean - 1.0).abs() < 0.1,
                "{path} {}: {:?} {mean}",
                class.class,
                class.load
            );
            if class.class == "normal access" {
                normal.push(class.load[0] / factor);
            }
        }
    }
    // Data and acknowledgements are summed over routes of their own.
    assert!(normal.iter().all(|load| (load / normal[0] - 1.0).abs() < 1e-12), "{normal:?}");
}

/// Source counts of six published settings (formula exact; two of the printed figures differ by up to 0.4 %).
#[test]
fn source_counts_follow_the_published_formula() {
    let web = json!([0.1, 0.6, 0.3]);
    let even = json!([1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]);
    for (base, multiplier, weights, expected) in [
        (1000.0, 2.0, &web, 174_600),
        (1000.0, 2.0, &even, 278_000),
        (100.0, 2.0, &even, 27_800),
        (100.0, 2.0, &web, 17_460),
        (1000.0, 3.0, &web, 261_900),
        (100.0, 3.0, &web, 26_190),
    ] {
        let scenario = with(
            abilene(),
            &[
                ("users.base_sources", json!(base)),
                ("users.source_multiplier", json!(multiplier)),
                ("users.source_distribution", weights.clone()),
            ],
        );
        let (network, scenario) = network(&scenario);
        assert_eq!(network.describe(&scenario).sources, expected);
    }
}

/// Speeds and buffers of SP 500-282 Tables 9-5 and 9-7 (X1 16000 and 8000 per ms, X2 1 and 2, X3 1 and 0.5).
#[test]
fn speeds_and_buffers_match_the_published_tables() {
    for (speed, delay, factor, backbone, pop) in [
        (8e6, 1.0, 1.0, 651e3, 81e3),
        (16e6, 2.0, 1.0, 2.604e6, 325e3),
        (8e6, 1.0, 0.5, 326e3, 41e3),
        (16e6, 2.0, 0.5, 1.302e6, 163e3),
    ] {
        let scenario = with(
            abilene(),
            &[
                ("network.speed", json!(speed)),
                ("network.delay_multiplier", json!(delay)),
                ("network.buffer", json!({"rule": "bdp", "factor": factor})),
            ],
        );
        let (network, scenario) = network(&scenario);
        let d = network.describe(&scenario);
        let class = |name: &str| d.classes.iter().find(|c| c.class == name).unwrap();
        // Printed in thousands, rounded or cut.
        let close = |a: u64, b: f64| (a as f64 - b).abs() < 600.0;
        assert!(close(class("backbone").buffer[0], backbone), "{:?}", class("backbone"));
        assert!(close(class("pop").buffer[0], pop), "{:?}", class("pop"));
        // 12,000 bit a segment: 192 and 384 Gbps, 24 and 48, 2.4 and 4.8, 4.8 and 9.6, 24 and 48.
        let gbps = |name: &str| class(name).speed * 12e3 / 1e9 / (speed / 8e6);
        let speeds = ["backbone", "pop", "normal access", "fast access", "direct access"].map(gbps);
        for (found, published) in speeds.into_iter().zip([192.0, 24.0, 2.4, 4.8, 24.0]) {
            assert!((found - published).abs() < 1e-9, "{found} against {published}");
        }
    }
}

/// With buffers of rtt x C / sqrt(n), n from the closed loop: larger where fewer flows cross.
#[test]
fn sqrt_rule_divides_by_the_root_of_the_expected_flows() {
    let rule = |name: &str| with(abilene(), &[("network.buffer", json!({"rule": name, "factor": 1.0}))]);
    let (full, scenario) = network(&with(rule("bdp"), &[("users.base_sources", json!(100.0))]));
    let (divided, _) = network(&with(rule("bdp_per_sqrt_n"), &[("users.base_sources", json!(100.0))]));
    let flows = full.load().expected_flows(&scenario);
    // Every flow crosses one source-side and one receiver-side access router, and all shares are fractions.
    let access: f64 = full.access.iter().map(|&r| full.load().flow_shares(false)[r]).sum();
    assert!((access - 2.0).abs() < 1e-9, "{access}");
    for (router, n) in flows.iter().enumerate() {
        let expected = (full.buffers[router] as f64 / n.max(1.0).sqrt()).max(8.0);
        assert!((divided.buffers[router] as f64 - expected).abs() <= 1.0);
    }
}

/// sent = delivered + dropped + queued + in flight, after every single event of a path with small buffers.
#[test]
fn segments_are_conserved_at_every_instant() {
    let flow = |start: f64, size: f64| {
        with(flow("A", "B", start), &[("size", json!(size)), ("interface", json!(8_000.0))])
    };
    let scenario = with(
        dumbbell(),
        &[
            ("network.speed", json!(500.0)),
            ("network.buffer", json!({"rule": "segments", "factor": 10.0})),
            ("flows", json!([flow(0.0, 3000.0), flow(0.1, 1000.0), flow(0.2, 50.0)])),
        ],
    );
    let mut simulation = simulation(&scenario, 1);
    let mut instants = 0;
    while simulation.step(20 * SECOND) {
        let (c, census) = (simulation.counters(), simulation.census());
        assert_eq!(
            c.entering,
            c.leaving + c.dropped + census.queued + census.in_flight,
            "instant {instants}"
        );
        instants += 1;
    }
    let c = simulation.counters();
    assert!(instants > 8_000 && c.dropped > 20 && c.completed == 3, "{instants} {c:?}");
    assert_eq!((c.delivered, simulation.census()), (4050, Census::default()));
}

/// Segments are conserved in the four-tier network, in overload and at light load, every 100 ms.
#[test]
fn segments_are_conserved_in_the_large() {
    for scenario in [
        with(abilene(), &[("users.base_sources", json!(20.0)), ("network.speed", json!(40_000.0))]),
        abilene(),
    ] {
        let mut simulation = simulation(&scenario, 5);
        for step in 1..=200 {
            simulation.advance(f64::from(step) * 0.1);
            let (c, census) = (simulation.counters(), simulation.census());
            assert_eq!(c.entering, c.leaving + c.dropped + census.queued + census.in_flight, "step {step}");
        }
        assert!(simulation.counters().leaving > 1000);
    }
}

/// Every data segment delivered belongs to a flow record, and drops are what routers say.
#[test]
fn flow_records_sum_to_the_counters() {
    let scenario =
        with(abilene(), &[("users.base_sources", json!(20.0)), ("network.speed", json!(40_000.0))]);
    let mut simulation = run(&scenario, 3);
    let flows = simulation.take_flows();
    let c = simulation.counters();
    assert_eq!(integer(&flows, "segments_delivered").iter().sum::<u64>(), c.delivered);
    assert_eq!(integer(&flows, "segments_sent").iter().sum::<u64>(), c.data_sent);
    assert_eq!(integer(&flows, "completed").iter().sum::<u64>(), c.completed);
    assert!(c.dropped > 1000 && c.completed > 1000, "{c:?}");
}

/// The closed loop of an uncongested network: sources / (think + connect + transfer) flows a second.
#[test]
fn uncongested_flow_rate_follows_the_think_time_law() {
    let scenario = with(
        abilene(),
        &[
            ("users.base_sources", json!(20.0)),
            ("network.speed", json!(8e6)),
            ("users.normal_interface", json!(8_000.0)),
            ("users.fast_interface", json!(80_000.0)),
            ("time", time(60.0, 10.0, 1)),
        ],
    );
    let mut simulation = run(&scenario, 1);
    let series = simulation.take_series();
    let time = float(&series, "time_s");
    let rows: Vec<usize> = (0..time.len()).filter(|&i| time[i] > 10.0).collect();
    let mean =
        |name: &str| rows.iter().map(|&i| integer(&series, name)[i] as f64).sum::<f64>() / rows.len() as f64;
    let sources = simulation.network().traffic.sources.iter().sum::<u64>() as f64;
    let rate = rows.iter().map(|&i| integer(&series, "flows_completed")[i]).sum::<u64>() as f64 / 50.0;
    // Little's law on the thinking sources: rate = thinking / think time.
    let thinking = sources - mean("connecting") - mean("sending");
    let expected = thinking / 2.0;
    // 70,000 completions; the rate of a renewal sum has a standard error below 0.5 %.
    assert!((rate / expected - 1.0).abs() < 0.015, "{rate} against {expected}");
    assert_eq!(response(&simulation, "loss_rate"), 0.0);
}
