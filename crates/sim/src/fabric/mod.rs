//! The fabric carries segments: routers, lanes, and the order of events on them.
//!
//! The endpoints (`simulation`) send segments into it and receive acknowledgements from it. It looks at no
//! flow. [`Carrier`] is its interface. There are two fabrics with the same behaviour: [`lanes`], which is
//! fast, and [`plain`], which is obviously right and shares no code with it.

mod carrier;
mod impaired;
pub mod lanes;
mod managed;
pub mod origins;
pub mod plain;

use crate::engine::interfaces::QUEUES;
use crate::engine::{FlowId, Segment};
use crate::measure::Histogram;
use crate::network::{DomainId, DomainLane, LaneId};
pub use carrier::{Carrier, Either};
pub use impaired::Impaired;
pub use lanes::LaneFabric;
pub use managed::Managed;
use mesonet_cc::Picos;
pub use origins::Origins;
pub use plain::PlainFabric;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The fabric of a domain by lanes, or of the whole network plainly.
pub type Fabric = Either<LaneFabric, PlainFabric>;

/// The kind of an event of the endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// An acknowledgement reaches its source.
    Acknowledgement,
    /// A segment reaches a receiver that decides when it acknowledges.
    Arrival,
    /// A packet reaches a stack.
    Packet,
    /// An alarm is due.
    Alarm(Alarm),
}

/// An event of the endpoints. Its parts are apart: a segment in some of the kinds would be written in parts
/// of one size and read in those of another.
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

    /// `segment` reaches a stack at `time`.
    fn packet(time: Picos, segment: Segment) -> Self {
        Self { time, kind: EventKind::Packet, segment }
    }

    /// `segment` reaches a receiver that decides at `time`.
    #[inline(always)]
    fn arrival(time: Picos, segment: Segment) -> Self {
        Self { time, kind: EventKind::Arrival, segment }
    }
}

/// The first entry of a queue that the endpoints keep. At one instant alarms come after segments, in this
/// order.
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
    /// Copies of segments of either kind that links made.
    pub duplicated: u64,
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
    /// When it left its source.
    pub departure: Picos,
}

impl DroppedSegment {
    /// `segment` is dropped at `time`.
    fn new(time: Picos, segment: Segment) -> Self {
        let (flow, sequence) = (segment.flow, segment.sequence);
        Self { time, flow, sequence, departure: segment.departure(time) }
    }
}

/// Lanes of one flow whose source is some way from its access router, or whose segments have a size of their
/// own, by their numbers in the whole network.
#[derive(Clone, Debug)]
pub struct OwnLanes {
    /// Bytes of its data segments.
    pub bytes: u32,
    /// From the source to its access router.
    pub access: LaneId,
    /// From the receiver back to the source.
    pub acks: LaneId,
    /// Its receiver.
    pub receiver: OwnReceiver,
    /// Numbers of segments, rising, of which the first transmission never reaches it.
    pub lost: Arc<[u32]>,
}

impl OwnLanes {
    /// This segment never reaches the receiver.
    fn loses(&self, segment: &Segment) -> bool {
        !segment.is_copy() && self.lost.binary_search(&segment.sequence).is_ok()
    }
}

/// Acts of the receiver of a flow with lanes of its own, other than to acknowledge each segment at once.
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

    /// Hands over the delays, and forgets them.
    fn take(&mut self) -> Histogram {
        std::mem::take(&mut self.0)
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
