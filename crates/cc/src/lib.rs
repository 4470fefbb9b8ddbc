//! Congestion control, and nothing else.
//!
//! An algorithm here is a state machine. Its input is events of the segments of one flow; its output is the
//! number of segments that may be in the network. It knows no packets, no queues, no files and no clock:
//! every instant it may use arrives inside an event. Its state is plain data (`Copy`, serialisable), so a
//! flow carries it inline and a snapshot is a copy.
//!
//! * [`CongestionControl`] is the abstraction; [`AckEvent`], [`LossEvent`] and [`SendEvent`] are what it
//!   sees.
//! * [`Window`] is what nearly every algorithm shares: cwnd, ssthresh and slow start.
//! * [`registry`] lists the algorithms. Adding one is one file under `algorithms/`, its `mod` line and one
//!   line there.
//! * [`plugin`] calls algorithms of users through the C ABI.
//!
//! Windows are in segments, instants and durations in picoseconds ([`Picos`]).

mod aggregation;
mod algorithm;
mod algorithms;
mod conservation;
pub mod draw;
mod ecn;
mod hystart;
mod max_filter;
mod param;
pub mod plugin;
mod preset;
pub mod registry;
mod slow_start;
#[cfg(test)]
mod testing;
mod whole_segments;
mod window;

pub use algorithm::Algorithm;
pub use algorithms::*;
pub use ecn::{Codepoint, MarkRules};
pub use param::{Param, Params};
pub use preset::Preset;
pub use registry::{Config, Controller};
use serde::{Deserialize, Serialize};
pub use slow_start::{HyStart, HyStartRules, SlowStart, SlowStartRules};
pub use window::{Common, IdleRule, TimeoutRule, Window, WindowBasis};

/// An instant or a duration in integer picoseconds; u64 lasts 213 days.
pub type Picos = u64;

/// A second in picoseconds.
pub const SECOND: Picos = 1_000_000_000_000;

/// A millisecond in picoseconds.
pub const MILLISECOND: Picos = 1_000_000_000;

/// A duration in seconds.
#[inline]
#[must_use]
pub fn seconds(t: Picos) -> f64 {
    t as f64 / 1e12
}

/// Comparisons with a limit that is a number: an instruction each, where [`f64::max`] takes six. What is not
/// a number becomes the limit.
trait Limits {
    /// The larger one of this and the limit.
    fn at_least(self, least: Self) -> Self;
    /// The smaller one of this and the limit.
    fn at_most(self, most: Self) -> Self;
}

impl Limits for f64 {
    #[inline(always)]
    fn at_least(self, least: f64) -> f64 {
        if self > least { self } else { least }
    }

    #[inline(always)]
    fn at_most(self, most: f64) -> f64 {
        if self < most { self } else { most }
    }
}

/// A duration of so many seconds, rounded to a picosecond.
#[must_use]
pub fn picos(seconds: f64) -> Picos {
    (seconds * 1e12).round() as Picos
}

/// Segments were newly acknowledged.
#[derive(Clone, Copy, Debug, Default)]
pub struct AckEvent {
    /// The instant of the acknowledgement.
    pub now: Picos,
    /// Segments for which the window grows: those newly acknowledged, or 1 where acknowledgements are
    /// counted; at least 1.
    pub acked: u32,
    /// Segments newly acknowledged, cumulatively or selectively, whatever the window grows for.
    pub segments: u32,
    /// Round-trip time of the acknowledged segment, 0 where there is no valid sample (Karn's rule).
    pub rtt: Picos,
    /// Smallest round-trip time that the flow has seen, 0 before the first sample.
    pub min_rtt: Picos,
    /// Smoothed round-trip time (RFC 6298), 0 before the first sample.
    pub srtt: Picos,
    /// Segments in flight (RFC 6675 pipe) after this acknowledgement.
    pub in_flight: u32,
    /// Segments of the flow delivered so far, this acknowledgement included.
    pub delivered: u64,
    /// Delivery-rate sample in segments/s, 0 where none was taken: only
    /// [`CongestionControl::WANTS_DELIVERY_RATE`] has samples taken.
    pub delivery_rate: f64,
    /// The span of the delivery-rate sample; all zero where the algorithm wants none.
    pub sample: DeliverySample,
    /// Segments newly found lost; counted where delivery rates are sampled.
    pub lost: u32,
    /// The first acknowledgement of a new round trip: it covers a segment sent after the previous round
    /// began.
    pub round_start: bool,
    /// The sender is in fast recovery, or in the round trip after a mark, if [`MarkRules::rests`]: windows do
    /// not grow.
    pub in_recovery: bool,
    /// Not all that was outstanding at the last timeout has been acknowledged.
    pub after_timeout: bool,
    /// The window, not the application or the interface, limited what was in flight.
    pub cwnd_limited: bool,
    /// The sender had nothing more to send.
    pub app_limited: bool,
    /// Acknowledged segments that carried a congestion-experienced mark, at most `segments`.
    pub ce: u32,
}

impl AckEvent {
    /// The part of `acked` that is not marked. Where acknowledgements are counted, an acknowledgement is
    /// marked if all its segments are.
    #[inline]
    #[must_use]
    pub fn unmarked(&self) -> u32 {
        let clear = self.segments - self.ce;
        if self.ce == 0 || self.acked == 0 { self.acked } else { self.acked.min(clear) }
    }
}

/// Positions in the data of a flow after an acknowledgement, counted from its first segment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Positions {
    /// Lowest unacknowledged segment.
    pub una: u64,
    /// Next segment that has never been sent.
    pub next: u64,
}

/// The span of a delivery-rate sample: from the acknowledgement that was the last one when the acknowledged
/// segment left to the one now (draft-cheng-iccrg-delivery-rate-estimation).
#[derive(Clone, Copy, Debug, Default)]
pub struct DeliverySample {
    /// Segments of the flow delivered when the acknowledged segment left.
    pub prior_delivered: u64,
    /// Time over which the segments since then were sent or acknowledged, whichever took longer; 0 where the
    /// sample is not valid because that is less than the smallest round-trip time.
    pub interval: Picos,
    /// Segments in flight when the acknowledged segment left, itself included.
    pub in_flight: u32,
    /// Segments found lost since it left.
    pub lost: u32,
    /// Segments of the span that were marked, this one included.
    pub ce: u32,
    /// It left while the sender, not the network, limited what was in flight.
    pub app_limited: bool,
}

impl DeliverySample {
    /// Segments delivered over the interval, `delivered` having been delivered by now.
    #[must_use]
    pub fn delivered(&self, delivered: u64) -> u64 {
        delivered - self.prior_delivered
    }
}

/// A segment was found lost.
#[derive(Clone, Copy, Debug)]
pub struct LostSegment {
    /// Segments of the flow delivered so far.
    pub delivered: u64,
    /// Segments in flight when the lost one left, itself included.
    pub in_flight: u32,
    /// Segments found lost since it left, itself included.
    pub lost: u32,
    /// It left while the sender, not the network, limited what was in flight.
    pub app_limited: bool,
}

/// Why the sender concluded that the network is congested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LossCause {
    /// Later segments were acknowledged: fast retransmit. At most one event per recovery episode.
    FastRetransmit,
    /// The retransmission timer expired.
    Timeout,
    /// An echoed congestion-experienced mark.
    Ecn,
}

/// A congestion event; the algorithm must set its new window and ssthresh.
#[derive(Clone, Copy, Debug)]
pub struct LossEvent {
    /// The instant at which the sender noticed.
    pub now: Picos,
    /// Why.
    pub cause: LossCause,
    /// Segments in flight when it noticed, lost ones included (RFC 5681 FlightSize).
    pub in_flight: u32,
    /// Segments found lost by this event, where known.
    pub lost: u32,
    /// For a timeout: the first one of this segment. Repeated expiries keep ssthresh (RFC 5681).
    pub first_timeout: bool,
}

/// The application hands over data after a time in which nothing was outstanding.
#[derive(Clone, Copy, Debug)]
pub struct IdleEvent {
    /// The instant at which data comes.
    pub now: Picos,
    /// Time since the last segment left.
    pub idle: Picos,
    /// The retransmission timeout.
    pub rto: Picos,
}

/// A step of careful resume (RFC 9959): what the sender prescribes for the window, in segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ResumeStep {
    /// The window jumps to what half of the saved window allows; its segments leave within the round-trip
    /// time `rtt` (section 3.3).
    Jump {
        /// The new window.
        cwnd: f64,
        /// The current round-trip time.
        rtt: Picos,
    },
    /// The window is what was in use, or the part of it that is known to fit (sections 3.3 and 3.5).
    Use {
        /// The new window.
        cwnd: f64,
    },
    /// Unvalidated segments met congestion, to which the algorithm has reacted (section 3.5).
    Retreat {
        /// The new window.
        cwnd: f64,
    },
    /// No unvalidated segment is left after a retreat (section 3.5).
    Leave {
        /// The new slow-start threshold.
        ssthresh: f64,
    },
}

/// A segment left the interface.
#[derive(Clone, Copy, Debug)]
pub struct SendEvent {
    /// The instant of departure.
    pub now: Picos,
    /// Segments in flight, this one included.
    pub in_flight: u32,
    /// The segment is a retransmission.
    pub retransmission: bool,
}

/// The rules that govern the window now; counted by the state-occupancy responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// Slow start (initial or after a timeout: the sender knows which).
    SlowStart,
    /// Congestion avoidance by the rules of standard TCP.
    Standard,
    /// Congestion avoidance by the algorithm's own rules.
    Alternate,
}

/// The name of a flow in results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FlowName {
    /// Number of its source.
    pub source: u32,
    /// Number of the transfer of this source.
    pub transfer: u64,
}

/// The start of a flow.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// The instant at which the connection is established.
    pub now: Picos,
    /// Initial congestion window, segments.
    pub initial_window: f64,
    /// Initial slow-start threshold, segments.
    pub initial_ssthresh: f64,
    /// Slow-start variant.
    pub slow_start: SlowStart,
    /// Round-trip time of the connection's establishment, 0 where it was not measured.
    pub rtt: Picos,
    /// Names the flow's own random numbers: what it draws never depends on the order of events.
    pub seed: u64,
    /// Name of the flow, for messages.
    pub flow: FlowName,
}

/// A congestion control algorithm: the state of one flow.
///
/// Constants live in `Config`, one per algorithm and scenario, so that a flow carries only what changes.
pub trait CongestionControl: Clone + std::fmt::Debug + Serialize + for<'de> Deserialize<'de> {
    /// The constants that users set.
    type Params: Params;
    /// Values that all flows share: the constants themselves, or what follows from them.
    type Config: From<Self::Params> + Clone + std::fmt::Debug;

    /// Name typed by users, lower case.
    const NAME: &'static str;
    /// Full name.
    const TITLE: &'static str;
    /// Source of the rules.
    const SOURCE: &'static str;
    /// Until the first congestion event and below ssthresh, the window is that of
    /// [`Window::grow_in_slow_start`] and of nothing else. Flows of all such algorithms then behave
    /// identically, segment for segment.
    const SHARED_SLOW_START: bool = true;

    /// State of a flow that has just been connected.
    fn new(config: &Self::Config, start: &Start) -> Self;

    /// Segments were acknowledged.
    fn on_ack(&mut self, config: &Self::Config, ack: &AckEvent);

    /// The network is congested; called once per recovery episode, per timeout, and per round trip with marks
    /// that [`Self::answers_mark`]. [`Self::marks`] says which losses are none.
    fn on_loss(&mut self, config: &Self::Config, loss: &LossEvent);

    /// The application hands over data, and nothing is outstanding. Algorithms with a congestion window call
    /// [`Window::restart`]; controllers of a rate keep their model (Linux: `cong_control`).
    fn on_idle(&mut self, config: &Self::Config, idle: &IdleEvent);

    /// The sender uses a window that an earlier connection saved. Algorithms with a congestion window call
    /// [`Window::resume`].
    fn on_resume(&mut self, config: &Self::Config, step: &ResumeStep);

    /// The acknowledgement that ends fast recovery arrived. A timeout ends fast recovery without this call.
    fn on_recovery_exit(&mut self, _config: &Self::Config, _now: Picos) {}

    /// The last loss was none: its segment was late. The state is again as it was `before` the loss (RFC
    /// 4015, section 3.2; RFC 9438, section 4.9, for all state of CUBIC).
    fn undo(&mut self, before: &Self) {
        *self = before.clone();
    }

    /// [`Self::timer_period`] has passed again.
    fn on_timer(&mut self, _config: &Self::Config, _now: Picos) {}

    /// A segment left the interface. Called only where [`Self::WANTS_SENDS`].
    fn on_send(&mut self, _config: &Self::Config, _send: &SendEvent) {}

    /// The algorithm looks at departures.
    const WANTS_SENDS: bool = false;

    /// A segment was found lost; the acknowledgement that reports it follows. Called only where
    /// [`Self::WANTS_DELIVERY_RATE`].
    fn on_segment_lost(&mut self, _config: &Self::Config, _lost: &LostSegment) {}

    /// The sender takes delivery-rate samples, for which it keeps state of every segment.
    const WANTS_DELIVERY_RATE: bool = false;

    /// The algorithm deliberately keeps less in flight than the path would take: delivery-rate samples are
    /// then marked.
    fn holds_back(&self) -> bool {
        false
    }

    /// The algorithm itself says during fast recovery how much may be in flight: the sender does not bring it
    /// down to the window in proportion (RFC 9937), and does not report the loss of a retransmission as new
    /// congestion.
    const MANAGES_RECOVERY: bool = false;

    /// The codepoint of the flow's segments where the network marks. The sender answers the first mark of a
    /// round trip with [`LossCause::Ecn`], outside loss recovery, and counts every one in [`AckEvent::ce`].
    fn codepoint(_config: &Self::Config) -> Codepoint {
        Codepoint::Ect0
    }

    /// Rules for the round trip after a mark.
    fn marks(_config: &Self::Config) -> MarkRules {
        MarkRules::CLASSIC
    }

    /// Returns whether the first mark of a round trip is a congestion event at `now`. Marks of the same round
    /// trip are none, whatever it returns.
    fn answers_mark(&self, _config: &Self::Config, _now: Picos) -> bool {
        true
    }

    /// The period of [`Self::on_timer`], counted from the start of the flow.
    fn timer_period(_config: &Self::Config) -> Option<Picos> {
        None
    }

    /// The window that the algorithm keeps.
    fn window(&self) -> &Window;

    /// Congestion window, segments; finite and at least 1.
    fn cwnd(&self) -> f64 {
        self.window().cwnd()
    }

    /// Slow-start threshold, segments.
    fn ssthresh(&self) -> f64 {
        self.window().ssthresh()
    }

    /// Pacing rate in segments/s; `None` sends back to back within the window.
    fn pacing_rate(&self) -> Option<f64> {
        None
    }

    /// The sender paces flows of the algorithm by the rule of Linux, where [`Self::pacing_rate`] has no rate.
    fn is_paced(_config: &Self::Config) -> bool {
        false
    }

    /// Name of the algorithm's own mode, lower case, for traces; `None` for an algorithm without modes.
    fn mode(&self) -> Option<&'static str> {
        None
    }

    /// The rate that the algorithm believes its path to deliver, segments/s, for traces; `None` without an
    /// estimate.
    fn bandwidth_estimate(&self) -> Option<f64> {
        None
    }

    /// Returns the rules that govern the window at `now`.
    fn phase(&self, config: &Self::Config, now: Picos) -> Phase;
}
