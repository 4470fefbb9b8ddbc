//! Between which access routers long-lived flows run (X10).

use super::Network;
use super::topology::RouterClass;
use std::collections::BTreeSet;

impl Network {
    /// Names of the ends of a long, a medium and a short path.
    ///
    /// Those that the topology has chosen; else the pairs of direct routers, or of access routers where
    /// direct ones do not lie in two regions, with the longest, the median and the shortest round trip
    /// between different regions, the first in order where several have it. Of access routers in one region
    /// that are equally far from everywhere the first stands for all. Fewer than three where the network has
    /// fewer such pairs.
    #[must_use]
    pub fn long_lived_pairs(&self) -> Vec<(String, String)> {
        if !self.topology.long_lived.is_empty() {
            return self.topology.long_lived.clone();
        }
        let mut pairs = self.pairs_of(|class| class == RouterClass::Direct);
        if pairs.is_empty() {
            pairs = self.pairs_of(RouterClass::is_access);
        }
        pairs.sort_unstable();
        let Some(&(longest, ..)) = pairs.last() else { return Vec::new() };
        let (median, ..) = pairs[(pairs.len() - 1) / 2];
        let (shortest, ..) = pairs[0];
        let mut chosen = Vec::new();
        for round_trip in [longest, median, shortest] {
            let (_, from, to) = pairs[pairs.partition_point(|p| p.0 < round_trip)];
            if !chosen.contains(&(from, to)) {
                chosen.push((from, to));
            }
        }
        let name = |access: usize| self.topology.routers[self.access[access]].name.clone();
        chosen.into_iter().map(|(from, to)| (name(from), name(to))).collect()
    }

    /// Round trip and ends (access indices) of the pairs of different regions among routers of some classes.
    fn pairs_of(&self, class: impl Fn(RouterClass) -> bool) -> Vec<(u64, usize, usize)> {
        let mut places = BTreeSet::new();
        let ends: Vec<usize> = (0..self.access.len())
            .filter(|&a| class(self.class_of(a)) && places.insert((self.region_of(a), self.group_of(a))))
            .collect();
        let mut pairs = Vec::new();
        for (i, &from) in ends.iter().enumerate() {
            let others = ends[i + 1..].iter().filter(|&&to| self.region_of(from) != self.region_of(to));
            pairs.extend(others.map(|&to| (self.round_trip(from, to), from, to)));
        }
        pairs
    }
}
