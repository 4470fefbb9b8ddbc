//! TCP Vegas (L. Brakmo and L. Peterson, 1995; ns-3, Linux tcp_vegas.c): a window that keeps a few segments
//! in queues.
//!
//! * Once per round trip the flow looks at diff, its segments that wait in queues: cwnd times
//!   `1 - base_rtt / rtt`, where rtt is the smallest delay of the round trip and base_rtt the smallest of
//!   all. Below `alpha` the window grows by a segment, above `beta` it shrinks by one, down to `min_window`;
//!   in between it stays (Brakmo and Peterson).
//! * A round trip ends with the acknowledgement of the first segment that left after it began. The delay of
//!   that acknowledgement belongs to the round trip that it ends (Linux calls `pkts_acked` before
//!   `cong_avoid`).
//! * A round trip with fewer than `min_samples` delays says nothing: standard TCP's growth, one segment.
//! * Slow start ends when diff exceeds `gamma`, with the window that would have left the queues empty and one
//!   segment more (Linux, ns-3). The authors' window doubled in every second round trip only, so that the
//!   delay of a round trip belonged to one window; the parameter `slow_start_rounds` has this.
//! * From then on ssthresh gives way to a window that falls to it: less of a window is no reason for slow
//!   start (Linux).
//! * Loss: ssthresh and cwnd are halved. Recovery suspends the rules; the first round trip after it begins
//!   afresh.
//! * Timeout: ssthresh is half the window and cwnd 1, or the rule of the study; base_rtt is kept.
//!
//! # Deviations
//!
//! * Losses are found as for all algorithms, not by the authors' fine-grained timers.
//! * Linux divides what waits by base_rtt rather than by rtt, which makes diff larger by the ratio of the
//!   two.
//! * In a round trip with few delays Linux grows by standard TCP's rule with the closing acknowledgement
//!   alone, by 1 / cwnd of a segment; here by one segment.
//! * Linux counts whole segments and begins with a new base_rtt after an idle time; here base_rtt is kept.

use crate::param::params;
use crate::window::MIN_SSTHRESH;
use crate::{
    AckEvent, Common, CongestionControl, IdleEvent, LossCause, LossEvent, Phase, Picos, ResumeStep, Start,
    Window, seconds,
};
use serde::{Deserialize, Serialize};

params! {
    /// Constants of Vegas.
    pub struct VegasConfig {
        common: Common,
        /// segments in queues below which the window grows
        alpha: number("segments", [0.0, 1e6], 2.0,
            "Linux tcp_vegas.c, ns-3 (Brakmo and Peterson 1995: 1 or 2)"),
        /// segments in queues above which the window shrinks
        beta: number("segments", [0.0, 1e6], 4.0,
            "Linux tcp_vegas.c, ns-3 (Brakmo and Peterson 1995: 3 or 4)"),
        /// segments in queues above which slow start ends
        gamma: number("segments", [0.0, 1e6], 1.0, "Brakmo and Peterson 1995; Linux tcp_vegas.c"),
        /// fewest delays of a round trip that decide about the window
        min_samples: count("1", [1, 1000], 3, "Linux tcp_vegas.c"),
        /// smallest window to which queues lead
        min_window: number("segments", [2.0, 1000.0], 2.0, "Linux tcp_vegas.c"),
        decrease: decrease("RFC 5681, section 3.1; Linux tcp_vegas.c"),
        /// slow start doubles the window in every round trip (1) or in every second one (2)
        slow_start_rounds: count("1", [1, 2], 1,
            "Linux tcp_vegas.c, ns-3 (Brakmo and Peterson 1995: 2)"),
    }
}

/// Vegas: the state of one flow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Vegas {
    window: Window,
    /// Smallest delay of the round trip under way, 0 before the first one.
    smallest: Picos,
    samples: u32,
    /// The round trip under way was free of recovery so far.
    whole: bool,
    /// Slow start leaves the round trip under way alone.
    resting: bool,
    /// The rules of standard TCP applied in the last round trip.
    standard: bool,
}

impl Vegas {
    /// A round trip is over.
    fn end_round(&mut self, config: &VegasConfig, ack: &AckEvent) {
        let may_grow = config.common.may_grow(ack);
        self.standard = self.samples < config.min_samples;
        if self.standard {
            if may_grow && !self.window.in_slow_start() {
                self.window.grow(&config.common, 1.0);
            }
            return;
        }
        let cwnd = self.window.cwnd();
        let diff = waiting(cwnd, ack.min_rtt, self.smallest);
        let base = cwnd - diff;
        if self.window.in_slow_start() {
            if diff > config.gamma {
                self.window.set(&config.common, (base + 1.0).max(config.min_window).min(cwnd));
                self.window.set_ssthresh(MIN_SSTHRESH);
            }
        } else if diff > config.beta {
            self.window.set(&config.common, (cwnd - 1.0).max(config.min_window).min(cwnd));
            self.window.set_ssthresh(self.window.ssthresh().min(self.window.cwnd()));
        } else if diff < config.alpha && may_grow {
            self.window.grow(&config.common, 1.0);
        }
    }
}

/// Segments of a window that wait in queues where a round trip without any takes `base` and now takes `rtt`:
/// diff.
fn waiting(cwnd: f64, base: Picos, rtt: Picos) -> f64 {
    cwnd - cwnd * (seconds(base) / seconds(rtt)).min(1.0)
}

impl CongestionControl for Vegas {
    type Params = VegasConfig;
    type Config = VegasConfig;

    const NAME: &'static str = "vegas";
    const TITLE: &'static str = "TCP Vegas";
    const SOURCE: &'static str = "Brakmo and Peterson, IEEE JSAC 13(8), 1995; Linux tcp_vegas.c";
    /// Queues end it.
    const SHARED_SLOW_START: bool = false;

    fn new(config: &VegasConfig, start: &Start) -> Self {
        Self {
            window: Window::new(&config.common, start),
            smallest: 0,
            samples: 0,
            whole: false,
            resting: false,
            standard: false,
        }
    }

    #[inline]
    fn on_ack(&mut self, config: &VegasConfig, ack: &AckEvent) {
        let slow_start = self.window.in_slow_start();
        // Before the round is closed: the delay of the acknowledgement that closes it belongs to it.
        if ack.rtt > 0 && !ack.in_recovery {
            self.smallest = if self.samples == 0 { ack.rtt } else { self.smallest.min(ack.rtt) };
            self.samples += 1;
        }
        if ack.round_start {
            if self.whole && !ack.in_recovery {
                self.end_round(config, ack);
            }
            (self.whole, self.samples, self.smallest) = (true, 0, 0);
            self.resting = config.slow_start_rounds == 2 && slow_start && !self.resting;
        }
        if ack.in_recovery {
            self.whole = false;
            return;
        }
        // Congestion avoidance has no growth by the acknowledgement.
        if slow_start && !self.resting && config.common.may_grow(ack) {
            self.window.grow_in_slow_start(&config.common, ack);
        }
    }

    fn on_idle(&mut self, config: &VegasConfig, idle: &IdleEvent) {
        self.window.restart(&config.common, idle);
    }

    fn on_resume(&mut self, config: &VegasConfig, step: &ResumeStep) {
        self.window.resume(&config.common, step);
    }

    fn on_loss(&mut self, config: &VegasConfig, loss: &LossEvent) {
        let basis = self.window.basis(&config.common, loss);
        self.window.back_off(&config.common, loss, basis * (1.0 - config.decrease), basis / 2.0);
        self.whole = false;
        if loss.cause == LossCause::Timeout {
            self.resting = false;
        }
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn phase(&self, _: &VegasConfig, _: Picos) -> Phase {
        if self.window.in_slow_start() {
            Phase::SlowStart
        } else if self.standard {
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
    use crate::{MILLISECOND, Preset, picos};

    const MS: Picos = MILLISECOND;
    const PRESETS: [Preset; 2] = [Preset::Standard, Preset::Sp500282];

    fn standard() -> VegasConfig {
        config::<Vegas>(Preset::Standard, &[])
    }

    /// A flow in congestion avoidance.
    fn flow(config: &VegasConfig, cwnd: f64) -> Vegas {
        Vegas::new(config, &start(cwnd, 2.0))
    }

    fn mark(base: Picos) -> AckEvent {
        AckEvent { acked: 0, min_rtt: base, round_start: true, ..acks(0) }
    }

    /// A round trip of delays `rtts` and the acknowledgement that begins the next one; returns the window.
    fn round(vegas: &mut Vegas, config: &VegasConfig, base: Picos, rtts: &[Picos]) -> f64 {
        if !vegas.whole {
            vegas.on_ack(config, &mark(base));
        }
        for &rtt in rtts {
            vegas.on_ack(config, &AckEvent { rtt, round_start: false, ..mark(base) });
        }
        vegas.on_ack(config, &mark(base));
        vegas.cwnd()
    }

    #[test]
    fn the_window_keeps_between_two_and_four_segments_in_queues() {
        for preset in PRESETS {
            let config = config::<Vegas>(preset, &[]);
            for (cwnd, base, rtt, next) in [
                (20.0, 100, 100, 21.0),
                (20.0, 100, 110, 21.0),
                (20.0, 100, 120, 20.0),
                (20.0, 100, 130, 19.0),
                (100.0, 162, 170, 99.0),
            ] {
                let mut vegas = flow(&config, cwnd);
                // The smallest delay counts.
                let window = round(&mut vegas, &config, base * MS, &[rtt * MS + 1, rtt * MS, 300 * MS]);
                assert_eq!(window, next, "{rtt} ms on a path of {base} ms");
                assert_eq!(vegas.phase(&config, 0), Phase::Alternate);
            }
        }
    }

    #[test]
    fn segments_that_wait_in_queues() {
        for (cwnd, base, rtt, diff) in [
            (20.0, 100, 100, 0.0),
            (20.0, 100, 110, 1.818),
            (20.0, 100, 120, 3.333),
            (20.0, 100, 130, 4.615),
            (100.0, 162, 170, 4.706),
        ] {
            assert_near(waiting(cwnd, base * MS, rtt * MS), diff, 5.1e-4);
        }
    }

    #[test]
    fn one_flow_on_a_long_path_keeps_two_to_four_segments_in_its_queue() {
        // 162 ms at 21 segments/ms: 3402 segments without a queue.
        let config = standard();
        for from in [3300.0, 3500.0] {
            let mut vegas = flow(&config, from);
            for _ in 0..300 {
                let rtt = picos(f64::max(0.162, vegas.cwnd() / 21_000.0));
                round(&mut vegas, &config, 162 * MS, &[rtt; 3]);
            }
            assert!((3404.0..=3406.0).contains(&vegas.cwnd()), "{}", vegas.cwnd());
        }
    }

    #[test]
    fn slow_start_ends_with_the_window_that_leaves_the_queues_empty() {
        for preset in PRESETS {
            let config = config::<Vegas>(preset, &[]);
            let mut vegas = Vegas::new(&config, &start(40.0, 1e9));
            // diff = 0.99 and 1.01.
            assert_eq!(round(&mut vegas, &config, 100 * MS, &[102_537 * MS / 1000; 3]), 40.0);
            assert_eq!(vegas.phase(&config, 0), Phase::SlowStart);
            let window = round(&mut vegas, &config, 100 * MS, &[125 * MS; 3]);
            assert_eq!((window, vegas.ssthresh()), (33.0, 2.0));
            assert_eq!(vegas.phase(&config, 0), Phase::Alternate);
        }
    }

    #[test]
    fn slow_start_doubles_in_every_round_trip_or_in_every_second_one() {
        for (rounds, windows) in
            [(1.0, [20.0, 40.0, 80.0, 160.0, 320.0]), (2.0, [10.0, 20.0, 20.0, 40.0, 40.0])]
        {
            let config = config::<Vegas>(Preset::Standard, &[("slow_start_rounds", rounds)]);
            let mut vegas = Vegas::new(&config, &start(10.0, 1e9));
            for window in windows {
                for i in 0..vegas.cwnd() as u32 {
                    let ack = AckEvent { acked: 1, rtt: 100 * MS, round_start: i == 0, ..mark(100 * MS) };
                    vegas.on_ack(&config, &ack);
                }
                assert_eq!(vegas.cwnd(), window);
            }
        }
    }

    #[test]
    fn less_of_a_window_is_no_reason_for_slow_start() {
        let config = standard();
        let mut vegas = flow(&config, 40.0);
        vegas.on_loss(&config, &loss(LossCause::FastRetransmit, 40));
        assert_eq!((vegas.cwnd(), vegas.ssthresh()), (20.0, 20.0));
        for window in [19.0, 18.0] {
            assert_eq!(round(&mut vegas, &config, 100 * MS, &[200 * MS; 3]), window);
            assert_eq!(vegas.phase(&config, 0), Phase::Alternate);
        }
        let mut vegas = flow(&config, 2.5);
        for _ in 0..3 {
            let window = round(&mut vegas, &config, MS, &[900 * MS; 3]);
            assert_eq!(window, if window < 2.5 { 2.0 } else { 2.5 }, "down to the smallest window");
        }
    }

    #[test]
    fn a_round_trip_of_few_delays_is_standard_tcps() {
        let config = standard();
        let mut vegas = flow(&config, 20.0);
        assert_eq!(round(&mut vegas, &config, 100 * MS, &[130 * MS; 2]), 21.0);
        assert_eq!(vegas.phase(&config, 0), Phase::Standard);
        assert_eq!(round(&mut vegas, &config, 100 * MS, &[130 * MS; 3]), 20.0);
        vegas.on_ack(&config, &AckEvent { cwnd_limited: false, ..mark(100 * MS) });
        assert_eq!(vegas.cwnd(), 20.0, "while something else limits the flow it does not grow");
    }

    #[test]
    fn the_closing_acknowledgement_belongs_to_the_round_trip_that_it_ends() {
        let config = standard();
        let mut vegas = flow(&config, 20.0);
        let mut round = |rtts: &[Picos], closing: Picos| {
            for rtt in rtts {
                vegas.on_ack(&config, &AckEvent { rtt: rtt * MS, round_start: false, ..mark(100 * MS) });
            }
            vegas.on_ack(&config, &AckEvent { rtt: closing * MS, ..mark(100 * MS) });
            (vegas.cwnd(), vegas.phase(&config, 0))
        };
        round(&[], 100); // Begins the first whole round trip.
        // diff of 20 segments: 4.6 at 130 ms, 3.3 at 120 ms; of 19: 3.2 at 120 ms, 4.4 at 130 ms, 0 at 100
        // ms.
        assert_eq!(round(&[130; 3], 130).0, 19.0);
        assert_eq!(round(&[130; 3], 120).0, 19.0, "old delays, but the first segment after the cut met less");
        assert_eq!(round(&[130; 3], 130).0, 18.0, "that delay does not count a second time");
        assert_eq!(round(&[100; 2], 100), (19.0, Phase::Alternate), "it is the third delay of two");
    }

    #[test]
    fn recovery_suspends_the_rules() {
        let config = standard();
        let mut vegas = flow(&config, 40.0);
        vegas.on_ack(&config, &mark(100 * MS));
        vegas.on_loss(&config, &loss(LossCause::FastRetransmit, 40));
        let rtt = AckEvent { rtt: 100 * MS, round_start: false, ..mark(100 * MS) };
        for _ in 0..3 {
            vegas.on_ack(&config, &AckEvent { in_recovery: true, ..rtt });
            vegas.on_ack(&config, &rtt);
        }
        vegas.on_ack(&config, &mark(100 * MS));
        assert_eq!(vegas.cwnd(), 20.0, "the round trip of the recovery");
        assert_eq!(round(&mut vegas, &config, 100 * MS, &[100 * MS; 3]), 21.0, "a fresh one");
    }

    #[test]
    fn a_time_out_halves_into_ssthresh() {
        for (preset, restart) in [(Preset::Standard, 1.0), (Preset::Sp500282, 2.0)] {
            let config = config::<Vegas>(preset, &[]);
            let mut vegas = Vegas::new(&config, &start(2.0, 40.0));
            (0..38).for_each(|_| vegas.on_ack(&config, &acks(1)));
            vegas.on_loss(&config, &loss(LossCause::Timeout, 40));
            assert_eq!((vegas.cwnd(), vegas.ssthresh()), (restart, 20.0));
            assert_eq!(vegas.phase(&config, 0), Phase::SlowStart);
        }
    }
}
