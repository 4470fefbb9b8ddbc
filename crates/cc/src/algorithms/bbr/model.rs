//! The model of the path: bandwidth, and what the path holds (tcp_bbr.c).

use super::{Bbr, BbrConfig, Mode};
use crate::{AckEvent, seconds};

impl Bbr {
    /// The bandwidth in use, segments/s (bbr_bw).
    pub(super) fn bandwidth(&self) -> f64 {
        if self.long_term.used { self.long_term.bandwidth } else { self.bandwidth.get() }
    }

    /// Segments that the path holds at `gain` times `bandwidth` (bbr_bdp).
    pub(super) fn product(&self, bandwidth: f64, gain: f64) -> f64 {
        if self.min_rtt == 0 {
            self.window.initial()
        } else {
            (gain * bandwidth * seconds(self.min_rtt)).ceil()
        }
    }

    /// So many segments and room for bursts (bbr_quantization_budget).
    pub(super) fn with_bursts(&self, c: &BbrConfig, segments: f64) -> f64 {
        let even = ((segments + 3.0 * c.burst(self.pacing_rate)) / 2.0).ceil() * 2.0;
        if self.mode == Mode::ProbeBw && self.phase == 0 { even + c.probe_extra } else { even }
    }

    /// Segments in flight at `gain` times the largest bandwidth, with room for bursts (bbr_inflight).
    pub(super) fn target(&self, c: &BbrConfig, gain: f64) -> f64 {
        self.with_bursts(c, self.product(self.bandwidth.get(), gain))
    }

    /// Starts a round where the last one is over, and takes the delivery rate into the bandwidth
    /// (bbr_update_bw).
    pub(super) fn update_bandwidth(&mut self, c: &BbrConfig, ack: &AckEvent) {
        self.round_start = false;
        if ack.sample.interval == 0 {
            return;
        }
        if ack.sample.prior_delivered >= self.round_end {
            self.round_end = ack.delivered;
            self.rounds += 1;
            self.round_start = true;
            self.recovery.end_round();
        }
        if c.long_term {
            self.sample_long_term(c, ack.lost > 0, self.round_start, ack.sample.app_limited);
        }
        if !self.tainted && (!ack.sample.app_limited || ack.delivery_rate >= self.bandwidth.get()) {
            self.bandwidth.add(c.bandwidth_rounds, self.rounds, ack.delivery_rate);
        }
    }

    /// The bandwidth has not grown enough for some rounds: the pipe is full (bbr_check_full_bw_reached).
    pub(super) fn check_full(&mut self, c: &BbrConfig, ack: &AckEvent) {
        if self.full || !self.round_start || ack.sample.app_limited {
            return;
        }
        let bandwidth = self.bandwidth.get();
        if bandwidth >= self.full_bandwidth * c.full_growth {
            (self.full_bandwidth, self.full_count) = (bandwidth, 0);
            return;
        }
        self.full_count += 1;
        self.full = u32::from(self.full_count) >= c.full_rounds;
    }

    /// Room for acknowledgements that come in bunches (bbr_ack_aggregation_cwnd).
    pub(super) fn aggregated(&self, c: &BbrConfig) -> f64 {
        if c.extra_acked_gain == 0.0 || !self.full {
            return 0.0;
        }
        let most = (self.bandwidth() * c.extra_acked_time).floor();
        (c.extra_acked_gain * self.aggregation.excess()).floor().min(most)
    }

    /// Counts an acknowledgement among those that come in bunches (bbr_update_ack_aggregation).
    #[cold]
    pub(super) fn update_aggregation(&mut self, c: &BbrConfig, ack: &AckEvent) {
        if ack.sample.interval == 0 {
            return;
        }
        if self.round_start && self.rounds % c.extra_acked_rounds == 0 {
            self.aggregation.end_window();
        }
        self.aggregation.add(ack.now, ack.acked, self.bandwidth(), self.window.cwnd());
    }
}
