//! The scoreboard: segments of a flow that are outstanding, lost or acknowledged (RFC 6675).
//!
//! Every acknowledgement names the segment that caused it (the first SACK block does) and reports what
//! earlier ones that did not come would have said, so the sender knows exactly what the receiver holds:
//! everything below `passed` but for the `holes`. A path is a chain of FIFO queues: first transmissions are
//! acknowledged in order, holes appear at the high end and vanish from the low end, and a step costs O(1)
//! amortised whatever the window.

use super::short_queue::ShortQueue;
use serde::{Deserialize, Serialize};

/// Segments that are missing although later ones were acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Hole {
    start: u64,
    length: u32,
    /// Value of `passed_count` when the hole appeared: how many later ones were acknowledged is the
    /// difference.
    seen: u32,
}

impl Hole {
    /// The segments from `start` to before `end`.
    #[inline]
    fn new(start: u64, end: u64, seen: u32) -> Self {
        Self { start, length: (end - start) as u32, seen }
    }

    #[inline]
    fn end(&self) -> u64 {
        self.start + u64::from(self.length)
    }
}

/// Holes that lie inline: enough for the small windows of flows that lose many segments (chosen).
const FEW_HOLES: usize = 2;

/// Counts looks at holes and moves of them, in tests only: see
/// `work_per_acknowledgement_does_not_grow_with_the_window`.
#[inline(always)]
fn count(_work: usize) {
    #[cfg(test)]
    tests::WORK.with(|work| work.set(work.get() + _work));
}

/// The news of an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acked {
    /// Nothing: the segment was acknowledged before.
    Known,
    /// A segment that had not been acknowledged.
    New {
        /// It had been sent once only, so that a round-trip sample is unambiguous (Karn).
        sent_once: bool,
    },
}

/// The outstanding segments of one flow.
///
/// Invariant: `pipe = next - una - sacked - lost + retransmitted` (RFC 6675, section 4, SetPipe). `sacked`
/// counts the segments acknowledged above `una`, `lost` the missing ones below `lost_end`, `retransmitted`
/// the missing ones below `retransmitted_end`; holes ascend and do not overlap, and
/// `retransmitted_end <= lost_end`, `passed <= next`. Fields lie in memory as written: without holes, or with
/// one, all is in one cache line. Two kinds of sender set `pipe` by rules of their own: those that call
/// [`Self::lose`] and [`Self::believe`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[repr(C)]
pub struct Scoreboard {
    /// Next segment never sent so far.
    next: u64,
    /// End of the segments acknowledged, or passed over by a timeout.
    passed: u64,
    /// Lowest segment not acknowledged: the start of the first hole, or `passed` without holes.
    una: u64,
    /// Holes below are lost.
    lost_end: u64,
    /// Holes below have been retransmitted since the last timeout.
    retransmitted_end: u64,
    /// RFC 6675 pipe: segments believed to be in the network.
    pipe: u32,
    /// First transmissions acknowledged in passing; wraps around.
    passed_count: u32,
    /// Missing segments below `passed`, ascending.
    holes: ShortQueue<Hole, FEW_HOLES>,
}

impl Scoreboard {
    /// A flow whose first segment has number `first`.
    #[must_use]
    pub fn new(first: u64) -> Self {
        Self {
            next: first,
            passed: first,
            una: first,
            lost_end: first,
            retransmitted_end: first,
            ..Self::default()
        }
    }

    /// Lowest segment not acknowledged.
    #[must_use]
    #[inline]
    pub fn una(&self) -> u64 {
        self.una
    }

    /// Next segment never sent so far.
    #[must_use]
    #[inline]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Segments believed to be in the network.
    #[must_use]
    #[inline]
    pub fn pipe(&self) -> u32 {
        self.pipe
    }

    /// Sent but not cumulatively acknowledged (RFC 5681 FlightSize).
    #[must_use]
    pub fn flight(&self) -> u64 {
        self.next - self.una()
    }

    /// Sent but not acknowledged, not even selectively.
    #[must_use]
    pub fn outstanding(&self) -> u64 {
        count(self.holes.len());
        self.next - self.passed + self.holes.iter().map(|h| u64::from(h.length)).sum::<u64>()
    }

    /// Segment `sequence`, which has been sent, is acknowledged.
    #[must_use]
    #[inline]
    pub fn has_arrived(&self, sequence: u64) -> bool {
        if sequence >= self.passed {
            return false;
        }
        sequence < self.una || !self.is_missing(sequence)
    }

    /// The first hole that does not end at `sequence` or before.
    fn first_not_below(&self, sequence: u64) -> usize {
        self.holes.partition_point(|hole| {
            count(1);
            hole.end() <= sequence
        })
    }

    fn is_missing(&self, sequence: u64) -> bool {
        let hole = self.holes.get(self.first_not_below(sequence));
        hole.is_some_and(|h| h.start <= sequence)
    }

    /// Nothing is missing below what is acknowledged.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.una == self.passed
    }

    /// First transmissions acknowledged since the lowest missing segment was passed over.
    #[must_use]
    pub fn passed_over(&self) -> u64 {
        if self.is_whole() {
            return 0;
        }
        self.holes.front().map_or(0, |hole| self.passed_count.wrapping_sub(hole.seen).into())
    }

    /// Missing segment `sequence` counts as lost, by a sender that loses segments in the order in which they
    /// left. Returns whether it had been retransmitted: the caller sends it again.
    pub fn lose(&mut self, sequence: u64) -> bool {
        self.pipe -= 1;
        if sequence < self.lost_end {
            debug_assert!(sequence < self.retransmitted_end, "lost twice");
            return true;
        }
        if sequence >= self.passed {
            debug_assert_eq!(sequence, self.passed, "what left before is lost already");
            match self.holes.back_mut() {
                Some(hole) if hole.end() == sequence => hole.length += 1,
                _ => self.holes.push_back(Hole::new(sequence, sequence + 1, self.passed_count)),
            }
            self.passed = sequence + 1;
        }
        self.lost_end = sequence + 1;
        false
    }

    /// Missing segments below count as lost.
    #[must_use]
    pub fn lost_end(&self) -> u64 {
        self.lost_end
    }

    /// The lowest missing segment counts as lost.
    #[must_use]
    #[inline]
    pub fn has_loss(&self) -> bool {
        // `lost_end <= passed`, so that without holes nothing is lost.
        self.una < self.lost_end
    }

    /// Missing segments that count as lost.
    #[must_use]
    pub fn lost(&self) -> u32 {
        let lost = |h: &Hole| h.end().min(self.lost_end).saturating_sub(h.start);
        count(self.holes.len());
        self.holes.iter().map(lost).sum::<u64>() as u32
    }

    /// The lowest missing segment from `from` on that counts as lost.
    #[must_use]
    pub fn lost_from(&self, from: u64) -> Option<u64> {
        let hole = self.holes.get(self.first_not_below(from))?;
        let sequence = hole.start.max(from);
        (sequence < self.lost_end).then_some(sequence)
    }

    /// Sends the next new segment.
    #[inline]
    pub fn send_new(&mut self) -> u64 {
        self.next += 1;
        self.pipe += 1;
        self.next - 1
    }

    /// Segment `sequence`, which has been sent, is acknowledged; `threshold` later ones make a hole lost.
    #[inline(always)]
    pub fn acknowledge(&mut self, sequence: u64, threshold: u32) -> Acked {
        if sequence < self.passed {
            return self.fill(sequence);
        }
        let in_order = sequence == self.una;
        if sequence > self.passed {
            self.holes.push_back(Hole::new(self.passed, sequence, self.passed_count));
        }
        self.passed = sequence + 1;
        self.passed_count = self.passed_count.wrapping_add(1);
        self.pipe -= 1;
        if in_order {
            // Nothing was missing: `una == passed`.
            self.una = sequence + 1;
        } else {
            self.mark_lost(threshold);
        }
        Acked::New { sent_once: true }
    }

    /// Segment `sequence`, which has been sent, has arrived, and nothing follows from that for any other
    /// segment: for senders that do not see which one it is and count the segments in flight themselves
    /// ([`Self::believe`]).
    pub fn receive(&mut self, sequence: u64) -> Acked {
        let pipe = self.pipe;
        // Missing segments are never lost here, so every arrival takes one off.
        self.pipe = u32::MAX;
        let acked = self.acknowledge(sequence, u32::MAX);
        self.pipe = pipe;
        acked
    }

    /// So many segments are believed to be in the network.
    #[inline]
    pub fn believe(&mut self, pipe: u32) {
        self.pipe = pipe;
    }

    /// Moves `lost_end` over the holes that enough later segments have passed. At most `threshold` holes are
    /// undecided.
    fn mark_lost(&mut self, threshold: u32) {
        let mut undecided = self.holes.len();
        for _ in self.holes.iter().rev().take_while(|hole| hole.end() > self.lost_end) {
            count(1);
            undecided -= 1;
        }
        for hole in self.holes.iter_from(undecided) {
            count(1);
            if self.passed_count.wrapping_sub(hole.seen) < threshold {
                break;
            }
            // A hole may have been retransmitted in part before it was decided.
            self.pipe -= (hole.end() - hole.start.max(self.lost_end)) as u32;
            self.lost_end = hole.end();
        }
    }

    /// A segment below `passed` is acknowledged.
    fn fill(&mut self, sequence: u64) -> Acked {
        if sequence < self.una {
            return Acked::Known;
        }
        let index = match self.holes.front() {
            Some(hole) if sequence < hole.end() => 0,
            _ => self.first_not_below(sequence),
        };
        let Some(hole) = self.holes.get_mut(index).filter(|h| h.start <= sequence) else {
            return Acked::Known;
        };
        let (start, end) = (hole.start, hole.end());
        if sequence == start {
            (hole.start, hole.length) = (start + 1, hole.length - 1);
            if hole.length == 0 {
                // A queue with two ends moves the shorter side.
                count(index.min(self.holes.len() - index));
                self.holes.remove(index);
            }
        } else {
            let rest = Hole::new(sequence + 1, end, hole.seen);
            hole.length = (sequence - start) as u32;
            if rest.length > 0 {
                count(index.min(self.holes.len() - index));
                self.holes.insert(index + 1, rest);
            }
        }
        if sequence == self.una {
            self.una = self.holes.front().map_or(self.passed, |h| h.start);
        }
        let retransmitted = sequence < self.retransmitted_end;
        if retransmitted || sequence >= self.lost_end {
            self.pipe -= 1;
        }
        Acked::New { sent_once: false }
    }

    /// Retransmits the lowest missing segment below `limit` that has not been retransmitted: a lost one, or
    /// with `even_undecided` one that too few later segments have passed.
    pub fn retransmit(&mut self, limit: u64, even_undecided: bool) -> Option<u64> {
        if self.retransmitted_end >= self.lost_end && !even_undecided {
            return None;
        }
        let index = self.first_not_below(self.retransmitted_end);
        let sequence = self.holes.get(index)?.start.max(self.retransmitted_end);
        if sequence >= limit {
            return None;
        }
        if sequence >= self.lost_end {
            if !even_undecided {
                return None;
            }
            // Its first copy no longer counts as in the network.
            self.lost_end = sequence + 1;
            self.pipe -= 1;
        }
        self.retransmitted_end = sequence + 1;
        self.pipe += 1;
        Some(sequence)
    }

    /// The highest outstanding segment, for the rescue retransmission of RFC 6675; it is not counted in the
    /// pipe.
    #[must_use]
    pub fn rescue(&self) -> Option<u64> {
        (self.passed < self.next).then(|| self.next - 1)
    }

    /// Panics unless the invariant of the type holds.
    #[cfg(test)]
    fn check_invariant(&self) {
        let below = |end: u64| {
            let missing = |h: &Hole| h.end().min(end).saturating_sub(h.start);
            self.holes.iter().map(missing).sum::<u64>()
        };
        let sacked = self.passed - self.una() - below(self.passed);
        let in_network = self.flight() - sacked - below(self.lost_end) + below(self.retransmitted_end);
        assert_eq!(u64::from(self.pipe), in_network, "{self:?}");
        assert_eq!(self.una, self.holes.front().map_or(self.passed, |h| h.start), "{self:?}");
        assert!(self.lost_end <= self.passed, "{self:?}");
        assert!(self.holes.iter().all(|h| h.length > 0 && h.end() <= self.passed), "{self:?}");
        assert!(
            self.holes.iter().zip(self.holes.iter().skip(1)).all(|(a, b)| a.end() <= b.start),
            "{self:?}"
        );
        assert!(self.retransmitted_end <= self.lost_end && self.passed <= self.next, "{self:?}");
    }

    /// Nothing that is missing counts as lost or as retransmitted any more: all of it is in the network.
    /// Segments that pass it count anew.
    pub fn restore(&mut self) {
        self.pipe = self.outstanding() as u32;
        (self.lost_end, self.retransmitted_end) = (self.una, self.una);
        let seen = self.passed_count;
        for place in 0..self.holes.len() {
            if let Some(hole) = self.holes.get_mut(place) {
                hole.seen = seen;
            }
        }
    }

    /// The retransmission timer expired: everything outstanding counts as lost.
    pub fn lose_everything(&mut self) {
        if self.passed < self.next {
            match self.holes.back_mut() {
                Some(hole) if hole.end() == self.passed => hole.length += (self.next - self.passed) as u32,
                _ => self.holes.push_back(Hole::new(self.passed, self.next, self.passed_count)),
            }
        }
        self.passed = self.next;
        self.lost_end = self.next;
        self.retransmitted_end = self.una();
        self.pipe = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::Cell;
    use std::collections::{BTreeSet, VecDeque};

    thread_local! {
        pub static WORK: Cell<usize> = const { Cell::new(0) };
    }

    const NEW: Acked = Acked::New { sent_once: true };
    const FILLED: Acked = Acked::New { sent_once: false };

    fn sent(n: u64) -> Scoreboard {
        let mut board = Scoreboard::new(0);
        for i in 0..n {
            assert_eq!(board.send_new(), i);
        }
        board
    }

    #[test]
    fn third_later_segment_makes_a_loss() {
        let mut board = sent(10);
        assert_eq!(board.acknowledge(0, 3), NEW);
        assert_eq!(board.acknowledge(2, 3), NEW);
        assert_eq!(board.acknowledge(3, 3), NEW);
        assert!(!board.has_loss());
        assert_eq!((board.una(), board.pipe()), (1, 7));
        assert_eq!(board.acknowledge(4, 3), NEW);
        assert!(board.has_loss());
        assert_eq!((board.una(), board.pipe()), (1, 5));
        assert_eq!(board.retransmit(10, false), Some(1));
        assert_eq!(board.retransmit(10, false), None);
        assert_eq!(board.pipe(), 6);
        assert_eq!(board.acknowledge(1, 3), FILLED);
        assert_eq!((board.una(), board.pipe()), (5, 5));
        assert_eq!(board.acknowledge(1, 3), Acked::Known);
    }

    #[test]
    fn a_lost_retransmission_waits_for_the_timer() {
        let mut board = sent(8);
        for s in [2, 3, 4, 5] {
            board.acknowledge(s, 3);
        }
        assert_eq!((board.retransmit(8, false), board.retransmit(8, false)), (Some(0), Some(1)));
        assert_eq!(board.acknowledge(1, 3), FILLED);
        assert_eq!((board.una(), board.retransmit(8, false)), (0, None));
        board.lose_everything();
        assert_eq!((board.pipe(), board.una()), (0, 0));
        assert_eq!(board.retransmit(8, false), Some(0));
        assert_eq!(board.retransmit(8, false), Some(6));
        // The first copy of 7 still arrives: no retransmission is needed.
        assert_eq!(board.acknowledge(7, 3), FILLED);
        assert_eq!(board.retransmit(8, false), None);
        board.acknowledge(0, 3);
        board.acknowledge(6, 3);
        assert_eq!((board.una(), board.pipe()), (8, 0));
    }

    #[test]
    fn undecided_holes_can_be_retransmitted_early() {
        let mut board = sent(4);
        board.acknowledge(1, 3);
        assert_eq!(board.retransmit(4, false), None);
        assert_eq!(board.retransmit(4, true), Some(0));
        assert_eq!(board.pipe(), 3);
        board.acknowledge(2, 3);
        board.acknowledge(3, 3);
        assert_eq!(board.acknowledge(0, 3), FILLED);
        assert_eq!((board.una(), board.pipe()), (4, 0));
    }

    #[test]
    fn a_hole_retransmitted_in_part_is_lost_in_whole() {
        let mut board = sent(7);
        board.acknowledge(3, 3);
        assert_eq!((board.lost(), board.retransmit(7, true)), (0, Some(0)));
        assert_eq!((board.lost(), board.pipe()), (1, 6));
        board.acknowledge(4, 3);
        board.acknowledge(5, 3);
        // 0 in flight again, 1 and 2 lost, 6 on its way.
        assert_eq!((board.lost(), board.pipe()), (3, 2));
        assert_eq!((board.retransmit(7, false), board.retransmit(7, false)), (Some(1), Some(2)));
        for s in [6, 0, 1, 2] {
            board.acknowledge(s, 3);
        }
        assert_eq!((board.una(), board.pipe(), board.lost()), (7, 0, 0));
    }

    /// Looks and moves per acknowledgement of a sender that keeps `window` segments in flight on a path that
    /// drops every hundredth transmission, retransmissions too.
    fn work_per_acknowledgement(window: u32) -> f64 {
        let (mut board, mut path) = (Scoreboard::new(0), VecDeque::new());
        let (mut transmissions, mut acknowledgements) = (0, 0);
        WORK.set(0);
        while acknowledgements < 20 * window {
            while board.pipe() < window {
                let sequence = board.retransmit(u64::MAX, false).unwrap_or_else(|| board.send_new());
                transmissions += 1;
                if transmissions % 100 != 0 {
                    path.push_back(sequence);
                }
            }
            let Some(sequence) = path.pop_front() else {
                board.lose_everything();
                continue;
            };
            board.acknowledge(sequence, 3);
            acknowledgements += 1;
        }
        WORK.get() as f64 / f64::from(acknowledgements)
    }

    /// A window a hundred times as large has a hundred times as many holes: searches among them take a few
    /// looks more.
    #[test]
    fn work_per_acknowledgement_does_not_grow_with_the_window() {
        let [small, large] = [1_000, 100_000].map(work_per_acknowledgement);
        println!("looks and moves per acknowledgement: {small:.2} at 1,000 segments, {large:.2} at 100,000");
        assert!(small > 0.01, "nothing was counted: {small}");
        assert!(large < 2.0 * small, "{small} at 1,000 segments, {large} at 100,000");
    }

    /// The rules of the scoreboard with plain sets.
    #[derive(Default)]
    struct Plain {
        next: u64,
        acked: BTreeSet<u64>,
        once: BTreeSet<u64>,
        lost: BTreeSet<u64>,
        retransmitted: BTreeSet<u64>,
    }

    impl Plain {
        fn una(&self) -> u64 {
            (0..).find(|s| !self.acked.contains(s)).unwrap()
        }
        fn acknowledge(&mut self, s: u64) {
            if self.acked.insert(s) && !self.retransmitted.contains(&s) && !self.lost.contains(&s) {
                self.once.insert(s);
            }
            for h in self.una()..self.next {
                if !self.acked.contains(&h) && self.once.iter().filter(|a| **a > h).count() >= 3 {
                    self.lost.insert(h);
                }
            }
        }
        fn pipe(&self) -> usize {
            (0..self.next)
                .filter(|s| !self.acked.contains(s))
                .map(|s| usize::from(!self.lost.contains(&s)) + usize::from(self.retransmitted.contains(&s)))
                .sum()
        }
        fn retransmit(&mut self) -> Option<u64> {
            let s = (0..self.next).find(|s| {
                self.lost.contains(s)
                    && !self.acked.contains(s)
                    && !self.retransmitted.contains(s)
                    && self.retransmitted.last().is_none_or(|r| r < s)
            })?;
            self.retransmitted.insert(s);
            Some(s)
        }
    }

    proptest! {
        /// A FIFO path that drops at will: the scoreboard equals the plain model at every step.
        #[test]
        fn equals_the_plain_model(steps in proptest::collection::vec((0u8..4, any::<bool>()), 1..400)) {
            let (mut board, mut plain) = (Scoreboard::new(0), Plain::default());
            let mut path = VecDeque::new();
            for (what, dropped) in steps {
                match what {
                    0 | 1 => {
                        let s = board.send_new();
                        prop_assert_eq!(s, plain.next);
                        plain.next += 1;
                        if !dropped { path.push_back(s); }
                    }
                    2 => {
                        let (a, b) = (board.retransmit(u64::MAX, false), plain.retransmit());
                        prop_assert_eq!(a, b);
                        if let (Some(s), false) = (a, dropped) { path.push_back(s); }
                    }
                    _ => {
                        if let Some(s) = path.pop_front() {
                            board.acknowledge(s, 3);
                            plain.acknowledge(s);
                        }
                    }
                }
                prop_assert_eq!(board.una(), plain.una());
                prop_assert_eq!(board.pipe() as usize, plain.pipe());
                prop_assert_eq!(board.next(), plain.next);
                board.check_invariant();
            }
        }

        /// The invariant holds after every step: new segments, retransmissions decided or not, timeouts, and
        /// acknowledgements in any order.
        #[test]
        fn keeps_its_invariant(steps in proptest::collection::vec((0u8..8, any::<u8>()), 1..400)) {
            let (mut board, mut path) = (Scoreboard::new(7), VecDeque::new());
            board.check_invariant();
            for (step, place) in steps {
                match step {
                    0..=2 => path.push_back(board.send_new()),
                    3 => path.extend(board.retransmit(board.next(), place % 2 == 0)),
                    4 if place < 20 => board.lose_everything(),
                    _ if path.is_empty() => {}
                    _ => {
                        // Most arrive in order; every fifth is lost.
                        let at = if place < 200 { 0 } else { usize::from(place) % path.len() };
                        let sequence = path.remove(at).expect("a place of the path");
                        if place % 5 != 0 {
                            let known = board.has_arrived(sequence);
                            prop_assert_eq!(board.acknowledge(sequence, 3) == Acked::Known, known);
                        }
                    }
                }
                board.check_invariant();
            }
        }
    }
}
