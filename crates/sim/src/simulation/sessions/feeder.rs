//! An application of an explicit flow, where its sender is.

use crate::applications::{Act, Player, Producer, VideoRecord};
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
    pub application: Application,
    /// The sender, where it sends datagrams.
    pub datagrams: Option<Datagrams>,
}

/// An application that a feeder follows.
#[derive(Clone, Debug)]
pub enum Application {
    /// It follows the scenario and the seed alone.
    Producer(Producer),
    /// It waits for its chunks.
    Player(Box<Player>),
}

impl Application {
    /// The next act and its instant; none where it has stopped, and while a player waits for a chunk.
    pub fn next(&self) -> Option<(Picos, Act)> {
        match self {
            Self::Producer(producer) => producer.next(),
            Self::Player(player) => player.next(),
        }
    }

    /// Moves on to the act after the next one.
    pub fn advance(&mut self) {
        match self {
            Self::Producer(producer) => producer.advance(),
            Self::Player(player) => player.advance(),
        }
    }

    /// Its player.
    pub fn player(&mut self) -> Option<&mut Player> {
        match self {
            Self::Producer(_) => None,
            Self::Player(player) => Some(player),
        }
    }
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
        let player = || Some(Application::Player(Box::new(Player::new(flow, periods)?)));
        let producer = Producer::new(flow, index, shared.seed).map(Application::Producer);
        let datagrams = || Datagrams { counts: vec![[0; 2]; periods + 1], ..Datagrams::default() };
        Some(Self {
            place,
            own: shared.own.binary_search_by_key(&index, |own| own.0).ok()?,
            receiver: shared.receiver(index),
            interface_time: picos(1.0 / flow.interface),
            application: producer.or_else(player)?,
            datagrams: (!flow.transport.is_tcp()).then(datagrams),
        })
    }

    /// Segments sent and segments dropped by measured period, where it sends datagrams.
    pub fn counts(&self) -> Option<&[[u64; 2]]> {
        self.datagrams.as_ref().map(|datagrams| &datagrams.counts[1..])
    }

    /// Playback by measured period at `now`, where it feeds a player.
    pub fn video(&self, shared: &Shared, now: Picos) -> Option<Vec<VideoRecord>> {
        match &self.application {
            Application::Producer(_) => None,
            Application::Player(player) => Some(player.records(now, |at| shared.span_after(at))),
        }
    }

    /// Writes or replaces what changes during a run.
    pub fn pass(&mut self, passage: &mut Passage) -> Result<(), BadSnapshot> {
        let Self { place: _, own: _, receiver: _, interface_time: _, application, datagrams } = self;
        match application {
            Application::Producer(producer) => producer.pass(passage)?,
            Application::Player(player) => player.pass(passage)?,
        }
        passage.field(datagrams)
    }
}
