//! Constants of BBR: names, ranges and defaults, and the values of a scenario.

use crate::param::constants;
use crate::{Common, Param, Picos, Preset, picos};

/// Constants of BBR.
#[derive(Clone, Debug)]
pub struct BbrConfig {
    pub(super) common: Common,
    pub(super) high_gain: f64,
    pub(super) drain_gain: f64,
    pub(super) probe_up_gain: f64,
    pub(super) probe_down_gain: f64,
    pub(super) cwnd_gain: f64,
    pub(super) phases: u8,
    pub(super) min_window: f64,
    pub(super) bandwidth_rounds: u32,
    pub(super) min_rtt_time: Picos,
    pub(super) probe_rtt_time: Picos,
    pub(super) full_growth: f64,
    pub(super) full_rounds: u8,
    pub(super) pacing_margin: f64,
    pub(super) quantum: f64,
    pub(super) probe_extra: f64,
    pub(super) first_rtt: f64,
    /// The room for bursts follows the pacing rate.
    pub(super) burst_time: f64,
    pub(super) burst_rate: f64,
    pub(super) burst_max: f64,
    pub(super) extra_acked_gain: f64,
    pub(super) extra_acked_rounds: u8,
    pub(super) extra_acked_time: f64,
    /// The long-term bandwidth is looked for.
    pub(super) long_term: bool,
    pub(super) lt_rounds: u32,
    pub(super) lt_loss: f64,
    pub(super) lt_ratio: f64,
    pub(super) lt_difference: f64,
    pub(super) lt_use_rounds: u32,
    /// A recovery that begins with the acknowledgement that ends another one goes on as that one.
    pub(super) joins_recoveries: bool,
}

impl BbrConfig {
    /// The constants from the values of [`PARAMS`], in that order.
    pub(super) fn new(common: Common, values: &[f64]) -> Self {
        let [
            high_gain,
            drain_gain,
            probe_up_gain,
            probe_down_gain,
            cwnd_gain,
            phases,
            min_window,
            bandwidth_rounds,
            min_rtt_time,
            probe_rtt_time,
            full_growth,
            full_rounds,
            pacing_margin,
            quantum,
            probe_extra,
            first_rtt,
            burst_time,
            burst_rate,
            burst_max,
            extra_acked_gain,
            extra_acked_rounds,
            extra_acked_time,
            long_term,
            lt_rounds,
            lt_loss,
            lt_ratio,
            lt_difference,
            lt_use_rounds,
            joins_recoveries,
        ] = constants(values);
        Self {
            common,
            high_gain,
            drain_gain,
            probe_up_gain,
            probe_down_gain,
            cwnd_gain,
            phases: phases.round() as u8,
            min_window,
            bandwidth_rounds: bandwidth_rounds.round() as u32,
            min_rtt_time: picos(min_rtt_time),
            probe_rtt_time: picos(probe_rtt_time),
            full_growth,
            full_rounds: full_rounds.round() as u8,
            pacing_margin,
            quantum,
            probe_extra,
            first_rtt,
            burst_time,
            burst_rate,
            burst_max,
            extra_acked_gain,
            extra_acked_rounds: extra_acked_rounds.round() as u8,
            extra_acked_time,
            long_term: long_term >= 0.5,
            lt_rounds: lt_rounds.round() as u32,
            lt_loss,
            lt_ratio,
            lt_difference,
            lt_use_rounds: lt_use_rounds.round() as u32,
            joins_recoveries: joins_recoveries >= 0.5,
        }
    }

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

/// Every constant, in the order in which [`BbrConfig::new`] takes the values.
pub(super) const PARAMS: &[Param] = &[
    Param::new("high_gain", "pacing and window gain while the bandwidth is looked for; 2 / ln 2 doubles the rate each round", "1", [1.0, 10.0], 2.885, "Linux tcp_bbr.c").with(&[(Preset::Linux, 739.0 / 256.0)]),
    Param::new("drain_gain", "pacing gain while the queue of the start is drained: 1 / high_gain", "1", [0.01, 1.0], 0.3466, "Linux tcp_bbr.c").with(&[(Preset::Linux, 88.0 / 256.0)]),
    Param::new("probe_up_gain", "pacing gain of the phase that looks for more bandwidth", "1", [1.0, 10.0], 1.25, "Linux tcp_bbr.c"),
    Param::new("probe_down_gain", "pacing gain of the phase after it, which drains what it queued", "1", [0.01, 1.0], 0.75, "Linux tcp_bbr.c"),
    Param::new("cwnd_gain", "window over the product of bandwidth and smallest round-trip time", "1", [1.0, 100.0], 2.0, "Linux tcp_bbr.c"),
    Param::new("phases", "phases of the cycle in which bandwidth is probed, all but the first two at gain 1", "1", [3.0, 100.0], 8.0, "Linux tcp_bbr.c"),
    Param::new("min_window", "smallest window outside loss recovery, and the window while the round-trip time is probed", "segments", [1.0, 1000.0], 4.0, "Linux tcp_bbr.c"),
    Param::new("bandwidth_rounds", "round trips over which the largest delivery rate counts", "round trips", [1.0, 1000.0], 10.0, "Linux tcp_bbr.c"),
    Param::new("min_rtt_time", "time after which a smallest round-trip time that has not fallen is probed", "s", [0.01, 3600.0], 10.0, "Linux tcp_bbr.c"),
    Param::new("probe_rtt_time", "least time for which that probe holds the window down", "s", [0.0, 60.0], 0.2, "Linux tcp_bbr.c"),
    Param::new("full_growth", "growth of the bandwidth below which a round counts as one without growth", "1", [1.0, 10.0], 1.25, "Linux tcp_bbr.c"),
    Param::new("full_rounds", "rounds without growth after which the pipe counts as full", "round trips", [1.0, 100.0], 3.0, "Linux tcp_bbr.c"),
    Param::new("pacing_margin", "part of the bandwidth by which pacing stays below it", "1", [0.0, 0.9], 0.01, "Linux tcp_bbr.c"),
    Param::new("quantum", "segments that leave in one burst; the window has room for three", "segments", [0.0, 1000.0], 1.0, "Linux tcp_bbr.c, for segments that leave one by one"),
    Param::new("probe_extra", "window beyond that while bandwidth is looked for", "segments", [0.0, 1000.0], 2.0, "Linux tcp_bbr.c"),
    Param::new("first_rtt", "round-trip time assumed before the first measurement", "s", [0.000_001, 10.0], 0.001, "Linux tcp_bbr.c"),
    Param::new("burst_time", "time whose segments at the pacing rate make a burst, of which the window has room for three; 0: quantum", "s", [0.0, 1.0], 0.0, "chosen: segments leave one by one here (Linux tcp_bbr.c: 1/1024)").with(&[(Preset::Linux, 1.0 / 1024.0)]),
    Param::new("burst_rate", "pacing rate below which that burst may be one segment, not two", "segments/s", [0.0, 1e9], 150_000.0 / 1448.0, "Linux tcp_bbr.c: 1.2 Mbit/s, of 1448 bytes each"),
    Param::new("burst_max", "largest such burst", "segments", [1.0, 1e6], 45.0, "Linux: 65215 bytes of 1448 each"),
    Param::new("extra_acked_gain", "part of the acknowledgements that come in bunches which is added to the window; 0: no such rule", "1", [0.0, 10.0], 0.0, "none in draft-cardwell-iccrg-bbr-congestion-control-00 (Linux tcp_bbr.c from 5.1: 1)").with(&[(Preset::Linux, 1.0)]),
    Param::new("extra_acked_rounds", "round trips of a window over which the largest bunch counts; the last one counts, too", "round trips", [1.0, 31.0], 5.0, "Linux tcp_bbr.c"),
    Param::new("extra_acked_time", "time at the bandwidth that bounds what is added", "s", [0.0, 10.0], 0.1, "Linux tcp_bbr.c"),
    Param::choice("long_term", "1: the long-term bandwidth of a policer is looked for; 0: it is not", 1, 0.0, "none in draft-cardwell-iccrg-bbr-congestion-control-00 (Linux tcp_bbr.c: 1)").with(&[(Preset::Linux, 1.0)]),
    Param::new("lt_rounds", "least round trips of an interval that measures the long-term bandwidth; the most are four times as many", "round trips", [1.0, 1e6], 4.0, "Linux tcp_bbr.c"),
    Param::new("lt_loss", "losses over deliveries from which an interval counts", "1", [0.0, 1e6], 50.0 / 256.0, "Linux tcp_bbr.c"),
    Param::new("lt_ratio", "relative difference up to which two intervals agree", "1", [0.0, 1.0], 0.125, "Linux tcp_bbr.c"),
    Param::new("lt_difference", "difference up to which two intervals agree", "segments/s", [0.0, 1e6], 500.0 / 1448.0, "Linux tcp_bbr.c: 4 kbit/s, of 1448 bytes each"),
    Param::new("lt_use_rounds", "round trips for which the long-term bandwidth is used", "round trips", [1.0, 1e6], 48.0, "Linux tcp_bbr.c"),
    Param::choice("joins_recoveries", "1: a recovery that begins with the acknowledgement that ends another one goes on as that one; 0: it has a first round of its own", 1, 0.0, "draft-cardwell-iccrg-bbr-congestion-control-00 (Linux tcp_input.c: 1)").with(&[(Preset::Linux, 1.0)]),
];
