//! Rare events of departures: acknowledgements of optimistic receivers, which acknowledge segments before
//! they arrive; last departures where applications pause; and losses that a test wants.

use crate::engine::Segment;
use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// By number of the flow among those with lanes of their own: when each of them reaches the source, and the
/// segment that it acknowledges.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct EarlyAcks(BTreeMap<usize, VecDeque<(Picos, Segment)>>);

impl EarlyAcks {
    /// Adds the acknowledgement of a segment, which takes `round_trip` from `now` on. Returns when it reaches
    /// the source.
    pub fn add(&mut self, own: usize, segment: Segment, now: Picos, round_trip: Picos) -> Picos {
        let acks = self.0.entry(own).or_default();
        // They do not overtake each other where a delay changes.
        let at = acks.back().map_or(0, |last| last.0).max(now + round_trip);
        acks.push_back((at, segment));
        at
    }

    /// Takes the segment of the next acknowledgement.
    pub fn take(&mut self, own: usize) -> Option<Segment> {
        self.0.get_mut(&own).and_then(VecDeque::pop_front).map(|(_, segment)| segment)
    }
}

/// State that departures of a few flows only leave behind.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Leaving {
    /// Acknowledgements of optimistic receivers.
    pub early_acks: EarlyAcks,
    /// Last departure of the flows that applications feed, by slot; 0 before the first one.
    last_sent: Vec<Picos>,
    /// Number of the next transmission that a test loses, and of those after it, last first.
    next_loss: u64,
    losses: Vec<u64>,
}

impl Default for Leaving {
    fn default() -> Self {
        Self {
            early_acks: EarlyAcks::default(),
            last_sent: Vec::new(),
            next_loss: u64::MAX,
            losses: Vec::new(),
        }
    }
}

impl Leaving {
    /// Loses the transmissions with these numbers, falling, from 1.
    pub fn lose(&mut self, numbers: Vec<u64>) {
        self.losses = numbers;
        self.advance();
    }

    /// A flow that an application feeds sends a segment at `at`; 0 where it begins.
    pub fn fed_flow_sends(&mut self, slot: u32, at: Picos) {
        let slot = slot as usize;
        if self.last_sent.len() <= slot {
            self.last_sent.resize(slot + 1, 0);
        }
        self.last_sent[slot] = at;
    }

    /// Last departure of a flow that an application feeds; 0 before the first one.
    pub fn last_sent(&self, slot: u32) -> Picos {
        self.last_sent[slot as usize]
    }

    /// Number of the next transmission to lose.
    #[inline(always)]
    pub fn next_loss(&self) -> u64 {
        self.next_loss
    }

    /// The next transmission to lose is the one after the last.
    pub fn advance(&mut self) {
        self.next_loss = self.losses.pop().unwrap_or(u64::MAX);
    }
}
