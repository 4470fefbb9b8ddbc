//! The origins of flows: the access routers to which acknowledgements return.

use crate::engine::{FlowHome, FlowId};
use crate::network::{AccessGroup, AccessRouter, Network};
use serde::{Deserialize, Serialize};

/// Access routers of sources, by flow. Where acknowledgements pass routers, a number is only used by flows
/// under one access router: what is known of a number holds for all flows that have it, and segments of an
/// earlier one find their way.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Origins {
    /// By group of access routers, then number of the flow in it.
    numbers: Vec<Vec<AccessRouter>>,
    /// Group by access router.
    groups: Vec<AccessGroup>,
    /// By number of a flow with lanes of its own.
    own: Vec<AccessRouter>,
}

impl Origins {
    /// No number is known; `own` are the origins of flows with lanes of their own.
    #[must_use]
    pub fn new(network: &Network, own: Vec<AccessRouter>) -> Self {
        Self {
            numbers: vec![Vec::new(); network.group_count()],
            groups: (0..network.access.len())
                .map(|access| AccessGroup::new(network.group_of(access)))
                .collect(),
            own,
        }
    }

    /// The access router of the source of `flow`.
    #[must_use]
    #[inline]
    pub fn of(&self, flow: FlowId) -> AccessRouter {
        match flow.home() {
            FlowHome::Group(group) => self.numbers[group][flow.number() as usize],
            FlowHome::OwnLanes(own) => self.own[own],
            FlowHome::Stack(_) => unreachable!("stacks answer with packets"),
        }
    }

    /// A number, the one after the last that is known in the group of `access`, is used by flows from there.
    pub fn add(&mut self, access: AccessRouter) {
        self.numbers[self.groups[access.index()].index()].push(access);
    }
}
