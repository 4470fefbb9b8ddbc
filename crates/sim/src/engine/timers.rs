//! Events that can be armed in any order: timers, and interfaces that become free.

use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An instant and what is armed for it.
type TimerEvent = (Picos, u64);

/// Slots are 2^34 ps long, 17 ms: the heap of a slot is small, and few slots are empty (chosen).
const SLOT_BITS: u32 = 34;
/// Slots of a turn: 4.4 s, longer than most timeouts (chosen).
const SLOTS: u64 = 256;

/// Entries (instant, code). They are never removed early: the owner checks, when one comes, whether it still applies.
/// Equal instants come in the order of their codes.
///
/// Only the entries that are due soon are in order, in a heap. Those of the later slots of this turn lie in a list for each
/// slot, and those of later turns in one list.
///
/// Invariant: `soon` is empty only where nothing is armed; `soon` has all entries before the end of slot `slot`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<TimerEvent>", into = "Vec<TimerEvent>")]
pub struct Timers {
    soon: BinaryHeap<Reverse<TimerEvent>>,
    /// The last slot whose entries are in `soon`, counted from instant 0.
    slot: u64,
    /// Entries of later slots of the turn that holds `slot`, by slot of a turn.
    slots: Vec<Vec<TimerEvent>>,
    /// Number of these entries: a search through empty slots would cost more than the heap saves.
    in_slots: usize,
    /// Entries of later turns.
    later: Vec<TimerEvent>,
}

fn slot_of(at: Picos) -> u64 {
    at >> SLOT_BITS
}

impl From<Vec<TimerEvent>> for Timers {
    fn from(entries: Vec<TimerEvent>) -> Self {
        let mut timers = Self::default();
        entries.into_iter().for_each(|(at, code)| timers.arm(at, code));
        timers
    }
}

impl From<Timers> for Vec<TimerEvent> {
    fn from(timers: Timers) -> Self {
        let soon = timers.soon.into_iter().map(|entry| entry.0);
        let mut entries: Vec<_> =
            soon.chain(timers.slots.into_iter().flatten()).chain(timers.later).collect();
        // Equal states are equal bytes.
        entries.sort_unstable();
        entries
    }
}

impl Timers {
    /// Arms an event.
    #[inline]
    pub fn arm(&mut self, at: Picos, code: u64) {
        if slot_of(at) <= self.slot {
            self.soon.push(Reverse((at, code)));
        } else {
            self.arm_later(at, code);
        }
    }

    #[inline(never)]
    fn arm_later(&mut self, at: Picos, code: u64) {
        let slot = slot_of(at);
        if self.soon.is_empty() {
            self.slot = slot;
            self.soon.push(Reverse((at, code)));
        } else if slot / SLOTS > self.slot / SLOTS {
            self.later.push((at, code));
        } else {
            self.slots.resize_with(SLOTS as usize, Vec::new);
            self.slots[(slot % SLOTS) as usize].push((at, code));
            self.in_slots += 1;
        }
    }

    /// The next instant.
    #[must_use]
    #[inline]
    pub fn next(&self) -> Option<Picos> {
        self.soon.peek().map(|entry| entry.0.0)
    }

    /// The code of the next event.
    #[must_use]
    #[inline]
    pub fn upcoming(&self) -> Option<u64> {
        self.soon.peek().map(|entry| entry.0.1)
    }

    /// Takes the next event.
    #[inline]
    pub fn take(&mut self) -> Option<TimerEvent> {
        let entry = self.soon.pop();
        if self.soon.is_empty() && self.in_slots + self.later.len() > 0 {
            self.advance();
        }
        entry.map(|entry| entry.0)
    }

    /// Moves on from an empty heap to the next slot that has entries, if there is one.
    #[inline(never)]
    fn advance(&mut self) {
        if self.in_slots > 0 {
            let rest = self.slots.iter_mut().skip((self.slot % SLOTS) as usize + 1);
            let next = rest.enumerate().find(|(_, entries)| !entries.is_empty());
            let (ahead, entries) = next.expect("as many entries as were counted");
            self.slot += ahead as u64 + 1;
            self.in_slots -= entries.len();
            self.soon.extend(entries.drain(..).map(Reverse));
            return;
        }
        // This turn is over: on to the first of a later one.
        let mut later = std::mem::take(&mut self.later);
        let Some(first) = (0..later.len()).min_by_key(|place| later[*place]) else { return };
        let (at, code) = later.swap_remove(first);
        self.arm_later(at, code);
        later.into_iter().for_each(|(at, code)| self.arm(at, code));
    }

    /// Number of armed events.
    #[must_use]
    pub fn len(&self) -> usize {
        self.soon.len() + self.in_slots + self.later.len()
    }

    /// Returns whether none is armed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.soon.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SLOT: Picos = 1 << SLOT_BITS;

    proptest! {
        /// Events armed not before the one that came last come in order, whatever the distance; a copy of the state that
        /// was written and read goes on in the same way.
        #[test]
        fn come_in_order(
            steps in proptest::collection::vec(
                (0u8..4, prop_oneof![0..3 * SLOT, 0..100 * SLOT, 0..1000 * SLOT, Just(0)], 0u64..3), 1..300,
            ),
        ) {
            let (mut timers, mut plain) = (Timers::default(), BinaryHeap::new());
            let mut now = 0;
            for (step, (what, wait, code)) in steps.into_iter().enumerate() {
                if what < 2 {
                    timers.arm(now + wait, code);
                    plain.push(Reverse((now + wait, code)));
                } else {
                    let expected = plain.pop().map(|entry| entry.0);
                    prop_assert_eq!(timers.take(), expected);
                    now = expected.map_or(now, |entry| entry.0);
                }
                if step % 10 == 0 {
                    let bytes = postcard::to_allocvec(&timers).unwrap();
                    timers = postcard::from_bytes(&bytes).unwrap();
                }
                prop_assert_eq!(timers.next(), plain.peek().map(|entry| entry.0.0));
                prop_assert_eq!((timers.len(), timers.is_empty()), (plain.len(), plain.is_empty()));
            }
        }
    }
}
