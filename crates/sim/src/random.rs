//! Random streams named by what they are for.
//!
//! A stream is (seed, purpose, source, k-th transfer): what a user does next never depends on how earlier
//! transfers went, so every congestion control meets the same demand (common random numbers).

use mesonet_cc::draw::{Draw, GAMMA, mix};

/// The decisions of a stream.
#[derive(Clone, Copy, Debug)]
pub enum Purpose {
    /// Properties of a source, fixed at creation.
    Source = 1,
    /// Think time, file and receiver of one transfer.
    Transfer = 2,
    /// The choice of recorded flows.
    Record = 3,
    /// Random overhead of a sender.
    Overhead = 4,
    /// Draws of the congestion control of one transfer.
    Control = 5,
    /// Phase of the coarse clock of the host of one transfer.
    Clock = 6,
    /// Signals of a queue discipline.
    Queue = 7,
    /// Luck of segments on a link.
    Link = 8,
    /// Gap, size, receiver and congestion control of one open-loop arrival.
    Arrival = 9,
    /// Gaps between the bursts of an application.
    Application = 10,
    /// Delay of the start of an explicit flow.
    Start = 11,
    /// Port of a connection, by which flows share routes.
    Port = 12,
    /// Congestion control of an explicit flow that names none.
    Algorithm = 13,
    /// Rank of a unit that has a name.
    Unit = 14,
}

/// Stream of random numbers that starts at a mixed key.
#[derive(Clone, Debug)]
pub struct Stream(Draw);

impl Stream {
    /// The stream of `purpose` for the `k`-th transfer of `source`.
    #[must_use]
    pub fn new(seed: u64, purpose: Purpose, source: u64, k: u64) -> Self {
        let mut key = mix(seed.wrapping_add(GAMMA));
        for part in [purpose as u64, source, k] {
            key = mix(key ^ part.wrapping_mul(GAMMA).wrapping_add(GAMMA));
        }
        Self(Draw::new(key))
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        self.0.uniform()
    }

    /// Exponential with the given mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -libm::log(1.0 - self.uniform()) * mean
    }

    /// Log-normal with mean 1 and the given standard deviation of the logarithm (Box and Muller 1958); takes
    /// two numbers.
    pub fn log_normal(&mut self, sigma: f64) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.uniform()));
        let normal = radius * libm::cos(std::f64::consts::TAU * self.uniform());
        libm::exp(sigma * normal - sigma * sigma / 2.0)
    }

    /// Pareto with the given shape and smallest value.
    pub fn pareto(&mut self, shape: f64, smallest: f64) -> f64 {
        smallest * libm::exp(-libm::log(1.0 - self.uniform()) / shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(seed: u64, source: u64, k: u64) -> Stream {
        Stream::new(seed, Purpose::Transfer, source, k)
    }

    /// The values themselves are part of the contract "same seed, same bytes".
    #[test]
    fn pinned() {
        // First output of SplitMix64 from state 0, as published with the generator.
        assert_eq!(Stream(Draw::new(0)).bits(), 0xE220_A839_7B1D_CDAF);
        let mut s = stream(1, 2, 3);
        assert_eq!([s.bits(), s.bits()], [8_766_079_698_387_448_503, 6_583_699_873_225_542_884]);
    }

    #[test]
    fn names_give_different_streams() {
        let firsts = [
            stream(1, 0, 0).bits(),
            stream(2, 0, 0).bits(),
            stream(1, 1, 0).bits(),
            stream(1, 0, 1).bits(),
            Stream::new(1, Purpose::Source, 0, 0).bits(),
        ];
        for i in 0..firsts.len() {
            for j in 0..i {
                assert_ne!(firsts[i], firsts[j]);
            }
        }
    }

    #[test]
    fn first_draws_over_sources_are_uniform_and_uncorrelated() {
        let n = 100_000;
        let draws: Vec<f64> = (0..n).map(|i| stream(7, i, 0).uniform()).collect();
        let mean = draws.iter().sum::<f64>() / n as f64;
        let variance = draws.iter().map(|u| (u - mean) * (u - mean)).sum::<f64>() / n as f64;
        let lag = draws.windows(2).map(|w| (w[0] - mean) * (w[1] - mean)).sum::<f64>() / n as f64;
        // Five standard errors of each estimate.
        assert!((mean - 0.5).abs() < 5.0 * 0.2887 / 316.0, "{mean}");
        assert!((variance - 1.0 / 12.0).abs() < 0.0012, "{variance}");
        assert!(lag.abs() < 5.0 / 12.0 / 316.0, "{lag}");
    }

    #[test]
    fn exponential_and_pareto_means() {
        let n = 200_000;
        let mut s = stream(3, 0, 0);
        let mean = (0..n).map(|_| s.exponential(5.0)).sum::<f64>() / f64::from(n);
        assert!((mean - 5.0).abs() < 0.06, "{mean}");
        // Mean 1, and by the mean of the logarithm -sigma^2 / 2.
        let draws: Vec<f64> = (0..n).map(|_| s.log_normal(0.5)).collect();
        let mean = draws.iter().sum::<f64>() / f64::from(n);
        let of_log = draws.iter().map(|x| libm::log(*x)).sum::<f64>() / f64::from(n);
        assert!((mean - 1.0).abs() < 0.006 && (of_log + 0.125).abs() < 0.006, "{mean} {of_log}");
        // Shape 3, smallest 2: mean 3, finite variance 3.
        let mean = (0..n).map(|_| s.pareto(3.0, 2.0)).sum::<f64>() / f64::from(n);
        assert!((mean - 3.0).abs() < 0.02, "{mean}");
    }
}
