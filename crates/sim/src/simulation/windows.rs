//! Domains advance in windows in which none can influence another.
//!
//! A window begins at the first event of all domains and is as long as the lookahead, the shortest delay
//! between two domains. What a domain does in it depends on nothing that another domain does in it, so the
//! domains may advance in any order, or at once. Then the segments that have left a domain are handed over.

use super::domain::Domain;
use super::shared::Shared;
use crate::fabric::{DroppedSegment, Fabric, Outbox};
use mesonet_cc::Picos;

/// Drops between the one that is counted and the one whose flow is asked for: some 20 ns each, for a latency
/// of 100 ns and more (chosen).
const AHEAD: usize = 8;

/// When something happens next in any domain.
pub fn first_event(domains: &[Domain]) -> Picos {
    domains.iter().map(|domain| domain.events.fabric.next_instant()).min().unwrap_or(Picos::MAX)
}

/// Everything that happens before `limit`, on one thread.
pub fn run_before(shared: &Shared, domains: &mut [Domain], limit: Picos) {
    let mut domains: Vec<&mut Domain> = domains.iter_mut().collect();
    while run_window(shared, &mut domains, limit).is_some() {}
}

/// Everything that happens in the next window, on one thread. Returns the end of the window; none where
/// nothing happens before `limit`.
pub fn run_window(shared: &Shared, domains: &mut [&mut Domain], limit: Picos) -> Option<Picos> {
    let end = window(domains, shared, limit)?;
    domains.iter_mut().for_each(|domain| domain.advance(shared, end));
    shared.raise_fault();
    exchange(shared, domains);
    Some(end)
}

/// End of the next window; none where nothing happens before `limit`.
pub fn window(domains: &[&mut Domain], shared: &Shared, limit: Picos) -> Option<Picos> {
    let first = domains.iter().map(|domain| domain.events.fabric.next_instant()).min()?;
    (first < limit).then(|| limit.min(first.saturating_add(shared.domains.lookahead)))
}

/// Hands over what left the domains in a window: segments to where they go, news of drops to where they came
/// from, arrivals to the receivers that are watched.
pub fn exchange(shared: &Shared, domains: &mut [&mut Domain]) {
    if shared.queued_acks() {
        exchange_acks(shared, domains);
    }
    let mut drops: Vec<DroppedSegment> = Vec::new();
    if shared.watches {
        domains.iter_mut().for_each(|domain| domain.take_arrivals(shared));
    }
    for from in 0..domains.len() {
        drops.append(domains[from].events.fabric.drops());
        let Fabric::Lanes(fabric) = &mut domains[from].events.fabric else { continue };
        let mut outboxes: Vec<Outbox> = std::mem::take(fabric.outboxes());
        for outbox in outboxes.iter_mut().filter(|outbox| !outbox.segments.is_empty()) {
            if let Fabric::Lanes(fabric) = &mut domains[outbox.domain.index()].events.fabric {
                fabric.receive(outbox.lane, &outbox.segments);
            }
            outbox.segments.clear();
        }
        if let Fabric::Lanes(fabric) = &mut domains[from].events.fabric {
            *fabric.outboxes() = outboxes;
        }
    }
    let single = domains.len() == 1;
    let home = |flow| if single { 0 } else { shared.home(flow).index() };
    for (place, drop) in drops.iter().enumerate() {
        if let Some(later) = drops.get(place + AHEAD) {
            domains[home(later.flow)].senders.fetch_for_drop(later.flow);
        }
        domains[home(drop.flow)].count_drop(shared, drop);
    }
    domains.iter_mut().for_each(|domain| domain.end_window());
}

/// Hands over updates of connections to the domains of their receivers.
pub fn exchange_updates(domains: &mut [&mut Domain]) {
    for from in 0..domains.len() {
        for (home, update) in std::mem::take(&mut domains[from].answering.hosts.elsewhere) {
            let Domain { events, answering, .. } = &mut *domains[home.index()];
            answering.hosts.take_update(events, update);
        }
    }
}

/// Hands over news of acknowledgements that do not come to the domains of their sources, updates of
/// connections to the domains of their receivers, and the origins of flows in new slots to all domains.
fn exchange_acks(shared: &Shared, domains: &mut [&mut Domain]) {
    exchange_updates(domains);
    for from in 0..domains.len() {
        let Domain { events, senders, .. } = &mut *domains[from];
        senders.take_dropped_acks(shared, events);
        for (home, missed) in std::mem::take(&mut domains[from].senders.beside.dropped_acks.elsewhere) {
            domains[home.index()].senders.miss(shared, missed);
        }
        let new = std::mem::take(&mut domains[from].senders.beside.dropped_acks.new_origins);
        for other in (0..domains.len()).filter(|other| *other != from) {
            let Some(origins) = domains[other].events.fabric.origins() else { continue };
            new.iter().for_each(|access| origins.add(*access));
        }
    }
}
