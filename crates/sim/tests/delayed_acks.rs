//! Receivers that hold acknowledgements back (RFC 1122, section 4.2.3.2; RFC 5681, section 4.2).

use crate::common::*;
use mesonet_sim::Simulation;
use serde_json::{Value, json};

/// One flow over a path of 100 ms and a service time of 1 ms at each of two routers, with a delay of 40 ms or
/// none.
fn path(window: f64, size: f64, delay: Option<f64>) -> Value {
    let mut scenario = with(
        dumbbell(),
        &[
            ("network.speed", json!(1000.0)),
            ("network.buffer", segments(1000.0)),
            ("network.delay_multiplier", json!(100.0 / 162.1)),
            ("connection.establish", json!(false)),
            ("transport.initial_window", json!(window)),
            ("transport.receiver_window", json!(window)),
            ("transport.delayed_acks", json!(delay.is_some())),
            ("transport.ack_delay", json!(delay.unwrap_or(0.2))),
            ("measurement.interval", json!(0.001)),
            ("time", time(20.0, 0.0, 1)),
        ],
    );
    scenario["flows"][0]["size"] = json!(size);
    scenario
}

fn end(scenario: &Value) -> f64 {
    float(&run(scenario, 1).take_flows(), "last_acked_s")[0]
}

/// A segment alone waits for the timer; the last one of a file does not.
#[test]
fn a_single_segment_waits_for_the_timer() {
    let (at_once, delayed) = (end(&path(1.0, 10.0, None)), end(&path(1.0, 10.0, Some(0.04))));
    assert!((delayed - at_once - 9.0 * 0.04).abs() < 1e-9, "{at_once} and {delayed}");
    // The sample of the round trip has it, too (RFC 7323: the timestamp of what was held).
    let series = run(&path(1.0, 10.0, Some(0.04)), 1).take_series();
    let rtt = float(&series, "flow_1_rtt_ms").iter().copied().find(|rtt| rtt.is_finite()).unwrap();
    assert!((rtt - 142.0).abs() < 1.0, "{rtt}");
}

/// Two at a time wait for nothing but each other.
#[test]
fn every_second_segment_is_acknowledged() {
    let (at_once, delayed) = (end(&path(2.0, 20.0, None)), end(&path(2.0, 20.0, Some(0.04))));
    // The second one of a pair is 1 ms behind the first, which no longer lets one go by itself.
    assert!(delayed > at_once && delayed < at_once + 20.0 * 0.001 + 1e-9, "{at_once} and {delayed}");
}

/// A segment out of order is acknowledged at once: three duplicates come as soon as without a delay.
#[test]
fn losses_are_found_as_soon() {
    let found = |delay: Option<f64>| {
        let mut simulation: Simulation = simulation(&path(16.0, 100.0, delay), 1);
        simulation.lose_transmissions(vec![33, 36, 40]);
        while simulation.counters().loss_events == 0 {
            assert!(simulation.step(u64::MAX));
        }
        let time = simulation.time();
        simulation.advance(f64::INFINITY);
        let c = simulation.counters();
        assert_eq!((c.completed, c.timeouts), (1, 0));
        // The rescue retransmission of RFC 6675 may be one more: the receiver's window leaves nothing new to
        // send.
        assert!((103..=104).contains(&c.data_sent), "{c:?}");
        time
    };
    let (at_once, delayed) = (found(None), found(Some(0.2)));
    assert!((delayed - at_once).abs() < 0.02, "{at_once} and {delayed}");
}

/// RFC 8257, section 3.2: DCTCP hears of every mark: its queue stays near the threshold as without a delay.
#[test]
fn marks_are_told_exactly() {
    let queue = |delayed: bool| {
        let scenario = with(
            dumbbell_of(&["dctcp"], 0.0),
            &[
                ("network.delay_multiplier", json!(0.02)),
                ("network.buffer", segments(20_000.0)),
                ("network.ecn_threshold", json!(65.0)),
                ("transport.delayed_acks", json!(delayed)),
                ("measurement.interval", json!(0.01)),
                ("time", time(20.0, 5.0, 1)),
            ],
        );
        let simulation = run(&scenario, 1);
        assert_eq!(response(&simulation, "total_segments_dropped"), 0.0);
        assert!(of_router(&simulation, "A", "utilisation") > 0.999);
        of_router(&simulation, "A", "queue_mean")
    };
    let (at_once, delayed) = (queue(false), queue(true));
    println!("queue {at_once:.1} and {delayed:.1} segments");
    assert!((delayed - at_once).abs() < 5.0, "{at_once} and {delayed}");
}

/// Users with every algorithm: nothing is lost sight of, however the run is sliced.
#[test]
fn users_of_every_algorithm() {
    let known = mesonet_cc::registry::ALGORITHMS;
    let shares: Vec<Value> = known.iter().map(|a| algorithm(a.name, 1.0 / known.len() as f64)).collect();
    let scenario = with(
        abilene(),
        &[
            ("users.base_sources", json!(20.0)),
            ("network.speed", json!(40_000.0)),
            ("network.ecn_threshold", json!(20.0)),
            ("transport.delayed_acks", json!(true)),
            ("transport.loss_detection", json!("rack")),
            ("transport.prr", json!("safe_ack")),
            ("time", time(12.0, 2.0, 1)),
            ("algorithms", json!(shares)),
        ],
    );
    let mut whole = run(&scenario, 1);
    let (c, census) = (whole.counters(), whole.census());
    assert_eq!(c.entering, c.leaving + c.dropped + census.queued + census.in_flight);
    assert!(c.completed > 1000 && c.dropped > 1000, "{c:?}");
    let mut sliced = run_in_slices(&scenario, 1, 0.37);
    assert_eq!(format!("{:?}", whole.take_flows()), format!("{:?}", sliced.take_flows()));
}
