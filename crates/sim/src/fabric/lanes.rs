//! A domain of the network by lanes: a lane is a ring, a router is a number, and only the heads of lanes are
//! ordered.

use super::impaired::{clock_of, waiting_of};
use super::managed::Step;
use super::{
    ALARMS, Alarm, Carrier, Crossed, DroppedSegment, Event, Impaired, Managed, Origins, Outbox, OwnLanes,
    SegmentDelays,
};
use crate::disciplines::{Backlog, Signals, Verdict, Waiting};
use crate::engine::{FlowHome, FlowId, Lanes, Segment};
use crate::links::Fate;
use crate::measure::Histogram;
use crate::network::ecmp::{Targets, connection_hash, lane_salt, weight};
use crate::network::lanes::{LaneEnd, LaneSpec};
use crate::network::router::RouterState;
use crate::network::{
    AccessRouter, DomainId, DomainLane, DomainRouter, Domains, EgressLane, LaneId, Network, Router,
};
use crate::snapshot::{BadSnapshot, Passage};
use mesonet_cc::Picos;
use std::collections::BTreeMap;

/// The end of a lane.
#[derive(Clone, Copy, Debug)]
enum End {
    /// At a router, by its number here.
    Router(DomainRouter),
    /// At receivers that acknowledge, by their row of `acknowledging`.
    Receivers(u16),
    /// At hosts: data at receivers whose acknowledgements enter this router, and acknowledgements at sources.
    Hosts(DomainRouter),
    /// At hosts whose endpoints decide when receivers acknowledge. A flag of `Hosts` in its place costs all
    /// other runs 0.7 % more instructions.
    Deciding,
    /// At hosts of which some have stacks; otherwise as the end with this number among those in `behind`.
    Stacks(u16),
    /// At sources.
    Sources,
    /// Not a lane: an alarm of the endpoints.
    Alarm(Alarm),
    /// Not a lane: a queue that holds its segments is to serve the next one.
    Departure(u16),
}

/// Destination of the segments that leave on an egress lane.
#[derive(Clone, Copy, Debug)]
enum Destination {
    /// To a lane that ends in this domain.
    Lane(DomainLane),
    /// To another domain, by an outbox.
    Outbox(u16),
}

/// An egress lane, which begins in this domain: its propagation delay and its destination.
#[derive(Clone, Copy, Debug)]
struct Egress {
    delay: Picos,
    /// Earliest arrival of the next segment. Segments that left under a longer delay are still in flight, and
    /// no segment overtakes them.
    floor: Picos,
    to: Destination,
}

/// The routes that follow each other.
#[derive(Clone, Debug)]
struct AllRoutes {
    /// Number of those in force.
    now: usize,
    /// Egress lanes by number of the routes, as in `routes`.
    tables: Vec<Vec<EgressLane>>,
}

/// The way of a segment through a router. Each has a function of its own, so that none looks for the others.
#[derive(Clone, Copy, Debug)]
enum Queueing {
    /// Every router has one queue, which is drop-tail; links may be impaired.
    Routers,
    /// As `Routers`, and flows share routes.
    SharedRouters,
    /// A queue at each output, or queues with a discipline.
    Queues,
    /// As `Queues`, and flows share routes.
    SharedQueues,
}

/// Egress lanes of equal cost. Routes name a set of them by a number behind those of egress lanes.
#[derive(Clone, Debug)]
struct SharedLanes {
    seed: u64,
    targets: Targets,
    /// Number of egress lanes.
    first: usize,
    /// Lanes of each set with their salts.
    sets: Vec<Vec<(u64, EgressLane)>>,
}

impl SharedLanes {
    /// The lane of a segment by the row of its router in the routes.
    #[inline]
    fn choose(&self, row: &[EgressLane], segment: &Segment) -> EgressLane {
        let (access, is_ack) = self.targets.access(segment.target());
        let egress = row[access + if is_ack { row.len() / 2 } else { 0 }];
        let Some(set) = egress.index().checked_sub(self.first).and_then(|set| self.sets.get(set)) else {
            return egress;
        };
        let connection = connection_hash(self.seed, segment.flow, segment.target());
        set.iter().max_by_key(|lane| weight(connection, lane.0)).map_or(egress, |lane| lane.1)
    }
}

/// Routers, lanes that end here, egress lanes.
#[derive(Clone, Debug)]
pub struct LaneFabric {
    lanes: Lanes,
    ends: Vec<End>,
    /// Ends of lanes to hosts of which some have stacks.
    behind: Vec<End>,
    /// Number in the whole network by lane.
    numbers: Vec<LaneId>,
    /// Queues by router, or by egress lane where they are at ports.
    routers: Vec<Router>,
    at_ports: bool,
    /// Disciplines by queue; empty where all are drop-tail.
    managed: Vec<Option<Box<Managed>>>,
    /// Every router has one queue, which is drop-tail, links are perfect, and flows share no routes.
    is_plain: bool,
    /// The way of a segment through a router of another fabric.
    queueing: Queueing,
    /// Lanes of equal cost, where flows share routes.
    shared: Option<Box<SharedLanes>>,
    /// Segments may overtake others on links, also on those of other domains.
    reorders: bool,
    /// Impaired links by egress lane, and clocks of queues.
    impaired: Option<Box<Impaired>>,
    /// Leaf after lanes and alarms by queue that holds its segments.
    leaves: Vec<u16>,
    signals: Signals,
    egress: Vec<Egress>,
    /// Number in the whole network by egress lane.
    egress_numbers: Vec<LaneId>,
    /// Egress lane by router, then target.
    routes: Vec<EgressLane>,
    /// All routes of the run; none where they never change.
    all_routes: Option<Box<AllRoutes>>,
    targets: usize,
    /// Egress lane by group of the receiver (those of this domain), then group of the source.
    acknowledging: Vec<EgressLane>,
    groups: usize,
    /// Egress lanes of flows that have lanes of their own, by number in the whole network, rising.
    own: Vec<(LaneId, EgressLane)>,
    /// These flows, by their number.
    own_flows: Vec<OwnLanes>,
    /// Bytes of a data segment of all others.
    bytes: u32,
    /// Set where a flow with lanes of its own has another size.
    has_sizes: bool,
    outboxes: Vec<Outbox>,
    crossed: Crossed,
    drops: Vec<DroppedSegment>,
    /// Targets from here on are those of acknowledgements.
    receivers: usize,
    /// Bits of the port of a connection in a target.
    port_mask: usize,
    /// Origins of flows, if acknowledgements pass routers.
    origins: Option<Origins>,
    dropped_acks: Vec<(Picos, Segment)>,
    arrivals: Vec<(Picos, Segment)>,
    copies: Vec<Segment>,
    /// One-way delays, if these are recorded.
    segment_delays: Option<Box<SegmentDelays>>,
    /// The lane from which the last acknowledgement came.
    acknowledging_lane: usize,
}

impl LaneFabric {
    /// The fabric of a domain of `network`.
    #[must_use]
    pub fn new(
        network: &Network,
        domains: &Domains,
        own: &[OwnLanes],
        origins: Option<Origins>,
        domain: DomainId,
        seed: u64,
    ) -> Self {
        let here = |router: usize| domains.of[router] == domain;
        let groups = network.group_count();

        // Egress lanes that end elsewhere have an outbox. Lanes that begin elsewhere keep a number that
        // indexes nothing.
        let nowhere = EgressLane::new(usize::from(u16::MAX));
        let mut egress_of = vec![nowhere; network.lanes.len()];
        let (mut egress, mut egress_numbers, mut outboxes) = (Vec::new(), Vec::new(), Vec::new());
        let beginning = |lane: &(usize, &LaneSpec)| network.is_used(lane.0) && here(lane.1.from.index());
        for (index, lane) in network.lanes.iter().enumerate().filter(beginning) {
            egress_of[index] = EgressLane::new(egress.len());
            let end = domains.of_lane(network, lane);
            let to = if end == domain {
                Destination::Lane(domains.lane[index])
            } else {
                let lane = domains.lane[index];
                outboxes.push(Outbox { domain: end, lane, segments: Vec::new() });
                Destination::Outbox(outboxes.len() as u16 - 1)
            };
            egress.push(Egress { delay: lane.delay, floor: 0, to });
            egress_numbers.push(LaneId::new(index));
        }

        let nodes: Vec<usize> = (0..network.nodes()).filter(|r| here(*r)).collect();
        let at_ports = network.queues.at_ports();
        // Nothing queues on lanes of acknowledgements that take only time, and on those of single flows.
        let of_egress =
            |lane: &LaneId| network.routers.get(lane.index()).cloned().unwrap_or_else(|| Router::new(1, 0));
        let routers = if at_ports {
            egress_numbers.iter().map(of_egress).collect()
        } else {
            nodes.iter().map(|node| network.routers[*node].clone()).collect()
        };
        let receivers = network.access.len();
        let targets = if origins.is_some() { 2 * receivers } else { receivers };
        let mut sets: Vec<Vec<(u64, EgressLane)>> = Vec::new();
        let mut known = BTreeMap::new();
        let mut egress_towards = |number: usize, router: usize, target: usize| {
            let is_ack = target >= receivers;
            let access = if is_ack { target - receivers } else { target };
            let lanes = network.lanes_towards(number, router, access, is_ack);
            let set: Vec<_> = lanes.map(|lane| (lane_salt(lane), egress_of[lane.index()])).collect();
            if let [(_, lane)] = set[..] {
                return lane;
            }
            let number = *known.entry(set).or_insert_with_key(|set: &Vec<_>| {
                sets.push(set.clone());
                sets.len() - 1
            });
            EgressLane::new(egress.len() + number)
        };
        let tables = (0..network.route_count()).map(|number| {
            let rows = nodes.iter().flat_map(|router| (0..targets).map(move |target| (*router, target)));
            rows.map(|(router, target)| egress_towards(number, router, target)).collect()
        });
        let tables: Vec<Vec<EgressLane>> = tables.collect();
        let shared = (network.lane_sets.count() > 0)
            .then(|| Box::new(SharedLanes { seed, targets: network.targets, first: egress.len(), sets }));

        // Lanes that end here, and a row of acknowledgements for each group of receivers.
        let mut rows: Vec<usize> = Vec::new();
        let (mut ends, mut numbers) = (Vec::new(), Vec::new());
        let ending =
            |lane: &(usize, &LaneSpec)| network.is_used(lane.0) && domains.of_lane(network, lane.1) == domain;
        for (index, lane) in network.lanes.iter().enumerate().filter(ending) {
            numbers.push(LaneId::new(index));
            ends.push(match lane.end {
                LaneEnd::Router(router) => End::Router(domains.router[router.index()]),
                LaneEnd::Sources(_) => End::Sources,
                LaneEnd::Receivers(access) => match &network.queued_acks {
                    Some(queued) => {
                        let router = queued.access_router(network.access[access.index()]);
                        End::Hosts(domains.router[router])
                    }
                    None => {
                        let group = network.group_of(access.index());
                        let row = rows.iter().position(|g| *g == group).unwrap_or_else(|| {
                            rows.push(group);
                            rows.len() - 1
                        });
                        End::Receivers(row as u16)
                    }
                },
            });
        }
        let managed_of = |queue: usize| network.managed(queue, seed).map(Box::new);
        let mut managed: Vec<Option<Box<Managed>>> = if at_ports {
            egress_numbers.iter().map(|lane| managed_of(lane.index())).collect()
        } else {
            nodes.iter().map(|node| managed_of(*node)).collect()
        };
        if managed.iter().all(Option::is_none) {
            managed.clear();
        }
        let holds = |queue: &usize| managed[*queue].as_ref().is_some_and(|managed| managed.is_stored());
        let stored: Vec<usize> = (0..managed.len()).filter(holds).collect();
        let lanes = Lanes::new(ends.len(), ALARMS + stored.len());
        ends.extend(Alarm::ALL.map(End::Alarm));
        let mut leaves = vec![u16::MAX; managed.len()];
        for queue in stored {
            leaves[queue] = ends.len() as u16;
            ends.push(End::Departure(queue as u16));
        }
        let numbers_of: Vec<usize> = egress_numbers.iter().map(|lane| lane.index()).collect();
        let queues = if at_ports { &numbers_of } else { &nodes };
        let impaired = Impaired::new(network, &numbers_of, queues, seed);
        let acknowledge = |group: &usize| {
            let lane = |source| egress_of[network.group_lane(*group, source).index()];
            (0..groups).map(lane).collect::<Vec<_>>()
        };
        let mut own_egress: Vec<(LaneId, EgressLane)> =
            own.iter().flat_map(|o| [o.access, o.acks]).map(|lane| (lane, egress_of[lane.index()])).collect();
        own_egress.sort_unstable();
        Self {
            lanes,
            ends,
            behind: Vec::new(),
            numbers,
            egress,
            egress_numbers,
            routes: tables[0].clone(),
            all_routes: (tables.len() > 1).then(|| Box::new(AllRoutes { now: 0, tables })),
            routers,
            at_ports,
            is_plain: !at_ports && managed.is_empty() && impaired.is_none() && shared.is_none(),
            queueing: match (!at_ports && managed.is_empty(), shared.is_some()) {
                (true, false) => Queueing::Routers,
                (true, true) => Queueing::SharedRouters,
                (false, false) => Queueing::Queues,
                (false, true) => Queueing::SharedQueues,
            },
            shared,
            impaired,
            reorders: network.impairments.reorders(),
            managed,
            leaves,
            signals: Signals::default(),
            targets,
            acknowledging: rows.iter().flat_map(acknowledge).collect(),
            groups,
            own: own_egress,
            own_flows: own.to_vec(),
            bytes: network.bytes[0],
            has_sizes: own.iter().any(|flow| flow.bytes != network.bytes[0]),
            outboxes,
            crossed: Crossed::default(),
            drops: Vec::new(),
            receivers: if origins.is_some() { network.targets.first_ack() } else { usize::MAX },
            port_mask: network.targets.port_mask(),
            origins,
            dropped_acks: Vec::new(),
            arrivals: Vec::new(),
            copies: Vec::new(),
            segment_delays: None,
            acknowledging_lane: 0,
        }
    }

    /// Segments that have left for other domains; to be emptied between windows.
    pub fn outboxes(&mut self) -> &mut Vec<Outbox> {
        &mut self.outboxes
    }

    /// Segments from another domain on `lane`, by its number here, in the order of their arrival.
    pub fn receive(&mut self, lane: DomainLane, segments: &[Segment]) {
        if self.reorders {
            segments.iter().for_each(|segment| self.lanes.insert(lane.index(), *segment));
            return;
        }
        self.lanes.append(lane.index(), segments);
    }
}

impl Carrier for LaneFabric {
    #[inline]
    fn next(&mut self, limit: Picos) -> Option<Event> {
        loop {
            let (time, lane) = self.lanes.next();
            if time >= limit {
                return None;
            }
            match self.ends[lane] {
                End::Router(router) => {
                    let segment = self.lanes.pop(lane);
                    self.arrive(time, router, segment);
                }
                End::Receivers(row) => {
                    let segment = self.lanes.pop(lane);
                    self.acknowledge(time, usize::from(row), segment);
                }
                End::Sources => {
                    self.acknowledging_lane = lane;
                    return Some(Event::acknowledgement(time, self.lanes.pop(lane)));
                }
                End::Hosts(router) => {
                    let segment = self.lanes.pop(lane);
                    if segment.target() < self.receivers {
                        if let Some(answer) = self.reach(time, segment) {
                            self.answer(time, router, answer);
                        }
                    } else if self.returns(time, lane, segment) {
                        return Some(Event::acknowledgement(time, segment));
                    }
                }
                End::Deciding => {
                    let segment = self.lanes.pop(lane);
                    if segment.target() < self.receivers {
                        if let Some(answer) = self.reach(time, segment) {
                            return Some(Event::arrival(time, answer));
                        }
                    } else if self.returns(time, lane, segment) {
                        return Some(Event::acknowledgement(time, segment));
                    }
                }
                End::Stacks(behind) => {
                    let segment = self.lanes.pop(lane).words();
                    if let Some(event) = self.reach_stack(time, lane, usize::from(behind), segment) {
                        return Some(event);
                    }
                }
                End::Alarm(alarm) => return Some(Event::alarm(time, alarm)),
                End::Departure(queue) => self.serve(time, usize::from(queue)),
            }
        }
    }

    #[inline]
    fn upcoming(&self) -> Option<FlowId> {
        let next = self.lanes.ring(self.acknowledging_lane).front()?;
        // Lanes to hosts carry data of flows from elsewhere, too.
        let is_ack = self.receivers == usize::MAX || next.target() >= self.receivers;
        is_ack.then_some(next.flow)
    }

    fn next_instant(&self) -> Picos {
        self.lanes.next().0
    }

    #[inline]
    fn set_alarm(&mut self, alarm: Alarm, at: Option<Picos>) {
        self.lanes.set_due(self.numbers.len() + alarm.index(), at);
    }

    #[inline(never)]
    fn enter(&mut self, now: Picos, router: DomainRouter, packet: Segment) {
        self.arrive(now, router, packet);
    }

    /// A segment reaches a router: it is dropped, or it leaves at a known instant and the next lane has it.
    #[inline(always)]
    fn arrive(&mut self, now: Picos, router: DomainRouter, segment: Segment) {
        if self.is_plain {
            self.arrive_at_router::<false, false>(now, router.index(), segment);
        } else {
            self.arrive_elsewhere(now, router.index(), segment.words());
        }
    }

    fn hand_over(&mut self) {
        for end in self.ends.iter_mut().filter(|end| matches!(end, End::Hosts(_))) {
            *end = End::Deciding;
        }
    }

    fn serve_stacks(&mut self) {
        let receives = |end: &&mut End| matches!(end, End::Hosts(_) | End::Deciding | End::Receivers(_));
        for end in self.ends.iter_mut().filter(receives) {
            self.behind.push(std::mem::replace(end, End::Stacks(self.behind.len() as u16)));
        }
    }

    #[inline(always)]
    fn answer(&mut self, now: Picos, router: DomainRouter, segment: Segment) {
        let origin =
            self.origins.as_ref().map_or(AccessRouter::default(), |origins| origins.of(segment.flow));
        let port = segment.target() & self.port_mask;
        self.arrive(now, router, segment.answered(self.receivers + origin.index() + port));
    }

    fn send_on(&mut self, now: Picos, lane: LaneId, segment: Segment) {
        self.send(now, self.own_egress(lane), segment);
    }

    /// A segment is dropped.
    #[inline(never)]
    fn drop(&mut self, time: Picos, segment: Segment) {
        if segment.target() >= self.receivers {
            self.crossed.acks_dropped += 1;
            self.dropped_acks.push((time, segment));
            return;
        }
        if segment.is_answer_of_stack() {
            self.crossed.acks_dropped += 1;
        } else {
            self.crossed.dropped += 1;
        }
        self.drops.push(DroppedSegment::new(time, segment));
    }

    fn crossed(&self) -> Crossed {
        self.crossed
    }

    fn drops(&mut self) -> &mut Vec<DroppedSegment> {
        &mut self.drops
    }

    fn copies(&mut self) -> &mut Vec<Segment> {
        &mut self.copies
    }

    fn dropped_acks(&mut self) -> &mut Vec<(Picos, Segment)> {
        &mut self.dropped_acks
    }

    fn arrivals(&mut self) -> &mut Vec<(Picos, Segment)> {
        &mut self.arrivals
    }

    fn origins(&mut self) -> Option<&mut Origins> {
        self.origins.as_mut()
    }

    fn shrink(&mut self) {
        self.lanes.shrink();
    }

    fn set_service(&mut self, router: DomainRouter, now: Picos, service: Picos) {
        self.routers[router.index()].change(now, service);
    }

    fn set_routes(&mut self, routes: usize) {
        if let Some(all) = &mut self.all_routes {
            all.now = routes;
            self.routes.clone_from(&all.tables[routes]);
        }
    }

    fn set_delay(&mut self, lane: LaneId, delay: Picos, floor: Picos) {
        let place = self.egress_numbers.binary_search(&lane).expect("a lane that begins here");
        (self.egress[place].delay, self.egress[place].floor) = (delay, floor);
    }

    fn retime(&mut self, lane: LaneId, mut new: impl FnMut(Picos) -> Picos) -> Picos {
        let place = self.numbers.binary_search(&lane).expect("a lane that ends here");
        let mut last = 0;
        self.lanes.retime(place, |time| {
            last = new(time);
            last
        });
        last
    }

    fn router(&self, router: DomainRouter, now: Picos) -> RouterState {
        self.state(router.index(), now)
    }

    fn port(&self, lane: LaneId, now: Picos) -> RouterState {
        let egress = self.egress_numbers.binary_search(&lane).expect("a lane that begins here");
        self.state(egress, now)
    }

    fn take_delays(&mut self, queue: usize, router: DomainRouter) -> Option<Histogram> {
        if self.managed.is_empty() {
            return None;
        }
        let queue = if self.at_ports {
            self.egress_numbers.binary_search(&LaneId::new(queue)).ok()?
        } else {
            router.index()
        };
        self.managed[queue].as_mut().map(|managed| std::mem::take(&mut managed.delays))
    }

    fn record_segment_delays(&mut self) {
        self.segment_delays = Some(Box::default());
    }

    fn take_segment_delays(&mut self) -> Option<Histogram> {
        self.segment_delays.as_mut().map(|delays| delays.take())
    }

    fn waiting(&self) -> Vec<Segment> {
        self.managed
            .iter()
            .flatten()
            .flat_map(|queue| queue.waiting())
            .map(|waiting| waiting.segment)
            .collect()
    }

    fn segments(&self) -> Vec<(LaneId, Segment)> {
        let on = |(lane, number): (usize, &LaneId)| {
            self.lanes.ring(lane).iter().map(move |s| (*number, *s)).collect::<Vec<_>>()
        };
        self.numbers.iter().enumerate().flat_map(on).collect()
    }

    fn pass(&mut self, passage: &mut Passage) -> Result<(), BadSnapshot> {
        let is_plain = false;
        passage.same(&is_plain, BadSnapshot::OtherRun)?;
        let Self {
            lanes,
            ends: _,
            behind: _,
            numbers: _,
            routers,
            at_ports: _,
            managed,
            is_plain: _,
            queueing: _,
            shared: _,
            impaired,
            reorders: _,
            leaves: _,
            signals: _,
            egress,
            egress_numbers: _,
            routes,
            all_routes,
            targets: _,
            acknowledging: _,
            groups: _,
            own: _,
            own_flows: _,
            bytes: _,
            has_sizes: _,
            outboxes,
            crossed,
            drops,
            receivers: _,
            port_mask: _,
            origins,
            dropped_acks,
            arrivals,
            copies: _,
            segment_delays,
            acknowledging_lane: _,
        } = self;
        debug_assert!(dropped_acks.is_empty() && arrivals.is_empty());
        debug_assert!(drops.is_empty() && outboxes.iter().all(|outbox| outbox.segments.is_empty()));
        passage.field(lanes)?;
        passage.field(routers)?;
        passage.field(managed)?;
        if let Some(impaired) = impaired {
            impaired.pass(passage)?;
        }
        passage.each(egress, |Egress { delay, floor, to: _ }, passage| {
            passage.field(delay)?;
            passage.field(floor)
        })?;
        if let Some(all) = all_routes {
            passage.field(&mut all.now)?;
            routes.clone_from(all.tables.get(all.now).ok_or(BadSnapshot::Broken)?);
        }
        passage.field(origins)?;
        passage.field(segment_delays)?;
        passage.field(crossed)
    }
}

impl LaneFabric {
    /// A segment reaches a router whose queue or whose links are not plain.
    #[inline(never)]
    fn arrive_elsewhere(&mut self, now: Picos, router: usize, segment: [u64; 2]) {
        let segment = Segment::from_words(now, segment);
        match self.queueing {
            Queueing::Routers => self.arrive_at_router::<true, false>(now, router, segment),
            Queueing::SharedRouters => self.arrive_at_router::<true, true>(now, router, segment),
            Queueing::Queues => self.arrive_at_queue::<false>(now, router, segment),
            Queueing::SharedQueues => self.arrive_at_queue::<true>(now, router, segment),
        }
    }

    /// A segment reaches a router that has one queue, which is drop-tail.
    #[inline(always)]
    fn arrive_at_router<const IMPAIRED: bool, const SHARED: bool>(
        &mut self,
        now: Picos,
        router: usize,
        mut segment: Segment,
    ) {
        let Some(departure) = self.routers[router].arrive(now) else {
            self.drop_here(now, segment.words());
            return;
        };
        let served = &self.routers[router];
        if segment.is_ecn_capable() && served.marks(departure - now - served.service) {
            let is_new = u64::from(!segment.is_marked());
            self.crossed.marked += is_new;
            self.routers[router].marked += is_new;
            segment.mark();
        }
        let egress = self.next_lane::<SHARED>(router, &segment);
        if IMPAIRED {
            let is_ack = segment.target() >= self.receivers;
            self.leave(now, departure, egress, segment, is_ack);
        } else {
            self.send(departure, egress, segment);
        }
    }

    /// The lane on which a segment leaves a router.
    #[inline(always)]
    fn next_lane<const SHARED: bool>(&self, router: usize, segment: &Segment) -> EgressLane {
        match &self.shared {
            Some(shared) if SHARED => {
                shared.choose(&self.routes[router * self.targets..][..self.targets], segment)
            }
            _ => self.routes[router * self.targets + segment.target()],
        }
    }

    /// A segment reaches a router that has a queue at each output, or queues with a discipline.
    fn arrive_at_queue<const SHARED: bool>(&mut self, now: Picos, router: usize, mut segment: Segment) {
        let egress = self.next_lane::<SHARED>(router, &segment);
        let queue = if self.at_ports { egress.index() } else { router };
        let is_ack = segment.target() >= self.receivers;
        let data_bytes = data_bytes(&segment, &self.own_flows, self.has_sizes, self.bytes);
        if let Some(waiting) = waiting_of(self.impaired.as_deref(), queue, now) {
            self.routers[queue].hold(waiting);
            if let Some(managed) = self.managed.get_mut(queue).and_then(Option::as_mut) {
                managed.hold(waiting + 1);
            }
        }
        if self.managed.get(queue).is_some_and(Option::is_some)
            && !self.enters(now, queue, egress, (is_ack, data_bytes), &mut segment)
        {
            return;
        }
        let clock = clock_of(self.impaired.as_deref(), queue);
        let at = clock.map_or(now, |clock| clock.work(now));
        let router = &mut self.routers[queue];
        let service = if is_ack && self.at_ports {
            router.ack_service()
        } else {
            router.data_service(data_bytes, self.bytes)
        };
        let departure =
            if service == router.service { router.arrive(at) } else { router.arrive_taking(at, service) };
        let Some(departure) = departure else {
            self.drop(now, segment);
            return;
        };
        if !is_ack && segment.is_ecn_capable() && router.marks(departure - at - service) {
            let is_new = u64::from(!segment.is_marked());
            self.crossed.marked += is_new;
            router.marked += is_new;
            segment.mark();
        }
        let departure = clock.map_or(departure, |clock| clock.time(departure));
        self.leave(now, departure, egress, segment, is_ack);
    }

    /// A segment leaves its queue for a link, which may be impaired.
    #[inline]
    fn leave(&mut self, now: Picos, departure: Picos, egress: EgressLane, segment: Segment, is_ack: bool) {
        let Some(impaired) = &mut self.impaired else {
            self.send(departure, egress, segment);
            return;
        };
        let fate = match impaired.loses(egress.index(), departure, &segment, is_ack) {
            Some(false) => {
                self.send(departure, egress, segment);
                return;
            }
            Some(true) => Fate::Lost,
            None => {
                let bytes = data_bytes(&segment, &self.own_flows, self.has_sizes, self.bytes);
                impaired.cross(egress.index(), departure, &segment, is_ack, bytes)
            }
        };
        match fate {
            Fate::Lost => {
                self.crossed.lost_on_links += 1;
                // As the news of all drops, at the instant at which it is decided.
                self.drop(now, segment);
            }
            Fate::Late(by) => self.send_late(departure + by, egress, segment),
            Fate::Twice(by) => {
                self.crossed.duplicated += 1;
                if matches!(segment.flow.home(), FlowHome::Stack(_)) {
                    self.copies.push(segment);
                }
                self.send_late(departure + by, egress, segment);
                self.send_late(departure + by, egress, segment);
            }
        }
    }

    /// Sends a segment over a link that may delay segments.
    fn send_late(&mut self, departure: Picos, egress: EgressLane, segment: Segment) {
        if self.impaired.as_ref().is_some_and(|impaired| !impaired.keeps_order(egress.index())) {
            self.send_apart(departure, egress, segment);
            return;
        }
        self.send(departure, egress, segment);
        let egress = &mut self.egress[egress.index()];
        egress.floor = egress.floor.max(departure + egress.delay);
    }

    /// Sends a segment over a link whose segments may overtake each other.
    fn send_apart(&mut self, departure: Picos, egress: EgressLane, mut segment: Segment) {
        let Egress { delay, floor, to } = self.egress[egress.index()];
        segment.time = (departure + delay).max(floor);
        match to {
            Destination::Lane(lane) => self.lanes.insert(lane.index(), segment),
            Destination::Outbox(outbox) => self.outboxes[usize::from(outbox)].segments.push(segment),
        }
    }

    /// A segment reaches a queue with a discipline: returns whether it enters a queue that is a number.
    fn enters(
        &mut self,
        now: Picos,
        queue: usize,
        egress: EgressLane,
        (is_ack, data_bytes): (bool, u32),
        segment: &mut Segment,
    ) -> bool {
        let Some(managed) = &mut self.managed[queue] else { return true };
        let arrival = Waiting { egress, ..managed.receive(now, *segment, is_ack, data_bytes) };
        *segment = arrival.segment;
        if managed.is_stored() {
            let clock = clock_of(self.impaired.as_deref(), queue);
            let step = managed.arrive(now, arrival, clock, &mut self.signals);
            if step.due.is_some() {
                self.lanes.set_due(usize::from(self.leaves[queue]), step.due);
            }
            self.send_served(now, step);
            self.take_signals(now);
            return false;
        }
        let clock = clock_of(self.impaired.as_deref(), queue);
        let router = &mut self.routers[queue];
        let backlog = Backlog::new(now, router.empty_at(), clock);
        let verdict = managed.decide(backlog, &arrival);
        let size = managed.service_of(&arrival);
        if verdict == Verdict::Drop {
            router.dropped += 1;
            self.drop(now, *segment);
            return false;
        }
        if router.fits(backlog.at, size) {
            managed.entered(backlog.empty_at.saturating_sub(now));
            if verdict == Verdict::Mark {
                let is_new = u64::from(!segment.is_marked());
                self.crossed.marked += is_new;
                router.marked += is_new;
                segment.mark();
            }
        }
        true
    }

    /// A queue that holds its segments serves the next one.
    fn serve(&mut self, now: Picos, queue: usize) {
        let Some(managed) = &mut self.managed[queue] else { return };
        let clock = clock_of(self.impaired.as_deref(), queue);
        let step = managed.depart(now, clock, &mut self.signals);
        self.lanes.set_due(usize::from(self.leaves[queue]), step.due);
        self.send_served(now, step);
        self.take_signals(now);
    }

    /// Puts what a queue serves on its lane.
    #[inline]
    fn send_served(&mut self, now: Picos, step: Step) {
        if let Some((waiting, end)) = step.served {
            self.leave(now, end, waiting.egress, waiting.segment, waiting.is_ack);
        }
    }

    /// Counts and reports what a discipline has dropped and marked.
    fn take_signals(&mut self, now: Picos) {
        self.crossed.marked += std::mem::take(&mut self.signals.marked);
        while let Some(dropped) = self.signals.dropped.pop() {
            self.drop(now, dropped.segment);
        }
    }

    /// A segment reaches its receiver, which acknowledges it at once.
    // Two callers: only one is in the loop over events.
    #[inline(always)]
    fn acknowledge(&mut self, now: Picos, row: usize, segment: Segment) {
        self.crossed.leaving += 1;
        let egress = match segment.flow.home() {
            FlowHome::Group(group) => self.acknowledging[row * self.groups + group],
            FlowHome::OwnLanes(own) => return self.acknowledge_own(now, own, segment.words()),
            FlowHome::Stack(_) => unreachable!("{STACKS}"),
        };
        if let Some(delays) = &mut self.segment_delays {
            delays.add(segment.age(now));
        }
        self.send(now, egress, segment);
    }

    /// Acknowledges a segment of a flow with lanes of its own.
    #[cold]
    #[inline(never)]
    fn acknowledge_own(&mut self, now: Picos, own: usize, segment: [u64; 2]) {
        if let Some(answer) = self.hear(now, own, segment) {
            self.send_on(now, self.own_flows[own].acks, answer);
        }
    }

    /// A segment of a flow with lanes of its own reaches its receiver; returns the answer.
    #[cold]
    #[inline(never)]
    fn hear(&mut self, now: Picos, own: usize, segment: [u64; 2]) -> Option<Segment> {
        let segment = Segment::from_words(now, segment);
        let lanes = &self.own_flows[own];
        let receiver = lanes.receiver;
        if lanes.loses(&segment) {
            self.crossed.leaving -= 1;
            self.crossed.lost_on_links += 1;
            self.drop(now, segment);
            return None;
        }
        if receiver.is_watched {
            self.arrivals.push((now, segment));
        }
        if let Some(delays) = self.segment_delays.as_mut().filter(|_| !receiver.is_datagrams) {
            delays.add(segment.age(now));
        }
        receiver.answer(segment)
    }

    /// A segment reaches its receiver, whose acknowledgement is to enter a router; returns what that answers.
    #[inline(always)]
    fn reach(&mut self, now: Picos, segment: Segment) -> Option<Segment> {
        self.crossed.leaving += 1;
        if let FlowHome::OwnLanes(own) = segment.flow.home() {
            return self.hear(now, own, segment.words());
        }
        if let Some(delays) = &mut self.segment_delays {
            delays.add(segment.age(now));
        }
        Some(segment)
    }

    /// An acknowledgement has left the last router: returns whether it is at its source.
    #[inline(always)]
    fn returns(&mut self, now: Picos, lane: usize, segment: Segment) -> bool {
        self.acknowledging_lane = lane;
        match segment.flow.home() {
            FlowHome::Group(_) => true,
            FlowHome::OwnLanes(own) => {
                self.send_on(now, self.own_flows[own].acks, segment);
                false
            }
            FlowHome::Stack(_) => unreachable!("{STACKS}"),
        }
    }

    /// A segment comes to hosts of which some have stacks.
    #[inline(never)]
    fn reach_stack(&mut self, time: Picos, lane: usize, behind: usize, segment: [u64; 2]) -> Option<Event> {
        let segment = Segment::from_words(time, segment);
        if matches!(segment.flow.home(), FlowHome::Stack(_)) {
            self.crossed.leaving += u64::from(!segment.is_answer_of_stack());
            return Some(Event::packet(time, segment));
        }
        match self.behind[behind] {
            End::Receivers(row) => {
                self.acknowledge(time, usize::from(row), segment);
                None
            }
            End::Hosts(_) | End::Deciding if segment.target() >= self.receivers => {
                self.returns(time, lane, segment).then(|| Event::acknowledgement(time, segment))
            }
            End::Hosts(router) => {
                if let Some(answer) = self.reach(time, segment) {
                    self.answer(time, router, answer);
                }
                None
            }
            _ => self.reach(time, segment).map(|answer| Event::arrival(time, answer)),
        }
    }

    /// A segment leaves on an egress lane at `departure`.
    #[inline(always)]
    fn send(&mut self, departure: Picos, egress: EgressLane, mut segment: Segment) {
        let Egress { delay, floor, to } = self.egress[egress.index()];
        segment.time = (departure + delay).max(floor);
        match to {
            Destination::Lane(lane) => self.lanes.push(lane.index(), segment),
            Destination::Outbox(outbox) => self.outboxes[usize::from(outbox)].segments.push(segment),
        }
    }

    /// A segment is dropped on the main path.
    #[cold]
    #[inline(never)]
    fn drop_here(&mut self, now: Picos, segment: [u64; 2]) {
        self.drop(now, Segment::from_words(now, segment));
    }

    #[cold]
    fn own_egress(&self, lane: LaneId) -> EgressLane {
        let place = self.own.binary_search_by_key(&lane, |own| own.0).expect("a lane of the list");
        self.own[place].1
    }

    fn state(&self, queue: usize, now: Picos) -> RouterState {
        let clock = clock_of(self.impaired.as_deref(), queue);
        let managed = self.managed.get(queue).and_then(Option::as_ref);
        managed.and_then(|managed| managed.state(now, clock)).unwrap_or_else(|| match clock {
            None => self.routers[queue].state(now),
            Some(clock) => {
                let possible = clock.work(now);
                RouterState { possible, ..self.routers[queue].state(possible) }
            }
        })
    }
}

const STACKS: &str = "packets between stacks end at stacks, and have no acknowledgements";

/// Bytes of a segment, if it is of data: `standard` unless its flow is one of those with a size of their own.
#[inline]
fn data_bytes(segment: &Segment, own_flows: &[OwnLanes], has_sizes: bool, standard: u32) -> u32 {
    match segment.flow.home() {
        FlowHome::OwnLanes(own) if has_sizes => own_flows[own].bytes,
        FlowHome::Stack(_) => segment.packet_bytes(),
        FlowHome::OwnLanes(_) | FlowHome::Group(_) => standard,
    }
}
