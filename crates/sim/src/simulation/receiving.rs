//! Delayed acknowledgements: what the receiver would have held back is held back where its answer arrives.

use super::delivery;
use super::domain::Domain;
use crate::engine::Segment;
use crate::transport::receiver::{AckRules, Answer, Receiver};
use crate::transport::scoreboard::Acked;
use crate::transport::{FlowState, OFF};
use mesonet_cc::Picos;

/// The segments of an acknowledgement before its last one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Earlier {
    /// Lowest unacknowledged segment before the acknowledgement.
    pub una: u64,
    /// Segments newly acknowledged.
    pub segments: u32,
    /// Round-trip time of the first, 0 where it is ambiguous (Karn).
    pub rtt: Picos,
    /// Segments found lost.
    pub lost: u32,
    /// The acknowledgements of these segments were dropped; otherwise the receiver held them back.
    pub dropped: bool,
    /// Highest of the segments whose acknowledgements were dropped.
    pub highest: u64,
    /// A mark on one of these is to be reported until the sender answers it (RFC 3168, section 6.1.3).
    pub marked: bool,
    /// Segments newly acknowledged that were marked.
    pub marks: u32,
}

impl Domain {
    /// A flow is connected.
    pub(super) fn start_receiving(&mut self, slot: u32) {
        let rules = self.shared.acks.as_ref().expect("acknowledgements are delayed");
        let slot = slot as usize;
        if self.receivers.len() <= slot {
            self.receivers.resize_with(slot + 1, Receiver::default);
        }
        self.receivers[slot].begin(rules);
    }

    /// Segment `sequence` has arrived.
    #[inline(never)]
    pub(super) fn receive(&mut self, slot: u32, sequence: u64, segment: Segment) {
        let rules = &self.shared.acks.expect("acknowledgements are delayed");
        let flow = &self.flows[slot as usize];
        let receiver = &mut self.receivers[slot as usize];
        if !flow.board.is_whole() {
            self.receive_behind_gap(slot, sequence, segment, rules);
            return;
        }
        let in_order = sequence == flow.board.una() + receiver.holds();
        // The last one ends the connection, which is answered at once (assumed).
        let follows = in_order && (sequence + 1 < flow.end || flow.is_fed || receiver.holds() > 0);
        if !in_order {
            // The first duplicate.
            receiver.compress(segment, flow.board.una() + receiver.holds(), self.now, 0, rules);
        }
        match receiver.answer(segment, follows, self.now, rules) {
            Answer::Both(held) => self.acknowledge_together(slot, &[held, segment]),
            Answer::Hold(alone) => {
                self.acknowledge_together(slot, alone.as_slice());
                self.watch_deadline(slot);
            }
            // A single acknowledgement says how far the cumulative one is and what arrived behind a gap.
            Answer::AtOnce(Some(held)) if held.is_marked() == segment.is_marked() => {
                self.acknowledge_together(slot, &[held, segment]);
            }
            Answer::AtOnce(held) => {
                self.acknowledge_together(slot, held.as_slice());
                self.acknowledgement(slot, sequence, segment, None);
            }
        }
    }

    /// Segment `sequence` has arrived while an earlier one is missing. What fills the gap is acknowledged at once, with what was
    /// held; so is what had arrived before, alone.
    fn receive_behind_gap(&mut self, slot: u32, sequence: u64, segment: Segment, rules: &AckRules) {
        let board = &self.flows[slot as usize].board;
        let receiver = &mut self.receivers[slot as usize];
        let known = board.has_arrived(sequence);
        if known {
            receiver.hurry(rules);
        } else if sequence != board.una() {
            let round_trip = self.flows[slot as usize].rtt.srtt;
            if receiver.compress(segment, board.una(), self.now, round_trip, rules) {
                self.watch_deadline(slot);
                return;
            }
        }
        let mut together = Vec::new();
        receiver.release_all(&mut together);
        if known {
            self.acknowledge_together(slot, &together);
            self.acknowledgement(slot, sequence, segment, None);
        } else {
            together.push(segment);
            self.acknowledge_together(slot, &together);
        }
    }

    /// Sends a single acknowledgement for all these segments, some of which arrived before the others.
    fn acknowledge_together(&mut self, slot: u32, segments: &[Segment]) {
        let Some((last, before)) = segments.split_last() else { return };
        let mut earlier = None;
        for segment in before {
            self.acknowledge_earlier(slot, segment, false, &mut earlier);
        }
        let sequence = self.flows[slot as usize].expand(last.sequence);
        self.acknowledgement(slot, sequence, *last, earlier);
    }

    /// Segments have been held for long enough; whether any were.
    pub(super) fn receiver_timer(&mut self, slot: u32, time: Picos) -> bool {
        if self.flows[slot as usize].state != FlowState::Sending || self.receivers[slot as usize].timer > time
        {
            return false;
        }
        let mut together = Vec::new();
        self.receivers[slot as usize].release_all(&mut together);
        self.acknowledge_together(slot, &together);
        true
    }

    /// When the receiver of a flow stops waiting.
    pub(super) fn receiver_deadline(&self, slot: u32) -> Picos {
        self.receivers.get(slot as usize).map_or(OFF, |receiver| receiver.timer)
    }

    /// A segment that one acknowledgement covers, but not the last one, into the books of the sender.
    #[inline(never)]
    pub(super) fn acknowledge_earlier(
        &mut self,
        slot: u32,
        segment: &Segment,
        dropped: bool,
        earlier: &mut Option<Earlier>,
    ) {
        let now = self.now;
        let flow = &mut self.flows[slot as usize];
        let mut before = earlier.take().unwrap_or(Earlier { una: flow.board.una(), ..Earlier::default() });
        let sequence = flow.expand(segment.sequence);
        if dropped {
            before.dropped = true;
            before.highest = before.highest.max(sequence);
            before.marked |= segment.is_marked();
        }
        *earlier = Some(before);
        let acked = if self.shared.rules.is_plain() {
            flow.board.acknowledge(sequence, self.shared.scenario.transport.duplicate_threshold)
        } else if dropped && self.shared.rules.is_cumulative() {
            // What the sender has not heard is no duplicate.
            flow.board.receive(sequence)
        } else {
            let una = flow.board.una();
            self.take_acknowledgement(slot, sequence, segment, una)
        };
        let Acked::New { sent_once } = acked else { return };
        self.count_delivery(slot, sequence, segment);
        let flow = &mut self.flows[slot as usize];
        let config = &self.shared.configs[usize::from(flow.algorithm)];
        let mut lost = before.lost;
        if config.wants_delivery_rate() {
            let sampler = &mut self.samplers[slot as usize];
            lost += delivery::sample(sampler, flow, config, sequence, now, segment.is_marked()).lost;
        }
        let rtt = if before.segments == 0 && sent_once { segment.age(now) } else { before.rtt };
        let marks = before.marks + u32::from(segment.is_marked());
        *earlier = Some(Earlier { segments: before.segments + 1, rtt, lost, marks, ..before });
    }
}
