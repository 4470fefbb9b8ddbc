//! The algorithm that each flow takes: shares, ranks, units, and shares by time and place.

use crate::common::*;
use crate::snapshots::continues;
use mesonet_sim::measure::Table;
use mesonet_sim::network::Network;
use mesonet_sim::users::files::{ARRIVAL, EXPLICIT, FILE_CATEGORIES};
use mesonet_sim::users::units::home_end;
use mesonet_sim::users::{Assignment, Newcomer};
use mesonet_sim::{Engine, Scenario};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A scenario of these algorithms.
fn mixed(mix: &[(&str, f64)]) -> Value {
    with(abilene(), &[("algorithms", mix.iter().map(|(name, share)| algorithm(name, *share)).collect())])
}

/// The algorithms that units of these ranks take at the start, by name.
fn taken(scenario: &Value, ranks: &[f64]) -> Vec<String> {
    let scenario = Scenario::from_json(&scenario.to_string()).expect("a valid scenario");
    let network = Network::build(&scenario).expect("a network");
    let assignment = Assignment::new(&scenario, &network, 1).expect("an assignment");
    let [origin, receiver] = ["A1a", "B1a"].map(|name| network.access_router(name));
    let of = |rank: &f64| {
        let flow = Newcomer { category: 0, origin, receiver, rank: *rank };
        scenario.algorithms[usize::from(assignment.algorithm(&network, &flow, 0))].name.clone()
    };
    ranks.iter().map(of).collect()
}

fn ranks() -> Vec<f64> {
    (0..200).map(|i| f64::from(i) / 200.0).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The order of the mix does not matter, and users that leave the incumbent at a share leave it at every
    /// larger one. Users of any alternative are the same, and roles can be swapped.
    #[test]
    fn shares_are_nested_whatever_the_order(small in 0.0..1.0f64, large in 0.0..1.0f64) {
        let (small, large) = (small.min(large), small.max(large));
        let users = |incumbent: &str, other: &str, share: f64, is_first: bool| {
            let mut mix = vec![(incumbent, 1.0 - share), (other, share)];
            if is_first {
                mix.reverse();
            }
            let scenario = with(mixed(&mix), &[("users.incumbent", json!(incumbent))]);
            taken(&scenario, &ranks()).into_iter().map(|name| name == other).collect::<Vec<_>>()
        };
        let few = users("cubic", "bbr", small, true);
        prop_assert_eq!(&few, &users("cubic", "bbr", small, false));
        prop_assert_eq!(&few, &users("cubic", "vegas", small, true));
        prop_assert_eq!(&few, &users("bbr", "cubic", small, true));
        let many = users("cubic", "bbr", large, true);
        prop_assert!(few.iter().zip(&many).all(|(before, after)| *after || !before));
    }

    /// A deployment has the users that a mix of the same share has, and what is left keeps its proportions.
    #[test]
    fn a_deployment_is_a_mix(share in 0.0..1.0f64, rest in 0.0..1.0f64) {
        let mut deployed = mixed(&[("vegas", rest), ("cubic", 1.0 - rest), ("bbr", 0.0)]);
        deployed["deployment"] = json!([entry(0.0, &["all"], "bbr", share)]);
        deployed["users"]["incumbent"] = json!("cubic");
        let left = 1.0 - share;
        let mut whole = mixed(&[("bbr", share), ("cubic", left * (1.0 - rest)), ("vegas", left * rest)]);
        whole["users"]["incumbent"] = json!("cubic");
        prop_assert_eq!(taken(&deployed, &ranks()), taken(&whole, &ranks()));
    }
}

fn entry(time: f64, at: &[&str], name: &str, share: f64) -> Value {
    json!({"time": time, "at": at, "algorithm": name, "share": share})
}

/// The incumbent comes first: cubic, else tcp, else the last by name; of those with a share.
#[test]
fn the_incumbent_is_the_usual_algorithm_of_the_mix() {
    for (mix, first) in [
        (vec![("bbr", 0.5), ("cubic", 0.2), ("tcp", 0.3)], "cubic"),
        (vec![("bbr", 0.5), ("cubic", 0.0), ("tcp", 0.5)], "tcp"),
        (vec![("vegas", 0.5), ("bbr", 0.5)], "vegas"),
        (vec![("vegas", 0.0), ("bbr", 1.0)], "bbr"),
    ] {
        assert_eq!(taken(&mixed(&mix), &[0.0]), [first], "{mix:?}");
    }
    let named = with(mixed(&[("bbr", 0.5), ("cubic", 0.5)]), &[("users.incumbent", json!("bbr"))]);
    assert_eq!(taken(&named, &[0.0, 0.9]), ["bbr", "cubic"]);
}

/// Users, open-loop arrivals and explicit flows that begin now and then, on cubic and bbr in equal parts.
fn of_all_kinds() -> Value {
    let mut scenario = with(
        mixed(&[("cubic", 0.5), ("bbr", 0.5)]),
        &[("users.base_sources", json!(3.0)), ("users.think_time", json!(1.0)), ("time", time(9.0, 1.0, 2))],
    );
    scenario["arrivals"] = json!([arrivals(json!(["all"]), json!(["all"]), 100.0)]);
    let flows = (0..60).map(|i| {
        let mut flow = flow("A1a", ["B1a", "C1a", "D1a"][i % 3], 0.1 * i as f64);
        flow["size"] = json!(20.0);
        flow["user"] = json!(format!("user {}", i % 7));
        flow
    });
    scenario["flows"] = flows.collect();
    scenario
}

/// Flow records by a name of their unit: source and transfer, category, ends, start and algorithm.
struct Flows {
    table: Table,
    network: Network,
    scenario: Scenario,
}

impl Flows {
    fn of(scenario: &Value) -> Self {
        let mut simulation = run(scenario, 3);
        let parsed = Scenario::from_json(&scenario.to_string()).unwrap();
        Self { table: simulation.take_flows(), network: Network::build(&parsed).unwrap(), scenario: parsed }
    }

    fn count(&self) -> usize {
        self.algorithms().len()
    }

    fn algorithms(&self) -> &[String] {
        texts(&self.table, "algorithm")
    }

    fn started(&self, flow: usize) -> f64 {
        float(&self.table, "started_s")[flow]
    }

    fn category(&self, flow: usize) -> u8 {
        let name = &texts(&self.table, "category")[flow];
        FILE_CATEGORIES.iter().position(|category| category == name).unwrap() as u8
    }

    /// Access index of the home end.
    fn home(&self, flow: usize) -> usize {
        let end = |key: &str| self.network.access_router(&texts(&self.table, key)[flow]);
        home_end(&self.network, self.category(flow), end("from"), end("to")).index()
    }

    fn unit(&self, flow: usize) -> String {
        let (source, transfer) =
            (integer(&self.table, "source")[flow], integer(&self.table, "transfer")[flow]);
        match (self.scenario.users.assignment, self.category(flow)) {
            (mesonet_sim::scenario::Unit::Home, _) => format!("home {}", self.home(flow)),
            (mesonet_sim::scenario::Unit::Place, _) => {
                format!("place {}", self.network.places()[self.home(flow)])
            }
            (mesonet_sim::scenario::Unit::User, EXPLICIT) => {
                let first = self.network.traffic.sources.iter().sum::<u64>();
                self.scenario.flows[(source - first) as usize].user.clone().unwrap()
            }
            (mesonet_sim::scenario::Unit::User, category) if category != ARRIVAL => source.to_string(),
            _ => format!("flow {source} {transfer}"),
        }
    }
}

#[test]
fn every_flow_of_a_unit_takes_the_same_algorithm() {
    for unit in ["user", "home", "flow", "place"] {
        let flows = Flows::of(&with(of_all_kinds(), &[("users.assignment", json!(unit))]));
        let mut by_unit: BTreeMap<String, &String> = BTreeMap::new();
        for (flow, algorithm) in flows.algorithms().iter().enumerate() {
            let first = by_unit.entry(flows.unit(flow)).or_insert(algorithm);
            assert_eq!(*first, algorithm, "{unit}: {}", flows.unit(flow));
        }
        // Five standard deviations.
        let count = by_unit.len() as f64;
        let share = by_unit.values().filter(|name| **name == "bbr").count() as f64 / count;
        assert!(flows.count() > 2000 && by_unit.len() >= 20, "{unit}: {count}");
        assert!((share - 0.5).abs() < 2.5 / count.sqrt(), "{unit}: {share} of {count}");
    }
}

/// A switchback, a roll-out and a class: at each instant and place all flows that begin use what holds there.
#[test]
fn deployments_hold_by_time_and_place() {
    for unit in ["user", "home", "flow", "place"] {
        let mut scenario = with(of_all_kinds(), &[("users.assignment", json!(unit))]);
        scenario["algorithms"] = json!([algorithm("cubic", 1.0), algorithm("bbr", 0.0)]);
        scenario["deployment"] = json!([
            entry(4.0, &["A", "B1"], "bbr", 1.0),
            entry(2.0, &["all"], "bbr", 1.0),
            entry(3.0, &["all"], "bbr", 0.0),
            entry(4.0, &["A2"], "bbr", 0.0),
            entry(6.0, &["fast", "C1a"], "bbr", 1.0),
        ]);
        let flows = Flows::of(&scenario);
        let name = |access: usize| flows.network.topology.routers[flows.network.access[access]].name.as_str();
        let mut counts = BTreeMap::new();
        for (flow, algorithm) in flows.algorithms().iter().enumerate() {
            let is_transfer = flows.category(flow) < EXPLICIT;
            let origin = flows.network.access_router(&texts(&flows.table, "from")[flow]).index();
            let place = if unit == "user" && is_transfer { origin } else { flows.home(flow) };
            let class = flows.network.class_of(place);
            let started = flows.started(flow);
            let rolled_out = name(place).starts_with('A') && !name(place).starts_with("A2")
                || name(place).starts_with("B1");
            let is_new = (2.0..3.0).contains(&started)
                || started >= 4.0 && rolled_out
                || started >= 6.0 && (class.word() == "fast" || name(place) == "C1a");
            assert_eq!(algorithm == "bbr", is_new, "{unit}: {} from {started} s", name(place));
            *counts.entry((is_new, started as u32)).or_insert(0) += 1;
        }
        assert!(counts.len() >= 12, "{unit}: {counts:?}");
    }
}

/// Every engine, any number of threads, and runs that were killed.
#[test]
fn engines_threads_and_snapshots_agree() {
    for unit in ["user", "home", "flow", "place"] {
        let mut scenario = with(of_all_kinds(), &[("users.assignment", json!(unit))]);
        scenario["time"] = time(4.0, 1.0, 2);
        scenario["flows"].as_array_mut().unwrap().truncate(30);
        scenario["deployment"] = json!([
            entry(0.0, &["all"], "bbr", 0.1),
            entry(1.5, &["A", "normal"], "bbr", 0.8),
            entry(2.5, &["all"], "bbr", 0.3),
        ]);
        let wanted = in_slices(&scenario, 5, Engine::Domains, 1, 4);
        for (engine, threads) in [(Engine::Domains, 3), (Engine::OneDomain, 1), (Engine::Reference, 1)] {
            assert!(in_slices(&scenario, 5, engine, threads, 4) == wanted, "{unit}: {engine:?}, {threads}");
        }
        continues(&scenario, 5, Engine::Domains, 4);
    }
}

/// Large files that are limited by concurrency count by the algorithm that a flow began with.
#[test]
fn concurrent_files_continue_across_a_deployment() {
    let mut scenario = concurrent(mixed(&[("cubic", 1.0), ("bbr", 0.0)]));
    scenario["time"] = time(8.0, 1.0, 2);
    scenario["deployment"] = json!([entry(4.0, &["all"], "bbr", 1.0)]);
    let flows = Flows::of(&scenario);
    for algorithm in ["cubic", "bbr"] {
        let large = (0..flows.count()).filter(|flow| {
            flows.algorithms()[*flow] == algorithm
                && ["movie", "service pack"].contains(&FILE_CATEGORIES[usize::from(flows.category(*flow))])
        });
        assert!(large.count() > 0, "{algorithm}");
    }
    continues(&scenario, 1, Engine::Domains, 4);
}

#[test]
fn what_is_not_right_is_refused() {
    let refusal = |scenario: &Value| {
        let scenario = match Scenario::from_json(&scenario.to_string()) {
            Err(refused) => return refused.to_string(),
            Ok(scenario) => scenario,
        };
        let network = Network::build(&scenario).unwrap();
        let domains = mesonet_sim::network::Domains::of(&network);
        let checked = mesonet_sim::simulation::check::check(&scenario, &network, &domains);
        checked.expect_err("refused").to_string()
    };
    let deployed = |entries: Value| {
        let mut scenario = mixed(&[("cubic", 1.0), ("bbr", 0.0)]);
        scenario["deployment"] = entries;
        scenario
    };
    for (entries, words) in [
        (json!([entry(21.0, &["all"], "bbr", 0.5)]), "deployment[0].time: after the end"),
        (json!([entry(1.0, &[], "bbr", 0.5)]), "deployment[0].at: no place"),
        (
            json!([entry(1.0, &["A", "Z"], "bbr", 0.5)]),
            "deployment[0].at[1]: \"abilene\" has no router \"Z\"",
        ),
        (json!([entry(1.0, &["all"], "vegas", 0.5)]), "deployment[0].algorithm: \"vegas\" is not among"),
        (json!([entry(1.0, &["all"], "bbr", 1.5)]), "deployment[0].share: 1.5"),
        (json!([entry(1.0, &["all"], "cubic", 0.5)]), "deployment[0].share: the mix has no other algorithm"),
    ] {
        let refused = refusal(&deployed(entries));
        assert!(refused.starts_with(words), "{refused}");
    }
    let nobody = with(
        deployed(json!([entry(1.0, &["A"], "bbr", 1.0)])),
        &[
            ("users.source_distribution", json!([1.0, 0.0, 0.0])),
            ("deployment", json!([entry(1.0, &["direct"], "bbr", 1.0)])),
        ],
    );
    assert!(refusal(&nobody).starts_with("deployment[0].at[0]: no user is there"), "{}", refusal(&nobody));
    let other = with(mixed(&[("cubic", 1.0)]), &[("users.incumbent", json!("tcp"))]);
    assert!(refusal(&other).starts_with("users.incumbent: \"tcp\" is not among"), "{}", refusal(&other));
    let mut nameless = dumbbell();
    nameless["flows"][0]["user"] = json!("");
    assert!(refusal(&nameless).starts_with("flows[0].user: an empty name"), "{}", refusal(&nameless));
}
