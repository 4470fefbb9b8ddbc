//! BBR, version 3 (draft-ietf-ccwg-bbr): the model of BBR with bounds that losses set.
//!
//! * Model: the bandwidth is the largest delivery rate of two probing cycles, bounded for the short term by
//!   what losses left of it; min_rtt is the smallest round-trip time of ten seconds (section on the network
//!   path model).
//! * Startup at 2.77 until the delivery rate has grown by less than 25 % in three rounds, or until a round of
//!   recovery lost more than 2 % in six places; Drain at 0.5 until no more is in flight than the path holds,
//!   for three rounds at most.
//! * ProbeBW: DOWN (0.9) until there is headroom, CRUISE (1), after 2 to 3 s or as many rounds as standard
//!   TCP would need to be hurt, REFILL (1) for a round, UP (1.25, window gain 2.25) while the path takes it.
//!   A probe that lost more than 2 % sets the long-term bound on what is in flight; the next one stops there
//!   as a precaution, and goes on if that was clean.
//! * Losses outside a probe bound bandwidth and flight for the short term, by 0.7 at most a round, until the
//!   next probe.
//! * ProbeRTT: half of the product in flight for 200 ms, where the smallest round-trip time has not fallen
//!   for 5 s.
//! * The window has room for the most that was acknowledged beyond the bandwidth in five to ten rounds, so
//!   that acknowledgements in bunches do not stop the flow.
//! * After an idle time the flow paces at gain 1, and does not probe the round-trip time at once: the queue
//!   had time to drain.
//! * Fast recovery leaves the window alone, because the bounds of the model answer losses, and ends with the
//!   window from before it; a timeout leaves one segment more than what is in flight, so one.
//!
//! In brackets stand the names of the draft's own steps, and its sections. The names outlive the numbers,
//! which are those of revision 05; precautionary probes are of revision 06, section 5.3.3.6. `constants` has
//! what can be set, `model` what the flow knows of its path, `modes` what it does next, `marks` what it makes
//! of ECN.

mod constants;
mod marks;
mod model;
mod modes;

use crate::conservation::{Conservation, grown};
use crate::draw::Draw;
use crate::{
    AckEvent, Codepoint, CongestionControl, IdleEvent, Limits, LossCause, LossEvent, LostSegment, MarkRules,
    Phase, Picos, ResumeStep, Start, Window, seconds,
};
pub use constants::Bbr3Config;
use marks::Marks;
use model::{FullPipe, Model, UNBOUNDED};
use modes::Mode;
use serde::{Deserialize, Serialize};

/// BBRv3: the state of one flow. Rates in segments/s.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Bbr3 {
    window: Window,
    model: Model,
    mode: Mode,
    full: FullPipe,
    /// A round ends when a segment is acknowledged that left after this many had been delivered.
    round_end: u64,
    loss_round_end: u64,
    pacing_rate: f64,
    draw: Draw,
    delivered: u64,
    in_flight: u32,
    recovery: Conservation,
    marks: Marks,
    round_start: bool,
    loss_round_start: bool,
    loss_in_round: bool,
    /// Losses are held against the last probe (`bw_probe_samples`). Not in a mode: its segments are
    /// acknowledged until a round after ProbeBW_UP, in whatever mode the flow is then.
    probing: bool,
    /// The last probe lost too much (`prev_probe_too_high`). Not in a mode: it counts from one probe to the
    /// next.
    too_high_before: bool,
    /// The last probe stopped at the bound of the one before (`prev_probe_precautionary`). Not in a mode:
    /// ProbeRTT may come before its last acknowledgement.
    precautionary: bool,
    seen_rtt: bool,
    /// Nothing was acknowledged since the application was idle.
    after_idle: bool,
    /// Round trips of this window of aggregation.
    extra_acked_rounds: u8,
    /// Delivery rates are those of segments of careful resume that met congestion.
    tainted: bool,
}

impl Bbr3Config {
    /// Pacing rate for a bandwidth in segments/s (BBRSetPacingRateWithGain, section 5.6.2).
    fn pacing(&self, bandwidth: f64, gain: f64) -> f64 {
        bandwidth * gain * (1.0 - self.pacing_margin)
    }
}

impl Bbr3 {
    /// `gain` times what the path holds (BBRBDPMultiple, section 5.6.4.2).
    fn product(&self, gain: f64) -> f64 {
        self.model.product(gain).unwrap_or(self.window.initial())
    }

    /// `flight` with room for bursts, at least the smallest window (BBRQuantizationBudget, section 5.6.4.2).
    fn with_room(&self, c: &Bbr3Config, flight: f64) -> f64 {
        let flight = flight.at_least(3.0 * c.quantum).at_least(c.min_window);
        if self.mode.is_up() { flight + c.up_extra } else { flight }
    }

    /// Flight that leaves no queue (BBRInflight, section 5.6.4.2).
    fn drained(&self, c: &Bbr3Config) -> f64 {
        self.with_room(c, self.product(1.0))
    }

    /// Flight that the flow needs (BBRTargetInflight, section 5.3.3.5.3).
    fn target(&self) -> f64 {
        self.product(1.0).at_most(self.window.cwnd())
    }

    /// The window while the round-trip time is probed (BBRProbeRTTCwnd, section 5.6.4.5).
    fn probe_rtt_window(&self, c: &Bbr3Config) -> f64 {
        self.product(c.probe_rtt_gain).at_least(c.min_window)
    }

    /// Starts a round (BBRStartRound, section 5.5.1).
    fn start_round(&mut self, delivered: u64) {
        self.round_end = delivered;
    }

    /// Starts a loss round where the last one is over (BBRUpdateLatestDeliverySignals, section 5.5.10.3).
    fn update_latest(&mut self, ack: &AckEvent) {
        self.model.update_latest(ack);
        self.loss_round_start = ack.sample.prior_delivered >= self.loss_round_end;
        if self.loss_round_start {
            self.loss_round_end = ack.delivered;
        }
    }

    /// Starts a round where the last one is over (BBRUpdateRound, section 5.5.1), and takes its losses into
    /// the model (BBRUpdateCongestionSignals, section 5.5.10.3).
    fn update_congestion(&mut self, c: &Bbr3Config, ack: &AckEvent) {
        self.round_start = ack.sample.prior_delivered >= self.round_end;
        if self.round_start {
            self.start_round(ack.delivered);
            self.mode.count_round();
        }
        if !self.tainted {
            self.model.update_max_bandwidth(ack);
        }
        if c.ecn != Codepoint::NotEct {
            self.update_marks(c, ack);
        }
        if !self.loss_round_start {
            return;
        }
        let left = self.marks.end_loss_round(c);
        if self.mode.adapts_short_term() {
            self.model.bound_short_term(c, self.window.cwnd(), self.loss_in_round, left);
        }
        self.loss_in_round = false;
    }

    /// Counts an acknowledgement among those that come in bunches, of a round alone before the path is full
    /// (BBRUpdateACKAggregation, section 5.5.9).
    fn update_aggregation(&mut self, c: &Bbr3Config, ack: &AckEvent) {
        if self.round_start {
            self.extra_acked_rounds += 1;
            if !self.full.ever || u32::from(self.extra_acked_rounds) >= c.extra_acked_rounds {
                self.extra_acked_rounds = 0;
                self.model.aggregation.end_window();
            }
        }
        self.model.aggregation.add(ack.now, ack.segments, self.model.bandwidth(), self.window.cwnd());
    }

    /// Brings the window from before the recovery back (BBRRestoreCwnd, section 5.6.4.4).
    fn leave_recovery(&mut self, c: &Bbr3Config) {
        let cwnd = self.recovery.end(self.window.cwnd());
        self.window.set(&c.common, cwnd);
    }

    /// Sets the pacing rate, which only rises before the path is full (BBRInitPacingRate, BBRSetPacingRate,
    /// section 5.6.2).
    fn set_pacing_rate(&mut self, c: &Bbr3Config, ack: &AckEvent) {
        if !self.seen_rtt && ack.srtt > 0 {
            self.seen_rtt = true;
            self.pacing_rate = c.pacing(self.window.cwnd() / seconds(ack.srtt), c.startup_gain);
        }
        let rate = c.pacing(self.model.bandwidth(), self.mode.pacing_gain(c));
        if rate > self.pacing_rate || (self.full.ever && rate > 0.0) {
            self.pacing_rate = rate;
        }
    }

    /// Sets the window (BBRUpdateMaxInflight, section 5.6.4.2; BBRSetCwnd, section 5.6.4.6) within the bounds
    /// of ProbeRTT (BBRBoundCwndForProbeRTT, section 5.6.4.5) and of the model (BBRBoundCwndForModel, section
    /// 5.6.4.7).
    fn set_window(&mut self, c: &Bbr3Config, ack: &AckEvent) {
        let flight =
            self.product(self.mode.cwnd_gain(c)) + c.extra_acked_gain * self.model.aggregation.excess();
        let largest = self.with_room(c, flight);
        let (cwnd, initial) = (self.window.cwnd(), self.window.initial());
        let mut cwnd = grown(cwnd, largest, self.full.ever, initial, ack).at_least(c.min_window);
        if self.mode.is_probe_rtt() {
            cwnd = cwnd.at_most(self.probe_rtt_window(c));
        }
        let bound = match self.mode {
            Mode::Down(_) | Mode::Refill { .. } | Mode::Up(_) => self.model.long_in_flight,
            Mode::Cruise(_) | Mode::ProbeRtt { .. } => c.with_headroom(self.model.long_in_flight),
            Mode::Startup { .. } | Mode::Drain { .. } => UNBOUNDED,
        };
        cwnd = cwnd.at_most(bound.at_most(self.model.short_in_flight).at_least(c.min_window));
        self.window.set(&c.common, cwnd);
    }
}

impl CongestionControl for Bbr3 {
    type Params = Bbr3Config;
    type Config = Bbr3Config;

    const NAME: &'static str = "bbr3";
    const TITLE: &'static str = "BBR, version 3";
    const SOURCE: &'static str = "draft-ietf-ccwg-bbr, revision of August 2026";
    const SHARED_SLOW_START: bool = false;
    const WANTS_DELIVERY_RATE: bool = true;
    const MANAGES_RECOVERY: bool = true;

    fn codepoint(config: &Bbr3Config) -> Codepoint {
        config.ecn
    }

    fn marks(_: &Bbr3Config) -> MarkRules {
        MarkRules::SCALABLE
    }

    // BBROnInit (section 5.2.1).
    fn new(config: &Bbr3Config, start: &Start) -> Self {
        let window = Window::new(&config.common, start);
        let rtt = if start.rtt > 0 { seconds(start.rtt) } else { config.first_rtt };
        Self {
            pacing_rate: config.pacing(window.cwnd() / rtt, config.startup_gain),
            window,
            model: Model::new(start.now, start.rtt),
            mode: Mode::STARTUP,
            full: FullPipe::default(),
            round_end: 0,
            loss_round_end: 0,
            draw: Draw::new(start.seed),
            delivered: 0,
            in_flight: 0,
            recovery: Conservation::default(),
            marks: Marks::new(config),
            round_start: false,
            loss_round_start: false,
            loss_in_round: false,
            probing: false,
            too_high_before: false,
            precautionary: false,
            seen_rtt: start.rtt > 0,
            after_idle: false,
            extra_acked_rounds: 0,
            tainted: false,
        }
    }

    // BBRHandleLostPacket, BBRHandleInflightTooHigh (section 5.5.10.2).
    fn on_segment_lost(&mut self, config: &Bbr3Config, lost: &LostSegment) {
        if !self.loss_in_round {
            (self.loss_in_round, self.loss_round_end) = (true, lost.delivered);
        }
        self.marks.note_loss();
        if !self.probing || !config.too_high(lost.lost, lost.in_flight) {
            return;
        }
        self.probing = false;
        self.too_high_before = true;
        if !lost.app_limited {
            let at_loss = config.flight_at_loss(lost.lost, lost.in_flight);
            self.model.long_in_flight = at_loss.max(config.beta * self.target());
        }
        // The acknowledgement that reports the loss follows, and ends the probe.
        if let Mode::Up(probe) = &mut self.mode {
            probe.stop = true;
        }
    }

    // BBRUpdateModelAndState, then BBRUpdateControlParameters (section 5.2.3).
    fn on_ack(&mut self, config: &Bbr3Config, ack: &AckEvent) {
        if self.recovery.has_repaired_timeout(ack) {
            self.leave_recovery(config);
        }
        (self.in_flight, self.delivered) = (ack.in_flight, ack.delivered);
        if matches!(self.mode, Mode::Up(probe) if probe.stop) {
            self.start_down(config, ack.now, ack.delivered);
        }
        self.round_start = false;
        let valid = ack.sample.interval > 0;
        if valid {
            self.update_latest(ack);
            self.update_congestion(config, ack);
            self.update_aggregation(config, ack);
            if self.round_start {
                self.full.end_round(config, ack);
            }
            self.check_startup(config, ack);
            self.check_drain(config, ack);
            self.update_cycle(config, ack);
        }
        self.check_probe_rtt(config, ack);
        if valid && self.loss_round_start {
            self.model.advance_latest(ack);
        }
        self.set_pacing_rate(config, ack);
        self.set_window(config, ack);
    }

    // BBRHandleRestartFromIdle (section 5.4.1). The model of the path is kept.
    fn on_idle(&mut self, config: &Bbr3Config, idle: &IdleEvent) {
        self.after_idle = true;
        self.model.aggregation.restart(idle.now);
        if self.mode.is_probe_bw() {
            let rate = config.pacing(self.model.bandwidth(), 1.0);
            if rate > self.pacing_rate || (self.full.ever && rate > 0.0) {
                self.pacing_rate = rate;
            }
        } else if self.mode.has_held_until(idle.now) {
            self.end_probe_rtt(config, idle.now, self.delivered);
        }
    }

    // RFC 9959, implementation notes for BBR.
    fn on_resume(&mut self, config: &Bbr3Config, step: &ResumeStep) {
        match *step {
            ResumeStep::Jump { cwnd, rtt } if self.mode.is_startup() => {
                let probing = cwnd / seconds(rtt);
                self.pacing_rate = self.pacing_rate.max(probing);
                let window = probing * seconds(self.model.min_rtt) * config.cwnd_gain;
                self.window.set(&config.common, window.max(self.window.cwnd()));
            }
            ResumeStep::Retreat { .. } if self.mode.is_startup() => {
                (self.mode, self.full.ever) = (Mode::Drain { rounds: 0 }, true);
                self.tainted = true;
            }
            _ => {}
        }
    }

    // BBROnEnterFastRecovery, BBROnEnterRTO (section 5.6.4.4).
    fn on_loss(&mut self, config: &Bbr3Config, loss: &LossEvent) {
        // Each acknowledgement reports its marks.
        if loss.cause == LossCause::Ecn {
            return;
        }
        self.recovery.begin(loss.cause, self.window.cwnd(), self.mode.is_probe_rtt());
        if loss.cause == LossCause::Timeout {
            self.window.set(&config.common, 1.0);
        }
    }

    // BBRRestoreCwnd (section 5.6.4.4).
    fn on_recovery_exit(&mut self, config: &Bbr3Config, _: Picos) {
        self.leave_recovery(config);
    }

    /// Recovery has ended, which brings the window back; what was learned since is kept.
    fn undo(&mut self, _: &Self) {}

    fn holds_back(&self) -> bool {
        self.mode.is_probe_rtt()
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn pacing_rate(&self) -> Option<f64> {
        Some(self.pacing_rate)
    }

    fn mode(&self) -> Option<&'static str> {
        Some(self.mode.name())
    }

    fn bandwidth_estimate(&self) -> Option<f64> {
        Some(self.model.bandwidth())
    }

    fn phase(&self, _: &Bbr3Config, _: Picos) -> Phase {
        if self.mode.is_startup() { Phase::SlowStart } else { Phase::Alternate }
    }
}

#[cfg(test)]
mod tests {
    use super::modes::{Probe, Wait};
    use super::*;
    use crate::testing::{RTT, acks, assert_near, config, loss, round, start};
    use crate::{MILLISECOND, Preset, SECOND};

    const MS: Picos = MILLISECOND;

    /// A wait of 2.5 s that begins at 0.
    const WAIT: Wait = Wait { until: 2500 * MS, rounds: 0, stopping: false };

    fn up() -> Mode {
        Mode::Up(Probe::new(6804.0, 0))
    }

    /// A flow that leaves out the room for bunches, of which `bunches_get_room_in_the_window` is the test.
    fn flow() -> (Bbr3Config, Bbr3) {
        let config = config::<Bbr3>(Preset::Standard, &[("extra_acked_gain", 0.0)]);
        let bbr = Bbr3::new(&config, &Start { rtt: RTT, ..start(10.0, 1e9) });
        (config, bbr)
    }

    /// A flow in `mode` that knows 21 segments/ms and 162 ms.
    fn known(mode: Mode) -> (Bbr3Config, Bbr3) {
        let (config, mut bbr) = flow();
        (bbr.mode, bbr.full.ever, bbr.model.max_bandwidth) = (mode, true, [21_000.0; 2]);
        bbr.delivered = 100_000;
        bbr.window.set(&config.common, 6804.0);
        (config, bbr)
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
            (Mode::Down(WAIT), 6804.0, 18_711.0),
            (Mode::Cruise(WAIT), 6804.0, 20_790.0),
            (Mode::Refill { doublings: 0 }, 6804.0, 20_790.0),
            (up(), 7656.5, 25_987.5),
            (Mode::ProbeRtt { hold: None, stopping: false }, 1701.0, 20_790.0),
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
    fn bunches_get_room_in_the_window() {
        let (_, mut bbr) = known(Mode::Cruise(WAIT));
        let config = config::<Bbr3>(Preset::Standard, &[]);
        // 900 at once, and 900 more after 10 ms in which 210 were due.
        for (ms, extra) in [(0, 900.0), (10, 1590.0), (200, 1590.0)] {
            bbr.update_aggregation(&config, &AckEvent { now: ms * MS, ..acks(900) });
            bbr.window.set(&config.common, 9000.0);
            bbr.set_window(&config, &acks(1));
            assert_near(bbr.cwnd(), 6804.0 + extra, 1e-9);
        }
        bbr.on_idle(&config, &IdleEvent { now: SECOND, idle: MS, rto: SECOND });
        bbr.update_aggregation(&config, &AckEvent { now: SECOND, ..acks(1000) });
        assert_near(bbr.model.aggregation.excess(), 1590.0, 1e-9);
        // The bunches of the start count for a round.
        (bbr.full.ever, bbr.round_start) = (false, true);
        for extra in [1590.0, 1.0] {
            bbr.update_aggregation(&config, &AckEvent { now: 2 * SECOND, ..acks(1) });
            assert_near(bbr.model.aggregation.excess(), extra, 1.0);
        }
    }

    #[test]
    fn a_probe_that_loses_too_much_bounds_what_is_in_flight() {
        let (config, mut bbr) = known(up());
        bbr.probing = true;
        bbr.on_segment_lost(&config, &lost(80, 4000));
        assert_eq!(
            (bbr.mode.name(), bbr.model.long_in_flight),
            ("probe_bw_up", UNBOUNDED),
            "2 % are allowed"
        );
        bbr.on_segment_lost(&config, &lost(81, 4000));
        // The 80 before it were 0.02 less than 2 % of the 3999.
        assert_near(bbr.model.long_in_flight, 3999.0, 1e-9);
        bbr.on_segment_lost(&config, &lost(300, 9000));
        assert_near(bbr.model.long_in_flight, 3999.0, 1e-9);
        bbr.on_ack(&config, &round(bbr.delivered, MS, 21.0, 3900));
        assert_eq!((bbr.mode.name(), bbr.too_high_before), ("probe_bw_down", true));
        assert!(bbr.cwnd() <= 3999.0);
        assert_near(bbr.target(), 3402.0, 1e-9);
    }

    #[test]
    fn the_bound_is_at_least_beta_of_what_the_path_holds() {
        let (config, mut bbr) = known(up());
        bbr.probing = true;
        bbr.on_segment_lost(&config, &lost(60, 1000));
        assert_near(bbr.model.long_in_flight, 2381.4, 1e-9);
        let (config, mut bbr) = known(up());
        bbr.probing = true;
        bbr.on_segment_lost(&config, &lost(120, 4000));
        // 3 % lost of 4000 that were in flight: no less than before the last of them.
        assert_near(bbr.model.long_in_flight, 3999.0, 1e-9);
    }

    #[test]
    fn flight_at_loss_is_interpolated() {
        let (config, _) = flow();
        assert_near(config.flight_at_loss(11, 1001), 1010.204, 5e-4);
    }

    #[test]
    fn losses_outside_a_probe_bound_the_short_term() {
        for (latest, expected) in [(16.0, 16.0), (10.0, 14.7)] {
            let (config, mut bbr) = known(Mode::Cruise(WAIT));
            let mut now = MS;
            bbr.on_ack(&config, &round(bbr.delivered, now, latest, 3000));
            bbr.on_segment_lost(&config, &lost(1, 3000));
            now += RTT;
            bbr.on_ack(&config, &round(bbr.delivered, now, latest, 3000));
            assert_near(bbr.model.short_bandwidth, expected * 1e3, 1e-9);
            assert_near(bbr.model.short_in_flight, 0.7 * 6804.0, 1e-9);
            assert_near(bbr.model.bandwidth(), expected * 1e3, 1e-9);
        }
    }

    #[test]
    fn probes_follow_the_clock_on_long_paths_and_the_rounds_on_short_ones() {
        let until_probe = |rtt: Picos| {
            let (config, mut bbr) = known(Mode::Cruise(WAIT));
            (bbr.model.min_rtt, bbr.model.probe_min_rtt, bbr.model.probe_min_rtt_stamp) =
                (rtt, rtt, 100 * SECOND);
            bbr.window.set(&config.common, 1000.0);
            let mut now = 0;
            while matches!(bbr.mode, Mode::Cruise(_)) {
                now += rtt;
                let ack = AckEvent { rtt, ..round(bbr.delivered, now, 21.0, 200) };
                bbr.on_ack(&config, &ack);
            }
            assert_eq!(bbr.mode.name(), "probe_bw_refill");
            seconds(now)
        };
        let long = until_probe(RTT);
        assert!((2.0..3.2).contains(&long), "{long}");
        assert_near(until_probe(10 * MS), 0.63, 1e-9);
    }

    #[test]
    fn a_clean_precautionary_probe_goes_on_at_once() {
        let (config, mut bbr) = known(Mode::Refill { doublings: 0 });
        (bbr.model.long_in_flight, bbr.too_high_before) = (4000.0, true);
        bbr.on_ack(&config, &round(bbr.delivered, MS, 21.0, 3000));
        assert_eq!(bbr.mode.name(), "probe_bw_up");
        bbr.on_ack(&config, &round(bbr.delivered, 2 * MS, 21.0, 4000));
        assert_eq!((bbr.mode.name(), bbr.precautionary, bbr.too_high_before), ("probe_bw_down", true, false));
        bbr.on_ack(&config, &round(bbr.delivered, 2 * MS + RTT, 21.0, 3900));
        assert_eq!(bbr.mode.name(), "probe_bw_refill");
        // The next probe is not held back.
        bbr.on_ack(&config, &round(bbr.delivered, 2 * MS + 2 * RTT, 21.0, 3900));
        bbr.on_ack(&config, &round(bbr.delivered, 3 * MS + 2 * RTT, 30.0, 3999));
        assert_eq!((bbr.mode.name(), bbr.precautionary), ("probe_bw_up", false));
    }

    #[test]
    fn down_lasts_until_there_is_headroom_and_no_queue() {
        for (bound, in_flight, mode) in [
            (UNBOUNDED, 3403, "probe_bw_down"),
            (UNBOUNDED, 3402, "probe_bw_cruise"),
            (3600.0, 3061, "probe_bw_down"),
            (3600.0, 3060, "probe_bw_cruise"),
        ] {
            let (config, mut bbr) = known(Mode::Down(WAIT));
            bbr.model.long_in_flight = bound;
            bbr.on_ack(&config, &round(bbr.delivered, MS, 21.0, in_flight));
            assert_eq!(bbr.mode.name(), mode, "{bound} {in_flight}");
        }
    }

    #[test]
    fn the_start_ends_after_three_rounds_without_growth_or_one_with_many_losses() {
        let (config, mut bbr) = flow();
        for (i, rate) in [10.0, 20.0, 21.0, 21.0, 21.0].into_iter().enumerate() {
            assert_eq!(bbr.mode.name(), "startup", "{i}");
            bbr.on_ack(&config, &round(bbr.delivered, RTT * (1 + i as u64), rate, 9000));
        }
        assert_eq!((bbr.mode.name(), bbr.full.ever), ("drain", true));

        for (places, mode) in [(5, "startup"), (6, "drain")] {
            let (config, mut bbr) = flow();
            bbr.on_ack(&config, &round(bbr.delivered, RTT, 21.0, 9000));
            for _ in 0..places {
                bbr.on_segment_lost(&config, &lost(30, 1000));
                let mut ack = AckEvent { lost: 1, ..round(bbr.delivered, RTT, 21.0, 9000) };
                ack.sample.prior_delivered = 0;
                bbr.on_ack(&config, &ack);
                bbr.on_loss(&config, &loss(LossCause::FastRetransmit, 9000));
            }
            let mut last = round(bbr.delivered, 2 * RTT, 40.0, 9000);
            (last.delivered, last.sample.prior_delivered) = (200_000, 190_000);
            (last.sample.lost, last.sample.in_flight) = (30, 1000);
            bbr.on_ack(&config, &last);
            assert_eq!(bbr.mode.name(), mode, "{places} places");
        }
    }

    /// Draft, section Drain and test case Exiting DRAIN Based on Time: where the start has found more than
    /// there is, as much stays in flight, and the fourth round begins ProbeBW.
    #[test]
    fn draining_ends_after_three_rounds() {
        let (config, mut bbr) = flow();
        let mut now = 0;
        let mut round_at = |bbr: &mut Bbr3, rate, in_flight| {
            now += RTT;
            bbr.on_ack(&config, &round(bbr.delivered, now, rate, in_flight));
            bbr.mode.name()
        };
        for rate in [10.0, 20.0, 21.0, 21.0, 21.0] {
            round_at(&mut bbr, rate, 9000);
        }
        for _ in 0..3 {
            assert_eq!(round_at(&mut bbr, 18.0, 9000), "drain");
        }
        assert_eq!(round_at(&mut bbr, 18.0, 9000), "probe_bw_down");
    }

    /// Draft, test case Exiting PROBE_DOWN After Max Time.
    #[test]
    fn down_ends_when_a_probe_is_due_whatever_is_in_flight() {
        let (config, mut bbr) = known(Mode::Down(WAIT));
        let wait = WAIT.until;
        bbr.on_ack(&config, &round(bbr.delivered, wait, 21.0, 4000));
        assert_eq!(bbr.mode.name(), "probe_bw_down");
        bbr.on_ack(&config, &round(bbr.delivered, wait + 1, 21.0, 4000));
        assert_eq!(bbr.mode.name(), "probe_bw_refill");
    }

    /// Draft, test case Entering and Exiting PROBE_RTT During STARTUP.
    #[test]
    fn a_start_goes_on_after_a_probe_of_the_round_trip_time() {
        let (config, mut bbr) = flow();
        let slower = |bbr: &Bbr3, now| AckEvent { rtt: 2 * RTT, ..round(bbr.delivered, now, 1.0, 4) };
        bbr.on_ack(&config, &slower(&bbr, 5001 * MS));
        assert_eq!(bbr.mode.name(), "probe_rtt");
        for now in [5400 * MS, 5800 * MS] {
            bbr.on_ack(&config, &slower(&bbr, now));
        }
        assert_eq!((bbr.mode.name(), bbr.full.ever), ("startup", false));
    }

    /// Draft, section ProbeBW_UP: the bound rises by 1, 2, 4, ... segments in the rounds in which it is what
    /// limits the flow.
    #[test]
    fn the_long_term_bound_rises_faster_while_it_is_reached() {
        let (config, mut bbr) = known(up());
        (bbr.probing, bbr.model.long_in_flight) = (true, 4000.0);
        bbr.window.set(&config.common, 4000.0);
        bbr.mode = Mode::Up(Probe::new(4000.0, 0));
        let ack = |round_start: bool, in_flight| AckEvent { acked: 1010, round_start, in_flight, ..acks(1) };
        let mut grown = Vec::new();
        // Three rounds at the bound, one below it, one at it; a few more segments than the window, because
        // counts are whole.
        for in_flight in [3000, 3000, 3000, 1000, 3000] {
            let before = bbr.model.long_in_flight;
            for quarter in 0..4 {
                bbr.round_start = quarter == 3;
                bbr.window.set(&config.common, bbr.model.long_in_flight);
                bbr.probe_upward(&ack(quarter == 3, in_flight + (bbr.model.long_in_flight - 4000.0) as u32));
            }
            grown.push(bbr.model.long_in_flight - before);
        }
        assert_eq!(grown, [1.0, 2.0, 4.0, 0.0, 8.0]);
    }

    #[test]
    fn an_old_round_trip_time_is_probed_with_half_of_the_product() {
        let (config, mut bbr) = known(Mode::Cruise(WAIT));
        let late = |now, in_flight, bbr: &Bbr3| AckEvent {
            rtt: RTT + MS,
            ..round(bbr.delivered, now, 21.0, in_flight)
        };
        bbr.mode = Mode::Cruise(Wait { until: 7500 * MS, ..WAIT });
        bbr.on_ack(&config, &late(5001 * MS, 3402, &bbr));
        assert_eq!((bbr.mode.name(), bbr.cwnd(), bbr.model.min_rtt), ("probe_rtt", 1701.0, RTT));
        assert!(bbr.holds_back());
        bbr.on_ack(&config, &late(5100 * MS, 1701, &bbr));
        bbr.on_ack(&config, &late(5300 * MS, 1701, &bbr));
        assert_eq!(bbr.mode.name(), "probe_rtt");
        bbr.on_ack(&config, &late(5301 * MS, 1701, &bbr));
        assert_eq!(bbr.mode.name(), "probe_bw_cruise");
        assert_near(bbr.cwnd(), 6804.0, 1e-9);
    }

    /// Draft, test case Skipping PROBE_RTT Due to Application-Limited Sending.
    #[test]
    fn a_flow_that_was_idle_paces_at_its_bandwidth_and_probes_no_round_trip_time() {
        let (config, mut bbr) = known(up());
        let idle = IdleEvent { now: 20 * SECOND, idle: 12 * SECOND, rto: SECOND };
        let ack = |now, bbr: &Bbr3| AckEvent { rtt: RTT + MS, ..round(bbr.delivered, now, 21.0, 100) };
        bbr.on_idle(&config, &idle);
        assert_near(bbr.pacing_rate, 20_790.0, 1e-9);
        bbr.on_ack(&config, &ack(idle.now + RTT, &bbr));
        assert_eq!(bbr.mode.name(), "probe_bw_up");
        assert_eq!(bbr.model.probe_min_rtt, RTT + MS, "the sample counts");
        // The next one is due 5 s later.
        bbr.on_ack(&config, &ack(idle.now + RTT + 5001 * MS, &bbr));
        assert_eq!(bbr.mode.name(), "probe_rtt");
    }

    #[test]
    fn an_idle_time_can_end_the_probe_of_the_round_trip_time() {
        for (held_until, name) in [(19 * SECOND, "probe_bw_cruise"), (20 * SECOND, "probe_rtt")] {
            let (config, mut bbr) = known(Mode::Cruise(WAIT));
            let hold_since = held_until - config.probe_rtt_time;
            let late = |now, in_flight, bbr: &Bbr3| AckEvent {
                rtt: RTT,
                ..round(bbr.delivered, now, 21.0, in_flight)
            };
            bbr.on_ack(&config, &late(hold_since - 1, 3402, &bbr));
            bbr.on_ack(&config, &late(hold_since, 1701, &bbr));
            bbr.on_idle(&config, &IdleEvent { now: 20 * SECOND, idle: SECOND, rto: SECOND });
            assert_eq!(bbr.mode.name(), name);
        }
    }

    #[test]
    fn a_recovery_that_did_not_begin_leaves_the_window() {
        let (config, mut bbr) = known(Mode::Cruise(WAIT));
        bbr.on_ack(&config, &round(bbr.delivered, MS, 21.0, 5000));
        bbr.on_loss(&config, &loss(LossCause::FastRetransmit, 6000));
        bbr.on_recovery_exit(&config, 2 * MS);
        bbr.window.set(&config.common, 700.0);
        bbr.on_loss(&config, &loss(LossCause::Ecn, 700));
        bbr.on_recovery_exit(&config, 3 * MS);
        assert_eq!(bbr.cwnd(), 700.0);
    }

    #[test]
    fn recovery_restores_the_window_and_a_time_out_leaves_one_segment() {
        let (config, mut bbr) = known(Mode::Cruise(WAIT));
        bbr.on_ack(&config, &round(bbr.delivered, MS, 21.0, 5000));
        bbr.on_loss(&config, &loss(LossCause::FastRetransmit, 6000));
        bbr.on_ack(&config, &AckEvent { lost: 300, ..round(bbr.delivered, MS, 21.0, 4700) });
        assert_near(bbr.cwnd(), 6804.0, 1e-9);
        bbr.on_recovery_exit(&config, 2 * MS);
        assert_near(bbr.cwnd(), 6804.0, 1e-9);
        bbr.on_loss(&config, &loss(LossCause::Timeout, 6000));
        assert_eq!(bbr.cwnd(), 1.0);
        bbr.on_ack(&config, &AckEvent { after_timeout: true, ..round(bbr.delivered, 3 * MS, 21.0, 0) });
        assert_eq!(bbr.cwnd(), 4.0);
    }

    /// RFC 9959: half of the saved window paces Startup, and congestion leads to Drain, whose rates are not
    /// those of the path.
    #[test]
    fn careful_resume_paces_startup_and_retreats_to_drain() {
        let (config, mut bbr) = flow();
        bbr.on_resume(&config, &ResumeStep::Jump { cwnd: 1701.0, rtt: RTT });
        assert_near(bbr.pacing_rate, 10_500.0, 1e-6);
        assert_near(bbr.cwnd(), 1701.0 * config.cwnd_gain, 1e-6);
        bbr.on_ack(&config, &round(0, RTT, 2.0, 1500));
        assert_eq!((bbr.mode.name(), bbr.model.max_bandwidth()), ("startup", 2000.0));
        bbr.on_resume(&config, &ResumeStep::Retreat { cwnd: 100.0 });
        bbr.on_ack(&config, &round(1000, 2 * RTT, 9.0, 1500));
        assert_eq!((bbr.mode.name(), bbr.model.max_bandwidth()), ("drain", 2000.0));
        bbr.on_ack(&config, &round(2000, 3 * RTT, 9.0, 100));
        assert!(bbr.mode.is_probe_bw());
        bbr.on_ack(&config, &round(3000, 4 * RTT, 9.0, 100));
        assert_eq!(bbr.model.max_bandwidth(), 9000.0);
        let (rate, cwnd) = (bbr.pacing_rate, bbr.cwnd());
        bbr.on_resume(&config, &ResumeStep::Jump { cwnd: 1e6, rtt: RTT });
        assert_eq!((bbr.pacing_rate, bbr.cwnd()), (rate, cwnd), "after Startup it is not used");
    }
}
