//! Standard TCP: additive increase, multiplicative decrease (RFC 5681), under selective acknowledgement.

use crate::{AckEvent, Common, CongestionControl, LossCause, LossEvent, Param, Phase, Picos, Start, Window};
use serde::{Deserialize, Serialize};

/// Constants of standard TCP.
#[derive(Clone, Debug)]
pub struct TcpConfig {
    common: Common,
    increase: f64,
    decrease: f64,
}

/// Standard TCP: the state of one flow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Tcp {
    window: Window,
}

impl CongestionControl for Tcp {
    type Config = TcpConfig;

    const NAME: &'static str = "tcp";
    const TITLE: &'static str = "Standard TCP (AIMD)";
    const SOURCE: &'static str = "RFC 5681";
    const PARAMS: &'static [Param] = &[
        Param {
            name: "increase",
            doc: "window growth per round trip in congestion avoidance",
            unit: "segments",
            min: 0.0,
            max: 1000.0,
            standard: 1.0,
            sp500_282: 1.0,
            source: "RFC 5681",
        },
        Param {
            name: "decrease",
            doc: "part of the window kept after a loss",
            unit: "1",
            min: 0.01,
            max: 0.99,
            standard: 0.5,
            sp500_282: 0.5,
            source: "RFC 5681",
        },
    ];

    fn config(common: Common, values: &[f64]) -> TcpConfig {
        TcpConfig { common, increase: values[0], decrease: values[1] }
    }

    fn new(_: &TcpConfig, start: &Start) -> Self {
        Self { window: Window::new(start) }
    }

    fn on_ack(&mut self, config: &TcpConfig, ack: &AckEvent) {
        if !config.common.may_grow(ack) {
            return;
        }
        for _ in 0..self.window.grow_in_slow_start(&config.common, ack) {
            self.window.grow(&config.common, config.increase / self.window.cwnd);
        }
    }

    fn on_loss(&mut self, config: &TcpConfig, loss: &LossEvent) {
        let basis = self.window.basis(&config.common, loss);
        let reduced = basis * config.decrease;
        match loss.cause {
            LossCause::Timeout => self.window.timeout(&config.common, loss, basis, reduced),
            LossCause::FastRetransmit | LossCause::Ecn => self.window.reduce(reduced),
        }
    }

    fn window(&self) -> &Window {
        &self.window
    }

    fn phase(&self, _: &TcpConfig, _: Picos) -> Phase {
        if self.window.in_slow_start() { Phase::SlowStart } else { Phase::Standard }
    }
}
