//! Added delays that no queue causes.

use mesonet_cc::draw::Draw;
use mesonet_cc::{MILLISECOND, Picos, SECOND};

/// The law of an added delay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Jitter {
    /// Uniform from 0 to twice the mean.
    Uniform(Picos),
    /// Exponential.
    Exponential(Picos),
    /// The law of Wi-Fi in draft-huitema-ccwg-c4-test: short waits for the medium, and with this probability
    /// a long one.
    Wifi(f64),
}

/// Unit of the short waits of [`Jitter::Wifi`].
const SHORT: Picos = MILLISECOND;
/// Unit of the long waits.
const LONG: Picos = 15 * MILLISECOND / 2;
/// Mean number of units of a short wait.
const SHORT_MEAN: f64 = 1.0;
/// Mean number of units of a long wait, if there is one.
const LONG_MEAN: f64 = 12.0;

/// Mean, s, of the law of Wi-Fi by its own count, without a long wait and with each one.
pub const WIFI_MEANS: [f64; 2] = [0.001, 0.091];

impl Jitter {
    /// The law of Wi-Fi with a mean between [`WIFI_MEANS`], s.
    #[must_use]
    pub fn wifi(mean: f64) -> Self {
        let [least, most] = WIFI_MEANS;
        Self::Wifi((mean - least) / (most - least))
    }

    /// A delay that all but one in 1e16 of its draws stay below: 53 bits of an exponential, and more than 20
    /// short and 60 long waits of Wi-Fi together have such a probability.
    #[must_use]
    pub fn longest(self) -> Picos {
        match self {
            Self::Uniform(mean) => 2 * mean,
            Self::Exponential(mean) => rounded(53.0 * std::f64::consts::LN_2 * mean as f64),
            Self::Wifi(_) => 20 * SHORT + 60 * LONG,
        }
    }

    /// The next delay.
    #[must_use]
    pub fn draw(self, draw: &mut Draw) -> Picos {
        match self {
            Self::Uniform(mean) => rounded(2.0 * draw.uniform() * mean as f64),
            Self::Exponential(mean) => rounded(-libm::log(1.0 - draw.uniform()) * mean as f64),
            Self::Wifi(long) => {
                let short = poisson(draw, SHORT_MEAN);
                let early = if short > 0 { rounded(draw.uniform() * SHORT as f64) } else { 0 };
                let waits = if draw.uniform() < long { poisson(draw, LONG_MEAN) } else { 0 };
                short * SHORT - early + waits * LONG
            }
        }
    }
}

fn rounded(delay: f64) -> Picos {
    // No wait of a link is longer than an hour.
    delay.round().min(3600.0 * SECOND as f64) as Picos
}

/// A number by the law of Poisson, small mean: the product of uniform draws (Knuth).
fn poisson(draw: &mut Draw, mean: f64) -> u64 {
    let end = libm::exp(-mean);
    let (mut product, mut count) = (draw.uniform(), 0);
    while product > end {
        product *= draw.uniform();
        count += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(jitter: Jitter) -> (f64, f64) {
        let n = 200_000;
        let draws: Vec<f64> =
            (0..n).map(|i| jitter.draw(&mut Draw::new(i * 77)) as f64 / MILLISECOND as f64).collect();
        let mean = draws.iter().sum::<f64>() / n as f64;
        let variance = draws.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / n as f64;
        (mean, variance)
    }

    /// Means and variances of the laws, within five standard errors.
    #[test]
    fn moments_are_those_of_the_laws() {
        let (mean, variance) = moments(Jitter::Uniform(3 * MILLISECOND));
        assert!((mean - 3.0).abs() < 0.02 && (variance - 3.0).abs() < 0.04, "{mean} {variance}");
        let (mean, variance) = moments(Jitter::Exponential(3 * MILLISECOND));
        assert!((mean - 3.0).abs() < 0.04 && (variance - 9.0).abs() < 0.3, "{mean} {variance}");
        // N1 has mean and variance 1; r takes .5 ms off with probability 1 - 1/e; N2 is 12 units of 7.5 ms in
        // .0667 of all.
        let long = (7.0 - 1.0) / 90.0;
        let waits = 12.0 * 7.5 * long;
        let expected = 1.0 - 0.5 * (1.0 - libm::exp(-1.0)) + waits;
        let (mean, variance) = moments(Jitter::wifi(0.007));
        let of_waits = 7.5 * 7.5 * (12.0 + 144.0) * long - waits * waits;
        assert!((mean - expected).abs() < 0.3, "{mean} {expected}");
        assert!((variance / of_waits - 1.0).abs() < 0.05, "{variance} {of_waits}");
    }

    #[test]
    fn long_waits_follow_their_law() {
        let n = 100_000;
        let (mut sum, mut squares) = (0.0, 0.0);
        for i in 0..n {
            let count = poisson(&mut Draw::new(i), LONG_MEAN) as f64;
            (sum, squares) = (sum + count, squares + count * count);
        }
        let mean = sum / n as f64;
        let variance = squares / n as f64 - mean * mean;
        assert!((mean - 12.0).abs() < 0.06 && (variance - 12.0).abs() < 0.3, "{mean} {variance}");
    }
}
