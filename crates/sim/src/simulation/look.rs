//! A look at all domains at one instant, between two windows.

use super::domain::Domain;
use super::sessions::{ExplicitHere, Feeder};
use super::shared::Shared;
use crate::applications::Reception;
use crate::engine::FlowId;
use crate::fabric::OwnLanes;
use crate::measure::fairness::Progress;
use crate::measure::rtt_class::{RTT_CLASSES, rtt_class};
use crate::measure::sample::FlowSample;
use crate::measure::{
    Carried, Counters, FlowApplication, FlowGroups, PairClass, PathClass, SlowdownClasses, Units,
};
use crate::network::router::RouterState;
use crate::network::{DomainId, LaneId};
use crate::transport::{Flow, FlowEnds, FlowState};
use crate::users::files::EXPLICIT;
use mesonet_cc::{Picos, picos};

/// All domains at one instant.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    pub shared: &'a Shared,
    pub domains: &'a [Domain],
    pub now: Picos,
}

impl<'a> Look<'a> {
    /// A queue of data.
    pub fn queue(&self, queue: usize) -> RouterState {
        let queues = &self.shared.network.queues;
        if !queues.at_ports() {
            return self.router(queue);
        }
        let domain = self.shared.domains.of[queues.router(queue)];
        self.domains[domain.index()].events.fabric.port(LaneId::new(queue), self.now)
    }

    /// A router that has one queue.
    fn router(&self, router: usize) -> RouterState {
        let domains = &self.shared.domains;
        let fabric = &self.domains[domains.of[router].index()].events.fabric;
        fabric.router(domains.router[router], self.now)
    }

    /// Counts since the start.
    pub fn counters(&self) -> Counters {
        self.domains.iter().fold(Counters::default(), |sum, domain| sum.plus(&domain.counters()))
    }

    /// Domain of each port, or of each router that has one queue, and segments accepted there so far. Routers
    /// include those that acknowledgements alone pass, which are no queue of data.
    pub fn hops(self) -> impl Iterator<Item = (DomainId, u64)> + 'a {
        let network = &self.shared.network;
        let queues = &network.queues;
        let count = if queues.at_ports() { queues.count() } else { network.routers.len() };
        (0..count).map(move |place| {
            let router = if queues.at_ports() { queues.router(place) } else { place };
            (self.shared.domains.of[router], self.queue(place).accepted)
        })
    }

    /// Completed flows of the measured span, by period and group.
    pub fn groups(&self) -> FlowGroups {
        let mut groups = FlowGroups::default();
        self.domains.iter().for_each(|domain| groups.merge(&domain.books.groups));
        groups
    }

    /// Flows of the measured span by period and unit; none where these are not recorded.
    pub fn units(&self) -> Units {
        let mut units = Units::default();
        self.domains.iter().flat_map(|domain| &domain.books.units).for_each(|here| units.merge(here));
        units
    }

    /// Data of the measured span whose demand is known.
    pub fn carried(&self) -> Carried {
        let mut carried = Carried::default();
        self.domains.iter().for_each(|domain| carried.merge(&domain.books.carried));
        carried
    }

    /// Slowdowns of the measured span, by period and class.
    pub fn slowdowns(&self) -> SlowdownClasses {
        let mut slowdowns = SlowdownClasses::default();
        self.domains.iter().for_each(|domain| slowdowns.merge(&domain.books.slowdowns));
        slowdowns
    }

    /// The explicit flow `index`, and the flow that it is while it lives.
    fn explicit_here(&self, index: usize) -> (&'a ExplicitHere, Option<&'a Flow>) {
        let index = index as u32;
        let domain = &self.domains[self.shared.domain_of(self.shared.origin(index)).index()];
        let explicit = &domain.sessions.explicit;
        let place = explicit.binary_search_by_key(&index, |here| here.index).expect("of the scenario");
        (&explicit[place], explicit[place].slot.map(|slot| &domain.senders.flows[slot as usize]))
    }

    /// The flow that explicit flow `index` is while it lives.
    pub fn explicit(&self, index: usize) -> Option<&'a Flow> {
        self.explicit_here(index).1
    }

    /// A sample of explicit flow `index`.
    pub fn explicit_sample(&self, index: usize) -> FlowSample {
        let (explicit, flow) = self.explicit_here(index);
        explicit_sample(explicit, flow)
    }

    /// Segments of each explicit flow in progress that were acknowledged.
    pub fn progress(&self) -> Progress {
        let mut progress: Progress = vec![None; self.shared.scenario.flows.len()];
        for domain in self.domains {
            for explicit in &domain.sessions.explicit {
                let flow = explicit.slot.map(|slot| &domain.senders.flows[slot as usize]);
                progress[explicit.index as usize] =
                    flow.map(|flow| explicit_sample(explicit, Some(flow)).delivered);
            }
        }
        progress
    }

    /// The flow of a traced source, while it has one.
    pub fn traced(&self, source: u32) -> Option<&'a Flow> {
        self.domains
            .iter()
            .find_map(|domain| Some(&domain.senders.flows[domain.books.traced(source)? as usize]))
    }

    /// The receiver of explicit flow `index`, if it is watched.
    pub fn reception(&self, index: u32) -> Option<&'a Reception> {
        let own = self.shared.own.binary_search_by_key(&index, |own| own.0).ok()?;
        let watched = self.domains.iter().find_map(|domain| domain.answering.watched[own].as_deref());
        watched.map(|watched| &watched.reception)
    }

    /// The explicit flows that have an application, with what their receivers got so far.
    pub fn applications(&self) -> Vec<FlowApplication> {
        let shared = self.shared;
        let watched = shared.own.iter().enumerate().filter(|(_, (_, own))| own.receiver.is_watched);
        let found = |(own, (index, lanes)): (usize, &(u32, OwnLanes))| {
            let flow = &shared.scenario.flows[*index as usize];
            let (origin, receiver) = (shared.origin(*index), shared.receiver(*index));
            let source = shared.population.count + index;
            let owner = shared.owners.of(&shared.network, EXPLICIT, source, [origin, receiver]);
            let is_tcp = flow.transport.is_tcp();
            let target = if is_tcp { shared.target(receiver, source, 0) } else { receiver.index() as u16 };
            let ends = FlowEnds { origin, receiver, id: FlowId::own(own), target };
            let [from, to] = [origin, receiver].map(|end| shared.network.class_of(end.index()));
            let pair_class = PairClass::of(from, to);
            let base_rtt = shared.base_rtt(&ends, Some(lanes.access), picos(flow.start));
            let reception = self.reception(*index).expect("a receiver that is watched");
            let feeders = &self.domains[shared.domain_of(origin).index()].sessions.feeders;
            let feeder = feeders.iter().find(|feeder| feeder.own == own);
            FlowApplication {
                flow: u64::from(*index) + 1,
                user: shared.owners.name(&shared.network, &owner),
                algorithm: flow.algorithm.clone().filter(|_| is_tcp).unwrap_or_default(),
                path_class: PathClass::of(pair_class as usize).name(),
                rtt_class: RTT_CLASSES[usize::from(rtt_class(base_rtt))],
                pop: shared.owners.place(&shared.network, owner.home).into(),
                access: shared.network.access_kind(owner.access).into(),
                application: flow
                    .application
                    .as_ref()
                    .map_or("bulk", |application| application.source.word()),
                transport: if is_tcp { "tcp" } else { "udp" },
                receiver: flow.receiver.word(),
                records: reception.records(self.now, |at| shared.period(at)),
                counts: feeder.and_then(Feeder::counts).map(<[_]>::to_vec),
                video: feeder.and_then(|feeder| feeder.video(shared, self.now)),
            }
        };
        watched.map(found).collect()
    }
}

/// An explicit flow now, and the flow that it is while it lives.
fn explicit_sample(explicit: &ExplicitHere, flow: Option<&Flow>) -> FlowSample {
    match flow {
        Some(flow) if flow.state == FlowState::Sending => FlowSample {
            cwnd: flow.controller.cwnd(),
            rtt_ms: if flow.rtt.srtt > 0 { flow.rtt.srtt as f64 * 1e-9 } else { f64::NAN },
            delivered: flow.delivered,
        },
        _ => FlowSample { cwnd: f64::NAN, rtt_ms: f64::NAN, delivered: explicit.delivered },
    }
}
