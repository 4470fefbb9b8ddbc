//! Sending: acknowledgements, loss recovery, timeouts, and what the window and the interface allow.

use super::delivery::{self, Delivery};
use super::domain::Domain;
use super::receiving::Earlier;
use super::shared::Shared;
use super::{code, misbehaving, pacing, recovery};
use crate::engine::Segment;
use crate::measure::Counters;
use crate::scenario::RtoRestart;
use crate::transport::rtt::Sample;
use crate::transport::scoreboard::Acked;
use crate::transport::{DeliverySampler, Flow, FlowState, OFF, Recovery, Repair};
use mesonet_cc::{AckEvent, LossCause, LossEvent, Picos, Positions, SendEvent};

/// An acknowledgement whose segments are marked in the scoreboard.
struct Acknowledgement {
    /// Number of its last segment.
    sequence: u64,
    /// Its last segment.
    segment: Segment,
    /// Its last segment was sent once only.
    sent_once: bool,
    /// The sender did not know that its last segment had arrived.
    new: bool,
    /// Segments that arrived before the last one.
    earlier: Option<Earlier>,
    /// Lowest unacknowledged segment before.
    una: u64,
    /// Lowest unacknowledged segment now.
    new_una: u64,
}

impl Acknowledgement {
    /// Number of segments newly acknowledged.
    #[inline(always)]
    fn segments(&self) -> u32 {
        u32::from(self.new) + self.earlier.map_or(0, |earlier| earlier.segments)
    }

    /// Returns whether it reports a mark.
    #[inline(always)]
    fn is_marked(&self) -> bool {
        self.segment.is_marked() || self.earlier.is_some_and(|earlier| earlier.marked)
    }

    /// Number of segments newly acknowledged that were marked, as in the counters of accurate ECN.
    #[inline(always)]
    fn marks(&self) -> u32 {
        u32::from(self.new && self.segment.is_marked()) + self.earlier.map_or(0, |earlier| earlier.marks)
    }

    /// Highest segment that it is about, for what ends once a segment or a later one is acknowledged.
    #[inline(always)]
    fn highest(&self) -> u64 {
        self.earlier.map_or(self.sequence, |earlier| earlier.highest.max(self.sequence))
    }

    /// Returns whether the lowest unacknowledged segment has moved.
    #[inline(always)]
    fn advances(&self) -> bool {
        self.new_una > self.una
    }
}

/// A flow and the parts of its domain that an acknowledgement changes.
struct Sender<'a> {
    slot: usize,
    now: Picos,
    shared: &'a Shared,
    flow: &'a mut Flow,
    samplers: &'a mut [DeliverySampler],
    repairs: &'a mut [Repair],
    counters: &'a mut Counters,
}

impl Sender<'_> {
    /// Updates the round-trip time and the timeout; returns the sample for the congestion control, 0 for none.
    #[inline(always)]
    fn measure_round_trip(&mut self, ack: &Acknowledgement) -> Picos {
        let (now, rules) = (self.now, &self.shared.rto);
        let age = ack.segment.age(now);
        let echoed = ack.advances() && rules.has_timestamps();
        let mut rtt = if ack.sent_once { age } else { 0 };
        let mut timed = if ack.sent_once || echoed { age } else { 0 };
        if !ack.sent_once && ack.advances() && rules.timestamp_tick > 0 {
            rtt = rules.by_timestamps(now - age, now);
            timed = rtt;
        }
        if let Some(earlier) = ack.earlier.filter(|earlier| earlier.held) {
            // An echoed timestamp is that of the first segment (RFC 7323, section 4.3).
            timed = earlier.rtt.unwrap_or(0);
            if !self.shared.rtt_of_last {
                rtt = timed;
            }
        }
        let flow = &mut *self.flow;
        flow.rtt.see(rtt);
        let sample = Sample { now, rtt: timed, una: ack.new_una, next: flow.board.next() };
        flow.rtt.acknowledged(flow.timing.as_deref_mut(), &sample, rules);
        rtt
    }

    /// Samples the delivery rate and counts losses, for an algorithm that wants them.
    #[inline(always)]
    fn measure_delivery(&mut self, ack: &Acknowledgement) -> Delivery {
        let config = &self.shared.configs[usize::from(self.flow.algorithm)];
        let mut delivery = Delivery::default();
        if config.wants_delivery_rate() && ack.new {
            let sampler = &mut self.samplers[self.slot];
            delivery =
                delivery::sample(sampler, self.flow, config, ack.sequence, self.now, ack.segment.is_marked());
            if self.shared.rules.rack {
                delivery.lost += std::mem::take(&mut self.repairs[self.slot].lost_again);
            }
        }
        delivery.lost += ack.earlier.map_or(0, |earlier| earlier.lost);
        delivery
    }

    /// Restarts the retransmission timer (RFC 6298, section 5.3), or as the rules of the scenario have it.
    #[inline(always)]
    fn restart_timer(&mut self, ack: &Acknowledgement) {
        let (now, rules) = (self.now, &self.shared.rules);
        let flow = &mut *self.flow;
        if ack.advances() {
            if !rules.is_cumulative() || recovery::restarts_timer(rules, &mut self.repairs[self.slot], flow) {
                flow.deadline = if flow.board.flight() == 0 { OFF } else { now + flow.rtt.rto };
            }
            return;
        }
        self.counters.duplicate_acks += 1;
        // tcp_input.c, tcp_clean_rtx_queue: as long as what left before the retransmission still comes.
        if self.shared.rto.restart == RtoRestart::Linux
            && let Some((head, resent)) = flow.timing.as_ref().and_then(|timing| timing.head_resent)
            && head == ack.una
            && now - ack.segment.age(now) < resent
        {
            flow.deadline = now + flow.rtt.rto;
        }
    }

    /// Ends recovery if it is over, and lets the congestion control adjust its window.
    #[inline(always)]
    fn adjust_window<const MAY_COUNT: bool>(
        &mut self,
        ack: &Acknowledgement,
        rtt: Picos,
        delivery: &Delivery,
    ) {
        let (now, rules) = (self.now, &self.shared.rules);
        let flow = &mut *self.flow;
        let config = &self.shared.configs[usize::from(flow.algorithm)];
        let was_fast = flow.recovery == Recovery::Fast;
        if flow.recovery != Recovery::Open
            && (ack.new_una >= flow.recover || rules.ends(flow.recovery, ack.advances()))
        {
            flow.recovery = Recovery::Open;
            if !rules.is_plain() {
                self.repairs[self.slot].ended(rules, &mut flow.board);
            }
            if was_fast {
                flow.controller.on_recovery_exit(config, now);
            }
        }
        let round_start = ack.highest() >= flow.round_end;
        if round_start {
            flow.round_end = flow.board.next();
            flow.peak_flight = [flow.board.pipe(), flow.peak_flight[0]];
        }
        let before = flow.controller.cwnd();
        // Algorithms that sample delivery rates count what is delivered.
        let counts_acks = MAY_COUNT && self.shared.counts_acks && !config.wants_delivery_rate();
        flow.controller.on_ack(
            config,
            &AckEvent {
                now,
                acked: if counts_acks { 1 } else { ack.segments() },
                rtt,
                min_rtt: flow.rtt.min_rtt,
                srtt: flow.rtt.srtt,
                in_flight: flow.board.pipe(),
                delivered: flow.delivered,
                delivery_rate: delivery.rate,
                sample: delivery.sample,
                lost: delivery.lost,
                round_start,
                // Duplicate acknowledgements before fast retransmit do not raise the window either (RFC 5681).
                in_recovery: flow.recovery == Recovery::Fast
                    || !ack.advances()
                    || (was_fast && !self.shared.grows_at_exit)
                    || (flow.in_marked_window() && config.rests_after_mark()),
                after_timeout: flow.recovery == Recovery::Timeout,
                cwnd_limited: flow.uses_window(before),
                app_limited: flow.board.next() == flow.end,
                ce: ack.marks(),
            },
            || Positions { una: ack.new_una - flow.base, next: flow.board.next() - flow.base },
        );
        if counts_acks && ack.advances() {
            misbehaving::count_pieces(self.shared, flow, now);
        }
        self.counters.increases += u64::from(flow.controller.cwnd() > before);
        if config.wants_delivery_rate() {
            delivery::update_limits(&mut self.samplers[self.slot], flow);
        }
    }
}

impl Domain {
    /// An acknowledgement reaches its source. `segment` is the one that it acknowledges.
    #[inline]
    pub(super) fn acknowledged(&mut self, segment: Segment) {
        let slot = self.slot(segment.flow);
        let flow = &mut self.flows[slot as usize];
        let sequence = flow.expand(segment.sequence);
        if flow.state != FlowState::Sending {
            if flow.state == FlowState::Connecting && sequence.wrapping_add(1) == flow.base {
                self.established(slot, Some(segment.words()));
            }
            return;
        }
        if sequence < flow.base || sequence >= flow.board.next() {
            return; // Of an earlier flow of this slot, or a repeated SYN.
        }
        if self.shared.cumulative {
            if self.shared.acks.is_some() {
                self.receive(slot, sequence, segment.words());
                return;
            }
            if self.misses_acks(slot) {
                self.acknowledged_with_dropped(slot, sequence, segment.words());
                return;
            }
            if self.shared.counts_acks {
                self.acknowledgement(slot, sequence, segment.words(), None);
                return;
            }
        }
        self.account::<false>(slot, sequence, segment, None);
    }

    /// An acknowledgement of `segment` and of `earlier` ones, by a receiver that holds them back, or to a sender that counts
    /// acknowledgements.
    #[inline(never)]
    pub(super) fn acknowledgement(
        &mut self,
        slot: u32,
        sequence: u64,
        segment: [u64; 2],
        earlier: Option<Earlier>,
    ) {
        self.account::<true>(slot, sequence, Segment::from_words(self.now, segment), earlier);
    }

    /// Accounts for an acknowledgement of `segment`, which has number `sequence`, and of `earlier` ones; the sender `MAY_COUNT`
    /// acknowledgements in place of segments.
    // It lies on the path of every acknowledgement: neither it nor its steps may be calls there.
    #[inline(always)]
    fn account<const MAY_COUNT: bool>(
        &mut self,
        slot: u32,
        sequence: u64,
        segment: Segment,
        earlier: Option<Earlier>,
    ) {
        let flow = &mut self.flows[slot as usize];
        let una = earlier.map_or(flow.board.una(), |earlier| earlier.una);
        let acked = if self.shared.rules.is_plain() {
            flow.board.acknowledge(sequence, self.shared.scenario.transport.duplicate_threshold)
        } else if self.shared.rules.rack {
            self.take_by_time(slot, sequence, segment)
        } else {
            let known = if earlier.is_some_and(|earlier| earlier.dropped) { una } else { flow.board.una() };
            self.take_acknowledgement(slot, sequence, segment.words(), known)
        };
        let (new, sent_once) = match acked {
            Acked::New { sent_once } => (true, sent_once),
            // Of a segment that came twice, but another one had no acknowledgement of its own.
            Acked::Known if earlier.is_some_and(|earlier| earlier.segments > 0) => (false, false),
            Acked::Known => {
                self.counters.duplicate_acks += 1;
                self.known_again(slot);
                return;
            }
        };
        if new {
            self.count_delivery(slot, sequence, segment);
        }
        let mut sender = self.sender(slot);
        let new_una = sender.flow.board.una();
        let ack = Acknowledgement { sequence, segment, sent_once, new, earlier, una, new_una };
        let rtt = sender.measure_round_trip(&ack);
        let delivery = sender.measure_delivery(&ack);
        if ack.advances() && new_una == sender.flow.end && !sender.flow.is_fed {
            self.complete(slot);
            return;
        }
        sender.restart_timer(&ack);
        sender.adjust_window::<MAY_COUNT>(&ack, rtt, &delivery);
        self.react_to_congestion(slot, &ack);
        if self.shared.rules.rack {
            self.follow_acknowledgement(slot, ack.advances());
        } else {
            self.watch_deadline(slot);
        }
        self.send_allowed(slot);
    }

    /// Counts a segment that has arrived for the first time.
    #[inline(always)]
    pub(super) fn count_delivery(&mut self, slot: u32, sequence: u64, segment: Segment) {
        let flow = &mut self.flows[slot as usize];
        flow.delivered += 1;
        flow.heard = self.now;
        self.counters.delivered += 1;
        self.counters.acked_by_class[usize::from(flow.pair_class)] += 1;
        if flow.recovery != Recovery::Open {
            self.look_for_spurious(slot, sequence, segment.words());
        }
    }

    /// Borrows a flow and the parts of the domain that an acknowledgement changes.
    #[inline(always)]
    fn sender(&mut self, slot: u32) -> Sender<'_> {
        Sender {
            slot: slot as usize,
            now: self.now,
            shared: &self.shared,
            flow: &mut self.flows[slot as usize],
            samplers: &mut self.samplers,
            repairs: &mut self.repairs,
            counters: &mut self.counters,
        }
    }

    /// Looks for lost segments and new marks, and reacts to them.
    #[inline(always)]
    fn react_to_congestion(&mut self, slot: u32, ack: &Acknowledgement) {
        if self.flows[slot as usize].recovery == Recovery::Open {
            if self.finds_loss(slot) {
                self.fast_retransmit(slot);
            } else if ack.is_marked() && ack.highest() >= self.flows[slot as usize].recover {
                self.answer_mark(slot);
            }
        }
        if self.shared.rules.rack {
            self.reduce_again(slot);
        }
        if self.shared.rules.reduces() && self.flows[slot as usize].recovery == Recovery::Fast {
            self.reduce(slot, ack.segments(), ack.advances());
        }
    }

    /// Enough later segments were acknowledged: one reduction, then recovery until everything now outstanding is
    /// acknowledged. A segment that is sent from now on and lost belongs to the next episode: it is retransmitted then,
    /// after a second reduction, because it was sent after the first one. The first lost segment is retransmitted whatever the window (RFC 6675, section 5).
    pub(super) fn fast_retransmit(&mut self, slot: u32) {
        let flight = self.begin_repair(slot);
        let was_open = self.flows[slot as usize].recovery == Recovery::Open;
        let flow = &mut self.flows[slot as usize];
        let marked = flow.recovery == Recovery::Open && flow.in_marked_window();
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
        self.arm_undo(slot, was_open && !marked);
        let flow = &mut self.flows[slot as usize];
        if marked {
            // The window was reduced for a mark since the lost segment left, and once per window is enough (RFC 3168,
            // section 6.1.2; RFC 8257, section 3.5). What left after that reduction belongs to the next episode.
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
        flow.controller.on_loss(&self.shared.configs[usize::from(flow.algorithm)], &loss);
    }

    /// A mark, and no reduction since the marked segment left: one, then none until what is outstanding now has been
    /// acknowledged (RFC 3168, section 6.1.2).
    #[inline(never)]
    fn answer_mark(&mut self, slot: u32) {
        let flow = &mut self.flows[slot as usize];
        flow.recover = flow.board.next();
        flow.answered_mark = true;
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
        flow.controller.on_loss(&self.shared.configs[usize::from(flow.algorithm)], &mark);
    }

    /// The timer entry that watches a flow came up: the timer may have been restarted since.
    pub(super) fn flow_timer(&mut self, slot: u32, time: Picos) {
        let flow = &mut self.flows[slot as usize];
        if flow.watched_then == time {
            flow.watched_then = 0;
        }
        if flow.state == FlowState::Free || flow.watched != time {
            return;
        }
        flow.watched = 0;
        if self.shared.acks.is_some() && self.receiver_timer(slot, time) {
            self.watch_deadline(slot);
            return;
        }
        if self.shared.rules.rack && self.recovery_timer(slot, time) {
            self.watch_deadline(slot);
            return;
        }
        let flow = &mut self.flows[slot as usize];
        if flow.deadline > time {
            self.watch_deadline(slot);
        } else if flow.state == FlowState::Connecting {
            self.syn_expired(slot);
        } else {
            self.retransmission_timeout(slot);
        }
    }

    /// Counts every outstanding segment as lost.
    fn retransmission_timeout(&mut self, slot: u32) {
        self.counters.timeouts += 1;
        let flow = &self.flows[slot as usize];
        if flow.recovery != Recovery::Timeout || flow.timed_out != flow.board.una() {
            self.arm_undo(slot, true);
        }
        let flow = &mut self.flows[slot as usize];
        let una = flow.board.una();
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
        flow.controller.on_loss(&self.shared.configs[usize::from(flow.algorithm)], &loss);
        if self.shared.rules.is_cumulative() {
            self.repairs[slot as usize].reno.timed_out(&mut flow.board);
        } else {
            flow.board.lose_everything();
        }
        if self.shared.rules.rack {
            let repair = &mut self.repairs[slot as usize];
            repair.rack.timed_out(self.now);
            repair.probe.timed_out();
        }
        let config = &self.shared.configs[usize::from(flow.algorithm)];
        if config.wants_delivery_rate() {
            delivery::report_losses(&mut self.samplers[slot as usize], flow, config, self.now);
        }
        flow.retransmit_first = false;
        flow.answered_mark = false;
        flow.recovery = Recovery::Timeout;
        flow.recover = flow.board.next();
        flow.rtt.back_off(flow.timing.as_deref_mut(), &self.shared.rto);
        flow.deadline = self.now + flow.rtt.rto;
        self.watch_deadline(slot);
        self.send_allowed(slot);
    }

    /// The algorithm's own timer.
    pub(super) fn tick(&mut self, slot: u32, time: Picos) {
        let flow = &mut self.flows[slot as usize];
        let algorithm = usize::from(flow.algorithm);
        let Some(period) = self.shared.tick_period[algorithm] else { return };
        if flow.state != FlowState::Sending || flow.tick != time {
            return;
        }
        let before = flow.controller.cwnd();
        flow.controller.on_timer(&self.shared.configs[algorithm], time);
        let after = flow.controller.cwnd();
        self.counters.increases += u64::from(after > before);
        flow.tick = time + period;
        self.arm_flow(time + period, code::TICK, slot);
        // A tick that changes nothing must not send: at the instant at which the interface becomes free it would only
        // change the order of simultaneous events, and algorithms with and without a timer would drift apart.
        if after > before {
            self.send_allowed(slot);
        }
    }

    /// Sees to it that a timer entry comes up at the deadline or before. What comes up early changes nothing.
    #[inline(always)]
    pub(super) fn watch_deadline(&mut self, slot: u32) {
        let flow = &self.flows[slot as usize];
        let mut deadline = flow.deadline;
        if self.shared.rules.rack && flow.state == FlowState::Sending {
            deadline = deadline.min(self.repairs[slot as usize].timer());
        }
        self.watch_until(slot, deadline);
    }

    /// The same, where the timers of the sender are known to end at `deadline`.
    #[inline(always)]
    pub(super) fn watch_until(&mut self, slot: u32, mut deadline: Picos) {
        let flow = &self.flows[slot as usize];
        if self.shared.acks.is_some() && flow.state == FlowState::Sending {
            deadline = deadline.min(self.receiver_deadline(slot));
        }
        if deadline != OFF && (flow.watched == 0 || deadline < flow.watched) {
            self.watch_sooner(slot, deadline);
        }
    }

    /// No known entry comes up at the deadline or before, except perhaps one that was armed for an earlier deadline.
    #[inline]
    fn watch_sooner(&mut self, slot: u32, deadline: Picos) {
        let flow = &mut self.flows[slot as usize];
        if flow.watched == 0 && flow.watched_then != 0 && flow.watched_then <= deadline {
            flow.watched = std::mem::take(&mut flow.watched_then);
            return;
        }
        if flow.watched_then == 0 {
            flow.watched_then = flow.watched;
        }
        self.watch(slot, deadline);
    }

    /// Arms a timer entry for the flow.
    pub(super) fn watch(&mut self, slot: u32, at: Picos) {
        self.flows[slot as usize].watched = at;
        self.arm_flow(at, code::FLOW, slot);
    }

    /// Sends what the windows and the interface allow, at once or after the sender's overhead.
    #[inline]
    pub(super) fn send_allowed(&mut self, slot: u32) {
        if self.flows[slot as usize].delays_sends {
            self.send_later(slot);
        } else {
            self.send_now(slot);
        }
    }

    /// Sends what the windows and the interface allow.
    #[inline(always)]
    pub(super) fn send_now(&mut self, slot: u32) {
        if self.may_send(slot) {
            self.send_all(slot);
        }
    }

    /// The window allows a segment, there is one, and the interface is free. An event is armed where only the interface is
    /// awaited.
    #[inline(always)]
    fn may_send(&mut self, slot: u32) -> bool {
        let flow = &self.flows[slot as usize];
        let mut window = flow.controller.cwnd();
        if self.shared.rules.reduces() && flow.recovery == Recovery::Fast {
            window = self.repairs[slot as usize].prr.window(window);
        }
        if f64::from(flow.board.pipe()) + 1.0 > window && !flow.retransmit_first {
            return false;
        }
        if flow.recovery == Recovery::Open && !flow.may_send_new(self.shared.receiver_window) {
            return false;
        }
        if flow.interface_free > self.now {
            self.wait_for_interface(slot);
            return false;
        }
        true
    }

    /// Sends what is allowed, a segment at least if there is one.
    #[inline(never)]
    fn send_all(&mut self, slot: u32) {
        loop {
            let recovering = self.flows[slot as usize].recovery != Recovery::Open;
            let Some((sequence, retransmission)) = self.next_segment(slot, recovering) else { return };
            self.emit(slot, sequence, retransmission);
            if self.shared.rules.rack && retransmission {
                self.watch_deadline(slot);
            }
            if !self.may_send(slot) {
                return;
            }
        }
    }

    /// Arms the event at which the interface becomes free.
    #[inline]
    pub(super) fn wait_for_interface(&mut self, slot: u32) {
        let flow = &mut self.flows[slot as usize];
        if flow.interface_armed {
            return;
        }
        flow.interface_armed = true;
        let free = flow.interface_free;
        self.arm_interface(free, slot);
    }

    /// The next segment to send (RFC 6675 NextSeg): a lost one, else a new one, else one that too few later segments
    /// have passed, else once per recovery the highest outstanding one.
    fn next_segment(&mut self, slot: u32, recovering: bool) -> Option<(u64, bool)> {
        if self.shared.rules.is_cumulative() {
            return self.next_segment_in_turn(slot);
        }
        if self.shared.rules.rack {
            return self.next_segment_by_time(slot, recovering);
        }
        let flow = &mut self.flows[slot as usize];
        if recovering && let Some(sequence) = flow.board.retransmit(flow.recover, false) {
            return Some((sequence, true));
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

    /// A segment leaves the interface and reaches the access router at once.
    #[inline(always)]
    fn emit(&mut self, slot: u32, sequence: u64, retransmission: bool) {
        let now = self.now;
        let flow = &mut self.flows[slot as usize];
        if flow.deadline == OFF {
            flow.deadline = now + flow.rtt.rto;
            self.watch_deadline(slot);
        }
        let flow = &mut self.flows[slot as usize];
        if flow.sent == 0 {
            (flow.first_sent, flow.heard) = (now, now);
        }
        if flow.is_fed {
            self.explicit[flow.home as usize - self.sources.len()].last_sent = now;
        }
        flow.sent += 1;
        flow.peak_flight[0] = flow.peak_flight[0].max(flow.board.pipe());
        flow.retransmit_first = false;
        if !self.shared.rules.is_plain() {
            self.note_departure(slot, sequence, retransmission);
        }
        let flow = &mut self.flows[slot as usize];
        if retransmission {
            self.sent_again(slot, sequence);
        } else if let Some(timing) = &mut flow.timing {
            timing.sent(sequence, now);
        }
        let flow = &mut self.flows[slot as usize];
        flow.interface_free = now + pacing::gap(flow, self.shared.unpaced);
        // An event armed for this very instant is superseded.
        flow.interface_armed = false;
        self.counters.entering += 1;
        self.counters.data_sent += 1;
        let config = &self.shared.configs[usize::from(flow.algorithm)];
        if config.wants_sends() {
            let in_flight = flow.board.pipe();
            flow.controller.on_send(config, &SendEvent { now, in_flight, retransmission });
        }
        if config.wants_delivery_rate() {
            delivery::sent(&mut self.samplers[slot as usize], flow, sequence, now);
        }
        let mut segment = Segment::new(now, flow.id, sequence as u32, flow.receiver.index());
        if retransmission {
            segment = segment.copy();
        }
        if self.shared.marking {
            segment = self.shared.with_codepoint(segment, usize::from(flow.algorithm), retransmission);
        }
        if self.counters.data_sent == self.next_loss {
            self.lose(segment.words());
            return;
        }
        self.inject(slot, segment.words());
    }

    /// Segment `sequence` leaves again. Where acknowledgements are selective, the timer of the lowest outstanding one starts anew
    /// with it; otherwise only with fast retransmit (RFC 6582, section 3.2: an "impatient" sender).
    #[inline(never)]
    fn sent_again(&mut self, slot: u32, sequence: u64) {
        let flow = &mut self.flows[slot as usize];
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

    /// In recovery `segment`, which has number `sequence`, is acknowledged for the first time: if it is the original of the segment
    /// that seemed lost, nothing was (Eifel, RFC 3522).
    #[inline(never)]
    pub(super) fn look_for_spurious(&mut self, slot: u32, sequence: u64, segment: [u64; 2]) {
        let (now, segment) = (self.now, Segment::from_words(self.now, segment));
        let flow = &mut self.flows[slot as usize];
        if flow.recovery == Recovery::Timeout {
            if sequence == flow.timed_out && now - segment.age(now) < flow.expired {
                flow.spurious_timeouts += 1;
                self.counters.spurious_timeouts += 1;
                if self.shared.rules.undoes {
                    self.undo(slot, sequence);
                }
            }
        } else if self.shared.rules.undoes && !segment.is_copy() && self.undo(slot, sequence) {
            self.counters.spurious_recoveries += 1;
        }
    }

    /// A probe of the tail leaves.
    #[inline(never)]
    pub(super) fn emit_probe(&mut self, slot: u32, sequence: u64, retransmission: bool) {
        self.emit(slot, sequence, retransmission);
    }

    /// A segment leaves its source: it reaches the access router at once, or over the flow's own lane.
    #[inline]
    pub(super) fn inject(&mut self, slot: u32, segment: [u64; 2]) {
        let flow = &self.flows[slot as usize];
        match flow.access_lane {
            None => {
                let segment = Segment::from_words(self.now, segment);
                self.fabric.arrive(self.now, flow.access_router, segment);
            }
            Some(lane) => self.inject_on(slot, lane, segment),
        }
    }
}
