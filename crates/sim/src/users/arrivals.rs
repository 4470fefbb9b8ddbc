//! Open-loop arrivals: when flows arrive at each access router, and what they are.

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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// Segments.
    pub size: u64,
    /// Access router of the receiver.
    pub receiver: AccessRouter,
    /// Rank of its user.
    pub rank: f64,
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

    /// Number of the process of an emitter in the scenario.
    #[must_use]
    pub fn process_number(&self, emitter: u32) -> u32 {
        self.list[emitter as usize].process
    }

    /// The process of an emitter in the scenario.
    #[must_use]
    pub fn process<'a>(&self, scenario: &'a Scenario, emitter: u32) -> &'a ArrivalProcess {
        &scenario.arrivals[self.process_number(emitter) as usize]
    }

    /// Time from the arrival before to the `k`-th arrival (from 0) of an emitter; from the start to the
    /// first.
    #[must_use]
    pub fn gap(&self, scenario: &Scenario, network: &Network, emitter: u32, k: u64) -> Picos {
        let mut stream = self.stream(network, emitter, k);
        let process = self.process(scenario, emitter);
        let mut gap = of_mean_one(process.process, process.sigma, &mut stream);
        if k == 0 {
            let place = self.stream(network, emitter, u64::MAX).uniform();
            gap = residual(process.process, process.sigma, gap, place);
        }
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
        Arrival { size, receiver, rank: stream.uniform() }
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

fn of_mean_one(law: Gaps, sigma: f64, stream: &mut Stream) -> f64 {
    match law {
        Gaps::Poisson => stream.exponential(1.0),
        Gaps::Bursty => stream.log_normal(sigma),
    }
}

/// Time from an instant that no arrival chose to the next arrival, of a `gap` of [`of_mean_one`] and a
/// uniform `place` in it. With it the expected number of arrivals is rate times time from the start on; with
/// a whole gap from there, or an arrival there, it is more (Cox 1962, Renewal Theory, sections 2.2 and 5.2).
/// The instant lies in a gap of density x f(x): of a log-normal law with mean 1 that is the gap times
/// exp(sigma^2).
fn residual(law: Gaps, sigma: f64, gap: f64, place: f64) -> f64 {
    match law {
        Gaps::Poisson => gap,
        Gaps::Bursty => place * gap * libm::exp(sigma * sigma),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arrivals in so many mean gaps from the start, a mean over many processes.
    fn carried(law: Gaps, sigma: f64, span: f64, processes: u64) -> f64 {
        let mut arrivals = 0;
        for process in 0..processes {
            let mut stream = Stream::new(7, Purpose::Arrival, process, 0);
            let first = of_mean_one(law, sigma, &mut stream);
            let mut at = residual(law, sigma, first, stream.uniform());
            while at < span {
                arrivals += 1;
                at += of_mean_one(law, sigma, &mut stream);
            }
        }
        arrivals as f64 / processes as f64 / span
    }

    #[test]
    fn processes_carry_what_is_asked_from_the_start_on() {
        for (law, sigma, within) in [
            (Gaps::Poisson, 2.0, 0.02),
            (Gaps::Bursty, 0.0, 0.02),
            (Gaps::Bursty, 1.0, 0.02),
            (Gaps::Bursty, 2.0, 0.05),
            (Gaps::Bursty, 3.0, 0.2),
        ] {
            for span in [0.5, 10.0] {
                let carried = carried(law, sigma, span, 100_000);
                assert!((carried - 1.0).abs() < within, "{law:?} {sigma} {span}: {carried}");
            }
        }
    }
}
