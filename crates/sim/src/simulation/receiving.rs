//! Delayed acknowledgements: what the receiver would have held back is held back where its answer arrives.

use super::delivery::{self, Delivery};
use super::domain::Domain;
use crate::engine::Segment;
use crate::transport::receiver::{Answer, Receiver};
use crate::transport::scoreboard::Acked;
use crate::transport::{FlowState, OFF, Recovery};
use mesonet_cc::Picos;

impl Domain {
    /// A flow is connected.
    pub(super) fn start_receiving(&mut self, slot: u32) {
        let slot = slot as usize;
        if self.receivers.len() <= slot {
            self.receivers.resize_with(slot + 1, Receiver::default);
        }
        self.receivers[slot] = Receiver::default();
    }

    /// Segment `sequence` has arrived.
    #[inline(never)]
    pub(super) fn receive(&mut self, slot: u32, sequence: u64, segment: Segment) {
        let delay = self.shared.ack_delay.expect("acknowledgements are delayed");
        let flow = &self.flows[slot as usize];
        let receiver = &mut self.receivers[slot as usize];
        let in_order = flow.board.is_whole() && sequence == flow.board.una() + receiver.holds();
        // The last one ends the connection, which is answered at once (assumed).
        let follows = in_order && (sequence + 1 < flow.end || receiver.holds() > 0);
        match receiver.answer(segment, follows, self.now, delay) {
            Answer::Both(held) => self.acknowledgement(slot, sequence, segment, Some(held)),
            Answer::Hold(alone) => {
                self.acknowledge_held(slot, alone);
                self.watch_deadline(slot);
            }
            Answer::AtOnce(held) => {
                self.acknowledge_held(slot, held);
                self.acknowledgement(slot, sequence, segment, None);
            }
        }
    }

    fn acknowledge_held(&mut self, slot: u32, held: Option<Segment>) {
        if let Some(held) = held {
            let sequence = self.flows[slot as usize].expand(held.sequence);
            self.acknowledgement(slot, sequence, held, None);
        }
    }

    /// A segment has been held for long enough; whether one was.
    pub(super) fn receiver_timer(&mut self, slot: u32, time: Picos) -> bool {
        if self.flows[slot as usize].state != FlowState::Sending || self.receivers[slot as usize].timer > time
        {
            return false;
        }
        let held = self.receivers[slot as usize].release();
        self.acknowledge_held(slot, held);
        true
    }

    /// When the receiver of a flow stops waiting.
    pub(super) fn receiver_deadline(&self, slot: u32) -> Picos {
        self.receivers.get(slot as usize).map_or(OFF, |receiver| receiver.timer)
    }

    /// The first of two segments that one acknowledgement covers, into the books of the sender: its round-trip time and what
    /// its delivery tells.
    #[inline(never)]
    pub(super) fn acknowledge_first(&mut self, slot: u32, held: &Segment) -> (Picos, Delivery) {
        let now = self.now;
        let flow = &mut self.flows[slot as usize];
        let sequence = flow.expand(held.sequence);
        let acked = if self.shared.rules.is_plain() {
            flow.board.acknowledge(sequence, self.shared.scenario.transport.duplicate_threshold)
        } else {
            self.take_acknowledgement(slot, sequence, held)
        };
        let Acked::New { sent_once } = acked else { return (0, Delivery::default()) };
        if self.flows[slot as usize].recovery == Recovery::Timeout {
            self.look_for_spurious(slot, sequence, held);
        }
        let flow = &mut self.flows[slot as usize];
        flow.delivered += 1;
        self.counters.delivered += 1;
        self.counters.acked_by_class[usize::from(flow.pair_class)] += 1;
        let config = &self.shared.configs[usize::from(flow.algorithm)];
        let delivery = if config.wants_delivery_rate() {
            delivery::sample(&mut self.samplers[slot as usize], flow, config, sequence, now)
        } else {
            Delivery::default()
        };
        (if sent_once { held.age(now) } else { 0 }, delivery)
    }
}
