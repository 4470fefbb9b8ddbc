//! All lanes and their order.

use crate::engine::{Ring, Segment, WinnerTree, winner_tree::NEVER};
use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};

/// Lanes with one total order of events: time, then lane number, then sequence on the lane.
///
/// A key packs (time, lane) into 64 bits; the width of the lane number is chosen from their count. Leaves
/// beyond the rings (`extra`) belong to heaps kept elsewhere.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Lanes {
    rings: Vec<Ring>,
    tree: WinnerTree,
    lane_bits: u32,
}

impl Lanes {
    /// `rings` empty lanes and `extra` leaves after them.
    #[must_use]
    pub fn new(rings: usize, extra: usize) -> Self {
        let leaves = rings + extra;
        let lane_bits = usize::BITS - leaves.next_power_of_two().max(2).leading_zeros() - 1;
        Self { rings: vec![Ring::default(); rings], tree: WinnerTree::new(leaves), lane_bits }
    }

    /// The last instant that a key can express.
    #[must_use]
    pub fn horizon(&self) -> Picos {
        (NEVER >> self.lane_bits) - 1
    }

    fn key(&self, time: Picos, lane: usize) -> u64 {
        (time << self.lane_bits) | lane as u64
    }

    /// The next event: its instant and its lane. Beyond the horizon when nothing is due.
    #[must_use]
    #[inline]
    pub fn next(&self) -> (Picos, usize) {
        let key = self.tree.min();
        (key >> self.lane_bits, (key & ((1 << self.lane_bits) - 1)) as usize)
    }

    /// Appends a segment that arrives at the end of `lane` at `segment.time`, not before those already there.
    #[inline(always)]
    pub fn push(&mut self, lane: usize, segment: Segment) {
        self.rings[lane].push(segment);
        // Behind others this changes nothing, and costs less than a branch that is hard to predict.
        self.tree.lower(lane, self.key(segment.time, lane));
    }

    /// Inserts a segment that arrives at the end of `lane` at `segment.time`, behind those that arrive then
    /// or before.
    pub fn insert(&mut self, lane: usize, segment: Segment) {
        self.rings[lane].insert(segment);
        self.tree.lower(lane, self.key(segment.time, lane));
    }

    /// Gives the segments of `lane` other instants of arrival, in the same order.
    pub fn retime(&mut self, lane: usize, new: impl FnMut(Picos) -> Picos) {
        self.rings[lane].retime(new);
        let key = self.rings[lane].front().map_or(NEVER, |s| self.key(s.time, lane));
        self.tree.set(lane, key);
    }

    /// Appends segments in their order, as repeated `push` does.
    pub fn append(&mut self, lane: usize, segments: &[Segment]) {
        self.rings[lane].append(segments);
        if let Some(first) = segments.first() {
            self.tree.lower(lane, self.key(first.time, lane));
        }
    }

    /// Takes the first segment of `lane`.
    #[inline(always)]
    pub fn pop(&mut self, lane: usize) -> Segment {
        let ring = &mut self.rings[lane];
        let segment = ring.pop();
        let next = ring.front().map(|s| s.time);
        debug_assert!(next.is_none_or(|t| t >= segment.time), "a segment overtook another on lane {lane}");
        let key = next.map_or(NEVER, |t| self.key(t, lane));
        self.tree.set(lane, key);
        segment
    }

    /// Sets when the extra leaf `lane` is due; beyond the horizon it is never.
    #[inline]
    pub fn set_due(&mut self, lane: usize, at: Option<Picos>) {
        let key = at.filter(|t| *t <= self.horizon()).map_or(NEVER, |t| self.key(t, lane));
        self.tree.set(lane, key);
    }

    /// Frees memory of rings that a burst needed and that is no longer in use.
    pub fn shrink(&mut self) {
        self.rings.iter_mut().for_each(Ring::shrink);
    }

    /// The segments of a lane, first to last.
    #[must_use]
    pub fn ring(&self, lane: usize) -> &Ring {
        &self.rings[lane]
    }
}
