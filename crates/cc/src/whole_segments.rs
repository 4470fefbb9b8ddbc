//! Windows in whole segments, as Linux counts them (`tcp_cong_avoid_ai` of tcp_cong.c).

use serde::{Deserialize, Serialize};

/// Acknowledged segments that have not yet made the window grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credit(u32);

impl Credit {
    /// Whole segments to grow by after `acked` acknowledged ones, where one is due per `per` of them, at
    /// least 1.
    ///
    /// Credit that was collected under a larger `per`, and would now be worth several segments, counts for
    /// one.
    pub fn take(&mut self, per: u32, acked: u32) -> u32 {
        let mut growth = 0;
        if self.0 >= per {
            (self.0, growth) = (0, 1);
        }
        self.0 = self.0.saturating_add(acked);
        growth += self.0 / per;
        self.0 %= per;
        growth
    }

    /// A reduction forgets what was collected.
    pub fn clear(&mut self) {
        self.0 = 0;
    }
}

/// The whole segments of a window, at least 1.
pub fn whole(window: f64) -> u32 {
    window.clamp(1.0, f64::from(u32::MAX)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_segment_per_so_many() {
        let mut credit = Credit::default();
        let growths: Vec<_> = (0..7).map(|_| credit.take(3, 1)).collect();
        assert_eq!(growths, [0, 0, 1, 0, 0, 1, 0]);
        assert_eq!(credit.take(3, 8), 3, "1 was left: 9 make 3");
        assert_eq!(credit.take(3, 2), 0);
        credit.clear();
        assert_eq!(credit.take(3, 2), 0);
    }

    #[test]
    fn a_credit_of_a_slower_time_counts_for_one_segment() {
        let mut credit = Credit::default();
        assert_eq!(credit.take(100, 90), 0);
        assert_eq!(credit.take(10, 1), 1, "not 9");
        assert_eq!(credit, Credit(1));
    }

    #[test]
    fn windows_are_truncated() {
        for (window, segments) in [(0.5, 1), (1.0, 1), (70.99, 70), (1e300, u32::MAX)] {
            assert_eq!(whole(window), segments);
        }
    }
}
