//! A router: one first-in first-out queue with a fixed service time per segment and drop-tail.

use mesonet_cc::Picos;

/// One router. All attached links share its buffer; its speed does not depend on the size of a segment.
///
/// With a fixed service time the queue is a single number, the instant at which it runs empty, so that an arrival
/// decides at once: dropped, or leaves at a known instant.
#[derive(Clone, Debug)]
pub struct Router {
    /// Service time of one segment.
    pub service: Picos,
    /// Instant at which the queue runs empty.
    busy_until: Picos,
    /// An arrival that finds more work than this is dropped.
    limit: Picos,
    /// An arrival that finds more work than this is marked where it may be.
    mark_above: Picos,
    /// Segments accepted so far.
    pub accepted: u64,
    /// Segments dropped so far.
    pub dropped: u64,
}

/// What can be seen of a router at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RouterState {
    /// Segments accepted so far.
    pub accepted: u64,
    /// Segments dropped so far.
    pub dropped: u64,
    /// How long it takes to run empty.
    pub backlog: Picos,
    /// Segments in it, the one in service included.
    pub queue: u64,
}

impl Router {
    /// An idle router. `waiting` is how many segments may wait beside the one in service.
    #[must_use]
    pub fn new(service: Picos, waiting: u64) -> Self {
        Self {
            service,
            busy_until: 0,
            limit: service.saturating_mul(waiting),
            mark_above: Picos::MAX,
            accepted: 0,
            dropped: 0,
        }
    }

    /// The same router, which marks what finds more than `threshold` segments in it (RFC 8257, section 3.1).
    #[must_use]
    pub fn marking(mut self, threshold: Option<f64>) -> Self {
        self.mark_above = threshold.map_or(Picos::MAX, |t| (t * self.service as f64).round() as Picos);
        self
    }

    /// Whether an arrival at `now` whose service ends at `departure` found so many segments that it is marked.
    #[must_use]
    #[inline]
    pub fn marks(&self, now: Picos, departure: Picos) -> bool {
        departure - now - self.service > self.mark_above
    }

    /// A segment arrives at `now`: the instant at which its service ends, or `None` where it is dropped.
    #[inline]
    pub fn arrive(&mut self, now: Picos) -> Option<Picos> {
        let backlog = self.backlog(now);
        if backlog > self.limit {
            self.dropped += 1;
            return None;
        }
        self.accepted += 1;
        self.busy_until = now + backlog + self.service;
        Some(self.busy_until)
    }

    /// Segments that fit into the router, the one in service included.
    #[must_use]
    pub fn places(&self) -> u64 {
        self.limit / self.service + 1
    }

    /// Work beyond which arrivals are marked.
    #[must_use]
    pub fn mark_above(&self) -> Picos {
        self.mark_above
    }

    /// What can be seen of it at `now`.
    #[must_use]
    pub fn state(&self, now: Picos) -> RouterState {
        RouterState {
            accepted: self.accepted,
            dropped: self.dropped,
            backlog: self.backlog(now),
            queue: self.occupancy(now),
        }
    }

    /// Work in the router at `now`: how long it takes to run empty.
    #[must_use]
    pub fn backlog(&self, now: Picos) -> Picos {
        self.busy_until.saturating_sub(now)
    }

    /// Segments in the router at `now`, the one in service included.
    #[must_use]
    pub fn occupancy(&self, now: Picos) -> u64 {
        self.backlog(now).div_ceil(self.service)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    #[test]
    fn serves_in_turn_and_drops_at_a_full_queue() {
        let mut router = Router::new(10, 2);
        assert_eq!(router.arrive(0), Some(10));
        assert_eq!(router.arrive(0), Some(20));
        assert_eq!(router.arrive(0), Some(30));
        assert_eq!(router.occupancy(0), 3);
        assert_eq!(router.arrive(0), None);
        assert_eq!(router.arrive(9), None);
        assert_eq!(router.arrive(10), Some(40));
        assert_eq!((router.accepted, router.dropped), (4, 2));
        assert_eq!(router.arrive(100), Some(110));
    }

    #[test]
    fn marks_what_finds_more_than_the_threshold() {
        let mut router = Router::new(10, 9).marking(Some(2.0));
        let marks: Vec<bool> = (0..5)
            .map(|_| {
                let departure = router.arrive(100).unwrap();
                router.marks(100, departure)
            })
            .collect();
        assert_eq!(marks, [false, false, false, true, true]);
        assert!(!Router::new(10, 9).marks(0, 1_000_000));
    }

    proptest! {
        /// Against the plain model: a queue of departure instants.
        #[test]
        fn equals_an_explicit_queue(service in 1u64..20, waiting in 0u64..6, gaps in proptest::collection::vec(0u64..30, 1..200)) {
            let mut router = Router::new(service, waiting);
            let (mut departures, mut now) = (VecDeque::new(), 0);
            for gap in gaps {
                now += gap;
                while departures.front().is_some_and(|d| *d <= now) {
                    departures.pop_front();
                }
                let expected = (departures.len() as u64 <= waiting)
                    .then(|| departures.back().copied().unwrap_or(0u64).max(now) + service);
                prop_assert_eq!(router.occupancy(now), departures.len() as u64);
                prop_assert_eq!(router.arrive(now), expected);
                departures.extend(expected);
            }
        }
    }
}
