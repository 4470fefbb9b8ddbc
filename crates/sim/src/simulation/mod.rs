//! The whole run: domains that advance in windows, and what is measured between them.
//!
//! A domain (`domain`) holds the sources of a part of the network, their flows and the fabric that carries their
//! segments; its files are connections (`connection`, `explicit`, `applications`, `misbehaving`, `arriving`, `patience`), sending and recovery (`sender`, `pacing`,
//! `delivery`, `recovery` for every loss recovery but the default one, `receiving` and `answering` for delayed
//! acknowledgements, `dropped_acks`) and flows that end (`ended`, `slowdown`). All domains read `shared` state. `windows` advances them, on any number of
//! `threads`, of which `bound` computes the most gain; `large_files` compares flows of all domains at fixed instants;
//! samples (`sampling`) and detailed traces (`tracing`) look at all of them at one instant, and at one instant the
//! network changes (`changes`). Between windows the whole can become bytes (`snapshot`).

mod answering;
mod applications;
mod arriving;
mod bound;
mod changes;
pub mod check;
mod code;
mod connection;
mod delivery;
mod domain;
mod dropped_acks;
mod ended;
mod explicit;
mod faults;
mod large_files;
mod long_lived;
mod misbehaving;
mod pacing;
mod patience;
mod receiving;
mod recovery;
mod sampling;
mod sender;
mod shared;
mod slots;
mod slowdown;
mod snapshot;
mod threads;
mod tracing;
mod waiting;
mod windows;

use crate::engine::Segment;
use crate::fabric::{Fabric, LaneFabric, Origins, PlainFabric};
use crate::measure::responses::LONG_LIVED;
use crate::measure::sample::Series;
use crate::measure::{
    Convergence, Counters, Fairness, FlowGroups, FlowRecords, PeriodSums, RouterUse, Table,
};
use crate::network::build::LaneEnd;
use crate::network::router::RouterState;
use crate::network::{DomainId, Domains, LaneId, Network};
use crate::scenario::{AlgorithmShare, InvalidScenario, Scenario};
use domain::{Domain, Members};
use large_files::Concurrent;
use mesonet_cc::Picos;
use mesonet_cc::picos;
use shared::Shared;
use std::sync::Arc;
use tracing::Tracing;

/// The engine that orders events. All engines give the same bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Domains by lanes, in windows; can use several threads.
    #[default]
    Domains,
    /// A single domain by lanes.
    OneDomain,
    /// A heap entry for every segment: the reference for the others.
    Reference,
}

/// A running simulation.
#[derive(Clone, Debug)]
pub struct Simulation {
    shared: Arc<Shared>,
    domains: Vec<Domain>,
    threads: usize,
    now: Picos,
    end: Picos,
    sampled: Counters,
    samples: u64,
    periods: Vec<PeriodSums>,
    series: Series,
    records: FlowRecords,
    routers: RouterUse,
    /// Segments of the long-lived flows acknowledged until the last sample.
    long_lived: [u64; LONG_LIVED],
    convergence: Convergence<2>,
    fairness: Fairness,
    tracing: Tracing,
    /// Movies and service packs under way, where these are limited by concurrency.
    large_files: Option<Concurrent>,
    /// Changes of the network that have happened.
    changed: usize,
    /// Delays of lanes now.
    delays: Vec<Picos>,
    /// By lane the arrival of the last segment that had left when something changed the last time.
    gone: Vec<Picos>,
    /// The times of windows, where they are watched.
    watched: Option<bound::WindowTimes>,
}

impl Simulation {
    /// A simulation at its first instant, on one thread.
    ///
    /// # Errors
    /// [`InvalidScenario`] where the network cannot be built or the run is too long for the width of the event keys.
    pub fn new(scenario: Scenario, seed: u64) -> Result<Self, InvalidScenario> {
        Self::with(scenario, seed, Engine::default(), 1)
    }

    /// A simulation at its first instant. More `threads` than domains are not used.
    ///
    /// # Errors
    /// [`InvalidScenario`] where the network cannot be built or the run is too long for the width of the event keys.
    pub fn with(
        mut scenario: Scenario,
        seed: u64,
        engine: Engine,
        threads: usize,
    ) -> Result<Self, InvalidScenario> {
        scenario.refuse_unloaded()?;
        let mut network = Network::build(&scenario)?;
        let divide = match engine {
            Engine::Domains => Domains::of,
            Engine::OneDomain | Engine::Reference => Domains::one,
        };
        check::check(&scenario, &network, &divide(&network))?;
        let tracing = Tracing::new(&scenario, &network)?;
        long_lived::add(&mut scenario, &network, seed);
        explicit::draw_starts(&mut scenario, seed);
        let own = explicit::add_lanes(&scenario, &mut network);
        let domains = divide(&network);
        let shared = Arc::new(Shared::new(scenario, network, domains, own, seed));
        let periods = shared.scenario.time.periods as usize;
        Ok(Self {
            domains: build_domains(&shared, engine),
            threads: threads.clamp(1, shared.domains.count),
            now: 0,
            end: shared.end,
            sampled: Counters::default(),
            samples: 0,
            periods: vec![PeriodSums::default(); periods + 1],
            series: Series::default(),
            records: FlowRecords::new(seed, shared.scenario.measurement.flow_records),
            routers: RouterUse::new(shared.network.queues.count(), periods),
            long_lived: [0; LONG_LIVED],
            convergence: Convergence::default(),
            fairness: Fairness::new(&shared.scenario, shared.period_length),
            tracing,
            large_files: Concurrent::new(&shared),
            changed: 0,
            delays: shared.network.lanes.iter().map(|lane| lane.delay).collect(),
            gone: vec![0; shared.network.lanes.len()],
            watched: None,
            shared,
        })
    }

    /// Runs until `until` seconds or the end of the run, whichever comes first.
    pub fn advance(&mut self, until: f64) {
        self.advance_to(picos(until));
    }

    /// Runs up to the next instant at which something happens, unless that is later than `until` picoseconds or the end
    /// of the run; returns whether there was one.
    pub fn step(&mut self, until: Picos) -> bool {
        let next = self.next_instant();
        if next > until.min(self.end) {
            return false;
        }
        self.advance_to(next);
        true
    }

    fn advance_to(&mut self, until: Picos) {
        loop {
            let until = until.min(self.end);
            let stop = self.next_look();
            if stop > until {
                self.run_before(until + 1);
                self.now = self.now.max(until);
                return;
            }
            // Looks come before everything else at their instant.
            self.run_before(stop);
            self.now = stop;
            if stop == self.sample_time(self.samples + 1) {
                self.sample();
            }
            if Some(stop) == self.tracing.next() {
                self.trace();
            }
            if Some(stop) == self.next_change() {
                self.change();
            }
            if self.large_files.as_ref().is_some_and(|large| large.next == stop) {
                self.replace_large_files();
            }
        }
    }

    /// When all domains are looked at next: a sample, a row of the traces, a change of the network, or a comparison of
    /// large files.
    fn next_look(&self) -> Picos {
        let large_files = self.large_files.as_ref().map(|large| large.next);
        let others = [self.tracing.next(), self.next_change(), large_files].into_iter().flatten();
        others.fold(self.sample_time(self.samples + 1), Picos::min)
    }

    fn next_instant(&self) -> Picos {
        self.first_event().min(self.next_look())
    }

    /// Name of a plug-in whose state cannot be written, so that there are no snapshots.
    #[must_use]
    pub fn without_snapshots(&self) -> Option<&'static str> {
        let plugins = self.shared.scenario.algorithms.iter().filter_map(AlgorithmShare::loaded);
        plugins.filter(|plugin| plugin.has_pointers()).map(|plugin| plugin.algorithm.name).next()
    }

    /// Returns whether some algorithm is a plug-in.
    #[must_use]
    pub fn has_plugins(&self) -> bool {
        self.shared.has_plugins
    }

    /// Returns whether the run has ended: at the end of the scenario, or before because its means converged.
    #[must_use]
    pub fn finished(&self) -> bool {
        self.now >= self.end
    }

    /// Records the flows that the end of the run cut short.
    pub fn record_unfinished(&mut self) {
        for domain in &mut self.domains {
            domain.record_unfinished(self.now);
        }
    }

    /// Time series rows since the last call.
    pub fn take_series(&mut self) -> Table {
        self.series.take()
    }

    /// Flow records since the last call, in the order in which the flows ended.
    pub fn take_flows(&mut self) -> Table {
        for domain in &mut self.domains {
            self.records.append(&mut domain.records);
        }
        self.records.take(&self.shared.network, &self.shared.algorithm_names)
    }

    /// Completed flows of the measured span, by period and group.
    #[must_use]
    pub fn groups(&self) -> Table {
        self.all_groups().table(&self.shared.algorithm_names)
    }

    fn all_groups(&self) -> FlowGroups {
        let mut groups = FlowGroups::default();
        self.domains.iter().for_each(|domain| groups.merge(&domain.groups));
        groups
    }

    /// The table of routers, by period.
    #[must_use]
    pub fn routers(&self) -> Table {
        self.routers.table(&self.shared.network, self.shared.scenario.measurement.interval)
    }

    /// A queue of data now.
    fn queue(&self, queue: usize) -> RouterState {
        let network = &self.shared.network;
        if !network.queues.at_ports() {
            return self.router(queue);
        }
        let domain = self.shared.domains.of[network.queues.router(queue)];
        self.domains[domain.index()].fabric.port(LaneId::new(queue), self.now)
    }

    /// A router that has one queue now.
    fn router(&self, router: usize) -> RouterState {
        let domains = &self.shared.domains;
        self.domains[domains.of[router].index()].fabric.router(domains.router[router], self.now)
    }

    /// Counts since the start.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.domains.iter().fold(Counters::default(), |sum, domain| sum.plus(&domain.counters()))
    }

    /// Segments accepted by routers so far, over all routers.
    #[must_use]
    pub fn router_hops(&self) -> u64 {
        self.hops().map(|(_, hops)| hops).sum()
    }

    /// Domain of each port, or of each router that has one queue, and segments accepted there so far. Routers include
    /// the ones that acknowledgements alone pass, which are no queue of data.
    fn hops(&self) -> impl Iterator<Item = (DomainId, u64)> + '_ {
        let Network { queues, routers, .. } = &*self.shared.network;
        let count = if queues.at_ports() { queues.count() } else { routers.len() };
        (0..count).map(move |place| {
            let router = if queues.at_ports() { queues.router(place) } else { place };
            (self.shared.domains.of[router], self.queue(place).accepted)
        })
    }

    /// The network.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.shared.network
    }

    /// Counts of all segments by their place now; for the conservation law sent = delivered + dropped + queued + in
    /// flight.
    #[must_use]
    pub fn census(&self) -> Census {
        let mut census = Census::default();
        let network = &self.shared.network;
        let receivers = network.queued_acks.as_ref().map_or(usize::MAX, |_| network.access.len());
        let mut count = |(lane, segment): (LaneId, Segment)| {
            match network.lanes[lane.index()].end {
                LaneEnd::Sources(_) => census.acknowledgements += 1,
                _ if segment.target() >= receivers => census.acknowledgements += 1,
                // Before it departs it is in the router at the beginning of the lane.
                _ if segment.time > self.now + self.delays[lane.index()] => census.queued += 1,
                _ => census.in_flight += 1,
            }
        };
        self.domains.iter().for_each(|domain| domain.fabric.segments().into_iter().for_each(&mut count));
        for segment in self.domains.iter().flat_map(|domain| domain.fabric.waiting()) {
            if segment.target() >= receivers {
                census.acknowledgements += 1;
            } else {
                census.queued += 1;
            }
        }
        census
    }
}

/// The domains at their first instant.
fn build_domains(shared: &Arc<Shared>, engine: Engine) -> Vec<Domain> {
    let count = shared.domains.count;
    let mut sources = vec![Vec::new(); count];
    for source in shared.population.sources(&shared.scenario, &shared.network) {
        sources[shared.domain_of(source.access).index()].push(source);
    }
    let mut explicit = vec![Vec::new(); count];
    for index in 0..shared.scenario.flows.len() as u32 {
        explicit[shared.domain_of(shared.origin(index)).index()].push(index);
    }
    let mut emitters = vec![Vec::new(); count];
    for emitter in 0..shared.emitters.count() as u32 {
        emitters[shared.domain_of(shared.emitters.access(&shared.network, emitter)).index()].push(emitter);
    }
    let own: Vec<_> = shared.own.iter().map(|own| own.1).collect();
    let origins = shared.network.queued_acks.as_ref().map(|_| {
        let own = shared.own.iter().map(|(flow, _)| shared.origin(*flow));
        Origins::new(&shared.network, own.collect())
    });
    let fabric = |domain: DomainId| {
        let mut fabric = match engine {
            Engine::Reference => {
                Fabric::Plain(PlainFabric::new(&shared.network, &own, origins.clone(), shared.seed))
            }
            _ => Fabric::Lanes(LaneFabric::new(
                &shared.network,
                &shared.domains,
                &own,
                origins.clone(),
                domain,
                shared.seed,
            )),
        };
        if shared.scenario.measurement.segment_delays {
            fabric.record_segment_delays();
        }
        if shared.answers.is_some() {
            fabric.hand_over();
        }
        fabric
    };
    let members = sources.into_iter().zip(explicit).zip(emitters);
    let members = members.map(|((sources, explicit), emitters)| Members { sources, explicit, emitters });
    let numbered = (0..count).map(DomainId::new).zip(members);
    numbered.map(|(domain, members)| Domain::new(shared, domain, fabric(domain), members)).collect()
}

/// Segments inside the network at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Waiting or in service in a router.
    pub queued: u64,
    /// On a link.
    pub in_flight: u64,
    /// Acknowledgements in transit (their segments have been delivered).
    pub acknowledgements: u64,
}
