//! The time that a flow would take alone: what its completion time is compared with.

use crate::engine::FlowHome;
use crate::measure::slowdown::slowdown;
use crate::network::alone::Train;
use crate::scenario::ReceiverKind;
use crate::simulation::shared::Shared;
use crate::transport::Flow;
use mesonet_cc::Picos;

/// Slowdown of a flow that completes now, and its size in bytes. None where data may be missing, because the
/// receiver acknowledges what it does not have, or where links delay segments, so that no time alone is
/// known.
pub fn of(shared: &Shared, flow: &Flow, now: Picos) -> Option<(u64, u64)> {
    let optimistic = shared.explicit(flow).is_some_and(|spec| spec.receiver == ReceiverKind::Optimistic);
    if optimistic || flow.is_delayed {
        return None;
    }
    let bytes = match flow.id.home() {
        FlowHome::OwnLanes(own) => shared.own[own].1.bytes,
        FlowHome::Group(_) | FlowHome::Stack(_) => shared.network.bytes[0],
    };
    let alone = time_alone(shared, flow, bytes);
    Some((slowdown(now - flow.started, alone), (flow.end - flow.base) * u64::from(bytes)))
}

/// Time that the flow would take on an idle path if no window limited it: the handshake, then all segments at
/// the rate of the slowest of interface and queues, and the acknowledgement of the last one. A lower bound,
/// with the routes, speeds and delays of the instant at which it began, and the rates of traces as they come.
fn time_alone(shared: &Shared, flow: &Flow, bytes: u32) -> Picos {
    let network = &shared.network;
    let ends = flow.ends();
    let [there, back] = shared.ways(&ends);
    let round_trip = shared.base_rtt(&ends, flow.access_lane, flow.started);
    // From the instant at which the first of so many segments leaves, until the last is acknowledged.
    let exchange = |leaves: Picos, count: u64| {
        let at = leaves + shared.access_delay(flow.access_lane);
        let train = Train { at, count, between: flow.interface_time };
        let services = network.data_services(&there, bytes, flow.started, train);
        services + network.ack_services(&back, flow.started, leaves + services + round_trip / 2) + round_trip
    };
    // A SYN takes the services of a data segment, a SYN-ACK those of an acknowledgement.
    let handshake = if shared.scenario.connection.establish { exchange(flow.started, 1) } else { 0 };
    handshake.saturating_add(exchange(flow.started + handshake, flow.end - flow.base))
}
