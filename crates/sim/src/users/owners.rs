//! Users to whom flows belong: what tables call them, and where they are.

use super::files::{ARRIVAL, EXPLICIT};
use super::units::home_end;
use crate::network::{AccessRouter, Wiring};
use crate::scenario::{Scenario, UNNAMED_USERS, Unit};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A user, without its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum User {
    /// The source with this number.
    Source(u32),
    /// The user of some explicit flows, by the number of the first of them.
    Explicit(u32),
    /// The home: of arrivals, and of transfers where homes or places take algorithms as a whole.
    Home,
}

/// To whom a flow belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Owner {
    user: User,
    /// Access router where the user is: of a source its own, else the home end of the flow.
    pub home: AccessRouter,
    /// The first access router whose kind of access is the kind of the home end.
    pub access: AccessRouter,
}

/// The users of a run.
#[derive(Clone, Debug)]
pub struct Owners {
    /// Number of users' sources, which is the number of the first explicit flow.
    sources: u32,
    /// Transfers belong to homes, not to their sources.
    by_home: bool,
    /// By explicit flow: the name of its user, and the number of the first flow of this user.
    explicit: Vec<(String, u32)>,
    /// By access router: the router of its place.
    places: Vec<usize>,
    /// By access router: the first one with the same kind of access.
    kinds: Vec<AccessRouter>,
}

impl Owners {
    /// The users of a scenario with so many sources.
    #[must_use]
    pub fn new(scenario: &Scenario, wiring: &Wiring, sources: u32) -> Self {
        let [.., of_flow] = UNNAMED_USERS;
        let mut first = BTreeMap::new();
        let explicit = (0..).zip(&scenario.flows).map(|(number, flow)| {
            let name = flow.user.clone().unwrap_or_else(|| format!("{of_flow}{}", number + 1));
            let first = *first.entry(name.clone()).or_insert(number);
            (name, first)
        });
        let explicit = explicit.collect();
        let mut first = BTreeMap::new();
        let accesses = (0..wiring.access.len()).map(AccessRouter::new);
        let kinds = accesses.map(|access| *first.entry(wiring.access_kind(access)).or_insert(access));
        let kinds = kinds.collect();
        let by_home = matches!(scenario.users.assignment, Unit::Home | Unit::Place);
        Self { sources, by_home, explicit, places: wiring.places(), kinds }
    }

    /// The owner of a flow, by its category, the number of its source and the access routers of both ends.
    #[must_use]
    pub fn of(&self, wiring: &Wiring, category: u8, source: u32, [from, to]: [AccessRouter; 2]) -> Owner {
        let end = home_end(wiring, category, from, to);
        let (user, home) = match category {
            EXPLICIT => (User::Explicit(self.explicit[(source - self.sources) as usize].1), end),
            ARRIVAL => (User::Home, end),
            _ if self.by_home => (User::Home, end),
            _ => (User::Source(source), from),
        };
        Owner { user, home, access: self.kinds[end.index()] }
    }

    /// Name of the user.
    #[must_use]
    pub fn name(&self, wiring: &Wiring, owner: &Owner) -> String {
        let [of_source, of_home, _] = UNNAMED_USERS;
        match owner.user {
            User::Source(number) => format!("{of_source}{number}"),
            User::Explicit(number) => self.explicit[number as usize].0.clone(),
            User::Home => format!("{of_home}{}", wiring.access_name(owner.home)),
        }
    }

    /// Name of the point of presence above an access router; else of the backbone router of its region, else
    /// of the router itself.
    #[must_use]
    pub fn place<'a>(&self, wiring: &'a Wiring, access: AccessRouter) -> &'a str {
        &wiring.topology.routers[self.places[access.index()]].name
    }
}
