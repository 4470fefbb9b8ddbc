//! The state of one flow: connection, scoreboard, recovery, congestion control and what is recorded about it.

use super::rtt::{RttEstimator, Timing};
use super::scoreboard::Scoreboard;
use crate::engine::FlowId;
use crate::network::{AccessRouter, DomainRouter, LaneId};
use mesonet_cc::{Config, Controller, Picos, seconds};
use serde::{Deserialize, Serialize};
use std::mem::offset_of;

/// The deadline of a timer that does not run.
pub const OFF: Picos = Picos::MAX;

/// The stage of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FlowState {
    /// The slot is unused.
    Free,
    /// SYN sent, no answer yet.
    Connecting,
    /// Connected.
    Sending,
}

/// Loss recovery of the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Recovery {
    /// No loss outstanding.
    Open,
    /// Fast recovery: one reduction until `recover` is acknowledged.
    Fast,
    /// After a timeout, until `recover` is acknowledged.
    Timeout,
}

/// Largest file, segments: more than any run delivers, and sequence numbers cannot overflow (a chosen bound;
/// products of size factors could exceed it).
const LARGEST_SIZE: u64 = 1 << 50;

/// The state of a flow. Slots are reused and sequence numbers go on across the flows of a slot, so that late
/// segments of a flow that has ended are recognised by their number alone.
///
/// Fields lie in memory as written (`repr(C)`). The first five cache lines, up to and including the window of
/// the controller, are the hot state: all that acknowledgements, departures and samples of most flows look
/// at. With 17,000 flows in progress no cache holds them, and an event takes as long as its lines take to
/// come. The engine asks for these lines ahead of the event ([`HOT_LINES`]).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Flow {
    // First line: the stage of the connection, names in the network, the timer.
    /// The stage of its connection.
    pub state: FlowState,
    /// Loss recovery.
    pub recovery: Recovery,
    /// An event for the interface is pending at `interface_free`.
    pub interface_armed: bool,
    /// Recovery has just begun: the first lost segment goes out whatever the window.
    pub retransmit_first: bool,
    /// The last reduction answered a mark: what is lost below `recover` causes no other one.
    pub answered_mark: bool,
    /// Its sender waits before it reacts.
    pub delays_sends: bool,
    /// A link of its way, or of the way back, may delay segments.
    pub is_delayed: bool,
    /// Index of the algorithm in the scenario.
    pub algorithm: u8,
    /// Access router classes of both ends, as an index of `PairClass`.
    pub pair_class: u8,
    /// The flow is still in its first slow start.
    pub initial_slow_start: bool,
    /// Segments without acknowledgements of their own, dropped or held back, are not reported yet.
    pub acks_dropped: bool,
    /// Its departures are noted: an application feeds it, or its packets are traced.
    pub notes_sends: bool,
    /// Access router of the receiver.
    pub receiver: AccessRouter,
    /// The target that its segments name.
    pub target: u16,
    /// Its name in its segments.
    pub id: FlowId,
    /// Lane from its source to the access router, if it has one of its own.
    pub access_lane: Option<LaneId>,
    /// Access router of the source, by its number in the domain.
    pub access_router: DomainRouter,
    /// An application hands it its data, and has not stopped: where these end, the flow is not over.
    pub is_fed: bool,
    /// A player asks for them, chunk by chunk: with the request it acknowledges the end of the chunk before.
    pub is_asked_for: bool,
    /// Place of the source in its domain.
    pub home: u32,
    /// End of its data: the number after that of the last segment.
    pub end: u64,
    /// First data segment; the SYN has the number before it.
    pub base: u64,
    /// When the retransmission (or SYN) timer expires; [`OFF`] while nothing is outstanding.
    pub deadline: Picos,
    /// When the timer entry comes up that watches the deadline; 0 where none does.
    pub watched: Picos,
    // Second and third line: the scoreboard, the interface, counts.
    /// Its outstanding segments.
    pub board: Scoreboard,
    /// When the interface is free again.
    pub interface_free: Picos,
    /// Data segments acknowledged, each once.
    pub delivered: u64,
    /// Data segments sent, retransmissions included.
    pub sent: u64,
    /// The current round trip ends when a segment from here on is acknowledged.
    pub round_end: u64,
    /// Most segments in flight during the current round trip, and during the one before.
    pub peak_flight: [u32; 2],
    // Fourth line: round trips.
    /// Round-trip time and timeout.
    pub rtt: RttEstimator,
    /// Round-trip propagation delay.
    pub base_rtt: Picos,
    /// Last acknowledgement of a segment that was new; before the first one its first departure, and before
    /// that its beginning.
    pub heard: Picos,
    /// Recovery ends when this segment is acknowledged; marks below it are not answered again.
    pub recover: u64,
    // Fifth line: the interface, timer state, the window of the controller. What a controller has beyond
    // follows.
    /// Time that one segment occupies the interface.
    pub interface_time: Picos,
    /// Timer state beside `rtt`; none for most senders.
    pub timing: Option<Box<Timing>>,
    /// The congestion control.
    pub controller: Controller,
    // The cold state.
    /// The rescue retransmission of this recovery was sent.
    pub rescued: bool,
    /// File category, index of `FILE_CATEGORIES`.
    pub category: u8,
    /// Access router of the source, by its number in the whole network.
    pub origin: AccessRouter,
    /// Segments of its data that routers dropped.
    pub losses: u32,
    /// When an entry that was armed before comes up, later than `watched`; 0 where none is known.
    pub watched_then: Picos,
    /// When the algorithm's own timer comes up next.
    pub tick: Picos,
    /// When its source looks at it next; 0 for a patient one.
    pub patience: Picos,
    /// Lowest unacknowledged segment at the last timeout.
    pub timed_out: u64,
    /// When that was.
    pub expired: Picos,
    /// SYNs sent.
    pub syns: u32,
    /// Source.
    pub source: u32,
    /// Number of the transfer of this source.
    pub transfer: u64,
    /// First SYN.
    pub started: Picos,
    /// First data segment, 0 before.
    pub first_sent: Picos,
    /// Loss events that reduced the window, timeouts apart.
    pub loss_events: u32,
    /// Timeouts.
    pub timeouts: u32,
    /// Timeouts whose segment had arrived: the copy that was acknowledged had left before the timer expired.
    pub spurious_timeouts: u32,
    /// Class of its round-trip propagation delay when it began, index of `RTT_CLASSES`.
    pub rtt_class: u8,
}

/// Cache lines of the hot state.
pub const HOT_LINES: usize = 5;

/// The lines of it that samples look at: stage, round trips, window.
pub const SAMPLED_LINES: [usize; 3] = [0, 3, 4];

/// The lines of a flow that a drop changes or looks at: stage, scoreboard, losses.
pub const DROP_LINES: [usize; 3] = [0, 1, offset_of!(Flow, losses) / 64];

// Each part of the hot state begins with a line, and the largest controller sets the size of every flow: ten
// lines.
const _: () = assert!(offset_of!(Flow, board) == 64);
const _: () = assert!(offset_of!(Flow, rtt) == 3 * 64);
const _: () = assert!(offset_of!(Flow, interface_time) == 4 * 64);
const _: () = assert!(size_of::<Flow>() <= 10 * 64);

/// The ends of a flow, and the names by which routers choose its route.
#[derive(Clone, Copy, Debug)]
pub struct FlowEnds {
    /// Access router of the source.
    pub origin: AccessRouter,
    /// Access router of the receiver.
    pub receiver: AccessRouter,
    /// Its name in its segments.
    pub id: FlowId,
    /// The target that its segments name.
    pub target: u16,
}

impl Flow {
    /// Gives it a file of `size` segments.
    pub fn resize(&mut self, size: u64) {
        self.end = self.base + size.min(LARGEST_SIZE);
    }

    /// Its ends, and its name.
    #[must_use]
    pub fn ends(&self) -> FlowEnds {
        FlowEnds { origin: self.origin, receiver: self.receiver, id: self.id, target: self.target }
    }

    /// An unused slot.
    #[must_use]
    pub fn free(controller: Controller) -> Self {
        Self {
            state: FlowState::Free,
            recovery: Recovery::Open,
            interface_armed: false,
            initial_slow_start: true,
            retransmit_first: false,
            rescued: false,
            answered_mark: false,
            acks_dropped: false,
            algorithm: 0,
            pair_class: 0,
            receiver: AccessRouter::default(),
            target: 0,
            origin: AccessRouter::default(),
            id: FlowId::default(),
            access_router: DomainRouter::default(),
            access_lane: None,
            delays_sends: false,
            is_delayed: false,
            is_fed: false,
            notes_sends: false,
            is_asked_for: false,
            base: 0,
            end: 0,
            board: Scoreboard::default(),
            controller,
            rtt: RttEstimator::default(),
            deadline: OFF,
            watched: 0,
            watched_then: 0,
            tick: 0,
            patience: 0,
            interface_free: 0,
            interface_time: 0,
            recover: 0,
            round_end: 0,
            peak_flight: [0; 2],
            timed_out: 0,
            expired: 0,
            timing: None,
            base_rtt: 0,
            syns: 0,
            source: 0,
            home: 0,
            transfer: 0,
            category: 0,
            started: 0,
            first_sent: 0,
            heard: 0,
            sent: 0,
            delivered: 0,
            loss_events: 0,
            losses: 0,
            timeouts: 0,
            spurious_timeouts: 0,
            rtt_class: 0,
        }
    }

    /// The flow uses its window: in the last two round trips at least half of it was in flight (RFC 7661,
    /// section 4.3). A flow that its interface limits may thus have up to twice what the interface can carry.
    #[must_use]
    #[inline]
    pub fn uses_window(&self, cwnd: f64) -> bool {
        2.0 * f64::from(self.peak_flight[0].max(self.peak_flight[1])) >= cwnd
    }

    /// Pacing rate, segments/s: of the congestion control, or of Linux where the sender paces; `None` where
    /// segments leave back to back.
    #[must_use]
    pub fn pacing_rate(&self, config: &Config) -> Option<f64> {
        let own = self.controller.pacing_rate();
        if own.is_none() && config.is_paced() { Some(self.linux_rate()) } else { own }
    }

    /// The pacing rate that Linux computes for congestion controls without a rate of their own, segments/s:
    /// infinite before the first round-trip time (tcp_update_pacing_rate; tcp_pacing_ss_ratio 200,
    /// tcp_pacing_ca_ratio 120).
    #[must_use]
    pub fn linux_rate(&self) -> f64 {
        let cwnd = self.controller.cwnd();
        let ratio = if cwnd < self.controller.ssthresh() / 2.0 { 2.0 } else { 1.2 };
        let outstanding = (self.board.next() - self.board.una()) as f64;
        ratio * cwnd.max(outstanding) / seconds(self.rtt.srtt)
    }

    /// Queueing delay: smoothed round-trip time less propagation. None before the first sample, and where
    /// links of the way delay segments without a queue.
    #[must_use]
    #[inline]
    pub fn queueing(&self) -> Option<Picos> {
        (self.rtt.srtt > 0 && !self.is_delayed).then(|| self.rtt.srtt.saturating_sub(self.base_rtt))
    }

    /// It has reacted to a mark, and the window of this reaction is not acknowledged yet.
    #[must_use]
    #[inline]
    pub fn in_marked_window(&self) -> bool {
        self.answered_mark && self.board.una() < self.recover
    }

    /// It has nothing to send and nothing outstanding, until its application hands over more.
    #[must_use]
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.is_fed && self.board.una() == self.end
    }

    /// There is new data that a receiver window of `receiver_window` segments lets through.
    #[must_use]
    #[inline]
    pub fn may_send_new(&self, receiver_window: u64) -> bool {
        let next = self.board.next();
        next < self.end && next - self.board.una() < receiver_window
    }

    /// The full sequence number of what the wire carries as 32 bits.
    #[must_use]
    #[inline]
    pub fn expand(&self, sequence: u32) -> u64 {
        let reference = self.board.una();
        let offset = sequence.wrapping_sub(reference as u32) as i32;
        reference.wrapping_add_signed(i64::from(offset))
    }
}
