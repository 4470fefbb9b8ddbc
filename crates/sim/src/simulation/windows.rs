//! Domains advance in windows in which none can influence another.
//!
//! A window begins at the first event of all domains and is as long as the lookahead, the shortest delay between two
//! domains. What a domain does in it depends on nothing that another domain does in it, so the domains may advance in
//! any order, or at once. Then the segments that have left a domain are handed over.

use super::Simulation;
use super::domain::Domain;
use super::shared::Shared;
use super::threads;
use crate::fabric::{DroppedSegment, Fabric, Outbox};
use mesonet_cc::Picos;

/// Drops between the one that is counted and the one whose flow is asked for: some 20 ns each, for a latency of 100 ns and
/// more (chosen).
const AHEAD: usize = 8;

impl Simulation {
    /// When something happens next in any domain.
    pub(super) fn first_event(&self) -> Picos {
        self.domains.iter().map(|domain| domain.fabric.next_instant()).min().unwrap_or(Picos::MAX)
    }

    /// Everything that happens before `limit`.
    pub(super) fn run_before(&mut self, limit: Picos) {
        if self.watched.is_some() {
            return self.run_watched_before(limit);
        }
        let mut domains: Vec<&mut Domain> = self.domains.iter_mut().collect();
        if self.threads > 1 {
            threads::run_before(&self.shared, domains, self.threads, limit);
            return;
        }
        if self.shared.has_plugins {
            while let Some(end) = window(&domains, &self.shared, limit) {
                domains.iter_mut().for_each(|domain| domain.advance(end));
                self.shared.raise_fault();
                exchange(&self.shared, &mut domains);
            }
            return;
        }
        while let Some(end) = window(&domains, &self.shared, limit) {
            domains.iter_mut().for_each(|domain| domain.run(end));
            exchange(&self.shared, &mut domains);
        }
    }
}

/// End of the next window; none where nothing happens before `limit`.
pub(super) fn window(domains: &[&mut Domain], shared: &Shared, limit: Picos) -> Option<Picos> {
    let first = domains.iter().map(|domain| domain.fabric.next_instant()).min()?;
    (first < limit).then(|| limit.min(first.saturating_add(shared.domains.lookahead)))
}

/// Hands over what left the domains in a window: segments to where they go, news of drops to where they came from, arrivals
/// to the receivers that are watched.
pub(super) fn exchange(shared: &Shared, domains: &mut [&mut Domain]) {
    if shared.queued_acks() {
        exchange_acks(domains);
    }
    let mut drops: Vec<DroppedSegment> = Vec::new();
    if shared.watches {
        domains.iter_mut().for_each(|domain| domain.take_arrivals());
    }
    for from in 0..domains.len() {
        drops.append(domains[from].fabric.drops());
        let Fabric::Lanes(fabric) = &mut domains[from].fabric else { continue };
        let mut outboxes: Vec<Outbox> = std::mem::take(fabric.outboxes());
        for outbox in outboxes.iter_mut().filter(|outbox| !outbox.segments.is_empty()) {
            if let Fabric::Lanes(fabric) = &mut domains[outbox.domain.index()].fabric {
                fabric.receive(outbox.lane, &outbox.segments);
            }
            outbox.segments.clear();
        }
        if let Fabric::Lanes(fabric) = &mut domains[from].fabric {
            *fabric.outboxes() = outboxes;
        }
    }
    let single = domains.len() == 1;
    let home = |flow| if single { 0 } else { shared.home(flow).index() };
    for (place, drop) in drops.iter().enumerate() {
        if let Some(later) = drops.get(place + AHEAD) {
            domains[home(later.flow)].fetch_for_drop(later.flow);
        }
        domains[home(drop.flow)].count_drop(*drop);
    }
    domains.iter_mut().for_each(|domain| domain.write_ended());
}

/// Hands over updates of connections to the domains of their receivers.
pub(super) fn exchange_updates(domains: &mut [&mut Domain]) {
    for from in 0..domains.len() {
        for (home, update) in std::mem::take(&mut domains[from].answering.elsewhere) {
            domains[home.index()].take_update(update);
        }
    }
}

/// Hands over news of acknowledgements that do not come to the domains of their sources, updates of connections to the domains
/// of their receivers, and the origins of flows in new slots to all domains.
fn exchange_acks(domains: &mut [&mut Domain]) {
    exchange_updates(domains);
    for from in 0..domains.len() {
        domains[from].take_dropped_acks();
        for (home, missed) in std::mem::take(&mut domains[from].dropped_acks.elsewhere) {
            domains[home.index()].miss(missed);
        }
        let new = std::mem::take(&mut domains[from].dropped_acks.new_origins);
        for other in (0..domains.len()).filter(|other| *other != from) {
            let Some(origins) = domains[other].fabric.origins() else { continue };
            new.iter().for_each(|access| origins.add(*access));
        }
    }
}
