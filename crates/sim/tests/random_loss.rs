//! Response functions under random loss: the mean window of a flow whose losses are independent of each other.
//!
//! A path with ample room, so that only chance loses. Loss events per segment and the mean window are counted outside of
//! recovery, which response functions do not know.

use crate::common::*;
use serde_json::json;

/// Seconds without a queue.
const RTT: f64 = 0.1;

/// Loss events per segment, and the mean window outside of recovery by time and by segments: the latter is harmonic, as a
/// segment takes a round trip over the window.
fn observed(name: &str, p: f64, near: f64, losses: f64) -> (f64, f64, f64) {
    let duration = losses / p * RTT / near;
    let mut scenario = with(
        dumbbell(),
        &[
            ("network.speed", json!(1e7)),
            ("network.delay_multiplier", json!(RTT / 0.162)),
            ("network.buffer", segments(1e6)),
            ("impairments.at", json!(["A -> B"])),
            ("impairments.loss", json!(p)),
            ("time", time(duration + 100.0, 0.0, 1)),
            ("measurement.interval", json!(0.05)),
            ("transport.initial_ssthresh", json!(near)),
            ("algorithms", json!([algorithm(name, 1.0)])),
        ],
    );
    scenario["flows"][0]["interface"] = json!(1e7);
    let mut simulation = run(&scenario, 3);
    let series = simulation.take_series();
    let (cwnd, delivered) = (float(&series, "flow_1_cwnd"), integer(&series, "flow_1_delivered"));
    let (events, recovering) = (integer(&series, "loss_events"), integer(&series, "recovery"));
    // The first 100 s lead to the mean window.
    let begin = (100.0 / 0.05) as usize;
    let growing: Vec<usize> = (begin..cwnd.len()).filter(|&i| recovering[i] == 0).collect();
    let segments: u64 = growing.iter().map(|&i| delivered[i] - delivered[i - 1]).sum();
    let mean = growing.iter().map(|&i| cwnd[i]).sum::<f64>() / growing.len() as f64;
    let by_segments = segments as f64 / (growing.len() as f64 * 0.05) * RTT;
    let events: u64 = events[begin..].iter().sum();
    (events as f64 / segments as f64, mean, by_segments)
}

/// 1.31 / sqrt(p) where losses are independent (Ott, Kemperman and Mathis 1996; Mathis et al. 1997, table 1), against 1.22 where
/// they come at equal distances.
#[test]
fn standard_tcp() {
    for (p, losses) in [(1e-2, 3000.0), (1e-3, 2000.0)] {
        let (found, mean, _) = observed("tcp", p, 1.31 / f64::sqrt(p), losses);
        let constant = mean * f64::sqrt(found);
        // The standard error of the mean over so many losses is below 1.5 %; windows of whole segments add at 1e-2.
        assert!((constant / 1.31 - 1.0).abs() < 0.05, "p {found}: {mean}, constant {constant}");
    }
}

/// Each segment adds a, each loss takes b of the window: over segments the mean of 1/w is p ln(1 / (1 - b)) / a whatever the
/// distances of losses, so that the rate is a / (p ln(1 / (1 - b))) a round trip (Kelly 2003).
#[test]
fn scalable_tcp() {
    for (p, losses) in [(1e-3, 2000.0), (3e-4, 1500.0)] {
        let constant = 0.01 / -libm::log(1.0 - 0.125);
        let (found, _, by_segments) = observed("scalable", p, constant / p, losses);
        let ratio = by_segments * found / constant;
        assert!((ratio - 1.0).abs() < 0.05, "p {found}: {by_segments}, ratio {ratio}");
    }
}
