//! A router's speed or a link's delay changes: at an instant at which all domains stand still.
//!
//! What has left a router arrives as it would have. What waits in a router whose speed changes is served at the new
//! speed, what remains of the segment in service too; what waits for a link whose delay changes takes the new delay.
//! No segment overtakes another on its lane: where a delay shrinks, what comes after waits for what was sent before.

use super::Simulation;
use crate::network::build::LaneEnd;
use crate::network::changes::{Change, Turn};
use crate::network::router::rescaled;
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
        self.changed += 1;
        change.routers.iter().for_each(|turn| self.change_router(*turn));
        change.lanes.iter().for_each(|turn| self.change_lane(*turn));
        if !change.lanes.is_empty() {
            self.change_round_trips();
        }
    }

    fn change_router(&mut self, turn: Turn<usize>) {
        let (shared, now) = (Arc::clone(&self.shared), self.now);
        let domain = usize::from(shared.domains.of[turn.of]);
        self.domains[domain].fabric.set_service(shared.domains.router[turn.of], now, turn.to);
        for lane in shared.network.lanes_from(turn.of) {
            let delay = self.delays[lane];
            self.move_waiting(lane, delay, |waits| rescaled(waits, turn.from, turn.to));
        }
    }

    fn change_lane(&mut self, turn: Turn<u16>) {
        self.delays[usize::from(turn.of)] = turn.to;
        self.move_waiting(usize::from(turn.of), turn.from, |waits| waits);
    }

    /// Gives what has not left a router for `lane`, which took `before` so far, and what comes after, its instants of
    /// arrival: `waits` makes of the time for which a segment would have waited the one for which it does.
    ///
    /// What had left when the delay changed the last time took another one: it is known by its arrival, not later than that
    /// of the last of them. Before acknowledgements and a source's own lane nothing waits.
    fn move_waiting(&mut self, lane: usize, before: Picos, waits: impl Fn(Picos) -> Picos) {
        let (now, delay) = (self.now, self.delays[lane]);
        let spec = &self.shared.network.lanes[lane];
        let to = self.shared.domains.of_lane(&self.shared.network, spec);
        let from = usize::from(self.shared.domains.of[usize::from(spec.from)]);
        let sent_at_once = matches!(spec.end, LaneEnd::Sources(_))
            || self.shared.own.iter().any(|own| own.1.access == lane as u16);
        let gone_before = self.gone[lane];
        let (mut last, mut gone) = (0, gone_before);
        let floor = self.domains[to].fabric.retime(lane as u16, |arrival| {
            let waiting = arrival.saturating_sub(now + before);
            if sent_at_once || arrival <= gone_before || waiting == 0 {
                last = arrival;
                gone = arrival;
            } else {
                last = (now + waits(waiting) + delay).max(last);
            }
            last
        });
        self.gone[lane] = gone;
        self.domains[from].fabric.set_delay(lane as u16, delay, floor);
    }

    /// Flows are measured against the propagation delay of the day.
    fn change_round_trips(&mut self) {
        for domain in &mut self.domains {
            domain.now = domain.now.max(self.now);
            for slot in 0..domain.flows.len() {
                let flow = &domain.flows[slot];
                if flow.state != FlowState::Free {
                    let ends = [flow.origin, flow.receiver].map(usize::from);
                    domain.flows[slot].base_rtt = domain.base_rtt(ends[0], ends[1], flow.access_lane);
                }
            }
        }
    }
}
