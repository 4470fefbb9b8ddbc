//! A segment, and how it names its flow.

use crate::stacks::HANDLE_BITS;
use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};

/// The name of a flow in its segments. It says where the flow is to be found, so that no router needs to look
/// at it, and does not depend on how the network is divided into domains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowId(pub u32);

/// The place where a flow is to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowHome {
    /// A number among the flows of this group of access routers.
    Group(usize),
    /// The flow has lanes of its own, and this number among the flows that have.
    OwnLanes(usize),
    /// One direction of a connection between stacks, by this number; its packets have sizes of their own.
    Stack(u32),
}

/// Bits of a number in a flow's name, and of a slot in the code of a timer.
const SLOT_BITS: u32 = 24;
/// Instead of a group: the flow has lanes of its own.
const OWN: u32 = 0xff;

/// In the number of a flow without a group: a direction of a connection between stacks.
const STACK: u32 = 1 << (SLOT_BITS - 1);

/// Most numbers of directions of connections between stacks.
pub const MOST_STACK_FLOWS: u32 = STACK;

/// Most groups of access routers that flows can name.
pub const MOST_GROUPS: usize = OWN as usize;
/// Most flows at once in one domain, and most sources.
pub const MOST_SLOTS: usize = 1 << SLOT_BITS;

impl FlowId {
    /// The flow with this number among those whose source is in `group`.
    #[must_use]
    pub fn new(group: usize, number: u32) -> Self {
        Self(((group as u32) << SLOT_BITS) | number)
    }

    /// The `n`-th of the flows with lanes of their own.
    #[must_use]
    pub fn own(n: usize) -> Self {
        Self((OWN << SLOT_BITS) | n as u32)
    }

    /// The `n`-th direction of connections between stacks.
    #[must_use]
    pub fn stack(n: u32) -> Self {
        Self((OWN << SLOT_BITS) | STACK | n)
    }

    /// The place where the flow is to be found.
    #[must_use]
    #[inline]
    pub fn home(self) -> FlowHome {
        let group = self.0 >> SLOT_BITS;
        if group == OWN && self.0 & STACK != 0 {
            FlowHome::Stack(self.0 & (STACK - 1))
        } else if group == OWN {
            FlowHome::OwnLanes(self.number() as usize)
        } else {
            FlowHome::Group(group as usize)
        }
    }

    /// Number in its group, or among the flows that have lanes of their own.
    #[must_use]
    #[inline]
    pub fn number(self) -> u32 {
        self.0 & (MOST_SLOTS as u32 - 1)
    }
}

/// A segment in flight, or the acknowledgement that it caused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// Arrival at the end of the lane.
    pub time: Picos,
    /// The flow.
    pub flow: FlowId,
    /// Low 32 bits of the sequence number.
    pub sequence: u32,
    /// Low 48 bits of the departure from the source (281 s, longer than any round trip), then the two bits of
    /// ECN (RFC 3168, section 5), a bit for retransmissions and the access router of the receiver in 13 bits:
    /// transit touches no flow.
    stamp: u64,
}

/// Bits below the departure.
const LOW_BITS: u32 = 16;
const LOW_MASK: u64 = (1 << LOW_BITS) - 1;
/// Set in a retransmission.
const COPY: u64 = 1 << 13;
/// The two bits of ECN (RFC 3168, section 5).
const ECN_MASK: u64 = 0b11 << 14;
/// ECT(0): routers may mark the segment instead of dropping it.
const CAPABLE: u64 = 0b10 << 14;
/// ECT(1): the same, of a flow whose congestion control is scalable (RFC 9331).
const SCALABLE: u64 = 0b01 << 14;
/// CE: a router has marked it.
const MARKED: u64 = 0b11 << 14;
const TARGET_MASK: u64 = COPY - 1;

/// Most access routers that a segment can name.
pub const MOST_TARGETS: usize = TARGET_MASK as usize + 1;

impl Segment {
    /// A segment of `flow` that leaves its source at `sent` for the access router with the index `target`.
    #[must_use]
    pub fn new(sent: Picos, flow: FlowId, sequence: u32, target: usize) -> Self {
        Self { time: sent, flow, sequence, stamp: (sent << LOW_BITS) | target as u64 }
    }

    /// All of it but its instant, for functions off the main path: a reference would keep the segment in
    /// memory there, where it is written in parts, read as a whole and waited for.
    #[must_use]
    #[inline(always)]
    pub fn words(self) -> [u64; 2] {
        [u64::from(self.flow.0) | u64::from(self.sequence) << 32, self.stamp]
    }

    /// The segment of these [`Self::words`] that arrives at `time`.
    #[must_use]
    #[inline(always)]
    pub fn from_words(time: Picos, [names, stamp]: [u64; 2]) -> Self {
        Self { time, flow: FlowId(names as u32), sequence: (names >> 32) as u32, stamp }
    }

    /// This segment as a retransmission.
    #[must_use]
    #[inline]
    pub fn copy(self) -> Self {
        Self { stamp: self.stamp | COPY, ..self }
    }

    /// Returns whether it is a retransmission, or answers one.
    #[must_use]
    pub fn is_copy(&self) -> bool {
        self.stamp & COPY != 0
    }

    /// Bits of the departure from the source.
    #[must_use]
    pub fn departure_bits(&self) -> u64 {
        self.stamp >> LOW_BITS
    }

    /// This segment with ECT(0): routers may mark it.
    #[must_use]
    #[inline]
    pub fn ecn_capable(self) -> Self {
        Self { stamp: self.stamp | CAPABLE, ..self }
    }

    /// This segment with ECT(1): its congestion control is scalable.
    #[must_use]
    #[inline]
    pub fn scalable(self) -> Self {
        Self { stamp: self.stamp | SCALABLE, ..self }
    }

    /// Returns whether routers may mark it, or have marked it.
    #[must_use]
    #[inline]
    pub fn is_ecn_capable(&self) -> bool {
        self.stamp & ECN_MASK != 0
    }

    /// Returns whether it belongs into a queue of scalable flows: ECT(1) or CE (RFC 9331, section 5.1).
    #[must_use]
    #[inline]
    pub fn is_scalable(&self) -> bool {
        self.stamp & SCALABLE != 0
    }

    /// The two bits of its ECN field.
    #[must_use]
    pub fn ecn_bits(&self) -> u8 {
        ((self.stamp & ECN_MASK) >> ECN_MASK.trailing_zeros()) as u8
    }

    /// This segment, which has no ECN field yet, with these two bits.
    #[must_use]
    pub fn with_ecn_bits(self, bits: u8) -> Self {
        Self { stamp: self.stamp | u64::from(bits & 3) << ECN_MASK.trailing_zeros(), ..self }
    }

    /// Returns whether it is a packet of a stack that receives data: such packets count as acknowledgements.
    #[must_use]
    pub fn is_answer_of_stack(&self) -> bool {
        matches!(self.flow.home(), FlowHome::Stack(direction) if direction % 2 == 1)
    }

    /// Bytes of a packet between stacks.
    #[must_use]
    pub fn packet_bytes(&self) -> u32 {
        self.sequence >> HANDLE_BITS
    }

    /// A hop clears its ECN field.
    pub fn clear_ecn(&mut self) {
        self.stamp &= !ECN_MASK;
    }

    /// A hop makes ECT(0) of ECT(1).
    pub fn make_classic(&mut self) {
        self.replace(SCALABLE, CAPABLE);
    }

    /// A hop makes ECT(1) of ECT(0).
    pub fn make_scalable(&mut self) {
        self.replace(CAPABLE, SCALABLE);
    }

    fn replace(&mut self, old: u64, new: u64) {
        if self.stamp & ECN_MASK == old {
            self.stamp ^= old ^ new;
        }
    }

    /// A router marks it.
    #[inline]
    pub fn mark(&mut self) {
        self.stamp |= MARKED;
    }

    /// Returns whether a router has marked it.
    #[must_use]
    #[inline]
    pub fn is_marked(&self) -> bool {
        self.stamp & ECN_MASK == MARKED
    }

    /// The acknowledgement that it causes, on its way to `target`. It reports a mark and is not marked itself
    /// (RFC 3168, section 6.1.4).
    #[must_use]
    pub fn answered(self, target: usize) -> Self {
        let mark = if self.is_marked() { MARKED } else { 0 };
        Self { stamp: (self.stamp & !(TARGET_MASK | ECN_MASK)) | mark | target as u64, ..self }
    }

    /// The place at which it leaves the network. Data: the access router of the receiver. Acknowledgements:
    /// the access router of the source, behind the access routers of all receivers.
    #[must_use]
    pub fn target(&self) -> usize {
        (self.stamp & TARGET_MASK) as usize
    }

    /// When it left the source, or the segment that it acknowledges did.
    #[must_use]
    pub fn departure(&self, now: Picos) -> Picos {
        now - self.age(now)
    }

    /// Time since the departure from the source.
    #[must_use]
    pub fn age(&self, now: Picos) -> Picos {
        (now << LOW_BITS).wrapping_sub(self.stamp & !LOW_MASK) >> LOW_BITS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn flows_are_named_by_group_and_number_or_by_their_own_number() {
        let id = FlowId::new(254, 0xab_cdef);
        assert_eq!((id.home(), id.number()), (FlowHome::Group(254), 0xab_cdef));
        assert_eq!(FlowId::own(7).home(), FlowHome::OwnLanes(7));
        assert_eq!(FlowId::stack(7).home(), FlowHome::Stack(7));
        assert_eq!(FlowId::stack(MOST_STACK_FLOWS - 1).home(), FlowHome::Stack(MOST_STACK_FLOWS - 1));
    }

    #[test]
    fn hops_rewrite_the_ecn_field_and_nothing_else() {
        let plain = Segment::new(5, FlowId(7), 9, 3);
        let mut marked = plain.scalable();
        marked.mark();
        let fields = [plain, plain.ecn_capable(), plain.scalable(), marked];
        for (rewrite, expected) in [
            (Segment::clear_ecn as fn(&mut Segment), [0, 0, 0, 0]),
            (Segment::make_classic, [0, 1, 1, 3]),
            (Segment::make_scalable, [0, 2, 2, 3]),
        ] {
            let rewritten = fields.map(|mut segment| {
                rewrite(&mut segment);
                segment
            });
            assert_eq!(rewritten, expected.map(|number| fields[number]));
        }
    }

    #[test]
    fn ecn_bits_are_those_of_the_field() {
        let plain = Segment::new(5, FlowId(7), 9, 3);
        for (bits, segment) in [(0, plain), (1, plain.scalable()), (2, plain.ecn_capable())] {
            assert_eq!((segment.ecn_bits(), plain.with_ecn_bits(bits)), (bits, segment));
        }
        assert!(plain.with_ecn_bits(3).is_marked());
    }

    proptest! {
        #[test]
        fn age_target_and_marks_survive_packing(
            sent in 0..1u64 << 60,
            age in 0..1u64 << 47,
            copy: bool,
            target in 0..MOST_TARGETS,
            capable: bool,
            marks in 0..3,
        ) {
            let mut segment = Segment::new(sent, FlowId(7), 9, target);
            if copy {
                segment = segment.copy();
            }
            if capable {
                segment = segment.ecn_capable();
            }
            for _ in 0..marks {
                segment.mark();
            }
            prop_assert_eq!(segment.age(sent + age), age);
            prop_assert_eq!(segment.target(), target);
            prop_assert_eq!((segment.is_ecn_capable(), segment.is_marked()), (capable || marks > 0, marks > 0));
            prop_assert_eq!(segment.is_copy(), copy);
            let answer = segment.answered(MOST_TARGETS - 1 - target);
            prop_assert_eq!(answer.target(), MOST_TARGETS - 1 - target);
            // The bits of a report are those of a mark; without one it is not ECN-capable.
            prop_assert_eq!((answer.is_ecn_capable(), answer.is_marked()), (marks > 0, marks > 0));
            prop_assert_eq!((answer.age(sent + age), answer.departure(sent + age)), (age, sent));
            prop_assert_eq!(answer.is_copy(), copy);
        }
    }
}
