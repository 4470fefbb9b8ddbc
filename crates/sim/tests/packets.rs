//! Events of single segments: they are what the run counts, name the transmissions that were lost, and change
//! nothing.

use crate::common::*;
use mesonet_sim::measure::Table;
use mesonet_sim::{Engine, Scenario, Simulation};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// One flow of 400 segments whose packets are traced, over a path that drops nothing.
fn traced() -> Value {
    let mut scenario = with(
        dumbbell(),
        &[
            ("network.buffer", segments(10_000.0)),
            ("trace.flows", json!([1])),
            ("trace.packets", json!(true)),
            ("time", time(60.0, 0.0, 1)),
        ],
    );
    scenario["flows"][0]["size"] = json!(400.0);
    scenario
}

/// Values of a column in the rows of some events.
fn of(packets: &Table, events: &[&str], name: &str) -> Vec<u64> {
    let rows = texts(packets, "event").iter().zip(integer(packets, name));
    rows.filter(|(event, _)| events.contains(&event.as_str())).map(|(_, value)| *value).collect()
}

/// The transmissions with these numbers are lost; the events, and the run.
fn lose(scenario: &Value, numbers: &[u64]) -> (Table, Simulation) {
    let mut simulation = simulation(scenario, 1);
    simulation.lose_transmissions(numbers.to_vec());
    simulation.advance(f64::INFINITY);
    (simulation.take_packets(), simulation)
}

/// By every recovery: each transmission has a number, those that are lost are known by it, and their segments
/// are sent again after that.
#[test]
fn losses_have_the_numbers_of_what_was_lost() {
    for (recovery, receiver) in recoveries().iter().zip([0, 1, 0, 0, 2]) {
        let scenario = with(with(traced(), recovery), &receivers()[receiver]);
        let lost = [5, 20, 21, 90];
        let (packets, mut run) = lose(&scenario, &lost);
        let departures = of(&packets, &["sent", "retransmitted"], "transmission");
        assert_eq!(departures, (1..=departures.len() as u64).collect::<Vec<_>>(), "{recovery:?}");
        assert_eq!(of(&packets, &["sent"], "segment"), (1..=400).collect::<Vec<_>>());
        assert_eq!(of(&packets, &["dropped"], "transmission"), lost, "{recovery:?}");
        let found: BTreeSet<u64> = of(&packets, &["lost"], "transmission").into_iter().collect();
        assert!(lost.iter().all(|number| found.contains(number)), "{recovery:?}: {found:?}");
        let acknowledged: BTreeSet<u64> = of(&packets, &["acknowledged"], "segment").into_iter().collect();
        assert_eq!(acknowledged, (1..=400).collect());
        let flows = run.take_flows();
        assert_eq!(integer(&flows, "segments_sent"), [departures.len() as u64]);
        assert_eq!(integer(&flows, "losses"), [4]);
        if recovery.is_empty() {
            assert_eq!((found.len(), departures.len()), (4, 404));
            assert_eq!(of(&packets, &["lost"], "segment"), of(&packets, &["retransmitted"], "segment"));
        }
    }
}

/// An acknowledgement names the transmission that arrived: a round trip after it left, and no dropped one.
#[test]
fn acknowledgements_name_the_transmission_that_arrived() {
    for recovery in recoveries() {
        let (packets, _) = lose(&with(traced(), &recovery), &[8, 9, 30]);
        let dropped = of(&packets, &["dropped"], "transmission");
        let (mut departures, mut acknowledged) = (vec![], 0);
        let segments = integer(&packets, "segment").iter().zip(integer(&packets, "transmission"));
        let rows = texts(&packets, "event").iter().zip(float(&packets, "time_s")).zip(segments);
        for ((event, time), (segment, transmission)) in rows {
            match event.as_str() {
                "sent" | "retransmitted" => departures.push((segment, time)),
                "acknowledged" => {
                    let departure = departures[*transmission as usize - 1];
                    assert_eq!(departure.0, segment);
                    assert!(time - departure.1 > 0.16 && !dropped.contains(transmission), "{recovery:?}");
                    acknowledged += 1;
                }
                _ => {}
            }
        }
        assert!(acknowledged >= 400, "{recovery:?}");
    }
}

/// The last segments of a flow have nothing behind them: the timer finds them lost.
#[test]
fn a_timeout_loses_all_that_is_outstanding() {
    let (packets, run) = lose(&traced(), &[399, 400]);
    assert_eq!(run.counters().timeouts, 1);
    assert_eq!(of(&packets, &["lost"], "segment"), [399, 400]);
    assert_eq!(of(&packets, &["retransmitted"], "transmission"), [401, 402]);
}

/// Queues, marks and drops of many flows, by two engines: the events are those that the run counts.
#[test]
fn events_are_what_the_run_counts() {
    let traced: Vec<u64> = (0..60).collect();
    let values = [("trace.sources", json!(traced)), ("time", time(6.0, 1.0, 2))];
    let scenario = with(everything_at_once(), &values);
    for (engine, threads) in [(Engine::Domains, 2), (Engine::Reference, 1)] {
        let mut simulation = begin(&scenario, 5, engine, threads);
        simulation.advance(f64::INFINITY);
        simulation.record_unfinished();
        let (packets, flows) = (simulation.take_packets(), simulation.take_flows());
        assert!(float(&packets, "time_s").is_sorted());
        let count = |source: u64, events: &[&str]| {
            let rows = texts(&packets, "event").iter().zip(texts(&packets, "flow"));
            let name = format!("source {source}");
            rows.filter(|(event, flow)| events.contains(&event.as_str()) && **flow == name).count() as u64
        };
        let sum = |source: u64, name: &str| {
            let rows = integer(&flows, "source").iter().zip(integer(&flows, name));
            rows.filter(|row| *row.0 == source).map(|row| row.1).sum::<u64>()
        };
        for &source in &traced {
            assert_eq!(count(source, &["sent", "retransmitted"]), sum(source, "segments_sent"), "{source}");
            assert_eq!(count(source, &["dropped"]), sum(source, "losses"), "{source}");
            assert!(count(source, &["acknowledged"]) >= sum(source, "segments_delivered"), "{source}");
        }
        assert!(of(&packets, &["dropped"], "marked").len() > 100);
        assert!(of(&packets, &["acknowledged"], "marked").contains(&1));
    }
}

/// A run whose packets are traced is the run without.
#[test]
fn a_look_at_packets_changes_nothing() {
    for (place, recovery) in recoveries().iter().enumerate() {
        let scenario = with(
            with(everything_at_once(), &receivers()[place % 3]),
            &[("time", time(3.0, 1.0, 2)), ("network.ack_path", json!(["delay", "queued"][place % 2]))],
        );
        let all = |packets: bool| {
            let scenario = with(with(scenario.clone(), recovery), &[("trace.packets", json!(packets))]);
            everything(begin(&scenario, 3, Engine::Domains, 1), 1.0, |mut simulation, _| {
                simulation.take_packets();
                simulation
            })
        };
        assert!(all(true) == all(false), "{recovery:?}");
    }
}

#[test]
fn packets_of_no_flow_are_refused() {
    let scenario = with(dumbbell(), &[("trace.packets", json!(true))]);
    let scenario = Scenario::from_json(&scenario.to_string()).unwrap();
    let refused = Simulation::new(scenario, 1).unwrap_err().to_string();
    assert!(refused.contains("trace.packets") && refused.contains("trace.flows"), "{refused}");
}
