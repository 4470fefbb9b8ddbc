//! Drop-tail with a buffer that counts packets whatever their size, as the default queue of Linux interfaces
//! (`pfifo`).
//!
//! With segments of different sizes the length of such a queue does not follow from the time until it is
//! empty, so that the segments are held.

use super::fifo::Fifo;
use super::queue::{Draws, Holds, QueueFacts, Signals, Waiting};
use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};

/// A queue that holds so many packets.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TailDrop {
    facts: QueueFacts,
    queue: Fifo,
}

impl TailDrop {
    /// An empty queue.
    #[must_use]
    pub fn new(facts: QueueFacts) -> Self {
        Self { facts, queue: Fifo::default() }
    }

    /// From now on so many packets fit; what waits stays.
    pub fn hold(&mut self, places: u64) {
        self.facts.places = places;
    }
}

impl Holds for TailDrop {
    fn enqueue(&mut self, _: Picos, arrival: Waiting, in_service: u32, signals: &mut Signals) {
        let bytes = self.queue.bytes() + u64::from(arrival.bytes);
        if self.facts.is_over(bytes, self.queue.len() + 1, in_service) {
            signals.dropped.push(arrival);
        } else {
            self.queue.push(arrival);
        }
    }

    fn dequeue(&mut self, _: Picos, _: &mut Draws, _: &mut Signals) -> Option<Waiting> {
        self.queue.pop()
    }

    fn through(&mut self, _: Picos, arrival: Waiting, _: &mut Draws, _: &mut Signals) -> Option<Waiting> {
        Some(arrival)
    }

    fn waiting(&self) -> Vec<Waiting> {
        self.queue.iter().collect()
    }

    fn len(&self) -> usize {
        self.queue.len()
    }
}
