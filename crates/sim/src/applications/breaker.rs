//! The circuit breakers of unicast RTP (RFC 8083) as an observer: when would a sender of datagrams have to
//! stop?
//!
//! The receiver reports at fixed intervals: the highest sequence number, the fraction lost, the round-trip
//! time. The observer stands at the receiver, whose reports are neither sent nor lost. Two of the breakers
//! can trip:
//!
//! * media timeout (section 4.2): segments are sent, but none arrives for `MEDIA_TIMEOUT` reports;
//! * congestion (section 4.3): over `CB_INTERVAL` reports the sender sent more than ten times what TCP would
//!   get at the loss and the round-trip time that they report.
//!
//! A sender would stop at the first trip. The observed flow does not, and the observer counts again from
//! there. The rules are recalled, and agree with a public implementation for WebRTC; where the text leaves a
//! choice, windows of `CB_INTERVAL` reports follow each other without overlap, as there.

use mesonet_cc::{Picos, seconds};
use serde::{Deserialize, Serialize};

/// A media sender may exceed the throughput of TCP by this factor (section 4.3: within an order of
/// magnitude).
const TIMES_TCP: f64 = 10.0;

/// Packets that one acknowledgement of TCP covers: b of the throughput equation (RFC 5348, section 3.1,
/// recommends 1).
const PACKETS_PER_ACK: f64 = 1.0;

/// Reports without progress before the media timeout, where reports are rarer than frames and round trips
/// (section 4.2).
const SILENT_REPORTS: f64 = 5.0;

/// Weight of a new round-trip time in the smoothed one: assumed, that of RFC 6298 (section 4.3 wants a moving
/// average).
const RTT_WEIGHT: f64 = 0.125;

/// The circuit breakers of one flow.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Breaker {
    /// Time between two reports.
    interval: Picos,
    /// Time from a key frame to the next one, or between two messages: G x Tf of section 4.3, s.
    group: f64,
    /// Time between two messages: Tf, s.
    framing: f64,
    /// When the next report is due.
    due: Picos,
    /// Segments received since the last report.
    received: u64,
    /// End of the segments expected at the last report, and now: the highest one received and all before it.
    expected: [u64; 2],
    /// Smoothed round-trip time, s; 0 before the first segment.
    rtt: f64,
    /// Reports of the current window, their fractions lost summed in units of 1/256, and the segments sent.
    reports: u64,
    lost: u64,
    sent: u64,
    /// Reports without progress.
    silent: u64,
    /// Instants at which a breaker tripped.
    pub trips: Vec<Picos>,
}

impl Breaker {
    /// A flow that starts at `start`, with messages every `framing` seconds and key frames every `group`
    /// seconds.
    #[must_use]
    pub fn new(start: Picos, interval: Picos, framing: f64, group: f64) -> Self {
        Self {
            interval,
            group,
            framing,
            due: start + interval,
            received: 0,
            expected: [0; 2],
            rtt: 0.0,
            reports: 0,
            lost: 0,
            sent: 0,
            silent: 0,
            trips: Vec::new(),
        }
    }

    /// Segment `number` arrives at `now`, and an answer would have taken `round_trip` since it left.
    pub fn arrived(&mut self, now: Picos, number: u64, round_trip: Picos) {
        self.pass(now);
        self.received += 1;
        self.expected[1] = self.expected[1].max(number + 1);
        let sample = seconds(round_trip);
        self.rtt = if self.rtt == 0.0 { sample } else { self.rtt + RTT_WEIGHT * (sample - self.rtt) };
    }

    /// Makes the reports that are due before `now`.
    pub fn pass(&mut self, now: Picos) {
        while self.due < now {
            let due = self.due;
            self.report(due);
            self.due += self.interval;
        }
    }

    /// Number of reports in a window of the congestion breaker (section 4.3, `CB_INTERVAL`).
    fn window(&self) -> u64 {
        // The deterministic interval is that of both sides: Td = Tdr.
        let tdr = seconds(self.interval);
        let span = (10.0 * self.group).max(10.0 * self.rtt).max(3.0 * tdr).min((3.0 * tdr).max(15.0));
        (3.0 * span / (3.0 * tdr)).ceil() as u64
    }

    /// Reports without progress that are a media timeout (section 4.2, `MEDIA_TIMEOUT`).
    fn timeout(&self) -> u64 {
        let tdr = seconds(self.interval);
        (SILENT_REPORTS * self.framing.max(self.rtt).max(tdr) / tdr).ceil() as u64
    }

    fn report(&mut self, due: Picos) {
        let expected = self.expected[1] - self.expected[0];
        self.expected[0] = self.expected[1];
        let received = std::mem::take(&mut self.received);
        if expected == 0 {
            self.silent += 1;
            if self.silent >= self.timeout() {
                self.trip(due);
            }
            return;
        }
        self.silent = 0;
        self.reports += 1;
        // RFC 3550, section 6.4.1: the fraction lost is a number of 8 bits, and 0 where duplicates exceed
        // losses.
        self.lost += 256 * expected.saturating_sub(received) / expected;
        self.sent += expected;
        if self.reports < self.window() {
            return;
        }
        let loss = self.lost as f64 / 256.0 / self.reports as f64;
        let rate = self.sent as f64 / (seconds(self.interval) * self.reports as f64);
        // Section 4.3, the simplified equation, in segments: X = 1 / (Tr sqrt(2 b p / 3)).
        let tcp = 1.0 / (self.rtt * (2.0 * PACKETS_PER_ACK * loss / 3.0).sqrt());
        if rate > TIMES_TCP * tcp {
            self.trip(due);
        }
        (self.reports, self.lost, self.sent) = (0, 0, 0);
    }

    fn trip(&mut self, at: Picos) {
        self.trips.push(at);
        (self.reports, self.lost, self.sent, self.silent) = (0, 0, 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mesonet_cc::{MILLISECOND, SECOND};

    /// A flow of `rate` segments/s over a round trip of 100 ms, of which every `kept`-th segment is kept, for
    /// `time` s.
    fn trips(rate: u64, kept: u64, time: u64) -> Vec<u64> {
        let mut breaker = Breaker::new(0, 5 * SECOND, 0.02, 0.02);
        for number in (0..rate * time).filter(|number| number % kept == 0) {
            breaker.arrived(number * SECOND / rate + 50 * MILLISECOND, number, 100 * MILLISECOND);
        }
        breaker.pass(time * SECOND + 1);
        breaker.trips.iter().map(|at| at / SECOND).collect()
    }

    /// p = 1/2 and 100 ms: TCP gets 17.3 segments/s, so that 173 are the limit. A window has 3 reports of 5
    /// s.
    #[test]
    fn congestion_trips_above_ten_times_the_throughput_of_tcp() {
        assert_eq!(trips(170, 2, 60), [0; 0]);
        assert_eq!(trips(180, 2, 60), [15, 30, 45, 60]);
        // Without losses there is no limit; with 9 of 10 lost it is 129 segments/s.
        assert_eq!(trips(100_000, 1, 20), [0; 0]);
        assert_eq!(trips(135, 10, 20), [15]);
        assert_eq!(trips(125, 10, 20), [0; 0]);
    }

    #[test]
    fn a_window_is_as_long_as_ten_round_trips_and_fifteen_seconds_at_most() {
        let window = |interval: f64, rtt: f64, group: f64| {
            let mut breaker = Breaker::new(0, mesonet_cc::picos(interval), 0.03, group);
            breaker.rtt = rtt;
            (breaker.window(), breaker.timeout())
        };
        assert_eq!(window(5.0, 0.1, 0.03), (3, 5));
        assert_eq!(window(1.0, 0.1, 0.03), (3, 5));
        assert_eq!(window(1.0, 0.6, 0.03), (6, 5));
        assert_eq!(window(0.5, 0.1, 1.0), (20, 5));
        assert_eq!(window(0.5, 4.0, 0.03), (30, 40));
    }

    #[test]
    fn silence_trips_the_media_timeout() {
        let mut breaker = Breaker::new(0, SECOND, 0.02, 0.02);
        for number in 0..100 {
            breaker.arrived(number * 20 * MILLISECOND, number, 100 * MILLISECOND);
        }
        breaker.pass(7 * SECOND);
        assert_eq!(breaker.trips, [0; 0]);
        // Nothing arrives from 2 s on: the reports of 3 to 7 s show no progress.
        breaker.pass(7 * SECOND + 1);
        assert_eq!(breaker.trips, [7 * SECOND]);
    }
}
