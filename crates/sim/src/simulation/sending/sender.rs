//! One flow, with everything that its sender changes.

use super::beside::Beside;
use crate::measure::Counters;
use crate::simulation::events::Events;
use crate::simulation::shared::Shared;
use crate::transport::{Flow, Repair};
use mesonet_cc::{Config, Picos};

/// The outcome of an event for a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Outcome {
    Nothing,
    /// Every segment has been acknowledged.
    Completed,
    /// Everything that a player asked for has been acknowledged.
    Delivered,
    /// No SYN was answered.
    GaveUp,
    /// A stack has ended the connection before all data were acknowledged.
    Aborted,
}

impl Outcome {
    /// The outcome of two events, one after the other.
    pub fn or(self, later: Self) -> Self {
        if self == Self::Nothing { later } else { self }
    }
}

/// A flow and what the reactions of its sender change.
pub struct Sender<'a> {
    pub shared: &'a Shared,
    pub slot: u32,
    pub now: Picos,
    pub flow: &'a mut Flow,
    /// Constants of its algorithm.
    pub config: &'a Config,
    /// State of recovery; without meaning where the rules are plain.
    pub repair: &'a mut Repair,
    pub beside: &'a mut Beside,
    pub events: &'a mut Events,
    pub counters: &'a mut Counters,
}
