//! Slow start as a part of its own: how the window grows below ssthresh.
//!
//! * Classic: one segment per acknowledged segment (RFC 5681).
//! * Limited (RFC 3742): from `max_ssthresh` segments on `1 / K` per acknowledged segment, K = cwnd /
//!   (`max_ssthresh` /
//!   2) rounded down, so at most `max_ssthresh / 2` segments per round trip.
//! * HyStart++ (RFC 9406): classic until the round-trip time grows, then `css_rounds` round trips of
//!   conservative slow start, which adds `1 / css_divisor` of what slow start would; then congestion
//!   avoidance. If the round-trip time falls below what it was when conservative slow start began, slow start
//!   goes on. Only the first slow start of a flow is of this kind; one after a congestion event is classic.
//!
//! An acknowledgement counts for at most `max_acked` segments (RFC 3465), in HyStart++ for at most its own L.
//!
//! The state of a flow is in [`SlowStart`], the constants of a scenario are in [`SlowStartRules`]. HyStart++
//! keeps round-trip times in whole microseconds, as implementations do, so that it costs a flow 16 bytes. It
//! looks at the acknowledgements that may raise the window.

use crate::{AckEvent, MILLISECOND, Picos, Preset, seconds};
use serde::{Deserialize, Serialize};

/// A slow-start variant, with what one flow must remember for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SlowStart {
    /// Growth by a segment per acknowledged segment (RFC 5681).
    #[default]
    Classic,
    /// Limited slow start (RFC 3742).
    Limited,
    /// HyStart++ (RFC 9406).
    HyStart(HyStart),
}

/// Constants of the slow-start variants.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlowStartRules {
    /// Window from which limited slow start is limited, segments (RFC 3742: max_ssthresh).
    pub limited_from: f64,
    /// Most segments of one acknowledgement that count outside HyStart++ (RFC 3465: L); 0 for no limit.
    pub max_acked: u32,
    /// Constants of HyStart++.
    pub hystart: HyStartRules,
}

impl SlowStartRules {
    /// The rules of a preset.
    #[must_use]
    pub fn of(preset: Preset) -> Self {
        let max_acked = match preset {
            Preset::Standard => 2,
            Preset::Sp500282 | Preset::Linux => 0,
            Preset::Ns2000 => 1,
        };
        Self { max_acked, ..Self::default() }
    }

    /// Segments of an acknowledgement that count: 1 after a timeout, when an acknowledgement covers segments
    /// that left the network long before (RFC 3465, section 2.3).
    #[inline]
    pub(crate) fn counted(&self, ack: &AckEvent) -> u32 {
        match self.max_acked {
            0 => ack.acked,
            _ if ack.after_timeout => ack.acked.min(1),
            most => ack.acked.min(most),
        }
    }
}

impl Default for SlowStartRules {
    /// RFC 3742, section 2, recommends 100 segments; RFC 3465, section 2.3, allows an L of 2; RFC 9406 for
    /// the rest.
    fn default() -> Self {
        Self { limited_from: 100.0, max_acked: 2, hystart: HyStartRules::default() }
    }
}

/// Constants of HyStart++ (RFC 9406, section 4.3).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct HyStartRules {
    /// Smallest growth of the round-trip time that counts (MIN_RTT_THRESH).
    pub min_threshold: Picos,
    /// Growth of the round-trip time that always counts (MAX_RTT_THRESH).
    pub max_threshold: Picos,
    /// Part of the round-trip time, inverted, that counts as growth, between the two (MIN_RTT_DIVISOR).
    pub divisor: f64,
    /// Fewest samples of a round trip that say something (N_RTT_SAMPLE).
    pub samples: u8,
    /// Conservative slow start grows by so many times less (CSS_GROWTH_DIVISOR).
    pub css_divisor: f64,
    /// Round trips of conservative slow start (CSS_ROUNDS).
    pub css_rounds: u8,
    /// Most segments of one acknowledgement that count (L; RFC 9406: 8, without bound where segments are
    /// paced).
    pub max_acked: u32,
}

impl Default for HyStartRules {
    fn default() -> Self {
        Self {
            min_threshold: 4 * MILLISECOND,
            max_threshold: 16 * MILLISECOND,
            divisor: 8.0,
            samples: 8,
            css_divisor: 4.0,
            css_rounds: 5,
            max_acked: 8,
        }
    }
}

impl HyStartRules {
    /// Growth of the round-trip time over `rtt` that ends slow start, microseconds.
    fn threshold(&self, rtt: u32) -> f64 {
        let micros = |t: Picos| seconds(t) * 1e6;
        (f64::from(rtt) / self.divisor).min(micros(self.max_threshold)).max(micros(self.min_threshold))
    }
}

/// No round-trip time is known.
const UNKNOWN: u32 = u32::MAX;

/// HyStart++: what one flow remembers. Round-trip times are in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HyStart {
    /// Smallest round-trip time of the last round trip and of the one under way.
    last: u32,
    current: u32,
    /// Smallest round-trip time of the round trip in which conservative slow start began.
    baseline: u32,
    /// In conservative slow start.
    conservative: bool,
    /// Samples of the round trip under way, up to what is needed.
    samples: u8,
    /// Round trips of conservative slow start, the one in which it began included.
    css_rounds: u8,
}

impl Default for HyStart {
    fn default() -> Self {
        Self {
            last: UNKNOWN,
            current: UNKNOWN,
            baseline: UNKNOWN,
            conservative: false,
            samples: 0,
            css_rounds: 0,
        }
    }
}

impl HyStart {
    /// A new round trip begins; whether slow start is over.
    pub(crate) fn begin_round(&mut self, rules: &HyStartRules) -> bool {
        if self.conservative {
            self.css_rounds += 1;
            if self.css_rounds >= rules.css_rounds {
                return true;
            }
        }
        self.last = self.current;
        (self.current, self.samples) = (UNKNOWN, 0);
        false
    }

    /// Growth for an acknowledgement of `acked` segments.
    pub(crate) fn growth(&self, rules: &HyStartRules, acked: u32) -> f64 {
        let growth = f64::from(acked.min(rules.max_acked));
        if self.conservative { growth / rules.css_divisor } else { growth }
    }

    /// An acknowledgement gave the round-trip time `rtt`.
    pub(crate) fn sample(&mut self, rules: &HyStartRules, rtt: Picos) {
        let micros = (rtt / 1_000_000).min(Picos::from(UNKNOWN - 1)) as u32;
        self.current = self.current.min(micros);
        self.samples = self.samples.saturating_add(1);
        if self.samples < rules.samples {
            return;
        }
        if self.conservative {
            self.conservative = self.current >= self.baseline;
        } else if self.last != UNKNOWN
            && f64::from(self.current) >= f64::from(self.last) + rules.threshold(self.last)
        {
            (self.conservative, self.baseline, self.css_rounds) = (true, self.current, 0);
        }
    }
}

/// Growth of limited slow start per acknowledged segment at the window `cwnd`.
pub(crate) fn limited_growth(rules: &SlowStartRules, cwnd: f64) -> f64 {
    if cwnd <= rules.limited_from { 1.0 } else { 1.0 / (cwnd / (0.5 * rules.limited_from)).floor() }
}

impl SlowStart {
    /// The state of the variant after a congestion event.
    pub(crate) fn again(self) -> Self {
        match self {
            Self::Classic | Self::HyStart(_) => Self::Classic,
            Self::Limited => Self::Limited,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{acks, assert_near, loss, start};
    use crate::{Common, LossCause, Start, Window};

    const MS: Picos = MILLISECOND;

    /// Rules without a limit for each acknowledgement.
    fn common() -> Common {
        Common::of(Preset::Linux)
    }

    fn window(slow_start: SlowStart, cwnd: f64, ssthresh: f64) -> Window {
        Window::new(&common(), &Start { slow_start, ..start(cwnd, ssthresh) })
    }

    #[test]
    fn limited_slow_start_adds_at_most_half_the_limit_per_round_trip() {
        let rules = SlowStartRules::default();
        for (cwnd, growth) in [
            (2.0, 1.0),
            (100.0, 1.0),
            (100.5, 1.0 / 2.0),
            (149.9, 1.0 / 2.0),
            (150.0, 1.0 / 3.0),
            (200.0, 1.0 / 4.0),
            (1000.0, 1.0 / 20.0),
        ] {
            assert_eq!(limited_growth(&rules, cwnd), growth, "at {cwnd}");
        }
        let mut window = window(SlowStart::Limited, 10.0, f64::INFINITY);
        for _ in 0..20 {
            let before = window.cwnd();
            for _ in 0..before as u32 {
                window.grow_in_slow_start(&common(), &acks(1));
            }
            let growth = window.cwnd() - before;
            if before <= 50.0 {
                assert_eq!(growth, before);
            } else if before > 100.0 {
                assert!((33.0..=75.0).contains(&growth), "{growth} from {before}");
            }
        }
    }

    #[test]
    fn limited_slow_start_takes_the_round_trips_of_rfc_3742() {
        // log2(100) up to max_ssthresh, then max_ssthresh / 2 segments in each.
        let mut window = window(SlowStart::Limited, 1.0, f64::INFINITY);
        let mut rounds = 0;
        while window.cwnd() < 10_000.0 {
            for _ in 0..window.cwnd() as u32 {
                window.grow_in_slow_start(&common(), &acks(1));
            }
            rounds += 1;
        }
        let counted = f64::from(rounds);
        assert_near(counted, libm::log2(100.0) + (10_000.0 - 100.0) / 50.0, 2.0);
    }

    #[test]
    fn one_acknowledgement_of_many_segments_counts_like_many_in_limited_slow_start() {
        for ssthresh in [110.0, 111.3, 200.0, 1000.0] {
            for acked in 0..60 {
                let mut once = window(SlowStart::Limited, 98.0, ssthresh);
                let mut singly = once;
                let left = once.grow_in_slow_start(&common(), &acks(acked));
                let left_singly: u32 =
                    (0..acked).map(|_| singly.grow_in_slow_start(&common(), &acks(1))).sum();
                assert_eq!((once, left), (singly, left_singly), "ssthresh {ssthresh}, {acked} segments");
            }
        }
    }

    #[test]
    fn the_threshold_is_an_eighth_of_the_round_trip_time_within_bounds() {
        let rules = HyStartRules::default();
        for (ms, threshold) in
            [(10, 4.0), (20, 4.0), (32, 4.0), (50, 6.25), (100, 12.5), (128, 16.0), (162, 16.0), (200, 16.0)]
        {
            assert_eq!(rules.threshold(ms * 1000), threshold * 1000.0);
        }
    }

    /// A flow whose first round trip took `rtt`, at the beginning of the second.
    fn second_round(rtt: Picos) -> Window {
        let mut window = window(SlowStart::HyStart(HyStart::default()), 100.0, f64::INFINITY);
        round(&mut window, rtt, 8);
        window
    }

    /// A round trip of `samples` equal delays.
    fn round(window: &mut Window, rtt: Picos, samples: u32) {
        for i in 0..samples {
            window.grow_in_slow_start(&common(), &AckEvent { rtt, round_start: i == 0, ..acks(1) });
        }
    }

    fn growth(window: &mut Window, acked: u32) -> f64 {
        let before = window.cwnd();
        window.grow_in_slow_start(&common(), &acks(acked));
        window.cwnd() - before
    }

    #[test]
    fn the_round_trip_time_ends_slow_start() {
        for (rtt, samples, conservative) in
            [(178_000, 8, true), (177_900, 8, false), (178_000, 7, false), (500_000, 9, true)]
        {
            let mut window = second_round(162 * MS);
            round(&mut window, rtt * MS / 1000, samples);
            let expected = if conservative { 10.0 } else { 40.0 };
            let grown: f64 = (0..40).map(|_| growth(&mut window, 1)).sum();
            assert_eq!(grown, expected, "{rtt} us, {samples} samples");
        }
    }

    #[test]
    fn one_acknowledgement_counts_for_eight_segments_at_most() {
        let mut window = second_round(162 * MS);
        assert_eq!([1, 8, 9, 100].map(|acked| growth(&mut window, acked)), [1.0, 8.0, 8.0, 8.0]);
        round(&mut window, 200 * MS, 8);
        assert_eq!([1, 8, 9, 100].map(|acked| growth(&mut window, acked)), [0.25, 2.0, 2.0, 2.0]);
    }

    #[test]
    fn conservative_slow_start_lasts_five_round_trips() {
        let mut window = second_round(162 * MS);
        // The one in which it begins counts.
        for _ in 0..5 {
            assert!(window.in_slow_start());
            round(&mut window, 200 * MS, 10);
        }
        assert!(window.in_slow_start());
        let cwnd = window.cwnd();
        let next = AckEvent { rtt: 200 * MS, round_start: true, ..acks(3) };
        assert_eq!(window.grow_in_slow_start(&common(), &next), 3, "left for congestion avoidance");
        assert_eq!((window.cwnd(), window.ssthresh()), (cwnd, cwnd));
        assert!(!window.in_slow_start());
    }

    #[test]
    fn slow_start_goes_on_when_the_round_trip_time_falls() {
        let mut window = second_round(162 * MS);
        round(&mut window, 200 * MS, 8);
        round(&mut window, 200 * MS, 8);
        assert_eq!(growth(&mut window, 4), 1.0, "not below what it was");
        round(&mut window, 199 * MS, 7);
        assert_eq!(growth(&mut window, 4), 1.0, "too few samples");
        window.grow_in_slow_start(&common(), &AckEvent { rtt: 300 * MS, ..acks(1) });
        assert_eq!(growth(&mut window, 4), 4.0);
        // A second conservative slow start has five round trips again.
        round(&mut window, 300 * MS, 8);
        for _ in 0..4 {
            round(&mut window, 300 * MS, 8);
            assert_eq!(growth(&mut window, 4), 1.0);
        }
        round(&mut window, 300 * MS, 1);
        assert!(!window.in_slow_start());
    }

    #[test]
    fn a_congestion_event_is_the_end_of_it() {
        for slow_start in [SlowStart::HyStart(HyStart::default()), SlowStart::Limited] {
            let mut window = window(slow_start, 100.0, f64::INFINITY);
            window.timeout(&common(), &loss(LossCause::Timeout, 800), 400.0, 400.0);
            assert_eq!(growth(&mut window, 99), 99.0);
            let limited = slow_start == SlowStart::Limited;
            assert_eq!(growth(&mut window, 100) < 60.0, limited, "limited slow start remains");
        }
    }

    #[test]
    fn a_flow_remembers_little() {
        assert_eq!(size_of::<SlowStart>(), 16);
    }
}
