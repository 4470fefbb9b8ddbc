//! TCP Westwood+ (L. Grieco and S. Mascolo, 2004; ns-3, Linux tcp_westwood.c): standard TCP that reduces its
//! window to what its path has carried.
//!
//! * Congestion avoidance: `1 / cwnd` per acknowledged segment (RFC 5681).
//! * Every round-trip time, or `min_interval` where that is longer, the segments acknowledged since the last
//!   time make a sample of bandwidth; a low-pass filter makes an estimate of the samples. It runs on through
//!   recovery, when selectively acknowledged segments count as they arrive.
//! * Loss: ssthresh becomes the estimate times the smallest round-trip time, the segments that the path holds
//!   without queues; cwnd falls to ssthresh where it is larger and else stays (Mascolo et al.; ns-3). With
//!   `reduction` 1 the window is halved and both become that product when recovery ends, even if that raises
//!   the window (Linux).
//! * Timeout: the same ssthresh, cwnd 1, or the rule of the study; the filter is kept.
//! * Without an estimate, before the first sample, a loss halves the window.

use crate::param::params;
use crate::{
    AckEvent, Common, CongestionControl, IdleEvent, LossCause, LossEvent, Phase, Picos, ResumeStep, Start,
    Window, seconds,
};
use serde::{Deserialize, Serialize};

params! {
    /// Constants of Westwood+.
    pub struct WestwoodConfig {
        common: Common,
        /// shortest time over which a sample of bandwidth is taken
        min_interval: time([0.0, 60.0], 0.05, "Linux tcp_westwood.c"),
        /// 0 a Tustin filter of the samples; 1 two averages in a row
        filter: choice(1, 0, Linux = 1, "ns-3 (Linux: 1)"),
        /// part of the estimate that a sample leaves, used where filter = 0
        pole: number("1", [0.0, 0.999], 0.9, "ns-3"),
        /// weight of a sample in each of the two averages, used where filter = 1
        gain: number("1", [0.001, 1.0], 0.125, "Linux tcp_westwood.c"),
        /// 1: the filter begins with its first sample; 0: with 0
        from_first_sample: flag(false, Linux = true, "ns-3 (newer Linux: 1)"),
        /// when a loss sets ssthresh to what the path holds: 0 at once; 1 when recovery ends, halving before
        reduction: choice(1, 0, Linux = 1, "Grieco and Mascolo 2004; ns-3 (Linux: 1)"),
    }
}

impl WestwoodConfig {
    /// The end of recovery, not the loss, sets ssthresh to what the path holds.
    fn is_at_exit(&self) -> bool {
        self.reduction == 1
    }
}

/// An estimate of bandwidth and what the filter remembers besides, segments/s.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Bandwidth {
    estimate: f64,
    /// The last sample, or the first of two averages.
    inner: f64,
    /// There was a sample.
    known: bool,
}

impl Bandwidth {
    fn sample(&mut self, config: &WestwoodConfig, sample: f64) {
        if !self.known && config.from_first_sample {
            (self.estimate, self.inner) = (sample, sample);
        } else {
            match config.filter {
                0 => {
                    let pole = config.pole;
                    self.estimate = pole * self.estimate + (1.0 - pole) * (sample + self.inner) / 2.0;
                    self.inner = sample;
                }
                _ => {
                    self.inner += config.gain * (sample - self.inner);
                    self.estimate += config.gain * (self.inner - self.estimate);
                }
            }
        }
        self.known = true;
    }
}

/// Westwood+: the state of one flow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Westwood {
    window: Window,
    bandwidth: Bandwidth,
    /// Segments acknowledged since `since`.
    acked: u64,
    since: Picos,
    min_rtt: Picos,
    /// A fast recovery is under way whose end sets the window.
    recovering: bool,
}

impl Westwood {
    /// Segments that the path holds without queues.
    fn pipe(&self) -> Option<f64> {
        (self.bandwidth.known && self.min_rtt > 0).then(|| self.bandwidth.estimate * seconds(self.min_rtt))
    }

    /// ssthresh becomes `ssthresh`, and the window at most that.
    fn limit(&mut self, config: &WestwoodConfig, ssthresh: f64) {
        let cwnd = self.window.cwnd();
        self.window.set_ssthresh(ssthresh);
        self.window.set(&config.common, cwnd.min(self.window.ssthresh()));
    }
}

impl CongestionControl for Westwood {
    type Params = WestwoodConfig;
    type Config = WestwoodConfig;

    const NAME: &'static str = "westwood";
    const TITLE: &'static str = "TCP Westwood+";
    const SOURCE: &'static str = "Grieco and Mascolo, ACM CCR 34(2), 2004; Linux tcp_westwood.c; ns-3";

    fn new(config: &WestwoodConfig, start: &Start) -> Self {
        Self {
            window: Window::new(&config.common, start),
            bandwidth: Bandwidth::default(),
            acked: 0,
            since: start.now,
            min_rtt: 0,
            recovering: false,
        }
    }

    #[inline]
    fn on_ack(&mut self, config: &WestwoodConfig, ack: &AckEvent) {
        self.min_rtt = ack.min_rtt;
        self.acked += u64::from(ack.segments);
        let elapsed = ack.now - self.since;
        if elapsed > 0 && elapsed >= ack.srtt.max(config.min_interval) {
            self.bandwidth.sample(config, self.acked as f64 / seconds(elapsed));
            (self.since, self.acked) = (ack.now, 0);
        }
        if !config.common.may_grow(ack) {
            return;
        }
        for _ in 0..self.window.grow_in_slow_start(&config.common, ack) {
            self.window.grow(&config.common, 1.0 / self.window.cwnd());
        }
    }

    fn on_idle(&mut self, config: &WestwoodConfig, idle: &IdleEvent) {
        self.window.restart(&config.common, idle);
    }

    fn on_resume(&mut self, config: &WestwoodConfig, step: &ResumeStep) {
        self.window.resume(&config.common, step);
    }

    fn on_loss(&mut self, config: &WestwoodConfig, loss: &LossEvent) {
        let half = self.window.basis(&config.common, loss) / 2.0;
        let pipe = self.pipe();
        let ssthresh = pipe.unwrap_or(half);
        self.recovering = config.is_at_exit() && loss.cause == LossCause::FastRetransmit;
        match loss.cause {
            LossCause::Timeout => {
                let own = ssthresh.min(self.window.cwnd());
                self.window.timeout(&config.common, loss, ssthresh, own);
            }
            _ if self.recovering || pipe.is_none() => self.window.reduce(&config.common, half),
            LossCause::Ecn if config.is_at_exit() => self.window.reduce(&config.common, ssthresh),
            LossCause::FastRetransmit | LossCause::Ecn => self.limit(config, ssthresh),
        }
    }

    fn on_recovery_exit(&mut self, config: &WestwoodConfig, _: Picos) {
        if std::mem::take(&mut self.recovering) {
            if let Some(pipe) = self.pipe() {
                self.window.reduce(&config.common, pipe);
            }
        }
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn phase(&self, _: &WestwoodConfig, _: Picos) -> Phase {
        if self.window.in_slow_start() {
            Phase::SlowStart
        } else if self.bandwidth.known {
            Phase::Alternate
        } else {
            Phase::Standard
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{acks, assert_near, config, loss, start};
    use crate::{MILLISECOND, Preset, SECOND};

    const MS: Picos = MILLISECOND;
    const PRESETS: [Preset; 2] = [Preset::Standard, Preset::Sp500282];
    const LINUX: [(&str, f64); 3] = [("filter", 1.0), ("from_first_sample", 1.0), ("reduction", 1.0)];

    /// A flow in congestion avoidance on a path of 162 ms whose estimate is `estimate` segments/s.
    fn flow(config: &WestwoodConfig, cwnd: f64, estimate: f64) -> Westwood {
        let bandwidth = Bandwidth { estimate, inner: estimate, known: true };
        Westwood { bandwidth, min_rtt: 162 * MS, ..Westwood::new(config, &start(cwnd, 2.0)) }
    }

    #[test]
    fn the_filters() {
        let samples = [1000.0, 1000.0, 1000.0, 2000.0];
        for preset in PRESETS {
            let tustin = config::<Westwood>(preset, &[]);
            let two_stages = config::<Westwood>(preset, &[("filter", 1.0)]);
            let (mut a, mut b) = (Bandwidth::default(), Bandwidth::default());
            for (i, sample) in samples.into_iter().enumerate() {
                a.sample(&tustin, sample);
                assert_near(a.estimate, [50.0, 145.0, 230.5, 357.45][i], 1e-9);
                b.sample(&two_stages, sample);
                assert_near(b.inner, [125.0, 234.375, 330.0781, 538.8184][i], 5.1e-5);
                assert_near(b.estimate, [15.625, 42.9688, 78.8574, 136.3525][i], 5.1e-5);
            }
        }
        let linux = config::<Westwood>(Preset::Standard, &LINUX);
        let mut c = Bandwidth::default();
        c.sample(&linux, 1000.0);
        assert_eq!((c.estimate, c.inner), (1000.0, 1000.0));
        c.sample(&linux, 2000.0);
        assert_eq!((c.estimate, c.inner), (1015.625, 1125.0));
    }

    #[test]
    fn a_sample_is_taken_every_round_trip_time_but_not_more_often_than_every_50_ms() {
        for preset in PRESETS {
            let config = config::<Westwood>(preset, &[("pole", 0.0)]);
            for (rtt, samples) in [(10, 20), (50, 20), (100, 10), (400, 2)] {
                let mut westwood = Westwood::new(&config, &start(10.0, 2.0));
                let mut taken = 0;
                for i in 1..=1000 {
                    let before = westwood.since;
                    // In recovery too.
                    let in_recovery = i % 2 == 0;
                    let ack = AckEvent { now: i * MS, srtt: rtt * MS, in_recovery, ..acks(2) };
                    westwood.on_ack(&config, &ack);
                    taken += u32::from(westwood.since != before);
                }
                assert_eq!(taken, samples, "a round-trip time of {rtt} ms");
                assert_near(westwood.bandwidth.inner, 2000.0, 1e-9);
            }
        }
    }

    #[test]
    fn a_loss_leaves_what_the_path_holds() {
        for preset in PRESETS {
            let config = config::<Westwood>(preset, &[]);
            for (cause, cwnd, estimate, ssthresh, left) in [
                (LossCause::FastRetransmit, 4082.0, 10_500.0, 1701.0, 1701.0),
                (LossCause::FastRetransmit, 4082.0, 21_000.0, 3402.0, 3402.0),
                (LossCause::Ecn, 4082.0, 21_000.0, 3402.0, 3402.0),
                // Not below it, but not up to it either.
                (LossCause::FastRetransmit, 3000.0, 21_000.0, 3402.0, 3000.0),
                (LossCause::FastRetransmit, 10.0, 1.0, 2.0, 2.0),
            ] {
                let mut westwood = flow(&config, cwnd, estimate);
                westwood.on_loss(&config, &loss(cause, cwnd as u32));
                westwood.on_recovery_exit(&config, 0);
                assert_near(westwood.ssthresh(), ssthresh, 1e-9);
                assert_near(westwood.cwnd(), left, 1e-9);
            }
        }
    }

    #[test]
    fn linux_halves_first_and_may_raise_the_window_when_recovery_ends() {
        let config = config::<Westwood>(Preset::Standard, &LINUX);
        let mut westwood = flow(&config, 3000.0, 21_000.0);
        westwood.on_loss(&config, &loss(LossCause::FastRetransmit, 3000));
        assert_eq!((westwood.cwnd(), westwood.ssthresh()), (1500.0, 1500.0));
        westwood.on_recovery_exit(&config, 0);
        assert_near(westwood.cwnd(), 3402.0, 1e-9);
        westwood.window.set(&config.common, 3500.0);
        westwood.on_recovery_exit(&config, 0);
        assert_eq!(westwood.cwnd(), 3500.0, "once");
        westwood.on_loss(&config, &loss(LossCause::Ecn, 3500));
        assert_near(westwood.cwnd(), 3402.0, 1e-9);
    }

    #[test]
    fn without_an_estimate_a_loss_halves() {
        for changes in [&[][..], &LINUX[..]] {
            let config = config::<Westwood>(Preset::Standard, changes);
            let mut westwood = Westwood::new(&config, &start(40.0, 2.0));
            westwood.on_loss(&config, &loss(LossCause::FastRetransmit, 40));
            westwood.on_recovery_exit(&config, 0);
            assert_eq!((westwood.cwnd(), westwood.ssthresh()), (20.0, 20.0));
            assert_eq!(westwood.phase(&config, 0), Phase::Standard);
        }
    }

    #[test]
    fn a_time_out_keeps_the_filter() {
        for (preset, restart, ssthresh) in [(Preset::Standard, 1.0, 1701.0), (Preset::Sp500282, 2.0, 1000.0)]
        {
            let config = config::<Westwood>(preset, &[]);
            let bandwidth = flow(&config, 2.0, 10_500.0).bandwidth;
            let mut westwood =
                Westwood { bandwidth, min_rtt: 162 * MS, ..Westwood::new(&config, &start(2.0, 1000.0)) };
            westwood.window.set(&config.common, 1000.0);
            westwood.on_loss(&config, &loss(LossCause::Timeout, 1000));
            assert_eq!(westwood.cwnd(), restart);
            // The rule of the study floors the window to which the algorithm would have gone.
            assert_near(westwood.ssthresh(), ssthresh, 1e-9);
            assert_eq!(westwood.bandwidth.estimate, 10_500.0);
            assert_eq!(westwood.phase(&config, 0), Phase::SlowStart);
        }
    }

    #[test]
    fn the_window_grows_like_standard_tcps() {
        let config = config::<Westwood>(Preset::Standard, &[]);
        let mut westwood = flow(&config, 10.0, 0.0);
        westwood.on_ack(&config, &AckEvent { now: SECOND, ..acks(2) });
        assert_eq!(westwood.cwnd(), 10.1 + 1.0 / 10.1);
    }
}
