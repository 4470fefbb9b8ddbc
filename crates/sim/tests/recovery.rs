//! Loss recovery by the cases of the literature: which segments are lost, and what the sender does about it.

mod common;

use common::*;
use mesonet_sim::Simulation;
use serde_json::{Value, json};

/// Kinds of recovery that see cumulative acknowledgements only, and the default one.
const KINDS: [&str; 3] = ["reno", "newreno", "sack"];

/// One flow of standard TCP on a path of 100 ms that nothing fills: 1000 segments/s and room for a second of them. The
/// window opens by slow start from 2 and stays at 16 (ssthresh), but for congestion avoidance.
fn path(recovery: &str) -> Value {
    with(
        dumbbell(),
        &[
            ("network.speed", json!(1000.0)),
            ("network.buffer", segments(1000.0)),
            ("network.delay_multiplier", json!(100.0 / 162.1)),
            ("connection.establish", json!(false)),
            ("transport.recovery", json!(recovery)),
            ("transport.initial_ssthresh", json!(16.0)),
            ("transport.timeout_rule", json!("rfc")),
            ("measurement.interval", json!(0.01)),
            ("time", time(10.0, 0.0, 1)),
        ],
    )
}

/// What a flow of `size` segments went through when the transmissions with these numbers were lost.
struct Found {
    timeouts: u64,
    /// Reductions, time-outs apart.
    reductions: u64,
    sent: u64,
    /// Instant of the last acknowledgement.
    end: f64,
}

fn lose(mut scenario: Value, size: f64, numbers: impl IntoIterator<Item = u64>) -> Found {
    scenario["flows"][0]["size"] = json!(size);
    let mut simulation: Simulation = simulation(&scenario, 1);
    simulation.lose_transmissions(numbers.into_iter().collect());
    simulation.advance(f64::INFINITY);
    simulation.record_unfinished();
    let flows = simulation.take_flows();
    assert_eq!(integer(&flows, "completed"), [1], "{scenario}");
    let c = simulation.counters();
    Found {
        timeouts: c.timeouts,
        reductions: c.loss_events,
        sent: c.data_sent,
        end: float(&flows, "last_acked_s")[0],
    }
}

/// Fall and Floyd, "Simulation-based Comparisons of Tahoe, Reno, and SACK TCP", 1996, sections 6.1 to 6.4: one to four
/// segments of one window are lost. All kinds repair one; Reno reduces twice for two and waits for a time-out with three
/// and more; the others reduce once, NewReno needs one round trip a hole and selective acknowledgements one in all.
#[test]
fn fall_and_floyd() {
    for kind in KINDS {
        let undisturbed = lose(path(kind), 200.0, []).end;
        // Segments 31 to 46 are one window: the fifth round trip.
        for (holes, lost) in
            [(1, vec![33]), (2, vec![33, 40]), (3, vec![33, 36, 40]), (4, vec![33, 36, 38, 40])]
        {
            let found = lose(path(kind), 200.0, lost);
            let round_trips = (found.end - undisturbed) / 0.1;
            println!(
                "{kind}, {holes} lost: {} time-outs, {} reductions, {} sent, {round_trips:.1} round trips more",
                found.timeouts, found.reductions, found.sent
            );
            let (timeouts, reductions) = match (kind, holes) {
                ("reno", 2) => (0, 2),
                ("reno", 3 | 4) => (1, 2),
                _ => (0, 1),
            };
            assert_eq!((found.timeouts, found.reductions), (timeouts, reductions), "{kind}, {holes} lost");
            if kind != "reno" {
                assert_eq!(found.sent, 200 + holes, "{kind}: each hole is filled once");
            }
        }
        assert!(undisturbed > 1.0);
    }
}

/// RFC 6582, section 3.2: with more holes than there is time for, at one a round trip, the timer that only the first partial
/// acknowledgement restarts ends recovery. The scoreboard repairs as many in the one round trip that they take to be sent again.
#[test]
fn many_holes() {
    let wide = |kind: &str| with(path(kind), &[("transport.initial_ssthresh", json!(64.0))]);
    // Every second segment of the 64 that are sent from number 127 on.
    let lost = || (127..191).step_by(2);
    let newreno = lose(wide("newreno"), 400.0, lost());
    let sack = lose(wide("sack"), 400.0, lost());
    assert_eq!((newreno.timeouts, newreno.reductions), (1, 1));
    assert_eq!((sack.timeouts, sack.reductions, sack.sent), (0, 1, 432));
    // A second of waiting, and what had arrived is sent again in part: go back N.
    assert!(newreno.end > sack.end + 0.9 && newreno.sent > sack.sent, "{} and {}", newreno.end, sack.end);
}

/// On the path of the ASME paper's Fig. 3 the first slow start loses about 1000 segments. Selective acknowledgements repair
/// them without a time-out and come out near half of 4082 segments; NewReno would need minutes at one a round trip.
#[test]
fn the_first_overshoot() {
    let scenario =
        |kind: &str| with(dumbbell(), &[("transport.recovery", json!(kind)), ("time", time(60.0, 0.0, 1))]);
    let found = |kind: &str| {
        let simulation = run(&scenario(kind), 1);
        let c = *simulation.counters();
        println!("{kind}: {} lost, {} time-outs, {} reductions", c.dropped, c.timeouts, c.loss_events);
        (c.dropped, c.timeouts, c.loss_events, c.delivered)
    };
    let (dropped, timeouts, reductions, sack) = found("sack");
    assert!(dropped > 900 && (timeouts, reductions) == (0, 1));
    for kind in ["newreno", "reno"] {
        let (_, timeouts, _, delivered) = found(kind);
        assert!(timeouts > 0 && delivered < sack, "{kind}");
    }
}

/// Nothing is lost: no difference between the kinds.
#[test]
fn kinds_differ_only_where_segments_are_lost() {
    let end = |kind: &str| lose(path(kind), 500.0, []).end.to_bits();
    assert_eq!(end("newreno"), end("sack"));
    assert_eq!(end("reno"), end("sack"));
}

/// Users on a congested network, every algorithm: nothing is lost sight of, everything comes to its end.
#[test]
fn users_of_every_algorithm_without_selective_acknowledgements() {
    for kind in ["newreno", "reno"] {
        for algorithm_of in mesonet_cc::registry::ALGORITHMS {
            let scenario = with(
                abilene(),
                &[
                    ("users.base_sources", json!(20.0)),
                    ("network.speed", json!(40_000.0)),
                    ("transport.recovery", json!(kind)),
                    ("network.ecn_threshold", json!(20.0)),
                    ("time", time(10.0, 2.0, 1)),
                    ("algorithms", json!([algorithm(algorithm_of.name, 1.0)])),
                ],
            );
            let simulation = run(&scenario, 1);
            let (c, census) = (*simulation.counters(), simulation.census());
            assert_eq!(c.entering, c.leaving + c.dropped + census.queued + census.in_flight, "{kind}");
            assert!(c.completed > 1000 && c.dropped > 100, "{kind} {}: {c:?}", algorithm_of.name);
        }
    }
}

/// What leaves while a window of 100 segments, each acknowledged after 100 ms, of which the first is lost, is
/// halved: instants of departure after the fast retransmit, s, as long as recovery lasts.
fn departures_in_recovery(prr: &str, algorithm: &str) -> (Vec<f64>, Simulation) {
    let scenario = with(
        path("sack"),
        &[
            ("transport.prr", json!(prr)),
            ("transport.initial_window", json!(100.0)),
            ("transport.initial_ssthresh", json!(2.0)),
            ("algorithms", json!([self::algorithm(algorithm, 1.0)])),
        ],
    );
    let mut simulation = simulation(&scenario, 1);
    simulation.lose_transmissions(vec![1]);
    let (mut departures, mut sent) = (Vec::new(), 0);
    let mut start = None;
    loop {
        simulation.step(u64::MAX);
        let (now, c) = (simulation.time(), simulation.counters());
        if c.loss_events > 0 && start.is_none() {
            start = Some(now);
        }
        if let Some(start) = start {
            if now > start + 0.1 {
                return (departures, simulation);
            }
            departures.extend((c.data_sent > sent).then_some(now - start));
        }
        sent = c.data_sent;
    }
}

/// RFC 9937, section 6.1: without reduction in proportion half of the round trip is silent; with it one segment leaves for
/// every second acknowledgement, and as many in all as the new window holds.
#[test]
fn a_reduction_in_proportion_spreads_what_is_sent() {
    let longest = |times: &[f64]| times.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
    let (at_once, _) = departures_in_recovery("off", "tcp");
    assert!(longest(&at_once) > 0.045, "{}", longest(&at_once));
    for prr in ["crb", "ssrb", "safe_ack"] {
        let (spread, mut simulation) = departures_in_recovery(prr, "tcp");
        // The last acknowledgement of the window comes 98 ms after the one that tells of the loss.
        assert!(longest(&spread[..48]) < 0.003, "{prr}: {}", longest(&spread[..48]));
        assert!((49..=52).contains(&spread.len()), "{prr}: {}", spread.len());
        simulation.advance(1.0);
        assert!((50.0..70.0).contains(&simulation.flow_window(0)), "{}", simulation.flow_window(0));
        assert_eq!(simulation.counters().timeouts, 0);
    }
}

#[test]
fn bbr_is_not_reduced_in_proportion() {
    for name in ["bbr", "bbr3"] {
        assert_eq!(departures_in_recovery("safe_ack", name).0, departures_in_recovery("off", name).0);
    }
}

/// A choice that needs another one is refused by its name.
#[test]
fn choices_that_need_selective_acknowledgements() {
    let scenario = with(path("newreno"), &[("transport.prr", json!("safe_ack"))]);
    let refused = mesonet_sim::Scenario::from_json(&scenario.to_string()).unwrap_err();
    assert_eq!(refused.path, "transport.prr");
    assert!(refused.message.contains("sack"), "{}", refused.message);
}
