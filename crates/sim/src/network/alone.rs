//! The time that segments take on an idle way from one access router to another.

use super::Network;
use super::numbers::RouterId;
use mesonet_cc::Picos;

/// Services of a segment on an idle way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Services {
    /// Their sum.
    pub sum: Picos,
    /// The longest: the time between two segments that follow each other at the rate of the way.
    pub longest: Picos,
}

impl Network {
    /// Services of a data segment of `bytes` between two access routers, at the speeds of `now`.
    #[must_use]
    pub fn data_services(&self, from: usize, to: usize, bytes: u32, now: Picos) -> Services {
        let mut services = Services::default();
        for queue in self.queues_between(self.routes_at(now), from, to) {
            let router = &self.routers[queue];
            let service = if self.changes.is_empty() {
                router.data_service(bytes, self.bytes[0])
            } else {
                self.service_at(queue, now)
            };
            services.sum += service;
            services.longest = services.longest.max(service);
        }
        services
    }

    /// Services of an acknowledgement between two access routers, at the speeds of `now`; none where
    /// acknowledgements pass no router.
    #[must_use]
    pub fn ack_services(&self, from: usize, to: usize, now: Picos) -> Picos {
        if self.queued_acks.is_none() {
            return 0;
        }
        // A second queue of a router is as fast as the first.
        let of = |queue: usize| match self.queues.at_ports() {
            true => self.routers[queue].ack_service(),
            false => self.service_at(queue, now),
        };
        self.queues_between(self.routes_at(now), from, to).map(of).sum()
    }

    /// Service time of a router at `now`. Ports keep theirs.
    fn service_at(&self, queue: usize, now: Picos) -> Picos {
        let past = self.changes.iter().take_while(|change| change.time <= now);
        let turns = past.flat_map(|change| &change.routers);
        let last = turns.filter(|turn| !self.queues.at_ports() && turn.of == RouterId::new(queue)).last();
        last.map_or(self.routers[queue].service, |turn| turn.to)
    }
}
