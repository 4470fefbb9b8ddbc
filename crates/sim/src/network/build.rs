//! From a scenario to routers, lanes and routes.

use super::acknowledgements::Groups;
use super::arrivals::Arrivals;
use super::changes::{Schedule, follow};
use super::distances::Distances;
use super::ecmp::{LaneSets, Targets};
use super::impairments::{self, Impairments};
use super::lanes::{LaneEnd, LaneSpec, MOST_LANES};
use super::load::{self, Load};
use super::numbers::{AccessRouter, LaneId, RouterId};
use super::queued_acks::QueuedAcks;
use super::queues::Queues;
use super::routing::{Adjacency, RoutesTo, Routing, adjacency, routes_to};
use super::sizing::{Queued, Sizing};
use super::topology::{LinkSpec, Topology};
use super::traffic::{Traffic, traffic};
use super::wiring::Wiring;
use super::{Router, scenario_topology};
use crate::disciplines::{Draws, QueueFacts};
use crate::engine::MOST_TARGETS;
use crate::fabric::Managed;
use crate::scenario::{
    self, AckPath, AqmParameters, BufferUnit, DisciplineName, EcnRewrite, GivenChange, InvalidScenario,
    QueuePlace, Scenario, invalid,
};
use mesonet_cc::{Picos, picos, seconds};
use std::ops::Deref;

/// Most next hops of all routes of a run together: 200 MB (chosen).
const MOST_ROUTE_ENTRIES: usize = 100_000_000;

/// A network: its wiring, to which it dereferences, with speeds, buffers, users and what links do.
#[derive(Clone, Debug)]
pub struct Network {
    /// Routers, lanes and routes.
    pub wiring: Wiring,
    /// Queues, by their number: that of the router, or of the lane of the port.
    pub routers: Vec<Router>,
    /// Discipline by queue of data.
    pub disciplines: Vec<DisciplineName>,
    /// Changes of the ECN field by hops, before each queue of data.
    rewrites: Vec<EcnRewrite>,
    /// Drop-tail queues record delays.
    queue_delays: bool,
    /// Unit in which buffers count.
    buffer_counts: BufferUnit,
    /// Constants of disciplines.
    pub aqm: AqmParameters,
    /// Bytes of a data segment and of an acknowledgement.
    pub bytes: [u32; 2],
    /// Buffer as asked for, segments, by queue of data.
    pub asked: Vec<f64>,
    /// Ports towards hosts that follow the links into their routers.
    pub raised_ports: Vec<usize>,
    /// Buffer in segments, by queue of data.
    pub buffers: Vec<u64>,
    /// Speed in segments/s, by queue of data.
    pub speeds: Vec<f64>,
    /// Routers and delays between regions.
    pub distances: Distances,
    /// Sources and their receivers.
    pub traffic: Traffic,
    /// Effects of links on the segments that cross them, and rates that vary.
    pub impairments: Impairments,
    /// Open-loop arrivals.
    pub arrivals: Vec<Arrivals>,
}

impl Deref for Network {
    type Target = Wiring;

    #[inline(always)]
    fn deref(&self) -> &Wiring {
        &self.wiring
    }
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
        let mut speeds = queues.speeds(scenario, &topology, &router_speeds, &link_of);
        let is_raised = |q: &usize| {
            queues.at_ports() && queues.towards(*q).is_none() && speeds[*q] > router_speeds[queues.router(*q)]
        };
        let raised_ports = (0..queues.count()).filter(is_raised).collect();
        let have_capacity = queues.have_capacity(&link_of);
        let own_buffers = queues.buffers(&link_of);
        let disciplines = queues.disciplines(&scenario.aqm, &topology)?;
        let rewrites = queues.rewrites(&scenario.network, &topology)?;

        check_tables(schedule.links.len(), n * access.len())?;
        let all_neighbours: Vec<Adjacency> = schedule.links.iter().map(|links| adjacency(n, links)).collect();
        let shares = scenario.network.routing == scenario::Routing::Ecmp;
        let mut lane_sets = LaneSets::default();
        let ends = Ends { access: &access, link_lanes: &link_lanes, receivers_lane, shares };
        let ways = schedule.links.iter().zip(&all_neighbours);
        let (tables, longest): (Vec<_>, Vec<_>) =
            ways.map(|(links, neighbours)| ends.table(links, neighbours, &mut lane_sets)).unzip();
        let longest_route = longest.into_iter().fold(1, usize::max);
        let failures = schedule.failures.iter();
        let failures =
            failures.flat_map(|(link, failed)| link_lanes[*link].map(|lane| (lane, failed.clone())));
        let failures = failures.collect();

        let first_ack_lane = lanes.len();
        let round_trips =
            push_ack_lanes(&mut lanes, &mut schedule, &all_neighbours, &topology, &groups.anchors);
        let group_delay = |from: usize, to: usize| round_trips[to * groups.anchors.len() + from][0] / 2;
        let distances = Distances::new(&topology, &neighbours, &access, &groups, group_delay);
        let rounds = load::rounds(scenario);
        let traffic = traffic(scenario, &topology, &access, |from, to| {
            let [from, to] = [from, to].map(|access| groups.of[access].index());
            scenario.users.think_time + rounds * 2.0 * seconds(group_delay(from, to))
        })?;

        let queued_acks =
            QueuedAcks::new(&topology, access.len(), ack_path, &mut lanes, &mut schedule.changes);
        if queued_acks.is_some() {
            // Lanes of acknowledgements then give only the least delay of the way back.
            let unused = first_ack_lane..first_ack_lane + groups.anchors.len().pow(2);
            for change in &mut schedule.changes {
                change.lanes.retain(|turn| !unused.contains(&turn.of.index()));
            }
        }
        check_sets(lanes.len(), lane_sets.count())?;
        let targets = Targets::new(access.len(), ack_path, lane_sets.count() > 0);
        let mut wiring = Wiring {
            topology,
            queues,
            lanes,
            access,
            access_index,
            tables,
            lane_sets,
            targets,
            route_links: schedule.links,
            routes: schedule.routes,
            failures,
            longest_route,
            groups,
            first_ack_lane,
            queued_acks,
            changes: schedule.changes,
            round_trips,
        };
        if wiring.lane_sets.count() > 0 {
            wiring.longest_route = wiring.longest_sum(&vec![1; wiring.data_lanes()]) as usize;
        }
        impairments::follow_traces(scenario, &wiring, &mut speeds)?;
        let arrivals = wiring.resolve_arrivals(&speeds, scenario)?;
        let mean_round_trip = distances.mean_round_trip();
        let load = Load { wiring: &wiring, traffic: &traffic, arrivals: &arrivals, mean_round_trip };
        let sizing = Sizing { own: &own_buffers, have_capacity: &have_capacity };
        let Queued { mut asked, mut buffers, mut routers } = sizing.queues(scenario, &load, &speeds)?;
        let impairments = Impairments::new(scenario, &wiring, &speeds, &disciplines)?;
        for queue in 0..routers.len() {
            let Some(waiting) = impairments.buffer(queue) else { continue };
            let most = waiting.values().max().unwrap_or(0);
            routers[queue].hold(most);
            buffers[queue] = most + u64::from(scenario.network.buffer_counts_in_service);
            asked[queue] = buffers[queue] as f64;
        }
        if ack_path == AckPath::Direction {
            routers.extend_from_within(..);
        }
        Ok(Self {
            impairments,
            routers,
            disciplines,
            rewrites,
            queue_delays: scenario.measurement.queue_delays,
            buffer_counts: scenario.network.buffer_counts,
            aqm: scenario.aqm.clone(),
            bytes: [scenario.transport.segment_bytes, scenario.network.ack_bytes]
                .map(|bytes| bytes.round() as u32),
            asked,
            raised_ports,
            buffers,
            speeds,
            distances,
            traffic,
            arrivals,
            wiring,
        })
    }

    /// Flows of open-loop arrivals per second that begin under an access router.
    #[must_use]
    pub fn arrival_rate(&self, access: AccessRouter) -> f64 {
        let of = |arrivals: &Arrivals| {
            let place = arrivals.origins.binary_search_by_key(&access, |origin| origin.access).ok()?;
            Some(arrivals.origins[place].rate)
        };
        // An empty sum of floating-point numbers is -0.
        self.arrivals.iter().filter_map(of).fold(0.0, |sum, rate| sum + rate)
    }

    /// Flows and load that are expected at the start.
    #[must_use]
    pub fn load(&self) -> Load<'_> {
        Load {
            wiring: &self.wiring,
            traffic: &self.traffic,
            arrivals: &self.arrivals,
            mean_round_trip: self.mean_round_trip(),
        }
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
            name: Draws::new(seed, queue).name(),
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

    /// Mean round-trip propagation delay over the ordered pairs of different regions with hosts, s: `rtt` of
    /// the buffer rules.
    #[must_use]
    pub fn mean_round_trip(&self) -> f64 {
        self.distances.mean_round_trip()
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
    if scenario.aqm.discipline != DisciplineName::DropTail && scenario.aqm.red.max <= scenario.aqm.red.min {
        let message = format!("not above aqm.red_min; allowed: more than {} segments", scenario.aqm.red.min);
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
    let at_arrival;
    let why = if parameters.queue == QueuePlace::Router {
        "a router that has one queue counts segments, which have no size there; packets need network.queue = port"
    } else if parameters.ecn_threshold.is_some() {
        "network.ecn_threshold marks by the time until a queue is empty; allowed with it: bytes"
    } else if !scenario.aqm.discipline.holds_segments(BufferUnit::Packets) {
        at_arrival = format!(
            "{} decide at arrival by the time until a queue is empty; allowed with them: bytes",
            disciplines_at_arrival()
        );
        &at_arrival
    } else {
        return Ok(());
    };
    Err(invalid("network.buffer_counts", format!("\"packets\": {why}")))
}

/// The lanes on which routes end, and those between routers.
struct Ends<'a> {
    access: &'a [usize],
    /// Of each link the lane from its first end and that from its second.
    link_lanes: &'a [[LaneId; 2]],
    /// The first of the lanes to receivers.
    receivers_lane: usize,
    /// Flows share routes of equal cost.
    shares: bool,
}

impl Ends<'_> {
    /// The lane towards each access router, by router, on the routes over these links, and the most routers
    /// on a route. Routes of equal cost have a name of `sets` in place of a lane.
    fn table(&self, links: &[LinkSpec], neighbours: &Adjacency, sets: &mut LaneSets) -> (Vec<LaneId>, usize) {
        let (n, access) = (neighbours.len(), self.access);
        let mut longest = 1;
        let mut next_lane = vec![LaneId::new(usize::from(u16::MAX)); n * access.len()];
        let mut routing = Routing::new(links, neighbours);
        for index in routing.together(access) {
            let ways = routing.towards(access[index]);
            for router in 0..n {
                let lane = |(_, link): (usize, usize)| self.link_lanes[link][links[link].from(router)];
                next_lane[router * access.len() + index] = match ways.next(router) {
                    Some(_) if self.shares => {
                        sets.name(ways.all_next(router).into_iter().map(lane).collect())
                    }
                    Some(next) => lane(next),
                    None => LaneId::new(self.receivers_lane + index),
                };
            }
            longest = access.iter().map(|&a| ways.hops(a) + 1).fold(longest, usize::max);
        }
        (next_lane, longest)
    }
}

/// Adds the lanes of acknowledgements between all pairs of groups, and the changes of their delays. They take
/// the propagation delay of the route from the receiver to the source. Returns the round trips by lane, at
/// the start and after each change.
fn push_ack_lanes(
    lanes: &mut Vec<LaneSpec>,
    schedule: &mut Schedule,
    neighbours: &[Adjacency],
    topology: &Topology,
    anchors: &[usize],
) -> Vec<Vec<Picos>> {
    // One-way delays by end, then state of the network, then beginning.
    let delays_to = |&end: &usize| -> Vec<Vec<Picos>> {
        let ways = schedule.links.iter().zip(neighbours);
        let routes: Vec<RoutesTo> =
            ways.map(|(links, neighbours)| routes_to(links, neighbours, end)).collect();
        let states = schedule.delays.iter().zip(&schedule.routes);
        let sums = states.map(|(delays, place)| routes[*place].sums(&topology.links, delays));
        sums.map(|sums| anchors.iter().map(|&anchor| sums[anchor]).collect()).collect()
    };
    let delays: Vec<Vec<Vec<Picos>>> = anchors.iter().map(delays_to).collect();
    let mut round_trips = Vec::new();
    for (receiver, &from) in anchors.iter().enumerate() {
        for (source, &to) in anchors.iter().enumerate() {
            let lane = LaneId::new(lanes.len());
            let back = || delays[source].iter().map(|state| state[receiver]);
            let there = delays[receiver].iter().map(|state| state[source]);
            round_trips.push(there.zip(back()).map(|(there, back)| there + back).collect());
            let least = follow(&mut schedule.changes, lane, back());
            let (from, end) = (RouterId::new(from), LaneEnd::Sources(RouterId::new(to)));
            lanes.push(LaneSpec { from, end, delay: delays[source][0][receiver], least });
        }
    }
    round_trips
}

/// The disciplines that decide at arrival, in words.
fn disciplines_at_arrival() -> String {
    let names = DisciplineName::ALL.iter().filter(|name| !name.holds_segments(BufferUnit::Packets));
    let names: Vec<_> = names.map(|name| name.name()).collect();
    match &names[..] {
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
        [] => String::new(),
    }
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
    // Acknowledgements that pass routers name the access router of their source beside those of all
    // receivers.
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

/// Refuses more lanes and sets of lanes than can be numbered.
fn check_sets(lanes: usize, sets: usize) -> Result<(), InvalidScenario> {
    if lanes + sets <= MOST_LANES {
        return Ok(());
    }
    let message = format!(
        "{lanes} lanes and {sets} sets of lanes of equal cost are too many; allowed: at most {MOST_LANES} in all, or \
         network.routing = shortest"
    );
    Err(invalid("network.routing", message))
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
