//! Segments of one lane, in the order of their arrival.

use super::Segment;
use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};

/// Places that a ring keeps however few it needs: two cache lines and more (chosen).
const FEW: usize = 16;

/// A first-in first-out ring that grows by doubling, and halves when it is asked to let go of what it does
/// not need.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<Segment>", into = "Vec<Segment>")]
pub struct Ring {
    items: Vec<Segment>,
    head: usize,
    len: usize,
}

impl From<Vec<Segment>> for Ring {
    fn from(segments: Vec<Segment>) -> Self {
        let mut ring = Self::default();
        ring.append(&segments);
        ring
    }
}

impl From<Ring> for Vec<Segment> {
    fn from(ring: Ring) -> Self {
        ring.iter().copied().collect()
    }
}

impl Ring {
    /// Number of segments.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends a segment.
    #[inline]
    pub fn push(&mut self, segment: Segment) {
        if self.len == 0 {
            // Begin again where the memory is warm.
            self.head = 0;
        }
        if self.len == self.items.len() {
            self.grow();
        }
        let mask = self.items.len() - 1;
        self.items[(self.head + self.len) & mask] = segment;
        self.len += 1;
    }

    /// Inserts a segment by its time, behind those of the same time. Costs as many steps as it overtakes
    /// segments.
    pub fn insert(&mut self, segment: Segment) {
        self.push(segment);
        let mask = self.items.len() - 1;
        for place in (self.head + 1..self.head + self.len).rev() {
            let (before, here) = ((place - 1) & mask, place & mask);
            if self.items[before].time <= self.items[here].time {
                return;
            }
            self.items.swap(before, here);
        }
    }

    /// Appends segments.
    pub fn append(&mut self, segments: &[Segment]) {
        if segments.is_empty() {
            return;
        }
        while self.items.len() < self.len + segments.len() {
            self.grow();
        }
        let capacity = self.items.len();
        let tail = (self.head + self.len) & (capacity - 1);
        let (until_end, rest) = segments.split_at(segments.len().min(capacity - tail));
        self.items[tail..tail + until_end.len()].copy_from_slice(until_end);
        self.items[..rest.len()].copy_from_slice(rest);
        self.len += segments.len();
    }

    /// Removes the first segment.
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub fn pop(&mut self) -> Segment {
        assert!(self.len > 0, "a lane without segments was scheduled");
        let segment = self.items[self.head];
        self.head = (self.head + 1) & (self.items.len() - 1);
        self.len -= 1;
        segment
    }

    /// The first segment.
    #[must_use]
    #[inline]
    pub fn front(&self) -> Option<&Segment> {
        if self.len == 0 { None } else { Some(&self.items[self.head]) }
    }

    /// All segments, first to last.
    pub fn iter(&self) -> impl Iterator<Item = &Segment> {
        (0..self.len).map(|i| &self.items[(self.head + i) & (self.items.len() - 1)])
    }

    /// Gives all segments other instants of arrival.
    pub fn retime(&mut self, mut new: impl FnMut(Picos) -> Picos) {
        let mask = self.items.len().wrapping_sub(1);
        for i in 0..self.len {
            let segment = &mut self.items[(self.head + i) & mask];
            segment.time = new(segment.time);
        }
    }

    /// Halves where at most an eighth is in use: a ring must be asked many times, and stay short all that
    /// time, to lose all the room that a burst had taken.
    pub fn shrink(&mut self) {
        if self.items.len() > FEW && self.len <= self.items.len() / 8 {
            self.resize(self.items.len() / 2);
        }
    }

    /// Number of segments for which there is room.
    #[must_use]
    pub fn room(&self) -> usize {
        self.items.len()
    }

    #[cold]
    fn grow(&mut self) {
        self.resize((self.items.len() * 2).max(4));
    }

    /// Makes room for `room` segments, a power of two and not less than there are.
    fn resize(&mut self, room: usize) {
        let mut items = Vec::with_capacity(room);
        items.extend(self.iter().copied());
        items.resize(room, Segment::default());
        self.items = items;
        self.head = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::FlowId;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    #[test]
    fn room_follows_the_crowd_and_leaves_after_it() {
        let mut ring = Ring::default();
        for n in 0..1000 {
            ring.push(Segment::new(n, FlowId(n as u32), 0, 0));
        }
        assert_eq!(ring.room(), 1024);
        (0..990).for_each(|_| _ = ring.pop());
        let rooms: Vec<usize> = (0..7)
            .map(|_| {
                ring.shrink();
                ring.room()
            })
            .collect();
        assert_eq!(rooms, [512, 256, 128, 64, 64, 64, 64], "ten segments fill more than an eighth of 64");
        assert!(ring.iter().map(|s| s.flow.0).eq(990..1000));
    }

    proptest! {
        /// Inserting one after another sorts, and keeps the order of equals.
        #[test]
        fn insertion_sorts(times in proptest::collection::vec(0u64..20, 0..60), taken in 0usize..10) {
            let mut ring = Ring::default();
            let mut sorted: Vec<(u64, u32)> = Vec::new();
            for (number, time) in times.into_iter().enumerate() {
                if number % 7 == 3 && taken > 0 && !ring.is_empty() {
                    sorted.remove(0);
                    ring.pop();
                }
                let segment = Segment::new(time, FlowId(number as u32), 0, 0);
                ring.insert(segment);
                sorted.push((time, number as u32));
                sorted.sort_by_key(|item| item.0);
            }
            let found: Vec<(u64, u32)> = ring.iter().map(|s| (s.time, s.flow.0)).collect();
            prop_assert_eq!(found, sorted);
        }

        #[test]
        fn behaves_like_a_queue(operations in proptest::collection::vec((0u8..5, 0usize..9), 0..300)) {
            let (mut ring, mut queue) = (Ring::default(), VecDeque::new());
            for (number, (operation, count)) in operations.into_iter().enumerate() {
                let x = number as u32;
                if number % 3 == 0 {
                    ring.shrink();
                }
                match operation {
                    0 | 1 => {
                        ring.push(Segment::new(0, FlowId(x), 0, 0));
                        queue.push_back(x);
                    }
                    2 => {
                        ring.append(&vec![Segment::new(0, FlowId(x), 0, 0); count]);
                        queue.extend(vec![x; count]);
                    }
                    _ => {
                        if let Some(x) = queue.pop_front() {
                            prop_assert_eq!(ring.pop().flow.0, x);
                        }
                    }
                }
                prop_assert_eq!(ring.len(), queue.len());
                prop_assert_eq!(ring.front().map(|s| s.flow.0), queue.front().copied());
                prop_assert!(ring.iter().map(|s| s.flow.0).eq(queue.iter().copied()));
            }
        }
    }
}
