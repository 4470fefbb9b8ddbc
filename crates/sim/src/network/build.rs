//! From a scenario to routers, lanes and routes.

use super::acknowledgements::Groups;
use super::arrivals::Arrivals;
use super::changes::{Change, Schedule, Turn, follow};
use super::distances::Distances;
use super::impairments::{self, Impairments};
use super::numbers::{AccessRouter, LaneId, RouterId};
use super::queued_acks::QueuedAcks;
use super::queues::Queues;
use super::routing::{Adjacency, RoutesTo, Routing, adjacency, routes_to};
use super::topology::{LinkSpec, RouterClass, Topology};
use super::traffic::{Traffic, traffic};
use super::{Router, load, scenario_topology};
use crate::disciplines::{Draws, QueueFacts};
use crate::engine::MOST_TARGETS;
use crate::fabric::Managed;
use crate::scenario::{
    AckPath, AqmParameters, BufferKind, BufferUnit, DisciplineName, EcnRewrite, GivenChange, InvalidScenario,
    QueuePlace, Scenario, invalid,
};
use mesonet_cc::{Picos, picos, seconds};

/// Most lanes: their numbers are kept in 16 bits.
pub const MOST_LANES: usize = u16::MAX as usize - 1;

/// Most next hops of all routes of a run together: 200 MB (chosen).
const MOST_ROUTE_ENTRIES: usize = 100_000_000;

/// The end of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneEnd {
    /// Arrival at a router.
    Router(RouterId),
    /// Arrival at the receivers under this access router, and of acknowledgements that pass routers
    /// at the sources there.
    Receivers(AccessRouter),
    /// Acknowledgements that reach sources under this router, or under access routers no delay away from it.
    Sources(RouterId),
}

/// A directed lane.
#[derive(Clone, Copy, Debug)]
pub struct LaneSpec {
    /// Router at which it begins, or below which.
    pub from: RouterId,
    /// Its end.
    pub end: LaneEnd,
    /// Propagation delay at the start.
    pub delay: Picos,
    /// Smallest propagation delay during the run.
    pub least: Picos,
}

/// Routers with speeds and buffers, lanes and routes.
#[derive(Clone, Debug)]
pub struct Network {
    /// Names and classes.
    pub topology: Topology,
    /// Queues, by their number: that of the router, or of the lane of the port.
    pub routers: Vec<Router>,
    /// Queues of data: where they are.
    pub queues: Queues,
    /// Discipline by queue of data.
    pub disciplines: Vec<DisciplineName>,
    /// What hops do to the ECN field before each queue of data.
    rewrites: Vec<EcnRewrite>,
    /// Drop-tail queues record delays.
    queue_delays: bool,
    /// What buffers count.
    buffer_counts: BufferUnit,
    /// Constants of disciplines.
    pub aqm: AqmParameters,
    /// Bytes of a data segment and of an acknowledgement.
    pub bytes: [u32; 2],
    /// Buffer in segments, by queue of data.
    pub buffers: Vec<u64>,
    /// Speed in segments/s, by queue of data.
    pub speeds: Vec<f64>,
    /// Lanes: router to router, router to receivers, acknowledgements.
    pub lanes: Vec<LaneSpec>,
    /// Routers where hosts attach.
    pub access: Vec<usize>,
    /// Access index by router.
    pub access_index: Vec<Option<AccessRouter>>,
    /// Routes between which the network changes, those at the start first. Each has the lane towards an access router:
    /// `tables[routes][router * access.len() + access_index]`.
    pub(super) tables: Vec<Vec<LaneId>>,
    /// The links by which these routes go, with their costs.
    pub(super) route_links: Vec<Vec<LinkSpec>>,
    /// The place in `tables` at the start, then after each of the changes.
    pub routes: Vec<usize>,
    /// Lanes of data that are down for some time: beginning and end of each time.
    pub failures: Vec<(LaneId, Vec<[Picos; 2]>)>,
    /// Most routers on a route from one access router to another.
    pub longest_route: usize,
    /// Access routers that share lanes of acknowledgements.
    groups: Groups,
    /// The first of the lanes of acknowledgements: by group of the receiver, then group of the source.
    first_ack_lane: usize,
    /// The routers and lanes of acknowledgements that take slots; none where they only take time.
    pub queued_acks: Option<QueuedAcks>,
    /// Routers and delays between regions.
    pub distances: Distances,
    /// Who sends to whom.
    pub traffic: Traffic,
    /// What links do to what crosses them, and rates that vary.
    pub impairments: Impairments,
    /// Open-loop arrivals.
    pub arrivals: Vec<Arrivals>,
    /// Changes during the run, rising by time.
    pub changes: Vec<Change>,
    /// Propagation round trip by lane of acknowledgements: at the start, then after each of the changes.
    round_trips: Vec<Vec<Picos>>,
}

impl Network {
    /// Builds the network of a scenario.
    ///
    /// # Errors
    /// [`InvalidScenario`] where the topology cannot be simulated, or a number leaves its range.
    pub fn build(scenario: &Scenario) -> Result<Self, InvalidScenario> {
        let topology = scenario_topology::topology(scenario)?;
        let neighbours = adjacency(topology.routers.len(), &topology.links);
        let n = topology.routers.len();
        let access: Vec<usize> = (0..n).filter(|&r| topology.routers[r].class.is_access()).collect();
        let mut access_index = vec![None; n];
        for (index, &router) in access.iter().enumerate() {
            access_index[router] = Some(AccessRouter::new(index));
        }
        let ack_path = scenario.network.ack_path;
        refuse_beside_queues(scenario)?;
        check_targets(access.len(), ack_path)?;
        let router_speeds: Vec<f64> =
            topology.routers.iter().map(|r| r.speed_factor * scenario.network.speed).collect();
        let delay = |delay: f64| picos(delay * scenario.network.delay_multiplier);
        let delays: Vec<[Picos; 2]> = topology.links.iter().map(|link| link.delay.map(delay)).collect();
        let mut schedule = Schedule::new(scenario, &topology, &router_speeds, delays.clone())?;
        let groups = Groups::of(&topology, &neighbours, &access, &schedule.delayed());
        let data_lanes = 2 * topology.links.len() + access.len();
        check_lanes(data_lanes + QueuedAcks::lanes(&topology, access.len(), ack_path), groups.anchors.len())?;

        // Lanes: both directions of every link, then one per access router to its receivers.
        let mut lanes = Vec::new();
        let mut link_of = Vec::new();
        // Of each link the lane from its first end and that from its second.
        let mut link_lanes = vec![[LaneId::default(); 2]; topology.links.len()];
        for (router, list) in neighbours.iter().enumerate() {
            for &(neighbour, link) in list {
                let lane = LaneId::new(lanes.len());
                let from_second = topology.links[link].b == router;
                link_lanes[link][usize::from(from_second)] = lane;
                let (from, end) = (RouterId::new(router), LaneEnd::Router(RouterId::new(neighbour)));
                let least = schedule.add(lane, link, from_second);
                link_of.push((&topology.links[link], from_second));
                let delay = delays[link][usize::from(from_second)];
                lanes.push(LaneSpec { from, end, delay, least });
            }
        }
        let receivers_lane = lanes.len();
        for (index, &router) in access.iter().enumerate() {
            let end = LaneEnd::Receivers(AccessRouter::new(index));
            lanes.push(LaneSpec { from: RouterId::new(router), end, delay: 0, least: 0 });
        }
        let queues = Queues::new(scenario.network.queue, &topology, &lanes);
        let speeds = queues.speeds(scenario, &router_speeds, &link_of);
        let have_capacity = queues.have_capacity(&link_of);
        let buffers = queues.buffers(&link_of);
        let disciplines = queues.disciplines(&scenario.aqm, &topology)?;
        let rewrites = queues.rewrites(&scenario.network, &topology)?;

        check_tables(schedule.links.len(), n * access.len())?;
        let all_neighbours: Vec<Adjacency> = schedule.links.iter().map(|links| adjacency(n, links)).collect();
        let mut longest_route = 1;
        let mut tables = Vec::new();
        for (links, neighbours) in schedule.links.iter().zip(&all_neighbours) {
            let mut next_lane = vec![LaneId::new(usize::from(u16::MAX)); n * access.len()];
            let mut routing = Routing::new(links, neighbours);
            for index in routing.together(&access) {
                let ways = routing.towards(access[index]);
                for router in 0..n {
                    next_lane[router * access.len() + index] = match ways.next(router) {
                        Some((_, link)) => link_lanes[link][usize::from(links[link].b == router)],
                        None => LaneId::new(receivers_lane + index),
                    };
                }
                longest_route = access.iter().map(|&a| ways.hops(a) + 1).fold(longest_route, usize::max);
            }
            tables.push(next_lane);
        }
        let failures = schedule.failures.iter();
        let failures =
            failures.flat_map(|(link, failed)| link_lanes[*link].map(|lane| (lane, failed.clone())));
        let failures = failures.collect();

        // Acknowledgements take the way of the data back: propagation only.
        let first_ack_lane = lanes.len();
        let mut round_trips = Vec::new();
        for &receiver in &groups.anchors {
            let routes: Vec<RoutesTo> = schedule
                .links
                .iter()
                .zip(&all_neighbours)
                .map(|(links, neighbours)| routes_to(links, neighbours, receiver))
                .collect();
            let delays = schedule.delays.iter().zip(&schedule.routes);
            let sums: Vec<[Vec<Picos>; 2]> =
                delays.map(|(delays, place)| routes[*place].sums(&topology.links, delays)).collect();
            for &source in &groups.anchors {
                let lane = LaneId::new(lanes.len());
                let back = sums.iter().map(|[_, back]| back[source]);
                let least = follow(&mut schedule.changes, lane, back);
                let trips = sums.iter().map(|[there, back]| there[source] + back[source]);
                round_trips.push(trips.collect::<Vec<Picos>>());
                let (from, end) = (RouterId::new(receiver), LaneEnd::Sources(RouterId::new(source)));
                lanes.push(LaneSpec { from, end, delay: sums[0][1][source], least });
            }
        }
        // Half of a round trip.
        let group_delay = |from: usize, to: usize| round_trips[to * groups.anchors.len() + from][0] / 2;
        let distances = Distances::new(&topology, &neighbours, &access, &groups, group_delay);
        let rounds = load::rounds(scenario);
        let traffic = traffic(scenario, &topology, &access, |from, to| {
            let [from, to] = [from, to].map(|access| groups.of[access].index());
            scenario.users.think_time + rounds * 2.0 * seconds(group_delay(from, to))
        })?;

        let mut network = Self {
            routers: Vec::new(),
            queues,
            disciplines,
            rewrites,
            queue_delays: scenario.measurement.queue_delays,
            buffer_counts: scenario.network.buffer_counts,
            aqm: scenario.aqm.clone(),
            bytes: [scenario.transport.segment_bytes, scenario.network.ack_bytes]
                .map(|bytes| bytes.round() as u32),
            buffers: Vec::new(),
            speeds,
            traffic,
            arrivals: Vec::new(),
            topology,
            lanes,
            access,
            access_index,
            tables,
            route_links: schedule.links,
            routes: schedule.routes,
            failures,
            longest_route,
            groups,
            first_ack_lane,
            queued_acks: None,
            impairments: Impairments::default(),
            distances,
            round_trips,
            changes: schedule.changes,
        };
        network.follow_traces(scenario)?;
        network.arrivals = network.resolve_arrivals(scenario)?;
        network.set_buffers(scenario, &buffers, &have_capacity)?;
        network.queued_acks = QueuedAcks::new(&mut network, ack_path);
        network.impairments = Impairments::new(scenario, &network)?;
        if network.queued_acks.is_some() {
            // Lanes of acknowledgements then give only the least delay of the way back.
            let unused = network.first_ack_lane..network.first_ack_lane + network.group_count().pow(2);
            for change in &mut network.changes {
                change.lanes.retain(|turn| !unused.contains(&turn.of.index()));
            }
        }
        Ok(network)
    }

    /// Lane that leads from `router` towards the access router with index `target` at the start.
    #[must_use]
    #[inline]
    pub fn next_lane(&self, router: usize, target: usize) -> LaneId {
        self.next_lane_by(0, router, target)
    }

    /// The same by the routes with this number.
    #[must_use]
    #[inline]
    pub fn next_lane_by(&self, routes: usize, router: usize, target: usize) -> LaneId {
        self.tables[routes][router * self.access.len() + target]
    }

    /// Number of the routes at `now`.
    #[must_use]
    pub fn routes_at(&self, now: Picos) -> usize {
        self.routes[self.changes.partition_point(|change| change.time <= now)]
    }

    /// Number of different routes during the run.
    #[must_use]
    pub fn route_count(&self) -> usize {
        self.tables.len()
    }

    /// Lane of acknowledgements from the access router `receiver` to the access router `source` (access indices).
    #[must_use]
    #[inline]
    pub fn ack_lane(&self, receiver: usize, source: usize) -> LaneId {
        self.group_lane(self.group_of(receiver), self.group_of(source))
    }

    /// Lane of acknowledgements from one group of access routers to another.
    #[must_use]
    pub fn group_lane(&self, receiver: usize, source: usize) -> LaneId {
        LaneId::new(self.first_ack_lane + receiver * self.groups.anchors.len() + source)
    }

    /// Group of an access router: those of one group are equally far from everywhere.
    #[must_use]
    pub fn group_of(&self, access: usize) -> usize {
        self.groups.of[access].index()
    }

    /// Router from which a group of access routers is measured.
    #[must_use]
    pub fn anchor(&self, group: usize) -> usize {
        self.groups.anchors[group]
    }

    /// Number of groups of access routers.
    #[must_use]
    pub fn group_count(&self) -> usize {
        self.groups.anchors.len()
    }

    /// Router at which a lane ends, or below which.
    #[must_use]
    pub fn lane_to(&self, lane: &LaneSpec) -> usize {
        match lane.end {
            LaneEnd::Router(router) | LaneEnd::Sources(router) => router.index(),
            LaneEnd::Receivers(access) => self.access[access.index()],
        }
    }

    /// Adds a lane from `from` to `end` that is always longer than `lane` by `delay`.
    pub fn push_longer(&mut self, lane: LaneId, delay: Picos, end: LaneEnd, from: RouterId) {
        let new = LaneId::new(self.lanes.len());
        for change in &mut self.changes {
            let turn = change.lanes.iter().find(|turn| turn.of == lane).copied();
            change.lanes.extend(turn.map(|t| Turn { of: new, from: t.from + delay, to: t.to + delay }));
        }
        let LaneSpec { delay: before, least, .. } = self.lanes[lane.index()];
        self.lanes.push(LaneSpec { from, end, delay: before + delay, least: least + delay });
    }

    /// Number of lanes of data: both directions of each link, and one towards the hosts of each access router.
    #[must_use]
    pub fn data_lanes(&self) -> usize {
        2 * self.topology.links.len() + self.access.len()
    }

    /// Name of a lane of data, as users write it.
    #[must_use]
    pub fn lane_name(&self, lane: usize) -> String {
        let name = |router: usize| self.topology.routers[router].name.as_str();
        let LaneSpec { from, end, .. } = self.lanes[lane];
        match end {
            LaneEnd::Router(to) => format!("{} -> {}", name(from.index()), name(to.index())),
            LaneEnd::Receivers(_) | LaneEnd::Sources(_) => format!("{} -> hosts", name(from.index())),
        }
    }

    /// Largest sum of `values`, by lane of data, on a route between two access routers.
    #[must_use]
    pub fn longest_sum(&self, values: &[Picos]) -> Picos {
        let mut longest = 0;
        let ends = (0..self.route_count())
            .flat_map(|routes| (0..self.access.len()).map(move |target| (routes, target)));
        for (routes, target) in ends {
            // Sums from each router on; a route is walked until a router whose sum is known.
            let mut sums: Vec<Option<Picos>> = vec![None; self.data_routers()];
            for source in &self.access {
                let (mut here, mut walked) = (*source, Vec::new());
                while sums[here].is_none() {
                    let lane = self.next_lane_by(routes, here, target);
                    walked.push((here, lane.index()));
                    match self.lanes[lane.index()].end {
                        LaneEnd::Router(next) => here = next.index(),
                        LaneEnd::Receivers(_) | LaneEnd::Sources(_) => break,
                    }
                }
                let mut sum = sums[here].unwrap_or(0);
                for (router, lane) in walked.into_iter().rev() {
                    sum = sum.saturating_add(values[lane]);
                    sums[router] = Some(sum);
                }
                longest = longest.max(sum);
            }
        }
        longest
    }

    /// Region of an access router.
    #[must_use]
    pub fn region_of(&self, access: usize) -> usize {
        self.topology.routers[self.access[access]].region
    }

    /// Class of an access router.
    #[must_use]
    pub fn class_of(&self, access: usize) -> RouterClass {
        self.topology.routers[self.access[access]].class
    }

    /// Round-trip propagation delay between the hosts of two access routers at the start.
    #[must_use]
    pub fn round_trip(&self, source: usize, receiver: usize) -> Picos {
        self.round_trips_between(source, receiver)[0]
    }

    /// The same at `now`.
    #[must_use]
    pub fn round_trip_at(&self, source: usize, receiver: usize, now: Picos) -> Picos {
        let past = self.changes.partition_point(|change| change.time <= now);
        self.round_trips_between(source, receiver)[past]
    }

    fn round_trips_between(&self, source: usize, receiver: usize) -> &[Picos] {
        &self.round_trips[self.ack_lane(receiver, source).index() - self.first_ack_lane]
    }

    /// Lanes on which segments leave a router.
    pub fn lanes_from(&self, router: RouterId) -> impl Iterator<Item = LaneId> {
        let queued = self.queued_acks.as_ref().map_or(0..0, |queued| queued.lanes.clone());
        (0..self.first_ack_lane)
            .chain(queued)
            .filter(move |lane| self.lanes[*lane].from == router)
            .map(LaneId::new)
    }

    /// Lane that leads by the routes with this number from `router` towards `target`: an access router of receivers, or, behind these, of sources.
    #[must_use]
    pub fn lane_towards(&self, routes: usize, router: usize, target: usize) -> LaneId {
        match &self.queued_acks {
            Some(queued) if target >= self.access.len() => queued.next_lane(self, routes, router, target),
            // No data come to a router that serves acknowledgements only.
            _ => self.next_lane_by(routes, router % self.data_routers(), target),
        }
    }

    /// Returns whether segments travel on a lane: not on those of acknowledgements where these pass routers.
    #[must_use]
    pub fn is_used(&self, lane: usize) -> bool {
        let unused = self.first_ack_lane..self.first_ack_lane + self.group_count().pow(2);
        self.queued_acks.is_none() || !unused.contains(&lane)
    }

    /// State of the discipline of a queue; none for drop-tail that neither records nor rewrites anything.
    #[must_use]
    pub fn managed(&self, queue: usize, seed: u64) -> Option<Managed> {
        let name = *self.disciplines.get(queue)?;
        let rewrite = self.rewrites[queue];
        let counts = self.buffer_counts;
        let is_number = name == DisciplineName::DropTail && counts == BufferUnit::Bytes;
        if is_number && rewrite == EcnRewrite::None && !self.queue_delays {
            return None;
        }
        let router = &self.routers[queue];
        // Segments have no size in a router that has one queue.
        let ack_bytes = self.bytes[usize::from(self.queues.at_ports())];
        let facts = QueueFacts {
            service: router.service,
            ack_service: router.ack_service(),
            bytes: self.bytes[0],
            ack_bytes,
            places: router.places(),
            counts,
        };
        Some(Managed::new(name, &self.aqm, facts, rewrite, Draws::new(seed, queue)))
    }

    /// Number of queues whose departures are events.
    #[must_use]
    pub fn stored_queues(&self) -> usize {
        self.disciplines.iter().filter(|name| name.holds_segments(self.buffer_counts)).count()
    }

    /// Number of places that route segments: the routers, and those that serve acknowledgements only.
    #[must_use]
    pub fn nodes(&self) -> usize {
        if self.queues.at_ports() { self.data_routers() } else { self.routers.len() }
    }

    /// Number of routers that carry data: those of the topology. Others carry acknowledgements only.
    #[must_use]
    pub fn data_routers(&self) -> usize {
        self.topology.routers.len()
    }

    /// Mean round-trip propagation delay over the ordered pairs of different regions with hosts, s: `rtt` of the buffer
    /// rules.
    #[must_use]
    pub fn mean_round_trip(&self) -> f64 {
        self.distances.mean_round_trip()
    }

    /// Gives the queues whose rate follows a trace its mean as their speed.
    fn follow_traces(&mut self, scenario: &Scenario) -> Result<(), InvalidScenario> {
        for set in impairments::sets(scenario) {
            set.check_rates(scenario)?;
            let Some(mean) = set.mean_rate(scenario) else { continue };
            if picos(1.0 / mean) == 0 {
                let message = "its mean rate serves a segment in less than 1 ps; allowed: lower rates, or a smaller \
                               network.capacity_factor";
                return Err(set.invalid("capacity", message));
            }
            for lane in set.lanes(self)? {
                self.speeds[lane] = mean;
            }
        }
        Ok(())
    }

    fn set_buffers(
        &mut self,
        scenario: &Scenario,
        own: &[Option<f64>],
        have_capacity: &[bool],
    ) -> Result<(), InvalidScenario> {
        let parameters = &scenario.network;
        let rtt = self.mean_round_trip();
        let flows: Vec<f64> = match parameters.buffer.rule {
            BufferKind::BdpPerSqrtN => self.expected_flows(scenario),
            _ => vec![1.0; self.queues.count()],
        };
        let ack_share = parameters.ack_bytes / scenario.transport.segment_bytes;
        for (queue, ((speed, flows), own)) in self.speeds.iter().zip(flows).zip(own).enumerate() {
            let size = match (own, parameters.buffer.rule) {
                (Some(time), _) => time * speed,
                (None, BufferKind::Segments) => parameters.buffer.factor,
                (None, BufferKind::Time) => parameters.buffer.factor * speed,
                (None, BufferKind::Bdp) => parameters.buffer.factor * rtt * speed,
                (None, BufferKind::BdpPerSqrtN) => {
                    parameters.buffer.factor * rtt * speed / flows.max(1.0).sqrt()
                }
            };
            let buffer = (size.round() as u64).max(parameters.buffer_floor);
            let service = picos(1.0 / speed);
            if service == 0 {
                let path = if have_capacity[queue] { "network.capacity_factor" } else { "network.speed" };
                let name = self.queues.name(queue, &self.topology);
                let message =
                    "would serve a segment in less than 1 ps; allowed: a service time of at least 1 ps";
                return Err(invalid(path, format!("{name} {message}")));
            }
            let waiting = if parameters.buffer_counts_in_service { buffer.saturating_sub(1) } else { buffer };
            self.buffers.push(buffer);
            let router = Router::new(service, waiting).marking(parameters.ecn_threshold);
            let ack_service = picos(ack_share / speed).max(1);
            let at_port = self.queues.at_ports();
            self.routers.push(if at_port { router.serving_acks(ack_service) } else { router });
        }
        Ok(())
    }
}

/// Refuses what ports and disciplines do not do.
fn refuse_beside_queues(scenario: &Scenario) -> Result<(), InvalidScenario> {
    let parameters = &scenario.network;
    let of_router = |change: &GivenChange| change.router.is_some();
    for (is_used, direction, change) in [
        (
            parameters.queue == QueuePlace::Port,
            "direction, with a queue at each port: these are of one direction already",
            "the speed of a router, whose ports have the capacities of links",
        ),
        (
            scenario.aqm.discipline != DisciplineName::DropTail,
            "direction, with a queue discipline: queues of acknowledgements have none",
            "the speed of a router, with a queue discipline",
        ),
    ] {
        if is_used && parameters.ack_path == AckPath::Direction {
            return Err(invalid("network.ack_path", format!("{direction}; allowed: delay, queued")));
        }
        if let Some(index) = parameters.changes.iter().position(of_router).filter(|_| is_used) {
            let message = format!("{change}; allowed: link, with delay or factor");
            return Err(invalid(format!("network.changes[{index}].router"), message));
        }
    }
    let sized = scenario.flows.iter().position(|flow| flow.segment_bytes.is_some());
    if let Some(index) = sized.filter(|_| parameters.queue == QueuePlace::Router) {
        let message = "segments have no size where a router has one queue; allowed with network.queue = port";
        return Err(invalid(format!("flows[{index}].segment_bytes"), message));
    }
    refuse_packet_counts(scenario)?;
    if scenario.aqm.discipline != DisciplineName::DropTail && scenario.aqm.red_max <= scenario.aqm.red_min {
        let message = format!("not above aqm.red_min; allowed: more than {} segments", scenario.aqm.red_min);
        return Err(invalid("aqm.red_max", message));
    }
    Ok(())
}

/// Refuses buffers that count packets where they cannot, or would change nothing.
fn refuse_packet_counts(scenario: &Scenario) -> Result<(), InvalidScenario> {
    let parameters = &scenario.network;
    if parameters.buffer_counts == BufferUnit::Bytes {
        return Ok(());
    }
    let why = if parameters.queue == QueuePlace::Router {
        "a router that has one queue counts segments, which have no size there; packets need network.queue = port"
    } else if parameters.ecn_threshold.is_some() {
        "network.ecn_threshold marks by the time until a queue is empty; allowed with it: bytes"
    } else if matches!(
        scenario.aqm.discipline,
        DisciplineName::Red | DisciplineName::Pie | DisciplineName::Pi2
    ) {
        "red, pie and pi2 decide at arrival by the time until a queue is empty; allowed with them: bytes"
    } else {
        return Ok(());
    };
    Err(invalid("network.buffer_counts", format!("\"packets\": {why}")))
}

/// Refuses more routes than memory should hold.
fn check_tables(count: usize, entries: usize) -> Result<(), InvalidScenario> {
    let most = (MOST_ROUTE_ENTRIES / entries).max(1);
    if count <= most {
        return Ok(());
    }
    let message =
        format!("routes change between {count} states of the network; allowed: at most {most} states");
    Err(invalid("network.changes", message))
}

/// Refuses more access routers than a segment can name.
fn check_targets(access: usize, ack_path: AckPath) -> Result<(), InvalidScenario> {
    // Acknowledgements that pass routers name the access router of their source beside those of all receivers.
    let (most, why) = match ack_path {
        AckPath::Delay => (MOST_TARGETS, ""),
        AckPath::Queued | AckPath::Direction => (MOST_TARGETS / 2, " where acknowledgements pass routers"),
    };
    if access <= most {
        return Ok(());
    }
    let message =
        format!("{access} access routers are too many{why}; allowed: at most {most} access routers");
    Err(invalid("topology", message))
}

/// Refuses more lanes than can be numbered, before any is made.
fn check_lanes(data: usize, groups: usize) -> Result<(), InvalidScenario> {
    let lanes = data + groups * groups;
    if lanes <= MOST_LANES {
        return Ok(());
    }
    Err(invalid(
        "topology",
        format!(
            "{lanes} lanes are too many, {} of them for acknowledgements between {groups} places that are a delay \
             apart; allowed: at most {MOST_LANES} lanes",
            groups * groups
        ),
    ))
}
