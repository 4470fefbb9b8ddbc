//! The segments of a connection that have reached its receiver.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Everything below `next`, and ranges behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrived {
    next: u64,
    /// First segment and end of each range, rising; at least one segment is missing before each.
    behind: VecDeque<(u64, u64)>,
}

impl Arrived {
    /// Nothing has arrived; the first segment is `next`.
    #[must_use]
    pub fn new(next: u64) -> Self {
        Self { next, behind: VecDeque::new() }
    }

    /// Lowest segment that has not arrived.
    #[must_use]
    pub fn missing(&self) -> u64 {
        self.next
    }

    /// Returns whether later segments than the missing one have arrived.
    #[must_use]
    pub fn has_gap(&self) -> bool {
        !self.behind.is_empty()
    }

    /// The full number of a segment from the low 32 bits of it.
    #[must_use]
    pub fn expand(&self, sequence: u32) -> u64 {
        let offset = sequence.wrapping_sub(self.next as u32) as i32;
        self.next.wrapping_add_signed(i64::from(offset))
    }

    /// Segment `sequence` arrives; returns whether it is new.
    pub fn add(&mut self, sequence: u64) -> bool {
        if sequence < self.next {
            return false;
        }
        if sequence == self.next {
            self.next += 1;
            if let Some((_, end)) = self.behind.front().copied().filter(|range| range.0 == self.next) {
                self.behind.pop_front();
                self.next = end;
            }
            return true;
        }
        let place = self.behind.partition_point(|range| range.1 < sequence);
        let Some(range) = self.behind.get_mut(place).filter(|range| range.0 <= sequence + 1) else {
            self.behind.insert(place, (sequence, sequence + 1));
            return true;
        };
        if sequence + 1 == range.0 {
            range.0 = sequence;
        } else if sequence == range.1 {
            range.1 += 1;
            let end = range.1;
            if self.behind.get(place + 1).is_some_and(|later| later.0 == end) {
                let later = self.behind.remove(place + 1);
                self.behind[place].1 = later.map_or(end, |later| later.1);
            }
        } else {
            return false;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_is_the_set_of_what_arrived(arrivals in proptest::collection::vec(0..40u64, 0..80)) {
            let first = u64::from(u32::MAX) - 20;
            let (mut arrived, mut set) = (Arrived::new(first), BTreeSet::new());
            for offset in arrivals {
                let sequence = first + offset;
                prop_assert_eq!(arrived.expand(sequence as u32), sequence);
                prop_assert_eq!(arrived.add(sequence), set.insert(sequence));
                let missing = (first..).find(|sequence| !set.contains(sequence)).unwrap();
                prop_assert_eq!(arrived.missing(), missing);
                prop_assert_eq!(arrived.has_gap(), set.range(missing..).next().is_some());
                // Ranges neither touch nor overlap.
                let ranges: Vec<_> = [(0, missing)].into_iter().chain(arrived.behind.iter().copied()).collect();
                prop_assert!(ranges.windows(2).all(|pair| pair[0].1 < pair[1].0));
            }
        }
    }
}
