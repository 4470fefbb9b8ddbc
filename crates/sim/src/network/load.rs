//! Flows and load that are expected at each queue of an uncongested network.

use super::arrivals::Arrivals;
use super::traffic::Traffic;
use super::wiring::Wiring;
use crate::scenario::{AckPath, ArrivalProcess, Scenario};

/// The parts of a network that decide which flows and which load are expected.
#[derive(Clone, Copy, Debug)]
pub struct Load<'a> {
    /// Routers, lanes and routes; those at the start count.
    pub wiring: &'a Wiring,
    /// Sources and their receivers.
    pub traffic: &'a Traffic,
    /// Open-loop arrivals.
    pub arrivals: &'a [Arrivals],
    /// Mean round-trip propagation delay between regions, s.
    pub mean_round_trip: f64,
}

impl Load<'_> {
    /// Expected fraction of the flows of users that cross each queue of data, or whose acknowledgements do on
    /// their way `back`.
    #[must_use]
    pub fn flow_shares(&self, back: bool) -> Vec<f64> {
        if self.traffic.sources.iter().all(|count| *count == 0) {
            return vec![0.0; self.wiring.queues.count()];
        }
        self.wiring.flow_shares(&self.traffic.pairs, back)
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
        for arrivals in self.arrivals {
            let time = rounds_of(arrivals.mean_size, scenario) * self.mean_round_trip;
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

    /// Load that users and open-loop arrivals offer to each queue as a share of its speed.
    #[must_use]
    pub fn offered_loads(&self, scenario: &Scenario, speeds: &[f64]) -> Vec<f64> {
        let offered = self.offered_segments(scenario);
        offered.iter().zip(speeds).map(|([data, acks], speed)| (data + acks) / speed).collect()
    }

    /// Data that users and open-loop arrivals offer to each queue, segments/s: [`Self::offered`], and as many
    /// acknowledgements where they take slots, or bytes, of data; half as many where receivers delay them.
    /// Explicit flows, retransmissions, and large files that concurrency limits come on top.
    #[must_use]
    pub fn offered_segments(&self, scenario: &Scenario) -> Vec<[f64; 2]> {
        let offered = self.offered(scenario);
        let data = self.flow_shares(false);
        let ack_size = self.ack_size(scenario);
        let acks = if ack_size > 0.0 { self.flow_shares(true) } else { vec![0.0; data.len()] };
        let of_users = data.iter().zip(acks).map(|(data, acks)| [offered * data, offered * ack_size * acks]);
        let mut segments: Vec<[f64; 2]> = of_users.collect();
        for arrivals in self.arrivals {
            let both = arrivals.carried.iter().zip(&arrivals.returned);
            segments.iter_mut().zip(both).for_each(|(sum, (data, acks))| {
                sum[0] += data;
                sum[1] += ack_size * acks;
            });
        }
        segments
    }

    /// Slots, or bytes as a share of a data segment, that acknowledgements take for each data segment.
    #[must_use]
    pub fn ack_size(&self, scenario: &Scenario) -> f64 {
        let acks_per_segment = if scenario.transport.delayed_acks { 0.5 } else { 1.0 };
        match (scenario.network.ack_path == AckPath::Queued, self.wiring.queues.at_ports()) {
            (false, _) => 0.0,
            (true, false) => acks_per_segment,
            (true, true) => acks_per_segment * scenario.network.ack_bytes / scenario.transport.segment_bytes,
        }
    }

    /// Flows of open-loop arrivals that are expected to be in progress at once, about, by process: twice the
    /// mean of processor sharing at the highest load (Kleinrock 1976, section 4.4), or what an overload
    /// leaves by its end.
    #[must_use]
    pub fn arrivals_in_progress(&self, scenario: &Scenario, speeds: &[f64]) -> Vec<f64> {
        let loads = self.offered_loads(scenario, speeds);
        let of = |(arrivals, process): (&Arrivals, &ArrivalProcess)| {
            let crossed = arrivals.carried.iter().zip(&loads).zip(speeds);
            let crossed =
                crossed.filter(|((carried, _), _)| **carried > 0.0).map(|((_, load), speed)| (load, speed));
            let (load, slowest) = crossed
                .fold((0.0, process.interface), |(load, slowest), (other, speed)| {
                    (other.max(load), speed.min(slowest))
                });
            let alone =
                rounds_of(arrivals.mean_size, scenario) * self.mean_round_trip + arrivals.mean_size / slowest;
            let span = process.stop.unwrap_or(f64::INFINITY).min(scenario.time.duration) - process.start;
            let all = arrivals.rate * span.max(0.0);
            let steady = 2.0 * arrivals.rate * alone / (1.0 - load.min(0.99));
            let left = all * (1.0 - 1.0 / load.max(1.0));
            all.min(steady + left)
        };
        self.arrivals.iter().zip(&scenario.arrivals).map(of).collect()
    }

    /// Time of a transfer in an uncongested network: log2(mean size / initial window) + 2 round trips.
    fn transfer_time(&self, scenario: &Scenario) -> f64 {
        rounds(scenario) * self.mean_round_trip
    }
}

/// Round trips of a transfer of mean size in an uncongested network: slow start, the connection, the last
/// segment.
pub fn rounds(scenario: &Scenario) -> f64 {
    rounds_of(scenario.mean_file_size(), scenario)
}

/// Round trips of a transfer of `size` segments.
pub fn rounds_of(size: f64, scenario: &Scenario) -> f64 {
    libm::log2(size / scenario.transport.initial_window).max(0.0) + 2.0
}
