//! Routes that follow each other during a run: how they differ, and the load that each offers to the queues.

use super::Network;
use super::load::Load;
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
            let wiring = self.rerouted(routes[1]);
            // The rates of arrivals stay.
            let arrivals: Vec<_> = self.arrivals.iter().map(|arrivals| wiring.carry(arrivals)).collect();
            let load = Load { wiring: &wiring, arrivals: &arrivals, ..self.load() };
            let loads = load.offered_loads(scenario, &self.speeds);
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
        let mut reached = vec![from];
        let mut next = 0;
        while let Some(&here) = reached.get(next) {
            let lanes = self.next_lanes(one, here, target);
            if lanes != self.next_lanes(other, here, target) {
                return true;
            }
            for router in lanes.iter().filter_map(|lane| self.router_behind(*lane)) {
                if !reached.contains(&router) {
                    reached.push(router);
                }
            }
            next += 1;
        }
        false
    }

    /// Ordered pairs of regions between which flows share several routes at the start.
    #[must_use]
    pub fn shared_paths(&self) -> usize {
        if self.lane_sets.count() == 0 {
            return 0;
        }
        let first =
            |region: &usize| self.distances.region_groups.iter().find(|group| group.region == *region);
        let shares = |(from, to): &&(usize, usize)| {
            let (Some(from), Some(to)) = (first(from), first(to)) else { return false };
            let mut is_shared = false;
            self.visit_shares(0, from.first, to.first, |_, _, share| is_shared |= share < 1.0);
            is_shared
        };
        self.distances.paths.iter().filter(shares).count()
    }
}
