//! Sums over a round trip, for plug-ins that act once per round trip.

use super::abi;
use crate::{AckEvent, Picos, seconds};
use serde::{Deserialize, Serialize};

/// Sums over the acknowledgements since a round trip began.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct RoundSums {
    began: Picos,
    pub acked: u32,
    segments: u32,
    pub losses: u32,
    lost: u32,
    ce: u32,
    /// Valid round-trip times: their sum, number and least.
    rtts: u128,
    samples: u32,
    least_rtt: Picos,
    cwnd_limited: bool,
    app_limited: bool,
}

impl RoundSums {
    /// Sums of nothing, from an instant on.
    pub fn from(began: Picos) -> Self {
        Self { began, ..Self::default() }
    }

    /// Adds an acknowledgement.
    pub fn add(&mut self, ack: &AckEvent) {
        self.acked = self.acked.saturating_add(ack.acked);
        self.segments = self.segments.saturating_add(ack.segments);
        self.lost = self.lost.saturating_add(ack.lost);
        self.ce = self.ce.saturating_add(ack.ce);
        if ack.rtt > 0 {
            self.least_rtt = if self.samples == 0 { ack.rtt } else { self.least_rtt.min(ack.rtt) };
            self.rtts += u128::from(ack.rtt);
            self.samples += 1;
        }
        self.cwnd_limited |= ack.cwnd_limited;
        self.app_limited |= ack.app_limited;
    }

    /// The event of the end of the round trip, by the acknowledgement that begins the next one.
    pub fn event(&self, ack: &AckEvent) -> abi::Round {
        let mean = if self.samples == 0 { 0 } else { (self.rtts / u128::from(self.samples)) as Picos };
        abi::Round {
            now: seconds(ack.now),
            interval: seconds(ack.now - self.began),
            rtt: seconds(mean),
            least_rtt: seconds(self.least_rtt),
            min_rtt: seconds(ack.min_rtt),
            srtt: seconds(ack.srtt),
            delivered: ack.delivered - u64::from(ack.segments),
            acked: self.acked,
            lost: self.lost,
            ce: self.ce,
            losses: self.losses,
            in_flight: ack.in_flight,
            in_recovery: ack.in_recovery.into(),
            after_timeout: ack.after_timeout.into(),
            cwnd_limited: self.cwnd_limited.into(),
            app_limited: self.app_limited.into(),
            segments: self.segments,
        }
    }
}
