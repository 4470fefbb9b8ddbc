//! Events that can be armed in any order: timers, and interfaces that become free.

use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A heap of (instant, code). Entries are never removed early: the owner checks, when it comes, whether it still
/// applies. Equal instants come in the order of their codes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Timers(BinaryHeap<Reverse<(Picos, u64)>>);

impl Timers {
    /// Arms an event.
    #[inline]
    pub fn arm(&mut self, at: Picos, code: u64) {
        self.0.push(Reverse((at, code)));
    }

    /// The next instant.
    #[must_use]
    #[inline]
    pub fn next(&self) -> Option<Picos> {
        self.0.peek().map(|entry| entry.0.0)
    }

    /// Takes the next event.
    #[inline]
    pub fn take(&mut self) -> Option<(Picos, u64)> {
        self.0.pop().map(|entry| entry.0)
    }

    /// Number of armed events.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether none is armed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
