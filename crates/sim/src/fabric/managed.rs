//! A queue with a discipline: its state, whatever carries the segments.

use crate::disciplines::{
    Arrives, Backlog, Discipline, Draws, Holds, QueueFacts, Signals, Stored, Verdict, Waiting,
};
use crate::engine::Segment;
use crate::links::Clock;
use crate::measure::Histogram;
use crate::network::EgressLane;
use crate::network::router::RouterState;
use crate::scenario::{AqmParameters, DisciplineName, EcnRewrite};
use mesonet_cc::{MILLISECOND, Picos};
use serde::{Deserialize, Serialize};

/// Unit of recorded delays.
const MICROSECOND: Picos = MILLISECOND / 1000;

/// Results of an event of a queue that holds its segments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Step {
    /// A segment whose service begins, and when it ends.
    pub served: Option<(Waiting, Picos)>,
    /// When the next departure is due.
    pub due: Option<Picos>,
}

/// A queue under a discipline.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Managed {
    facts: QueueFacts,
    discipline: Discipline,
    /// Change of the ECN field of data before they enter.
    rewrite: EcnRewrite,
    draws: Draws,
    /// Time between arrival and the beginning of the service, in microseconds, of segments served since the
    /// period began.
    pub delays: Histogram,
    /// Of a discipline that holds the segments: when the server is free.
    free: Picos,
    /// When the server is free, on the clock of the queue.
    free_work: Picos,
    /// Bytes of the segment that it serves until then.
    in_service: u32,
    /// Something waits, so that a departure is due then.
    is_due: bool,
    served: u64,
    dropped: u64,
    marked: u64,
    work: Picos,
}

impl Managed {
    /// An empty queue.
    #[must_use]
    pub fn new(
        name: DisciplineName,
        aqm: &AqmParameters,
        facts: QueueFacts,
        rewrite: EcnRewrite,
        draws: Draws,
    ) -> Self {
        let discipline = Discipline::of(name, aqm, facts);
        Self {
            facts,
            discipline,
            rewrite,
            draws,
            delays: Histogram::default(),
            free: 0,
            free_work: 0,
            in_service: 0,
            is_due: false,
            served: 0,
            dropped: 0,
            marked: 0,
            work: 0,
        }
    }

    /// It holds the segments, and its departures are events.
    #[must_use]
    pub fn is_stored(&self) -> bool {
        matches!(self.discipline, Discipline::Stored(_))
    }

    /// From now on so many packets fit, if it is a drop-tail queue that counts them.
    pub fn hold(&mut self, places: u64) {
        if let Discipline::Stored(Stored::TailDrop(queue)) = &mut self.discipline {
            queue.hold(places);
        }
    }

    /// The arrival of a segment, with the ECN field that it has from here on. The field of an acknowledgement
    /// is a report to the sender, which no hop changes.
    #[must_use]
    pub fn receive(&self, now: Picos, mut segment: Segment, is_ack: bool, data_bytes: u32) -> Waiting {
        let rewrite = if is_ack { EcnRewrite::None } else { self.rewrite };
        match rewrite {
            EcnRewrite::None => {}
            EcnRewrite::NotEct => segment.clear_ecn(),
            EcnRewrite::Ect0 => segment.make_classic(),
            EcnRewrite::Ect1 => segment.make_scalable(),
        }
        let bytes = if is_ack { self.facts.ack_bytes } else { data_bytes };
        Waiting { segment, since: now, bytes, is_ack, egress: EgressLane::default(), may_step: false }
    }

    /// The verdict of a discipline that decides at arrival.
    pub fn decide(&mut self, backlog: Backlog, arrival: &Waiting) -> Verdict {
        match &mut self.discipline {
            Discipline::Arrival(arrivals) => arrivals.decide(backlog, arrival, &mut self.draws),
            Discipline::Stored(_) => unreachable!("it decides at departure"),
        }
    }

    /// Service time of a segment.
    #[must_use]
    pub fn service_of(&self, waiting: &Waiting) -> Picos {
        self.facts.service_of(waiting)
    }

    /// A segment has entered that waits for `backlog` until it is served.
    pub fn entered(&mut self, backlog: Picos) {
        self.delays.add(backlog / MICROSECOND);
    }

    /// A segment reaches a queue that holds its segments.
    pub fn arrive(
        &mut self,
        now: Picos,
        arrival: Waiting,
        clock: Option<&Clock>,
        signals: &mut Signals,
    ) -> Step {
        let Self { discipline: Discipline::Stored(stored), draws, .. } = self else { return Step::default() };
        let (dropped, marked) = (signals.dropped.len(), signals.marked);
        let mut step = Step::default();
        if self.is_due || self.free > now {
            stored.enqueue(now, arrival, if self.free > now { self.in_service } else { 0 }, signals);
            if !self.is_due && !stored.is_empty() {
                self.is_due = true;
                step.due = Some(self.free);
            }
        } else {
            if self.free < now {
                stored.rest();
            }
            let next = stored.through(now, arrival, draws, signals);
            step.served = next.map(|next| (next, self.begin(now, &next, clock, false)));
        }
        self.count(dropped, marked, signals);
        step
    }

    /// The server of a queue that holds its segments is free, and something waits.
    pub fn depart(&mut self, now: Picos, clock: Option<&Clock>, signals: &mut Signals) -> Step {
        let Self { discipline: Discipline::Stored(stored), draws, .. } = self else { return Step::default() };
        let (dropped, marked) = (signals.dropped.len(), signals.marked);
        let next = stored.dequeue(now, draws, signals);
        self.is_due = next.is_some() && !stored.is_empty();
        let served = next.map(|next| (next, self.begin(now, &next, clock, true)));
        self.count(dropped, marked, signals);
        Step { served, due: self.is_due.then_some(self.free) }
    }

    /// Begins to serve a segment; when it is done. A server that `goes_on` begins where its last work ended,
    /// which may be within the work of an instant.
    fn begin(&mut self, now: Picos, next: &Waiting, clock: Option<&Clock>, goes_on: bool) -> Picos {
        let service = self.facts.service_of(next);
        match clock {
            None => self.free = now + service,
            Some(clock) => {
                self.free_work = service + if goes_on { self.free_work } else { clock.work(now) };
                self.free = clock.time(self.free_work);
            }
        }
        self.in_service = next.bytes;
        self.served += 1;
        self.work += service;
        self.entered(now - next.since);
        self.free
    }

    fn count(&mut self, dropped: usize, marked: u64, signals: &Signals) {
        self.dropped += (signals.dropped.len() - dropped) as u64;
        self.marked += signals.marked - marked;
    }

    /// Segments held, the one in service not included.
    #[must_use]
    pub fn waiting(&self) -> Vec<Waiting> {
        if let Discipline::Stored(stored) = &self.discipline { stored.waiting() } else { Vec::new() }
    }

    /// The counts of a queue that holds its segments; `None` where the queue is a number.
    #[must_use]
    pub fn state(&self, now: Picos, clock: Option<&Clock>) -> Option<RouterState> {
        let Discipline::Stored(stored) = &self.discipline else { return None };
        // Of the work that an instant makes possible, only what is left of the segment in service is not
        // done.
        let left = clock
            .map_or(self.free.saturating_sub(now), |clock| self.free_work.saturating_sub(clock.work(now)));
        Some(RouterState {
            accepted: self.served,
            dropped: self.dropped,
            marked: self.marked,
            busy: self.work - left,
            queue: stored.len() as u64 + u64::from(self.free > now),
            possible: clock.map_or(0, |clock| clock.work(now)),
        })
    }
}
