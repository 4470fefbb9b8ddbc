//! Loss recovery by other rules than the default ones: what the sender asks of [`Repair`] where a scenario has chosen.
//!
//! Kept out of the sender's code, which decides by one branch whether to come here.

use super::{Simulation, delivery};
use crate::engine::Segment;
use crate::scenario::RecoveryKind;
use crate::transport::recovery::{Prr, Step};
use crate::transport::scoreboard::Acked;
use crate::transport::{Flow, Recovery, Repair, Rules};

/// An acknowledgement moved on: whether that restarts the retransmission timer.
#[inline(never)]
pub(super) fn restarts_timer(rules: &Rules, repair: &mut Repair, flow: &Flow) -> bool {
    let partial = rules.is_cumulative() && flow.recovery == Recovery::Fast && flow.board.una() < flow.recover;
    !partial || repair.reno.partial()
}

impl Simulation {
    /// Takes the transmissions of data with these numbers off the network, counted from 1 over all flows, retransmissions
    /// included: to test recovery by the cases of the literature, which say which segments are lost. They count as
    /// dropped before the first router.
    pub fn lose_transmissions(&mut self, mut numbers: Vec<u64>) {
        numbers.sort_unstable_by(|a, b| b.cmp(a));
        numbers.dedup();
        self.next_loss = numbers.pop().unwrap_or(u64::MAX);
        self.losses = numbers;
    }

    /// The transmission whose turn it is to be lost.
    #[cold]
    pub(super) fn lose(&mut self, segment: Segment) {
        self.next_loss = self.losses.pop().unwrap_or(u64::MAX);
        self.dropped(segment);
    }

    /// A flow is connected.
    pub(super) fn start_repair(&mut self, slot: u32) {
        let slot = slot as usize;
        if self.repairs.len() <= slot {
            self.repairs.resize_with(slot + 1, Repair::default);
        }
        self.repairs[slot] = Repair::new(self.flows[slot].base);
    }

    /// Segment `sequence` is acknowledged.
    #[inline(never)]
    pub(super) fn take_acknowledgement(&mut self, slot: u32, sequence: u64) -> Acked {
        let flow = &mut self.flows[slot as usize];
        let repair = &mut self.repairs[slot as usize];
        if !self.rules.is_cumulative() {
            return flow.board.acknowledge(sequence, self.scenario.transport.duplicate_threshold);
        }
        let una = flow.board.una();
        let acked = repair.reno.acknowledged(&mut flow.board, sequence, flow.recovery);
        let partial = flow.board.una() > una && flow.recovery == Recovery::Fast;
        if partial && self.rules.kind == RecoveryKind::NewReno && flow.board.una() < flow.recover {
            flow.retransmit_first = true;
            self.tell_lost(slot);
        }
        acked
    }

    /// A segment was acknowledged that is known to have arrived: another duplicate, where duplicates count.
    pub(super) fn known_again(&mut self, slot: u32) {
        if !self.rules.is_cumulative() {
            return;
        }
        if self.flows[slot as usize].recovery == Recovery::Open && self.finds_loss(slot) {
            self.fast_retransmit(slot);
        }
        self.send_allowed(slot);
    }

    /// A segment of a flow that is not recovering counts as lost.
    #[inline]
    pub(super) fn finds_loss(&self, slot: u32) -> bool {
        let flow = &self.flows[slot as usize];
        if self.rules.is_cumulative() {
            let threshold = self.scenario.transport.duplicate_threshold;
            self.repairs[slot as usize].reno.finds_loss(&flow.board, threshold)
        } else {
            flow.board.has_loss()
        }
    }

    /// Fast recovery begins; segments in flight from which the reduction starts (RFC 5681 FlightSize).
    #[inline]
    pub(super) fn begin_repair(&mut self, slot: u32) -> u32 {
        let flow = &self.flows[slot as usize];
        if self.rules.reduces() {
            // What the acknowledgement that tells of the loss has delivered is among what was outstanding.
            let outstanding = flow.board.outstanding() + 1;
            let managed = self.configs[usize::from(flow.algorithm)].manages_recovery();
            self.repairs[slot as usize].prr = Prr::new(outstanding, flow.board.lost_end(), !managed);
        }
        if !self.rules.is_cumulative() {
            return flow.board.flight() as u32;
        }
        let guarded = self.rules.kind == RecoveryKind::NewReno;
        let flight = self.repairs[slot as usize].reno.begin(&flow.board, guarded);
        self.tell_lost(slot);
        flight as u32
    }

    /// Tells an algorithm that samples delivery rates of the lowest missing segment: more is not known to be lost.
    fn tell_lost(&mut self, slot: u32) {
        let flow = &mut self.flows[slot as usize];
        let config = &self.configs[usize::from(flow.algorithm)];
        if config.wants_delivery_rate() {
            delivery::tell_lost(&mut self.samplers[slot as usize], flow, config, flow.board.una());
        }
    }

    /// What an acknowledgement of fast recovery allows to send.
    #[inline(never)]
    pub(super) fn reduce(&mut self, slot: u32, advanced: bool) {
        let flow = &self.flows[slot as usize];
        if flow.recovery == Recovery::Fast {
            let (pipe, target) = (flow.board.pipe(), flow.controller.cwnd());
            let step = Step { pipe, target, advanced, losses: flow.board.lost_end() };
            self.repairs[slot as usize].prr.acknowledged(self.rules.prr, &step);
        }
    }

    /// The next segment to send where acknowledgements are cumulative.
    #[inline(never)]
    pub(super) fn next_segment_in_turn(&mut self, slot: u32) -> Option<(u64, bool)> {
        let flow = &mut self.flows[slot as usize];
        let reno = &mut self.repairs[slot as usize].reno;
        if flow.retransmit_first {
            return Some((flow.board.una(), true));
        }
        if flow.recovery == Recovery::Timeout
            && let Some(sequence) = reno.resend(&mut flow.board, flow.recover)
        {
            return Some((sequence, true));
        }
        if !flow.may_send_new(self.receiver_window) {
            return None;
        }
        let sequence = flow.board.send_new();
        reno.sent_new(&flow.board);
        Some((sequence, false))
    }
}
