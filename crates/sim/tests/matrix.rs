//! Arrivals by a matrix, and the table of what demands offer and the network carries.

use crate::common::*;
use crate::engines::agree;
use crate::snapshots::continues;
use mesonet_sim::network::Network;
use mesonet_sim::{Engine, Scenario};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Three routers in a row, far from full, without users: constant flows by a matrix.
fn row(matrix: Value, values: &[(&str, Value)]) -> Value {
    let base = [
        ("topology", networks::own(&[(0, 1, 1.0), (1, 2, 2.0)], 3)),
        ("users.base_sources", json!(0.0)),
        ("network.speed", json!(100_000.0)),
        ("arrivals", json!([arrivals_by(matrix)])),
        ("time", time(60.0, 10.0, 2)),
        ("measurement.interval", json!(0.5)),
        ("measurement.flow_records", json!(1.0)),
    ];
    with(with(abilene(), &base), values)
}

fn demands() -> Value {
    rates(&[("R0", "R2", 6_000.0), ("R0", "R1", 1_500.0), ("R2", "R0", 3_000.0), ("R1", "R0", 0.0)])
}

/// Small Abilene with users of a matrix, arrivals by another one, and arrivals between routers.
fn busy() -> Value {
    let matrix = rates(&[("A", "B", 900.0), ("A", "B0a", 300.0), ("C1", "K", 600.0), ("D1a", "E", 200.0)]);
    let bursty = with(
        arrivals_by(matrix.clone()),
        &[("process", json!("bursty")), ("start", json!(0.5)), ("stop", json!(5.0))],
    );
    let between = arrivals(json!(["A1a"]), json!(["all"]), 50.0);
    let mix = json!([algorithm("tcp", 0.5), algorithm("bbr", 0.5)]);
    let values = [
        ("users.traffic", matrix),
        ("network.speed", json!(20_000.0)),
        ("algorithms", mix),
        ("time", time(6.0, 1.0, 2)),
        ("arrivals", json!([bursty, between])),
    ];
    with(abilene(), &values)
}

#[test]
fn engines_and_threads_agree() {
    agree(&busy(), 3);
    let queued = [("network.ack_path", json!("queued")), ("network.queue", json!("port"))];
    agree(&with(busy(), &queued), 4);
    let shared = [("network.routing", json!("ecmp")), ("network.queue", json!("port"))];
    agree(&with(busy(), &shared), 5);
}

#[test]
fn runs_resume_from_snapshots() {
    for engine in [Engine::Domains, Engine::Reference] {
        continues(&busy(), 5, engine, 4);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn engines_agree_on_random_networks(
        scenario in networks::random(), amounts in proptest::collection::vec(0.0..2_000.0f64, 3), seed: u32,
    ) {
        let names = access_routers(&scenario);
        let (first, last) = (names[0].as_str(), names[names.len() - 1].as_str());
        let matrix = rates(&[(first, last, amounts[0] + 1.0), (last, first, amounts[1]), (first, first, amounts[2])]);
        agree(&with(scenario, &[("arrivals", json!([arrivals_by(matrix)]))]), u64::from(seed));
    }
}

/// Flows of a pair are a Poisson process of demand / size, and the table counts their segments.
#[test]
fn each_pair_has_its_rate() {
    let mut simulation = run(&row(demands(), &[("time", time(60.0, 0.0, 1))]), 1);
    simulation.record_unfinished();
    let (table, flows) = (simulation.demands(), simulation.take_flows());
    assert_eq!(texts(&table, "from"), ["R0", "R0", "R2", "R1"]);
    assert_eq!(texts(&table, "traffic"), ["arrivals[0]"; 4]);
    assert_eq!(float(&table, "offered"), [6_000.0, 1_500.0, 3_000.0, 0.0]);
    let ends: Vec<_> = texts(&flows, "from").iter().zip(texts(&flows, "to")).collect();
    for (place, (from, to)) in texts(&table, "from").iter().zip(texts(&table, "to")).enumerate() {
        // Access routers begin with the name of their region.
        let of_pair = |i: &usize| ends[*i].0.starts_with(from) && ends[*i].1.starts_with(to);
        let places: Vec<usize> = (0..ends.len()).filter(of_pair).collect();
        // In 60 s, of 60 segments each.
        let expected = float(&table, "offered")[place];
        let count = places.len() as f64;
        assert!((count - expected).abs() <= 5.0 * expected.sqrt(), "{from} {to}: {count} {expected}");
        let acked: u64 = places.iter().map(|i| integer(&flows, "segments_delivered")[*i]).sum();
        assert_eq!((float(&table, "carried")[place] * 60.0).round(), acked as f64);
    }
    assert!(float(&table, "ratio")[3].is_nan());
}

/// Only the measured time counts, of arrivals that begin and end within it, too.
#[test]
fn the_measured_time_counts() {
    let process = with(arrivals_by(demands()), &[("start", json!(20.0)), ("stop", json!(45.0))]);
    let simulation = run(&row(demands(), &[("arrivals", json!([process]))]), 2);
    let table = simulation.demands();
    for (offered, rate) in float(&table, "offered").iter().zip([6_000.0, 1_500.0, 3_000.0, 0.0]) {
        assert!((offered - rate / 2.0).abs() < 1e-9, "{offered}");
    }
    for (offered, carried) in float(&table, "offered").iter().zip(float(&table, "carried")) {
        // Counts of flows of 60 segments in 50 s.
        let deviation = (offered * 60.0 / 50.0).sqrt();
        assert!((carried - offered).abs() <= 5.0 * deviation, "{offered} {carried}");
    }
}

/// A load, a rate or a factor scales all demands; shares divide a rate.
#[test]
fn the_whole_matrix_is_scaled() {
    let offered = |values: &[(&str, Value)]| {
        let process = with(arrivals_by(demands()), values);
        let scenario = row(demands(), &[("arrivals", json!([process])), ("network.queue", json!("port"))]);
        let network = Network::build(&Scenario::from_json(&scenario.to_string()).unwrap()).unwrap();
        let arrivals = &network.arrivals[0];
        let queue = (0..network.queues.count())
            .find(|queue| network.queues.name(*queue, &network.topology) == "R0 -> R1")
            .unwrap();
        (arrivals.rate * 60.0, arrivals.carried[queue] / network.speeds[queue])
    };
    let near = |(rate, load): (f64, f64), expected: (f64, f64)| {
        assert!(
            (rate / expected.0 - 1.0).abs() < 1e-12 && (load / expected.1 - 1.0).abs() < 1e-12,
            "{rate} {load}"
        );
    };
    near(offered(&[]), (10_500.0, 0.0375));
    near(offered(&[("factor", json!(2.0))]), (21_000.0, 0.075));
    near(offered(&[("rate", json!(350.0))]), (21_000.0, 0.075));
    near(offered(&[("load", json!(0.3)), ("of", json!("R0 -> R1"))]), (84_000.0, 0.3));
    let shares: Value = [("R0", "R2", 4.0), ("R0", "R1", 1.0), ("R2", "R0", 2.0)]
        .iter()
        .map(|(from, to, share)| json!({"from": from, "to": to, "share": share, "rate": null}))
        .collect();
    near(offered(&[("matrix", shares), ("rate", json!(350.0))]), (21_000.0, 0.075));
}

/// Flows and loads of a place are divided as those of users, and come back to the demands of the place.
#[test]
fn places_are_divided_as_for_users() {
    let matrix = rates(&[("A", "B", 900.0), ("A", "B0a", 300.0), ("C1", "K", 600.0)]);
    let built = |scenario: &Value| {
        let scenario = Scenario::from_json(&scenario.to_string()).unwrap();
        (Network::build(&scenario).unwrap(), scenario)
    };
    let mut users = abilene();
    set(&mut users, "users.traffic", matrix.clone());
    let mut open = abilene();
    set(&mut open, "users.base_sources", json!(0.0));
    set(&mut open, "arrivals", json!([arrivals_by(matrix)]));
    let [(users, one), (arrivals, other)] = [built(&users), built(&open)];
    let [users, arrivals] = [users.load().offered_segments(&one), arrivals.load().offered_segments(&other)];
    for (users, arrivals) in users.iter().zip(&arrivals) {
        assert!((users[0] - arrivals[0]).abs() < 1e-9, "{users:?} {arrivals:?}");
    }
    let simulation = run(&open, 3);
    let table = simulation.demands();
    let (offered, carried) = (float(&table, "offered"), float(&table, "carried"));
    for (offered, carried) in offered.iter().zip(carried) {
        // In 12 s; the two demands towards B0a share what flows there carry.
        assert!((carried - offered).abs() <= 5.0 * (offered * 60.0 / 12.0).sqrt(), "{offered} {carried}");
    }
}

/// Users of a matrix of rates, and pairs of routers, have rows; a rule has none.
#[test]
fn users_and_pairs_have_demands() {
    let table = run(&busy(), 4).demands();
    let rows = texts(&table, "traffic");
    let count = |name: &str| rows.iter().filter(|row| *row == name).count();
    let others = access_routers(&busy()).len() - 1;
    assert_eq!([count("users"), count("arrivals[0]"), count("arrivals[1]")], [4, 4, others]);
    assert!(float(&table, "carried").iter().take(4).all(|carried| *carried > 0.0));
    assert!(texts(&run(&abilene(), 1).demands(), "from").is_empty());
}

#[test]
fn bad_matrices_are_refused() {
    let share = json!([{"from": "R0", "to": "R1", "share": 1.0, "rate": null}]);
    let cases: Vec<(Vec<(&str, Value)>, &str)> = vec![
        (vec![("from", json!(["R0"]))], "arrivals[0].from: arrivals have either from and to, or a matrix"),
        (vec![("matrix", Value::Null)], "arrivals[0].from: arrivals need from and to, or a matrix"),
        (vec![("matrix", json!([]))], "arrivals[0].matrix: no entry"),
        (vec![("matrix", share)], "arrivals[0].matrix: shares have no rate"),
        (
            vec![("rate", json!(1.0)), ("factor", json!(2.0))],
            "arrivals[0].factor: a factor beside rate or load",
        ),
        (vec![("factor", json!(0.0))], "arrivals[0].factor: 0 is too low"),
        (
            vec![("matrix", rates(&[("R0", "R1", -1.0)]))],
            "arrivals[0].matrix[0].rate: -1 is too low; allowed: at least 0",
        ),
        (vec![("matrix", rates(&[("R0", "R1", 0.0)]))], "arrivals[0].matrix: the demands sum to 0"),
        (
            vec![("matrix", rates(&[("R0", "R1", 1.0), ("R0", "Q", 1.0)]))],
            "arrivals[0].matrix[1].to: \"own\" has no router \"Q\"",
        ),
        (vec![("load", json!(0.5)), ("of", json!("R9"))], "arrivals[0].of: \"R9\" is no router"),
    ];
    for (values, message) in cases {
        let process = with(arrivals_by(demands()), &values);
        let scenario = row(demands(), &[("arrivals", json!([process]))]);
        let found = Scenario::from_json(&scenario.to_string())
            .and_then(|scenario| Network::build(&scenario))
            .expect_err("a refusal")
            .to_string();
        assert!(found.starts_with(message), "{found}\n{message}");
    }
}
