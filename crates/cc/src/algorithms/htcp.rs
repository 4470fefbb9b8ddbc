//! H-TCP (D. Leith and R. Shorten, draft-leith-tcp-htcp-06; PFLDnet 2004): the increase grows with the time
//! since the last congestion event.
//!
//! * Congestion avoidance: `alpha / cwnd` per acknowledged segment, alpha from Delta, the time since the last
//!   congestion event: 1 up to `delta_l`; then f = 1 + 10 x + x^2 / 4 with x = Delta - `delta_l`, multiplied
//!   by `2 (1 - beta)` so that the back-off does not change the average rate, at least 1 (draft, increase
//!   function).
//! * Before the first congestion event Delta counts from the end of slow start (assumed: sources are silent).
//! * RTT scaling multiplies f by rtt_min / 100 ms, within [0.1, 2], so that flows of different round-trip
//!   times grow alike per second (Linux's form; the study states that the increase is scaled).
//! * Loss: ssthresh and cwnd become beta of the window. Adaptive back-off: beta is rtt_min / rtt_max within
//!   [0.5, 0.8], which just empties the queue, or 0.5 where the throughput of this epoch differs from that of
//!   the one before by more than `delta_b` or is not known (draft, adaptive back-off).
//! * Throughput of an epoch: the largest rate of acknowledged segments over any `monitor_period` without fast
//!   recovery.
//! * At a congestion event rtt_max moves 5 % of the way to rtt_min, so that it follows a path that changes
//!   (Linux).
//! * Timeout: ssthresh is half the window, cwnd 1, beta 0.5, or the rule of the study; the epoch starts anew.
//!
//! There is no low window: what the first second protects are slow paths.
//!
//! # Deviations
//!
//! The default is the draft, with Linux's RTT scaling, which the draft leaves open.
//!
//! * Linux (tcp_htcp.c) computes in whole numbers: the RTT scaling is 8 over the whole part of 0.8 s /
//!   rtt_min, so 2 instead of 1.62 at 162 ms and 8/7 instead of 1.1 at 110 ms; f and f times the scaling are
//!   truncated. `whole_numbers` 1 has this.
//! * Linux counts Delta from the end of the recovery, and before the first congestion event from the
//!   beginning of the connection: `delta_origin` 1. After a mark, when Linux counts from the end of the round
//!   trip of reduction, Delta here counts from the mark.
//! * Linux multiplies by 2 (1 - beta) and scales in the first second too: `first_increase` 1. The study says
//!   that the first second is standard TCP's, and FreeBSD's implementation agrees.
//! * Linux measures throughput per round trip, smoothed with weight 1/4; the study every 250 ms, as here.
//! * Linux keeps beta at 0.5 where rtt_min is at most 10 ms and in the first congestion event after a change
//!   of throughput, and ignores round-trip times more than 20 ms above rtt_max.
//! * After a timeout Linux's ssthresh is the adaptive back-off; here half the window (RFC 5681).
//! * FreeBSD has adaptive back-off and RTT scaling off by default; ns-3 has no RTT scaling. ns-2 runs Linux's
//!   module.

use crate::param::params;
use crate::{
    AckEvent, Common, CongestionControl, IdleEvent, LossCause, LossEvent, Phase, Picos, ResumeStep, Start,
    Window, seconds,
};
use serde::{Deserialize, Serialize};

params! {
    /// Constants of H-TCP.
    pub struct HtcpConfig {
        common: Common,
        /// time after a congestion event during which standard TCP's increase applies
        delta_l: time([0.0, 3600.0], 1.0, "draft-leith-tcp-htcp-06; NIST SP 500-282, chapter 10"),
        /// linear coefficient of the increase in the time after delta_l
        linear: number("segments/s", [0.0, 1000.0], 10.0, "draft-leith-tcp-htcp-06"),
        /// quadratic coefficient of the increase in the time after delta_l
        quadratic: number("segments/s^2", [0.0, 1000.0], 0.25, "draft-leith-tcp-htcp-06"),
        /// 1: the back-off follows the ratio of round-trip times; 0: it is always beta_min
        adaptive_backoff: flag(true, "NIST SP 500-282, chapter 10; Linux (FreeBSD: 0)"),
        /// smallest part of the window kept after a loss
        beta_min: number("1", [0.01, 0.99], 0.5, "draft-leith-tcp-htcp-06; NIST SP 500-282, chapter 10"),
        /// largest part of the window kept after a loss
        beta_max: number("1", [0.01, 0.99], 0.8, "draft-leith-tcp-htcp-06; NIST SP 500-282, chapter 10"),
        /// relative change of throughput between epochs above which the back-off is beta_min
        delta_b: number("1", [0.0, 10.0], 0.2, "draft-leith-tcp-htcp-06"),
        /// 1: the increase is scaled by the smallest round-trip time; 0: it is not
        rtt_scaling: flag(true, "Mills et al., ASME 2011; Linux (FreeBSD: 0)"),
        /// round-trip time at which the RTT scaling is 1
        scale_reference: number("s", [0.001, 10.0], 0.1, "Linux tcp_htcp.c"),
        /// smallest RTT scaling
        scale_min: number("1", [0.001, 1.0], 0.1, "Linux tcp_htcp.c"),
        /// largest RTT scaling
        scale_max: number("1", [1.0, 1000.0], 2.0, "Linux tcp_htcp.c"),
        /// time over which a throughput sample is taken
        monitor_period: time([0.001, 60.0], 0.25, "NIST SP 500-282, chapter 10"),
        /// part of rtt_max - rtt_min that a congestion event leaves
        fading: number("1", [0.0, 1.0], 0.95, "Linux tcp_htcp.c"),
        /// 1: the increase and its RTT scaling are whole numbers and eighths; 0: real numbers
        whole_numbers: flag(false, Linux = true, "draft-leith-tcp-htcp-06 (Linux tcp_htcp.c: 1)"),
        /// from where the time since a congestion event counts: 0 the event; 1 the end of its recovery
        delta_origin: choice(1, 0, Linux = 1, "draft-leith-tcp-htcp-06 (Linux tcp_htcp.c: 1)"),
        /// increase before delta_l: 0 standard TCP's; 1 that of the formula
        first_increase: choice(1, 0, Linux = 1,
            "draft-leith-tcp-htcp-06; NIST SP 500-282, chapter 10 (Linux tcp_htcp.c: 1)"),
    }
}

impl HtcpConfig {
    /// Delta counts from the end of recovery.
    fn is_from_recovery(&self) -> bool {
        self.delta_origin == 1
    }

    /// The formula holds in the first second, too.
    fn is_from_start(&self) -> bool {
        self.first_increase == 1
    }

    /// alpha, segments per round trip, `delta` after a congestion event that left `beta` of the window
    /// (draft-leith-tcp-htcp-06, increase function).
    fn alpha(&self, delta: Picos, beta: f64, scale: f64) -> f64 {
        // Up to Delta_L the increase of standard TCP (draft, increase function); Linux has the formula there,
        // too.
        if delta <= self.delta_l && !self.is_from_start() {
            return 1.0;
        }
        // f(Delta) = 1 + 10 (Delta - Delta_L) + ((Delta - Delta_L) / 2)^2.
        let x = seconds(delta.saturating_sub(self.delta_l));
        let f = 1.0 + x * (self.linear + x * self.quadratic);
        if self.whole_numbers {
            // tcp_htcp.c, htcp_alpha_update: factor is a whole number, at least 1.
            return 2.0 * (1.0 - beta) * (f.floor() * scale).floor().max(1.0);
        }
        // 2 (1 - beta) f: the back-off does not change the average rate (draft, increase function).
        let alpha = 2.0 * (1.0 - beta) * f * scale;
        if self.is_from_start() { alpha } else { alpha.max(1.0) }
    }

    /// RTT scaling (tcp_htcp.c, htcp_alpha_update) of a flow whose smallest round-trip time is `rtt_min`
    /// seconds.
    fn scale(&self, rtt_min: f64) -> f64 {
        if !self.rtt_scaling {
            return 1.0;
        }
        let mut scale = rtt_min * (1.0 / self.scale_reference);
        if self.whole_numbers {
            // Of a round-trip time beyond eight times the reference, the inverse is 0: the largest scaling.
            scale = 8.0 / (8.0 / scale).floor();
        }
        scale.max(self.scale_min).min(self.scale_max)
    }
}

/// H-TCP: the state of one flow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Htcp {
    window: Window,
    /// The last congestion event; before the first one, the end of slow start.
    epoch: Option<Picos>,
    /// Part of the window that the last congestion event left.
    beta: f64,
    /// Seconds; 0 before the first sample.
    rtt_min: f64,
    rtt_max: f64,
    /// RTT scaling that follows from `rtt_min`.
    scale: f64,
    /// Largest throughput of this epoch and of the one before, segments/s; 0 where there was no sample.
    throughput: f64,
    throughput_before: f64,
    /// Segments acknowledged in this monitor period.
    acked: u64,
    /// No congestion event and no fast recovery in this monitor period so far.
    whole: bool,
    recovering: bool,
    /// Segments outstanding at a timeout are not yet acknowledged.
    timed_out: bool,
}

impl Htcp {
    /// Updates rtt_min and rtt_max, the latter outside of recovery (draft-leith-tcp-htcp-06, adaptive
    /// back-off; tcp_htcp.c, measure_rtt).
    fn sample_rtt(&mut self, config: &HtcpConfig, ack: &AckEvent) {
        let rtt = seconds(ack.rtt);
        if self.rtt_min == 0.0 || rtt < self.rtt_min {
            self.rtt_min = rtt;
            self.scale = config.scale(rtt);
        }
        if rtt > self.rtt_max && !ack.in_recovery {
            self.rtt_max = rtt;
        }
    }

    /// Part of the window to keep after the epoch that ends (draft-leith-tcp-htcp-06, adaptive back-off).
    fn back_off(&self, config: &HtcpConfig) -> f64 {
        let change = (self.throughput - self.throughput_before).abs();
        let known = self.throughput_before > 0.0 && self.rtt_max > 0.0;
        if config.adaptive_backoff && known && change <= config.delta_b * self.throughput_before {
            (self.rtt_min / self.rtt_max).max(config.beta_min).min(config.beta_max)
        } else {
            config.beta_min
        }
    }
}

impl CongestionControl for Htcp {
    type Params = HtcpConfig;
    type Config = HtcpConfig;

    const NAME: &'static str = "htcp";
    const TITLE: &'static str = "H-TCP";
    const SOURCE: &'static str = "draft-leith-tcp-htcp-06";

    fn new(config: &HtcpConfig, start: &Start) -> Self {
        Self {
            window: Window::new(&config.common, start),
            epoch: config.is_from_recovery().then_some(start.now),
            beta: config.beta_min,
            rtt_min: 0.0,
            rtt_max: 0.0,
            scale: 1.0,
            throughput: 0.0,
            throughput_before: 0.0,
            acked: 0,
            whole: true,
            recovering: false,
            timed_out: false,
        }
    }

    #[inline]
    fn on_ack(&mut self, config: &HtcpConfig, ack: &AckEvent) {
        if ack.rtt > 0 {
            self.sample_rtt(config, ack);
        }
        self.acked += u64::from(ack.segments);
        if self.timed_out && !ack.after_timeout {
            self.timed_out = false;
            // tcp_htcp.c, htcp_state: Delta counts from the return to the state Open.
            if config.is_from_recovery() {
                self.epoch = Some(ack.now);
            }
        }
        if !config.common.may_grow(ack) {
            return;
        }
        let left = self.window.grow_in_slow_start(&config.common, ack);
        if left == 0 {
            return;
        }
        // draft-leith-tcp-htcp-06, increase function: alpha / cwnd per acknowledged segment.
        let epoch = *self.epoch.get_or_insert(ack.now);
        let alpha = config.alpha(ack.now - epoch, self.beta, self.scale);
        for _ in 0..left {
            self.window.grow(&config.common, alpha / self.window.cwnd());
        }
    }

    fn on_idle(&mut self, config: &HtcpConfig, idle: &IdleEvent) {
        self.window.restart(&config.common, idle);
    }

    fn on_resume(&mut self, config: &HtcpConfig, step: &ResumeStep) {
        self.window.resume(&config.common, step);
    }

    fn on_loss(&mut self, config: &HtcpConfig, loss: &LossEvent) {
        let basis = self.window.basis(&config.common, loss);
        // draft-leith-tcp-htcp-06, adaptive back-off; RFC 5681, section 3.1, after a timeout.
        self.beta = match loss.cause {
            LossCause::Timeout => config.beta_min,
            LossCause::FastRetransmit | LossCause::Ecn => self.back_off(config),
        };
        let reduced = basis * self.beta;
        self.window.back_off(&config.common, loss, reduced, basis / 2.0);
        // draft-leith-tcp-htcp-06: Delta counts from the congestion event, and the throughput is that of an
        // epoch.
        self.epoch = Some(loss.now);
        self.throughput_before = self.throughput;
        self.throughput = 0.0;
        // tcp_htcp.c, htcp_param_update: rtt_max follows a path that changes.
        self.rtt_max = self.rtt_min + config.fading * (self.rtt_max - self.rtt_min).max(0.0);
        self.recovering = loss.cause == LossCause::FastRetransmit;
        self.timed_out = loss.cause == LossCause::Timeout;
        self.whole = false;
    }

    fn on_recovery_exit(&mut self, config: &HtcpConfig, now: Picos) {
        self.recovering = false;
        // tcp_htcp.c, htcp_state.
        if config.is_from_recovery() {
            self.epoch = Some(now);
        }
    }

    fn on_timer(&mut self, config: &HtcpConfig, _: Picos) {
        // NIST SP 500-282, chapter 10: the throughput is monitored every 250 ms. Not in recovery (tcp_htcp.c,
        // measure_achieved_throughput).
        if self.whole {
            self.throughput = self.throughput.max(self.acked as f64 / seconds(config.monitor_period));
        }
        self.acked = 0;
        self.whole = !self.recovering;
    }

    fn timer_period(config: &HtcpConfig) -> Option<Picos> {
        Some(config.monitor_period)
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn phase(&self, config: &HtcpConfig, now: Picos) -> Phase {
        if self.window.in_slow_start() {
            return Phase::SlowStart;
        }
        match self.epoch {
            Some(epoch) if now.saturating_sub(epoch) > config.delta_l => Phase::Alternate,
            _ => Phase::Standard,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{acks, assert_near, config, loss, start};
    use crate::{MILLISECOND, Preset, SECOND, picos};

    const RTT: f64 = 0.162;

    fn standard() -> HtcpConfig {
        config::<Htcp>(Preset::Standard, &[])
    }

    /// A flow in congestion avoidance whose epoch began at 0.
    fn flow(config: &HtcpConfig, cwnd: f64) -> Htcp {
        Htcp { epoch: Some(0), ..Htcp::new(config, &start(cwnd, 2.0)) }
    }

    #[test]
    fn alpha_after_a_congestion_event() {
        #[rustfmt::skip]
        let vectors = [
            // Delta in ms, alpha at beta 0.5 (which is f), alpha at beta 0.8
            (0, 1.0, 1.0), (1000, 1.0, 1.0), (1100, 2.0025, 1.0), (1500, 6.0625, 2.425), (2000, 11.25, 4.5),
            (3000, 22.0, 8.8), (5000, 45.0, 18.0), (10000, 111.25, 44.5), (30000, 501.25, 200.5),
        ];
        let config = standard();
        for (delta, at_half, at_most) in vectors {
            assert_near(config.alpha(delta * MILLISECOND, 0.5, 1.0), at_half, 1e-9);
            assert_near(config.alpha(delta * MILLISECOND, 0.8, 1.0), at_most, 1e-9);
        }
        let unclamped = 2.0 * (1.0 - 0.8) * config.alpha(1100 * MILLISECOND, 0.5, 1.0);
        assert_near(unclamped, 0.801, 1e-9);
    }

    #[test]
    fn rtt_scaling() {
        let config = standard();
        for (ms, scale) in [(5, 0.1), (10, 0.1), (50, 0.5), (100, 1.0), (162, 1.62), (200, 2.0), (300, 2.0)] {
            let mut htcp = flow(&config, 10.0);
            htcp.on_ack(&config, &AckEvent { rtt: ms * MILLISECOND, ..acks(1) });
            assert_near(htcp.scale, scale, 1e-12);
        }
        assert_eq!(config.alpha(SECOND, 0.5, config.scale(0.162)), 1.0, "not in the first second");
        assert_near(config.alpha(2 * SECOND, 0.5, config.scale(0.162)), 18.225, 1e-9);
        assert_near(config.alpha(5 * SECOND, 0.8, config.scale(0.050)), 9.0, 1e-9);
        let unscaled = self::config::<Htcp>(Preset::Standard, &[("rtt_scaling", 0.0)]);
        assert_eq!(unscaled.scale(0.162), 1.0);
    }

    #[test]
    fn linux_computes_in_whole_numbers() {
        let changes = [("whole_numbers", 1.0), ("first_increase", 1.0)];
        let linux = config::<Htcp>(Preset::Standard, &changes);
        // 800 ms over the round-trip time, truncated and within 4 to 80, are the eighths that the increase is
        // divided by.
        for (ms, eighths) in
            [(5, 80.0), (10, 80.0), (50, 16.0), (100, 8.0), (110, 7.0), (162, 4.0), (900, 4.0)]
        {
            assert_near(linux.scale(f64::from(ms) / 1e3), 8.0 / eighths, 1e-12);
        }
        #[rustfmt::skip]
        let vectors = [
            // Delta in ms, f truncated, times 2 (8/4 at 162 ms), times 2 (1 - beta)
            (500, 0.5, 2.0), (500, 0.8, 0.8), (1100, 0.5, 4.0), (1500, 0.5, 12.0), (2000, 0.5, 22.0),
            (2000, 0.8, 8.8), (5000, 0.5, 90.0),
        ];
        for (delta, beta, alpha) in vectors {
            assert_near(linux.alpha(delta * MILLISECOND, beta, linux.scale(0.162)), alpha, 1e-9);
        }
        // f is 2 after 1.1 s; at 10 ms a tenth of that is 0, so 1.
        assert_near(linux.alpha(1100 * MILLISECOND, 0.5, linux.scale(0.010)), 1.0, 1e-9);
    }

    #[test]
    fn linux_counts_from_the_end_of_recovery() {
        for (origin, epochs) in [
            (0.0, [None, Some(10), Some(10), Some(20), Some(20)]),
            (1.0, [Some(1), Some(10), Some(12), Some(20), Some(23)]),
        ] {
            let config = config::<Htcp>(Preset::Standard, &[("delta_origin", origin)]);
            let mut htcp = Htcp::new(&config, &crate::Start { now: SECOND, ..start(10.0, 1000.0) });
            let mut found = vec![htcp.epoch];
            let at = |s: Picos, cause| LossEvent { now: s * SECOND, ..loss(cause, 10) };
            htcp.on_loss(&config, &at(10, LossCause::FastRetransmit));
            found.push(htcp.epoch);
            htcp.on_recovery_exit(&config, 12 * SECOND);
            found.push(htcp.epoch);
            htcp.on_loss(&config, &at(20, LossCause::Timeout));
            htcp.on_ack(&config, &AckEvent { now: 21 * SECOND, after_timeout: true, ..acks(1) });
            found.push(htcp.epoch);
            htcp.on_ack(&config, &AckEvent { now: 23 * SECOND, ..acks(1) });
            htcp.on_ack(&config, &AckEvent { now: 24 * SECOND, ..acks(1) });
            found.push(htcp.epoch);
            assert_eq!(found, epochs.map(|s| s.map(|s| s * SECOND)));
        }
    }

    #[test]
    fn the_back_off_follows_the_round_trip_times() {
        for (rtt_min, rtt_max, beta) in
            [(0.162, 0.19438, 0.8), (0.100, 0.300, 0.5), (0.100, 0.150, 2.0 / 3.0), (0.0, 0.0, 0.5)]
        {
            for preset in [Preset::Standard, Preset::Sp500282] {
                let config = config::<Htcp>(preset, &[]);
                let mut htcp = flow(&config, 1000.0);
                (htcp.rtt_min, htcp.rtt_max) = (rtt_min, rtt_max);
                (htcp.throughput, htcp.throughput_before) = (100.0, 100.0);
                htcp.on_loss(&config, &loss(LossCause::FastRetransmit, 1000));
                assert_near(htcp.cwnd(), 1000.0 * beta, 1e-9);
                assert_eq!(htcp.ssthresh(), htcp.cwnd());
                assert_near(htcp.rtt_max, rtt_min + 0.95 * (rtt_max - rtt_min), 1e-12);
            }
        }
        assert_near(0.162 / 0.19438, 0.8334, 5e-5);
        let fixed = config::<Htcp>(Preset::Standard, &[("adaptive_backoff", 0.0)]);
        let mut htcp = flow(&fixed, 1000.0);
        (htcp.rtt_min, htcp.rtt_max) = (0.162, 0.19438);
        (htcp.throughput, htcp.throughput_before) = (100.0, 100.0);
        assert_eq!(htcp.back_off(&fixed), 0.5);
    }

    #[test]
    fn a_change_of_throughput_backs_off_by_half() {
        let config = standard();
        let mut htcp = flow(&config, 1000.0);
        (htcp.rtt_min, htcp.rtt_max) = (0.100, 0.150);
        for (before, now, beta) in [
            (10.0, 12.1, 0.5),
            (10.0, 11.9, 2.0 / 3.0),
            (10.0, 8.1, 2.0 / 3.0),
            (10.0, 7.9, 0.5),
            (0.0, 5.0, 0.5),
        ] {
            (htcp.throughput_before, htcp.throughput) = (before, now);
            assert_near(htcp.back_off(&config), beta, 1e-12);
        }
    }

    #[test]
    fn the_monitor_keeps_the_largest_rate_outside_recovery() {
        let config = standard();
        assert_eq!(Htcp::timer_period(&config), Some(250 * MILLISECOND));
        let mut htcp = flow(&config, 1000.0);
        let period = |htcp: &mut Htcp, acked| {
            htcp.on_ack(&config, &acks(acked));
            htcp.on_timer(&config, 0);
            htcp.throughput
        };
        assert_eq!(period(&mut htcp, 500), 2000.0);
        assert_eq!(period(&mut htcp, 750), 3000.0);
        assert_eq!(period(&mut htcp, 250), 3000.0);
        htcp.on_loss(&config, &loss(LossCause::FastRetransmit, 1000));
        assert_eq!((htcp.throughput, htcp.throughput_before), (0.0, 3000.0));
        assert_eq!(period(&mut htcp, 900), 0.0, "recovery is not measured");
        assert_eq!(period(&mut htcp, 900), 0.0);
        htcp.on_recovery_exit(&config, 0);
        assert_eq!(period(&mut htcp, 900), 0.0, "nor the period in which it ends");
        assert_eq!(period(&mut htcp, 625), 2500.0);
    }

    #[test]
    fn samples_in_recovery_do_not_raise_rtt_max() {
        let config = standard();
        let mut htcp = flow(&config, 10.0);
        htcp.on_ack(&config, &AckEvent { rtt: 100 * MILLISECOND, ..acks(1) });
        htcp.on_ack(&config, &AckEvent { rtt: 180 * MILLISECOND, in_recovery: true, ..acks(1) });
        htcp.on_ack(&config, &AckEvent { rtt: 90 * MILLISECOND, in_recovery: true, ..acks(1) });
        htcp.on_ack(&config, &acks(1));
        assert_near(htcp.rtt_min, 0.09, 1e-12);
        assert_near(htcp.rtt_max, 0.1, 1e-12);
    }

    #[test]
    fn the_window_gained_since_a_loss() {
        let config = config::<Htcp>(Preset::Standard, &[("rtt_scaling", 0.0)]);
        // Half of 4082 or more, acknowledged at the pace of a constant round-trip time.
        let gained_after = |until: f64| {
            let mut htcp = flow(&config, 2041.0);
            let mut now = 0.0;
            while now < until {
                now += RTT / htcp.cwnd();
                htcp.on_ack(&config, &AckEvent { now: picos(now), ..acks(1) });
            }
            htcp.cwnd() - 2041.0
        };
        for (until, gain) in
            [(1.0, 6.17), (2.0, 43.72), (3.0, 146.1), (5.0, 557.6), (8.0, 1738.0), (10.0, 2937.0)]
        {
            assert_near(gained_after(until), gain, 0.01 + 0.001 * gain);
        }
        assert_near(gained_after(7.217), 1361.0, 1.361);
    }

    #[test]
    fn before_the_first_loss_the_epoch_begins_when_slow_start_ends() {
        let config = standard();
        let mut htcp = Htcp::new(&config, &start(10.0, 12.0));
        htcp.on_ack(&config, &AckEvent { now: 5 * SECOND, ..acks(2) });
        assert_eq!(htcp.epoch, None);
        htcp.on_ack(&config, &AckEvent { now: 6 * SECOND, ..acks(1) });
        assert_eq!(htcp.epoch, Some(6 * SECOND));
        assert_eq!(htcp.cwnd(), 12.0 + 1.0 / 12.0);
        assert_eq!(htcp.phase(&config, 7 * SECOND), Phase::Standard);
        assert_eq!(htcp.phase(&config, 7 * SECOND + 1), Phase::Alternate);
    }

    #[test]
    fn a_time_out_starts_a_new_epoch_and_halves() {
        let config = standard();
        let mut htcp = flow(&config, 1000.0);
        // After a fast retransmit the back-off would be 0.8.
        (htcp.beta, htcp.rtt_min, htcp.rtt_max) = (0.8, 0.1, 0.1);
        (htcp.throughput, htcp.throughput_before) = (100.0, 100.0);
        assert_eq!(htcp.back_off(&config), 0.8);
        htcp.on_loss(&config, &LossEvent { now: 9 * SECOND, ..loss(LossCause::Timeout, 1000) });
        assert_eq!((htcp.cwnd(), htcp.ssthresh(), htcp.beta), (1.0, 500.0, 0.5));
        assert_eq!(htcp.epoch, Some(9 * SECOND));
        assert_eq!(htcp.phase(&config, 20 * SECOND), Phase::SlowStart);
    }
}
