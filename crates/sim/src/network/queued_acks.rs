//! Acknowledgements that take slots: the routers that serve them and the lanes on which they return.
//!
//! With [`AckPath::Queued`] they pass the routers of data, in the same queues, on the same lanes. With
//! [`AckPath::Direction`] every router has a second queue for them: a router and lanes of its own here, behind those of
//! data, equal to them in everything. Either way a segment names where an acknowledgement leaves the network by a target
//! behind those of data: the access router of its source.

use super::Network;
use super::build::{LaneEnd, LaneSpec};
use super::changes::Turn;
use super::numbers::{AccessRouter, LaneId, RouterId};
use super::topology::Topology;
use crate::scenario::AckPath;
use std::ops::Range;

/// Routers and lanes of acknowledgements that take slots.
#[derive(Clone, Debug)]
pub struct QueuedAcks {
    /// The lanes that only they use.
    pub lanes: Range<usize>,
    /// Of a router of data, add this for the router that serves acknowledgements.
    offset: usize,
}

impl QueuedAcks {
    /// Number of lanes that are added.
    #[must_use]
    pub fn lanes(topology: &Topology, access: usize, path: AckPath) -> usize {
        if path == AckPath::Direction { 2 * topology.links.len() + access } else { 0 }
    }

    /// Adds routers and lanes where they are others than those of data.
    pub fn new(network: &mut Network, path: AckPath) -> Option<Self> {
        let first = network.lanes.len();
        let offset = match path {
            AckPath::Delay => return None,
            AckPath::Queued => 0,
            AckPath::Direction => {
                let offset = network.routers.len();
                network.routers.extend_from_within(..);
                mirror(network, offset, first);
                offset
            }
        };
        Some(Self { lanes: first..network.lanes.len(), offset })
    }

    /// Router that serves the acknowledgements of receivers under an access router first, and those for sources there
    /// last.
    #[must_use]
    pub fn access_router(&self, access_router: usize) -> usize {
        access_router + self.offset
    }

    /// Target of an acknowledgement for a source under an access router.
    #[must_use]
    pub fn target(network: &Network, access: AccessRouter) -> usize {
        network.access.len() + access.index()
    }

    /// Lane from a router towards such a target. Below its access router it is the lane of data for receivers there, or
    /// equal to it: its segments leave the router in the order in which they came, whatever they are.
    #[must_use]
    pub fn next_lane(&self, network: &Network, routes: usize, router: usize, target: usize) -> LaneId {
        // No acknowledgement comes to a router of data where others serve them.
        let of_data = router % network.data_routers();
        let lane = network.next_lane_by(routes, of_data, target - network.access.len());
        if self.offset == 0 { lane } else { LaneId::new(self.lanes.start + lane.index()) }
    }
}

/// Adds to `network` a lane for each one of data, from `first` on, and what changes on them and on the routers.
fn mirror(network: &mut Network, offset: usize, first: usize) {
    let data = 2 * network.topology.links.len() + network.access.len();
    let router = |of: RouterId| RouterId::new(of.index() + offset);
    for lane in 0..data {
        let LaneSpec { from, end, delay, least } = network.lanes[lane];
        let end = if let LaneEnd::Router(to) = end { LaneEnd::Router(router(to)) } else { end };
        network.lanes.push(LaneSpec { from: router(from), end, delay, least });
    }
    for change in &mut network.changes {
        let routers: Vec<_> = change.routers.iter().map(|t| Turn { of: router(t.of), ..*t }).collect();
        change.routers.extend(routers);
        let lanes = change.lanes.iter().filter(|turn| turn.of.index() < data);
        let lanes: Vec<_> = lanes.map(|t| Turn { of: LaneId::new(first + t.of.index()), ..*t }).collect();
        change.lanes.extend(lanes);
    }
}
