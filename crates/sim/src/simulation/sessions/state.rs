//! The sessions of a domain.

use super::feeder::Feeder;
use crate::simulation::shared::Shared;
use crate::snapshot::{BadSnapshot, Passage};
use crate::users::Source;
use serde::{Deserialize, Serialize};

/// Causes of flows in a domain.
pub struct Members {
    /// Users' sources, rising by number.
    pub sources: Vec<Source>,
    /// Numbers of explicit flows, rising.
    pub explicit: Vec<u32>,
    /// Numbers of emitters of arrivals, rising.
    pub emitters: Vec<u32>,
}

/// An explicit flow whose source is in a domain.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExplicitHere {
    /// Its number in the scenario.
    pub index: u32,
    /// Its slot while it lives.
    pub slot: Option<u32>,
    /// Segments that had been acknowledged when it ended.
    pub delivered: u64,
}

impl ExplicitHere {
    /// A flow that has not begun.
    pub fn new(index: u32) -> Self {
        Self { index, slot: None, delivered: 0 }
    }
}

/// An emitter whose access router is in a domain.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct ArrivalsHere {
    /// Its number in the scenario.
    pub emitter: u32,
    /// Number of the next arrival.
    pub next: u64,
}

impl ArrivalsHere {
    /// An emitter of which nothing has arrived.
    pub fn new(emitter: u32) -> Self {
        Self { emitter, next: 0 }
    }
}

/// The sessions of a domain.
#[derive(Clone, Debug)]
pub struct Sessions {
    /// Users' sources, rising by number.
    pub sources: Vec<Source>,
    pub explicit: Vec<ExplicitHere>,
    /// Emitters of open-loop arrivals, rising by number.
    pub arrivals: Vec<ArrivalsHere>,
    /// Applications of explicit flows.
    pub feeders: Vec<Feeder>,
}

impl Sessions {
    /// No flow has begun.
    pub fn new(shared: &Shared, members: Members) -> Self {
        let Members { sources, explicit, emitters } = members;
        let feeders = explicit.iter().enumerate();
        Self {
            feeders: feeders.filter_map(|(place, index)| Feeder::new(shared, place as u32, *index)).collect(),
            sources,
            explicit: explicit.into_iter().map(ExplicitHere::new).collect(),
            arrivals: emitters.into_iter().map(ArrivalsHere::new).collect(),
        }
    }

    /// Writes or replaces what changes during a run.
    pub fn pass(&mut self, passage: &mut Passage) -> Result<(), BadSnapshot> {
        let Self { sources, explicit, arrivals, feeders } = self;
        passage.field(sources)?;
        passage.field(explicit)?;
        passage.field(arrivals)?;
        passage.each(feeders, Feeder::pass)
    }
}
