//! Scenarios for the tests: the defaults of the package as JSON, with values replaced by path.

#![allow(dead_code)]

pub mod networks;

use mesonet_cc::{Preset, registry};
use mesonet_sim::measure::{Column, Table};
use mesonet_sim::{Engine, Scenario, Simulation};
use serde_json::{Map, Value, json};

/// A small Abilene network in the study's preset: 349 sources, 20 s, the first 8 s of warm-up.
pub fn abilene() -> Value {
    let mut scenario = with(
        defaults(),
        &[
            ("network.speed", json!(80_000.0)),
            ("network.ack_path", json!("delay")),
            ("users.base_sources", json!(2.0)),
            ("users.think_time", json!(2.0)),
            ("users.web_object_size", json!(50.0)),
            ("users.document_probability", json!(0.1)),
            ("users.service_pack_probability", json!(0.0)),
            ("users.movie_probability", json!(0.0)),
            ("users.large_files", json!("drawn")),
            ("users.concurrent_service_packs", json!(8)),
            ("users.fast_interface_probability", json!(0.4)),
            ("users.normal_interface", json!(800.0)),
            ("users.fast_interface", json!(8_000.0)),
            ("transport.max_cwnd", json!(1_073_741_824.0)),
            ("time", time(20.0, 8.0, 3)),
            ("measurement.flow_records", json!(1.0)),
        ],
    );
    scenario["arrivals"] = json!([]);
    scenario
}

/// Every value of a scenario in the study's preset. `make generate` writes the file from the table of
/// parameters.
fn defaults() -> Value {
    serde_json::from_str(include_str!("defaults.json")).expect("JSON")
}

/// Perfect links.
pub fn impairments() -> Value {
    defaults()["impairments"].clone()
}

/// One unlimited flow on the two-router path of the ASME paper's Fig. 2.
pub fn dumbbell() -> Value {
    let mut scenario = abilene();
    set(&mut scenario, "topology", json!("dumbbell"));
    set(&mut scenario, "network.speed", json!(21_000.0));
    set(&mut scenario, "network.buffer", json!({"rule": "segments", "factor": 680.0}));
    set(&mut scenario, "users.base_sources", json!(0.0));
    set(&mut scenario, "measurement.interval", json!(0.1));
    set(&mut scenario, "flows", json!([flow("A", "B", 0.0)]));
    scenario
}

/// Movies and service packs of a few seconds, limited by concurrency.
pub fn concurrent(scenario: Value) -> Value {
    with(
        scenario,
        &[
            ("users.large_files", json!("concurrent")),
            ("users.concurrent_movies", json!(1)),
            ("users.concurrent_service_packs", json!(4)),
            ("users.service_pack_factor", json!(20.0)),
            ("users.movie_factor", json!(100.0)),
            ("users.service_pack_probability", json!(0.1)),
            ("users.movie_probability", json!(0.1)),
        ],
    )
}

/// A time line.
pub fn time(duration: f64, warmup: f64, periods: u32) -> Value {
    json!({"duration": duration, "warmup": warmup, "periods": periods, "converged": 0.0})
}

/// An unlimited flow with a fast interface.
pub fn flow(from: &str, to: &str, start: f64) -> Value {
    json!({
        "from": from, "to": to, "start": start, "stop": null, "size": null, "interface": 80_000.0,
        "algorithm": null, "extra_delay": 0.0, "overhead": 0.0, "start_within": 0.0
    })
}

/// Open-loop arrivals of 60 segments each, Poisson, with fast interfaces and the algorithms of the scenario.
pub fn arrivals(from: Value, to: Value, rate: f64) -> Value {
    json!({
        "from": from, "to": to, "matrix": null, "factor": null, "rate": rate, "load": null, "of": null,
        "sizes": {"law": "constant", "size": 60.0},
        "process": "poisson", "sigma": 2.0, "start": 0.0, "stop": null, "interface": 8_000.0, "algorithm": null
    })
}

/// Demands of a traffic matrix, segments/s.
pub fn rates(entries: &[(&str, &str, f64)]) -> Value {
    let demand =
        |(from, to, rate): &(&str, &str, f64)| json!({"from": from, "to": to, "share": null, "rate": rate});
    entries.iter().map(demand).collect()
}

/// Open-loop arrivals as [`arrivals`], by a matrix.
pub fn arrivals_by(matrix: Value) -> Value {
    with(arrivals(Value::Null, Value::Null, 0.0), &[("rate", Value::Null), ("matrix", matrix)])
}

/// An algorithm with the constants of the study's preset.
pub fn algorithm(name: &str, share: f64) -> Value {
    let params = registry::algorithm(name).expect("a registered algorithm").params;
    let parameters: Map<String, Value> =
        params.iter().map(|p| (p.name.to_string(), json!(p.default(Preset::Sp500282)))).collect();
    json!({"name": name, "share": share, "parameters": parameters})
}

/// The dumbbell with a flow of each algorithm, which start `gap` s after each other.
pub fn dumbbell_of(algorithms: &[&str], gap: f64) -> Value {
    let mut scenario = dumbbell();
    let flows = algorithms.iter().enumerate().map(|(i, name)| {
        let mut flow = flow("A", "B", gap * i as f64);
        flow["algorithm"] = json!(name);
        flow
    });
    scenario["flows"] = flows.collect();
    let mut names = algorithms.to_vec();
    names.dedup();
    let share = |i: usize| if i == 0 { 1.0 } else { 0.0 };
    scenario["algorithms"] = names.iter().enumerate().map(|(i, name)| algorithm(name, share(i))).collect();
    scenario
}

/// A buffer of so many segments.
pub fn segments(count: f64) -> Value {
    json!({"rule": "segments", "factor": count})
}

/// Value of a router in the table of routers over the whole measured span.
pub fn of_router(simulation: &Simulation, router: &str, name: &str) -> f64 {
    let table = simulation.routers();
    let (Column::Text(periods), Column::Text(routers)) = (column(&table, "period"), column(&table, "router"))
    else {
        panic!("words expected")
    };
    let row = (0..routers.len()).find(|&i| periods[i] == "measured" && routers[i] == router).expect("a row");
    match column(&table, name) {
        Column::Float(values) => values[row],
        Column::Integer(values) => values[row] as f64,
        Column::Text(_) => panic!("{name} is a word"),
    }
}

/// Replaces the value at a dotted path.
pub fn set(scenario: &mut Value, path: &str, value: Value) {
    let pointer = format!("/{}", path.replace('.', "/"));
    *scenario.pointer_mut(&pointer).unwrap_or_else(|| panic!("no {path}")) = value;
}

/// `scenario` with values replaced by path.
pub fn with(mut scenario: Value, values: &[(&str, Value)]) -> Value {
    for (path, value) in values {
        set(&mut scenario, path, value.clone());
    }
    scenario
}

pub fn simulation(scenario: &Value, seed: u64) -> Simulation {
    let scenario = Scenario::from_json(&scenario.to_string()).expect("a valid scenario");
    Simulation::new(scenario, seed).expect("a simulation")
}

/// Runs to the end.
pub fn run(scenario: &Value, seed: u64) -> Simulation {
    let mut simulation = simulation(scenario, seed);
    simulation.advance(f64::INFINITY);
    simulation.record_unfinished();
    simulation
}

/// Runs to the end in slices of so many seconds.
pub fn run_in_slices(scenario: &Value, seed: u64, slice: f64) -> Simulation {
    let mut simulation = simulation(scenario, seed);
    let mut t = 0.0;
    while !simulation.finished() {
        t += slice;
        simulation.advance(t);
    }
    simulation.record_unfinished();
    simulation
}

/// The beginning of a run by an engine.
pub fn begin(scenario: &Value, seed: u64, engine: Engine, threads: usize) -> Simulation {
    let scenario = Scenario::from_json(&scenario.to_string()).expect("a valid scenario");
    Simulation::with(scenario, seed, engine, threads).expect("a simulation")
}

/// Everything that a run gives out, as text; in slices of simulated time. After each of them `between` takes
/// the simulation, and the number of the slice, and gives back the one that goes on.
pub fn everything(
    mut simulation: Simulation,
    slice: f64,
    mut between: impl FnMut(Simulation, usize) -> Simulation,
) -> String {
    let (mut series, mut flows, mut slices) = (String::new(), String::new(), 0);
    while !simulation.finished() {
        slices += 1;
        simulation.advance(slice * slices as f64);
        simulation = between(simulation, slices);
        series += &format!("{:?}", simulation.take_series());
        flows += &format!("{:?}", simulation.take_flows());
    }
    simulation.record_unfinished();
    format!(
        "{:?} {series} {flows} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {} {:?}",
        simulation.responses(),
        simulation.take_flows(),
        simulation.groups(),
        simulation.units(),
        simulation.routers(),
        simulation.demands(),
        simulation.applications(),
        simulation.take_flow_traces(),
        simulation.take_router_traces(),
        simulation.take_packets(),
        simulation.router_hops(),
        simulation.census(),
    )
}

/// Everything that a run gives out, in so many slices of its time.
pub fn in_slices(scenario: &Value, seed: u64, engine: Engine, threads: usize, slices: usize) -> String {
    everything(begin(scenario, seed, engine, threads), slice_of(scenario, slices), |simulation, _| simulation)
}

/// A slice of the time of a scenario that is divided into so many, s.
pub fn slice_of(scenario: &Value, slices: usize) -> f64 {
    scenario["time"]["duration"].as_f64().unwrap() / slices as f64
}

/// Users of every algorithm, jumbo files, impatience, long-lived flows, marks and traces with packets, in
/// overload.
pub fn everything_at_once() -> Value {
    let share = 1.0 / registry::ALGORITHMS.len() as f64;
    let mut scenario = with(
        abilene(),
        &[
            ("users.base_sources", json!(10.0)),
            ("network.speed", json!(20_000.0)),
            ("network.ecn_threshold", json!(30.0)),
            ("users.patience_probability", json!(0.5)),
            ("users.patience_time", json!(3.0)),
            ("users.jumbo_period", json!(2)),
            ("users.long_lived_flows", json!(3)),
            ("measurement.units", json!(true)),
            ("time", time(8.0, 2.0, 3)),
            ("trace.flows", json!([1])),
            ("trace.sources", json!([0, 40, 41, 900])),
            ("trace.routers", json!(["all"])),
            ("trace.every", json!(0.05)),
            ("trace.packets", json!(true)),
        ],
    );
    scenario["algorithms"] = registry::ALGORITHMS.iter().map(|a| algorithm(a.name, share)).collect();
    scenario
}

/// Names of the access routers of a scenario.
pub fn access_routers(scenario: &Value) -> Vec<String> {
    let scenario = Scenario::from_json(&scenario.to_string()).unwrap();
    let network = mesonet_sim::network::Network::build(&scenario).unwrap();
    network.access.iter().map(|router| network.topology.routers[*router].name.clone()).collect()
}

/// Ways of acknowledgements through routers.
pub const QUEUED: [&str; 2] = ["queued", "direction"];

/// Loss recoveries whose senders act on each acknowledgement.
pub fn recoveries() -> [Vec<(&'static str, Value)>; 5] {
    [
        vec![],
        vec![("transport.recovery", json!("newreno"))],
        vec![("transport.recovery", json!("reno"))],
        vec![("transport.prr", json!("safe_ack")), ("transport.loss_detection", json!("rack"))],
        vec![
            ("transport.prr", json!("safe_ack")),
            ("transport.loss_detection", json!("rack")),
            ("transport.rack_timer_margin", json!(0.002)),
            ("transport.rack_timer_tick", json!(0.004)),
            ("transport.second_reduction", json!("after_timeout")),
            ("transport.burst", json!(45)),
            ("transport.window_use", json!("linux")),
            ("transport.grow_only_if_cwnd_limited", json!(true)),
            ("transport.timestamp_tick", json!(0.001)),
            ("connection.syn_linear_timeouts", json!(4)),
            ("connection.syn_attempts", json!(11)),
            ("connection.retry_rule", json!("linux")),
        ],
    ]
}

/// Receivers: without delayed acknowledgements, by RFC 1122, and as those of Linux.
pub fn receivers() -> [Vec<(&'static str, Value)>; 3] {
    let delayed = |quick: u32, buffer: u64, compression: f64| {
        vec![
            ("transport.delayed_acks", json!(true)),
            ("transport.ack_delay", json!(0.04)),
            ("transport.quick_acks", json!(quick)),
            ("transport.receive_buffer", json!(buffer)),
            ("transport.sack_compression", json!(compression)),
        ]
    };
    [vec![], delayed(0, 0, 0.0), delayed(16, 57, 0.001)]
}

/// A response of the whole measured span.
pub fn response(simulation: &Simulation, name: &str) -> f64 {
    let rows = simulation.responses();
    let found = rows.iter().find(|r| r.1 == name && (r.0 == "measured" || r.0 == "run"));
    found.unwrap_or_else(|| panic!("no response {name}")).2
}

pub fn float<'a>(table: &'a Table, name: &str) -> &'a [f64] {
    match column(table, name) {
        Column::Float(values) => values,
        other => panic!("{name} is {other:?}"),
    }
}

pub fn texts<'a>(table: &'a Table, name: &str) -> &'a [String] {
    match column(table, name) {
        Column::Text(values) => values,
        other => panic!("{name} is {other:?}"),
    }
}

pub fn integer<'a>(table: &'a Table, name: &str) -> &'a [u64] {
    match column(table, name) {
        Column::Integer(values) => values,
        other => panic!("{name} is {other:?}"),
    }
}

fn column<'a>(table: &'a Table, name: &str) -> &'a Column {
    &table.columns.iter().find(|c| c.0 == name).unwrap_or_else(|| panic!("no column {name}")).1
}
