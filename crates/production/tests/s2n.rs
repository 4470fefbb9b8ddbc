//! Controls of s2n-quic through the table of a plug-in: `cargo test -p mesonet-production --features s2n`.
#![cfg(feature = "s2n")]

use mesonet_cc::plugin::{PluginConfig, load};
use mesonet_cc::registry::ALGORITHMS;
use mesonet_cc::{
    AckEvent, Common, Config, Controller, DeliverySample, FlowName, LossCause, LossEvent, LostSegment,
    MILLISECOND, Phase, Picos, Positions, Preset, SendEvent, SlowStart, Start,
};

const RTT: Picos = 100 * MILLISECOND;

/// A flow of a control of this build, and the numbers that the simulator keeps of it.
struct Flow {
    config: Config,
    controller: Controller,
    now: Picos,
    delivered: u64,
    next: u64,
    in_flight: u32,
    lost: u32,
}

impl Flow {
    #[allow(unsafe_code)]
    fn new(place: usize) -> Self {
        let build = &mesonet_production::builds()[place];
        // SAFETY: a table of this build, which stays to the end of the process.
        let plugin =
            unsafe { load(build.table, &build.version, ALGORITHMS) }.expect("a table that is allowed");
        let config = Config::plugin(PluginConfig::new(plugin, Common::of(Preset::Linux), &[]));
        let controller = config.start(&Start {
            now: 0,
            initial_window: 10.0,
            initial_ssthresh: 1e9,
            rtt: RTT,
            slow_start: SlowStart::Classic,
            seed: 7,
            flow: FlowName { source: 1, transfer: 1 },
        });
        Self { config, controller, now: RTT, delivered: 0, next: 0, in_flight: 0, lost: 0 }
    }

    /// Fills the window.
    fn fill(&mut self) -> u32 {
        let window = self.controller.cwnd() as u32;
        for _ in self.in_flight..window {
            self.in_flight += 1;
            self.next += 1;
            let send = SendEvent { now: self.now, in_flight: self.in_flight, retransmission: false };
            self.controller.on_send(&self.config, &send);
        }
        window
    }

    /// Acknowledges `count` segments, each by an acknowledgement, a round trip later, with marks.
    fn acknowledge(&mut self, count: u32, ce: u32) {
        self.now += RTT;
        let (before, lost) = (self.delivered, self.lost);
        for place in 0..count {
            self.delivered += 1;
            self.in_flight -= 1;
            let ack = AckEvent {
                now: self.now,
                acked: 1,
                segments: 1,
                rtt: RTT,
                min_rtt: RTT,
                srtt: RTT,
                in_flight: self.in_flight,
                delivered: self.delivered,
                ce,
                sample: DeliverySample {
                    prior_delivered: before,
                    interval: RTT,
                    in_flight: place + 1,
                    lost: self.lost - lost,
                    ..DeliverySample::default()
                },
                cwnd_limited: true,
                ..AckEvent::default()
            };
            let positions = Positions { una: self.delivered, next: self.next };
            self.controller.on_ack(&self.config, &ack, || positions);
        }
    }

    fn lose(&mut self, in_flight: u32) {
        self.lost += 1;
        self.in_flight -= 1;
        let lost = LostSegment { delivered: self.delivered, in_flight, lost: 1, app_limited: false };
        self.controller.on_segment_lost(&self.config, &lost, self.now);
    }
}

#[test]
fn names_and_versions_are_those_of_the_build() {
    let builds = mesonet_production::builds();
    assert_eq!(builds.len(), 2);
    assert!(builds.iter().all(|build| build.version.starts_with("s2n-quic-core-0.91.0-")));
    assert!(builds.iter().all(|build| build.table.param_count == 0 && build.table.codepoint == 1));
}

#[test]
fn both_double_their_window_in_slow_start_and_pace() {
    for place in 0..2 {
        let mut flow = Flow::new(place);
        assert_eq!((flow.controller.cwnd(), flow.controller.pacing_rate()), (10.0, None));
        assert_eq!(flow.controller.phase(&flow.config, 0), Phase::SlowStart);
        for expected in [10, 20, 40] {
            let window = flow.fill();
            assert!(window.abs_diff(expected) <= 1, "control {place}: {window}, expected {expected}");
            flow.acknowledge(window, 0);
        }
        flow.fill();
        assert!(flow.controller.pacing_rate().expect("a rate") > 300.0, "control {place}");
    }
}

#[test]
fn cubic_keeps_seven_tenths_at_a_loss_and_at_a_mark() {
    for mark in [false, true] {
        let mut flow = Flow::new(0);
        for _ in 0..3 {
            let window = flow.fill();
            flow.acknowledge(window, 0);
        }
        let before = flow.controller.cwnd();
        let window = flow.fill();
        if mark {
            flow.acknowledge(1, 1);
        } else {
            flow.lose(1);
            let loss = LossEvent {
                now: flow.now,
                cause: LossCause::FastRetransmit,
                in_flight: window,
                lost: 1,
                first_timeout: false,
            };
            flow.controller.on_loss(&flow.config, &loss);
        }
        let kept = flow.controller.cwnd() / before;
        assert!((kept - 0.7).abs() < 0.01, "{kept} of the window");
        assert_eq!(flow.controller.phase(&flow.config, 0), Phase::Alternate);
    }
}

#[test]
fn after_a_timeout_one_segment_leaves_and_cubic_has_its_least_window() {
    for place in 0..2 {
        let mut flow = Flow::new(place);
        let window = flow.fill();
        flow.acknowledge(window, 0);
        let window = flow.fill();
        flow.now += 10 * RTT;
        let loss = LossEvent {
            now: flow.now,
            cause: LossCause::Timeout,
            in_flight: window,
            lost: window,
            first_timeout: true,
        };
        flow.controller.on_loss(&flow.config, &loss);
        for in_flight in 1..=window {
            flow.lose(in_flight);
        }
        assert_eq!(flow.controller.cwnd(), 1.0);
        assert_eq!(flow.fill(), 1);
        flow.acknowledge(1, 0);
        // RFC 9002, section 7.6.2: persistent congestion leaves two datagrams; BBR has its own rule.
        assert!(flow.controller.cwnd() >= 2.0);
        assert!(place == 1 || flow.controller.cwnd() <= 3.0, "{}", flow.controller.cwnd());
    }
}

#[test]
fn bbr_reports_its_mode_and_its_estimate() {
    let mut flow = Flow::new(1);
    for _ in 0..3 {
        let window = flow.fill();
        flow.acknowledge(window, 0);
    }
    assert_eq!(flow.controller.mode(&flow.config), Some("startup"));
    for _ in 0..30 {
        let window = flow.fill().min(50);
        flow.acknowledge(window, 0);
    }
    let mode = flow.controller.mode(&flow.config).expect("a mode");
    assert!(["drain", "probe_down", "cruise", "refill", "probe_up"].contains(&mode), "{mode}");
    let bandwidth = flow.controller.bandwidth_estimate(&flow.config).expect("an estimate");
    assert!((100.0..2000.0).contains(&bandwidth), "{bandwidth} segments/s");
}
