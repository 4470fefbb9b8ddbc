//! Acknowledgements in bunches: the most that was acknowledged beyond the bandwidth (Linux tcp_bbr.c from
//! 5.1; draft-ietf-ccwg-bbr, section 5.5.9).

use crate::{Picos, seconds};
use serde::{Deserialize, Serialize};

/// Acknowledgements in bunches.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Aggregation {
    /// Since when segments are counted, and how many were acknowledged.
    since: Picos,
    acked: u32,
    /// Largest excess of this window of round trips and of the last one, in 16 bits each as in Linux.
    excess: [u16; 2],
}

impl Aggregation {
    /// Nothing is acknowledged before `now`.
    pub fn new(now: Picos) -> Self {
        Self { since: now, acked: 0, excess: [0; 2] }
    }

    /// Counts from `now` on: the flow was idle.
    pub fn restart(&mut self, now: Picos) {
        (self.since, self.acked) = (now, 0);
    }

    /// `acked` segments were acknowledged at `now`, under the window `cwnd` and at the bandwidth `bandwidth`.
    pub fn add(&mut self, now: Picos, acked: u32, bandwidth: f64, cwnd: f64) {
        let mut due = (bandwidth * seconds(now - self.since)).floor();
        if f64::from(self.acked) <= due {
            self.restart(now);
            due = 0.0;
        }
        self.acked = self.acked.saturating_add(acked);
        let excess = (f64::from(self.acked) - due).min(cwnd) as u16;
        self.excess[0] = self.excess[0].max(excess);
    }

    /// A window of round trips is over.
    pub fn end_window(&mut self) {
        self.excess = [0, self.excess[0]];
    }

    /// Largest excess of this window and of the last one.
    pub fn excess(&self) -> f64 {
        f64::from(self.excess[0].max(self.excess[1]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MILLISECOND;

    #[test]
    fn the_largest_excess_counts_for_two_windows() {
        let mut bunches = Aggregation::new(0);
        // At 1 segment/ms: 8 at once, 4 more after 2 ms (12 - 2), and after 10 ms more than 12 were due.
        for (ms, acked, excess) in [(0, 8, 8.0), (2, 4, 10.0), (13, 3, 10.0)] {
            bunches.add(ms * MILLISECOND, acked, 1000.0, 100.0);
            assert_eq!(bunches.excess(), excess);
        }
        assert_eq!((bunches.since, bunches.acked), (13 * MILLISECOND, 3));
        bunches.add(13 * MILLISECOND, 500, 1000.0, 100.0);
        assert_eq!(bunches.excess(), 100.0, "at most the window");
        bunches.end_window();
        assert_eq!(bunches.excess(), 100.0);
        bunches.end_window();
        assert_eq!(bunches.excess(), 0.0);
    }
}
