//! Percentiles from integer histograms with logarithmic buckets.

use serde::{Deserialize, Serialize};

/// Buckets per power of two: a bucket is at most 1/64 of its value wide.
const BITS: u32 = 6;

/// Counts of whole numbers. Numbers below 128 have a bucket each; larger ones share one with their next 1.6
/// %.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Histogram {
    /// Up to the largest one that has been counted.
    buckets: Vec<u64>,
    count: u64,
}

impl Histogram {
    /// Counts one number.
    pub fn add(&mut self, value: u64) {
        let bucket = bucket(value) as usize;
        if bucket >= self.buckets.len() {
            self.buckets.resize(bucket + 1, 0);
        }
        self.buckets[bucket] += 1;
        self.count += 1;
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &Self) {
        if self.buckets.len() < other.buckets.len() {
            self.buckets.resize(other.buckets.len(), 0);
        }
        self.buckets.iter_mut().zip(&other.buckets).for_each(|(count, more)| *count += more);
        self.count += other.count;
    }

    /// The number below or at which a share `q` of the counted ones lies: the middle of its bucket. NaN
    /// without any.
    #[must_use]
    pub fn quantile(&self, q: f64) -> f64 {
        let wanted = ((q * self.count as f64).ceil() as u64).max(1);
        let mut seen = 0;
        for (bucket, count) in self.buckets.iter().enumerate() {
            seen += count;
            if seen >= wanted {
                return middle(bucket as u32);
            }
        }
        f64::NAN
    }
}

fn bucket(value: u64) -> u32 {
    let shift = (63 - (value | 1).leading_zeros()).saturating_sub(BITS);
    (shift << BITS) + (value >> shift) as u32
}

/// Middle of the numbers of a bucket.
fn middle(bucket: u32) -> f64 {
    let shift = (bucket >> BITS).saturating_sub(1);
    let first = u64::from(bucket - (shift << BITS)) << shift;
    first as f64 + ((1u64 << shift) - 1) as f64 / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quantiles_of_small_numbers_are_exact() {
        let mut histogram = Histogram::default();
        assert!(histogram.quantile(0.5).is_nan());
        for value in 1..=100 {
            histogram.add(value);
        }
        assert_eq!(histogram.quantile(0.5), 50.0);
        assert_eq!(histogram.quantile(0.0), 1.0);
        assert_eq!((histogram.quantile(0.95), histogram.quantile(0.99)), (95.0, 99.0));
        let mut twice = histogram.clone();
        twice.merge(&histogram);
        assert_eq!(twice.quantile(0.5), 50.0);
    }

    proptest! {
        #[test]
        fn a_bucket_is_narrow_and_holds_its_number(value in 0u64..u64::MAX / 2) {
            let found = middle(bucket(value));
            prop_assert!((found - value as f64).abs() <= value as f64 / 64.0, "{value} {found}");
            prop_assert!(bucket(value) <= bucket(value + 1));
        }
    }
}
