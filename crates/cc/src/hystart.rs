//! HyStart as CUBIC in Linux runs it (S. Ha and I. Rhee, 2008; tcp_cubic.c from 6.14, and the stable kernels
//! that took over its fix of the beginning of rounds): two rules that end slow start before it overflows a
//! buffer.
//!
//! * Both look at acknowledgements that give a round-trip time, from a window of `low_window` segments on. A
//!   round begins with the acknowledgement of the first segment that left after the last round began.
//! * Train: acknowledgements at most `ack_gap` apart belong to a train that began with the round. When it is
//!   longer than half of the smallest round-trip time and the slack, the path is full. The slack is the time
//!   that four of the largest bursts take at twice the window per round trip, at most `slack`. Half, because
//!   the sender is not paced.
//! * Delay: after `samples` delays of a round the smallest one of the round may exceed the smallest of all by
//!   a `divisor`th of that, within bounds.
//! * Whichever finds the end first sets ssthresh to the window.
//!
//! HyStart++ (RFC 9406), a variant of slow start for all algorithms, has no trains and tests its finding.

use crate::{Picos, picos, seconds};
use serde::{Deserialize, Serialize};

/// Constants of HyStart.
#[derive(Clone, Debug)]
pub struct HyStartRules {
    /// The rule of trains applies.
    pub train: bool,
    /// The rule of delays applies.
    pub delay: bool,
    /// Smallest window, segments.
    pub low_window: f64,
    /// Longest time between two acknowledgements of a train.
    pub ack_gap: Picos,
    /// Longest slack.
    pub slack: Picos,
    /// Largest burst, segments.
    pub burst: f64,
    /// Smallest and largest growth of the delay that ends slow start, and the part of the delay in between,
    /// inverted.
    pub min_threshold: Picos,
    pub max_threshold: Picos,
    pub divisor: f64,
    /// Delays of a round before it is judged.
    pub samples: u8,
}

/// The news of an acknowledgement.
#[derive(Clone, Copy, Debug)]
pub struct Delay {
    pub now: Picos,
    /// Of this acknowledgement, the smallest one, and the smoothed one.
    pub rtt: Picos,
    pub smallest: Picos,
    pub smoothed: Picos,
    /// The window before the acknowledgement, segments.
    pub cwnd: f64,
}

/// HyStart: what one flow remembers.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct HyStart {
    round_start: Picos,
    /// The last acknowledgement of the train.
    last_ack: Picos,
    /// Smallest delay of the round.
    smallest: Picos,
    /// Delays of the round, up to what is needed.
    samples: u8,
    /// A round ended and the next acknowledgement that counts begins another.
    due: bool,
    found: bool,
}

impl HyStart {
    pub fn new(now: Picos) -> Self {
        Self { round_start: now, last_ack: now, smallest: Picos::MAX, samples: 0, due: false, found: false }
    }

    /// A round trip is over.
    pub fn end_round(&mut self) {
        self.due = true;
    }

    /// Returns whether slow start ends with this acknowledgement.
    pub fn finds_end(&mut self, rules: &HyStartRules, delay: &Delay) -> bool {
        if self.found {
            return false;
        }
        if self.due {
            *self = Self::new(delay.now);
        }
        if delay.cwnd < rules.low_window {
            return false;
        }
        let train = rules.train && self.is_long(rules, delay);
        let delayed = rules.delay && self.is_delayed(rules, delay);
        self.found = train || delayed;
        self.found
    }

    /// The train is as long as half a round trip.
    fn is_long(&mut self, rules: &HyStartRules, delay: &Delay) -> bool {
        if delay.now - self.last_ack > rules.ack_gap {
            return false;
        }
        self.last_ack = delay.now;
        let four_bursts = 4.0 * rules.burst * seconds(delay.smoothed) / (2.0 * delay.cwnd);
        let slack = rules.slack.min(picos(four_bursts));
        delay.now - self.round_start > (delay.smallest + slack) / 2
    }

    /// The delays of the round have grown.
    fn is_delayed(&mut self, rules: &HyStartRules, delay: &Delay) -> bool {
        self.smallest = self.smallest.min(delay.rtt);
        if self.samples < rules.samples {
            self.samples += 1;
            return false;
        }
        let part = (delay.smallest as f64 / rules.divisor) as Picos;
        self.smallest > delay.smallest + part.min(rules.max_threshold).max(rules.min_threshold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MILLISECOND;

    const US: Picos = MILLISECOND / 1000;

    fn rules() -> HyStartRules {
        HyStartRules {
            train: true,
            delay: true,
            low_window: 16.0,
            ack_gap: 2 * MILLISECOND,
            slack: MILLISECOND,
            burst: 45.0,
            min_threshold: 4 * MILLISECOND,
            max_threshold: 16 * MILLISECOND,
            divisor: 8.0,
            samples: 8,
        }
    }

    /// Acknowledgements of delay `rtt`, `gap` microseconds apart, from the one that begins a round; the place
    /// of the one that ends slow start.
    fn end(rules: &HyStartRules, cwnd: f64, smallest: Picos, rtt: Picos, gap: Picos) -> Option<u64> {
        let mut hystart = HyStart::new(0);
        hystart.end_round();
        (0..2000).find(|i| {
            let now = 1000 * MILLISECOND + i * gap * US;
            let delay = Delay { now, rtt, smallest, smoothed: rtt, cwnd };
            hystart.finds_end(rules, &delay)
        })
    }

    #[test]
    fn a_train_of_half_a_round_trip_ends_slow_start() {
        let (trains, rtt) = (HyStartRules { delay: false, ..rules() }, 40 * MILLISECOND);
        // (40 + 1) / 2 = 20.5 ms: the 18th acknowledgement after the first of 1.2 ms each comes after 21.6
        // ms.
        assert_eq!(end(&trains, 40.0, rtt, rtt, 1200), Some(18));
        assert_eq!(end(&trains, 40.0, rtt, rtt, 500), Some(42), "20.5 ms is not longer than 20.5 ms");
        // 2 ms apart is a train, longer is none.
        assert_eq!(end(&trains, 40.0, rtt, rtt, 2000), Some(11));
        assert_eq!(end(&trains, 40.0, rtt, rtt, 2001), None);
        assert_eq!(end(&trains, 15.9, rtt, rtt, 1200), None, "a small window");
    }

    #[test]
    fn fast_flows_have_less_slack() {
        let (trains, rtt) = (HyStartRules { delay: false, ..rules() }, 10 * MILLISECOND);
        // 4 x 45 segments at 2 x 18000 segments in 10 ms: 0.05 ms, so 5.025 ms instead of 5.5 ms.
        assert_eq!(end(&trains, 18_000.0, rtt, rtt, 10), Some(503));
        assert_eq!(end(&trains, 100.0, rtt, rtt, 10), Some(551));
    }

    #[test]
    fn a_ninth_delay_above_the_threshold_ends_slow_start() {
        let delays = HyStartRules { train: false, ..rules() };
        // The threshold is an eighth of the smallest delay, 4 to 16 ms.
        for (smallest, threshold) in [(10, 4), (32, 4), (64, 8), (128, 16), (160, 16)] {
            let (smallest, limit) = (smallest * MILLISECOND, (smallest + threshold) * MILLISECOND);
            assert_eq!(end(&delays, 40.0, smallest, limit, 5000), None);
            assert_eq!(end(&delays, 40.0, smallest, limit + 1, 5000), Some(8));
        }
    }

    #[test]
    fn a_round_begins_with_fresh_delays_and_a_fresh_train() {
        let (rules, mut hystart) = (rules(), HyStart::new(0));
        let delay = |ms: Picos, rtt: Picos| Delay {
            now: ms * MILLISECOND,
            rtt: rtt * MILLISECOND,
            smallest: 40 * MILLISECOND,
            smoothed: 40 * MILLISECOND,
            cwnd: 40.0,
        };
        for ms in 1..=20 {
            assert!(!hystart.finds_end(&rules, &delay(ms, 44)));
        }
        hystart.end_round();
        for ms in 21..=41 {
            // One small delay holds the smallest of the round down.
            assert!(!hystart.finds_end(&rules, &delay(ms, if ms == 21 { 45 } else { 99 })), "{ms}");
        }
        assert!(hystart.finds_end(&rules, &delay(42, 99)), "21 ms of train");
        assert!(!hystart.finds_end(&rules, &delay(43, 99)), "once");
    }
}
