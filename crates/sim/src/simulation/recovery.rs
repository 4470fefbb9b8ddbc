//! Loss recovery by other rules than the default ones: what the sender asks of [`Repair`] where a scenario has chosen.
//!
//! Kept out of the sender's code, which decides by one branch whether to come here.

use super::domain::Domain;
use super::{Simulation, delivery};
use crate::engine::Segment;
use crate::scenario::RecoveryKind;
use crate::transport::recovery::{Prr, Step};
use crate::transport::scoreboard::Acked;
use crate::transport::{Flow, FlowState, OFF, Recovery, Repair, Rules};
use mesonet_cc::Picos;

/// An acknowledgement moved on: whether that restarts the retransmission timer.
#[inline(never)]
pub(super) fn restarts_timer(rules: &Rules, repair: &mut Repair, flow: &Flow) -> bool {
    let partial = rules.is_cumulative() && flow.recovery == Recovery::Fast && flow.board.una() < flow.recover;
    !partial || repair.reno.partial()
}

impl Simulation {
    /// Takes the transmissions of data with these numbers off the network, counted from 1, retransmissions included, over
    /// the flows with sources in one domain: to test recovery by the cases of the literature, which say what is lost.
    pub fn lose_transmissions(&mut self, mut numbers: Vec<u64>) {
        numbers.sort_unstable_by(|a, b| b.cmp(a));
        numbers.dedup();
        for domain in &mut self.domains {
            domain.losses = numbers.clone();
            domain.next_loss = domain.losses.pop().unwrap_or(u64::MAX);
        }
    }
}

impl Domain {
    /// The transmission whose turn it is to be lost.
    #[cold]
    pub(super) fn lose(&mut self, segment: [u64; 2]) {
        self.next_loss = self.losses.pop().unwrap_or(u64::MAX);
        self.fabric.drop(self.now, Segment::from_words(self.now, segment));
    }

    /// A flow is connected.
    pub(super) fn start_repair(&mut self, slot: u32) {
        let slot = slot as usize;
        if self.repairs.len() <= slot {
            self.repairs.resize_with(slot + 1, Repair::default);
        }
        self.repairs[slot].begin(self.flows[slot].base);
    }

    /// Segment `sequence` leaves. Its timers are watched, but for a retransmission, which may restart others.
    #[inline(always)]
    pub(super) fn note_departure(&mut self, slot: u32, sequence: u64, retransmission: bool) {
        let (flow, repair) = (&self.flows[slot as usize], &mut self.repairs[slot as usize]);
        let rules = &self.shared.rules;
        if rules.reduces() && flow.recovery == Recovery::Fast {
            repair.prr.sent();
        }
        if !rules.rack {
            return;
        }
        if retransmission {
            // Outside recovery only a probe is sent again.
            repair.rack.sent_again(sequence, self.now, flow.recovery == Recovery::Open);
            return;
        }
        repair.rack.sent(sequence, self.now);
        repair.probe.schedule(flow, self.now, rules.probe_ack_delay);
        let deadline = flow.deadline.min(repair.timer());
        self.watch_until(slot, deadline);
    }

    /// Segment `sequence` is acknowledged by `segment`, where losses are found by time. Returns whether it is the lowest
    /// outstanding one and nothing but its round trip follows: none is missing, and all that are open left later.
    #[inline(always)]
    fn takes_in_order(&mut self, slot: u32, sequence: u64, segment: Segment) -> bool {
        let (flow, repair) = (&mut self.flows[slot as usize], &mut self.repairs[slot as usize]);
        let next = flow.board.is_whole() && flow.board.una() == sequence && !segment.is_copy();
        let departure = segment.departure(self.now);
        if !next || !repair.probe.is_free() || !repair.rack.in_order(sequence, departure, self.now) {
            return false;
        }
        flow.board.acknowledge(sequence, u32::MAX);
        true
    }

    /// Segment `sequence` is acknowledged: by the copy `segment`, where losses are found by time.
    #[inline(always)]
    pub(super) fn take_by_time(&mut self, slot: u32, sequence: u64, segment: Segment) -> Acked {
        if self.takes_in_order(slot, sequence, segment) {
            return Acked::New { sent_once: true };
        }
        self.take_out_of_order(slot, sequence, segment.words())
    }

    /// Segment `sequence` is acknowledged: by the copy `segment`. The sender knew all below `una` to have arrived.
    #[inline(never)]
    pub(super) fn take_acknowledgement(
        &mut self,
        slot: u32,
        sequence: u64,
        segment: [u64; 2],
        una: u64,
    ) -> Acked {
        if self.shared.rules.rack {
            return self.take_out_of_order(slot, sequence, segment);
        }
        let flow = &mut self.flows[slot as usize];
        let repair = &mut self.repairs[slot as usize];
        if !self.shared.rules.is_cumulative() {
            return flow.board.acknowledge(sequence, self.shared.scenario.transport.duplicate_threshold);
        }
        let acked = repair.reno.acknowledged(
            &mut flow.board,
            una,
            sequence,
            flow.recovery,
            self.shared.rules.limited_transmit,
        );
        let partial = flow.board.una() > una && flow.recovery == Recovery::Fast;
        if partial && self.shared.rules.kind == RecoveryKind::NewReno && flow.board.una() < flow.recover {
            flow.retransmit_first = true;
            self.report_lost(slot);
        }
        acked
    }

    /// A segment was acknowledged that is known to have arrived: another duplicate, where duplicates count.
    pub(super) fn known_again(&mut self, slot: u32) {
        if self.shared.rules.is_plain() {
            return;
        }
        if self.flows[slot as usize].recovery == Recovery::Open && self.finds_loss(slot) {
            self.fast_retransmit(slot);
        }
        self.watch_deadline(slot);
        self.send_allowed(slot);
    }

    /// A segment of a flow that is not recovering counts as lost.
    #[inline]
    pub(super) fn finds_loss(&self, slot: u32) -> bool {
        let flow = &self.flows[slot as usize];
        if self.shared.rules.is_cumulative() {
            let threshold = self.shared.scenario.transport.duplicate_threshold;
            self.repairs[slot as usize].reno.finds_loss(&flow.board, threshold)
        } else {
            flow.board.has_loss()
        }
    }

    /// Fast recovery begins; segments in flight from which the reduction starts (RFC 5681 FlightSize).
    #[inline]
    pub(super) fn begin_repair(&mut self, slot: u32) -> u32 {
        let flow = &self.flows[slot as usize];
        let relapse = flow.recovery != Recovery::Open;
        if self.shared.rules.rack {
            self.repairs[slot as usize].rack.reduced(self.now);
        }
        if self.shared.rules.reduces() {
            // The segments that the acknowledgement of the loss delivers are among the outstanding ones.
            let outstanding =
                1 + if relapse { u64::from(flow.board.pipe()) } else { flow.board.outstanding() };
            let managed = self.shared.configs[usize::from(flow.algorithm)].manages_recovery();
            self.repairs[slot as usize].prr = Prr::new(outstanding, self.losses_found(slot), !managed);
        }
        if !self.shared.rules.is_cumulative() {
            // In a relapse what was lost before has left the network long since, and the window was reduced for it.
            return if relapse { flow.board.pipe() } else { flow.board.flight() as u32 };
        }
        let guarded = self.shared.rules.guarded;
        let flight = self.repairs[slot as usize].reno.begin(&mut self.flows[slot as usize].board, guarded);
        self.report_lost(slot);
        flight as u32
    }

    /// The window is about to be reduced because the lowest outstanding segment is lost, or not for this.
    pub(super) fn arm_undo(&mut self, slot: u32, reduces: bool) {
        if !self.shared.rules.undoes {
            return;
        }
        let flow = &self.flows[slot as usize];
        let undo = &mut self.repairs[slot as usize].undo;
        if reduces {
            undo.arm(flow.board.una(), &flow.controller);
        } else {
            undo.disarm();
        }
    }

    /// During recovery the original of segment `sequence` has arrived. If its loss began the recovery, this was spurious: it
    /// ends, and what it reduced is as before. Returns whether it was.
    pub(super) fn undo(&mut self, slot: u32, sequence: u64) -> bool {
        let repair = &mut self.repairs[slot as usize];
        let Some(before) = repair.undo.take(sequence) else { return false };
        let flow = &mut self.flows[slot as usize];
        let config = &self.shared.configs[usize::from(flow.algorithm)];
        flow.controller.on_recovery_exit(config, self.now);
        flow.controller.undo(config, &before, self.now);
        (flow.recovery, flow.retransmit_first) = (Recovery::Open, false);
        if self.shared.rules.rack {
            repair.rack.restore(&flow.board, self.now);
        }
        flow.board.restore();
        true
    }

    /// A number that grows with every segment found lost.
    fn losses_found(&self, slot: u32) -> u64 {
        self.flows[slot as usize].board.lost_end() + self.repairs[slot as usize].rack.relapses()
    }

    /// Reports the lowest missing segment to an algorithm that samples delivery rates: no other is known to be lost.
    fn report_lost(&mut self, slot: u32) {
        let flow = &mut self.flows[slot as usize];
        let config = &self.shared.configs[usize::from(flow.algorithm)];
        if config.wants_delivery_rate() {
            delivery::report_lost(
                &mut self.samplers[slot as usize],
                flow,
                config,
                flow.board.una(),
                self.now,
            );
        }
    }

    /// Computes how much an acknowledgement of fast recovery allows to send.
    #[inline(never)]
    pub(super) fn reduce(&mut self, slot: u32, acked: u32, advanced: bool) {
        let flow = &self.flows[slot as usize];
        let (pipe, target) = (flow.board.pipe(), flow.controller.cwnd());
        let step = Step { acked, pipe, target, advanced, losses: self.losses_found(slot) };
        self.repairs[slot as usize].prr.acknowledged(self.shared.rules.prr, &step);
    }

    /// Segment `sequence` is acknowledged by the copy `segment`, and others may be found lost.
    #[inline(never)]
    fn take_out_of_order(&mut self, slot: u32, sequence: u64, segment: [u64; 2]) -> Acked {
        let segment = Segment::from_words(self.now, segment);
        let (now, departure) = (self.now, segment.departure(self.now));
        let flow = &mut self.flows[slot as usize];
        let repair = &mut self.repairs[slot as usize];
        repair.rack.acknowledged(&mut flow.board, sequence, departure, !segment.is_copy(), now);
        let acked = flow.board.acknowledge(sequence, u32::MAX);
        let new = acked != Acked::Known;
        if !new && !repair.probe.is(sequence) {
            repair.rack.needless(&flow.board);
        }
        // Either of two segments that an acknowledgement covers may be the repaired one.
        repair.repaired |= repair.probe.acknowledged(sequence, departure, new);
        repair.probe.forget_below(flow.board.una());
        self.detect(slot);
        acked
    }

    /// Finds what is lost now.
    fn detect(&mut self, slot: u32) {
        let flow = &mut self.flows[slot as usize];
        let repair = &mut self.repairs[slot as usize];
        let config = &self.shared.configs[usize::from(flow.algorithm)];
        let (samplers, controller) = (&mut self.samplers, &mut flow.controller);
        let (mut told, now) = (0, self.now);
        let threshold = self.shared.scenario.transport.duplicate_threshold;
        let (board, recovery) = (&mut flow.board, flow.recovery);
        let congested = repair.rack.detect(board, self.now, recovery, &flow.rtt, threshold, |sequence| {
            if config.wants_delivery_rate() {
                controller.on_segment_lost(config, &samplers[slot as usize].lost(sequence), now);
                told += 1;
            }
        });
        repair.lost_again += told;
        repair.relapsed |= congested && !config.manages_recovery();
    }

    /// After an acknowledgement, which may have `advanced` the cumulative point: the timers.
    #[inline(always)]
    pub(super) fn follow_acknowledgement(&mut self, slot: u32, advanced: bool) {
        let (flow, repair) = (&self.flows[slot as usize], &mut self.repairs[slot as usize]);
        if advanced {
            repair.probe.schedule(flow, self.now, self.shared.rules.probe_ack_delay);
        } else {
            repair.probe.timer = OFF;
        }
        let deadline = flow.deadline.min(repair.timer());
        self.watch_until(slot, deadline);
    }

    /// A retransmission that left after the last reduction is lost: one more, with a recovery of its own (RFC 5681,
    /// section 4.3). A probe has repaired a loss: one reduction, and nothing to recover (RFC 8985, section 7.4).
    #[inline(always)]
    pub(super) fn reduce_again(&mut self, slot: u32) {
        let repair = &self.repairs[slot as usize];
        if repair.relapsed || repair.repaired {
            self.reduce_once_more(slot);
        }
    }

    #[inline(never)]
    fn reduce_once_more(&mut self, slot: u32) {
        let repair = &mut self.repairs[slot as usize];
        let [relapsed, repaired] = [&mut repair.relapsed, &mut repair.repaired].map(std::mem::take);
        let recovery = self.flows[slot as usize].recovery;
        if relapsed && recovery != Recovery::Open {
            self.fast_retransmit(slot);
        } else if repaired && recovery == Recovery::Open {
            // The segment that the probe has repaired is acknowledged already.
            let flow = &self.flows[slot as usize];
            if flow.answered_mark && flow.board.una() <= flow.recover {
                return;
            }
            self.fast_retransmit(slot);
            let flow = &mut self.flows[slot as usize];
            (flow.recovery, flow.retransmit_first) = (Recovery::Open, false);
            flow.controller.on_recovery_exit(&self.shared.configs[usize::from(flow.algorithm)], self.now);
        }
    }

    /// Handles the timers of recovery: a segment has been missing for long enough to be lost, or it is time for a
    /// probe. Returns whether a timer was due.
    pub(super) fn recovery_timer(&mut self, slot: u32, time: Picos) -> bool {
        let flow = &self.flows[slot as usize];
        if flow.state != FlowState::Sending || self.repairs[slot as usize].timer() > time {
            return false;
        }
        if self.repairs[slot as usize].probe.timer <= time {
            self.send_probe(slot);
            return true;
        }
        self.detect(slot);
        if self.flows[slot as usize].recovery == Recovery::Open && self.finds_loss(slot) {
            self.fast_retransmit(slot);
        }
        self.reduce_again(slot);
        self.send_allowed(slot);
        true
    }

    /// Sends something new, or the last segment again, whatever the window (RFC 8985, section 7.3).
    fn send_probe(&mut self, slot: u32) {
        let flow = &mut self.flows[slot as usize];
        let probe = &mut self.repairs[slot as usize].probe;
        if flow.interface_free > self.now {
            probe.timer = flow.interface_free;
            return;
        }
        probe.timer = OFF;
        if probe.is_free() {
            let new = flow.may_send_new(self.shared.receiver_window);
            let sequence = if new { flow.board.send_new() } else { flow.board.next() - 1 };
            self.emit_probe(slot, sequence, !new);
            self.repairs[slot as usize].probe.sent(sequence, (!new).then_some(self.now));
        }
        let flow = &mut self.flows[slot as usize];
        flow.deadline = self.now + flow.rtt.rto;
    }

    /// The next segment to send where losses are found by time: a lost one, else a new one. Probes and lost
    /// retransmissions leave nothing to do for the early and the rescue retransmissions of RFC 6675.
    #[inline(always)]
    pub(super) fn next_segment_by_time(&mut self, slot: u32, recovering: bool) -> Option<(u64, bool)> {
        if recovering && let Some(sequence) = self.next_retransmission(slot) {
            return Some((sequence, true));
        }
        let flow = &mut self.flows[slot as usize];
        flow.may_send_new(self.shared.receiver_window).then(|| (flow.board.send_new(), false))
    }

    /// The next segment to send again.
    #[inline(never)]
    fn next_retransmission(&mut self, slot: u32) -> Option<u64> {
        let flow = &mut self.flows[slot as usize];
        let lost = self.repairs[slot as usize].rack.resend(&mut flow.board, flow.recover);
        lost.or_else(|| flow.board.retransmit(flow.recover, false))
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
        if !flow.may_send_new(self.shared.receiver_window) {
            return None;
        }
        let sequence = flow.board.send_new();
        reno.sent_new(&flow.board);
        Some((sequence, false))
    }
}
