//! A simulation as bytes, between two windows, and going on from them.
//!
//! Between two windows all domains stand at the same instant, and every segment that left a domain has been handed
//! over. So a snapshot is the fields that change, one after the other. The rest is built from the scenario as at the
//! start. The number of threads is no part of it.

use super::Simulation;
use super::applications::Feeder;
use super::domain::Domain;
use crate::snapshot::{BadSnapshot, Passage};

impl Simulation {
    /// All that is needed to go on from now, as bytes. Changes nothing: the fields that are listed for both directions
    /// are listed as what can be replaced.
    #[must_use]
    pub fn snapshot(&mut self) -> Vec<u8> {
        let mut passage = Passage::Out(Vec::new());
        self.pass(&mut passage).expect("states can be written");
        match passage {
            Passage::Out(bytes) => bytes,
            Passage::In(_) => unreachable!("written, not read"),
        }
    }

    /// The same run where it was when [`Self::snapshot`] was taken: goes on as if nothing had been between. `self` is
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
            sampled,
            samples,
            periods,
            series,
            records,
            routers,
            long_lived,
            convergence,
            fairness,
            tracing,
            large_files,
            changed,
            delays,
            gone,
            watched: _,
        } = self;
        let scenario = serde_json::to_string(&shared.scenario).map_err(|_| BadSnapshot::Broken)?;
        passage.same(&(scenario, shared.seed, domains.len()), BadSnapshot::OtherRun)?;
        passage.each(domains, Domain::pass)?;
        passage.field(now)?;
        passage.field(end)?;
        passage.field(sampled)?;
        passage.field(samples)?;
        passage.field(periods)?;
        passage.field(series)?;
        passage.field(records)?;
        passage.field(routers)?;
        passage.field(long_lived)?;
        passage.field(convergence)?;
        fairness.pass(passage)?;
        tracing.pass(passage)?;
        passage.field(large_files)?;
        passage.field(changed)?;
        passage.field(delays)?;
        passage.field(gone)
    }
}

impl Domain {
    fn pass(&mut self, passage: &mut Passage) -> Result<(), BadSnapshot> {
        let Self {
            shared: _,
            number: _,
            now,
            fabric,
            timers,
            interfaces,
            flows,
            samplers,
            repairs,
            receivers,
            answering,
            slots,
            dropped_acks,
            sources,
            explicit,
            arrivals,
            feeders,
            receptions,
            early_acks,
            own_slots,
            traced,
            counters,
            ended,
            records,
            groups,
            slowdowns,
            candidates,
            counted,
            next_loss,
            losses,
        } = self;
        debug_assert!(ended.is_empty(), "between windows all are in the books");
        debug_assert!(answering.elsewhere.is_empty() && dropped_acks.elsewhere.is_empty(), "handed over");
        passage.field(now)?;
        fabric.pass(passage)?;
        passage.field(timers)?;
        passage.field(interfaces)?;
        passage.field(flows)?;
        passage.field(samplers)?;
        passage.field(repairs)?;
        passage.field(receivers)?;
        passage.field(answering)?;
        passage.field(slots)?;
        passage.field(dropped_acks)?;
        passage.field(sources)?;
        passage.field(explicit)?;
        passage.field(arrivals)?;
        passage.each(feeders, Feeder::pass)?;
        passage.each(receptions, |watched, passage| match watched {
            Some(watched) => watched.reception.pass(passage),
            None => Ok(()),
        })?;
        passage.field(early_acks)?;
        passage.field(own_slots)?;
        passage.field(traced)?;
        passage.field(counters)?;
        passage.field(records)?;
        passage.field(groups)?;
        passage.field(slowdowns)?;
        passage.field(candidates)?;
        passage.field(counted)?;
        passage.field(next_loss)?;
        passage.field(losses)
    }
}
