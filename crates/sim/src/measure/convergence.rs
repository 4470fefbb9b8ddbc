//! When a run has been observed long enough: the batch means of what it measures hardly vary any more.

use serde::{Deserialize, Serialize};

/// Batches into which the samples so far are divided.
const BATCHES: usize = 20;

/// Quantile of Student's t distribution with 19 degrees of freedom: 95 % two-sided.
const T_19: f64 = 2.093;

/// Samples in a batch at the first look; each later look is at twice as many, because every look is another
/// chance to stop too early.
const SMALLEST_BATCH: usize = 10;

/// Largest lag-1 correlation of the batch means: where batches are more alike they are too short for their
/// scatter to estimate the error of the mean. Chosen: at .2 at most 6 % of correlated series stop outside the
/// tolerance (see the test); at .315, which 5 % of independent numbers exceed (Anderson 1942), up to 11 % do.
const LARGEST_CORRELATION: f64 = 0.2;

/// Samples of several quantities, and how closely their means are known.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(bound(serialize = "[f64; N]: Serialize", deserialize = "[f64; N]: Deserialize<'de>"))]
pub struct Convergence<const N: usize> {
    samples: Vec<[f64; N]>,
}

impl<const N: usize> Convergence<N> {
    /// Adds a sample; returns whether the mean of every quantity is now known to within `tolerance` of
    /// itself: by the 95 % confidence interval from the means of 20 equal batches, where these are not
    /// correlated. Looks at 200, 400, 800, ... samples only.
    pub fn add(&mut self, sample: [f64; N], tolerance: f64) -> bool {
        self.samples.push(sample);
        let batch = self.samples.len() / BATCHES;
        self.samples.len() == batch * BATCHES
            && batch % SMALLEST_BATCH == 0
            && (batch / SMALLEST_BATCH).is_power_of_two()
            && (0..N).all(|i| self.is_known(i, batch, tolerance))
    }

    /// Returns whether the mean of quantity `i` is known; never where it is 0: nothing has happened yet.
    fn is_known(&self, i: usize, batch: usize, tolerance: f64) -> bool {
        let means: Vec<f64> =
            self.samples.chunks(batch).map(|c| c.iter().map(|s| s[i]).sum::<f64>() / batch as f64).collect();
        let mean = means.iter().sum::<f64>() / BATCHES as f64;
        let squares: f64 = means.iter().map(|m| (m - mean) * (m - mean)).sum();
        let products: f64 = means.windows(2).map(|m| (m[0] - mean) * (m[1] - mean)).sum();
        let half_width = T_19 * (squares / (BATCHES - 1) as f64 / BATCHES as f64).sqrt();
        mean != 0.0 && products <= LARGEST_CORRELATION * squares && half_width <= tolerance * mean.abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};

    /// Uniform draws on 0 to 2: the standard error of n of them is .577 / sqrt(n), so that 2 % take about
    /// 3,650.
    #[test]
    fn stops_when_the_mean_is_known() {
        let mut stream = Stream::new(1, Purpose::Source, 0, 0);
        let mut convergence = Convergence::default();
        let mut count = 0;
        while !convergence.add([2.0 * stream.uniform()], 0.02) {
            count += 1;
            assert!(count < 20_000);
        }
        assert!((1_800..7_500).contains(&count), "{count}");
    }

    #[test]
    fn constants_need_the_smallest_batches_only_and_trends_and_nothing_never_end() {
        let mut constant = Convergence::default();
        let mut until = (1..).find(|_| constant.add([5.0, 3.0], 0.01));
        assert_eq!(until, Some(BATCHES * SMALLEST_BATCH));
        let mut nothing = Convergence::default();
        until = (1..5_000).find(|_| nothing.add([5.0, 0.0], 0.05));
        assert_eq!(until, None);
        let mut trend = Convergence::default();
        until = (1..5_000).find(|n| trend.add([*n as f64], 0.05));
        assert_eq!(until, None);
    }

    /// Counts how often the mean of a correlated series is within the tolerance when the rule stops: 400
    /// series of mean 1 and standard deviation .3, each sample keeping `rho` of the one before.
    #[test]
    fn the_mean_is_as_close_as_said_whatever_the_correlation() {
        for (rho, tolerance) in [(0.0, 0.02), (0.9, 0.02), (0.9, 0.1), (0.98, 0.1)] {
            let mut outside = 0;
            for series in 0..400 {
                let mut stream = Stream::new(series, Purpose::Source, 1, 0);
                // Twelve uniform numbers less 6 are nearly normal with variance 1.
                let mut normal = || (0..12).map(|_| stream.uniform()).sum::<f64>() - 6.0;
                let mut convergence = Convergence::default();
                let (mut state, mut sum, mut count) = (normal(), 0.0, 0.0);
                loop {
                    let sample = 1.0 + 0.3 * state;
                    sum += sample;
                    count += 1.0;
                    if convergence.add([sample], tolerance) {
                        break;
                    }
                    state = rho * state + (1.0f64 - rho * rho).sqrt() * normal();
                }
                outside += usize::from((sum / count - 1.0).abs() > tolerance);
            }
            assert!(outside <= 28, "{outside} of 400 outside at rho {rho}, tolerance {tolerance}");
        }
    }
}
