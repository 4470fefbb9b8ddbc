//! Acknowledgements in bunches, for which Linux makes room in the window (tcp_bbr.c from 5.1).

use super::{Bbr, BbrConfig};
use crate::{AckEvent, Picos, seconds};
use serde::{Deserialize, Serialize};

/// Acknowledgements in bunches.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Aggregation {
    /// Since when segments are counted, and how many were acknowledged.
    pub(super) since: Picos,
    pub(super) acked: u32,
    /// Largest excess of this window of round trips and of the last one, and the round trips of this one.
    pub(super) excess: [u32; 2],
    pub(super) rounds: u8,
}

impl Aggregation {
    /// `acked` segments were acknowledged at `now`, under the window `cwnd` and at the bandwidth `bandwidth`.
    pub(super) fn add(&mut self, now: Picos, acked: u32, bandwidth: f64, cwnd: f64) {
        let expected = |since| (bandwidth * seconds(now - since)).floor();
        let mut due = expected(self.since);
        if f64::from(self.acked) <= due {
            (self.since, self.acked, due) = (now, 0, 0.0);
        }
        self.acked = self.acked.saturating_add(acked);
        let excess = (f64::from(self.acked) - due).min(cwnd) as u32;
        self.excess[0] = self.excess[0].max(excess);
    }

    /// A round trip is over.
    pub(super) fn end_round(&mut self, rounds: u32) {
        self.rounds += 1;
        if u32::from(self.rounds) >= rounds {
            self.rounds = 0;
            self.excess = [0, self.excess[0]];
        }
    }
}

impl Bbr {
    /// Room for acknowledgements that come in bunches (bbr_ack_aggregation_cwnd).
    pub(super) fn aggregated(&self, c: &BbrConfig) -> f64 {
        if c.extra_acked_gain == 0.0 || !self.full {
            return 0.0;
        }
        let [current, last] = self.aggregation.excess;
        let most = (self.bandwidth() * c.extra_acked_time).floor();
        (c.extra_acked_gain * f64::from(current.max(last))).floor().min(most)
    }

    /// Counts an acknowledgement among those that come in bunches (bbr_update_ack_aggregation).
    #[cold]
    pub(super) fn update_aggregation(&mut self, c: &BbrConfig, ack: &AckEvent) {
        if ack.sample.interval == 0 {
            return;
        }
        if self.round_start {
            self.aggregation.end_round(c.extra_acked_rounds);
        }
        self.aggregation.add(ack.now, ack.acked, self.bandwidth(), self.window.cwnd());
    }
}
