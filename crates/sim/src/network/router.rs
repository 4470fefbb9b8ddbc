//! A router or a port of one: a first-in first-out queue with a fixed service time per segment and drop-tail.

use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};

/// A router, whose buffer all attached links share and whose speed does not depend on the size of a segment;
/// or one of its ports, which serves acknowledgements in less time.
///
/// With a fixed service time the queue is a single number, the instant at which it runs empty, so that an
/// arrival decides at once: dropped, or leaves at a known instant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Router {
    /// Service time of one segment.
    pub service: Picos,
    /// Service time of an acknowledgement.
    ack_service: Picos,
    /// Instant at which the queue runs empty.
    busy_until: Picos,
    /// An arrival that finds more work than this is dropped.
    limit: Picos,
    /// An arrival that finds more work than this is marked where it may be.
    mark_above: Picos,
    /// Segments accepted so far.
    pub accepted: u64,
    /// Of them, those that have a service time of their own, and the work that they are.
    odd: (u64, Picos),
    /// Segments dropped so far.
    pub dropped: u64,
    /// Segments marked here so far.
    pub marked: u64,
    /// Work that came in until the speed last changed, and the segments accepted by then.
    earlier: (Picos, u64),
}

/// Rescales work, rounded up: each segment that took `from` takes `to`. A part of a segment stays a part of
/// one, so the number of segments in the work is the same.
#[must_use]
pub fn rescaled(work: Picos, from: Picos, to: Picos) -> Picos {
    let product = u128::from(work) * u128::from(to);
    product.div_ceil(u128::from(from)).min(u128::from(Picos::MAX)) as Picos
}

/// The counts of a router at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouterState {
    /// Segments accepted so far.
    pub accepted: u64,
    /// Segments dropped so far.
    pub dropped: u64,
    /// Segments marked here so far.
    pub marked: u64,
    /// Time for which it has been serving.
    pub busy: Picos,
    /// Segments in it, the one in service included.
    pub queue: u64,
    /// Work that its server could have done so far, where its rate varies; else 0.
    pub possible: Picos,
}

impl Router {
    /// An idle router. `waiting` is how many segments may wait beside the one in service.
    #[must_use]
    pub fn new(service: Picos, waiting: u64) -> Self {
        Self {
            service,
            ack_service: service,
            busy_until: 0,
            limit: service.saturating_mul(waiting),
            mark_above: Picos::MAX,
            accepted: 0,
            odd: (0, 0),
            dropped: 0,
            marked: 0,
            earlier: (0, 0),
        }
    }

    /// This router as a port that serves an acknowledgement in `service`. It holds as much work as before.
    #[must_use]
    pub fn serving_acks(mut self, service: Picos) -> Self {
        self.ack_service = service;
        self
    }

    /// From now on so many segments may wait beside the one in service; what waits stays.
    pub fn hold(&mut self, waiting: u64) {
        self.limit = self.service.saturating_mul(waiting);
    }

    /// Service time of an acknowledgement.
    #[must_use]
    pub fn ack_service(&self) -> Picos {
        self.ack_service
    }

    /// From `now` on each segment takes `service`, those in the queue and what remains of the one in service
    /// too. As many segments as before may wait.
    pub fn change(&mut self, now: Picos, service: Picos) {
        let (waiting, backlog) = (self.limit / self.service, self.backlog(now));
        let to = rescaled(backlog, self.service, service);
        debug_assert!(self.odd.0 == 0, "ports keep their speed");
        self.earlier = (self.work() - backlog + to, self.accepted);
        if backlog > 0 {
            self.busy_until = now + to;
        }
        if self.mark_above != Picos::MAX {
            self.mark_above = rescaled(self.mark_above, self.service, service);
        }
        self.limit = service.saturating_mul(waiting);
        (self.service, self.ack_service) = (service, service);
    }

    /// Work that came in so far.
    fn work(&self) -> Picos {
        let full = self.accepted - self.odd.0 - self.earlier.1;
        self.earlier.0 + full * self.service + self.odd.1
    }

    /// This router with marks on segments that find more than `threshold` segments in it (RFC 8257, section
    /// 3.1).
    #[must_use]
    pub fn marking(mut self, threshold: Option<f64>) -> Self {
        self.mark_above = threshold.map_or(Picos::MAX, |t| (t * self.service as f64).round() as Picos);
        self
    }

    /// Returns whether an arrival that waits for `wait` found so many segments that it is marked.
    #[must_use]
    #[inline]
    pub fn marks(&self, wait: Picos) -> bool {
        wait > self.mark_above
    }

    /// Service time of a data segment of `bytes`, where most have `standard` bytes.
    #[must_use]
    #[inline]
    pub fn data_service(&self, bytes: u32, standard: u32) -> Picos {
        if bytes == standard {
            self.service
        } else {
            rescaled(self.service, u64::from(standard), u64::from(bytes))
        }
    }

    /// Returns whether a segment of this service time fits at `now`.
    #[must_use]
    pub fn fits(&self, now: Picos, service: Picos) -> bool {
        self.backlog(now) + service <= self.limit + self.service
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

    /// A segment of another size arrives at a port at `now`, an acknowledgement or data of a flow with a size
    /// of its own: the same. It fits where its own size does.
    #[inline]
    pub fn arrive_taking(&mut self, now: Picos, service: Picos) -> Option<Picos> {
        if !self.fits(now, service) {
            self.dropped += 1;
            return None;
        }
        self.accepted += 1;
        self.odd = (self.odd.0 + 1, self.odd.1 + service);
        self.busy_until = now + self.backlog(now) + service;
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

    /// The counts of the router at `now`.
    #[must_use]
    pub fn state(&self, now: Picos) -> RouterState {
        RouterState {
            accepted: self.accepted,
            dropped: self.dropped,
            marked: self.marked,
            busy: self.work() - self.backlog(now),
            queue: self.occupancy(now),
            possible: 0,
        }
    }

    /// The instant at which the queue runs empty, or ran empty last.
    #[must_use]
    pub fn empty_at(&self) -> Picos {
        self.busy_until
    }

    /// Work in the router at `now`: how long it takes to run empty.
    #[must_use]
    pub fn backlog(&self, now: Picos) -> Picos {
        self.busy_until.saturating_sub(now)
    }

    /// Segments in the router at `now`, the one in service included; at a port in units of data segments,
    /// rounded up.
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
                router.marks(departure - 100 - 10)
            })
            .collect();
        assert_eq!(marks, [false, false, false, true, true]);
        assert!(!Router::new(10, 9).marks(1_000_000 - 10));
    }

    /// A speed that changes keeps the number of segments and of places, and what remains of the segment in
    /// service takes its part of the new time.
    #[test]
    fn a_queue_is_served_at_the_new_speed() {
        let mut router = Router::new(10, 3).marking(Some(2.0));
        for _ in 0..4 {
            router.arrive(0);
        }
        assert_eq!((router.occupancy(7), router.state(7).busy), (4, 7));
        router.change(7, 100);
        // 3 of 10 remain of the first one.
        assert_eq!((router.backlog(7), router.occupancy(7), router.places()), (330, 4, 4));
        assert_eq!((router.arrive(36), router.arrive(37)), (None, Some(437)));
        assert_eq!((router.state(137).busy, router.mark_above()), (137, 200));
        router.change(137, 1);
        assert_eq!((router.backlog(137), router.occupancy(137), router.arrive(137)), (3, 3, Some(141)));
        assert_eq!((router.state(141).busy, router.state(1000).busy), (141, 141));
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
