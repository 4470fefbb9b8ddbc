//! The largest of recent values in constant space: the best, second and third best of a sliding window (K.
//! Nichols' filter, Linux `lib/minmax.c`).

use serde::{Deserialize, Serialize};

/// A maximum over a sliding window, measured in whatever `time` counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MaxFilter {
    values: [f64; 3],
    times: [u32; 3],
}

impl MaxFilter {
    /// The largest value; 0 before the first.
    pub fn get(&self) -> f64 {
        self.values[0]
    }

    /// Takes the value of `time`, not before the last one; what is older than `window` is forgotten.
    pub fn add(&mut self, window: u32, time: u32, value: f64) {
        if value >= self.values[0] || time - self.times[2] > window {
            (self.values, self.times) = ([value; 3], [time; 3]);
            return;
        }
        if value >= self.values[1] {
            self.set(1, time, value);
        } else if value >= self.values[2] {
            self.set(2, time, value);
        }
        let age = time - self.times[0];
        if age > window {
            self.forget_best(time, value);
            if time - self.times[0] > window {
                self.forget_best(time, value);
            }
        } else if self.times[1] == self.times[0] && age > window / 4 {
            // A quarter of the window without a second best: take one from what is left of it.
            self.set(1, time, value);
        } else if self.times[2] == self.times[1] && age > window / 2 {
            self.set(2, time, value);
        }
    }

    /// `value` is the best from place `from` on.
    fn set(&mut self, from: usize, time: u32, value: f64) {
        self.values[from..].fill(value);
        self.times[from..].fill(time);
    }

    fn forget_best(&mut self, time: u32, value: f64) {
        self.values = [self.values[1], self.values[2], value];
        self.times = [self.times[1], self.times[2], time];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_a_rise_at_once_and_a_fall_after_the_window() {
        let mut filter = MaxFilter::default();
        let mut add = |time, value| {
            filter.add(10, time, value);
            filter.get()
        };
        assert_eq!([add(1, 5.0), add(2, 9.0), add(3, 4.0)], [5.0, 9.0, 9.0]);
        for time in 4..=12 {
            assert_eq!(add(time, 4.0), 9.0, "round {time}");
        }
        assert_eq!(add(13, 4.0), 4.0);
        assert_eq!(add(14, 6.0), 6.0);
    }

    #[test]
    fn after_a_gap_only_the_newest_value_counts() {
        let mut filter = MaxFilter::default();
        filter.add(10, 0, 9.0);
        filter.add(10, 100, 1.0);
        assert_eq!(filter.get(), 1.0);
    }
}
