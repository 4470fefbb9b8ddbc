//! Compound TCP (K. Tan, J. Song, Q. Zhang and M. Sridharan, INFOCOM 2006): standard TCP plus a window that
//! grows while there is no queue.
//!
//! * The window is the sum of a loss window and a delay window. Congestion avoidance: `1 / window` per
//!   acknowledged segment to the loss window, so one segment per round trip (Tan et al.).
//! * Once per round trip the delay window looks at diff, the segments of the flow that wait in queues: the
//!   window times `1 - base_rtt / rtt`. Below `gamma` it grows by `alpha window^exponent - 1`; otherwise it
//!   gives up `zeta diff` (Tan et al.). Below `low_window` there is none.
//! * A round trip counts if it was free of recovery and gave `min_samples` delays (L. Andrew's Linux
//!   implementation 1.3). The delay is its smallest one; the parameter `rtt_statistic` has the other
//!   readings.
//! * A round trip ends with the acknowledgement of the first segment that left after it began. The delay of
//!   that acknowledgement belongs to the round trip that it ends (Linux implementation: `pkts_acked` is
//!   called before `cong_avoid`). After a cut that segment is the only one that met the shorter queue;
//!   without it the flow would cut once more for the queue of the window before the cut.
//! * Loss: the loss window is halved, and the delay window keeps what is missing to `1 - decrease` of their
//!   sum (Tan et al.). Timeout: no delay window; ssthresh is half the window and cwnd 1, or the rule of the
//!   study.
//! * Slow start, without a delay window, ends for good when the window reaches ssthresh, until a timeout: a
//!   delay window that yields to a queue is no reason to return to it (assumed: sources are silent).
//! * Gamma tuning: gamma follows `tuned_part` of what standard TCP's share of the flow kept in queues before
//!   each loss (draft-sridharan-tcpm-ctcp-02). The study's gamma is fixed.
//!
//! # Deviations
//!
//! * The Linux implementations take for the window of diff and of the growth what was acknowledged in the
//!   round trip; here, as in Tan et al., it is the window.
//! * draft-sridharan-tcpm-ctcp-02 has an exponent of 0.8, ns-3 a `zeta` of 0.03 and the smoothed round-trip
//!   time: all parameters. ns-2 runs a Linux module with its gamma fixed.
//! * Linux counts whole segments.
//!
//! Nothing bounds the delay window of a flow that its interface limits unless windows must be used to grow,
//! as the study observed; `max_delay_window` can.

use crate::param::params;
use crate::window::MIN_SSTHRESH;
use crate::{
    AckEvent, Common, CongestionControl, IdleEvent, LossCause, LossEvent, Phase, Picos, ResumeStep, Start,
    Window, seconds,
};
use serde::{Deserialize, Serialize};

params! {
    /// Constants of Compound TCP.
    pub struct CtcpConfig {
        common: Common,
        /// smallest window with a delay window
        low_window: number("segments", [0.0, 1e9], 38.0, Sp500282 = 41.0,
            "Linux implementation 1.3; Tan et al. 2006 and NIST SP 500-282, chapter 10"),
        /// coefficient of the growth of the delay window per round trip
        alpha: number("1", [0.0, 1000.0], 0.125, "Tan et al. 2006"),
        /// exponent of the growth of the delay window per round trip
        exponent: number("1", [0.0, 1.0], 0.75, "Tan et al. 2006 (draft-sridharan-tcpm-ctcp-02: 0.8)"),
        /// part of the window given up after a loss, where the delay window can give it
        decrease: number("1", [0.01, 0.99], 0.5, "Tan et al. 2006; NIST SP 500-282, chapter 10"),
        /// part of the segments in queues that the delay window gives up per round trip
        zeta: number("1", [0.0, 1000.0], 1.0, "Tan et al. 2006; Linux implementation 1.3 (ns-3: 0.03)"),
        /// segments in queues from which the delay window yields; with gamma tuning, before the first loss
        gamma: number("segments", [0.01, 1e6], 30.0, "Tan et al. 2006"),
        /// 1: gamma follows the queues that losses meet; 0: it is fixed
        gamma_tuning: flag(true, Sp500282 = false, "draft-sridharan-tcpm-ctcp-02; Tan et al. 2006"),
        /// smallest gamma that gamma tuning sets
        gamma_low: number("segments", [0.01, 1e6], 5.0, "draft-sridharan-tcpm-ctcp-02"),
        /// largest gamma that gamma tuning sets
        gamma_high: number("segments", [0.01, 1e6], 30.0, "draft-sridharan-tcpm-ctcp-02"),
        /// weight of the last loss in gamma tuning
        lambda: number("1", [0.0, 1.0], 0.25, "draft-sridharan-tcpm-ctcp-02"),
        /// part of the queue that a loss met to which gamma tuning moves gamma
        tuned_part: number("1", [0.01, 10.0], 0.75, "draft-sridharan-tcpm-ctcp-02"),
        /// fewest delays of a round trip after which the delay window changes
        min_samples: count("1", [1, 1000], 3, "Linux implementation 1.3"),
        /// which delay of a round trip counts: 0 the smallest; 1 the mean; 2 the smoothed round-trip time
        rtt_statistic: choice(2, 0, "Linux implementation 1.3 (ns-3: 2)"),
        /// the delay window does not grow beyond this
        max_delay_window: number("segments", [0.0, 1e10], 1e10,
            "no bound: Tan et al. 2006; NIST SP 500-282, chapter 10, recommends one"),
    }
}

impl CtcpConfig {
    /// Growth of the delay window per round trip without a queue, segments: `alpha w^k - 1` (Tan et al. 2006,
    /// delay window).
    fn step(&self, w: f64) -> f64 {
        (self.alpha * libm::pow(w, self.exponent) - 1.0).max(0.0)
    }

    /// Delay window after a round trip under the window `w` that had `diff` segments in queues (Tan et al.
    /// 2006, the three cases of the delay window).
    fn delay_window(&self, delay_window: f64, w: f64, diff: f64, gamma: f64) -> f64 {
        // Linux implementation 1.3; NIST SP 500-282, chapter 10.
        if w < self.low_window {
            0.0
        } else if diff < gamma {
            // A bound that is smaller than the window of the moment does not cut it.
            (delay_window + self.step(w)).min(self.max_delay_window.max(delay_window))
        } else {
            (delay_window - self.zeta * diff).max(0.0)
        }
    }

    /// gamma after a loss that standard TCP's part of the flow met with `diff_reno` segments in queues
    /// (draft-sridharan-tcpm-ctcp-02, gamma tuning).
    fn tuned_gamma(&self, gamma: f64, diff_reno: f64) -> f64 {
        let gamma = (1.0 - self.lambda) * gamma + self.lambda * self.tuned_part * diff_reno;
        gamma.min(self.gamma_high).max(self.gamma_low)
    }
}

/// The delays of one round trip.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Round {
    /// Without recovery so far.
    whole: bool,
    samples: u32,
    smallest: Picos,
    sum: Picos,
}

impl Round {
    fn sample(&mut self, rtt: Picos) {
        self.smallest = if self.samples == 0 { rtt } else { self.smallest.min(rtt) };
        self.samples += 1;
        self.sum = self.sum.saturating_add(rtt);
    }
}

/// Compound TCP: the state of one flow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Ctcp {
    /// Loss window and delay window together.
    window: Window,
    delay_window: f64,
    slow_start: bool,
    round: Round,
    gamma: f64,
    /// Segments of the loss window in queues in the last round trip; none since the last loss.
    diff_reno: Option<f64>,
}

impl Ctcp {
    /// The sender changed the window from `before`: the loss window keeps what is left. Slow start, if any,
    /// is that of a flow without a delay window.
    fn follow_window(&mut self, before: f64) {
        self.delay_window = (self.delay_window - (before - self.window.cwnd()).max(0.0)).max(0.0);
        if self.window.in_slow_start() {
            (self.slow_start, self.delay_window) = (true, 0.0);
        }
        self.round.whole = false;
    }

    fn loss_window(&self) -> f64 {
        self.window.cwnd() - self.delay_window
    }

    /// Lets the delay window follow the queue: `diff = window (1 - base_rtt / rtt)` (Tan et al. 2006, as
    /// Vegas).
    fn end_round(&mut self, config: &CtcpConfig, ack: &AckEvent) {
        let rtt = match config.rtt_statistic {
            0 => seconds(self.round.smallest),
            1 => seconds(self.round.sum) / f64::from(self.round.samples),
            _ => seconds(ack.srtt),
        };
        // Tan et al. 2006: base_rtt / rtt of the window would be in flight without queues.
        let queued = (1.0 - seconds(ack.min_rtt) / rtt).max(0.0);
        let w = self.window.cwnd();
        self.diff_reno = Some(self.loss_window() * queued);
        let next = config.delay_window(self.delay_window, w, w * queued, self.gamma);
        if next <= self.delay_window {
            self.window.set(&config.common, self.loss_window() + next);
            self.delay_window = next;
        } else if config.common.may_grow(ack) {
            self.window.grow(&config.common, next - self.delay_window);
            self.delay_window += self.window.cwnd() - w;
        }
    }
}

impl CongestionControl for Ctcp {
    type Params = CtcpConfig;
    type Config = CtcpConfig;

    const NAME: &'static str = "ctcp";
    const TITLE: &'static str = "Compound TCP";
    const SOURCE: &'static str = "Tan, Song, Zhang and Sridharan, INFOCOM 2006";

    fn new(config: &CtcpConfig, start: &Start) -> Self {
        let window = Window::new(&config.common, start);
        Self {
            window,
            delay_window: 0.0,
            slow_start: window.in_slow_start(),
            round: Round::default(),
            gamma: config.gamma,
            diff_reno: None,
        }
    }

    #[inline]
    fn on_ack(&mut self, config: &CtcpConfig, ack: &AckEvent) {
        // Before the round is closed: the delay of the acknowledgement that closes it belongs to it.
        if ack.rtt > 0 && !ack.in_recovery {
            self.round.sample(ack.rtt);
        }
        if ack.round_start {
            // Linux implementation 1.3: at least 3 delays, none of them in recovery.
            let counts = self.round.whole && !ack.in_recovery && self.round.samples >= config.min_samples;
            if counts && !self.slow_start {
                self.end_round(config, ack);
            }
            self.round = Round { whole: true, ..Round::default() };
        }
        if ack.in_recovery {
            self.round.whole = false;
            return;
        }
        if !config.common.may_grow(ack) {
            return;
        }
        let left =
            if self.slow_start { self.window.grow_in_slow_start(&config.common, ack) } else { ack.acked };
        self.slow_start &= self.window.in_slow_start();
        // Tan et al. 2006: 1 / (cwnd + dwnd) to the loss window.
        for _ in 0..left {
            self.window.grow(&config.common, 1.0 / self.window.cwnd());
        }
    }

    fn on_idle(&mut self, config: &CtcpConfig, idle: &IdleEvent) {
        let before = self.window.cwnd();
        self.window.restart(&config.common, idle);
        if self.window.cwnd() < before {
            self.follow_window(before);
        }
    }

    fn on_resume(&mut self, config: &CtcpConfig, step: &ResumeStep) {
        let before = self.window.cwnd();
        self.window.resume(&config.common, step);
        self.follow_window(before);
    }

    fn on_loss(&mut self, config: &CtcpConfig, loss: &LossEvent) {
        let basis = self.window.basis(&config.common, loss);
        // Tan et al. 2006: cwnd / 2, and dwnd what is missing to (1 - beta) of both.
        let loss_window = (self.loss_window().min(basis) / 2.0).max(MIN_SSTHRESH);
        let delay_window = (basis * (1.0 - config.decrease) - loss_window).max(0.0);
        self.window.back_off(&config.common, loss, loss_window + delay_window, basis / 2.0);
        let diff_reno = self.diff_reno.take();
        self.round.whole = false;
        if loss.cause == LossCause::Timeout {
            // Tan et al. 2006: a timeout leaves no delay window.
            self.delay_window = 0.0;
            self.slow_start = self.window.in_slow_start();
            self.gamma = config.gamma;
        } else {
            self.delay_window = delay_window;
            self.slow_start = false;
            // draft-sridharan-tcpm-ctcp-02, gamma tuning: at each loss.
            if let Some(diff_reno) = diff_reno.filter(|_| config.gamma_tuning) {
                self.gamma = config.tuned_gamma(self.gamma, diff_reno);
            }
        }
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn phase(&self, config: &CtcpConfig, _: Picos) -> Phase {
        if self.slow_start {
            Phase::SlowStart
        } else if self.window.cwnd() < config.low_window {
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

    fn study() -> CtcpConfig {
        config::<Ctcp>(Preset::Sp500282, &[])
    }

    /// A flow in congestion avoidance.
    fn flow(config: &CtcpConfig, loss_window: f64, delay_window: f64) -> Ctcp {
        Ctcp { delay_window, ..Ctcp::new(config, &start(loss_window + delay_window, 2.0)) }
    }

    /// The beginning of a round trip with the delay `rtt`, where the smallest one so far is `base`.
    fn mark(rtt: Picos, base: Picos) -> AckEvent {
        AckEvent { rtt, min_rtt: base, srtt: rtt, round_start: true, ..acks(1) }
    }

    /// A round trip of delays `rtts`, from its first acknowledgement to the one after its last.
    fn round(ctcp: &mut Ctcp, config: &CtcpConfig, base: Picos, rtts: &[Picos]) {
        ctcp.on_ack(config, &AckEvent { acked: 0, ..mark(rtts[0], base) });
        for &rtt in &rtts[1..] {
            ctcp.on_ack(config, &AckEvent { acked: 0, round_start: false, ..mark(rtt, base) });
        }
        ctcp.on_ack(config, &AckEvent { acked: 0, ..mark(rtts[0], base) });
    }

    #[test]
    fn growth_of_the_delay_window() {
        for preset in PRESETS {
            let config = config::<Ctcp>(preset, &[]);
            for (w, step) in [
                (16.0, 0.0),
                (38.0, 0.9131),
                (40.0, 0.9882),
                (41.0, 1.0253),
                (100.0, 2.9528),
                (1000.0, 21.2285),
                (2041.0, 36.9570),
                (3402.0, 54.6815),
            ] {
                assert_near(config.step(w), step, 5.1e-5);
            }
        }
        let draft = config::<Ctcp>(Preset::Standard, &[("exponent", 0.8)]);
        assert_near(draft.step(1000.0), 30.3986, 5.1e-5);
        assert_near(draft.step(3402.0), 82.6176, 5.1e-5);
    }

    #[test]
    fn one_round_trip() {
        for preset in PRESETS {
            let config = config::<Ctcp>(preset, &[]);
            for (loss_window, delay_window, rtt, diff, next) in [
                (500.0, 500.0, 100, 0.0, 521.2285),
                (500.0, 500.0, 102, 19.6078, 521.2285),
                (500.0, 500.0, 104, 38.4615, 461.5385),
                (1000.0, 10.0, 104, 38.8462, 0.0),
            ] {
                let mut ctcp = flow(&config, loss_window, delay_window);
                round(&mut ctcp, &config, 100 * MS, &[rtt * MS; 3]);
                assert_near(ctcp.delay_window, next, 5.1e-5);
                assert_near(ctcp.loss_window(), loss_window, 1e-9);
                let w = loss_window + delay_window;
                assert_near(ctcp.diff_reno.expect("a round trip") * w / loss_window, diff, 5.1e-5);
            }
        }
    }

    #[test]
    fn gamma_is_the_standing_queue_of_a_single_flow() {
        // 21 segments/ms at 162 ms: the window of 3432 exceeds the path by 30.
        for preset in PRESETS {
            let config = config::<Ctcp>(preset, &[]);
            let mut ctcp = flow(&config, 3432.0, 0.0);
            round(&mut ctcp, &config, 162 * MS, &[picos(3432.0 / 21_000.0); 3]);
            assert_near(ctcp.diff_reno.expect("a round trip"), 30.0, 1e-6);
        }
        for (w, delay_window) in [(3431.9, 155.0), (3432.1, 69.9)] {
            let mut ctcp = flow(&study(), w - 100.0, 100.0);
            round(&mut ctcp, &study(), 162 * MS, &[picos(w / 21_000.0); 3]);
            assert_near(ctcp.delay_window, delay_window, 0.1);
        }
    }

    #[test]
    fn one_loss() {
        for preset in PRESETS {
            let config = config::<Ctcp>(preset, &[]);
            for (loss_window, delay_window, after) in [
                (1000.0, 2000.0, (500.0, 1000.0)),
                (1800.0, 200.0, (900.0, 100.0)),
                (2041.0, 0.0, (1020.5, 0.0)),
                (3.0, 0.0, (2.0, 0.0)),
            ] {
                let mut ctcp = flow(&config, loss_window, delay_window);
                ctcp.on_loss(&config, &loss(LossCause::FastRetransmit, (loss_window + delay_window) as u32));
                assert_eq!((ctcp.loss_window(), ctcp.delay_window), after);
                assert_eq!(ctcp.ssthresh(), ctcp.cwnd());
            }
        }
        let config = config::<Ctcp>(Preset::Standard, &[]);
        let mut ctcp = flow(&config, 1000.0, 2000.0);
        ctcp.on_loss(&config, &loss(LossCause::FastRetransmit, 900));
        assert_eq!((ctcp.loss_window(), ctcp.delay_window), (450.0, 0.0), "half of what is in flight");
    }

    #[test]
    fn gamma_tuning() {
        let tuned = config::<Ctcp>(Preset::Standard, &[]);
        for (config, gammas) in [(tuned.clone(), [26.25, 27.1875, 21.8906]), (study(), [30.0; 3])] {
            let mut ctcp = flow(&config, 1000.0, 0.0);
            for (diff_reno, gamma) in [20.0, 40.0, 8.0].into_iter().zip(gammas) {
                ctcp.diff_reno = Some(diff_reno);
                ctcp.on_loss(&config, &loss(LossCause::FastRetransmit, 1000));
                assert_near(ctcp.gamma, gamma, 5.1e-5);
                ctcp.on_loss(&config, &loss(LossCause::FastRetransmit, 1000));
                assert_near(ctcp.gamma, gamma, 5.1e-5);
            }
        }
        assert_eq!(tuned.tuned_gamma(5.0, 0.0), 5.0);
        assert_eq!(tuned.tuned_gamma(30.0, 1000.0), 30.0);
        let mut ctcp = Ctcp { gamma: 7.0, ..flow(&tuned, 1000.0, 0.0) };
        ctcp.on_loss(&tuned, &loss(LossCause::Timeout, 1000));
        assert_eq!(ctcp.gamma, 30.0);
    }

    #[test]
    fn an_acknowledgement_grows_the_loss_window() {
        let config = study();
        let mut ctcp = flow(&config, 500.0, 500.0);
        ctcp.on_ack(&config, &acks(1));
        assert_eq!((ctcp.cwnd(), ctcp.delay_window), (1000.001, 500.0));
    }

    #[test]
    fn below_the_low_window_there_is_no_delay_window() {
        for (preset, low) in [(Preset::Standard, 38.0), (Preset::Sp500282, 41.0)] {
            let config = config::<Ctcp>(preset, &[]);
            let mut ctcp = flow(&config, low - 10.5, 10.0);
            assert_eq!(ctcp.phase(&config, 0), Phase::Standard);
            round(&mut ctcp, &config, 100 * MS, &[100 * MS; 3]);
            assert_eq!((ctcp.cwnd(), ctcp.delay_window), (low - 10.5, 0.0));
            let mut ctcp = flow(&config, low - 10.0, 10.0);
            assert_eq!(ctcp.phase(&config, 0), Phase::Alternate);
            round(&mut ctcp, &config, 100 * MS, &[100 * MS; 3]);
            assert!(ctcp.delay_window > 10.0);
        }
    }

    #[test]
    fn which_delay_of_a_round_trip_counts() {
        // Of (500, 500) over 100 ms: diff is at least 30 from a delay of 103.1 ms on.
        for (statistic, rtts, grows) in [
            (0.0, [101, 110, 110], true),
            (0.0, [104, 110, 110], false),
            (1.0, [101, 102, 104], true),
            (1.0, [101, 102, 110], false),
            (2.0, [101, 110, 110], true),
            (2.0, [110, 101, 101], false),
        ] {
            let config = config::<Ctcp>(Preset::Sp500282, &[("rtt_statistic", statistic)]);
            let mut ctcp = flow(&config, 500.0, 500.0);
            round(&mut ctcp, &config, 100 * MS, &rtts.map(|rtt| rtt * MS));
            assert_eq!(ctcp.delay_window > 500.0, grows, "{statistic}: {rtts:?}");
        }
    }

    #[test]
    fn a_round_trip_with_too_few_delays_or_with_recovery_does_not_count() {
        let config = study();
        let mut ctcp = flow(&config, 500.0, 500.0);
        round(&mut ctcp, &config, 100 * MS, &[100 * MS; 2]);
        assert_eq!(ctcp.delay_window, 500.0);
        ctcp.on_loss(&config, &loss(LossCause::FastRetransmit, 1000));
        for _ in 0..4 {
            ctcp.on_ack(&config, &AckEvent { in_recovery: true, ..mark(100 * MS, 100 * MS) });
        }
        // The rest of the round trip in which recovery ends, then a whole one.
        for _ in 0..3 {
            ctcp.on_ack(&config, &AckEvent { round_start: false, ..mark(100 * MS, 100 * MS) });
        }
        ctcp.on_ack(&config, &mark(100 * MS, 100 * MS));
        assert_eq!(ctcp.delay_window, 250.0);
        for _ in 0..3 {
            ctcp.on_ack(&config, &AckEvent { round_start: false, ..mark(100 * MS, 100 * MS) });
        }
        ctcp.on_ack(&config, &mark(100 * MS, 100 * MS));
        assert!(ctcp.delay_window > 250.0);
    }

    #[test]
    fn the_closing_acknowledgement_belongs_to_the_round_trip_that_it_ends() {
        // Of 1000 segments 38.5 wait at 104 ms, none at 100 ms.
        let config = study();
        let mut ctcp = flow(&config, 500.0, 500.0);
        let mut round = |rtts: [Picos; 3], closing: Picos| {
            for rtt in rtts {
                let ack = AckEvent { acked: 0, round_start: false, ..mark(rtt * MS, 100 * MS) };
                ctcp.on_ack(&config, &ack);
            }
            let before = ctcp.delay_window;
            ctcp.on_ack(&config, &AckEvent { acked: 0, ..mark(closing * MS, 100 * MS) });
            ctcp.delay_window - before
        };
        round([100; 3], 100); // Begins the first whole round trip.
        assert_near(round([104; 3], 104), -38.4615, 5.1e-5);
        assert!(round([104; 3], 100) > 0.0, "old delays, but the first segment after the cut met no queue");
        assert!(round([104; 3], 104) < 0.0, "that delay does not count a second time");
    }

    #[test]
    fn a_yielding_delay_window_is_no_slow_start() {
        let config = study();
        let mut ctcp = flow(&config, 500.0, 500.0);
        ctcp.on_loss(&config, &loss(LossCause::FastRetransmit, 1000));
        round(&mut ctcp, &config, 100 * MS, &[100 * MS; 3]);
        round(&mut ctcp, &config, 100 * MS, &[300 * MS; 3]);
        assert_eq!((ctcp.cwnd(), ctcp.ssthresh(), ctcp.delay_window), (250.0, 500.0, 0.0));
        assert_eq!(ctcp.phase(&config, 0), Phase::Alternate);
        ctcp.on_ack(&config, &acks(1));
        assert_eq!(ctcp.cwnd(), 250.004);
    }

    #[test]
    fn the_delay_window_only_shrinks_while_something_else_limits_the_flow() {
        let config = config::<Ctcp>(Preset::Standard, &[]);
        for (rtt, delay_window) in [(100, 500.0), (200, 0.0)] {
            let mut ctcp = flow(&config, 500.0, 500.0);
            let acknowledged = AckEvent { cwnd_limited: false, ..mark(rtt * MS, 100 * MS) };
            for round_start in [true, false, false, true] {
                ctcp.on_ack(&config, &AckEvent { round_start, ..acknowledged });
            }
            assert_eq!(ctcp.delay_window, delay_window);
        }
    }

    #[test]
    fn a_bound_on_the_delay_window() {
        let config = config::<Ctcp>(Preset::Sp500282, &[("max_delay_window", 510.0)]);
        for (before, after) in [(500.0, 510.0), (510.0, 510.0), (600.0, 600.0)] {
            let mut ctcp = flow(&config, 500.0, before);
            round(&mut ctcp, &config, 100 * MS, &[100 * MS; 3]);
            assert_near(ctcp.delay_window, after, 1e-9);
        }
    }

    #[test]
    fn a_time_out_gives_up_the_delay_window() {
        for (preset, restart) in [(Preset::Standard, 1.0), (Preset::Sp500282, 1000.0)] {
            let config = config::<Ctcp>(preset, &[]);
            let mut ctcp = flow(&config, 400.0, 600.0);
            ctcp.on_loss(&config, &loss(LossCause::Timeout, 1000));
            assert_eq!((ctcp.cwnd(), ctcp.delay_window), (restart, 0.0));
            assert_eq!(ctcp.ssthresh(), 500.0_f64.max(restart));
        }
        let config = config::<Ctcp>(Preset::Standard, &[]);
        let mut ctcp = flow(&config, 400.0, 600.0);
        ctcp.on_loss(&config, &loss(LossCause::Timeout, 1000));
        assert_eq!(ctcp.phase(&config, 0), Phase::SlowStart);
        (0..499).for_each(|_| ctcp.on_ack(&config, &acks(1)));
        assert_eq!((ctcp.cwnd(), ctcp.phase(&config, 0)), (500.0, Phase::Alternate));
    }

    #[test]
    fn a_retreat_of_careful_resume_gives_up_the_delay_window() {
        let config = config::<Ctcp>(Preset::Standard, &[]);
        let mut ctcp = flow(&config, 400.0, 600.0);
        ctcp.on_resume(&config, &ResumeStep::Retreat { cwnd: 700.0 });
        assert_eq!((ctcp.cwnd(), ctcp.delay_window), (700.0, 300.0));
        ctcp.on_resume(&config, &ResumeStep::Leave { ssthresh: 900.0 });
        assert_eq!((ctcp.delay_window, ctcp.phase(&config, 0)), (0.0, Phase::SlowStart));
    }
}
