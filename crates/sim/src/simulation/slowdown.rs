//! The time that a flow would take alone: what its completion time is compared with.

use super::domain::Domain;
use crate::engine::FlowHome;
use crate::measure::slowdown::slowdown;
use crate::transport::Flow;
use crate::users::files::EXPLICIT;
use mesonet_cc::Picos;

impl Domain {
    /// Slowdown of a flow that completes now, and its size in bytes.
    pub(super) fn slowdown(&self, flow: &Flow) -> (u64, u64) {
        let bytes = self.segment_bytes(flow);
        let alone = self.time_alone(flow, bytes);
        (slowdown(self.now - flow.started, alone), (flow.end - flow.base) * u64::from(bytes))
    }

    /// Time that the flow would take on an idle path if no window limited it: the handshake, then all segments at the
    /// rate of the slowest of interface and queues, and the acknowledgement of the last one. A lower bound, with the
    /// speeds and delays of the instant at which it began.
    fn time_alone(&self, flow: &Flow, bytes: u32) -> Picos {
        let network = &self.shared.network;
        let (origin, receiver) = (flow.origin.index(), flow.receiver.index());
        let extra = flow.access_lane.map_or(0, |lane| network.lanes[lane.index()].delay);
        let round_trip = network.round_trip_at(origin, receiver, flow.started) + 2 * extra;
        let services = network.data_services(origin, receiver, bytes, flow.started);
        // A SYN takes the services of a data segment, a SYN-ACK those of an acknowledgement.
        let one = round_trip + services.sum + network.ack_services(receiver, origin, flow.started);
        let handshake = if self.shared.scenario.connection.establish { one } else { 0 };
        let between = services.longest.max(flow.interface_time);
        handshake + one + (flow.end - flow.base - 1).saturating_mul(between)
    }

    /// An application hands a flow its data.
    pub(super) fn has_application(&self, flow: &Flow) -> bool {
        let spec = flow.source.checked_sub(self.shared.population.count);
        flow.category == EXPLICIT
            && spec.is_some_and(|index| self.shared.scenario.flows[index as usize].application.is_some())
    }

    /// Bytes of a data segment of a flow.
    fn segment_bytes(&self, flow: &Flow) -> u32 {
        match flow.id.home() {
            FlowHome::OwnLanes(own) => self.shared.own[own].1.bytes,
            FlowHome::Group(_) => self.shared.network.bytes[0],
        }
    }
}
