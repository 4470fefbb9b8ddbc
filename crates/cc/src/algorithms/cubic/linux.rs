//! CUBIC as Linux computes it (tcp_cubic.c, 6.x): windows in whole segments, and HyStart in each slow start.

use super::constants::CubicParams;
use super::{Cubic, CubicConfig, Reduction};
use crate::hystart::{Delay, HyStartRules};
use crate::whole_segments::{Credit, whole};
use crate::{AckEvent, Picos, SECOND};
use serde::{Deserialize, Serialize};

/// Constants of Linux's arithmetic.
#[derive(Clone, Debug)]
pub(super) struct WholeRules {
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
    pub(super) fn new(p: &CubicParams) -> Self {
        let kept = (1024.0 * p.beta).round() as u64;
        Self {
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
    }

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

    /// Returns the window `cwnd` after a loss, the reduction starting from `basis`.
    pub(super) fn reduction(&self, cwnd: f64, basis: f64) -> Reduction {
        Reduction {
            reduced: self.part(whole(basis), self.beta),
            w_max: cwnd.floor(),
            lowered: (self.part(whole(cwnd), 1024 + self.beta) / 2.0).floor(),
        }
    }
}

/// HyStart of a scenario with some of it.
pub(super) fn hystart(p: &CubicParams) -> HyStartRules {
    HyStartRules {
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
    }
}

/// State of a flow in whole segments (bictcp_update of tcp_cubic.c).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Whole {
    pub(super) credit: Credit,
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

impl Cubic {
    /// Linux: an acknowledgement before it makes the window grow (cubictcp_acked).
    #[cold]
    pub(super) fn sample(&mut self, config: &CubicConfig, ack: &AckEvent) {
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
    pub(super) fn grow_whole(&mut self, config: &CubicConfig, rules: &WholeRules, now: Picos, acked: u32) {
        if let (Some(since), Some(epoch)) = (self.idle.take(), self.epoch) {
            self.epoch = Some(epoch + (now - since));
        }
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
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ack, flow};
    use super::*;
    use crate::testing::{config, loss, start};
    use crate::{CongestionControl, LossCause, MILLISECOND, Phase, Preset, SlowStart, Start};

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

    /// Rounds of 40 ms of a flow whose receiver acknowledges every second segment of a path of 20 Mb/s, 1.2
    /// ms apart; whether slow start ended in `rounds` of them.
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
    fn reduces_in_whole_segments() {
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
    fn grows_by_whole_segments_towards_the_cubic_function() {
        let config = linux();
        // From 70 to 100 with C = 410/1024: K^3 = 30 (2^40 / 410 truncated), K = 4316/1024 s. Ahead by 100
        // ms, that is 102/1024 s, the function is 410 (4214)^3 / 2^40 = 27 segments below 100: 3 segments for
        // 70 acknowledged, so one for 23.
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
    fn grows_by_a_segment_per_twenty_before_the_first_loss() {
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
    fn emulates_standard_tcp_in_eighths_of_the_window() {
        let changes: Vec<_> = LINUX.into_iter().filter(|c| c.0 != "first_growth").collect();
        let config = config::<Cubic>(Preset::Sp500282, &changes);
        // At 76 segments W_est grows once per 76 x 15 / 8 = 142 acknowledged. The count follows every 32 ms
        // while the window stays: one acknowledgement each millisecond, so with the 161st.
        let mut cubic = flow(&config, 76.0, 0.0);
        for ms in 0..=160 {
            assert_eq!((cubic.cwnd(), cubic.friendly), (76.0, false), "{ms}");
            cubic.on_ack(&config, &ack(SECOND + ms * MILLISECOND, 40 * MILLISECOND));
        }
        assert_eq!((cubic.cwnd(), cubic.whole.w_est, cubic.friendly), (77.0, 77, true));
    }

    #[test]
    fn leaves_slow_start_by_the_length_of_a_train() {
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
}
