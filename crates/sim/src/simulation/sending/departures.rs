//! Departures: what the window and the interface allow to send, and the timers that follow.

use super::sender::Sender;
use super::{delivery, pacing};
use crate::engine::{FlowHome, Segment};
use crate::network::LaneId;
use crate::random::{Purpose, Stream};
use crate::scenario::RtoRestart;
use crate::simulation::code;
use crate::transport::{FlowState, OFF, Recovery};
use mesonet_cc::{Picos, SendEvent, picos};

impl Sender<'_> {
    /// Arms a timer of a kind for the flow.
    pub fn arm(&mut self, at: Picos, kind: u64) {
        self.events.arm(at, kind | code::of_flow(self.flow.home, self.slot));
    }

    /// Sees to it that a timer entry comes up at the deadline or before. What comes up early changes nothing.
    #[inline(always)]
    pub fn watch_deadline(&mut self) {
        let mut deadline = self.flow.deadline;
        if self.shared.rules.rack && self.flow.state == FlowState::Sending {
            deadline = deadline.min(self.repair.timer());
        }
        self.watch_until(deadline);
    }

    /// As [`Self::watch_deadline`], where the timers of the sender are known to end at `deadline`.
    #[inline(always)]
    pub fn watch_until(&mut self, mut deadline: Picos) {
        if self.shared.acks.is_some() && self.flow.state == FlowState::Sending {
            deadline = deadline.min(self.beside.receivers[self.slot as usize].timer);
        }
        if deadline != OFF && (self.flow.watched == 0 || deadline < self.flow.watched) {
            self.watch_sooner(deadline);
        }
    }

    /// No known entry comes up at the deadline or before, except perhaps one that was armed for an earlier
    /// deadline.
    #[inline]
    fn watch_sooner(&mut self, deadline: Picos) {
        let flow = &mut *self.flow;
        if flow.watched == 0 && flow.watched_then != 0 && flow.watched_then <= deadline {
            flow.watched = std::mem::take(&mut flow.watched_then);
            return;
        }
        if flow.watched_then == 0 {
            flow.watched_then = flow.watched;
        }
        self.watch(deadline);
    }

    /// Arms a timer entry for the flow.
    pub fn watch(&mut self, at: Picos) {
        self.flow.watched = at;
        self.arm(at, code::FLOW);
    }

    /// Sends what the windows and the interface allow, at once or after the sender's overhead.
    #[inline]
    pub fn send_allowed(&mut self) {
        if self.flow.delays_sends {
            self.send_later();
        } else {
            self.send_now();
        }
    }

    /// Sends what the windows and the interface allow.
    #[inline(always)]
    pub fn send_now(&mut self) {
        if self.shared.minds_departures {
            self.send_by_rules();
        } else if self.may_send() {
            self.send_all();
        }
    }

    /// Sends, paced where careful resume has it or in pieces, and notes the use of the window.
    #[inline(never)]
    fn send_by_rules(&mut self) {
        let next = self.flow.board.next();
        let mut waits = false;
        if self.may_send() {
            match (self.resume_gap(), &self.shared.pieces) {
                (Some(gap), _) => self.send_one(gap),
                (None, Some(rules)) => waits = !self.send_piece(rules),
                (None, None) => self.send_all(),
            }
        }
        if self.shared.notes_usage {
            self.note_usage(next, waits);
        }
    }

    /// Sends a segment, and waits at least `gap` before the next one.
    fn send_one(&mut self, gap: Picos) {
        let recovering = self.flow.recovery != Recovery::Open;
        let Some((sequence, retransmission)) = self.next_segment(recovering) else { return };
        self.emit(sequence, retransmission);
        self.flow.interface_free = self.flow.interface_free.max(self.now + gap);
        let at_once = self.may_send();
        debug_assert!(!at_once, "the gap is over at once");
    }

    /// Notes whether the window is full, after segments from `next` on were sent. A window whose rest `waits`
    /// for a larger piece is full (tcp_tso_should_defer).
    fn note_usage(&mut self, next: u64, waits: bool) {
        let is_full = waits || f64::from(self.flow.board.pipe()) + 1.0 > self.allowed();
        let flow = &*self.flow;
        let (una, now_next) = (flow.board.una(), flow.board.next());
        if now_next > next || (is_full && now_next < flow.end) {
            self.beside.usages[self.slot as usize].note(is_full, una, now_next);
        }
    }

    /// Segments that may be in flight.
    #[inline(always)]
    pub fn allowed(&self) -> f64 {
        let window = self.flow.controller.cwnd();
        if self.shared.rules.reduces() && self.flow.recovery == Recovery::Fast {
            self.repair.prr.window(window)
        } else {
            window
        }
    }

    /// Delays the reaction of an explicit flow's sender to an event by a random time (`overhead_` of ns-2).
    /// The sender reacts once to all events during the delay.
    fn send_later(&mut self) {
        let flow = &mut *self.flow;
        if flow.interface_armed {
            return;
        }
        let overhead = self.shared.explicit(flow).map_or(0.0, |spec| spec.overhead);
        // The draw is named by the segments that this flow has sent, so that it does not depend on other
        // flows.
        let mut draw = Stream::new(self.shared.seed, Purpose::Overhead, u64::from(flow.source), flow.sent);
        let wait = picos(draw.uniform() * overhead);
        flow.interface_free = flow.interface_free.max(self.now + wait);
        self.wait_for_interface();
    }

    /// The window allows a segment, there is one, and the interface is free. An event is armed where only the
    /// interface is awaited.
    #[inline(always)]
    pub fn may_send(&mut self) -> bool {
        let window = self.allowed();
        let flow = &*self.flow;
        if f64::from(flow.board.pipe()) + 1.0 > window && !flow.retransmit_first {
            return false;
        }
        if flow.recovery == Recovery::Open && !flow.may_send_new(self.shared.receiver_window) {
            return false;
        }
        if flow.interface_free > self.now {
            self.wait_for_interface();
            return false;
        }
        true
    }

    /// Sends what is allowed, a segment at least if there is one.
    #[inline(never)]
    fn send_all(&mut self) {
        loop {
            let recovering = self.flow.recovery != Recovery::Open;
            let Some((sequence, retransmission)) = self.next_segment(recovering) else { return };
            self.emit(sequence, retransmission);
            if self.shared.rules.rack && retransmission {
                self.watch_deadline();
            }
            if !self.may_send() {
                return;
            }
        }
    }

    /// Arms the event at which the interface becomes free.
    #[inline]
    pub fn wait_for_interface(&mut self) {
        let flow = &mut *self.flow;
        if flow.interface_armed {
            return;
        }
        flow.interface_armed = true;
        self.events.arm_interface(flow.interface_free, code::of_flow(flow.home, self.slot));
    }

    /// The interface is free since `time`, unless an earlier segment has occupied it again.
    #[inline]
    pub fn interface(&mut self, time: Picos) {
        if self.flow.interface_armed && self.flow.interface_free == time {
            self.flow.interface_armed = false;
            self.send_now();
        }
    }

    /// The next segment to send (RFC 6675 NextSeg): a lost one, else a new one, else one that too few later
    /// segments have passed, else once per recovery the highest outstanding one.
    pub fn next_segment(&mut self, recovering: bool) -> Option<(u64, bool)> {
        if self.shared.rules.is_cumulative() {
            return self.next_segment_in_turn();
        }
        if self.shared.rules.rack {
            return self.next_segment_by_time(recovering);
        }
        let flow = &mut *self.flow;
        if recovering {
            if let Some(sequence) = flow.board.retransmit(flow.recover, false) {
                return Some((sequence, true));
            }
        }
        if flow.may_send_new(self.shared.receiver_window) {
            return Some((flow.board.send_new(), false));
        }
        if flow.recovery != Recovery::Fast {
            return None;
        }
        if let Some(sequence) = flow.board.retransmit(flow.recover, true) {
            return Some((sequence, true));
        }
        if flow.rescued {
            return None;
        }
        flow.rescued = true;
        flow.board.rescue().map(|sequence| (sequence, true))
    }

    /// The next segment to send where losses are found by time: a lost one, else a new one. Probes and lost
    /// retransmissions leave nothing to do for the early and the rescue retransmissions of RFC 6675.
    #[inline(always)]
    fn next_segment_by_time(&mut self, recovering: bool) -> Option<(u64, bool)> {
        if recovering {
            if let Some(sequence) = self.next_retransmission() {
                return Some((sequence, true));
            }
        }
        let flow = &mut *self.flow;
        flow.may_send_new(self.shared.receiver_window).then(|| (flow.board.send_new(), false))
    }

    /// The next segment to send again.
    #[inline(never)]
    fn next_retransmission(&mut self) -> Option<u64> {
        let flow = &mut *self.flow;
        let lost = self.repair.rack.resend(&mut flow.board, flow.recover);
        lost.or_else(|| flow.board.retransmit(flow.recover, false))
    }

    /// The next segment to send where acknowledgements are cumulative.
    #[inline(never)]
    fn next_segment_in_turn(&mut self) -> Option<(u64, bool)> {
        let flow = &mut *self.flow;
        let reno = &mut self.repair.reno;
        if flow.retransmit_first {
            return Some((flow.board.una(), true));
        }
        if flow.recovery == Recovery::Timeout {
            if let Some(sequence) = reno.resend(&mut flow.board, flow.recover) {
                return Some((sequence, true));
            }
        }
        if !flow.may_send_new(self.shared.receiver_window) {
            return None;
        }
        let sequence = flow.board.send_new();
        reno.sent_new(&flow.board);
        Some((sequence, false))
    }

    /// A segment leaves the interface and reaches the access router at once.
    #[inline(always)]
    pub fn emit(&mut self, sequence: u64, retransmission: bool) {
        let now = self.now;
        if self.flow.deadline == OFF {
            self.flow.deadline = now + self.flow.rtt.rto;
            self.watch_deadline();
        }
        let flow = &mut *self.flow;
        if flow.sent == 0 {
            (flow.first_sent, flow.heard) = (now, now);
        }
        flow.sent += 1;
        flow.peak_flight[0] = flow.peak_flight[0].max(flow.board.pipe());
        flow.retransmit_first = false;
        if flow.notes_sends {
            self.note_send(sequence, retransmission);
        }
        if !self.shared.rules.is_plain() {
            self.note_departure(sequence, retransmission);
        }
        if retransmission {
            self.sent_again(sequence);
        } else if let Some(timing) = &mut self.flow.timing {
            timing.sent(sequence, now);
        }
        let flow = &mut *self.flow;
        flow.interface_free = now + pacing::gap(flow, self.shared.unpaced);
        // An event armed for this very instant is superseded.
        flow.interface_armed = false;
        self.counters.entering += 1;
        self.counters.data_sent += 1;
        if self.config.wants_sends() {
            let in_flight = flow.board.pipe();
            flow.controller.on_send(self.config, &SendEvent { now, in_flight, retransmission });
        }
        if self.config.wants_delivery_rate() {
            delivery::sent(&mut self.beside.samplers[self.slot as usize], flow, sequence, now);
        }
        let mut segment = Segment::new(now, flow.id, sequence as u32, usize::from(flow.target));
        if retransmission {
            segment = segment.copy();
        }
        if self.shared.marking {
            segment = self.shared.with_codepoint(segment, usize::from(flow.algorithm), retransmission);
        }
        if self.counters.data_sent == self.beside.leaving.next_loss() {
            self.lose(segment.words());
            return;
        }
        self.inject(segment.words());
    }

    /// Segment `sequence` leaves. Its timers are watched, but for a retransmission, which may restart others.
    #[inline(always)]
    fn note_departure(&mut self, sequence: u64, retransmission: bool) {
        let rules = &self.shared.rules;
        if rules.reduces() && self.flow.recovery == Recovery::Fast {
            self.repair.prr.sent();
        }
        if !rules.rack {
            return;
        }
        if retransmission {
            // Outside recovery only a probe is sent again.
            self.repair.rack.sent_again(sequence, self.now, self.flow.recovery == Recovery::Open);
            return;
        }
        self.repair.rack.sent(sequence, self.now);
        self.repair.probe.schedule(self.flow, self.now, rules.probe_ack_delay);
        self.watch_until(self.flow.deadline.min(self.repair.timer()));
    }

    /// Segment `sequence` of a flow that an application feeds, or whose packets are traced, leaves.
    #[inline(never)]
    fn note_send(&mut self, sequence: u64, retransmission: bool) {
        if self.flow.is_fed {
            self.beside.leaving.fed_flow_sends(self.slot, self.now);
        }
        let packets = &mut self.beside.packets;
        packets.sent(self.slot, self.flow, sequence, retransmission, self.now);
    }

    /// Segment `sequence` leaves again. Where acknowledgements are selective, the timer of the lowest
    /// outstanding one starts anew with it; otherwise only with fast retransmit (RFC 6582, section 3.2: an
    /// "impatient" sender).
    #[inline(never)]
    fn sent_again(&mut self, sequence: u64) {
        let flow = &mut *self.flow;
        let restarts = self.shared.rto.restart != RtoRestart::NewData && !self.shared.rules.is_cumulative();
        let head = restarts && sequence == flow.board.una();
        if let Some(timing) = &mut flow.timing {
            timing.sent_again();
            if head {
                timing.head_resent = Some((sequence, self.now));
            }
        }
        if head {
            flow.deadline = self.now + flow.rtt.rto;
        }
    }

    /// A probe of the tail leaves.
    #[inline(never)]
    pub fn emit_probe(&mut self, sequence: u64, retransmission: bool) {
        self.emit(sequence, retransmission);
    }

    /// The transmission whose turn it is to be lost.
    #[cold]
    fn lose(&mut self, segment: [u64; 2]) {
        self.beside.leaving.advance();
        self.events.fabric.drop(self.now, Segment::from_words(self.now, segment));
    }

    /// A segment leaves its source: it reaches the access router at once, or over the flow's own lane.
    #[inline]
    pub fn inject(&mut self, segment: [u64; 2]) {
        match self.flow.access_lane {
            None => {
                let segment = Segment::from_words(self.now, segment);
                self.events.fabric.arrive(self.now, self.flow.access_router, segment);
            }
            Some(lane) => self.inject_on(lane, segment),
        }
    }

    /// A segment leaves its source on the lane of its flow. An optimistic receiver acknowledges it so that
    /// the acknowledgement takes the round-trip propagation delay, whatever happens to the segment: it knows
    /// when the segment left, because its own acknowledgements clock the sender.
    #[inline(never)]
    fn inject_on(&mut self, lane: LaneId, segment: [u64; 2]) {
        let segment = Segment::from_words(self.now, segment);
        self.events.fabric.send_on(self.now, lane, segment);
        let FlowHome::OwnLanes(own) = segment.flow.home() else { return };
        // A SYN is answered when it arrives.
        if !self.shared.own[own].1.receiver.is_silent || segment.sequence == 0 {
            return;
        }
        let round_trip = self.shared.base_rtt(&self.flow.ends(), Some(lane), self.now);
        let at = self.beside.leaving.early_acks.add(own, segment, self.now, round_trip);
        self.events.arm(at, code::EARLY_ACK | own as u64);
    }
}
