//! Constants of BBR: names, ranges and defaults, and the values of a scenario.

use crate::Common;
use crate::param::params;

params! {
    /// Constants of BBR.
    pub struct BbrConfig {
        common: Common,
        /// pacing and window gain while the bandwidth is looked for; 2 / ln 2 doubles the rate each round
        high_gain: number("1", [1.0, 10.0], 2.885, Linux = 739.0 / 256.0, "Linux tcp_bbr.c"),
        /// pacing gain while the queue of the start is drained: 1 / high_gain
        drain_gain: number("1", [0.01, 1.0], 0.3466, Linux = 88.0 / 256.0, "Linux tcp_bbr.c"),
        /// pacing gain of the phase that looks for more bandwidth
        probe_up_gain: number("1", [1.0, 10.0], 1.25, "Linux tcp_bbr.c"),
        /// pacing gain of the phase after it, which drains what it queued
        probe_down_gain: number("1", [0.01, 1.0], 0.75, "Linux tcp_bbr.c"),
        /// window over the product of bandwidth and smallest round-trip time
        cwnd_gain: number("1", [1.0, 100.0], 2.0, "Linux tcp_bbr.c"),
        /// phases of the cycle in which bandwidth is probed, all but the first two at gain 1
        phases: count("1", [3, 100], 8, "Linux tcp_bbr.c"),
        /// smallest window outside loss recovery, and the window while the round-trip time is probed
        min_window: number("segments", [1.0, 1000.0], 4.0, "Linux tcp_bbr.c"),
        /// round trips over which the largest delivery rate counts
        bandwidth_rounds: count("round trips", [1, 1000], 10, "Linux tcp_bbr.c"),
        /// time after which a smallest round-trip time that has not fallen is probed
        min_rtt_time: time([0.01, 3600.0], 10.0, "Linux tcp_bbr.c"),
        /// least time for which that probe holds the window down
        probe_rtt_time: time([0.0, 60.0], 0.2, "Linux tcp_bbr.c"),
        /// growth of the bandwidth below which a round counts as one without growth
        full_growth: number("1", [1.0, 10.0], 1.25, "Linux tcp_bbr.c"),
        /// rounds without growth after which the pipe counts as full
        full_rounds: count("round trips", [1, 100], 3, "Linux tcp_bbr.c"),
        /// part of the bandwidth by which pacing stays below it
        pacing_margin: number("1", [0.0, 0.9], 0.01, "Linux tcp_bbr.c"),
        /// segments that leave in one burst; the window has room for three
        quantum: number("segments", [0.0, 1000.0], 1.0,
            "Linux tcp_bbr.c, for segments that leave one by one"),
        /// window beyond that while bandwidth is looked for
        probe_extra: number("segments", [0.0, 1000.0], 2.0, "Linux tcp_bbr.c"),
        /// round-trip time assumed before the first measurement
        first_rtt: number("s", [0.000_001, 10.0], 0.001, "Linux tcp_bbr.c"),
        /// time whose segments at the pacing rate make a burst, of which the window has room for three; 0:
        /// quantum
        burst_time: number("s", [0.0, 1.0], 0.0, Linux = 1.0 / 1024.0,
            "chosen: segments leave one by one here (Linux tcp_bbr.c: 1/1024)"),
        /// pacing rate below which that burst may be one segment, not two
        burst_rate: number("segments/s", [0.0, 1e9], 150_000.0 / 1448.0,
            "Linux tcp_bbr.c: 1.2 Mbit/s, of 1448 bytes each"),
        /// largest such burst
        burst_max: number("segments", [1.0, 1e6], 45.0, "Linux: 65215 bytes of 1448 each"),
        /// part of the acknowledgements that come in bunches which is added to the window; 0: no such rule
        extra_acked_gain: number("1", [0.0, 10.0], 0.0, Linux = 1.0,
            "none in draft-cardwell-iccrg-bbr-congestion-control-00 (Linux tcp_bbr.c from 5.1: 1)"),
        /// round trips of a window over which the largest bunch counts; the last one counts, too
        extra_acked_rounds: count("round trips", [1, 31], 5, "Linux tcp_bbr.c"),
        /// time at the bandwidth that bounds what is added
        extra_acked_time: number("s", [0.0, 10.0], 0.1, "Linux tcp_bbr.c"),
        /// 1: the long-term bandwidth of a policer is looked for; 0: it is not
        long_term: flag(false, Linux = true,
            "none in draft-cardwell-iccrg-bbr-congestion-control-00 (Linux tcp_bbr.c: 1)"),
        /// least round trips of an interval that measures the long-term bandwidth; the most are four times as
        /// many
        lt_rounds: count("round trips", [1, 1_000_000], 4, "Linux tcp_bbr.c"),
        /// losses over deliveries from which an interval counts
        lt_loss: number("1", [0.0, 1e6], 50.0 / 256.0, "Linux tcp_bbr.c"),
        /// relative difference up to which two intervals agree
        lt_ratio: number("1", [0.0, 1.0], 0.125, "Linux tcp_bbr.c"),
        /// difference up to which two intervals agree
        lt_difference: number("segments/s", [0.0, 1e6], 500.0 / 1448.0,
            "Linux tcp_bbr.c: 4 kbit/s, of 1448 bytes each"),
        /// round trips for which the long-term bandwidth is used
        lt_use_rounds: count("round trips", [1, 1_000_000], 48, "Linux tcp_bbr.c"),
        /// 1: a recovery that begins with the acknowledgement that ends another one goes on as that one; 0:
        /// it has a first round of its own
        joins_recoveries: flag(false, Linux = true,
            "draft-cardwell-iccrg-bbr-congestion-control-00 (Linux tcp_input.c: 1)"),
    }
}

impl BbrConfig {
    /// Pacing rate for a bandwidth in segments/s.
    pub(super) fn pacing(&self, bandwidth: f64, gain: f64) -> f64 {
        bandwidth * gain * (1.0 - self.pacing_margin)
    }

    /// Segments of a burst at a pacing rate (bbr_tso_segs_goal).
    pub(super) fn burst(&self, rate: f64) -> f64 {
        if self.burst_time == 0.0 {
            return self.quantum;
        }
        let least = if rate < self.burst_rate { 1.0 } else { 2.0 };
        (rate * self.burst_time).floor().min(self.burst_max).max(least)
    }
}
