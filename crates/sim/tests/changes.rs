//! Speeds and delays that change during a run.

use crate::common::*;
use crate::engines::agree;
use mesonet_sim::{Scenario, Simulation};
use proptest::prelude::*;
use serde_json::{Value, json};

fn change(time: f64, what: &[(&str, Value)]) -> Value {
    let change =
        json!({"time": time, "router": null, "link": null, "speed": null, "delay": null, "factor": null});
    with(change, what)
}

fn router(time: f64, name: &str, how: &str, value: f64) -> Value {
    change(time, &[("router", json!(name)), (how, json!(value))])
}

fn link(time: f64, ends: [&str; 2], how: &str, value: f64) -> Value {
    change(time, &[("link", json!(ends)), (how, json!(value))])
}

/// One flow that begins at once, on the dumbbell with 1000 segments/s and room for all.
fn path(changes: &[Value]) -> Value {
    with(
        dumbbell(),
        &[
            ("network.speed", json!(1000.0)),
            ("network.buffer", segments(2000.0)),
            ("network.changes", json!(changes)),
            ("connection.establish", json!(false)),
            ("measurement.interval", json!(0.01)),
            ("time", time(20.0, 0.0, 1)),
        ],
    )
}

/// When the last of `size` segments that leave at once is acknowledged.
fn end(size: f64, changes: &[Value]) -> f64 {
    let mut scenario = with(path(changes), &[("transport.initial_window", json!(size))]);
    scenario["flows"][0]["size"] = json!(size);
    float(&run(&scenario, 1).take_flows(), "last_acked_s")[0]
}

/// A delay that shrinks, then another change: segments sent under the longer delay stay in flight, data in
/// the first pair, acknowledgements in the second.
#[test]
fn what_has_left_is_not_moved_by_a_second_change() {
    let sooner = link(0.02, ["A", "B"], "delay", 0.008);
    let once = end(10.0, std::slice::from_ref(&sooner));
    let twice = end(10.0, &[sooner, router(0.025, "A", "factor", 0.1)]);
    assert!((once - twice).abs() < 1e-9, "{once} and {twice}");
    let undisturbed = end(10.0, &[]);
    let late = link(0.1, ["A", "B"], "delay", 0.008);
    for second in [router(0.11, "B", "factor", 0.5), link(0.11, ["A", "B"], "delay", 0.081)] {
        let twice = end(10.0, &[late.clone(), second]);
        assert!((undisturbed - twice).abs() < 1e-9, "{undisturbed} and {twice}");
    }
}

/// Ten segments wait for a router that becomes ten times slower after 4.5 of them: what is left of the fifth
/// one takes ten times as long, and so do the others; and the other way round.
#[test]
fn what_waits_is_served_at_the_new_speed() {
    let undisturbed = end(10.0, &[]);
    for (how, value) in [("speed", 100.0), ("factor", 0.1)] {
        let slower = end(10.0, &[router(0.0045, "A", how, value)]);
        assert!((slower - undisturbed - 0.0495).abs() < 1e-9, "{slower} after {undisturbed}");
    }
    // At A the rest takes 0.55 ms instead of 5.5; B, as slow as before, has one each millisecond.
    let faster = end(10.0, &[router(0.0045, "A", "factor", 10.0)]);
    assert!((faster - undisturbed).abs() < 1e-9, "{faster} after {undisturbed}");
    let both = end(10.0, &[router(0.0045, "A", "factor", 10.0), router(0.0045, "B", "factor", 10.0)]);
    assert!((undisturbed - both - 0.00495 - 0.0009).abs() < 1e-6, "{both} after {undisturbed}");
    // Back again: nothing is left of it.
    let back = [router(0.0045, "A", "factor", 0.1), router(0.0045, "A", "factor", 1.0)];
    assert!((end(10.0, &back) - undisturbed).abs() < 1e-9);
}

/// Segments that have left keep their time, waiting segments take the new delay, and acknowledgements follow
/// the link.
#[test]
fn delays_change_for_what_comes_after() {
    let undisturbed = end(10.0, &[]);
    let delay = 0.081;
    // The last of ten leaves after 10 ms.
    let longer = end(10.0, &[link(0.0055, ["A", "B"], "delay", 0.181)]);
    assert!((longer - undisturbed - 0.2).abs() < 0.001, "{longer} after {undisturbed}");
    let while_on_its_way = end(10.0, &[link(0.05, ["B", "A"], "delay", 0.181)]);
    assert!((while_on_its_way - undisturbed - 0.1).abs() < 0.001, "{while_on_its_way} after {undisturbed}");
    let later = end(10.0, &[link(delay + 0.02, ["A", "B"], "delay", 0.181)]);
    assert!((later - undisturbed).abs() < 1e-9, "{later} after {undisturbed}");
    // The last five wait for the fifth, which left just before, and its delay.
    let shorter = end(10.0, &[link(0.0055, ["A", "B"], "delay", 0.001)]);
    let fifth = end(5.0, &[]) - delay;
    assert!((shorter - (fifth + 0.001 + 0.005)).abs() < 0.001, "{shorter} after {undisturbed}");
}

/// A flow that fills the path for 20 s: what leaves follows the speed, round trips follow the delay, nothing
/// overtakes (an assertion of the engine), nothing is lost sight of.
#[test]
fn a_flow_follows_speed_and_delay() {
    let changes = [
        router(5.0, "A", "factor", 0.1),
        router(10.0, "A", "factor", 1.0),
        link(15.0, ["A", "B"], "factor", 0.1),
    ];
    let scenario = with(path(&changes), &[("transport.receiver_window", json!(1000.0))]);
    let mut simulation = simulation(&scenario, 1);
    let mut leaving = Vec::new();
    for second in 1..=20 {
        simulation.advance(f64::from(second));
        let (c, census) = (simulation.counters(), simulation.census());
        assert_eq!(c.entering, c.leaving + c.dropped + census.queued + census.in_flight, "{second} s");
        leaving.push(c.leaving);
    }
    let rate = |second: usize| leaving[second] - leaving[second - 1];
    assert_eq!([rate(4), rate(8), rate(13)], [1000, 100, 1000]);
    let series = simulation.take_series();
    let (times, rtt) = (float(&series, "time_s"), float(&series, "flow_1_rtt_ms"));
    let at = |t: f64| rtt[times.iter().position(|x| *x >= t).unwrap()];
    // A thousand segments in flight: 1 s where the path takes one each millisecond, 10 s in the queue of the
    // slow router.
    assert!((990.0..1010.0).contains(&at(4.9)), "{}", at(4.9));
    assert!(at(9.9) > 4_000.0 && (at(19.9) - 1000.0).abs() < 10.0, "{} {}", at(9.9), at(19.9));
    // Utilisation counts the time, whatever the speed.
    let busy = of_router(&simulation, "A", "utilisation");
    assert!(busy > 0.94 && busy <= 1.0, "{busy}");
}

/// A buffer holds as many segments as before, whatever the speed.
#[test]
fn places_stay() {
    let changes = [router(3.0, "A", "factor", 0.1), router(6.0, "A", "factor", 5.0)];
    let scenario = with(path(&changes), &[("network.buffer", segments(50.0))]);
    let simulation =
        run(&with(scenario, &[("trace.routers", json!(["A"])), ("trace.every", json!(0.001))]), 1);
    let longest = of_router(&simulation, "A", "queue_max");
    assert_eq!(longest, 51.0);
    assert!(simulation.counters().dropped > 0);
}

#[test]
fn refusals_name_the_change() {
    for (changes, path_of, words) in [
        (vec![router(1.0, "Z", "factor", 1.0)], "network.changes[0].router", "allowed: A, B"),
        (vec![link(1.0, ["A", "A"], "factor", 1.0)], "network.changes[0].link", "neighbours"),
        (vec![router(-1.0, "A", "factor", 1.0)], "network.changes[0].time", "at least 0"),
        (
            vec![router(1.0, "A", "factor", 1.0), router(1.0, "A", "speed", -5.0)],
            "network.changes[1].speed",
            "-5",
        ),
        (vec![router(1.0, "A", "delay", 1.0)], "network.changes[0]", "of a router, with speed or factor"),
        (
            vec![link(1.0, ["A", "B"], "speed", 1.0)],
            "network.changes[0]",
            "of a link, with delay, factor, cost or state",
        ),
        (vec![change(1.0, &[("factor", json!(1.0))])], "network.changes[0]", "of a router"),
        (vec![router(1.0, "A", "factor", 1e-6)], "network.buffer", "a round trip through full queues"),
    ] {
        let values = [("network.buffer", segments(1000.0)), ("time.duration", json!(1000.0))];
        let scenario = with(path(&changes), &values);
        let refused = Scenario::from_json(&scenario.to_string())
            .and_then(|scenario| Simulation::new(scenario, 1))
            .map(|_| ())
            .unwrap_err();
        assert_eq!(refused.path, path_of, "{refused}");
        assert!(refused.message.contains(words), "{refused}");
    }
}

/// A change after the end would do nothing: it is refused, as a flow that begins then is. At the end it may
/// be.
#[test]
fn a_change_after_the_end_is_refused() {
    let at = |time: f64| {
        Scenario::from_json(
            &path(&[router(1.0, "A", "factor", 2.0), router(time, "A", "factor", 1.0)]).to_string(),
        )
    };
    assert!(at(20.0).is_ok());
    let refused = at(20.5).unwrap_err();
    assert_eq!(refused.path, "network.changes[1].time");
    assert!(refused.message.contains("after the end of the run; allowed: at most 20 s"), "{refused}");
}

/// The round trip of an instant is found among any number of changes, at the instant of each, before and
/// after.
#[test]
fn round_trips_at_any_time() {
    let delay = |n: usize| 0.01 + 0.001 * ((n * 7) % 13) as f64;
    let changes: Vec<Value> =
        (1..2000).map(|n| link(0.01 * n as f64, ["A", "B"], "delay", delay(n))).collect();
    let simulation = simulation(&path(&changes), 1);
    let network = simulation.network();
    let at = |name: &str| network.access_index[network.topology.router(name).unwrap()].unwrap().index();
    let round_trip =
        |time: f64| network.round_trip_at(at("A"), at("B"), (time * 1e12).round() as u64) as f64 / 1e12;
    assert!((round_trip(0.0) - round_trip(0.0099)).abs() < 1e-12 && round_trip(0.0) > 0.16);
    for n in 1..2000 {
        for time in [0.01 * n as f64, 0.01 * n as f64 + 0.005] {
            assert!((round_trip(time) - 2.0 * delay(n)).abs() < 1e-9, "at {time} s");
        }
    }
    assert!((round_trip(1e4) - 2.0 * delay(1999)).abs() < 1e-9);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// All engines give the same bytes, with any choice of recovery and whatever changes.
    #[test]
    fn engines_agree(
        changes in proptest::collection::vec((0.0..5.0, any::<bool>(), 0usize..11, 0.0..4.0), 0..12),
        recovery in prop::sample::select(vec!["sack", "newreno", "reno"]),
        rack: bool,
        own in 0..2,
        delayed: bool,
        seed: u32,
    ) {
        let names = ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K"];
        // Some of the backbone, and one without delay.
        let links = [["A", "B"], ["A", "D"], ["B", "C"], ["F", "I"], ["A", "A1"]];
        let changes: Vec<Value> = changes
            .into_iter()
            .map(|(time, speed, which, factor): (f64, bool, usize, f64)| if speed {
                router(time, names[which], "factor", factor.max(0.05))
            } else {
                link(time, links[which % links.len()], "delay", 0.01 * factor)
            })
            .collect();
        let rack = rack && recovery == "sack";
        let mut scenario = with(
            abilene(),
            &[
                ("users.base_sources", json!(4.0)),
                ("network.speed", json!(8_000.0)),
                ("network.buffer", segments(20.0)),
                ("network.changes", json!(changes)),
                ("network.ecn_threshold", json!(10.0)),
                ("transport.recovery", json!(recovery)),
                ("transport.delayed_acks", json!(delayed)),
                ("transport.loss_detection", json!(if rack { "rack" } else { "dupthresh" })),
                ("transport.prr", json!(if rack { "safe_ack" } else { "off" })),
                ("algorithms", json!([algorithm("dctcp", 0.5), algorithm("bbr3", 0.5)])),
                ("time", time(6.0, 1.0, 1)),
            ],
        );
        if own > 0 {
            let far = with(flow("A1a", "C1a", 0.5), &[("extra_delay", json!(0.01))]);
            scenario["flows"] = json!([far]);
        }
        let known = Scenario::from_json(&scenario.to_string())
            .and_then(|scenario| Simulation::new(scenario, 1));
        prop_assert!(known.is_ok(), "{:?}", known.err());
        agree(&scenario, u64::from(seed));
    }
}
