//! The handshake: SYNs, their retries, and what begins when the SYN-ACK has arrived.

use super::sender::{Outcome, Sender};
use crate::engine::Segment;
use crate::scenario::RetryRule;
use crate::simulation::code;
use crate::transport::rtt::Sample;
use crate::transport::{CarefulResume, DeliverySampler, FlowState, OFF, Piece, Usage};
use mesonet_cc::{Picos, SECOND, picos};

/// Data timeout after a SYN had to be repeated, where no round trip is known (RFC 6298, 5.7).
const RTO_AFTER_SYN_RETRY: Picos = 3 * SECOND;

impl Sender<'_> {
    /// The flow begins, with a SYN if the scenario has them.
    pub fn connect(&mut self) {
        if self.flow.is_fed {
            self.beside.leaving.fed_flow_sends(self.slot, 0);
        }
        if self.shared.scenario.connection.establish {
            self.send_syn();
        } else {
            self.established(None);
        }
    }

    /// Sends a SYN and waits for its answer, twice as long each time once the linear timeouts are over.
    fn send_syn(&mut self) {
        let flow = &mut *self.flow;
        let connection = &self.shared.scenario.connection;
        let doublings = flow.syns.saturating_sub(connection.syn_linear_timeouts);
        let mut wait = picos(connection.syn_timeout).saturating_mul(1 << doublings);
        if connection.retry_rule == RetryRule::Linux {
            // tcp_timer.c, tcp_retransmit_timer.
            wait = wait.min(self.shared.rto.max);
        }
        // No wait needs to reach beyond the end of the run.
        wait = wait.min(self.shared.end + 1);
        flow.syns += 1;
        flow.deadline = self.now + wait;
        let deadline = flow.deadline;
        let mut segment =
            Segment::new(self.now, flow.id, flow.base.wrapping_sub(1) as u32, usize::from(flow.target));
        if flow.syns > 1 {
            segment = segment.copy();
        }
        // A repeated SYN is Not-ECT: hops may drop what they do not expect (draft-ietf-tcpm-generalized-ecn,
        // 3.2.1).
        if flow.syns == 1 && self.shared.marking && self.shared.scenario.connection.ecn {
            segment = self.shared.with_codepoint(segment, usize::from(flow.algorithm), false);
        }
        self.watch(deadline);
        self.counters.entering += 1;
        self.inject(segment.words());
    }

    /// No answer to the last SYN.
    pub fn syn_expired(&mut self) -> Outcome {
        if self.flow.syns < self.shared.scenario.connection.syn_attempts {
            self.send_syn();
            return Outcome::Nothing;
        }
        Outcome::GaveUp
    }

    /// The round trip of the SYN that was answered: for the timer, and for congestion control, where 0 is for
    /// none.
    fn handshake_round_trips(&self, syn_ack: Segment) -> Option<[Picos; 2]> {
        let age = syn_ack.age(self.now);
        let rto = &self.shared.rto;
        if self.flow.syns <= 1 {
            return Some([age; 2]);
        }
        if self.shared.scenario.connection.retry_rule == RetryRule::Rfc || !rto.has_timestamps() {
            return None; // RFC 6298, section 3 (Karn).
        }
        let by_timestamps = || rto.by_timestamps(self.now - age, self.now);
        Some(if rto.timestamp_tick == 0 { [age, 0] } else { [by_timestamps(); 2] })
    }

    /// Returns whether repeated SYNs were lost, as far as the sender can know.
    fn lost_syns(&self, syn_ack: Segment) -> bool {
        match self.shared.scenario.connection.retry_rule {
            RetryRule::Rfc => self.flow.syns > 1,
            // tcp_input.c, tcp_init_transfer and tcp_try_undo_spurious_syn: the first SYN is no copy.
            RetryRule::Linux => {
                self.flow.syns > 2 && (syn_ack.is_copy() || !self.shared.rto.has_timestamps())
            }
        }
    }

    /// The SYN-ACK has arrived; none where flows begin without a SYN.
    #[inline(never)]
    pub fn established(&mut self, syn_ack: Option<[u64; 2]>) {
        let syn_ack = syn_ack.map(|words| Segment::from_words(self.now, words));
        // A mark counts as a loss (RFC 5562, section 3.2, of SYN-ACKs; draft-ietf-tcpm-generalized-ecn, of
        // SYNs).
        let is_reduced = syn_ack.is_some_and(|segment| segment.is_marked() || self.lost_syns(segment));
        let window = if is_reduced {
            self.shared.scenario.connection.window_after_retry
        } else {
            self.shared.scenario.transport.initial_window
        };
        let round_trips = syn_ack.and_then(|segment| self.handshake_round_trips(segment));
        let measured = round_trips.map_or(0, |[_, measured]| measured);
        let flow = &mut *self.flow;
        let start = self.shared.start(self.now, window, measured, flow.source, flow.transfer);
        flow.state = FlowState::Sending;
        flow.controller = self.config.start(&start);
        flow.round_end = flow.base;
        flow.deadline = OFF;
        if let Some([timed, _]) = round_trips {
            // The SYN is one segment of its own.
            let (now, base) = (self.now, flow.base);
            flow.rtt.see(measured);
            if let Some(timing) = &mut flow.timing {
                timing.sent(base - 1, now - timed);
            }
            let sample = Sample { now, rtt: timed, una: base, next: base };
            flow.rtt.acknowledged(flow.timing.as_deref_mut(), &sample, &self.shared.rto);
        } else if flow.syns > 1 {
            flow.rtt.rto = flow.rtt.rto.max(RTO_AFTER_SYN_RETRY);
        }
        if self.config.wants_delivery_rate() {
            self.beside.samplers[self.slot as usize] = DeliverySampler::new(flow.base);
        }
        if !self.shared.rules.is_plain() {
            self.repair.begin(flow.base);
        }
        if self.shared.notes_usage {
            self.beside.usages[self.slot as usize] = Usage::default();
        }
        if self.shared.pieces.is_some() {
            self.beside.pieces[self.slot as usize] = Piece::default();
        }
        if self.shared.saved.is_some() {
            let end = flow.base + window as u64;
            self.beside.resumes[self.slot as usize] = CarefulResume::new(end);
        }
        if let Some(rules) = &self.shared.acks {
            self.beside.receivers[self.slot as usize].begin(rules);
        }
        if let Some(period) = self.shared.tick_period[usize::from(flow.algorithm)] {
            flow.tick = self.now + period;
            let tick = flow.tick;
            self.arm(tick, code::TICK);
        }
        self.send_allowed();
    }
}
