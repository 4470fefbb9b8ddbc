//! Receivers that are watched: those of applications. They watch only, and never influence the run.

use crate::applications::{Heard, Reception};
use crate::engine::{FlowHome, Segment};
use crate::fabric::OwnLanes;
use crate::network::{AccessRouter, DomainId};
use crate::simulation::events::Events;
use crate::simulation::shared::Shared;
use crate::transport::FlowEnds;
use mesonet_cc::Picos;
use std::ops::Range;

/// A receiver that is watched, with the access routers of both ends of its flow.
#[derive(Clone, Debug)]
pub struct Watched {
    origin: AccessRouter,
    receiver: AccessRouter,
    pub reception: Reception,
}

/// The receivers in a domain that are watched, by the number of their flow among those with lanes of their
/// own.
pub fn in_domain(shared: &Shared, domain: DomainId) -> Vec<Option<Box<Watched>>> {
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

/// Takes from the fabric what has reached receivers that are watched. It does not matter when.
#[cold]
pub fn take_arrivals(watched: &mut [Option<Box<Watched>>], shared: &Shared, events: &mut Events) {
    for (time, segment) in std::mem::take(events.fabric.arrivals()) {
        let FlowHome::OwnLanes(own) = segment.flow.home() else { continue };
        if let Some(watched) = &mut watched[own] {
            watched.arrived(shared, own, time, segment);
        }
    }
}

impl Watched {
    /// The application of a stack has read the segments of these numbers, with a packet that had left at
    /// `departure`.
    pub fn read(&mut self, shared: &Shared, numbers: Range<u64>, now: Picos, departure: Picos) {
        for number in numbers {
            // Only datagrams have answers.
            let heard = Heard { number, now, departure, back: 0 };
            self.reception.hear(&heard, |at| shared.period(at));
        }
    }

    /// A segment has reached the receiver of a flow, which has this number among those with lanes of their
    /// own.
    fn arrived(&mut self, shared: &Shared, own: usize, time: Picos, segment: Segment) {
        let Self { origin, receiver, reception } = self;
        let access = &shared.network.lanes[shared.own[own].1.access.index()];
        let ends = FlowEnds {
            origin: *origin,
            receiver: *receiver,
            id: segment.flow,
            target: segment.target() as u16,
        };
        let back = (shared.base_rtt(&ends, None, time) + 2 * access.delay) / 2;
        // The SYN, or the place of one, has the number before the first data segment.
        let number = reception.expand(segment.sequence.wrapping_sub(1));
        if number == u64::MAX {
            return;
        }
        let heard = Heard { number, now: time, departure: segment.departure(time), back };
        reception.hear(&heard, |at| shared.period(at));
    }
}
