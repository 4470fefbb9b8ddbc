//! Loss recovery: what is lost, reductions of the window for losses and marks, timeouts, probes and undo.
//!
//! Rules other than the default ones keep their state in [`crate::transport::Repair`]; one branch decides
//! whether to go there.

use super::beside::Beside;
use super::delivery;
use super::sender::Sender;
use crate::engine::Segment;
use crate::scenario::{RecoveryKind, RtoRestart};
use crate::transport::recovery::{Prr, Step};
use crate::transport::scoreboard::Acked;
use crate::transport::{FlowState, OFF, Recovery};
use mesonet_cc::{LossCause, LossEvent, Picos};

impl Sender<'_> {
    /// An acknowledgement moved on. Returns whether that restarts the retransmission timer.
    #[inline(never)]
    pub fn restarts_timer(&mut self) -> bool {
        let flow = &*self.flow;
        let partial = self.shared.rules.is_cumulative()
            && flow.recovery == Recovery::Fast
            && flow.board.una() < flow.recover;
        !partial || self.repair.reno.partial()
    }

    /// Segment `sequence` is acknowledged by `segment`, where losses are found by time. Returns whether it is
    /// the lowest outstanding one and nothing but its round trip follows: none is missing, and all that are
    /// open left later.
    #[inline(always)]
    fn takes_in_order(&mut self, sequence: u64, segment: Segment) -> bool {
        let (flow, repair) = (&mut *self.flow, &mut *self.repair);
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
    pub fn take_by_time(&mut self, sequence: u64, segment: Segment) -> Acked {
        if self.takes_in_order(sequence, segment) {
            return Acked::New { sent_once: true };
        }
        self.take_out_of_order(sequence, segment.words())
    }

    /// Segment `sequence` is acknowledged: by the copy `segment`. The sender knew all below `una` to have
    /// arrived.
    #[inline(never)]
    pub fn take_acknowledgement(&mut self, sequence: u64, segment: [u64; 2], una: u64) -> Acked {
        if self.shared.rules.rack {
            return self.take_out_of_order(sequence, segment);
        }
        let flow = &mut *self.flow;
        if !self.shared.rules.is_cumulative() {
            return flow.board.acknowledge(sequence, self.shared.scenario.transport.duplicate_threshold);
        }
        let limited_transmit = self.shared.rules.limited_transmit;
        let acked =
            self.repair.reno.acknowledged(&mut flow.board, una, sequence, flow.recovery, limited_transmit);
        let partial = flow.board.una() > una && flow.recovery == Recovery::Fast;
        if partial && self.shared.rules.kind == RecoveryKind::NewReno && flow.board.una() < flow.recover {
            flow.retransmit_first = true;
            self.report_lost();
        }
        acked
    }

    /// Segment `sequence` is acknowledged by the copy `segment`, and others may be found lost.
    #[inline(never)]
    fn take_out_of_order(&mut self, sequence: u64, segment: [u64; 2]) -> Acked {
        let segment = Segment::from_words(self.now, segment);
        let (now, departure) = (self.now, segment.departure(self.now));
        let (flow, repair) = (&mut *self.flow, &mut *self.repair);
        repair.rack.acknowledged(&mut flow.board, sequence, departure, !segment.is_copy(), now);
        let acked = flow.board.acknowledge(sequence, u32::MAX);
        let new = acked != Acked::Known;
        if !new && !repair.probe.is(sequence) {
            repair.rack.needless(&flow.board);
        }
        // Either of two segments that an acknowledgement covers may be the repaired one.
        repair.repaired |= repair.probe.acknowledged(sequence, departure, new);
        repair.probe.forget_below(flow.board.una());
        self.detect();
        acked
    }

    /// Finds what is lost now.
    fn detect(&mut self) {
        let (flow, repair) = (&mut *self.flow, &mut *self.repair);
        let (config, now) = (self.config, self.now);
        let Beside { samplers, packets, .. } = &mut *self.beside;
        let slot = self.slot;
        let controller = &mut flow.controller;
        let mut told = 0;
        let threshold = self.shared.scenario.transport.duplicate_threshold;
        let (board, recovery) = (&mut flow.board, flow.recovery);
        let congested = repair.rack.detect(board, now, recovery, &flow.rtt, threshold, |sequence| {
            packets.lost(slot, sequence, now);
            if config.wants_delivery_rate() {
                controller.on_segment_lost(config, &samplers[slot as usize].lost(sequence), now);
                told += 1;
            }
        });
        repair.rack.defer(now, self.shared.rules.rack_timer);
        repair.lost_again += told;
        repair.relapsed |= congested && !config.manages_recovery();
        packets.find_losses(slot, &flow.board, now);
    }

    /// A segment was acknowledged that is known to have arrived: another duplicate, where duplicates count.
    pub fn known_again(&mut self) {
        if self.shared.rules.is_plain() {
            return;
        }
        if self.flow.recovery == Recovery::Open && self.finds_loss() {
            self.fast_retransmit();
        }
        self.watch_deadline();
        self.send_allowed();
    }

    /// A segment of a flow that is not recovering counts as lost.
    #[inline]
    pub fn finds_loss(&self) -> bool {
        if self.shared.rules.is_cumulative() {
            let threshold = self.shared.scenario.transport.duplicate_threshold;
            self.repair.reno.finds_loss(&self.flow.board, threshold)
        } else {
            self.flow.board.has_loss()
        }
    }

    /// Enough later segments were acknowledged: one reduction, then recovery until everything now outstanding
    /// is acknowledged. A segment that is sent from now on and lost belongs to the next episode: it is
    /// retransmitted then, after a second reduction, because it was sent after the first one. The first lost
    /// segment is retransmitted whatever the window (RFC 6675, section 5).
    pub fn fast_retransmit(&mut self) {
        let flight = self.begin_repair();
        let flow = &mut *self.flow;
        let was_open = flow.recovery == Recovery::Open;
        let marked = was_open && self.config.marks().covers_losses && flow.in_marked_window();
        flow.recovery = Recovery::Fast;
        flow.rescued = false;
        flow.retransmit_first = true;
        flow.answered_mark = false;
        if self.shared.rto.restart != RtoRestart::NewData {
            flow.deadline = self.now + flow.rtt.rto;
        }
        if let Some(timing) = &mut flow.timing {
            timing.sent_again();
        }
        self.arm_undo(was_open && !marked);
        let flow = &mut *self.flow;
        if marked {
            // The window was reduced for a mark since the lost segment left, and once per window is enough
            // (RFC 3168, section 6.1.2; RFC 8257, section 3.5), if it covers losses. What left after that
            // reduction belongs to the next episode.
            if self.shared.rules.is_cumulative() {
                // With cumulative acknowledgements duplicates count only beyond the segments outstanding now.
                flow.recover = flow.board.next();
            }
            return;
        }
        flow.recover = flow.board.next();
        flow.initial_slow_start = false;
        flow.loss_events += 1;
        self.counters.loss_events += 1;
        let loss = LossEvent {
            now: self.now,
            cause: LossCause::FastRetransmit,
            in_flight: flight,
            lost: flow.board.lost(),
            first_timeout: false,
        };
        self.react(&loss);
    }

    /// The congestion control reacts to a loss or a mark. Careful resume retreats if unvalidated segments met
    /// it.
    fn react(&mut self, loss: &LossEvent) {
        if self.shared.saved.is_none() || !self.retreat(loss) {
            self.flow.controller.on_loss(self.config, loss);
        }
    }

    /// Fast recovery begins. Returns the segments in flight from which the reduction starts (RFC 5681
    /// FlightSize).
    #[inline]
    fn begin_repair(&mut self) -> u32 {
        let rules = &self.shared.rules;
        let relapse = self.flow.recovery != Recovery::Open;
        if rules.rack {
            self.repair.rack.reduced(self.now);
        }
        if rules.reduces() {
            let board = &self.flow.board;
            // The segments that the acknowledgement of the loss delivers are among the outstanding ones.
            let outstanding = 1 + if relapse { u64::from(board.pipe()) } else { board.outstanding() };
            self.repair.prr = Prr::new(outstanding, self.losses_found(), !self.config.manages_recovery());
        }
        let board = &mut self.flow.board;
        if !rules.is_cumulative() {
            // In a relapse what was lost before has left the network long since, and the window was reduced
            // for it.
            return if relapse { board.pipe() } else { board.flight() as u32 };
        }
        let flight = self.repair.reno.begin(board, rules.guarded);
        self.report_lost();
        flight as u32
    }

    /// A mark, and no reduction since the marked segment left: one, if the algorithm answers it, then none
    /// until what is outstanding now has been acknowledged (RFC 3168, section 6.1.2).
    #[inline(never)]
    pub fn answer_mark(&mut self) {
        let flow = &mut *self.flow;
        flow.recover = flow.board.next();
        let declines =
            self.shared.saved.is_none_or(|_| !self.beside.resumes[self.slot as usize].is_tentative());
        flow.answered_mark = !declines || flow.controller.answers_mark(self.config, self.now);
        if !flow.answered_mark {
            return;
        }
        flow.initial_slow_start = false;
        flow.loss_events += 1;
        self.counters.loss_events += 1;
        let mark = LossEvent {
            now: self.now,
            cause: LossCause::Ecn,
            in_flight: flow.board.flight() as u32,
            lost: 0,
            first_timeout: false,
        };
        self.react(&mark);
    }

    /// Counts every outstanding segment as lost.
    pub fn retransmission_timeout(&mut self) {
        self.counters.timeouts += 1;
        self.beside.packets.timed_out(self.slot, self.now);
        let flow = &*self.flow;
        let una = flow.board.una();
        if flow.recovery != Recovery::Timeout || flow.timed_out != una {
            self.arm_undo(true);
        }
        let flow = &mut *self.flow;
        let loss = LossEvent {
            now: self.now,
            cause: LossCause::Timeout,
            in_flight: flow.board.flight() as u32,
            lost: flow.board.flight() as u32,
            first_timeout: flow.timed_out != una,
        };
        (flow.timed_out, flow.expired) = (una, self.now);
        flow.timeouts += 1;
        flow.initial_slow_start = false;
        flow.controller.on_loss(self.config, &loss);
        if self.shared.saved.is_some() {
            self.beside.resumes[self.slot as usize].stop();
        }
        if self.shared.rules.is_cumulative() {
            self.repair.reno.timed_out(&mut flow.board);
        } else {
            flow.board.lose_everything();
        }
        if self.shared.rules.rack {
            self.repair.rack.timed_out(self.now);
            self.repair.probe.timed_out();
        }
        if self.config.wants_delivery_rate() {
            delivery::report_losses(
                &mut self.beside.samplers[self.slot as usize],
                flow,
                self.config,
                self.now,
            );
        }
        flow.retransmit_first = false;
        flow.answered_mark = false;
        flow.recovery = Recovery::Timeout;
        flow.recover = flow.board.next();
        flow.rtt.back_off(flow.timing.as_deref_mut(), &self.shared.rto);
        flow.deadline = self.now + flow.rtt.rto;
        self.watch_deadline();
        self.send_allowed();
    }

    /// In recovery `segment`, which has number `sequence`, is acknowledged for the first time: if it is the
    /// original of the segment that seemed lost, nothing was (Eifel, RFC 3522).
    #[inline(never)]
    pub fn look_for_spurious(&mut self, sequence: u64, segment: [u64; 2]) {
        let (now, segment) = (self.now, Segment::from_words(self.now, segment));
        let flow = &mut *self.flow;
        if flow.recovery == Recovery::Timeout {
            if sequence == flow.timed_out && now - segment.age(now) < flow.expired {
                flow.spurious_timeouts += 1;
                self.counters.spurious_timeouts += 1;
                if self.shared.rules.undoes {
                    self.undo(sequence);
                }
            }
        } else if self.shared.rules.undoes && !segment.is_copy() && self.undo(sequence) {
            self.counters.spurious_recoveries += 1;
        }
    }

    /// The window is about to be reduced because the lowest outstanding segment is lost, or not for this.
    fn arm_undo(&mut self, reduces: bool) {
        if !self.shared.rules.undoes {
            return;
        }
        if reduces {
            self.repair.undo.arm(self.flow.board.una(), &self.flow.controller);
        } else {
            self.repair.undo.disarm();
        }
    }

    /// During recovery the original of segment `sequence` has arrived. If its loss began the recovery, this
    /// was spurious: it ends, and what it reduced is as before. Returns whether it was.
    fn undo(&mut self, sequence: u64) -> bool {
        let Some(before) = self.repair.undo.take(sequence) else { return false };
        let flow = &mut *self.flow;
        flow.controller.on_recovery_exit(self.config, self.now);
        flow.controller.undo(self.config, &before, self.now);
        if self.shared.saved.is_some() {
            self.beside.resumes[self.slot as usize].undo();
        }
        (flow.recovery, flow.retransmit_first) = (Recovery::Open, false);
        if self.shared.rules.rack {
            self.repair.rack.restore(&flow.board, self.now);
        }
        flow.board.restore();
        true
    }

    /// A number that grows with every segment found lost.
    fn losses_found(&self) -> u64 {
        self.flow.board.lost_end() + self.repair.rack.relapses()
    }

    /// Reports the lowest missing segment to an algorithm that samples delivery rates: no other is known to
    /// be lost.
    fn report_lost(&mut self) {
        let una = self.flow.board.una();
        self.beside.packets.lost(self.slot, una, self.now);
        if self.config.wants_delivery_rate() {
            let sampler = &mut self.beside.samplers[self.slot as usize];
            delivery::report_lost(sampler, self.flow, self.config, una, self.now);
        }
    }

    /// Computes how much an acknowledgement of fast recovery allows to send.
    #[inline(never)]
    pub fn reduce(&mut self, acked: u32, advanced: bool) {
        let (pipe, target) = (self.flow.board.pipe(), self.flow.controller.cwnd());
        let step = Step { acked, pipe, target, advanced, losses: self.losses_found() };
        self.repair.prr.acknowledged(self.shared.rules.prr, &step);
    }

    /// After an acknowledgement, which may have `advanced` the cumulative point: the timers.
    #[inline(always)]
    pub fn follow_acknowledgement(&mut self, advanced: bool) {
        if advanced {
            self.repair.probe.schedule(self.flow, self.now, self.shared.rules.probe_ack_delay);
        } else {
            self.repair.probe.timer = OFF;
        }
        self.watch_until(self.flow.deadline.min(self.repair.timer()));
    }

    /// A retransmission that left after the last reduction is lost: one more, with a recovery of its own (RFC
    /// 5681, section 4.3), or only after a timeout (Linux: `tcp_fastretrans_alert`). A probe has repaired a
    /// loss: one reduction, and nothing to recover (RFC 8985, section 7.4).
    #[inline(always)]
    pub fn reduce_again(&mut self) {
        if self.repair.relapsed || self.repair.repaired {
            self.reduce_once_more();
        }
    }

    #[inline(never)]
    fn reduce_once_more(&mut self) {
        let repair = &mut *self.repair;
        let [relapsed, repaired] = [&mut repair.relapsed, &mut repair.repaired].map(std::mem::take);
        let recovery = self.flow.recovery;
        let reduces = self.shared.rules.reduces_again || recovery == Recovery::Timeout;
        if relapsed && recovery != Recovery::Open && reduces {
            self.fast_retransmit();
        } else if repaired && recovery == Recovery::Open {
            // The segment that the probe has repaired is acknowledged already.
            let flow = &*self.flow;
            if self.config.marks().covers_losses && flow.answered_mark && flow.board.una() <= flow.recover {
                return;
            }
            self.fast_retransmit();
            let flow = &mut *self.flow;
            (flow.recovery, flow.retransmit_first) = (Recovery::Open, false);
            flow.controller.on_recovery_exit(self.config, self.now);
        }
    }

    /// Handles the timers of recovery: a segment has been missing for long enough to be lost, or it is time
    /// for a probe. Returns whether a timer was due.
    pub fn recovery_timer(&mut self, time: Picos) -> bool {
        if self.flow.state != FlowState::Sending || self.repair.timer() > time {
            return false;
        }
        if self.repair.probe.timer <= time {
            self.send_probe();
            return true;
        }
        self.detect();
        if self.flow.recovery == Recovery::Open && self.finds_loss() {
            self.fast_retransmit();
        }
        self.reduce_again();
        self.send_allowed();
        true
    }

    /// Sends something new, or the last segment again, whatever the window (RFC 8985, section 7.3).
    fn send_probe(&mut self) {
        let (flow, probe) = (&mut *self.flow, &mut self.repair.probe);
        if flow.interface_free > self.now {
            probe.timer = flow.interface_free;
            return;
        }
        probe.timer = OFF;
        if probe.is_free() {
            let new = flow.may_send_new(self.shared.receiver_window);
            let sequence = if new { flow.board.send_new() } else { flow.board.next() - 1 };
            self.emit_probe(sequence, !new);
            self.repair.probe.sent(sequence, (!new).then_some(self.now));
        }
        self.flow.deadline = self.now + self.flow.rtt.rto;
    }
}
