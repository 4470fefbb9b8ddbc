//! Segments of one lane, in the order of their arrival.

use mesonet_cc::Picos;

/// A segment on its way, or the acknowledgement that it caused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Arrival at the end of the lane.
    pub time: Picos,
    /// Slot of the flow.
    pub flow: u32,
    /// Low 32 bits of the sequence number.
    pub sequence: u32,
    /// Low 48 bits of the departure from the source (281 s, longer than any round trip), then the two bits of ECN (RFC
    /// 3168, section 5) and the access router of the receiver in 14 bits: transit touches no flow.
    stamp: u64,
}

/// Bits below the departure.
const LOW_BITS: u32 = 16;
const LOW_MASK: u64 = (1 << LOW_BITS) - 1;
/// Routers may mark the segment instead of dropping it.
const ECN_CAPABLE: u64 = 1 << 15;
/// Congestion experienced: a router has marked it.
const MARKED: u64 = 1 << 14;
const TARGET_MASK: u64 = MARKED - 1;

/// Most access routers that a segment can name.
pub const MOST_TARGETS: usize = TARGET_MASK as usize + 1;

impl Segment {
    /// A segment of `flow` that leaves its source at `sent` for the access router `target`.
    #[must_use]
    pub fn new(sent: Picos, flow: u32, sequence: u32, target: u16) -> Self {
        Self { time: sent, flow, sequence, stamp: (sent << LOW_BITS) | u64::from(target) }
    }

    /// The same, and routers may mark it.
    #[must_use]
    #[inline]
    pub fn ecn_capable(self) -> Self {
        Self { stamp: self.stamp | ECN_CAPABLE, ..self }
    }

    /// Whether routers may mark it.
    #[must_use]
    #[inline]
    pub fn is_ecn_capable(&self) -> bool {
        self.stamp & ECN_CAPABLE != 0
    }

    /// A router marks it.
    #[inline]
    pub fn mark(&mut self) {
        self.stamp |= MARKED;
    }

    /// Whether a router has marked it.
    #[must_use]
    #[inline]
    pub fn is_marked(&self) -> bool {
        self.stamp & MARKED != 0
    }

    /// Access router of the receiver.
    #[must_use]
    pub fn target(&self) -> usize {
        (self.stamp & TARGET_MASK) as usize
    }

    /// Time since the departure from the source.
    #[must_use]
    pub fn age(&self, now: Picos) -> Picos {
        (now << LOW_BITS).wrapping_sub(self.stamp & !LOW_MASK) >> LOW_BITS
    }
}

/// A first-in first-out ring that grows by doubling.
#[derive(Clone, Debug, Default)]
pub struct Ring {
    items: Vec<Segment>,
    head: usize,
    len: usize,
}

impl Ring {
    /// Number of segments.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends a segment.
    #[inline]
    pub fn push(&mut self, segment: Segment) {
        if self.len == self.items.len() {
            self.grow();
        }
        let mask = self.items.len() - 1;
        self.items[(self.head + self.len) & mask] = segment;
        self.len += 1;
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

    #[cold]
    fn grow(&mut self) {
        let mut items = Vec::with_capacity((self.items.len() * 2).max(4));
        items.extend(self.iter().copied());
        items.resize(items.capacity().next_power_of_two(), Segment::default());
        self.items = items;
        self.head = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn behaves_like_a_queue(operations in proptest::collection::vec(any::<Option<u32>>(), 0..300)) {
            let (mut ring, mut queue) = (Ring::default(), VecDeque::new());
            for operation in operations {
                match operation {
                    Some(x) => {
                        ring.push(Segment::new(0, x, 0, 0));
                        queue.push_back(x);
                    }
                    None => {
                        if let Some(x) = queue.pop_front() {
                            prop_assert_eq!(ring.pop().flow, x);
                        }
                    }
                }
                prop_assert_eq!(ring.len(), queue.len());
                prop_assert_eq!(ring.front().map(|s| s.flow), queue.front().copied());
                prop_assert!(ring.iter().map(|s| s.flow).eq(queue.iter().copied()));
            }
        }

        #[test]
        fn age_target_and_marks_survive_packing(
            sent in 0..1u64 << 60,
            age in 0..1u64 << 47,
            target in 0..MOST_TARGETS as u16,
            capable: bool,
            marks in 0..3,
        ) {
            let mut segment = Segment::new(sent, 7, 9, target);
            if capable {
                segment = segment.ecn_capable();
            }
            for _ in 0..marks {
                segment.mark();
            }
            prop_assert_eq!(segment.age(sent + age), age);
            prop_assert_eq!(segment.target(), usize::from(target));
            prop_assert_eq!((segment.is_ecn_capable(), segment.is_marked()), (capable, marks > 0));
        }
    }
}
