//! The model of the path: bandwidth, round-trip time, and what may be in flight.
//!
//! Losses bound both in two ways: for the short term until the next probe, for the long term where a probe
//! lost too much (draft-ietf-ccwg-bbr, section 5.5.10).

use super::Bbr3Config;
use crate::aggregation::Aggregation;
use crate::{AckEvent, Limits, Picos, seconds};
use serde::{Deserialize, Serialize};

/// A bound that is not set: larger than any other.
pub(super) const UNBOUNDED: f64 = f64::MAX;

/// The model of a path. Rates in segments/s, 0 for a round-trip time not known yet.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Model {
    /// Largest delivery rate of the last probing cycle and of this one.
    pub max_bandwidth: [f64; 2],
    pub short_bandwidth: f64,
    pub short_in_flight: f64,
    pub long_in_flight: f64,
    /// Largest rate and delivery of the current round: in 32 bits each, because the largest controller sets
    /// the size of every flow.
    pub latest_bandwidth: f32,
    pub latest_delivered: u32,
    pub min_rtt: Picos,
    min_rtt_stamp: Picos,
    /// Smallest round-trip time since the last time that it was probed.
    pub probe_min_rtt: Picos,
    pub probe_min_rtt_stamp: Picos,
    pub aggregation: Aggregation,
}

impl Model {
    /// The model of a flow that begins at `now` with a round-trip time of `rtt`, 0 where it was not measured.
    pub fn new(now: Picos, rtt: Picos) -> Self {
        Self {
            max_bandwidth: [0.0; 2],
            short_bandwidth: UNBOUNDED,
            short_in_flight: UNBOUNDED,
            long_in_flight: UNBOUNDED,
            latest_bandwidth: 0.0,
            latest_delivered: 0,
            min_rtt: rtt,
            min_rtt_stamp: now,
            probe_min_rtt: rtt,
            probe_min_rtt_stamp: now,
            aggregation: Aggregation::new(now),
        }
    }

    /// Largest delivery rate of two probing cycles (section 5.5.3).
    pub fn max_bandwidth(&self) -> f64 {
        self.max_bandwidth[0].at_least(self.max_bandwidth[1])
    }

    /// The bandwidth that the flow uses (BBRBoundBWForModel, section 5.5.10.3).
    pub fn bandwidth(&self) -> f64 {
        self.max_bandwidth().at_most(self.short_bandwidth)
    }

    /// `gain` times what the path holds, none before the first round-trip time (BBRBDPMultiple, section
    /// 5.6.4.2).
    pub fn product(&self, gain: f64) -> Option<f64> {
        (self.min_rtt > 0).then(|| gain * self.bandwidth() * seconds(self.min_rtt))
    }

    /// Takes the delivery of an acknowledgement into the round (BBRUpdateLatestDeliverySignals, section
    /// 5.5.10.3).
    pub fn update_latest(&mut self, ack: &AckEvent) {
        self.latest_bandwidth = self.latest_bandwidth.max(ack.delivery_rate as f32);
        self.latest_delivered = self.latest_delivered.max(ack.sample.delivered(ack.delivered) as u32);
    }

    /// Starts a round of the latest signals with this acknowledgement (BBRAdvanceLatestDeliverySignals,
    /// section 5.5.10.3).
    pub fn advance_latest(&mut self, ack: &AckEvent) {
        self.latest_bandwidth = ack.delivery_rate as f32;
        self.latest_delivered = ack.sample.delivered(ack.delivered) as u32;
    }

    /// Forgets the latest signals (BBRResetCongestionSignals, section 5.5.10.3).
    pub fn reset_latest(&mut self) {
        (self.latest_bandwidth, self.latest_delivered) = (0.0, 0);
    }

    /// Raises the largest delivery rate of this cycle (BBRUpdateMaxBw, section 5.5.5).
    pub fn update_max_bandwidth(&mut self, ack: &AckEvent) {
        if ack.delivery_rate >= self.max_bandwidth() || !ack.sample.app_limited {
            self.max_bandwidth[1] = self.max_bandwidth[1].at_least(ack.delivery_rate);
        }
    }

    /// Begins a probing cycle (BBRAdvanceMaxBwFilter, section 5.5.6).
    pub fn advance_max_bandwidth(&mut self) {
        self.max_bandwidth = [self.max_bandwidth[1], 0.0];
    }

    /// Bounds the short term after a round outside a probe, with losses or with marks that leave `unmarked`
    /// of what is in flight; the lower bound holds (BBRInitLowerBounds, BBRLossLowerBounds, section 5.5.10.3;
    /// `bbr_ecn_lower_bounds` of Google's tcp_bbr.c).
    pub fn bound_short_term(&mut self, c: &Bbr3Config, cwnd: f64, lost: bool, unmarked: Option<f64>) {
        if !lost && unmarked.is_none() {
            return;
        }
        if self.short_in_flight == UNBOUNDED {
            self.short_in_flight = cwnd;
        }
        let by_marks = unmarked.map_or(UNBOUNDED, |part| part * self.short_in_flight);
        if lost {
            if self.short_bandwidth == UNBOUNDED {
                self.short_bandwidth = self.max_bandwidth();
            }
            self.short_bandwidth = f64::from(self.latest_bandwidth).max(c.beta * self.short_bandwidth);
            self.short_in_flight = f64::from(self.latest_delivered).max(c.beta * self.short_in_flight);
        }
        self.short_in_flight = self.short_in_flight.min(by_marks);
    }

    /// Lifts the bounds of the short term (BBRResetShortTermModel, section 5.5.10.3).
    pub fn unbound_short_term(&mut self) {
        (self.short_bandwidth, self.short_in_flight) = (UNBOUNDED, UNBOUNDED);
    }

    /// Updates both minima of the round-trip time; returns whether it is time to probe it (BBRUpdateMinRTT,
    /// section 5.3.4.3).
    pub fn update_min_rtt(&mut self, c: &Bbr3Config, ack: &AckEvent) -> bool {
        let probe_expired = ack.now > self.probe_min_rtt_stamp + c.probe_rtt_interval;
        if ack.rtt > 0 && (self.probe_min_rtt == 0 || ack.rtt < self.probe_min_rtt || probe_expired) {
            (self.probe_min_rtt, self.probe_min_rtt_stamp) = (ack.rtt, ack.now);
        }
        let expired = ack.now > self.min_rtt_stamp + c.min_rtt_time;
        if self.min_rtt == 0 || self.probe_min_rtt < self.min_rtt || expired {
            (self.min_rtt, self.min_rtt_stamp) = (self.probe_min_rtt, self.probe_min_rtt_stamp);
        }
        probe_expired
    }
}

impl Bbr3Config {
    /// Flight below the long-term bound that leaves room for others (BBRInflightWithHeadroom, section
    /// 5.3.3.6).
    pub(super) fn with_headroom(&self, bound: f64) -> f64 {
        if bound == UNBOUNDED {
            return UNBOUNDED;
        }
        (bound - (self.headroom * bound).max(1.0)).max(self.min_window)
    }

    /// Returns whether more of the flight was lost than the path may lose (IsInflightTooHigh, section
    /// 5.5.10.2).
    pub(super) fn too_high(&self, lost: u32, in_flight: u32) -> bool {
        f64::from(lost) > f64::from(in_flight) * self.loss_threshold
    }

    /// Flight at which the losses passed the threshold, of a flight that lost `lost` up to its last segment
    /// (BBRInflightAtLoss, section 5.5.10.2).
    pub(super) fn flight_at_loss(&self, lost: u32, in_flight: u32) -> f64 {
        let (flight, lost) = (f64::from(in_flight) - 1.0, f64::from(lost) - 1.0);
        flight + ((self.loss_threshold * flight - lost) / (1.0 - self.loss_threshold)).max(0.0)
    }
}

/// The search for the point at which the path is full: three rounds without growth (section 5.3.1.2).
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct FullPipe {
    bandwidth: f32,
    count: u8,
    /// The path has been full since the search began.
    pub now: bool,
    /// The path has been full at some time.
    pub ever: bool,
}

impl FullPipe {
    /// Begins the search anew from `bandwidth` (BBRResetFullBW, section 5.3.1.2).
    pub fn reset(&mut self, bandwidth: f64) {
        (self.bandwidth, self.count, self.now) = (bandwidth as f32, 0, false);
    }

    /// Takes the delivery rate at the end of a round (BBRCheckFullBWReached, section 5.3.1.2).
    pub fn end_round(&mut self, c: &Bbr3Config, ack: &AckEvent) {
        if self.now || ack.sample.app_limited {
            return;
        }
        if ack.delivery_rate >= f64::from(self.bandwidth) * c.full_growth {
            self.reset(ack.delivery_rate);
            return;
        }
        self.count += 1;
        self.now = u32::from(self.count) >= c.full_rounds;
        self.ever |= self.now;
    }
}
