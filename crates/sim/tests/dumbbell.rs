//! One long-lived flow on the two-router path: everything is known in advance.

use crate::common::*;
use mesonet_sim::{Scenario, Simulation};
use serde_json::json;

/// Standard TCP in steady state: the window climbs by one a round trip from half of 4082 to 4082 = 21 x
/// 162 + 680. Period 341.6 s, mean window 3086.5, utilisation .8708 (congestion control specification,
/// section 4).
#[test]
fn standard_tcp_settles_into_the_textbook_sawtooth() {
    let scenario =
        with(dumbbell(), &[("time", time(1400.0, 300.0, 1)), ("transport.initial_ssthresh", json!(2041.0))]);
    let mut simulation = run(&scenario, 1);
    let series = simulation.take_series();
    let cwnd = float(&series, "flow_1_cwnd");
    let time = float(&series, "time_s");
    let mut losses = Vec::new();
    let mut peaks = Vec::new();
    for i in 1..cwnd.len() {
        // The burst that ends slow start overflows the buffer once, near 2 s; the sawtooth begins after it.
        if time[i] > 10.0 && cwnd[i] < 0.6 * cwnd[i - 1] {
            losses.push(time[i]);
            peaks.push(cwnd[i - 1]);
        }
    }
    assert!(losses.len() >= 3, "{losses:?}");
    for pair in losses.windows(2) {
        let period = pair[1] - pair[0];
        assert!((period - 341.6).abs() < 0.01 * 341.6, "period {period}");
    }
    for peak in &peaks {
        // The loss is noticed one round trip after the window passed 4082.
        assert!((peak - 4083.5).abs() < 2.5, "peak {peak}");
    }
    // Over whole cycles.
    let (first, last) = (losses[0], losses[losses.len() - 1]);
    let inside: Vec<f64> =
        (0..cwnd.len()).filter(|&i| time[i] > first && time[i] <= last).map(|i| cwnd[i]).collect();
    let mean = inside.iter().sum::<f64>() / inside.len() as f64;
    assert!((mean - 3086.5).abs() < 0.01 * 3086.5, "mean window {mean}");
    let delivered = integer(&series, "flow_1_delivered");
    let at = |t: f64| delivered[time.iter().position(|x| *x >= t).unwrap()] as f64;
    let utilisation = (at(last) - at(first)) / (last - first) / 21_000.0;
    assert!((utilisation - 0.8708).abs() < 0.01, "utilisation {utilisation}");
}

/// Below the bottleneck a flow is limited by its window: exactly one window a round trip, no loss, no queue.
#[test]
fn a_window_limited_flow_moves_one_window_a_round_trip() {
    let scenario =
        with(dumbbell(), &[("transport.initial_window", json!(100.0)), ("transport.max_cwnd", json!(100.0))]);
    let simulation = run(&scenario, 1);
    // 162 ms and two services of 1/21 ms.
    let round_trip = 0.162 + 2.0 / 21_000.0;
    let expected = 100.0 * (20.0 - 2.0 * round_trip) / round_trip;
    let delivered = response(&simulation, "total_data_segments_delivered");
    assert!((delivered - expected).abs() <= 100.0, "{delivered} against {expected}");
    assert_eq!(response(&simulation, "total_segments_dropped"), 0.0);
    let delay = response(&simulation, "queueing_delay");
    // Nothing but the two services and the train of the window at 80 seg/ms into 21 seg/ms.
    assert!(delay < 100.0 * (1.0 / 21.0 - 1.0 / 80.0) + 0.2, "{delay}");
}

/// Slow start doubles the window each round trip and first overflows the buffer at the published window.
#[test]
fn slow_start_overflows_where_the_theory_says() {
    let scenario = with(dumbbell(), &[("time", time(6.0, 0.0, 1))]);
    let mut simulation = simulation(&scenario, 1);
    let mut window_at_first_drop = 0.0;
    let mut t = 0.0;
    while simulation.counters().dropped == 0 && t < 6.0 {
        t += 0.001;
        simulation.advance(t);
        if simulation.counters().dropped == 0 {
            window_at_first_drop = simulation.flow_window(0);
        }
    }
    // Specification 3.3: with an initial window of 2 the first drop comes at cwnd 1704 of the round 1024
    // -> 2048.
    assert!((window_at_first_drop - 1704.0).abs() < 25.0, "{window_at_first_drop}");
    simulation.advance(6.0);
    // Noticed one loaded round trip later near 3400; halved to about 1702.
    let after = simulation.flow_window(0);
    assert!((1650.0..1760.0).contains(&after), "{after}");
}

/// With congestion window validation (RFC 7661) slow start still doubles where the interface is slower than
/// the path: what waits for the interface uses the window. It ends at twice what the interface can carry.
#[test]
fn validation_does_not_hold_back_an_interface_limited_slow_start() {
    let limited = |validation: bool| {
        let mut scenario = dumbbell();
        set(&mut scenario, "transport.grow_only_if_cwnd_limited", json!(validation));
        set(&mut scenario, "time", time(5.0, 0.0, 1));
        scenario["flows"][0]["interface"] = json!(8_000.0);
        run(&scenario, 1)
    };
    let (with, without) = (limited(true), limited(false));
    let delivered = |s: &Simulation| response(s, "total_data_segments_delivered");
    assert_eq!(delivered(&with), delivered(&without));
    assert!(delivered(&with) > 20_000.0, "{}", delivered(&with));
    let most = 8_000.0 * 0.163;
    let window = with.flow_window(0);
    assert!((1.9 * most..2.1 * most).contains(&window), "{window}");
    assert!(without.flow_window(0) > 10_000.0);
}

/// Standard TCP in congestion avoidance grows by one segment a round trip with validation as without.
#[test]
fn validation_leaves_congestion_avoidance_alone() {
    let scenario = |validation: bool| {
        let mut scenario = dumbbell();
        set(&mut scenario, "transport.grow_only_if_cwnd_limited", json!(validation));
        set(&mut scenario, "transport.initial_ssthresh", json!(64.0));
        set(&mut scenario, "time", time(30.0, 0.0, 1));
        run(&scenario, 1).flow_window(0)
    };
    assert_eq!(scenario(true), scenario(false));
    assert!(scenario(true) > 200.0);
}

/// The retransmission timer runs only while something is outstanding (RFC 6298, 5.1 and 5.2): an interface
/// slower than the smallest timeout causes none.
#[test]
fn an_idle_path_has_no_timeouts() {
    let mut scenario = with(
        dumbbell(),
        &[
            ("transport.min_rto", json!(0.2)),
            ("transport.initial_rto", json!(1.0)),
            ("time", time(15.0, 0.0, 1)),
        ],
    );
    scenario["flows"][0]["interface"] = json!(2.0);
    scenario["flows"][0]["size"] = json!(20.0);
    let simulation = run(&scenario, 1);
    assert_eq!(simulation.counters().timeouts, 0);
    assert_eq!((simulation.counters().completed, simulation.counters().data_sent), (1, 20));
}

/// Spans that the engine cannot keep are refused when the run is built.
#[test]
fn spans_beyond_the_engine_are_refused() {
    let refused = |values: &[(&str, serde_json::Value)]| {
        let scenario = Scenario::from_json(&with(dumbbell(), values).to_string()).unwrap();
        Simulation::new(scenario, 1).unwrap_err().path
    };
    let queue = json!({"rule": "segments", "factor": 1e6});
    let slow = [("network.speed", json!(10.0)), ("network.buffer", queue), ("time", time(300.0, 10.0, 1))];
    assert_eq!(refused(&slow), "network.buffer");
    // No segment is under way for longer than a run.
    let short = with(with(dumbbell(), &slow), &[("time", time(30.0, 10.0, 1))]);
    assert!(Simulation::new(Scenario::from_json(&short.to_string()).unwrap(), 1).is_ok());
    // But keys of events hold the instants until all queues are empty.
    let endless = json!({"rule": "segments", "factor": 1e9});
    let endless = [slow[0].clone(), ("network.buffer", endless), ("time", time(30.0, 10.0, 1))];
    assert_eq!(refused(&endless), "network.buffer");
}
