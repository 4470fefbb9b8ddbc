//! Sizes of flows by a distribution: draws, and the mean that turns a load into a rate.

use crate::scenario::Sizes;

/// Terms of the mean of a Pareto distribution that are added each; behind them a closed form is exact to
/// 1e-9.
const EXACT_TERMS: f64 = 100.0;

impl Sizes {
    /// Size at which the cumulative distribution reaches `u`, which is in [0, 1): whole segments, at least
    /// one.
    #[must_use]
    pub fn at(&self, u: f64) -> u64 {
        let size = match self {
            Self::Constant { size } => *size,
            Self::Exponential { mean } => -libm::log(1.0 - u) * mean,
            Self::Pareto { mean, shape } => smallest(*mean, *shape) * libm::exp(-libm::log(1.0 - u) / shape),
            Self::Cdf { points, .. } => interpolated(points, u),
        };
        // 2^53 to the power 1 / shape stays below 2^63 for the sizes that a scenario allows, or is cut there.
        size.ceil().clamp(1.0, 9e18) as u64
    }

    /// Mean of [`Self::at`], segments.
    #[must_use]
    pub fn mean(&self) -> f64 {
        match self {
            Self::Constant { size } => size.ceil().max(1.0),
            // Rounded up it is geometric.
            Self::Exponential { mean } => -1.0 / libm::expm1(-1.0 / mean),
            Self::Pareto { mean, shape } => pareto_mean(smallest(*mean, *shape), *shape),
            Self::Cdf { points, .. } => {
                let first = points[0][1] * points[0][0].ceil().max(1.0);
                let piece = |pair: &[[f64; 2]]| {
                    let ([a, from], [b, to]) = (pair[0], pair[1]);
                    let mean = if b > a { (sum_to(b) - sum_to(a)) / (b - a) } else { b.ceil().max(1.0) };
                    (to - from) * mean
                };
                first + points.windows(2).map(piece).sum::<f64>()
            }
        }
    }
}

/// Smallest value of a Pareto distribution.
fn smallest(mean: f64, shape: f64) -> f64 {
    mean * (shape - 1.0) / shape
}

/// The size at which a distribution that is linear between points reaches `u`.
fn interpolated(points: &[[f64; 2]], u: f64) -> f64 {
    let next = points.partition_point(|point| point[1] <= u).min(points.len() - 1);
    let [size, probability] = points[next];
    let Some([before, from]) = next.checked_sub(1).map(|before| points[before]) else { return size };
    before + (size - before) * (u - from) / (probability - from)
}

/// Integral from 0 to `x` of the smallest whole number that is not below.
fn sum_to(x: f64) -> f64 {
    let whole = x.floor();
    whole * (whole + 1.0) / 2.0 + (x - whole) * (whole + 1.0)
}

/// Mean of a Pareto distribution whose draws are rounded up: the sum over k of the probability of more than
/// k.
fn pareto_mean(smallest: f64, shape: f64) -> f64 {
    let more_than = |k: f64| if k < smallest { 1.0 } else { libm::pow(smallest / k, shape) };
    let first = smallest.floor() + 1.0;
    let mut mean = first;
    let mut k = first;
    while k < first + EXACT_TERMS {
        mean += more_than(k);
        k += 1.0;
    }
    // Euler and Maclaurin: the integral from k on, half of the first term, a twelfth of its derivative.
    mean + more_than(k) * (k / (shape - 1.0) + 0.5 + shape / (12.0 * k))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laws() -> [Sizes; 7] {
        let cdf = |points: &[[f64; 2]]| Sizes::Cdf { name: "test".into(), points: points.to_vec() };
        [
            Sizes::Constant { size: 6.5 },
            Sizes::Exponential { mean: 0.7 },
            Sizes::Exponential { mean: 40.0 },
            Sizes::Pareto { mean: 12.0, shape: 3.5 },
            Sizes::Pareto { mean: 0.3, shape: 4.0 },
            // An atom at the first size, a gap without sizes, an atom inside.
            cdf(&[[2.0, 0.3], [10.0, 0.5], [20.0, 0.5], [30.5, 0.7], [30.5, 0.8], [100.25, 1.0]]),
            cdf(&[[0.0, 0.0], [0.4, 0.25], [7.3, 1.0]]),
        ]
    }

    /// Equally spaced draws: the mean of 10^6 differs from the integral by the last of them only.
    #[test]
    fn the_mean_is_the_mean_of_the_draws() {
        for law in laws() {
            let n = 1_000_000;
            let sum: f64 = (0..n).map(|i| law.at((f64::from(i) + 0.5) / f64::from(n)) as f64).sum();
            let mean = sum / f64::from(n);
            assert!((mean / law.mean() - 1.0).abs() < 1e-4, "{law:?}: {mean} {}", law.mean());
        }
    }

    #[test]
    fn draws_follow_the_points() {
        let law = &laws()[5];
        let sizes = [0.0, 0.29, 0.39, 0.499_999, 0.5, 0.6, 0.75, 0.9].map(|u| law.at(u));
        assert_eq!(sizes, [2, 2, 6, 10, 20, 26, 31, 66]);
        let fine = laws()[6].clone();
        assert_eq!([0.0, 0.2, 0.999_999].map(|u| fine.at(u)), [1, 1, 8]);
    }

    /// A closed form: rounded up, a Pareto distribution with smallest value 1 and shape 2 has the mean 1 +
    /// zeta(2).
    #[test]
    fn a_heavy_tail_has_its_mean() {
        let expected = 1.0 + std::f64::consts::PI * std::f64::consts::PI / 6.0;
        assert!((Sizes::Pareto { mean: 2.0, shape: 2.0 }.mean() - expected).abs() < 1e-9);
    }
}
