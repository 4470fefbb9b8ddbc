//! When a run has been observed long enough: the batch means of what it measures hardly vary any more.

/// Batches into which the samples so far are divided.
const BATCHES: usize = 20;

/// Quantile of Student's t distribution with 19 degrees of freedom: 95 % two-sided.
const T_19: f64 = 2.093;

/// Fewest samples in a batch before a verdict; shorter batches would be correlated (assumed).
const SMALLEST_BATCH: usize = 10;

/// Samples of several quantities, and how closely their means are known.
#[derive(Clone, Debug, Default)]
pub struct Convergence<const N: usize> {
    samples: Vec<[f64; N]>,
}

impl<const N: usize> Convergence<N> {
    /// Adds a sample; tells whether the mean of every quantity is now known to within `tolerance` of itself, with 95 %
    /// confidence by 20 equal batches. The verdict is renewed when the batches become longer.
    pub fn add(&mut self, sample: [f64; N], tolerance: f64) -> bool {
        self.samples.push(sample);
        let batch = self.samples.len() / BATCHES;
        self.samples.len() == batch * BATCHES
            && batch >= SMALLEST_BATCH
            && (0..N).all(|i| self.half_width(i, batch) <= tolerance)
    }

    /// Half of the 95 % confidence interval of the mean of quantity `i`, as a fraction of the mean; infinite where the
    /// mean is 0: nothing has happened yet.
    fn half_width(&self, i: usize, batch: usize) -> f64 {
        let means: Vec<f64> =
            self.samples.chunks(batch).map(|c| c.iter().map(|s| s[i]).sum::<f64>() / batch as f64).collect();
        let mean = means.iter().sum::<f64>() / BATCHES as f64;
        let variance = means.iter().map(|m| (m - mean) * (m - mean)).sum::<f64>() / (BATCHES - 1) as f64;
        if mean == 0.0 { f64::INFINITY } else { T_19 * (variance / BATCHES as f64).sqrt() / mean.abs() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};

    /// Uniform draws on 0 to 2: the standard error of n of them is .577 / sqrt(n), so that 2 % take about 3,650.
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
}
