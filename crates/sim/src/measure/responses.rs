//! The responses of the ASME paper's Tables 3, 4 and 6 and what is measured beyond them, per measured period,
//! and totals of the run.
//!
//! Counts per interval are declared in `counters`, means over samples in `sample`. The table that defines
//! each response, with its unit and its place in tables, is part of the Python package; a test there holds
//! both against each other.

use super::counters::{COUNTED, Counters};
use super::pair_class::{PAIR_CLASSES, PathClass};
use super::sample::{SAMPLED, Sample};
use serde::{Deserialize, Serialize};

/// Long-lived flows that have a response of their own.
pub const LONG_LIVED: usize = 3;

/// Counts between two looks, and the time between them.
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    /// Length, s.
    pub length: f64,
    /// Events.
    pub counted: Counters,
    /// Segments of the long-lived flows that were acknowledged.
    pub long_lived: [u64; LONG_LIVED],
}

/// The sums of a period.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct PeriodSums {
    samples: u64,
    /// Intervals between samples, parts of them included.
    intervals: f64,
    time: f64,
    connecting: u64,
    sending: u64,
    counters: Counters,
    sampled: [Mean; SAMPLED.len()],
    by_class: [u64; PAIR_CLASSES],
    long_lived: [u64; LONG_LIVED],
}

/// A mean over the intervals that had data.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Mean {
    sum: f64,
    count: u64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        if value.is_finite() {
            self.sum += value;
            self.count += 1;
        }
    }

    fn get(&self) -> f64 {
        self.sum / self.count as f64
    }
}

/// Response names with their values.
pub type Responses = Vec<(&'static str, f64)>;

/// Goodput responses in the order of the pair classes.
const GOODPUT: [&str; 6] =
    ["goodput_dd", "goodput_df", "goodput_dn", "goodput_ff", "goodput_fn", "goodput_nn"];

/// Goodput responses in the order of the path classes.
const PATH_GOODPUT: [&str; 3] = ["goodput_very_fast", "goodput_fast", "goodput_typical"];

/// Goodput responses of the long-lived flows.
const LONG_LIVED_GOODPUT: [&str; LONG_LIVED] =
    ["goodput_long_lived_1", "goodput_long_lived_2", "goodput_long_lived_3"];

impl PeriodSums {
    /// Adds what was counted since the last look. A sample is taken each `interval` s.
    pub fn count(&mut self, since: &Interval, interval: f64) {
        self.intervals += since.length / interval;
        self.time += since.length;
        self.counters = self.counters.plus(&since.counted);
        for (sum, acked) in self.long_lived.iter_mut().zip(since.long_lived) {
            *sum += acked;
        }
    }

    /// Adds a sample.
    pub fn sample(&mut self, sample: &Sample) {
        self.samples += 1;
        self.connecting += sample.connecting;
        self.sending += sample.sending;
        for (mean, sampled) in self.sampled.iter_mut().zip(SAMPLED) {
            mean.add((sampled.of)(sample));
        }
        for (sum, flows) in self.by_class.iter_mut().zip(sample.by_class) {
            *sum += flows;
        }
    }

    /// Segments per second and flow of the given pair classes: a ratio of two means over the period, because
    /// a mean of ratios leaves out the intervals that end without a flow.
    fn goodput(&self, is_wanted: impl Fn(usize) -> bool) -> f64 {
        let sum = |counts: &[u64; PAIR_CLASSES]| -> u64 {
            counts.iter().enumerate().filter(|(class, _)| is_wanted(*class)).map(|(_, count)| count).sum()
        };
        let (acked, flows) = (sum(&self.counters.acked_by_class), sum(&self.by_class));
        if flows == 0 { f64::NAN } else { acked as f64 / self.time / (flows as f64 / self.samples as f64) }
    }

    /// The responses of the period, in any order. NaN where there was nothing to measure; `sources` and
    /// `long_lived` are the numbers of sources and long-lived flows.
    #[must_use]
    pub fn responses(&self, sources: f64, long_lived: usize) -> Responses {
        let c = &self.counters;
        let per_interval = |count: u64| count as f64 / self.intervals;
        let per_sample = |count: u64| count as f64 / self.samples as f64;
        let per_second = |count: u64| count as f64 / self.time;
        let sending = per_sample(self.sending);
        let (completed, failures) = (per_interval(c.completed), per_interval(c.failures));
        let per_loss = if c.dropped > 0 { c.timeouts as f64 / c.dropped as f64 } else { f64::NAN };
        let mut responses = vec![
            ("transmitting_sources", sending),
            ("transmitting_fraction", sending / sources),
            ("connecting_sources", per_sample(self.connecting)),
            ("loss_rate", c.dropped as f64 / (c.dropped + c.leaving) as f64),
            ("completion_ratio", completed / (completed + sending)),
            ("connection_failure_ratio", failures / (failures + sending)),
            ("retransmission_rate", 1.0 - c.completed_size as f64 / c.completed_sent as f64),
            ("failed_connections", c.failures as f64),
            ("flow_rate", per_second(c.completed)),
            ("segment_rate", per_second(c.leaving)),
            ("timeouts_per_loss", per_loss),
        ];
        responses.extend(COUNTED.iter().map(|counted| (counted.response, per_interval((counted.of)(c)))));
        let sampled = SAMPLED.iter().zip(&self.sampled);
        responses.extend(sampled.map(|(sampled, mean)| (sampled.response, mean.get() * sampled.per_unit)));
        let of_class = |(class, name)| (name, self.goodput(|one| one == class));
        responses.extend(GOODPUT.into_iter().enumerate().map(of_class));
        let of_path = |(path, name)| (name, self.goodput(|class| PathClass::of(class) as usize == path));
        responses.extend(PATH_GOODPUT.into_iter().enumerate().map(of_path));
        for (i, name) in LONG_LIVED_GOODPUT.into_iter().enumerate() {
            let goodput = if i < long_lived { per_second(self.long_lived[i]) } else { f64::NAN };
            responses.push((name, goodput));
        }
        responses
    }
}

/// Totals from the start of the run.
#[must_use]
pub fn totals(c: &Counters) -> Responses {
    vec![
        ("total_flows_completed", c.completed as f64),
        ("total_connection_failures", c.failures as f64),
        ("total_flows_aborted", c.aborted as f64),
        ("total_data_segments_sent", c.data_sent as f64),
        ("total_data_segments_delivered", c.delivered as f64),
        ("total_segments_dropped", c.dropped as f64),
    ]
}
