//! Random numbers: SplitMix64 (Steele, Lea and Flood 2014), one word of state.

use serde::{Deserialize, Serialize};

/// Step of the state.
pub const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// Mixes the bits of a state.
#[must_use]
pub const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A stream of random numbers that goes on from draw to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draw(u64);

impl Draw {
    /// The stream called `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        mix(self.0)
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// A number from 0 to `count` - 1, all equally likely.
    pub fn below(&mut self, count: u32) -> u32 {
        (self.uniform() * f64::from(count)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First output of SplitMix64 from state 0, as published with the generator, in its upper 53 bits.
    #[test]
    fn pinned() {
        let expected = (0xE220_A839_7B1D_CDAF_u64 >> 11) as f64 / 9_007_199_254_740_992.0;
        assert_eq!(Draw::new(0).uniform(), expected);
    }

    #[test]
    fn all_numbers_below_come_up_alike() {
        let (mut draw, mut counts) = (Draw::new(1), [0; 7]);
        for _ in 0..7000 {
            counts[draw.below(7) as usize] += 1;
        }
        assert!(counts.iter().all(|c| (850..1150).contains(c)), "{counts:?}");
    }
}
