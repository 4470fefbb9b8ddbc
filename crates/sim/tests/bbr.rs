//! Paced flows on the two-router path: 21 segments/ms and a round trip of 162.1 ms hold 3404 segments.

use crate::common::*;
use serde_json::{Value, json};

/// One flow, 60 s of which the last 40 are measured.
fn path(algorithm: &str, buffer: f64) -> Value {
    with(
        dumbbell_of(&[algorithm], 0.0),
        &[("network.buffer", segments(buffer)), ("time", time(60.0, 20.0, 1))],
    )
}

/// No two segments are closer than the pacing rate of the moment and the interface allow; while the window
/// does not limit the flow they are exactly that far apart.
#[test]
fn departures_are_spaced_by_the_pacing_rate() {
    for interface in [80_000.0, 21_500.0] {
        let mut scenario = path("bbr", 3400.0);
        scenario["flows"][0]["interface"] = json!(interface);
        let mut simulation = simulation(&scenario, 1);
        let (mut sent, mut last, mut earliest) = (0, 0.0, 0.0);
        let (mut exact, mut gaps) = (0, 0);
        while simulation.time() < 6.0 {
            simulation.step(10_000_000_000_000);
            let now = simulation.time();
            if simulation.counters().data_sent == sent {
                continue;
            }
            assert_eq!(simulation.counters().data_sent, sent + 1, "two at once");
            sent += 1;
            assert!(now >= earliest - 1e-11, "{now} s, {} s after the last one", now - last);
            // From 4 s on the start is over, with all its losses.
            gaps += u64::from(now > 4.0);
            exact += u64::from(now > 4.0 && now <= earliest + 1e-11);
            let rate: f64 = simulation.flow_pacing_rate(0).expect("a paced flow");
            (last, earliest) = (now, now + 1.0 / rate.min(interface));
        }
        assert!(gaps > 35_000 && exact as f64 > 0.99 * gaps as f64, "{exact} of {gaps}");
    }
}

/// The path is full, its queue is not: less than a tenth of the buffer, and a smallest round-trip time within
/// 10 % of the propagation delay. Of 99 % at most, which is what is paced, each probe of version 1 for the
/// round-trip time costs its 200 ms and a round trip to fill the path again: 3.6 % of 10 s; version 3 holds
/// half of the path empty every 5 s.
#[test]
fn one_flow_fills_the_path_and_not_the_queue() {
    for (algorithm, utilisation) in [("bbr", 0.93), ("bbr3", 0.9)] {
        let mut simulation = run(&path(algorithm, 6800.0), 1);
        let found = of_router(&simulation, "A", "utilisation");
        assert!(found > utilisation, "{algorithm}: utilisation {found}");
        let queue = of_router(&simulation, "A", "queue_mean");
        assert!(queue < 0.1 * 6800.0, "{algorithm}: a queue of {queue} segments");
        let series = simulation.take_series();
        let smallest = float(&series, "flow_1_rtt_ms").iter().copied().fold(f64::INFINITY, f64::min);
        assert!((162.0..178.0).contains(&smallest), "{algorithm}: {smallest} ms");
        assert_eq!(response(&simulation, "segments_dropped"), 0.0, "{algorithm}");
    }
}

/// Two thirds less buffer than the probe at 1.25 needs: each cycle of eight round trips loses what does not
/// fit. 1.25 x 3404 = 4256 with room for three bursts and two more is 4262 in flight, of which path and
/// buffer take 4084.
#[test]
fn a_probe_loses_what_the_buffer_does_not_take() {
    let mut simulation = run(&path("bbr", 680.0), 1);
    let series = simulation.take_series();
    let mut episodes = Vec::new();
    let mut quiet = true;
    for (&t, &dropped) in float(&series, "time_s").iter().zip(integer(&series, "segments_dropped")) {
        if t > 20.0 && dropped > 0 {
            if quiet {
                episodes.push(0);
            }
            *episodes.last_mut().unwrap() += dropped;
        }
        quiet = dropped == 0;
    }
    assert!((20..32).contains(&episodes.len()), "{} in 40 s", episodes.len());
    // Some are cut short by a probe for the round-trip time.
    let whole = episodes.iter().filter(|lost| lost.abs_diff(4262 - 4084) <= 4).count();
    assert!(whole * 10 >= episodes.len() * 9, "{episodes:?}");
    assert!(episodes.iter().all(|lost| *lost <= 182), "{episodes:?}");
}

/// Jain's index of the goodputs of two flows in the measured span.
fn fairness(scenario: &Value) -> f64 {
    let mut simulation = run(scenario, 1);
    let series = simulation.take_series();
    let times = float(&series, "time_s");
    let warmup = scenario["time"]["warmup"].as_f64().expect("a time");
    let first = times.iter().position(|t| *t >= warmup).expect("a sample");
    let delivered = |flow: &str| {
        let all = integer(&series, flow);
        (all[all.len() - 1] - all[first]) as f64
    };
    let (a, b) = (delivered("flow_1_delivered"), delivered("flow_2_delivered"));
    (a + b) * (a + b) / (2.0 * (a * a + b * b))
}

/// On a path of 16 ms two flows of version 3 come to share it, the second one 5 s late: neither is shut out.
#[test]
fn two_flows_of_version_3_share() {
    let scenario = with(
        dumbbell_of(&["bbr3", "bbr3"], 5.0),
        &[
            ("network.delay_multiplier", json!(0.1)),
            ("network.buffer", segments(700.0)),
            ("time", time(120.0, 60.0, 1)),
        ],
    );
    let index = fairness(&scenario);
    assert!(index > 0.9, "Jain's index {index}");
}

/// The draws of version 1 come from a stream of each flow's own: another flow that comes and goes elsewhere,
/// or another seed of it, does not change the phases.
#[test]
fn draws_belong_to_the_flow() {
    let alone = path("bbr", 3400.0);
    let mut accompanied = alone.clone();
    let mut short = flow("B", "A", 0.001);
    short["size"] = json!(50.0);
    accompanied["flows"].as_array_mut().unwrap().push(short);
    let windows = |scenario: &Value, seed: u64| {
        let series = run(scenario, seed).take_series();
        let text: Vec<String> = float(&series, "flow_1_cwnd").iter().map(f64::to_string).collect();
        text
    };
    assert_eq!(windows(&alone, 1), windows(&accompanied, 1));
    assert_ne!(windows(&alone, 1), windows(&alone, 2));
}
