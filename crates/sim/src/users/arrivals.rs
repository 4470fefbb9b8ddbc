//! Open-loop arrivals: when flows arrive at each access router, and what they are.

use super::population::pick;
use crate::network::arrivals::{Arrivals, Origin};
use crate::network::{AccessRouter, Network};
use crate::random::{Purpose, Stream};
use crate::scenario::{ArrivalProcess, Gaps, Scenario};
use mesonet_cc::{Picos, picos};

/// The arrivals of one process at one access router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emitter {
    /// Number of the process in the scenario.
    pub process: u32,
    /// Place of the origin in the process.
    origin: u32,
}

/// A flow that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Segments.
    pub size: u64,
    /// Access router of the receiver.
    pub receiver: AccessRouter,
    /// Index of the congestion control.
    pub algorithm: u8,
}

/// All emitters of a scenario, by process, then origin.
#[derive(Clone, Debug)]
pub struct Emitters {
    seed: u64,
    list: Vec<Emitter>,
}

impl Emitters {
    /// The emitters of a scenario.
    #[must_use]
    pub fn new(network: &Network, seed: u64) -> Self {
        let of = |(process, arrivals): (usize, &Arrivals)| {
            let emitter = move |origin| Emitter { process: process as u32, origin };
            (0..arrivals.origins.len() as u32).map(emitter).collect::<Vec<_>>()
        };
        Self { seed, list: network.arrivals.iter().enumerate().flat_map(of).collect() }
    }

    /// Number of emitters.
    #[must_use]
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Access router of an emitter.
    #[must_use]
    pub fn access(&self, network: &Network, emitter: u32) -> AccessRouter {
        self.origin(network, emitter).access
    }

    /// The process of an emitter in the scenario.
    #[must_use]
    pub fn process<'a>(&self, scenario: &'a Scenario, emitter: u32) -> &'a ArrivalProcess {
        &scenario.arrivals[self.list[emitter as usize].process as usize]
    }

    /// Time from the arrival before to the `k`-th arrival (from 0) of an emitter.
    #[must_use]
    pub fn gap(&self, scenario: &Scenario, network: &Network, emitter: u32, k: u64) -> Picos {
        let mut stream = self.stream(network, emitter, k);
        let process = self.process(scenario, emitter);
        let gap = match process.process {
            Gaps::Poisson => stream.exponential(1.0),
            Gaps::Bursty => stream.log_normal(process.sigma),
        };
        picos(gap / self.origin(network, emitter).rate)
    }

    /// The `k`-th arrival of an emitter. It does not depend on the law of the gaps.
    #[must_use]
    pub fn arrival(&self, scenario: &Scenario, network: &Network, emitter: u32, k: u64) -> Arrival {
        let mut stream = self.stream(network, emitter, k);
        // The first two numbers are the gap.
        stream.bits();
        stream.bits();
        let process = self.process(scenario, emitter);
        let size = process.sizes.at(stream.uniform());
        let arrivals = &network.arrivals[self.list[emitter as usize].process as usize];
        let receiver = arrivals.target(self.origin(network, emitter), stream.uniform());
        let draw = stream.uniform();
        let named = |name: &String| scenario.algorithms.iter().position(|a| a.name == *name);
        let algorithm = match &process.algorithm {
            Some(name) => named(name).expect("checked") as u8,
            None => pick(draw, scenario.algorithms.iter().map(|a| a.share)),
        };
        Arrival { size, receiver, algorithm }
    }

    fn origin<'a>(&self, network: &'a Network, emitter: u32) -> &'a Origin {
        let Emitter { process, origin } = self.list[emitter as usize];
        &network.arrivals[process as usize].origins[origin as usize]
    }

    /// Named by process and access router, so that other processes and routers do not change it.
    fn stream(&self, network: &Network, emitter: u32, k: u64) -> Stream {
        let Emitter { process, .. } = self.list[emitter as usize];
        let name = (u64::from(process) << 32) | self.access(network, emitter).index() as u64;
        Stream::new(self.seed, Purpose::Arrival, name, k)
    }
}
