//! Round-trip time and retransmission timeout (RFC 6298), in integer picoseconds.
//!
//! Senders differ in which acknowledgements they take samples of and in how they bound the timeout. A
//! scenario chooses ([`RtoRules`]); the estimator of a flow keeps what every sender keeps, [`Timing`] what
//! only some of them do.

use crate::scenario::{RtoFloor, RtoRestart, RttSamples, TransportParameters};
use mesonet_cc::picos;
use mesonet_cc::{MILLISECOND, Picos};
use serde::{Deserialize, Serialize};

/// Clock granularity G of RFC 6298 where the clock has no ticks.
const GRANULARITY: Picos = MILLISECOND;

/// Fewest ticks of a timeout that is counted in ticks (BSD, ns).
const FEWEST_TICKS: u64 = 2;

/// Expiries in a row after which the smoothed round-trip time is forgotten (BSD: a quarter of the 12 retries;
/// ns: a back-off of more than 8).
const EXPIRIES_TO_FORGET: u32 = 4;

/// The part of the deviation by which Linux weighs a sample that lies below the mean by more than the
/// deviation.
const LINUX_IMPROVEMENT: Picos = 8;

/// Rules of the retransmission timer, shared by all flows.
#[derive(Clone, Copy, Debug)]
pub struct RtoRules {
    /// Timeout before the first sample.
    pub initial: Picos,
    /// Smallest timeout, or smallest variance term.
    pub min: Picos,
    /// Largest timeout.
    pub max: Picos,
    /// Events that restart the timer.
    pub restart: RtoRestart,
    /// Acknowledgements that give a sample.
    pub samples: RttSamples,
    /// Duration of a tick, 0 for an exact clock.
    pub tick: Picos,
    /// Duration of a tick of the timestamps by which the round trip of a segment sent again is known, 0 where
    /// it is not.
    pub timestamp_tick: Picos,
    floor: RtoFloor,
    /// Segments that an acknowledgement covers.
    acked: u64,
}

impl RtoRules {
    /// From the parameters of a scenario.
    #[must_use]
    pub fn new(parameters: &TransportParameters) -> Self {
        Self {
            initial: picos(parameters.initial_rto),
            min: picos(parameters.min_rto),
            max: picos(parameters.max_rto),
            restart: parameters.rto_restart,
            samples: parameters.rtt_samples,
            tick: picos(parameters.timer_tick),
            timestamp_tick: picos(parameters.timestamp_tick),
            floor: parameters.rto_floor,
            acked: if parameters.delayed_acks { 2 } else { 1 },
        }
    }

    /// Acknowledgements of retransmissions give samples, too: a timestamp says which copy arrived (RFC 7323,
    /// section 4).
    #[must_use]
    #[inline]
    pub fn has_timestamps(&self) -> bool {
        self.samples != RttSamples::RoundTrip
    }

    /// The round trip of a segment that left at `sent`, by timestamps: ticks between the two instants, at
    /// least one (Linux: `tcp_rtt_tsopt_us`).
    #[must_use]
    pub fn by_timestamps(&self, sent: Picos, now: Picos) -> Picos {
        (now / self.timestamp_tick - sent / self.timestamp_tick).max(1) * self.timestamp_tick
    }

    /// Timer state of a new flow, if these rules need any; `phase` of its clock, below a tick.
    #[must_use]
    pub fn timing(&self, phase: Picos) -> Option<Box<Timing>> {
        let plain = matches!(self.samples, RttSamples::Rfc7323 | RttSamples::EveryAck)
            && self.restart != RtoRestart::Linux;
        (!plain).then(|| Box::new(Timing { ticks: Ticks { phase, ..Ticks::default() }, ..Timing::default() }))
    }
}

/// The times of an acknowledgement of new data.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// The instant of the acknowledgement.
    pub now: Picos,
    /// Round-trip time of the segment, 0 where it is ambiguous (Karn).
    pub rtt: Picos,
    /// Lowest unacknowledged segment.
    pub una: u64,
    /// Next segment never sent so far.
    pub next: u64,
}

/// `x` as a float. It is below 2^63: processors convert signed numbers in one step.
#[inline(always)]
fn float(x: u64) -> f64 {
    x as i64 as f64
}

/// The whole part of `x`, which is not negative.
#[inline(always)]
fn whole(x: f64) -> u64 {
    x as i64 as u64
}

/// Smoothed round-trip time and timeout of one flow.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct RttEstimator {
    /// Round-trip time, smoothed over eight samples whatever the timer learns from; 0 before the first.
    pub srtt: Picos,
    /// Smoothed round-trip time of the timer, 0 before the first sample.
    mean: Picos,
    /// Its mean deviation; with [`RttSamples::Linux`] the largest of a round trip, slowly forgotten.
    deviation: Picos,
    /// Smallest round-trip time of any segment, 0 before the first.
    pub min_rtt: Picos,
    /// Retransmission timeout, back-off included.
    pub rto: Picos,
}

/// Timer state that only some senders need. It is boxed, because the state of a flow should stay small.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Timing {
    /// The one segment that is timed, and when it left ([`RttSamples::RoundTrip`]).
    timed: Option<(u64, Picos)>,
    /// The clock, where it is coarse.
    ticks: Ticks,
    /// Smoothed deviation of single samples ([`RttSamples::Linux`]: `mdev`, a quarter of it).
    deviation: Picos,
    /// The largest one of this round trip (`mdev_max`, a quarter of it).
    largest: Picos,
    /// The round trip ends when this segment is acknowledged.
    round_end: u64,
    /// The lowest outstanding segment when it was last sent again, and when ([`RtoRestart::Linux`]).
    pub head_resent: Option<(u64, Picos)>,
}

/// A clock that counts ticks, with the scaled integers of BSD (Jacobson 1988, appendix A).
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Ticks {
    /// Time from a tick to the start of the run.
    phase: Picos,
    /// Smoothed round-trip time, eighths of a tick; 0 before the first sample.
    srtt: i64,
    /// Mean deviation, quarters of a tick.
    rttvar: i64,
    /// Expiries since the last sample.
    expiries: u32,
}

impl Ticks {
    /// Takes a sample of a segment that left at `sent`; the timeout in ticks.
    fn sample(&mut self, sent: Picos, now: Picos, tick: Picos) -> u64 {
        // The ticks of the clock that fall between.
        let rtt = ((now + self.phase) / tick - (sent + self.phase) / tick).max(1) as i64;
        if self.srtt == 0 {
            (self.srtt, self.rttvar) = (rtt << 3, rtt << 1);
        } else {
            let error = rtt - (self.srtt >> 3);
            self.srtt = (self.srtt + error).max(1);
            self.rttvar = (self.rttvar + error.abs() - (self.rttvar >> 2)).max(1);
        }
        self.expiries = 0;
        (self.rttvar + (self.srtt >> 3)) as u64
    }

    /// The timer expired. After several expiries the next sample counts as the first.
    fn back_off(&mut self) {
        self.expiries += 1;
        if self.expiries >= EXPIRIES_TO_FORGET {
            self.rttvar += self.srtt >> 3;
            self.srtt = 0;
        }
    }
}

impl Timing {
    /// Segment `sequence` leaves for the first time.
    #[inline]
    pub fn sent(&mut self, sequence: u64, now: Picos) {
        self.timed.get_or_insert((sequence, now));
    }

    /// Something is sent again: no sample of the segment that is timed (Karn).
    #[inline]
    pub fn sent_again(&mut self) {
        self.timed = None;
    }
}

impl RttEstimator {
    /// Before the first sample.
    #[must_use]
    pub fn new(initial_rto: Picos) -> Self {
        Self { rto: initial_rto, ..Self::default() }
    }

    /// A segment took `rtt` for the round trip: whether or not the timer learns from it, it may be the
    /// smallest.
    #[inline]
    pub fn see(&mut self, rtt: Picos) {
        if rtt > 0 && (self.min_rtt == 0 || rtt < self.min_rtt) {
            self.min_rtt = rtt;
        }
    }

    /// New data was acknowledged. A sample also ends a back-off (RFC 6298, section 5).
    #[inline]
    pub fn acknowledged(&mut self, timing: Option<&mut Timing>, sample: &Sample, rules: &RtoRules) {
        if sample.rtt > 0 {
            self.srtt = match self.srtt {
                0 => sample.rtt,
                srtt => srtt - srtt / 8 + sample.rtt / 8,
            };
        }
        match rules.samples {
            RttSamples::Rfc7323 if sample.rtt > 0 => {
                // RFC 7323, appendix G: the gains of RFC 6298 are those of one sample in each round trip.
                let samples = (sample.next - sample.una).div_ceil(rules.acked);
                self.smooth(sample.rtt, samples.max(1));
                self.set_rto(rules);
            }
            RttSamples::EveryAck if sample.rtt > 0 => {
                self.smooth(sample.rtt, 1);
                self.set_rto(rules);
            }
            RttSamples::Rfc7323 | RttSamples::EveryAck => {}
            RttSamples::RoundTrip => self.time(timing, sample, rules),
            RttSamples::Linux => self.sample_as_linux(timing, sample, rules),
        }
    }

    /// RFC 6298, section 2, with gains divided by the samples of a round trip.
    #[inline]
    fn smooth(&mut self, rtt: Picos, samples: u64) {
        if self.mean == 0 {
            (self.mean, self.deviation) = (rtt, rtt / 2);
        } else if samples == 1 {
            self.deviation = self.deviation - self.deviation / 4 + self.mean.abs_diff(rtt) / 4;
            self.mean = self.mean - self.mean / 8 + rtt / 8;
        } else {
            let (mean, deviation) = (float(self.mean), float(self.deviation));
            let (error, share) = (float(rtt) - mean, 1.0 / float(samples));
            self.deviation = whole(deviation + (error.abs() - deviation) * 0.25 * share);
            self.mean = whole(mean + error * 0.125 * share);
        }
    }

    /// The timeout of mean and deviation.
    #[inline]
    fn set_rto(&mut self, rules: &RtoRules) {
        self.rto = match rules.floor {
            RtoFloor::Rfc6298 => (self.mean + (4 * self.deviation).max(GRANULARITY)).max(rules.min),
            RtoFloor::Linux => self.mean + (4 * self.deviation).max(rules.min),
        };
        self.rto = self.rto.min(rules.max);
    }

    /// Times a single segment at once; takes its sample when it is acknowledged (RFC 6298, section 3).
    fn time(&mut self, timing: Option<&mut Timing>, sample: &Sample, rules: &RtoRules) {
        let Some(timing) = timing else { return };
        let Some((_, sent)) = timing.timed.take_if(|(sequence, _)| *sequence < sample.una) else { return };
        if rules.tick == 0 {
            self.smooth(sample.now - sent, 1);
            self.set_rto(rules);
        } else {
            let rto = timing.ticks.sample(sent, sample.now, rules.tick);
            self.rto = (rto.max(FEWEST_TICKS) * rules.tick).max(rules.min).min(rules.max);
        }
    }

    /// Linux's `tcp_rtt_estimator`: the deviation of single samples is smoothed as in RFC 6298, the timer
    /// uses the largest one of a round trip, and forgets an earlier larger one by a quarter a round trip.
    #[inline(never)]
    fn sample_as_linux(&mut self, timing: Option<&mut Timing>, sample: &Sample, rules: &RtoRules) {
        let Some(Timing { deviation, largest, round_end, .. }) = timing else { return };
        let rtt = sample.rtt;
        if rtt == 0 {
            return;
        }
        // The floor of Linux is that of the variance term: a quarter of it for a deviation.
        let least = if rules.floor == RtoFloor::Linux { rules.min / 4 } else { 0 };
        if self.mean == 0 {
            (self.mean, *deviation) = (rtt, rtt / 2);
            (self.deviation, *round_end) = ((*deviation).max(least), sample.next);
            *largest = self.deviation;
        } else {
            let error = self.mean.abs_diff(rtt);
            // A sample far below the mean must not raise the timeout: it counts for an eighth then.
            let far_below = rtt < self.mean && error > *deviation;
            self.mean = self.mean - self.mean / 8 + rtt / 8;
            *deviation = if far_below {
                *deviation + (error - *deviation) / 4 / LINUX_IMPROVEMENT
            } else {
                *deviation - *deviation / 4 + error / 4
            };
            *largest = (*largest).max(*deviation);
            self.deviation = self.deviation.max(*largest);
            if sample.una > *round_end {
                self.deviation -= self.deviation.saturating_sub(*largest) / 4;
                (*largest, *round_end) = (least, sample.next);
            }
        }
        self.set_rto(rules);
    }

    /// The timer expired: doubles the timeout.
    pub fn back_off(&mut self, timing: Option<&mut Timing>, rules: &RtoRules) {
        self.rto = (2 * self.rto).min(rules.max);
        if let Some(timing) = timing {
            timing.sent_again();
            timing.ticks.back_off();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mesonet_cc::SECOND;

    const MS: Picos = MILLISECOND;

    const RULES: RtoRules = RtoRules {
        initial: 3 * SECOND,
        min: SECOND,
        max: 60 * SECOND,
        restart: RtoRestart::Retransmission,
        samples: RttSamples::EveryAck,
        tick: 0,
        timestamp_tick: 0,
        floor: RtoFloor::Rfc6298,
        acked: 1,
    };

    /// A sample with `flight` segments in flight.
    fn sample(rtt: Picos, flight: u64) -> Sample {
        Sample { now: 0, rtt, una: 1000, next: 1000 + flight }
    }

    fn near(found: Picos, expected: f64) -> bool {
        (found as f64 * 1e-12 - expected).abs() < 1e-7
    }

    /// The vector of the congestion control specification, section 2.1.
    #[test]
    fn published_sequence() {
        let expected = [
            (0.162, 0.162, 0.081, 0.486),
            (0.162, 0.162, 0.060_75, 0.405),
            (0.190, 0.1655, 0.052_562_5, 0.375_75),
            (0.300, 0.182_312_5, 0.073_046_9, 0.4745),
        ];
        let mut rtt = RttEstimator::new(RULES.initial);
        let mut low = rtt;
        let lower = RtoRules { min: SECOND / 5, ..RULES };
        for (taken, srtt, rttvar, rto) in expected {
            rtt.acknowledged(None, &sample(picos(taken), 8), &RULES);
            low.acknowledged(None, &sample(picos(taken), 8), &lower);
            assert!(near(rtt.mean, srtt) && near(rtt.deviation, rttvar));
            assert_eq!(rtt.rto, SECOND);
            assert!(near(low.rto, rto));
        }
    }

    /// RFC 7323, appendix G: ten samples of one value in a window of ten move the estimate about as far as
    /// one sample of a round trip does, not ten times as far.
    #[test]
    fn gains_are_scaled_by_the_samples_of_a_window() {
        let rules = RtoRules { samples: RttSamples::Rfc7323, ..RULES };
        let mut scaled = RttEstimator::new(RULES.initial);
        scaled.acknowledged(None, &sample(100 * MS, 1), &rules);
        let mut single = scaled;
        single.acknowledged(None, &sample(200 * MS, 1), &rules);
        assert!(near(single.mean, 0.1125) && near(single.deviation, 0.0625));
        scaled.acknowledged(None, &sample(200 * MS, 10), &rules);
        assert!(near(scaled.mean, 0.101_25) && near(scaled.deviation, 0.051_25));
        for _ in 1..10 {
            scaled.acknowledged(None, &sample(200 * MS, 10), &rules);
        }
        // 200 - 100 x (1 - 1/80)^10.
        assert!(near(scaled.mean, 0.2 - 0.1 * libm::pow(1.0 - 1.0 / 80.0, 10.0)));
        let delayed = RtoRules { acked: 2, ..rules };
        let mut half = RttEstimator { mean: 100 * MS, ..RttEstimator::default() };
        half.acknowledged(None, &sample(200 * MS, 9), &delayed);
        assert!(near(half.mean, 0.1 + 0.1 / 8.0 / 5.0));
    }

    /// The floor of the variance term: 200 ms above the smoothed round trip, however steady it is. A kernel
    /// showed 272 ms at a smoothed round trip of 69 ms, and 404 at 201.
    #[test]
    fn linux_bounds_the_variance_term() {
        let rules = RtoRules {
            min: 200 * MS,
            samples: RttSamples::Linux,
            floor: RtoFloor::Linux,
            max: 120 * SECOND,
            ..RULES
        };
        for steady in [69, 201] {
            let (mut rtt, mut timing) = (RttEstimator::new(SECOND), *rules.timing(0).unwrap());
            rtt.acknowledged(Some(&mut timing), &sample(steady * MS, 1), &rules);
            // First sample: srtt + max(2 rtt, 200 ms).
            assert_eq!(rtt.rto, steady * MS + (2 * steady * MS).max(200 * MS));
            for una in 1..200 {
                let sample = Sample { now: 0, rtt: steady * MS, una: 10 * una, next: 10 * una + 9 };
                rtt.acknowledged(Some(&mut timing), &sample, &rules);
            }
            assert!(rtt.rto.abs_diff((steady + 200) * MS) < MS, "{}", rtt.rto);
        }
    }

    /// tcp_input.c: the largest deviation of a round trip counts at once, and fades by a quarter a round
    /// trip.
    #[test]
    fn linux_takes_the_largest_deviation_of_a_round_trip() {
        let rules = RtoRules { min: 0, samples: RttSamples::Linux, floor: RtoFloor::Linux, ..RULES };
        let mut rtt = RttEstimator { mean: 100 * MS, ..RttEstimator::default() };
        let mut timing = Timing { round_end: 1010, ..Timing::default() };
        let mut at = |rtt: &mut RttEstimator, taken: u64, una: u64| {
            let sample = Sample { now: 0, rtt: taken * MS, una, next: una + 10 };
            rtt.acknowledged(Some(&mut timing), &sample, &rules);
            rtt.deviation
        };
        assert_eq!(at(&mut rtt, 180, 1001), 20 * MS);
        // srtt 110; a sample of 110 lets the deviation fall, not the variance.
        assert_eq!(at(&mut rtt, 110, 1002), 20 * MS);
        // The end of the round trip: the largest one of it was the same.
        assert_eq!(at(&mut rtt, 110, 1011), 20 * MS);
        // A round trip whose deviations are at most 8.4375 ms (20 x 3/4 x 3/4 x 3/4): the surplus falls by a
        // quarter.
        let after = at(&mut rtt, 110, 1022);
        assert!(near(after, 0.02 - (0.02 - 0.0084375) / 4.0), "{after}");
        // Far below the mean: an eighth of the weight.
        let mut low = RttEstimator { mean: 100 * MS, ..RttEstimator::default() };
        let mut timing = Timing { deviation: 8 * MS, round_end: 2000, ..Timing::default() };
        low.acknowledged(Some(&mut timing), &sample(28 * MS, 10), &rules);
        assert_eq!(low.deviation, (8 + 2) * MS);
    }

    /// Jacobson 1988, appendix A, and ns: a tick of 100 ms, scaled integers, two ticks at least.
    #[test]
    fn ticks_are_counted_by_a_coarse_clock() {
        let tick = 100 * MS;
        let rules = RtoRules { min: 1, samples: RttSamples::RoundTrip, tick, initial: 6 * SECOND, ..RULES };
        let (mut rtt, mut timing) = (RttEstimator::new(rules.initial), *rules.timing(30 * MS).unwrap());
        let mut round = |rtt: &mut RttEstimator, sequence: u64, sent: u64, now: u64| {
            timing.sent(sequence, sent * MS);
            timing.sent(sequence + 1, sent * MS + 1);
            let sample = Sample { now: now * MS, rtt: 0, una: sequence + 1, next: sequence + 2 };
            rtt.acknowledged(Some(&mut timing), &sample, &rules);
            rtt.rto / MS
        };
        // 103 ms in which the clock (a tick at 70, 170, 270, ...) ticks once: srtt 1, rttvar 2 quarters: 3
        // ticks.
        assert_eq!(round(&mut rtt, 0, 0, 103), 300);
        // Twice: the scaled srtt is 8 + 1, the deviation 2 + 1 - 0.
        assert_eq!(round(&mut rtt, 1, 169, 271), 400);
        for sequence in 2..20 {
            round(&mut rtt, sequence, 0, 103);
        }
        // A steady tick: the scaled deviation of 3 no longer falls, as its quarter is 0.
        assert_eq!(round(&mut rtt, 20, 0, 103), 400);
    }

    /// RFC 6298, section 3 (Karn): what was timed when something is sent again gives no sample, and a
    /// back-off stays.
    #[test]
    fn a_timed_segment_is_forgotten_when_something_is_sent_again() {
        let rules = RtoRules { samples: RttSamples::RoundTrip, ..RULES };
        let (mut rtt, mut timing) = (RttEstimator::new(rules.initial), *rules.timing(0).unwrap());
        timing.sent(7, 0);
        rtt.back_off(Some(&mut timing), &rules);
        rtt.acknowledged(Some(&mut timing), &Sample { now: SECOND, rtt: SECOND, una: 8, next: 9 }, &rules);
        assert_eq!((rtt.mean, rtt.rto), (0, 6 * SECOND));
        timing.sent(9, SECOND);
        rtt.acknowledged(Some(&mut timing), &Sample { now: 2 * SECOND, rtt: 0, una: 9, next: 11 }, &rules);
        assert_eq!(rtt.mean, 0);
        rtt.acknowledged(Some(&mut timing), &Sample { now: 2 * SECOND, rtt: 0, una: 10, next: 11 }, &rules);
        assert_eq!((rtt.mean, rtt.rto), (SECOND, 3 * SECOND));
    }

    /// tcp_input.c, tcp_rtt_tsopt_us: two clock readings, cut off to whole ticks, and one tick at least.
    #[test]
    fn timestamps_count_the_ticks_between_two_instants() {
        let rules = RtoRules { timestamp_tick: MS, ..RULES };
        assert_eq!(rules.by_timestamps(9 * MS + MS / 10, 14 * MS + MS / 5), 5 * MS);
        assert_eq!(rules.by_timestamps(9 * MS + 9 * MS / 10, 15 * MS + MS / 10), 6 * MS);
        assert_eq!(rules.by_timestamps(9 * MS + MS / 10, 9 * MS + MS / 5), MS);
    }

    #[test]
    fn back_off_doubles_up_to_the_limit_until_a_sample() {
        let mut rtt = RttEstimator::new(RULES.initial);
        for expected in [6, 12, 24, 48, 60, 60] {
            rtt.back_off(None, &RULES);
            assert_eq!(rtt.rto, expected * SECOND);
        }
        rtt.acknowledged(None, &sample(SECOND / 10, 1), &RULES);
        assert_eq!(rtt.rto, SECOND);
    }
}
