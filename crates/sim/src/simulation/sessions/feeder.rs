//! An application of an explicit flow, where its sender is.

use crate::applications::Producer;
use crate::network::AccessRouter;
use crate::simulation::shared::Shared;
use crate::snapshot::{BadSnapshot, Passage};
use mesonet_cc::{Picos, picos};
use serde::{Deserialize, Serialize};

/// An application whose sender is in a domain.
#[derive(Clone, Debug)]
pub struct Feeder {
    /// Place of its flow among the explicit flows of the domain.
    pub place: u32,
    /// Number of its flow among those with lanes of their own.
    pub own: usize,
    /// Access router of its receiver.
    pub receiver: AccessRouter,
    /// Time that a segment occupies its interface.
    pub interface_time: Picos,
    pub producer: Producer,
    /// The sender, where it sends datagrams.
    pub datagrams: Option<Datagrams>,
}

/// A sender of datagrams: what the application hands over leaves as fast as the interface allows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Datagrams {
    /// Segments sent.
    pub next: u64,
    /// Segments handed over.
    pub end: u64,
    /// When the interface is free again.
    pub free: Picos,
    /// An event for the interface is pending.
    pub is_armed: bool,
    /// Segments sent and segments dropped, by measured period from 1; the first has what lies outside of
    /// them.
    pub counts: Vec<[u64; 2]>,
}

/// Place of a count.
pub const SENT: usize = 0;
pub const DROPPED: usize = 1;

impl Feeder {
    /// The application of the explicit flow `index`, at `place` in its domain, if it has one.
    pub fn new(shared: &Shared, place: u32, index: u32) -> Option<Self> {
        let flow = &shared.scenario.flows[index as usize];
        let periods = shared.scenario.time.periods as usize;
        let datagrams = || Datagrams { counts: vec![[0; 2]; periods + 1], ..Datagrams::default() };
        Some(Self {
            place,
            own: shared.own.binary_search_by_key(&index, |own| own.0).ok()?,
            receiver: shared.receiver(index),
            interface_time: picos(1.0 / flow.interface),
            producer: Producer::new(flow, index, shared.seed)?,
            datagrams: (!flow.transport.is_tcp()).then(datagrams),
        })
    }

    /// Segments sent and segments dropped by measured period, where it sends datagrams.
    pub fn counts(&self) -> Option<&[[u64; 2]]> {
        self.datagrams.as_ref().map(|datagrams| &datagrams.counts[1..])
    }

    /// Writes or replaces what changes during a run.
    pub fn pass(&mut self, passage: &mut Passage) -> Result<(), BadSnapshot> {
        let Self { place: _, own: _, receiver: _, interface_time: _, producer, datagrams } = self;
        producer.pass(passage)?;
        passage.field(datagrams)
    }
}
