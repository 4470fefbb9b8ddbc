//! Receivers that misbehave: divided acknowledgements, optimistic ones, marks that are not reported.

use crate::common::*;
use crate::{engines, snapshots};
use mesonet_sim::{Engine, Simulation};
use serde_json::{Value, json};

/// A flow from A to B whose receiver misbehaves.
fn bad(receiver: &str) -> Value {
    let mut flow = flow("A", "B", 0.0);
    flow["receiver"] = json!(receiver);
    if receiver == "ack_division" {
        flow["ack_pieces"] = json!(4);
    }
    flow
}

/// Two routers of 1,000 segments/s, 81 ms apart, with buffers of a bandwidth-delay product.
fn path(flows: &[Value]) -> Value {
    with(
        dumbbell(),
        &[
            ("network.speed", json!(1000.0)),
            ("network.buffer", segments(162.0)),
            ("transport.initial_window", json!(10.0)),
            ("transport.grow_only_if_cwnd_limited", json!(true)),
            ("flows", json!(flows)),
            ("time", time(60.0, 10.0, 1)),
        ],
    )
}

/// Segments of each flow that its sender takes for delivered in the last 50 s.
fn delivered(simulation: &mut Simulation, flows: usize) -> Vec<f64> {
    let series = simulation.take_series();
    (1..=flows)
        .map(|flow| {
            let column = integer(&series, &format!("flow_{flow}_delivered"));
            (column[column.len() - 1] - column[99]) as f64
        })
        .collect()
}

/// A number of the table of applications over the measured span.
fn measured(simulation: &Simulation, name: &str) -> u64 {
    let table = simulation.applications();
    let row = texts(&table, "period").iter().position(|period| period == "measured").expect("a row");
    integer(&table, name)[row]
}

/// Nothing that a sender counts in segments depends on how many acknowledgements they come in.
#[test]
fn divided_acknowledgements_change_nothing_for_a_sender_that_counts_segments() {
    let everything_of = |flow: Value| {
        let mut s = run(&path(&[flow]), 1);
        format!("{:?} {:?} {:?}", s.take_series(), s.take_flows(), s.routers())
    };
    // Watched, too: the same lanes.
    assert_eq!(everything_of(bad("ack_division")), everything_of(bad("ignores_ce")));
}

/// Savage et al. 1999, section 2.1: a sender that counts acknowledgements grows by one segment for each
/// piece. In slow start the window grows fivefold in a round trip in place of twofold, and beyond it by 4
/// segments in place of 1.
#[test]
fn divided_acknowledgements_speed_up_a_sender_that_counts_them() {
    let counting = |receiver: &str, values: &[(&str, Value)]| {
        let scenario = with(path(&[bad(receiver)]), &[("transport.window_growth", json!("acks"))]);
        let scenario = with(
            scenario,
            &[("network.speed", json!(1e5)), ("network.buffer", segments(1e6)), ("time", time(3.0, 0.0, 1))],
        );
        let mut s = run(&with(scenario, values), 1);
        float(&s.take_series(), "flow_1_cwnd").to_vec()
    };
    // The SYN takes 162 ms, and each window of 10, 50 and 250 segments a round trip more: samples of 0.3,
    // 0.4, 0.6 and 0.7 s.
    let any = [("transport.grow_only_if_cwnd_limited", json!(false))];
    let windows = counting("ack_division", &any);
    assert_eq!([windows[2], windows[3], windows[5], windows[6]], [10.0, 50.0, 250.0, 1250.0]);
    let windows = counting("ignores_ce", &any);
    assert_eq!([windows[2], windows[3], windows[5], windows[6]], [10.0, 20.0, 40.0, 80.0]);
    // A window that grows only while it is used (RFC 7661) is not much more than twice what was in flight.
    let windows = counting("ack_division", &[]);
    assert!(windows[3] < 2.0 * 10.0 + 4.0 && windows[5] < 2.0 * windows[3] + 4.0, "{windows:?}");
    let avoiding = [("transport.initial_ssthresh", json!(10.0)), ("transport.initial_window", json!(100.0))];
    // From 0.4 s to 2 s there are ten round trips.
    let growth = |receiver| {
        let windows = counting(receiver, &avoiding);
        (windows[19] - windows[3]) / 1.6 * 0.162
    };
    assert!((growth("ignores_ce") - 1.0).abs() < 0.1, "{}", growth("ignores_ce"));
    assert!((growth("ack_division") - 4.0).abs() < 0.4, "{}", growth("ack_division"));
}

/// With delayed acknowledgements a sender that counts them (RFC 2581) grows half as fast in congestion
/// avoidance.
#[test]
fn a_sender_that_counts_acknowledgements_is_slowed_down_by_delayed_ones() {
    let growth = |counts: &str| {
        let scenario = with(
            path(&[flow("A", "B", 0.0)]),
            &[
                ("transport.window_growth", json!(counts)),
                ("transport.delayed_acks", json!(true)),
                ("transport.initial_ssthresh", json!(10.0)),
                ("transport.initial_window", json!(100.0)),
                ("network.speed", json!(1e5)),
                ("network.buffer", segments(1e6)),
                ("time", time(10.0, 0.0, 1)),
            ],
        );
        let mut s = run(&scenario, 1);
        let windows = float(&s.take_series(), "flow_1_cwnd").to_vec();
        windows[windows.len() - 1] - windows[9]
    };
    let ratio = growth("acks") / growth("segments");
    assert!((ratio - 0.5).abs() < 0.03, "{ratio}");
}

/// The sender sees neither the queue nor a loss: its interface alone limits it.
#[test]
fn an_optimistic_receiver_hides_queues_and_losses() {
    let greedy = with(bad("optimistic"), &[("interface", json!(3000.0))]);
    let mut s = run(&path(&[greedy]), 1);
    let table = s.take_flows();
    assert_eq!((integer(&table, "loss_events")[0], integer(&table, "timeouts")[0]), (0, 0));
    // 3,000 segments/s leave, 1,000 pass; the smoothed round trip is the propagation delay.
    let dropped = response(&s, "segments_dropped") / 0.1;
    assert!((dropped - 2000.0).abs() < 20.0, "{dropped}");
    assert!((response(&s, "rtt") - 162.0).abs() < 1e-6);
    let received = measured(&s, "segments_received") as f64;
    assert!((received / 50_000.0 - 1.0).abs() < 0.01, "{received}");
    let claimed = delivered(&mut s, 1)[0];
    assert!((claimed / 150_000.0 - 1.0).abs() < 0.01, "{claimed}");
    // The data of others do not get through any more.
    let fast = with(bad("optimistic"), &[("interface", json!(3000.0))]);
    let mut s = run(&path(&[flow("A", "B", 0.0), fast]), 1);
    let honest = delivered(&mut s, 2)[0];
    assert!(honest < 0.05 * 50_000.0, "{honest}");
    // Without a queue and losses both receivers are alike.
    let mut s = run(&path(&[with(bad("optimistic"), &[("interface", json!(500.0))])]), 1);
    let slow = delivered(&mut s, 1)[0];
    // What left in the last 81 ms has not arrived, and what left in the last 81 ms before 10 s is claimed
    // after them.
    assert!((measured(&s, "segments_received") as f64 - slow).abs() < 0.1 * 500.0, "{slow}");
}

/// A queue that marks above 20 segments and drops above 162: one that reports no marks takes what the other
/// gives way.
#[test]
fn a_receiver_that_reports_no_marks_takes_the_share_of_others() {
    let marking = |flows: &[Value]| with(path(flows), &[("network.ecn_threshold", json!(20.0))]);
    let mut s = run(&marking(&[flow("A", "B", 0.0), flow("A", "B", 0.05)]), 1);
    let fair = delivered(&mut s, 2);
    assert!((fair[0] / fair[1] - 1.0).abs() < 0.35, "{fair:?}");
    let mut s = run(&marking(&[flow("A", "B", 0.0), bad("ignores_ce")]), 1);
    let shares = delivered(&mut s, 2);
    assert!(shares[1] > 5.0 * shares[0], "{shares:?}");
    assert!(response(&s, "segments_marked") > 0.0);
    // Alone it answers no mark, but losses as before.
    let mut s = run(&marking(&[bad("ignores_ce")]), 1);
    let ignoring = integer(&s.take_flows(), "loss_events")[0];
    let mut s = run(&path(&[bad("ignores_ce")]), 1);
    assert_eq!(integer(&s.take_flows(), "loss_events")[0], ignoring);
}

#[test]
fn the_engines_agree_and_runs_continue() {
    let mut scenario = with(everything_at_once(), &[("time", time(4.0, 1.0, 2))]);
    let access = access_routers(&scenario);
    let flows = ["ack_division", "optimistic", "ignores_ce", "optimistic"].iter().enumerate();
    let flows = flows.map(|(place, receiver)| {
        let mut flow = bad(receiver);
        flow["from"] = json!(access[place * 7]);
        flow["to"] = json!(access[place * 11 + 30]);
        flow["interface"] = json!(4000.0);
        flow["start"] = json!(0.2 * place as f64);
        flow["algorithm"] = json!(["tcp", "cubic", "dctcp", "bbr"][place]);
        flow["extra_delay"] = json!(if place == 3 { 0.004 } else { 0.0 });
        flow
    });
    scenario["flows"] = flows.collect();
    for counts in ["segments", "acks"] {
        let scenario = with(scenario.clone(), &[("transport.window_growth", json!(counts))]);
        engines::agree(&scenario, 6);
    }
    snapshots::continues(&scenario, 6, Engine::Domains, 4);
    // Marks that are not reported where acknowledgements pass routers.
    scenario["flows"] = json!([scenario["flows"][2]]);
    let queued = with(scenario, &[("network.ack_path", json!("queued"))]);
    for receiver in receivers() {
        engines::agree(&with(queued.clone(), &receiver), 7);
    }
}

#[test]
fn bad_receivers_are_refused() {
    let refused = |scenario: &Value| {
        mesonet_sim::Scenario::from_json(&scenario.to_string())
            .err()
            .map_or_else(String::new, |e| e.to_string())
    };
    for (flow, expected) in [
        (with(bad("ack_division"), &[("ack_pieces", json!(null))]), "flows[0].ack_pieces: pieces belong to"),
        (with(bad("ack_division"), &[("ack_pieces", json!(1))]), "flows[0].ack_pieces: 1 is too low"),
        (
            with(bad("ack_division"), &[("receiver", json!("optimistic"))]),
            "flows[0].ack_pieces: pieces belong to ack_division",
        ),
    ] {
        let message = refused(&path(&[flow]));
        assert!(message.starts_with(expected), "{message}");
    }
    for receiver in ["optimistic", "ack_division"] {
        let message = refused(&with(path(&[bad(receiver)]), &[("network.ack_path", json!("queued"))]));
        assert!(message.starts_with("flows[0].receiver: the acknowledgements of"), "{message}");
    }
    let mut datagrams = bad("optimistic");
    datagrams["transport"] = json!("udp");
    datagrams["application"] =
        json!({"source": {"constant": {"rate": 9.0}}, "late_after": 0.25, "report_interval": 5.0});
    let message = refused(&path(&[datagrams]));
    assert!(message.starts_with("flows[0].receiver: datagrams are not acknowledged"), "{message}");
}
