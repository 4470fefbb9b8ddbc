//! Sources and the choices they make.

use super::files::FileSizes;
use crate::network::pairs::Receivers;
use crate::network::{AccessRouter, Network};
use crate::random::{Purpose, Stream};
use crate::scenario::{Scenario, StartPattern};
use mesonet_cc::Picos;
use mesonet_cc::picos;
use serde::{Deserialize, Serialize};

/// A source: where it is and what is fixed about it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Source {
    /// Its number.
    pub number: u32,
    /// Its access router.
    pub access: AccessRouter,
    /// Its rank among all users.
    pub rank: f64,
    /// Its interface is fast.
    pub fast: bool,
    /// Its patience is finite.
    pub impatient: bool,
    /// Transfers begun.
    pub transfers: u32,
}

/// The next transfer of a source.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    /// Category of the file.
    pub category: u8,
    /// Segments.
    pub size: u64,
    /// Access router of the receiver.
    pub receiver: AccessRouter,
    /// Slower of both interfaces, segments/s.
    pub rate: f64,
}

/// The distributions that sources draw from.
#[derive(Clone, Debug)]
pub struct Population {
    /// Number of sources.
    pub count: u32,
    seed: u64,
    think_time: f64,
    files: FileSizes,
    fast_probability: f64,
    rates: [f64; 2],
    start: StartPattern,
    receivers: Receivers,
}

/// Numbers that a source draws: for its interface, its rank, and for its patience.
fn draws_of_source(seed: u64, number: u32) -> [f64; 3] {
    let mut stream = Stream::new(seed, Purpose::Source, u64::from(number), 0);
    std::array::from_fn(|_| stream.uniform())
}

/// Rank that a source draws.
#[must_use]
pub fn rank_of_source(seed: u64, number: u32) -> f64 {
    draws_of_source(seed, number)[1]
}

/// The first quarter of an early start connects within this, s (assumed: avoids a phase-locked burst).
const EARLY_JITTER: f64 = 0.2;

impl Population {
    /// The population of a scenario.
    #[must_use]
    pub fn new(scenario: &Scenario, network: &Network, seed: u64) -> Self {
        let users = &scenario.users;
        let traffic = &network.traffic;
        Self {
            count: traffic.sources.iter().sum::<u64>() as u32,
            seed,
            think_time: users.think_time,
            files: FileSizes::new(users),
            fast_probability: users.fast_interface_probability,
            rates: [users.normal_interface, users.fast_interface],
            start: users.start,
            receivers: traffic.pairs.receivers(),
        }
    }

    /// Its sources, those under one access router together. What is random about a source comes from its own
    /// stream.
    pub fn sources(&self, scenario: &Scenario, network: &Network) -> impl Iterator<Item = Source> {
        let under = |(access, count): (usize, &u64)| (0..*count).map(move |_| AccessRouter::new(access));
        let places = network.traffic.sources.iter().enumerate().flat_map(under);
        places.zip(0..).map(|(access, number)| {
            let [interface, rank, patience] = draws_of_source(self.seed, number);
            let fast = interface < self.fast_probability;
            let impatient = patience < scenario.users.patience_probability;
            Source { number, access, rank, fast, impatient, transfers: 0 }
        })
    }

    /// When `source` begins its first transfer.
    #[must_use]
    pub fn first_start(&self, source: u32) -> Picos {
        let mut stream = Stream::new(self.seed, Purpose::Source, u64::from(source), 1);
        let (group, draw) = (stream.uniform(), stream.clone().uniform());
        let delay = match self.start {
            StartPattern::HalfEarly if group < 0.25 => draw * EARLY_JITTER,
            StartPattern::HalfEarly if group < 0.5 => stream.exponential(self.think_time / 4.0),
            _ => stream.exponential(self.think_time),
        };
        picos(delay)
    }

    /// Time for which `source` thinks before its `k`-th transfer.
    #[must_use]
    pub fn think(&self, source: u32, k: u64) -> Picos {
        picos(self.stream(source, k).exponential(self.think_time))
    }

    /// The `k`-th transfer of `source`.
    #[must_use]
    pub fn transfer(&self, source: &Source, k: u64) -> Transfer {
        let mut stream = self.stream(source.number, k);
        // The first number of the stream is the think time.
        stream.bits();
        let (category, size) = self.files.draw(&mut stream);
        let receiver_fast = stream.uniform() < self.fast_probability;
        let receiver = self.receivers.draw(source.access, stream.uniform());
        let fast = receiver_fast && source.fast;
        Transfer { category, size, receiver, rate: self.rates[usize::from(fast)] }
    }

    /// The size of the `k`-th file of `source` if it is of a category, segments.
    #[must_use]
    pub fn size(&self, source: u32, k: u64, category: u8) -> u64 {
        let mut stream = self.stream(source, k);
        stream.bits();
        self.files.size(&mut stream, category)
    }

    fn stream(&self, source: u32, k: u64) -> Stream {
        Stream::new(self.seed, Purpose::Transfer, u64::from(source), k)
    }
}
