//! Distances between regions, in routers and in time.

use super::acknowledgements::Groups;
use super::routing::{Adjacency, routes_to};
use super::topology::Topology;
use mesonet_cc::{Picos, seconds};
use std::collections::BTreeMap;

/// The access routers of one region that are equally far from everywhere.
#[derive(Clone, Copy, Debug)]
pub struct RegionGroup {
    /// Region.
    pub region: usize,
    /// Group of [`Groups`].
    pub group: usize,
    /// Access index of the first of them.
    pub first: usize,
    /// Their number.
    pub count: usize,
}

/// Routers and delays between the regions that have access routers.
#[derive(Clone, Debug)]
pub struct Distances {
    /// Ordered pairs of different regions with access routers: the paths of the published counts.
    pub paths: Vec<(usize, usize)>,
    /// Routers from one end to the other, both included, by path.
    pub routers: Vec<usize>,
    /// Half of the propagation round trip, mean over the access routers at both ends, s, by path.
    pub delay: Vec<f64>,
    /// Half of the largest propagation round trip between access routers, s, by path.
    pub longest: Vec<f64>,
    /// Routers that an access router adds to the paths of its region, mean over the other regions.
    pub below: Vec<f64>,
    /// Groups of access routers of each region, by region, then group.
    pub region_groups: Vec<RegionGroup>,
}

impl Distances {
    /// Measures `topology`; `group_delay` is half of the round trip from one group to another.
    #[must_use]
    pub fn new(
        topology: &Topology,
        neighbours: &Adjacency,
        access: &[usize],
        groups: &Groups,
        group_delay: impl Fn(usize, usize) -> Picos,
    ) -> Self {
        let region_groups = region_groups(topology, access, groups);
        let mut hosted: Vec<usize> = region_groups.iter().map(|p| p.region).collect();
        hosted.dedup();
        let mut distances = Self {
            paths: Vec::new(),
            routers: Vec::new(),
            delay: Vec::new(),
            longest: Vec::new(),
            below: vec![0.0; access.len()],
            region_groups,
        };

        let mut hops = BTreeMap::new();
        for &to in &hosted {
            let routes = routes_to(&topology.links, neighbours, to);
            for (index, &router) in access.iter().enumerate() {
                let head = topology.routers[router].region;
                if head != to {
                    distances.below[index] += routes.hops[router] as f64 - routes.hops[head] as f64;
                }
            }
            for &from in &hosted {
                hops.insert((from, to), routes.hops[from]);
            }
        }
        for below in &mut distances.below {
            *below /= (hosted.len() - 1) as f64;
        }
        for &from in &hosted {
            for &to in hosted.iter().filter(|to| **to != from) {
                let (mean, longest) = distances.between(from, to, &group_delay);
                distances.paths.push((from, to));
                distances.routers.push(hops[&(from, to)] + 1);
                distances.delay.push(mean);
                distances.longest.push(longest);
            }
        }
        distances
    }

    /// Mean and largest delay from access routers of one region to those of another, s.
    fn between(&self, from: usize, to: usize, group_delay: impl Fn(usize, usize) -> Picos) -> (f64, f64) {
        let (mut sum, mut pairs, mut longest) = (0.0, 0.0, 0);
        for source in self.of_region(from) {
            for receiver in self.of_region(to) {
                let delay = group_delay(source.group, receiver.group);
                let count = (source.count * receiver.count) as f64;
                sum += count * seconds(delay);
                pairs += count;
                longest = longest.max(delay);
            }
        }
        (sum / pairs, seconds(longest))
    }

    fn of_region(&self, region: usize) -> &[RegionGroup] {
        let first = self.region_groups.partition_point(|p| p.region < region);
        let last = self.region_groups.partition_point(|p| p.region <= region);
        &self.region_groups[first..last]
    }

    /// Mean round trip over the paths, s.
    #[must_use]
    pub fn mean_round_trip(&self) -> f64 {
        2.0 * self.delay.iter().sum::<f64>() / self.paths.len() as f64
    }
}

fn region_groups(topology: &Topology, access: &[usize], groups: &Groups) -> Vec<RegionGroup> {
    let mut region_groups: BTreeMap<(usize, usize), RegionGroup> = BTreeMap::new();
    for (index, &router) in access.iter().enumerate() {
        let (region, group) = (topology.routers[router].region, groups.of[index].index());
        region_groups
            .entry((region, group))
            .or_insert(RegionGroup { region, group, first: index, count: 0 })
            .count += 1;
    }
    region_groups.into_values().collect()
}
