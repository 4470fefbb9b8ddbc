//! Queue disciplines: what a queue does besides holding what fits.
//!
//! Those that decide when a segment arrives ([`Arrival`]) leave the queue the one number that it is. Those that decide
//! when one leaves ([`Stored`]) hold the segments, and each departure is an event. Both engines use the same
//! disciplines; each has a file, and [`Discipline::of`] is the only place that knows them all.

mod codel;
mod dualpi2;
mod fifo;
mod fq_codel;
mod pi;
mod pi2;
mod pie;
mod red;
mod tail_drop;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod witness;

pub use fifo::Fifo;

use crate::engine::Segment;
use crate::network::EgressLane;
use crate::network::router::rescaled;
use crate::random::{Purpose, Stream};
use crate::scenario::{AqmParameters, BufferUnit, DisciplineName};
use codel::Codel;
use dualpi2::DualPi2;
use fq_codel::FqCodel;
use mesonet_cc::Picos;
use pi2::Pi2;
use pie::Pie;
use red::Red;
use serde::{Deserialize, Serialize};
use tail_drop::TailDrop;

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
    /// What the buffer counts.
    pub counts: BufferUnit,
}

impl QueueFacts {
    /// Returns whether more waits than the buffer holds.
    #[must_use]
    pub fn is_over(&self, bytes: u64, packets: usize) -> bool {
        match self.counts {
            BufferUnit::Bytes => bytes > self.places * u64::from(self.bytes),
            BufferUnit::Packets => packets as u64 > self.places,
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
    /// Those of a queue of a run.
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

/// A discipline that decides at arrival.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Arrival {
    /// Whatever fits may enter.
    DropTail,
    /// Random early detection.
    Red(Red),
    /// Proportional integral controller, enhanced.
    Pie(Pie),
    /// The same, squared.
    Pi2(Pi2),
}

impl Arrival {
    /// Decides about `arrival` at a queue that runs empty at `empty_at`, or has run empty then.
    pub fn decide(&mut self, empty_at: Picos, arrival: &Waiting, draws: &mut Draws) -> Verdict {
        match self {
            Self::DropTail => Verdict::Pass,
            Self::Red(red) => red.decide(empty_at, arrival, draws),
            Self::Pie(pie) => pie.decide(empty_at, arrival, draws),
            Self::Pi2(pi2) => pi2.decide(empty_at, arrival, draws),
        }
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

/// A discipline that holds the segments and decides when they leave.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Stored {
    /// Drop-tail by the number of packets.
    TailDrop(TailDrop),
    /// Controlled delay.
    Codel(Codel),
    /// Flow queues with controlled delay.
    FqCodel(FqCodel),
    /// Dual queue, coupled.
    DualPi2(DualPi2),
}

impl Stored {
    /// A segment arrives; it, or others in its place, may be dropped.
    pub fn enqueue(&mut self, now: Picos, arrival: Waiting, signals: &mut Signals) {
        match self {
            Self::TailDrop(queue) => queue.enqueue(arrival, signals),
            Self::Codel(queue) => queue.enqueue(arrival, signals),
            Self::FqCodel(queue) => queue.enqueue(arrival, signals),
            Self::DualPi2(queue) => queue.enqueue(now, arrival, signals),
        }
    }

    /// The server is free: the next segment, if any.
    pub fn dequeue(&mut self, now: Picos, draws: &mut Draws, signals: &mut Signals) -> Option<Waiting> {
        match self {
            Self::TailDrop(queue) => queue.dequeue(),
            Self::Codel(queue) => queue.dequeue(now, signals),
            Self::FqCodel(queue) => queue.dequeue(now, signals),
            Self::DualPi2(queue) => queue.dequeue(now, draws, signals),
        }
    }

    /// A segment arrives while nothing waits and the server is idle: it is served, unless it is dropped.
    pub fn through(
        &mut self,
        now: Picos,
        arrival: Waiting,
        draws: &mut Draws,
        signals: &mut Signals,
    ) -> Option<Waiting> {
        match self {
            Self::TailDrop(_) => Some(arrival),
            Self::Codel(queue) => Some(queue.through(arrival)),
            Self::FqCodel(_) | Self::DualPi2(_) => {
                self.enqueue(now, arrival, signals);
                self.dequeue(now, draws, signals)
            }
        }
    }

    /// The server became idle some time ago, because nothing waited.
    pub fn rest(&mut self) {
        if let Self::FqCodel(queue) = self {
            queue.rest();
        }
    }

    /// All that waits, in any order.
    #[must_use]
    pub fn waiting(&self) -> Vec<Waiting> {
        match self {
            Self::TailDrop(queue) => queue.waiting().collect(),
            Self::Codel(queue) => queue.waiting().collect(),
            Self::FqCodel(queue) => queue.waiting().collect(),
            Self::DualPi2(queue) => queue.waiting().collect(),
        }
    }

    /// Number of segments that wait.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::TailDrop(queue) => queue.len(),
            Self::Codel(queue) => queue.len(),
            Self::FqCodel(queue) => queue.len(),
            Self::DualPi2(queue) => queue.len(),
        }
    }

    /// Returns whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A discipline.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Discipline {
    /// It decides at arrival.
    Arrival(Arrival),
    /// It holds the segments.
    Stored(Stored),
}

impl Discipline {
    /// The discipline of that name at a queue.
    #[must_use]
    pub fn of(name: DisciplineName, aqm: &AqmParameters, facts: QueueFacts, draws: &Draws) -> Self {
        match name {
            DisciplineName::DropTail => match facts.counts {
                BufferUnit::Bytes => Self::Arrival(Arrival::DropTail),
                BufferUnit::Packets => Self::Stored(Stored::TailDrop(TailDrop::new(facts))),
            },
            DisciplineName::Red => Self::Arrival(Arrival::Red(Red::new(aqm, facts))),
            DisciplineName::Pie => Self::Arrival(Arrival::Pie(Pie::new(aqm, facts))),
            DisciplineName::Pi2 => Self::Arrival(Arrival::Pi2(Pi2::new(aqm))),
            DisciplineName::Codel => Self::Stored(Stored::Codel(Codel::new(aqm, facts))),
            DisciplineName::FqCodel => Self::Stored(Stored::FqCodel(FqCodel::new(aqm, facts, draws.name()))),
            DisciplineName::Dualpi2 => Self::Stored(Stored::DualPi2(DualPi2::new(aqm, facts))),
        }
    }
}
