//! Flow queues with controlled delay (FQ-CoDel, RFC 8290): a queue under CoDel for each hash of flows, served
//! in turn by deficits of bytes, new ones first.

use super::codel::{self, Control, Law};
use super::constants::constants;
use super::fifo::Fifo;
use super::queue::{Draws, Holds, QueueFacts, Signals, Waiting};
use mesonet_cc::Picos;
use mesonet_cc::draw::mix;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

constants! {
    /// Number of queues.
    "fq_codel_queues" => queues: u32, 1.0 to 65_536.0;
    /// Bytes of a turn.
    "fq_codel_quantum" => quantum: u32, 1.0 to 1e6;
}

/// The queue of some flows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct FlowQueue {
    queue: Fifo,
    control: Control,
    /// Bytes that it may send before its turn ends.
    credits: i32,
    /// It is in one of the lists.
    listed: bool,
}

/// No queue has this hash yet.
const NONE: u32 = u32::MAX;

/// All flow queues.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FqCodel {
    facts: QueueFacts,
    law: Law,
    quantum: i32,
    /// Queue by hash.
    places: Vec<u32>,
    /// The queues that have been used.
    flows: Vec<FlowQueue>,
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    bytes: u64,
    len: usize,
}

impl FqCodel {
    /// Empty queues.
    #[must_use]
    pub fn new(codel: &codel::Constants, of: &Constants, facts: QueueFacts) -> Self {
        Self {
            facts,
            law: Law::new(codel),
            quantum: of.quantum as i32,
            places: vec![NONE; of.queues as usize],
            flows: Vec::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            bytes: 0,
            len: 0,
        }
    }

    /// The queue of a segment.
    fn place(&mut self, arrival: &Waiting) -> u32 {
        let hash = mix(u64::from(arrival.segment.flow.0) ^ self.facts.name);
        // The upper half of the product: a range that is no power of two, too.
        let bucket = ((u128::from(hash) * self.places.len() as u128) >> 64) as usize;
        let place = &mut self.places[bucket];
        if *place == NONE {
            *place = self.flows.len() as u32;
            self.flows.push(FlowQueue::default());
        }
        *place
    }

    /// Drops the first segment of the queue with most bytes (RFC 8290, section 4.1), whatever the buffer
    /// counts.
    fn drop_from_longest(&mut self, signals: &mut Signals) {
        let listed = self.new.iter().chain(&self.old);
        let bytes = |place: &&u32| self.flows[**place as usize].queue.bytes();
        let longest = listed.max_by_key(|place| (bytes(place), std::cmp::Reverse(**place))).copied();
        let Some(place) = longest else { return };
        if let Some(first) = self.flows[place as usize].queue.pop() {
            self.forget(&first);
            signals.dropped.push(first);
        }
    }

    fn forget(&mut self, waiting: &Waiting) {
        self.bytes -= u64::from(waiting.bytes);
        self.len -= 1;
    }

    fn take_first(&mut self, is_new: bool) {
        if is_new {
            self.new.pop_front()
        } else {
            self.old.pop_front()
        };
    }
}

impl Holds for FqCodel {
    fn enqueue(&mut self, _: Picos, arrival: Waiting, in_service: u32, signals: &mut Signals) {
        let place = self.place(&arrival);
        let flow = &mut self.flows[place as usize];
        flow.queue.push(arrival);
        self.bytes += u64::from(arrival.bytes);
        self.len += 1;
        if !flow.listed {
            flow.listed = true;
            flow.credits = self.quantum;
            self.new.push_back(place);
        }
        while self.facts.is_over(self.bytes, self.len, in_service) {
            self.drop_from_longest(signals);
        }
    }

    fn dequeue(&mut self, now: Picos, _: &mut Draws, signals: &mut Signals) -> Option<Waiting> {
        loop {
            let is_new = !self.new.is_empty();
            let place = *self.new.front().or(self.old.front())?;
            let flow = &mut self.flows[place as usize];
            if flow.credits <= 0 {
                flow.credits += self.quantum;
                self.take_first(is_new);
                self.old.push_back(place);
                continue;
            }
            let before = signals.dropped.len();
            let found = flow.control.dequeue(&mut flow.queue, now, &self.facts, self.law, signals);
            for at in before..signals.dropped.len() {
                let dropped = signals.dropped[at];
                self.forget(&dropped);
            }
            let Some(found) = found else {
                // A new queue that is empty waits behind the old ones, lest it be new again at once.
                self.take_first(is_new);
                if is_new {
                    self.old.push_back(place);
                } else {
                    self.flows[place as usize].listed = false;
                }
                continue;
            };
            self.forget(&found);
            self.flows[place as usize].credits -= found.bytes as i32;
            return Some(found);
        }
    }

    /// The lists lose the queues that are empty, as if the next segment had been wanted.
    fn rest(&mut self) {
        for place in self.new.drain(..).chain(self.old.drain(..)) {
            self.flows[place as usize].listed = false;
            self.flows[place as usize].control.pass();
        }
    }

    fn waiting(&self) -> Vec<Waiting> {
        self.flows.iter().flat_map(|flow| flow.queue.iter()).collect()
    }

    fn len(&self) -> usize {
        self.len
    }
}
