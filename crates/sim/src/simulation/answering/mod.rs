//! The receivers of a domain: those that delay acknowledgements which pass routers, and those that are
//! watched.

mod hosts;
mod watched;

pub use watched::{Watched, take_arrivals};

use crate::network::DomainId;
use crate::simulation::shared::Shared;
use crate::snapshot::{BadSnapshot, Passage};
use hosts::Hosts;

/// The receivers of a domain.
#[derive(Clone, Debug)]
pub struct Answering {
    pub hosts: Hosts,
    /// Receivers here that are watched, by the number of their flow among those that have lanes of their own.
    pub watched: Vec<Option<Box<Watched>>>,
}

impl Answering {
    /// No segment has arrived in domain `number`.
    pub fn new(shared: &Shared, number: DomainId) -> Self {
        Self { hosts: Hosts::default(), watched: watched::in_domain(shared, number) }
    }

    /// Writes or replaces what changes during a run.
    pub fn pass(&mut self, passage: &mut Passage) -> Result<(), BadSnapshot> {
        let Self { hosts, watched } = self;
        debug_assert!(hosts.elsewhere.is_empty());
        passage.field(hosts)?;
        passage.each(watched, |watched, passage| match watched {
            Some(watched) => watched.reception.pass(passage),
            None => Ok(()),
        })
    }
}
