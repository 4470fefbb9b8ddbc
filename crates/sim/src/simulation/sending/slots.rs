//! Slots of flows: the places of their state in a domain, and the numbers by which segments name them.
//!
//! A slot belongs to a group of access routers, or to one access router where acknowledgements pass routers,
//! and has a number in its group for good. Numbers do not depend on how groups are divided into domains;
//! slots do.

use crate::engine::{FlowHome, FlowId, MOST_SLOTS};
use crate::network::{AccessRouter, DomainId};
use crate::simulation::shared::Shared;
use serde::{Deserialize, Serialize};

/// The slots of a domain.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Slots {
    /// Free slots, by access router where acknowledgements pass routers, else by group.
    free: Vec<Vec<u32>>,
    /// Slot by group and number; empty in a domain of one group, where they are equal.
    slots: Vec<Vec<u32>>,
    /// Number by slot; empty as well.
    numbers: Vec<u32>,
    /// Slot by number of a flow that has lanes of its own.
    own: Vec<u32>,
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
            own: vec![0; shared.own.len()],
            count: 0,
        }
    }

    /// Takes a slot for a flow from an access router: one that was never used where it `must_be_new`. `own`
    /// is its number among the flows with lanes of their own. Returns the slot, and the name of the flow.
    pub fn take(
        &mut self,
        shared: &Shared,
        origin: AccessRouter,
        must_be_new: bool,
        own: Option<usize>,
    ) -> (u32, FlowId) {
        let pool = Self::pool(shared, origin);
        let free = if must_be_new { None } else { self.free[pool].pop() };
        let group = shared.network.group_of(origin.index());
        let slot = free.unwrap_or_else(|| self.add(group));
        let Some(own) = own else {
            return (slot, FlowId::new(group, self.numbers.get(slot as usize).copied().unwrap_or(slot)));
        };
        self.own[own] = slot;
        (slot, FlowId::own(own))
    }

    /// Adds a slot of the group.
    fn add(&mut self, group: usize) -> u32 {
        let slot = self.count;
        assert!((slot as usize) < MOST_SLOTS, "more sources in a domain than were checked");
        self.count += 1;
        if !self.slots.is_empty() {
            let of_group = &mut self.slots[group];
            self.numbers.push(of_group.len() as u32);
            of_group.push(slot);
        }
        slot
    }

    /// Gives back the slot of a flow from an access router.
    pub fn release(&mut self, shared: &Shared, origin: AccessRouter, slot: u32) {
        self.free[Self::pool(shared, origin)].push(slot);
    }

    fn pool(shared: &Shared, origin: AccessRouter) -> usize {
        let origin = origin.index();
        if shared.queued_acks() { origin } else { shared.network.group_of(origin) }
    }

    /// The slot of a flow.
    #[inline(always)]
    pub fn of(&self, flow: FlowId) -> u32 {
        match flow.home() {
            FlowHome::Group(_) if self.slots.is_empty() => flow.number(),
            FlowHome::Group(group) => self.slots[group][flow.number() as usize],
            FlowHome::OwnLanes(own) => self.own[own],
            FlowHome::Stack(_) => u32::MAX,
        }
    }
}
