//! Links that lose, delay and reorder, and rates that vary: what a flow and a network make of them.

use crate::common::*;
use crate::{applications, engines, snapshots};
use mesonet_sim::{Engine, Scenario, Simulation};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A flow over a link of 1000 segments/s and 20 ms there and back, with impairments from A to B.
fn link(values: &[(&str, Value)]) -> Value {
    let router = |name: &str| json!({"name": name, "class": "plain", "speed_factor": 1.0});
    let link = json!({"a": 0, "b": 1, "delay": 0.01, "cost": 1.0, "capacity": [12e6, 12e6]});
    let topology = json!({"name": "link", "routers": (["A", "B"].map(router)), "links": [link]});
    let base = [
        ("topology", topology),
        ("network.queue", json!("port")),
        ("network.speed", json!(1_000_000.0)),
        ("network.buffer", segments(100.0)),
        ("impairments.at", json!(["A -> B"])),
        ("time", time(60.0, 10.0, 1)),
    ];
    with(with(dumbbell(), &base), values)
}

/// Numbers by time.
fn points(points: Value, period: Option<f64>) -> Value {
    json!({"points": points, "period": period})
}

fn refusal(scenario: &Value) -> String {
    Scenario::from_json(&scenario.to_string())
        .and_then(|scenario| Simulation::new(scenario, 1).map(|_| ()))
        .unwrap_err()
        .to_string()
}

/// Perfect links change nothing, wherever they are named.
#[test]
fn no_impairment_changes_nothing() {
    let clean = run(&link(&[]), 1);
    let with_places = run(&link(&[("impairments.at", json!(["A - B", "B -> hosts", "plain"]))]), 1);
    assert_eq!(clean.counters(), with_places.counters());
    // A loss that never happens: the way through impaired links is the same.
    let tiny = run(&link(&[("impairments.loss", json!(1e-300))]), 1);
    assert_eq!(clean.counters(), tiny.counters());
}

#[test]
fn losses_have_their_probability_and_are_dropped() {
    for p in [0.001, 0.02] {
        let run = run(&link(&[("impairments.loss", json!(p)), ("network.buffer", segments(5000.0))]), 1);
        let c = run.counters();
        assert_eq!(c.lost_on_links, c.dropped, "queues drop nothing");
        let sent = c.data_sent as f64;
        let share = c.lost_on_links as f64 / sent;
        assert!((share - p).abs() < 5.0 * (p / sent).sqrt(), "{share} of {p}");
    }
}

/// Losses do not depend on the congestion control: the first lost segment of two congestion controls is one
/// segment.
#[test]
fn algorithms_meet_the_same_luck() {
    let first_loss = |name: &str| {
        let mut scenario = link(&[
            ("impairments.loss", json!(0.002)),
            ("algorithms", json!([algorithm(name, 1.0)])),
            ("network.buffer", segments(5000.0)),
        ]);
        scenario["flows"][0]["size"] = json!(3000);
        let mut simulation = simulation(&scenario, 5);
        while simulation.counters().lost_on_links == 0 {
            assert!(simulation.step(u64::MAX));
        }
        simulation.counters().data_sent
    };
    // What is in flight differs; the segment that is lost does not.
    let [tcp, cubic] = ["tcp", "cubic"].map(first_loss);
    assert!(tcp.abs_diff(cubic) <= 60, "{tcp} {cubic}");
}

/// Three in ten are lost for two seconds, and then none.
#[test]
fn losses_follow_the_time() {
    let values =
        [("impairments.loss", points(json!([[0.0, 0.3], [20.0, 0.0]]), None)), ("time", time(40.0, 20.0, 1))];
    let all = datagrams(100.0, &[&values[..1], &[("time", time(40.0, 0.0, 1))]].concat());
    let share = all.counters().lost_on_links as f64 / 2000.0;
    assert!((share - 0.3).abs() < 5.0 * (0.21_f64 / 2000.0).sqrt(), "{share}");
    assert_eq!(response(&datagrams(100.0, &values), "lost_on_links"), 0.0);
}

/// One segment in ten comes twice, and none is created or lost otherwise. A sender is not misled: nothing is
/// retransmitted.
#[test]
fn duplicates_come_twice() {
    for ack_path in ["delay", "queued"] {
        let values = [
            ("impairments.duplicate", json!(0.1)),
            ("network.ack_path", json!(ack_path)),
            ("network.buffer", segments(5000.0)),
        ];
        let mut scenario = link(&values);
        scenario["flows"][0]["size"] = json!(10_000);
        let mut simulation = simulation(&scenario, 1);
        for second in 1..=20 {
            simulation.advance(f64::from(second));
            let (c, census) = (simulation.counters(), simulation.census());
            assert_eq!(c.entering + c.duplicated, c.leaving + c.dropped + census.queued + census.in_flight);
        }
        let c = simulation.counters();
        let share = c.duplicated as f64 / c.data_sent as f64;
        assert!((share - 0.1).abs() < 5.0 * (0.09_f64 / 10_000.0).sqrt(), "{share}");
        assert_eq!((c.completed, c.dropped, c.loss_events, c.timeouts), (1, 0, 0, 0), "{c:?}");
    }
}

/// The receiver of datagrams counts the first copy of each: what is delivered, in time and late is as without
/// copies. Losses leave messages open behind which others are complete.
#[test]
fn the_second_copy_of_a_datagram_counts_nowhere() {
    let sources = [
        json!({"constant": {"rate": 500.0}}),
        json!({"frames": {"rate": 25.0, "size": 10.0, "key_size": null, "key_every": 1}}),
    ];
    let names =
        ["datagrams_delivered", "datagram_delay_p50", "frames_sent", "frames_delivered", "frames_late"];
    for source in sources {
        let of = |duplicate: f64, loss: f64| {
            let values = [
                ("impairments.duplicate", json!(duplicate)),
                ("impairments.loss", json!(loss)),
                ("network.buffer", segments(5000.0)),
            ];
            let simulation = fed(&source, &values);
            assert_eq!(simulation.counters().duplicated > 0, duplicate > 0.0);
            names.map(|name| response(&simulation, name).to_bits())
        };
        for loss in [0.0, 0.05] {
            assert_eq!(of(1.0, loss), of(0.0, loss), "{source}");
        }
    }
}

/// The first transmissions of these segments are lost, and nothing else.
#[test]
fn listed_segments_are_lost_once() {
    let mut scenario = link(&[("network.buffer", segments(5000.0))]);
    scenario["flows"][0]["size"] = json!(500);
    scenario["flows"][0]["lost_segments"] = json!([17, 18, 400]);
    for engine in [Engine::Domains, Engine::Reference] {
        let mut simulation = begin(&scenario, 1, engine, 1);
        simulation.advance(60.0);
        let c = simulation.counters();
        assert_eq!((c.lost_on_links, c.dropped, c.delivered, c.data_sent), (3, 3, 500, 503));
        assert_eq!(c.loss_events, 2, "17 and 18 are of one window");
    }
}

/// Datagrams at twice the rate of the link: what waits is what the buffer of the time lets wait.
#[test]
fn buffers_follow_the_time() {
    for counts in ["bytes", "packets"] {
        let delay = |end: f64| {
            let values = [
                ("impairments.buffers", points(json!([[0.0, 50.0], [20.0, 5.0], [40.0, 80.0]]), None)),
                ("network.buffer_counts", json!(counts)),
                ("time", time(end, end - 10.0, 1)),
            ];
            response(&datagrams(2000.0, &values), "datagram_delay_p50")
        };
        // 11 ms on the way, and 1 ms for each of those that wait.
        for (end, waiting) in [(15.0, 50.0), (35.0, 5.0), (55.0, 80.0)] {
            assert!((delay(end) - 11.0 - waiting).abs() < 1.6, "{counts}: {} at {end} s", delay(end));
        }
    }
}

/// Outages at chosen instants lose what leaves then, or hold it.
#[test]
fn outages_come_at_their_instants() {
    let outages = points(json!([[2.0, 0.5], [4.0, 0.8], [4.2, 0.8]]), Some(10.0));
    let lost = |kind: &str| {
        let values = [
            ("impairments.outages", outages.clone()),
            ("impairments.outage", json!(kind)),
            ("time", time(30.0, 0.0, 1)),
        ];
        datagrams(100.0, &[&values[..], &[("network.buffer", segments(500.0))]].concat())
            .counters()
            .lost_on_links
    };
    assert!(lost("drop").abs_diff(450) <= 3, "{}", lost("drop"));
    assert_eq!(lost("hold"), 0);
}

/// A policer of which the rate varies passes the integral of its rate.
#[test]
fn a_policer_follows_its_rates() {
    let values = [
        ("impairments.policer_rate", points(json!([[0.0, 400.0], [2.0, 100.0]]), Some(5.0))),
        ("impairments.policer_burst", json!(5.0)),
    ];
    let delivered = response(&datagrams(800.0, &values), "datagrams_delivered");
    assert!((delivered - 10.0 * (2.0 * 400.0 + 3.0 * 100.0)).abs() < 60.0, "{delivered}");
}

/// Losses of acknowledgements alone: data arrive, later acknowledgements report them.
#[test]
fn lost_acknowledgements_cost_little() {
    let run = run(
        &link(&[
            ("impairments.loss", json!(0.1)),
            ("impairments.of", json!("acks")),
            ("impairments.at", json!(["B -> A"])),
            ("network.ack_path", json!("queued")),
            ("network.buffer", segments(25.0)),
        ]),
        1,
    );
    let c = run.counters();
    assert!(c.acks_dropped > 4_000 && c.lost_on_links == c.acks_dropped, "{c:?}");
    assert!(response(&run, "segment_rate") > 900.0, "{}", response(&run, "segment_rate"));
}

/// A segment's delay on an idle link is propagation, service and what the impairments add.
#[test]
fn delays_add_up() {
    let round_trip = |values: &[(&str, Value)]| {
        let mut scenario = link(values);
        scenario["flows"][0]["size"] = json!(1);
        let flows = run(&scenario, 1).take_flows();
        1e3 * (float(&flows, "last_acked_s")[0] - float(&flows, "first_sent_s")[0])
    };
    let clean = round_trip(&[]);
    assert!((clean - 21.001).abs() < 1e-6, "{clean}");
    let late = round_trip(&[("impairments.late", json!(1.0)), ("impairments.late_by", json!(0.005))]);
    assert!((late - clean - 5.0).abs() < 1e-6, "{late}");
    let delays = json!({"points": [[0.0, 0.002], [30.0, 0.007]], "period": 40.0});
    assert!((round_trip(&[("impairments.delays", delays)]) - clean - 2.0).abs() < 1e-6);
}

/// The link serves nothing for 200 ms in every 2 s: goodput is nine tenths, and nothing is lost.
#[test]
fn suspensions_hold_what_waits() {
    let values = [
        ("impairments.outage", json!("hold")),
        ("impairments.outage_start", json!(1.0)),
        ("impairments.outage_length", json!(0.2)),
        ("impairments.outage_period", json!(2.0)),
        ("network.buffer", segments(2000.0)),
    ];
    let held = run(&link(&values), 1);
    let rate = response(&held, "segment_rate");
    assert!((rate - 900.0).abs() < 5.0, "{rate} {:?}", held.counters());
    assert_eq!(held.counters().lost_on_links, 0);
    let utilisation = of_router(&held, "A -> B", "utilisation");
    assert!((utilisation - 1.0).abs() < 0.01, "of what the link could carry: {utilisation}");
    let dropped = run(&with(link(&values), &[("impairments.outage", json!("drop"))]), 1).counters();
    assert!(dropped.lost_on_links > 1000, "{dropped:?}");
}

/// Rates of a trace, and the opportunities of a file of mahimahi, carry what they allow.
#[test]
fn rates_follow_a_trace() {
    let rates = json!({"kind": "rates", "points": [[0.0, 1500.0], [2.0, 500.0]], "period": 4.0});
    let opportunities: Vec<[f64; 2]> = (0..100).map(|n| [0.004 * f64::from(n), 2.0]).collect();
    let opportunities = json!({"kind": "opportunities", "points": opportunities, "period": 0.4});
    for (trace, mean) in [(rates, 1000.0), (opportunities, 500.0)] {
        for discipline in ["drop_tail", "codel", "pie"] {
            let values = [
                ("impairments.capacity", trace.clone()),
                ("network.buffer", segments(2000.0)),
                ("aqm.discipline", json!(discipline)),
            ];
            let simulation = run(&link(&values), 1);
            let rate = response(&simulation, "segment_rate");
            let least = if discipline == "drop_tail" { 0.97 } else { 0.8 };
            assert!(rate > least * mean && rate < 1.01 * mean, "{discipline}: {rate} of {mean}");
            let utilisation = of_router(&simulation, "A -> B", "utilisation");
            assert!((utilisation - rate / mean).abs() < 0.02, "{discipline}: {utilisation}");
            assert_eq!(response(&simulation, "utilisation_bottleneck"), utilisation);
        }
    }
}

/// A trace that begins late has its first rate from the start, and from the start of each period.
#[test]
fn the_first_rate_of_a_trace_holds_from_the_start() {
    for period in [None, Some(4.0)] {
        let [late, early] = [1.0, 0.0].map(|first| {
            let trace = json!({"kind": "rates", "points": [[first, 1000.0], [2.0, 250.0]], "period": period});
            run(&link(&[("impairments.capacity", trace), ("time", time(10.0, 0.0, 1))]), 1)
        });
        assert_eq!(late.counters(), early.counters(), "{period:?}");
        // Half of the time with a period of 4 s, and a fifth of 10 s.
        let mean = if period.is_some() { 625.0 } else { 400.0 };
        for simulation in [late, early] {
            assert!((of_router(&simulation, "A -> B", "speed") - mean).abs() < 1e-9, "{period:?}");
        }
    }
}

/// An instant at which a hundred segments could leave: one that waits for it is the work of one.
#[test]
fn a_queue_that_waits_for_an_opportunity_is_busy_with_what_it_has() {
    let trace = json!({"kind": "opportunities", "points": [[0.05, 100.0]], "period": 0.1});
    let work = |discipline: &str| {
        let values = [
            ("impairments.capacity", trace.clone()),
            ("aqm.discipline", json!(discipline)),
            ("measurement.interval", json!(0.01)),
            ("time", time(3.0, 0.0, 1)),
        ];
        let mut scenario = link(&values);
        scenario["flows"][0]["size"] = json!(3);
        of_router(&run(&scenario, 1), "A -> B", "utilisation") * 30.0 * 100.0
    };
    // Three segments and a SYN, of the hundred of each instant.
    for discipline in ["drop_tail", "codel"] {
        assert!((work(discipline) - 4.0).abs() < 1e-6, "{discipline}: {}", work(discipline));
    }
}

/// Twice the rate of the policer is offered by a window that nothing limits: what passes is its rate.
#[test]
fn a_policer_limits_the_rate() {
    let values = [("impairments.policer_rate", json!(400.0)), ("impairments.policer_burst", json!(20.0))];
    let simulation = run(&link(&values), 1);
    let rate = response(&simulation, "segment_rate");
    assert!((280.0..=400.5).contains(&rate), "{rate}");
    assert!(simulation.counters().lost_on_links > 100);
}

/// A flow of datagrams at `rate` segments/s over the link, and its responses.
fn datagrams(rate: f64, values: &[(&str, Value)]) -> Simulation {
    fed(&json!({"constant": {"rate": rate}}), values)
}

/// Datagrams of a source over the link.
fn fed(source: &Value, values: &[(&str, Value)]) -> Simulation {
    let mut scenario = link(values);
    let flow = &mut scenario["flows"][0];
    flow["application"] = json!({"source": source, "late_after": 0.25, "report_interval": 5.0});
    flow["transport"] = json!("udp");
    run(&scenario, 1)
}

/// Traffic at twice the rate of a policer passes at its rate, whatever the bucket holds; below its rate
/// nothing is lost.
#[test]
fn a_policer_passes_its_rate() {
    for burst in [2.0, 50.0] {
        let values =
            [("impairments.policer_rate", json!(400.0)), ("impairments.policer_burst", json!(burst))];
        let delivered = |rate: f64| response(&datagrams(rate, &values), "datagrams_delivered");
        // 50 s are measured, in which the bucket is empty. What left in the last 11 ms does not arrive in
        // time.
        let late = 0.011;
        assert!((delivered(800.0) - 400.0 * (50.0 - late)).abs() < 3.0, "{}", delivered(800.0));
        assert!((delivered(399.0) - 399.0 * (50.0 - late)).abs() < 3.0, "{}", delivered(399.0));
        // The bucket holds its burst once.
        let whole = [values.as_slice(), &[("time", time(60.0, 0.0, 1))]].concat();
        let all = response(&datagrams(800.0, &whole), "datagrams_delivered");
        assert!((all - 400.0 * (60.0 - late) - burst).abs() < 3.0, "{all} with {burst}");
    }
}

/// A saturated link delivers the integral of its trace.
#[test]
fn goodput_is_the_integral_of_a_trace() {
    let rates = json!({"kind": "rates", "points": [[0.0, 700.0], [1.3, 120.0], [2.9, 0.0], [3.1, 950.0]], "period": 5.0});
    // 50 s are ten periods. Datagrams count where they left: at the end 100 are in the queue, and 11 ms of
    // the last rate on the way.
    let integral = 10.0 * (700.0 * 1.3 + 120.0 * 1.6 + 950.0 * 1.9);
    let expected = integral - 100.0 - 0.011 * 950.0;
    let delivered = response(&datagrams(2000.0, &[("impairments.capacity", rates)]), "datagrams_delivered");
    assert!((delivered - expected).abs() < 3.0, "{delivered} of {expected}");
}

/// Delays of datagrams on an idle link are propagation, service and jitter: the median of an exponential law
/// is ln 2 of its mean, its 95 % are ln 20; without order each segment has a draw of its own.
#[test]
fn jitter_has_the_quantiles_of_its_law() {
    let values = [
        ("impairments.jitter", json!("exponential")),
        ("impairments.jitter_mean", json!(0.008)),
        ("impairments.keep_order", json!(false)),
    ];
    let simulation = datagrams(200.0, &values);
    // 10 ms of propagation and services of 1 ms and 1 us.
    for (name, quantile) in [("datagram_delay_p50", 2.0), ("datagram_delay_p95", 20.0)] {
        let expected = 11.001 + 8.0 * libm::log(quantile);
        let found = response(&simulation, name);
        assert!((found / expected - 1.0).abs() < 0.04, "{name}: {found} of {expected}");
    }
}

/// Half of the time there is no jitter: the median of all delays is at its edge, and 95 % are those of the
/// tenth above.
#[test]
fn jitter_follows_its_means() {
    let values = [
        ("impairments.jitter", json!("uniform")),
        ("impairments.jitter_mean", points(json!([[0.0, 0.0], [5.0, 0.01]]), Some(10.0))),
        ("impairments.keep_order", json!(false)),
    ];
    let simulation = datagrams(200.0, &values);
    // Uniform from 0 to 20 ms: a tenth of those with jitter are above 18 ms.
    let (half, most) =
        (response(&simulation, "datagram_delay_p50"), response(&simulation, "datagram_delay_p95"));
    assert!((half - 11.001).abs() < 0.5, "{half}");
    assert!((most - (11.001 + 18.0)).abs() < 0.7, "{most}");
}

/// Order is kept unless it is not to be: late segments then make duplicate acknowledgements.
#[test]
fn segments_overtake_only_where_they_may() {
    let duplicates = |keeps: bool| {
        let values = [
            ("impairments.jitter", json!("exponential")),
            ("impairments.jitter_mean", json!(0.003)),
            ("impairments.keep_order", json!(keeps)),
            ("network.buffer", segments(5000.0)),
        ];
        let mut scenario = link(&values);
        scenario["flows"][0]["size"] = json!(2000);
        run(&scenario, 1).counters().duplicate_acks
    };
    assert_eq!(duplicates(true), 0);
    assert!(duplicates(false) > 500, "{}", duplicates(false));
}

/// Late segments, none lost: without undoing each reduction stands, with it throughput is nearly that of a
/// clean link. Senders by time learn to wait and reduce less often.
#[test]
fn spurious_reductions_are_undone() {
    let late = |undo: bool, detection: &str| {
        let mut scenario = link(&[
            ("impairments.late", json!(0.01)),
            ("impairments.late_by", json!(0.02)),
            ("impairments.keep_order", json!(false)),
            ("network.buffer", segments(5000.0)),
            ("transport.initial_ssthresh", json!(20.0)),
            ("transport.undo", json!(undo)),
            ("transport.loss_detection", json!(detection)),
        ]);
        scenario["flows"][0]["size"] = json!(20_000);
        let mut simulation = run(&scenario, 1);
        let flows = simulation.take_flows();
        let c = simulation.counters();
        assert_eq!(c.dropped, 0, "{c:?}");
        (float(&flows, "last_acked_s")[0], c.spurious_recoveries, c.loss_events)
    };
    let (with_reductions, counted, episodes) = late(false, "dupthresh");
    assert!(counted == 0 && episodes > 50, "{counted} {episodes}");
    let (undone, spurious, _) = late(true, "dupthresh");
    assert!(spurious > 50 && undone < 0.9 * with_reductions, "{undone} s, {with_reductions} s, {spurious}");
    let (_, by_time, _) = late(true, "rack");
    assert!(by_time > 0 && by_time < spurious / 2, "{by_time} of {spurious}");
}

/// Random impairments of a random network.
fn random_impairments() -> impl Strategy<Value = Value> {
    let places = prop_oneof![Just(json!(["all"])), Just(json!(["R0", "hosts"])), Just(json!(["backbone"]))];
    let of = prop_oneof![Just("data"), Just("both"), Just("acks")];
    let jitter = prop_oneof![Just("none"), Just("uniform"), Just("exponential"), Just("wifi")];
    let kinds = (of, jitter, 0usize..4, (0..recoveries().len(), 0..receivers().len()));
    (networks::random(), places, kinds, any::<[bool; 7]>()).prop_map(
        |(scenario, places, (of, jitter, capacity, (recovery, receiver)), [ports, queued, order, losses, bursts, others, ecn])| {
            let acks = if queued { "queued" } else { "delay" };
            let of = if queued { of } else { "both" };
            let capacity = match capacity {
                1 if ports => {
                    json!({"kind": "rates", "points": [[0.0, 9e3], [0.1, 0.0], [0.13, 2e4]], "period": 0.3})
                }
                2 if ports => {
                    json!({"kind": "opportunities", "points": [[0.0, 20.0], [0.004, 1.0], [0.004, 30.0]], "period": 0.007})
                }
                _ => Value::Null,
            };
            let some = |is: bool, value: f64| json!(if is { value } else { 0.0 });
            let values = [
                ("impairments.at", places),
                ("impairments.of", json!(of)),
                ("impairments.loss", if losses && others { points(json!([[0.0, 0.3], [0.4, 0.0], [0.9, 0.02]]), None) } else { some(losses, 0.02) }),
                ("impairments.to_bad", some(bursts, 0.01)),
                ("impairments.to_good", json!(0.3)),
                ("impairments.jitter", json!(jitter)),
                ("impairments.jitter_mean", if others { points(json!([[0.0, 0.001], [0.5, 0.006], [1.2, 0.002]]), Some(1.5)) } else { json!(0.002) }),
                ("impairments.duplicate", if losses { points(json!([[0.0, 0.0], [0.3, 0.1]]), None) } else { json!(0.0) }),
                ("impairments.buffers", if ports && !ecn && bursts { points(json!([[0.0, 40.0], [0.2, 3.0], [0.7, 90.0]]), Some(1.0)) } else { Value::Null }),
                ("impairments.jitter_slot", some(bursts, 0.01)),
                ("impairments.keep_order", json!(order)),
                ("transport.undo", json!(order || others)),
                ("impairments.late", some(others, 0.05)),
                ("impairments.late_by", json!(0.004)),
                ("impairments.outage", json!(if ports && capacity.is_null() { "hold" } else { "drop" })),
                ("impairments.outage_length", some(others && !order, 0.05)),
                ("impairments.outages", if others && order { points(json!([[0.2, 0.05], [0.5, 0.2]]), Some(0.9)) } else { Value::Null }),
                ("impairments.outage_period", json!(1.0)),
                ("impairments.policer_rate", if bursts && others { points(json!([[0.0, 2000.0], [0.6, 500.0]]), None) } else { json!(0.0) }),
                ("impairments.delays", if losses { json!({"points": [[0.5, 0.003], [1.0, 0.0]], "period": null}) } else { Value::Null }),
                ("impairments.capacity", capacity),
                ("aqm.ecn", json!(ecn)),
                ("aqm.discipline", json!(["drop_tail", "codel", "pie"][usize::from(ecn) + usize::from(ecn && bursts)])),
                ("network.queue", json!(if ports { "port" } else { "router" })),
                ("network.ack_path", json!(acks)),
                ("network.buffer", segments(40.0)),
            ];
            let scenario = with(with(scenario, &recoveries()[recovery]), &receivers()[receiver]);
            with(scenario, &values)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn all_engines_agree(scenario in random_impairments(), seed: u32) {
        engines::agree(&scenario, u64::from(seed));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn a_run_goes_on_from_a_snapshot(scenario in random_impairments(), seed: u32) {
        snapshots::continues(&scenario, u64::from(seed), Engine::Domains, 3);
        snapshots::continues(&scenario, u64::from(seed), Engine::Reference, 2);
    }
}

/// Users, arrivals, applications, datagrams and a receiver that misbehaves, over links that do everything.
#[test]
fn all_traffic_over_impaired_links() {
    let mut scenario = with(
        applications::everything_fed(),
        &[
            ("arrivals", json!([arrivals(json!(["all"]), json!(["all"]), 300.0)])),
            ("impairments.loss", json!(0.002)),
            ("impairments.to_bad", json!(0.001)),
            ("impairments.to_good", json!(0.2)),
            ("impairments.jitter", json!("exponential")),
            ("impairments.jitter_mean", json!(0.001)),
            ("impairments.late", json!(0.01)),
            ("impairments.late_by", json!(0.01)),
            ("impairments.keep_order", json!(false)),
            ("transport.undo", json!(true)),
            ("transport.loss_detection", json!("rack")),
            ("time", time(3.0, 1.0, 2)),
        ],
    );
    let mut optimist = scenario["flows"][0].clone();
    optimist.as_object_mut().unwrap().retain(|key, _| key != "application");
    optimist["receiver"] = json!("optimistic");
    scenario["flows"].as_array_mut().unwrap().push(optimist);
    let text = engines::agree(&scenario, 3);
    for engine in [Engine::Domains, Engine::Reference] {
        snapshots::continues_as(&scenario, 3, engine, 3, &text);
    }
    let ordered = [("impairments.keep_order", json!(true)), ("network.ack_path", json!("queued"))];
    scenario["flows"].as_array_mut().unwrap().pop();
    engines::agree(&with(scenario.clone(), &ordered), 5);
    let linux = with(with(scenario, &[("network.ack_path", json!("queued"))]), &receivers()[2]);
    let text = engines::agree(&linux, 6);
    snapshots::continues_as(&linux, 6, Engine::Domains, 3, &text);
}

#[test]
fn contradictions_are_refused() {
    let hold = [("impairments.outage", json!("hold")), ("impairments.outage_length", json!(0.1))];
    let trace = |points: Value| json!({"kind": "rates", "points": points, "period": null});
    for (values, path, part) in [
        (
            vec![("impairments.at", json!(["A -> C"])), ("impairments.loss", json!(0.1))],
            "impairments.at[0]",
            "names no link",
        ),
        (
            vec![("impairments.of", json!("acks")), ("impairments.loss", json!(0.1))],
            "impairments.of",
            "allowed with it: data",
        ),
        (
            vec![("impairments.to_bad", json!(0.1)), ("impairments.to_good", json!(0.0))],
            "impairments.to_good",
            "never end",
        ),
        (vec![("impairments.jitter", json!("wifi"))], "impairments.jitter_mean", "allowed: 1 ms to 91 ms"),
        (
            vec![
                ("impairments.jitter", json!("wifi")),
                ("impairments.jitter_mean", points(json!([[0.0, 0.01], [1.0, 0.0]]), None)),
            ],
            "impairments.jitter_mean",
            "allowed: 1 ms to 91 ms",
        ),
        (
            vec![
                ("impairments.jitter", json!("uniform")),
                ("impairments.jitter_mean", points(json!([[0.0, 11.0]]), None)),
            ],
            "impairments.jitter_mean.points[0].1",
            "at most 10",
        ),
        (
            vec![("impairments.loss", points(json!([[2.0, 0.1]]), None))],
            "impairments.loss",
            "a first point at 0 s",
        ),
        (
            vec![
                ("impairments.late", points(json!([[0.0, 0.1]]), Some(2.0))),
                ("impairments.late_by", points(json!([[0.0, 0.1]]), None)),
            ],
            "impairments.late_by",
            "one period for both",
        ),
        (
            vec![("impairments.policer_rate", points(json!([[0.0, 100.0], [1.0, 0.0]]), None))],
            "impairments.policer_rate",
            "rates above 0",
        ),
        (
            vec![("impairments.outages", points(json!([[1.0, 0.5]]), Some(1.2)))],
            "impairments.outages",
            "an outage ends at 1.5 s",
        ),
        (
            hold.iter()
                .cloned()
                .chain([("impairments.outages", points(json!([[1.0, 0.5]]), None))])
                .collect(),
            "impairments.outages",
            "one of the two",
        ),
        (
            vec![
                ("impairments.buffers", points(json!([[0.0, 5.0]]), None)),
                ("aqm.discipline", json!("codel")),
            ],
            "impairments.buffers",
            "drop_tail",
        ),
        (
            vec![
                ("impairments.buffers", points(json!([[0.0, 5.0]]), None)),
                ("network.queue", json!("router")),
            ],
            "impairments.buffers",
            "network.queue = port",
        ),
        (
            vec![
                ("impairments.late", json!(0.1)),
                ("impairments.keep_order", json!(false)),
                (
                    "network.changes",
                    json!([{"time": 1.0, "router": null, "link": ["A", "B"], "speed": null, "delay": 0.1, "factor": null}]),
                ),
            ],
            "impairments.keep_order",
            "constant delays",
        ),
        (
            vec![("impairments.outage_length", json!(2.0)), ("impairments.outage_period", json!(1.0))],
            "impairments.outage_length",
            "never works",
        ),
        (
            hold.iter().cloned().chain([("network.queue", json!("router"))]).collect(),
            "impairments.outage",
            "network.queue = port",
        ),
        (
            vec![("impairments.capacity", trace(json!([[0.0, 5.0], [1.0, 0.0]])))],
            "impairments.capacity",
            "nothing is served",
        ),
        (
            vec![("impairments.capacity", trace(json!([[1.0, 5.0], [0.5, 1.0]])))],
            "impairments.capacity",
            "point 1",
        ),
        (
            vec![("impairments.capacity", trace(json!([[0.0, 0.0], [1000.0, 5.0]])))],
            "impairments.capacity",
            "during the run",
        ),
        (vec![("impairments.capacity", trace(json!([])))], "impairments.capacity", "no point"),
        (
            vec![("impairments.delays", json!({"points": [[0.0, 101.0]], "period": null}))],
            "impairments.delays.points[0].1",
            "at most 100",
        ),
        (vec![("impairments.loss", json!(1.5))], "impairments.loss", "at most 1"),
    ] {
        let refused = refusal(&link(&values));
        assert!(refused.starts_with(&format!("{path}: ")) && refused.contains(part), "{refused}");
    }
}

/// A set with a name impairs its links alone, as `[impairments]` does its own; a link has one set.
#[test]
fn sets_impair_their_own_links() {
    let lossy = |p: f64, at: &str| with(impairments(), &[("loss", json!(p)), ("at", json!([at]))]);
    let alone = run(&link(&[("impairments.loss", json!(0.01))]), 1);
    let mut named = link(&[]);
    named["impairment_sets"] = json!({"air": lossy(0.01, "A -> B")});
    assert_eq!(alone.counters(), run(&named, 1).counters());

    // Data are lost on one link, acknowledgements on the other.
    let mut both = link(&[("impairments.loss", json!(0.01)), ("network.ack_path", json!("queued"))]);
    both["impairment_sets"] = json!({"back": lossy(0.05, "B -> A")});
    let counters = run(&both, 1).counters();
    let share = |lost: u64, of: u64| lost as f64 / of as f64;
    assert!((share(counters.dropped, counters.data_sent) - 0.01).abs() < 0.003, "{counters:?}");
    assert!((share(counters.acks_dropped, counters.leaving) - 0.05).abs() < 0.006, "{counters:?}");
    engines::agree(&both, 3);

    both["impairment_sets"]["back"]["at"] = json!(["A - B"]);
    let refused = refusal(&both);
    assert!(refused.starts_with("impairments.back.at: A -> B is a link of impairments already"), "{refused}");
    both["impairment_sets"]["back"]["at"] = json!(["B -> A"]);
    both["impairment_sets"]["back"]["loss"] = json!(2.0);
    assert!(refusal(&both).starts_with("impairments.back.loss: 2 is too high"), "{}", refusal(&both));
}

/// A segment measures round trips of 281 s: links that delay more in all are refused, whatever delays them.
#[test]
fn delays_of_links_are_held_against_the_longest_round_trip() {
    let steps = |delay: f64| json!({"points": [[0.0, delay]], "period": null});
    let long = |values: &[(&str, Value)]| with(link(values), &[("time", time(500.0, 10.0, 1))]);
    let both_ways = |delay| {
        long(&[("impairments.delays", steps(delay)), ("impairments.at", json!(["A - B", "B -> hosts"]))])
    };
    // 100 s each on two links of the data alone, and of acknowledgements too.
    assert!(Scenario::from_json(&both_ways(100.0).to_string()).and_then(|s| Simulation::new(s, 1)).is_ok());
    let queued = with(both_ways(100.0), &[("network.ack_path", json!("queued"))]);
    let refused = refusal(&queued);
    assert!(
        refused.starts_with("impairments: links on one round trip delay a segment by up to 400 s"),
        "{refused}"
    );
    let random =
        long(&[("impairments.jitter", json!("exponential")), ("impairments.jitter_mean", json!(10.0))]);
    assert!(refusal(&random).contains("up to 367 s"), "{}", refusal(&random));
    let held = [("impairments.outage", json!("hold")), ("impairments.outage_length", json!(300.0))];
    assert!(refusal(&long(&held)).contains("up to 300 s"), "{}", refusal(&long(&held)));
}
