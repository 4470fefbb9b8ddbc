//! Segments in the order of their arrival, with their bytes.

use super::queue::Waiting;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A first-in first-out queue that knows its bytes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Fifo {
    segments: VecDeque<Waiting>,
    bytes: u64,
}

impl Fifo {
    /// Appends a segment.
    pub fn push(&mut self, waiting: Waiting) {
        self.bytes += u64::from(waiting.bytes);
        self.segments.push_back(waiting);
    }

    /// Takes the first one.
    pub fn pop(&mut self) -> Option<Waiting> {
        let first = self.segments.pop_front()?;
        self.bytes -= u64::from(first.bytes);
        Some(first)
    }

    /// The first one.
    #[must_use]
    pub fn front(&self) -> Option<&Waiting> {
        self.segments.front()
    }

    /// Bytes that wait.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Segments that wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.segments.len()
    }

    /// Returns whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// All that waits, in order.
    pub fn iter(&self) -> impl Iterator<Item = Waiting> {
        self.segments.iter().copied()
    }
}
