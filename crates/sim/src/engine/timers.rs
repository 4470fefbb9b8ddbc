//! Events that can be armed in any order: timers, and interfaces that become free.

use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An instant and what is armed for it.
type TimerEvent = (Picos, u64);

/// Slots of timers are 2^34 ps long, 17 ms: few are armed for the present slot (chosen).
pub const TIMER_SLOT_BITS: u32 = 34;
/// Slots of departures are 2^27 ps long, 0.13 ms, for some ten of them in a domain of a busy network
/// (chosen).
pub const DEPARTURE_SLOT_BITS: u32 = 27;

/// Slots of a turn: 18 s of timers, 0.14 s of departures, longer than most timeouts and gaps (chosen).
const SLOTS: u64 = 1024;
const WORD: u64 = u64::BITS as u64;

/// Entries (instant, code). They are never removed early: the owner checks, when one comes, whether it still
/// applies. Equal instants come in the order of their codes.
///
/// Only the entries of the present slot are in order: a list that was sorted when the slot began, and a heap
/// of those that were armed since. Entries of the later slots of this turn lie in a list for each slot, and
/// those of later turns in one list. A slot is 2^`BITS` ps long.
///
/// Invariant: `sorted` and `armed` are both empty only where nothing is armed; they have all entries before
/// the end of slot `slot`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<TimerEvent>", into = "Vec<TimerEvent>")]
pub struct Timers<const BITS: u32> {
    /// Last to first.
    sorted: Vec<TimerEvent>,
    armed: BinaryHeap<Reverse<TimerEvent>>,
    /// The present slot, counted from instant 0.
    slot: u64,
    /// Entries of later slots of the turn that holds `slot`, by slot of a turn.
    slots: Vec<Vec<TimerEvent>>,
    /// A bit for each of these slots that has entries: to look at empty slots would cost more than the
    /// entries.
    occupied: [u64; (SLOTS / WORD) as usize],
    /// Number of these entries.
    in_slots: usize,
    /// Entries of later turns.
    later: Vec<TimerEvent>,
}

impl<const BITS: u32> From<Vec<TimerEvent>> for Timers<BITS> {
    fn from(entries: Vec<TimerEvent>) -> Self {
        let mut timers = Self::default();
        entries.into_iter().for_each(|(at, code)| timers.arm(at, code));
        timers
    }
}

impl<const BITS: u32> From<Timers<BITS>> for Vec<TimerEvent> {
    fn from(timers: Timers<BITS>) -> Self {
        let present = timers.sorted.into_iter().chain(timers.armed.into_iter().map(|entry| entry.0));
        let mut entries: Vec<_> =
            present.chain(timers.slots.into_iter().flatten()).chain(timers.later).collect();
        // Equal states are equal bytes.
        entries.sort_unstable();
        entries
    }
}

impl<const BITS: u32> Timers<BITS> {
    /// Arms an event.
    #[inline]
    pub fn arm(&mut self, at: Picos, code: u64) {
        if at >> BITS <= self.slot {
            self.armed.push(Reverse((at, code)));
        } else {
            self.arm_later(at, code);
        }
    }

    #[inline(never)]
    fn arm_later(&mut self, at: Picos, code: u64) {
        let slot = at >> BITS;
        if self.is_empty() {
            self.slot = slot;
            self.sorted.push((at, code));
        } else if slot / SLOTS > self.slot / SLOTS {
            self.later.push((at, code));
        } else {
            self.slots.resize_with(SLOTS as usize, Vec::new);
            let place = slot % SLOTS;
            self.slots[place as usize].push((at, code));
            self.occupied[(place / WORD) as usize] |= 1 << (place % WORD);
            self.in_slots += 1;
        }
    }

    /// The next event.
    #[inline]
    fn peek(&self) -> Option<TimerEvent> {
        match (self.sorted.last(), self.armed.peek()) {
            (Some(sorted), Some(Reverse(armed))) => Some(*sorted.min(armed)),
            (Some(next), None) | (None, Some(Reverse(next))) => Some(*next),
            (None, None) => None,
        }
    }

    /// The next instant.
    #[must_use]
    #[inline]
    pub fn next(&self) -> Option<Picos> {
        self.peek().map(|next| next.0)
    }

    /// The code of the next event.
    #[must_use]
    #[inline]
    pub fn upcoming(&self) -> Option<u64> {
        self.peek().map(|next| next.1)
    }

    /// Takes the next event.
    #[inline]
    pub fn take(&mut self) -> Option<TimerEvent> {
        let next = self.peek()?;
        if self.sorted.last() == Some(&next) {
            self.sorted.pop();
        } else {
            self.armed.pop();
        }
        if self.is_empty() && self.in_slots + self.later.len() > 0 {
            self.advance();
        }
        Some(next)
    }

    /// Moves on from an empty slot to the next slot that has entries, if there is one.
    #[inline(never)]
    fn advance(&mut self) {
        if self.in_slots > 0 {
            let place = self.first_occupied();
            let entries = &mut self.slots[place as usize];
            self.slot = self.slot / SLOTS * SLOTS + place;
            self.occupied[(place / WORD) as usize] &= !(1 << (place % WORD));
            self.in_slots -= entries.len();
            self.sorted.append(entries);
            self.sorted.sort_unstable_by(|one, other| other.cmp(one));
            return;
        }
        // This turn is over: on to the first of a later one.
        let mut later = std::mem::take(&mut self.later);
        let Some(first) = (0..later.len()).min_by_key(|place| later[*place]) else { return };
        let (at, code) = later.swap_remove(first);
        self.arm_later(at, code);
        later.into_iter().for_each(|(at, code)| self.arm(at, code));
    }

    /// The first slot of this turn that has entries; those behind the present one have none.
    ///
    /// # Panics
    /// If none has.
    fn first_occupied(&self) -> u64 {
        let word = self.occupied.iter().position(|word| *word != 0).expect("as many entries as were counted");
        word as u64 * WORD + u64::from(self.occupied[word].trailing_zeros())
    }

    /// Number of armed events.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sorted.len() + self.armed.len() + self.in_slots + self.later.len()
    }

    /// Returns whether none is armed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty() && self.armed.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SLOT: Picos = 1 << TIMER_SLOT_BITS;

    proptest! {
        /// Events armed not before the one that came last come in order, whatever the distance; a copy of the
        /// state that was written and read goes on in the same way.
        #[test]
        fn come_in_order(
            steps in proptest::collection::vec(
                (0u8..4, prop_oneof![0..3 * SLOT, 0..100 * SLOT, 0..4000 * SLOT, Just(0)], 0u64..3), 1..300,
            ),
        ) {
            let (mut timers, mut plain) = (Timers::<TIMER_SLOT_BITS>::default(), BinaryHeap::new());
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
