//! Movies and service packs that are limited by concurrency: a group of flows that has too few under way starts one.
//!
//! A group is a path class, an interface rate and an algorithm. Its flows are spread over all domains, so the numbers
//! under way are compared at fixed instants, between windows. Domains note the flows that start in groups with too few.
//! At the next instant the first of these become movies, then service packs, while they still have segments to send.
//! The result depends neither on the partition of the network nor on threads.

use super::Simulation;
use super::domain::Domain;
use super::shared::Shared;
use super::windows::exchange_updates;
use crate::measure::{PATH_CLASSES, PathClass};
use crate::network::DomainId;
use crate::scenario::LargeFiles;
use crate::transport::{Flow, FlowState};
use crate::users::files::{MOVIE, SERVICE_PACK};
use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};

/// Time between two comparisons (chosen: shorter than the connection and first round trip of nearly every flow, and less
/// than a hundredth of a service pack).
const EVERY: Picos = 10_000_000_000;

/// Categories in the order in which flows become them.
const CATEGORIES: [u8; 2] = [MOVIE, SERVICE_PACK];

/// A flow of a group that had too few large files under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Candidate {
    started: Picos,
    source: u32,
    transfer: u64,
    group: usize,
    domain: DomainId,
    slot: u32,
}

/// Candidates of a domain, and the groups that want them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Candidates {
    /// By group; empty where sizes are drawn.
    wanted: Vec<bool>,
    found: Vec<Candidate>,
}

/// Large files under way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Concurrent {
    /// Most of each of [`CATEGORIES`] in a group.
    most: [usize; 2],
    /// By group and category.
    under_way: Vec<[Vec<Candidate>; 2]>,
    /// Next comparison.
    pub next: Picos,
}

impl Concurrent {
    /// Returns the state at the start; none where sizes are drawn, or no large file has a probability.
    pub fn new(shared: &Shared) -> Option<Self> {
        let users = &shared.scenario.users;
        let most = [
            (users.movie_probability, users.concurrent_movies),
            (users.service_pack_probability, users.concurrent_service_packs),
        ]
        .map(|(probability, number)| if probability > 0.0 { number as usize } else { 0 });
        if users.large_files == LargeFiles::Drawn || shared.population.count == 0 || most == [0, 0] {
            return None;
        }
        let groups = 2 * PATH_CLASSES * shared.configs.len();
        Some(Self { most, under_way: vec![Default::default(); groups], next: 0 })
    }
}

impl Simulation {
    /// Replaces large files that have ended by flows that started since the last comparison.
    pub(super) fn replace_large_files(&mut self) {
        let Some(mut large) = self.large_files.take() else { return };
        let domains = &mut self.domains;
        let mut found: Vec<Candidate> =
            domains.iter_mut().flat_map(|d| d.candidates.found.drain(..)).collect();
        found.sort_unstable();
        for files in large.under_way.iter_mut().flatten() {
            files.retain(|file| domains[file.domain.index()].carries(file).is_some());
        }
        for candidate in found {
            let group = &mut large.under_way[candidate.group];
            let lacks = |place: &usize| group[*place].len() < large.most[*place];
            let Some(place) = (0..CATEGORIES.len()).find(lacks) else { continue };
            if domains[candidate.domain.index()].enlarge(&candidate, CATEGORIES[place]) {
                group[place].push(candidate);
            }
        }
        let wants = |group: &[Vec<Candidate>; 2]| {
            group.iter().zip(large.most).any(|(files, most)| files.len() < most)
        };
        let wanted: Vec<bool> = large.under_way.iter().map(wants).collect();
        domains.iter_mut().for_each(|domain| domain.candidates.wanted.clone_from(&wanted));
        exchange_updates(&mut domains.iter_mut().collect::<Vec<_>>());
        large.next += EVERY;
        self.large_files = Some(large);
    }
}

impl Domain {
    /// Notes a flow that starts, if its group has too few large files.
    pub(super) fn note_candidate(&mut self, slot: u32) {
        if self.candidates.wanted.is_empty() {
            return;
        }
        let flow = &self.flows[slot as usize];
        let path = PathClass::of(usize::from(flow.pair_class)) as usize;
        let group = (usize::from(flow.algorithm) * PATH_CLASSES + path) * 2 + usize::from(self.is_fast(flow));
        if self.candidates.wanted[group] {
            let (source, transfer) = (flow.source, flow.transfer);
            let candidate =
                Candidate { started: self.now, source, transfer, group, domain: self.number, slot };
            self.candidates.found.push(candidate);
        }
    }

    /// Returns the flow of a candidate while it is in progress.
    fn carries(&self, candidate: &Candidate) -> Option<&Flow> {
        let flow = &self.flows[candidate.slot as usize];
        let same = flow.source == candidate.source && flow.transfer == candidate.transfer;
        (same && matches!(flow.state, FlowState::Connecting | FlowState::Sending)).then_some(flow)
    }

    /// Gives a flow a file of another category, unless it has sent its last segment. Returns whether it has the file.
    fn enlarge(&mut self, candidate: &Candidate, category: u8) -> bool {
        let Some(flow) = self.carries(candidate).filter(|flow| flow.board.next() < flow.end) else {
            return false;
        };
        let size = self.shared.population.size(flow.source, flow.transfer, category);
        let size = self.jumbo(size, candidate.started, flow.origin, flow.receiver);
        let flow = &mut self.flows[candidate.slot as usize];
        flow.category = category;
        flow.resize(size);
        self.announce_end(candidate.slot);
        true
    }
}
