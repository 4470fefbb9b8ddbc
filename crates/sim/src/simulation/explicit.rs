//! Flows given one by one: when they begin and stop, and what distinguishes them from those of the users.

use super::Simulation;
use super::connection::{Opening, OwnLanes};
use crate::network::Network;
use crate::network::build::{LaneEnd, LaneSpec, picos};
use crate::random::{Purpose, Stream};
use crate::scenario::{InvalidScenario, Scenario, invalid};
use crate::transport::FlowState;
use crate::users::files::EXPLICIT;

/// Adds to the network the lanes of the flows with an extra delay; by flow.
///
/// # Errors
/// [`InvalidScenario`] where there are too many lanes.
pub(super) fn add_lanes(
    scenario: &Scenario,
    network: &mut Network,
) -> Result<Vec<Option<OwnLanes>>, InvalidScenario> {
    let mut own = Vec::with_capacity(scenario.flows.len());
    for (i, flow) in scenario.flows.iter().enumerate() {
        if flow.extra_delay == 0.0 {
            own.push(None);
            continue;
        }
        let (origin, receiver) = (access(network, &flow.from), access(network, &flow.to));
        let access = network.lanes.len();
        if access + 2 > usize::from(u16::MAX) {
            let message = format!(
                "too many flows with an extra delay; at most {} are allowed",
                own.iter().flatten().count()
            );
            return Err(invalid(format!("flows[{i}].extra_delay"), message));
        }
        let delay = picos(flow.extra_delay);
        let acks = network.lanes[usize::from(network.ack_lane(receiver, origin))].delay + delay;
        let router = network.access[origin] as u16;
        network.lanes.push(LaneSpec { end: LaneEnd::Router(router), delay });
        network.lanes.push(LaneSpec { end: LaneEnd::Sources, delay: acks });
        own.push(Some(OwnLanes { access: access as u16, acks: access as u16 + 1 }));
    }
    Ok(own)
}

/// Access index of the router called `name`.
fn access(network: &Network, name: &str) -> usize {
    let router = network.topology.router(name).expect("checked");
    usize::from(network.access_index[router].expect("checked"))
}

impl Simulation {
    /// An explicit flow begins.
    pub(super) fn start_explicit(&mut self, index: u32) {
        let spec = &self.scenario.flows[index as usize];
        let algorithm = spec
            .algorithm
            .as_ref()
            .map_or(0, |name| self.algorithm_names.iter().position(|a| a == name).expect("checked"));
        let opening = Opening {
            source: self.population.sources.len() as u32 + index,
            transfer: 0,
            category: EXPLICIT,
            algorithm: algorithm as u8,
            origin: access(&self.network, &spec.from) as u16,
            receiver: access(&self.network, &spec.to) as u16,
            size: spec.size.map(|s| s.round() as u64),
            rate: spec.interface,
            own: self.own_lanes[index as usize],
            delays_sends: spec.overhead > 0.0,
        };
        let slot = self.open(&opening);
        self.explicit_slots[index as usize] = Some(slot);
    }

    /// An explicit flow has nothing new to send any more: it ends with what is outstanding.
    pub(super) fn stop_explicit(&mut self, index: u32) {
        let Some(slot) = self.explicit_slots[index as usize] else { return };
        let flow = &mut self.flows[slot as usize];
        if flow.state == FlowState::Connecting || flow.sent == 0 {
            // Nothing was sent, so that nothing is completed.
            self.close(slot, false);
            return;
        }
        flow.end = flow.end.min(flow.board.next());
        if flow.board.una() == flow.end {
            self.complete(slot);
        }
    }

    /// The sender of an explicit flow has something to react to: it does so after a random time, all at once, as ns-2's
    /// `overhead_` has it.
    pub(super) fn send_later(&mut self, slot: u32) {
        let flow = &mut self.flows[slot as usize];
        if flow.interface_armed {
            return;
        }
        let spec = &self.scenario.flows[flow.source as usize - self.population.sources.len()];
        // The k of a draw is the number of segments sent so far: it does not depend on what others do.
        let mut draw = Stream::new(self.seed, Purpose::Overhead, u64::from(flow.source), flow.sent);
        let wait = picos(draw.uniform() * spec.overhead);
        flow.interface_free = flow.interface_free.max(self.now + wait);
        self.wait_for_interface(slot);
    }
}
