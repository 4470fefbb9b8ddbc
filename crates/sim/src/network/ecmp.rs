//! Routes of equal cost: a router chooses among the next lanes by a hash of the flow.
//!
//! The highest of the hashes of flow and lane wins (highest random weight, RFC 2991, section 4): a lane that
//! fails moves its own flows only. A connection is named by its flow and by a port, which stands for the
//! source port of TCP: flows that follow each other in a slot take different routes.

use super::lanes::MOST_LANES;
use super::numbers::LaneId;
use crate::engine::{FlowId, MOST_TARGETS};
use crate::scenario::AckPath;
use mesonet_cc::draw::mix;
use std::collections::BTreeMap;

/// Most ports (chosen).
const MOST_PORTS: usize = 64;

/// The numbers that segments carry as their targets: access routers of receivers, then of sources, each with
/// the port of the connection.
#[derive(Clone, Copy, Debug)]
pub struct Targets {
    /// Targets of one port: the access routers, up to a power of two where there are several ports.
    pub width: usize,
    /// Number of ports, a power of two.
    pub ports: usize,
}

impl Targets {
    /// Targets of `access` routers; with as many ports as segments can name where flows share routes.
    #[must_use]
    pub fn new(access: usize, ack_path: AckPath, shares: bool) -> Self {
        let width = access.next_power_of_two();
        let most = MOST_TARGETS / if ack_path == AckPath::Delay { 1 } else { 2 };
        let ports = (most / width).min(MOST_PORTS);
        if shares && ports > 1 { Self { width, ports } } else { Self { width: access, ports: 1 } }
    }

    /// Target of the data of a connection.
    #[must_use]
    pub fn of(&self, receiver: usize, port: usize) -> usize {
        receiver + self.width * port
    }

    /// The first target of acknowledgements.
    #[must_use]
    pub fn first_ack(&self) -> usize {
        self.width * self.ports
    }

    /// Bits of the port in a target of data.
    #[must_use]
    pub fn port_mask(&self) -> usize {
        if self.ports > 1 { self.width * (self.ports - 1) } else { 0 }
    }

    /// Target of the acknowledgement to a source, of data with the target `of`.
    #[must_use]
    pub fn ack(&self, source: usize, of: usize) -> usize {
        self.first_ack() + source + (of & self.port_mask())
    }

    /// The access router of a target, and whether it is one of acknowledgements.
    #[must_use]
    pub fn access(&self, target: usize) -> (usize, bool) {
        let is_ack = target >= self.first_ack();
        let of_data = if is_ack { target - self.first_ack() } else { target };
        (of_data & !self.port_mask(), is_ack)
    }
}

/// Sets of next lanes of equal cost. Tables of routes name a set in place of a lane.
#[derive(Clone, Debug, Default)]
pub struct LaneSets {
    sets: Vec<Vec<LaneId>>,
    known: BTreeMap<Vec<LaneId>, usize>,
}

impl LaneSets {
    /// Number of sets.
    #[must_use]
    pub fn count(&self) -> usize {
        self.sets.len()
    }

    /// Name in tables of one lane, or of a set, which is added unless it is known.
    pub fn name(&mut self, lanes: Vec<LaneId>) -> LaneId {
        if let [lane] = lanes[..] {
            return lane;
        }
        let number = *self.known.entry(lanes).or_insert_with_key(|lanes| {
            self.sets.push(lanes.clone());
            self.sets.len() - 1
        });
        LaneId::new(MOST_LANES.saturating_sub(number))
    }

    /// The lanes that a name in tables stands for.
    #[must_use]
    #[inline]
    pub fn lanes<'a>(&'a self, name: &'a LaneId) -> &'a [LaneId] {
        let set = self.sets.get(MOST_LANES.wrapping_sub(name.index()));
        set.map_or(std::slice::from_ref(name), Vec::as_slice)
    }
}

/// Hash of a connection by the flow and the target of its segments.
#[must_use]
#[inline]
pub fn connection_hash(seed: u64, flow: FlowId, target: usize) -> u64 {
    mix(seed ^ (u64::from(flow.0) << 16 | target as u64))
}

/// Part of a weight that follows from the lane.
#[must_use]
#[inline]
pub fn lane_salt(lane: LaneId) -> u64 {
    mix(lane.index() as u64)
}

/// Weight of a lane with this salt for a connection with this hash.
#[must_use]
#[inline]
pub fn weight(connection: u64, salt: u64) -> u64 {
    mix(connection ^ salt)
}

/// The lane of a connection with this hash: the lane with the highest weight.
#[must_use]
pub fn chosen(lanes: &[LaneId], connection: u64) -> LaneId {
    let weight = |lane: &&LaneId| weight(connection, lane_salt(**lane));
    *lanes.iter().max_by_key(weight).expect("a router has a next lane")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_name_access_router_and_port() {
        let targets = Targets::new(139, AckPath::Queued, true);
        assert_eq!((targets.width, targets.ports, targets.first_ack()), (256, 16, 4096));
        let data = targets.of(138, 15);
        assert_eq!(targets.access(data), (138, false));
        assert_eq!(targets.access(targets.ack(7, data)), (7, true));
        assert_eq!(targets.ack(7, data) - targets.ack(7, targets.of(3, 0)), 15 * 256);
        let alone = Targets::new(139, AckPath::Queued, false);
        assert_eq!((alone.of(138, 0), alone.ack(7, 138), alone.access(146)), (138, 146, (7, true)));
        // As many ports as segments can name: none where there are too many access routers.
        assert_eq!(Targets::new(5000, AckPath::Delay, true).ports, 1);
        assert_eq!(Targets::new(40, AckPath::Delay, true).ports, 64);
    }

    #[test]
    fn a_lane_that_fails_moves_its_own_flows_only() {
        let lanes = [3, 9, 70].map(LaneId::new);
        let mut counts = [0; 3];
        for number in 0..30_000 {
            let hash = connection_hash(5, FlowId(number), 12);
            let before = chosen(&lanes, hash);
            let after = chosen(&lanes[..2], hash);
            assert!(before == after || before == lanes[2]);
            counts[lanes.iter().position(|lane| *lane == before).unwrap()] += 1;
        }
        // Four standard deviations of a third of 30,000.
        assert!(counts.iter().all(|count: &i32| (count - 10_000).abs() < 330), "{counts:?}");
    }
}
