//! Every factor moves a response in the direction in which it must, and leaves alone what it must not touch.

use crate::common::*;
use mesonet_sim::Simulation;
use serde_json::{Value, json};

/// 1,746 sources; enough speed that nothing is lost.
fn calm() -> Value {
    with(
        abilene(),
        &[
            ("users.base_sources", json!(10.0)),
            ("network.speed", json!(8e6)),
            ("users.normal_interface", json!(8_000.0)),
            ("users.fast_interface", json!(80_000.0)),
        ],
    )
}

/// 3,492 sources on a tenth of the speed: about a tenth of the segments are lost.
fn overloaded() -> Value {
    with(calm(), &[("users.base_sources", json!(20.0)), ("network.speed", json!(40_000.0))])
}

/// Both levels of a factor.
fn levels(base: &Value, path: &str, low: Value, high: Value) -> (Simulation, Simulation) {
    (run(&with(base.clone(), &[(path, low)]), 1), run(&with(base.clone(), &[(path, high)]), 1))
}

#[track_caller]
fn rises(pair: &(Simulation, Simulation), name: &str) {
    let (low, high) = (response(&pair.0, name), response(&pair.1, name));
    assert!(high > low, "{name}: {low} to {high}");
}

#[track_caller]
fn falls(pair: &(Simulation, Simulation), name: &str) {
    let (low, high) = (response(&pair.0, name), response(&pair.1, name));
    assert!(high < low, "{name}: {low} to {high}");
}

#[track_caller]
fn stays(pair: &(Simulation, Simulation), name: &str) {
    let (low, high) = (response(&pair.0, name), response(&pair.1, name));
    assert!(high == low || (low.is_nan() && high.is_nan()), "{name}: {low} to {high}");
}

#[track_caller]
fn stays_within(pair: &(Simulation, Simulation), name: &str, tolerance: f64) {
    let (low, high) = (response(&pair.0, name), response(&pair.1, name));
    assert!((high / low - 1.0).abs() <= tolerance, "{name}: {low} to {high}");
}

#[test]
fn x1_speed_relieves_congestion() {
    let pair = levels(&overloaded(), "network.speed", json!(40_000.0), json!(80_000.0));
    falls(&pair, "loss_rate");
    rises(&pair, "segments_leaving");
    rises(&pair, "flows_completed");
    let calm = levels(&calm(), "network.speed", json!(8e6), json!(16e6));
    stays(&calm, "loss_rate");
}

#[test]
fn x2_delay_lengthens_round_trips() {
    let pair = levels(&calm(), "network.delay_multiplier", json!(1.0), json!(2.0));
    rises(&pair, "rtt");
    falls(&pair, "flows_completed");
    let (one, two) = (response(&pair.0, "rtt"), response(&pair.1, "rtt"));
    assert!((two / one - 2.0).abs() < 0.05, "{one} to {two}");
    stays(&pair, "connection_failures");
}

#[test]
fn x3_buffers_trade_loss_for_delay() {
    let small = json!({"rule": "bdp_per_sqrt_n", "factor": 1.0});
    let large = json!({"rule": "bdp", "factor": 1.0});
    let pair = levels(&overloaded(), "network.buffer", small.clone(), large.clone());
    rises(&pair, "queueing_delay");
    // Where nothing queues they do not matter.
    let idle = with(calm(), &[("users.base_sources", json!(1.0))]);
    let pair = levels(&idle, "network.buffer", small, large);
    stays(&pair, "rtt");
    stays(&pair, "flows_completed");
}

#[test]
fn x4_the_isp_network_is_larger() {
    let pair = levels(&calm(), "topology", json!("abilene"), json!("isp"));
    rises(&pair, "segments_entering");
    let sources = |s: &Simulation| s.network().traffic.sources.iter().sum::<u64>();
    assert_eq!((sources(&pair.0), sources(&pair.1)), (1746, 2316));
    stays(&pair, "loss_rate");
}

#[test]
fn x5_and_x6_larger_files_take_longer() {
    let pair = levels(&calm(), "users.web_object_size", json!(50.0), json!(150.0));
    rises(&pair, "transmitting_sources");
    falls(&pair, "flows_completed");
    let pair = levels(&calm(), "users.document_probability", json!(0.02), json!(0.2));
    rises(&pair, "segments_entering");
    falls(&pair, "flows_completed");
    stays(&pair, "connection_failures");
}

#[test]
fn x7_thinking_keeps_sources_idle() {
    let pair = levels(&calm(), "users.think_time", json!(2.0), json!(5.0));
    falls(&pair, "transmitting_fraction");
    falls(&pair, "flows_completed");
    stays(&pair, "loss_rate");
}

#[test]
fn x8_impatient_sources_give_up_slow_flows_only() {
    let hasty =
        with(overloaded(), &[("users.patience_time", json!(3.0)), ("users.patience_interval", json!(1.0))]);
    let pair = levels(&hasty, "users.patience_probability", json!(0.0), json!(1.0));
    rises(&pair, "total_flows_aborted");
    assert_eq!(response(&pair.0, "total_flows_aborted"), 0.0);
    falls(&pair, "transmitting_sources");
    // With 30 s of patience no user gives up in an uncongested network.
    let pair = levels(&calm(), "users.patience_probability", json!(0.0), json!(1.0));
    stays(&pair, "total_flows_aborted");
    stays(&pair, "flows_completed");
}

#[test]
fn x9_jumbo_files_only_on_very_fast_paths_of_their_period() {
    let even = [1.0 / 3.0; 3];
    let base = with(
        calm(),
        &[
            ("users.source_distribution", json!(even)),
            ("users.receiver_distribution", json!([0.0, 0.0, 1.0])),
        ],
    );
    let mut pair = levels(&base, "users.jumbo_period", json!(0), json!(2));
    // Measured periods of 4 s from 8 s on: the second is 12 to 16 s.
    let (without, jumbo) = (pair.0.take_flows(), pair.1.take_flows());
    let sizes = |flows: &mesonet_sim::measure::Table| {
        let (source, k) = (integer(flows, "source").to_vec(), integer(flows, "transfer").to_vec());
        let (size, started) = (float(flows, "size").to_vec(), float(flows, "started_s").to_vec());
        (0..size.len())
            .map(|i| ((source[i], k[i]), (size[i], started[i])))
            .collect::<std::collections::BTreeMap<_, _>>()
    };
    let (without, jumbo) = (sizes(&without), sizes(&jumbo));
    let (mut larger, mut equal) = (0, 0);
    for (name, (size, started)) in &jumbo {
        let Some((before, _)) = without.get(name) else { continue };
        if size > before {
            assert_eq!(*size, before * 10.0);
            assert!((12.0..16.0).contains(started), "{started}");
            larger += 1;
        } else {
            assert_eq!(size, before);
            equal += 1;
        }
    }
    assert!(larger > 20 && equal > 1000, "{larger} {equal}");
}

#[test]
fn x10_long_lived_flows_start_with_the_measured_span() {
    let mut pair = levels(&calm(), "users.long_lived_flows", json!(0), json!(3));
    let (without, with) = (pair.0.take_series(), pair.1.take_series());
    assert!(!without.columns.iter().any(|c| c.0 == "flow_1_cwnd"));
    let time = float(&with, "time_s");
    for n in 1..=3 {
        let delivered = integer(&with, &format!("flow_{n}_delivered"));
        for (t, d) in time.iter().zip(delivered) {
            assert_eq!(*t > 8.1, *d > 0, "flow {n} at {t} s: {d}");
        }
    }
    rises(&pair, "segments_entering");
    // Before they start the network is the same.
    let early = |table| integer(table, "segments_entering")[..40].to_vec();
    assert_eq!(early(&without), early(&with));
}

#[test]
fn x11_fast_interfaces_speed_up_transfers() {
    let slow = with(calm(), &[("users.normal_interface", json!(200.0))]);
    let pair = levels(&slow, "users.fast_interface_probability", json!(0.2), json!(0.8));
    falls(&pair, "transmitting_sources");
    rises(&pair, "goodput_nn");
    stays(&pair, "loss_rate");
}

#[test]
fn x12_more_sources_more_load() {
    let pair = levels(&calm(), "users.source_multiplier", json!(2.0), json!(3.0));
    rises(&pair, "flows_completed");
    rises(&pair, "transmitting_sources");
    stays_within(&pair, "transmitting_fraction", 0.05);
}

#[test]
fn x13_and_x14_move_users_between_router_classes() {
    let even = json!([1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]);
    let pair = levels(&calm(), "users.source_distribution", json!([0.1, 0.6, 0.3]), even.clone());
    let count = |s: &Simulation| s.network().traffic.sources.iter().sum::<u64>();
    assert_eq!((count(&pair.0), count(&pair.1)), (1746, 2780));
    // More sources on the normal routers, where receivers are too.
    let nn = |s: &mut Simulation| {
        let flows = s.take_flows();
        integer(&flows, "completed").len() as f64
    };
    let mut pair = pair;
    assert!(nn(&mut pair.1) > nn(&mut pair.0));
    let pair = levels(&calm(), "users.receiver_distribution", json!([0.6, 0.2, 0.2]), even);
    stays_within(&pair, "transmitting_fraction", 0.1);
    let direct = |s: &Simulation| {
        let weights = &s.network().traffic.by_class;
        let of = |a: usize| s.network().class_of(a) == mesonet_sim::network::RouterClass::Direct;
        (0..weights.len()).filter(|&a| of(a)).map(|a| weights[a]).sum::<f64>() / weights.iter().sum::<f64>()
    };
    assert!((direct(&pair.0) - 0.0172).abs() < 5e-4 && direct(&pair.1) > direct(&pair.0));
}

/// The two readings of the receiver distribution (network model, section 7.7).
#[test]
fn receiver_readings_give_the_derived_shares() {
    let pair = levels(&calm(), "users.receiver_reading", json!("per_router"), json!("per_class"));
    let shares = |s: &Simulation| {
        use mesonet_sim::network::RouterClass::{Direct, Fast, Normal};
        let weights = &s.network().traffic.by_class;
        let total: f64 = weights.iter().sum();
        [Normal, Fast, Direct].map(|class| {
            let of = (0..weights.len()).filter(|&a| s.network().class_of(a) == class);
            of.map(|a| weights[a]).sum::<f64>() / total
        })
    };
    for (found, expected) in [(shares(&pair.0), [0.9026, 0.0802, 0.0172]), (shares(&pair.1), [0.6, 0.2, 0.2])]
    {
        for (f, e) in found.into_iter().zip(expected) {
            assert!((f - e).abs() < 1e-4, "{found:?}");
        }
    }
}

#[test]
fn x15_the_mix_decides_who_uses_what() {
    let mix = |share: f64| json!([algorithm("tcp", 1.0 - share), algorithm("scalable", share)]);
    let mut pair = levels(&calm(), "algorithms", mix(0.2), mix(0.8));
    let scalable = |s: &mut Simulation| {
        let groups = s.groups();
        let flows = integer(&groups, "flows");
        let mesonet_sim::measure::Column::Text(names) =
            &groups.columns.iter().find(|c| c.0 == "algorithm").unwrap().1
        else {
            panic!("algorithm is text")
        };
        let of =
            |name: &str| (0..flows.len()).filter(|&i| names[i] == name).map(|i| flows[i]).sum::<u64>() as f64;
        of("scalable") / (of("scalable") + of("tcp"))
    };
    assert!((scalable(&mut pair.0) - 0.2).abs() < 0.03);
    assert!((scalable(&mut pair.1) - 0.8).abs() < 0.03);
    // Who fetches what does not change, nor, without loss, how it goes.
    stays(&pair, "flows_completed");
}

#[test]
fn x16_larger_initial_windows_save_round_trips() {
    let pair = levels(&calm(), "transport.initial_window", json!(2.0), json!(8.0));
    falls(&pair, "transmitting_sources");
    rises(&pair, "flows_completed");
    stays(&pair, "connection_failures");
}

#[test]
fn x17_a_low_ssthresh_slows_large_files() {
    let pair = levels(&calm(), "transport.initial_ssthresh", json!(43.0), json!(2_147_483_648.0));
    falls(&pair, "transmitting_sources");
    rises(&pair, "cwnd");
    // Files that are sent before the window reaches it do not notice: at most 80 segments, 2 + 4 + ... + 32.
    let short = with(
        calm(),
        &[
            ("users.web_object_size", json!(10.0)),
            ("users.size_shape", json!(50.0)),
            ("users.document_probability", json!(0.0)),
        ],
    );
    let pair = levels(&short, "transport.initial_ssthresh", json!(43.0), json!(2_147_483_648.0));
    stays(&pair, "flows_completed");
    stays(&pair, "cwnd");
}

#[test]
fn x18_the_interval_scales_what_is_counted_per_interval() {
    let pair = levels(&calm(), "measurement.interval", json!(0.2), json!(1.0));
    stays_within(&pair, "transmitting_sources", 0.02);
    stays(&pair, "total_flows_completed");
    let ratio = response(&pair.1, "flows_completed") / response(&pair.0, "flows_completed");
    assert!((ratio - 5.0).abs() < 0.01, "{ratio}");
}

#[test]
fn x19_duration_changes_totals_and_not_rates() {
    let pair = levels(&calm(), "time", time(20.0, 8.0, 3), time(40.0, 8.0, 3));
    rises(&pair, "total_flows_completed");
    stays_within(&pair, "flows_completed", 0.03);
}

/// X20 and the ablation that made the study add connection establishment.
#[test]
fn x20_an_early_start_shortens_the_transient_only() {
    let base = with(calm(), &[("users.think_time", json!(5.0))]);
    let mut pair = levels(&base, "users.start", json!("thinking"), json!("half_early"));
    let sending = |s: &mut Simulation| integer(&s.take_series(), "sending")[..5].iter().sum::<u64>();
    let (thinking, early) = (sending(&mut pair.0), sending(&mut pair.1));
    assert!(early > 2 * thinking, "{thinking} {early}");
    stays_within(&pair, "transmitting_sources", 0.12);
}
