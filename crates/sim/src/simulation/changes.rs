//! A router's speed, a link's delay or the routes change: at an instant at which all domains stand still.
//!
//! A segment that has left a router arrives as it would have. A segment that waits in a router whose speed changes is
//! served at the new speed, what remains of the segment in service too; what waits for a link whose delay changes
//! takes the new delay. No segment overtakes another on its lane: where a delay shrinks, what comes after waits for
//! what was sent before.

use super::Simulation;
use crate::network::build::LaneEnd;
use crate::network::changes::{Change, Turn};
use crate::network::router::rescaled;
use crate::network::{LaneId, RouterId};
use crate::transport::FlowState;
use mesonet_cc::Picos;
use std::sync::Arc;

impl Simulation {
    /// When the network changes next.
    pub(super) fn next_change(&self) -> Option<Picos> {
        self.shared.network.changes.get(self.changed).map(|change| change.time)
    }

    /// The next change happens now.
    pub(super) fn change(&mut self) {
        let shared = Arc::clone(&self.shared);
        let change: &Change = &shared.network.changes[self.changed];
        let routes = &shared.network.routes[self.changed..=self.changed + 1];
        self.changed += 1;
        change.routers.iter().for_each(|turn| self.change_router(*turn));
        change.lanes.iter().for_each(|turn| self.change_lane(*turn));
        if routes[0] != routes[1] {
            self.domains.iter_mut().for_each(|domain| domain.fabric.set_routes(routes[1]));
        }
        if !change.lanes.is_empty() || routes[0] != routes[1] {
            self.change_round_trips();
        }
    }

    fn change_router(&mut self, turn: Turn<RouterId>) {
        let (shared, now) = (Arc::clone(&self.shared), self.now);
        let domain = shared.domains.of[turn.of.index()];
        self.domains[domain.index()].fabric.set_service(shared.domains.router[turn.of.index()], now, turn.to);
        for lane in shared.network.lanes_from(turn.of) {
            let delay = self.delays[lane.index()];
            self.move_waiting(lane, delay, |waits| rescaled(waits, turn.from, turn.to));
        }
    }

    fn change_lane(&mut self, turn: Turn<LaneId>) {
        self.delays[turn.of.index()] = turn.to;
        self.move_waiting(turn.of, turn.from, |waits| waits);
    }

    /// Sets the instants of arrival of segments that have not left a router for `lane`, and of those that come after.
    /// The lane took `before` so far; `waits` turns the old waiting time of a segment into the new one.
    ///
    /// Segments that had left when the delay changed the last time took another delay. They arrive no later than the
    /// last of them, by which they are known. Before acknowledgements and a source's own lane no segment waits.
    fn move_waiting(&mut self, lane: LaneId, before: Picos, waits: impl Fn(Picos) -> Picos) {
        let (now, delay) = (self.now, self.delays[lane.index()]);
        let spec = &self.shared.network.lanes[lane.index()];
        let to = self.shared.domains.of_lane(&self.shared.network, spec);
        let from = self.shared.domains.of[spec.from.index()];
        let sent_at_once =
            matches!(spec.end, LaneEnd::Sources(_)) || self.shared.own.iter().any(|own| own.1.access == lane);
        let gone_before = self.gone[lane.index()];
        let (mut last, mut gone) = (0, gone_before);
        let floor = self.domains[to.index()].fabric.retime(lane, |arrival| {
            let waiting = arrival.saturating_sub(now + before);
            if sent_at_once || arrival <= gone_before || waiting == 0 {
                last = arrival;
                gone = arrival;
            } else {
                last = (now + waits(waiting) + delay).max(last);
            }
            last
        });
        self.gone[lane.index()] = gone;
        self.domains[from.index()].fabric.set_delay(lane, delay, floor);
    }

    /// Gives every flow the round-trip propagation delay of now.
    fn change_round_trips(&mut self) {
        for domain in &mut self.domains {
            domain.now = domain.now.max(self.now);
            for slot in 0..domain.flows.len() {
                let flow = &domain.flows[slot];
                if flow.state != FlowState::Free {
                    domain.flows[slot].base_rtt =
                        domain.base_rtt(flow.origin, flow.receiver, flow.access_lane);
                }
            }
        }
    }
}
