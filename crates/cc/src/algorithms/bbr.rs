//! BBR, version 1 (Linux `tcp_bbr.c`; Cardwell, Cheng, Gunn, Yeganeh and Jacobson, ACM Queue 2016): a flow paced at
//! what the path was seen to deliver, with a window of twice what the path holds.
//!
//! * Model: the bandwidth is the largest delivery rate of ten round trips, without those samples that the sender itself
//!   limited unless they are larger; min_rtt is the smallest round-trip time of ten seconds.
//! * STARTUP: pacing and window gain `high_gain`, until the bandwidth has grown by less than 25 % in three rounds.
//! * DRAIN: pacing at `drain_gain`, until no more is in flight than the path holds.
//! * PROBE_BW: eight phases of about a min_rtt each. 1.25 lasts until that much is in flight or something is lost, 0.75
//!   at most until no more is in flight than the path holds, six are 1. The first phase is drawn from all but 0.75.
//! * PROBE_RTT: where min_rtt has not fallen for ten seconds, four segments in flight for 200 ms and a round.
//! * After an idle time the flow paces at gain 1, and does not probe the round-trip time at once: the queue had time to
//!   drain (bbr_cwnd_event).
//! * Losses: no multiplicative decrease. In the first round of recovery what is delivered may be sent, later losses leave
//!   the window; recovery ends with the window from before it. A timeout sets the window to 1.
//!
//! Linux has two rules more than the publications (draft-cardwell-iccrg-bbr-congestion-control-00):
//!
//! * Aggregated acknowledgements (`extra_acked_gain`): the most that was acknowledged beyond the bandwidth in a stretch of
//!   time without a pause, in five to ten round trips, is added to the window once the pipe is full.
//! * Long-term bandwidth (`long_term`): two intervals in a row of at least four round trips, from loss to loss, with a
//!   fifth lost and the same rate, look like a policer. For 48 round trips their mean is then the bandwidth and the gain 1.
//!
//! # Deviations
//!
//! The default is the draft with the constants of Linux (tcp_bbr.c until 6.x, version 1). Of Linux's rules these are
//! parameters:
//!
//! * `burst_time` 1/1024: the room for bursts is three times what the pacing rate sends in 1/1024 s, at least 2 segments,
//!   1 below 1.2 Mbit/s, at most 45. Segments still leave separately.
//! * `extra_acked_gain` 1 and `long_term` 1: the rules above. Losses that a timeout finds count in the interval after
//!   it.
//! * `high_gain` 739/256 and `drain_gain` 88/256 are what Linux computes with.
//! * `joins_recoveries` 1: where the acknowledgement that ends a recovery begins another one, the first one goes on. Linux
//!   calls BBR after both (tcp_ack), so that BBR sees neither (bbr_set_cwnd_to_recover_or_restore).
//!
//! These are not modelled:
//!
//! * Linux leaves a flow's first 10 segments unpaced, paces bursts, and lets a late burst catch up by half a gap.
//! * Linux compares with the phases' limits what will be in the network when the next burst leaves: up to a burst more in
//!   the phase that probes, less by what is delivered until then.
//! * Linux undoes recoveries that turn out to be spurious; here there is no reordering.
//! * A recovery that a timer finds sets the window at once, Linux's with the next acknowledgement.
//! * Linux ignores a delayed acknowledgement of a single segment when min_rtt has expired.

use crate::conservation::Conservation;
use crate::draw::Draw;
use crate::max_filter::MaxFilter;
use crate::param::constants;
use crate::{
    AckEvent, Codepoint, Common, CongestionControl, IdleEvent, LossCause, LossEvent, LostSegment,
    MILLISECOND, Param, Phase, Picos, Preset, Start, Window, picos, seconds,
};
use serde::{Deserialize, Serialize};

/// Constants of BBR.
#[derive(Clone, Debug)]
pub struct BbrConfig {
    common: Common,
    high_gain: f64,
    drain_gain: f64,
    probe_up_gain: f64,
    probe_down_gain: f64,
    cwnd_gain: f64,
    phases: u8,
    min_window: f64,
    bandwidth_rounds: u32,
    min_rtt_time: Picos,
    probe_rtt_time: Picos,
    full_growth: f64,
    full_rounds: u8,
    pacing_margin: f64,
    quantum: f64,
    probe_extra: f64,
    first_rtt: f64,
    /// The room for bursts follows the pacing rate.
    burst_time: f64,
    burst_rate: f64,
    burst_max: f64,
    extra_acked_gain: f64,
    extra_acked_rounds: u8,
    extra_acked_time: f64,
    /// The long-term bandwidth is looked for.
    long_term: bool,
    lt_rounds: u32,
    lt_loss: f64,
    lt_ratio: f64,
    lt_difference: f64,
    lt_use_rounds: u32,
    /// A recovery that begins with the acknowledgement that ends another one goes on as that one.
    joins_recoveries: bool,
}

/// The mode of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Mode {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// Acknowledgements in bunches.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Aggregation {
    /// Since when segments are counted, and how many were acknowledged.
    since: Picos,
    acked: u32,
    /// Largest excess of this window of round trips and of the last one, and the round trips of this one.
    excess: [u32; 2],
    rounds: u8,
}

impl Aggregation {
    /// `acked` segments were acknowledged at `now`, under the window `cwnd` and at the bandwidth `bandwidth`.
    fn add(&mut self, now: Picos, acked: u32, bandwidth: f64, cwnd: f64) {
        let expected = |since| (bandwidth * seconds(now - since)).floor();
        let mut due = expected(self.since);
        if f64::from(self.acked) <= due {
            (self.since, self.acked, due) = (now, 0, 0.0);
        }
        self.acked = self.acked.saturating_add(acked);
        let excess = (f64::from(self.acked) - due).min(cwnd) as u32;
        self.excess[0] = self.excess[0].max(excess);
    }

    /// A round trip is over.
    fn end_round(&mut self, rounds: u8) {
        self.rounds += 1;
        if self.rounds >= rounds {
            self.rounds = 0;
            self.excess = [0, self.excess[0]];
        }
    }
}

/// The bandwidth of a policer.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct LongTerm {
    /// An interval is under way; the bandwidth found is used.
    sampling: bool,
    used: bool,
    /// Segments/s, of the last interval or in use; 0 where there is none.
    bandwidth: f64,
    /// Round trips of the interval, or since the bandwidth is used.
    rounds: u32,
    /// The beginning of the interval: segments delivered and lost, modulo 2^32, and when.
    delivered: u32,
    lost: u32,
    stamp: Picos,
}

/// BBR: the state of one flow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Bbr {
    window: Window,
    /// Bandwidth, segments/s, over rounds.
    bandwidth: MaxFilter,
    /// Smallest round-trip time, 0 before the first, and when it was seen.
    min_rtt: Picos,
    min_rtt_stamp: Picos,
    /// When PROBE_RTT may end; 0 until little enough is in flight.
    probe_rtt_done: Picos,
    /// Since when the phase of PROBE_BW lasts.
    phase_stamp: Picos,
    /// A round ends when a segment is acknowledged that left after this many had been delivered.
    round_end: u64,
    rounds: u32,
    /// Bandwidth that the pipe seemed to be full at, and rounds since it grew.
    full_bandwidth: f64,
    full_count: u8,
    full: bool,
    mode: Mode,
    phase: u8,
    recovery: Conservation,
    round_start: bool,
    probe_rtt_round_done: bool,
    /// The pacing rate rests on a measured round-trip time.
    seen_rtt: bool,
    /// Nothing was acknowledged since the application was idle.
    after_idle: bool,
    /// After the last acknowledgement.
    in_flight: u32,
    delivered: u64,
    /// Segments of the last acknowledgement, and when it came.
    acked: u32,
    acked_at: Picos,
    /// Segments found lost.
    lost: u32,
    pacing_rate: f64,
    draw: Draw,
    aggregation: Aggregation,
    long_term: LongTerm,
}

impl BbrConfig {
    /// Pacing rate for a bandwidth in segments/s.
    fn pacing(&self, bandwidth: f64, gain: f64) -> f64 {
        bandwidth * gain * (1.0 - self.pacing_margin)
    }

    /// Segments of a burst at a pacing rate (bbr_tso_segs_goal).
    fn burst(&self, rate: f64) -> f64 {
        if self.burst_time == 0.0 {
            return self.quantum;
        }
        let least = if rate < self.burst_rate { 1.0 } else { 2.0 };
        (rate * self.burst_time).floor().min(self.burst_max).max(least)
    }
}

impl Bbr {
    fn pacing_gain(&self, c: &BbrConfig) -> f64 {
        match (self.mode, self.phase) {
            (Mode::Startup, _) => c.high_gain,
            (Mode::Drain, _) => c.drain_gain,
            (Mode::ProbeBw, _) if self.long_term.used => 1.0,
            (Mode::ProbeBw, 0) => c.probe_up_gain,
            (Mode::ProbeBw, 1) => c.probe_down_gain,
            (Mode::ProbeBw | Mode::ProbeRtt, _) => 1.0,
        }
    }

    fn cwnd_gain(&self, c: &BbrConfig) -> f64 {
        match self.mode {
            Mode::Startup | Mode::Drain => c.high_gain,
            Mode::ProbeBw => c.cwnd_gain,
            Mode::ProbeRtt => 1.0,
        }
    }

    /// The bandwidth in use, segments/s (bbr_bw).
    fn bandwidth(&self) -> f64 {
        if self.long_term.used { self.long_term.bandwidth } else { self.bandwidth.get() }
    }

    /// Segments that the path holds at `gain` times `bandwidth` (bbr_bdp).
    fn product(&self, bandwidth: f64, gain: f64) -> f64 {
        if self.min_rtt == 0 {
            self.window.initial()
        } else {
            (gain * bandwidth * seconds(self.min_rtt)).ceil()
        }
    }

    /// So many segments and room for bursts (bbr_quantization_budget).
    fn with_bursts(&self, c: &BbrConfig, segments: f64) -> f64 {
        let even = ((segments + 3.0 * c.burst(self.pacing_rate)) / 2.0).ceil() * 2.0;
        if self.mode == Mode::ProbeBw && self.phase == 0 { even + c.probe_extra } else { even }
    }

    /// Segments in flight at `gain` times the largest bandwidth, with room for bursts (bbr_inflight).
    fn target(&self, c: &BbrConfig, gain: f64) -> f64 {
        self.with_bursts(c, self.product(self.bandwidth.get(), gain))
    }

    /// Room for acknowledgements that come in bunches (bbr_ack_aggregation_cwnd).
    fn aggregated(&self, c: &BbrConfig) -> f64 {
        if c.extra_acked_gain == 0.0 || !self.full {
            return 0.0;
        }
        let [current, last] = self.aggregation.excess;
        let most = (self.bandwidth() * c.extra_acked_time).floor();
        (c.extra_acked_gain * f64::from(current.max(last))).floor().min(most)
    }

    #[cold]
    fn update_aggregation(&mut self, c: &BbrConfig, ack: &AckEvent) {
        if ack.sample.interval == 0 {
            return;
        }
        if self.round_start {
            self.aggregation.end_round(c.extra_acked_rounds);
        }
        self.aggregation.add(ack.now, ack.acked, self.bandwidth(), self.window.cwnd());
    }

    /// Looks for a policer, with the acknowledgement at `self.acked_at` (bbr_lt_bw_sampling).
    #[cold]
    fn sample_long_term(&mut self, c: &BbrConfig, losses: bool, round_start: bool, app_limited: bool) {
        let lt = &mut self.long_term;
        let begun = LongTerm {
            delivered: self.delivered as u32,
            lost: self.lost,
            stamp: self.acked_at,
            ..LongTerm::default()
        };
        if lt.used {
            if self.mode == Mode::ProbeBw && round_start {
                lt.rounds += 1;
                if lt.rounds >= c.lt_use_rounds {
                    *lt = begun;
                    self.probe_bandwidth(c, self.acked_at);
                }
            }
            return;
        }
        if !lt.sampling {
            if !losses {
                return;
            }
            *lt = LongTerm { sampling: true, bandwidth: lt.bandwidth, ..begun };
        }
        if app_limited {
            *lt = begun;
            return;
        }
        lt.rounds += u32::from(round_start);
        if lt.rounds < c.lt_rounds {
            return;
        }
        if lt.rounds > 4 * c.lt_rounds {
            *lt = begun;
            return;
        }
        let delivered = f64::from((self.delivered as u32).wrapping_sub(lt.delivered));
        let lossy = f64::from(self.lost.wrapping_sub(lt.lost)) >= c.lt_loss * delivered;
        let time = self.acked_at - lt.stamp;
        if !losses || delivered == 0.0 || !lossy || time < MILLISECOND {
            return;
        }
        let bandwidth = delivered / seconds(time);
        let difference = (bandwidth - lt.bandwidth).abs();
        let alike = difference <= c.lt_ratio * lt.bandwidth || difference <= c.lt_difference;
        if lt.bandwidth > 0.0 && alike {
            (lt.bandwidth, lt.used, lt.rounds) = ((bandwidth + lt.bandwidth) / 2.0, true, 0);
        } else {
            *lt = LongTerm { sampling: true, bandwidth, ..begun };
        }
    }

    fn update_bandwidth(&mut self, c: &BbrConfig, ack: &AckEvent) {
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
        if !ack.sample.app_limited || ack.delivery_rate >= self.bandwidth.get() {
            self.bandwidth.add(c.bandwidth_rounds, self.rounds, ack.delivery_rate);
        }
    }

    fn update_phase(&mut self, c: &BbrConfig, ack: &AckEvent) {
        if self.mode != Mode::ProbeBw {
            return;
        }
        let whole = ack.now - self.phase_stamp > self.min_rtt;
        // The acknowledgement took segments out of the network: those that arrived and those found lost.
        let before = f64::from(ack.in_flight.saturating_add(ack.acked).saturating_add(ack.lost));
        let over = match self.phase {
            _ if self.long_term.used => whole,
            0 => whole && (ack.lost > 0 || before >= self.target(c, c.probe_up_gain)),
            1 => whole || before <= self.target(c, 1.0),
            _ => whole,
        };
        if over {
            self.begin_phase(ack.now, (self.phase + 1) % c.phases);
        }
    }

    fn begin_phase(&mut self, now: Picos, phase: u8) {
        self.phase = phase;
        self.phase_stamp = now;
    }

    /// The bandwidth has not grown enough for some rounds: the pipe is full.
    fn check_full(&mut self, c: &BbrConfig, ack: &AckEvent) {
        if self.full || !self.round_start || ack.sample.app_limited {
            return;
        }
        let bandwidth = self.bandwidth.get();
        if bandwidth >= self.full_bandwidth * c.full_growth {
            (self.full_bandwidth, self.full_count) = (bandwidth, 0);
            return;
        }
        self.full_count += 1;
        self.full = self.full_count >= c.full_rounds;
    }

    fn check_drain(&mut self, c: &BbrConfig, ack: &AckEvent) {
        if self.mode == Mode::Startup && self.full {
            self.mode = Mode::Drain;
        }
        if self.mode == Mode::Drain && f64::from(ack.in_flight) <= self.target(c, 1.0) {
            self.probe_bandwidth(c, ack.now);
        }
    }

    /// PROBE_BW begins, in any phase but the second.
    fn probe_bandwidth(&mut self, c: &BbrConfig, now: Picos) {
        self.mode = Mode::ProbeBw;
        let drawn = c.phases - self.draw.below(u32::from(c.phases) - 1) as u8;
        self.begin_phase(now, drawn % c.phases);
    }

    fn update_min_rtt(&mut self, c: &BbrConfig, ack: &AckEvent) {
        let expired = self.min_rtt > 0 && ack.now > self.min_rtt_stamp + c.min_rtt_time;
        if ack.rtt > 0 && (self.min_rtt == 0 || ack.rtt < self.min_rtt || expired) {
            (self.min_rtt, self.min_rtt_stamp) = (ack.rtt, ack.now);
        }
        if expired && self.mode != Mode::ProbeRtt && !self.after_idle {
            self.recovery.save(self.window.cwnd(), false);
            self.mode = Mode::ProbeRtt;
            self.probe_rtt_done = 0;
        }
        if self.mode != Mode::ProbeRtt {
            return;
        }
        if self.probe_rtt_done == 0 {
            if f64::from(ack.in_flight) <= c.min_window {
                self.probe_rtt_done = ack.now + c.probe_rtt_time;
                self.probe_rtt_round_done = false;
                self.round_end = ack.delivered;
            }
            return;
        }
        self.probe_rtt_round_done |= self.round_start;
        if self.probe_rtt_round_done {
            self.check_probe_rtt_done(c, ack.now);
        }
    }

    /// Ends PROBE_RTT if its time is over (bbr_check_probe_rtt_done).
    fn check_probe_rtt_done(&mut self, c: &BbrConfig, now: Picos) {
        if self.probe_rtt_done == 0 || now <= self.probe_rtt_done {
            return;
        }
        self.min_rtt_stamp = now;
        self.restore_window(c);
        if self.full {
            self.probe_bandwidth(c, now);
        } else {
            self.mode = Mode::Startup;
        }
    }

    fn restore_window(&mut self, c: &BbrConfig) {
        let cwnd = self.recovery.restored(self.window.cwnd());
        self.recovery.raise(cwnd);
        self.window.set(&c.common, cwnd);
    }

    fn leave_recovery(&mut self, c: &BbrConfig) {
        let cwnd = self.recovery.end(self.window.cwnd());
        self.window.set(&c.common, cwnd);
    }

    fn set_pacing_rate(&mut self, c: &BbrConfig, ack: &AckEvent) {
        if !self.seen_rtt && ack.srtt > 0 {
            self.seen_rtt = true;
            self.pacing_rate = c.pacing(self.window.cwnd() / seconds(ack.srtt), c.high_gain);
        }
        let rate = c.pacing(self.bandwidth(), self.pacing_gain(c));
        if rate > self.pacing_rate || (self.full && rate > 0.0) {
            self.pacing_rate = rate;
        }
    }

    fn set_window(&mut self, c: &BbrConfig, ack: &AckEvent) {
        let product = self.product(self.bandwidth(), self.cwnd_gain(c));
        let target = self.with_bursts(c, product + self.aggregated(c));
        let (cwnd, initial) = (self.window.cwnd(), self.window.initial());
        let mut cwnd = self.recovery.window(cwnd, target, self.full, initial, c.min_window, ack);
        if self.mode == Mode::ProbeRtt {
            cwnd = cwnd.min(c.min_window);
            self.recovery.limit(c.min_window);
        }
        self.window.set(&c.common, cwnd);
    }
}

impl CongestionControl for Bbr {
    type Config = BbrConfig;

    const NAME: &'static str = "bbr";
    const TITLE: &'static str = "BBR, version 1";
    const SOURCE: &'static str = "Linux tcp_bbr.c; Cardwell et al., ACM Queue 2016";
    const SHARED_SLOW_START: bool = false;
    const WANTS_DELIVERY_RATE: bool = true;
    const MANAGES_RECOVERY: bool = true;
    const PARAMS: &'static [Param] = &[
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
        Param::new("long_term", "1: the long-term bandwidth of a policer is looked for; 0: it is not", "1", [0.0, 1.0], 0.0, "none in draft-cardwell-iccrg-bbr-congestion-control-00 (Linux tcp_bbr.c: 1)").with(&[(Preset::Linux, 1.0)]),
        Param::new("lt_rounds", "least round trips of an interval that measures the long-term bandwidth; the most are four times as many", "round trips", [1.0, 1e6], 4.0, "Linux tcp_bbr.c"),
        Param::new("lt_loss", "losses over deliveries from which an interval counts", "1", [0.0, 1e6], 50.0 / 256.0, "Linux tcp_bbr.c"),
        Param::new("lt_ratio", "relative difference up to which two intervals agree", "1", [0.0, 1.0], 0.125, "Linux tcp_bbr.c"),
        Param::new("lt_difference", "difference up to which two intervals agree", "segments/s", [0.0, 1e6], 500.0 / 1448.0, "Linux tcp_bbr.c: 4 kbit/s, of 1448 bytes each"),
        Param::new("lt_use_rounds", "round trips for which the long-term bandwidth is used", "round trips", [1.0, 1e6], 48.0, "Linux tcp_bbr.c"),
        Param::new("joins_recoveries", "1: a recovery that begins with the acknowledgement that ends another one goes on as that one; 0: it has a first round of its own", "1", [0.0, 1.0], 0.0, "draft-cardwell-iccrg-bbr-congestion-control-00 (Linux tcp_input.c: 1)").with(&[(Preset::Linux, 1.0)]),
    ];

    fn config(common: Common, values: &[f64]) -> BbrConfig {
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
        BbrConfig {
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

    // Linux's BBR does not answer marks, so its segments must not ask for them (RFC 3168, section 5).
    fn codepoint(_: &BbrConfig) -> Codepoint {
        Codepoint::NotEct
    }

    fn new(config: &BbrConfig, start: &Start) -> Self {
        let window = Window::new(&config.common, start);
        let rtt = if start.rtt > 0 { seconds(start.rtt) } else { config.first_rtt };
        Self {
            pacing_rate: config.pacing(window.cwnd() / rtt, config.high_gain),
            window,
            bandwidth: MaxFilter::default(),
            min_rtt: start.rtt,
            min_rtt_stamp: start.now,
            probe_rtt_done: 0,
            phase_stamp: start.now,
            round_end: 0,
            rounds: 0,
            full_bandwidth: 0.0,
            full_count: 0,
            full: false,
            mode: Mode::Startup,
            phase: 0,
            recovery: Conservation::default(),
            round_start: false,
            probe_rtt_round_done: false,
            seen_rtt: start.rtt > 0,
            after_idle: false,
            in_flight: 0,
            delivered: 0,
            acked: 1,
            acked_at: start.now,
            lost: 0,
            draw: Draw::new(start.seed),
            aggregation: Aggregation { since: start.now, ..Aggregation::default() },
            long_term: LongTerm::default(),
        }
    }

    fn on_ack(&mut self, config: &BbrConfig, ack: &AckEvent) {
        if self.recovery.has_repaired_timeout(ack) {
            self.leave_recovery(config);
        }
        self.recovery.see_ack();
        (self.in_flight, self.delivered) = (ack.in_flight, ack.delivered);
        (self.acked, self.acked_at) = (ack.acked, ack.now);
        self.update_bandwidth(config, ack);
        if config.extra_acked_gain > 0.0 {
            self.update_aggregation(config, ack);
        }
        self.update_phase(config, ack);
        self.check_full(config, ack);
        self.check_drain(config, ack);
        self.update_min_rtt(config, ack);
        self.after_idle = false;
        self.set_pacing_rate(config, ack);
        self.set_window(config, ack);
    }

    // bbr_cwnd_event. The model of the path is kept.
    fn on_idle(&mut self, config: &BbrConfig, idle: &IdleEvent) {
        self.after_idle = true;
        match self.mode {
            Mode::ProbeBw => {
                let rate = config.pacing(self.bandwidth(), 1.0);
                if rate > self.pacing_rate || (self.full && rate > 0.0) {
                    self.pacing_rate = rate;
                }
            }
            Mode::ProbeRtt => self.check_probe_rtt_done(config, idle.now),
            Mode::Startup | Mode::Drain => {}
        }
    }

    fn on_loss(&mut self, config: &BbrConfig, loss: &LossEvent) {
        match loss.cause {
            LossCause::Ecn => {}
            LossCause::FastRetransmit => {
                // A timer finds losses between two acknowledgements.
                if config.joins_recoveries
                    && self.acked_at == loss.now
                    && let Some(cwnd) = self.recovery.go_on()
                {
                    self.window.set(&config.common, cwnd);
                    return;
                }
                self.recovery.begin(loss.cause, self.window.cwnd(), self.mode == Mode::ProbeRtt);
                // Packet conservation lasts until what leaves from now on is acknowledged. The acknowledgement that
                // reports the loss lets as many segments go as it acknowledged.
                self.round_end = self.delivered;
                self.window.set(&config.common, f64::from(self.in_flight) + f64::from(self.acked));
            }
            LossCause::Timeout => {
                self.recovery.begin(loss.cause, self.window.cwnd(), self.mode == Mode::ProbeRtt);
                self.full_bandwidth = 0.0;
                self.window.set(&config.common, 1.0);
                if config.long_term {
                    self.sample_long_term(config, true, true, false);
                }
            }
        }
    }

    fn on_segment_lost(&mut self, _: &BbrConfig, _: &LostSegment) {
        self.lost = self.lost.wrapping_add(1);
    }

    fn on_recovery_exit(&mut self, config: &BbrConfig, now: Picos) {
        let cwnd = self.window.cwnd();
        // Not after the acknowledgement was seen, as where a probe has repaired its loss.
        let is_first = now > self.acked_at;
        let cwnd = if is_first { self.recovery.end_for_now(cwnd) } else { self.recovery.end(cwnd) };
        self.window.set(&config.common, cwnd);
    }

    /// Recovery has ended, which brings the window back; what was learned since is kept.
    fn undo(&mut self, _: &Self) {}

    fn holds_back(&self) -> bool {
        self.mode == Mode::ProbeRtt
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn pacing_rate(&self) -> Option<f64> {
        Some(self.pacing_rate)
    }

    fn mode(&self) -> Option<&'static str> {
        Some(match (self.mode, self.phase) {
            (Mode::Startup, _) => "startup",
            (Mode::Drain, _) => "drain",
            (Mode::ProbeBw, 0) => "probe_bw_up",
            (Mode::ProbeBw, 1) => "probe_bw_down",
            (Mode::ProbeBw, _) => "probe_bw_cruise",
            (Mode::ProbeRtt, _) => "probe_rtt",
        })
    }

    fn bandwidth_estimate(&self) -> Option<f64> {
        Some(self.bandwidth())
    }

    fn phase(&self, _: &BbrConfig, _: Picos) -> Phase {
        if self.mode == Mode::Startup { Phase::SlowStart } else { Phase::Alternate }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{acks, assert_near, config, loss, start};
    use crate::{DeliverySample, SECOND};

    const MS: Picos = MILLISECOND;
    const RTT: Picos = 162 * MS;

    fn flow() -> (BbrConfig, Bbr) {
        let config = config::<Bbr>(Preset::Standard, &[]);
        let bbr = Bbr::new(&config, &Start { rtt: RTT, ..start(10.0, 1e9) });
        (config, bbr)
    }

    /// The acknowledgement that ends a round of 162 ms in which `rate` segments/ms were delivered.
    fn round(bbr: &Bbr, now: Picos, rate: f64, in_flight: u32) -> AckEvent {
        let delivered = bbr.delivered + 1000;
        AckEvent {
            now,
            rtt: RTT,
            srtt: RTT,
            in_flight,
            delivered,
            delivery_rate: rate * 1e3,
            sample: DeliverySample {
                prior_delivered: bbr.delivered,
                interval: RTT,
                in_flight,
                ..DeliverySample::default()
            },
            ..acks(1)
        }
    }

    /// A flow in PROBE_BW that knows 21 segments/ms and 162 ms, in its phase `phase`.
    fn probing(phase: u8) -> (BbrConfig, Bbr) {
        let (config, mut bbr) = flow();
        (bbr.mode, bbr.full) = (Mode::ProbeBw, true);
        bbr.bandwidth.add(10, 0, 21_000.0);
        bbr.begin_phase(0, phase);
        (config, bbr)
    }

    #[test]
    fn the_window_and_the_rates_of_a_known_path() {
        let (config, mut bbr) = probing(2);
        // The product is 3402; three bursts of one segment, to the next even number.
        assert_eq!(bbr.target(&config, 2.0), 6808.0);
        assert_eq!(bbr.target(&config, 1.0), 3406.0);
        for (phase, rate) in [(0, 25_987.5), (1, 15_592.5), (2, 20_790.0), (7, 20_790.0)] {
            bbr.phase = phase;
            bbr.set_pacing_rate(&config, &acks(1));
            assert_near(bbr.pacing_rate, rate, 1e-9);
        }
        bbr.phase = 0;
        assert_eq!(bbr.target(&config, 2.0), 6810.0, "two more while bandwidth is looked for");
    }

    #[test]
    fn the_pipe_is_full_after_three_rounds_without_a_quarter_more() {
        let (config, mut bbr) = flow();
        let mut found = Vec::new();
        for (i, rate) in [10.0, 20.0, 21.0, 21.0, 21.0].into_iter().enumerate() {
            bbr.on_ack(&config, &round(&bbr, RTT * (1 + i as u64), rate, 5000));
            found.push((bbr.full_bandwidth, bbr.full, bbr.mode));
        }
        assert_eq!(found[1], (20_000.0, false, Mode::Startup));
        assert_eq!(found[3], (20_000.0, false, Mode::Startup));
        assert_eq!(found[4], (20_000.0, true, Mode::Drain));
        assert_near(bbr.pacing_rate, 21_000.0 * 0.99 * 0.3466, 1e-6);
        bbr.on_ack(&config, &round(&bbr, 6 * RTT, 21.0, 3407));
        assert_eq!(bbr.mode, Mode::Drain);
        bbr.on_ack(&config, &round(&bbr, 7 * RTT, 21.0, 3406));
        assert_eq!(bbr.mode, Mode::ProbeBw);
    }

    #[test]
    fn the_start_doubles_the_window_in_each_round() {
        let (config, mut bbr) = flow();
        let mut rounds = 0;
        while bbr.cwnd() < 3402.0 {
            rounds += 1;
            // The rate that the window of the round before gives.
            let (rate, acked) = (bbr.cwnd() / 162.0, bbr.cwnd() as u32);
            let ack = AckEvent { acked, ..round(&bbr, RTT * rounds, rate, acked) };
            bbr.on_ack(&config, &ack);
        }
        // log2(3402 / 10) = 8.4 doublings of the initial window.
        assert_eq!((rounds, bbr.cwnd()), (9, 5120.0));
    }

    #[test]
    fn samples_that_the_sender_limited_count_only_upwards() {
        let (config, mut bbr) = flow();
        let limited = |rate: f64, bbr: &Bbr| {
            let mut ack = round(bbr, RTT, rate, 10);
            ack.sample.app_limited = true;
            ack
        };
        bbr.on_ack(&config, &round(&bbr, RTT, 10.0, 10));
        for _ in 0..20 {
            bbr.on_ack(&config, &limited(5.0, &bbr));
        }
        assert_eq!((bbr.bandwidth.get(), bbr.full), (10_000.0, false));
        bbr.on_ack(&config, &limited(12.0, &bbr));
        assert_eq!(bbr.bandwidth.get(), 12_000.0);
    }

    #[test]
    fn the_bandwidth_is_the_largest_of_ten_rounds() {
        let (config, mut bbr) = flow();
        bbr.on_ack(&config, &round(&bbr, RTT, 20.0, 10));
        for i in 0..10 {
            bbr.on_ack(&config, &round(&bbr, RTT * (2 + i), 10.0, 10));
            assert_eq!(bbr.bandwidth.get(), 20_000.0);
        }
        bbr.on_ack(&config, &round(&bbr, RTT * 12, 10.0, 10));
        assert_eq!(bbr.bandwidth.get(), 10_000.0);
    }

    #[test]
    fn phases_end_as_their_gains_say() {
        let next = |phase: u8, now: Picos, in_flight: u32, lost: u32| {
            let (config, mut bbr) = probing(phase);
            bbr.update_phase(&config, &AckEvent { now, in_flight, lost, ..acks(1) });
            bbr.phase
        };
        let (early, late) = (RTT, RTT + 1);
        // 1.25 x 3402 with room for bursts and two more is 4258.
        assert_eq!([next(0, late, 4256, 0), next(0, late, 4257, 0), next(0, late, 10, 1)], [0, 1, 1]);
        assert_eq!([next(0, early, 9999, 1), next(1, early, 3406, 0), next(1, early, 3405, 0)], [0, 1, 2]);
        assert_eq!([next(1, late, 9999, 0), next(2, early, 0, 0), next(7, late, 9999, 0)], [2, 2, 0]);
    }

    #[test]
    fn the_first_phase_is_drawn_from_all_but_the_second() {
        let mut counts = [0; 8];
        for seed in 0..700 {
            let (config, mut bbr) = probing(3);
            bbr.draw = Draw::new(seed);
            bbr.probe_bandwidth(&config, 0);
            counts[usize::from(bbr.phase)] += 1;
        }
        assert_eq!(counts[1], 0);
        assert!(counts.iter().enumerate().all(|(i, c)| i == 1 || (60..140).contains(c)), "{counts:?}");
    }

    #[test]
    fn lost_segments_were_in_flight_before_the_acknowledgement() {
        for (in_flight, lost, phase) in [(3405, 0, 2), (3395, 10, 2), (3395, 11, 1), (3405, 1, 1)] {
            let (config, mut bbr) = probing(1);
            bbr.update_phase(&config, &AckEvent { now: MS, in_flight, lost, ..acks(1) });
            assert_eq!(bbr.phase, phase, "{in_flight} in flight, {lost} lost");
        }
    }

    fn changed(changes: &[(&str, f64)]) -> BbrConfig {
        config::<Bbr>(Preset::Standard, changes)
    }

    #[test]
    fn linux_has_room_for_three_bursts_of_a_millisecond() {
        let linux = changed(&[("burst_time", 1.0 / 1024.0)]);
        // 1.2 Mbit/s are 103.6 segments/s; 3 segments leave in 1/1024 s from 3072 segments/s on; 65215 bytes are 45.
        for (rate, burst) in [(103.0, 1.0), (104.0, 2.0), (3071.0, 2.0), (3072.0, 3.0), (1e6, 45.0)] {
            assert_eq!(linux.burst(rate), burst, "{rate}");
        }
        let (_, mut bbr) = probing(2);
        bbr.pacing_rate = 2000.0;
        // 3402 + 3 x 2, which is even.
        assert_eq!(bbr.target(&linux, 1.0), 3408.0);
    }

    #[test]
    fn linux_adds_what_was_acknowledged_in_bunches() {
        let linux = changed(&[("extra_acked_gain", 1.0)]);
        let (_, mut bbr) = probing(2);
        let mut bunch = Aggregation::default();
        // At 1 segment/ms: 8 at once, 4 more after 2 ms (12 - 2), and after 10 ms more than 12 were due.
        for (ms, acked, excess) in [(0, 8, 8), (2, 4, 10), (13, 3, 10)] {
            bunch.add(ms * MS, acked, 1000.0, 100.0);
            assert_eq!(bunch.excess[0], excess);
        }
        assert_eq!((bunch.since, bunch.acked), (13 * MS, 3));
        bunch.add(13 * MS, 500, 1000.0, 100.0);
        assert_eq!(bunch.excess, [100, 0], "at most the window");
        for round in 0..10 {
            assert_eq!(bunch.excess.iter().max(), Some(&100), "round {round}");
            bunch.end_round(5);
        }
        assert_eq!(bunch.excess, [0, 0]);
        bbr.aggregation.excess = [7, 9];
        assert_eq!(bbr.aggregated(&linux), 9.0);
        bbr.aggregation.excess = [9000, 7];
        assert_eq!(bbr.aggregated(&linux), 2100.0, "0.1 s at 21 segments/ms");
        assert_eq!(bbr.aggregated(&changed(&[])), 0.0);
        bbr.full = false;
        assert_eq!(bbr.aggregated(&linux), 0.0);
    }

    #[test]
    fn linux_takes_two_lossy_intervals_of_one_rate_for_a_policer() {
        let linux = changed(&[("long_term", 1.0)]);
        // Round trips of 100 ms in which `delivered` segments arrive and `lost` do not.
        let round = |bbr: &mut Bbr, delivered: u64, lost: u32| {
            bbr.acked_at += 100 * MS;
            bbr.delivered += delivered;
            bbr.lost += lost;
            bbr.sample_long_term(&linux, lost > 0, true, false);
            (bbr.long_term.used, bbr.long_term.bandwidth)
        };
        let (_, mut bbr) = probing(0);
        bbr.acked_at = 0;
        // The interval begins with the first loss, its fourth round trip ends it: 300 segments in 0.3 s, a fifth lost.
        for expected in [0.0, 0.0, 0.0, 1000.0] {
            assert_eq!(round(&mut bbr, 100, 20), (false, expected));
        }
        // 112 segments per round trip are within an eighth of it. Four round trips more.
        for _ in 0..3 {
            assert!(!round(&mut bbr, 112, 23).0);
        }
        assert_eq!(round(&mut bbr, 112, 23), (true, 1060.0));
        assert_eq!((bbr.pacing_gain(&linux), bbr.bandwidth()), (1.0, 1060.0));
        for _ in 0..47 {
            assert!(round(&mut bbr, 100, 30).0);
        }
        assert_eq!(round(&mut bbr, 100, 30), (false, 0.0), "for 48 round trips");
        assert_eq!(bbr.bandwidth(), 21_000.0);
        // Fewer losses, or another rate, are no policer.
        for (second, lost, bandwidth) in [(100, 19, 1000.0), (130, 30, 1300.0)] {
            let (_, mut bbr) = probing(0);
            bbr.acked_at = 0;
            for _ in 0..4 {
                round(&mut bbr, 100, 20);
            }
            for _ in 0..4 {
                round(&mut bbr, second, lost);
            }
            assert_eq!((bbr.long_term.used, bbr.long_term.bandwidth), (false, bandwidth));
        }
    }

    #[test]
    fn a_flow_that_was_idle_paces_at_its_bandwidth_and_probes_no_round_trip_time() {
        let (config, mut bbr) = probing(0);
        let idle = IdleEvent { now: 30 * SECOND, idle: 12 * SECOND, rto: SECOND };
        let ack = |now, bbr: &Bbr| AckEvent { rtt: RTT + MS, ..round(bbr, now, 21.0, 100) };
        (bbr.min_rtt, bbr.min_rtt_stamp) = (RTT, 0);
        bbr.on_idle(&config, &idle);
        assert_near(bbr.pacing_rate, 20_790.0, 1e-9);
        bbr.on_ack(&config, &ack(idle.now + RTT, &bbr));
        assert_eq!((bbr.mode, bbr.min_rtt), (Mode::ProbeBw, RTT + MS));
        // The next one is due 10 s later.
        bbr.on_ack(&config, &ack(idle.now + RTT + 10_001 * MS, &bbr));
        assert_eq!(bbr.mode, Mode::ProbeRtt);
    }

    #[test]
    fn recovery_begins_with_as_many_segments_as_were_acknowledged() {
        let (config, mut bbr) = probing(2);
        bbr.window.set(&config.common, 6808.0);
        bbr.on_ack(&config, &AckEvent { acked: 2, ..round(&bbr, MS, 21.0, 5000) });
        bbr.on_loss(&config, &loss(LossCause::FastRetransmit, 6000));
        assert_eq!(bbr.cwnd(), 5002.0);
    }

    #[test]
    fn an_old_min_rtt_is_probed_with_four_segments_for_200_ms_and_a_round() {
        let (config, mut bbr) = probing(2);
        bbr.window.set(&config.common, 6808.0);
        let mut now = 10_001 * MS;
        let late = |now, in_flight, bbr: &Bbr| AckEvent { rtt: RTT + MS, ..round(bbr, now, 21.0, in_flight) };
        bbr.on_ack(&config, &late(now, 3402, &bbr));
        assert_eq!((bbr.mode, bbr.cwnd(), bbr.min_rtt), (Mode::ProbeRtt, 4.0, RTT + MS));
        assert!(bbr.holds_back());
        bbr.on_ack(&config, &late(now, 4, &bbr));
        now += 200 * MS;
        bbr.on_ack(&config, &late(now, 4, &bbr));
        assert_eq!(bbr.mode, Mode::ProbeRtt);
        bbr.on_ack(&config, &late(now + 1, 4, &bbr));
        assert_eq!((bbr.mode, bbr.min_rtt_stamp), (Mode::ProbeBw, now + 1));
        assert!(bbr.cwnd() >= 6808.0 && !bbr.holds_back());
    }

    #[test]
    fn recovery_conserves_packets_for_a_round_and_restores_the_window() {
        let (config, mut bbr) = probing(2);
        bbr.window.set(&config.common, 6808.0);
        bbr.on_ack(&config, &round(&bbr, MS, 21.0, 5000));
        bbr.on_loss(&config, &loss(LossCause::FastRetransmit, 6000));
        assert_eq!(bbr.cwnd(), 5001.0);
        let within = |bbr: &Bbr, in_flight, lost| {
            let mut ack = AckEvent { lost, in_recovery: true, ..round(bbr, 2 * MS, 21.0, in_flight) };
            ack.sample.prior_delivered = 0;
            ack
        };
        bbr.on_ack(&config, &within(&bbr, 4000, 10));
        assert_eq!(bbr.cwnd(), 4991.0);
        bbr.on_ack(&config, &within(&bbr, 5500, 0));
        assert_eq!(bbr.cwnd(), 5501.0);
        bbr.on_recovery_exit(&config, 3 * MS);
        assert_eq!(bbr.cwnd(), 6808.0);
    }

    /// A flow whose recovery, in its first round or beyond it, an acknowledgement has just ended.
    fn ends_and_begins(joins: f64, conserving: bool) -> (BbrConfig, Bbr) {
        let (_, mut bbr) = probing(2);
        let config = config::<Bbr>(Preset::Standard, &[("joins_recoveries", joins)]);
        bbr.window.set(&config.common, 6808.0);
        bbr.on_ack(&config, &round(&bbr, MS, 21.0, 5000));
        bbr.on_loss(&config, &loss(LossCause::FastRetransmit, 6000));
        if !conserving {
            // Beyond the first round the window loses what is lost.
            bbr.on_ack(&config, &AckEvent { lost: 11, in_recovery: true, ..round(&bbr, 2 * MS, 21.0, 5000) });
            assert_eq!(bbr.cwnd(), 4991.0);
        }
        bbr.on_recovery_exit(&config, 3 * MS);
        assert_eq!(bbr.cwnd(), 6808.0);
        (config, bbr)
    }

    fn within_the_round(bbr: &Bbr, now: Picos, in_flight: u32) -> AckEvent {
        let mut ack = round(bbr, now, 21.0, in_flight);
        ack.sample.prior_delivered = 0;
        ack
    }

    fn found(now: Picos) -> LossEvent {
        LossEvent { now, ..loss(LossCause::FastRetransmit, 5500) }
    }

    /// Linux calls BBR once, after a recovery has ended and another one has begun.
    #[test]
    fn a_recovery_that_begins_with_the_end_of_another_goes_on() {
        for (joins, conserving, ends_with, then) in
            [(0.0, false, 5502.0, 5502.0), (1.0, false, 4992.0, 4993.0), (1.0, true, 5502.0, 5602.0)]
        {
            let (config, mut bbr) = ends_and_begins(joins, conserving);
            bbr.on_ack(&config, &within_the_round(&bbr, 3 * MS, 5501));
            assert_eq!(bbr.cwnd(), 6808.0);
            bbr.on_loss(&config, &found(3 * MS));
            assert_eq!(bbr.cwnd(), ends_with);
            let in_flight = if joins == 1.0 { 5601 } else { 5501 };
            bbr.on_ack(&config, &within_the_round(&bbr, 4 * MS, in_flight));
            assert_eq!(bbr.cwnd(), then);
            bbr.on_recovery_exit(&config, 5 * MS);
            assert_eq!(bbr.cwnd(), 6808.0);
        }
    }

    #[test]
    fn a_recovery_that_begins_later_is_another_one() {
        // With the next acknowledgement; found by a timer; after a probe that has repaired its loss.
        let (config, mut bbr) = ends_and_begins(1.0, false);
        bbr.on_ack(&config, &round(&bbr, 3 * MS, 21.0, 5501));
        let mut by_timer = bbr;
        let mut probed = bbr;
        bbr.on_ack(&config, &round(&bbr, 4 * MS, 21.0, 5000));
        bbr.on_loss(&config, &found(4 * MS));
        assert_eq!(bbr.cwnd(), 5001.0);
        by_timer.on_loss(&config, &found(4 * MS));
        assert_eq!(by_timer.cwnd(), 5502.0);
        probed.on_ack(&config, &round(&probed, 4 * MS, 21.0, 5000));
        probed.on_loss(&config, &found(4 * MS));
        probed.on_recovery_exit(&config, 4 * MS);
        probed.on_ack(&config, &round(&probed, 5 * MS, 21.0, 5100));
        probed.on_loss(&config, &found(5 * MS));
        assert_eq!(probed.cwnd(), 5101.0);
    }

    #[test]
    fn a_recovery_that_goes_on_keeps_the_window_of_probe_rtt() {
        let begins = 10_001 * MS;
        let (config, mut bbr) = ends_and_begins(1.0, false);
        bbr.on_ack(&config, &AckEvent { rtt: RTT + MS, ..round(&bbr, begins, 21.0, 3402) });
        bbr.on_loss(&config, &found(begins));
        assert_eq!((bbr.mode, bbr.cwnd()), (Mode::ProbeRtt, 4.0));

        let (config, mut bbr) = ends_and_begins(1.0, false);
        bbr.mode = Mode::ProbeRtt;
        (bbr.probe_rtt_done, bbr.probe_rtt_round_done) = (MS, true);
        bbr.recovery.limit(4.0);
        bbr.on_ack(&config, &round(&bbr, 3 * MS, 21.0, 4));
        bbr.on_loss(&config, &found(3 * MS));
        assert_eq!((bbr.mode, bbr.cwnd()), (Mode::ProbeBw, 6808.0));
    }

    #[test]
    fn a_time_out_sends_one_segment_and_then_restores_the_window() {
        let (config, mut bbr) = probing(2);
        bbr.window.set(&config.common, 100.0);
        bbr.on_loss(&config, &loss(LossCause::Timeout, 100));
        assert_eq!((bbr.cwnd(), bbr.full_bandwidth), (1.0, 0.0));
        bbr.on_ack(&config, &AckEvent { after_timeout: true, ..round(&bbr, MS, 21.0, 0) });
        assert_eq!(bbr.cwnd(), 4.0);
        bbr.on_ack(&config, &round(&bbr, 2 * MS, 21.0, 0));
        assert_eq!(bbr.cwnd(), 101.0);
    }

    #[test]
    fn pacing_starts_from_the_first_round_trip_and_does_not_fall_before_the_pipe_is_full() {
        let config = config::<Bbr>(Preset::Standard, &[]);
        let mut bbr = Bbr::new(&config, &start(10.0, 1e9));
        assert_near(bbr.pacing_rate, 10.0 / 0.001 * 2.885 * 0.99, 1e-6);
        bbr.on_ack(&config, &AckEvent { rtt: RTT, srtt: RTT, ..acks(1) });
        assert_near(bbr.pacing_rate, 11.0 / 0.162 * 2.885 * 0.99, 18.0);
        let before = bbr.pacing_rate;
        bbr.on_ack(&config, &round(&bbr, RTT, 0.001, 10));
        assert_eq!(bbr.pacing_rate, before);
    }
}
