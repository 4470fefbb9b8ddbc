//! Events of a sender: acknowledgements, and its timers.

use super::delivery;
use super::sender::{Outcome, Sender};
use crate::applications::Act;
use crate::engine::Segment;
use crate::simulation::code;
use crate::transport::FlowState;
use mesonet_cc::{IdleEvent, Picos};

impl Sender<'_> {
    /// An acknowledgement reaches its source. `segment` is the one that it acknowledges.
    #[inline(always)]
    pub fn acknowledged(&mut self, segment: Segment) -> Outcome {
        let flow = &*self.flow;
        let sequence = flow.expand(segment.sequence);
        if flow.state != FlowState::Sending {
            if flow.state == FlowState::Connecting && sequence.wrapping_add(1) == flow.base {
                self.established(Some(segment.words()));
            }
            return Outcome::Nothing;
        }
        if sequence < flow.base || sequence >= flow.board.next() {
            return Outcome::Nothing; // Of an earlier flow of this slot, or a repeated SYN.
        }
        if self.shared.cumulative {
            if self.shared.acks.is_some() {
                return self.receive(sequence, segment.words());
            }
            if self.flow.acks_dropped {
                return self.acknowledged_with_dropped(sequence, segment.words());
            }
            let shared = self.shared;
            if shared.counts_acks || shared.saved.is_some() || shared.logs_packets() {
                return self.acknowledgement(sequence, segment.words(), None);
            }
        }
        self.account::<false>(sequence, segment, None)
    }

    /// An acknowledgement of an optimistic receiver reaches its source.
    #[inline(never)]
    pub fn acknowledged_early(&mut self, segment: Segment) -> Outcome {
        let flow = &*self.flow;
        let sequence = flow.expand(segment.sequence);
        if flow.state == FlowState::Sending && sequence >= flow.base && sequence < flow.board.next() {
            return self.acknowledgement(sequence, segment.words(), None);
        }
        Outcome::Nothing
    }

    /// The timer entry that watches a flow came up: the timer may have been restarted since.
    pub fn timer(&mut self, time: Picos) -> Outcome {
        if self.flow.watched_then == time {
            self.flow.watched_then = 0;
        }
        if self.flow.state == FlowState::Free || self.flow.watched != time {
            return Outcome::Nothing;
        }
        self.flow.watched = 0;
        if self.shared.acks.is_some() {
            if let Some(outcome) = self.receiver_timer(time) {
                self.watch_deadline();
                return outcome;
            }
        }
        if (self.shared.rules.rack && self.recovery_timer(time)) || self.flow.deadline > time {
            self.watch_deadline();
        } else if self.flow.state == FlowState::Connecting {
            return self.syn_expired();
        } else {
            self.retransmission_timeout();
        }
        Outcome::Nothing
    }

    /// The algorithm's own timer.
    pub fn tick(&mut self, time: Picos) {
        let flow = &mut *self.flow;
        let Some(period) = self.shared.tick_period[usize::from(flow.algorithm)] else { return };
        if flow.state != FlowState::Sending || flow.tick != time {
            return;
        }
        let before = flow.controller.cwnd();
        flow.controller.on_timer(self.config, time);
        let after = flow.controller.cwnd();
        self.counters.increases += u64::from(after > before);
        flow.tick = time + period;
        self.arm(time + period, code::TICK);
        // A tick that changes nothing must not send: at the instant at which the interface becomes free it
        // would only change the order of simultaneous events, and algorithms with and without a timer would
        // drift apart.
        if after > before {
            self.send_allowed();
        }
    }

    /// The application hands over data after the sender was idle: the controller learns for how long (Linux,
    /// tcp_slow_start_after_idle_check).
    pub fn restart_after_idle(&mut self) {
        let flow = &mut *self.flow;
        let last_sent = self.beside.leaving.last_sent(self.slot);
        if flow.state != FlowState::Sending || last_sent == 0 || !flow.is_idle() {
            return;
        }
        let (now, idle, rto) = (self.now, self.now - last_sent, flow.rtt.rto);
        if self.shared.saved.is_some() && idle > rto {
            self.beside.resumes[self.slot as usize].stop();
        }
        flow.controller.on_idle(self.config, &IdleEvent { now, idle, rto });
    }

    /// The application of a connection does something.
    pub fn feed(&mut self, act: Act) {
        let flow = &mut *self.flow;
        if act != Act::Close
            && flow.state == FlowState::Sending
            && flow.board.next() == flow.end
            && self.config.wants_delivery_rate()
        {
            // The application had let the sender run out of data (draft-cheng-iccrg-delivery-rate-estimation,
            // section 3.4).
            delivery::update_limits(&mut self.beside.samplers[self.slot as usize], flow);
        }
        match act {
            Act::Give(end) => flow.end = flow.base + end,
            Act::Open => flow.end = u64::MAX,
            Act::Close => flow.end = flow.board.next(),
        }
        if flow.state == FlowState::Sending {
            self.send_allowed();
        }
    }
}
