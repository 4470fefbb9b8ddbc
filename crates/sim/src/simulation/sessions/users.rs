//! Users' sources: each fetches a file, thinks, and fetches the next one.

use super::connection::{Opening, open};
use super::parts::Parts;
use super::patience;
use super::state::Sessions;
use crate::users::Newcomer;

impl Sessions {
    /// A source has thought enough.
    pub fn start_transfer(&mut self, home: u32, parts: &mut Parts) {
        let source = &mut self.sources[home as usize];
        let k = u64::from(source.transfers);
        source.transfers += 1;
        let source = *source;
        let origin = source.access;
        let shared = parts.shared;
        let transfer = shared.population.transfer(&source, k);
        let newcomer = Newcomer {
            category: transfer.category,
            origin,
            receiver: transfer.receiver,
            rank: shared.assignment.rank_of_transfer(&source, k),
        };
        let size = shared.jumbo(transfer.size, parts.events.now, origin, transfer.receiver);
        let opening = Opening {
            source: source.number,
            home,
            transfer: k,
            category: transfer.category,
            algorithm: shared.assignment.algorithm(&shared.network, &newcomer, parts.events.now),
            origin,
            receiver: transfer.receiver,
            size: Some(size),
            rate: transfer.rate,
            own: None,
            delays_sends: false,
            is_fed: false,
            is_asked_for: false,
        };
        let slot = open(&opening, parts);
        if source.impatient {
            patience::arm(parts, slot);
        }
        let flow = &parts.senders.flows[slot as usize];
        parts.books.candidates.note(shared, parts.events.now, slot, flow);
    }
}
