//! The disciplines beside those of ns-3 under loads that do not react: the same arrivals, to the nanosecond.
//! `verification/witness/ns3/loads.py` wrote the numbers of ns-3.

use super::tests::{Bench, facts, segment};
use super::*;
use mesonet_cc::{MILLISECOND, SECOND};
use std::collections::BTreeMap;
use std::path::Path;

/// Time of a bin, as in the table.
const BIN: Picos = 2 * SECOND;
const BINS: usize = 10;
const NANOSECOND: Picos = MILLISECOND / 1_000_000;
/// Service of a segment: 1500 bytes at 10 Mbit/s.
const SERVICE: Picos = MILLISECOND * 6 / 5;
const SEEDS: u64 = 5;
/// Parts of the rate, as in the table's program.
const LOADS: [(&str, &[(u64, f64)]); 2] =
    [("step", &[(4, 0.53), (10, 1.57), (6, 0.53)]), ("constant", &[(20, 1.07)])];

/// Counts of a bin.
#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    served: f64,
    drops: f64,
    marks: f64,
    /// Mean, ms.
    delay: f64,
}

impl Bin {
    fn all(self) -> [(&'static str, f64); 4] {
        [("served", self.served), ("drops", self.drops), ("marks", self.marks), ("delay ms", self.delay)]
    }
}

/// A load through a discipline.
fn ours(name: DisciplineName, ecn: bool, load: &[(u64, f64)], seed: u64) -> Vec<Bin> {
    let facts = QueueFacts { service: SERVICE, ack_service: SERVICE, ..facts(10_000) };
    let mut bench = Bench::with(name, facts, seed);
    let flows = if name == DisciplineName::FqCodel { 3 } else { 1 };
    let (mut at, mut end, mut number) = (0, 0, 0u32);
    let mut bins = vec![Bin::default(); BINS];
    let place = |at: Picos| (at / BIN) as usize;
    let mut marked = 0;
    for (seconds, part) in load {
        end += seconds * SECOND;
        let gap = (1_200_000.0 / part + 0.5) as u64 * NANOSECOND;
        while at < end {
            // The first flow sends four times as much as each other flow.
            let arrival = segment((number % (flows + 3)).saturating_sub(3), number, at);
            let before = bench.dropped.len();
            bench.arrive(if ecn { arrival.with_ecn() } else { arrival });
            bins[place(at)].drops += (bench.dropped.len() - before) as f64;
            bins[place(at)].marks += (bench.signals.marked - marked) as f64;
            marked = bench.signals.marked;
            number += 1;
            at += gap;
        }
    }
    bench.run(end);
    for (start, waiting) in bench.served.iter().filter(|(start, _)| *start < end) {
        let bin = &mut bins[place(*start)];
        bin.served += 1.0;
        bin.delay += (start - waiting.since) as f64 / MILLISECOND as f64;
    }
    for bin in &mut bins {
        bin.delay /= bin.served.max(1.0);
    }
    bins
}

type Key = (String, bool, String);

/// The rows of the table: the bins of each seed.
fn theirs() -> BTreeMap<Key, Vec<Vec<Bin>>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../verification/witness/ns3/loads.csv");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut found: BTreeMap<Key, Vec<Vec<Bin>>> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |place: usize| cells[place].parse::<f64>().unwrap();
        let runs = found.entry((cells[0].into(), cells[1] == "1", cells[2].into())).or_default();
        let seed = number(3) as usize;
        runs.resize(seed.max(runs.len()), Vec::new());
        runs[seed - 1].push(Bin { served: number(6), drops: number(7), marks: number(8), delay: number(9) });
    }
    found
}

/// Why bins differ by more than `allowed`.
struct Cause {
    discipline: &'static str,
    ecn: bool,
    loads: &'static [&'static str],
    /// Ends of the first and the last bin, s.
    bins: [usize; 2],
    numbers: &'static [&'static str],
    because: &'static str,
}

const CAUSES: [Cause; 7] = [
    Cause {
        discipline: "codel",
        ecn: true,
        loads: &["step", "constant"],
        bins: [2, 20],
        numbers: &["marks"],
        because: "ns-3 counts the interval to the next mark from this mark, RFC 8289 (section 5.5) from when it was due",
    },
    Cause {
        discipline: "fq_codel",
        ecn: true,
        loads: &["step", "constant"],
        bins: [2, 20],
        numbers: &["marks"],
        because: "the same",
    },
    Cause {
        discipline: "pie",
        ecn: false,
        loads: &["step"],
        bins: [6, 10],
        numbers: &["delay ms"],
        because: "ns-3 controls the time that the last departure waited, which is old news; \
                  with the bytes that wait (UseDequeueRateEstimator) its first bin has 63.8 ms",
    },
    Cause {
        discipline: "pie",
        ecn: true,
        loads: &["step"],
        bins: [6, 10],
        numbers: &["delay ms"],
        because: "the same",
    },
    Cause {
        discipline: "red",
        ecn: false,
        loads: &["step"],
        bins: [6, 6],
        numbers: &["served", "drops"],
        because: "ns-3 drops nothing while one packet or less waits, even if its average is high; the paper drops",
    },
    Cause {
        discipline: "red",
        ecn: false,
        loads: &["step"],
        bins: [16, 16],
        numbers: &["served", "drops"],
        because: "the same",
    },
    Cause {
        discipline: "red",
        ecn: true,
        loads: &["step"],
        bins: [6, 16],
        numbers: &["served", "drops", "marks"],
        because: "the same",
    },
];

/// The distance that counts as agreement: 3 % or a hundredth of the segments that a bin can serve; in delays
/// 10 % and the service of a segment. The range over the seeds of ns-3 counts as agreement, too.
fn allowed(number: &str, theirs: f64, range: f64) -> f64 {
    let hundredth = BIN as f64 / SERVICE as f64 / 100.0;
    let bound = if number == "delay ms" { 0.1 * theirs + 1.2 } else { (0.03 * theirs).max(hundredth) };
    bound.max(range)
}

/// Each number of each bin agrees, or has a named cause; each cause is needed.
#[test]
#[ignore = "make verify: compares with the table of a witness"]
fn loads_have_the_effects_that_they_have_in_ns3() {
    let mut unexplained = Vec::new();
    let mut used = [0; CAUSES.len()];
    let mut compared = 0;
    for ((discipline, ecn, load), runs) in theirs() {
        let name: DisciplineName = serde_json::from_value(discipline.clone().into()).unwrap();
        let (_, steps) = LOADS.iter().find(|(name, _)| *name == load).unwrap();
        let all: Vec<Vec<Bin>> = (1..=SEEDS).map(|seed| ours(name, ecn, steps, seed)).collect();
        println!("{discipline}{} {load}: ours, ns-3", if ecn { ", marks" } else { "" });
        for place in 0..BINS {
            let end = 2 * place + 2;
            print!("{end:5} s");
            for (index, (number, _)) in all[0][place].all().into_iter().enumerate() {
                let values =
                    |of: &[Vec<Bin>]| of.iter().map(|run| run[place].all()[index].1).collect::<Vec<_>>();
                let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
                let (our, their) = (mean(&values(&all)), values(&runs));
                let range = their.iter().fold(f64::MIN, |a, b| a.max(*b))
                    - their.iter().fold(f64::MAX, |a, b| a.min(*b));
                let their = mean(&their);
                compared += 1;
                let within = (our - their).abs() <= allowed(number, their, range);
                print!("  {number} {our:.1} {their:.1}{}", if within { "" } else { "*" });
                if within {
                    continue;
                }
                let covers = |cause: &Cause| {
                    (cause.discipline, cause.ecn) == (discipline.as_str(), ecn)
                        && cause.loads.contains(&load.as_str())
                        && (cause.bins[0]..=cause.bins[1]).contains(&end)
                        && cause.numbers.contains(&number)
                };
                match CAUSES.iter().position(covers) {
                    Some(cause) => used[cause] += 1,
                    None => {
                        unexplained.push(format!("{discipline} {ecn} {load} {end} s {number}: {our} {their}"))
                    }
                }
            }
            println!();
        }
    }
    assert_eq!(compared, 16 * BINS * 4);
    assert!(unexplained.is_empty(), "{unexplained:#?}");
    for (cause, count) in CAUSES.iter().zip(used) {
        println!("{count} numbers of {}: {}", cause.discipline, cause.because);
        assert!(count > 0, "nothing differs any more: {}", cause.because);
    }
}
