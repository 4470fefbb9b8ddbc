//! A queue as its discipline sees it, and what a discipline has to do.

use crate::engine::Segment;
use crate::links::Clock;
use crate::network::numbers::EgressLane;
use crate::network::router::rescaled;
use crate::random::{Purpose, Stream};
use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};

/// A discipline that decides when a segment arrives, and leaves the queue the one number that it is.
pub trait Arrives {
    /// Decides about `arrival`.
    fn decide(&mut self, backlog: Backlog, arrival: &Waiting, draws: &mut Draws) -> Verdict;
}

/// A queue that is one number, as an arrival finds it: on the clock of its server, whose rate may vary, and
/// in time.
#[derive(Clone, Copy, Debug)]
pub struct Backlog {
    /// Work that the server could have done until now.
    pub at: Picos,
    /// Work by which the queue runs empty, or has run empty.
    pub empty: Picos,
    /// Instant at which the queue runs empty, or has run empty.
    pub empty_at: Picos,
}

impl Backlog {
    /// Of a queue that runs empty by the work of `empty`; without a clock work is time.
    #[must_use]
    pub fn new(now: Picos, empty: Picos, clock: Option<&Clock>) -> Self {
        match clock {
            None => Self::at_constant_rate(now, empty),
            Some(clock) => Self { at: clock.work(now), empty, empty_at: clock.time(empty) },
        }
    }

    /// At a server of constant rate, whose clock is the time.
    #[must_use]
    pub fn at_constant_rate(now: Picos, empty_at: Picos) -> Self {
        Self { at: now, empty: empty_at, empty_at }
    }

    /// Work that waits or is in service.
    #[must_use]
    pub fn work(self) -> Picos {
        self.empty.saturating_sub(self.at)
    }
}

/// A discipline that holds the segments and decides when they leave: each departure is an event.
pub trait Holds {
    /// Segments of a flow leave in the order in which they came, whatever their codepoints.
    const KEEPS_ORDER: bool = true;

    /// A segment arrives while the server has a segment of `in_service` bytes, or none for 0; the arrival, or
    /// others in its place, may be dropped.
    fn enqueue(&mut self, now: Picos, arrival: Waiting, in_service: u32, signals: &mut Signals);

    /// The server is free: the next segment, if any.
    fn dequeue(&mut self, now: Picos, draws: &mut Draws, signals: &mut Signals) -> Option<Waiting>;

    /// A segment arrives while nothing waits and the server is idle: it is served, unless it is dropped.
    fn through(
        &mut self,
        now: Picos,
        arrival: Waiting,
        draws: &mut Draws,
        signals: &mut Signals,
    ) -> Option<Waiting> {
        self.enqueue(now, arrival, 0, signals);
        self.dequeue(now, draws, signals)
    }

    /// The server became idle some time ago, because nothing waited.
    fn rest(&mut self) {}

    /// All that waits, in any order.
    fn waiting(&self) -> Vec<Waiting>;

    /// Number of segments that wait.
    fn len(&self) -> usize;

    /// Returns whether nothing waits.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Unit in which buffers count at ports, where segments have a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BufferUnit {
    /// Bytes: a buffer holds as many bytes as its data segments have.
    Bytes,
    /// Packets whatever their size.
    Packets,
}

/// Facts of a queue that its discipline needs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueueFacts {
    /// Service time of a data segment.
    pub service: Picos,
    /// Service time of an acknowledgement.
    pub ack_service: Picos,
    /// Bytes of a data segment.
    pub bytes: u32,
    /// Bytes of an acknowledgement.
    pub ack_bytes: u32,
    /// Packets that fit into the queue, the one in service included, if all are data segments.
    pub places: u64,
    /// Unit in which the buffer counts.
    pub counts: BufferUnit,
    /// Bits that name the queue in this run.
    pub name: u64,
}

impl QueueFacts {
    /// Returns whether what waits and the segment of `in_service` bytes are more than the buffer holds.
    #[must_use]
    pub fn is_over(&self, bytes: u64, packets: usize, in_service: u32) -> bool {
        match self.counts {
            BufferUnit::Bytes => bytes + u64::from(in_service) > self.places * u64::from(self.bytes),
            BufferUnit::Packets => packets as u64 + u64::from(in_service > 0) > self.places,
        }
    }

    /// Service time of a segment.
    #[must_use]
    pub fn service_of(&self, waiting: &Waiting) -> Picos {
        match waiting {
            Waiting { is_ack: true, .. } => self.ack_service,
            Waiting { bytes, .. } if *bytes == self.bytes => self.service,
            Waiting { bytes, .. } => rescaled(self.service, u64::from(self.bytes), u64::from(*bytes)),
        }
    }
}

/// A segment that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// The segment.
    pub segment: Segment,
    /// Since when.
    pub since: Picos,
    /// Its size.
    pub bytes: u32,
    /// It is an acknowledgement.
    pub is_ack: bool,
    /// Lane on which it leaves.
    pub egress: EgressLane,
    /// It found so many others that the step of DualPI2 may mark it.
    pub may_step: bool,
}

impl Waiting {
    /// Routers may mark it instead of dropping it: acknowledgements are not ECN-capable.
    #[must_use]
    pub fn may_be_marked(&self) -> bool {
        !self.is_ack && self.segment.is_ecn_capable()
    }
}

/// The fate of an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may enter.
    Pass,
    /// It may enter, and congestion is signalled by a mark.
    Mark,
    /// It is dropped.
    Drop,
}

/// Random numbers of a queue, in the order of what comes to it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Draws {
    seed: u64,
    queue: u64,
    drawn: u64,
}

impl Draws {
    /// Draws of a queue of a run.
    #[must_use]
    pub fn new(seed: u64, queue: usize) -> Self {
        Self { seed, queue: queue as u64, drawn: 0 }
    }

    /// The next one, uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        self.drawn += 1;
        Stream::new(self.seed, Purpose::Queue, self.queue, self.drawn).uniform()
    }

    /// Bits that name the queue in this run.
    #[must_use]
    pub fn name(&self) -> u64 {
        Stream::new(self.seed, Purpose::Queue, self.queue, 0).bits()
    }
}

/// Segments that a discipline dropped and marked.
#[derive(Clone, Debug, Default)]
pub struct Signals {
    /// Dropped, in this order.
    pub dropped: Vec<Waiting>,
    /// Marked for the first time.
    pub marked: u64,
}

impl Signals {
    /// Marks a segment.
    pub fn mark(&mut self, waiting: &mut Waiting) {
        self.marked += u64::from(!waiting.segment.is_marked());
        waiting.segment.mark();
    }
}
