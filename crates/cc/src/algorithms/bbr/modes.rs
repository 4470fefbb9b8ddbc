//! The modes: their gains, and the rules that lead from mode to mode (tcp_bbr.c).

use super::{Bbr, BbrConfig};
use crate::{AckEvent, Picos};
use serde::{Deserialize, Serialize};

/// The mode of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Mode {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

impl Bbr {
    /// Pacing gain of the mode and the phase (bbr_update_gains).
    pub(super) fn pacing_gain(&self, c: &BbrConfig) -> f64 {
        match (self.mode, self.phase) {
            (Mode::Startup, _) => c.high_gain,
            (Mode::Drain, _) => c.drain_gain,
            (Mode::ProbeBw, _) if self.long_term.used => 1.0,
            (Mode::ProbeBw, 0) => c.probe_up_gain,
            (Mode::ProbeBw, 1) => c.probe_down_gain,
            (Mode::ProbeBw | Mode::ProbeRtt, _) => 1.0,
        }
    }

    /// Window gain of the mode (bbr_update_gains).
    pub(super) fn cwnd_gain(&self, c: &BbrConfig) -> f64 {
        match self.mode {
            Mode::Startup | Mode::Drain => c.high_gain,
            Mode::ProbeBw => c.cwnd_gain,
            Mode::ProbeRtt => 1.0,
        }
    }

    /// Moves from phase to phase of PROBE_BW (bbr_is_next_cycle_phase, bbr_update_cycle_phase).
    pub(super) fn update_phase(&mut self, c: &BbrConfig, ack: &AckEvent) {
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
            self.begin_phase(ack.now, (u32::from(self.phase) + 1) % c.phases);
        }
    }

    /// Begins a phase of PROBE_BW (bbr_advance_cycle_phase).
    pub(super) fn begin_phase(&mut self, now: Picos, phase: u32) {
        self.phase = phase as u8;
        self.phase_stamp = now;
    }

    /// Ends STARTUP where the pipe is full, and DRAIN where its queue is gone (bbr_check_drain).
    pub(super) fn check_drain(&mut self, c: &BbrConfig, ack: &AckEvent) {
        if self.mode == Mode::Startup && self.full {
            self.mode = Mode::Drain;
        }
        if self.mode == Mode::Drain && f64::from(ack.in_flight) <= self.target(c, 1.0) {
            self.probe_bandwidth(c, ack.now);
        }
    }

    /// PROBE_BW begins, in any phase but the second (bbr_reset_probe_bw_mode).
    pub(super) fn probe_bandwidth(&mut self, c: &BbrConfig, now: Picos) {
        (self.mode, self.tainted) = (Mode::ProbeBw, false);
        let drawn = c.phases - self.draw.below(c.phases - 1);
        self.begin_phase(now, drawn % c.phases);
    }

    /// Updates the smallest round-trip time, begins PROBE_RTT where it is old, and holds the window down
    /// (bbr_update_min_rtt).
    pub(super) fn update_min_rtt(&mut self, c: &BbrConfig, ack: &AckEvent) {
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
    pub(super) fn check_probe_rtt_done(&mut self, c: &BbrConfig, now: Picos) {
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
}
