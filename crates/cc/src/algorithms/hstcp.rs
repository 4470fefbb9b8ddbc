//! HighSpeed TCP (RFC 3649): additive increase a(w) and multiplicative decrease b(w) that depend on the
//! window.
//!
//! * Up to and including `low_window` segments the rules are those of standard TCP: a = 1, b = 1/2 (RFC 3649,
//!   section 5).
//! * Above, the wanted loss rate p(w) is a straight line on log-log scales (section 5).
//! * b(w) falls linearly in ln w from 1/2 at the low window to `high_decrease` at the high window (section
//!   7).
//! * a(w) = w^2 p(w) 2 b(w) / (2 - b(w)), which makes p(w) the response function (section 7); never less than
//!   standard TCP's 1, below which the formula falls just above the low window.
//! * Congestion avoidance: `a(w) / w` per acknowledged segment; loss: the window gives up b(w) (section 5).
//! * Timeout: ssthresh is half the window and cwnd 1 (the RFC leaves timeouts alone), or the rule of the
//!   study.
//!
//! `per_ack` adds `a(w) / w` per acknowledgement, as Linux does, which is half of it where receivers delay
//! them. The parameter `response` chooses among the readings of p(w) that implementations use. The study
//! computes with logarithms and exponentials, so not with a table, and switches at 31 segments.

use crate::param::params;
use crate::{
    AckEvent, Common, CongestionControl, IdleEvent, LossEvent, Phase, Picos, ResumeStep, Start, Window,
};
use serde::{Deserialize, Serialize};

/// The rounded response function of RFC 3649, section 5: p(w) = 0.078 / w^1.2.
const ROUNDED_COEFFICIENT: f64 = 0.078;
const ROUNDED_EXPONENT: f64 = 1.2;

/// b(w) at the low window: that of standard TCP.
const LOW_DECREASE: f64 = 0.5;

/// RFC 3649, appendix B: (w, b(w)); row i is the window from which a(w) = i + 1.
#[rustfmt::skip]
const TABLE: [(f64, f64); 73] = [
    (38.0, 0.50), (118.0, 0.44), (221.0, 0.41), (347.0, 0.38), (495.0, 0.37), (663.0, 0.35), (851.0, 0.34),
    (1058.0, 0.33), (1284.0, 0.32), (1529.0, 0.31), (1793.0, 0.30), (2076.0, 0.29), (2378.0, 0.28), (2699.0, 0.28),
    (3039.0, 0.27), (3399.0, 0.27), (3778.0, 0.26), (4177.0, 0.26), (4596.0, 0.25), (5036.0, 0.25), (5497.0, 0.24),
    (5979.0, 0.24), (6483.0, 0.23), (7009.0, 0.23), (7558.0, 0.22), (8130.0, 0.22), (8726.0, 0.22), (9346.0, 0.21),
    (9991.0, 0.21), (10661.0, 0.21), (11358.0, 0.20), (12082.0, 0.20), (12834.0, 0.20), (13614.0, 0.19),
    (14424.0, 0.19), (15265.0, 0.19), (16137.0, 0.19), (17042.0, 0.18), (17981.0, 0.18), (18955.0, 0.18),
    (19965.0, 0.17), (21013.0, 0.17), (22101.0, 0.17), (23230.0, 0.17), (24402.0, 0.16), (25618.0, 0.16),
    (26881.0, 0.16), (28193.0, 0.16), (29557.0, 0.15), (30975.0, 0.15), (32450.0, 0.15), (33986.0, 0.15),
    (35586.0, 0.14), (37253.0, 0.14), (38992.0, 0.14), (40808.0, 0.14), (42707.0, 0.13), (44694.0, 0.13),
    (46776.0, 0.13), (48961.0, 0.13), (51258.0, 0.13), (53677.0, 0.12), (56230.0, 0.12), (58932.0, 0.12),
    (61799.0, 0.12), (64851.0, 0.11), (68113.0, 0.11), (71617.0, 0.11), (75401.0, 0.10), (79517.0, 0.10),
    (84035.0, 0.10), (89053.0, 0.10), (94717.0, 0.09),
];

/// The source of a(w) and b(w).
#[derive(Clone, Copy, Debug)]
enum Response {
    /// ln p(w) = `p_at_one` + `p_slope` ln w and b(w) = `b_at_one` + `b_slope` ln w.
    Formula { p_at_one: f64, p_slope: f64, b_at_one: f64, b_slope: f64, min_decrease: f64 },
    /// A row of the table holds from its window on: the RFC's reading.
    TableLower,
    /// A row of the table holds up to its window: Linux's reading, up to one segment per round trip more.
    TableUpper,
}

params! {
    /// Constants of HighSpeed TCP.
    pub struct HstcpParams {
        common: Common,
        /// largest window to which the rules of standard TCP apply
        low_window: number("segments", [1.0, 1000.0], 38.0, Sp500282 = 31.0,
            "RFC 3649, section 5; NIST SP 500-282, chapter 10"),
        /// loss rate at the low window, used where response = 1
        low_p: number("1", [1e-5, 0.5], 1e-3, "RFC 3649, section 5"),
        /// window at which the decrease is high_decrease
        high_window: number("segments", [2000.0, 1e9], 83000.0, "RFC 3649, section 5"),
        /// loss rate at the high window, used where response = 1
        high_p: number("1", [1e-15, 1e-5], 1e-7, "RFC 3649, section 5"),
        /// part of the window given up after a loss at the high window
        high_decrease: number("1", [0.01, 0.5], 0.1, "RFC 3649, section 5"),
        /// smallest part of the window given up, which the formula reaches far above the high window
        min_decrease: number("1", [0.001, 0.5], 0.05,
            "assumed: RFC 3649 tabulates down to 0.09, its formula falls below 0 at 567000 segments"),
        /// p(w): 0 rounded, 0.078/w^1.2; 1 the line through (low_window, low_p) and (high_window, high_p); 2
        /// the RFC's table; 3 the table as Linux reads it
        response: choice(3, 1, Sp500282 = 0, Linux = 3,
            "RFC 3649, sections 5, 7 and appendix B; the study's choice is assumed from its goodput latency"),
        /// 1: congestion avoidance counts acknowledgements; 0: acknowledged segments
        per_ack: flag(false, Linux = true, "RFC 3465 (Linux tcp_highspeed.c: 1)"),
    }
}

/// Constants of HighSpeed TCP, and what follows from them.
#[derive(Clone, Debug)]
pub struct HstcpConfig {
    common: Common,
    low_window: f64,
    response: Response,
    per_ack: bool,
}

impl From<HstcpParams> for HstcpConfig {
    fn from(p: HstcpParams) -> Self {
        let (low, width) = (libm::log(p.low_window), libm::log(p.high_window / p.low_window));
        let b_slope = (p.high_decrease - LOW_DECREASE) / width;
        let exact = libm::log(p.high_p / p.low_p) / width;
        let formula = |p_at_one, p_slope| Response::Formula {
            p_at_one,
            p_slope,
            b_at_one: LOW_DECREASE - b_slope * low,
            b_slope,
            min_decrease: p.min_decrease,
        };
        let response = match p.response {
            0 => formula(libm::log(ROUNDED_COEFFICIENT), -ROUNDED_EXPONENT),
            1 => formula(libm::log(p.low_p) - exact * low, exact),
            2 => Response::TableLower,
            _ => Response::TableUpper,
        };
        Self { common: p.common, low_window: p.low_window, response, per_ack: p.per_ack }
    }
}

impl HstcpConfig {
    /// a(w) in segments per round trip and b(w).
    fn increase_and_decrease(&self, w: f64) -> (f64, f64) {
        if w <= self.low_window {
            return (1.0, LOW_DECREASE);
        }
        match self.response {
            Response::Formula { p_at_one, p_slope, b_at_one, b_slope, min_decrease } => {
                let ln_w = libm::log(w);
                let p = libm::exp(p_at_one + p_slope * ln_w);
                let b = (b_at_one + b_slope * ln_w).min(LOW_DECREASE).max(min_decrease);
                ((w * w * p * 2.0 * b / (2.0 - b)).max(1.0), b)
            }
            Response::TableLower => row(TABLE.partition_point(|row| row.0 <= w).saturating_sub(1)),
            Response::TableUpper => row(TABLE.partition_point(|row| row.0 < w).min(TABLE.len() - 1)),
        }
    }
}

/// a(w) and b(w) of a row of the table.
fn row(index: usize) -> (f64, f64) {
    (index as f64 + 1.0, TABLE[index].1)
}

/// HighSpeed TCP: the state of one flow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Hstcp {
    window: Window,
}

impl CongestionControl for Hstcp {
    type Params = HstcpParams;
    type Config = HstcpConfig;

    const NAME: &'static str = "hstcp";
    const TITLE: &'static str = "HighSpeed TCP";
    const SOURCE: &'static str = "RFC 3649";

    fn new(config: &HstcpConfig, start: &Start) -> Self {
        Self { window: Window::new(&config.common, start) }
    }

    #[inline]
    fn on_ack(&mut self, config: &HstcpConfig, ack: &AckEvent) {
        if !config.common.may_grow(ack) {
            return;
        }
        let mut steps = self.window.grow_in_slow_start(&config.common, ack);
        if config.per_ack {
            // An acknowledgement of slow start has no other part
            steps = u32::from(steps > 0 && steps == ack.acked);
        }
        for _ in 0..steps {
            let w = self.window.cwnd();
            let (a, _) = config.increase_and_decrease(w);
            self.window.grow(&config.common, a / w);
        }
    }

    fn on_idle(&mut self, config: &HstcpConfig, idle: &IdleEvent) {
        self.window.restart(&config.common, idle);
    }

    fn on_resume(&mut self, config: &HstcpConfig, step: &ResumeStep) {
        self.window.resume(&config.common, step);
    }

    fn on_loss(&mut self, config: &HstcpConfig, loss: &LossEvent) {
        let basis = self.window.basis(&config.common, loss);
        let (_, b) = config.increase_and_decrease(basis);
        let reduced = basis * (1.0 - b);
        self.window.back_off(&config.common, loss, reduced, basis / 2.0);
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn phase(&self, config: &HstcpConfig, _: Picos) -> Phase {
        if self.window.in_slow_start() {
            Phase::SlowStart
        } else if self.window.cwnd() <= config.low_window {
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
    use crate::{LossCause, Preset};

    fn exact38() -> HstcpConfig {
        config::<Hstcp>(Preset::Standard, &[])
    }

    /// The line through the point of standard TCP's response function at 31 segments.
    fn exact31() -> HstcpConfig {
        config::<Hstcp>(Preset::Standard, &[("low_window", 31.0), ("low_p", 1.5 / 961.0)])
    }

    fn study() -> HstcpConfig {
        config::<Hstcp>(Preset::Sp500282, &[])
    }

    #[test]
    fn increase_and_decrease_at_ten_windows() {
        #[rustfmt::skip]
        let vectors = [
            // w, (a, b) exact at 38, (a, b) exact at 31, (a, b) of the study
            (32.0, (1.0, 0.5), (1.0206, 0.4984), (1.0, 0.4984)),
            (38.0, (1.0, 0.5), (1.1393, 0.4897), (1.0, 0.4897)),
            (100.0, (1.8203, 0.4497), (2.1052, 0.4406), (1.7550, 0.4406)),
            (118.0, (2.0276, 0.4411), (2.3358, 0.4323), (1.9548, 0.4323)),
            (221.0, (3.0422, 0.4084), (3.4528, 0.4005), (2.9322, 0.4005)),
            (1000.0, (7.8599, 0.3299), (8.6092, 0.3239), (7.5738, 0.3239)),
            (3402.0, (16.3124, 0.2662), (17.3696, 0.2619), (15.7242, 0.2619)),
            (4082.0, (18.1085, 0.2567), (19.2025, 0.2527), (17.4577, 0.2527)),
            (10000.0, (29.6166, 0.2101), (30.7882, 0.2073), (28.5828, 0.2073)),
            (83000.0, (72.5158, 0.1), (72.5158, 0.1), (70.7349, 0.1)),
        ];
        for (w, at38, at31, of_study) in vectors {
            for (config, (a, b)) in [(exact38(), at38), (exact31(), at31), (study(), of_study)] {
                let got = config.increase_and_decrease(w);
                assert_near(got.0, a, 5.1e-5);
                assert_near(got.1, b, 5.1e-5);
            }
        }
    }

    /// a(w) before it is held at 1.
    fn unclamped(config: &HstcpConfig, w: f64) -> f64 {
        let Response::Formula { p_at_one, p_slope, b_at_one, b_slope, .. } = config.response else {
            panic!("a table has no formula")
        };
        let b = b_at_one + b_slope * libm::log(w);
        w * w * libm::exp(p_at_one + p_slope * libm::log(w)) * 2.0 * b / (2.0 - b)
    }

    #[test]
    fn the_increase_is_held_at_that_of_standard_tcp() {
        for (config, w, a) in [
            (exact38(), 38.0, 0.9627),
            (exact38(), 39.0, 0.979),
            (study(), 32.0, 0.8284),
            (study(), 38.0, 0.9285),
        ] {
            assert_near(unclamped(&config, w), a, 5.1e-4);
            assert_eq!(config.increase_and_decrease(w).0, 1.0);
        }
        assert!(unclamped(&study(), 42.0) < 1.0 && unclamped(&study(), 43.0) > 1.0);
    }

    #[test]
    fn response_functions() {
        // w = K / p^-S
        for (config, s, k) in [(exact38(), -0.83482, 0.11894), (exact31(), -0.81741, 0.15746)] {
            let Response::Formula { p_at_one, p_slope, .. } = config.response else { panic!("a formula") };
            assert_near(1.0 / p_slope, s, 5.1e-6);
            assert_near(libm::exp(-p_at_one / p_slope), k, 5.1e-6);
        }
    }

    #[test]
    fn all_rows_of_the_table_of_the_rfc() {
        let config = exact38();
        let mut rows = Vec::new();
        let mut last = f64::NEG_INFINITY;
        for w in 38..=100_000 {
            let w = f64::from(w);
            let (_, b) = config.increase_and_decrease(w);
            // The RFC's own program: 12.8 w^1.2 rounds 1 / 0.078.
            let a = w * w * 2.0 * b / ((2.0 - b) * 12.8 * libm::pow(w, 1.2));
            if rows.is_empty() {
                rows.push((38.0, "0.50".to_owned(), 1.0));
                last = 1.0;
            } else if a - last > 1.0 {
                rows.push((w, format!("{b:.2}"), a.trunc()));
                last = a;
            }
        }
        let table: Vec<_> =
            TABLE.iter().zip(1..).map(|(row, a)| (row.0, format!("{:.2}", row.1), f64::from(a))).collect();
        assert_eq!(rows, table);
    }

    #[test]
    fn the_two_readings_of_the_table() {
        let lower = config::<Hstcp>(Preset::Standard, &[("response", 2.0)]);
        let upper = config::<Hstcp>(Preset::Standard, &[("response", 3.0)]);
        for (w, a_lower, a_upper) in [
            (38.0, (1.0, 0.5), (1.0, 0.5)),
            (39.0, (1.0, 0.5), (2.0, 0.44)),
            (117.9, (1.0, 0.5), (2.0, 0.44)),
            (118.0, (2.0, 0.44), (2.0, 0.44)),
            (119.0, (2.0, 0.44), (3.0, 0.41)),
            (94717.0, (73.0, 0.09), (73.0, 0.09)),
            (1e6, (73.0, 0.09), (73.0, 0.09)),
        ] {
            assert_eq!(lower.increase_and_decrease(w), a_lower, "lower edge at {w}");
            assert_eq!(upper.increase_and_decrease(w), a_upper, "upper edge at {w}");
        }
        let below = config::<Hstcp>(Preset::Sp500282, &[("response", 2.0)]);
        assert_eq!(below.increase_and_decrease(35.0), (1.0, 0.5), "between the low window and the table");
    }

    #[test]
    fn one_acknowledgement_and_one_loss() {
        for (config, w, increase, reduced) in [
            (exact38(), 1000.0, 7.8599, 670.12),
            (exact31(), 1000.0, 8.6092, 676.05),
            (exact38(), 3402.0, 16.3124, 2496.4),
            (study(), 3402.0, 15.7242, 2511.0),
            (exact38(), 38.0, 1.0, 19.0),
            (exact38(), 3.0, 1.0, 2.0),
        ] {
            let mut hstcp = Hstcp::new(&config, &start(w, 2.0));
            hstcp.on_ack(&config, &acks(1));
            assert_near((hstcp.cwnd() - w) * w, increase, 5.1e-5);
            let mut hstcp = Hstcp::new(&config, &start(w, 2.0));
            hstcp.on_loss(&config, &loss(LossCause::FastRetransmit, w as u32));
            assert_near(hstcp.cwnd(), reduced, 0.051);
            assert_eq!(hstcp.ssthresh(), hstcp.cwnd());
        }
    }

    #[test]
    fn linux_counts_acknowledgements_and_reads_the_table() {
        let linux = config::<Hstcp>(Preset::Linux, &[]);
        let mut hstcp = Hstcp::new(&linux, &start(100.0, 2.0));
        hstcp.on_ack(&linux, &acks(2));
        assert_near((hstcp.cwnd() - 100.0) * 100.0, 2.0, 1e-9);
        let mut hstcp = Hstcp::new(&exact38(), &start(100.0, 2.0));
        hstcp.on_ack(&exact38(), &acks(2));
        assert_near((hstcp.cwnd() - 100.0) * 100.0, 2.0 * 1.8203, 5e-3);
        let mut hstcp = Hstcp::new(&linux, &start(100.0, 2.0));
        hstcp.on_loss(&linux, &loss(LossCause::FastRetransmit, 100));
        assert_near(hstcp.cwnd(), 56.0, 1e-9);
        // The acknowledgement that reaches ssthresh ends slow start and adds nothing more.
        let mut hstcp = Hstcp::new(&linux, &start(99.0, 100.0));
        hstcp.on_ack(&linux, &acks(2));
        assert_near(hstcp.cwnd(), 100.0, 1e-9);
    }

    #[test]
    fn a_time_out_halves_unless_the_study_rules() {
        let config = exact38();
        let mut hstcp = Hstcp::new(&config, &start(1000.0, 2.0));
        hstcp.on_loss(&config, &loss(LossCause::Timeout, 1000));
        assert_eq!((hstcp.cwnd(), hstcp.ssthresh()), (1.0, 500.0));
        let config = study();
        let mut hstcp = Hstcp::new(&config, &start(2.0, 1000.0));
        hstcp.on_ack(&config, &acks(998));
        hstcp.on_loss(&config, &loss(LossCause::Timeout, 1000));
        assert_eq!(hstcp.cwnd(), 2.0);
        assert_near(hstcp.ssthresh(), 676.05, 0.0051);
    }

    #[test]
    fn the_mode_switches_above_the_low_window() {
        for (config, low) in [(exact38(), 38.0), (study(), 31.0)] {
            for (w, phase) in [(low, Phase::Standard), (low + 0.01, Phase::Alternate)] {
                assert_eq!(Hstcp::new(&config, &start(w, 2.0)).phase(&config, 0), phase);
            }
            assert_eq!(Hstcp::new(&config, &start(2.0, 50.0)).phase(&config, 0), Phase::SlowStart);
        }
    }

    #[test]
    fn the_decrease_stays_positive_at_any_window() {
        for w in [1e5, 567e3, 1e6, 1e9] {
            let (a, b) = study().increase_and_decrease(w);
            assert!(a > 70.0 && b >= 0.05, "a {a}, b {b} at {w}");
        }
    }
}
