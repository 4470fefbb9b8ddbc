//! State that does not change during a run and that all domains read.

use crate::engine::{FlowHome, FlowId, Segment};
use crate::fabric::OwnLanes;
use crate::measure::UnitRow;
use crate::measure::carried::Cause;
use crate::network::alone::Way;
use crate::network::ecmp::connection_hash;
use crate::network::{AccessRouter, DomainId, Domains, LaneId, Network, RouterClass};
use crate::random::{Purpose, Stream};
use crate::scenario::{AckRtt, Demand, ExplicitFlow, Scenario, StackSpec, Traffic, WindowGrowth, WindowUse};
use crate::transport::receiver::AckRules;
use crate::transport::{Flow, FlowEnds, PieceRules, RtoRules, Rules, Saved};
use crate::users::files::{ARRIVAL, EXPLICIT};
use crate::users::{Assignment, Emitters, Owners, Population};
use mesonet_cc::picos;
use mesonet_cc::plugin::Fault;
use mesonet_cc::{Codepoint, Config, FlowName, Picos, SECOND, Start};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// Scenario, network and what follows from them.
#[derive(Debug)]
pub struct Shared {
    pub scenario: Scenario,
    pub network: Arc<Network>,
    pub domains: Domains,
    pub population: Population,
    pub emitters: Emitters,
    pub assignment: Assignment,
    /// Whose flows are whose.
    pub owners: Owners,
    /// Constants by algorithm of the scenario.
    pub configs: Vec<Config>,
    /// Some algorithm is a plug-in.
    pub has_plugins: bool,
    /// The first fault of a plug-in.
    pub fault: Mutex<Option<Fault>>,
    /// Stacks by algorithm of the scenario; empty where there is none.
    pub stacks: Vec<Option<StackSpec>>,
    /// Some algorithm wants samples of the delivery rate.
    pub samples: bool,
    /// Names by algorithm of the scenario.
    pub algorithm_names: Vec<String>,
    pub tick_period: Vec<Option<Picos>>,
    /// The retransmission timer.
    pub rto: RtoRules,
    /// Congestion control sees the round trip of the last segment of an acknowledgement.
    pub rtt_of_last: bool,
    /// Loss recovery.
    pub rules: Rules,
    /// An acknowledgement may count for more or less than the segment that it answers: receivers hold some
    /// back, routers drop some, or senders count acknowledgements. Or flows resume carefully or are logged.
    pub cumulative: bool,
    /// Rules of receivers that hold acknowledgements back, where this is decided at the sender.
    pub acks: Option<AckRules>,
    /// Rules of receivers that hold acknowledgements back, where this is decided at the receiver, because
    /// acknowledgements pass routers.
    pub answers: Option<AckRules>,
    /// Windows grow by acknowledgements, not by what they cover.
    pub counts_acks: bool,
    /// Windows limit flows by the rule of Linux.
    pub notes_usage: bool,
    /// Flows resume carefully with what an earlier connection saved.
    pub saved: Option<Saved>,
    /// Departures are noted or paced by rules of the scenario.
    pub minds_departures: bool,
    /// Hosts form pieces of segments, or pace flows.
    pub pieces: Option<PieceRules>,
    /// Segments of a flow that leave before it is paced.
    pub unpaced: u64,
    /// The acknowledgement that ends fast recovery raises the window.
    pub grows_at_exit: bool,
    pub seed: u64,
    /// The end of the scenario.
    pub end: Picos,
    /// Length of a measured period.
    pub period_length: Picos,
    pub receiver_window: u64,
    /// Time that a segment occupies a fast interface.
    pub fast_interface_time: Picos,
    /// Time after which all domains know what one of them knows, however the network is divided; 0 where none
    /// has news.
    pub spreading: Picos,
    /// Time from the drop of an acknowledgement until its source can know, where acknowledgements may
    /// overtake each other.
    pub news_delay: Picos,
    /// Sources whose packets are traced, as flows name them.
    logged: BTreeSet<u32>,
    /// Routers mark segments.
    pub marking: bool,
    /// The traffic of users is a matrix of rates.
    pub users_have_rates: bool,
    /// Some receivers are watched.
    pub watches: bool,
    /// Of the flows that have lanes of their own: explicit flow, rising, and lanes.
    pub own: Vec<(u32, OwnLanes)>,
}

impl Shared {
    pub fn new(
        scenario: Scenario,
        network: Network,
        assignment: Assignment,
        domains: Domains,
        own: Vec<(u32, OwnLanes)>,
        seed: u64,
    ) -> Self {
        let configs = scenario.configs();
        let end = picos(scenario.time.duration);
        let mut domains = domains;
        if scenario.has_stacks() {
            // Payloads of packets that were dropped stay until the end of the window.
            domains.lookahead = domains.lookahead.min(SECOND / 10);
        }
        let watches = own.iter().any(|(_, own)| own.receiver.is_watched);
        if watches {
            // Arrivals at receivers that are watched wait for the end of the window.
            domains.lookahead = domains.lookahead.min(SECOND);
        }
        let measured = end - picos(scenario.time.warmup);
        let rules = Rules::new(&scenario.transport);
        let saved = Saved::new(&scenario.transport);
        let notes_usage = scenario.transport.window_use == WindowUse::Linux;
        let forms_pieces = scenario.transport.burst > 0 || configs.iter().any(Config::is_paced);
        let pieces = forms_pieces.then(|| PieceRules::new(&scenario.transport));
        let delays = scenario.transport.delayed_acks.then(|| AckRules {
            delay: picos(scenario.transport.ack_delay),
            quick: scenario.transport.quick_acks,
            buffer: scenario.transport.receive_buffer,
            // tcp_input.c, __tcp_ack_snd_check: where acknowledgements are selective.
            compression: if rules.is_cumulative() { 0 } else { picos(scenario.transport.sack_compression) },
        });
        let at_receiver = network.queued_acks.is_some();
        let keeps_order = keeps_order(&scenario, &network);
        let has_news = at_receiver && (delays.is_some() || !keeps_order);
        let spreading = if has_news { spreading(&network) } else { 0 };
        let population = Population::new(&scenario, &network, seed);
        let logged = logged(&scenario, population.count);
        Self {
            owners: Owners::new(&scenario, &network, population.count),
            population,
            emitters: Emitters::new(&network, seed),
            assignment,
            algorithm_names: scenario.algorithms.iter().map(|a| a.name.clone()).collect(),
            tick_period: configs.iter().map(Config::timer_period).collect(),
            has_plugins: configs.iter().any(Config::is_plugin),
            stacks: StackSpec::all(&scenario),
            samples: configs.iter().any(Config::wants_delivery_rate),
            fault: Mutex::new(None),
            configs,
            rto: RtoRules::new(&scenario.transport),
            rtt_of_last: scenario.transport.ack_rtt == AckRtt::Last,
            rules,
            acks: delays.filter(|_| !at_receiver),
            answers: delays.filter(|_| at_receiver),
            cumulative: scenario.transport.delayed_acks
                || network.queued_acks.is_some()
                || scenario.transport.window_growth == WindowGrowth::Acks
                || saved.is_some()
                || !logged.is_empty(),
            grows_at_exit: scenario.transport.grow_at_recovery_exit,
            counts_acks: scenario.transport.window_growth == WindowGrowth::Acks,
            notes_usage,
            saved,
            minds_departures: notes_usage || saved.is_some() || pieces.is_some(),
            pieces,
            unpaced: u64::from(scenario.transport.unpaced_segments),
            seed,
            end,
            period_length: measured.div_ceil(u64::from(scenario.time.periods)),
            receiver_window: scenario.transport.receiver_window as u64,
            fast_interface_time: picos(1.0 / scenario.users.fast_interface),
            spreading,
            news_delay: if keeps_order { 0 } else { spreading },
            logged,
            marking: scenario.network.ecn_threshold.is_some() || scenario.aqm.ecn,
            users_have_rates: matches!(
                &scenario.users.traffic,
                Traffic::Given(matrix) if matrix.iter().any(Demand::is_rate)
            ),
            watches,
            own,
            scenario,
            network: Arc::new(network),
            domains,
        }
    }

    /// The first border of a measured period after `now`; never where none is left.
    pub fn border_after(&self, now: Picos) -> Picos {
        let warmup = picos(self.scenario.time.warmup);
        match now.checked_sub(warmup) {
            None => warmup,
            Some(_) if now >= self.end => Picos::MAX,
            Some(since) => (warmup + (since / self.period_length + 1) * self.period_length).min(self.end),
        }
    }

    /// Measured period in which a span that ends at `now` lies.
    pub fn period(&self, now: Picos) -> Option<usize> {
        let warmup = picos(self.scenario.time.warmup);
        let index = now.checked_sub(warmup)?.checked_sub(1)? / self.period_length;
        (index < u64::from(self.scenario.time.periods)).then_some(index as usize)
    }

    /// The end of the measured period that `now` lies in or begins, and its number from 1; 0 outside of them.
    pub fn span_after(&self, now: Picos) -> (Picos, usize) {
        let border = self.border_after(now);
        (border, self.period(border).map_or(0, |period| period + 1))
    }

    /// A segment with the codepoint of its algorithm.
    #[inline]
    pub fn with_codepoint(&self, segment: Segment, algorithm: usize, retransmission: bool) -> Segment {
        match self.configs[algorithm].codepoint() {
            Codepoint::Ect1 => segment.scalable(),
            // Retransmissions are not to be marked (RFC 3168, section 6.1.5).
            Codepoint::Ect0 if !retransmission => segment.ecn_capable(),
            Codepoint::Ect0 | Codepoint::NotEct => segment,
        }
    }

    /// Returns whether an algorithm of the scenario is a stack.
    pub fn is_stack(&self, algorithm: u8) -> bool {
        self.stacks.get(usize::from(algorithm)).is_some_and(Option::is_some)
    }

    /// Returns whether acknowledgements pass routers.
    pub fn queued_acks(&self) -> bool {
        self.network.queued_acks.is_some()
    }

    /// Domain of the sources under an access router.
    pub fn domain_of(&self, access: AccessRouter) -> DomainId {
        self.domains.of[self.network.access[access.index()]]
    }

    /// Domain of the source of a flow.
    pub fn home(&self, flow: FlowId) -> DomainId {
        match flow.home() {
            FlowHome::Group(group) => self.domains.of[self.network.anchor(group)],
            FlowHome::OwnLanes(own) => self.domain_of(self.origin(self.own[own].0)),
            // Where there are stacks, there is one domain.
            FlowHome::Stack(_) => DomainId::default(),
        }
    }

    /// The explicit flow of the scenario that a flow is, if it is one.
    pub fn explicit(&self, flow: &Flow) -> Option<&ExplicitFlow> {
        (flow.category == EXPLICIT)
            .then(|| &self.scenario.flows[(flow.source - self.population.count) as usize])
    }

    /// Returns whether packets of some flows are traced.
    pub fn logs_packets(&self) -> bool {
        !self.logged.is_empty()
    }

    /// Returns whether the packets of the flows of a source are traced.
    pub fn logs_packets_of(&self, source: u32) -> bool {
        self.logged.contains(&source)
    }

    /// Cause of a flow, if what the cause demands is known.
    pub fn demanded_by(&self, flow: &Flow) -> Option<Cause> {
        match flow.category {
            EXPLICIT => None,
            ARRIVAL => {
                let first = self.population.count + self.scenario.flows.len() as u32;
                Some(1 + self.emitters.process_number(flow.source - first))
            }
            _ => self.users_have_rates.then_some(0),
        }
    }

    /// The flows among which a flow counts in the table of units.
    pub fn unit(&self, flow: &Flow) -> UnitRow {
        let owner = self.owners.of(&self.network, flow.category, flow.source, [flow.origin, flow.receiver]);
        UnitRow::of(flow, owner, self.is_fast(flow))
    }

    /// Returns whether the flow runs at the fast interface rate.
    pub fn is_fast(&self, flow: &Flow) -> bool {
        flow.interface_time <= self.fast_interface_time
    }

    /// Target of the segments of a connection: where flows share routes, its port follows from the source and
    /// the transfer.
    pub fn target(&self, receiver: AccessRouter, source: u32, transfer: u64) -> u16 {
        let targets = &self.network.targets;
        let port = match targets.ports {
            1 => 0,
            ports => {
                let bits = Stream::new(self.seed, Purpose::Port, u64::from(source), transfer).bits();
                bits as usize % ports
            }
        };
        targets.of(receiver.index(), port) as u16
    }

    /// The ways of the data of a flow and of its acknowledgements.
    pub fn ways(&self, ends: &FlowEnds) -> [Way; 2] {
        let (origin, receiver) = (ends.origin.index(), ends.receiver.index());
        let data = usize::from(ends.target);
        let [there, back] = [data, self.network.targets.ack(origin, data)]
            .map(|target| connection_hash(self.seed, ends.id, target));
        [
            Way { from: origin, to: receiver, connection: there },
            Way { from: receiver, to: origin, connection: back },
        ]
    }

    /// Round-trip propagation delay at `now`, of a flow with a lane of its own to its access router if it has
    /// one.
    pub fn base_rtt(&self, ends: &FlowEnds, access_lane: Option<LaneId>, now: Picos) -> Picos {
        let network = &self.network;
        let (origin, receiver) = (ends.origin.index(), ends.receiver.index());
        let round_trip = if network.lane_sets.count() == 0 {
            network.round_trip_at(origin, receiver, now)
        } else {
            let [there, back] = self.ways(ends);
            let delay = |way: Way| network.delay_of(way.from, way.to, way.connection, now);
            let back = if self.queued_acks() {
                delay(back)
            } else {
                network.delay_at(network.ack_lane(receiver, origin), now)
            };
            delay(there) + back
        };
        round_trip + 2 * self.access_delay(access_lane)
    }

    /// Propagation delay from the source of a flow to its access router.
    pub fn access_delay(&self, access_lane: Option<LaneId>) -> Picos {
        access_lane.map_or(0, |lane| self.network.lanes[lane.index()].delay)
    }

    /// The size of a file that is fetched from `start` on: larger on very fast paths in the jumbo period
    /// (X9).
    pub fn jumbo(&self, size: u64, start: Picos, origin: AccessRouter, receiver: AccessRouter) -> u64 {
        let users = &self.scenario.users;
        let ends = [origin, receiver].map(|access| self.network.class_of(access.index()));
        let period = self.period(start + 1).map_or(0, |p| p as u32 + 1);
        if users.jumbo_period == 0 || period != users.jumbo_period || ends != [RouterClass::Direct; 2] {
            return size;
        }
        (size as f64 * users.jumbo_factor).round() as u64
    }

    /// The start of the congestion control of one transfer.
    pub fn start(&self, now: Picos, initial_window: f64, rtt: Picos, source: u32, transfer: u64) -> Start {
        Start {
            now,
            initial_window,
            initial_ssthresh: self.scenario.transport.initial_ssthresh,
            slow_start: self.scenario.slow_start(),
            rtt,
            seed: Stream::new(self.seed, Purpose::Control, u64::from(source), transfer).bits(),
            flow: FlowName { source, transfer },
        }
    }

    /// Time from a tick of a host's coarse clock to the start of the run.
    pub fn clock_phase(&self, source: u32, transfer: u64) -> Picos {
        match self.rto.tick {
            0 => 0,
            tick => {
                let mut stream = Stream::new(self.seed, Purpose::Clock, u64::from(source), transfer);
                (stream.uniform() * tick as f64) as Picos
            }
        }
    }

    /// Access router of the source of an explicit flow.
    pub fn origin(&self, explicit: u32) -> AccessRouter {
        self.network.access_router(&self.scenario.flows[explicit as usize].from)
    }

    /// Access router of the receiver of an explicit flow.
    pub fn receiver(&self, explicit: u32) -> AccessRouter {
        self.network.access_router(&self.scenario.flows[explicit as usize].to)
    }
}

/// Sources whose packets are traced, as flows name them: explicit flows come after `population` sources.
fn logged(scenario: &Scenario, population: u32) -> BTreeSet<u32> {
    let trace = &scenario.trace;
    let explicit = trace.flows.iter().map(|number| population + number - 1);
    trace.sources.iter().copied().chain(explicit).filter(|_| trace.packets).collect()
}

/// The lookahead of the network, however it is divided in this run; 0 where it has one domain.
fn spreading(network: &Network) -> Picos {
    let divided = Domains::of(network);
    if divided.count > 1 { divided.lookahead } else { 0 }
}

/// Returns whether no segments of a flow overtake each other, nor do its acknowledgements. The two queues of
/// DualPI2 part segments of one flow whose codepoints differ.
fn keeps_order(scenario: &Scenario, network: &Network) -> bool {
    scenario.aqm.discipline.keeps_order() && network.route_count() == 1 && !network.impairments.reorders()
}
