//! Slots of flows: the places of their state in a domain, and the numbers by which segments name them.
//!
//! A slot belongs to a group of access routers, or to one access router where acknowledgements pass routers, and has a
//! number in its group for good. Numbers do not depend on how groups are divided into domains; slots do.

use super::shared::Shared;
use crate::engine::FlowId;
use crate::network::{AccessRouter, DomainId};
use serde::{Deserialize, Serialize};

/// The slots of a domain.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Slots {
    /// Free slots, by access router where acknowledgements pass routers, else by group.
    free: Vec<Vec<u32>>,
    /// Slot by group and number; empty in a domain of one group, where they are equal.
    slots: Vec<Vec<u32>>,
    /// Number by slot; empty as well.
    numbers: Vec<u32>,
    /// Number of slots.
    count: u32,
}

impl Slots {
    /// No slot is in use in domain `number`.
    pub fn new(shared: &Shared, number: DomainId) -> Self {
        let network = &shared.network;
        let groups = network.group_count();
        let here = |group: &usize| shared.domains.of[network.anchor(*group)] == number;
        let one = (0..groups).filter(here).count() == 1;
        Self {
            free: vec![Vec::new(); if shared.queued_acks() { network.access.len() } else { groups }],
            slots: if one { Vec::new() } else { vec![Vec::new(); groups] },
            numbers: Vec::new(),
            count: 0,
        }
    }

    /// Takes a slot for a flow from an access router, one that was never used where it `must_be_new`; whether it is a new
    /// one.
    pub fn take(&mut self, shared: &Shared, origin: AccessRouter, must_be_new: bool) -> (u32, bool) {
        let pool = Self::pool(shared, origin);
        if !must_be_new && let Some(slot) = self.free[pool].pop() {
            return (slot, false);
        }
        let slot = self.count;
        self.count += 1;
        if !self.slots.is_empty() {
            let of_group = &mut self.slots[shared.network.group_of(origin.index())];
            self.numbers.push(of_group.len() as u32);
            of_group.push(slot);
        }
        (slot, true)
    }

    /// Gives back the slot of a flow from an access router.
    pub fn release(&mut self, shared: &Shared, origin: AccessRouter, slot: u32) {
        self.free[Self::pool(shared, origin)].push(slot);
    }

    fn pool(shared: &Shared, origin: AccessRouter) -> usize {
        let origin = origin.index();
        if shared.queued_acks() { origin } else { shared.network.group_of(origin) }
    }

    /// The name of flows in a slot of the group.
    pub fn name(&self, group: usize, slot: u32) -> FlowId {
        FlowId::new(group, self.numbers.get(slot as usize).copied().unwrap_or(slot))
    }

    /// The slot of a flow of a group.
    #[inline]
    pub fn of(&self, group: usize, flow: FlowId) -> u32 {
        if self.slots.is_empty() { flow.number() } else { self.slots[group][flow.number() as usize] }
    }
}
