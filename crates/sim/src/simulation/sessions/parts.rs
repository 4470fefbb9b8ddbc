//! The parts of a domain on which sessions act.

use crate::simulation::answering::Answering;
use crate::simulation::books::Books;
use crate::simulation::events::Events;
use crate::simulation::sending::{Sender, Senders};
use crate::simulation::shared::Shared;
use crate::simulation::stacks::Stacks;

/// Everything in a domain but its sessions.
pub struct Parts<'a> {
    pub shared: &'a Shared,
    pub events: &'a mut Events,
    pub books: &'a mut Books,
    pub senders: &'a mut Senders,
    pub answering: &'a mut Answering,
    pub stacks: &'a mut Stacks,
}

impl Parts<'_> {
    /// The sender of the flow in a slot.
    pub fn sender(&mut self, slot: u32) -> Sender<'_> {
        self.senders.sender(self.shared, slot, self.events, &mut self.books.counters)
    }
}
