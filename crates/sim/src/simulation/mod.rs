//! The whole run: domains that advance in windows, and what is measured between them.
//!
//! A domain (`domain`) is a part of the network that advances alone. It has six parts, of which each uses
//! only those before it:
//!
//! | part | what it knows |
//! |---|---|
//! | `events` | the clock, timers, interfaces, and the fabric that carries segments |
//! | `books` | counts and records |
//! | `sending` | flows: how their senders react to acknowledgements, losses and timers |
//! | `answering` | receivers that delay acknowledgements, or are watched |
//! | `stacks` | connections between whole transport stacks, which are flows of the books |
//! | `sessions` | users, explicit flows, applications, arrivals: what begins flows, and what follows when they end |
//!
//! All domains read `shared` state. `windows` advances them, on any number of `threads`, of which `bound`
//! computes the most gain. Between windows everything can be looked at (`look`): samples (`sampling`),
//! detailed traces (`tracing`), changes of the network (`changes`), comparisons of large files
//! (`large_files`), demands (`demands`), and snapshots (`snapshot`).

mod answering;
mod books;
mod bound;
mod changes;
pub mod check;
mod code;
mod demands;
mod domain;
mod events;
mod faults;
mod large_files;
mod long_lived;
mod look;
mod sampling;
mod sending;
mod sessions;
mod shared;
mod snapshot;
mod stacks;
mod threads;
mod tracing;
mod waiting;
mod windows;

use crate::engine::Segment;
use crate::fabric::{Fabric, LaneFabric, Origins, PlainFabric};
use crate::measure::{self, Counters, FlowRecords, Table, applications};
use crate::network::lanes::LaneEnd;
use crate::network::{DomainId, Domains, LaneId, Network};
use crate::scenario::{AlgorithmShare, InvalidScenario, Scenario};
use crate::users::Assignment;
use bound::WindowTimes;
use changes::Changes;
use domain::Domain;
use large_files::Concurrent;
use look::Look;
use mesonet_cc::{Picos, picos, seconds};
use sampling::Sampling;
use sessions::Members;
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
    sampling: Sampling,
    records: FlowRecords,
    tracing: Tracing,
    /// Movies and service packs under way, where these are limited by concurrency.
    large_files: Option<Concurrent>,
    changes: Changes,
    /// The times of windows, where they are watched.
    watched: Option<WindowTimes>,
}

impl Simulation {
    /// A simulation at its first instant, on one thread.
    ///
    /// # Errors
    /// [`InvalidScenario`] where the network cannot be built or the run is too long for the width of the
    /// event keys.
    pub fn new(scenario: Scenario, seed: u64) -> Result<Self, InvalidScenario> {
        Self::with(scenario, seed, Engine::default(), 1)
    }

    /// A simulation at its first instant. More `threads` than domains are not used.
    ///
    /// # Errors
    /// [`InvalidScenario`] where the network cannot be built or the run is too long for the width of the
    /// event keys.
    pub fn with(
        mut scenario: Scenario,
        seed: u64,
        engine: Engine,
        threads: usize,
    ) -> Result<Self, InvalidScenario> {
        scenario.refuse_unloaded()?;
        let network = Network::build(&scenario)?;
        let divide = match engine {
            Engine::Domains if !scenario.has_stacks() => Domains::of,
            Engine::Domains => Domains::one,
            Engine::OneDomain | Engine::Reference => Domains::one,
        };
        check::check(&scenario, &network, &divide(&network))?;
        let tracing = Tracing::new(&scenario, &network)?;
        let assignment = Assignment::new(&scenario, &network, seed)?;
        long_lived::add(&mut scenario, &network, &assignment, seed);
        sessions::draw_flows(&mut scenario, &network, &assignment, seed);
        let (network, own) = sessions::with_lanes(&scenario, network);
        let domains = divide(&network);
        let shared = Arc::new(Shared::new(scenario, network, assignment, domains, own, seed));
        Ok(Self {
            domains: build_domains(&shared, engine),
            threads: threads.clamp(1, shared.domains.count),
            now: 0,
            end: shared.end,
            sampling: Sampling::new(&shared),
            records: FlowRecords::new(seed, shared.scenario.measurement.flow_records),
            tracing,
            large_files: Concurrent::new(&shared),
            changes: Changes::new(&shared),
            watched: None,
            shared,
        })
    }

    /// Runs until `until` seconds or the end of the run, whichever comes first.
    pub fn advance(&mut self, until: f64) {
        self.advance_to(picos(until));
    }

    /// Runs up to the next instant at which something happens, unless that is later than `until` picoseconds
    /// or the end of the run; returns whether there was one.
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
            let (shared, domains) = (&*self.shared, &mut self.domains[..]);
            if !shared.stacks.is_empty() {
                domains.iter_mut().for_each(|domain| domain.observe_stacks(shared));
            }
            if stop == self.sampling.next(shared) && self.sampling.look(shared, domains, stop) {
                self.end = stop;
            }
            if Some(stop) == self.tracing.next() {
                self.tracing.trace(&Look { shared, domains, now: stop });
            }
            if Some(stop) == self.changes.next(shared) {
                self.changes.change(shared, domains, stop);
            }
            if let Some(large_files) = self.large_files.as_mut().filter(|files| files.next == stop) {
                large_files.replace(shared, domains);
            }
        }
    }

    /// Everything that happens before `limit`.
    fn run_before(&mut self, limit: Picos) {
        let (shared, domains) = (&*self.shared, &mut self.domains[..]);
        let Some(watched) = &mut self.watched else {
            return match self.threads {
                1 => windows::run_before(shared, domains, limit),
                threads => threads::run_before(shared, domains, threads, limit),
            };
        };
        while let Some(end) = windows::run_window(shared, &mut domains.iter_mut().collect::<Vec<_>>(), limit)
        {
            self.now = end - 1; // the instant up to which routers can be looked at
            watched.window_ended(&Look { shared, domains, now: self.now });
        }
    }

    /// When all domains are looked at next: a sample, a row of the traces, a change of the network, or a
    /// comparison of large files.
    fn next_look(&self) -> Picos {
        let large_files = self.large_files.as_ref().map(|large| large.next);
        let others =
            [self.tracing.next(), self.changes.next(&self.shared), large_files].into_iter().flatten();
        others.fold(self.sampling.next(&self.shared), Picos::min)
    }

    fn next_instant(&self) -> Picos {
        windows::first_event(&self.domains).min(self.next_look())
    }

    fn look(&self) -> Look<'_> {
        Look { shared: &self.shared, domains: &self.domains, now: self.now }
    }

    /// Watches the windows from now on, on one thread, for [`Self::bounds_of_threads`].
    pub fn watch_windows(&mut self, threads: &[usize]) {
        self.watched = Some(WindowTimes::new(threads, &self.look()));
    }

    /// Largest possible speed of each number of threads over the speed of one thread, in the windows that
    /// were watched.
    #[must_use]
    pub fn bounds_of_threads(&self) -> Vec<(usize, f64)> {
        self.watched.as_ref().map_or_else(Vec::new, WindowTimes::bounds)
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
            domain.observe_stacks(&self.shared);
            domain.record_unfinished(&self.shared, self.now);
        }
    }

    /// Time series rows since the last call.
    pub fn take_series(&mut self) -> Table {
        self.sampling.series.take()
    }

    /// Flow records since the last call, in the order in which the flows ended.
    pub fn take_flows(&mut self) -> Table {
        for domain in &mut self.domains {
            self.records.append(&mut domain.books.records);
        }
        let Shared { network, owners, algorithm_names, .. } = &*self.shared;
        self.records.take(network, owners, algorithm_names)
    }

    /// Completed flows of the measured span, by period and group.
    #[must_use]
    pub fn groups(&self) -> Table {
        self.look().groups().table(&self.shared.algorithm_names)
    }

    /// The connections of stacks that have ended since the last call, in the order in which they did.
    pub fn take_stacks(&mut self) -> Table {
        let rows =
            self.domains.iter_mut().flat_map(|domain| std::mem::take(&mut domain.stacks.rows)).collect();
        measure::stacks::table(rows, &self.shared.algorithm_names)
    }

    /// The table of units: flows of the measured span by period, user and class; without rows unless the
    /// scenario records them.
    #[must_use]
    pub fn units(&self) -> Table {
        let Shared { network, owners, algorithm_names, .. } = &*self.shared;
        self.look().units().table(algorithm_names, owners, network)
    }

    /// The table of demands: offered and carried in the measured span.
    #[must_use]
    pub fn demands(&self) -> Table {
        demands::table(&self.look())
    }

    /// The table of routers, by period.
    #[must_use]
    pub fn routers(&self) -> Table {
        let interval = self.shared.scenario.measurement.interval;
        self.sampling.routers.table(&self.shared.network, interval)
    }

    /// The table of applications, by period.
    #[must_use]
    pub fn applications(&self) -> Table {
        applications::table(&self.look().applications(), self.shared.scenario.time.periods as usize)
    }

    /// Trace rows of flows since the last call.
    pub fn take_flow_traces(&mut self) -> Table {
        self.tracing.take_flows()
    }

    /// Trace rows of routers since the last call.
    pub fn take_router_traces(&mut self) -> Table {
        self.tracing.take_routers(&self.shared.network)
    }

    /// Events of segments since the last call, by time; without rows unless the scenario has them traced.
    pub fn take_packets(&mut self) -> Table {
        self.tracing.take_packets(&self.shared, &mut self.domains)
    }

    /// All responses as (period, name, value), in any order within a period: the measured periods by number,
    /// `measured` for all of them, `run` for totals from the start.
    #[must_use]
    pub fn responses(&self) -> Vec<(String, &'static str, f64)> {
        self.sampling.responses(&self.look())
    }

    /// Window of explicit flow `index`, segments; NaN while it is not sending.
    #[must_use]
    pub fn flow_window(&self, index: usize) -> f64 {
        self.look().explicit_sample(index).cwnd
    }

    /// Pacing rate of explicit flow `index`, segments/s; none where it is not sending, or sends unpaced.
    #[must_use]
    pub fn flow_pacing_rate(&self, index: usize) -> Option<f64> {
        let look = self.look();
        let flow = look.explicit(index)?;
        flow.pacing_rate(&look.shared.configs[usize::from(flow.algorithm)])
    }

    /// Seconds simulated so far.
    #[must_use]
    pub fn time(&self) -> f64 {
        seconds(self.now)
    }

    /// Takes the transmissions of data with these numbers off the network, counted from 1, retransmissions
    /// included, over the flows with sources in one domain: to test recovery by the cases of the literature,
    /// which say what is lost.
    pub fn lose_transmissions(&mut self, mut numbers: Vec<u64>) {
        numbers.sort_unstable_by(|a, b| b.cmp(a));
        numbers.dedup();
        for domain in &mut self.domains {
            domain.senders.beside.leaving.lose(numbers.clone());
        }
    }

    /// Counts since the start.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.look().counters()
    }

    /// Segments accepted by routers so far, over all routers.
    #[must_use]
    pub fn router_hops(&self) -> u64 {
        self.look().hops().map(|(_, hops)| hops).sum()
    }

    /// The network.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.shared.network
    }

    /// Counts of all segments by their place now; for the conservation law sent = delivered + dropped +
    /// queued + in flight.
    #[must_use]
    pub fn census(&self) -> Census {
        let mut census = Census::default();
        let network = &self.shared.network;
        let receivers = network.queued_acks.as_ref().map_or(usize::MAX, |_| network.targets.first_ack());
        let mut count = |(lane, segment): (LaneId, Segment)| {
            match network.lanes[lane.index()].end {
                LaneEnd::Sources(_) => census.acknowledgements += 1,
                _ if segment.target() >= receivers => census.acknowledgements += 1,
                // Before it departs it is in the router at the beginning of the lane.
                _ if segment.time > self.now + self.changes.delays[lane.index()] => census.queued += 1,
                _ => census.in_flight += 1,
            }
        };
        self.domains
            .iter()
            .for_each(|domain| domain.events.fabric.segments().into_iter().for_each(&mut count));
        for segment in self.domains.iter().flat_map(|domain| domain.events.fabric.waiting()) {
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
    let own: Vec<_> = shared.own.iter().map(|own| own.1.clone()).collect();
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
        if !shared.stacks.is_empty() {
            fabric.serve_stacks();
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
