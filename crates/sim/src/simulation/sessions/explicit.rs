//! Explicit flows: their beginning, their end, and their differences from the flows of users.

use super::connection::{Opening, open};
use super::parts::Parts;
use super::state::Sessions;
use crate::fabric::{OwnLanes, OwnReceiver};
use crate::network::lanes::{LaneEnd, LaneSpec};
use crate::network::{LaneId, Network, RouterId};
use crate::random::{Purpose, Stream};
use crate::scenario::{ReceiverKind, Scenario};
use crate::transport::FlowState;
use crate::users::files::EXPLICIT;
use crate::users::{Assignment, Newcomer};
use mesonet_cc::picos;

/// Returns the network with lanes for each flow that has an extra delay or a segment size of its own, and the
/// indices of these flows, rising, with their lanes.
pub fn with_lanes(scenario: &Scenario, mut network: Network) -> (Network, Vec<(u32, OwnLanes)>) {
    let mut own = Vec::new();
    let default = network.bytes[0];
    let wiring = &mut network.wiring;
    for (i, flow) in scenario.flows.iter().enumerate().filter(|(_, flow)| flow.has_own_lanes()) {
        let (origin, receiver) = (wiring.access_router(&flow.from), wiring.access_router(&flow.to));
        let lane = wiring.lanes.len();
        let delay = picos(flow.extra_delay);
        let acks = wiring.ack_lane(receiver.index(), origin.index());
        let last = wiring
            .queued_acks
            .as_ref()
            .map(|q| RouterId::new(q.access_router(wiring.access[origin.index()])));
        let [origin, receiver] =
            [origin, receiver].map(|access| RouterId::new(wiring.access[access.index()]));
        wiring.lanes.push(LaneSpec { from: origin, end: LaneEnd::Router(origin), delay, least: delay });
        match last {
            Some(from) => {
                wiring.lanes.push(LaneSpec { from, end: LaneEnd::Sources(origin), delay, least: delay });
            }
            None => wiring.push_longer(acks, delay, LaneEnd::Sources(origin), receiver),
        }
        let bytes = flow.segment_bytes.map_or(default, |bytes| bytes.round() as u32);
        let receiver = OwnReceiver {
            is_watched: flow.is_watched(),
            is_silent: !flow.transport.is_tcp() || flow.receiver == ReceiverKind::Optimistic,
            ignores_marks: flow.receiver == ReceiverKind::IgnoresCe,
            is_datagrams: !flow.transport.is_tcp(),
        };
        let [access, acks] = [lane, lane + 1].map(LaneId::new);
        let lost = flow.lost_segments.as_slice().into();
        own.push((i as u32, OwnLanes { bytes, access, acks, receiver, lost }));
    }
    (network, own)
}

/// Replaces the start of each flow with `start_within` by its drawn instant, and a missing algorithm by the
/// assigned one. Draws are named by the seed and the place of the flow, or its user: they depend on no other
/// flow.
pub fn draw_flows(scenario: &mut Scenario, network: &Network, assignment: &Assignment, seed: u64) {
    let algorithms = &scenario.algorithms;
    for (i, flow) in scenario.flows.iter_mut().enumerate() {
        let within = std::mem::take(&mut flow.start_within);
        if within > 0.0 {
            flow.start += within * Stream::new(seed, Purpose::Start, i as u64, 0).uniform();
        }
        if flow.algorithm.is_none() {
            let newcomer = Newcomer {
                category: EXPLICIT,
                origin: network.access_router(&flow.from),
                receiver: network.access_router(&flow.to),
                rank: assignment.rank_of_explicit(i, flow.user.as_deref()),
            };
            let algorithm = assignment.algorithm(network, &newcomer, picos(flow.start));
            flow.algorithm = Some(algorithms[usize::from(algorithm)].name.clone());
        }
    }
}

impl Sessions {
    /// The explicit flow at `place` of this domain begins.
    pub fn start_explicit(&mut self, place: u32, parts: &mut Parts) {
        let shared = parts.shared;
        let index = self.explicit[place as usize].index;
        let spec = &shared.scenario.flows[index as usize];
        let feeder = self.feeder(place);
        if let Some(number) = feeder.filter(|_| !spec.transport.is_tcp()) {
            self.run_application(number as u32, parts);
            return;
        }
        let name = spec.algorithm.as_ref().expect("drawn");
        let algorithm = shared.algorithm_names.iter().position(|a| a == name).expect("checked");
        let own = shared.own.binary_search_by_key(&index, |own| own.0).ok();
        let opening = Opening {
            source: shared.population.count + index,
            home: self.sources.len() as u32 + place,
            transfer: 0,
            category: EXPLICIT,
            algorithm: algorithm as u8,
            origin: shared.origin(index),
            receiver: shared.receiver(index),
            size: if feeder.is_some() { Some(0) } else { spec.size.map(|s| s.round() as u64) },
            rate: spec.interface,
            own: own.map(|number| (number, &shared.own[number].1)),
            delays_sends: spec.overhead > 0.0,
            is_fed: feeder.is_some(),
            is_asked_for: feeder.is_some_and(|number| self.feeders[number].application.player().is_some()),
        };
        let slot = open(&opening, parts);
        self.explicit[place as usize].slot = Some(slot);
        if let Some(number) = feeder {
            self.run_application(number as u32, parts);
        }
    }

    /// Stops the explicit flow at `place`: it sends no new data, and completes when all data sent is
    /// acknowledged. An application hands nothing over any more; what it has handed over is still sent.
    pub fn stop_explicit(&mut self, place: u32, parts: &mut Parts) {
        let Some(slot) = self.explicit[place as usize].slot else { return };
        if parts.stacks.has(slot) {
            parts.stacks.feed(parts.shared, parts.events, parts.books, (slot, None));
            return;
        }
        let flow = &mut parts.senders.flows[slot as usize];
        if std::mem::take(&mut flow.is_fed) && flow.end > flow.board.next() && flow.end != u64::MAX {
            return;
        }
        if flow.state == FlowState::Connecting || flow.sent == 0 {
            // Nothing was sent, so that nothing is completed.
            self.close(parts, slot, false);
            return;
        }
        flow.end = flow.end.min(flow.board.next());
        if flow.board.una() == flow.end {
            self.complete(parts, slot);
        } else {
            parts.answering.hosts.announce_end(parts.shared, parts.events, flow);
        }
    }
}
