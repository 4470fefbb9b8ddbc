//! Changes of the network during a run: speeds of routers, and delays, routing costs and states of links, at
//! given instants.
//!
//! Everything is known before the run, so that queues are as large, and domains as far apart, as they ever
//! have to be.

use super::numbers::{LaneId, RouterId};
use super::routing::{adjacency, nearest};
use super::topology::{LinkSpec, Topology};
use crate::scenario::{GivenChange, GivenState, InvalidScenario, Scenario, invalid};
use mesonet_cc::{Picos, picos, seconds};

/// A value that changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn<T> {
    /// Of what.
    pub of: T,
    /// Before.
    pub from: Picos,
    /// After.
    pub to: Picos,
}

/// The changes at an instant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// When.
    pub time: Picos,
    /// Service times of routers.
    pub routers: Vec<Turn<RouterId>>,
    /// Delays of lanes: those of links in both directions, and those of acknowledgements that cross them.
    pub lanes: Vec<Turn<LaneId>>,
}

/// The changes of a scenario before lanes are known.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Rising by time, with service times only.
    pub changes: Vec<Change>,
    /// Delay of every link in each direction at the start, then after each of the changes.
    pub delays: Vec<Vec<[Picos; 2]>>,
    /// Links with the costs between which the network changes, those at the start first; those that are down
    /// have an infinite one.
    pub links: Vec<Vec<LinkSpec>>,
    /// The place in `links` at the start, then after each of the changes.
    pub routes: Vec<usize>,
    /// Of links that fail, beginning and end of each time.
    pub failures: Vec<(usize, Vec<[Picos; 2]>)>,
}

impl Schedule {
    /// Looks up what a scenario changes. `speeds` are those of the routers, `delays` those of the links, at
    /// the start.
    ///
    /// # Errors
    /// [`InvalidScenario`] where a change names what does not exist.
    pub fn new(
        scenario: &Scenario,
        topology: &Topology,
        speeds: &[f64],
        delays: Vec<[Picos; 2]>,
    ) -> Result<Self, InvalidScenario> {
        let given = &scenario.network.changes;
        let mut order: Vec<usize> = (0..given.len()).collect();
        order.sort_by(|a, b| given[*a].time.total_cmp(&given[*b].time));
        let mut schedule = Self {
            changes: Vec::new(),
            delays: vec![delays],
            links: vec![topology.links.clone()],
            routes: vec![0],
            failures: Vec::new(),
        };
        let mut costs = Costs::new(topology);
        let mut services: Vec<Picos> = speeds.iter().map(|speed| picos(1.0 / speed)).collect();
        for index in order {
            let change = &given[index];
            let time = picos(change.time);
            if schedule.changes.last().is_none_or(|last| last.time < time) {
                schedule.changes.push(Change { time, ..Change::default() });
                schedule.delays.extend(schedule.delays.last().cloned());
                schedule.routes.extend(schedule.routes.last().copied());
            }
            let path = format!("network.changes[{index}]");
            if let Some(name) = &change.router {
                let router = router(topology, name, &format!("{path}.router"))?;
                let speed = change.speed.unwrap_or(speeds[router] * change.factor.unwrap_or(1.0));
                let to = picos(1.0 / speed);
                if to == 0 || speed < 1e-3 {
                    let message =
                        format!("a speed of {speed} segments/s; it must lie between 0.001 and 1e11");
                    return Err(invalid(path, message));
                }
                let from = std::mem::replace(&mut services[router], to);
                if let Some(last) = schedule.changes.last_mut() {
                    last.routers.push(Turn { of: RouterId::new(router), from, to });
                }
            } else if let Some(ends) = &change.link {
                let link = link(topology, ends, &format!("{path}.link"))?;
                if change.is_of_routes() {
                    costs.change(link, change, time);
                    let place = schedule.place(costs.links());
                    if let Some(last) = schedule.routes.last_mut() {
                        *last = place;
                    }
                    continue;
                }
                let at_start = schedule.delays[0][link];
                let factor = change.factor.unwrap_or(1.0);
                let scaled = |at_start: Picos| (at_start as f64 * factor).round() as Picos;
                if let Some(last) = schedule.delays.last_mut() {
                    last[link] = change.delay.map_or_else(|| at_start.map(scaled), |delay| [picos(delay); 2]);
                }
            }
        }
        schedule.failures = costs.failures();
        schedule.check_ways(topology)?;
        Ok(schedule)
    }

    /// The place of links with these costs.
    fn place(&mut self, links: Vec<LinkSpec>) -> usize {
        let costs =
            |links: &[LinkSpec]| links.iter().map(|link| link.cost.map(f64::to_bits)).collect::<Vec<_>>();
        let known = self.links.iter().position(|other| costs(other) == costs(&links));
        known.unwrap_or_else(|| {
            self.links.push(links);
            self.links.len() - 1
        })
    }

    /// Refuses links that fail together and leave a router without a way to another one.
    fn check_ways(&self, topology: &Topology) -> Result<(), InvalidScenario> {
        for (change, place) in self.changes.iter().zip(&self.routes[1..]) {
            let links = &self.links[*place];
            let reached = nearest(links, &adjacency(topology.routers.len(), links), &[0]);
            let Some(lost) = reached.iter().position(Option::is_none) else { continue };
            let name = |router: usize| topology.routers[router].name.as_str();
            let down = links.iter().filter(|link| !link.is_up());
            let down: Vec<String> =
                down.take(5).map(|link| format!("{} - {}", name(link.a), name(link.b))).collect();
            let message = format!(
                "from {} s on routers \"{}\" and \"{}\" have no way to each other: {} down; allowed: links without \
                 which all routers reach each other",
                seconds(change.time),
                name(0),
                name(lost),
                down.join(", ")
            );
            return Err(invalid("network.changes", message));
        }
        Ok(())
    }

    /// Links with a delay at some time.
    #[must_use]
    pub fn delayed(&self) -> Vec<bool> {
        let is_delayed = |link: usize| self.delays.iter().any(|delays| delays[link] != [0; 2]);
        (0..self.delays[0].len()).map(is_delayed).collect()
    }

    /// Adds to the changes those of a lane over a link, from its first or its second end; the smallest delay.
    pub fn add(&mut self, lane: LaneId, link: usize, from_second: bool) -> Picos {
        let delays: Vec<Picos> =
            self.delays.iter().map(|delays| delays[link][usize::from(from_second)]).collect();
        follow(&mut self.changes, lane, delays)
    }
}

/// Costs and states of links as they change.
struct Costs {
    links: Vec<LinkSpec>,
    /// By link, since when it is down.
    down: Vec<Option<Picos>>,
    failed: Vec<Vec<[Picos; 2]>>,
}

impl Costs {
    fn new(topology: &Topology) -> Self {
        let count = topology.links.len();
        Self { links: topology.links.clone(), down: vec![None; count], failed: vec![Vec::new(); count] }
    }

    fn change(&mut self, link: usize, change: &GivenChange, time: Picos) {
        if let Some(cost) = change.cost {
            self.links[link].cost = [cost; 2];
        }
        match change.state {
            Some(GivenState::Down) => self.down[link] = self.down[link].or(Some(time)),
            Some(GivenState::Up) => {
                let since = self.down[link].take().filter(|since| *since < time);
                self.failed[link].extend(since.map(|since| [since, time]));
            }
            None => {}
        }
    }

    /// The links now; those that are down have an infinite cost.
    fn links(&self) -> Vec<LinkSpec> {
        let now = self.links.iter().zip(&self.down);
        now.map(|(link, down)| LinkSpec {
            cost: if down.is_some() { [f64::INFINITY; 2] } else { link.cost },
            ..*link
        })
        .collect()
    }

    fn failures(mut self) -> Vec<(usize, Vec<[Picos; 2]>)> {
        for (failed, since) in self.failed.iter_mut().zip(self.down) {
            failed.extend(since.map(|since| [since, Picos::MAX]));
        }
        self.failed.into_iter().enumerate().filter(|(_, failed)| !failed.is_empty()).collect()
    }
}

/// Adds to `changes` those of a lane that has these delays at the start and after each of them; the smallest
/// one.
pub fn follow(changes: &mut [Change], lane: LaneId, delays: impl IntoIterator<Item = Picos>) -> Picos {
    let mut delays = delays.into_iter();
    let Some(mut from) = delays.next() else { return 0 };
    let mut least = from;
    for (change, to) in changes.iter_mut().zip(delays) {
        if to != from {
            change.lanes.push(Turn { of: lane, from, to });
        }
        (from, least) = (to, least.min(to));
    }
    least
}

fn router(topology: &Topology, name: &str, path: &str) -> Result<usize, InvalidScenario> {
    topology.router(name).ok_or_else(|| {
        let some: Vec<&str> = topology.routers.iter().take(12).map(|r| r.name.as_str()).collect();
        let more = if topology.routers.len() > some.len() { ", ..." } else { "" };
        invalid(path, format!("there is no router \"{name}\"; allowed: {}{more}", some.join(", ")))
    })
}

/// The link between two routers.
///
/// # Errors
/// [`InvalidScenario`] at `path` if there is none.
pub fn link(topology: &Topology, ends: &[String; 2], path: &str) -> Result<usize, InvalidScenario> {
    let [a, b] = [router(topology, &ends[0], path)?, router(topology, &ends[1], path)?];
    let joins = |link: &&LinkSpec| [link.a, link.b] == [a, b] || [link.a, link.b] == [b, a];
    match topology.links.iter().filter(joins).count() {
        0 => Err(invalid(
            path,
            format!(
                "there is no link between \"{}\" and \"{}\"; a link joins two neighbours",
                ends[0], ends[1]
            ),
        )),
        _ => Ok(topology.links.iter().position(|l| joins(&l)).expect("counted")),
    }
}
