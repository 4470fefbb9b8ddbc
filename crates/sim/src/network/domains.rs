//! Domains: routers that advance together, and how far they may advance ahead of the others.
//!
//! Whatever crosses from one domain to another is in flight for at least the `lookahead`: what a domain does
//! in a window no longer than that cannot depend on what the others do in the same window.

use super::Network;
use super::lanes::LaneSpec;
use super::numbers::{DomainId, DomainLane, DomainRouter};
use mesonet_cc::{MILLISECOND, Picos};

/// Links shorter than this do not separate domains: windows would be too short to be worth their bookkeeping,
/// which takes some 10 ns a domain (chosen).
const SHORTEST_LOOKAHEAD: Picos = MILLISECOND / 10;

/// Routers by domain.
#[derive(Clone, Debug)]
pub struct Domains {
    /// Domain by router.
    pub of: Vec<DomainId>,
    /// Number within its domain by router.
    pub router: Vec<DomainRouter>,
    /// Number within the domain in which it ends by lane.
    pub lane: Vec<DomainLane>,
    /// Number of domains.
    pub count: usize,
    /// Shortest delay of a lane from one domain to another; the largest number where there is one domain.
    pub lookahead: Picos,
}

impl Domains {
    /// Routers that links of at least `SHORTEST_LOOKAHEAD` do not separate are in one domain; numbered by
    /// their first router.
    #[must_use]
    pub fn of(network: &Network) -> Self {
        let mut domains = Union::new(network.nodes());
        for lane in network.lanes.iter().filter(|lane| lane.least < SHORTEST_LOOKAHEAD) {
            domains.join(lane.from.index(), network.lane_to(lane));
        }
        let (of, count) = domains.numbered();
        Self::new(network, of, count)
    }

    /// All routers in one domain.
    #[must_use]
    pub fn one(network: &Network) -> Self {
        Self::new(network, vec![DomainId::default(); network.nodes()], 1)
    }

    fn new(network: &Network, of: Vec<DomainId>, count: usize) -> Self {
        let crosses = |lane: &&LaneSpec| of[lane.from.index()] != of[network.lane_to(lane)];
        let lookahead = network.lanes.iter().filter(crosses).map(|lane| lane.least).min();
        let lanes = network.lanes.iter().enumerate();
        let lanes = lanes.map(|(lane, spec)| network.is_used(lane).then_some(of[network.lane_to(spec)]));
        Self {
            count,
            lookahead: lookahead.unwrap_or(Picos::MAX),
            router: within(of.iter().copied().map(Some), count, DomainRouter::new),
            lane: within(lanes, count, DomainLane::new),
            of,
        }
    }

    /// Domain in which a lane ends.
    #[must_use]
    pub fn of_lane(&self, network: &Network, lane: &LaneSpec) -> DomainId {
        self.of[network.lane_to(lane)]
    }
}

/// Number of each within its domain, given the domain of each; those in none get any number.
fn within<N>(
    domains: impl Iterator<Item = Option<DomainId>>,
    count: usize,
    number: fn(usize) -> N,
) -> Vec<N> {
    let mut next = vec![0_usize; count];
    let next_number = |domain: Option<DomainId>| {
        let Some(domain) = domain else { return number(0) };
        let next = &mut next[domain.index()];
        *next += 1;
        number(*next - 1)
    };
    domains.map(next_number).collect()
}

/// Disjoint sets.
struct Union(Vec<usize>);

impl Union {
    fn new(n: usize) -> Self {
        Self((0..n).collect())
    }

    fn first(&mut self, mut x: usize) -> usize {
        while self.0[x] != x {
            self.0[x] = self.0[self.0[x]];
            x = self.0[x];
        }
        x
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.0[a.max(b)] = a.min(b);
    }

    /// The set of each, numbered in the order of the first members, and their number.
    fn numbered(mut self) -> (Vec<DomainId>, usize) {
        let mut numbers = vec![DomainId::default(); self.0.len()];
        let mut count = 0;
        for x in 0..self.0.len() {
            let first = self.first(x);
            if first == x {
                numbers[x] = DomainId::new(count);
                count += 1;
            } else {
                numbers[x] = numbers[first];
            }
        }
        (numbers, count)
    }
}
