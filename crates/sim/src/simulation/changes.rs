//! A router's speed, a link's delay or the routes change: at an instant at which all domains stand still.
//!
//! A segment that has left a router arrives as it would have. A segment that waits in a router whose speed
//! changes is served at the new speed, what remains of the segment in service too; what waits for a link
//! whose delay changes takes the new delay. No segment overtakes another on its lane: where a delay shrinks,
//! what comes after waits for what was sent before.

use super::domain::Domain;
use super::shared::Shared;
use crate::network::LaneId;
use crate::network::changes::Turn;
use crate::network::lanes::LaneEnd;
use crate::network::router::rescaled;
use crate::snapshot::{BadSnapshot, Passage};
use mesonet_cc::Picos;

/// The changes of the network that have happened, and what later ones have to know.
#[derive(Clone, Debug)]
pub struct Changes {
    happened: usize,
    /// Delays of lanes now.
    pub delays: Vec<Picos>,
    /// By lane the arrival of the last segment that had left when something changed the last time.
    gone: Vec<Picos>,
}

impl Changes {
    /// Nothing has changed.
    pub fn new(shared: &Shared) -> Self {
        let lanes = &shared.network.lanes;
        let delays = lanes.iter().map(|lane| lane.delay).collect();
        Self { happened: 0, delays, gone: vec![0; lanes.len()] }
    }

    /// When the network changes next.
    pub fn next(&self, shared: &Shared) -> Option<Picos> {
        shared.network.changes.get(self.happened).map(|change| change.time)
    }

    /// The next change happens now.
    pub fn change(&mut self, shared: &Shared, domains: &mut [Domain], now: Picos) {
        let change = &shared.network.changes[self.happened];
        let routes = &shared.network.routes[self.happened..=self.happened + 1];
        self.happened += 1;
        for turn in &change.routers {
            let fabric = &mut domains[shared.domains.of[turn.of.index()].index()].events.fabric;
            fabric.set_service(shared.domains.router[turn.of.index()], now, turn.to);
            for lane in shared.network.lanes_from(turn.of) {
                let waits = |waits| rescaled(waits, turn.from, turn.to);
                self.move_waiting(shared, domains, now, &self.same(lane), waits);
            }
        }
        for turn in &change.lanes {
            self.delays[turn.of.index()] = turn.to;
            self.move_waiting(shared, domains, now, turn, |waits| waits);
        }
        if routes[0] != routes[1] {
            domains.iter_mut().for_each(|domain| domain.events.fabric.set_routes(routes[1]));
        }
        if !change.lanes.is_empty() || routes[0] != routes[1] {
            for domain in domains {
                domain.events.now = domain.events.now.max(now);
                domain.senders.change_round_trips(shared, domain.events.now);
            }
        }
    }

    /// The delay of a lane stays.
    fn same(&self, lane: LaneId) -> Turn<LaneId> {
        let delay = self.delays[lane.index()];
        Turn { of: lane, from: delay, to: delay }
    }

    /// Sets the instants of arrival of segments that have not left a router for a lane, whose delay has a
    /// `turn`, and of those that come after. `waits` turns the old waiting time of a segment into the new
    /// one.
    ///
    /// Segments that had left when the delay changed the last time took another delay. They arrive no later
    /// than the last of them, by which they are known. Before acknowledgements and a source's own lane no
    /// segment waits.
    fn move_waiting(
        &mut self,
        shared: &Shared,
        domains: &mut [Domain],
        now: Picos,
        turn: &Turn<LaneId>,
        waits: impl Fn(Picos) -> Picos,
    ) {
        let Turn { of: lane, from: before, to: delay } = *turn;
        let spec = &shared.network.lanes[lane.index()];
        let to = shared.domains.of_lane(&shared.network, spec);
        let from = shared.domains.of[spec.from.index()];
        let sent_at_once =
            matches!(spec.end, LaneEnd::Sources(_)) || shared.own.iter().any(|own| own.1.access == lane);
        let gone_before = self.gone[lane.index()];
        let (mut last, mut gone) = (0, gone_before);
        let floor = domains[to.index()].events.fabric.retime(lane, |arrival| {
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
        domains[from.index()].events.fabric.set_delay(lane, delay, floor);
    }

    /// Writes or replaces what changes during a run.
    pub fn pass(&mut self, passage: &mut Passage) -> Result<(), BadSnapshot> {
        let Self { happened, delays, gone } = self;
        passage.field(happened)?;
        passage.field(delays)?;
        passage.field(gone)
    }
}
