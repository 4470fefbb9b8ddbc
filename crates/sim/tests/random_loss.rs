//! Response functions under random loss: the mean window of a flow whose losses are independent of each
//! other.
//!
//! A path with ample room, so that only chance loses. Loss events per segment and the mean window are counted
//! outside of recovery, which response functions do not know.

use crate::common::*;
use crate::recursions;
use serde_json::{Value, json};

/// Seconds without a queue.
const RTT: f64 = 0.1;

/// Loss events per segment, and the mean window outside of recovery by time and by segments: the latter is
/// harmonic, as a segment takes a round trip over the window.
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

/// 1.31 / sqrt(p) where losses are independent (Ott, Kemperman and Mathis 1996; Mathis et al. 1997, table 1),
/// against 1.22 where they come at equal distances.
#[test]
fn standard_tcp() {
    for (p, losses) in [(1e-2, 3000.0), (1e-3, 2000.0)] {
        let (found, mean, _) = observed("tcp", p, 1.31 / f64::sqrt(p), losses);
        let constant = mean * f64::sqrt(found);
        // The standard error of the mean over so many losses is below 1.5 %; windows of whole segments add at
        // 1e-2.
        assert!((constant / 1.31 - 1.0).abs() < 0.05, "p {found}: {mean}, constant {constant}");
    }
}

/// Each segment adds a, each loss takes b of the window: over segments the mean of 1/w is p ln(1 / (1 - b)) /
/// a whatever the distances of losses, so that the rate is a / (p ln(1 / (1 - b))) a round trip (Kelly 2003).
#[test]
fn scalable_tcp() {
    for (p, losses) in [(1e-3, 2000.0), (3e-4, 1500.0)] {
        let constant = 0.01 / -libm::log(1.0 - 0.125);
        let (found, _, by_segments) = observed("scalable", p, constant / p, losses);
        let ratio = by_segments * found / constant;
        assert!((ratio - 1.0).abs() < 0.05, "p {found}: {by_segments}, ratio {ratio}");
    }
}

/// Throughput in segments/s by the full model of Padhye et al. (SIGCOMM 1998) without a limit of the
/// receiver, an acknowledgement for each segment, and first timeouts of `t0` seconds.
fn pftk(p: f64, t0: f64) -> f64 {
    let w = 1.0 + f64::sqrt(8.0 * (1.0 - p) / (3.0 * p) + 1.0);
    let kept = |n: f64| libm::pow(1.0 - p, n);
    let q = ((1.0 - kept(3.0)) * (1.0 + kept(3.0) * (1.0 - kept(w - 3.0))) / (1.0 - kept(w))).min(1.0);
    let f = (0..6).fold(1.0, |sum, i| sum + f64::from(1 << i) * libm::pow(p, f64::from(i + 1)));
    ((1.0 - p) / p + w + q / (1.0 - p)) / (RTT * (w / 2.0 + 1.0) + q * f * t0 / (1.0 - p))
}

/// Segments sent per second, and timeouts per loss event, of a flow that loses each segment with probability
/// `p`.
fn heavy(p: f64, values: &[(&str, Value)]) -> (f64, f64) {
    let duration = 4000.0;
    let mut scenario = with(
        dumbbell(),
        &[
            ("network.speed", json!(1e7)),
            ("network.delay_multiplier", json!(RTT / 0.162)),
            ("network.buffer", segments(1e6)),
            ("impairments.at", json!(["A -> B"])),
            ("impairments.loss", json!(p)),
            ("time", time(duration, 0.0, 1)),
            ("measurement.interval", json!(10.0)),
            ("transport.timeout_rule", json!("rfc")),
            ("transport.reduce_from", json!("flight")),
            ("connection.establish", json!(false)),
        ],
    );
    scenario["flows"][0]["interface"] = json!(1e7);
    let c = run(&with(scenario, values), 3).counters();
    (c.data_sent as f64 / duration, c.timeouts as f64 / (c.loss_events + c.timeouts) as f64)
}

#[test]
fn the_model_of_padhye() {
    for (p, rate) in [(0.001, 376.602), (0.01, 98.8291), (0.05, 26.0451), (0.1, 12.4584)] {
        assert!((pftk(p, 1.0) / rate - 1.0).abs() < 1e-5, "{} at {p}", pftk(p, 1.0));
    }
}

/// With the recovery that the model assumes, Reno without limited transmit, rates are within 15 % of it. The
/// model loses the rest of a round trip with the first loss; independent losses leave more duplicate
/// acknowledgements, but a second loss ends Reno's recovery. NewReno and selective acknowledgements need
/// fewer timeouts than the model, and send more.
#[test]
fn timeouts_dominate_heavy_loss() {
    let reno = [("transport.recovery", json!("reno")), ("transport.limited_transmit", json!(false))];
    for (p, least, most) in [(0.01, 0.02, 0.06), (0.03, 0.15, 0.25), (0.1, 0.5, 0.7)] {
        let model = pftk(p, 1.0);
        let (rate, timeouts) = heavy(p, &reno);
        println!("p {p}: {:.3} of the model, {timeouts:.3} of the events are timeouts", rate / model);
        assert!((rate / model - 1.0).abs() < 0.15, "{rate} at p = {p}, model {model}");
        assert!((least..most).contains(&timeouts), "{timeouts} at p = {p}");
        for values in [&[("transport.recovery", json!("newreno"))][..], &[]] {
            let (better, fewer) = heavy(p, values);
            println!("p {p}: {:.3} of the model, {fewer:.3} of the events are timeouts", better / model);
            assert!(better > rate && better < 2.0 * model && fewer < timeouts, "{better} at p = {p}");
        }
    }
}

/// CUBIC and BIC through the sender beside recursions of their texts under as many losses.
#[test]
fn cubic_and_bic() {
    let gaps = |p: f64| -> Vec<u64> {
        let mut draw = mesonet_cc::draw::Draw::new(5);
        (0..20_000).map(|_| (libm::log(1.0 - draw.uniform()) / libm::log(1.0 - p)) as u64 + 1).collect()
    };
    let mean = |gaps: &[u64], windows: &[f64]| {
        let round_trips: f64 = gaps.iter().zip(windows).map(|(gap, window)| *gap as f64 / window).sum();
        gaps.iter().sum::<u64>() as f64 / round_trips
    };
    for name in ["cubic", "bic"] {
        let (found, _, by_segments) = observed(name, 1e-3, 50.0, 2000.0);
        let gaps = gaps(found);
        let windows = match name {
            "cubic" => recursions::cubic(50.0, &gaps, RTT, true),
            _ => recursions::bic(50.0, &gaps, true),
        };
        let ratio = by_segments / mean(&gaps, &windows);
        println!("{name}: p {found:.3e}, window {by_segments:.2}, {ratio:.3} of the recursion");
        assert!((ratio - 1.0).abs() < 0.05, "{name} at p = {found}: {by_segments}, ratio {ratio}");
    }
}

/// No function of loss is published for BBR: its rate comes from samples of delivery. BBRv1 keeps a path
/// filled at any loss that its probes outweigh. BBRv3 bounds its flight where more than 2 % of a round trip
/// is lost (draft-ietf-ccwg-bbr, BBR.LossThresh), and gives the path up above that.
#[test]
fn bbr_ignores_loss_up_to_its_threshold() {
    let share = |name: &str, p: f64| {
        let values = [
            ("network.speed", json!(1000.0)),
            ("network.delay_multiplier", json!(RTT / 0.162)),
            ("network.buffer", segments(200.0)),
            ("impairments.at", json!(["A -> B"])),
            ("impairments.loss", json!(p)),
            ("time", time(120.0, 20.0, 1)),
            ("algorithms", json!([algorithm(name, 1.0)])),
        ];
        let share = response(&run(&with(dumbbell(), &values), 3), "segment_rate") / 1000.0;
        println!("{name}: p {p}, {share:.3} of the path");
        share
    };
    for p in [0.001, 0.01, 0.03] {
        assert!(share("bbr", p) > 0.9);
    }
    assert!(share("bbr3", 0.01) > 0.7);
    assert!(share("bbr3", 0.03) < 0.3 && share("tcp", 0.01) < 0.2);
}
