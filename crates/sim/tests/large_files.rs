//! Movies and service packs that are limited by concurrency.

use crate::common::*;
use mesonet_sim::Simulation;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Flows of a run with their end; flows in progress end with the run.
struct Flows {
    group: Vec<String>,
    category: Vec<String>,
    started: Vec<f64>,
    ended: Vec<f64>,
    size: Vec<f64>,
}

const END: f64 = 8.0;

fn flows(simulation: &mut Simulation) -> Flows {
    let table = simulation.take_flows();
    let text = |name| texts(&table, name).to_vec();
    let (path, rate, algorithm) = (text("path_class"), text("rate_class"), text("algorithm"));
    let group = |i: usize| format!("{} {} {}", path[i], rate[i], algorithm[i]);
    let completed = integer(&table, "completed");
    let (started, acked) = (float(&table, "started_s"), float(&table, "last_acked_s"));
    let ended = |i: usize| if completed[i] == 1 { acked[i] } else { END };
    assert!(integer(&table, "syns").iter().all(|syns| *syns == 1));
    Flows {
        group: (0..path.len()).map(group).collect(),
        category: text("category"),
        started: started.to_vec(),
        ended: (0..path.len()).map(ended).collect(),
        size: float(&table, "size").to_vec(),
    }
}

/// Many users of two algorithms, so that every group has flows, with files that end during the run. No SYN is
/// dropped.
fn crowd(values: &[(&'static str, Value)]) -> Value {
    let scenario = concurrent(abilene());
    let scenario = with(
        scenario,
        &[
            ("algorithms", json!([algorithm("tcp", 0.5), algorithm("cubic", 0.5)])),
            ("users.base_sources", json!(20.0)),
            ("users.think_time", json!(2.0)),
            ("network.speed", json!(400_000.0)),
            ("network.buffer", segments(1e5)),
            ("users.source_distribution", json!([0.3, 0.4, 0.3])),
            ("users.receiver_distribution", json!([0.3, 0.3, 0.4])),
            ("time", time(END, 1.0, 1)),
        ],
    );
    with(scenario, values)
}

/// Every 10 ms the flows that have started are compared.
fn comparison_after(time: f64) -> f64 {
    (time * 100.0).ceil() / 100.0
}

/// A group never has more than one movie and four service packs under way. It has that many at every
/// comparison after which a flow started in it, unless a large file has just ended.
#[test]
fn a_group_with_too_few_starts_the_next() {
    const LARGE: [(&str, usize); 2] = [("movie", 1), ("service pack", 4)];
    let is_large = |category| LARGE.iter().any(|(large, _)| *large == category);
    let flows = flows(&mut run(&crowd(&[]), 3));
    // By group: instants at which a large file ends or becomes one, or another flow starts; ends first.
    let mut events: BTreeMap<&str, Vec<(f64, usize, &str)>> = BTreeMap::new();
    for i in 0..flows.group.len() {
        let of = events.entry(&flows.group[i]).or_default();
        let category = flows.category[i].as_str();
        if is_large(category) {
            // It becomes one at the next comparison.
            of.push((comparison_after(flows.started[i]), 1, category));
            of.push((flows.ended[i], 0, category));
        } else {
            of.push((flows.started[i], 1, category));
        }
    }
    assert_eq!(events.len(), 12, "three path classes, two rates, two algorithms");
    let mut all = 0;
    for (group, mut of) in events {
        of.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (category, most) in LARGE {
            let (mut now, mut starts, mut ended, mut candidate) = (0, 0, 0.0, None);
            for &(time, begins, what) in of.iter().filter(|event| event.0 < END) {
                // Of a flow that started while too few were under way, after its comparison.
                if candidate.is_some_and(|comparison| time > comparison) {
                    let comparison = candidate.take().unwrap();
                    assert!(now == most || ended > comparison - 0.011, "{group}: {now} at {comparison} s");
                }
                if what == category {
                    now = if begins == 1 { now + 1 } else { now - 1 };
                    starts += begins;
                    ended = if begins == 0 { time } else { ended };
                } else if !is_large(what) && candidate.is_none() {
                    candidate = Some(comparison_after(time));
                }
                assert!(now <= most, "{group}: {now} of {category} at {time} s");
            }
            all += starts;
        }
    }
    assert!(all > 250, "{all} large files");
}

/// Probabilities of movies and service packs above 0 have no effect; documents are drawn. A large file is the
/// Web object of its flow, multiplied.
#[test]
fn other_flows_draw_web_objects_and_documents() {
    let probable = [("users.movie_probability", json!(0.4)), ("users.service_pack_probability", json!(0.4))];
    let [a, b] = [&[][..], &probable].map(|values| flows(&mut run(&crowd(values), 3)));
    assert_eq!((&a.category, &a.size, &a.started), (&b.category, &b.size, &b.started));
    let share =
        |name: &str| a.category.iter().filter(|c| *c == name).count() as f64 / a.category.len() as f64;
    assert!((share("document") - 0.1).abs() < 0.01, "{}", share("document"));
    let smallest = |name: &str| {
        let of = a.category.iter().zip(&a.size).filter(|(c, _)| *c == name);
        of.map(|(_, size)| *size).fold(f64::INFINITY, f64::min)
    };
    // Mean 50, shape 1.5: at least 17 segments.
    let least = ["web object", "document", "service pack", "movie"].map(smallest);
    assert!(
        least.iter().zip([17.0, 167.0, 333.0, 1_667.0]).all(|(found, least)| *found >= least),
        "{least:?}"
    );
}

/// Files whose probability is 0 do not occur. Without both kinds, the run is that with drawn categories.
#[test]
fn files_without_a_probability_do_not_occur() {
    let of = |movies: f64, service_packs: f64, rule: &str| {
        let values = [
            ("users.movie_probability", json!(movies)),
            ("users.service_pack_probability", json!(service_packs)),
            ("users.large_files", json!(rule)),
        ];
        flows(&mut run(&crowd(&values), 3))
    };
    let has = |flows: &Flows, name: &str| flows.category.iter().any(|category| category == name);
    let (movies, service_packs) = (of(0.1, 0.0, "concurrent"), of(0.0, 0.1, "concurrent"));
    assert!(has(&movies, "movie") && !has(&movies, "service pack"));
    assert!(!has(&service_packs, "movie") && has(&service_packs, "service pack"));
    let [drawn, none] = ["drawn", "concurrent"].map(|rule| of(0.0, 0.0, rule));
    assert_eq!((&drawn.category, &drawn.size, &drawn.ended), (&none.category, &none.size, &none.ended));
}

#[test]
fn a_group_can_have_several_or_none() {
    let most = |movies: u32| {
        let values = [
            ("users.concurrent_movies", json!(movies)),
            ("users.concurrent_service_packs", json!(0)),
            ("users.movie_factor", json!(1e6)),
        ];
        let flows = flows(&mut run(&crowd(&values), 3));
        let movies = (0..flows.group.len()).filter(|i| flows.category[*i] == "movie");
        let mut count: BTreeMap<String, usize> = BTreeMap::new();
        movies.for_each(|i| *count.entry(flows.group[i].clone()).or_default() += 1);
        count.into_values().max().unwrap_or(0)
    };
    assert_eq!([0, 1, 3].map(most), [0, 1, 3]);
}
