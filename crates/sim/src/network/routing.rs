//! Least-cost routes over links whose costs are given.

use super::topology::LinkSpec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// For every router its (neighbour, link) pairs in the order of the links.
pub type Adjacency = Vec<Vec<(usize, usize)>>;

/// Least-cost next hops towards one router.
#[derive(Clone, Debug)]
pub struct RoutesTo {
    /// For every router the next one on the way and the link to it, `None` at the target and where there is
    /// no way.
    pub next: Vec<Option<(usize, usize)>>,
    /// Links on the way.
    pub hops: Vec<usize>,
    /// Cost of the way, in units of 1e-12.
    costs: Vec<u128>,
    /// The target and all routers with a way to it, each after the next one on its way.
    pub order: Vec<usize>,
}

impl RoutesTo {
    /// For every router the sum over the links on its way of `values`, which each link has for the direction
    /// from its first end and for the other one.
    #[must_use]
    pub fn sums(&self, links: &[LinkSpec], values: &[[u64; 2]]) -> Vec<u64> {
        let mut sums = vec![0_u64; self.next.len()];
        for &router in &self.order {
            if let Some((next, link)) = self.next[router] {
                sums[router] = sums[next].saturating_add(values[link][links[link].from(router)]);
            }
        }
        sums
    }
}

/// Adjacency of `routers` routers. A link that is down joins nothing.
#[must_use]
pub fn adjacency(routers: usize, links: &[LinkSpec]) -> Adjacency {
    let mut neighbours = vec![Vec::new(); routers];
    for (index, link) in links.iter().enumerate().filter(|(_, link)| link.is_up()) {
        neighbours[link.a].push((link.b, index));
        neighbours[link.b].push((link.a, index));
    }
    neighbours
}

/// Dijkstra from `target` outwards, with the costs of the direction towards it. Costs are compared in units
/// of 1e-12, then hops, then router numbers, so that equal costs always give the same routes.
#[must_use]
pub fn routes_to(links: &[LinkSpec], neighbours: &Adjacency, target: usize) -> RoutesTo {
    let n = neighbours.len();
    let mut best = vec![(u128::MAX, usize::MAX); n];
    let mut next = vec![None; n];
    let mut order = Vec::with_capacity(n);
    let mut heap = BinaryHeap::from([Reverse(((0, 0), target))]);
    best[target] = (0, 0);
    while let Some(Reverse((distance, router))) = heap.pop() {
        if distance > best[router] {
            continue;
        }
        order.push(router);
        for &(neighbour, link) in &neighbours[router] {
            let candidate = (distance.0 + cost(&links[link], neighbour), distance.1 + 1);
            if candidate < best[neighbour] {
                best[neighbour] = candidate;
                next[neighbour] = Some((router, link));
                heap.push(Reverse((candidate, neighbour)));
            }
        }
    }
    let (costs, hops) = best.into_iter().unzip();
    RoutesTo { next, hops, costs, order }
}

/// For every router the nearest of `heads` (place in the list): least cost to it, then hops, then the earlier
/// one.
///
/// `None` where there is no way to any.
#[must_use]
pub fn nearest(links: &[LinkSpec], neighbours: &Adjacency, heads: &[usize]) -> Vec<Option<usize>> {
    let mut best = vec![(u128::MAX, usize::MAX, usize::MAX); neighbours.len()];
    let mut heap = BinaryHeap::new();
    for (place, &head) in heads.iter().enumerate() {
        best[head] = (0, 0, place);
        heap.push(Reverse((best[head], head)));
    }
    while let Some(Reverse((distance, router))) = heap.pop() {
        if distance > best[router] {
            continue;
        }
        for &(neighbour, link) in &neighbours[router] {
            let candidate = (distance.0 + cost(&links[link], neighbour), distance.1 + 1, distance.2);
            if candidate < best[neighbour] {
                best[neighbour] = candidate;
                heap.push(Reverse((candidate, neighbour)));
            }
        }
    }
    best.into_iter().map(|b| (b.2 < heads.len()).then_some(b.2)).collect()
}

/// Ways to one router after another. Most access routers have a single link to one router, and access routers
/// of one router share its routes: least-cost routes are found once for all of them that are asked for in a
/// row, as in the order of [`Routing::together`].
#[derive(Clone, Debug)]
pub struct Routing<'a> {
    links: &'a [LinkSpec],
    neighbours: &'a Adjacency,
    last: Option<(usize, RoutesTo)>,
}

/// The ways to one router.
#[derive(Clone, Copy, Debug)]
pub struct Ways<'a> {
    target: usize,
    /// The only neighbour of the target and the link to it, if it has but one: `routes` lead there.
    only: Option<(usize, usize)>,
    routes: &'a RoutesTo,
    links: &'a [LinkSpec],
    neighbours: &'a Adjacency,
}

impl<'a> Routing<'a> {
    /// Over the links of a connected topology.
    #[must_use]
    pub fn new(links: &'a [LinkSpec], neighbours: &'a Adjacency) -> Self {
        Self { links, neighbours, last: None }
    }

    /// Places in a list of targets, those with the same only neighbour together.
    #[must_use]
    pub fn together(&self, targets: &[usize]) -> Vec<usize> {
        let mut places: Vec<usize> = (0..targets.len()).collect();
        places.sort_by_key(|&i| self.only(targets[i]).map_or(targets[i], |(above, _)| above));
        places
    }

    /// The only neighbour of a router, if it has but one, and the link to it.
    fn only(&self, router: usize) -> Option<(usize, usize)> {
        if let [only] = self.neighbours[router][..] { Some(only) } else { None }
    }

    /// The ways to `target`.
    pub fn towards(&mut self, target: usize) -> Ways<'_> {
        let only = self.only(target);
        let end = only.map_or(target, |(above, _)| above);
        let known = self.last.take().filter(|(to, _)| *to == end);
        let (_, routes) =
            self.last.insert(known.unwrap_or_else(|| (end, routes_to(self.links, self.neighbours, end))));
        Ways { target, only, routes, links: self.links, neighbours: self.neighbours }
    }
}

impl Ways<'_> {
    /// The next router after `router` and the link to it, `None` at the target.
    #[must_use]
    pub fn next(&self, router: usize) -> Option<(usize, usize)> {
        if router == self.target {
            return None;
        }
        self.routes.next[router].or(self.only.map(|(_, link)| (self.target, link)))
    }

    /// All next routers after `router` on ways of the least cost, and the links to them, none at the target.
    /// Where a link costs nothing, they have fewer links before them: no way leads in a circle.
    #[must_use]
    pub fn all_next(&self, router: usize) -> Vec<(usize, usize)> {
        let RoutesTo { next, hops, costs, .. } = self.routes;
        if router == self.target || next[router].is_none() {
            return self.next(router).into_iter().collect();
        }
        let is_on_a_way = |&&(other, link): &&(usize, usize)| {
            costs[other].checked_add(cost(&self.links[link], router)) == Some(costs[router])
                && (costs[other], hops[other]) < (costs[router], hops[router])
        };
        self.neighbours[router].iter().filter(is_on_a_way).copied().collect()
    }

    /// Links from `router` to the target.
    #[must_use]
    pub fn hops(&self, router: usize) -> usize {
        if router == self.target { 0 } else { self.routes.hops[router] + usize::from(self.only.is_some()) }
    }

    /// All routers, each before the next one on its way, the target last.
    pub fn from_far_to_near(&self) -> impl Iterator<Item = usize> {
        let target = self.target;
        let others = self.routes.order.iter().rev().copied().filter(move |r| *r != target);
        others.chain(std::iter::once(target))
    }
}

/// Cost of a link from `router` in units of 1e-12: in 128 bits no sum over a path overflows.
fn cost(link: &LinkSpec, router: usize) -> u128 {
    (link.cost[link.from(router)] * 1e12).round() as u128
}
