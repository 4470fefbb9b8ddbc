//! Acknowledgements that pass routers: they take places and time, are dropped, and what they say is not lost.

use crate::common::*;
use mesonet_sim::Simulation;
use serde_json::{Value, json};

/// A flow over two routers that serve 100 segments/s, 10 ms apart.
fn slow(path: &str) -> Value {
    with(
        dumbbell(),
        &[
            ("network.ack_path", json!(path)),
            ("network.speed", json!(100.0)),
            ("network.buffer", segments(30.0)),
            ("time", time(100.0, 20.0, 1)),
        ],
    )
}

/// Every round trip of a flow that never waits is propagation, and one service time per router and way.
#[test]
fn an_acknowledgement_takes_a_service_time_at_every_router() {
    let round_trip = |path: &str| {
        let mut scenario = with(slow(path), &[("network.speed", json!(1_000.0))]);
        scenario["flows"][0]["size"] = json!(1);
        let mut simulation = run(&scenario, 1);
        let flows = simulation.take_flows();
        1e3 * (float(&flows, "last_acked_s")[0] - float(&flows, "first_sent_s")[0])
    };
    let of_data = round_trip("delay");
    assert!((of_data - 164.0).abs() < 1e-6, "{of_data}");
    for path in QUEUED {
        assert!((round_trip(path) - of_data - 2.0).abs() < 1e-6, "{path}");
    }
}

/// A router that serves the data and the acknowledgements of a flow has half of its speed for the data.
#[test]
fn data_and_acknowledgements_share_a_router_or_not() {
    let rate = |path: &str| response(&run(&slow(path), 1), "segment_rate");
    let found = ["delay", "queued", "direction"].map(rate);
    for (found, expected) in found.into_iter().zip([100.0, 50.0, 100.0]) {
        assert!((found / expected - 1.0).abs() < 0.02, "{found} segments/s, not {expected}");
    }
}

/// The window of one BIC flow on the path of the ASME paper, 3607 segments in the mean, does not fit where
/// acknowledgements share the queues: half of 3402 segments and two buffers of 680 are 3061.
#[test]
fn the_published_window_of_one_bic_flow_needs_acknowledgements_out_of_the_way() {
    let window = |path: &str| {
        let scenario = with(
            dumbbell_of(&["bic"], 0.0),
            &[("network.ack_path", json!(path)), ("time", time(200.0, 50.0, 1))],
        );
        response(&run(&scenario, 1), "cwnd")
    };
    let [delay, queued, direction] = ["delay", "queued", "direction"].map(window);
    assert!((3_500.0..3_800.0).contains(&delay), "{delay}");
    assert!((delay / direction - 1.0).abs() < 0.02, "{delay} {direction}");
    assert!(queued < 3_061.0, "{queued}");
}

/// Users of a congested Abilene network.
fn congested(path: &str, recovery: &[(&'static str, Value)]) -> Simulation {
    let scenario = with(
        abilene(),
        &[
            ("network.ack_path", json!(path)),
            ("users.base_sources", json!(20.0)),
            ("network.speed", json!(20_000.0)),
            ("network.buffer", segments(10.0)),
            ("time", time(20.0, 2.0, 1)),
        ],
    );
    run(&with(scenario, recovery), 2)
}

/// Acknowledgements are dropped as data are, and no flow loses its way: each that completes got all of its
/// segments, and every segment counts once.
#[test]
fn flows_complete_although_acknowledgements_are_dropped() {
    for (place, recovery) in recoveries().into_iter().enumerate() {
        for (other, path) in QUEUED.into_iter().enumerate() {
            let receiver = (place + other) % 3;
            let transport = [recovery.clone(), receivers()[receiver].clone()].concat();
            let mut simulation = congested(path, &transport);
            let counters = simulation.counters();
            // Half as many acknowledgements seldom fill a queue of their own.
            let least = if receiver == 0 { 1_000 } else { 50 };
            assert!(counters.acks_dropped > least, "{path}: {} dropped", counters.acks_dropped);
            assert!(counters.completed > 500, "{path}: {} completed", counters.completed);
            // SYNs arrive, too, and some segments twice.
            assert!(counters.leaving >= counters.delivered);
            let flows = simulation.take_flows();
            let (delivered, completed) =
                (integer(&flows, "segments_delivered"), integer(&flows, "completed"));
            assert_eq!(delivered.iter().sum::<u64>(), counters.delivered, "{path}");
            let (losses, sent) = (integer(&flows, "losses"), integer(&flows, "segments_sent"));
            let mut repaired = 0;
            for (i, size) in float(&flows, "size").iter().enumerate().filter(|(i, _)| completed[*i] == 1) {
                assert_eq!(delivered[i] as f64, *size, "{path}");
                repaired += u64::from(losses[i] == 0 && sent[i] as f64 > *size);
            }
            // All data of these arrived, but the sender did not hear of it.
            // A queue of their own seldom drops all acknowledgements of a window where receivers delay them.
            let seldom = receiver > 0 && path == "direction";
            assert!(repaired > 0 || seldom, "{path}: {repaired} flows sent again what had arrived");
        }
    }
}

/// All that entered is somewhere.
#[test]
fn nothing_is_lost_that_was_not_dropped() {
    for (path, receiver) in QUEUED.into_iter().flat_map(|path| receivers().map(|receiver| (path, receiver))) {
        let simulation = congested(path, &receiver);
        let (counters, census) = (simulation.counters(), simulation.census());
        assert_eq!(
            counters.entering,
            counters.leaving + counters.dropped + census.queued + census.in_flight,
            "{path}"
        );
        assert!(census.acknowledgements > 0);
    }
}

/// If no acknowledgement is dropped, the sender gets the acknowledgements that it gets without routers, only
/// later: the same segments leave in the same order, whatever is lost, and whatever receivers hold back.
#[test]
fn acknowledgements_that_nobody_drops_change_no_count() {
    let counts = |path: &str, transport: &[(&str, Value)]| {
        let mut scenario = with(
            dumbbell(),
            &[
                ("network.ack_path", json!(path)),
                ("network.speed", json!(1e9)),
                ("network.buffer", segments(1e6)),
                ("transport.receiver_window", json!(64.0)),
                ("time", time(20.0, 1.0, 1)),
            ],
        );
        scenario["flows"][0]["size"] = json!(1_000);
        let mut simulation = simulation(&with(scenario, transport), 1);
        simulation.lose_transmissions(vec![40, 101, 102, 103, 300, 301, 350, 351, 420, 999]);
        simulation.advance(f64::INFINITY);
        let end = float(&simulation.take_flows(), "last_acked_s")[0];
        let counters = simulation.counters();
        let counts = (
            counters.data_sent,
            counters.delivered,
            counters.duplicate_acks,
            counters.loss_events,
            counters.timeouts,
            counters.acks_dropped,
            counters.completed,
        );
        (counts, end)
    };
    for transport in recoveries()
        .iter()
        .flat_map(|recovery| receivers().map(|receiver| [recovery.clone(), receiver].concat()))
    {
        let (expected, end) = counts("delay", &transport);
        assert!(expected.3 > 3 && expected.6 == 1, "{expected:?}");
        for path in QUEUED {
            let (found, later) = counts(path, &transport);
            assert_eq!(found, expected, "{path} {transport:?}");
            assert!(later >= end && later < end + 1e-4, "{path} {transport:?}: {end} and {later}");
        }
    }
}

/// Acknowledgements that receivers hold back take no place and no time in a router: these serve half as many
/// acknowledgements.
#[test]
fn what_receivers_hold_back_enters_no_router() {
    for path in QUEUED {
        let acknowledgements = |receiver: &[(&str, Value)]| {
            let values = [
                ("network.speed", json!(1_000.0)),
                ("connection.establish", json!(false)),
                ("transport.receiver_window", json!(20.0)),
            ];
            let mut scenario = with(slow(path), &values);
            scenario["flows"][0]["size"] = json!(1_000);
            let simulation = run(&with(scenario, receiver), 1);
            assert_eq!((simulation.counters().completed, simulation.counters().data_sent), (1, 1_000));
            // Two routers each way.
            simulation.router_hops() as f64 / 2.0 - 1_000.0
        };
        let [each, second, _] = receivers().map(|receiver| acknowledgements(&receiver));
        assert_eq!(each, 1_000.0, "{path}");
        // Those that the timer sends report one segment: some in the first round trips.
        assert!((500.0..510.0).contains(&second), "{path}: {second}");
    }
}

/// The last segment of a flow that stops does not wait for the timer of its receiver, wherever that stands.
#[test]
fn the_last_segment_of_a_flow_that_stops_is_acknowledged_soon() {
    for stop in [5.0, 5.001, 5.002] {
        let ended = |path: &str| {
            let values = [
                ("network.speed", json!(1e6)),
                ("transport.receiver_window", json!(9.0)),
                ("transport.delayed_acks", json!(true)),
                ("transport.ack_delay", json!(0.5)),
            ];
            let mut scenario = with(slow(path), &values);
            scenario["flows"][0]["stop"] = json!(stop);
            float(&run(&scenario, 1).take_flows(), "last_acked_s")[0]
        };
        let [delay, direction] = ["delay", "direction"].map(ended);
        // News of the stop take the delay of the link, 81 ms.
        assert!(delay < stop + 0.2 && direction < stop + 0.3, "{stop}: {delay} and {direction}");
    }
}

/// A single segment waits for the timer of its receiver, and the round trip contains that.
#[test]
fn a_single_segment_waits_for_its_receiver() {
    let end = |receiver: &[(&str, Value)]| {
        let mut scenario = with(
            slow("direction"),
            &[
                ("network.speed", json!(1e6)),
                ("connection.establish", json!(false)),
                ("transport.initial_window", json!(1.0)),
                ("transport.receiver_window", json!(1.0)),
            ],
        );
        scenario["flows"][0]["size"] = json!(10);
        float(&run(&with(scenario, receiver), 1).take_flows(), "last_acked_s")[0]
    };
    let [at_once, delayed, _] = receivers().map(|receiver| end(&receiver));
    // The last segment does not wait.
    assert!((delayed - at_once - 9.0 * 0.04).abs() < 1e-9, "{at_once} and {delayed}");
}
