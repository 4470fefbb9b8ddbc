//! Flows that may become large files, where these are limited by concurrency.

use crate::measure::{PATH_CLASSES, PathClass};
use crate::network::DomainId;
use crate::simulation::shared::Shared;
use crate::transport::{Flow, FlowState};
use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};

/// A flow of a group that had too few large files under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Candidate {
    pub started: Picos,
    pub source: u32,
    pub transfer: u64,
    pub group: usize,
    pub domain: DomainId,
    pub slot: u32,
}

impl Candidate {
    /// The flow of the candidate while it is in progress, of those in its domain.
    pub fn of<'a>(&self, flows: &'a [Flow]) -> Option<&'a Flow> {
        Some(&flows[self.slot as usize]).filter(|flow| self.is_carried_by(flow))
    }

    /// As [`Self::of`].
    pub fn of_mut<'a>(&self, flows: &'a mut [Flow]) -> Option<&'a mut Flow> {
        Some(&mut flows[self.slot as usize]).filter(|flow| self.is_carried_by(flow))
    }

    fn is_carried_by(&self, flow: &Flow) -> bool {
        let same = flow.source == self.source && flow.transfer == self.transfer;
        same && matches!(flow.state, FlowState::Connecting | FlowState::Sending)
    }
}

/// Candidates of a domain, and the groups that want them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Candidates {
    domain: DomainId,
    /// By group; empty where sizes are drawn.
    pub wanted: Vec<bool>,
    pub found: Vec<Candidate>,
}

impl Candidates {
    /// No group wants any of domain `domain`.
    pub fn new(domain: DomainId) -> Self {
        Self { domain, wanted: Vec::new(), found: Vec::new() }
    }

    /// Notes a flow that starts now, if its group has too few large files.
    pub fn note(&mut self, shared: &Shared, started: Picos, slot: u32, flow: &Flow) {
        if self.wanted.is_empty() {
            return;
        }
        let path = PathClass::of(usize::from(flow.pair_class)) as usize;
        let group =
            (usize::from(flow.algorithm) * PATH_CLASSES + path) * 2 + usize::from(shared.is_fast(flow));
        if self.wanted[group] {
            let (source, transfer, domain) = (flow.source, flow.transfer, self.domain);
            self.found.push(Candidate { started, source, transfer, group, domain, slot });
        }
    }
}
