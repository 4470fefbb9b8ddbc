//! Drop-tail with a buffer that counts packets whatever their size, as the default queue of Linux interfaces (`pfifo`).
//!
//! With segments of different sizes the length of such a queue does not follow from the time until it is empty, so that the
//! segments are held.

use super::{Fifo, QueueFacts, Signals, Waiting};
use serde::{Deserialize, Serialize};

/// A queue that holds so many packets.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TailDrop {
    /// Packets that may wait beside the one in service.
    most: u64,
    queue: Fifo,
}

impl TailDrop {
    /// An empty queue.
    #[must_use]
    pub fn new(facts: QueueFacts) -> Self {
        Self { most: facts.places - 1, queue: Fifo::default() }
    }

    /// See [`super::Stored::enqueue`].
    pub fn enqueue(&mut self, arrival: Waiting, signals: &mut Signals) {
        if self.queue.len() as u64 >= self.most {
            signals.dropped.push(arrival);
        } else {
            self.queue.push(arrival);
        }
    }

    /// See [`super::Stored::dequeue`].
    pub fn dequeue(&mut self) -> Option<Waiting> {
        self.queue.pop()
    }

    /// See [`super::Stored::len`].
    #[must_use]
    pub fn len(&self) -> usize {
        self.queue.len()
    }

    /// See [`super::Stored::waiting`].
    pub fn waiting(&self) -> impl Iterator<Item = Waiting> {
        self.queue.iter()
    }
}
