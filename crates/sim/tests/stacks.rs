//! Whole transport stacks as ends of connections: a small stack of the tests stands for those of crates.

use crate::common::*;
use mesonet_cc::plugin::observed::{About, Observed, keep};
use mesonet_cc::{Param, Picos};
use mesonet_sim::stacks::{
    Datagram, Ecn, Endpoint, Outcome, Role, Setup, Stack, Stats, Supply, host, register,
};
use mesonet_sim::{Engine, Scenario, Simulation};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of data in a packet, and of the headers below it.
const DATA: u64 = 1_000;
const HEADERS: u32 = 40;
/// Time after which a packet is sent again: longer than a window needs where calls take 4 ms.
const TIMEOUT: Picos = 500_000_000_000;
/// Packets under way.
const WINDOW: usize = 40;
/// Ends of connections that the process made with the constant `counts`.
static ENDS: AtomicUsize = AtomicUsize::new(0);

/// A sender with a fixed window and a timer, and a receiver that acknowledges each packet. A packet is its
/// number; its length makes the size.
struct Fixed {
    role: Role,
    total: u64,
    /// An application hands it more.
    is_fed: bool,
    next: u64,
    /// Numbers under way, with their departures.
    out: Vec<(u64, Picos)>,
    again: Vec<u64>,
    arrived: BTreeSet<u64>,
    answers: Vec<(u64, Ecn)>,
    marks: u64,
    lost: u64,
    batch: usize,
    window: usize,
    dies_after: u64,
    outcome: Option<Outcome>,
    connected: Option<Picos>,
    last: Picos,
    rtt: Option<Picos>,
}

fn make(setup: &Setup) -> Box<dyn Endpoint> {
    let counts = setup.constant("counts") > 0.0;
    let before = if counts { ENDS.fetch_add(1, Ordering::Relaxed) } else { 0 };
    Box::new(Fixed {
        role: setup.role,
        total: setup.size.map_or(u64::MAX, |size| size.div_ceil(DATA)),
        is_fed: setup.is_fed,
        next: 0,
        out: Vec::new(),
        again: Vec::new(),
        arrived: BTreeSet::new(),
        answers: Vec::new(),
        marks: 0,
        lost: 0,
        batch: setup.batch as usize,
        window: WINDOW.saturating_sub(before).max(1),
        dies_after: setup.constant("dies_after") as u64,
        outcome: None,
        connected: (setup.role == Role::Source).then_some(setup.now),
        last: 0,
        rtt: None,
    })
}

impl Fixed {
    fn look(&mut self) {
        if !self.is_fed && self.next >= self.total && self.out.is_empty() && self.again.is_empty() {
            self.outcome.get_or_insert(Outcome::Completed);
        }
    }
}

impl Endpoint for Fixed {
    fn receive(&mut self, now: Picos, datagram: Datagram) {
        let number = u64::from_le_bytes(datagram.payload[..8].try_into().unwrap());
        if self.role == Role::Sink {
            self.arrived.insert(number);
            self.last = now;
            self.answers.push((number, datagram.ecn));
            return;
        }
        self.marks += u64::from(datagram.payload[8] == 3);
        if let Some((_, sent)) = self.out.iter().find(|(out, _)| *out == number) {
            self.rtt = Some(now - sent);
        }
        self.out.retain(|(out, _)| *out != number);
        self.again.retain(|again| *again != number);
        if self.dies_after > 0 && number >= self.dies_after {
            self.outcome.get_or_insert(Outcome::Aborted("too many gaps".into()));
        }
        self.look();
    }

    fn timer(&mut self, now: Picos) {
        let due = |sent: Picos| sent + TIMEOUT <= now;
        let (late, out): (Vec<_>, Vec<_>) = self.out.drain(..).partition(|(_, sent)| due(*sent));
        self.out = out;
        self.lost += late.len() as u64;
        self.again.extend(late.iter().map(|(number, _)| number));
    }

    fn next_timeout(&mut self) -> Option<Picos> {
        self.out.iter().map(|(_, sent)| sent + TIMEOUT).min()
    }

    fn drain(&mut self, now: Picos, out: &mut Vec<Datagram>) {
        while out.len() < self.batch {
            if let Some((number, ecn)) = self.answers.pop() {
                let payload = [&number.to_le_bytes()[..], &[ecn.bits(); 8]].concat();
                out.push(Datagram { payload, headers: HEADERS, ecn: Ecn::NotEct });
                continue;
            }
            if self.role == Role::Sink || self.out.len() >= self.window || self.outcome.is_some() {
                return;
            }
            let number = match self.again.pop() {
                Some(number) => number,
                None if self.next < self.total => {
                    self.next += 1;
                    self.next - 1
                }
                None => return,
            };
            self.out.push((number, now));
            let mut payload = vec![0; DATA as usize];
            payload[..8].copy_from_slice(&number.to_le_bytes());
            out.push(Datagram { payload, headers: HEADERS, ecn: Ecn::Ect0 });
        }
    }

    fn supply(&mut self, _: Picos, supply: Supply) {
        let left = (self.total < u64::MAX).then(|| (self.total - self.next) * DATA);
        self.total = supply.after(left).map_or(u64::MAX, |left| self.next + left.div_ceil(DATA));
    }

    fn stop(&mut self, _: Picos) {
        if !std::mem::take(&mut self.is_fed) || self.total == u64::MAX {
            self.total = self.total.min(self.next);
        }
        self.look();
    }

    fn read(&self) -> u64 {
        self.arrived.len() as u64 * DATA
    }

    fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    fn stats(&mut self) -> Stats {
        Stats {
            connected: self.connected,
            last_read: self.last,
            rtt: self.rtt,
            lost: Some(self.lost),
            reductions: Some(self.marks),
            spurious_reductions: None,
            control: Observed {
                cwnd: Some(self.window as f64 * DATA as f64),
                mode: 1,
                ..Observed::default()
            },
        }
    }
}

const NAME: &str = "stack:test/fixed";

/// Constants: those of hosts, the packet after whose acknowledgement the connection is aborted, and a defect:
/// a window that depends on how many ends the process made before.
const PARAMS: &[Param] = &[
    Param::new(host::BATCH, "x", "datagrams", [1.0, 64.0], 1.0, "x"),
    Param::new(host::CALL_TIME, "x", "us", [0.0, 1e6], 0.0, "x"),
    Param::new(host::MTU, "x", "bytes", [1228.0, 9000.0], 1500.0, "x"),
    Param::new(host::REQUEST, "x", "bytes", [0.0, 1e9], 0.0, "x"),
    Param::new("dies_after", "x", "packets", [0.0, 1e9], 0.0, "x"),
    Param::new("counts", "x", "1", [0.0, 1.0], 0.0, "x"),
];

fn share(share: f64, values: &[(&str, f64)]) -> Value {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let about = About { name: NAME, title: "x", source: "x", params: PARAMS, modes: &["steady"] };
        let _ = keep(&about, "test-1");
        register(Stack { name: NAME, make });
    });
    let mut constants: serde_json::Map<String, Value> =
        PARAMS.iter().map(|param| (param.name.to_string(), json!(param.standard))).collect();
    values.iter().for_each(|(name, value)| drop(constants.insert((*name).to_string(), json!(value))));
    json!({"name": NAME, "share": share, "parameters": constants, "plugin": "test-1"})
}

/// The dumbbell with ports of 1,000 segments/s, and a flow of the stack.
fn path(values: &[(&str, f64)]) -> Value {
    let mut scenario = with(
        dumbbell(),
        &[
            ("network.queue", json!("port")),
            ("network.speed", json!(1_000.0)),
            ("network.buffer", segments(30.0)),
            ("time", time(20.0, 5.0, 1)),
            ("measurement.interval", json!(1.0)),
        ],
    );
    scenario["algorithms"] = json!([share(1.0, values)]);
    scenario
}

fn connections(simulation: &mut Simulation) -> mesonet_sim::measure::Table {
    simulation.take_stacks()
}

fn refusal(scenario: &Value) -> String {
    Scenario::from_json(&scenario.to_string())
        .and_then(|scenario| Simulation::new(scenario, 1).map(|_| ()))
        .unwrap_err()
        .to_string()
}

/// A file of 500 segments of 1,500 bytes arrives once and whole, over a path that drops, delays, reorders,
/// duplicates and marks, beside a built-in flow; both engines agree, and threads change nothing.
#[test]
fn engines_agree_over_a_bad_path() {
    let mut scenario = path(&[]);
    scenario["flows"] = json!([flow("A", "B", 0.0), flow("A", "B", 1.0), flow("B", "A", 0.5)]);
    scenario["flows"][0]["size"] = json!(500.0);
    scenario["flows"][0]["extra_delay"] = json!(0.003);
    scenario["flows"][2]["algorithm"] = json!("tcp");
    scenario["algorithms"].as_array_mut().unwrap().push(algorithm("tcp", 0.0));
    scenario["impairments"] = with(
        impairments(),
        &[
            ("loss", json!(0.01)),
            ("jitter", json!("exponential")),
            ("jitter_mean", json!(0.002)),
            ("keep_order", json!(false)),
            ("duplicate", json!(0.02)),
        ],
    );
    scenario["network"]["ecn_threshold"] = json!(10.0);
    let outputs =
        [(Engine::Reference, 1), (Engine::Domains, 1), (Engine::Domains, 2)].map(|(engine, threads)| {
            let mut simulation = begin(&scenario, 3, engine, threads);
            simulation.advance(f64::INFINITY);
            simulation.record_unfinished();
            let rows = connections(&mut simulation);
            assert_eq!(texts(&rows, "outcome")[0], "completed");
            assert_eq!(integer(&rows, "bytes_read")[0], 750_000);
            assert!(float(&rows, "window_reductions")[0] > 0.0, "marks reach the stack");
            let counters = simulation.counters();
            assert!(
                counters.dropped > 20 && counters.duplicated > 20 && counters.marked > 20,
                "{counters:?}"
            );
            let census = simulation.census();
            let under_way = census.queued + census.in_flight;
            // Copies enter without a source.
            let answers = counters.duplicated;
            assert!(counters.entering + answers >= counters.leaving + counters.dropped + under_way);
            format!("{rows:?} {:?} {:?} {census:?}", simulation.take_flows(), simulation.responses())
        });
    assert!(outputs[0] == outputs[1], "{}\n{}", outputs[0], outputs[1]);
    assert!(outputs[1] == outputs[2]);
}

/// Two runs with one seed have equal tables, unless a stack depends on something outside of the run.
#[test]
fn a_run_repeats_unless_its_stack_depends_on_the_process() {
    let tables = |counts: f64| {
        let mut simulation = run(&path(&[("counts", counts)]), 1);
        format!("{:?} {:?}", connections(&mut simulation), simulation.take_flows())
    };
    assert_eq!(tables(0.0), tables(0.0));
    assert_ne!(tables(1.0), tables(1.0), "a count of the process stays visible");
}

/// The link serves the bytes that packets have, with their headers: 40 of 1,040 bytes in a round trip.
#[test]
fn packets_have_their_own_sizes() {
    let simulation = run(&path(&[]), 1);
    let busy = of_router(&simulation, "A -> B", "utilisation");
    let rate = response(&simulation, "segment_rate");
    assert!((busy - rate * 1_040.0 / 1_500.0 / 1_000.0).abs() < 0.01, "{busy} {rate}");
}

/// A built-in flow loses nothing by a stack in the list of algorithms that nothing uses.
#[test]
fn a_stack_that_nothing_uses_changes_no_byte() {
    let mut plain = path(&[]);
    plain["algorithms"] = json!([algorithm("tcp", 1.0)]);
    let mut listed = plain.clone();
    listed["algorithms"] = json!([algorithm("tcp", 1.0), share(0.0, &[])]);
    let flows = |scenario: &Value| {
        let mut simulation = run(scenario, 1);
        format!("{:?} {:?}", simulation.take_flows(), simulation.responses())
    };
    assert_eq!(flows(&plain), flows(&listed));
}

#[test]
fn an_aborted_connection_is_an_outcome_with_its_reason() {
    let mut simulation = run(&path(&[("dies_after", 100.0)]), 1);
    let rows = connections(&mut simulation);
    assert_eq!(texts(&rows, "outcome"), ["aborted"]);
    assert_eq!(texts(&rows, "reason"), ["too many gaps"]);
    assert_eq!(simulation.counters().aborted, 1);
    assert_eq!(integer(&simulation.take_flows(), "completed"), [0]);
}

#[test]
fn a_flow_that_is_stopped_completes() {
    let mut scenario = path(&[]);
    scenario["flows"][0]["stop"] = json!(3.0);
    let mut simulation = run(&scenario, 1);
    let (rows, flows) = (connections(&mut simulation), simulation.take_flows());
    assert_eq!(texts(&rows, "outcome"), ["completed"]);
    let ended = float(&rows, "ended_s")[0];
    assert!((3.0..4.0).contains(&ended), "{ended}");
    let delivered = integer(&flows, "segments_delivered")[0];
    assert_eq!(float(&flows, "size")[0], delivered as f64);
    assert_eq!(delivered, integer(&rows, "bytes_read")[0] / 1_500);
}

/// Bursts of 10 segments each second, from 0.5 s on: 15 packets of 1,000 bytes, fewer than the window.
/// The flow ends when it is stopped.
#[test]
fn an_application_hands_over_its_bursts() {
    let mut scenario = path(&[]);
    scenario["flows"][0]["start"] = json!(0.5);
    scenario["flows"][0]["stop"] = json!(10.9);
    let read = |scenario: &Value| integer(&connections(&mut run(scenario, 1)), "bytes_read")[0] as f64;
    let always = read(&scenario);
    let source = json!({"on_off": {"burst_size": 10.0, "idle_time": 1.0, "idle": "constant"}});
    scenario["flows"][0]["application"] =
        json!({"source": source, "late_after": 0.25, "report_interval": 5.0});
    let mut simulation = run(&scenario, 1);
    let rows = connections(&mut simulation);
    assert_eq!(texts(&rows, "outcome"), ["completed"]);
    assert_eq!(integer(&rows, "bytes_read"), [11 * 10 * 1_500]);
    let ended = float(&rows, "ended_s")[0];
    // Seen at the next timer of the stack.
    assert!((10.9..=11.0).contains(&ended), "{ended}");
    // The measured period begins after 5 s.
    let heard = simulation.applications();
    assert_eq!(integer(&heard, "messages"), [6, 6]);
    assert_eq!(integer(&heard, "messages_late"), [0, 0]);
    // Data without end for 4.4 of 10.4 s.
    scenario["flows"][0]["application"]["source"] =
        json!({"on_off": {"burst_time": 2.0, "idle_time": 3.0, "idle": "constant"}});
    let share = read(&scenario) / always;
    assert!((share - 4.4 / 10.4).abs() < 0.05, "{share}");
}

/// Calls of 4 ms: 12 datagrams have left after 50 ms, or the window of 40 in four batches. Arrivals go
/// first: the sink answers when it has read the whole window.
#[test]
fn a_processor_limits_by_calls() {
    let values = |batch: f64| [("call_time", 4_000.0), ("batch", batch)];
    let left = [1.0, 10.0].map(|batch| {
        let mut simulation = begin(&path(&values(batch)), 1, Engine::Domains, 1);
        simulation.advance(0.05);
        simulation.counters().entering
    });
    assert_eq!(left, [12, 40]);
    let rate = response(&run(&path(&values(1.0)), 1), "segment_rate");
    assert!((80.0..84.0).contains(&rate), "{rate}");
}

/// Arrivals of the stack complete, and mix with those of a built-in algorithm.
#[test]
fn arrivals_use_stacks() {
    let mut scenario = path(&[]);
    scenario["flows"] = json!([]);
    scenario["arrivals"] = json!([arrivals(json!(["A"]), json!(["B"]), 4.0)]);
    scenario["algorithms"] = json!([share(0.5, &[]), algorithm("tcp", 0.5)]);
    let mut simulation = run(&scenario, 2);
    let rows = connections(&mut simulation);
    let completed = texts(&rows, "outcome").iter().filter(|outcome| *outcome == "completed").count();
    let flows = simulation.take_flows();
    let of_stack = texts(&flows, "algorithm").iter().filter(|name| *name == NAME).count();
    assert!(completed > 20 && of_stack == texts(&rows, "outcome").len(), "{completed} of {of_stack}");
    assert!(texts(&flows, "algorithm").len() > of_stack + 20);
    assert!(integer(&rows, "bytes_read")[..completed].iter().all(|bytes| *bytes == 90_000));
}

#[test]
fn what_stacks_cannot_do_is_refused_by_name() {
    let scenario = path(&[]);
    for (changes, refused) in [
        (vec![("network.queue", json!("router"))], "network.queue: router"),
        (
            vec![("flows", json!([with(flow("A", "B", 0.0), &[("overhead", json!(0.01))])]))],
            "flows[0].overhead: 0.01 s",
        ),
        (vec![("trace.flows", json!([1])), ("trace.packets", json!(true))], "trace.packets: true"),
    ] {
        let message = refusal(&with(scenario.clone(), &changes));
        assert!(message.starts_with(refused) && message.contains("allowed:"), "{message}");
    }
    let mut sized = scenario.clone();
    sized["flows"][0]["segment_bytes"] = json!(500.0);
    assert!(refusal(&sized).starts_with("flows[0].segment_bytes: 500 B"), "{}", refusal(&sized));
    assert_eq!(simulation(&scenario, 1).without_snapshots(), Some(NAME));
}
