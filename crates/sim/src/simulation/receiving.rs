//! Delayed acknowledgements that take only time: what the receiver would have held back is held back where its answer
//! arrives (decision 0014); `answering` holds it back at the receiver.

use super::delivery;
use super::domain::Domain;
use crate::engine::Segment;
use crate::transport::receiver::{Arrival, Decision, Receiver};
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
    /// The receiver had held back some of these until this acknowledgement.
    pub held: bool,
    /// Round-trip time of the first of these that is newly acknowledged, 0 where it is ambiguous (Karn).
    pub rtt: Option<Picos>,
    /// Segments found lost.
    pub lost: u32,
    /// Acknowledgements of some of these segments were dropped.
    pub dropped: bool,
    /// Highest of the segments before the last one, where acknowledgements were dropped.
    pub highest: u64,
    /// A mark on one of these is to be reported until the sender answers it (RFC 3168, section 6.1.3).
    pub marked: bool,
    /// Segments newly acknowledged that were marked.
    pub marks: u32,
}

/// Why a segment has no acknowledgement of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unheard {
    /// The receiver held it back until the acknowledgement that reports it.
    pub held: bool,
    /// Its acknowledgement was dropped, or another one of those that the same acknowledgement reports.
    pub dropped: bool,
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
    pub(super) fn receive(&mut self, slot: u32, sequence: u64, segment: [u64; 2]) {
        let segment = Segment::from_words(self.now, segment);
        let rules = &self.shared.acks.expect("acknowledgements are delayed");
        let flow = &self.flows[slot as usize];
        let receiver = &mut self.receivers[slot as usize];
        let has_gap = !flow.board.is_whole();
        // What is held in order is not in the scoreboard.
        let missing = flow.board.una() + if has_gap { 0 } else { receiver.holds() };
        let arrival = Arrival {
            segment,
            sequence,
            missing,
            has_gap,
            is_known: sequence < missing || (has_gap && flow.board.has_arrived(sequence)),
            is_last: sequence + 1 >= flow.end && !flow.is_fed,
            round_trip: flow.rtt.srtt,
        };
        let decision = receiver.decide(&arrival, self.now, rules);
        let holds = matches!(decision, Decision::Hold(_));
        decision.carry_out(segment, |together| self.acknowledge_together(slot, together));
        if holds {
            self.watch_deadline(slot);
        }
    }

    /// Sends a single acknowledgement for all these segments, some of which arrived before the others.
    fn acknowledge_together(&mut self, slot: u32, segments: &[Segment]) {
        let Some((last, before)) = segments.split_last() else { return };
        let mut earlier = None;
        for segment in before {
            self.acknowledge_earlier(slot, segment, Unheard { held: true, dropped: false }, &mut earlier);
        }
        let sequence = self.flows[slot as usize].expand(last.sequence);
        self.acknowledgement(slot, sequence, last.words(), earlier);
    }

    /// Segments have been held for long enough; whether any were.
    pub(super) fn receiver_timer(&mut self, slot: u32, time: Picos) -> bool {
        if self.flows[slot as usize].state != FlowState::Sending || self.receivers[slot as usize].timer > time
        {
            return false;
        }
        let together = self.receivers[slot as usize].release_all();
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
        Unheard { held, dropped }: Unheard,
        earlier: &mut Option<Earlier>,
    ) {
        let now = self.now;
        let flow = &mut self.flows[slot as usize];
        let mut before = earlier.take().unwrap_or(Earlier { una: flow.board.una(), ..Earlier::default() });
        let sequence = flow.expand(segment.sequence);
        if dropped {
            before.dropped = true;
            before.highest = before.highest.max(sequence);
        }
        before.marked |= segment.is_marked();
        before.held |= held;
        *earlier = Some(before);
        let acked = if self.shared.rules.is_plain() {
            flow.board.acknowledge(sequence, self.shared.scenario.transport.duplicate_threshold)
        } else if dropped && self.shared.rules.is_cumulative() {
            // What the sender has not heard is no duplicate.
            flow.board.receive(sequence)
        } else {
            let una = flow.board.una();
            self.take_acknowledgement(slot, sequence, segment.words(), una)
        };
        let Acked::New { sent_once } = acked else { return };
        self.count_delivery(slot, sequence, *segment);
        let flow = &mut self.flows[slot as usize];
        let config = &self.shared.configs[usize::from(flow.algorithm)];
        let mut lost = before.lost;
        if config.wants_delivery_rate() {
            let sampler = &mut self.samplers[slot as usize];
            lost += delivery::sample(sampler, flow, config, sequence, now, segment.is_marked()).lost;
        }
        let mut rtt = before.rtt;
        if held {
            rtt = rtt.or(Some(if sent_once { segment.age(now) } else { 0 }));
        }
        let marks = before.marks + u32::from(segment.is_marked());
        *earlier = Some(Earlier { segments: before.segments + 1, rtt, lost, marks, ..before });
    }
}
