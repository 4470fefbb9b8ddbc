//! Open-loop arrivals: their laws, their loads, and that they are the same whatever carries them.

use crate::common::*;
use crate::engines::agree;
use crate::snapshots::continues;
use mesonet_cc::registry::ALGORITHMS;
use mesonet_sim::measure::Table;
use mesonet_sim::network::Network;
use mesonet_sim::{Engine, Scenario, Simulation};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A distribution with small, medium and large flows.
fn cdf() -> Value {
    json!({"law": "cdf", "name": "test", "points": [[1.0, 0.2], [10.0, 0.5], [10.0, 0.6], [40.0, 0.6], [200.0, 1.0]]})
}

/// A process of arrivals with these values.
fn process(from: Value, to: Value, rate: f64, values: &[(&str, Value)]) -> Value {
    with(arrivals(from, to, rate), values)
}

/// Arrivals between all routers of the small Abilene network, beside its users, with the scenario's mix of
/// algorithms; a bursty process from one router; and sizes of every law.
fn busy() -> Value {
    let half = json!([algorithm("scalable", 0.5), algorithm("bbr", 0.5)]);
    let stop = [("sizes", json!({"law": "exponential", "mean": 30.0})), ("stop", json!(3.0))];
    let bursty = [
        ("process", json!("bursty")),
        ("sizes", json!({"law": "pareto", "mean": 20.0, "shape": 1.5})),
        ("algorithm", json!("bbr")),
        ("start", json!(0.5)),
    ];
    let processes = json!([
        process(json!(["all"]), json!(["all"]), 400.0, &[("sizes", cdf())]),
        process(json!(["A1a", "B1a", "C1a"]), json!(["D1a"]), 100.0, &stop),
        process(json!(["E1a"]), json!(["all"]), 100.0, &bursty),
    ]);
    with(
        abilene(),
        &[
            ("network.speed", json!(40_000.0)),
            ("algorithms", half),
            ("time", time(6.0, 1.0, 2)),
            ("arrivals", processes),
        ],
    )
}

#[test]
fn engines_and_threads_agree() {
    agree(&busy(), 3);
    let queued = [("network.ack_path", json!("queued")), ("network.queue", json!("port"))];
    agree(&with(busy(), &queued), 4);
    agree(&with(with(busy(), &queued), &receivers()[2]), 5);
}

#[test]
fn runs_resume_from_snapshots() {
    for engine in [Engine::Domains, Engine::Reference] {
        continues(&busy(), 5, engine, 4);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn engines_agree_on_random_networks(
        scenario in networks::random(), rate in 1.0..300.0f64, is_bursty: bool, seed: u32,
    ) {
        let law = if is_bursty { "bursty" } else { "poisson" };
        let values = [("sizes", cdf()), ("process", json!(law))];
        let processes = json!([process(json!(["all"]), json!(["all"]), rate, &values)]);
        agree(&with(scenario, &[("arrivals", processes)]), u64::from(seed));
    }
}

/// A dumbbell without other flows.
fn alone(values: &[(&str, Value)], processes: Value) -> Value {
    let scenario =
        with(dumbbell(), &[("flows", json!([])), ("topology", json!("dumbbell")), ("arrivals", processes)]);
    with(scenario, values)
}

/// Flow records of a whole run, and the run.
fn flows(scenario: &Value, seed: u64) -> (Table, Simulation) {
    let mut simulation = run(scenario, seed);
    (simulation.take_flows(), simulation)
}

/// Start, size, ends and algorithm of all flows, by start.
fn met(table: &Table) -> Vec<(String, String, String, String, String)> {
    let (starts, sizes) = (float(table, "started_s"), float(table, "size"));
    let text = |name| texts(table, name);
    let row = |i: usize| {
        let [from, to, algorithm] = ["from", "to", "algorithm"].map(|name| text(name)[i].clone());
        (format!("{:.12}", starts[i]), format!("{}", sizes[i]), from, to, algorithm)
    };
    let mut rows: Vec<_> = (0..starts.len()).map(row).collect();
    rows.sort_unstable();
    rows
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Gaps of a Poisson process: mean 1 / rate, and as large a standard deviation, without correlation of
/// neighbours.
#[test]
fn poisson_arrivals_are_poisson() {
    let (rate, duration) = (2_000.0, 20.0);
    let one =
        process(json!(["A"]), json!(["B"]), rate, &[("sizes", json!({"law": "constant", "size": 1.0}))]);
    let (table, _) = flows(&alone(&[("time", time(duration, 0.0, 1))], json!([one])), 1);
    let mut starts = float(&table, "started_s").to_vec();
    starts.sort_unstable_by(f64::total_cmp);
    let n = starts.len() as f64;
    // Five standard deviations of each.
    assert!((n - rate * duration).abs() < 5.0 * (rate * duration).sqrt(), "{n}");
    let gaps: Vec<f64> = starts.windows(2).map(|pair| (pair[1] - pair[0]) * rate).collect();
    let squares: Vec<f64> = gaps.iter().map(|gap| (gap - 1.0) * (gap - 1.0)).collect();
    assert!((mean(&squares) - 1.0).abs() < 5.0 * (8.0 / n).sqrt(), "{}", mean(&squares));
    let neighbours: Vec<f64> = gaps.windows(2).map(|pair| (pair[0] - 1.0) * (pair[1] - 1.0)).collect();
    assert!(mean(&neighbours).abs() < 5.0 / n.sqrt(), "{}", mean(&neighbours));
    // Counts in tenths of a second: the index of dispersion is 1.
    let mut counts = vec![0.0; 200];
    starts.iter().for_each(|start| counts[((start * 10.0) as usize).min(199)] += 1.0);
    let dispersion = mean(&counts.iter().map(|c| (c - 200.0) * (c - 200.0)).collect::<Vec<f64>>()) / 200.0;
    assert!((dispersion - 1.0).abs() < 5.0 * (2.0f64 / 200.0).sqrt(), "{dispersion}");
}

/// The logarithms of bursty gaps have the standard deviation sigma, and the mean that makes the rate right.
#[test]
fn bursty_gaps_are_log_normal() {
    let (rate, sigma) = (1_000.0f64, 1.5);
    let values = [
        ("sizes", json!({"law": "constant", "size": 1.0})),
        ("process", json!("bursty")),
        ("sigma", json!(sigma)),
    ];
    let one = process(json!(["A"]), json!(["B"]), rate, &values);
    let (table, _) = flows(&alone(&[("time", time(20.0, 0.0, 1))], json!([one])), 2);
    let mut starts = float(&table, "started_s").to_vec();
    starts.sort_unstable_by(f64::total_cmp);
    let logs: Vec<f64> = starts.windows(2).map(|pair| libm::log((pair[1] - pair[0]) * rate)).collect();
    let n = logs.len() as f64;
    let middle = mean(&logs);
    let spread = mean(&logs.iter().map(|log| (log - middle) * (log - middle)).collect::<Vec<f64>>()).sqrt();
    assert!((middle + sigma * sigma / 2.0).abs() < 5.0 * sigma / n.sqrt(), "{middle}");
    assert!((spread - sigma).abs() < 5.0 * sigma / (2.0 * n).sqrt(), "{spread}");
}

/// The distribution of sizes is that of the points, in whole segments rounded up (Kolmogorov and Smirnov).
#[test]
fn sizes_follow_their_distribution() {
    let one = process(json!(["A"]), json!(["B"]), 3_000.0, &[("sizes", cdf())]);
    let (table, _) = flows(&alone(&[("time", time(5.0, 0.0, 1))], json!([one])), 3);
    let sizes = float(&table, "size");
    let n = sizes.len() as f64;
    let expected = |size: f64| match size {
        s if s < 10.0 => 0.2 + 0.3 * (s - 1.0) / 9.0,
        s if s <= 40.0 => 0.6,
        s => 0.6 + 0.4 * (s - 40.0) / 160.0,
    };
    let below = |size: f64| sizes.iter().filter(|s| **s <= size).count() as f64 / n;
    let distance =
        (1..=200).map(|s| (below(f64::from(s)) - expected(f64::from(s))).abs()).fold(0.0, f64::max);
    // Probability 1e-6 of more.
    assert!(distance < 2.7 / n.sqrt(), "{distance} of {n}");
}

/// A load is what the link then carries; every pair of routers has an equal share.
#[test]
fn a_load_is_carried() {
    for (of, port) in [("B - C", true), ("C -> B", true), ("B", false)] {
        let load = [
            ("rate", Value::Null),
            ("load", json!(0.5)),
            ("of", json!(of)),
            ("sizes", json!({"law": "exponential", "mean": 20.0})),
        ];
        let scenario = alone(
            &[
                ("topology", json!("parking-lot")),
                ("network.queue", json!(if port { "port" } else { "router" })),
                ("network.buffer", segments(4_000.0)),
                ("time", time(40.0, 10.0, 1)),
                ("measurement.interval", json!(0.5)),
            ],
            json!([process(json!(["all"]), json!(["all"]), 0.0, &load)]),
        );
        let (table, simulation) = flows(&scenario, 4);
        let queue = if of == "B - C" { "B -> C" } else { of };
        let use_of = of_router(&simulation, queue, "utilisation");
        // Each flow sends a SYN beside its 20.5 segments. The standard deviation over seeds is 0.004.
        let expected = 0.5 * (1.0 + 1.0 / 20.5);
        assert!((use_of - expected).abs() < 0.02, "{of}: {use_of}");
        let ends: Vec<_> = texts(&table, "from").iter().zip(texts(&table, "to")).collect();
        let expected = ends.len() as f64 / 12.0;
        for from in ["A", "B", "C", "D"] {
            for to in ["A", "B", "C", "D"] {
                let count = ends.iter().filter(|(f, t)| *f == from && *t == to).count() as f64;
                let expected = if from == to { 0.0 } else { expected };
                assert!((count - expected).abs() <= 5.0 * expected.sqrt(), "{from} {to}: {count} {expected}");
            }
        }
    }
}

/// Gaps, sizes, receivers and algorithms of arrivals do not depend on the course of a run, nor on other
/// processes, nor on the law of gaps; a higher load brings the same flows sooner.
#[test]
fn all_runs_meet_the_same_arrivals() {
    let scenario = |name: &str, speed: f64, extra: bool| {
        let one = process(json!(["A", "C"]), json!(["all"]), 200.0, &[("sizes", cdf())]);
        let other = process(json!(["D"]), json!(["A"]), 300.0, &[]);
        alone(
            &[
                ("topology", json!("parking-lot")),
                ("network.speed", json!(speed)),
                ("time", time(4.0, 0.0, 1)),
                ("algorithms", json!([algorithm(name, 1.0)])),
            ],
            if extra { json!([one, other]) } else { json!([one]) },
        )
    };
    let known = |scenario: &Value| {
        let (table, _) = flows(scenario, 6);
        let rows = met(&table).into_iter().filter(|row| row.2 != "D");
        rows.map(|row| (row.0, row.1, row.2, row.3)).collect::<Vec<_>>()
    };
    let reference = known(&scenario("tcp", 20_000.0, false));
    assert!(reference.len() > 700, "{}", reference.len());
    for other in
        [scenario("bbr", 20_000.0, false), scenario("tcp", 2_000.0, false), scenario("tcp", 20_000.0, true)]
    {
        assert!(known(&other) == reference);
    }
    let mut bursty = scenario("tcp", 20_000.0, false);
    bursty["arrivals"][0]["process"] = json!("bursty");
    let mut faster = scenario("tcp", 20_000.0, false);
    faster["arrivals"][0]["rate"] = json!(400.0);
    let of_a = |rows: Vec<(String, String, String, String)>| {
        let of_a = rows.into_iter().filter(|row| row.2 == "A");
        of_a.map(|row| (row.1, row.3)).take(100).collect::<Vec<_>>()
    };
    assert!(of_a(known(&bursty)) == of_a(reference.clone()));
    assert!(of_a(known(&faster)) == of_a(reference));
}

/// Algorithms by their shares, and flows only between the start and the stop.
#[test]
fn algorithms_and_instants_are_those_asked_for() {
    let names = ["tcp", "cubic"];
    assert!(names.iter().all(|name| ALGORITHMS.iter().any(|a| a.name == *name)));
    let one = process(json!(["A"]), json!(["B"]), 2_000.0, &[("start", json!(1.0)), ("stop", json!(2.0))]);
    let mix = json!([algorithm("tcp", 0.25), algorithm("cubic", 0.75)]);
    let values = [("time", time(3.0, 0.0, 1)), ("algorithms", mix), ("network.speed", json!(200_000.0))];
    let (table, simulation) = flows(&alone(&values, json!([one])), 7);
    let starts = float(&table, "started_s");
    assert!(starts.iter().all(|start| (1.0..2.0).contains(start)));
    let n = starts.len() as f64;
    let cubic = texts(&table, "algorithm").iter().filter(|name| *name == "cubic").count() as f64;
    assert!((cubic - 0.75 * n).abs() < 5.0 * (n * 0.75 * 0.25).sqrt(), "{cubic} of {n}");
    assert!(texts(&table, "category").iter().all(|category| category == "arrival"));
    assert_eq!(response(&simulation, "total_flows_completed"), n);
    assert!(response(&simulation, "transmitting_fraction").is_nan());
}

/// Slots are those of flows in progress: 200,000 flows pass through a few hundred.
#[test]
fn memory_is_that_of_flows_in_progress() {
    let one =
        process(json!(["A"]), json!(["B"]), 20_000.0, &[("sizes", json!({"law": "constant", "size": 1.0}))]);
    let values = [
        ("network.speed", json!(100_000.0)),
        ("network.delay_multiplier", json!(0.01)),
        ("measurement.flow_records", json!(0.0)),
        ("time", time(10.0, 1.0, 1)),
    ];
    let mut simulation = simulation(&alone(&values, json!([one])), 8);
    simulation.advance(5.0);
    let early = simulation.snapshot().len();
    simulation.advance(10.0);
    assert!(response(&simulation, "total_flows_completed") > 198_000.0);
    let late = simulation.snapshot().len();
    // The series grows by its rows, a few hundred bytes for each of 50 samples.
    assert!(late < early + 60_000, "{early} {late}");
}

fn refusal(scenario: &Value) -> String {
    let built = Scenario::from_json(&scenario.to_string()).and_then(|s| Simulation::new(s, 1));
    built.expect_err("a refusal").to_string()
}

#[test]
fn bad_processes_are_refused() {
    let load = |of: Value| [("rate", Value::Null), ("load", json!(0.5)), ("of", of)];
    let points = |points: Value| [("sizes", json!({"law": "cdf", "name": "x", "points": points}))];
    let cases: Vec<(Vec<(&str, Value)>, &str)> = vec![
        (vec![("from", json!(["Q"]))], "arrivals[0].from[0]: \"Q\" is not an access router; allowed: A, B"),
        (vec![("to", json!([]))], "arrivals[0].to: no router"),
        (vec![("to", json!(["A"]))], "arrivals[0].to: a flow must leave the router it starts at"),
        (vec![("to", json!(["B", "B"]))], "arrivals[0].to: \"B\" is named twice"),
        (vec![("to", json!(["B", "all"]))], "arrivals[0].to: all stands alone"),
        (vec![("rate", Value::Null)], "arrivals[0].rate: arrivals have either a rate or a load"),
        (vec![("load", json!(0.5))], "arrivals[0].rate: arrivals have either a rate or a load"),
        (load(Value::Null).to_vec(), "arrivals[0].load: a load needs what it is a load of"),
        (vec![("of", json!("A"))], "arrivals[0].of: goes with load only"),
        (load(json!("Q")).to_vec(), "arrivals[0].of: \"Q\" is no router"),
        (
            load(json!("B - A")).to_vec(),
            "arrivals[0].of: the link B - A has no capacity where a router has one queue",
        ),
        (vec![("rate", json!(0.0))], "arrivals[0].rate: 0 is too low; allowed: more than 0"),
        (vec![("rate", json!(1e8))], "arrivals: about"),
        (vec![("sigma", json!(5.0))], "arrivals[0].sigma: 5 is too high; allowed: at least 0 and at most 4"),
        (
            vec![("stop", json!(3.0)), ("start", json!(4.0))],
            "arrivals[0].stop: before the start; allowed: at least 4 s",
        ),
        (vec![("start", json!(400.0))], "arrivals[0].start: after the end of the run"),
        (vec![("algorithm", json!("bbr"))], "arrivals[0].algorithm: \"bbr\" is not among the algorithms"),
        (points(json!([[1.0, 1.0]])).to_vec(), "arrivals[0].sizes: 1 points; allowed: 2 to 10000"),
        (
            points(json!([[1.0, 0.5], [2.0, 0.9]])).to_vec(),
            "arrivals[0].sizes: the last probability is 0.9; allowed: 1",
        ),
        (
            points(json!([[1.0, 0.5], [2.0, 0.4], [3.0, 1.0]])).to_vec(),
            "arrivals[0].sizes: point 2 is below point 1",
        ),
        (points(json!([[2.0, 0.5], [1.0, 1.0]])).to_vec(), "arrivals[0].sizes: point 2 is below point 1"),
        (
            points(json!([[1.0, 50.0], [2.0, 100.0]])).to_vec(),
            "arrivals[0].sizes: point 1 has the probability 50",
        ),
        (points(json!([[0.0, 0.5], [0.0, 1.0]])).to_vec(), "arrivals[0].sizes: all flows have the size 0"),
        (
            vec![("sizes", json!({"law": "pareto", "mean": 2.0, "shape": 1.0}))],
            "arrivals[0].sizes.shape: 1 is too low",
        ),
    ];
    let time = ("time", time(100.0, 1.0, 1));
    for (values, message) in cases {
        let scenario =
            alone(std::slice::from_ref(&time), json!([process(json!(["A"]), json!(["B"]), 10.0, &values)]));
        let found = refusal(&scenario);
        assert!(found.starts_with(message), "{found}\n{message}");
    }
    let ports = alone(
        &[("network.queue", json!("port"))],
        json!([process(json!(["A"]), json!(["B"]), 10.0, &load(json!("A -> C")))]),
    );
    let message = "arrivals[0].of: \"A -> C\" is neither a link nor a port; allowed: a link such as A - B";
    assert!(refusal(&ports).starts_with(message), "{}", refusal(&ports));
    let back = with(
        ports,
        &[("arrivals", json!([process(json!(["A"]), json!(["B"]), 10.0, &load(json!("B -> A")))]))],
    );
    let message = "arrivals[0].of: no flow of the process crosses B -> A; allowed: such as A -> B";
    assert_eq!(refusal(&back), message);
}

/// Offered loads know arrivals: data, and acknowledgements where they take slots.
#[test]
fn offered_loads_include_arrivals() {
    let one = process(json!(["A"]), json!(["B"]), 100.0, &[]);
    for (path, expected) in [("delay", 1.0), ("queued", 2.0)] {
        let scenario = alone(&[("network.ack_path", json!(path))], json!([one.clone()]));
        let scenario = Scenario::from_json(&scenario.to_string()).unwrap();
        let network = Network::build(&scenario).unwrap();
        let load = 100.0 * 60.0 / network.speeds[0];
        for found in network.load().offered_loads(&scenario, &network.speeds) {
            assert!((found - expected * load).abs() < 1e-12, "{path}: {found} {load}");
        }
        let [described] = &network.describe(&scenario).arrivals[..] else { panic!("one process") };
        assert_eq!((described.rate, described.mean_size, described.origins), (100.0, 60.0, 1));
        assert!((described.load - load).abs() < 1e-12);
    }
}
