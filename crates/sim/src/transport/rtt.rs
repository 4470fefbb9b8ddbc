//! Round-trip time and retransmission timeout (RFC 6298), in integer picoseconds.

use crate::network::build::picos;
use crate::scenario::TransportParameters;
use mesonet_cc::{MILLISECOND, Picos};
use serde::{Deserialize, Serialize};

/// Clock granularity G of RFC 6298.
const GRANULARITY: Picos = MILLISECOND;

/// Limits of the timeout, shared by all flows.
#[derive(Clone, Copy, Debug)]
pub struct RtoLimits {
    /// Before the first sample.
    pub initial: Picos,
    /// Smallest.
    pub min: Picos,
    /// Largest.
    pub max: Picos,
}

impl RtoLimits {
    /// From the parameters of a scenario.
    #[must_use]
    pub fn new(parameters: &TransportParameters) -> Self {
        Self {
            initial: picos(parameters.initial_rto),
            min: picos(parameters.min_rto),
            max: picos(parameters.max_rto),
        }
    }
}

/// Smoothed round-trip time and timeout of one flow.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct RttEstimator {
    /// Smoothed round-trip time, 0 before the first sample.
    pub srtt: Picos,
    /// Its mean deviation.
    pub rttvar: Picos,
    /// Smallest sample, 0 before the first.
    pub min_rtt: Picos,
    /// Retransmission timeout, back-off included.
    pub rto: Picos,
}

impl RttEstimator {
    /// Before the first sample.
    #[must_use]
    pub fn new(initial_rto: Picos) -> Self {
        Self { rto: initial_rto, ..Self::default() }
    }

    /// Takes a sample; it also ends a back-off.
    #[inline]
    pub fn sample(&mut self, rtt: Picos, limits: &RtoLimits) {
        if self.srtt == 0 {
            self.srtt = rtt;
            self.rttvar = rtt / 2;
            self.min_rtt = rtt;
        } else {
            self.rttvar = self.rttvar - self.rttvar / 4 + self.srtt.abs_diff(rtt) / 4;
            self.srtt = self.srtt - self.srtt / 8 + rtt / 8;
            self.min_rtt = self.min_rtt.min(rtt);
        }
        self.rto = (self.srtt + (4 * self.rttvar).max(GRANULARITY)).clamp(limits.min, limits.max);
    }

    /// The timer expired: doubles the timeout.
    pub fn back_off(&mut self, limits: &RtoLimits) {
        self.rto = (2 * self.rto).min(limits.max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mesonet_cc::SECOND;

    const LIMITS: RtoLimits = RtoLimits { initial: 3 * SECOND, min: SECOND, max: 60 * SECOND };

    /// The vector of the congestion control specification, section 2.1.
    #[test]
    fn published_sequence() {
        let expected = [
            (0.162, 0.162, 0.081, 0.486),
            (0.162, 0.162, 0.060_75, 0.405),
            (0.190, 0.1655, 0.052_562_5, 0.375_75),
            (0.300, 0.182_312_5, 0.073_046_9, 0.4745),
        ];
        let mut rtt = RttEstimator::new(LIMITS.initial);
        let mut fast = rtt;
        let linux = RtoLimits { min: SECOND / 5, ..LIMITS };
        for (sample, srtt, rttvar, rto) in expected {
            rtt.sample(picos(sample), &LIMITS);
            fast.sample(picos(sample), &linux);
            assert!((rtt.srtt as f64 * 1e-12 - srtt).abs() < 1e-9);
            assert!((rtt.rttvar as f64 * 1e-12 - rttvar).abs() < 1e-7);
            assert_eq!(rtt.rto, SECOND);
            assert!((fast.rto as f64 * 1e-12 - rto).abs() < 1e-6);
        }
    }

    #[test]
    fn back_off_doubles_up_to_the_limit_until_a_sample() {
        let mut rtt = RttEstimator::new(LIMITS.initial);
        for expected in [6, 12, 24, 48, 60, 60] {
            rtt.back_off(&LIMITS);
            assert_eq!(rtt.rto, expected * SECOND);
        }
        rtt.sample(SECOND / 10, &LIMITS);
        assert_eq!(rtt.rto, SECOND);
    }
}
