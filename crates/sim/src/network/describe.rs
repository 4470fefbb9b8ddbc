//! Numbers that follow from a scenario before anything is simulated.

use super::Network;
use super::map::NetworkMap;
use super::topology::RouterClass;
use crate::scenario::Scenario;
use mesonet_cc::seconds;
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
    /// Mean and largest offered load of users, as a share of the speed of the queue.
    pub load: [f64; 2],
}

/// Numbers that follow from a scenario.
#[derive(Clone, Debug, Serialize)]
pub struct Description {
    /// Topology.
    pub topology: String,
    /// By class of routers.
    pub classes: Vec<ClassSummary>,
    /// Number of sources.
    pub sources: u64,
    /// Names of the backbone and plain routers, one a region.
    pub regions: Vec<String>,
    /// Number of routers.
    pub routers: usize,
    /// Number of links.
    pub links: usize,
    /// Ordered pairs of regions with access routers.
    pub paths: usize,
    /// Mean number of routers on a path between the backbone (or plain) routers of two regions, both included.
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
    /// Every router and link.
    pub map: NetworkMap,
    /// Notes about the scale.
    pub warnings: Vec<String>,
}

/// Access routers that are equally far from everywhere: the first of them, and weights by class of path, typical first.
struct End {
    access: usize,
    sources: [f64; 3],
    receivers: [f64; 3],
}

impl End {
    fn at(access: usize) -> Self {
        Self { access, sources: [0.0; 3], receivers: [0.0; 3] }
    }
}

impl Network {
    /// Derived numbers of the scenario that this network was built from.
    #[must_use]
    pub fn describe(&self, scenario: &Scenario) -> Description {
        use RouterClass::{Backbone, Direct, Fast, Normal, Plain, Pop};
        let offered = self.offered_loads(scenario);
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
                sources: sources.map(|a| self.sources[usize::from(a)]).sum(),
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
        let source_weights: Vec<f64> = self.sources.iter().map(|&s| s as f64).collect();
        let mean_hops =
            mean_routers + 2.0 + access_side(&source_weights) + access_side(&self.receiver_weight);
        let longest = self.distances.longest.iter().copied().fold(0.0, f64::max);
        let longest_paths = paths.iter().zip(&self.distances.longest);
        Description {
            topology: self.topology.name.clone(),
            classes: [Backbone, Pop, Normal, Fast, Direct, Plain].into_iter().filter_map(of_class).collect(),
            sources: self.sources.iter().sum(),
            regions: (0..self.topology.regions).map(name).collect(),
            routers: self.topology.routers.len(),
            links: self.topology.links.len(),
            paths: paths.len(),
            mean_routers_per_path: mean_routers,
            mean_hops,
            mean_rtt: self.mean_round_trip(),
            max_rtt: 2.0 * longest,
            longest_paths: longest_paths
                .filter(|((from, to), delay)| from < to && **delay == longest)
                .map(|((from, to), _)| [name(*from), name(*to)])
                .collect(),
            mean_file_size: scenario.mean_file_size(),
            path_classes: self.path_classes(&source_weights),
            class_rtt: self.class_round_trips(scenario.users.allow_same_backbone),
            map: self.map(scenario.network.delay_multiplier),
            warnings: self.warnings(scenario),
        }
    }

    /// Shares of very fast, fast and typical paths for independent ends (before the same-backbone exclusion).
    fn path_classes(&self, source_weights: &[f64]) -> [f64; 3] {
        let share = |weights: &[f64], keep: &dyn Fn(RouterClass) -> bool| {
            let total: f64 = weights.iter().sum();
            let kept = weights.iter().enumerate().filter(|(a, _)| keep(self.class_of(*a)));
            if total > 0.0 { kept.map(|(_, w)| w).sum::<f64>() / total } else { 0.0 }
        };
        let both = |keep: &dyn Fn(RouterClass) -> bool| {
            share(source_weights, keep) * share(&self.receiver_weight, keep)
        };
        let very_fast = both(&|c| matches!(c, RouterClass::Direct | RouterClass::Plain));
        let no_normal = both(&|c| c != RouterClass::Normal);
        [
            very_fast,
            no_normal - very_fast,
            if source_weights.iter().sum::<f64>() > 0.0 { 1.0 - no_normal } else { 0.0 },
        ]
    }

    /// Mean round trip of very fast, fast and typical paths over the flows that sources begin, in s.
    fn class_round_trips(&self, allow_same_backbone: bool) -> [Option<f64>; 3] {
        // Access routers of one region and group are equally far from everywhere: by these, weights of typical, fast and
        // very fast ends.
        let mut ends: BTreeMap<(usize, usize), End> = BTreeMap::new();
        for access in 0..self.access.len() {
            let end = ends
                .entry((self.region_of(access), self.group_of(access)))
                .or_insert_with(|| End::at(access));
            let rank = match self.class_of(access) {
                RouterClass::Direct | RouterClass::Plain => 2,
                RouterClass::Normal => 0,
                _ => 1,
            };
            end.sources[rank] += self.sources[access] as f64;
            end.receivers[rank] += self.receiver_weight[access];
        }
        let mut sums = [(0.0, 0.0); 3];
        for ((region, _), source) in &ends {
            let others =
                || ends.iter().filter(|((r, _), _)| allow_same_backbone || r != region).map(|(_, end)| end);
            let choice: f64 = others().flat_map(|end| end.receivers).sum();
            for receiver in others() {
                let round_trip = seconds(self.round_trip(source.access, receiver.access));
                for (i, sources) in source.sources.iter().enumerate() {
                    for (j, receivers) in receiver.receivers.iter().enumerate() {
                        let flows = sources * receivers / choice;
                        let (sum, weight) = &mut sums[2 - i.min(j)];
                        *sum += flows * round_trip;
                        *weight += flows;
                    }
                }
            }
        }
        sums.map(|(sum, weight)| (weight > 0.0).then(|| sum / weight))
    }

    fn warnings(&self, scenario: &Scenario) -> Vec<String> {
        let mut warnings = Vec::new();
        let users = &scenario.users;
        let normal =
            (0..self.speeds.len()).filter(|&q| self.queues.class(q, &self.topology) == RouterClass::Normal);
        let slowest = normal.map(|q| self.speeds[q]).min_by(f64::total_cmp);
        if let Some(speed) = slowest.filter(|_| self.sources.iter().sum::<u64>() > 0) {
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
        let multiplied = users.base_sources * users.source_multiplier;
        for (access, &count) in self.sources.iter().enumerate() {
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
