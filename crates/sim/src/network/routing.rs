//! Static least-cost routes.

use super::topology::Topology;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Least-cost next hops towards one router.
#[derive(Clone, Debug)]
pub struct RoutesTo {
    /// For every router the next one on the way, `None` at the target and where there is no way.
    pub next: Vec<Option<usize>>,
}

/// Adjacency: for every router its (neighbour, link) pairs in the order of the links.
#[must_use]
pub fn adjacency(topology: &Topology) -> Vec<Vec<(usize, usize)>> {
    let mut neighbours = vec![Vec::new(); topology.routers.len()];
    for (index, link) in topology.links.iter().enumerate() {
        neighbours[link.a].push((link.b, index));
        neighbours[link.b].push((link.a, index));
    }
    neighbours
}

/// Dijkstra from `target` outwards. Costs are compared in units of 1e-12, then hops, then router numbers, so that equal
/// costs always give the same routes.
#[must_use]
pub fn routes_to(topology: &Topology, neighbours: &[Vec<(usize, usize)>], target: usize) -> RoutesTo {
    let n = topology.routers.len();
    let cost: Vec<u64> = topology.links.iter().map(|l| (l.cost * 1e12).round() as u64).collect();
    let mut best = vec![(u64::MAX, usize::MAX); n];
    let mut next = vec![None; n];
    let mut heap = BinaryHeap::from([Reverse(((0, 0), target))]);
    best[target] = (0, 0);
    while let Some(Reverse((distance, router))) = heap.pop() {
        if distance > best[router] {
            continue;
        }
        for &(neighbour, link) in &neighbours[router] {
            let candidate = (distance.0 + cost[link], distance.1 + 1);
            if candidate < best[neighbour] {
                best[neighbour] = candidate;
                next[neighbour] = Some(router);
                heap.push(Reverse((candidate, neighbour)));
            }
        }
    }
    RoutesTo { next }
}

/// Routers on the way from `from` to the target, both included; empty where there is none.
#[must_use]
pub fn path(routes: &RoutesTo, from: usize, target: usize) -> Vec<usize> {
    let mut routers = vec![from];
    let mut here = from;
    while here != target {
        match routes.next[here] {
            Some(router) => here = router,
            None => return Vec::new(),
        }
        routers.push(here);
    }
    routers
}
