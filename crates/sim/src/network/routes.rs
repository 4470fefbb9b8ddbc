//! Routes that follow each other during a run: how they differ, and the load that each offers to the queues.

use super::Network;
use super::build::LaneEnd;
use crate::scenario::Scenario;
use mesonet_cc::seconds;
use serde::Serialize;

/// Routes from an instant on.
#[derive(Clone, Debug, Serialize)]
pub struct RoutesSummary {
    /// The instant, s.
    pub time: f64,
    /// Ordered pairs of regions between which the path is another one than before.
    pub paths: usize,
    /// Highest load that users and arrivals offer to a queue, as a share of its speed.
    pub load: f64,
    /// Name of that queue.
    pub queue: String,
}

impl Network {
    /// Changes of routes during the run.
    #[must_use]
    pub fn routes_summaries(&self, scenario: &Scenario) -> Vec<RoutesSummary> {
        let turns = self.routes.windows(2).zip(&self.changes).filter(|(routes, _)| routes[0] != routes[1]);
        let summary = |(routes, change): (&[usize], &super::changes::Change)| {
            let by = self.rerouted(routes[1]);
            let loads = by.offered_loads(scenario);
            let most = (0..loads.len()).reduce(|a, b| if loads[b] > loads[a] { b } else { a }).unwrap_or(0);
            RoutesSummary {
                time: seconds(change.time),
                paths: self.paths_changed(routes[0], routes[1]),
                load: loads[most],
                queue: self.queues.name(most, &self.topology),
            }
        };
        turns.map(summary).collect()
    }

    /// The same network with other routes at the start. The rates of arrivals stay.
    fn rerouted(&self, routes: usize) -> Self {
        let mut network = self.clone();
        network.tables.swap(0, routes);
        network.topology.links.clone_from(&self.route_links[routes]);
        let arrivals = std::mem::take(&mut network.arrivals);
        network.arrivals = arrivals.into_iter().map(|arrivals| network.carry(arrivals)).collect();
        network
    }

    /// Number of ordered pairs of regions between which the path differs.
    fn paths_changed(&self, one: usize, other: usize) -> usize {
        let differs = |(from, to): &&(usize, usize)| {
            let target = self.distances.region_groups.iter().find(|group| group.region == *to);
            target.is_some_and(|target| self.differs(one, other, *from, target.first))
        };
        self.distances.paths.iter().filter(differs).count()
    }

    /// The routes from a router towards an access router differ.
    fn differs(&self, one: usize, other: usize, from: usize, target: usize) -> bool {
        let mut here = from;
        loop {
            let lane = self.next_lane_by(one, here, target);
            if lane != self.next_lane_by(other, here, target) {
                return true;
            }
            match self.lanes[lane.index()].end {
                LaneEnd::Router(next) => here = next.index(),
                LaneEnd::Receivers(_) | LaneEnd::Sources(_) => return false,
            }
        }
    }
}
