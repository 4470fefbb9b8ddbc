//! Acknowledgements that do not arrive, and the segments that the next acknowledgement reports for them.
//!
//! Routers drop some, and receivers that delay acknowledgements hold some back (`answering`).
//!
//! An acknowledgement says what the receiver has when it is sent. Those of a flow never overtake each other,
//! and neither do its segments. So an acknowledgement that arrives speaks of its own segment and of all that
//! left the source before it and reached the receiver: those that were acknowledged before, and those whose
//! acknowledgement was dropped. The sender's domain keeps the latter until then, in the order in which they
//! had left. No other state of the receiver is needed (decision 0025).
//!
//! What a receiver held back goes to the sender's domain when the acknowledgement that reports it is sent. It
//! is kept in the same list, at that acknowledgement or before.
//!
//! Where links, routes or DualPI2 change the order, an acknowledgement may speak of a segment that reached
//! the receiver after it was sent, by less than the acknowledgement is under way. It never speaks of one that
//! has not arrived. News of a drop then take the lookahead to the source, so that they do not depend on how
//! the network is divided.
//!
//! Where the order is kept, news of a drop is at its place in time: whatever was dropped in another domain
//! was passed there by the next acknowledgement, which takes the lookahead to come here; drops in this domain
//! are looked up at each acknowledgement.

use crate::engine::Segment;
use crate::network::{AccessRouter, DomainId};
use crate::simulation::events::Events;
use crate::transport::Flow;
use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Segments whose acknowledgements routers have dropped, or receivers have held back.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DroppedAcks {
    /// By slot the segments whose acknowledgement did not come.
    by_slot: Vec<VecDeque<Dropped>>,
    /// Segments that one acknowledgement reports, each with whether the receiver had held it back until then;
    /// empty between two acknowledgements.
    #[serde(skip)]
    pub reported: Vec<(Segment, bool)>,
    /// For sources in other domains, with the domain.
    #[serde(skip)]
    pub elsewhere: Vec<(DomainId, Missed)>,
    /// Access routers of the flows in slots that other domains do not know.
    #[serde(skip)]
    pub new_origins: Vec<AccessRouter>,
}

/// A segment that no acknowledgement of its own reports.
#[derive(Clone, Copy, Debug)]
pub struct Missed {
    /// When its acknowledgement was dropped, or the one that reports it was sent.
    pub time: Picos,
    pub segment: Segment,
    /// The segment whose acknowledgement reports it, where the receiver held it back.
    pub answer: Option<Segment>,
}

/// A missed segment in the list of its slot.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Dropped {
    /// Departure of its segment from the source, which rises in a slot; not after that of the segment that
    /// reports it.
    departure: Picos,
    /// Since when other acknowledgements can report it.
    known: Picos,
    segment: Segment,
    /// Departure of the segment whose acknowledgement reports it, where the receiver held it back.
    answer: Option<Picos>,
}

impl DroppedAcks {
    /// Adds a segment of the flow in a slot, which does not hear of it alone. Other acknowledgements can
    /// report it after `delay`.
    pub fn add(&mut self, slot: u32, Missed { time, segment, answer }: Missed, delay: Picos) {
        // This domain may have had no event since these segments left the interface: its clock may be behind.
        let answer = answer.map(|answer| answer.departure(time));
        let departure = segment.departure(time).min(answer.unwrap_or(Picos::MAX));
        let dropped = Dropped { departure, known: time + delay, segment, answer };
        let slot = slot as usize;
        if self.by_slot.len() <= slot {
            self.by_slot.resize_with(slot + 1, VecDeque::new);
        }
        let place = self.by_slot[slot].partition_point(|earlier| earlier.departure <= dropped.departure);
        self.by_slot[slot].insert(place, dropped);
    }

    /// Takes those that the acknowledgement of the segment that left at `departure` reports `now`, as
    /// `reported`. Returns whether others remain.
    pub fn take(&mut self, slot: u32, departure: Picos, now: Picos) -> bool {
        let dropped = &mut self.by_slot[slot as usize];
        let mut unknown = Vec::new();
        while let Some(first) = dropped.front().copied() {
            let is_held = first.answer == Some(departure);
            if !is_held && first.departure >= departure {
                break;
            }
            dropped.pop_front();
            if is_held || first.known <= now {
                self.reported.push((first.segment, is_held));
            } else {
                unknown.push(first);
            }
        }
        unknown.into_iter().rev().for_each(|earlier| dropped.push_front(earlier));
        !dropped.is_empty()
    }

    /// A slot is new: flows from `origin` will use it.
    pub fn add_origin(&mut self, events: &mut Events, origin: AccessRouter) {
        if let Some(origins) = events.fabric.origins() {
            origins.add(origin);
            self.new_origins.push(origin);
        }
    }

    /// The flow of a slot has ended.
    pub fn forget(&mut self, slot: u32, flow: &mut Flow) {
        if std::mem::take(&mut flow.acks_dropped) {
            self.by_slot[slot as usize].clear();
        }
    }

    /// Returns whether nothing waits for other domains.
    pub fn is_handed_over(&self) -> bool {
        self.elsewhere.is_empty()
    }
}
