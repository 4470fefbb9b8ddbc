//! Acknowledgements that cover several segments: those that the receiver held back, and those whose own
//! acknowledgement was dropped.
//!
//! Where acknowledgements take only time, what the receiver would have held back is held back where its
//! answer arrives (decision 0014). Where they pass routers, the receiver holds it back (`answering`).

use super::acknowledging::Earlier;
use super::delivery;
use super::sender::{Outcome, Sender};
use crate::engine::Segment;
use crate::transport::FlowState;
use crate::transport::receiver::{Arrival, Decision};
use crate::transport::scoreboard::Acked;
use mesonet_cc::Picos;

/// Why a segment has no acknowledgement of its own.
#[derive(Clone, Copy, Debug)]
struct Unheard {
    /// The receiver held it back until the acknowledgement that reports it.
    held: bool,
    /// Its acknowledgement was dropped, or another one of those that the same acknowledgement reports.
    dropped: bool,
}

impl Sender<'_> {
    /// Segment `sequence` has arrived.
    #[inline(never)]
    pub fn receive(&mut self, sequence: u64, segment: [u64; 2]) -> Outcome {
        let segment = Segment::from_words(self.now, segment);
        let rules = &self.shared.acks.expect("acknowledgements are delayed");
        let (flow, receiver) = (&*self.flow, &mut self.beside.receivers[self.slot as usize]);
        let has_gap = !flow.board.is_whole();
        // What is held in order is not in the scoreboard.
        let missing = flow.board.una() + if has_gap { 0 } else { receiver.holds() };
        let arrival = Arrival {
            segment,
            sequence,
            missing,
            has_gap,
            is_known: sequence < missing || (has_gap && flow.board.has_arrived(sequence)),
            is_last: sequence + 1 >= flow.end && (!flow.is_fed || flow.is_asked_for),
            round_trip: flow.rtt.srtt,
            took: segment.age(self.now),
        };
        let decision = receiver.decide(&arrival, self.now, rules);
        let holds = matches!(decision, Decision::Hold(_));
        let mut outcome = Outcome::Nothing;
        decision.carry_out(segment, |together| outcome = outcome.or(self.acknowledge_together(together)));
        if holds {
            self.watch_deadline();
        }
        outcome
    }

    /// Sends a single acknowledgement for all these segments, some of which arrived before the others.
    fn acknowledge_together(&mut self, segments: &[Segment]) -> Outcome {
        let Some((last, before)) = segments.split_last() else { return Outcome::Nothing };
        let mut earlier = None;
        for segment in before {
            self.acknowledge_earlier(segment, Unheard { held: true, dropped: false }, &mut earlier);
        }
        let sequence = self.flow.expand(last.sequence);
        self.acknowledgement(sequence, last.words(), earlier)
    }

    /// Acknowledges segments that have been held for long enough. Returns none if there were none.
    pub fn receiver_timer(&mut self, time: Picos) -> Option<Outcome> {
        let receiver = &mut self.beside.receivers[self.slot as usize];
        if self.flow.state != FlowState::Sending || receiver.timer > time {
            return None;
        }
        let together = receiver.release_all();
        Some(self.acknowledge_together(&together))
    }

    /// An acknowledgement of segment `sequence` arrives, and earlier ones did not.
    #[inline(never)]
    pub fn acknowledged_with_dropped(&mut self, sequence: u64, segment: [u64; 2]) -> Outcome {
        let departure = Segment::from_words(self.now, segment).departure(self.now);
        self.flow.acks_dropped = self.beside.dropped_acks.take(self.slot, departure, self.now);
        let mut reported = std::mem::take(&mut self.beside.dropped_acks.reported);
        let dropped = reported.iter().any(|(_, held)| !held);
        let mut earlier: Option<Earlier> = None;
        for (segment, held) in reported.drain(..) {
            self.acknowledge_earlier(&segment, Unheard { held, dropped }, &mut earlier);
        }
        self.beside.dropped_acks.reported = reported;
        self.acknowledgement(sequence, segment, earlier)
    }

    /// A segment that one acknowledgement covers, but not the last one, into the books of the sender.
    #[inline(never)]
    fn acknowledge_earlier(
        &mut self,
        segment: &Segment,
        Unheard { held, dropped }: Unheard,
        earlier: &mut Option<Earlier>,
    ) {
        let una = self.flow.board.una();
        let mut before = earlier.take().unwrap_or(Earlier { una, ..Earlier::default() });
        let sequence = self.flow.expand(segment.sequence);
        self.beside.packets.acknowledged(self.slot, sequence, *segment, self.now);
        if dropped {
            before.dropped = true;
            before.highest = before.highest.max(sequence);
        }
        before.marked |= segment.is_marked();
        before.held |= held;
        *earlier = Some(before);
        let acked = if self.shared.rules.is_plain() {
            self.flow.board.acknowledge(sequence, self.shared.scenario.transport.duplicate_threshold)
        } else if dropped && self.shared.rules.is_cumulative() {
            // What the sender has not heard is no duplicate.
            self.flow.board.receive(sequence)
        } else {
            self.take_acknowledgement(sequence, segment.words(), una)
        };
        let Acked::New { sent_once } = acked else { return };
        self.count_delivery(sequence, *segment);
        let mut lost = before.lost;
        if self.config.wants_delivery_rate() {
            let marked = segment.is_marked();
            let sampler = &mut self.beside.samplers[self.slot as usize];
            lost += delivery::sample(sampler, self.flow, self.config, sequence, self.now, marked).lost;
        }
        let mut rtt = before.rtt;
        if held {
            rtt = rtt.or(Some(if sent_once { segment.age(self.now) } else { 0 }));
        }
        let marks = before.marks + u32::from(segment.is_marked());
        *earlier = Some(Earlier { segments: before.segments + 1, rtt, lost, marks, ..before });
    }
}
