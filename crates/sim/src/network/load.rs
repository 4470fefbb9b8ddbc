//! Flows and load that are expected at each queue of an uncongested network.

use super::Network;
use super::routing::{Routing, adjacency};
use crate::scenario::{AckPath, Scenario};

impl Network {
    /// Expected fraction of flows that cross each queue of data, or whose acknowledgements do on their way `back`.
    #[must_use]
    pub fn flow_shares(&self, back: bool) -> Vec<f64> {
        let traffic = &self.traffic;
        let routers = self.topology.routers.len();
        let mut share = vec![0.0; self.queues.count()];
        if traffic.sources.iter().all(|count| *count == 0) {
            return share;
        }
        let received = traffic.received();
        let neighbours = adjacency(routers, &self.topology.links);
        let mut routing = Routing::new(&self.topology.links, &neighbours);
        for end in routing.together(&self.access) {
            if (if back { traffic.begun[end] } else { received[end] }) <= 0.0 {
                continue;
            }
            // All that goes to this end, added up from the far ends of the tree of its routes.
            let mut flows = vec![0.0; routers];
            for other in 0..self.access.len() {
                let (source, receiver) = if back { (end, other) } else { (other, end) };
                let weight = traffic.weights(source)[receiver];
                if traffic.begun[source] > 0.0 && weight > 0.0 {
                    flows[self.access[other]] += traffic.begun[source] * weight / traffic.weight_sum(source);
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
        let sources: u64 = self.traffic.sources.iter().sum();
        let transfer = self.transfer_time(scenario);
        let active = transfer / (transfer + scenario.users.think_time);
        let shares = self.flow_shares(false);
        let mut flows: Vec<f64> = shares.iter().map(|share| sources as f64 * active * share).collect();
        for arrivals in &self.arrivals {
            let time = rounds_of(arrivals.mean_size, scenario) * self.mean_round_trip();
            let per_flow = arrivals.carried.iter().map(|carried| carried / arrivals.mean_size);
            flows.iter_mut().zip(per_flow).for_each(|(sum, rate)| *sum += rate * time);
        }
        flows
    }

    /// Data that users offer to the network, segments/s: files of mean size in the same closed loop.
    #[must_use]
    pub fn offered(&self, scenario: &Scenario) -> f64 {
        let sources: u64 = self.traffic.sources.iter().sum();
        let cycle = self.transfer_time(scenario) + scenario.users.think_time;
        let transfers = self.traffic.rate.unwrap_or(sources as f64 / cycle);
        transfers * scenario.mean_file_size()
    }

    /// Load that users and open-loop arrivals offer to each queue as a share of its speed: [`Self::offered`], and as
    /// many acknowledgements where they take slots, or bytes, of data; half as many where receivers delay them. Explicit
    /// flows, retransmissions, and large files that concurrency limits come on top.
    #[must_use]
    pub fn offered_loads(&self, scenario: &Scenario) -> Vec<f64> {
        let offered = self.offered(scenario);
        let data = self.flow_shares(false);
        let queued = scenario.network.ack_path == AckPath::Queued;
        let acks_per_segment = if scenario.transport.delayed_acks { 0.5 } else { 1.0 };
        let ack_size = match (queued, self.queues.at_ports()) {
            (false, _) => 0.0,
            (true, false) => acks_per_segment,
            (true, true) => acks_per_segment * scenario.network.ack_bytes / scenario.transport.segment_bytes,
        };
        // Every router that a segment passes serves its acknowledgement, too; ports of the way back are others.
        let acks = if queued && self.queues.at_ports() { self.flow_shares(true) } else { data.clone() };
        let of_users = data.iter().zip(acks).map(|(data, acks)| offered * (data + ack_size * acks));
        let mut segments: Vec<f64> = of_users.collect();
        for arrivals in &self.arrivals {
            let both = arrivals.carried.iter().zip(&arrivals.returned);
            segments.iter_mut().zip(both).for_each(|(sum, (data, acks))| *sum += data + ack_size * acks);
        }
        segments.iter().zip(&self.speeds).map(|(segments, speed)| segments / speed).collect()
    }

    /// Time of a transfer in an uncongested network: log2(mean size / initial window) + 2 round trips.
    fn transfer_time(&self, scenario: &Scenario) -> f64 {
        rounds(scenario) * self.mean_round_trip()
    }
}

/// Round trips of a transfer of mean size in an uncongested network: slow start, the connection, the last segment.
pub fn rounds(scenario: &Scenario) -> f64 {
    rounds_of(scenario.mean_file_size(), scenario)
}

/// The same of a transfer of `size` segments.
pub fn rounds_of(size: f64, scenario: &Scenario) -> f64 {
    libm::log2(size / scenario.transport.initial_window).max(0.0) + 2.0
}
