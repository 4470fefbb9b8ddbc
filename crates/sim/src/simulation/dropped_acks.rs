//! Acknowledgements that routers drop: what they would have said, the next one says.
//!
//! An acknowledgement says what the receiver has when it is sent. Those of a flow never overtake each other, and neither
//! do its segments. So an acknowledgement that arrives speaks of its own segment and of all that left the source before
//! it and reached the receiver: those that were acknowledged before, and those whose acknowledgement was dropped. The
//! sender's domain keeps the latter until then, in the order in which they had left. No other state of the receiver is
//! needed (decision 0025).
//!
//! Where links or routes change the order, an acknowledgement may speak of a segment that reached the receiver after it was
//! sent, by less than the acknowledgement is under way. It never speaks of one that has not arrived. News of a drop
//! then take the lookahead to the source, so that they do not depend on how the network is divided.
//!
//! Where the order is kept, news of a drop is at its place in time: whatever was dropped in another domain was passed there by the next
//! acknowledgement, which takes the lookahead to come here; drops in this domain are looked up at each acknowledgement.

use super::domain::Domain;
use super::receiving::Earlier;
use crate::engine::Segment;
use crate::transport::FlowState;
use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};

/// Acknowledgements that routers have dropped.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct DroppedAcks {
    /// By slot the segments whose acknowledgement was dropped.
    by_slot: Vec<Vec<Dropped>>,
    /// Dropped here, for sources in another domain.
    #[serde(skip)]
    pub elsewhere: Vec<(usize, Picos, Segment)>,
    /// Access routers of the flows in slots that other domains do not know.
    #[serde(skip)]
    pub new_origins: Vec<u16>,
}

/// A dropped acknowledgement.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Dropped {
    /// Departure of its segment from the source, which rises in a slot.
    departure: Picos,
    /// Since when the source can know.
    known: Picos,
    segment: Segment,
}

impl DroppedAcks {
    fn add(&mut self, slot: u32, dropped: Dropped) {
        let slot = slot as usize;
        if self.by_slot.len() <= slot {
            self.by_slot.resize_with(slot + 1, Vec::new);
        }
        let place = self.by_slot[slot].partition_point(|earlier| earlier.departure <= dropped.departure);
        self.by_slot[slot].insert(place, dropped);
    }

    /// Takes those of segments that had left before `departure` and that are known `now`; whether others remain.
    fn take(&mut self, slot: u32, departure: Picos, now: Picos) -> (Vec<Segment>, bool) {
        let dropped = &mut self.by_slot[slot as usize];
        let before = dropped.partition_point(|earlier| earlier.departure < departure);
        let later = dropped.split_off(before);
        let (taken, unknown): (Vec<_>, Vec<_>) = dropped.drain(..).partition(|earlier| earlier.known <= now);
        dropped.extend(unknown.into_iter().chain(later));
        (taken.into_iter().map(|earlier| earlier.segment).collect(), !dropped.is_empty())
    }
}

impl Domain {
    /// A slot is new: flows from `origin` will use it.
    pub(super) fn add_origin(&mut self, origin: u16) {
        if let Some(origins) = self.fabric.origins() {
            origins.add(origin);
            self.dropped_acks.new_origins.push(origin);
        }
    }

    /// Takes from the fabric the acknowledgements that were dropped here.
    pub(super) fn take_dropped_acks(&mut self) {
        for (time, segment) in std::mem::take(self.fabric.dropped_acks()) {
            let home = if self.shared.domains.count == 1 { 0 } else { self.shared.home(segment.flow) };
            if home == self.number {
                self.miss(time, segment);
            } else {
                self.dropped_acks.elsewhere.push((home, time, segment));
            }
        }
    }

    /// The acknowledgement of `segment`, of a flow of this domain, was dropped at `time`, not after now.
    pub(super) fn miss(&mut self, time: Picos, segment: Segment) {
        let slot = self.slot(segment.flow);
        let flow = &mut self.flows[slot as usize];
        let sequence = flow.expand(segment.sequence);
        // Others are of an earlier flow of the slot, or answers to a SYN.
        if flow.state == FlowState::Sending && sequence >= flow.base && sequence < flow.board.next() {
            flow.acks_dropped = true;
            let known = time + self.shared.news_delay;
            let departure = segment.departure(self.now);
            self.dropped_acks.add(slot, Dropped { departure, known, segment });
        }
    }

    /// The flow of a slot has ended.
    pub(super) fn forget_dropped_acks(&mut self, slot: u32) {
        let flow = &mut self.flows[slot as usize];
        if std::mem::take(&mut flow.acks_dropped) {
            self.dropped_acks.by_slot[slot as usize].clear();
        }
    }

    /// Returns whether earlier acknowledgements of a flow were dropped, as far as its source can know.
    #[inline]
    pub(super) fn misses_acks(&mut self, slot: u32) -> bool {
        if !self.fabric.dropped_acks().is_empty() {
            self.take_dropped_acks();
        }
        self.flows[slot as usize].acks_dropped
    }

    /// An acknowledgement of segment `sequence` arrives, and earlier ones were dropped.
    #[inline(never)]
    pub(super) fn acknowledged_with_dropped(&mut self, slot: u32, sequence: u64, segment: Segment) {
        let mut earlier: Option<Earlier> = None;
        let (missed, more) = self.dropped_acks.take(slot, segment.departure(self.now), self.now);
        self.flows[slot as usize].acks_dropped = more;
        for segment in &missed {
            self.acknowledge_earlier(slot, segment, true, &mut earlier);
        }
        self.acknowledgement(slot, sequence, segment, earlier);
    }
}
