//! A receiver that delays acknowledgements (RFC 1122, section 4.2.3.2; RFC 5681, section 4.2).
//!
//! Where acknowledgements take only time, none is lost and all of a flow take the same time. What the
//! receiver decides then follows from when its acknowledgements would arrive: the decisions are taken at the
//! sender, a one-way delay later, and nothing changes in the network (decision 0014). Where acknowledgements
//! pass routers, they are taken at the receiver.

use super::flow::OFF;
use crate::engine::Segment;
use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};

/// Rules of receivers that hold acknowledgements back, shared by all flows.
#[derive(Clone, Copy, Debug)]
pub struct AckRules {
    /// Longest time for which a segment that arrived in order is held.
    pub delay: Picos,
    /// Acknowledgements of a new flow, and after a duplicate segment, that are sent at once (Linux:
    /// `TCP_MAX_QUICKACKS`).
    pub quick: u32,
    /// Segments that the buffer holds at first; 0 where its growth causes no acknowledgements.
    pub buffer: u64,
    /// Longest time for which selective acknowledgements are held; 0 for not at all (Linux:
    /// `tcp_comp_sack_delay_ns`).
    pub compression: Picos,
}

/// Duplicate acknowledgements that are sent at once before others are compressed (Linux:
/// `TCP_FASTRETRANS_THRESH`).
const DUPLICATES_AT_ONCE: u32 = 3;

/// Segments that one compressed acknowledgement covers at most (Linux: `tcp_comp_sack_nr`).
const MOST_COMPRESSED: usize = 44;

/// The part of a round trip for which selective acknowledgements are held at most (Linux:
/// `tcp_comp_sack_rtt_percent`, 5 %).
const COMPRESSION_SHARE: Picos = 20;

/// Segments that make the window of a receiver grow by 2 (Linux: `tcp_grow_window`, 2 `advmss`).
const GROWTH: u64 = 2;

/// Segments that a new receiver is taken to have read in a round trip (Linux: `TCP_INIT_CWND`).
const FIRST_READ: u64 = 10;

/// Largest buffer, segments (Linux: 32 MiB of `tcp_rmem`, with 2317 bytes of memory for each segment).
const LARGEST_BUFFER: u64 = 14_483;

/// The window that a receiver advertises, and its buffer, which grows with what is read in a round trip.
/// Senders need not know them: readers are never slow.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Growth {
    /// The window, segments (Linux: `rcv_ssthresh`).
    window: u64,
    /// Segments that the buffer holds (`window_clamp`).
    buffer: u64,
    /// The most segments read in a round trip (`rcvq_space.space`).
    read: u64,
    /// Reads count from this segment on, since an instant; none before the first one.
    since: Option<(u64, Picos)>,
    /// Round trip, which follows smaller ones at once (`rcv_rtt_est`).
    round_trip: Picos,
}

impl Growth {
    /// The window at first is half the memory of the buffer, of which segments fill .625 (Linux:
    /// `TCP_DEFAULT_SCALING_RATIO`, and the ratio that was measured).
    fn new(buffer: u64) -> Self {
        Self { window: buffer * 4 / 5, buffer, read: FIRST_READ, ..Self::default() }
    }

    /// A segment arrives. Returns whether the window grows.
    fn arrives(&mut self) -> bool {
        let grows = self.window < self.buffer;
        self.window = (self.window + GROWTH).min(self.buffer).max(self.window);
        grows
    }

    /// Segment `sequence` is read `now`, as all before it were (Linux: `tcp_rcv_space_adjust`,
    /// `tcp_rcvbuf_grow`).
    fn reads(&mut self, sequence: u64, now: Picos, took: Picos) {
        // tcp_rcv_rtt_update.
        self.round_trip = match self.round_trip {
            0 => took,
            known if took < known => took,
            known => known - known / 8 + took / 8,
        };
        let (first, then) = *self.since.get_or_insert((sequence, now));
        if now - then < self.round_trip {
            return;
        }
        let read = sequence + 1 - first;
        if read > self.read {
            let enough = 2 * read + (4 * read * (read - self.read)).div_ceil(self.read);
            self.buffer = self.buffer.max(enough.min(LARGEST_BUFFER));
            self.read = read;
        }
        self.since = Some((sequence + 1, now));
    }
}

/// The segments that a receiver holds back: in order at most one segment, behind a gap those of a compressed
/// acknowledgement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Receiver {
    held: Vec<Segment>,
    /// When what is held is acknowledged whatever comes; [`OFF`] while nothing is.
    pub timer: Picos,
    /// Acknowledgements still sent at once.
    quick: u32,
    /// The lowest missing segment behind which duplicates are counted, and their number.
    duplicates: (u64, u32),
    growth: Growth,
}

impl Default for Receiver {
    fn default() -> Self {
        let growth = Growth::default();
        Self { held: Vec::new(), timer: OFF, quick: 0, duplicates: (u64::MAX, 0), growth }
    }
}

/// A segment that arrives, and what had arrived before.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// The segment.
    pub segment: Segment,
    /// Its number.
    pub sequence: u64,
    /// Lowest segment that had not arrived.
    pub missing: u64,
    /// Later ones had.
    pub has_gap: bool,
    /// The segment itself had.
    pub is_known: bool,
    /// No segment of the connection follows it.
    pub is_last: bool,
    /// A round trip now.
    pub round_trip: Picos,
    /// The round trip of the segment.
    pub took: Picos,
}

/// The acknowledgements that a receiver sends when a segment arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// None for it yet; one for the segment held before, if there is one here.
    Hold(Option<Segment>),
    /// One for the held segment and this one.
    Together(Segment),
    /// One for the held segment, if there is one here, and one for this one.
    Apart(Option<Segment>),
    /// One for all held segments and this one.
    AllTogether(Vec<Segment>),
    /// One for all held segments, if there are any, and one for this one.
    AllApart(Vec<Segment>),
}

impl Decision {
    /// Sends these acknowledgements, caused by `segment`: each is for the segments that `send` gets, of which
    /// there may be none.
    #[inline(always)]
    pub fn carry_out(self, segment: Segment, mut send: impl FnMut(&[Segment])) {
        match self {
            Self::Hold(alone) => send(alone.as_slice()),
            Self::Together(held) => send(&[held, segment]),
            Self::Apart(held) => {
                send(held.as_slice());
                send(&[segment]);
            }
            Self::AllTogether(mut held) => {
                held.push(segment);
                send(&held);
            }
            Self::AllApart(held) => {
                send(&held);
                send(&[segment]);
            }
        }
    }
}

/// The answer of a receiver to an arrival in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// With nothing yet; the one that was held is acknowledged alone, because it was marked and this one is
    /// not, or the other way round (RFC 8257, section 3.2).
    Hold(Option<Segment>),
    /// With one acknowledgement for the held segment and this one.
    Both(Segment),
    /// At once, the held segment first.
    AtOnce(Option<Segment>),
}

impl Receiver {
    /// The receiver of a new flow; memory is kept.
    pub fn begin(&mut self, rules: &AckRules) {
        self.held.clear();
        let growth = Growth::new(rules.buffer);
        let held = std::mem::take(&mut self.held);
        *self = Self { held, quick: rules.quick, growth, ..Self::default() };
    }

    /// Segments held.
    #[must_use]
    pub fn holds(&self) -> u64 {
        self.held.len() as u64
    }

    /// Decides which acknowledgements an arrival causes. What fills a gap is acknowledged at once, with what
    /// was held; so is what had arrived before, alone.
    #[inline]
    pub fn decide(&mut self, arrival: &Arrival, now: Picos, rules: &AckRules) -> Decision {
        let Arrival { segment, sequence, missing, .. } = *arrival;
        if arrival.is_known {
            // Linux: tcp_data_queue.
            self.quick = rules.quick;
            return Decision::AllApart(self.release_all());
        }
        let in_order = sequence == missing;
        if rules.buffer > 0 {
            if self.growth.arrives() {
                // Linux: tcp_grow_window.
                self.quick |= 1;
            }
            if in_order {
                self.growth.reads(sequence, now, arrival.took);
            }
        }
        if arrival.has_gap {
            return self.decide_behind_gap(arrival, now, rules);
        }
        // The last one ends the connection, which is answered at once (assumed).
        let follows = in_order && (!arrival.is_last || self.holds() > 0);
        if !in_order {
            self.count_duplicate(missing);
        }
        match self.answer(segment, follows, now, rules) {
            Answer::Both(held) => Decision::Together(held),
            Answer::Hold(alone) => Decision::Hold(alone),
            // A single acknowledgement says how far the cumulative one is and what arrived behind a gap.
            Answer::AtOnce(Some(held)) if held.is_marked() == segment.is_marked() => Decision::Together(held),
            Answer::AtOnce(held) => Decision::Apart(held),
        }
    }

    /// Decides about a segment that arrives while an earlier one is missing.
    fn decide_behind_gap(&mut self, arrival: &Arrival, now: Picos, rules: &AckRules) -> Decision {
        let Arrival { segment, sequence, missing, round_trip, .. } = *arrival;
        if self.quick > 0 {
            self.quick -= 1;
            return Decision::AllTogether(self.release_all());
        }
        if sequence != missing && self.compress(segment, missing, now, round_trip, rules) {
            return Decision::Hold(None);
        }
        Decision::AllTogether(self.release_all())
    }

    /// `segment` arrives; it `follows` all that arrived before, and more is to come.
    fn answer(&mut self, segment: Segment, follows: bool, now: Picos, rules: &AckRules) -> Answer {
        let held = self.release();
        if self.quick > 0 {
            self.quick -= 1;
            return Answer::AtOnce(held);
        }
        match held {
            _ if !follows => Answer::AtOnce(held),
            Some(held) if held.is_marked() == segment.is_marked() => Answer::Both(held),
            _ => {
                self.held.push(segment);
                self.timer = now + rules.delay;
                Answer::Hold(held)
            }
        }
    }

    /// The held segment, which arrived in order, is acknowledged.
    fn release(&mut self) -> Option<Segment> {
        self.timer = OFF;
        self.held.pop()
    }

    /// The held segments, which are acknowledged.
    pub fn release_all(&mut self) -> Vec<Segment> {
        self.timer = OFF;
        std::mem::take(&mut self.held)
    }

    /// `segment` arrives behind the gap at `missing`: whether its acknowledgement is held for the next ones.
    /// Linux (`__tcp_ack_snd_check`): not the first three, and for a twentieth of `round_trip` at most.
    fn compress(
        &mut self,
        segment: Segment,
        missing: u64,
        now: Picos,
        round_trip: Picos,
        rules: &AckRules,
    ) -> bool {
        if rules.compression == 0 || self.count_duplicate(missing) <= DUPLICATES_AT_ONCE {
            return false;
        }
        if self.held.len() + 1 >= MOST_COMPRESSED {
            return false;
        }
        if self.held.is_empty() {
            self.timer = now + rules.compression.min(round_trip / COMPRESSION_SHARE);
        }
        self.held.push(segment);
        true
    }

    /// Counts a segment that arrives behind the gap at `missing`; returns how many did.
    fn count_duplicate(&mut self, missing: u64) -> u32 {
        if self.duplicates.0 != missing {
            self.duplicates = (missing, 0);
        }
        self.duplicates.1 = self.duplicates.1.saturating_add(1);
        self.duplicates.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::FlowId;

    const RULES: AckRules = AckRules { delay: 40, quick: 0, buffer: 0, compression: 0 };

    fn segment(sequence: u32) -> Segment {
        Segment::new(0, FlowId::default(), sequence, 0)
    }

    #[test]
    fn every_second_segment_is_acknowledged() {
        let mut receiver = Receiver::default();
        assert_eq!(receiver.answer(segment(1), true, 100, &RULES), Answer::Hold(None));
        assert_eq!((receiver.holds(), receiver.timer), (1, 140));
        assert_eq!(receiver.answer(segment(2), true, 110, &RULES), Answer::Both(segment(1)));
        assert_eq!((receiver.holds(), receiver.timer), (0, OFF));
    }

    #[test]
    fn what_does_not_follow_is_acknowledged_at_once_with_what_was_held() {
        let mut receiver = Receiver::default();
        assert_eq!(receiver.answer(segment(2), false, 100, &RULES), Answer::AtOnce(None));
        receiver.answer(segment(3), true, 100, &RULES);
        assert_eq!(receiver.answer(segment(5), false, 101, &RULES), Answer::AtOnce(Some(segment(3))));
        assert_eq!(receiver.holds(), 0);
    }

    /// RFC 8257, section 3.2: an acknowledgement reports one kind of segment only.
    #[test]
    fn a_change_of_marks_is_told_at_once() {
        let mut marked = segment(2).ecn_capable();
        marked.mark();
        let mut receiver = Receiver::default();
        receiver.answer(segment(1), true, 100, &RULES);
        assert_eq!(receiver.answer(marked, true, 101, &RULES), Answer::Hold(Some(segment(1))));
        assert_eq!(receiver.timer, 141);
        assert_eq!(receiver.answer(marked, true, 102, &RULES), Answer::Both(marked));
    }

    /// tcp_input.c: TCP_MAX_QUICKACKS.
    #[test]
    fn the_first_segments_of_a_flow_are_acknowledged_at_once() {
        let rules = AckRules { quick: 2, ..RULES };
        let mut receiver = Receiver::default();
        receiver.begin(&rules);
        for sequence in 1..3 {
            assert_eq!(receiver.answer(segment(sequence), true, 100, &rules), Answer::AtOnce(None));
        }
        assert_eq!(receiver.answer(segment(3), true, 100, &rules), Answer::Hold(None));
        // It has arrived before: what is held is acknowledged, then the duplicate, and the next ones at once.
        let held = vec![segment(3)];
        assert_eq!(receiver.decide(&arrival(2, 4, true), 100, &rules), Decision::AllApart(held));
        assert_eq!(receiver.answer(segment(4), true, 100, &rules), Answer::AtOnce(None));
        assert_eq!(receiver.decide(&arrival(7, 5, false), 100, &rules), Decision::AllTogether(Vec::new()));
    }

    /// Measured on Linux 6.18 with 131072 bytes of `tcp_rmem`, in the first five round trips of slow start.
    #[test]
    fn segments_that_make_the_window_grow_are_acknowledged_at_once() {
        let rules = AckRules { quick: 16, buffer: 57, ..RULES };
        let mut receiver = Receiver::default();
        receiver.begin(&rules);
        let (mut sequence, mut now) = (0, 0);
        let singles = [10, 20, 40, 79, 131].map(|segments| {
            let mut alone = 0;
            for place in 0..segments {
                let arrival =
                    Arrival { has_gap: false, took: 900, ..arrival(sequence, sequence.into(), false) };
                alone += u32::from(receiver.decide(&arrival, now + place, &rules) == Decision::Apart(None));
                sequence += 1;
            }
            receiver.release_all();
            now += 1000;
            alone
        });
        // The kernel, which counts bytes, has 13 in the second one and 68 in the fourth one.
        assert_eq!(singles, [10, 12, 24, 66, 113]);
    }

    /// Segment `sequence` arrives while `missing` is; there is a gap before segments from 7 on.
    fn arrival(sequence: u32, missing: u64, is_known: bool) -> Arrival {
        Arrival {
            segment: segment(sequence),
            sequence: sequence.into(),
            missing,
            has_gap: sequence >= 7,
            is_known,
            is_last: false,
            round_trip: 16_000,
            took: 16_000,
        }
    }

    /// However often the last segment comes again, each copy is acknowledged at once and alone.
    #[test]
    fn copies_are_never_held() {
        let rules = AckRules { compression: 1000, ..RULES };
        let mut receiver = Receiver::default();
        for _ in 0..6 {
            assert_eq!(receiver.decide(&arrival(3, 4, true), 100, &rules), Decision::AllApart(Vec::new()));
            assert_eq!((receiver.holds(), receiver.timer), (0, OFF));
        }
    }

    /// tcp_input.c, __tcp_ack_snd_check: three at once, then one acknowledgement for all that come within a
    /// millisecond or a twentieth of a round trip.
    #[test]
    fn selective_acknowledgements_are_compressed_behind_a_gap() {
        let rules = AckRules { compression: 1000, ..RULES };
        let mut receiver = Receiver::default();
        let mut compress = |sequence: u32, now| {
            let held = receiver.compress(segment(sequence), 7, now, 16_000, &rules);
            (held, receiver.timer)
        };
        for sequence in 8..11 {
            assert_eq!(compress(sequence, 100), (false, OFF));
        }
        assert_eq!(compress(11, 200), (true, 1000));
        assert_eq!(compress(12, 700), (true, 1000));
        let released = receiver.release_all();
        assert_eq!((released, receiver.timer), (vec![segment(11), segment(12)], OFF));
        // A gap further on: three at once again.
        assert!(!receiver.compress(segment(20), 15, 1100, 16_000, &rules));
    }
}
