//! Events of a flow, whatever its algorithm, and the rules that must hold then: for the contract tests and
//! the fuzz target.

use mesonet_cc::{
    AckEvent, Algorithm, Common, Config, Controller, DeliverySample, IdleEvent, LossCause, LossEvent,
    LostSegment, Phase, Picos, Positions, Preset, ResumeStep, SendEvent, Start,
};

/// Something that may happen to a flow, `wait` after what happened before.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub wait: Picos,
    pub what: What,
}

#[derive(Clone, Copy, Debug)]
pub enum What {
    Ack {
        acked: u32,
        rtt: Picos,
        in_flight: u32,
        in_recovery: bool,
        cwnd_limited: bool,
        round_start: bool,
        ce: bool,
    },
    Loss {
        cause: LossCause,
        in_flight: u32,
        first_timeout: bool,
    },
    /// The application hands over data after so long.
    Idle {
        idle: Picos,
        rto: Picos,
    },
    Resume(ResumeStep),
    RecoveryExit,
    Timer,
    Send {
        in_flight: u32,
        retransmission: bool,
    },
}

/// A flow with what its sender would know.
#[derive(Clone)]
pub struct Flow {
    pub config: Config,
    pub controller: Controller,
    pub now: Picos,
    min_rtt: Picos,
    srtt: Picos,
    delivered: u64,
}

impl Flow {
    pub fn new(config: Config, start: &Start) -> Self {
        let controller = config.start(start);
        Self { config, controller, now: start.now, min_rtt: 0, srtt: 0, delivered: 0 }
    }

    pub fn meet(&mut self, event: &Event) {
        self.now += event.wait;
        let now = self.now;
        match event.what {
            What::Ack { acked, rtt, in_flight, in_recovery, cwnd_limited, round_start, ce } => {
                if rtt > 0 {
                    self.min_rtt = if self.min_rtt == 0 { rtt } else { self.min_rtt.min(rtt) };
                    self.srtt = if self.srtt == 0 { rtt } else { self.srtt - self.srtt / 8 + rtt / 8 };
                }
                self.delivered += u64::from(acked);
                let ack = AckEvent {
                    now,
                    acked,
                    segments: acked,
                    rtt,
                    min_rtt: self.min_rtt,
                    srtt: self.srtt,
                    in_flight,
                    delivered: self.delivered,
                    delivery_rate: if rtt > 0 { f64::from(acked) / (rtt as f64 * 1e-12) } else { 0.0 },
                    sample: DeliverySample {
                        prior_delivered: self.delivered - u64::from(acked),
                        interval: rtt,
                        in_flight,
                        lost: u32::from(in_recovery),
                        ce: if ce { acked } else { 0 },
                        app_limited: !cwnd_limited,
                    },
                    lost: u32::from(in_recovery),
                    round_start,
                    in_recovery,
                    after_timeout: false,
                    cwnd_limited,
                    app_limited: !cwnd_limited,
                    ce: if ce { acked } else { 0 },
                };
                if ack.lost > 0 && self.config.wants_delivery_rate() {
                    let lost = LostSegment {
                        delivered: ack.delivered,
                        in_flight: in_flight.max(1),
                        lost: ack.lost,
                        app_limited: ack.app_limited,
                    };
                    self.controller.on_segment_lost(&self.config, &lost, self.now);
                }
                let positions =
                    || Positions { una: ack.delivered, next: ack.delivered + u64::from(in_flight) };
                self.controller.on_ack(&self.config, &ack, positions);
            }
            What::Loss { cause, in_flight, first_timeout } => {
                let loss = LossEvent { now, cause, in_flight, lost: in_flight.min(1), first_timeout };
                self.controller.on_loss(&self.config, &loss);
            }
            What::Idle { idle, rto } => {
                self.controller.on_idle(&self.config, &IdleEvent { now, idle: idle.min(now), rto });
            }
            What::Resume(step) => self.controller.on_resume(&self.config, &step),
            What::RecoveryExit => self.controller.on_recovery_exit(&self.config, now),
            What::Timer if self.config.timer_period().is_some() => {
                self.controller.on_timer(&self.config, now);
            }
            What::Send { in_flight, retransmission } if self.config.wants_sends() => {
                self.controller.on_send(&self.config, &SendEvent { now, in_flight, retransmission });
            }
            What::Timer | What::Send { .. } => {}
        }
    }

    pub fn state(&self) -> String {
        serde_json::to_string(&self.controller).expect("plain data")
    }

    /// Checks the rules that hold at any time.
    pub fn check(&self, common: &Common) -> Result<(), String> {
        let (cwnd, ssthresh) = (self.controller.cwnd(), self.controller.ssthresh());
        let holds = |condition: bool, what: &str, value: f64| {
            if condition { Ok(()) } else { Err(format!("{what} {value}")) }
        };
        holds(cwnd.is_finite() && cwnd >= 1.0 && cwnd <= common.max_cwnd, "cwnd", cwnd)?;
        holds(ssthresh.is_finite() && ssthresh >= 2.0, "ssthresh", ssthresh)?;
        if let Some(rate) = self.controller.pacing_rate() {
            holds(rate.is_finite() && rate > 0.0, "pacing rate", rate)?;
        }
        let _: Phase = self.controller.phase(&self.config, self.now);
        Ok(())
    }
}

/// The constants of an algorithm: per constant its default, its smallest or its largest value.
pub fn constants(algorithm: &Algorithm, preset: Preset, extremes: &[u8]) -> Vec<f64> {
    let values = algorithm.params.iter().zip(extremes.iter().cycle());
    values
        .map(|(param, extreme)| match extreme {
            1 => param.min,
            2 => param.max,
            _ => param.default(preset),
        })
        .collect()
}
