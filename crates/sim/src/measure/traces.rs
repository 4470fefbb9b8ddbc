//! Detailed traces of selected flows and routers.

use super::columns::Table;
use crate::network::Network;
use crate::network::router::RouterState;
use crate::transport::{Flow, FlowState, Recovery};
use mesonet_cc::{Config, Phase, Picos, seconds};
use serde::{Deserialize, Serialize};

/// A flow at one instant.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct FlowRow {
    time: Picos,
    /// Index among the traced flows.
    flow: usize,
    transfer: u64,
    state: State,
    cwnd: f64,
    ssthresh: f64,
    rtt: Picos,
    in_flight: u32,
    sent: u64,
    delivered: u64,
    loss_events: u32,
    losses: u32,
    timeouts: u32,
    pacing_rate: f64,
    bandwidth: f64,
    mode: String,
}

/// A router at one instant, with what happened since the row before.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct RouterRow {
    time: Picos,
    router: usize,
    queue: u64,
    accepted: u64,
    dropped: u64,
    marked: u64,
    utilisation: f64,
}

/// Rows since the last hand-over.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Traces {
    flows: Vec<FlowRow>,
    routers: Vec<RouterRow>,
    /// Each traced router at its last row, and the instant of that.
    last: Vec<(Picos, RouterState)>,
}

impl Traces {
    /// Adds a row for the traced flow with index `index`.
    pub fn flow(&mut self, now: Picos, index: usize, flow: &Flow, config: &Config) {
        let sending = flow.state == FlowState::Sending;
        self.flows.push(FlowRow {
            time: now,
            flow: index,
            transfer: flow.transfer,
            state: State::of(flow, config, now),
            cwnd: if sending { flow.controller.cwnd() } else { f64::NAN },
            ssthresh: if sending { flow.controller.ssthresh() } else { f64::NAN },
            rtt: flow.rtt.srtt,
            in_flight: flow.board.pipe(),
            sent: flow.sent,
            delivered: flow.delivered,
            loss_events: flow.loss_events,
            losses: flow.losses,
            timeouts: flow.timeouts,
            pacing_rate: sending.then(|| flow.pacing_rate(config)).flatten().unwrap_or(f64::NAN),
            bandwidth: sending
                .then(|| flow.controller.bandwidth_estimate(config))
                .flatten()
                .unwrap_or(f64::NAN),
            mode: sending.then(|| flow.controller.mode(config)).flatten().unwrap_or_default().to_owned(),
        });
    }

    /// Adds a row for each of the given routers, always the same ones.
    pub fn routers(&mut self, now: Picos, routers: &[usize], states: &[RouterState]) {
        self.last.resize(routers.len(), (0, RouterState::default()));
        for ((&index, state), (then, last)) in routers.iter().zip(states).zip(&mut self.last) {
            let accepted = state.accepted - last.accepted;
            let busy = state.busy - last.busy;
            self.routers.push(RouterRow {
                time: now,
                router: index,
                queue: state.queue,
                accepted,
                dropped: state.dropped - last.dropped,
                marked: state.marked - last.marked,
                utilisation: busy as f64 / (now - *then) as f64,
            });
            (*then, *last) = (now, *state);
        }
    }

    /// Hands the rows of flows over and forgets them; `names` are those of the traced flows.
    pub fn take_flows(&mut self, names: &[String]) -> Table {
        let rows = std::mem::take(&mut self.flows);
        let float = |f: &dyn Fn(&FlowRow) -> f64| rows.iter().map(f).collect::<Vec<_>>();
        let whole = |f: &dyn Fn(&FlowRow) -> u64| rows.iter().map(f).collect::<Vec<_>>();
        let mut table = Table::default();
        table.float("time_s", float(&|r| seconds(r.time)));
        table.text("flow", rows.iter().map(|r| names[r.flow].clone()).collect());
        table.integer("transfer", whole(&|r| r.transfer));
        table.text("state", rows.iter().map(|r| r.state.name().to_string()).collect());
        table.float("cwnd", float(&|r| r.cwnd));
        table.float("ssthresh", float(&|r| r.ssthresh));
        table.float("rtt_ms", float(&|r| if r.rtt == 0 { f64::NAN } else { seconds(r.rtt) * 1e3 }));
        table.integer("in_flight", whole(&|r| u64::from(r.in_flight)));
        table.integer("segments_sent", whole(&|r| r.sent));
        table.integer("segments_delivered", whole(&|r| r.delivered));
        table.integer("loss_events", whole(&|r| u64::from(r.loss_events)));
        table.integer("losses", whole(&|r| u64::from(r.losses)));
        table.integer("timeouts", whole(&|r| u64::from(r.timeouts)));
        table.float("pacing_rate", float(&|r| r.pacing_rate));
        table.float("bandwidth", float(&|r| r.bandwidth));
        table.text("mode", rows.iter().map(|r| r.mode.clone()).collect());
        table
    }

    /// Hands the rows of routers over and forgets them.
    pub fn take_routers(&mut self, network: &Network) -> Table {
        let rows = std::mem::take(&mut self.routers);
        let whole = |f: &dyn Fn(&RouterRow) -> u64| rows.iter().map(f).collect::<Vec<_>>();
        let mut table = Table::default();
        table.float("time_s", rows.iter().map(|r| seconds(r.time)).collect());
        table.text("router", rows.iter().map(|r| network.queues.name(r.router, &network.topology)).collect());
        table.integer("queue", whole(&|r| r.queue));
        table.integer("segments_accepted", whole(&|r| r.accepted));
        table.integer("segments_dropped", whole(&|r| r.dropped));
        table.integer("segments_marked", whole(&|r| r.marked));
        table.float("utilisation", rows.iter().map(|r| r.utilisation).collect());
        table
    }
}

/// The stage of a flow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum State {
    Closed,
    Connecting,
    FastRecovery,
    AfterTimeout,
    SlowStart,
    Alternate,
    Standard,
}

impl State {
    fn of(flow: &Flow, config: &Config, now: Picos) -> Self {
        match (flow.state, flow.recovery) {
            (FlowState::Free, _) => Self::Closed,
            (FlowState::Connecting, _) => Self::Connecting,
            (_, Recovery::Fast) => Self::FastRecovery,
            (_, Recovery::Timeout) => Self::AfterTimeout,
            _ => match flow.controller.phase(config, now) {
                Phase::SlowStart => Self::SlowStart,
                Phase::Alternate => Self::Alternate,
                Phase::Standard => Self::Standard,
            },
        }
    }

    /// Words for users.
    fn name(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Connecting => "connecting",
            Self::FastRecovery => "fast recovery",
            Self::AfterTimeout => "after a timeout",
            Self::SlowStart => "slow start",
            Self::Alternate => "alternate",
            Self::Standard => "standard",
        }
    }
}
