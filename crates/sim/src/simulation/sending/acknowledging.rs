//! Acknowledgements: round trips, delivery rates, the window, and reactions to congestion.

use super::delivery::{self, Delivery};
use super::sender::{Outcome, Sender};
use crate::engine::Segment;
use crate::scenario::RtoRestart;
use crate::transport::rtt::Sample;
use crate::transport::scoreboard::Acked;
use crate::transport::{OFF, Recovery};
use mesonet_cc::{AckEvent, Picos, Positions};

/// The segments of an acknowledgement before its last one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Earlier {
    /// Lowest unacknowledged segment before the acknowledgement.
    pub una: u64,
    /// Segments newly acknowledged.
    pub segments: u32,
    /// The receiver had held back some of these until this acknowledgement.
    pub held: bool,
    /// Round-trip time of the first newly acknowledged segment that the receiver had held back. None: there
    /// is no such segment. 0: it was sent more than once, so that the time is ambiguous (Karn). The sender
    /// takes no sample from either.
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

/// An acknowledgement whose segments are marked in the scoreboard.
pub struct Acknowledgement {
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
    pub new_una: u64,
}

impl Acknowledgement {
    /// Number of segments newly acknowledged.
    #[inline(always)]
    fn segments(&self) -> u32 {
        u32::from(self.new) + self.earlier.map_or(0, |earlier| earlier.segments)
    }

    /// Number of segments newly acknowledged, without the last one if that was sent again.
    pub fn originals(&self) -> u32 {
        self.segments() - u32::from(self.new && !self.sent_once)
    }

    /// Returns whether it reports a mark.
    #[inline(always)]
    pub fn is_marked(&self) -> bool {
        self.segment.is_marked() || self.earlier.is_some_and(|earlier| earlier.marked)
    }

    /// Number of segments newly acknowledged that were marked, as in the counters of accurate ECN.
    #[inline(always)]
    fn marks(&self) -> u32 {
        u32::from(self.new && self.segment.is_marked()) + self.earlier.map_or(0, |earlier| earlier.marks)
    }

    /// Highest segment that it is about, for what ends once a segment or a later one is acknowledged.
    #[inline(always)]
    pub fn highest(&self) -> u64 {
        self.earlier.map_or(self.sequence, |earlier| earlier.highest.max(self.sequence))
    }

    /// Returns whether the lowest unacknowledged segment has moved.
    #[inline(always)]
    fn advances(&self) -> bool {
        self.new_una > self.una
    }
}

impl Sender<'_> {
    /// Updates the round-trip time and the timeout; returns the sample for the congestion control, 0 for
    /// none.
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
        let config = self.config;
        let mut delivery = Delivery::default();
        if config.wants_delivery_rate() && ack.new {
            let marked = ack.segment.is_marked();
            let sampler = &mut self.beside.samplers[self.slot as usize];
            delivery = delivery::sample(sampler, self.flow, config, ack.sequence, self.now, marked);
            if self.shared.rules.rack {
                delivery.lost += std::mem::take(&mut self.repair.lost_again);
            }
        }
        delivery.lost += ack.earlier.map_or(0, |earlier| earlier.lost);
        delivery
    }

    /// Restarts the retransmission timer (RFC 6298, section 5.3), or as the rules of the scenario have it.
    #[inline(always)]
    fn restart_timer(&mut self, ack: &Acknowledgement) {
        let (now, rules) = (self.now, &self.shared.rules);
        if ack.advances() {
            if !rules.is_cumulative() || self.restarts_timer() {
                let flow = &mut *self.flow;
                flow.deadline = if flow.board.flight() == 0 { OFF } else { now + flow.rtt.rto };
            }
            return;
        }
        self.counters.duplicate_acks += 1;
        // tcp_input.c, tcp_clean_rtx_queue: as long as what left before the retransmission still comes.
        if self.shared.rto.restart == RtoRestart::Linux {
            if let Some((head, resent)) = self.flow.timing.as_ref().and_then(|timing| timing.head_resent) {
                if head == ack.una && now - ack.segment.age(now) < resent {
                    self.flow.deadline = now + self.flow.rtt.rto;
                }
            }
        }
    }

    /// The window limits the flow.
    #[inline(always)]
    fn is_window_limited(&self) -> bool {
        let (flow, cwnd) = (&*self.flow, self.flow.controller.cwnd());
        if self.shared.notes_usage {
            let in_slow_start = cwnd < flow.controller.ssthresh();
            self.beside.usages[self.slot as usize].limits(cwnd, in_slow_start)
        } else {
            flow.uses_window(cwnd)
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
        let config = self.config;
        let was_fast = flow.recovery == Recovery::Fast;
        if flow.recovery != Recovery::Open
            && (ack.new_una >= flow.recover || rules.ends(flow.recovery, ack.advances()))
        {
            flow.recovery = Recovery::Open;
            if !rules.is_plain() {
                self.repair.ended(rules, &mut flow.board);
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
        let cwnd_limited = self.is_window_limited();
        let flow = &mut *self.flow;
        // Algorithms that sample delivery rates count what is delivered.
        let counts_acks = MAY_COUNT && self.shared.counts_acks && !config.wants_delivery_rate();
        flow.controller.on_ack(
            config,
            &AckEvent {
                now,
                acked: if counts_acks { 1 } else { ack.segments() },
                segments: ack.segments(),
                rtt,
                min_rtt: flow.rtt.min_rtt,
                srtt: flow.rtt.srtt,
                in_flight: flow.board.pipe(),
                delivered: flow.delivered,
                delivery_rate: delivery.rate,
                sample: delivery.sample,
                lost: delivery.lost,
                round_start,
                // Duplicate acknowledgements before fast retransmit do not raise the window either (RFC
                // 5681).
                in_recovery: flow.recovery == Recovery::Fast
                    || !ack.advances()
                    || (was_fast && !self.shared.grows_at_exit)
                    || (flow.in_marked_window() && config.marks().rests),
                after_timeout: flow.recovery == Recovery::Timeout,
                cwnd_limited,
                app_limited: flow.board.next() == flow.end,
                ce: ack.marks(),
            },
            || Positions { una: ack.new_una - flow.base, next: flow.board.next() - flow.base },
        );
        if counts_acks && ack.advances() {
            self.count_pieces();
        }
        self.counters.increases += u64::from(self.flow.controller.cwnd() > before);
        if config.wants_delivery_rate() {
            delivery::update_limits(&mut self.beside.samplers[self.slot as usize], self.flow);
        }
    }

    /// An acknowledgement of `segment` and of `earlier` ones, by a receiver that holds them back, or to a
    /// sender that counts acknowledgements or logs them.
    #[inline(never)]
    pub fn acknowledgement(&mut self, sequence: u64, segment: [u64; 2], earlier: Option<Earlier>) -> Outcome {
        let segment = Segment::from_words(self.now, segment);
        self.beside.packets.acknowledged(self.slot, sequence, segment, self.now);
        let outcome = self.account::<true>(sequence, segment, earlier);
        self.beside.packets.find_losses(self.slot, &self.flow.board, self.now);
        outcome
    }

    /// Accounts for an acknowledgement of `segment`, which has number `sequence`, and of `earlier` ones; the
    /// sender `MAY_COUNT` acknowledgements in place of segments.
    // It lies on the path of every acknowledgement: neither it nor its steps may be calls there.
    #[inline(always)]
    pub fn account<const MAY_COUNT: bool>(
        &mut self,
        sequence: u64,
        segment: Segment,
        earlier: Option<Earlier>,
    ) -> Outcome {
        let una = earlier.map_or(self.flow.board.una(), |earlier| earlier.una);
        let acked = if self.shared.rules.is_plain() {
            self.flow.board.acknowledge(sequence, self.shared.scenario.transport.duplicate_threshold)
        } else if self.shared.rules.rack {
            self.take_by_time(sequence, segment)
        } else {
            let is_dropped = earlier.is_some_and(|earlier| earlier.dropped);
            let known = if is_dropped { una } else { self.flow.board.una() };
            self.take_acknowledgement(sequence, segment.words(), known)
        };
        let (new, sent_once) = match acked {
            Acked::New { sent_once } => (true, sent_once),
            // Of a segment that came twice, but another one had no acknowledgement of its own.
            Acked::Known if earlier.is_some_and(|earlier| earlier.segments > 0) => (false, false),
            Acked::Known => {
                self.counters.duplicate_acks += 1;
                self.known_again();
                return Outcome::Nothing;
            }
        };
        if new {
            self.count_delivery(sequence, segment);
        }
        let new_una = self.flow.board.una();
        let ack = Acknowledgement { sequence, segment, sent_once, new, earlier, una, new_una };
        let rtt = self.measure_round_trip(&ack);
        let delivery = self.measure_delivery(&ack);
        let is_all = ack.advances() && new_una == self.flow.end;
        if is_all && !self.flow.is_fed {
            return Outcome::Completed;
        }
        self.restart_timer(&ack);
        self.adjust_window::<MAY_COUNT>(&ack, rtt, &delivery);
        if MAY_COUNT && self.shared.saved.is_some() {
            self.resume(&ack, rtt);
        }
        self.react_to_congestion(&ack);
        if self.shared.rules.rack {
            self.follow_acknowledgement(ack.advances());
        } else {
            self.watch_deadline();
        }
        self.send_allowed();
        if is_all && self.flow.is_asked_for { Outcome::Delivered } else { Outcome::Nothing }
    }

    /// Counts a segment that has arrived for the first time.
    #[inline(always)]
    pub fn count_delivery(&mut self, sequence: u64, segment: Segment) {
        let flow = &mut *self.flow;
        flow.delivered += 1;
        flow.heard = self.now;
        self.counters.delivered += 1;
        self.counters.acked_by_class[usize::from(flow.pair_class)] += 1;
        if flow.recovery != Recovery::Open {
            self.look_for_spurious(sequence, segment.words());
        }
    }

    /// Looks for lost segments and new marks, and reacts to them.
    #[inline(always)]
    fn react_to_congestion(&mut self, ack: &Acknowledgement) {
        if self.flow.recovery == Recovery::Open {
            if self.finds_loss() {
                self.fast_retransmit();
            } else if ack.is_marked() && ack.highest() >= self.flow.recover {
                self.answer_mark();
            }
        }
        if self.shared.rules.rack {
            self.reduce_again();
        }
        if self.shared.rules.reduces() && self.flow.recovery == Recovery::Fast {
            self.reduce(ack.segments(), ack.advances());
        }
    }

    /// An acknowledgement that moves on has reached a sender that counts acknowledgements: it counts the
    /// other pieces, if the receiver has divided it. They time no segment and report no mark.
    #[inline(never)]
    fn count_pieces(&mut self) {
        let Some(spec) = self.shared.explicit(self.flow) else { return };
        for _ in 1..spec.ack_pieces.unwrap_or(1) {
            let cwnd_limited = self.is_window_limited();
            let flow = &mut *self.flow;
            let piece = AckEvent {
                now: self.now,
                acked: 1,
                min_rtt: flow.rtt.min_rtt,
                srtt: flow.rtt.srtt,
                in_flight: flow.board.pipe(),
                delivered: flow.delivered,
                in_recovery: flow.recovery == Recovery::Fast
                    || (flow.in_marked_window() && self.config.marks().rests),
                after_timeout: flow.recovery == Recovery::Timeout,
                cwnd_limited,
                app_limited: flow.board.next() == flow.end,
                ..AckEvent::default()
            };
            let (una, next) = (flow.board.una() - flow.base, flow.board.next() - flow.base);
            flow.controller.on_ack(self.config, &piece, || Positions { una, next });
        }
    }
}
