//! The modes: their data, and the rules that lead from mode to mode.
//!
//! Startup, Drain, ProbeBW with its four phases, ProbeRTT (draft-ietf-ccwg-bbr, sections 5.3.1 to 5.3.4).

use super::model::UNBOUNDED;
use super::{Bbr3, Bbr3Config};
use crate::{AckEvent, Picos, picos};
use serde::{Deserialize, Serialize};

/// The mode of a flow, with the data that belongs to that mode only.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Mode {
    Startup {
        /// Acknowledgements of the round that reported losses.
        lossy_acks: u8,
        /// Rounds in a row in which too many segments were marked.
        marked_rounds: u8,
    },
    Drain {
        rounds: u32,
    },
    Down(Wait),
    Cruise(Wait),
    Refill {
        /// Doublings of the slope with which the probe begins.
        doublings: u8,
    },
    Up(Probe),
    ProbeRtt {
        hold: Option<Hold>,
        /// As in [`Wait`].
        stopping: bool,
    },
}

/// The wait for the next probe for bandwidth (section 5.3.3.5).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Wait {
    pub until: Picos,
    pub rounds: u32,
    /// The probe is over, but not a round ago: segments of it are acknowledged (ACKS_PROBE_STOPPING, section
    /// 5.3.3.6).
    pub stopping: bool,
}

/// A probe for bandwidth: how the long-term bound rises (section 5.3.3.4).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Probe {
    /// Segments whose acknowledgement raises the bound by one.
    count: f64,
    /// Segments acknowledged towards the next rise.
    acked: u32,
    rounds: u8,
    /// A loss has ended the probe; the acknowledgement that reports it has not been seen yet.
    pub stop: bool,
}

/// The flight is as small as the probe of the round-trip time needs: it stays so until `until` and for a
/// round (section 5.3.4.3).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Hold {
    until: Picos,
    round_over: bool,
}

impl Mode {
    pub const STARTUP: Self = Self::Startup { lossy_acks: 0, marked_rounds: 0 };

    /// Pacing gain (section 5.6.1).
    pub fn pacing_gain(&self, c: &Bbr3Config) -> f64 {
        match self {
            Self::Startup { .. } => c.startup_gain,
            Self::Drain { .. } => c.drain_gain,
            Self::Down(_) => c.down_gain,
            Self::Up(_) => c.up_gain,
            Self::Cruise(_) | Self::Refill { .. } | Self::ProbeRtt { .. } => 1.0,
        }
    }

    /// Window over the product of bandwidth and smallest round-trip time (section 5.6.1).
    pub fn cwnd_gain(&self, c: &Bbr3Config) -> f64 {
        match self {
            Self::Up(_) => c.up_cwnd_gain,
            Self::ProbeRtt { .. } => c.probe_rtt_gain,
            _ => c.cwnd_gain,
        }
    }

    /// Name for traces.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Startup { .. } => "startup",
            Self::Drain { .. } => "drain",
            Self::Down(_) => "probe_bw_down",
            Self::Cruise(_) => "probe_bw_cruise",
            Self::Refill { .. } => "probe_bw_refill",
            Self::Up(_) => "probe_bw_up",
            Self::ProbeRtt { .. } => "probe_rtt",
        }
    }

    pub fn is_startup(&self) -> bool {
        matches!(self, Self::Startup { .. })
    }

    pub fn is_up(&self) -> bool {
        matches!(self, Self::Up(_))
    }

    pub fn is_probe_rtt(&self) -> bool {
        matches!(self, Self::ProbeRtt { .. })
    }

    /// Returns whether the mode is one of the four phases of ProbeBW (IsInAProbeBWState, section 5.3.3.6).
    pub fn is_probe_bw(&self) -> bool {
        matches!(self, Self::Down(_) | Self::Cruise(_) | Self::Refill { .. } | Self::Up(_))
    }

    /// Returns whether the probe of the round-trip time held the flight down until `now` or longer ago
    /// (BBRCheckProbeRTTDone, section 5.3.4.3).
    pub fn has_held_until(&self, now: Picos) -> bool {
        matches!(self, Self::ProbeRtt { hold: Some(hold), .. } if now > hold.until)
    }

    /// Losses of a round bound the short term: the flow is not looking for more (BBRIsProbingBW, section
    /// 5.3.3.6; BBRAdaptLowerBoundsFromCongestion, section 5.5.10.3).
    pub fn adapts_short_term(&self) -> bool {
        !matches!(self, Self::Startup { .. } | Self::Refill { .. } | Self::Up(_))
    }

    /// Counts a round trip, in the modes that end after some (BBRUpdateRound, section 5.5.1).
    pub fn count_round(&mut self) {
        match self {
            Self::Drain { rounds } | Self::Down(Wait { rounds, .. }) | Self::Cruise(Wait { rounds, .. }) => {
                *rounds += 1;
            }
            Self::Startup { .. } | Self::Refill { .. } | Self::Up(_) | Self::ProbeRtt { .. } => {}
        }
    }

    /// A round is over: returns whether the last segments of a probe have been acknowledged in it.
    fn ends_probe(&mut self) -> bool {
        match self {
            Self::Down(Wait { stopping, .. })
            | Self::Cruise(Wait { stopping, .. })
            | Self::ProbeRtt { stopping, .. } => std::mem::take(stopping),
            Self::Startup { .. } | Self::Drain { .. } | Self::Refill { .. } | Self::Up(_) => false,
        }
    }
}

impl Probe {
    /// A probe that raises the long-term bound by one segment in its first round, after so many doublings
    /// (BBRStartProbeBW_UP, section 5.3.3.6).
    pub fn new(cwnd: f64, doublings: u8) -> Self {
        let mut probe = Self { count: UNBOUNDED, acked: 0, rounds: doublings, stop: false };
        probe.raise_slope(cwnd);
        probe
    }

    /// Doubles the slope: the bound rises by 1, 2, 4, ... segments per round (BBRRaiseInflightLongtermSlope,
    /// section 5.3.3.6).
    fn raise_slope(&mut self, cwnd: f64) {
        let growth = f64::from(1_u32 << self.rounds);
        self.rounds = (self.rounds + 1).min(30);
        self.count = (cwnd / growth).max(1.0);
    }

    /// Takes acknowledged segments; returns by how many segments the bound rises
    /// (BBRProbeInflightLongtermUpward, section 5.3.3.6).
    fn rise(&mut self, acked: u32) -> f64 {
        self.acked += acked;
        let steps = (f64::from(self.acked) / self.count).floor();
        if steps < 1.0 {
            return 0.0;
        }
        self.acked -= ((steps * self.count) as u32).min(self.acked);
        steps
    }
}

impl Bbr3 {
    /// Ends Startup where the path is full (BBRCheckStartupDone, section 5.3.1.1), or after a round of
    /// recovery with too many losses (BBRCheckStartupHighLoss, section 5.3.1.3).
    pub(super) fn check_startup(&mut self, c: &Bbr3Config, ack: &AckEvent) {
        let Mode::Startup { lossy_acks, .. } = &mut self.mode else { return };
        if ack.lost > 0 {
            *lossy_acks = lossy_acks.saturating_add(1);
        }
        if self.loss_round_start {
            let lossy = u32::from(*lossy_acks) >= c.full_losses
                && self.recovery.is_fast()
                && c.too_high(ack.sample.lost, ack.sample.in_flight);
            *lossy_acks = 0;
            if lossy {
                self.end_startup();
            }
        }
        if self.full.ever {
            self.mode = Mode::Drain { rounds: 0 };
        }
    }

    /// The path is full though the delivery rate grew: it lost or marked too much
    /// (BBRHandleQueueTooHighInStartup, section 5.3.1.3).
    pub(super) fn end_startup(&mut self) {
        self.full.ever = true;
        self.model.long_in_flight = self.product(1.0).max(f64::from(self.model.latest_delivered));
    }

    /// Ends Drain where there is no queue, or after some rounds (BBRCheckDrainDone, section 5.3.2).
    pub(super) fn check_drain(&mut self, c: &Bbr3Config, ack: &AckEvent) {
        if let Mode::Drain { rounds } = self.mode {
            if f64::from(ack.in_flight) <= self.drained(c) || rounds > c.drain_rounds {
                self.start_down(c, ack.now, ack.delivered);
            }
        }
    }

    /// Begins ProbeBW_DOWN (BBRStartProbeBW_DOWN, section 5.3.3.6).
    pub(super) fn start_down(&mut self, c: &Bbr3Config, now: Picos, delivered: u64) {
        self.mode = Mode::Down(self.start_wait(c, now, delivered));
    }

    /// Begins the wait for the next probe (BBRPickProbeWait, section 5.3.3.5.3).
    fn start_wait(&mut self, c: &Bbr3Config, now: Picos, delivered: u64) -> Wait {
        (self.loss_in_round, self.tainted) = (false, false);
        self.marks.start_cycle();
        self.model.reset_latest();
        self.start_round(delivered);
        let rounds = self.draw.below(2);
        let time = picos(c.probe_wait + self.draw.uniform() * c.probe_wait_random);
        Wait { until: now + time, rounds, stopping: true }
    }

    /// Begins ProbeBW_REFILL (BBRStartProbeBW_REFILL, section 5.3.3.6).
    fn start_refill(&mut self, delivered: u64, doublings: u8) {
        self.model.unbound_short_term();
        self.precautionary = false;
        self.start_round(delivered);
        self.mode = Mode::Refill { doublings };
    }

    /// Begins ProbeBW_UP (BBRStartProbeBW_UP, section 5.3.3.6).
    fn start_up(&mut self, ack: &AckEvent, doublings: u8) {
        self.start_round(ack.delivered);
        self.full.reset(ack.delivery_rate);
        self.probing = true;
        self.mode = Mode::Up(Probe::new(self.window.cwnd(), doublings));
    }

    /// Moves from phase to phase of ProbeBW (BBRUpdateProbeBWCyclePhase, section 5.3.3.6).
    pub(super) fn update_cycle(&mut self, c: &Bbr3Config, ack: &AckEvent) {
        if !self.full.ever || self.adapt_long_term(c, ack) {
            return;
        }
        match self.mode {
            Mode::Down(wait) => {
                if let Some(doublings) = self.probe_is_due(c, ack, &wait) {
                    self.start_refill(ack.delivered, doublings);
                } else if self.has_headroom(c, ack) {
                    self.mode = Mode::Cruise(wait);
                }
            }
            Mode::Cruise(wait) => {
                if let Some(doublings) = self.probe_is_due(c, ack, &wait) {
                    self.start_refill(ack.delivered, doublings);
                }
            }
            Mode::Refill { doublings } => {
                if self.round_start {
                    self.start_up(ack, doublings);
                }
            }
            Mode::Up(_) => self.check_up(c, ack),
            Mode::Startup { .. } | Mode::Drain { .. } | Mode::ProbeRtt { .. } => {}
        }
    }

    /// The doublings of the slope of a probe for which the clock, the rounds of standard TCP or the end of
    /// marks call (BBRIsTimeToProbeBW, BBRIsRenoCoexistenceProbeTime, section 5.3.3.5.3).
    fn probe_is_due(&self, c: &Bbr3Config, ack: &AckEvent, wait: &Wait) -> Option<u8> {
        if self.marks.have_ceased(c, ack) {
            return Some(self.fast_slope(c));
        }
        let rounds = self.target().min(c.probe_rounds);
        let is_due = ack.now > wait.until || f64::from(wait.rounds) >= rounds;
        is_due.then_some(0)
    }

    /// Returns whether others find room and there is no queue (BBRIsTimeToCruise, section 5.3.3.6).
    fn has_headroom(&self, c: &Bbr3Config, ack: &AckEvent) -> bool {
        let flight = f64::from(ack.in_flight);
        flight <= c.with_headroom(self.model.long_in_flight) && flight <= self.drained(c)
    }

    /// Ends a probe that the path no longer takes (BBRIsTimeToGoDown, section 5.3.3.6), or as a precaution at
    /// the bound of the last one (revision 06, section 5.3.3.6).
    fn check_up(&mut self, c: &Bbr3Config, ack: &AckEvent) {
        let at_bound = f64::from(ack.in_flight.saturating_add(ack.acked)) >= self.model.long_in_flight;
        let precautionary = self.too_high_before && at_bound;
        if !precautionary && self.bound_limits(ack) {
            self.full.reset(ack.delivery_rate);
        }
        if precautionary || self.full.now {
            self.precautionary = precautionary;
            self.too_high_before = false;
            self.start_down(c, ack.now, ack.delivered);
        }
    }

    /// Adapts the long-term bound to the probe before; returns whether the next one began at once
    /// (BBRAdaptLongTermModel, section 5.3.3.6; of precautionary probes revision 06).
    fn adapt_long_term(&mut self, c: &Bbr3Config, ack: &AckEvent) -> bool {
        if self.round_start && self.mode.ends_probe() {
            self.probing = false;
            if self.mode.is_probe_bw() {
                if !ack.sample.app_limited {
                    self.model.advance_max_bandwidth();
                }
                if std::mem::take(&mut self.precautionary) && !self.too_high_before {
                    self.start_refill(ack.delivered, 0);
                    return true;
                }
            }
        }
        if self.marks.too_high(c, ack) {
            self.answer_marked_probe(c, ack);
            return false;
        }
        if self.model.long_in_flight == UNBOUNDED || c.too_high(ack.sample.lost, ack.sample.in_flight) {
            return false;
        }
        self.model.long_in_flight = self.model.long_in_flight.max(f64::from(ack.sample.in_flight));
        self.probe_upward(ack);
        false
    }

    /// Raises the long-term bound during a probe that the bound limits (BBRProbeInflightLongtermUpward,
    /// section 5.3.3.6).
    pub(super) fn probe_upward(&mut self, ack: &AckEvent) {
        let limits = self.bound_limits(ack);
        if let Mode::Up(probe) = &mut self.mode {
            if limits {
                self.model.long_in_flight += probe.rise(ack.acked);
                if self.round_start {
                    probe.raise_slope(self.window.cwnd());
                }
            }
        }
    }

    /// The window was full when this acknowledgement came, and is no less than the long-term bound: that
    /// limits the flow (`is_cwnd_limited`, section 2.1).
    fn bound_limits(&self, ack: &AckEvent) -> bool {
        let cwnd = self.window.cwnd();
        f64::from(ack.in_flight) + f64::from(ack.acked) + 1.0 > cwnd && cwnd >= self.model.long_in_flight
    }

    /// Begins and ends ProbeRTT (BBRCheckProbeRTT, section 5.3.4.3).
    pub(super) fn check_probe_rtt(&mut self, c: &Bbr3Config, ack: &AckEvent) {
        let is_due = self.model.update_min_rtt(c, ack);
        if is_due && !self.mode.is_probe_rtt() && !self.after_idle {
            self.recovery.save(self.window.cwnd(), false);
            self.mode = Mode::ProbeRtt { hold: None, stopping: true };
            self.start_round(ack.delivered);
        }
        if let Mode::ProbeRtt { hold, stopping } = self.mode {
            self.probe_rtt(c, ack, hold, stopping);
        }
        self.after_idle = false;
    }

    /// Holds the flight down for long enough, once it is down (BBRHandleProbeRTT, section 5.3.4.3).
    fn probe_rtt(&mut self, c: &Bbr3Config, ack: &AckEvent, hold: Option<Hold>, stopping: bool) {
        let Some(Hold { until, round_over }) = hold else {
            if f64::from(ack.in_flight) <= self.probe_rtt_window(c) {
                let hold = Hold { until: ack.now + c.probe_rtt_time, round_over: false };
                self.mode = Mode::ProbeRtt { hold: Some(hold), stopping };
                self.start_round(ack.delivered);
            }
            return;
        };
        let round_over = round_over || self.round_start;
        if !round_over || ack.now <= until {
            self.mode = Mode::ProbeRtt { hold: Some(Hold { until, round_over }), stopping };
            return;
        }
        self.end_probe_rtt(c, ack.now, ack.delivered);
    }

    /// Ends ProbeRTT (BBRCheckProbeRTTDone, section 5.3.4.3; BBRExitProbeRTT, section 5.3.4.4).
    pub(super) fn end_probe_rtt(&mut self, c: &Bbr3Config, now: Picos, delivered: u64) {
        self.model.probe_min_rtt_stamp = now;
        self.window.set(&c.common, self.recovery.restored(self.window.cwnd()));
        self.model.unbound_short_term();
        self.mode =
            if self.full.ever { Mode::Cruise(self.start_wait(c, now, delivered)) } else { Mode::STARTUP };
    }
}
