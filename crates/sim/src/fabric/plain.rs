//! The whole network plainly: one heap entry for every segment, a router is a queue of departures.
//!
//! Slow, and obviously right. The tests hold [`super::LaneFabric`] against it; it shares no code with it.

use super::impaired::{clock_of, waiting_of};
use super::managed::Step;
use super::{
    ALARMS, Alarm, Carrier, Crossed, DroppedSegment, Event, Impaired, Managed, Origins, OwnLanes,
    OwnReceiver, SegmentDelays,
};
use crate::disciplines::{Backlog, Signals, Verdict, Waiting};
use crate::engine::{FlowHome, FlowId, Segment};
use crate::links::{Clock, Fate};
use crate::measure::Histogram;
use crate::network::ecmp::{chosen, connection_hash};
use crate::network::lanes::LaneEnd;
use crate::network::router::{RouterState, rescaled};
use crate::network::{DomainRouter, EgressLane, LaneId, Network};
use crate::snapshot::{BadSnapshot, Passage};
use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, BinaryHeap, VecDeque};
use std::sync::Arc;

/// The arrival of a segment at the end of its lane. Order: instants, then lanes, then the order of pushes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct SegmentEvent {
    order: (Picos, LaneId, u64),
    segment: Segment,
}

impl PartialEq for SegmentEvent {
    fn eq(&self, other: &Self) -> bool {
        self.order == other.order
    }
}

impl Eq for SegmentEvent {}

impl PartialOrd for SegmentEvent {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SegmentEvent {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order.cmp(&other.order)
    }
}

/// A router as the instants at which its segments depart.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Queue {
    service: Picos,
    ack_service: Picos,
    /// Segments that may wait beside the one in service.
    waiting: usize,
    mark_above: Picos,
    /// In work, where the rate varies.
    departures: VecDeque<Picos>,
    accepted: u64,
    dropped: u64,
    marked: u64,
    /// Time that all accepted segments take.
    work: Picos,
}

/// Everything that moves.
#[derive(Clone, Debug)]
pub struct PlainFabric {
    network: Arc<Network>,
    own: Vec<OwnLanes>,
    seed: u64,
    heap: BinaryHeap<Reverse<SegmentEvent>>,
    pushed: u64,
    queues: Vec<Queue>,
    /// Disciplines by queue of data.
    managed: Vec<Option<Managed>>,
    /// Impaired links by lane, and clocks of queues.
    impaired: Option<Box<Impaired>>,
    /// When queues that hold their segments serve the next one.
    departures: BTreeSet<(Picos, usize)>,
    alarms: [Option<Picos>; ALARMS],
    /// Number of the routes in force.
    routes: usize,
    /// Delay of each lane, and the instant before which nothing arrives there.
    delays: Vec<(Picos, Picos)>,
    crossed: Crossed,
    drops: Vec<DroppedSegment>,
    /// Origins of flows, if acknowledgements pass routers.
    origins: Option<Origins>,
    /// The endpoints decide when receivers acknowledge.
    hands_over: bool,
    dropped_acks: Vec<(Picos, Segment)>,
    arrivals: Vec<(Picos, Segment)>,
    copies: Vec<Segment>,
    /// One-way delays, if these are recorded.
    segment_delays: Option<Box<SegmentDelays>>,
    /// The last event found.
    event: Option<Event>,
}

impl PlainFabric {
    /// The fabric of the whole `network`.
    #[must_use]
    pub fn new(network: &Arc<Network>, own: &[OwnLanes], origins: Option<Origins>, seed: u64) -> Self {
        let queue = |router: &crate::network::Router| Queue {
            service: router.service,
            ack_service: router.ack_service(),
            waiting: router.places() as usize - 1,
            mark_above: router.mark_above(),
            departures: VecDeque::new(),
            accepted: 0,
            dropped: 0,
            marked: 0,
            work: 0,
        };
        Self {
            queues: network.routers.iter().map(queue).collect(),
            managed: (0..network.queues.count()).map(|queue| network.managed(queue, seed)).collect(),
            impaired: impaired(network, seed),
            departures: BTreeSet::new(),
            delays: network.lanes.iter().map(|lane| (lane.delay, 0)).collect(),
            network: Arc::clone(network),
            own: own.to_vec(),
            seed,
            heap: BinaryHeap::new(),
            pushed: 0,
            alarms: [None; ALARMS],
            routes: 0,
            crossed: Crossed::default(),
            drops: Vec::new(),
            origins,
            hands_over: false,
            dropped_acks: Vec::new(),
            arrivals: Vec::new(),
            copies: Vec::new(),
            segment_delays: None,
            event: None,
        }
    }
}

impl Carrier for PlainFabric {
    #[inline]
    fn next(&mut self, limit: Picos) -> Option<Event> {
        self.advance(limit);
        self.event
    }

    fn upcoming(&self) -> Option<FlowId> {
        None
    }

    fn next_instant(&self) -> Picos {
        let first = self.heap.peek().map(|entry| entry.0.order.0);
        let departure = self.departures.first().map(|first| first.0);
        self.alarms.into_iter().chain([first, departure]).flatten().min().unwrap_or(Picos::MAX)
    }

    fn set_alarm(&mut self, alarm: Alarm, at: Option<Picos>) {
        self.alarms[alarm.index()] = at;
    }

    fn enter(&mut self, now: Picos, router: DomainRouter, packet: Segment) {
        self.arrive(now, router, packet);
    }

    fn arrive(&mut self, now: Picos, router: DomainRouter, mut segment: Segment) {
        let lane = self.lane_of(router.index(), &segment);
        let at_ports = self.network.queues.at_ports();
        let is_acknowledgement = self.is_acknowledgement(&segment);
        let number = if at_ports { lane.index() } else { router.index() };
        let standard = self.network.bytes[0];
        let data_bytes = self.data_bytes(&segment);
        let mut marks = false;
        if let Some(waiting) = waiting_of(self.impaired.as_deref(), number, now) {
            self.queues[number].waiting = waiting as usize;
            if let Some(managed) = self.managed.get_mut(number).and_then(Option::as_mut) {
                managed.hold(waiting + 1);
            }
        }
        if let Some(managed) = self.managed.get_mut(number).and_then(Option::as_mut) {
            let arrival = Waiting {
                // The whole network is one domain here, in which lanes keep their numbers.
                egress: EgressLane::new(lane.index()),
                ..managed.receive(now, segment, is_acknowledgement, data_bytes)
            };
            segment = arrival.segment;
            let clock = clock_of(self.impaired.as_deref(), number);
            if managed.is_stored() {
                let mut signals = Signals::default();
                let step = managed.arrive(now, arrival, clock, &mut signals);
                self.follow(now, number, step, signals);
                return;
            }
            let empty_at = self.queues[number].departures.back().copied().unwrap_or(0);
            match managed.decide(Backlog::new(now, empty_at, clock), &arrival) {
                Verdict::Drop => {
                    self.queues[number].dropped += 1;
                    self.drop(now, segment);
                    return;
                }
                Verdict::Mark => marks = true,
                Verdict::Pass => {}
            }
        }
        let at = self.work(number, now);
        let queue = &mut self.queues[number];
        let service = if is_acknowledgement {
            queue.ack_service
        } else {
            (u128::from(queue.service) * u128::from(data_bytes)).div_ceil(u128::from(standard)) as Picos
        };
        while queue.departures.front().is_some_and(|departure| *departure <= at) {
            queue.departures.pop_front();
        }
        let free = queue.departures.back().copied().unwrap_or(at);
        let room = queue.service * (queue.waiting as u64 + 1);
        let is_full = if at_ports {
            // A port holds bytes, which it serves at a fixed rate.
            free - at + service > room
        } else {
            queue.departures.len() > queue.waiting
        };
        if is_full {
            queue.dropped += 1;
            self.drop(now, segment);
            return;
        }
        let clock = clock_of(self.impaired.as_deref(), number);
        let time = |work| clock.map_or(work, |clock: &Clock| clock.time(work));
        if let Some(managed) = self.managed.get_mut(number).and_then(Option::as_mut) {
            managed.entered(time(free).saturating_sub(now));
        }
        if marks || (!is_acknowledgement && segment.is_ecn_capable() && free - at > queue.mark_above) {
            let is_new = u64::from(!segment.is_marked());
            self.crossed.marked += is_new;
            queue.marked += is_new;
            segment.mark();
        }
        queue.accepted += 1;
        queue.work += service;
        queue.departures.push_back(free + service);
        let departure = time(free + service);
        self.leave(now, departure, lane, segment);
    }

    fn hand_over(&mut self) {
        self.hands_over = true;
    }

    fn serve_stacks(&mut self) {}

    fn answer(&mut self, now: Picos, router: DomainRouter, segment: Segment) {
        let Some(origins) = &self.origins else { return };
        let target = self.network.targets.ack(origins.of(segment.flow).index(), segment.target());
        self.arrive(now, router, segment.answered(target));
    }

    fn send_on(&mut self, now: Picos, lane: LaneId, segment: Segment) {
        self.push(now, lane, segment);
    }

    fn drop(&mut self, time: Picos, segment: Segment) {
        if self.is_acknowledgement(&segment) {
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

    fn shrink(&mut self) {}

    fn set_service(&mut self, router: DomainRouter, now: Picos, service: Picos) {
        let queue = &mut self.queues[router.index()];
        let from = std::mem::replace(&mut queue.service, service);
        if queue.mark_above != Picos::MAX {
            queue.mark_above = rescaled(queue.mark_above, from, service);
        }
        queue.departures.retain(|departure| *departure > now);
        let end = |queue: &Queue| queue.departures.back().map_or(0, |last| last - now);
        queue.work -= end(queue);
        queue.departures.iter_mut().for_each(|d| *d = now + rescaled(*d - now, from, service));
        queue.work += end(queue);
    }

    fn set_routes(&mut self, routes: usize) {
        self.routes = routes;
    }

    fn set_delay(&mut self, lane: LaneId, delay: Picos, floor: Picos) {
        self.delays[lane.index()] = (delay, floor);
    }

    fn retime(&mut self, lane: LaneId, mut new: impl FnMut(Picos) -> Picos) -> Picos {
        let mut last = 0;
        let mut entries = std::mem::take(&mut self.heap).into_sorted_vec();
        // Of a lane in the order of arrival: sorted in reverse.
        for Reverse(entry) in entries.iter_mut().rev().filter(|entry| entry.0.order.1 == lane) {
            last = new(entry.segment.time);
            (entry.segment.time, entry.order.0) = (last, last);
        }
        self.heap = entries.into();
        last
    }

    fn router(&self, router: DomainRouter, now: Picos) -> RouterState {
        self.state(router.index(), now)
    }

    fn port(&self, lane: LaneId, now: Picos) -> RouterState {
        if let Some(held) = self.held(lane.index(), now) {
            return held;
        }
        let queue = &self.queues[lane.index()];
        let at = self.work(lane.index(), now);
        let backlog = queue.departures.back().map_or(0, |last| last.saturating_sub(at));
        // In units of data segments.
        RouterState { queue: backlog.div_ceil(queue.service), ..self.state(lane.index(), now) }
    }

    fn take_delays(&mut self, queue: usize, _: DomainRouter) -> Option<Histogram> {
        self.managed[queue].as_mut().map(|managed| std::mem::take(&mut managed.delays))
    }

    fn record_segment_delays(&mut self) {
        self.segment_delays = Some(Box::default());
    }

    fn take_segment_delays(&mut self) -> Option<Histogram> {
        self.segment_delays.as_mut().map(|delays| delays.take())
    }

    fn waiting(&self) -> Vec<Segment> {
        self.managed.iter().flatten().flat_map(Managed::waiting).map(|waiting| waiting.segment).collect()
    }

    fn segments(&self) -> Vec<(LaneId, Segment)> {
        self.heap.iter().map(|entry| (entry.0.order.1, entry.0.segment)).collect()
    }

    fn pass(&mut self, passage: &mut Passage) -> Result<(), BadSnapshot> {
        let is_plain = true;
        passage.same(&is_plain, BadSnapshot::OtherRun)?;
        let Self {
            network: _,
            own: _,
            seed: _,
            heap,
            pushed,
            queues,
            managed,
            impaired,
            departures,
            alarms,
            routes,
            delays,
            crossed,
            drops,
            origins,
            hands_over: _,
            dropped_acks,
            arrivals,
            copies: _,
            segment_delays,
            event: _,
        } = self;
        debug_assert!(drops.is_empty() && dropped_acks.is_empty() && arrivals.is_empty());
        passage.field(heap)?;
        passage.field(pushed)?;
        passage.field(queues)?;
        passage.field(managed)?;
        if let Some(impaired) = impaired {
            impaired.pass(passage)?;
        }
        passage.field(departures)?;
        passage.field(alarms)?;
        passage.field(routes)?;
        passage.field(delays)?;
        passage.field(origins)?;
        passage.field(segment_delays)?;
        passage.field(crossed)
    }
}

impl PlainFabric {
    /// Finds the next event. What it returned itself would lie in memory, and with it the events of the other
    /// fabric.
    #[inline(never)]
    fn advance(&mut self, limit: Picos) {
        self.event = self.find(limit);
    }

    fn find(&mut self, limit: Picos) -> Option<Event> {
        loop {
            let time = self.next_instant();
            if time >= limit {
                return None;
            }
            if self.heap.peek().is_some_and(|entry| entry.0.order.0 == time) {
                let SegmentEvent { order, segment } = self.heap.pop()?.0;
                match self.network.lanes[order.1.index()].end {
                    LaneEnd::Router(router) => self.arrive(time, DomainRouter::new(router.index()), segment),
                    LaneEnd::Receivers(_) if matches!(segment.flow.home(), FlowHome::Stack(_)) => {
                        self.crossed.leaving += u64::from(!segment.is_answer_of_stack());
                        return Some(Event::packet(time, segment));
                    }
                    LaneEnd::Receivers(_) if self.is_acknowledgement(&segment) => match segment.flow.home() {
                        FlowHome::Group(_) => return Some(Event::acknowledgement(time, segment)),
                        FlowHome::OwnLanes(own) => self.push(time, self.own[own].acks, segment),
                        FlowHome::Stack(_) => unreachable!("above"),
                    },
                    LaneEnd::Receivers(access) => {
                        let receiver = match segment.flow.home() {
                            FlowHome::Group(_) | FlowHome::Stack(_) => OwnReceiver::default(),
                            FlowHome::OwnLanes(own) if self.own[own].loses(&segment) => {
                                self.crossed.lost_on_links += 1;
                                self.drop(time, segment);
                                continue;
                            }
                            FlowHome::OwnLanes(own) => self.own[own].receiver,
                        };
                        self.crossed.leaving += 1;
                        if let Some(delays) = self.segment_delays.as_mut().filter(|_| !receiver.is_datagrams)
                        {
                            delays.add(segment.age(time));
                        }
                        if receiver.is_watched {
                            self.arrivals.push((time, segment));
                        }
                        if let Some(answer) = receiver.answer(segment) {
                            if self.hands_over {
                                return Some(Event::arrival(time, answer));
                            }
                            self.acknowledge(time, access.index(), answer);
                        }
                    }
                    LaneEnd::Sources(_) => return Some(Event::acknowledgement(time, segment)),
                }
            } else if let Some(alarm) = Alarm::ALL.into_iter().find(|a| self.alarms[a.index()] == Some(time))
            {
                return Some(Event::alarm(time, alarm));
            } else {
                let (_, queue) = self.departures.pop_first()?;
                self.serve(time, queue);
            }
        }
    }

    /// Bytes of a segment, if it is of data.
    fn data_bytes(&self, segment: &Segment) -> u32 {
        match segment.flow.home() {
            FlowHome::OwnLanes(own) => self.own[own].bytes,
            FlowHome::Stack(_) => segment.packet_bytes(),
            FlowHome::Group(_) => self.network.bytes[0],
        }
    }

    /// Work that the server of a queue could have done by `now`; where its rate is constant, `now` itself.
    fn work(&self, queue: usize, now: Picos) -> Picos {
        let clock = clock_of(self.impaired.as_deref(), queue);
        clock.map_or(now, |clock| clock.work(now))
    }

    /// A segment leaves its queue for a link, which may be impaired.
    fn leave(&mut self, now: Picos, departure: Picos, lane: LaneId, segment: Segment) {
        let is_ack = self.is_acknowledgement(&segment);
        let bytes = self.data_bytes(&segment);
        let Some(impaired) = &mut self.impaired else {
            self.push(departure, lane, segment);
            return;
        };
        let keeps_order = impaired.keeps_order(lane.index());
        match impaired.cross(lane.index(), departure, &segment, is_ack, bytes) {
            Fate::Lost => {
                self.crossed.lost_on_links += 1;
                self.drop(now, segment);
            }
            fate @ (Fate::Late(by) | Fate::Twice(by)) => {
                if fate == Fate::Twice(by) {
                    self.crossed.duplicated += 1;
                    if matches!(segment.flow.home(), FlowHome::Stack(_)) {
                        self.copies.push(segment);
                    }
                    self.push(departure + by, lane, segment);
                }
                self.push(departure + by, lane, segment);
                let (delay, floor) = &mut self.delays[lane.index()];
                if keeps_order {
                    *floor = (*floor).max(departure + by + *delay);
                }
            }
        }
    }

    /// A queue that holds its segments serves the next one.
    fn serve(&mut self, now: Picos, queue: usize) {
        let Some(managed) = self.managed[queue].as_mut() else { return };
        let mut signals = Signals::default();
        let clock = clock_of(self.impaired.as_deref(), queue);
        let step = managed.depart(now, clock, &mut signals);
        self.follow(now, queue, step, signals);
    }

    /// Does what an event of a queue that holds its segments leads to.
    fn follow(&mut self, now: Picos, queue: usize, step: Step, signals: Signals) {
        self.departures.extend(step.due.map(|due| (due, queue)));
        if let Some((waiting, end)) = step.served {
            self.leave(now, end, LaneId::new(waiting.egress.index()), waiting.segment);
        }
        self.take_signals(now, signals);
    }

    /// Counts and reports what a discipline has dropped and marked.
    fn take_signals(&mut self, now: Picos, signals: Signals) {
        self.crossed.marked += signals.marked;
        for dropped in signals.dropped.into_iter().rev() {
            self.drop(now, dropped.segment);
        }
    }

    /// A receiver acknowledges a segment.
    fn acknowledge(&mut self, now: Picos, receiver: usize, segment: Segment) {
        if let Some(queued) = &self.network.queued_acks {
            let router = DomainRouter::new(queued.access_router(self.network.access[receiver]));
            self.answer(now, router, segment);
            return;
        }
        let lane = match segment.flow.home() {
            FlowHome::Group(source) => self.network.group_lane(self.network.group_of(receiver), source),
            FlowHome::OwnLanes(own) => self.own[own].acks,
            FlowHome::Stack(_) => unreachable!("stacks answer with packets"),
        };
        self.push(now, lane, segment);
    }

    /// Returns whether a segment is an acknowledgement that passes routers.
    fn is_acknowledgement(&self, segment: &Segment) -> bool {
        self.origins.is_some() && self.network.targets.access(segment.target()).1
    }

    /// The lane on which a segment leaves a router.
    fn lane_of(&self, router: usize, segment: &Segment) -> LaneId {
        let (access, is_ack) = self.network.targets.access(segment.target());
        let lanes: Vec<LaneId> = self.network.lanes_towards(self.routes, router, access, is_ack).collect();
        chosen(&lanes, connection_hash(self.seed, segment.flow, segment.target()))
    }

    fn push(&mut self, departure: Picos, lane: LaneId, mut segment: Segment) {
        let (delay, floor) = self.delays[lane.index()];
        segment.time = (departure + delay).max(floor);
        self.pushed += 1;
        self.heap.push(Reverse(SegmentEvent { order: (segment.time, lane, self.pushed), segment }));
    }

    /// State of a queue that holds its segments.
    fn held(&self, queue: usize, now: Picos) -> Option<RouterState> {
        let clock = clock_of(self.impaired.as_deref(), queue);
        self.managed.get(queue)?.as_ref()?.state(now, clock)
    }

    fn state(&self, queue: usize, now: Picos) -> RouterState {
        if let Some(held) = self.held(queue, now) {
            return held;
        }
        let at = self.work(queue, now);
        let varies = clock_of(self.impaired.as_deref(), queue).is_some();
        let queue = &self.queues[queue];
        let backlog = queue.departures.back().map_or(0, |last| last.saturating_sub(at));
        RouterState {
            possible: if varies { at } else { 0 },
            accepted: queue.accepted,
            dropped: queue.dropped,
            marked: queue.marked,
            busy: queue.work - backlog,
            queue: queue.departures.iter().filter(|departure| **departure > at).count() as u64,
        }
    }
}

/// The impaired links of all lanes that leave queues, and the clocks of these.
fn impaired(network: &Network, seed: u64) -> Option<Box<Impaired>> {
    let lanes: Vec<usize> = (0..network.lanes.len()).collect();
    let queues: Vec<usize> = (0..network.routers.len()).collect();
    Impaired::new(network, &lanes, &queues, seed)
}
