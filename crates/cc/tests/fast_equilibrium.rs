//! Equilibrium of FAST flows on a fluid bottleneck of 21 segments/ms at 162 ms: every flow keeps alpha
//! segments queued, and flows share the path in proportion to their alphas.

use crate::support::{assert_close, config, start};
use mesonet_cc::{AckEvent, Config, Controller, MILLISECOND, Phase, Picos, Positions, Preset, picos};

/// Segments per millisecond.
const SPEED: f64 = 21.0;
/// Milliseconds without a queue, and the window that fills the path.
const PROPAGATION: f64 = 162.0;
const PATH: f64 = SPEED * PROPAGATION;
const MS: Picos = MILLISECOND;

struct Flow {
    config: Config,
    controller: Controller,
    began: usize,
    /// Acknowledgements due, with the fraction that is not due yet.
    due: f64,
    /// The first round-trip time that the flow measures where it is not that of the queue, milliseconds.
    first_rtt: Option<f64>,
}

/// Flows behind one queue without a limit, in steps of a millisecond. What all windows exceed the path by is
/// queued; an acknowledgement carries the delay of the queue that its segment met.
struct Bottleneck {
    flows: Vec<Flow>,
    /// Queueing delay of a segment that arrived in each millisecond so far, milliseconds.
    delays: Vec<f64>,
}

impl Bottleneck {
    fn new() -> Self {
        Self { flows: Vec::new(), delays: vec![0.0] }
    }

    fn now(&self) -> usize {
        self.delays.len() - 1
    }

    /// A new flow, in slow start up to 100 segments.
    fn join(&mut self, config: &Config, first_rtt: Option<f64>) {
        let mut start = start(2.0, 100.0);
        start.now = self.now() as Picos * MS;
        self.flows.push(Flow {
            controller: config.start(&start),
            config: config.clone(),
            began: self.now(),
            due: 0.0,
            first_rtt,
        });
    }

    fn queue(&self) -> f64 {
        (self.flows.iter().map(|f| f.controller.cwnd()).sum::<f64>() - PATH).max(0.0)
    }

    /// The round-trip time of a segment that is acknowledged now: it met the queue a propagation delay and
    /// its own waiting time ago.
    fn rtt(&self) -> f64 {
        let mut rtt = PROPAGATION;
        for _ in 0..3 {
            let met = self.now().saturating_sub(rtt.round() as usize);
            rtt = PROPAGATION + self.delays[met];
        }
        rtt
    }

    fn advance(&mut self, seconds: usize) {
        for _ in 0..1000 * seconds {
            self.delays.push(self.queue() / SPEED);
            let (step, rtt) = (self.now(), self.rtt());
            let now = step as Picos * MS;
            for flow in &mut self.flows {
                flow.due += flow.controller.cwnd() / rtt;
                while flow.due >= 1.0 {
                    flow.due -= 1.0;
                    let rtt = picos(flow.first_rtt.take().unwrap_or(rtt) / 1000.0);
                    let ack = AckEvent { now, acked: 1, rtt, cwnd_limited: true, ..AckEvent::default() };
                    flow.controller.on_ack(&flow.config, &ack, Positions::default);
                }
                let period = (flow.config.timer_period().expect("FAST has a timer") / MS) as usize;
                if (step - flow.began) % period == 0 {
                    flow.controller.on_timer(&flow.config, now);
                }
            }
        }
    }

    fn windows(&self) -> Vec<f64> {
        self.flows.iter().map(|f| f.controller.cwnd()).collect()
    }
}

fn fast(changes: &[(&str, f64)]) -> Config {
    config("fast", Preset::Sp500282, changes)
}

#[test]
fn one_flow_fills_the_path_and_queues_alpha() {
    for step in [0.0, 1.0, 2.0, 3.0] {
        for alpha in [80.0, 200.0] {
            let mut path = Bottleneck::new();
            path.join(&fast(&[("alpha", alpha), ("step", step)]), None);
            path.advance(60);
            assert_close(&format!("step {step}"), path.windows()[0], PATH + alpha, 0.01);
        }
    }
}

#[test]
fn every_flow_queues_alpha_after_a_minute() {
    for n in 1..=10 {
        let mut path = Bottleneck::new();
        for _ in 0..n {
            path.join(&fast(&[]), None);
        }
        path.advance(60);
        let per_flow = path.queue() / f64::from(n);
        assert!((per_flow - 200.0).abs() <= 1.0, "{n} flows queue {per_flow} segments each");
        for window in path.windows() {
            assert_close("window", window, PATH / f64::from(n) + 200.0, 0.01);
        }
    }
}

#[test]
fn flows_that_know_the_propagation_delay_share_equally() {
    for (alpha, window) in [(200.0, 1901.0), (80.0, 1781.0)] {
        let config = fast(&[("alpha", alpha)]);
        let mut path = Bottleneck::new();
        path.join(&config, None);
        path.advance(40);
        path.join(&config, Some(PROPAGATION));
        path.advance(400);
        assert_close("queue", path.queue(), 2.0 * alpha, 0.005);
        for share in path.windows() {
            assert_close("window", share, window, 0.005);
        }
    }
}

#[test]
fn a_newcomer_that_measures_the_queue_of_the_first_flow_gets_the_golden_ratio() {
    for (alpha, first, newcomer, queue) in [(200.0, 1499.4, 2426.2, 523.6), (80.0, 1379.4, 2232.0, 209.4)] {
        let config = fast(&[("alpha", alpha)]);
        let mut path = Bottleneck::new();
        path.join(&config, None);
        path.advance(40);
        path.join(&config, None);
        path.advance(400);
        assert_close("first", path.windows()[0], first, 0.001);
        assert_close("newcomer", path.windows()[1], newcomer, 0.001);
        assert_close("queue", path.queue(), queue, 0.001);
        let rate_ratio = path.windows()[1] / path.windows()[0];
        assert_close("golden ratio", rate_ratio, 1.6180, 0.001);
        assert!(path.flows.iter().all(|f| f.controller.phase(&config, 0) == Phase::Alternate));
    }
}

#[test]
fn flows_of_different_alphas_share_in_their_proportion() {
    for (first, second, queue, share) in
        [(0.0, 1.0, 28.0, 0.286), (1.0, 2.0, 220.0, 0.0909), (0.0, 2.0, 208.0, 0.0385)]
    {
        let at = |level| {
            let changes = [("initial_alpha", level), ("tuning_period", 1e6)];
            config("fast-at", Preset::Sp500282, &changes)
        };
        let mut path = Bottleneck::new();
        path.join(&at(first), Some(PROPAGATION));
        path.join(&at(second), Some(PROPAGATION));
        path.advance(800);
        let windows = path.windows();
        assert_close("queue", path.queue(), queue, 0.001);
        assert_close("share of the first", windows[0] / (windows[0] + windows[1]), share, 0.005);
    }
}
