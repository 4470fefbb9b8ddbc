//! Open-loop arrivals in a network: the rate of flows between each pair of routers, and the data that queues
//! carry.

use super::numbers::AccessRouter;
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
    /// Access routers of receivers, rising.
    targets: Vec<AccessRouter>,
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

impl Arrivals {
    /// The access router of a receiver by a number in [0, 1): any but the origin, with equal weight.
    #[must_use]
    pub fn target(&self, origin: &Origin, u: f64) -> AccessRouter {
        let choices = self.targets.len() - usize::from(origin.own.is_some());
        let place = ((u * choices as f64) as usize).min(choices - 1);
        self.targets[place + usize::from(origin.own.is_some_and(|own| place >= own))]
    }
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
        let from = self.hosts(&format!("{path}.from"), &process.from)?;
        let targets = self.hosts(&format!("{path}.to"), &process.to)?;
        *all_pairs = all_pairs.saturating_add(from.len().saturating_mul(targets.len()));
        if *all_pairs > MOST_PAIRS {
            let message = format!(
                "{all_pairs} pairs of routers in all are too many; allowed: at most {MOST_PAIRS} pairs"
            );
            return Err(invalid(format!("{path}.to"), message));
        }
        // The rate of an origin is the number of its pairs until the rate of a pair is known.
        let origin = |access: AccessRouter| {
            let own = targets.binary_search(&access).ok();
            let rate = (targets.len() - usize::from(own.is_some())) as f64;
            Origin { access, rate, own }
        };
        let mut origins: Vec<Origin> = from.into_iter().map(origin).filter(|o| o.rate > 0.0).collect();
        let pairs: f64 = origins.iter().map(|origin| origin.rate).sum();
        if pairs <= 0.0 {
            return Err(invalid(format!("{path}.to"), "a flow must leave the router it starts at"));
        }
        let (mut carried, mut returned) = self.crossings(&origins, &targets);
        let mean_size = process.sizes.mean();
        let (rate, load) = match (process.load, &process.of) {
            (Some(load), Some(of)) => {
                let queue = self.loaded_queue(&format!("{path}.of"), of, scenario, &carried)?;
                (load * speeds[queue] / (carried[queue] / pairs * mean_size), Some((load, queue)))
            }
            _ => (process.rate.unwrap_or(0.0), None),
        };
        origins.iter_mut().for_each(|origin| origin.rate *= rate / pairs);
        for segments in carried.iter_mut().chain(&mut returned) {
            *segments *= rate / pairs * mean_size;
        }
        Ok(Arrivals { origins, targets, rate, mean_size, load, carried, returned })
    }

    /// Arrivals with equal rates, which load the queues of the routes at the start of this wiring.
    #[must_use]
    pub fn carry(&self, arrivals: &Arrivals) -> Arrivals {
        let pairs_of = |origin: &Origin| (arrivals.targets.len() - usize::from(origin.own.is_some())) as f64;
        let pairs: f64 = arrivals.origins.iter().map(pairs_of).sum();
        let (mut carried, mut returned) = self.crossings(&arrivals.origins, &arrivals.targets);
        for segments in carried.iter_mut().chain(&mut returned) {
            *segments *= arrivals.rate / pairs * arrivals.mean_size;
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

    /// Pairs whose data cross each queue, and pairs whose acknowledgements do where these have queues of
    /// data.
    fn crossings(&self, origins: &[Origin], targets: &[AccessRouter]) -> (Vec<f64>, Vec<f64>) {
        let mut carried = vec![0.0; self.queues.count()];
        let mut returned = vec![0.0; self.queues.count()];
        for origin in origins {
            for target in targets.iter().filter(|target| **target != origin.access) {
                self.cross(origin.access, *target, &mut carried);
                self.cross(*target, origin.access, &mut returned);
            }
        }
        (carried, returned)
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
