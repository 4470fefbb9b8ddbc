//! Queue disciplines: what their RFCs say of them, and that all engines agree.

use crate::common::*;
use crate::{engines, snapshots};
use mesonet_sim::scenario::DisciplineName;
use mesonet_sim::{Engine, Simulation};
use proptest::prelude::*;
use serde_json::{Value, json};

/// All disciplines besides drop-tail.
fn all() -> Vec<&'static str> {
    DisciplineName::ALL[1..].iter().map(|name| name.name()).collect()
}

/// A scenario whose queues have a discipline.
fn under(scenario: Value, discipline: &str) -> Value {
    with(scenario, &[("aqm.discipline", json!(discipline))])
}

/// Flows of standard TCP over a link of 2,000 segments/s (24 Mbit/s) with a round trip of 80 ms and a buffer
/// of a second.
fn bottleneck(discipline: &str, flows: usize, ecn: bool) -> Value {
    let router = |name: &str| json!({"name": name, "class": "plain", "speed_factor": 50.0});
    let routers = ["A", "B"].map(router);
    let scenario = with(
        dumbbell(),
        &[
            ("network.queue", json!("port")),
            (
                "topology",
                json!({
                    "name": "bottleneck", "routers": routers,
                    "links": [{"a": 0, "b": 1, "delay": 0.04, "cost": 1.0, "capacity": [24e6, 24e6]}],
                }),
            ),
            ("network.speed", json!(2_000.0)),
            ("network.buffer", json!({"rule": "time", "factor": 1.0})),
            ("aqm.at", json!(["A -> B"])),
            ("aqm.ecn", json!(ecn)),
            ("algorithms", json!([algorithm("tcp", 1.0)])),
            ("flows", (0..flows).map(|i| flow("A", "B", 0.1 * i as f64)).collect()),
            ("time", time(80.0, 30.0, 1)),
        ],
    );
    under(scenario, discipline)
}

/// Mean queue (in time), utilisation and loss rate of the bottleneck.
fn observed(simulation: &Simulation) -> [f64; 3] {
    let of = |name: &str| of_router(simulation, "A -> B", name);
    [of("queue_mean") / 2_000.0, of("utilisation"), of("loss_rate")]
}

/// Without a discipline the buffer stands full; each discipline keeps its delay near its target and the link
/// busy.
#[test]
fn each_keeps_the_delay_near_its_target() {
    let [full, ..] = observed(&run(&bottleneck("drop_tail", 8, false), 1));
    assert!(full > 0.5, "{full}");
    for (discipline, most) in
        [("codel", 0.020), ("fq_codel", 0.020), ("pie", 0.025), ("pi2", 0.025), ("dualpi2", 0.025)]
    {
        let [delay, utilisation, loss] = observed(&run(&bottleneck(discipline, 8, false), 1));
        assert!(delay < most && delay > 0.001, "{discipline}: {delay} s");
        assert!(utilisation > 0.85, "{discipline}: {utilisation}");
        assert!(loss > 1e-4 && loss < 0.05, "{discipline}: {loss}");
    }
    let red = with(
        bottleneck("red", 8, false),
        &[("aqm.red_adaptive", json!(true)), ("aqm.red_target", json!(0.03))],
    );
    let [delay, utilisation, _] = observed(&run(&red, 1));
    // The average is kept at twice the target: half of the way between thresholds of one and three halves of
    // it.
    assert!(delay > 0.015 && delay < 0.05, "{delay}");
    assert!(utilisation > 0.85, "{utilisation}");
}

/// Constants with which no discipline acts before its buffer is full.
const AT_REST: &[(&str, f64)] = &[
    ("aqm.codel_target", 10.0),
    ("aqm.codel_interval", 100.0),
    ("aqm.red_min", 1e8),
    ("aqm.red_max", 1e9),
    ("aqm.pie_target", 10.0),
    ("aqm.pie_burst", 100.0),
    ("aqm.pi2_target", 10.0),
    ("aqm.dualpi2_step", 10.0),
];

fn at_rest(scenario: &Value) -> Value {
    AT_REST.iter().fold(scenario.clone(), |scenario, (path, value)| with(scenario, &[(path, json!(value))]))
}

/// Largest queue at an instant of measurement, segments dropped, and segments sent.
fn counted(scenario: &Value) -> [f64; 3] {
    let simulation = run(scenario, 1);
    let [longest, dropped] =
        ["queue_max", "segments_dropped"].map(|name| of_router(&simulation, "A -> B", name));
    [longest, dropped, simulation.counters().data_sent as f64]
}

/// A buffer is as large under each discipline as under drop-tail, in every unit and way to count. Where the
/// arrival is dropped, the runs are equal; flow queues drop a segment that waits.
#[test]
fn a_buffer_has_one_size() {
    for case in 0..32 {
        let bit = |place: usize| case >> place & 1 == 1;
        let (counts, in_service, is_time) = (if bit(0) { "bytes" } else { "packets" }, bit(1), bit(2));
        let buffer = [1.0, 2.0, 8.0, 100.0][case >> 3];
        let size =
            if is_time { json!({"rule": "time", "factor": buffer / 2_000.0}) } else { segments(buffer) };
        let of = |discipline: &str| {
            counted(&at_rest(&with(
                bottleneck(discipline, 3, false),
                &[
                    ("network.buffer", size.clone()),
                    ("network.buffer_floor", json!(1)),
                    ("network.buffer_counts", json!(counts)),
                    ("network.buffer_counts_in_service", json!(in_service)),
                    ("time", time(5.0, 0.0, 1)),
                ],
            )))
        };
        let tail = of("drop_tail");
        let most = buffer + f64::from(u8::from(!in_service));
        assert!(tail[0] <= most && tail[1] > 0.0, "{size} {counts} {in_service}: {tail:?}");
        // Those that decide at arrival know bytes only.
        let known = |name: &&str| counts == "bytes" || !["red", "pie", "pi2"].contains(name);
        for discipline in all().into_iter().filter(known) {
            let found = of(discipline);
            let right = if discipline == "fq_codel" { found[0] <= most } else { found == tail };
            assert!(right, "{discipline} {size} {counts} {in_service}: {found:?}, drop_tail {tail:?}");
        }
    }
}

/// A trace that has one rate during the run is a port of this rate to every discipline, whatever the mean of
/// the trace, by which work is measured.
#[test]
fn a_constant_trace_is_a_port_of_its_rate() {
    for discipline in DisciplineName::ALL.iter().map(|name| name.name()) {
        for ecn in [false, true] {
            let port = with(
                bottleneck(discipline, 4, ecn),
                &[("network.buffer", segments(200.0)), ("time", time(20.0, 0.0, 1))],
            );
            let points = json!([[0.0, 2_000.0], [1_000.0, 6_000.0]]);
            let trace = json!({"kind": "rates", "points": points, "period": 2_000.0});
            let traced =
                with(port.clone(), &[("impairments.capacity", trace), ("impairments.at", json!(["A -> B"]))]);
            assert_eq!(counted(&port), counted(&traced), "{discipline} {ecn}");
        }
    }
}

/// Delays of served segments are those of the queue, in drop-tail queues too where these are wanted.
#[test]
fn delays_are_recorded() {
    for discipline in ["drop_tail", "pie", "codel"] {
        let wanted = with(bottleneck(discipline, 8, false), &[("measurement.queue_delays", json!(true))]);
        let simulation = run(&wanted, 1);
        let of = |name: &str| of_router(&simulation, "A -> B", name);
        let [p50, p95, p99] = ["delay_p50_ms", "delay_p95_ms", "delay_p99_ms"].map(of);
        assert!(p50 <= p95 && p95 <= p99 && p99 > 0.0, "{discipline}: {p50} {p95} {p99}");
        // A segment in service takes half a millisecond.
        let mean = of("queue_mean") / 2.0;
        assert!((p50 / mean - 1.0).abs() < 0.5 || (p50 - mean).abs() < 3.0, "{discipline}: {p50} {mean}");
    }
    let simulation = run(&bottleneck("drop_tail", 1, false), 1);
    assert!(of_router(&simulation, "A -> B", "delay_p50_ms").is_nan());
}

/// With ECN nothing is dropped, and as much is signalled.
#[test]
fn marks_replace_drops() {
    for discipline in all() {
        let dropping = run(&bottleneck(discipline, 4, false), 1);
        let marking = run(&bottleneck(discipline, 4, true), 1);
        assert_eq!(dropping.counters().marked, 0);
        assert!(marking.counters().marked > 20, "{discipline}: {}", marking.counters().marked);
        let late = |simulation: &Simulation| observed(simulation)[2];
        assert!(
            late(&marking) < 0.1 * late(&dropping),
            "{discipline}: {} {}",
            late(&marking),
            late(&dropping)
        );
        let ratio = response(&marking, "segment_rate") / response(&dropping, "segment_rate");
        assert!(ratio > 0.95, "{discipline}: {ratio}");
    }
}

/// Flow queues protect a flow that sends little from those that fill the queue.
#[test]
fn flow_queues_isolate() {
    let delays = ["drop_tail", "codel", "fq_codel"].map(|discipline| {
        let mut scenario = bottleneck(discipline, 6, false);
        scenario["flows"][0]["interface"] = json!(50.0);
        let simulation = run(&scenario, 1);
        float(&simulation_series(simulation), "flow_1_rtt_ms").iter().rev().take(100).sum::<f64>() / 100.0
            - 80.0
    });
    assert!(delays[0] > 300.0, "{delays:?}");
    assert!(delays[1] < 40.0, "{delays:?}");
    assert!(delays[2] < 3.0, "{delays:?}");
}

fn simulation_series(mut simulation: Simulation) -> mesonet_sim::measure::Table {
    simulation.take_series()
}

/// Rates of Prague and of a classic algorithm, flows of each on the bottleneck with marks, segments/s and
/// flow.
fn prague_beside(classic: &str, flows: usize, discipline: &str) -> ([f64; 2], Simulation) {
    let mut scenario = bottleneck(discipline, 2 * flows, true);
    scenario["algorithms"] = json!([algorithm("prague", 0.5), algorithm(classic, 0.5)]);
    for number in 0..2 * flows {
        let name = if number < flows { "prague" } else { classic };
        scenario["flows"][number]["algorithm"] = json!(name);
    }
    let mut simulation = run(&scenario, 1);
    let series = simulation.take_series();
    let delivered = |number: usize| {
        let column = integer(&series, &format!("flow_{}_delivered", number + 1));
        (column[799] - column[299]) as f64 / 50.0
    };
    let mean = |range: std::ops::Range<usize>| range.map(delivered).sum::<f64>() / flows as f64;
    ([mean(0..flows), mean(flows..2 * flows)], simulation)
}

/// RFC 9332, section 1.1: with DualPI2 scalable and classic flows of one round trip get about equal rates,
/// and the queue of the scalable ones is ultra-low. In one queue with the marks of classic ECN they starve
/// the classic ones.
#[test]
fn dualpi2_lets_prague_and_classic_flows_coexist() {
    for (classic, flows) in [("tcp", 3), ("cubic", 2)] {
        let ([prague, other], simulation) = prague_beside(classic, flows, "dualpi2");
        let ratio = prague / other;
        assert!((0.5..2.0).contains(&ratio), "{flows} {classic}: {prague} {other}");
        let utilisation = of_router(&simulation, "A -> B", "utilisation");
        assert!(utilisation > 0.9, "{flows} {classic}: {utilisation}");
        assert_eq!(of_router(&simulation, "A -> B", "segments_dropped"), 0.0);
    }
    let ([prague, other], _) = prague_beside("tcp", 2, "pie");
    assert!(prague > 5.0 * other, "{prague} {other}");
}

/// RFC 9332, section 1.1: the queue of scalable flows alone stays around a millisecond.
#[test]
fn prague_alone_waits_little() {
    let mut scenario = bottleneck("dualpi2", 4, true);
    scenario["algorithms"] = json!([algorithm("prague", 1.0)]);
    for number in 0..4 {
        scenario["flows"][number]["algorithm"] = json!("prague");
    }
    let simulation = run(&scenario, 1);
    let of = |name: &str| of_router(&simulation, "A -> B", name);
    assert!(of("delay_p50_ms") < 1.5, "{}", of("delay_p50_ms"));
    assert!(of("delay_p99_ms") < 5.0, "{}", of("delay_p99_ms"));
    assert!(of("utilisation") > 0.9, "{}", of("utilisation"));
}

/// Flows of one algorithm that send one codepoint through DualPI2.
fn sending(name: &str, codepoint: f64) -> Simulation {
    let mut scenario = bottleneck("dualpi2", 2, true);
    let mut algorithm = algorithm(name, 1.0);
    algorithm["parameters"]["ecn"] = json!(codepoint);
    scenario["algorithms"] = json!([algorithm]);
    for number in 0..2 {
        scenario["flows"][number]["algorithm"] = json!(name);
    }
    run(&scenario, 1)
}

/// RFC 9332, section 2.4: segments with ECT(1) wait in the shallow queue, all others in the deep one, and
/// Not-ECT is never marked. Flows that send ECT(1) get marks instead of drops.
#[test]
fn codepoints_choose_the_queue() {
    for name in ["tcp", "cubic", "dctcp", "prague", "bbr3"] {
        let [plain, classic, scalable] = [0.0, 1.0, 2.0].map(|codepoint| {
            let simulation = sending(name, codepoint);
            let of = |name: &str| of_router(&simulation, "A -> B", name);
            [of("segments_marked"), of("segments_dropped"), of("delay_p95_ms")]
        });
        assert!(plain[0] == 0.0 && classic[0] > 0.0, "{name}: {plain:?} {classic:?}");
        assert!(scalable[0] > classic[0] && scalable[1] == 0.0, "{name}: {classic:?} {scalable:?}");
        assert!(scalable[2] < 8.0 && plain[2] > scalable[2], "{name}: {plain:?} {classic:?} {scalable:?}");
    }
}

/// A discipline at some queues leaves all others as they are.
#[test]
fn places_are_chosen() {
    let scenario = |at: Value| {
        let values =
            [("users.base_sources", json!(30.0)), ("network.speed", json!(20_000.0)), ("aqm.at", at)];
        under(with(abilene(), &values), "codel")
    };
    let dropped = |at: Value| {
        let simulation = run(&scenario(at), 1);
        simulation.counters().dropped
    };
    let everywhere = dropped(json!(["all"]));
    let access = dropped(json!(["access"]));
    let nowhere =
        run(&with(scenario(json!(["all"])), &[("aqm.discipline", json!("drop_tail"))]), 1).counters().dropped;
    assert!(everywhere != access && access != nowhere, "{everywhere} {access} {nowhere}");
    assert_eq!(dropped(json!(["normal", "fast", "direct"])), access);
    let refused = mesonet_sim::Scenario::from_json(&scenario(json!(["normal", "nowhere"])).to_string())
        .and_then(|scenario| Simulation::new(scenario, 1).map(|_| ()))
        .unwrap_err()
        .to_string();
    assert!(refused.starts_with("aqm.at[1]: \"nowhere\" names no queue"), "{refused}");
}

/// sent = delivered + dropped + queued + in flight.
#[test]
fn segments_are_conserved() {
    for (number, discipline) in all().into_iter().enumerate() {
        let values = [
            ("users.base_sources", json!(20.0)),
            ("network.speed", json!(20_000.0)),
            ("network.ack_path", json!(["delay", "queued"][number % 2])),
            ("network.queue", json!(["port", "router", "router", "port"][number % 4])),
            ("aqm.ecn", json!(number % 2 == 0)),
        ];
        let mut simulation = simulation(&under(with(abilene(), &values), discipline), 5);
        for step in 1..=20 {
            simulation.advance(f64::from(step) * 0.25);
            let (c, census) = (simulation.counters(), simulation.census());
            let sum = c.leaving + c.dropped + census.queued + census.in_flight;
            assert_eq!(c.entering, sum, "{discipline} step {step}");
        }
        assert!(simulation.counters().dropped > 100, "{discipline}");
    }
}

/// Random networks in which some queues have a random discipline.
fn random_disciplines() -> impl Strategy<Value = Value> {
    let places = prop_oneof![Just(json!(["all"])), Just(json!(["access"])), Just(json!(["R0", "R1"]))];
    let rewrites = prop_oneof![Just("none"), Just("not_ect"), Just("ect0"), Just("ect1")];
    let transports = (0..recoveries().len(), 0..receivers().len());
    (networks::random(), 0..all().len(), (places, rewrites), any::<[bool; 4]>(), transports).prop_map(
        |(scenario, discipline, (places, rewrite), [ports, queued, ecn, syns], transport)| {
            let values = [
                ("aqm.at", places),
                ("aqm.ecn", json!(ecn)),
                ("network.ecn_rewrite", json!(rewrite)),
                ("network.ecn_rewrite_at", json!(["R1"])),
                ("connection.ecn", json!(syns)),
                ("network.queue", json!(if ports { "port" } else { "router" })),
                ("network.ack_path", json!(if queued { "queued" } else { "delay" })),
                ("network.buffer", segments(40.0)),
                ("aqm.dualpi2_step_floor", json!(if ecn { 2 } else { 0 })),
                ("aqm.codel_interval", json!(0.02)),
                ("aqm.pie_burst", json!(0.0)),
            ];
            let (recovery, receiver) = (&recoveries()[transport.0], &receivers()[transport.1]);
            under(with(with(with(scenario, recovery), receiver), &values), all()[discipline])
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn all_engines_agree(scenario in random_disciplines(), seed: u32) {
        engines::agree(&scenario, u64::from(seed));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]

    #[test]
    fn a_run_goes_on_from_a_snapshot(scenario in random_disciplines(), seed: u32) {
        snapshots::continues(&scenario, u64::from(seed), Engine::Domains, 3);
        snapshots::continues(&scenario, u64::from(seed), Engine::Reference, 2);
    }
}
