//! CUBIC (RFC 9438): the window is a cubic function of the time since the last congestion event.
//!
//! * Congestion avoidance: W(t) = C (t - K)^3 + W_max, where t is the time since the epoch began, with the first
//!   acknowledgement in congestion avoidance after a congestion event, W_max the window of that event and K the time
//!   that the flow needs to return to it. Every acknowledged segment covers `1 / cwnd` of the way to W(t + RTT), which
//!   counts as at least cwnd and at most `target_limit` cwnd (section 4.2).
//! * Reno-friendly region: where standard TCP with the same `beta` would have the larger window W_est, the flow has
//!   that (section 4.3). W_est grows by `3 (1 - beta) / (1 + beta)` per round trip, by 1 once it has reached the window
//!   of the last congestion event.
//! * Loss: ssthresh and cwnd become `beta` of the window; W_max is the window, or less where the flow had not reached
//!   its last W_max and makes room for newcomers (sections 4.6 and 4.7, fast convergence). A mark may lead to a window
//!   of 1 (section 4.6).
//! * Slow start that ends without a loss, and a timeout: the epoch begins with K = 0 and W_max = cwnd (sections 4.8
//!   and 4.10).
//! * Timeout: ssthresh is `beta` of the window, cwnd 1 (section 4.8), or the rule of the study.
//! * Time in which something else limits the flow does not count (section 5.8), unless windows grow regardless.
//!
//! RFC 9438 recommends HyStart++ but does not require it; slow start is a rule of the scenario.
//!
//! # Deviations
//!
//! The default is RFC 9438. Linux (tcp_cubic.c, 6.x) differs; each difference is a parameter:
//!
//! * `hystart` 3: HyStart with its rules of trains and of delays, in each slow start, also after a timeout. In Linux it
//!   belongs to CUBIC, and standard TCP has classic slow start; so it is a parameter of CUBIC, which takes the place of
//!   the slow start of the scenario for flows of CUBIC alone.
//! * `first_growth` 20: before the first loss, and after a timeout before the next loss, the window grows by at least
//!   a segment per 20 acknowledged.
//! * `alpha_one` 0: alpha stays what it is beyond the window of the last congestion event.
//! * `rtt_statistic` 1: the target looks ahead by the smallest round-trip time.
//! * `limited_time` 1: time in which something else limits the flow counts. Linux leaves out only time in which nothing
//!   is in flight, which does not occur here within a transfer.
//! * `whole_segments` 1: windows, ssthresh and W_max are whole segments, alpha is 8/15, beta 717/1024 and C 410/1024.
//!   The window grows by one segment per count of acknowledged ones; the count, at least 2, follows once per `tick` and
//!   at most every 1/32 s while the window stays. A flow that returns to its last W_max then ties with it, and fast
//!   convergence does not act. A mark leaves at least 2 segments. The smallest round-trip time is that since the last
//!   timeout, without those of the first second of an epoch.
//! * Linux starts reductions from cwnd: `transport.reduce_from`.
//! * Linux takes the cube root from a table, within 0.2 % of the exact one here.
//! * Linux undoes reductions that turn out to be spurious; here there is no reordering.
//! * ns-3 has beta 0.7, the smallest round-trip time and growth of at most a segment per 2 acknowledged. ns-2 runs an
//!   older Linux module: until 2.6.x CUBIC, with beta 0.8 and a limit of 16 segments per 100 ms, was another algorithm.

use crate::hystart::{Delay, HyStart, HyStartRules};
use crate::param::params;
use crate::whole_segments::{Credit, whole};
use crate::window::MIN_SSTHRESH;
use crate::{
    AckEvent, Codepoint, Common, CongestionControl, IdleEvent, LossCause, LossEvent, Phase, Picos, SECOND,
    SlowStart, Start, Window, seconds,
};
use serde::{Deserialize, Serialize};

params! {
    /// Constants of CUBIC.
    pub struct CubicParams {
        common: Common,
        /// how fast the cubic function grows
        c: number("segments/s^3", [0.001, 1000.0], 0.4, "RFC 9438, section 5.1"),
        /// part of the window kept after a loss
        beta: number("1", [0.01, 0.99], 0.7, Linux = 717.0 / 1024.0,
            "RFC 9438, section 4.6 (Linux: 717/1024)"),
        /// 1: a flow that lost below its last maximum aims lower; 0: at the window of its last loss
        fast_convergence: flag(true, "RFC 9438, section 4.7"),
        /// 1: the window is never smaller than standard TCP's would be; 0: the cubic function alone
        reno_friendly: flag(true, "RFC 9438, section 4.3"),
        /// largest target of one round trip, part of the window
        target_limit: number("1", [1.0, 1000.0], 1.5, "RFC 9438, section 4.2"),
        /// round-trip time by which the target looks ahead: 0 the smoothed one; 1 the smallest one
        rtt_statistic: choice(1, 0, Linux = 1, "RFC 9438, section 4.1.2 (Linux, ns-3: 1)"),
        /// 1: W_est grows by 1 per round trip from the window of the last congestion event on; 0: by alpha
        alpha_one: flag(true, Linux = false, "RFC 9438, section 4.3 (Linux tcp_cubic.c: 0)"),
        /// before the first loss the window grows by at least a segment per so many acknowledged; 0: no such
        /// rule
        first_growth: number("segments", [0.0, 1e6], 0.0, Linux = 20.0,
            "none in RFC 9438 (Linux tcp_cubic.c: 20)"),
        /// 1: time in which something else limits the flow counts; 0: it does not
        limited_time: flag(false, Linux = true,
            "RFC 9438, section 5.8 (Linux tcp_cubic.c, while something is in flight: 1)"),
        /// 1: windows grow and shrink by whole segments, in Linux's arithmetic; 0: real numbers
        whole_segments: flag(false, Linux = true, "RFC 9438 (Linux tcp_cubic.c: 1)"),
        /// resolution of the clock, used where whole_segments = 1
        tick: time([0.0001, 0.01], 0.001,
            "Linux with HZ = 1000 (chosen: kernels are built with 250, 300 and 1000)"),
        /// HyStart as in Linux: 0 none, slow start is that of the scenario; 1 trains; 2 delays; 3 both
        hystart: choice(3, 0, Linux = 3,
            "RFC 9438, section 4.10, leaves slow start open (Linux tcp_cubic.c: 3)"),
        /// HyStart: smallest window at which slow start ends
        hystart_low_window: number("segments", [0.0, 1e6], 16.0, "Linux tcp_cubic.c"),
        /// HyStart: longest time between two acknowledgements of a train
        hystart_ack_gap: time([0.0, 1.0], 0.002, "Linux tcp_cubic.c"),
        /// HyStart: most that the time of bursts adds to the round-trip time of which a train has half
        hystart_slack: time([0.0, 1.0], 0.001, "Linux tcp_cubic.c"),
        /// HyStart: segments of the largest burst, four of which make that time
        hystart_burst: number("segments", [0.0, 1e6], 45.0, "Linux: 65215 bytes of 1448 each"),
        /// HyStart: smallest growth of the round-trip time that ends slow start
        hystart_min_threshold: time([0.0, 10.0], 0.004, "Linux tcp_cubic.c"),
        /// HyStart: growth of the round-trip time that always ends slow start, unless the smallest one is
        /// larger
        hystart_max_threshold: time([0.0, 10.0], 0.016, "Linux tcp_cubic.c"),
        /// HyStart: between the two, growth by the smallest round-trip time over this ends slow start
        hystart_divisor: number("1", [1.0, 1e6], 8.0, "Linux tcp_cubic.c"),
        /// HyStart: round-trip times of a round before the next one may end slow start
        hystart_samples: count("1", [0, 255], 8, "Linux tcp_cubic.c"),
        ecn: ecn(1, "RFC 3168, section 6.1"),
    }
}

/// Constants of CUBIC, and what follows from them.
#[derive(Clone, Debug)]
pub struct CubicConfig {
    common: Common,
    c: f64,
    beta: f64,
    fast_convergence: bool,
    reno_friendly: bool,
    target_limit: f64,
    smallest_rtt: bool,
    /// Growth of W_est per round trip, segments (section 4.3), and beyond the window of the last congestion event.
    alpha: f64,
    alpha_beyond: f64,
    /// Most acknowledged segments per segment of growth before the first congestion event; infinite without that rule.
    first_growth: f64,
    /// Time in which something else limits the flow counts.
    limited_time: bool,
    /// HyStart as in Linux.
    hystart: Option<HyStartRules>,
    /// Linux's arithmetic.
    whole: Option<WholeRules>,
    codepoint: Codepoint,
}

impl From<CubicParams> for CubicConfig {
    fn from(p: CubicParams) -> Self {
        let alpha = 3.0 * (1.0 - p.beta) / (1.0 + p.beta);
        let hystart = (p.hystart > 0).then_some(HyStartRules {
            train: p.hystart & 1 != 0,
            delay: p.hystart & 2 != 0,
            low_window: p.hystart_low_window,
            ack_gap: p.hystart_ack_gap,
            slack: p.hystart_slack,
            burst: p.hystart_burst,
            min_threshold: p.hystart_min_threshold,
            max_threshold: p.hystart_max_threshold,
            divisor: p.hystart_divisor,
            samples: p.hystart_samples as u8,
        });
        let whole = p.whole_segments.then(|| {
            let kept = (1024.0 * p.beta).round() as u64;
            WholeRules {
                tick: p.tick,
                ticks_per_second: SECOND / p.tick,
                beta: kept,
                c: 10 * ((1024.0 * p.c / 10.0).round() as u64).max(1),
                eighths: (8 * (1024 + kept) / 3) / (1024 - kept),
                first_growth: if p.first_growth > 0.0 {
                    p.first_growth.round().max(1.0) as u32
                } else {
                    u32::MAX
                },
            }
        });
        Self {
            common: p.common,
            c: p.c,
            beta: p.beta,
            fast_convergence: p.fast_convergence,
            reno_friendly: p.reno_friendly,
            target_limit: p.target_limit,
            smallest_rtt: p.rtt_statistic == 1,
            alpha,
            alpha_beyond: if p.alpha_one { 1.0 } else { alpha },
            first_growth: if p.first_growth > 0.0 { p.first_growth } else { f64::INFINITY },
            limited_time: p.limited_time,
            hystart,
            whole,
            codepoint: p.ecn,
        }
    }
}

/// Constants of Linux's arithmetic.
#[derive(Clone, Debug)]
struct WholeRules {
    /// The clock's resolution, and its ticks per second.
    tick: Picos,
    ticks_per_second: u64,
    /// beta in 1/1024, and C in 1/1024 segments/s^3.
    beta: u64,
    c: u64,
    /// Acknowledged segments per growth of W_est by one, in eighths of the window.
    eighths: u64,
    /// Most acknowledged segments per segment of growth before the first congestion event.
    first_growth: u32,
}

impl WholeRules {
    /// K in 1/1024 s: the time to grow by `segments`.
    fn k(&self, segments: u32) -> u64 {
        libm::cbrt(((1_u64 << 40) / self.c) as f64 * f64::from(segments)) as u64
    }

    /// C d^3 for `d` in 1/1024 s, whole segments.
    fn cube(&self, d: u64) -> u32 {
        let d = u128::from(d);
        let segments = (u128::from(self.c) * d * d * d) >> 40;
        u32::try_from(segments).unwrap_or(u32::MAX)
    }

    /// The part of `window` that a loss leaves, times `of`/1024.
    fn part(&self, window: u32, of: u64) -> f64 {
        (u64::from(window) * of / 1024) as f64
    }
}

/// State of a flow in whole segments (bictcp_update of tcp_cubic.c).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Whole {
    credit: Credit,
    /// Acknowledged segments per segment of growth.
    per: u32,
    /// The window and the tick of the last update.
    cwnd: u32,
    tick: u64,
    /// Plateau of the cubic function, segments, and its time, 1/1024 s into the epoch.
    origin: u32,
    k: u64,
    /// Acknowledged segments since W_est last grew, and W_est.
    acked: u64,
    w_est: u64,
}

impl CubicConfig {
    /// K, seconds: the time to grow from `cwnd` to `w_max`.
    fn k(&self, w_max: f64, cwnd: f64) -> f64 {
        libm::cbrt((w_max - cwnd) / self.c)
    }

    /// W(t), segments, `t` seconds into an epoch.
    fn w_cubic(&self, t: f64, k: f64, w_max: f64) -> f64 {
        let d = t - k;
        self.c * d * d * d + w_max
    }

    /// The target of a flow with the window `cwnd` in the next round trip, which ends at W = `w_cubic`.
    fn target(&self, w_cubic: f64, cwnd: f64) -> f64 {
        w_cubic.min(self.target_limit * cwnd).max(cwnd)
    }
}

/// CUBIC: the state of one flow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Cubic {
    window: Window,
    /// Segments; 0 before the first congestion event and after a timeout.
    w_max: f64,
    /// The window of the last congestion event, or of the end of the first slow start; 0 before.
    cwnd_prior: f64,
    /// When the epoch began; none between a congestion event and the next acknowledgement in congestion avoidance.
    epoch: Option<Picos>,
    /// Since when something else limits the flow.
    idle: Option<Picos>,
    k: f64,
    w_est: f64,
    /// Standard TCP's window was the larger one when the window last changed.
    friendly: bool,
    /// No congestion event so far, or none since a timeout.
    fresh: bool,
    /// As Linux sees it: the smallest round-trip time, 0 before the first.
    delay_min: Picos,
    hystart: HyStart,
    whole: Whole,
}

impl Cubic {
    /// Linux: an acknowledgement before it makes the window grow (cubictcp_acked).
    #[cold]
    fn sample(&mut self, config: &CubicConfig, ack: &AckEvent) {
        if ack.round_start {
            self.hystart.end_round();
        }
        // Delays right after recovery do not count.
        let young = self.epoch.is_some_and(|epoch| ack.now.saturating_sub(epoch) < SECOND);
        if ack.rtt == 0 || young {
            return;
        }
        if self.delay_min == 0 || ack.rtt < self.delay_min {
            self.delay_min = ack.rtt;
        }
        let Some(rules) = &config.hystart else { return };
        let cwnd = self.window.cwnd();
        if self.window.in_slow_start() {
            let (now, rtt, smoothed) = (ack.now, ack.rtt, ack.srtt);
            let delay = Delay { now, rtt, smallest: self.delay_min, smoothed, cwnd };
            if self.hystart.finds_end(rules, &delay) {
                self.window.set_ssthresh(cwnd);
            }
        }
    }

    /// Linux: `acked` segments were acknowledged in congestion avoidance.
    #[cold]
    fn grow_whole(&mut self, config: &CubicConfig, rules: &WholeRules, now: Picos, acked: u32) {
        self.update_whole(config, rules, now, acked);
        let growth = self.whole.credit.take(self.whole.per.max(1), acked);
        self.window.grow(&config.common, f64::from(growth));
    }

    /// Linux: acknowledged segments per segment of growth.
    fn update_whole(&mut self, config: &CubicConfig, rules: &WholeRules, now: Picos, acked: u32) {
        let (cwnd, tick) = (whole(self.window.cwnd()), now / rules.tick);
        let w = &mut self.whole;
        w.acked += u64::from(acked);
        if w.cwnd == cwnd && tick - w.tick <= rules.ticks_per_second / 32 {
            return;
        }
        if self.epoch.is_none() || tick != w.tick {
            (w.cwnd, w.tick) = (cwnd, tick);
            let epoch = *self.epoch.get_or_insert_with(|| {
                (w.acked, w.w_est) = (u64::from(acked), u64::from(cwnd));
                let last_max = if self.w_max == 0.0 { 0 } else { whole(self.w_max) };
                w.origin = last_max.max(cwnd);
                w.k = if last_max <= cwnd { 0 } else { rules.k(last_max - cwnd) };
                now
            });
            let ahead = self.delay_min.div_ceil(rules.tick);
            let t = ((tick - epoch / rules.tick + ahead) << 10) / rules.ticks_per_second;
            let distance = rules.cube(t.abs_diff(w.k));
            let target =
                if t < w.k { w.origin.saturating_sub(distance) } else { w.origin.saturating_add(distance) };
            w.per = if target > cwnd { cwnd / (target - cwnd) } else { cwnd.saturating_mul(100) };
            if self.fresh {
                w.per = w.per.min(rules.first_growth);
            }
        }
        self.friendly = false;
        if config.reno_friendly {
            let each = (u64::from(cwnd) * rules.eighths / 8).max(1);
            if w.acked > each {
                let grown = (w.acked - 1) / each;
                w.acked -= grown * each;
                w.w_est += grown;
            }
            if w.w_est > u64::from(cwnd) {
                let per = u64::from(cwnd) / (w.w_est - u64::from(cwnd));
                self.friendly = per < u64::from(w.per);
                w.per = w.per.min(per as u32);
            }
        }
        w.per = w.per.max(2);
    }

    /// Seconds since the epoch began, which is now where none is under way; time that did not count is left out.
    fn elapsed(&mut self, config: &CubicConfig, now: Picos) -> f64 {
        let idle = self.idle.take().map_or(0, |since| now - since);
        let Some(epoch) = self.epoch else {
            self.begin_epoch(config, now);
            return 0.0;
        };
        self.epoch = Some(epoch + idle);
        seconds(now - epoch - idle)
    }

    fn begin_epoch(&mut self, config: &CubicConfig, now: Picos) {
        let cwnd = self.window.cwnd();
        self.epoch = Some(now);
        self.w_est = cwnd;
        if cwnd < self.w_max {
            self.k = config.k(self.w_max, cwnd);
        } else {
            (self.k, self.w_max) = (0.0, cwnd);
        }
        if self.cwnd_prior == 0.0 {
            self.cwnd_prior = cwnd;
        }
    }

    /// Grows after an acknowledged segment in congestion avoidance, `t` seconds into the epoch, at a round-trip time of
    /// `rtt` seconds.
    #[inline]
    fn grow(&mut self, config: &CubicConfig, t: f64, rtt: f64) {
        let cwnd = self.window.cwnd();
        let alpha = if self.w_est < self.cwnd_prior { config.alpha } else { config.alpha_beyond };
        self.w_est += alpha / cwnd;
        self.friendly = config.reno_friendly && config.w_cubic(t, self.k, self.w_max) < self.w_est;
        let increase = if self.friendly {
            (self.w_est - cwnd).max(0.0)
        } else {
            (config.target(config.w_cubic(t + rtt, self.k, self.w_max), cwnd) - cwnd) / cwnd
        };
        let least = if self.fresh { 1.0 / config.first_growth } else { 0.0 };
        self.window.grow(&config.common, increase.max(least));
    }
}

impl CongestionControl for Cubic {
    type Params = CubicParams;
    type Config = CubicConfig;

    const NAME: &'static str = "cubic";
    const TITLE: &'static str = "CUBIC";
    const SOURCE: &'static str = "RFC 9438";

    fn codepoint(config: &CubicConfig) -> Codepoint {
        config.codepoint
    }

    fn new(config: &CubicConfig, start: &Start) -> Self {
        // HyStart of Linux begins with classic slow start.
        let slow_start = if config.hystart.is_some() { SlowStart::Classic } else { start.slow_start };
        Self {
            window: Window::new(&config.common, &Start { slow_start, ..*start }),
            w_max: 0.0,
            cwnd_prior: 0.0,
            epoch: None,
            idle: None,
            k: 0.0,
            w_est: 0.0,
            friendly: false,
            fresh: true,
            delay_min: 0,
            hystart: HyStart::new(start.now),
            whole: Whole::default(),
        }
    }

    #[inline]
    fn on_ack(&mut self, config: &CubicConfig, ack: &AckEvent) {
        if config.hystart.is_some() || config.whole.is_some() {
            self.sample(config, ack);
        }
        if !config.common.may_grow(ack) {
            if !ack.in_recovery && !config.limited_time {
                self.idle.get_or_insert(ack.now);
            }
            return;
        }
        let left = self.window.grow_in_slow_start(&config.common, ack);
        if left == 0 {
            self.idle = None;
            return;
        }
        if let Some(rules) = &config.whole {
            if let (Some(since), Some(epoch)) = (self.idle.take(), self.epoch) {
                self.epoch = Some(epoch + (ack.now - since));
            }
            self.grow_whole(config, rules, ack.now, left);
            return;
        }
        let t = self.elapsed(config, ack.now);
        let rtt = seconds(if config.smallest_rtt { ack.min_rtt } else { ack.srtt });
        for _ in 0..left {
            self.grow(config, t, rtt);
        }
    }

    fn on_idle(&mut self, config: &CubicConfig, idle: &IdleEvent) {
        self.window.restart(&config.common, idle);
        // RFC 9438, section 5.8; Linux, cubictcp_cwnd_event: idle time does not count. What is left out already is not left out twice.
        if self.idle.is_none()
            && let Some(epoch) = &mut self.epoch
        {
            *epoch = (*epoch + idle.idle).min(idle.now);
        }
    }

    fn on_loss(&mut self, config: &CubicConfig, loss: &LossEvent) {
        let cwnd = self.window.cwnd();
        let basis = self.window.basis(&config.common, loss);
        let (mut reduced, mut lowered) = (basis * config.beta, cwnd * (1.0 + config.beta) / 2.0);
        let mut before = cwnd;
        if let Some(rules) = &config.whole {
            before = cwnd.floor();
            reduced = rules.part(whole(basis), rules.beta);
            lowered = (rules.part(whole(cwnd), 1024 + rules.beta) / 2.0).floor();
        }
        self.window.back_off(&config.common, loss, reduced, reduced);
        match loss.cause {
            LossCause::Timeout => {
                (self.w_max, self.fresh, self.delay_min) = (0.0, true, 0);
                (self.hystart, self.whole) = (HyStart::new(loss.now), Whole::default());
            }
            LossCause::FastRetransmit | LossCause::Ecn => {
                let lower = config.fast_convergence && before < self.w_max;
                self.w_max = if lower { lowered } else { before };
                self.fresh = false;
                self.whole.credit.clear();
            }
        }
        if loss.cause != LossCause::Timeout || loss.first_timeout {
            self.cwnd_prior = cwnd;
        }
        if loss.cause == LossCause::Ecn && reduced < MIN_SSTHRESH && config.whole.is_none() {
            self.window.set(&config.common, reduced);
        }
        (self.epoch, self.idle) = (None, None);
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn phase(&self, _: &CubicConfig, _: Picos) -> Phase {
        if self.window.in_slow_start() {
            Phase::SlowStart
        } else if self.friendly {
            Phase::Standard
        } else {
            Phase::Alternate
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{acks, assert_near, config, loss, start};
    use crate::{MILLISECOND, Preset, SECOND, picos};

    const PRESETS: [Preset; 2] = [Preset::Standard, Preset::Sp500282];

    fn standard() -> CubicConfig {
        config::<Cubic>(Preset::Standard, &[])
    }

    /// A flow in congestion avoidance whose last congestion event left `cwnd` of `w_max`.
    fn flow(config: &CubicConfig, cwnd: f64, w_max: f64) -> Cubic {
        Cubic { w_max, cwnd_prior: w_max, ..Cubic::new(config, &start(cwnd, 2.0)) }
    }

    fn ack(now: Picos, rtt: Picos) -> AckEvent {
        AckEvent { now, rtt, srtt: rtt, min_rtt: rtt, ..acks(1) }
    }

    #[test]
    fn the_cubic_function() {
        #[rustfmt::skip]
        let vectors = [
            // W_max, window, K, W(1), W(K / 2), W(K + 1), W(2 K)
            (100.0, 70.0, 4.217163, 86.6808, 96.25, 100.4, 130.0),
            (1000.0, 700.0, 9.085603, 788.5551, 962.5, 1000.4, 1300.0),
            (3402.0, 2381.4, 13.664650, 2589.4696, 3274.425, 3402.4, 4422.6),
            (4082.0, 2857.4, 14.520384, 3093.3854, 3928.925, 4082.4, 5306.6),
            (10000.0, 7000.0, 19.574338, 7436.6965, 9625.0, 10000.4, 13000.0),
        ];
        for preset in PRESETS {
            let config = config::<Cubic>(preset, &[]);
            for (w_max, cwnd, expected, after_1, half, one_more, twice) in vectors {
                let k = config.k(w_max, cwnd);
                assert_near(k, expected, 5.1e-7);
                assert_near(config.w_cubic(0.0, k, w_max), cwnd, 1e-9);
                assert_near(config.w_cubic(1.0, k, w_max), after_1, 5.1e-5);
                assert_near(config.w_cubic(k / 2.0, k, w_max), half, 1e-9);
                assert_near(config.w_cubic(k + 1.0, k, w_max), one_more, 1e-9);
                assert_near(config.w_cubic(2.0 * k, k, w_max), twice, 1e-9);
            }
        }
    }

    #[test]
    fn one_acknowledgement_covers_its_part_of_the_way_to_the_target() {
        for preset in PRESETS {
            let config = config::<Cubic>(preset, &[]);
            let mut cubic = flow(&config, 70.0, 100.0);
            cubic.on_ack(&config, &ack(3 * SECOND, 100 * MILLISECOND));
            assert_eq!((cubic.epoch, cubic.friendly), (Some(3 * SECOND), true), "W(0) = cwnd < W_est");
            // The cubic function alone.
            let alone = self::config::<Cubic>(preset, &[("reno_friendly", 0.0)]);
            let mut cubic = flow(&alone, 70.0, 100.0);
            cubic.on_ack(&alone, &ack(3 * SECOND, 100 * MILLISECOND));
            assert_near(alone.w_cubic(0.1, cubic.k, 100.0), 72.0839, 5.1e-5);
            assert_near(cubic.cwnd() - 70.0, 0.029770, 5.1e-7);
            assert!(!cubic.friendly);
        }
    }

    #[test]
    fn the_target_is_at_least_the_window_and_at_most_half_as_much_again() {
        let config = standard();
        for (w_cubic, target) in [(90.0, 100.0), (120.0, 120.0), (150.0, 150.0), (151.0, 150.0)] {
            assert_eq!(config.target(w_cubic, 100.0), target);
        }
    }

    #[test]
    fn the_window_of_standard_tcp_with_the_same_decrease() {
        for preset in PRESETS {
            let config = config::<Cubic>(preset, &[]);
            assert_near(config.alpha, 0.529412, 5.1e-7);
            let mut cubic = flow(&config, 70.0, 100.0);
            cubic.begin_epoch(&config, 0);
            for _ in 0..70 {
                // The window stays at 70: only W_est moves.
                cubic.grow(&config, 0.0, 0.0);
                cubic.window.set(&config.common, 70.0);
            }
            assert_near(cubic.w_est, 70.5294, 5.1e-5);
            // From the window of the last congestion event on it grows like standard TCP's.
            cubic.w_est = 100.0;
            cubic.grow(&config, 0.0, 0.0);
            assert_eq!(cubic.w_est, 100.0 + 1.0 / 70.0);
            assert_eq!(cubic.cwnd(), cubic.w_est, "in the Reno-friendly region the window is W_est");
            assert_eq!(cubic.phase(&config, 0), Phase::Standard);
        }
    }

    #[test]
    fn one_loss() {
        for preset in PRESETS {
            let config = config::<Cubic>(preset, &[]);
            for (cwnd, w_max, next_max, reduced) in
                [(4082.0, 0.0, 4082.0, 2857.4), (90.0, 100.0, 76.5, 63.0), (100.0, 90.0, 100.0, 70.0)]
            {
                let mut cubic = flow(&config, cwnd, w_max);
                cubic.on_loss(&config, &loss(LossCause::FastRetransmit, cwnd as u32));
                assert_near(cubic.w_max, next_max, 1e-9);
                assert_near(cubic.cwnd(), reduced, 1e-9);
                assert_eq!((cubic.ssthresh(), cubic.cwnd_prior), (cubic.cwnd(), cwnd));
            }
        }
        let without = config::<Cubic>(Preset::Standard, &[("fast_convergence", 0.0)]);
        let mut cubic = flow(&without, 90.0, 100.0);
        cubic.on_loss(&without, &loss(LossCause::FastRetransmit, 90));
        assert_eq!(cubic.w_max, 90.0);
    }

    #[test]
    fn a_mark_may_lead_to_a_window_of_one() {
        let config = standard();
        for (cause, cwnd) in [(LossCause::Ecn, 1.4), (LossCause::FastRetransmit, 2.0)] {
            let mut cubic = flow(&config, 2.0, 0.0);
            cubic.on_loss(&config, &loss(cause, 2));
            assert_eq!((cubic.cwnd(), cubic.ssthresh()), (cwnd, 2.0));
        }
    }

    #[test]
    fn a_reduction_starts_from_the_flight_and_the_maximum_from_the_window() {
        for (preset, reduced) in [(Preset::Standard, 56.0), (Preset::Sp500282, 70.0)] {
            let config = config::<Cubic>(preset, &[]);
            let mut cubic = flow(&config, 100.0, 0.0);
            cubic.on_loss(&config, &loss(LossCause::FastRetransmit, 80));
            assert_near(cubic.cwnd(), reduced, 1e-9);
            assert_eq!(cubic.w_max, 100.0);
        }
    }

    #[test]
    fn the_epoch_after_slow_start_begins_on_the_plateau() {
        let config = standard();
        // Ended by ssthresh.
        let mut cubic = Cubic::new(&config, &start(10.0, 12.0));
        cubic.on_ack(&config, &AckEvent { acked: 2, ..ack(SECOND, MILLISECOND) });
        assert_eq!((cubic.cwnd(), cubic.epoch), (12.0, None));
        cubic.on_ack(&config, &ack(2 * SECOND, MILLISECOND));
        assert_eq!(
            (cubic.k, cubic.w_max, cubic.cwnd_prior, cubic.epoch),
            (0.0, 12.0, 12.0, Some(2 * SECOND))
        );
        // After a timeout.
        let mut cubic = flow(&config, 100.0, 120.0);
        cubic.on_loss(&config, &loss(LossCause::Timeout, 100));
        assert_eq!((cubic.cwnd(), cubic.ssthresh(), cubic.cwnd_prior), (1.0, 70.0, 100.0));
        assert_eq!(cubic.phase(&config, 0), Phase::SlowStart);
        cubic.on_loss(&config, &LossEvent { first_timeout: false, ..loss(LossCause::Timeout, 1) });
        assert_eq!((cubic.ssthresh(), cubic.cwnd_prior), (70.0, 100.0), "a repeated expiry is no news");
        for _ in 0..69 {
            cubic.on_ack(&config, &ack(SECOND, MILLISECOND));
        }
        assert_eq!(cubic.cwnd(), 70.0);
        cubic.on_ack(&config, &ack(2 * SECOND, MILLISECOND));
        assert_eq!((cubic.k, cubic.w_max, cubic.epoch), (0.0, 70.0, Some(2 * SECOND)));
        let mut cubic = Cubic::new(&study(), &start(2.0, 100.0));
        cubic.on_ack(&study(), &acks(98));
        cubic.on_loss(&study(), &loss(LossCause::Timeout, 100));
        assert_eq!(
            (cubic.cwnd(), cubic.ssthresh()),
            (2.0, 70.0),
            "the study restarts from the initial window"
        );
    }

    fn study() -> CubicConfig {
        config::<Cubic>(Preset::Sp500282, &[])
    }

    #[test]
    fn time_in_which_something_else_limits_the_flow_does_not_count() {
        let run = |config: &CubicConfig, pause: Picos| {
            let mut cubic = flow(config, 700.0, 1000.0);
            let rtt = 100 * MILLISECOND;
            for i in 0..2000_u64 {
                let paused = if i < 1000 { 0 } else { pause };
                cubic.on_ack(config, &ack(i * MILLISECOND + paused, rtt));
                if i == 999 {
                    let idle = AckEvent { cwnd_limited: false, ..ack(SECOND, rtt) };
                    cubic.on_ack(config, &idle);
                }
            }
            cubic.cwnd()
        };
        assert_eq!(run(&standard(), 5 * SECOND), run(&standard(), 0));
        assert!(run(&study(), 5 * SECOND) > run(&study(), 0) + 10.0);
    }

    #[test]
    fn the_window_follows_the_cubic_function() {
        for (rtt, tolerance) in [(0.01, 0.1), (0.1, 1.0)] {
            let config = config::<Cubic>(Preset::Standard, &[("reno_friendly", 0.0)]);
            let mut cubic = flow(&config, 700.0, 1000.0);
            let mut now = 0.0;
            for t in [1.0, 5.0, 9.085603, 15.0] {
                while now < t {
                    cubic.on_ack(&config, &ack(picos(now), picos(rtt)));
                    now += rtt / cubic.cwnd();
                }
                assert_near(cubic.cwnd(), config.w_cubic(t, cubic.k, 1000.0), tolerance);
            }
        }
    }

    #[test]
    fn the_target_looks_ahead_by_the_smoothed_or_the_smallest_round_trip_time() {
        for (statistic, rtt) in [(0.0, 0.3), (1.0, 0.1)] {
            let changes = [("rtt_statistic", statistic), ("reno_friendly", 0.0)];
            let config = config::<Cubic>(Preset::Standard, &changes);
            let mut cubic = flow(&config, 70.0, 100.0);
            let (srtt, min_rtt) = (300 * MILLISECOND, 100 * MILLISECOND);
            cubic.on_ack(&config, &AckEvent { srtt, min_rtt, ..acks(1) });
            let target = config.w_cubic(rtt, config.k(100.0, 70.0), 100.0);
            assert_near(cubic.cwnd(), 70.0 + (target - 70.0) / 70.0, 1e-12);
        }
    }

    const LINUX: [(&str, f64); 6] = [
        ("whole_segments", 1.0),
        ("first_growth", 20.0),
        ("alpha_one", 0.0),
        ("rtt_statistic", 1.0),
        ("limited_time", 1.0),
        ("hystart", 3.0),
    ];

    fn linux() -> CubicConfig {
        let config = config::<Cubic>(Preset::Sp500282, &LINUX);
        let rules = config.whole.as_ref().expect("whole segments");
        assert_eq!((rules.beta, rules.c, rules.eighths), (717, 410, 15));
        config
    }

    #[test]
    fn linux_reduces_in_whole_segments() {
        let config = linux();
        // 717/1024 of the window; 1741/2048 of it below the last maximum; a tie is not below.
        for (cwnd, w_max, next_max, reduced) in [
            (100.0, 0.0, 100.0, 70.0),
            (90.0, 100.0, 76.0, 63.0),
            (77.0, 76.0, 77.0, 53.0),
            (76.0, 76.0, 76.0, 53.0),
            (2.0, 3.0, 1.0, 2.0),
        ] {
            let mut cubic = flow(&config, cwnd, w_max);
            cubic.on_loss(&config, &loss(LossCause::FastRetransmit, cwnd as u32));
            assert_eq!((cubic.w_max, cubic.cwnd(), cubic.ssthresh()), (next_max, reduced, reduced));
        }
        let mut cubic = flow(&config, 2.0, 0.0);
        cubic.on_loss(&config, &loss(LossCause::Ecn, 2));
        assert_eq!(cubic.cwnd(), 2.0, "not less for a mark");
    }

    #[test]
    fn linux_grows_by_whole_segments_towards_the_cubic_function() {
        let config = linux();
        // From 70 to 100 with C = 410/1024: K^3 = 30 (2^40 / 410 truncated), K = 4316/1024 s. Ahead by 100 ms, that is
        // 102/1024 s, the function is 410 (4214)^3 / 2^40 = 27 segments below 100: 3 segments for 70 acknowledged, so
        // one for 23.
        let rules = config.whole.as_ref().expect("whole segments");
        assert_eq!((rules.k(30), rules.cube(4214)), (4316, 27));
        let mut cubic = Cubic { fresh: false, ..flow(&config, 70.0, 100.0) };
        for acked in 1..=23 {
            assert_eq!(cubic.cwnd(), 70.0, "{acked}");
            cubic.on_ack(&config, &ack(3 * SECOND, 100 * MILLISECOND));
        }
        assert_eq!((cubic.cwnd(), cubic.whole.per), (71.0, 23));
        // Far below the maximum one for each two: 10 acknowledgements from 10.
        let mut cubic = Cubic { fresh: false, ..flow(&config, 10.0, 1000.0) };
        for _ in 0..10 {
            cubic.on_ack(&config, &ack(3 * SECOND, 100 * MILLISECOND));
        }
        assert_eq!((cubic.cwnd(), cubic.whole.per), (15.0, 2));
    }

    #[test]
    fn linux_grows_by_a_segment_per_twenty_before_the_first_loss() {
        let config = linux();
        let mut cubic = flow(&config, 76.0, 0.0);
        for _ in 0..40 {
            cubic.on_ack(&config, &ack(SECOND, 40 * MILLISECOND));
        }
        assert_eq!(cubic.cwnd(), 78.0);
        // In real numbers 1/20 of a segment for each.
        let changes = [("first_growth", 20.0), ("reno_friendly", 0.0)];
        let real = self::config::<Cubic>(Preset::Sp500282, &changes);
        let mut cubic = flow(&real, 76.0, 0.0);
        cubic.on_ack(&real, &ack(SECOND, 40 * MILLISECOND));
        assert_eq!(cubic.cwnd(), 76.05);
        cubic.on_loss(&real, &loss(LossCause::FastRetransmit, 76));
        cubic.window.set(&real.common, 76.05);
        cubic.on_ack(&real, &ack(2 * SECOND, 40 * MILLISECOND));
        assert!(cubic.cwnd() < 76.06, "not after it");
    }

    #[test]
    fn linux_emulates_standard_tcp_in_eighths_of_the_window() {
        let changes: Vec<_> = LINUX.into_iter().filter(|c| c.0 != "first_growth").collect();
        let config = config::<Cubic>(Preset::Sp500282, &changes);
        // At 76 segments W_est grows once per 76 x 15 / 8 = 142 acknowledged. The count follows every 32 ms while the
        // window stays: one acknowledgement each millisecond, so with the 161st.
        let mut cubic = flow(&config, 76.0, 0.0);
        for ms in 0..=160 {
            assert_eq!((cubic.cwnd(), cubic.friendly), (76.0, false), "{ms}");
            cubic.on_ack(&config, &ack(SECOND + ms * MILLISECOND, 40 * MILLISECOND));
        }
        assert_eq!((cubic.cwnd(), cubic.whole.w_est, cubic.friendly), (77.0, 77, true));
    }

    #[test]
    fn linux_keeps_alpha_beyond_the_window_of_the_last_loss() {
        for (alpha_one, growth) in [(1.0, 1.0), (0.0, 0.9 / 1.7)] {
            let config = config::<Cubic>(Preset::Standard, &[("alpha_one", alpha_one)]);
            let mut cubic = Cubic { w_est: 100.0, ..flow(&config, 70.0, 100.0) };
            cubic.grow(&config, 0.0, 0.0);
            assert_near(cubic.w_est - 100.0, growth / 70.0, 1e-12);
        }
    }

    /// Rounds of 40 ms of a flow whose receiver acknowledges every second segment of a path of 20 Mb/s, 1.2 ms apart;
    /// whether slow start ended in `rounds` of them.
    fn slow_start(cubic: &mut Cubic, config: &CubicConfig, from: Picos, rounds: u64) -> bool {
        for round in 0..rounds {
            for i in 0..cubic.cwnd() as u64 / 2 {
                let now = from + round * 40 * MILLISECOND + i * 1200 * MILLISECOND / 1000;
                let ack = AckEvent { acked: 2, round_start: i == 0, ..ack(now, 40 * MILLISECOND) };
                cubic.on_ack(config, &ack);
                if !cubic.window.in_slow_start() {
                    return true;
                }
            }
        }
        false
    }

    #[test]
    fn linux_leaves_slow_start_by_the_length_of_a_train() {
        let config = linux();
        let hystart = SlowStart::HyStart(crate::slow_start::HyStart::default());
        let mut cubic = Cubic::new(&config, &Start { slow_start: hystart, ..start(10.0, 1e9) });
        // 10, 20, 40 and then 18 acknowledgements of 2: after 21.6 ms, more than (40 + 1) / 2.
        assert!(slow_start(&mut cubic, &config, SECOND, 3));
        assert_eq!((cubic.cwnd(), cubic.ssthresh()), (76.0, 76.0));
        assert_eq!(cubic.phase(&config, 0), Phase::Alternate);
        // After a timeout again, with fresh delays.
        cubic.on_loss(&config, &loss(LossCause::Timeout, 76));
        assert_eq!((cubic.ssthresh(), cubic.delay_min), (53.0, 0));
        cubic.window.set_ssthresh(1e9);
        cubic.window.set(&config.common, 40.0);
        assert!(slow_start(&mut cubic, &config, 3 * SECOND, 1));
        assert_eq!((cubic.cwnd(), cubic.ssthresh()), (76.0, 76.0));
        // Without the rule it goes on.
        let config = self::config::<Cubic>(Preset::Sp500282, &[("hystart", 2.0)]);
        let mut cubic = Cubic::new(&config, &start(10.0, 1e9));
        assert!(!slow_start(&mut cubic, &config, SECOND, 3));
        assert_eq!(cubic.cwnd(), 80.0);
    }

    #[test]
    fn linux_counts_time_in_which_something_else_limits_the_flow() {
        for (limited_time, counts) in [(0.0, false), (1.0, true)] {
            let config = config::<Cubic>(Preset::Standard, &[("limited_time", limited_time)]);
            let mut cubic = flow(&config, 70.0, 100.0);
            cubic.on_ack(&config, &ack(SECOND, 100 * MILLISECOND));
            cubic.on_ack(&config, &AckEvent { cwnd_limited: false, ..ack(SECOND, 100 * MILLISECOND) });
            cubic.on_ack(&config, &ack(5 * SECOND, 100 * MILLISECOND));
            assert_eq!(cubic.epoch, Some(if counts { SECOND } else { 5 * SECOND }));
        }
    }
}
