//! The time that a flow would take alone: what its completion time is compared with.

use crate::engine::FlowHome;
use crate::measure::slowdown::slowdown;
use crate::simulation::shared::Shared;
use crate::transport::Flow;
use mesonet_cc::Picos;

/// Slowdown of a flow that completes now, and its size in bytes.
pub fn of(shared: &Shared, flow: &Flow, now: Picos) -> (u64, u64) {
    let bytes = match flow.id.home() {
        FlowHome::OwnLanes(own) => shared.own[own].1.bytes,
        FlowHome::Group(_) => shared.network.bytes[0],
    };
    let alone = time_alone(shared, flow, bytes);
    (slowdown(now - flow.started, alone), (flow.end - flow.base) * u64::from(bytes))
}

/// Time that the flow would take on an idle path if no window limited it: the handshake, then all segments at
/// the rate of the slowest of interface and queues, and the acknowledgement of the last one. A lower bound,
/// with the speeds and delays of the instant at which it began.
fn time_alone(shared: &Shared, flow: &Flow, bytes: u32) -> Picos {
    let network = &shared.network;
    let (origin, receiver) = (flow.origin.index(), flow.receiver.index());
    let round_trip = shared.base_rtt(flow.origin, flow.receiver, flow.access_lane, flow.started);
    let services = network.data_services(origin, receiver, bytes, flow.started);
    // A SYN takes the services of a data segment, a SYN-ACK those of an acknowledgement.
    let one = round_trip + services.sum + network.ack_services(receiver, origin, flow.started);
    let handshake = if shared.scenario.connection.establish { one } else { 0 };
    let between = services.longest.max(flow.interface_time);
    handshake + one + (flow.end - flow.base - 1).saturating_mul(between)
}
