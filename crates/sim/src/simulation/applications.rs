//! Applications of explicit flows in a domain: data for connections, datagrams, and what receivers get.

use super::Simulation;
use super::domain::Domain;
use super::shared::Shared;
use super::{code, delivery};
use crate::applications::{Act, Heard, Producer, Reception};
use crate::engine::{FlowHome, FlowId, Segment};
use crate::fabric::{DroppedSegment, OwnLanes};
use crate::measure::{FlowApplication, Table, applications};
use crate::network::{AccessRouter, DomainId};
use crate::snapshot::{BadSnapshot, Passage};
use crate::transport::FlowState;
use mesonet_cc::{IdleEvent, Picos, picos};
use serde::{Deserialize, Serialize};

/// An application whose sender is in a domain.
#[derive(Clone, Debug)]
pub(super) struct Feeder {
    /// Place of its flow among the explicit flows of the domain.
    place: u32,
    /// Number of its flow among those with lanes of their own.
    own: usize,
    /// Access router of its receiver.
    receiver: AccessRouter,
    /// Time that a segment occupies its interface.
    interface_time: Picos,
    producer: Producer,
    /// The sender, where it sends datagrams.
    datagrams: Option<Datagrams>,
}

/// A sender of datagrams: what the application hands over leaves as fast as the interface allows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Datagrams {
    /// Segments sent.
    next: u64,
    /// Segments handed over.
    end: u64,
    /// When the interface is free again.
    free: Picos,
    /// An event for the interface is pending.
    is_armed: bool,
    /// Segments sent and segments dropped, by measured period from 1; the first has what lies outside of them.
    counts: Vec<[u64; 2]>,
}

/// Place of a count.
const SENT: usize = 0;
const DROPPED: usize = 1;

impl Feeder {
    /// Segments sent and segments dropped by measured period, where it sends datagrams.
    pub fn counts(&self) -> Option<&[[u64; 2]]> {
        self.datagrams.as_ref().map(|datagrams| &datagrams.counts[1..])
    }

    /// Writes or replaces what changes during a run.
    pub fn pass(&mut self, passage: &mut Passage) -> Result<(), BadSnapshot> {
        let Self { place: _, own: _, receiver: _, interface_time: _, producer, datagrams } = self;
        producer.pass(passage)?;
        passage.field(datagrams)
    }
}

/// The applications of the explicit flows with these numbers, in the order of their places.
pub(super) fn feeders(shared: &Shared, explicit: &[u32]) -> Vec<Feeder> {
    let feeder = |(place, &index): (usize, &u32)| {
        let flow = &shared.scenario.flows[index as usize];
        let periods = shared.scenario.time.periods as usize;
        let datagrams = || Datagrams { counts: vec![[0; 2]; periods + 1], ..Datagrams::default() };
        Some(Feeder {
            place: place as u32,
            own: shared.own.binary_search_by_key(&index, |own| own.0).ok()?,
            receiver: shared.receiver(index),
            interface_time: picos(1.0 / flow.interface),
            producer: Producer::new(flow, index, shared.seed)?,
            datagrams: (!flow.transport.is_tcp()).then(datagrams),
        })
    };
    explicit.iter().enumerate().filter_map(feeder).collect()
}

/// A receiver that is watched, with the access routers of both ends of its flow.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    origin: AccessRouter,
    receiver: AccessRouter,
    pub reception: Reception,
}

/// The receivers in a domain that are watched, by the number of their flow among those with lanes of their own.
pub(super) fn receptions(shared: &Shared, domain: DomainId) -> Vec<Option<Box<Watched>>> {
    let watched = |(index, own): &(u32, OwnLanes)| {
        let flow = &shared.scenario.flows[*index as usize];
        let (origin, receiver) = (shared.origin(*index), shared.receiver(*index));
        let periods = shared.scenario.time.periods as usize;
        let is_here = own.receiver.is_watched && shared.domain_of(receiver) == domain;
        is_here.then(|| {
            let reception = Reception::new(flow, *index, shared.seed, periods);
            Box::new(Watched { origin, receiver, reception })
        })
    };
    shared.own.iter().map(watched).collect()
}

impl Simulation {
    /// The explicit flows that have an application, with what their receivers got so far.
    pub(super) fn flow_applications(&self) -> Vec<FlowApplication> {
        let shared = &self.shared;
        let watched = shared.own.iter().enumerate().filter(|(_, (_, own))| own.receiver.is_watched);
        let found = |(own, (index, _)): (usize, &(u32, _))| {
            let flow = &shared.scenario.flows[*index as usize];
            let reception = self.reception(*index).expect("a receiver that is watched");
            let feeders = &self.domains[shared.domain_of(shared.origin(*index)).index()].feeders;
            let feeder = feeders.iter().find(|feeder| feeder.own == own);
            FlowApplication {
                flow: u64::from(*index) + 1,
                application: flow
                    .application
                    .as_ref()
                    .map_or("bulk", |application| application.source.word()),
                transport: if flow.transport.is_tcp() { "tcp" } else { "udp" },
                receiver: flow.receiver.word(),
                records: reception.records(self.now, |at| shared.period(at)),
                counts: feeder.and_then(Feeder::counts).map(<[_]>::to_vec),
            }
        };
        watched.map(found).collect()
    }

    /// The receiver of explicit flow `index`, if it is watched.
    pub(super) fn reception(&self, index: u32) -> Option<&Reception> {
        let own = self.shared.own.binary_search_by_key(&index, |own| own.0).ok()?;
        let watched = self.domains.iter().find_map(|domain| domain.receptions[own].as_deref());
        watched.map(|watched| &watched.reception)
    }

    /// The table of applications, by period.
    #[must_use]
    pub fn applications(&self) -> Table {
        applications::table(&self.flow_applications(), self.shared.scenario.time.periods as usize)
    }
}

impl Domain {
    /// The application of the explicit flow at `place`, by its number here.
    pub(super) fn feeder(&self, place: u32) -> Option<usize> {
        self.feeders.binary_search_by_key(&place, |feeder| feeder.place).ok()
    }

    /// An application does what is due, and its next act is armed.
    #[inline(never)]
    pub(super) fn run_application(&mut self, number: u32) {
        while let Some((at, act)) = self.feeders[number as usize].producer.next() {
            if at > self.now {
                self.arm(at, code::APPLICATION | u64::from(number));
                return;
            }
            let feeder = &mut self.feeders[number as usize];
            feeder.producer.advance();
            let place = feeder.place;
            match (&mut feeder.datagrams, act) {
                (Some(datagrams), Act::Give(end)) => {
                    datagrams.end = end;
                    self.send_datagrams(number);
                }
                (Some(_), Act::Open | Act::Close) => unreachable!("datagrams have a rate: checked"),
                (None, _) => match self.explicit[place as usize].slot {
                    Some(slot) => {
                        self.restart_after_idle(place, slot, act);
                        self.feed(slot, act);
                    }
                    // The connection failed.
                    None => return,
                },
            }
        }
    }

    /// The application of a connection does something.
    fn feed(&mut self, slot: u32, act: Act) {
        let flow = &mut self.flows[slot as usize];
        if act != Act::Close
            && flow.state == FlowState::Sending
            && flow.board.next() == flow.end
            && self.shared.configs[usize::from(flow.algorithm)].wants_delivery_rate()
        {
            // The application had let the sender run out of data (draft-cheng-iccrg-delivery-rate-estimation, section 3.4).
            delivery::update_limits(&mut self.samplers[slot as usize], flow);
        }
        match act {
            Act::Give(end) => flow.end = flow.base + end,
            Act::Open => flow.end = u64::MAX,
            Act::Close => flow.end = flow.board.next(),
        }
        if flow.state == FlowState::Sending {
            self.send_allowed(slot);
        }
    }

    /// The application hands over data: where nothing is outstanding, the controller learns how long the flow was idle
    /// (Linux, tcp_slow_start_after_idle_check).
    fn restart_after_idle(&mut self, place: u32, slot: u32, act: Act) {
        let last_sent = self.explicit[place as usize].last_sent;
        let flow = &mut self.flows[slot as usize];
        if act == Act::Close || flow.state != FlowState::Sending || last_sent == 0 || !flow.is_idle() {
            return;
        }
        let (now, idle, rto) = (self.now, self.now - last_sent, flow.rtt.rto);
        let config = &self.shared.configs[usize::from(flow.algorithm)];
        flow.controller.on_idle(config, &IdleEvent { now, idle, rto });
    }

    /// Sends what the application has handed over, as far as the interface allows.
    #[inline(never)]
    pub(super) fn send_datagrams(&mut self, number: u32) {
        let period = self.shared.period(self.now).map_or(0, |period| period + 1);
        let feeder = &self.feeders[number as usize];
        let (own, receiver, interface_time) = (feeder.own, feeder.receiver, feeder.interface_time);
        loop {
            let now = self.now;
            let Some(datagrams) = &mut self.feeders[number as usize].datagrams else { return };
            if datagrams.next == datagrams.end {
                return;
            }
            if datagrams.free > now {
                let free = datagrams.free;
                if !std::mem::replace(&mut datagrams.is_armed, true) {
                    self.arm(free, code::DATAGRAM | u64::from(number));
                }
                return;
            }
            datagrams.next += 1;
            datagrams.free = now + interface_time;
            datagrams.counts[period][SENT] += 1;
            let segment = Segment::new(now, FlowId::own(own), datagrams.next as u32, receiver.index());
            self.counters.entering += 1;
            self.fabric.send_on(now, self.shared.own[own].1.access, segment);
        }
    }

    /// The interface of a sender of datagrams is free again.
    #[inline(never)]
    pub(super) fn datagram_due(&mut self, number: u32) {
        if let Some(datagrams) = &mut self.feeders[number as usize].datagrams {
            datagrams.is_armed = false;
        }
        self.send_datagrams(number);
    }

    /// Counts a drop, if it is of a datagram; returns whether it is.
    #[cold]
    pub(super) fn count_dropped_datagram(&mut self, own: usize, drop: &DroppedSegment) -> bool {
        let Ok(number) = self.feeders.binary_search_by_key(&own, |feeder| feeder.own) else { return false };
        let Some(datagrams) = &mut self.feeders[number].datagrams else { return false };
        let period = self.shared.period(drop.time).map_or(0, |period| period + 1);
        datagrams.counts[period][DROPPED] += 1;
        true
    }

    /// Takes from the fabric what has reached receivers that are watched. These watch only, so that it does not matter when.
    #[cold]
    pub(super) fn take_arrivals(&mut self) {
        for (time, segment) in std::mem::take(self.fabric.arrivals()) {
            self.arrived(time, segment);
        }
    }

    /// A segment has reached a receiver that is watched.
    fn arrived(&mut self, time: Picos, segment: Segment) {
        let FlowHome::OwnLanes(own) = segment.flow.home() else { return };
        let shared = &self.shared;
        let Some(watched) = &mut self.receptions[own] else { return };
        let Watched { origin, receiver, reception } = &mut **watched;
        let access = &shared.network.lanes[shared.own[own].1.access.index()];
        let back =
            (shared.network.round_trip_at(origin.index(), receiver.index(), time) + 2 * access.delay) / 2;
        // The SYN, or the place of one, has the number before the first data segment.
        let number = reception.expand(segment.sequence.wrapping_sub(1));
        if number == u64::MAX {
            return;
        }
        let heard = Heard { number, now: time, departure: segment.departure(time), back };
        reception.hear(&heard, |at| shared.period(at));
    }
}
