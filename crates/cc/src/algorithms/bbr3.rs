//! BBR, version 3 (draft-ietf-ccwg-bbr): the model of BBR with bounds that losses set.
//!
//! * Model: the bandwidth is the largest delivery rate of two probing cycles, bounded for the short term by what losses
//!   left of it; min_rtt is the smallest round-trip time of ten seconds (section on the network path model).
//! * Startup at 2.77 until the delivery rate has grown by less than 25 % in three rounds, or until a round of recovery
//!   lost more than 2 % in six places; Drain at 0.5 until no more is in flight than the path holds, for three rounds at
//!   most.
//! * ProbeBW: DOWN (0.9) until there is headroom, CRUISE (1), after 2 to 3 s or as many rounds as standard TCP would need
//!   to be hurt, REFILL (1) for a round, UP (1.25, window gain 2.25) while the path takes it. A probe that lost more than
//!   2 % sets the long-term bound on what is in flight; the next one stops there as a precaution, and goes on if that
//!   was clean.
//! * Losses outside a probe bound bandwidth and flight for the short term, by 0.7 at most a round, until the next probe.
//! * ProbeRTT: half of the product in flight for 200 ms, where the smallest round-trip time has not fallen for 5 s.
//! * Recovery conserves packets for a round and ends with the window from before it, as in version 1; a timeout leaves
//!   one segment more than what is in flight, so one.
//!
//! Left out: aggregated acknowledgements (each segment has its own here), restarts from idle (flows never pause).

use crate::conservation::Conservation;
use crate::draw::Draw;
use crate::param::constants;
use crate::{
    AckEvent, Common, CongestionControl, LossCause, LossEvent, LostSegment, Param, Phase, Picos, Start,
    Window, picos, seconds,
};
use serde::{Deserialize, Serialize};

/// Constants of BBRv3.
#[derive(Clone, Debug)]
pub struct Bbr3Config {
    common: Common,
    startup_gain: f64,
    drain_gain: f64,
    drain_rounds: u32,
    down_gain: f64,
    up_gain: f64,
    cwnd_gain: f64,
    up_cwnd_gain: f64,
    loss_threshold: f64,
    beta: f64,
    headroom: f64,
    min_window: f64,
    min_rtt_time: Picos,
    probe_rtt_interval: Picos,
    probe_rtt_time: Picos,
    probe_rtt_gain: f64,
    full_growth: f64,
    full_rounds: u8,
    full_losses: u8,
    probe_wait: f64,
    probe_wait_random: f64,
    probe_rounds: f64,
    pacing_margin: f64,
    quantum: f64,
    up_extra: f64,
    first_rtt: f64,
}

/// A bound that is not set: larger than any other.
const UNBOUNDED: f64 = f64::MAX;

/// What the flow is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Mode {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

/// What the acknowledgements of the moment show of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Feedback {
    /// Nothing.
    Idle,
    /// Segments from before the probe.
    Refilling,
    /// The probe has begun; not a round ago.
    Starting,
    /// What the probe sent.
    Probing,
    /// The probe is over; not a round ago.
    Stopping,
}

/// BBRv3: the state of one flow. Rates in segments/s, 0 for a round-trip time not known yet.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Bbr3 {
    window: Window,
    /// Largest delivery rate of the last probing cycle and of this one.
    max_bandwidth: [f64; 2],
    short_bandwidth: f64,
    short_in_flight: f64,
    long_in_flight: f64,
    /// Largest rate and delivery of the current round.
    latest_bandwidth: f64,
    latest_delivered: u64,
    min_rtt: Picos,
    min_rtt_stamp: Picos,
    probe_min_rtt: Picos,
    probe_min_rtt_stamp: Picos,
    probe_rtt_done: Picos,
    cycle_stamp: Picos,
    probe_wait: Picos,
    /// A round ends when a segment is acknowledged that left after this many had been delivered.
    round_end: u64,
    loss_round_end: u64,
    full_bandwidth: f64,
    pacing_rate: f64,
    draw: Draw,
    delivered: u64,
    up_count: f64,
    up_acked: u32,
    in_flight: u32,
    rounds_since_probe: u32,
    up_rounds: u8,
    full_count: u8,
    losses_in_round: u8,
    mode: Mode,
    feedback: Feedback,
    recovery: Conservation,
    full_now: bool,
    full: bool,
    round_start: bool,
    loss_round_start: bool,
    loss_in_round: bool,
    /// Losses are held against the probe under way.
    probing: bool,
    /// A loss has ended the probe; the acknowledgement that reports it has not been seen yet.
    stop_probe: bool,
    /// The last probe lost too much; the one under way stopped where that had been.
    too_high_before: bool,
    precautionary: bool,
    probe_rtt_round_done: bool,
    seen_rtt: bool,
}

impl Bbr3Config {
    /// Pacing rate for a bandwidth in segments/s.
    fn pacing(&self, bandwidth: f64, gain: f64) -> f64 {
        bandwidth * gain * (1.0 - self.pacing_margin)
    }

    /// What may be in flight below the long-term bound so that others find room.
    fn with_headroom(&self, bound: f64) -> f64 {
        if bound == UNBOUNDED {
            return UNBOUNDED;
        }
        (bound - (self.headroom * bound).max(1.0)).max(self.min_window)
    }

    /// More was lost of what was in flight than the path may lose.
    fn too_high(&self, lost: u32, in_flight: u32) -> bool {
        f64::from(lost) > f64::from(in_flight) * self.loss_threshold
    }

    /// What was in flight when the losses passed the threshold, of a flight that lost `lost` up to its last segment.
    fn flight_at_loss(&self, lost: u32, in_flight: u32) -> f64 {
        let (flight, lost) = (f64::from(in_flight) - 1.0, f64::from(lost) - 1.0);
        flight + ((self.loss_threshold * flight - lost) / (1.0 - self.loss_threshold)).max(0.0)
    }
}

impl Bbr3 {
    fn max_bandwidth(&self) -> f64 {
        self.max_bandwidth[0].max(self.max_bandwidth[1])
    }

    fn bandwidth(&self) -> f64 {
        self.max_bandwidth().min(self.short_bandwidth)
    }

    fn in_cycle(&self) -> bool {
        matches!(self.mode, Mode::Down | Mode::Cruise | Mode::Refill | Mode::Up)
    }

    fn pacing_gain(&self, c: &Bbr3Config) -> f64 {
        match self.mode {
            Mode::Startup => c.startup_gain,
            Mode::Drain => c.drain_gain,
            Mode::Down => c.down_gain,
            Mode::Up => c.up_gain,
            Mode::Cruise | Mode::Refill | Mode::ProbeRtt => 1.0,
        }
    }

    fn cwnd_gain(&self, c: &Bbr3Config) -> f64 {
        match self.mode {
            Mode::Up => c.up_cwnd_gain,
            Mode::ProbeRtt => c.probe_rtt_gain,
            _ => c.cwnd_gain,
        }
    }

    /// `gain` times what the path holds at `bandwidth`.
    fn product(&self, bandwidth: f64, gain: f64) -> f64 {
        if self.min_rtt == 0 { self.window.initial() } else { gain * bandwidth * seconds(self.min_rtt) }
    }

    /// The same with room for bursts and at least the smallest window.
    fn with_room(&self, c: &Bbr3Config, flight: f64) -> f64 {
        let flight = flight.max(3.0 * c.quantum).max(c.min_window);
        if self.mode == Mode::Up { flight + c.up_extra } else { flight }
    }

    /// What the flow needs in flight.
    fn target(&self) -> f64 {
        self.product(self.bandwidth(), 1.0).min(self.window.cwnd())
    }

    fn probe_rtt_window(&self, c: &Bbr3Config) -> f64 {
        self.product(self.bandwidth(), c.probe_rtt_gain).max(c.min_window)
    }

    fn start_round(&mut self, delivered: u64) {
        self.round_end = delivered;
    }

    fn update_latest(&mut self, ack: &AckEvent) {
        self.loss_round_start = false;
        self.latest_bandwidth = self.latest_bandwidth.max(ack.delivery_rate);
        self.latest_delivered = self.latest_delivered.max(ack.sample.delivered(ack.delivered));
        if ack.sample.prior_delivered >= self.loss_round_end {
            self.loss_round_end = ack.delivered;
            self.loss_round_start = true;
        }
    }

    fn update_congestion(&mut self, c: &Bbr3Config, ack: &AckEvent) {
        self.round_start = ack.sample.prior_delivered >= self.round_end;
        if self.round_start {
            self.start_round(ack.delivered);
            self.rounds_since_probe += 1;
            self.recovery.end_round();
        }
        if ack.delivery_rate >= self.max_bandwidth() || !ack.sample.app_limited {
            self.max_bandwidth[1] = self.max_bandwidth[1].max(ack.delivery_rate);
        }
        if !self.loss_round_start {
            return;
        }
        if self.loss_in_round && !matches!(self.mode, Mode::Startup | Mode::Refill | Mode::Up) {
            self.bound_short_term(c);
        }
        self.loss_in_round = false;
    }

    /// A round with losses outside a probe.
    fn bound_short_term(&mut self, c: &Bbr3Config) {
        if self.short_bandwidth == UNBOUNDED {
            self.short_bandwidth = self.max_bandwidth();
        }
        if self.short_in_flight == UNBOUNDED {
            self.short_in_flight = self.window.cwnd();
        }
        self.short_bandwidth = self.latest_bandwidth.max(c.beta * self.short_bandwidth);
        self.short_in_flight = (self.latest_delivered as f64).max(c.beta * self.short_in_flight);
    }

    fn unbound_short_term(&mut self) {
        (self.short_bandwidth, self.short_in_flight) = (UNBOUNDED, UNBOUNDED);
    }

    fn reset_full(&mut self, bandwidth: f64) {
        (self.full_bandwidth, self.full_count, self.full_now) = (bandwidth, 0, false);
    }

    fn check_full(&mut self, c: &Bbr3Config, ack: &AckEvent) {
        if self.full_now || !self.round_start || ack.sample.app_limited {
            return;
        }
        if ack.delivery_rate >= self.full_bandwidth * c.full_growth {
            self.reset_full(ack.delivery_rate);
            return;
        }
        self.full_count += 1;
        self.full_now = self.full_count >= c.full_rounds;
        self.full |= self.full_now;
    }

    fn check_startup(&mut self, c: &Bbr3Config, ack: &AckEvent) {
        if self.mode == Mode::Startup && ack.lost > 0 {
            self.losses_in_round = self.losses_in_round.saturating_add(1);
        }
        if self.loss_round_start {
            let lossy = self.losses_in_round >= c.full_losses
                && self.recovery.is_fast()
                && c.too_high(ack.sample.lost, ack.sample.in_flight);
            if self.mode == Mode::Startup && lossy {
                self.full = true;
                let held = self.product(self.bandwidth(), 1.0);
                self.long_in_flight = held.max(self.latest_delivered as f64);
            }
            self.losses_in_round = 0;
        }
        if self.mode == Mode::Startup && self.full {
            self.mode = Mode::Drain;
            self.rounds_since_probe = 0;
        }
    }

    fn check_drain(&mut self, c: &Bbr3Config, ack: &AckEvent) {
        if self.mode == Mode::Drain
            && (f64::from(ack.in_flight) <= self.drained(c) || self.rounds_since_probe > c.drain_rounds)
        {
            self.start_down(c, ack.now, ack.delivered);
        }
    }

    /// What is in flight when there is no queue.
    fn drained(&self, c: &Bbr3Config) -> f64 {
        self.with_room(c, self.product(self.bandwidth(), 1.0))
    }

    fn start_down(&mut self, c: &Bbr3Config, now: Picos, delivered: u64) {
        self.loss_in_round = false;
        (self.latest_bandwidth, self.latest_delivered) = (0.0, 0);
        self.up_count = UNBOUNDED;
        self.rounds_since_probe = self.draw.below(2);
        self.probe_wait = picos(c.probe_wait + self.draw.uniform() * c.probe_wait_random);
        self.cycle_stamp = now;
        self.feedback = Feedback::Stopping;
        self.start_round(delivered);
        self.mode = Mode::Down;
    }

    fn start_refill(&mut self, delivered: u64) {
        self.unbound_short_term();
        (self.up_rounds, self.up_acked) = (0, 0);
        self.precautionary = false;
        self.feedback = Feedback::Refilling;
        self.start_round(delivered);
        self.mode = Mode::Refill;
    }

    fn start_up(&mut self, ack: &AckEvent) {
        self.feedback = Feedback::Starting;
        self.start_round(ack.delivered);
        self.reset_full(ack.delivery_rate);
        self.probing = true;
        self.cycle_stamp = ack.now;
        self.mode = Mode::Up;
        self.raise_slope();
    }

    /// The bound rises by 1, 2, 4, ... segments per round.
    fn raise_slope(&mut self) {
        let growth = f64::from(1_u32 << self.up_rounds);
        self.up_rounds = (self.up_rounds + 1).min(30);
        self.up_count = (self.window.cwnd() / growth).max(1.0);
    }

    /// The window was full when this acknowledgement came, so it is what limits the flow.
    fn window_full(&self, ack: &AckEvent) -> bool {
        f64::from(ack.in_flight) + f64::from(ack.acked) + 1.0 > self.window.cwnd()
    }

    fn update_cycle(&mut self, c: &Bbr3Config, ack: &AckEvent) {
        if !self.full {
            return;
        }
        if self.adapt_long_term(c, ack) {
            return;
        }
        match self.mode {
            Mode::Down => {
                if !self.probe_is_due(c, ack) {
                    let flight = f64::from(ack.in_flight);
                    if flight <= c.with_headroom(self.long_in_flight) && flight <= self.drained(c) {
                        self.mode = Mode::Cruise;
                    }
                }
            }
            Mode::Cruise => {
                self.probe_is_due(c, ack);
            }
            Mode::Refill => {
                if self.round_start {
                    self.start_up(ack);
                }
            }
            Mode::Up => self.check_up(c, ack),
            Mode::Startup | Mode::Drain | Mode::ProbeRtt => {}
        }
    }

    fn probe_is_due(&mut self, c: &Bbr3Config, ack: &AckEvent) -> bool {
        let rounds = self.target().min(c.probe_rounds);
        let due =
            ack.now > self.cycle_stamp + self.probe_wait || f64::from(self.rounds_since_probe) >= rounds;
        if due {
            self.start_refill(ack.delivered);
        }
        due
    }

    fn check_up(&mut self, c: &Bbr3Config, ack: &AckEvent) {
        let at_bound = f64::from(ack.in_flight.saturating_add(ack.acked)) >= self.long_in_flight;
        let precautionary = self.too_high_before && at_bound;
        if !precautionary && self.window_full(ack) && self.window.cwnd() >= self.long_in_flight {
            self.reset_full(ack.delivery_rate);
        }
        if precautionary || self.full_now {
            self.precautionary = precautionary;
            self.too_high_before = false;
            self.start_down(c, ack.now, ack.delivered);
        }
    }

    /// Updates the long-term bound from the probe before; true if that was enough to begin the next one.
    fn adapt_long_term(&mut self, c: &Bbr3Config, ack: &AckEvent) -> bool {
        if self.feedback == Feedback::Starting && self.round_start {
            self.feedback = Feedback::Probing;
        }
        if self.feedback == Feedback::Stopping && self.round_start {
            self.probing = false;
            self.feedback = Feedback::Idle;
            if self.in_cycle() {
                if !ack.sample.app_limited {
                    self.max_bandwidth = [self.max_bandwidth[1], 0.0];
                }
                if std::mem::take(&mut self.precautionary) && !self.too_high_before {
                    self.start_refill(ack.delivered);
                    return true;
                }
            }
        }
        if self.long_in_flight == UNBOUNDED || c.too_high(ack.sample.lost, ack.sample.in_flight) {
            return false;
        }
        self.long_in_flight = self.long_in_flight.max(f64::from(ack.sample.in_flight));
        if self.mode == Mode::Up {
            self.probe_upward(ack);
        }
        false
    }

    fn probe_upward(&mut self, ack: &AckEvent) {
        if self.window_full(ack) && self.window.cwnd() >= self.long_in_flight {
            self.up_acked += ack.acked;
            let steps = (f64::from(self.up_acked) / self.up_count).floor();
            if steps >= 1.0 {
                self.up_acked -= ((steps * self.up_count) as u32).min(self.up_acked);
                self.long_in_flight += steps;
            }
            if self.round_start {
                self.raise_slope();
            }
        }
    }

    fn update_min_rtt(&mut self, c: &Bbr3Config, ack: &AckEvent) {
        let probe_expired = ack.now > self.probe_min_rtt_stamp + c.probe_rtt_interval;
        if ack.rtt > 0 && (self.probe_min_rtt == 0 || ack.rtt < self.probe_min_rtt || probe_expired) {
            (self.probe_min_rtt, self.probe_min_rtt_stamp) = (ack.rtt, ack.now);
        }
        let expired = ack.now > self.min_rtt_stamp + c.min_rtt_time;
        if self.min_rtt == 0 || self.probe_min_rtt < self.min_rtt || expired {
            (self.min_rtt, self.min_rtt_stamp) = (self.probe_min_rtt, self.probe_min_rtt_stamp);
        }
        if probe_expired && self.mode != Mode::ProbeRtt {
            self.recovery.save(self.window.cwnd(), false);
            self.mode = Mode::ProbeRtt;
            self.probe_rtt_done = 0;
            self.feedback = Feedback::Stopping;
            self.start_round(ack.delivered);
        }
        if self.mode == Mode::ProbeRtt {
            self.probe_rtt(c, ack);
        }
    }

    fn probe_rtt(&mut self, c: &Bbr3Config, ack: &AckEvent) {
        if self.probe_rtt_done == 0 {
            if f64::from(ack.in_flight) <= self.probe_rtt_window(c) {
                self.probe_rtt_done = ack.now + c.probe_rtt_time;
                self.probe_rtt_round_done = false;
                self.start_round(ack.delivered);
            }
            return;
        }
        self.probe_rtt_round_done |= self.round_start;
        if !self.probe_rtt_round_done || ack.now <= self.probe_rtt_done {
            return;
        }
        self.probe_min_rtt_stamp = ack.now;
        self.restore_window(c);
        self.unbound_short_term();
        if self.full {
            self.start_down(c, ack.now, ack.delivered);
            self.mode = Mode::Cruise;
        } else {
            self.mode = Mode::Startup;
        }
    }

    fn restore_window(&mut self, c: &Bbr3Config) {
        self.window.set(&c.common, self.recovery.restored(self.window.cwnd()));
    }

    fn leave_recovery(&mut self, c: &Bbr3Config) {
        let cwnd = self.recovery.end(self.window.cwnd());
        self.window.set(&c.common, cwnd);
    }

    /// A new round of the latest signals begins with this acknowledgement.
    fn advance_latest(&mut self, ack: &AckEvent) {
        if self.loss_round_start {
            self.latest_bandwidth = ack.delivery_rate;
            self.latest_delivered = ack.sample.delivered(ack.delivered);
        }
    }

    fn set_pacing_rate(&mut self, c: &Bbr3Config, ack: &AckEvent) {
        if !self.seen_rtt && ack.srtt > 0 {
            self.seen_rtt = true;
            self.pacing_rate = c.pacing(self.window.cwnd() / seconds(ack.srtt), c.startup_gain);
        }
        let rate = c.pacing(self.bandwidth(), self.pacing_gain(c));
        if rate > self.pacing_rate || (self.full && rate > 0.0) {
            self.pacing_rate = rate;
        }
    }

    fn set_window(&mut self, c: &Bbr3Config, ack: &AckEvent) {
        let largest = self.with_room(c, self.product(self.bandwidth(), self.cwnd_gain(c)));
        let (cwnd, initial) = (self.window.cwnd(), self.window.initial());
        let mut cwnd = self.recovery.window(cwnd, largest, self.full, initial, c.min_window, ack);
        if self.mode == Mode::ProbeRtt {
            cwnd = cwnd.min(self.probe_rtt_window(c));
        }
        let bound = match self.mode {
            Mode::Down | Mode::Refill | Mode::Up => self.long_in_flight,
            Mode::Cruise | Mode::ProbeRtt => c.with_headroom(self.long_in_flight),
            Mode::Startup | Mode::Drain => UNBOUNDED,
        };
        cwnd = cwnd.min(bound.min(self.short_in_flight).max(c.min_window));
        self.window.set(&c.common, cwnd);
    }
}

impl CongestionControl for Bbr3 {
    type Config = Bbr3Config;

    const NAME: &'static str = "bbr3";
    const TITLE: &'static str = "BBR, version 3";
    const SOURCE: &'static str = "draft-ietf-ccwg-bbr, revision of August 2026";
    const SHARED_SLOW_START: bool = false;
    const WANTS_DELIVERY_RATE: bool = true;
    const MANAGES_RECOVERY: bool = true;
    // The draft's core answers losses only, so its segments must not ask for marks (RFC 3168, section 5).
    const ECN_CAPABLE: bool = false;
    const PARAMS: &'static [Param] = &[
        Param::new(
            "startup_gain",
            "pacing gain while the bandwidth is looked for: 4 ln 2",
            "1",
            [1.0, 10.0],
            2.77,
            "draft-ietf-ccwg-bbr",
        ),
        Param::new(
            "drain_gain",
            "pacing gain while the queue of the start is drained",
            "1",
            [0.01, 1.0],
            0.5,
            "draft-ietf-ccwg-bbr (earlier revisions: 1 / 2.77 and 0.75)",
        ),
        Param::new(
            "drain_rounds",
            "rounds after which draining ends though more is in flight than the path holds",
            "round trips",
            [1.0, 1e9],
            3.0,
            "draft-ietf-ccwg-bbr, sections Drain and Exiting DRAIN Based on Time",
        ),
        Param::new(
            "down_gain",
            "pacing gain after a probe for bandwidth",
            "1",
            [0.01, 1.0],
            0.9,
            "draft-ietf-ccwg-bbr",
        ),
        Param::new(
            "up_gain",
            "pacing gain of a probe for bandwidth",
            "1",
            [1.0, 10.0],
            1.25,
            "draft-ietf-ccwg-bbr",
        ),
        Param::new(
            "cwnd_gain",
            "window over the product of bandwidth and smallest round-trip time",
            "1",
            [1.0, 100.0],
            2.0,
            "draft-ietf-ccwg-bbr",
        ),
        Param::new(
            "up_cwnd_gain",
            "the same during a probe for bandwidth",
            "1",
            [1.0, 100.0],
            2.25,
            "draft-ietf-ccwg-bbr",
        ),
        Param::new(
            "loss_threshold",
            "share of lost segments that a probe may cause",
            "1",
            [0.0, 0.5],
            0.02,
            "draft-ietf-ccwg-bbr",
        ),
        Param::new(
            "beta",
            "part of the bounds that a round with losses leaves at least",
            "1",
            [0.01, 0.99],
            0.7,
            "draft-ietf-ccwg-bbr",
        ),
        Param::new(
            "headroom",
            "part of the long-term bound that is left to others",
            "1",
            [0.0, 0.9],
            0.15,
            "draft-ietf-ccwg-bbr",
        ),
        Param::new(
            "min_window",
            "smallest window outside loss recovery",
            "segments",
            [1.0, 1000.0],
            4.0,
            "draft-ietf-ccwg-bbr",
        ),
        Param::new(
            "min_rtt_time",
            "time for which the smallest round-trip time counts",
            "s",
            [0.01, 3600.0],
            10.0,
            "draft-ietf-ccwg-bbr",
        ),
        Param::new(
            "probe_rtt_interval",
            "time after which a smallest round-trip time that has not fallen is probed",
            "s",
            [0.01, 3600.0],
            5.0,
            "draft-ietf-ccwg-bbr",
        ),
        Param::new(
            "probe_rtt_time",
            "least time for which that probe holds the window down",
            "s",
            [0.0, 60.0],
            0.2,
            "draft-ietf-ccwg-bbr",
        ),
        Param::new(
            "probe_rtt_gain",
            "window over the product while it does",
            "1",
            [0.01, 1.0],
            0.5,
            "draft-ietf-ccwg-bbr",
        ),
        Param::new(
            "full_growth",
            "growth of the delivery rate below which a round counts as one without growth",
            "1",
            [1.0, 10.0],
            1.25,
            "draft-ietf-ccwg-bbr",
        ),
        Param::new(
            "full_rounds",
            "rounds without growth after which the pipe counts as full",
            "round trips",
            [1.0, 100.0],
            3.0,
            "draft-ietf-ccwg-bbr",
        ),
        Param::new(
            "full_losses",
            "acknowledgements with losses in a round that ends the start",
            "1",
            [1.0, 100.0],
            6.0,
            "draft-ietf-ccwg-bbr",
        ),
        Param::new(
            "probe_wait",
            "least time between probes for bandwidth",
            "s",
            [0.0, 3600.0],
            2.0,
            "draft-ietf-ccwg-bbr",
        ),
        Param::new(
            "probe_wait_random",
            "largest random addition to it",
            "s",
            [0.0, 3600.0],
            1.0,
            "draft-ietf-ccwg-bbr",
        ),
        Param::new(
            "probe_rounds",
            "most round trips between probes for bandwidth",
            "round trips",
            [1.0, 10_000.0],
            63.0,
            "draft-ietf-ccwg-bbr",
        ),
        Param::new(
            "pacing_margin",
            "part of the bandwidth by which pacing stays below it",
            "1",
            [0.0, 0.9],
            0.01,
            "draft-ietf-ccwg-bbr",
        ),
        Param::new(
            "quantum",
            "segments that leave in one burst; the window has room for three",
            "segments",
            [0.0, 1000.0],
            1.0,
            "draft-ietf-ccwg-bbr, for segments that leave one by one",
        ),
        Param::new(
            "up_extra",
            "window beyond that during a probe for bandwidth",
            "segments",
            [0.0, 1000.0],
            2.0,
            "draft-ietf-ccwg-bbr",
        ),
        Param::new(
            "first_rtt",
            "round-trip time assumed before the first measurement",
            "s",
            [0.000_001, 10.0],
            0.001,
            "draft-ietf-ccwg-bbr",
        ),
    ];

    fn config(common: Common, values: &[f64]) -> Bbr3Config {
        let [
            startup_gain,
            drain_gain,
            drain_rounds,
            down_gain,
            up_gain,
            cwnd_gain,
            up_cwnd_gain,
            loss_threshold,
            beta,
            headroom,
            min_window,
            min_rtt_time,
            probe_rtt_interval,
            probe_rtt_time,
            probe_rtt_gain,
            full_growth,
            full_rounds,
            full_losses,
            probe_wait,
            probe_wait_random,
            probe_rounds,
            pacing_margin,
            quantum,
            up_extra,
            first_rtt,
        ] = constants(values);
        Bbr3Config {
            common,
            startup_gain,
            drain_gain,
            drain_rounds: drain_rounds.round() as u32,
            down_gain,
            up_gain,
            cwnd_gain,
            up_cwnd_gain,
            loss_threshold,
            beta,
            headroom,
            min_window,
            min_rtt_time: picos(min_rtt_time),
            probe_rtt_interval: picos(probe_rtt_interval),
            probe_rtt_time: picos(probe_rtt_time),
            probe_rtt_gain,
            full_growth,
            full_rounds: full_rounds.round() as u8,
            full_losses: full_losses.round() as u8,
            probe_wait,
            probe_wait_random,
            probe_rounds,
            pacing_margin,
            quantum,
            up_extra,
            first_rtt,
        }
    }

    fn new(config: &Bbr3Config, start: &Start) -> Self {
        let window = Window::new(&config.common, start);
        let rtt = if start.rtt > 0 { seconds(start.rtt) } else { config.first_rtt };
        Self {
            pacing_rate: config.pacing(window.cwnd() / rtt, config.startup_gain),
            window,
            max_bandwidth: [0.0; 2],
            short_bandwidth: UNBOUNDED,
            short_in_flight: UNBOUNDED,
            long_in_flight: UNBOUNDED,
            latest_bandwidth: 0.0,
            latest_delivered: 0,
            min_rtt: start.rtt,
            min_rtt_stamp: start.now,
            probe_min_rtt: start.rtt,
            probe_min_rtt_stamp: start.now,
            probe_rtt_done: 0,
            cycle_stamp: start.now,
            probe_wait: 0,
            round_end: 0,
            loss_round_end: 0,
            full_bandwidth: 0.0,
            draw: Draw::new(start.seed),
            delivered: 0,
            up_count: UNBOUNDED,
            up_acked: 0,
            in_flight: 0,
            rounds_since_probe: 0,
            up_rounds: 0,
            full_count: 0,
            losses_in_round: 0,
            mode: Mode::Startup,
            feedback: Feedback::Idle,
            recovery: Conservation::default(),
            full_now: false,
            full: false,
            round_start: false,
            loss_round_start: false,
            loss_in_round: false,
            probing: false,
            stop_probe: false,
            too_high_before: false,
            precautionary: false,
            probe_rtt_round_done: false,
            seen_rtt: start.rtt > 0,
        }
    }

    fn on_segment_lost(&mut self, config: &Bbr3Config, lost: &LostSegment) {
        if !self.loss_in_round {
            (self.loss_in_round, self.loss_round_end) = (true, lost.delivered);
        }
        if !self.probing || !config.too_high(lost.lost, lost.in_flight) {
            return;
        }
        self.probing = false;
        self.too_high_before = true;
        if !lost.app_limited {
            let at_loss = config.flight_at_loss(lost.lost, lost.in_flight);
            self.long_in_flight = at_loss.max(config.beta * self.target());
        }
        // The acknowledgement that reports the loss follows, and ends the probe.
        self.stop_probe = self.mode == Mode::Up;
    }

    fn on_ack(&mut self, config: &Bbr3Config, ack: &AckEvent) {
        if self.recovery.has_repaired_timeout(ack) {
            self.leave_recovery(config);
        }
        (self.in_flight, self.delivered) = (ack.in_flight, ack.delivered);
        if std::mem::take(&mut self.stop_probe) {
            self.start_down(config, ack.now, ack.delivered);
        }
        self.round_start = false;
        if ack.sample.interval > 0 {
            self.update_latest(ack);
            self.update_congestion(config, ack);
            self.check_full(config, ack);
            self.check_startup(config, ack);
            self.check_drain(config, ack);
            self.update_cycle(config, ack);
        }
        self.update_min_rtt(config, ack);
        if ack.sample.interval > 0 {
            self.advance_latest(ack);
        }
        self.set_pacing_rate(config, ack);
        self.set_window(config, ack);
    }

    fn on_loss(&mut self, config: &Bbr3Config, loss: &LossEvent) {
        match loss.cause {
            LossCause::Ecn => {}
            LossCause::FastRetransmit => {
                self.recovery.begin(loss.cause, self.window.cwnd(), self.mode == Mode::ProbeRtt);
                self.start_round(self.delivered);
                self.window.set(&config.common, f64::from(self.in_flight) + 1.0);
            }
            LossCause::Timeout => {
                self.recovery.begin(loss.cause, self.window.cwnd(), self.mode == Mode::ProbeRtt);
                self.window.set(&config.common, 1.0);
            }
        }
    }

    fn on_recovery_exit(&mut self, config: &Bbr3Config, _: Picos) {
        self.leave_recovery(config);
    }

    fn holds_back(&self) -> bool {
        self.mode == Mode::ProbeRtt
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn pacing_rate(&self) -> Option<f64> {
        Some(self.pacing_rate)
    }

    fn phase(&self, _: &Bbr3Config, _: Picos) -> Phase {
        if self.mode == Mode::Startup { Phase::SlowStart } else { Phase::Alternate }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{acks, assert_near, config, loss, start};
    use crate::{DeliverySample, MILLISECOND, Preset, SECOND};

    const MS: Picos = MILLISECOND;
    const RTT: Picos = 162 * MS;

    fn flow() -> (Bbr3Config, Bbr3) {
        let config = config::<Bbr3>(Preset::Standard, &[]);
        let bbr = Bbr3::new(&config, &Start { rtt: RTT, ..start(10.0, 1e9) });
        (config, bbr)
    }

    /// A flow in `mode` that knows 21 segments/ms and 162 ms.
    fn known(mode: Mode) -> (Bbr3Config, Bbr3) {
        let (config, mut bbr) = flow();
        (bbr.mode, bbr.full, bbr.max_bandwidth) = (mode, true, [21_000.0; 2]);
        (bbr.probe_wait, bbr.delivered) = (2500 * MS, 100_000);
        bbr.window.set(&config.common, 6804.0);
        (config, bbr)
    }

    /// The acknowledgement that ends a round of 162 ms in which `rate` segments/ms were delivered.
    fn round(bbr: &Bbr3, now: Picos, rate: f64, in_flight: u32) -> AckEvent {
        AckEvent {
            now,
            rtt: RTT,
            srtt: RTT,
            in_flight,
            delivered: bbr.delivered + 1000,
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

    fn lost(lost: u32, in_flight: u32) -> LostSegment {
        LostSegment { delivered: 100_000, in_flight, lost, app_limited: false }
    }

    #[test]
    fn headroom_is_left_below_the_long_term_bound() {
        let (config, _) = flow();
        for (bound, expected) in [(1000.0, 850.0), (6.0, 5.0), (4.0, 4.0), (UNBOUNDED, UNBOUNDED)] {
            assert_eq!(config.with_headroom(bound), expected);
        }
    }

    #[test]
    fn the_windows_and_rates_of_a_known_path() {
        for (mode, window, rate) in [
            (Mode::Down, 6804.0, 18_711.0),
            (Mode::Cruise, 6804.0, 20_790.0),
            (Mode::Refill, 6804.0, 20_790.0),
            (Mode::Up, 7656.5, 25_987.5),
            (Mode::ProbeRtt, 1701.0, 20_790.0),
        ] {
            let (config, mut bbr) = known(mode);
            bbr.window.set(&config.common, 9000.0);
            bbr.set_pacing_rate(&config, &acks(1));
            bbr.set_window(&config, &acks(1));
            assert_near(bbr.cwnd(), window, 1e-9);
            assert_near(bbr.pacing_rate, rate, 1e-9);
        }
    }

    #[test]
    fn a_probe_that_loses_too_much_bounds_what_is_in_flight() {
        let (config, mut bbr) = known(Mode::Up);
        (bbr.probing, bbr.feedback) = (true, Feedback::Probing);
        bbr.on_segment_lost(&config, &lost(80, 4000));
        assert_eq!((bbr.mode, bbr.long_in_flight), (Mode::Up, UNBOUNDED), "2 % are allowed");
        bbr.on_segment_lost(&config, &lost(81, 4000));
        // The 80 before it were 0.02 less than 2 % of the 3999.
        assert_near(bbr.long_in_flight, 3999.0, 1e-9);
        bbr.on_segment_lost(&config, &lost(300, 9000));
        assert_near(bbr.long_in_flight, 3999.0, 1e-9);
        bbr.on_ack(&config, &round(&bbr, MS, 21.0, 3900));
        assert_eq!((bbr.mode, bbr.too_high_before), (Mode::Down, true));
        assert!(bbr.cwnd() <= 3999.0);
        assert_near(bbr.target(), 3402.0, 1e-9);
    }

    #[test]
    fn the_bound_is_at_least_beta_of_what_the_path_holds() {
        let (config, mut bbr) = known(Mode::Up);
        bbr.probing = true;
        bbr.on_segment_lost(&config, &lost(60, 1000));
        assert_near(bbr.long_in_flight, 2381.4, 1e-9);
        let (config, mut bbr) = known(Mode::Up);
        bbr.probing = true;
        bbr.on_segment_lost(&config, &lost(120, 4000));
        // 3 % lost of 4000 that were in flight: no less than before the last of them.
        assert_near(bbr.long_in_flight, 3999.0, 1e-9);
    }

    #[test]
    fn flight_at_loss_is_interpolated() {
        let (config, _) = flow();
        assert_near(config.flight_at_loss(11, 1001), 1010.204, 5e-4);
    }

    #[test]
    fn losses_outside_a_probe_bound_the_short_term() {
        for (latest, expected) in [(16.0, 16.0), (10.0, 14.7)] {
            let (config, mut bbr) = known(Mode::Cruise);
            let mut now = MS;
            bbr.on_ack(&config, &round(&bbr, now, latest, 3000));
            bbr.on_segment_lost(&config, &lost(1, 3000));
            now += RTT;
            bbr.on_ack(&config, &round(&bbr, now, latest, 3000));
            assert_near(bbr.short_bandwidth, expected * 1e3, 1e-9);
            assert_near(bbr.short_in_flight, 0.7 * 6804.0, 1e-9);
            assert_near(bbr.bandwidth(), expected * 1e3, 1e-9);
        }
    }

    #[test]
    fn probes_follow_the_clock_on_long_paths_and_the_rounds_on_short_ones() {
        let until_probe = |rtt: Picos| {
            let (config, mut bbr) = known(Mode::Cruise);
            (bbr.min_rtt, bbr.probe_min_rtt, bbr.probe_min_rtt_stamp) = (rtt, rtt, 100 * SECOND);
            bbr.window.set(&config.common, 1000.0);
            let mut now = 0;
            while bbr.mode == Mode::Cruise {
                now += rtt;
                let ack = AckEvent { rtt, ..round(&bbr, now, 21.0, 200) };
                bbr.on_ack(&config, &ack);
            }
            assert_eq!(bbr.mode, Mode::Refill);
            seconds(now)
        };
        let long = until_probe(RTT);
        assert!((2.0..3.2).contains(&long), "{long}");
        assert_near(until_probe(10 * MS), 0.63, 1e-9);
    }

    #[test]
    fn a_clean_precautionary_probe_goes_on_at_once() {
        let (config, mut bbr) = known(Mode::Refill);
        (bbr.long_in_flight, bbr.too_high_before) = (4000.0, true);
        bbr.on_ack(&config, &round(&bbr, MS, 21.0, 3000));
        assert_eq!(bbr.mode, Mode::Up);
        bbr.on_ack(&config, &round(&bbr, 2 * MS, 21.0, 4000));
        assert_eq!((bbr.mode, bbr.precautionary, bbr.too_high_before), (Mode::Down, true, false));
        bbr.on_ack(&config, &round(&bbr, 2 * MS + RTT, 21.0, 3900));
        assert_eq!(bbr.mode, Mode::Refill);
        // The next probe is not held back.
        bbr.on_ack(&config, &round(&bbr, 2 * MS + 2 * RTT, 21.0, 3900));
        bbr.on_ack(&config, &round(&bbr, 3 * MS + 2 * RTT, 30.0, 3999));
        assert_eq!((bbr.mode, bbr.precautionary), (Mode::Up, false));
    }

    #[test]
    fn down_lasts_until_there_is_headroom_and_no_queue() {
        for (bound, in_flight, mode) in [
            (UNBOUNDED, 3403, Mode::Down),
            (UNBOUNDED, 3402, Mode::Cruise),
            (3600.0, 3061, Mode::Down),
            (3600.0, 3060, Mode::Cruise),
        ] {
            let (config, mut bbr) = known(Mode::Down);
            bbr.long_in_flight = bound;
            bbr.on_ack(&config, &round(&bbr, MS, 21.0, in_flight));
            assert_eq!(bbr.mode, mode, "{bound} {in_flight}");
        }
    }

    #[test]
    fn the_start_ends_after_three_rounds_without_growth_or_one_with_many_losses() {
        let (config, mut bbr) = flow();
        for (i, rate) in [10.0, 20.0, 21.0, 21.0, 21.0].into_iter().enumerate() {
            assert_eq!(bbr.mode, Mode::Startup, "{i}");
            bbr.on_ack(&config, &round(&bbr, RTT * (1 + i as u64), rate, 9000));
        }
        assert_eq!((bbr.mode, bbr.full), (Mode::Drain, true));

        for (places, mode) in [(5, Mode::Startup), (6, Mode::Drain)] {
            let (config, mut bbr) = flow();
            bbr.on_ack(&config, &round(&bbr, RTT, 21.0, 9000));
            for _ in 0..places {
                bbr.on_segment_lost(&config, &lost(30, 1000));
                let mut ack = AckEvent { lost: 1, ..round(&bbr, RTT, 21.0, 9000) };
                ack.sample.prior_delivered = 0;
                bbr.on_ack(&config, &ack);
                bbr.on_loss(&config, &loss(LossCause::FastRetransmit, 9000));
            }
            let mut last = round(&bbr, 2 * RTT, 40.0, 9000);
            (last.delivered, last.sample.prior_delivered) = (200_000, 190_000);
            (last.sample.lost, last.sample.in_flight) = (30, 1000);
            bbr.on_ack(&config, &last);
            assert_eq!(bbr.mode, mode, "{places} places");
        }
    }

    /// Draft, section Drain and test case Exiting DRAIN Based on Time: where the start has found more than there is, as much
    /// stays in flight, and the fourth round begins ProbeBW.
    #[test]
    fn draining_ends_after_three_rounds() {
        let (config, mut bbr) = flow();
        let mut now = 0;
        let mut round_at = |bbr: &mut Bbr3, rate, in_flight| {
            now += RTT;
            bbr.on_ack(&config, &round(bbr, now, rate, in_flight));
            bbr.mode
        };
        for rate in [10.0, 20.0, 21.0, 21.0, 21.0] {
            round_at(&mut bbr, rate, 9000);
        }
        for _ in 0..3 {
            assert_eq!(round_at(&mut bbr, 18.0, 9000), Mode::Drain);
        }
        assert_eq!(round_at(&mut bbr, 18.0, 9000), Mode::Down);
    }

    /// Draft, test case Exiting PROBE_DOWN After Max Time.
    #[test]
    fn down_ends_when_a_probe_is_due_whatever_is_in_flight() {
        let (config, mut bbr) = known(Mode::Down);
        let wait = bbr.probe_wait;
        bbr.on_ack(&config, &round(&bbr, wait, 21.0, 4000));
        assert_eq!(bbr.mode, Mode::Down);
        bbr.on_ack(&config, &round(&bbr, wait + 1, 21.0, 4000));
        assert_eq!(bbr.mode, Mode::Refill);
    }

    /// Draft, test case Entering and Exiting PROBE_RTT During STARTUP.
    #[test]
    fn a_start_goes_on_after_a_probe_of_the_round_trip_time() {
        let (config, mut bbr) = flow();
        let slower = |bbr: &Bbr3, now| AckEvent { rtt: 2 * RTT, ..round(bbr, now, 1.0, 4) };
        bbr.on_ack(&config, &slower(&bbr, 5001 * MS));
        assert_eq!(bbr.mode, Mode::ProbeRtt);
        for now in [5400 * MS, 5800 * MS] {
            bbr.on_ack(&config, &slower(&bbr, now));
        }
        assert_eq!((bbr.mode, bbr.full), (Mode::Startup, false));
    }

    /// Draft, section ProbeBW_UP: the bound rises by 1, 2, 4, ... segments in the rounds in which it is what limits the flow.
    #[test]
    fn the_long_term_bound_rises_faster_while_it_is_reached() {
        let (config, mut bbr) = known(Mode::Up);
        (bbr.probing, bbr.feedback, bbr.long_in_flight) = (true, Feedback::Probing, 4000.0);
        bbr.window.set(&config.common, 4000.0);
        bbr.raise_slope();
        let ack = |round_start: bool, in_flight| AckEvent { acked: 1010, round_start, in_flight, ..acks(1) };
        let mut grown = Vec::new();
        // Three rounds at the bound, one below it, one at it; a few more segments than the window, because counts are whole.
        for in_flight in [3000, 3000, 3000, 1000, 3000] {
            let before = bbr.long_in_flight;
            for quarter in 0..4 {
                bbr.round_start = quarter == 3;
                bbr.window.set(&config.common, bbr.long_in_flight);
                bbr.probe_upward(&ack(quarter == 3, in_flight + (bbr.long_in_flight - 4000.0) as u32));
            }
            grown.push(bbr.long_in_flight - before);
        }
        assert_eq!(grown, [1.0, 2.0, 4.0, 0.0, 8.0]);
    }

    #[test]
    fn an_old_round_trip_time_is_probed_with_half_of_the_product() {
        let (config, mut bbr) = known(Mode::Cruise);
        let late =
            |now, in_flight, bbr: &Bbr3| AckEvent { rtt: RTT + MS, ..round(bbr, now, 21.0, in_flight) };
        bbr.cycle_stamp = 5 * SECOND;
        bbr.on_ack(&config, &late(5001 * MS, 3402, &bbr));
        assert_eq!((bbr.mode, bbr.cwnd(), bbr.min_rtt), (Mode::ProbeRtt, 1701.0, RTT));
        assert!(bbr.holds_back());
        bbr.on_ack(&config, &late(5100 * MS, 1701, &bbr));
        bbr.on_ack(&config, &late(5300 * MS, 1701, &bbr));
        assert_eq!(bbr.mode, Mode::ProbeRtt);
        bbr.on_ack(&config, &late(5301 * MS, 1701, &bbr));
        assert_eq!(bbr.mode, Mode::Cruise);
        assert_near(bbr.cwnd(), 6804.0, 1e-9);
    }

    #[test]
    fn recovery_restores_the_window_and_a_time_out_leaves_one_segment() {
        let (config, mut bbr) = known(Mode::Cruise);
        bbr.on_ack(&config, &round(&bbr, MS, 21.0, 5000));
        bbr.on_loss(&config, &loss(LossCause::FastRetransmit, 6000));
        assert_eq!(bbr.cwnd(), 5001.0);
        bbr.on_recovery_exit(&config, 2 * MS);
        assert_near(bbr.cwnd(), 6804.0, 1e-9);
        bbr.on_loss(&config, &loss(LossCause::Timeout, 6000));
        assert_eq!(bbr.cwnd(), 1.0);
        bbr.on_ack(&config, &AckEvent { after_timeout: true, ..round(&bbr, 3 * MS, 21.0, 0) });
        assert_eq!(bbr.cwnd(), 4.0);
    }
}
