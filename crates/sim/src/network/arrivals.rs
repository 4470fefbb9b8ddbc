//! Open-loop arrivals in a network: the rate of flows between each pair of routers, and the data that queues
//! carry.

use super::numbers::AccessRouter;
use super::pairs::{Pairs, Receivers};
use super::places::AccessPlaces;
use super::wiring::Wiring;
use crate::scenario::{ArrivalProcess, InvalidScenario, QueuePlace, Scenario, invalid};

/// Most ordered pairs of routers of all processes together (chosen, as the entries of a traffic matrix).
const MOST_PAIRS: usize = 1_000_000;
/// Stands for all access routers.
const ALL: &str = "all";

/// A process of arrivals in a network.
#[derive(Clone, Debug)]
pub struct Arrivals {
    /// Routers at which flows begin, rising by access router; each has a process of its own.
    pub origins: Vec<Origin>,
    ends: Ends,
    /// Flows per second, over all origins.
    pub rate: f64,
    /// Mean size of a flow, segments.
    pub mean_size: f64,
    /// Data that it offers to the queue of its load, as a share of the speed, and that queue.
    pub load: Option<(f64, usize)>,
    /// Data segments per second by queue.
    pub carried: Vec<f64>,
    /// Acknowledgements per second by queue of the way back: one for each data segment.
    pub returned: Vec<f64>,
}

/// An access router where flows begin.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// The access router.
    pub access: AccessRouter,
    /// Flows per second.
    pub rate: f64,
    /// Its place among the receivers, which it does not choose.
    own: Option<usize>,
}

/// Receivers of flows.
#[derive(Clone, Debug)]
enum Ends {
    /// These access routers but the origin, with equal weight; rising.
    Equal(Vec<AccessRouter>),
    /// By the demands of a matrix.
    Matrix(Pairs, Receivers),
}

impl Arrivals {
    /// The access router of a receiver by a number in [0, 1).
    #[must_use]
    pub fn target(&self, origin: &Origin, u: f64) -> AccessRouter {
        match &self.ends {
            Ends::Equal(targets) => {
                let choices = targets.len() - usize::from(origin.own.is_some());
                let place = ((u * choices as f64) as usize).min(choices - 1);
                targets[place + usize::from(origin.own.is_some_and(|own| place >= own))]
            }
            Ends::Matrix(_, receivers) => receivers.draw(origin.access, u),
        }
    }

    /// Access routers of receivers, rising.
    #[must_use]
    pub fn receivers(&self) -> Vec<AccessRouter> {
        match &self.ends {
            Ends::Equal(targets) => targets.clone(),
            Ends::Matrix(pairs, _) => {
                let received = pairs.received().into_iter().enumerate().filter(|(_, weight)| *weight > 0.0);
                received.map(|(access, _)| AccessRouter::new(access)).collect()
            }
        }
    }

    /// Pairs of routers that have equal weight; none of a matrix.
    #[must_use]
    pub fn equal_pairs(&self) -> Vec<[AccessRouter; 2]> {
        let Ends::Equal(targets) = &self.ends else { return Vec::new() };
        let of = |origin: &Origin| {
            let from = origin.access;
            targets.iter().filter(move |to| **to != from).map(move |to| [from, *to])
        };
        self.origins.iter().flat_map(of).collect()
    }
}

/// Queues that the flows of a process cross, for a total weight of its flows.
struct Crossings {
    weight: f64,
    /// Weight of the flows that cross each queue of data.
    carried: Vec<f64>,
    /// Weight of those whose acknowledgements do, where these have queues of data.
    returned: Vec<f64>,
}

impl Wiring {
    /// Resolves the processes of a scenario.
    ///
    /// # Errors
    /// [`InvalidScenario`] for a name that no access router has, pairs without a way, and a load of nothing.
    pub fn resolve_arrivals(
        &self,
        speeds: &[f64],
        scenario: &Scenario,
    ) -> Result<Vec<Arrivals>, InvalidScenario> {
        let mut pairs = 0;
        let of = |(number, process)| {
            self.resolve(scenario, speeds, &format!("arrivals[{number}]"), process, &mut pairs)
        };
        scenario.arrivals.iter().enumerate().map(of).collect()
    }

    fn resolve(
        &self,
        scenario: &Scenario,
        speeds: &[f64],
        path: &str,
        process: &ArrivalProcess,
        all_pairs: &mut usize,
    ) -> Result<Arrivals, InvalidScenario> {
        // The rate of an origin is its weight until the rate of the process is known.
        let (mut origins, ends, demanded) = match &process.matrix {
            Some(matrix) => {
                let path = format!("{path}.matrix");
                let places = AccessPlaces { scenario, topology: &self.topology, routers: &self.access };
                let (sum, pairs) = places.divide(&path, &places.demands(&path, matrix)?)?.into_pairs();
                let receivers = pairs.receivers();
                (origins_of(&pairs), Ends::Matrix(pairs, receivers), sum)
            }
            None => {
                let (origins, targets) = self.equal_ends(path, process, all_pairs)?;
                (origins, Ends::Equal(targets), 0.0)
            }
        };
        let Crossings { weight, mut carried, mut returned } = self.crossings(&origins, &ends);
        let mean_size = process.sizes.mean();
        let (rate, load) = match (process.load, &process.of) {
            (Some(load), Some(of)) => {
                let queue = self.loaded_queue(&format!("{path}.of"), of, scenario, &carried)?;
                (load * speeds[queue] / (carried[queue] / weight * mean_size), Some((load, queue)))
            }
            _ => {
                let of_matrix = || demanded * process.factor.unwrap_or(1.0) / mean_size;
                (process.rate.unwrap_or_else(of_matrix), None)
            }
        };
        origins.iter_mut().for_each(|origin| origin.rate *= rate / weight);
        for segments in carried.iter_mut().chain(&mut returned) {
            *segments *= rate / weight * mean_size;
        }
        Ok(Arrivals { origins, ends, rate, mean_size, load, carried, returned })
    }

    /// The origins of a process between routers of equal weight, each with the number of its pairs for a
    /// rate, and the access routers of its receivers.
    fn equal_ends(
        &self,
        path: &str,
        process: &ArrivalProcess,
        all_pairs: &mut usize,
    ) -> Result<(Vec<Origin>, Vec<AccessRouter>), InvalidScenario> {
        let names = |given: &Option<Vec<String>>| given.clone().unwrap_or_default();
        let from = self.hosts(&format!("{path}.from"), &names(&process.from))?;
        let targets = self.hosts(&format!("{path}.to"), &names(&process.to))?;
        *all_pairs = all_pairs.saturating_add(from.len().saturating_mul(targets.len()));
        if *all_pairs > MOST_PAIRS {
            let message = format!(
                "{all_pairs} pairs of routers in all are too many; allowed: at most {MOST_PAIRS} pairs, or a matrix"
            );
            return Err(invalid(format!("{path}.to"), message));
        }
        let origin = |access: AccessRouter| {
            let own = targets.binary_search(&access).ok();
            Origin { access, rate: choices(&targets, own), own }
        };
        let origins: Vec<Origin> = from.into_iter().map(origin).filter(|o| o.rate > 0.0).collect();
        if origins.is_empty() {
            return Err(invalid(format!("{path}.to"), "a flow must leave the router it starts at"));
        }
        Ok((origins, targets))
    }

    /// Arrivals with equal rates, which load the queues of the routes at the start of this wiring.
    #[must_use]
    pub fn carry(&self, arrivals: &Arrivals) -> Arrivals {
        let Crossings { weight, mut carried, mut returned } =
            self.crossings(&arrivals.origins, &arrivals.ends);
        for segments in carried.iter_mut().chain(&mut returned) {
            *segments *= arrivals.rate / weight * arrivals.mean_size;
        }
        Arrivals { carried, returned, ..arrivals.clone() }
    }

    /// Access routers of these names, rising.
    fn hosts(&self, path: &str, names: &[String]) -> Result<Vec<AccessRouter>, InvalidScenario> {
        if names.iter().any(|name| name == ALL) {
            if names.len() > 1 {
                return Err(invalid(path, "all stands alone; allowed: all, or names of access routers"));
            }
            return Ok((0..self.access.len()).map(AccessRouter::new).collect());
        }
        let mut hosts = Vec::with_capacity(names.len());
        for (number, name) in names.iter().enumerate() {
            hosts.push(self.host(|| format!("{path}[{number}]"), name)?);
        }
        hosts.sort_unstable();
        match hosts.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => {
                let name = &self.topology.routers[self.access[pair[0].index()]].name;
                Err(invalid(path, format!("\"{name}\" is named twice; allowed: each router once")))
            }
            None if hosts.is_empty() => {
                Err(invalid(path, "no router; allowed: all, or names of access routers"))
            }
            None => Ok(hosts),
        }
    }

    /// Queues that flows between these routers cross: pairs count where all have equal weight, else shares.
    fn crossings(&self, origins: &[Origin], ends: &Ends) -> Crossings {
        let targets = match ends {
            Ends::Equal(targets) => targets,
            Ends::Matrix(pairs, _) => {
                let [carried, returned] = [false, true].map(|back| self.flow_shares(pairs, back));
                return Crossings { weight: 1.0, carried, returned };
            }
        };
        let mut carried = vec![0.0; self.queues.count()];
        let mut returned = vec![0.0; self.queues.count()];
        for origin in origins {
            for target in targets.iter().filter(|target| **target != origin.access) {
                self.cross(origin.access, *target, &mut carried);
                self.cross(*target, origin.access, &mut returned);
            }
        }
        let weight = origins.iter().map(|origin| choices(targets, origin.own)).sum();
        Crossings { weight, carried, returned }
    }

    /// Counts a pair, or its share, at each queue of data between two access routers.
    fn cross(&self, from: AccessRouter, to: AccessRouter, counts: &mut [f64]) {
        self.visit_shares(0, from.index(), to.index(), |queue, _, share| counts[queue] += share);
    }

    /// The queue that a load is a share of: a router, a port, or the direction of a link that more flows
    /// cross.
    fn loaded_queue(
        &self,
        path: &str,
        of: &str,
        scenario: &Scenario,
        carried: &[f64],
    ) -> Result<usize, InvalidScenario> {
        let name = |queue: usize| self.queues.name(queue, &self.topology);
        let router = |r: usize| self.topology.routers[r].name.as_str();
        let is_link = |a: usize, b: usize| {
            let (a, b) = (router(a), router(b));
            format!("{a} - {b}") == of || format!("{b} - {a}") == of
        };
        let at_port = |queue: &usize| {
            name(*queue) == of
                || self.queues.towards(*queue).is_some_and(|to| is_link(self.queues.router(*queue), to))
        };
        let named: Vec<usize> = (0..self.queues.count()).filter(at_port).collect();
        // The first of equals.
        let busiest = named.iter().copied().reduce(|a, b| if carried[b] > carried[a] { b } else { a });
        match busiest {
            Some(queue) if carried[queue] > 0.0 => Ok(queue),
            Some(_) => {
                let example =
                    (0..carried.len()).find(|queue| carried[*queue] > 0.0).map_or_else(String::new, name);
                Err(invalid(path, format!("no flow of the process crosses {of}; allowed: such as {example}")))
            }
            None if scenario.network.queue == QueuePlace::Router => {
                let links = &self.topology.links;
                let problem = if links.iter().any(|link| is_link(link.a, link.b)) {
                    format!("the link {of} has no capacity where a router has one queue (network.queue)")
                } else {
                    format!("\"{of}\" is no router")
                };
                let example = router(self.access[0]);
                Err(invalid(
                    path,
                    format!("{problem}; allowed: a router such as {example}, or network.queue = port"),
                ))
            }
            None => {
                let ports: Vec<String> = (0..self.queues.count()).take(4).map(name).collect();
                let link = self
                    .topology
                    .links
                    .first()
                    .map_or_else(String::new, |link| format!("{} - {}", router(link.a), router(link.b)));
                let message = format!(
                    "\"{of}\" is neither a link nor a port; allowed: a link such as {link}, or a port such as {}",
                    ports.join(", ")
                );
                Err(invalid(path, message))
            }
        }
    }
}

/// Receivers that an origin can choose, which is at a place among them itself or not.
fn choices(targets: &[AccessRouter], own: Option<usize>) -> f64 {
    (targets.len() - usize::from(own.is_some())) as f64
}

/// Access routers at which flows begin, with their shares of all flows for rates.
fn origins_of(pairs: &Pairs) -> Vec<Origin> {
    let begun = pairs.begun.iter().enumerate().filter(|(_, share)| **share > 0.0);
    begun
        .map(|(access, share)| Origin { access: AccessRouter::new(access), rate: *share, own: None })
        .collect()
}
