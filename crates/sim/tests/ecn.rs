//! Marks: which segments get one, and what their flows do about it.

use crate::common::*;
use serde_json::{Value, json};

/// A path of 21 segments/ms and 3.24 ms with a deep buffer, which holds 70 segments without a queue.
fn path(algorithms: &[&str], threshold: Option<f64>) -> Value {
    with(
        dumbbell_of(algorithms, 0.1),
        &[
            ("network.delay_multiplier", json!(0.02)),
            ("network.buffer", segments(20_000.0)),
            ("network.ecn_threshold", json!(threshold)),
            ("time", time(20.0, 5.0, 1)),
            ("measurement.interval", json!(0.01)),
        ],
    )
}

/// Alizadeh et al., SIGCOMM 2010, section 3.3: N flows in step swing between K + N and K + N - sqrt(N (C
/// RTT + K) / 2) segments, and alpha^2 (1 - alpha / 4) = (2 W + 1) / (W + 1)^2 at a critical window of W = (C
/// RTT + K) / N. The threshold of 65 is above C RTT / 7, so the path stays full.
#[test]
fn dctcp_keeps_the_queue_near_the_threshold() {
    for flows in [1, 2] {
        let simulation = run(&path(&vec!["dctcp"; flows], Some(65.0)), 1);
        assert_eq!(response(&simulation, "total_segments_dropped"), 0.0);
        assert!(of_router(&simulation, "A", "utilisation") > 0.999);
        let n = flows as f64;
        let window = (70.0 + 65.0) / n;
        let swing = (n * (70.0 + 65.0) / 2.0).sqrt();
        let (mean, most) =
            (of_router(&simulation, "A", "queue_mean"), of_router(&simulation, "A", "queue_max"));
        assert!(most <= 65.0 + 2.0 * n + 1.0, "{flows}: at most {most}");
        assert!((65.0 - swing..=65.0 + n + 1.0).contains(&mean), "{flows}: {mean} on average");
        let marked = response(&simulation, "segments_marked") / response(&simulation, "segments_leaving");
        let model = (2.0 * window + 1.0) / ((window + 1.0) * (window + 1.0));
        let found = marked * marked * (1.0 - marked / 4.0);
        println!("{flows}: share {marked:.4}, model {:.4}, queue {mean:.1} (at most {most})", model.sqrt());
        assert!((0.7..1.4).contains(&(found / model)), "{flows}: a share of {marked} marked");
    }
}

/// RFC 3168, section 6.1.2: one reduction for all marks of a round trip, no retransmission, no loss.
#[test]
fn standard_tcp_halves_once_a_round_trip() {
    let mut simulation = simulation(&path(&["tcp"], Some(65.0)), 1);
    let (mut reductions, mut last) = (0, -1.0);
    while simulation.time() < 20.0 {
        simulation.step(u64::MAX);
        if simulation.counters().loss_events > reductions {
            reductions += 1;
            assert_eq!(simulation.counters().loss_events, reductions);
            assert!(simulation.time() - last > 0.003_24, "{} s after the last one", simulation.time() - last);
            last = simulation.time();
        }
        if simulation.finished() {
            break;
        }
    }
    let c = simulation.counters();
    assert!(reductions > 20, "{reductions}");
    assert!(c.marked > reductions && c.dropped == 0 && c.timeouts == 0, "{c:?}");
    assert_eq!(c.data_sent - c.delivered, simulation.flow_window(0).floor() as u64, "nothing was sent twice");
}

/// RFC 3168, section 6.1.2, and RFC 8257, section 3.5: once per window of data, be it for a mark or for a
/// loss. One transmission of a flow that was marked once is lost: whenever it left before the reduction for
/// the mark, that is the only one; from the next transmission on, there are two. Every kind of recovery
/// repairs the loss.
#[test]
fn a_mark_and_a_loss_in_one_window_reduce_once() {
    for (recovery, detection, prr) in [
        ("sack", "dupthresh", "off"),
        ("sack", "dupthresh", "safe_ack"),
        ("sack", "rack", "safe_ack"),
        ("newreno", "dupthresh", "off"),
        ("reno", "dupthresh", "off"),
    ] {
        for name in ["tcp", "cubic", "dctcp", "htcp", "westwood"] {
            let scenario = with(
                dumbbell_of(&[name], 0.0),
                &[
                    ("network.speed", json!(1000.0)),
                    ("network.delay_multiplier", json!(100.0 / 162.1)),
                    ("network.buffer", segments(1000.0)),
                    // Slow start passes it once; half of that window is far from it.
                    ("network.ecn_threshold", json!(20.0)),
                    ("connection.establish", json!(false)),
                    ("transport.recovery", json!(recovery)),
                    ("transport.loss_detection", json!(detection)),
                    ("transport.prr", json!(prr)),
                    ("transport.min_rto", json!(0.3)),
                    ("time", time(2.0, 0.0, 1)),
                ],
            );
            // Reductions after 1.5 s, and timeouts.
            let found = |lost: Option<u64>| {
                let mut simulation = simulation(&scenario, 1);
                simulation.lose_transmissions(lost.into_iter().collect());
                simulation.advance(1.5);
                let c = simulation.counters();
                assert!(lost.is_none() || c.dropped == 1);
                (c.loss_events, c.timeouts)
            };
            assert_eq!(found(None), (1, 0), "{name}: one mark is answered");
            // What had been sent when it was.
            let mut calm = simulation(&scenario, 1);
            while calm.counters().loss_events == 0 {
                calm.step(u64::MAX);
            }
            let sent = calm.counters().data_sent;
            for lost in (sent - 60..sent + 40).step_by(3) {
                let expected = if lost <= sent { 1 } else { 2 };
                assert_eq!(
                    found(Some(lost)),
                    (expected, 0),
                    "{name}, {recovery}, {detection}, {prr}: {lost} of {sent}"
                );
            }
        }
    }
}

/// RFC 9331, section 4.3, and dctcp_react_to_loss of Linux: a reduction for a mark covers no loss. BBRv3
/// takes both into its model, and enters fast recovery for the loss.
#[test]
fn a_loss_after_a_mark_is_one_more_for_scalable_controls() {
    for (name, constants) in [
        ("prague", json!({})),
        ("dctcp", json!({"loss_after_mark": 1.0})),
        ("bbr3", json!({"ecn": 1.0, "ecn_max_rtt": 1.0})),
    ] {
        let mut scenario = with(
            dumbbell_of(&[name], 0.0),
            &[
                ("network.speed", json!(1000.0)),
                ("network.delay_multiplier", json!(100.0 / 162.1)),
                ("network.buffer", segments(1000.0)),
                ("network.ecn_threshold", json!(20.0)),
                ("connection.establish", json!(false)),
                ("time", time(2.0, 0.0, 1)),
            ],
        );
        for (constant, value) in constants.as_object().unwrap() {
            scenario["algorithms"][0]["parameters"][constant] = value.clone();
        }
        let mut calm = simulation(&scenario, 1);
        while calm.counters().loss_events == 0 {
            calm.step(u64::MAX);
        }
        let (sent, marked) = (calm.counters().data_sent, calm.time());
        // The losses before the next round trip with marks.
        let events = |lost: Option<u64>| {
            let mut simulation = simulation(&scenario, 1);
            simulation.lose_transmissions(lost.into_iter().collect());
            simulation.advance(marked + 0.19);
            assert!(lost.is_none() || simulation.counters().dropped == 1);
            simulation.counters().loss_events
        };
        assert_eq!(events(None), 1, "{name}");
        for lost in (sent - 60..sent - 30).step_by(3) {
            assert_eq!(events(Some(lost)), 2, "{name}: {lost} of {sent}");
        }
    }
}

/// L4STeam tcp_prague.c, prague_enter_cwr: from 500 round trips on, marks of 25 ms are answered once. Before,
/// those of a real round trip are.
#[test]
fn prague_reduces_once_per_virtual_round_trip() {
    // 7 segments without a queue: the window swings by one, every few round trips.
    let scenario = with(path(&["prague"], Some(2.0)), &[("network.speed", json!(2000.0))]);
    let mut simulation = simulation(&scenario, 1);
    let (mut last, mut soon, mut late) = (f64::NAN, 0, 0);
    let mut reductions = 0;
    while simulation.time() < 19.9 && simulation.step(u64::MAX) {
        if simulation.counters().loss_events == reductions {
            continue;
        }
        reductions += 1;
        let (now, gap) = (simulation.time(), simulation.time() - last);
        last = now;
        // 500 round trips of 3.24 to 6 ms are over after 1.6 to 3 s.
        if now < 1.6 {
            soon += u64::from(gap < 0.024);
        } else if now > 3.5 {
            late += 1;
            assert!(gap > 0.025 - 1e-9, "{gap} s after the last one, at {now} s");
        }
    }
    assert!(soon > 10 && late > 100, "{soon} {late}");
}

/// Alpha is a share of segments, whatever makes windows grow: with marks on every segment it would exceed 1,
/// and the window would fall to its least.
#[test]
fn marks_are_shares_where_acknowledgements_are_counted() {
    for (name, pieces) in [("dctcp", None), ("prague", None), ("dctcp", Some(4))] {
        let mut scenario = with(
            path(&[name], Some(20.0)),
            &[("transport.window_growth", json!("acks")), ("transport.delayed_acks", json!(true))],
        );
        if pieces.is_some() {
            scenario["flows"][0]["receiver"] = json!("ack_division");
            scenario["flows"][0]["ack_pieces"] = json!(pieces);
        }
        let simulation = run(&scenario, 1);
        let utilisation = of_router(&simulation, "A", "utilisation");
        assert!(utilisation > 0.97, "{name}: {utilisation}");
        assert!(simulation.counters().marked > 1000);
    }
}

/// BBR does not answer marks, so it gets none, however long the queue of the other flow.
#[test]
fn flows_that_do_not_understand_marks_get_none() {
    let marked = |algorithms: &[&str], threshold| run(&path(algorithms, threshold), 1).counters().marked;
    assert!(marked(&["tcp", "bbr"], Some(65.0)) > 0);
    assert!(marked(&["bbr", "bbr3"], Some(0.0)) == 0);
    assert_eq!(marked(&["dctcp", "tcp"], None), 0);
}

/// Without a threshold DCTCP is standard TCP.
#[test]
fn dctcp_without_marks_is_standard_tcp() {
    let windows = |name: &str| {
        let scenario = with(dumbbell_of(&[name], 0.0), &[("time", time(30.0, 0.0, 1))]);
        let series = run(&scenario, 1).take_series();
        (float(&series, "flow_1_cwnd").to_vec(), integer(&series, "segments_dropped").to_vec())
    };
    assert_eq!(format!("{:?}", windows("dctcp")), format!("{:?}", windows("tcp")));
}

/// Users of paced, marked and unpaced flows on a congested network.
fn mixed() -> Value {
    let share = |name: &str| algorithm(name, 0.25);
    with(
        abilene(),
        &[
            ("users.base_sources", json!(20.0)),
            ("network.speed", json!(40_000.0)),
            ("network.ecn_threshold", json!(20.0)),
            ("algorithms", json!([share("dctcp"), share("bbr"), share("bbr3"), share("tcp")])),
        ],
    )
}

#[test]
fn no_segment_is_lost_sight_of() {
    let mut simulation = simulation(&mixed(), 3);
    for step in 1..=40 {
        simulation.advance(f64::from(step) * 0.5);
        let (c, census) = (simulation.counters(), simulation.census());
        assert_eq!(c.entering, c.leaving + c.dropped + census.queued + census.in_flight, "step {step}");
    }
    let c = simulation.counters();
    assert!(c.marked > 1000 && c.dropped > 1000 && c.completed > 1000, "{c:?}");
}

#[test]
fn one_seed_gives_one_result_however_it_is_sliced() {
    let text = |slice: f64| {
        let mut simulation = run_in_slices(&mixed(), 5, slice);
        format!("{:?} {:?} {:?}", simulation.responses(), simulation.take_series(), simulation.take_flows())
    };
    assert_eq!(text(20.0), text(0.37));
}

#[test]
fn a_threshold_is_not_negative() {
    let scenario = path(&["dctcp"], Some(-1.0));
    let refused = mesonet_sim::Scenario::from_json(&scenario.to_string()).unwrap_err();
    assert_eq!(refused.path, "network.ecn_threshold");
}

/// A hop that clears the field before the bottleneck leaves nothing to mark; behind it, it hides the marks,
/// and the flow fills the buffer. A hop that makes ECT(0) of ECT(1) moves a flow into the classic queue of
/// DualPI2.
#[test]
fn hops_rewrite_the_ecn_field() {
    let under = |rewrite: &str, at: &str| {
        let scenario = with(
            path(&["prague"], None),
            &[
                ("network.queue", json!("port")),
                ("network.buffer", segments(1000.0)),
                ("network.ecn_rewrite", json!(rewrite)),
                ("network.ecn_rewrite_at", json!([at])),
                ("aqm.discipline", json!("dualpi2")),
                ("aqm.ecn", json!(true)),
            ],
        );
        let simulation = run(&scenario, 1);
        let of = |name: &str| of_router(&simulation, "A -> B", name);
        [of("segments_marked"), of("segments_dropped"), of("delay_p50_ms")]
    };
    let [marked, dropped, delay] = under("none", "all");
    assert!(marked > 100.0 && dropped == 0.0 && delay < 2.0, "{marked} {dropped} {delay}");
    for (at, is_marked) in [("A -> B", false), ("B -> hosts", true)] {
        let [marked, dropped, delay] = under("not_ect", at);
        assert_eq!(marked > 0.0, is_marked, "{at}");
        assert!(dropped > 0.0 && delay > 5.0, "{at}: {dropped} {delay}");
    }
    let [classic, _, deep] = under("ect0", "A -> B");
    assert!(classic > 0.0 && classic < marked && deep > delay, "{classic} {deep}");
    assert_eq!(under("ect1", "A -> B"), [marked, dropped, delay], "Prague sends ECT(1)");
}

/// ECN++: a queue marks a SYN instead of dropping it, and the flow begins with the window of a repeated SYN.
#[test]
fn marked_syns_begin_with_the_small_window() {
    let first_window = |ecn: bool| {
        let mut scenario = with(
            path(&["dctcp"; 2], Some(0.0)),
            &[
                ("connection.ecn", json!(ecn)),
                ("connection.window_after_retry", json!(1.0)),
                ("transport.initial_window", json!(10.0)),
            ],
        );
        scenario["flows"][1]["start"] = json!(10.0);
        let mut simulation = simulation(&scenario, 1);
        simulation.advance(10.0);
        while simulation.flow_window(1).is_nan() {
            assert!(simulation.step(u64::MAX), "it never begins");
        }
        simulation.flow_window(1)
    };
    assert_eq!([first_window(false), first_window(true)], [10.0, 1.0]);
}

/// RFC 3168, section 6.1.2: while the echo of a mark lasts, about a round trip, windows do not grow. The next
/// one begins with the window of the reduction. Accurate feedback changes nothing about that: DCTCP rests,
/// too.
#[test]
fn windows_rest_for_a_round_trip_after_a_mark() {
    for name in ["tcp", "cubic", "htcp", "dctcp"] {
        let mut simulation = simulation(&path(&[name], Some(65.0)), 1);
        while simulation.counters().loss_events < 5 {
            assert!(simulation.step(u64::MAX));
        }
        let (since, reduced) = (simulation.time(), simulation.flow_window(0));
        let mut grown = None;
        while grown.is_none() && simulation.step(u64::MAX) {
            grown = (simulation.flow_window(0) > reduced).then(|| simulation.time() - since);
        }
        // Propagation is 3.24 ms, and the queue some 2 ms.
        let wait = grown.expect("it grows again");
        assert!(wait > 0.003_24, "{name}: {wait} s");
    }
}
