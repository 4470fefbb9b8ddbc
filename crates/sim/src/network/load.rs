//! Who uses the network: sources, weights of receivers, and the flows that are expected at each router.

use super::Network;
use super::routing::{Routing, adjacency};
use super::topology::{RouterClass, Topology};
use crate::scenario::{AckPath, InvalidScenario, ReceiverReading, Scenario, invalid};

/// Most sources of a scenario: 16 bytes each before any traffic.
const MOST_SOURCES: u64 = 50_000_000;

impl Network {
    /// Weights of receivers as seen from a source in `region`: those it may choose.
    #[must_use]
    pub fn receiver_weights_from(&self, region: usize, allow_same_backbone: bool) -> Vec<f64> {
        (0..self.access.len())
            .map(|a| {
                let allowed = allow_same_backbone || self.region_of(a) != region;
                if allowed { self.receiver_weight[a] } else { 0.0 }
            })
            .collect()
    }

    /// Expected fraction of flows that cross each queue of data, or whose acknowledgements do on their way `back`.
    #[must_use]
    pub fn flow_shares(&self, scenario: &Scenario, back: bool) -> Vec<f64> {
        let same = scenario.users.allow_same_backbone;
        let sources: Vec<f64> = self.sources.iter().map(|count| *count as f64).collect();
        let receivers = &self.receiver_weight;
        let routers = self.topology.routers.len();
        let mut share = vec![0.0; self.queues.count()];
        let total: f64 = sources.iter().sum();
        if total == 0.0 {
            return share;
        }
        let all: f64 = receivers.iter().sum();
        // Weight of all receivers that a source in a region may choose.
        let mut choice = vec![all; self.topology.regions];
        if !same {
            for (region, sum) in choice.iter_mut().enumerate() {
                *sum = self.receiver_weights_from(region, same).iter().sum();
            }
        }
        let neighbours = adjacency(routers, &self.topology.links);
        let mut routing = Routing::new(&self.topology.links, &neighbours);
        for end in routing.together(&self.access) {
            if (if back { sources[end] } else { receivers[end] }) <= 0.0 {
                continue;
            }
            // All that goes to this end, added up from the far ends of the tree of its routes.
            let mut flows = vec![0.0; routers];
            for other in 0..self.access.len() {
                let (source, receiver) = if back { (end, other) } else { (other, end) };
                let region = self.region_of(source);
                if sources[source] > 0.0 && (same || region != self.region_of(receiver)) {
                    flows[self.access[other]] +=
                        sources[source] / total * receivers[receiver] / choice[region];
                }
            }
            let ways = routing.towards(self.access[end]);
            for router in ways.from_far_to_near() {
                let queue = if self.queues.at_ports() { self.next_lane(router, end).index() } else { router };
                share[queue] += flows[router];
                if let Some((next, _)) = ways.next(router) {
                    flows[next] += flows[router];
                }
            }
        }
        share
    }

    /// Expected number of flows through each queue of an uncongested network: the closed loop of thinking and
    /// transferring.
    #[must_use]
    pub fn expected_flows(&self, scenario: &Scenario) -> Vec<f64> {
        let sources: u64 = self.sources.iter().sum();
        let transfer = self.transfer_time(scenario);
        let active = transfer / (transfer + scenario.users.think_time);
        let shares = self.flow_shares(scenario, false);
        shares.iter().map(|share| sources as f64 * active * share).collect()
    }

    /// Load that users offer to each queue as a share of its speed: files of mean size in the same closed loop, and as
    /// many acknowledgements where they take slots, or bytes, of data. Explicit flows, retransmissions, and large files
    /// that concurrency limits come on top.
    #[must_use]
    pub fn offered_loads(&self, scenario: &Scenario) -> Vec<f64> {
        let sources: u64 = self.sources.iter().sum();
        let cycle = self.transfer_time(scenario) + scenario.users.think_time;
        let offered = sources as f64 / cycle * scenario.mean_file_size();
        let data = self.flow_shares(scenario, false);
        let queued = scenario.network.ack_path == AckPath::Queued;
        let acks = match (queued, self.queues.at_ports()) {
            (false, _) => vec![0.0; data.len()],
            // Every router that a segment passes serves its acknowledgement, too.
            (true, false) => data.clone(),
            (true, true) => {
                let size = scenario.network.ack_bytes / scenario.transport.segment_bytes;
                self.flow_shares(scenario, true).iter().map(|share| size * share).collect()
            }
        };
        data.iter()
            .zip(acks)
            .zip(&self.speeds)
            .map(|((data, acks), speed)| offered * (data + acks) / speed)
            .collect()
    }

    /// Time of a transfer in an uncongested network: log2(mean size / initial window) + 2 round trips.
    fn transfer_time(&self, scenario: &Scenario) -> f64 {
        let rounds = libm::log2(scenario.mean_file_size() / scenario.transport.initial_window).max(0.0) + 2.0;
        rounds * self.mean_round_trip()
    }
}

/// Sources under each access router.
pub(super) fn sources(
    scenario: &Scenario,
    topology: &Topology,
    access: &[usize],
) -> Result<Vec<u64>, InvalidScenario> {
    let users = &scenario.users;
    let count = |&router: &usize| {
        let weight = class_weight(topology.routers[router].class, &users.source_distribution);
        let count = users.base_sources * users.source_multiplier * weight;
        // Rounded on 1e-6: 1000 x 2 x 3 x (1/3) is 2000, not 1999.
        (count + 1e-6).round() as u64
    };
    let sources: Vec<u64> = access.iter().map(count).collect();
    let total = sources.iter().fold(0, |sum: u64, n| sum.saturating_add(*n));
    if total > MOST_SOURCES {
        return Err(invalid(
            "users.base_sources",
            format!("{total} sources; at most {MOST_SOURCES} are allowed"),
        ));
    }
    Ok(sources)
}

/// Weight of each access router for receivers.
pub(super) fn receiver_weights(scenario: &Scenario, topology: &Topology, access: &[usize]) -> Vec<f64> {
    let users = &scenario.users;
    let of_class = |class| access.iter().filter(|&&r| topology.routers[r].class == class).count() as f64;
    let counts = [RouterClass::Normal, RouterClass::Fast, RouterClass::Direct, RouterClass::Plain]
        .map(|class| (class, of_class(class)));
    let weight = |&router: &usize| {
        let class = topology.routers[router].class;
        let weight = class_weight(class, &users.receiver_distribution);
        match users.receiver_reading {
            ReceiverReading::PerRouter => weight,
            ReceiverReading::PerClass => weight / counts.iter().find(|c| c.0 == class).map_or(1.0, |c| c.1),
        }
    };
    access.iter().map(weight).collect()
}

/// Three times the weight of the class, so that equal weights give 1; 1 for routers outside the tiers.
fn class_weight(class: RouterClass, distribution: &[f64; 3]) -> f64 {
    class.distribution_index().map_or(1.0, |i| 3.0 * distribution[i])
}
