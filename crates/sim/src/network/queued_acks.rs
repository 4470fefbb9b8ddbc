//! Acknowledgements that take slots: the routers that serve them and the lanes on which they return.
//!
//! With [`AckPath::Queued`] they pass the routers of data, in the same queues, on the same lanes. With
//! [`AckPath::Direction`] every router has a second queue for them: a router and lanes of its own here,
//! behind those of data, equal to them in everything. Either way a segment names where an acknowledgement
//! leaves the network by a target behind those of data: the access router of its source.

use super::changes::{Change, Turn};
use super::lanes::{LaneEnd, LaneSpec};
use super::numbers::{LaneId, RouterId};
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

    /// Adds lanes to those of the network, and `changes` of them, where acknowledgements have lanes of their
    /// own. They then have a second queue in each router, too.
    #[must_use]
    pub fn new(
        topology: &Topology,
        access: usize,
        path: AckPath,
        lanes: &mut Vec<LaneSpec>,
        changes: &mut [Change],
    ) -> Option<Self> {
        let first = lanes.len();
        let offset = match path {
            AckPath::Delay => return None,
            AckPath::Queued => 0,
            AckPath::Direction => {
                let (offset, data) = (topology.routers.len(), Self::lanes(topology, access, path));
                mirror(lanes, changes, data, offset);
                offset
            }
        };
        Some(Self { lanes: first..lanes.len(), offset })
    }

    /// Router that serves the acknowledgements of receivers under an access router first, and those for
    /// sources there last.
    #[must_use]
    pub fn access_router(&self, access_router: usize) -> usize {
        access_router + self.offset
    }

    /// Lane towards a source below the access router to which `lane` leads for data. Below that access router
    /// it is the lane of data for receivers there, or equal to it: its segments leave the router in the order
    /// in which they came, whatever they are.
    #[must_use]
    pub fn lane_for(&self, lane: LaneId) -> LaneId {
        if self.offset == 0 { lane } else { LaneId::new(self.lanes.start + lane.index()) }
    }
}

/// Adds a lane for each of the first `data` ones, and what changes on these and on the routers. The routers
/// of the new lanes have numbers that are greater by `offset`.
fn mirror(lanes: &mut Vec<LaneSpec>, changes: &mut [Change], data: usize, offset: usize) {
    let first = lanes.len();
    let router = |of: RouterId| RouterId::new(of.index() + offset);
    for lane in 0..data {
        let LaneSpec { from, end, delay, least } = lanes[lane];
        let end = if let LaneEnd::Router(to) = end { LaneEnd::Router(router(to)) } else { end };
        lanes.push(LaneSpec { from: router(from), end, delay, least });
    }
    for change in changes {
        let routers: Vec<_> = change.routers.iter().map(|t| Turn { of: router(t.of), ..*t }).collect();
        change.routers.extend(routers);
        let turns = change.lanes.iter().filter(|turn| turn.of.index() < data);
        let turns: Vec<_> = turns.map(|t| Turn { of: LaneId::new(first + t.of.index()), ..*t }).collect();
        change.lanes.extend(turns);
    }
}
