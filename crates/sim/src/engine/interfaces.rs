//! Interfaces that become free.

use super::timers::{DEPARTURE_SLOT_BITS, Timers};
use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Number of queues of [`Interfaces`].
pub const QUEUES: usize = 3;

/// Flows that wait until their interface is free: (instant, code).
///
/// Most of them have just sent a segment at one of two rates. Of one rate those wait in the order in which
/// they sent: a queue for each rate, and a heap for the rest. Equal instants come by queue, the heap last,
/// and in a queue in the order of arming.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Interfaces {
    /// Time that a segment occupies the interface, by queue.
    gaps: [Picos; QUEUES - 1],
    queues: [VecDeque<(Picos, u64)>; QUEUES - 1],
    rest: Timers<DEPARTURE_SLOT_BITS>,
}

impl Interfaces {
    /// No flow waits; the common interfaces take `gaps` for a segment.
    #[must_use]
    pub fn new(gaps: [Picos; QUEUES - 1]) -> Self {
        Self { gaps, queues: Default::default(), rest: Timers::default() }
    }

    /// A flow waits from `now`, not before any earlier `now`, until `at`. The queue whose first instant has
    /// changed.
    #[inline]
    pub fn arm(&mut self, now: Picos, at: Picos, code: u64) -> Option<usize> {
        for (queue, gap) in self.gaps.iter().enumerate() {
            if at == now + gap {
                let first = self.queues[queue].is_empty();
                self.queues[queue].push_back((at, code));
                return first.then_some(queue);
            }
        }
        self.rest.arm(at, code);
        (self.rest.next() == Some(at)).then_some(QUEUES - 1)
    }

    /// The first instant of a queue.
    #[must_use]
    #[inline]
    pub fn next(&self, queue: usize) -> Option<Picos> {
        match self.queues.get(queue) {
            Some(queue) => queue.front().map(|first| first.0),
            None => self.rest.next(),
        }
    }

    /// Takes the first of a queue.
    #[inline]
    pub fn take(&mut self, queue: usize) -> Option<(Picos, u64)> {
        match self.queues.get_mut(queue) {
            Some(queue) => queue.pop_front(),
            None => self.rest.take(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Each armed interface comes once, in the order of instants.
        #[test]
        fn come_in_time(arms in proptest::collection::vec((0u64..5, prop_oneof![Just(10u64), Just(25), 0u64..40]), 0..100)) {
            let mut interfaces = Interfaces::new([10, 25]);
            let mut now = 0;
            let mut expected = Vec::new();
            for (code, (step, wait)) in arms.into_iter().enumerate() {
                now += step;
                let before: Vec<_> = (0..QUEUES).map(|q| interfaces.next(q)).collect();
                let changed = interfaces.arm(now, now + wait, code as u64);
                for (queue, before) in before.into_iter().enumerate() {
                    prop_assert!(changed == Some(queue) || interfaces.next(queue) == before);
                }
                expected.push((now + wait, code as u64));
            }
            expected.sort_unstable();
            let mut found = Vec::new();
            while let Some(queue) = (0..QUEUES).filter(|q| interfaces.next(*q).is_some()).min_by_key(|q| interfaces.next(*q)) {
                found.extend(interfaces.take(queue));
            }
            prop_assert!(found.is_sorted_by_key(|f| f.0));
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
