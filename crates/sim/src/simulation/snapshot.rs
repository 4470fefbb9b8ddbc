//! A simulation as bytes, between two windows, and going on from them.
//!
//! Between two windows all domains stand at the same instant, and every segment that left a domain has been
//! handed over. So a snapshot is the fields that change, one after the other. The rest is built from the
//! scenario as at the start. The number of threads is no part of it.

use super::Simulation;
use super::domain::Domain;
use crate::snapshot::{BadSnapshot, Passage};

impl Simulation {
    /// All that is needed to go on from now, as bytes. Changes nothing: the fields that are listed for both
    /// directions are listed as what can be replaced.
    #[must_use]
    pub fn snapshot(&mut self) -> Vec<u8> {
        let mut passage = Passage::Out(Vec::new());
        self.pass(&mut passage).expect("states can be written");
        match passage {
            Passage::Out(bytes) => bytes,
            Passage::In(_) => unreachable!("written, not read"),
        }
    }

    /// This run in the state of a [`Self::snapshot`], from which it continues without a difference. `self` is
    /// that run at any instant, on any number of threads.
    ///
    /// # Errors
    /// [`BadSnapshot`] where the bytes are no snapshot, or one of another scenario, seed or engine.
    pub fn restored(mut self, snapshot: &[u8]) -> Result<Self, BadSnapshot> {
        let mut passage = Passage::In(snapshot);
        self.pass(&mut passage)?;
        passage.end()?;
        Ok(self)
    }

    fn pass(&mut self, passage: &mut Passage) -> Result<(), BadSnapshot> {
        let Self {
            shared,
            domains,
            threads: _,
            now,
            end,
            sampling,
            records,
            tracing,
            large_files,
            changes,
            watched: _,
        } = self;
        let scenario = serde_json::to_string(&shared.scenario).map_err(|_| BadSnapshot::Broken)?;
        passage.same(&(scenario, shared.seed, domains.len()), BadSnapshot::OtherRun)?;
        passage.each(domains, Domain::pass)?;
        passage.field(now)?;
        passage.field(end)?;
        sampling.pass(passage)?;
        passage.field(records)?;
        tracing.pass(passage)?;
        passage.field(large_files)?;
        changes.pass(passage)
    }
}
