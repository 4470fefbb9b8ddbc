//! Slowdown of completed flows: completion time / the time that the flow would take alone on an idle path.

use super::histogram::Histogram;
use super::responses::Responses;
use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Slowdowns are whole numbers of 2^-10, rounded down.
pub const SLOWDOWN_UNIT: f64 = 1024.0;

/// Sizes from which a flow is in the next class, bytes: decades. From 100 kB to 1 MB are the short messages
/// of the DCTCP paper (SIGCOMM 2010), larger flows are those that need throughput.
const CLASS_LIMITS: [u64; 3] = [10_000, 100_000, 1_000_000];

/// Responses of all flows, then by class.
const RESPONSES: [[&str; 4]; CLASS_LIMITS.len() + 2] = [
    ["slowdown_mean", "slowdown_p50", "slowdown_p95", "slowdown_p99"],
    [
        "slowdown_mean_below_10kb",
        "slowdown_p50_below_10kb",
        "slowdown_p95_below_10kb",
        "slowdown_p99_below_10kb",
    ],
    [
        "slowdown_mean_below_100kb",
        "slowdown_p50_below_100kb",
        "slowdown_p95_below_100kb",
        "slowdown_p99_below_100kb",
    ],
    ["slowdown_mean_below_1mb", "slowdown_p50_below_1mb", "slowdown_p95_below_1mb", "slowdown_p99_below_1mb"],
    ["slowdown_mean_from_1mb", "slowdown_p50_from_1mb", "slowdown_p95_from_1mb", "slowdown_p99_from_1mb"],
];

/// Slowdown of a flow in units of 2^-10, rounded down.
#[must_use]
pub fn slowdown(completion: Picos, alone: Picos) -> u64 {
    let units = u128::from(completion) * SLOWDOWN_UNIT as u128 / u128::from(alone.max(1));
    units.min(u128::from(u64::MAX)) as u64
}

/// Slowdowns of some flows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Slowdowns {
    flows: u64,
    sum: u128,
    histogram: Histogram,
}

impl Slowdowns {
    /// Adds a flow.
    pub fn add(&mut self, slowdown: u64) {
        self.flows += 1;
        self.sum += u128::from(slowdown);
        self.histogram.add(slowdown);
    }

    /// Adds the flows of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.flows += other.flows;
        self.sum += other.sum;
        self.histogram.merge(&other.histogram);
    }

    /// The mean; NaN without flows.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.sum as f64 / SLOWDOWN_UNIT / self.flows as f64
    }

    /// The slowdown that a share `q` of the flows has at most, to 0.8 %; NaN without flows.
    #[must_use]
    pub fn quantile(&self, q: f64) -> f64 {
        self.histogram.quantile(q) / SLOWDOWN_UNIT
    }
}

/// Slowdowns by measured period (from 0) and class of size, and the flows that have none by period.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SlowdownClasses {
    known: BTreeMap<(u16, u8), Slowdowns>,
    without: BTreeMap<u16, u64>,
}

impl SlowdownClasses {
    /// Adds a flow of `bytes` that completed in a measured period (from 0).
    pub fn add(&mut self, period: usize, bytes: u64, slowdown: u64) {
        let class = CLASS_LIMITS.partition_point(|limit| *limit <= bytes);
        self.known.entry((period as u16, class as u8)).or_default().add(slowdown);
    }

    /// Adds a flow without a slowdown that completed in a measured period (from 0).
    pub fn add_without(&mut self, period: usize) {
        *self.without.entry(period as u16).or_default() += 1;
    }

    /// Adds the flows of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (key, slowdowns) in &other.known {
            self.known.entry(*key).or_default().merge(slowdowns);
        }
        for (period, flows) in &other.without {
            *self.without.entry(*period).or_default() += flows;
        }
    }

    /// The responses of a period, of all periods where it is none.
    #[must_use]
    pub fn responses(&self, period: Option<usize>) -> Responses {
        let mut classes = vec![Slowdowns::default(); RESPONSES.len()];
        let is_wanted = |of: u16| period.is_none_or(|wanted| wanted == usize::from(of));
        for ((of, class), slowdowns) in &self.known {
            if is_wanted(*of) {
                classes[0].merge(slowdowns);
                classes[1 + usize::from(*class)].merge(slowdowns);
            }
        }
        let of_class = |(names, found): (&[&'static str; 4], Slowdowns)| {
            let values = [found.mean(), found.quantile(0.5), found.quantile(0.95), found.quantile(0.99)];
            names.iter().copied().zip(values).collect::<Vec<_>>()
        };
        let without: u64 =
            self.without.iter().filter(|(of, _)| is_wanted(**of)).map(|(_, flows)| flows).sum();
        let known = RESPONSES.iter().zip(classes).flat_map(of_class);
        known.chain([("flows_without_slowdown", without as f64)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_begin_at_their_limits() {
        let mut classes = SlowdownClasses::default();
        for (bytes, slowdown) in
            [(9_999, 1024), (10_000, 2048), (99_999, 4096), (100_000, 6144), (1_000_000, 10_240)]
        {
            classes.add(1, bytes, slowdown);
        }
        let responses = classes.responses(None);
        let of = |name: &str| responses.iter().find(|r| r.0 == name).expect("a response").1;
        let means =
            ["below_10kb", "below_100kb", "below_1mb", "from_1mb"].map(|c| of(&format!("slowdown_mean_{c}")));
        assert_eq!(means, [1.0, 3.0, 6.0, 10.0]);
        assert_eq!(of("slowdown_mean"), 4.6);
        // Buckets are at most 1/64 of their value wide.
        assert!((of("slowdown_p50") / 4.0 - 1.0).abs() < 0.008, "{}", of("slowdown_p50"));
        let (without, none) =
            classes.responses(Some(0)).split_last().map(|(a, b)| (a.1, b.to_vec())).unwrap();
        assert!(without == 0.0 && none.iter().all(|r| r.1.is_nan()));
        let mut twice = classes.clone();
        twice.merge(&classes);
        assert_eq!(twice.responses(Some(1)), responses);
        classes.add_without(0);
        twice.merge(&classes);
        let without = |period| twice.responses(period).last().expect("a response").1;
        assert_eq!([without(Some(0)), without(Some(1)), without(None)], [1.0, 0.0, 1.0]);
    }

    #[test]
    fn slowdowns_are_rounded_down_and_never_overflow() {
        assert_eq!([slowdown(1000, 1000), slowdown(2999, 2), slowdown(999, 1000)], [1024, 1_535_488, 1022]);
        assert_eq!(slowdown(Picos::MAX, 0), u64::MAX);
    }
}
