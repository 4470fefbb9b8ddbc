//! BBR, version 1 (Linux `tcp_bbr.c`; Cardwell, Cheng, Gunn, Yeganeh and Jacobson, ACM Queue 2016): a flow
//! paced at what the path was seen to deliver, with a window of twice what the path holds.
//!
//! * Model: the bandwidth is the largest delivery rate of ten round trips, without those samples that the
//!   sender itself limited unless they are larger; min_rtt is the smallest round-trip time of ten seconds.
//! * STARTUP: pacing and window gain `high_gain`, until the bandwidth has grown by less than 25 % in three
//!   rounds.
//! * DRAIN: pacing at `drain_gain`, until no more is in flight than the path holds.
//! * PROBE_BW: eight phases of about a min_rtt each. 1.25 lasts until that much is in flight or something is
//!   lost, 0.75 at most until no more is in flight than the path holds, six are 1. The first phase is drawn
//!   from all but 0.75.
//! * PROBE_RTT: where min_rtt has not fallen for ten seconds, four segments in flight for 200 ms and a round.
//! * After an idle time the flow paces at gain 1, and does not probe the round-trip time at once: the queue
//!   had time to drain (bbr_cwnd_event).
//! * Losses: no multiplicative decrease. In the first round of recovery what is delivered may be sent, later
//!   losses leave the window; recovery ends with the window from before it. A timeout sets the window to 1.
//!
//! Linux has two rules more than the publications (draft-cardwell-iccrg-bbr-congestion-control-00):
//!
//! * Aggregated acknowledgements (`extra_acked_gain`): the most that was acknowledged beyond the bandwidth in
//!   a stretch of time without a pause, in five to ten round trips, is added to the window once the pipe is
//!   full.
//! * Long-term bandwidth (`long_term`): two intervals in a row of at least four round trips, from loss to
//!   loss, with a fifth lost and the same rate, look like a policer. For 48 round trips their mean is then
//!   the bandwidth and the gain 1.
//!
//! # Deviations
//!
//! The default is the draft with the constants of Linux (tcp_bbr.c until 6.x, version 1). Of Linux's rules
//! these are parameters:
//!
//! * `burst_time` 1/1024: the room for bursts is three times what the pacing rate sends in 1/1024 s, at least
//!   2 segments, 1 below 1.2 Mbit/s, at most 45. The sender forms the bursts: `transport.burst`.
//! * `extra_acked_gain` 1 and `long_term` 1: the rules above. Losses that a timeout finds count in the
//!   interval after it.
//! * `high_gain` 739/256 and `drain_gain` 88/256 are what Linux computes with.
//! * `joins_recoveries` 1: where the acknowledgement that ends a recovery begins another one, the first one
//!   goes on. Linux calls BBR after both (tcp_ack), so that BBR sees neither
//!   (bbr_set_cwnd_to_recover_or_restore).
//!
//! These are not modelled:
//!
//! * Linux compares with the phases' limits what will be in the network when the next burst leaves: up to a
//!   burst more in the phase that probes, less by what is delivered until then.
//! * Linux undoes recoveries that turn out to be spurious; here there is no reordering.
//! * A recovery that a timer finds sets the window at once, Linux's with the next acknowledgement.
//! * Linux ignores a delayed acknowledgement of a single segment when min_rtt has expired.
//!
//! `constants` has what can be set, `model` what the flow knows of its path, `modes` what it does next.
//! `long_term` has the rule that only Linux has.

mod constants;
mod long_term;
mod model;
mod modes;
#[cfg(test)]
mod tests;

use crate::aggregation::Aggregation;
use crate::conservation::Conservation;
use crate::draw::Draw;
use crate::max_filter::MaxFilter;
use crate::{
    AckEvent, Codepoint, CongestionControl, IdleEvent, LossCause, LossEvent, LostSegment, Phase, Picos,
    ResumeStep, Start, Window, seconds,
};
pub use constants::BbrConfig;
use long_term::LongTerm;
use modes::Mode;
use serde::{Deserialize, Serialize};

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
    /// Delivery rates are those of segments of careful resume that met congestion.
    tainted: bool,
}

impl Bbr {
    /// Brings the window from before PROBE_RTT back.
    fn restore_window(&mut self, c: &BbrConfig) {
        let cwnd = self.recovery.restored(self.window.cwnd());
        self.recovery.raise(cwnd);
        self.window.set(&c.common, cwnd);
    }

    /// Ends recovery with the window from before it (bbr_set_cwnd_to_recover_or_restore).
    fn leave_recovery(&mut self, c: &BbrConfig) {
        let cwnd = self.recovery.end(self.window.cwnd());
        self.window.set(&c.common, cwnd);
    }

    /// Sets the pacing rate, which only rises before the pipe is full (bbr_init_pacing_rate_from_rtt,
    /// bbr_set_pacing_rate).
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

    /// Sets the window (bbr_set_cwnd).
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
    type Params = BbrConfig;
    type Config = BbrConfig;

    const NAME: &'static str = "bbr";
    const TITLE: &'static str = "BBR, version 1";
    const SOURCE: &'static str = "Linux tcp_bbr.c; Cardwell et al., ACM Queue 2016";
    const SHARED_SLOW_START: bool = false;
    const WANTS_DELIVERY_RATE: bool = true;
    const MANAGES_RECOVERY: bool = true;

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
            aggregation: Aggregation::new(start.now),
            long_term: LongTerm::default(),
            tainted: false,
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

    // RFC 9959, implementation notes for BBR.
    fn on_resume(&mut self, config: &BbrConfig, step: &ResumeStep) {
        match *step {
            ResumeStep::Jump { cwnd, rtt } if self.mode == Mode::Startup => {
                let probing = cwnd / seconds(rtt);
                self.pacing_rate = self.pacing_rate.max(probing);
                let window = probing * seconds(self.min_rtt) * config.high_gain;
                self.window.set(&config.common, window.max(self.window.cwnd()));
            }
            ResumeStep::Retreat { .. } if self.mode == Mode::Startup => {
                (self.mode, self.full) = (Mode::Drain, true);
                self.tainted = true;
            }
            _ => {}
        }
    }

    fn on_loss(&mut self, config: &BbrConfig, loss: &LossEvent) {
        match loss.cause {
            LossCause::Ecn => {}
            LossCause::FastRetransmit => {
                // A timer finds losses between two acknowledgements.
                if config.joins_recoveries && self.acked_at == loss.now {
                    if let Some(cwnd) = self.recovery.go_on() {
                        self.window.set(&config.common, cwnd);
                        return;
                    }
                }
                self.recovery.begin(loss.cause, self.window.cwnd(), self.mode == Mode::ProbeRtt);
                // Packet conservation lasts until what leaves from now on is acknowledged. The
                // acknowledgement that reports the loss lets as many segments go as it acknowledged.
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
