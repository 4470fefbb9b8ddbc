//! Receivers that misbehave: acknowledgements before arrival, and acknowledgements in pieces.
//!
//! Marks that are not reported are taken off where the acknowledgement begins (`fabric::OwnReceiver`).

use super::code;
use super::domain::Domain;
use super::shared::Shared;
use crate::engine::{FlowHome, Segment};
use crate::network::LaneId;
use crate::transport::{Flow, FlowState, Recovery};
use crate::users::files::EXPLICIT;
use mesonet_cc::{AckEvent, Picos, Positions};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// Acknowledgements that optimistic receivers send, by number of the flow among those with lanes of their own: when each
/// reaches the source, and the segment that it acknowledges.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct EarlyAcks(BTreeMap<usize, VecDeque<(Picos, Segment)>>);

impl Domain {
    /// A segment leaves its source on the lane of its flow. An optimistic receiver acknowledges it so that the
    /// acknowledgement takes the round-trip propagation delay, whatever happens to the segment: it knows when the segment
    /// left, because its own acknowledgements clock the sender.
    #[inline(never)]
    pub(super) fn inject_on(&mut self, slot: u32, lane: LaneId, segment: [u64; 2]) {
        let segment = Segment::from_words(self.now, segment);
        self.fabric.send_on(self.now, lane, segment);
        let FlowHome::OwnLanes(own) = segment.flow.home() else { return };
        // A SYN is answered when it arrives.
        if !self.shared.own[own].1.receiver.is_silent || segment.sequence == 0 {
            return;
        }
        let flow = &self.flows[slot as usize];
        let round_trip = self.base_rtt(flow.origin, flow.receiver, Some(lane));
        let acks = self.early_acks.0.entry(own).or_default();
        // They do not overtake each other where a delay changes.
        let at = acks.back().map_or(0, |last| last.0).max(self.now + round_trip);
        acks.push_back((at, segment));
        self.arm(at, code::EARLY_ACK | own as u64);
    }

    /// The next acknowledgement of an optimistic receiver reaches its source.
    #[inline(never)]
    pub(super) fn early_ack(&mut self, own: usize) {
        let Some((_, segment)) = self.early_acks.0.get_mut(&own).and_then(VecDeque::pop_front) else {
            return;
        };
        let slot = self.slot(segment.flow);
        let flow = &self.flows[slot as usize];
        let sequence = flow.expand(segment.sequence);
        if flow.state == FlowState::Sending && sequence >= flow.base && sequence < flow.board.next() {
            self.acknowledgement(slot, sequence, segment.words(), None);
        }
    }
}

/// An acknowledgement that moves on has reached a sender that counts acknowledgements: it counts the other pieces, if the
/// receiver has divided it. They time no segment and report no mark.
#[inline(never)]
pub(super) fn count_pieces(shared: &Shared, flow: &mut Flow, now: Picos) {
    if flow.category != EXPLICIT {
        return;
    }
    let spec = &shared.scenario.flows[(flow.source - shared.population.count) as usize];
    let config = &shared.configs[usize::from(flow.algorithm)];
    for _ in 1..spec.ack_pieces.unwrap_or(1) {
        let piece = AckEvent {
            now,
            acked: 1,
            min_rtt: flow.rtt.min_rtt,
            srtt: flow.rtt.srtt,
            in_flight: flow.board.pipe(),
            delivered: flow.delivered,
            in_recovery: flow.recovery == Recovery::Fast
                || (flow.in_marked_window() && config.rests_after_mark()),
            after_timeout: flow.recovery == Recovery::Timeout,
            cwnd_limited: flow.uses_window(flow.controller.cwnd()),
            app_limited: flow.board.next() == flow.end,
            ..AckEvent::default()
        };
        let (una, next) = (flow.board.una() - flow.base, flow.board.next() - flow.base);
        flow.controller.on_ack(config, &piece, || Positions { una, next });
    }
}
