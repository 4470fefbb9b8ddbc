//! Loads of queues by name, and the queues that pairs of regions cross.

use super::Network;
use crate::scenario::{InvalidScenario, Scenario, invalid};
use serde::Serialize;

/// Most ordered pairs of regions whose ways are listed (chosen): 300 regions.
const MOST_PAIRS: usize = 90_000;

/// A queue of data, and what users and arrivals offer to it.
#[derive(Clone, Debug, Serialize)]
pub struct QueueLoad {
    /// Name, as in the table of routers.
    pub queue: String,
    /// Router.
    pub from: String,
    /// Router to which the port leads; none towards hosts, and where a router has one queue.
    pub to: Option<String>,
    /// Speed, segments/s.
    pub speed: f64,
    /// Data, segments/s.
    pub data: f64,
    /// Acknowledgements, in data segments/s of their size.
    pub acks: f64,
}

/// The queues that the flows of an ordered pair of regions cross at the start.
#[derive(Clone, Debug, Serialize)]
pub struct PairWay {
    /// Name of the region of the sources.
    pub from: String,
    /// Name of the region of the receivers.
    pub to: String,
    /// Queues by their number, and the share of the flows.
    pub data: Vec<(usize, f64)>,
    /// Queues of their acknowledgements.
    pub acks: Vec<(usize, f64)>,
}

/// Loads, and the ways of all pairs.
#[derive(Clone, Debug, Serialize)]
pub struct Ways {
    /// Queues by number.
    pub queues: Vec<QueueLoad>,
    /// Size of acknowledgements for each data segment, in data segments; 0 where they only take time.
    pub ack_size: f64,
    /// Ordered pairs of different regions.
    pub pairs: Vec<PairWay>,
}

impl Network {
    /// Load that users and arrivals offer to each queue.
    #[must_use]
    pub fn queue_loads(&self, scenario: &Scenario) -> Vec<QueueLoad> {
        let offered = self.load().offered_segments(scenario);
        let name = |router: usize| self.topology.routers[router].name.clone();
        let load = |(queue, [data, acks]): (usize, [f64; 2])| QueueLoad {
            queue: self.queues.name(queue, &self.topology),
            from: name(self.queues.router(queue)),
            to: self.queues.towards(queue).map(name),
            speed: self.speeds[queue],
            data,
            acks,
        };
        offered.into_iter().enumerate().map(load).collect()
    }

    /// Loads of queues, and the queues that each ordered pair of regions crosses.
    ///
    /// # Errors
    /// [`InvalidScenario`] where there are too many pairs.
    pub fn ways(&self, scenario: &Scenario) -> Result<Ways, InvalidScenario> {
        let paths = &self.distances.paths;
        if paths.len() > MOST_PAIRS {
            let message = format!(
                "{} ordered pairs of regions are too many to list their ways; allowed: at most {MOST_PAIRS}",
                paths.len()
            );
            return Err(invalid("topology", message));
        }
        let groups = &self.distances.region_groups;
        let first = |region: usize| groups.iter().find(|group| group.region == region).map_or(0, |g| g.first);
        let name = |region: usize| self.topology.routers[region].name.clone();
        let crossed = |from: usize, to: usize| {
            let mut queues = Vec::new();
            self.visit_shares(0, from, to, |queue, _, share| queues.push((queue, share)));
            queues
        };
        let way = |(from, to): &(usize, usize)| {
            let [first_from, first_to] = [*from, *to].map(first);
            PairWay {
                from: name(*from),
                to: name(*to),
                data: crossed(first_from, first_to),
                acks: crossed(first_to, first_from),
            }
        };
        Ok(Ways {
            queues: self.queue_loads(scenario),
            ack_size: self.load().ack_size(scenario),
            pairs: paths.iter().map(way).collect(),
        })
    }
}
