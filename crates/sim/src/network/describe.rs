//! Numbers that follow from a scenario before anything is simulated.

use super::Network;
use super::arrivals::Arrivals;
use super::link_loads::QueueLoad;
use super::map::NetworkMap;
use super::routes::RoutesSummary;
use super::topology::RouterClass;
use crate::scenario::Scenario;
use mesonet_cc::{Codepoint, seconds};
use serde::Serialize;
use std::collections::BTreeMap;

/// A class of routers.
#[derive(Clone, Debug, Serialize)]
pub struct ClassSummary {
    /// Class.
    pub class: &'static str,
    /// Number of routers.
    pub routers: usize,
    /// Smallest speed of a queue, segments/s.
    pub speed: f64,
    /// Largest speed, segments/s.
    pub fastest: f64,
    /// Smallest and largest buffer, segments.
    pub buffer: [u64; 2],
    /// Sources below routers of the class.
    pub sources: u64,
    /// Mean and largest offered load of users and arrivals, as a share of the speed of the queue.
    pub load: [f64; 2],
}

/// A process of open-loop arrivals.
#[derive(Clone, Debug, Serialize)]
pub struct ArrivalsSummary {
    /// Routers where flows begin.
    pub origins: usize,
    /// Flows per second, over all origins.
    pub rate: f64,
    /// Mean size of a flow, whole segments.
    pub mean_size: f64,
    /// Data that the flows offer to the queue that carries most of it for its speed, as a share of the speed.
    pub load: f64,
    /// Name of that queue; of the queue of a stated load.
    pub queue: String,
    /// Flows that are expected to be in progress at once, about.
    pub in_progress: f64,
}

/// Numbers that follow from a scenario.
#[derive(Clone, Debug, Serialize)]
pub struct Description {
    /// Topology.
    pub topology: String,
    /// By class of routers.
    pub classes: Vec<ClassSummary>,
    /// Processes of open-loop arrivals.
    pub arrivals: Vec<ArrivalsSummary>,
    /// Number of sources.
    pub sources: u64,
    /// Rule of the traffic in words.
    pub traffic: &'static str,
    /// Data that users offer to an uncongested network, segments/s.
    pub offered: f64,
    /// Names of the backbone and plain routers, one a region.
    pub regions: Vec<String>,
    /// Number of routers.
    pub routers: usize,
    /// Number of links.
    pub links: usize,
    /// Ordered pairs of regions with access routers.
    pub paths: usize,
    /// Pairs among them between which flows share several routes.
    pub shared_paths: usize,
    /// Mean number of routers on a path between the backbone (or plain) routers of two regions, both
    /// included.
    pub mean_routers_per_path: f64,
    /// Mean hops from source to receiver, both hosts counted (as the ASME paper counts).
    pub mean_hops: f64,
    /// Mean round-trip propagation delay over the paths, s.
    pub mean_rtt: f64,
    /// Largest between access routers, s.
    pub max_rtt: f64,
    /// The pairs of regions where it occurs.
    pub longest_paths: Vec<[String; 2]>,
    /// Mean file size, segments.
    pub mean_file_size: f64,
    /// Probability of a path class: very fast (direct only), fast, typical (any normal access router).
    pub path_classes: [f64; 3],
    /// Mean round-trip propagation delay of the flows of each path class, s; none without such flows.
    pub class_rtt: [Option<f64>; 3],
    /// Mean round-trip propagation delay of the flows that users begin, s; none without users.
    pub traffic_rtt: Option<f64>,
    /// Changes of routes during the run.
    pub routes: Vec<RoutesSummary>,
    /// Load that users and arrivals offer to each queue.
    pub loads: Vec<QueueLoad>,
    /// ECN field of the segments of each algorithm, where the network marks.
    pub codepoints: Vec<Codepoint>,
    /// Every router and link.
    pub map: NetworkMap,
    /// Notes on values that the network raises.
    pub raised: Vec<String>,
    /// Notes about the scale.
    pub warnings: Vec<String>,
}

/// Access routers that are equally far from everywhere: the first of them, and weights by rank.
struct End {
    access: usize,
    weights: [f64; 3],
}

impl End {
    fn at(access: usize) -> Self {
        Self { access, weights: [0.0; 3] }
    }
}

/// Means over the flows that sources begin.
struct FlowMeans {
    /// Round trip by path class, s; none without such flows.
    round_trips: [Option<f64>; 3],
    /// Round trip of all flows, s; none without flows.
    round_trip: Option<f64>,
    /// Routers between the backbone (or plain) routers of both ends, these included.
    routers: f64,
}

impl Network {
    /// Derived numbers of the scenario that this network was built from.
    #[must_use]
    pub fn describe(&self, scenario: &Scenario) -> Description {
        use RouterClass::{Backbone, Direct, Fast, Normal, Plain, Pop};
        let offered = self.load().offered_loads(scenario, &self.speeds);
        let of_class = |class| {
            let members: Vec<usize> = (0..self.topology.routers.len())
                .filter(|&r| self.topology.routers[r].class == class)
                .collect();
            let queues: Vec<usize> = members.iter().flat_map(|&r| self.queues.of_router(r)).collect();
            let speeds = queues.iter().map(|&q| self.speeds[q]);
            let buffers = queues.iter().map(|&q| self.buffers[q]);
            let sources = members.iter().filter_map(|&r| self.access_index[r]);
            Some(ClassSummary {
                class: class.name(),
                routers: members.len(),
                buffer: [buffers.clone().min()?, buffers.max()?],
                speed: speeds.clone().fold(f64::INFINITY, f64::min),
                fastest: speeds.fold(0.0, f64::max),
                sources: sources.map(|a| self.traffic.sources[a.index()]).sum(),
                load: [
                    queues.iter().map(|&q| offered[q]).sum::<f64>() / queues.len() as f64,
                    queues.iter().map(|&q| offered[q]).fold(0.0, f64::max),
                ],
            })
        };
        let name = |region: usize| self.topology.routers[region].name.clone();
        let paths = &self.distances.paths;
        let mean_routers = self.distances.routers.iter().sum::<usize>() as f64 / paths.len() as f64;
        // Routers and delay that the access side of each end adds, weighted by use.
        let access_side = |weights: &[f64]| {
            let total: f64 = weights.iter().sum();
            let below = weights.iter().zip(&self.distances.below);
            if total > 0.0 { below.map(|(w, b)| w * b).sum::<f64>() / total } else { 0.0 }
        };
        let flows = self.flow_means();
        let (middle, receivers) = match self.traffic.rate {
            None => (mean_routers, self.traffic.by_class.clone()),
            Some(_) => (flows.routers, self.traffic.pairs.received()),
        };
        let mean_hops = middle + 2.0 + access_side(&self.traffic.pairs.begun) + access_side(&receivers);
        let longest = self.distances.longest.iter().copied().fold(0.0, f64::max);
        let longest_paths = paths.iter().zip(&self.distances.longest);
        Description {
            topology: self.topology.name.clone(),
            classes: [Backbone, Pop, Normal, Fast, Direct, Plain].into_iter().filter_map(of_class).collect(),
            arrivals: self.arrivals_summaries(scenario),
            sources: self.traffic.sources.iter().sum(),
            traffic: self.traffic.rule,
            offered: self.load().offered(scenario),
            regions: (0..self.topology.regions).map(name).collect(),
            routers: self.topology.routers.len(),
            links: self.topology.links.len(),
            paths: paths.len(),
            shared_paths: self.shared_paths(),
            mean_routers_per_path: mean_routers,
            mean_hops,
            mean_rtt: self.mean_round_trip(),
            max_rtt: 2.0 * longest,
            longest_paths: longest_paths
                .filter(|((from, to), delay)| from < to && **delay == longest)
                .map(|((from, to), _)| [name(*from), name(*to)])
                .collect(),
            mean_file_size: scenario.mean_file_size(),
            path_classes: self.path_classes(),
            class_rtt: flows.round_trips,
            traffic_rtt: flows.round_trip,
            routes: self.routes_summaries(scenario),
            loads: self.queue_loads(scenario),
            codepoints: scenario.codepoints(),
            map: self.map(scenario),
            raised: self.raised(scenario),
            warnings: self.warnings(scenario),
        }
    }

    fn arrivals_summaries(&self, scenario: &Scenario) -> Vec<ArrivalsSummary> {
        let summary = |(arrivals, in_progress): (&Arrivals, f64)| {
            let loads: Vec<f64> =
                arrivals.carried.iter().zip(&self.speeds).map(|(data, speed)| data / speed).collect();
            let most = (0..loads.len()).reduce(|a, b| if loads[b] > loads[a] { b } else { a }).unwrap_or(0);
            let (load, queue) = arrivals.load.unwrap_or((loads[most], most));
            ArrivalsSummary {
                origins: arrivals.origins.len(),
                rate: arrivals.rate,
                mean_size: arrivals.mean_size,
                load,
                queue: self.queues.name(queue, &self.topology),
                in_progress,
            }
        };
        self.arrivals
            .iter()
            .zip(self.load().arrivals_in_progress(scenario, &self.speeds))
            .map(summary)
            .collect()
    }

    /// Shares of very fast, fast and typical paths: of a matrix by its rows, else for independent ends
    /// (before the same-backbone exclusion).
    fn path_classes(&self) -> [f64; 3] {
        let traffic = &self.traffic;
        let alone = [traffic.by_class.clone()];
        let (rows, one) =
            if traffic.rate.is_some() { (traffic.pairs.rows(), false) } else { (&alone[..], true) };
        let mut begun = vec![[0.0; 3]; rows.len()];
        for (access, share) in traffic.pairs.begun.iter().enumerate() {
            begun[if one { 0 } else { traffic.pairs.row_of(access) }][self.rank(access)] += share;
        }
        let mut shares = [0.0; 3];
        for (row, begun) in rows.iter().zip(begun) {
            let mut received = [0.0; 3];
            row.iter().enumerate().for_each(|(access, weight)| received[self.rank(access)] += weight);
            let sum: f64 = received.iter().sum();
            for (i, from) in begun.iter().enumerate() {
                for (j, to) in received.iter().enumerate().filter(|(_, to)| **to > 0.0) {
                    shares[2 - i.min(j)] += from * to / sum;
                }
            }
        }
        shares
    }

    /// Rank of an access router in path classes: 0 makes a path typical, 1 fast, 2 very fast.
    fn rank(&self, access: usize) -> usize {
        match self.class_of(access) {
            RouterClass::Direct | RouterClass::Plain => 2,
            RouterClass::Normal => 0,
            _ => 1,
        }
    }

    /// Means over the flows that sources begin.
    fn flow_means(&self) -> FlowMeans {
        let known: BTreeMap<(usize, usize), usize> =
            self.distances.paths.iter().copied().zip(self.distances.routers.iter().copied()).collect();
        let (mut sums, mut routers) = ([(0.0, 0.0); 3], 0.0);
        self.visit_flows(|from, to, shares| {
            let round_trip = seconds(self.round_trip(from, to));
            for ((sum, weight), share) in sums.iter_mut().zip(shares) {
                *sum += share * round_trip;
                *weight += share;
            }
            // Within a region the backbone router alone.
            let between = known.get(&(self.region_of(from), self.region_of(to))).copied().unwrap_or(1);
            routers += between as f64 * shares.iter().sum::<f64>();
        });
        let mean = |(sum, weight): (f64, f64)| (weight > 0.0).then(|| sum / weight);
        let all = sums.iter().fold((0.0, 0.0), |all, of| (all.0 + of.0, all.1 + of.1));
        FlowMeans { round_trips: sums.map(mean), round_trip: mean(all), routers }
    }

    /// Visits the flows that sources begin, between access routers that are equally far from everywhere: the
    /// first of both ends, and shares of all flows by path class.
    fn visit_flows(&self, mut visit: impl FnMut(usize, usize, [f64; 3])) {
        let place = |access| (self.region_of(access), self.group_of(access));
        let traffic = &self.traffic;
        let mut senders: BTreeMap<(usize, (usize, usize)), End> = BTreeMap::new();
        for (access, share) in traffic.pairs.begun.iter().enumerate().filter(|(_, share)| **share > 0.0) {
            let end = senders
                .entry((traffic.pairs.row_of(access), place(access)))
                .or_insert_with(|| End::at(access));
            end.weights[self.rank(access)] += share;
        }
        let mut row = None;
        let mut receivers: BTreeMap<(usize, usize), End> = BTreeMap::new();
        for ((of, _), from) in senders {
            if row != Some(of) {
                row = Some(of);
                receivers.clear();
                let weights = &traffic.pairs.rows()[of];
                for (access, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
                    let end = receivers.entry(place(access)).or_insert_with(|| End::at(access));
                    end.weights[self.rank(access)] += weight;
                }
            }
            let choice: f64 = receivers.values().flat_map(|end| end.weights).sum();
            for to in receivers.values() {
                let mut shares = [0.0; 3];
                for (i, begun) in from.weights.iter().enumerate() {
                    for (j, weight) in to.weights.iter().enumerate() {
                        shares[2 - i.min(j)] += begun * weight / choice;
                    }
                }
                visit(from.access, to.access, shares);
            }
        }
    }

    /// Notes on values that the network raises: buffers, and ports towards hosts.
    fn raised(&self, scenario: &Scenario) -> Vec<String> {
        let count = self.queues.count();
        let name = |queue: usize| self.queues.name(queue, &self.topology);
        let mut notes = Vec::new();
        let buffers: Vec<usize> =
            (0..count).filter(|&q| self.asked[q].round() < self.buffers[q] as f64).collect();
        if let Some(&least) = buffers.iter().min_by(|a, b| self.asked[**a].total_cmp(&self.asked[**b])) {
            let (floor, asked) = (self.buffers[least], self.asked[least]);
            let why = if floor > 1 { "network.buffer_floor" } else { "the smallest buffer, a segment," };
            notes.push(format!(
                "{why} raises the buffers of {} of {count} queues: {} would hold {asked:.3} segments, and holds {floor}",
                buffers.len(),
                name(least)
            ));
        }
        let ports = &self.raised_ports;
        if let Some(&fastest) = ports.iter().max_by(|a, b| self.speeds[**a].total_cmp(&self.speeds[**b])) {
            let rate = self.speeds[fastest] * 8e-9 * scenario.transport.segment_bytes;
            notes.push(format!(
                "{} ports towards hosts serve faster than network.speed, as fast as the links into their routers: {} \
                 {rate:.4} Gbit/s; speed_factor of a router sets another speed",
                ports.len(),
                name(fastest)
            ));
        }
        notes
    }

    fn warnings(&self, scenario: &Scenario) -> Vec<String> {
        let mut warnings = Vec::new();
        let users = &scenario.users;
        let normal =
            (0..self.speeds.len()).filter(|&q| self.queues.class(q, &self.topology) == RouterClass::Normal);
        let slowest = normal.map(|q| self.speeds[q]).min_by(f64::total_cmp);
        if let Some(speed) = slowest.filter(|_| self.traffic.sources.iter().sum::<u64>() > 0) {
            for (name, rate) in [("normal", users.normal_interface), ("fast", users.fast_interface)] {
                if speed < rate {
                    warnings.push(format!(
                        "a normal access router ({:.4} seg/ms) is slower than a {name} interface ({:.4} seg/ms)",
                        speed / 1e3,
                        rate / 1e3
                    ));
                }
            }
        }
        if self.traffic.rate.is_some() {
            return warnings;
        }
        let multiplied = users.base_sources * users.source_multiplier;
        for (access, &count) in self.traffic.sources.iter().enumerate() {
            let Some(class) = self.class_of(access).distribution_index() else { continue };
            let exact = multiplied * 3.0 * users.source_distribution[class];
            if exact > 0.0 && ((count as f64 - exact) / exact).abs() > 0.05 {
                warnings.push(format!(
                    "rounding the sources under a {} router to {count} changes their number by more than 5 %",
                    self.class_of(access).name()
                ));
                break;
            }
        }
        warnings
    }
}
