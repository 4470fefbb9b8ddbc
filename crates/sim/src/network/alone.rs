//! The time that segments take on an idle way from one access router to another.

use super::Network;
use super::numbers::{LaneId, RouterId};
use mesonet_cc::Picos;

/// Segments that leave one place for another.
#[derive(Clone, Copy, Debug)]
pub struct Train {
    /// Instant at which the first reaches its access router.
    pub at: Picos,
    /// Number of segments, at least one.
    pub count: u64,
    /// Time between two of them there.
    pub between: Picos,
}

/// The way of a connection from one access router to another.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// Access index of its beginning.
    pub from: usize,
    /// Access index of its end.
    pub to: usize,
    /// Hash of the connection, by which flows share routes.
    pub connection: u64,
}

impl Network {
    /// Time from [`Train::at`] until the last data segment has been served between two access routers, at the
    /// routes and speeds of `now`, propagation not counted.
    #[must_use]
    pub fn data_services(&self, way: &Way, bytes: u32, now: Picos, train: Train) -> Picos {
        self.services(way, now, train, |queue| {
            if self.changes.is_empty() {
                self.routers[queue].data_service(bytes, self.bytes[0])
            } else {
                self.service_at(queue, now)
            }
        })
    }

    /// Time that an acknowledgement is served between two access routers, at the routes and speeds of `now`;
    /// none where acknowledgements pass no router. It begins at `at`.
    #[must_use]
    pub fn ack_services(&self, way: &Way, now: Picos, at: Picos) -> Picos {
        if self.queued_acks.is_none() {
            return 0;
        }
        // A second queue of a router is as fast as the first.
        self.services(way, now, Train { at, count: 1, between: 0 }, |queue| {
            if self.queues.at_ports() {
                self.routers[queue].ack_service()
            } else {
                self.service_at(queue, now)
            }
        })
    }

    /// Each queue serves the first segment when it comes, and the last one when it has come and those before
    /// it are served. What a server whose rate varies could have done before is lost.
    fn services(&self, way: &Way, now: Picos, train: Train, service: impl Fn(usize) -> Picos) -> Picos {
        let (mut first, mut last) = (train.at, train.at + (train.count - 1).saturating_mul(train.between));
        let mut propagation = 0;
        for (queue, lane) in self.hops(self.routes_at(now), way.from, way.to, way.connection) {
            let service = service(queue);
            let clock = self.impairments.clock(queue);
            let end = |begin: Picos, work: Picos| match &clock {
                None => begin.saturating_add(work),
                Some(clock) => clock.time(clock.work(begin).saturating_add(work)),
            };
            last = end(last, service).max(end(first, train.count.saturating_mul(service)));
            first = end(first, service);
            let delay = self.lanes[lane.index()].delay;
            (first, last, propagation) = (first + delay, last.saturating_add(delay), propagation + delay);
        }
        last - train.at - propagation
    }

    /// A link of the way from one access router to another, or back, delays segments beyond propagation.
    #[must_use]
    pub fn delays(&self, from: usize, to: usize, now: Picos) -> bool {
        let delays = |lane: LaneId| self.impairments.rules(lane.index()).is_some_and(|rules| rules.delay());
        let routes = self.routes_at(now);
        let mut found = false;
        if self.impairments.delay() {
            for (from, to) in [(from, to), (to, from)] {
                self.visit_shares(routes, from, to, |_, lane, _| found |= delays(lane));
            }
        }
        found
    }

    /// Service time of a router at `now`. Ports keep theirs.
    fn service_at(&self, queue: usize, now: Picos) -> Picos {
        let past = self.changes.iter().take_while(|change| change.time <= now);
        let turns = past.flat_map(|change| &change.routers);
        let last = turns.filter(|turn| !self.queues.at_ports() && turn.of == RouterId::new(queue)).last();
        last.map_or(self.routers[queue].service, |turn| turn.to)
    }
}
