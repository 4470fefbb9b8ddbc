//! The table of units: flows by user, period and class; and the classes of flows.

use crate::common::*;
use crate::engines::agree;
use crate::snapshots::continues;
use mesonet_sim::measure::Table;
use mesonet_sim::{Engine, Simulation};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const WARMUP: f64 = 1.0;
const PERIODS: u32 = 3;

/// Small Abilene with users, arrivals between places, a bulk flow, and files that are sent during the run.
fn busy() -> Value {
    let file = |from, to, start| with(flow(from, to, start), &[("size", json!(400.0))]);
    let flows = json!([flow("A1a", "K0a", 0.5), file("C1a", "D1a", 0.2), file("B0a", "B2a", 2.0)]);
    let values = [
        ("network.speed", json!(20_000.0)),
        ("network.buffer", segments(12.0)),
        ("algorithms", json!([algorithm("tcp", 0.5), algorithm("cubic", 0.5)])),
        ("flows", flows),
        ("arrivals", json!([arrivals(json!(["A1a", "H0a"]), json!(["all"]), 12.0)])),
        ("time", time(7.0, WARMUP, PERIODS)),
        ("measurement.units", json!(true)),
    ];
    with(abilene(), &values)
}

/// Columns of words, joined: the names of the rows.
fn rows(table: &Table, columns: &[&str]) -> Vec<String> {
    let words = columns.iter().map(|name| texts(table, name));
    let joined = |row: usize| words.clone().map(|column| column[row].as_str()).collect::<Vec<_>>().join("|");
    (0..texts(table, columns[0]).len()).map(joined).collect()
}

/// Sums of values by the name of their row.
fn sums<'a>(names: &[String], values: impl IntoIterator<Item = &'a f64>) -> BTreeMap<String, f64> {
    let mut sums = BTreeMap::new();
    for (name, value) in names.iter().zip(values) {
        *sums.entry(name.clone()).or_default() += value;
    }
    sums
}

fn whole(table: &Table, name: &str) -> Vec<f64> {
    integer(table, name).iter().map(|value| *value as f64).collect()
}

/// A mean times its number, which is its sum: 0 without any.
fn sum_of(table: &Table, mean: &str, count: &str) -> Vec<f64> {
    let each = float(table, mean).iter().zip(integer(table, count));
    each.map(|(mean, count)| if *count == 0 { 0.0 } else { mean * *count as f64 }).collect()
}

fn assert_near(one: &BTreeMap<String, f64>, other: &BTreeMap<String, f64>, within: f64, what: &str) {
    let with_value = |sums: &BTreeMap<String, f64>| {
        sums.iter().filter(|(_, sum)| **sum != 0.0).map(|(name, _)| name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(with_value(one), with_value(other), "{what}");
    for (name, sum) in one {
        let other = other.get(name).copied().unwrap_or(0.0);
        assert!((sum - other).abs() <= within * sum.abs().max(1.0), "{what} of {name}: {sum} {other}");
    }
}

#[test]
fn units_add_up_to_groups() {
    let simulation = run(&busy(), 3);
    let (units, groups) = (simulation.units(), simulation.groups());
    let names = ["period", "path_class", "rate_class", "algorithm"];
    let of_units = rows(&units, &names);
    let of_groups = rows(&groups, &names);
    let is_part = |name: &String| !name.starts_with("measured") && !name.ends_with("all");
    let by_group = |values: Vec<f64>| {
        let mut sums = sums(&of_groups, &values);
        sums.retain(|name, _| is_part(name));
        sums
    };
    for (of_unit, of_group, within) in [
        (whole(&units, "flows"), whole(&groups, "flows"), 0.0),
        (float(&units, "flow_seconds").to_vec(), float(&groups, "flow_seconds").to_vec(), 1e-12),
        (sum_of(&units, "mean_size", "flows"), sum_of(&groups, "mean_size", "flows"), 1e-12),
        (sum_of(&units, "goodput", "flows"), sum_of(&groups, "goodput", "flows"), 1e-12),
        (whole(&units, "losses"), sum_of(&groups, "losses_per_flow", "flows"), 1e-12),
        (whole(&units, "timeouts"), sum_of(&groups, "timeouts_per_flow", "flows"), 1e-12),
        (whole(&units, "loss_events"), sum_of(&groups, "loss_events_per_flow", "flows"), 1e-12),
        (
            whole(&units, "segments_delivered"),
            float(&groups, "throughput")
                .iter()
                .zip(float(&groups, "flow_seconds"))
                .map(|(a, b)| a * b)
                .collect(),
            1e-12,
        ),
    ] {
        assert_near(&sums(&of_units, &of_unit), &by_group(of_group), within, "a sum");
    }
}

/// All that flows have, by period: users, explicit flows and arrivals.
#[test]
fn units_add_up_to_flows() {
    let mut simulation = run(&busy(), 4);
    let (units, flows) = (simulation.units(), simulation.take_flows());
    let names = ["user", "pop", "access", "algorithm", "path_class", "rtt_class", "rate_class"];
    let (last, completed) = (float(&flows, "last_acked_s"), integer(&flows, "completed"));
    let length = (7.0 - WARMUP) / f64::from(PERIODS);
    // A flow counts for the period in which it completes.
    let counts = |row: &usize| completed[*row] == 1 && last[*row] > WARMUP;
    let places: Vec<usize> = (0..completed.len()).filter(counts).collect();
    let of_flows: Vec<String> = rows(&flows, &names);
    let of_flows: Vec<String> = places
        .iter()
        .map(|row| format!("{}|{}", ((last[*row] - WARMUP) / length).ceil(), of_flows[*row]))
        .collect();
    let of_units = rows(&units, &[&["period"][..], &names].concat());
    let from_flows = |value: &dyn Fn(usize) -> f64| {
        sums(
            &of_flows,
            &places
                .iter()
                .map(|row| value(*row))
                .map(|v| if v.is_nan() { 0.0 } else { v })
                .collect::<Vec<_>>(),
        )
    };
    let column = |name: &'static str| {
        let values = float(&flows, name);
        move |row: usize| values[row]
    };
    let count = |name: &'static str| {
        let values = integer(&flows, name);
        move |row: usize| values[row] as f64
    };
    let started = float(&flows, "started_s");
    let time = |row: usize| last[row] - started[row];
    let known = |name: &'static str| {
        let values = float(&flows, name);
        move |row: usize| f64::from(u8::from(!values[row].is_nan()))
    };
    let log = |value: f64| libm::log(value);
    // Goodputs are rounded down to 2^-10 segments/s, logarithms to 2^-24.
    for (name, of_unit, of_flow, within) in [
        ("flows", whole(&units, "flows"), from_flows(&|_| 1.0), 0.0),
        ("mean_size", sum_of(&units, "mean_size", "flows"), from_flows(&column("size")), 1e-12),
        ("segments_sent", whole(&units, "segments_sent"), from_flows(&count("segments_sent")), 0.0),
        ("loss_events", whole(&units, "loss_events"), from_flows(&count("loss_events")), 0.0),
        ("losses", whole(&units, "losses"), from_flows(&count("losses")), 0.0),
        ("timeouts", whole(&units, "timeouts"), from_flows(&count("timeouts")), 0.0),
        ("goodput", sum_of(&units, "goodput", "flows"), from_flows(&column("goodput")), 1e-3),
        (
            "goodput_log",
            sum_of(&units, "goodput_log", "flows"),
            from_flows(&|row| log(float(&flows, "goodput")[row])),
            1e-6,
        ),
        ("completion_time", sum_of(&units, "completion_time", "flows"), from_flows(&time), 1e-9),
        (
            "completion_time_log",
            sum_of(&units, "completion_time_log", "flows"),
            from_flows(&|row| log(time(row))),
            1e-6,
        ),
        ("slowdown_flows", whole(&units, "slowdown_flows"), from_flows(&known("slowdown")), 0.0),
        ("slowdown", sum_of(&units, "slowdown", "slowdown_flows"), from_flows(&column("slowdown")), 1e-12),
        (
            "slowdown_log",
            sum_of(&units, "slowdown_log", "slowdown_flows"),
            from_flows(&|row| log(float(&flows, "slowdown")[row])),
            1e-6,
        ),
        (
            "queueing_delay_flows",
            whole(&units, "queueing_delay_flows"),
            from_flows(&known("queueing_delay_ms")),
            0.0,
        ),
        (
            "queueing_delay_ms",
            sum_of(&units, "queueing_delay_ms", "queueing_delay_flows"),
            from_flows(&column("queueing_delay_ms")),
            1e-9,
        ),
        ("rtt_flows", whole(&units, "rtt_flows"), from_flows(&known("rtt_ms")), 0.0),
        ("rtt_ms", sum_of(&units, "rtt_ms", "rtt_flows"), from_flows(&column("rtt_ms")), 1e-9),
    ] {
        assert_near(&sums(&of_units, &of_unit), &of_flow, within, name);
    }
    for kind in ["source ", "flow ", "home "] {
        assert!(texts(&units, "user").iter().any(|user| user.starts_with(kind)), "no {kind}");
    }
    let size: f64 = sum_of(&units, "mean_size", "flows").iter().sum();
    let sent: f64 = whole(&units, "segments_sent").iter().sum();
    let rates = float(&units, "retransmission_rate").iter().zip(whole(&units, "segments_sent"));
    let again: f64 = rates.filter(|(_, sent)| *sent > 0.0).map(|(rate, sent)| rate * sent).sum();
    assert!((sent - size - again).abs() < 1e-6, "{sent} {size} {again}");
}

/// A flow that does not end during the run counts in each period by what it got there.
#[test]
fn a_bulk_flow_counts_in_each_period() {
    let mut simulation = simulation(&busy(), 5);
    let mut delivered = vec![];
    for end in [WARMUP, 3.0, 5.0, 7.0] {
        simulation.advance(end);
        let series = simulation.take_series();
        delivered.push(*integer(&series, "flow_1_delivered").last().expect("a sample"));
    }
    simulation.record_unfinished();
    let units = simulation.units();
    let rows: Vec<usize> =
        (0..texts(&units, "user").len()).filter(|row| texts(&units, "user")[*row] == "flow 1").collect();
    let got: Vec<u64> = rows.iter().map(|row| integer(&units, "segments_delivered")[*row]).collect();
    assert_eq!(got, delivered.windows(2).map(|ends| ends[1] - ends[0]).collect::<Vec<_>>());
    for row in rows {
        assert_eq!(integer(&units, "flows")[row], 0);
        assert_eq!(float(&units, "flow_seconds")[row], 2.0);
        assert!(float(&units, "goodput")[row].is_nan() && float(&units, "slowdown_log")[row].is_nan());
    }
}

/// A row of the table of flows, by the name of its user.
fn classes(simulation: &mut Simulation, user: &str) -> Vec<String> {
    let flows = simulation.take_flows();
    let names = ["path_class", "rtt_class", "pop", "access"];
    let row = texts(&flows, "user").iter().position(|each| each == user).expect("a flow");
    names.map(|name| texts(&flows, name)[row].clone()).to_vec()
}

/// A flow below points of presence, with homes of a kind that has a name, and outside of the tiers.
#[test]
fn flows_have_the_classes_of_their_ends() {
    let router = |name: &str, class: &str, access: Option<&str>| {
        let mut router = json!({"name": name, "class": class, "speed_factor": null});
        if let Some(access) = access {
            router["access"] = json!(access);
        }
        router
    };
    let link = |a: usize, b: usize, ms: f64| json!({"a": a, "b": b, "delay": ms / 1e3, "cost": 1.0});
    let topology = json!({
        "name": "own",
        "routers": [
            router("Paris", "backbone", None), router("Rome", "plain", None),
            router("Paris.servers", "direct", None), router("Paris.cable", "pop", None),
            router("Paris.cable.1", "normal", Some("cable 50/10")), router("Paris.fast", "fast", None),
            router("Oslo", "plain", None),
        ],
        "links": [link(0, 1, 20.0), link(0, 2, 0.0), link(0, 3, 5.0), link(3, 4, 0.0), link(0, 5, 9.9), link(1, 6, 50.0)],
    });
    let sent = |from, to, more: f64| {
        with(flow(from, to, 0.0), &[("size", json!(10.0)), ("extra_delay", json!(more / 1e3))])
    };
    let cases = [
        (
            sent("Paris.servers", "Paris.cable.1", 0.0),
            ["typical", "below 20 ms", "Paris.cable", "cable 50/10"],
        ),
        (
            sent("Paris.cable.1", "Paris.servers", 5.0),
            ["typical", "20 to 50 ms", "Paris.cable", "cable 50/10"],
        ),
        (sent("Paris.servers", "Paris.fast", 0.0), ["fast", "below 20 ms", "Paris", "fast"]),
        (sent("Paris.servers", "Rome", 5.0), ["other", "50 to 100 ms", "Paris", "direct"]),
        (sent("Rome", "Oslo", 0.0), ["other", "from 100 ms", "Oslo", "plain"]),
    ];
    for (flow, expected) in cases {
        let values = [
            ("topology", topology.clone()),
            ("flows", json!([flow])),
            ("users.base_sources", json!(0.0)),
            ("time", time(3.0, 0.0, 1)),
        ];
        assert_eq!(classes(&mut run(&with(abilene(), &values), 1), "flow 1"), expected);
    }
}

/// The round trip when a flow begins decides, whatever changes later.
#[test]
fn a_flow_stays_in_its_class() {
    let longer = json!([{
        "time": 2.5, "router": null, "link": ["A", "D"], "speed": null, "delay": 0.09, "factor": null,
    }]);
    let before = with(busy(), &[("network.queue", json!("port"))]);
    let after = with(before.clone(), &[("network.changes", longer)]);
    for scenario in [before, after] {
        let units = run(&scenario, 3).units();
        let of_bulk: Vec<&String> = texts(&units, "user")
            .iter()
            .zip(texts(&units, "rtt_class"))
            .filter(|(user, _)| *user == "flow 1")
            .map(|(_, class)| class)
            .collect();
        assert_eq!(of_bulk, ["50 to 100 ms"; 3]);
    }
}

#[test]
fn engines_threads_and_snapshots_agree() {
    agree(&busy(), 3);
    let queued = [("network.ack_path", json!("queued")), ("network.queue", json!("port"))];
    let text = agree(&with(busy(), &queued), 4);
    for threads in [2, 4] {
        assert!(
            in_slices(&with(busy(), &queued), 4, Engine::Domains, threads, 3) == text,
            "{threads} threads"
        );
    }
    for engine in [Engine::Domains, Engine::Reference] {
        continues(&busy(), 5, engine, 4);
    }
}

/// Nothing else changes, and no rows are left where nothing is recorded.
#[test]
fn recording_changes_nothing_else() {
    let off = with(busy(), &[("measurement.units", json!(false))]);
    let without = |scenario: &Value| {
        let mut simulation = run(scenario, 6);
        let units = simulation.units();
        (texts(&units, "user").len(), format!("{:?} {:?}", simulation.responses(), simulation.take_flows()))
    };
    let ((some, one), (none, other)) = (without(&busy()), without(&off));
    assert!(some > 0 && none == 0 && one == other);
}

/// Explicit flows with one user have its name; where homes take algorithms as a whole, transfers belong to
/// homes.
#[test]
fn users_have_names() {
    let file = |start, user: &str| {
        let mut flow = with(flow("C1a", "D1a", start), &[("size", json!(50.0))]);
        flow["user"] = json!(user);
        flow
    };
    let mut flows = busy()["flows"].as_array().expect("flows").clone();
    flows.extend([file(1.1, "Ada"), file(1.3, "Ada"), file(1.2, "Grace")]);
    let named = with(busy(), &[("flows", json!(flows))]);
    let by_home = with(named.clone(), &[("users.assignment", json!("home"))]);
    let [users, homes] = [named, by_home].map(|scenario| run(&scenario, 7).units());
    let completed = |table: &Table, name: &str| {
        let rows = texts(table, "user").iter().zip(integer(table, "flows"));
        rows.filter(|(user, _)| *user == name).map(|(_, flows)| *flows).sum::<u64>()
    };
    for table in [&users, &homes] {
        let found = ["Ada", "Grace", "flow 4"].map(|name| completed(table, name));
        assert_eq!(found, [2, 1, 0]);
    }
    let kinds = |table: &Table| {
        ["source ", "home "].map(|kind| texts(table, "user").iter().any(|user| user.starts_with(kind)))
    };
    assert_eq!([kinds(&users), kinds(&homes)], [[true, true], [false, true]]);
    for (user, home) in texts(&homes, "user").iter().zip(texts(&homes, "home")) {
        assert!(!user.starts_with("home ") || *user == format!("home {home}"));
    }
}
