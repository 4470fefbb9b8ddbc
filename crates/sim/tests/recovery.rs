//! Loss recovery by the cases of the literature: which segments are lost, and what the sender does about it.

use crate::common::*;
use mesonet_sim::Simulation;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Kinds of recovery that see cumulative acknowledgements only, and the default one.
const KINDS: [&str; 3] = ["reno", "newreno", "sack"];

/// One flow of standard TCP on a path of 100 ms that nothing fills: 1000 segments/s and room for a second of
/// them. The window opens by slow start from 2 and stays at 16 (ssthresh), but for congestion avoidance.
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

/// Counts of a flow of `size` segments that lost the transmissions with these numbers.
struct Found {
    timeouts: u64,
    /// Reductions, timeouts apart.
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

/// Fall and Floyd, "Simulation-based Comparisons of Tahoe, Reno, and SACK TCP", 1996, sections 6.1 to 6.4:
/// one to four segments of one window are lost. All kinds repair one; Reno reduces twice for two and waits
/// for a timeout with three and more; the others reduce once, NewReno needs one round trip a hole and
/// selective acknowledgements one in all.
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
                "{kind}, {holes} lost: {} timeouts, {} reductions, {} sent, {round_trips:.1} round trips more",
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

/// RFC 6582, section 3.2: with more holes than there is time for, at one a round trip, the timer that only
/// the first partial acknowledgement restarts ends recovery. The scoreboard repairs as many in the one round
/// trip that they take to be sent again.
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

/// On the path of the ASME paper's Fig. 3 the first slow start loses about 1000 segments. Selective
/// acknowledgements repair them without a timeout and come out near half of 4082 segments; NewReno would need
/// minutes at one a round trip.
#[test]
fn the_first_overshoot() {
    let scenario =
        |kind: &str| with(dumbbell(), &[("transport.recovery", json!(kind)), ("time", time(60.0, 0.0, 1))]);
    let found = |kind: &str| {
        let simulation = run(&scenario(kind), 1);
        let c = simulation.counters();
        println!("{kind}: {} lost, {} timeouts, {} reductions", c.dropped, c.timeouts, c.loss_events);
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

/// Users on a congested network, a share of them for every algorithm.
fn users(transport: &[(&str, Value)]) -> Value {
    let known = mesonet_cc::registry::ALGORITHMS;
    let shares: Vec<Value> = known.iter().map(|a| algorithm(a.name, 1.0 / known.len() as f64)).collect();
    let scenario = with(
        abilene(),
        &[
            ("users.base_sources", json!(20.0)),
            ("network.speed", json!(40_000.0)),
            ("network.ecn_threshold", json!(20.0)),
            ("time", time(8.0, 2.0, 1)),
            ("algorithms", json!(shares)),
        ],
    );
    with(scenario, transport)
}

/// Every kind of recovery: nothing is lost sight of, flows come to their end, however the run is sliced.
#[test]
fn users_of_every_algorithm() {
    let (prr, rack) = (("transport.prr", json!("safe_ack")), ("transport.loss_detection", json!("rack")));
    for transport in [
        vec![("transport.recovery", json!("newreno"))],
        vec![("transport.recovery", json!("reno"))],
        vec![prr.clone()],
        vec![rack.clone()],
        vec![prr, rack],
    ] {
        let scenario = users(&transport);
        let mut whole = run(&scenario, 1);
        let (c, census) = (whole.counters(), whole.census());
        assert_eq!(c.entering, c.leaving + c.dropped + census.queued + census.in_flight, "{transport:?}");
        assert!(c.completed > 1000 && c.dropped > 1000, "{transport:?}: {c:?}");
        let mut sliced = run_in_slices(&scenario, 1, 0.37);
        assert_eq!(format!("{:?}", whole.take_flows()), format!("{:?}", sliced.take_flows()));
    }
}

/// Departures while a window of 100 segments is halved, each acknowledged after 100 ms, of which the first is
/// lost: instants of departure after the fast retransmit, s, as long as recovery lasts.
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

/// RFC 9937, section 6.1: without reduction in proportion half of the round trip is silent; with it one
/// segment leaves for every second acknowledgement, and as many in all as the new window holds.
#[test]
fn a_reduction_in_proportion_spreads_what_is_sent() {
    let longest = |times: &[f64]| times.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
    let (at_once, _) = departures_in_recovery("off", "tcp");
    assert!(longest(&at_once) > 0.045, "{}", longest(&at_once));
    for prr in ["crb", "ssrb", "safe_ack"] {
        let (spread, mut simulation) = departures_in_recovery(prr, "tcp");
        // The last acknowledgement of the window comes 98 ms after the one that reports the loss.
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
    for (path_of, value) in [("transport.prr", "safe_ack"), ("transport.loss_detection", "rack")] {
        let scenario = with(path("newreno"), &[(path_of, json!(value))]);
        let refused = mesonet_sim::Scenario::from_json(&scenario.to_string()).unwrap_err();
        assert_eq!(refused.path, path_of);
        assert!(refused.message.contains("sack"), "{}", refused.message);
    }
}

/// The path with losses found by time.
fn by_time() -> Value {
    with(path("sack"), &[("transport.loss_detection", json!("rack"))])
}

/// RFC 8985, section 3.4 and RFC 5681, section 4.3: a retransmission that is lost is found by what was sent
/// after it, without a timeout, and counts as congestion again.
#[test]
fn a_lost_retransmission() {
    // 33 is lost, and its retransmission: it is the 45th transmission, after the acknowledgement of 36.
    let numbers = (40..60).map(|retransmission| {
        let [waiting, found] = [path("sack"), by_time()].map(|s| lose(s, 200.0, [33, retransmission]));
        (retransmission, waiting, found)
    });
    let hit: Vec<_> = numbers.filter(|(_, waiting, _)| waiting.timeouts > 0).collect();
    assert_eq!(hit.len(), 1, "one of them is the retransmission");
    let (retransmission, waiting, found) = &hit[0];
    println!(
        "transmission {retransmission}: {:.3} s with a timeout, {:.3} s without",
        waiting.end, found.end
    );
    assert_eq!((found.timeouts, found.reductions, found.sent), (0, 2, 202));
    assert!(found.end < waiting.end - 0.5, "{} and {}", found.end, waiting.end);
}

/// RFC 8985, section 7: of the last segments of a file any number may be lost; a probe after two round trips
/// brings what reports them, where the duplicates of the others are too few. Without, a timeout of a second
/// repairs them.
#[test]
fn a_lost_tail() {
    let size = 40;
    let undisturbed = lose(by_time(), f64::from(size), []).end;
    for tail in 1..=8_u64 {
        let lost: Vec<u64> = (0..tail).map(|i| 40 - i).collect();
        let [waiting, found] = [path("sack"), by_time()].map(|s| lose(s, f64::from(size), lost.clone()));
        println!(
            "{tail} lost: {:.3} s with a timeout, {:.3} s with a probe, {undisturbed:.3} s undisturbed",
            waiting.end, found.end
        );
        assert_eq!((waiting.timeouts, found.timeouts), (1, 0), "{tail} lost");
        // A single one that is repaired by the probe ends the file: its loss is never reported.
        assert_eq!(found.reductions, u64::from(tail > 1), "{tail} lost");
        assert_eq!(found.sent, 40 + tail, "{tail} lost");
        assert!(found.end < undisturbed + 0.55 && waiting.end > undisturbed + 0.9);
    }
}

/// A probe that repairs the loss of the last segment of a window is congestion: one reduction (RFC 8985,
/// section 7.4). Here the receiver's window stops the sender for that long.
#[test]
fn a_probe_that_repairs_a_loss() {
    let scenario = with(by_time(), &[("transport.receiver_window", json!(4.0))]);
    let found = lose(scenario, 100.0, [20]);
    assert_eq!((found.timeouts, found.reductions, found.sent), (0, 1, 101));
}

/// A window of two of which the first is lost: no three duplicates, but a quarter of a round trip shows as
/// much.
#[test]
fn a_small_window() {
    let small = |scenario| with(scenario, &[("transport.receiver_window", json!(2.0))]);
    let [waiting, found] = [path("sack"), by_time()].map(|s| lose(small(s), 30.0, [11]));
    assert_eq!((waiting.timeouts, found.timeouts, found.reductions), (1, 0, 1));
    assert!(found.end < waiting.end - 0.5);
}

/// RFC 8985, section 6.2, step 4: as many segments beyond a missing one as `duplicate_threshold` says make
/// waiting for reordering needless; with more needed, a quarter of a round trip of 102 ms passes first.
#[test]
fn waiting_for_reordering_ends_at_the_threshold() {
    let reduced = |threshold: u32| {
        let scenario = with(by_time(), &[("transport.duplicate_threshold", json!(threshold))]);
        let mut simulation = simulation(&scenario, 1);
        simulation.lose_transmissions(vec![33]);
        while simulation.counters().loss_events == 0 {
            simulation.step(u64::MAX);
        }
        simulation.time()
    };
    let [two, three, many] = [2, 3, 1000].map(reduced);
    // Acknowledgements are a millisecond apart.
    assert!((three - two - 0.001).abs() < 1e-9, "{two} and {three} s");
    assert!((0.02..0.026).contains(&(many - three)), "{three} and {many} s");
}

/// Nothing is lost: times change nothing.
#[test]
fn loss_detection_differs_only_where_segments_are_lost() {
    assert_eq!(lose(by_time(), 500.0, []).end.to_bits(), lose(path("sack"), 500.0, []).end.to_bits());
}

/// BBR fills the path whatever it loses; on a shallow buffer its retransmissions are lost, too. Found by time
/// they are sent again at once; otherwise they wait for timeouts.
#[test]
fn bbr_on_a_shallow_buffer() {
    for name in ["bbr", "bbr3"] {
        for buffer in [34.0, 170.0, 680.0] {
            let found = |detection: &str| {
                let scenario = with(
                    dumbbell_of(&[name], 0.0),
                    &[
                        ("network.buffer", segments(buffer)),
                        ("transport.loss_detection", json!(detection)),
                        ("time", time(60.0, 20.0, 1)),
                    ],
                );
                let simulation = run(&scenario, 1);
                let c = simulation.counters();
                let lost = c.dropped as f64 / c.data_sent as f64;
                println!(
                    "{name}, {buffer} segments, {detection}: {:.2} % lost, {} timeouts, utilisation {:.3}",
                    100.0 * lost,
                    c.timeouts,
                    of_router(&simulation, "A", "utilisation"),
                );
                (lost, c.timeouts, of_router(&simulation, "A", "utilisation"))
            };
            let (duplicates, time) = (found("dupthresh"), found("rack"));
            assert_eq!(time.1, 0, "{name}, {buffer}: timeouts");
            assert!(time.0 <= duplicates.0 * 1.1 && time.2 >= duplicates.2 * 0.95, "{name}, {buffer}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Every algorithm with every kind of recovery delivers a file, whatever is lost, and however often.
    #[test]
    fn every_file_comes_to_its_end(
        losses in prop_oneof![
            prop::collection::vec(1..400_u64, 0..100),
            prop::collection::vec(1..60_u64, 0..60),
            (1..300_u64, 1..60_u64).prop_map(|(first, count)| (first..first + count).collect::<Vec<_>>()),
        ],
        kind in prop::sample::select(vec!["sack", "newreno", "reno", "rack", "prr", "rack and prr"]),
        known in 0..mesonet_cc::registry::ALGORITHMS.len(),
        window in prop::sample::select(vec![1.0, 2.0, 3.0, 17.0, 1e6]),
        study: bool,
        delayed: bool,
    ) {
        let recovery = if kind.contains("reno") { kind } else { "sack" };
        let name = mesonet_cc::registry::ALGORITHMS[known].name;
        let mut scenario = with(
            path(recovery),
            &[
                ("transport.loss_detection", json!(if kind.contains("rack") { "rack" } else { "dupthresh" })),
                ("transport.prr", json!(if kind.contains("prr") { "safe_ack" } else { "off" })),
                ("transport.receiver_window", json!(window)),
                ("transport.delayed_acks", json!(delayed)),
                ("transport.timeout_rule", json!(if study { "own_reduction" } else { "rfc" })),
                ("transport.initial_ssthresh", json!(if study { 2_147_483_648.0 } else { 16.0 })),
                ("algorithms", json!([algorithm(name, 1.0)])),
                ("measurement.interval", json!(1000.0)),
                ("time", time(10_000.0, 0.0, 1)),
            ],
        );
        scenario["flows"][0]["size"] = json!(200.0);
        let mut simulation = simulation(&scenario, 1);
        simulation.lose_transmissions(losses.clone());
        simulation.advance(f64::INFINITY);
        simulation.record_unfinished();
        let flows = simulation.take_flows();
        prop_assert_eq!(integer(&flows, "completed"), [1], "{} {} {:?}", name, kind, losses);
        prop_assert_eq!(integer(&flows, "segments_delivered"), [200]);
        let c = simulation.counters();
        // What is sent twice was lost or thought to be: no more than a few copies of each.
        prop_assert!(c.data_sent <= 200 + 60 * (c.dropped + 1), "{} sent, {} lost", c.data_sent, c.dropped);
    }
}
