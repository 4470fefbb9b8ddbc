//! What the loss-window algorithms share: cwnd, ssthresh, slow start, and what a time-out does to them.

use crate::{AckEvent, LossEvent, SlowStart, Start};
use serde::{Deserialize, Serialize};

/// What a time-out does to cwnd and ssthresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimeoutRule {
    /// RFC 5681: ssthresh = half the window, cwnd = 1.
    Rfc,
    /// The study: ssthresh = max(the algorithm's own reduction, initial window), cwnd = initial window.
    OwnReduction,
}

/// From which quantity a reduction starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WindowBasis {
    /// The congestion window (Linux; preset `sp500_282`).
    Cwnd,
    /// The segments in flight (RFC 5681, RFC 9438; preset `standard`).
    Flight,
}

/// Rules that a scenario sets for all algorithms at once.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Common {
    /// What a time-out does.
    pub timeout: TimeoutRule,
    /// From which quantity a reduction starts.
    pub basis: WindowBasis,
    /// Windows grow only while they limit the flow (RFC 7661).
    pub grow_only_if_cwnd_limited: bool,
    /// Windows never exceed this, segments.
    pub max_cwnd: f64,
}

impl Common {
    /// Whether an acknowledgement may raise the window.
    #[must_use]
    pub fn may_grow(&self, ack: &AckEvent) -> bool {
        !ack.in_recovery && (ack.cwnd_limited || !self.grow_only_if_cwnd_limited)
    }
}

/// Smallest window after a fast retransmit and smallest ssthresh, segments (RFC 5681).
pub const MIN_SSTHRESH: f64 = 2.0;

/// Congestion window, slow-start threshold and slow start of one flow.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Congestion window, segments.
    pub cwnd: f64,
    /// Slow-start threshold, segments.
    pub ssthresh: f64,
    /// Initial window, segments; where a time-out of the study's preset restarts.
    pub initial: f64,
    /// How the window grows below ssthresh.
    pub slow_start: SlowStart,
}

impl Window {
    /// The window of a new flow.
    #[must_use]
    pub fn new(start: &Start) -> Self {
        Self {
            cwnd: start.initial_window,
            ssthresh: start.initial_ssthresh,
            initial: start.initial_window,
            slow_start: start.slow_start,
        }
    }

    /// Below ssthresh (RFC 5681 leaves equality open; here it is congestion avoidance).
    #[must_use]
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Grows by slow start up to ssthresh and returns the acknowledged segments that are left for congestion avoidance.
    pub fn grow_in_slow_start(&mut self, common: &Common, ack: &AckEvent) -> u32 {
        if !self.in_slow_start() {
            return ack.acked;
        }
        let growth = self.slow_start.growth(ack);
        let room = self.ssthresh - self.cwnd;
        if growth <= room {
            self.cwnd = (self.cwnd + growth).min(common.max_cwnd);
            return 0;
        }
        self.cwnd = self.ssthresh.min(common.max_cwnd);
        ((growth - room) * f64::from(ack.acked) / growth) as u32
    }

    /// Adds `increase` segments, within the largest window allowed.
    pub fn grow(&mut self, common: &Common, increase: f64) {
        self.cwnd = (self.cwnd + increase).min(common.max_cwnd);
    }

    /// The window from which a reduction starts.
    #[must_use]
    pub fn basis(&self, common: &Common, loss: &LossEvent) -> f64 {
        match common.basis {
            WindowBasis::Cwnd => self.cwnd,
            WindowBasis::Flight => f64::from(loss.in_flight).min(self.cwnd),
        }
    }

    /// A fast retransmit: continue in congestion avoidance from `reduced`, at least 2.
    pub fn reduce(&mut self, reduced: f64) {
        self.ssthresh = reduced.max(MIN_SSTHRESH);
        self.cwnd = self.ssthresh;
    }

    /// A time-out; `own` is the algorithm's own reduction of `basis`.
    pub fn timeout(&mut self, common: &Common, loss: &LossEvent, basis: f64, own: f64) {
        match common.timeout {
            TimeoutRule::Rfc => {
                if loss.first_timeout {
                    self.ssthresh = (basis / 2.0).max(MIN_SSTHRESH);
                }
                self.cwnd = 1.0;
            }
            TimeoutRule::OwnReduction => {
                if loss.first_timeout {
                    self.ssthresh = own.max(self.initial).max(MIN_SSTHRESH);
                }
                self.cwnd = self.initial;
            }
        }
    }
}
