//! The window of loss-based algorithms: cwnd, ssthresh, slow start, and the effect of a timeout.

use crate::slow_start::limited_growth;
use crate::{
    AckEvent, IdleEvent, Limits, LossCause, LossEvent, Preset, ResumeStep, SlowStart, SlowStartRules, Start,
};
use serde::{Deserialize, Serialize};

/// The effect of a timeout on cwnd and ssthresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimeoutRule {
    /// RFC 5681, section 3.1: ssthresh = what the algorithm's source says, mostly half the window; cwnd = 1.
    Rfc,
    /// RFC 2581: the same, but each expiry of one segment reduces ssthresh again; ns.
    Rfc2581,
    /// The study: ssthresh = max(the algorithm's own reduction, initial window); cwnd = initial window.
    OwnReduction,
    /// Linux (tcp_enter_loss): ssthresh = the algorithm's own reduction; cwnd = 1.
    Linux,
}

/// The window with which a flow begins to send again, if nothing has left for more than a retransmission
/// timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum IdleRule {
    /// As before.
    Keep,
    /// At most the initial window (RFC 5681, section 4.1).
    Rfc5681,
    /// Linux (tcp_cwnd_restart; RFC 2861): halved for each timeout that has passed, down to the restart
    /// window of [`Common`]. ssthresh keeps three fourths of the window.
    Linux,
}

/// From which quantity a reduction starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WindowBasis {
    /// The congestion window (Linux; preset `sp500_282`).
    Cwnd,
    /// The segments in flight (RFC 5681, RFC 9438; preset `standard`).
    Flight,
}

/// Rules that a scenario sets for all algorithms at once.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Common {
    /// The effect of a timeout.
    pub timeout: TimeoutRule,
    /// From which quantity a reduction starts.
    pub basis: WindowBasis,
    /// The window after an idle time.
    pub idle: IdleRule,
    /// Smallest window after an idle time by the rule of Linux, segments, also where the handshake lost a SYN
    /// (tcp_init_cwnd). RFC 5681, section 2: the initial window is that after the handshake.
    pub restart_window: f64,
    /// Windows grow only while they limit the flow (RFC 7661).
    pub grow_only_if_cwnd_limited: bool,
    /// Windows never exceed this, segments.
    pub max_cwnd: f64,
    /// Constants of the slow-start variants; a flow chooses one of them when it starts.
    pub slow_start: SlowStartRules,
}

impl Common {
    /// The rules of a preset.
    #[must_use]
    pub fn of(preset: Preset) -> Self {
        let (timeout, basis, idle, grow_only_if_cwnd_limited) = match preset {
            Preset::Standard => (TimeoutRule::Rfc, WindowBasis::Flight, IdleRule::Rfc5681, true),
            Preset::Sp500282 => (TimeoutRule::OwnReduction, WindowBasis::Cwnd, IdleRule::Keep, false),
            Preset::Linux => (TimeoutRule::Linux, WindowBasis::Cwnd, IdleRule::Linux, true),
            Preset::Ns2000 => (TimeoutRule::Rfc2581, WindowBasis::Cwnd, IdleRule::Keep, false),
        };
        let slow_start = SlowStartRules::of(preset);
        Self {
            timeout,
            basis,
            idle,
            restart_window: RESTART_WINDOW,
            grow_only_if_cwnd_limited,
            max_cwnd: LARGEST_CWND,
            slow_start,
        }
    }

    /// Returns whether an acknowledgement may raise the window.
    #[inline]
    #[must_use]
    pub fn may_grow(&self, ack: &AckEvent) -> bool {
        !ack.in_recovery && (ack.cwnd_limited || !self.grow_only_if_cwnd_limited)
    }

    /// The nearest window that is allowed; the largest one for what is not a number.
    #[inline]
    fn bound(&self, cwnd: f64) -> f64 {
        cwnd.at_most(self.max_cwnd).at_least(MIN_CWND)
    }
}

/// Largest window of the presets, segments: a guard that no sensible run reaches (assumed).
const LARGEST_CWND: f64 = 2_147_483_648.0;

/// The initial window of RFC 6928, segments.
const RESTART_WINDOW: f64 = 10.0;

/// Smallest window, segments; a timeout is all that leads there (RFC 5681, section 3.1).
pub const MIN_CWND: f64 = 1.0;

/// Smallest ssthresh, so also the smallest window after a fast retransmit, segments (RFC 5681, equation 4).
pub const MIN_SSTHRESH: f64 = 2.0;

/// Congestion window, slow-start threshold and slow start of one flow.
///
/// Whatever an algorithm does, 1 <= cwnd <= [`Common::max_cwnd`] and ssthresh is finite and at least 2.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Window {
    cwnd: f64,
    ssthresh: f64,
    initial: f64,
    slow_start: SlowStart,
}

impl Window {
    /// The window of a new flow.
    #[must_use]
    pub fn new(common: &Common, start: &Start) -> Self {
        let initial = common.bound(start.initial_window);
        Self {
            cwnd: initial,
            ssthresh: start.initial_ssthresh.clamp(MIN_SSTHRESH, f64::MAX),
            initial,
            slow_start: start.slow_start,
        }
    }

    /// A window in congestion avoidance or classic slow start, from its parts.
    pub(crate) fn of(cwnd: f64, ssthresh: f64, initial: f64) -> Self {
        Self { cwnd, ssthresh, initial, slow_start: SlowStart::Classic }
    }

    /// Congestion window, segments.
    #[inline]
    #[must_use]
    pub fn cwnd(&self) -> f64 {
        self.cwnd
    }

    /// Slow-start threshold, segments.
    #[inline]
    #[must_use]
    pub fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    /// Initial window, segments.
    #[must_use]
    pub fn initial(&self) -> f64 {
        self.initial
    }

    /// Below ssthresh (RFC 5681 leaves equality open; here it is congestion avoidance).
    #[inline]
    #[must_use]
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Grows by slow start up to ssthresh and returns the acknowledged segments that are left for congestion
    /// avoidance.
    ///
    /// An acknowledgement of n segments does the same as n acknowledgements of one segment do, but for
    /// [`SlowStartRules::max_acked`] and the bound of HyStart++.
    #[inline]
    pub fn grow_in_slow_start(&mut self, common: &Common, ack: &AckEvent) -> u32 {
        if !self.in_slow_start() {
            return ack.acked;
        }
        match self.slow_start {
            SlowStart::Classic => {
                let growth = f64::from(common.slow_start.counted(ack));
                self.grow_up_to_ssthresh(common, ack.acked, growth)
            }
            SlowStart::Limited => self.grow_limited(common, ack),
            SlowStart::HyStart(_) => self.grow_with_hystart(common, ack),
        }
    }

    /// Limited slow start.
    #[cold]
    fn grow_limited(&mut self, common: &Common, ack: &AckEvent) -> u32 {
        for used in 0..common.slow_start.counted(ack) {
            if !self.in_slow_start() {
                return ack.acked - used;
            }
            self.grow_up_to_ssthresh(common, 1, limited_growth(&common.slow_start, self.cwnd));
        }
        0
    }

    /// HyStart++.
    #[cold]
    fn grow_with_hystart(&mut self, common: &Common, ack: &AckEvent) -> u32 {
        let SlowStart::HyStart(hystart) = &mut self.slow_start else { return ack.acked };
        let rules = &common.slow_start.hystart;
        if ack.round_start && hystart.begin_round(rules) {
            self.set_ssthresh(self.cwnd);
            return ack.acked;
        }
        let growth = hystart.growth(rules, ack.acked);
        if ack.rtt > 0 {
            hystart.sample(rules, ack.rtt);
        }
        self.grow_up_to_ssthresh(common, ack.acked, growth)
    }

    /// Grows by `growth` segments for `acked` of them, up to ssthresh, and returns those that are left.
    #[inline]
    fn grow_up_to_ssthresh(&mut self, common: &Common, acked: u32, growth: f64) -> u32 {
        let room = self.ssthresh - self.cwnd;
        if growth <= room {
            self.grow(common, growth);
            return 0;
        }
        self.cwnd = common.bound(self.ssthresh);
        // The segment that reaches ssthresh is used up, even if only in part.
        ((growth - room) * f64::from(acked) / growth) as u32
    }

    /// Adds `increase` segments, at least 0.
    #[inline]
    pub fn grow(&mut self, common: &Common, increase: f64) {
        debug_assert!(increase >= 0.0, "an increase of {increase} segments");
        self.cwnd = (self.cwnd + increase).at_most(common.max_cwnd);
    }

    /// Sets the window and leaves ssthresh: for algorithms that compute windows rather than increases.
    pub fn set(&mut self, common: &Common, cwnd: f64) {
        self.cwnd = common.bound(cwnd);
    }

    /// Sets ssthresh, at least 2, and leaves the window: slow start below it, congestion avoidance from it
    /// on. Ends the first slow start.
    pub fn set_ssthresh(&mut self, ssthresh: f64) {
        self.ssthresh = ssthresh.clamp(MIN_SSTHRESH, f64::MAX);
        self.slow_start = self.slow_start.again();
    }

    /// The window from which a reduction starts.
    #[must_use]
    pub fn basis(&self, common: &Common, loss: &LossEvent) -> f64 {
        match common.basis {
            WindowBasis::Cwnd => self.cwnd,
            WindowBasis::Flight => f64::from(loss.in_flight).min(self.cwnd),
        }
    }

    /// The reaction of nearly every algorithm to a congestion event: [`Self::reduce`], or [`Self::timeout`]
    /// where `standard` is the ssthresh under [`TimeoutRule::Rfc`].
    pub fn back_off(&mut self, common: &Common, loss: &LossEvent, reduced: f64, standard: f64) {
        match loss.cause {
            LossCause::Timeout => self.timeout(common, loss, standard, reduced),
            LossCause::FastRetransmit | LossCause::Ecn => self.reduce(common, reduced),
        }
    }

    /// The flow sends again after an idle time.
    pub fn restart(&mut self, common: &Common, idle: &IdleEvent) {
        if idle.idle <= idle.rto {
            return;
        }
        match common.idle {
            IdleRule::Keep => {}
            IdleRule::Rfc5681 => self.cwnd = self.initial.min(self.cwnd),
            IdleRule::Linux => {
                let least = common.restart_window.min(self.cwnd);
                // tcp_current_ssthresh.
                self.ssthresh = self.ssthresh.max(0.75 * self.cwnd);
                let mut left = idle.idle - idle.rto;
                while left > 0 && self.cwnd > least {
                    self.cwnd = (self.cwnd / 2.0).max(least);
                    left = left.saturating_sub(idle.rto);
                }
            }
        }
    }

    /// The sender resumes carefully (RFC 9959).
    pub fn resume(&mut self, common: &Common, step: &ResumeStep) {
        match *step {
            ResumeStep::Jump { cwnd, .. } | ResumeStep::Use { cwnd } | ResumeStep::Retreat { cwnd } => {
                self.set(common, cwnd);
            }
            ResumeStep::Leave { ssthresh } => self.set_ssthresh(ssthresh),
        }
    }

    /// A fast retransmit or a mark: continue in congestion avoidance from `reduced`, at least 2.
    pub fn reduce(&mut self, common: &Common, reduced: f64) {
        self.ssthresh = reduced.max(MIN_SSTHRESH);
        self.cwnd = common.bound(self.ssthresh);
        self.slow_start = self.slow_start.again();
    }

    /// A timeout: slow start follows. ssthresh becomes `standard` under [`TimeoutRule::Rfc`] and `own`, the
    /// algorithm's reduction after a loss, under the others; a repeated expiry keeps ssthresh
    /// but under [`TimeoutRule::Rfc2581`].
    pub fn timeout(&mut self, common: &Common, loss: &LossEvent, standard: f64, own: f64) {
        let (ssthresh, restart) = match common.timeout {
            TimeoutRule::Rfc | TimeoutRule::Rfc2581 => (standard, MIN_CWND),
            TimeoutRule::OwnReduction => (own.max(self.initial), self.initial),
            TimeoutRule::Linux => (own, MIN_CWND),
        };
        if loss.first_timeout || common.timeout == TimeoutRule::Rfc2581 {
            self.ssthresh = ssthresh.max(MIN_SSTHRESH);
        }
        self.cwnd = common.bound(restart);
        self.slow_start = self.slow_start.again();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{acks, loss, start};

    #[test]
    fn slow_start_stops_at_ssthresh_and_returns_the_credit_that_is_left() {
        let common = Common::of(Preset::Linux);
        let mut window = Window::new(&common, &start(10.0, 16.0));
        assert_eq!(window.grow_in_slow_start(&common, &acks(4)), 0);
        assert_eq!(window.cwnd(), 14.0);
        assert_eq!(window.grow_in_slow_start(&common, &acks(5)), 3);
        assert_eq!(window.cwnd(), 16.0);
        assert_eq!(window.grow_in_slow_start(&common, &acks(5)), 5);
        assert_eq!(window.cwnd(), 16.0);
    }

    #[test]
    fn an_acknowledgement_counts_for_as_many_segments_as_the_preset_says() {
        for (preset, acked, growth) in [
            (Preset::Standard, 1, 1.0),
            (Preset::Standard, 2, 2.0),
            (Preset::Standard, 18, 2.0),
            (Preset::Linux, 18, 18.0),
            (Preset::Sp500282, 18, 18.0),
            (Preset::Ns2000, 2, 1.0),
        ] {
            let common = Common::of(preset);
            let grown = |slow_start, ack: AckEvent| {
                let mut window = Window::new(&common, &Start { slow_start, ..start(10.0, 1e9) });
                assert_eq!(window.grow_in_slow_start(&common, &ack), 0);
                window.cwnd() - 10.0
            };
            for slow_start in [SlowStart::Classic, SlowStart::Limited] {
                assert_eq!(grown(slow_start, acks(acked)), growth, "{preset:?}, {acked} segments");
                let after = if preset == Preset::Linux || preset == Preset::Sp500282 { growth } else { 1.0 };
                let ack = AckEvent { after_timeout: true, ..acks(acked) };
                assert_eq!(grown(slow_start, ack), after, "RFC 3465, section 2.3");
            }
        }
    }

    #[test]
    fn an_acknowledgement_of_many_segments_counts_like_as_many_acknowledgements() {
        let common = Common::of(Preset::Linux);
        for ssthresh in [2.0, 9.5, 10.0, 10.25, 11.0, 15.999, 16.0, 30.0] {
            for acked in 0..25 {
                let mut once = Window::new(&common, &start(10.0, ssthresh));
                let mut singly = once;
                let left = once.grow_in_slow_start(&common, &acks(acked));
                let left_singly: u32 = (0..acked).map(|_| singly.grow_in_slow_start(&common, &acks(1))).sum();
                assert_eq!((once, left), (singly, left_singly), "ssthresh {ssthresh}, {acked} segments");
            }
        }
    }

    #[test]
    fn windows_stay_within_their_bounds() {
        let mut common = Common::of(Preset::Standard);
        common.max_cwnd = 12.0;
        let mut window = Window::new(&common, &start(0.0, 0.0));
        assert_eq!((window.cwnd(), window.ssthresh()), (1.0, 2.0));
        window = Window::new(&common, &Start { slow_start: SlowStart::Classic, ..start(100.0, 1e9) });
        assert_eq!(window.cwnd(), 12.0);
        window.grow(&common, 5.0);
        assert_eq!(window.cwnd(), 12.0);
        assert_eq!(window.grow_in_slow_start(&common, &acks(3)), 0);
        assert_eq!(window.cwnd(), 12.0);
        window.set(&common, -3.0);
        assert_eq!(window.cwnd(), 1.0);
        window.reduce(&common, 0.0);
        assert_eq!((window.cwnd(), window.ssthresh()), (2.0, 2.0));
        window.reduce(&common, 50.0);
        assert_eq!((window.cwnd(), window.ssthresh()), (12.0, 50.0));
    }

    #[test]
    fn a_repeated_time_out_keeps_ssthresh() {
        for (preset, ssthresh, restart) in [(Preset::Standard, 20.0, 1.0), (Preset::Sp500282, 35.0, 10.0)] {
            let common = Common::of(preset);
            let mut window = Window::new(&common, &start(10.0, 1e9));
            let first = loss(LossCause::Timeout, 40);
            window.timeout(&common, &first, 20.0, 35.0);
            assert_eq!((window.cwnd(), window.ssthresh()), (restart, ssthresh));
            window.timeout(&common, &LossEvent { first_timeout: false, ..first }, 3.0, 3.0);
            assert_eq!((window.cwnd(), window.ssthresh()), (restart, ssthresh));
        }
    }

    /// RFC 5681, section 4.1; Linux, tcp_cwnd_restart.
    #[test]
    fn a_window_restarts_after_an_idle_time() {
        let of = |rule: IdleRule, cwnd: f64, idle: u64| {
            let common = Common { idle: rule, ..Common::of(Preset::Standard) };
            let mut window = Window::new(&common, &start(10.0, 30.0));
            window.set(&common, cwnd);
            window.restart(&common, &IdleEvent { now: 99, idle, rto: 10 });
            (window.cwnd(), window.ssthresh())
        };
        for rule in [IdleRule::Keep, IdleRule::Rfc5681, IdleRule::Linux] {
            assert_eq!(of(rule, 100.0, 10), (100.0, 30.0), "not more than a timeout");
        }
        assert_eq!(of(IdleRule::Keep, 100.0, 1000), (100.0, 30.0));
        assert_eq!(of(IdleRule::Rfc5681, 100.0, 11), (10.0, 30.0));
        assert_eq!(of(IdleRule::Rfc5681, 4.0, 11), (4.0, 30.0));
        assert_eq!(of(IdleRule::Linux, 100.0, 11), (50.0, 75.0));
        assert_eq!(of(IdleRule::Linux, 100.0, 21), (25.0, 75.0));
        assert_eq!(of(IdleRule::Linux, 100.0, 31), (12.5, 75.0));
        assert_eq!(of(IdleRule::Linux, 100.0, 41), (10.0, 75.0));
        assert_eq!(of(IdleRule::Linux, 20.0, 11), (10.0, 30.0));
        assert_eq!(of(IdleRule::Linux, 4.0, 1000), (4.0, 30.0));
    }

    /// tcp_cwnd_restart: the restart window does not follow from the window after the handshake.
    #[test]
    fn a_lost_syn_does_not_lower_later_restarts_of_linux() {
        for (rule, cwnd) in [(IdleRule::Rfc5681, 1.0), (IdleRule::Linux, 10.0)] {
            let common = Common { idle: rule, ..Common::of(Preset::Standard) };
            let mut window = Window::new(&common, &start(1.0, 30.0));
            window.set(&common, 100.0);
            window.restart(&common, &IdleEvent { now: 99, idle: 1000, rto: 10 });
            assert_eq!(window.cwnd(), cwnd);
        }
    }

    #[test]
    fn reductions_start_from_the_window_or_from_what_is_in_flight() {
        let start = start(40.0, 2.0);
        for (preset, flight, basis) in
            [(Preset::Standard, 30, 30.0), (Preset::Standard, 50, 40.0), (Preset::Sp500282, 30, 40.0)]
        {
            let common = Common::of(preset);
            let window = Window::new(&common, &start);
            assert_eq!(window.basis(&common, &loss(LossCause::FastRetransmit, flight)), basis);
        }
    }
}
