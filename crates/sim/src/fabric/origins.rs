//! The origins of flows: the access routers to which acknowledgements return.

use crate::engine::{FlowHome, FlowId};
use crate::network::{Domains, Network};
use serde::{Deserialize, Serialize};

/// Access routers of sources, by flow. Where acknowledgements pass routers, a slot is only used by flows under one access
/// router: what is known of a slot holds for all flows in it, and segments of an earlier one find their way.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Origins {
    /// Access index by domain, then slot.
    slots: Vec<Vec<u16>>,
    /// Domain by group of access routers.
    domains: Vec<u16>,
    /// Access index by number of a flow with lanes of its own.
    own: Vec<u16>,
}

impl Origins {
    /// No slot is known; `own` are the origins of flows with lanes of their own.
    #[must_use]
    pub fn new(network: &Network, domains: &Domains, own: Vec<u16>) -> Self {
        let of_group = |group| domains.of[network.anchor(group)];
        Self {
            slots: vec![Vec::new(); domains.count],
            domains: (0..network.group_count()).map(of_group).collect(),
            own,
        }
    }

    /// The access index of the source of `flow`.
    #[must_use]
    #[inline]
    pub fn of(&self, flow: FlowId) -> u16 {
        match flow.home() {
            FlowHome::Group(group) => self.slots[usize::from(self.domains[group])][flow.slot() as usize],
            FlowHome::OwnLanes(own) => self.own[own],
        }
    }

    /// A slot of a domain, the one after the last that is known, is used by flows from `access`.
    pub fn add(&mut self, domain: usize, access: u16) {
        self.slots[domain].push(access);
    }
}
