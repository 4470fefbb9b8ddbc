//! The fabric carries segments: routers, lanes, and the order of events on them.
//!
//! The endpoints (`simulation`) send segments into it and receive acknowledgements from it. It looks at no flow.
//! There are two fabrics with the same behaviour: [`lanes`], which is fast, and [`plain`], which is obviously right
//! and shares no code with it.

mod impaired;
pub mod lanes;
mod managed;
pub mod origins;
pub mod plain;

use crate::engine::interfaces::QUEUES;
use crate::engine::{FlowId, Segment};
use crate::measure::Histogram;
use crate::network::router::RouterState;
use crate::network::{DomainId, DomainLane, DomainRouter, LaneId};
use crate::snapshot::{BadSnapshot, Passage};
pub use impaired::Impaired;
pub use lanes::LaneFabric;
pub use managed::Managed;
use mesonet_cc::Picos;
pub use origins::Origins;
pub use plain::PlainFabric;
use serde::{Deserialize, Serialize};

/// The kind of an event of the endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// An acknowledgement reaches its source.
    Acknowledgement,
    /// A segment reaches a receiver that decides when it acknowledges.
    Arrival,
    /// An alarm is due.
    Alarm(Alarm),
}

/// An event of the endpoints. Its parts are apart: a segment in some of the kinds would be written in parts of one size and read
/// in those of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its instant.
    pub time: Picos,
    /// Its kind.
    pub kind: EventKind,
    /// The segment that arrives, or that caused the acknowledgement; without meaning where an alarm is due.
    pub segment: Segment,
}

impl Event {
    /// An alarm is due at `time`.
    #[inline(always)]
    fn alarm(time: Picos, alarm: Alarm) -> Self {
        Self { time, kind: EventKind::Alarm(alarm), segment: Segment::default() }
    }

    /// The acknowledgement that `segment` caused reaches its source at `time`.
    #[inline(always)]
    fn acknowledgement(time: Picos, segment: Segment) -> Self {
        Self { time, kind: EventKind::Acknowledgement, segment }
    }

    /// `segment` reaches a receiver that decides at `time`.
    #[inline(always)]
    fn arrival(time: Picos, segment: Segment) -> Self {
        Self { time, kind: EventKind::Arrival, segment }
    }
}

/// The first entry of a queue that the endpoints keep. At one instant alarms come after segments, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alarm {
    /// The first timer.
    Timer,
    /// The first interface that becomes free, by queue of [`crate::engine::Interfaces`].
    Interface(u8),
}

/// Number of alarms.
pub const ALARMS: usize = 1 + QUEUES;

impl Alarm {
    /// All of them in order.
    pub const ALL: [Self; ALARMS] = [Self::Timer, Self::Interface(0), Self::Interface(1), Self::Interface(2)];

    /// Place in the order.
    #[must_use]
    #[inline]
    pub fn index(self) -> usize {
        match self {
            Self::Timer => 0,
            Self::Interface(queue) => 1 + usize::from(queue),
        }
    }
}

/// Counts of segments so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Crossed {
    /// Segments that reached their receivers.
    pub leaving: u64,
    /// Segments marked by routers, each once.
    pub marked: u64,
    /// Segments dropped by routers.
    pub dropped: u64,
    /// Acknowledgements dropped by routers.
    pub acks_dropped: u64,
    /// Segments of either kind that links lost; they count as dropped, too.
    pub lost_on_links: u64,
}

/// A segment that a router dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DroppedSegment {
    /// When.
    pub time: Picos,
    /// The flow.
    pub flow: FlowId,
    /// Low 32 bits of the sequence number.
    pub sequence: u32,
}

/// Lanes of one flow whose source is some way from its access router, or whose segments have a size of their own, by their
/// numbers in the whole network.
#[derive(Clone, Copy, Debug)]
pub struct OwnLanes {
    /// Bytes of its data segments.
    pub bytes: u32,
    /// From the source to its access router.
    pub access: LaneId,
    /// From the receiver back to the source.
    pub acks: LaneId,
    /// Its receiver.
    pub receiver: OwnReceiver,
}

/// What the receiver of a flow with lanes of its own does besides acknowledging each segment at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct OwnReceiver {
    /// Arrivals at it are reported.
    pub is_watched: bool,
    /// It answers SYNs only, which have the number 0 in such flows.
    pub is_silent: bool,
    /// It does not report marks.
    pub ignores_marks: bool,
    /// Its segments are datagrams.
    pub is_datagrams: bool,
}

impl OwnReceiver {
    /// Its answer to a segment.
    #[must_use]
    pub fn answer(self, mut segment: Segment) -> Option<Segment> {
        if self.is_silent && segment.sequence != 0 {
            return None;
        }
        if self.ignores_marks {
            segment.clear_ecn();
        }
        Some(segment)
    }
}

/// One-way delays of the segments over TCP that reached their receivers, in microseconds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SegmentDelays(Histogram);

impl SegmentDelays {
    /// A segment reaches its receiver so long after it left its source.
    #[inline(never)]
    fn add(&mut self, delay: Picos) {
        self.0.add(delay / DELAY_UNIT);
    }
}

/// Delays are counted in units of 1 us.
const DELAY_UNIT: Picos = 1_000_000;

/// Segments that have left a domain for another one.
#[derive(Clone, Debug)]
pub struct Outbox {
    /// The domain to which they go.
    pub domain: DomainId,
    /// Lane on which they are, by its number in that domain.
    pub lane: DomainLane,
    /// In the order of arrival.
    pub segments: Vec<Segment>,
}

/// A fabric of either kind.
#[derive(Clone, Debug)]
pub enum Fabric {
    /// A domain of the network, by lanes.
    Lanes(LaneFabric),
    /// The whole network, plainly.
    Plain(PlainFabric),
}

impl Fabric {
    /// The next event of the endpoints, if it comes before `limit`; everything else before it has happened.
    #[inline]
    pub fn next(&mut self, limit: Picos) -> Option<Event> {
        match self {
            Self::Lanes(fabric) => fabric.next(limit),
            Self::Plain(fabric) => fabric.next(limit),
        }
    }

    /// The flow of the acknowledgement that follows the last one on its lane, if that is known.
    #[inline]
    pub fn upcoming(&self) -> Option<FlowId> {
        match self {
            Self::Lanes(fabric) => fabric.upcoming(),
            Self::Plain(_) => None,
        }
    }

    /// When something happens next; never after the last instant that can be simulated.
    #[must_use]
    pub fn next_instant(&self) -> Picos {
        match self {
            Self::Lanes(fabric) => fabric.next_instant(),
            Self::Plain(fabric) => fabric.next_instant(),
        }
    }

    /// Sets when an alarm is due.
    #[inline]
    pub fn set_alarm(&mut self, alarm: Alarm, at: Option<Picos>) {
        match self {
            Self::Lanes(fabric) => fabric.set_alarm(alarm, at),
            Self::Plain(fabric) => fabric.set_alarm(alarm, at),
        }
    }

    /// A segment reaches a router now, its first one, by its number in the domain.
    #[inline]
    pub fn arrive(&mut self, now: Picos, router: DomainRouter, segment: Segment) {
        match self {
            Self::Lanes(fabric) => fabric.arrive(now, router, segment),
            Self::Plain(fabric) => fabric.arrive(now, router, segment),
        }
    }

    /// From now on, segments that reach receivers are events of the endpoints, which [`Self::answer`].
    pub fn hand_over(&mut self) {
        match self {
            Self::Lanes(fabric) => fabric.hand_over(),
            Self::Plain(fabric) => fabric.hand_over(),
        }
    }

    /// The acknowledgement of a segment enters the access router of its receiver now, by the router's number in the domain.
    pub fn answer(&mut self, now: Picos, router: DomainRouter, segment: Segment) {
        match self {
            Self::Lanes(fabric) => fabric.answer(now, router, segment),
            Self::Plain(fabric) => fabric.answer(now, router, segment),
        }
    }

    /// A segment leaves its source on a lane of the flow's own, by its number in the whole network.
    pub fn send_on(&mut self, now: Picos, lane: LaneId, segment: Segment) {
        match self {
            Self::Lanes(fabric) => fabric.send_on(now, lane, segment),
            Self::Plain(fabric) => fabric.send_on(now, lane, segment),
        }
    }

    /// A segment is dropped before it reaches the first router.
    pub fn drop(&mut self, now: Picos, segment: Segment) {
        match self {
            Self::Lanes(fabric) => fabric.drop(now, segment),
            Self::Plain(fabric) => fabric.drop(now, segment),
        }
    }

    /// Counts of segments so far.
    #[must_use]
    pub fn crossed(&self) -> Crossed {
        match self {
            Self::Lanes(fabric) => fabric.crossed(),
            Self::Plain(fabric) => fabric.crossed(),
        }
    }

    /// The segments dropped since the last call.
    pub fn drops(&mut self) -> &mut Vec<DroppedSegment> {
        match self {
            Self::Lanes(fabric) => fabric.drops(),
            Self::Plain(fabric) => fabric.drops(),
        }
    }

    /// The segments whose acknowledgements were dropped since the last call, with the instant.
    pub fn dropped_acks(&mut self) -> &mut Vec<(Picos, Segment)> {
        match self {
            Self::Lanes(fabric) => fabric.dropped_acks(),
            Self::Plain(fabric) => fabric.dropped_acks(),
        }
    }

    /// The segments that have reached receivers that are watched since the last call, with their arrival.
    pub fn arrivals(&mut self) -> &mut Vec<(Picos, Segment)> {
        match self {
            Self::Lanes(fabric) => fabric.arrivals(),
            Self::Plain(fabric) => fabric.arrivals(),
        }
    }

    /// The origins of flows, where acknowledgements pass routers.
    pub fn origins(&mut self) -> Option<&mut Origins> {
        match self {
            Self::Lanes(fabric) => fabric.origins(),
            Self::Plain(fabric) => fabric.origins(),
        }
    }

    /// Frees memory that a burst needed and that is no longer in use; between two windows.
    pub fn shrink(&mut self) {
        match self {
            Self::Lanes(fabric) => fabric.shrink(),
            Self::Plain(_) => {}
        }
    }

    /// From `now` on a router, by its number in the domain, serves each segment in `service`.
    pub fn set_service(&mut self, router: DomainRouter, now: Picos, service: Picos) {
        match self {
            Self::Lanes(fabric) => fabric.set_service(router, now, service),
            Self::Plain(fabric) => fabric.set_service(router, now, service),
        }
    }

    /// From now on segments that reach a router follow the routes with this number.
    pub fn set_routes(&mut self, routes: usize) {
        match self {
            Self::Lanes(fabric) => fabric.set_routes(routes),
            Self::Plain(fabric) => fabric.set_routes(routes),
        }
    }

    /// Sets the delay of a lane that begins here, from now on. No segment that is sent from now on arrives before
    /// `floor`.
    pub fn set_delay(&mut self, lane: LaneId, delay: Picos, floor: Picos) {
        match self {
            Self::Lanes(fabric) => fabric.set_delay(lane, delay, floor),
            Self::Plain(fabric) => fabric.set_delay(lane, delay, floor),
        }
    }

    /// Gives the segments on a lane that ends here, by its number in the whole network, other instants of arrival, first to
    /// last; the last of them, 0 where there is none.
    pub fn retime(&mut self, lane: LaneId, mut new: impl FnMut(Picos) -> Picos) -> Picos {
        let mut last = 0;
        let new = |time| {
            last = new(time);
            last
        };
        match self {
            Self::Lanes(fabric) => fabric.retime(lane, new),
            Self::Plain(fabric) => fabric.retime(lane, new),
        }
        last
    }

    /// A router of this fabric, by its number in the domain, at `now`.
    #[must_use]
    pub fn router(&self, router: DomainRouter, now: Picos) -> RouterState {
        match self {
            Self::Lanes(fabric) => fabric.router(router, now),
            Self::Plain(fabric) => fabric.router(router, now),
        }
    }

    /// The queue at the port where a lane of this fabric begins, by its number in the whole network, at `now`.
    #[must_use]
    pub fn port(&self, lane: LaneId, now: Picos) -> RouterState {
        match self {
            Self::Lanes(fabric) => fabric.port(lane, now),
            Self::Plain(fabric) => fabric.port(lane, now),
        }
    }

    /// Hands over the delays that a queue has recorded, and forgets them; the queue by its number in the whole network.
    pub fn take_delays(&mut self, queue: usize, router: DomainRouter) -> Option<Histogram> {
        match self {
            Self::Lanes(fabric) => fabric.take_delays(LaneId::new(queue), router),
            Self::Plain(fabric) => fabric.take_delays(queue),
        }
    }

    /// From now on, records one-way delays of segments.
    pub fn record_segment_delays(&mut self) {
        *self.segment_delays() = Some(Box::default());
    }

    /// Hands over the one-way delays of segments that were recorded, and forgets them.
    pub fn take_segment_delays(&mut self) -> Option<Histogram> {
        self.segment_delays().as_mut().map(|delays| std::mem::take(&mut delays.0))
    }

    fn segment_delays(&mut self) -> &mut Option<Box<SegmentDelays>> {
        match self {
            Self::Lanes(fabric) => &mut fabric.segment_delays,
            Self::Plain(fabric) => &mut fabric.segment_delays,
        }
    }

    /// Segments that wait in queues which hold them.
    #[must_use]
    pub fn waiting(&self) -> Vec<Segment> {
        match self {
            Self::Lanes(fabric) => fabric.waiting(),
            Self::Plain(fabric) => fabric.waiting(),
        }
    }

    /// All segments, with the lane on which each is, by its number in the whole network.
    #[must_use]
    pub fn segments(&self) -> Vec<(LaneId, Segment)> {
        match self {
            Self::Lanes(fabric) => fabric.segments(),
            Self::Plain(fabric) => fabric.segments(),
        }
    }

    /// Writes or replaces what changes during a run; between two windows, when nothing waits to be handed over.
    ///
    /// # Errors
    /// [`BadSnapshot`] where the bytes are of no such fabric.
    pub fn pass(&mut self, passage: &mut Passage) -> Result<(), BadSnapshot> {
        let plain = matches!(self, Self::Plain(_));
        passage.same(&plain, BadSnapshot::OtherRun)?;
        match self {
            Self::Lanes(fabric) => fabric.pass(passage),
            Self::Plain(fabric) => fabric.pass(passage),
        }
    }
}
