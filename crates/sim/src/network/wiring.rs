//! Wiring: routers, the lanes between them, and the ways that segments take.

use super::acknowledgements::Groups;
use super::changes::{Change, Turn};
use super::ecmp::{LaneSets, Targets, chosen};
use super::lanes::{LaneEnd, LaneSpec};
use super::numbers::{AccessRouter, LaneId, RouterId};
use super::queued_acks::QueuedAcks;
use super::queues::Queues;
use super::topology::{LinkSpec, RouterClass, Topology};
use crate::scenario::{InvalidScenario, invalid};
use mesonet_cc::Picos;
use std::collections::BTreeMap;

/// Routers, lanes, routes and the changes of these.
#[derive(Clone, Debug)]
pub struct Wiring {
    /// Names and classes.
    pub topology: Topology,
    /// Queues of data: where they are.
    pub queues: Queues,
    /// Lanes: router to router, router to receivers, acknowledgements.
    pub lanes: Vec<LaneSpec>,
    /// Routers where hosts attach.
    pub access: Vec<usize>,
    /// Access index by router.
    pub access_index: Vec<Option<AccessRouter>>,
    /// Routes between which the network changes, those at the start first. Each has the lane towards an
    /// access router: `tables[routes][router * access.len() + access_index]`.
    pub(super) tables: Vec<Vec<LaneId>>,
    /// Lanes of equal cost, which tables name in place of a lane where flows share routes.
    pub lane_sets: LaneSets,
    /// The numbers of targets.
    pub targets: Targets,
    /// The links by which these routes go, with their costs.
    pub(super) route_links: Vec<Vec<LinkSpec>>,
    /// The place in `tables` at the start, then after each of the changes.
    pub routes: Vec<usize>,
    /// Lanes of data that are down for some time: beginning and end of each time.
    pub failures: Vec<(LaneId, Vec<[Picos; 2]>)>,
    /// Most routers on a route from one access router to another.
    pub longest_route: usize,
    /// Access routers that share lanes of acknowledgements.
    pub(super) groups: Groups,
    /// The first of the lanes of acknowledgements: by group of the receiver, then group of the source.
    pub(super) first_ack_lane: usize,
    /// The routers and lanes of acknowledgements that take slots; none where they only take time.
    pub queued_acks: Option<QueuedAcks>,
    /// Changes during the run, rising by time.
    pub changes: Vec<Change>,
    /// Propagation round trip by lane of acknowledgements: at the start, then after each of the changes.
    pub(super) round_trips: Vec<Vec<Picos>>,
}

impl Wiring {
    /// Lanes that lead from `router` towards the access router with index `target`, by the routes with this
    /// number: one, or those among which the hash of a flow chooses.
    #[must_use]
    #[inline]
    pub fn next_lanes(&self, routes: usize, router: usize, target: usize) -> &[LaneId] {
        self.lane_sets.lanes(&self.tables[routes][router * self.access.len() + target])
    }

    /// The router behind a lane of data, none behind lanes to hosts.
    #[must_use]
    pub fn router_behind(&self, lane: LaneId) -> Option<usize> {
        match self.lanes[lane.index()].end {
            LaneEnd::Router(next) => Some(next.index()),
            LaneEnd::Receivers(_) | LaneEnd::Sources(_) => None,
        }
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

    /// Lane of acknowledgements from the access router `receiver` to the access router `source` (access
    /// indices).
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

    /// Number of lanes of data: both directions of each link, and one towards the hosts of each access
    /// router.
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
                let mut walked = vec![*source];
                while let Some(&here) = walked.last() {
                    let lanes = self.next_lanes(routes, here, target);
                    let behind = lanes.iter().filter_map(|lane| self.router_behind(*lane));
                    let before = walked.len();
                    walked.extend(behind.filter(|next| sums[*next].is_none()));
                    if walked.len() > before {
                        continue;
                    }
                    let sum = |lane: &LaneId| {
                        let rest = self.router_behind(*lane).and_then(|next| sums[next]).unwrap_or(0);
                        values[lane.index()].saturating_add(rest)
                    };
                    sums[here] = lanes.iter().map(sum).max();
                    walked.pop();
                }
                longest = longest.max(sums[*source].unwrap_or(0));
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

    /// Name of an access router.
    #[must_use]
    pub fn access_name(&self, access: AccessRouter) -> &str {
        &self.topology.routers[self.access[access.index()]].name
    }

    /// Kind of access of the hosts at an access router.
    #[must_use]
    pub fn access_kind(&self, access: AccessRouter) -> &str {
        self.topology.routers[self.access[access.index()]].access_kind()
    }

    /// Router of the place of each access router: its point of presence, the first by link, if it has one;
    /// else the backbone router of its region; else the router itself.
    #[must_use]
    pub fn places(&self) -> Vec<usize> {
        let topology = &self.topology;
        let class = |router: usize| topology.routers[router].class;
        let mut places: Vec<usize> = topology.routers.iter().map(|router| router.region).collect();
        for link in topology.links.iter().rev() {
            for (router, above) in [(link.a, link.b), (link.b, link.a)] {
                if !class(router).is_head() && class(above) == RouterClass::Pop {
                    places[router] = above;
                }
            }
        }
        self.access.iter().map(|router| places[*router]).collect()
    }

    /// Round-trip propagation delay between the hosts of two access routers at the start.
    #[must_use]
    pub fn round_trip(&self, source: usize, receiver: usize) -> Picos {
        self.round_trips_between(source, receiver)[0]
    }

    /// Round-trip propagation delay between the hosts of two access routers at `now`.
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

    /// Lanes that lead by the routes with this number from `router` towards an access router, of data or of
    /// acknowledgements.
    pub fn lanes_towards(
        &self,
        routes: usize,
        router: usize,
        access: usize,
        is_ack: bool,
    ) -> impl Iterator<Item = LaneId> {
        // No data come to a router that serves acknowledgements only, and no acknowledgement comes to a
        // router of data where others serve them.
        let of_data = self.next_lanes(routes, router % self.data_routers(), access).iter();
        let queued = self.queued_acks.as_ref().filter(|_| is_ack);
        of_data.map(move |lane| queued.map_or(*lane, |queued| queued.lane_for(*lane)))
    }

    /// Returns whether segments travel on a lane: not on those of acknowledgements where these pass routers.
    #[must_use]
    pub fn is_used(&self, lane: usize) -> bool {
        let unused = self.first_ack_lane..self.first_ack_lane + self.group_count().pow(2);
        self.queued_acks.is_none() || !unused.contains(&lane)
    }

    /// Number of routers that carry data: those of the topology. Others carry acknowledgements only.
    #[must_use]
    pub fn data_routers(&self) -> usize {
        self.topology.routers.len()
    }

    /// The access router called `name`.
    ///
    /// # Errors
    /// [`InvalidScenario`] at `path` if there is none.
    pub fn host(&self, path: impl FnOnce() -> String, name: &str) -> Result<AccessRouter, InvalidScenario> {
        if let Some(access) = self.topology.router(name).and_then(|router| self.access_index[router]) {
            return Ok(access);
        }
        let names: Vec<&str> =
            self.access.iter().take(8).map(|&r| self.topology.routers[r].name.as_str()).collect();
        let more = if self.access.len() > 8 { ", ..." } else { "" };
        let message = format!("\"{name}\" is not an access router; allowed: {}{more}", names.join(", "));
        Err(invalid(path(), message))
    }

    /// The access router called `name`, which [`Self::host`] knows.
    #[must_use]
    pub fn access_router(&self, name: &str) -> AccessRouter {
        self.topology.router(name).and_then(|router| self.access_index[router]).expect("checked")
    }

    /// Queues of data and the lanes behind them, by the routes with this number, on the way of a connection
    /// with this hash from one access router to another, first to last.
    pub fn hops(
        &self,
        routes: usize,
        from: usize,
        to: usize,
        connection: u64,
    ) -> impl Iterator<Item = (usize, LaneId)> {
        let mut router = Some(self.access[from]);
        std::iter::from_fn(move || {
            let here = router?;
            let lane = match self.next_lanes(routes, here, to) {
                [lane] => *lane,
                lanes => chosen(lanes, connection),
            };
            router = self.router_behind(lane);
            Some((self.queue_before(here, lane), lane))
        })
    }

    /// Visits queues of data and the lanes behind them, by the routes with this number, on all ways from one
    /// access router to another, with the share of the flows that is expected on each.
    pub fn visit_shares(
        &self,
        routes: usize,
        from: usize,
        to: usize,
        mut visit: impl FnMut(usize, LaneId, f64),
    ) {
        if self.lane_sets.count() == 0 {
            self.hops(routes, from, to, 0).for_each(|(queue, lane)| visit(queue, lane, 1.0));
            return;
        }
        let behind = |here: usize| {
            self.next_lanes(routes, here, to).iter().filter_map(|lane| self.router_behind(*lane))
        };
        // Each router after all routers behind it.
        let (mut order, mut walked) = (Vec::new(), vec![self.access[from]]);
        let mut shares: BTreeMap<usize, f64> = BTreeMap::new();
        while let Some(&here) = walked.last() {
            let before = walked.len();
            walked.extend(behind(here).filter(|next| !shares.contains_key(next)));
            if walked.len() > before {
                continue;
            }
            walked.pop();
            if shares.insert(here, 0.0).is_none() {
                order.push(here);
            }
        }
        shares.insert(self.access[from], 1.0);
        for here in order.into_iter().rev() {
            let lanes = self.next_lanes(routes, here, to);
            let share = shares[&here] / lanes.len() as f64;
            for lane in lanes {
                visit(self.queue_before(here, *lane), *lane, share);
                if let Some(sum) = self.router_behind(*lane).and_then(|next| shares.get_mut(&next)) {
                    *sum += share;
                }
            }
        }
    }

    /// The queue of data of a router before one of its lanes.
    fn queue_before(&self, router: usize, lane: LaneId) -> usize {
        if self.queues.at_ports() { lane.index() } else { router }
    }

    /// Propagation delay at `now` on the way of a connection with this hash.
    #[must_use]
    pub fn delay_of(&self, from: usize, to: usize, connection: u64, now: Picos) -> Picos {
        let hops = self.hops(self.routes_at(now), from, to, connection);
        hops.map(|(_, lane)| self.delay_at(lane, now)).sum()
    }

    /// Propagation delay of a lane at `now`.
    #[must_use]
    pub fn delay_at(&self, lane: LaneId, now: Picos) -> Picos {
        let past = self.changes.iter().take_while(|change| change.time <= now);
        let turns = past.flat_map(|change| &change.lanes).filter(|turn| turn.of == lane);
        turns.last().map_or(self.lanes[lane.index()].delay, |turn| turn.to)
    }

    /// Returns this wiring with other routes at the start.
    #[must_use]
    pub fn rerouted(&self, routes: usize) -> Self {
        let mut wiring = self.clone();
        wiring.tables.swap(0, routes);
        wiring.topology.links.clone_from(&self.route_links[routes]);
        wiring
    }
}
