//! Movies and service packs that are limited by concurrency: a group of flows that has too few under way
//! starts one.
//!
//! A group is a path class, an interface rate and an algorithm. Its flows are spread over all domains, so the
//! numbers under way are compared at fixed instants, between windows. Domains note the flows that start in
//! groups with too few. At the next instant the first of these become movies, then service packs, while they
//! still have segments to send. The result depends neither on the partition of the network nor on threads.

use super::books::Candidate;
use super::domain::Domain;
use super::shared::Shared;
use super::windows::exchange_updates;
use crate::measure::PATH_CLASSES;
use crate::scenario::LargeFiles;
use crate::users::files::{MOVIE, SERVICE_PACK};
use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};

/// Time between two comparisons (chosen: shorter than the connection and first round trip of nearly every
/// flow, and less than a hundredth of a service pack).
const EVERY: Picos = 10_000_000_000;

/// Categories in the order in which flows become them.
const CATEGORIES: [u8; 2] = [MOVIE, SERVICE_PACK];

/// Large files under way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Concurrent {
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

    /// Replaces large files that have ended by flows that started since the last comparison.
    pub fn replace(&mut self, shared: &Shared, domains: &mut [Domain]) {
        let mut found: Vec<Candidate> =
            domains.iter_mut().flat_map(|domain| domain.books.candidates.found.drain(..)).collect();
        found.sort_unstable();
        for files in self.under_way.iter_mut().flatten() {
            files.retain(|file| file.of(&domains[file.domain.index()].senders.flows).is_some());
        }
        for candidate in found {
            let group = &mut self.under_way[candidate.group];
            let lacks = |place: &usize| group[*place].len() < self.most[*place];
            let Some(place) = (0..CATEGORIES.len()).find(lacks) else { continue };
            let domain = &mut domains[candidate.domain.index()];
            // The last event of a domain depends on the partition.
            domain.events.now = domain.events.now.max(self.next);
            if enlarge(shared, domain, &candidate, CATEGORIES[place]) {
                group[place].push(candidate);
            }
        }
        let wants =
            |group: &[Vec<Candidate>; 2]| group.iter().zip(self.most).any(|(files, most)| files.len() < most);
        let wanted: Vec<bool> = self.under_way.iter().map(wants).collect();
        domains.iter_mut().for_each(|domain| domain.books.candidates.wanted.clone_from(&wanted));
        exchange_updates(&mut domains.iter_mut().collect::<Vec<_>>());
        self.next += EVERY;
    }
}

/// Gives a flow a file of another category, unless it has sent its last segment. Returns whether it has the
/// file.
fn enlarge(shared: &Shared, domain: &mut Domain, candidate: &Candidate, category: u8) -> bool {
    let Domain { events, senders, answering, .. } = domain;
    let Some(flow) = candidate.of_mut(&mut senders.flows).filter(|flow| flow.board.next() < flow.end) else {
        return false;
    };
    let size = shared.population.size(flow.source, flow.transfer, category);
    let size = shared.jumbo(size, candidate.started, flow.origin, flow.receiver);
    flow.category = category;
    flow.resize(size);
    answering.hosts.announce_end(shared, events, flow);
    true
}
