//! Pairs of access routers between which flows run: where flows begin, and the receivers that they choose.

use super::numbers::AccessRouter;
use super::routing::{Routing, adjacency};
use super::wiring::Wiring;

/// Flows by access router of the source and of the receiver.
#[derive(Clone, Debug)]
pub struct Pairs {
    /// Share of all flows that begin under each access router.
    pub begun: Vec<f64>,
    /// Weight of each access router for receivers, by row.
    rows: Vec<Vec<f64>>,
    /// Sum of the weights, by row.
    sums: Vec<f64>,
    /// Row of the sources under each access router.
    row_of: Vec<usize>,
}

impl Pairs {
    /// Pairs with these rows of weights.
    #[must_use]
    pub fn new(begun: Vec<f64>, rows: Vec<Vec<f64>>, row_of: Vec<usize>) -> Self {
        let sums = rows.iter().map(|row| row.iter().sum()).collect();
        Self { begun, rows, sums, row_of }
    }

    /// Weights of receivers for sources under an access router.
    #[must_use]
    pub fn weights(&self, access: usize) -> &[f64] {
        &self.rows[self.row_of[access]]
    }

    /// Sum of [`Self::weights`].
    #[must_use]
    pub fn weight_sum(&self, access: usize) -> f64 {
        self.sums[self.row_of[access]]
    }

    /// All rows of weights.
    #[must_use]
    pub fn rows(&self) -> &[Vec<f64>] {
        &self.rows
    }

    /// Row of the sources under an access router.
    #[must_use]
    pub fn row_of(&self, access: usize) -> usize {
        self.row_of[access]
    }

    /// Weight of each access router for receivers, over all flows.
    #[must_use]
    pub fn received(&self) -> Vec<f64> {
        let mut by_row = vec![0.0; self.rows.len()];
        for (access, share) in self.begun.iter().enumerate() {
            by_row[self.row_of[access]] += share;
        }
        let mut received = vec![0.0; self.row_of.len()];
        for ((row, sum), share) in self.rows.iter().zip(&self.sums).zip(by_row) {
            if share > 0.0 {
                received.iter_mut().zip(row).for_each(|(total, weight)| *total += share * weight / sum);
            }
        }
        received
    }

    /// The draws of receivers.
    #[must_use]
    pub fn receivers(&self) -> Receivers {
        Receivers {
            cumulative: self.rows.iter().map(|weights| cumulative(weights)).collect(),
            row_of: self.row_of.clone(),
        }
    }
}

/// Cumulative probabilities of receivers, by row.
#[derive(Clone, Debug)]
pub struct Receivers {
    cumulative: Vec<Vec<f64>>,
    row_of: Vec<usize>,
}

impl Receivers {
    /// The access router of a receiver by a number in [0, 1), for a source under an access router.
    #[must_use]
    pub fn draw(&self, source: AccessRouter, u: f64) -> AccessRouter {
        let row = &self.cumulative[self.row_of[source.index()]];
        AccessRouter::new(row.partition_point(|w| *w <= u).min(row.len() - 1))
    }
}

/// Cumulative probabilities of weights; from the last positive one on they exceed every uniform draw.
fn cumulative(weights: &[f64]) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    let last = weights.iter().rposition(|w| *w > 0.0).unwrap_or(0);
    let mut sum = 0.0;
    let probability = |(i, w): (usize, &f64)| {
        sum += w / total;
        if i < last { sum } else { 1.0 }
    };
    weights.iter().enumerate().map(probability).collect()
}

impl Wiring {
    /// Expected fraction of flows that cross each queue of data, or whose acknowledgements do on their way
    /// `back`.
    #[must_use]
    pub fn flow_shares(&self, pairs: &Pairs, back: bool) -> Vec<f64> {
        let routers = self.topology.routers.len();
        let mut share = vec![0.0; self.queues.count()];
        let received = pairs.received();
        let neighbours = adjacency(routers, &self.topology.links);
        let mut routing = Routing::new(&self.topology.links, &neighbours);
        for end in routing.together(&self.access) {
            if (if back { pairs.begun[end] } else { received[end] }) <= 0.0 {
                continue;
            }
            // All that goes to this end, added up from the far ends of the tree of its routes.
            let mut flows = vec![0.0; routers];
            for other in 0..self.access.len() {
                let (source, receiver) = if back { (end, other) } else { (other, end) };
                let weight = pairs.weights(source)[receiver];
                if pairs.begun[source] > 0.0 && weight > 0.0 {
                    flows[self.access[other]] += pairs.begun[source] * weight / pairs.weight_sum(source);
                }
            }
            let ways = routing.towards(self.access[end]);
            for router in ways.from_far_to_near() {
                let lanes = self.next_lanes(0, router, end);
                let flows_of_lane = flows[router] / lanes.len() as f64;
                for lane in lanes {
                    let queue = if self.queues.at_ports() { lane.index() } else { router };
                    share[queue] += flows_of_lane;
                    if let Some(next) = self.router_behind(*lane) {
                        flows[next] += flows_of_lane;
                    }
                }
            }
        }
        share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_weights_are_never_chosen() {
        let pairs = Pairs::new(vec![1.0], vec![vec![0.0, 1.0, 0.0, 3.0, 0.0]], vec![0]);
        let receivers = pairs.receivers();
        let draw = |u| receivers.draw(AccessRouter::new(0), u).index();
        assert_eq!([0.0, 0.24, 0.25, 0.999_999_999].map(draw), [1, 1, 3, 3]);
    }
}
