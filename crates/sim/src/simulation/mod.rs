//! The loop that joins network, users and senders.
//!
//! `advance` takes the next event, whatever it is, until an instant. Everything that happens is in one of these files:
//! segments crossing the network (here), connections (`connection`), sending and recovery (`sender`), samples
//! (`sampling`), flows given one by one (`explicit`), impatient users (`patience`), detailed traces (`tracing`). Of
//! sending, the gaps between paced segments (`pacing`), delivery-rate samples (`delivery`) and every loss recovery but the
//! default one (`recovery`) stand apart.

pub mod check;
mod connection;
mod delivery;
mod explicit;
mod long_lived;
mod pacing;
mod patience;
mod recovery;
mod sampling;
mod sender;
mod tracing;

use crate::engine::{Lanes, Segment, Timers};
use crate::measure::responses::LONG_LIVED;
use crate::measure::sample::Series;
use crate::measure::{Convergence, Counters, FlowGroups, FlowRecords, PeriodSums, RouterUse, Table};
use crate::network::Network;
use crate::network::build::{LaneEnd, picos};
use crate::scenario::{InvalidScenario, Scenario};
use crate::transport::rtt::RtoLimits;
use crate::transport::{DeliverySampler, Flow, Repair, Rules};
use crate::users::Population;
use connection::OwnLanes;
use mesonet_cc::{Config, Picos};
use tracing::Tracing;

/// Timer codes: what in the upper byte, of whom in the lower 32 bits. Equal instants come in this order.
mod code {
    pub const SAMPLE: u64 = 0;
    pub const EXPLICIT: u64 = 1 << 56;
    pub const SOURCE: u64 = 2 << 56;
    pub const FLOW: u64 = 3 << 56;
    pub const TICK: u64 = 4 << 56;
    pub const PATIENCE: u64 = 5 << 56;
    pub const STOP: u64 = 6 << 56;
    pub const TRACE: u64 = 7 << 56;
    pub const KIND: u64 = 0xff << 56;
}

/// Leaves of the winner tree after the lanes: the timers and the interfaces.
const EXTRA_LEAVES: usize = 2;

/// A running simulation.
#[derive(Clone, Debug)]
pub struct Simulation {
    scenario: Scenario,
    network: Network,
    population: Population,
    configs: Vec<Config>,
    algorithm_names: Vec<&'static str>,
    tick_period: Vec<Option<Picos>>,
    limits: RtoLimits,
    rules: Rules,
    now: Picos,
    end: Picos,
    lanes: Lanes,
    /// Leaf of the timers, then of the interfaces.
    timer_leaf: usize,
    timers: Timers,
    interfaces: Timers,
    flows: Vec<Flow>,
    /// Delivery-rate samples by slot; those of other flows are empty.
    samplers: Vec<DeliverySampler>,
    /// What recovery keeps beside the flows, by slot; nothing where the rules are plain.
    repairs: Vec<Repair>,
    /// Routers mark segments.
    marking: bool,
    /// Lane of acknowledgements by slot: what a delivery needs to know of a flow.
    ack_lanes: Vec<u16>,
    free: Vec<u32>,
    /// Slot of each explicit flow while it lives.
    explicit_slots: Vec<Option<u32>>,
    /// Segments of each explicit flow that had been acknowledged when it ended.
    explicit_delivered: Vec<u64>,
    /// Lanes of each explicit flow that has its own.
    own_lanes: Vec<Option<OwnLanes>>,
    seed: u64,
    receiver_window: u64,
    /// Length of a measured period.
    period_length: Picos,
    counters: Counters,
    sampled: Counters,
    samples: u64,
    periods: Vec<PeriodSums>,
    series: Series,
    records: FlowRecords,
    groups: FlowGroups,
    routers: RouterUse,
    /// Segments of the long-lived flows acknowledged until the last sample.
    long_lived: [u64; LONG_LIVED],
    convergence: Convergence<2>,
    tracing: Tracing,
    /// Number of the next transmission that is lost on the way, and of those after it, last first.
    next_loss: u64,
    losses: Vec<u64>,
}

impl Simulation {
    /// A simulation at its first instant.
    ///
    /// # Errors
    /// [`InvalidScenario`] where the network cannot be built or the run is too long for the width of the event keys.
    pub fn new(mut scenario: Scenario, seed: u64) -> Result<Self, InvalidScenario> {
        let mut network = Network::build(&scenario)?;
        long_lived::add(&mut scenario, &network, seed)?;
        check::check(&scenario, &network)?;
        let own_lanes = explicit::add_lanes(&scenario, &mut network)?;
        let tracing = Tracing::new(&scenario, &network)?;
        let population = Population::new(&scenario, &network, seed);
        let configs = scenario.configs();
        let name = |a: &crate::scenario::AlgorithmShare| {
            mesonet_cc::registry::algorithm(&a.name).expect("checked").name
        };
        let lanes = Lanes::new(network.lanes.len(), EXTRA_LEAVES);
        let end = picos(scenario.time.duration);
        let periods = scenario.time.periods as usize;
        let mut simulation = Self {
            algorithm_names: scenario.algorithms.iter().map(name).collect(),
            tick_period: configs.iter().map(Config::timer_period).collect(),
            configs,
            limits: RtoLimits::new(&scenario.transport),
            rules: Rules::new(&scenario.transport),
            now: 0,
            end,
            timer_leaf: network.lanes.len(),
            lanes,
            timers: Timers::default(),
            interfaces: Timers::default(),
            flows: Vec::new(),
            samplers: Vec::new(),
            repairs: Vec::new(),
            marking: scenario.network.ecn_threshold.is_some(),
            ack_lanes: Vec::new(),
            free: Vec::new(),
            explicit_slots: vec![None; scenario.flows.len()],
            explicit_delivered: vec![0; scenario.flows.len()],
            counters: Counters::default(),
            sampled: Counters::default(),
            samples: 0,
            own_lanes,
            seed,
            receiver_window: scenario.transport.receiver_window as u64,
            period_length: (end - picos(scenario.time.warmup)).div_ceil(periods as u64),
            periods: vec![PeriodSums::default(); periods + 1],
            series: Series::default(),
            records: FlowRecords::new(seed, scenario.measurement.flow_records),
            groups: FlowGroups::default(),
            routers: RouterUse::new(network.routers.len(), periods),
            long_lived: [0; LONG_LIVED],
            convergence: Convergence::default(),
            tracing,
            next_loss: u64::MAX,
            losses: Vec::new(),
            scenario,
            network,
            population,
        };
        simulation.arm_start();
        Ok(simulation)
    }

    fn arm_start(&mut self) {
        for source in 0..self.population.sources.len() as u32 {
            self.timers.arm(self.population.first_start(source), code::SOURCE | u64::from(source));
        }
        for (i, flow) in self.scenario.flows.iter().enumerate() {
            self.timers.arm(picos(flow.start), code::EXPLICIT | i as u64);
            if let Some(stop) = flow.stop {
                self.timers.arm(picos(stop), code::STOP | i as u64);
            }
        }
        if let Some(first) = self.tracing.first() {
            self.timers.arm(first, code::TRACE);
        }
        self.timers.arm(self.sample_time(1), code::SAMPLE);
        self.lanes.set_due(self.timer_leaf, self.timers.next());
    }

    /// Runs until `until` seconds or the end of the run, whichever comes first.
    pub fn advance(&mut self, until: f64) {
        let until = picos(until);
        while self.step(until) {}
        self.now = self.now.max(until.min(self.end));
    }

    /// Takes the next event if it is not later than `until` picoseconds or the end of the run; tells whether there was
    /// one.
    #[inline]
    pub fn step(&mut self, until: Picos) -> bool {
        let (time, lane) = self.lanes.next();
        if time > until.min(self.end) {
            return false;
        }
        self.now = time;
        if let Some(spec) = self.network.lanes.get(lane) {
            let end = spec.end;
            let segment = self.lanes.pop(lane);
            match end {
                LaneEnd::Router(router) => self.arrive(usize::from(router), segment),
                LaneEnd::Receivers(_) => self.deliver(segment),
                LaneEnd::Sources => self.acknowledged(segment),
            }
        } else if lane == self.timer_leaf {
            self.timer();
        } else {
            self.interface();
        }
        true
    }

    /// Whether the end of the run has been reached: that of the scenario, or an earlier one because it converged.
    #[must_use]
    pub fn finished(&self) -> bool {
        self.now >= self.end
    }

    /// A segment reaches a router: it is dropped, or it leaves at a known instant and the next lane has it.
    #[inline]
    fn arrive(&mut self, router: usize, mut segment: Segment) {
        match self.network.routers[router].arrive(self.now) {
            None => self.dropped(segment),
            Some(departure) => {
                if segment.is_ecn_capable() {
                    self.mark(router, departure, &mut segment);
                }
                let lane = self.network.next_lane(router, segment.target());
                segment.time = departure + self.network.lanes[lane].delay;
                self.lanes.push(lane, segment);
            }
        }
    }

    /// Marks a segment that found a long queue in a router, which it leaves at `departure`.
    fn mark(&mut self, router: usize, departure: Picos, segment: &mut Segment) {
        let router = &mut self.network.routers[router];
        if router.marks(self.now, departure) {
            router.marked += 1;
            self.counters.marked += u64::from(!segment.is_marked());
            segment.mark();
        }
    }

    #[cold]
    fn dropped(&mut self, segment: Segment) {
        self.counters.dropped += 1;
        let flow = &mut self.flows[segment.flow as usize];
        // Not of an earlier flow of the slot, and not a SYN.
        if flow.expand(segment.sequence) >= flow.base {
            flow.losses += 1;
        }
    }

    /// A segment reaches its receiver, which acknowledges it at once.
    #[inline]
    fn deliver(&mut self, mut segment: Segment) {
        self.counters.leaving += 1;
        let lane = usize::from(self.ack_lanes[segment.flow as usize]);
        segment.time = self.now + self.network.lanes[lane].delay;
        self.lanes.push(lane, segment);
    }

    fn timer(&mut self) {
        let Some((time, code)) = self.timers.take() else { return };
        let id = code as u32;
        match code & code::KIND {
            code::SAMPLE => self.sample(),
            code::EXPLICIT => self.start_explicit(id),
            code::SOURCE => self.start_transfer(id),
            code::FLOW => self.flow_timer(id, time),
            code::TICK => self.tick(id, time),
            code::PATIENCE => self.lose_patience(id, time),
            code::STOP => self.stop_explicit(id),
            _ => self.trace(),
        }
        self.lanes.set_due(self.timer_leaf, self.timers.next());
    }

    fn interface(&mut self) {
        let Some((time, slot)) = self.interfaces.take() else { return };
        let flow = &mut self.flows[slot as usize];
        if flow.interface_armed && flow.interface_free == time {
            flow.interface_armed = false;
            self.send_now(slot as u32);
        }
        self.lanes.set_due(self.timer_leaf + 1, self.interfaces.next());
    }

    /// Arms a timer from outside the timer loop.
    fn arm(&mut self, at: Picos, code: u64) {
        self.timers.arm(at, code);
        if self.timers.next() == Some(at) {
            self.lanes.set_due(self.timer_leaf, Some(at));
        }
    }

    /// Time series rows since the last call.
    pub fn take_series(&mut self) -> Table {
        self.series.take()
    }

    /// Flow records since the last call.
    pub fn take_flows(&mut self) -> Table {
        self.records.take(&self.network, &self.algorithm_names)
    }

    /// Completed flows of the measured span, by period and group.
    #[must_use]
    pub fn groups(&self) -> Table {
        self.groups.table(&self.algorithm_names)
    }

    /// What each router did, by period.
    #[must_use]
    pub fn routers(&self) -> Table {
        self.routers.table(&self.network, self.scenario.measurement.interval)
    }

    /// What was counted since the start.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Segments accepted by routers so far, over all routers.
    #[must_use]
    pub fn router_hops(&self) -> u64 {
        self.network.routers.iter().map(|r| r.accepted).sum()
    }

    /// The network.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Where every segment is now; for the conservation law sent = delivered + dropped + queued + in flight.
    #[must_use]
    pub fn census(&self) -> Census {
        let mut census = Census::default();
        for (index, lane) in self.network.lanes.iter().enumerate() {
            for segment in self.lanes.ring(index).iter() {
                match lane.end {
                    LaneEnd::Sources => census.acknowledgements += 1,
                    // Before it departs it is in the router at the beginning of the lane.
                    _ if segment.time - lane.delay > self.now => census.queued += 1,
                    _ => census.in_flight += 1,
                }
            }
        }
        census
    }
}

/// Segments inside the network at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Waiting or in service in a router.
    pub queued: u64,
    /// On a link.
    pub in_flight: u64,
    /// Acknowledgements on their way back (their segments have been delivered).
    pub acknowledgements: u64,
}
