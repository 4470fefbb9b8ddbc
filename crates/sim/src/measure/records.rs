//! What completed flows leave behind: a record each (or of a sample), and sums by flow group.

use super::columns::Table;
use super::pair_class::PairClass;
use crate::network::Network;
use crate::random::{Purpose, Stream};
use crate::transport::Flow;
use crate::users::FILE_CATEGORIES;
use crate::users::files::EXPLICIT;
use mesonet_cc::{Picos, seconds};
use std::collections::BTreeMap;

/// Goodputs are summed in units of 2^-10 segments/s.
const GOODPUT_UNIT: f64 = 1024.0;

/// Goodput of a flow in segments/s: size / (last acknowledgement - first segment sent); 0 before anything is known.
#[must_use]
pub fn goodput(flow: &Flow) -> f64 {
    let time = flow.last_acked.saturating_sub(flow.first_sent);
    if time == 0 { 0.0 } else { flow.delivered as f64 / seconds(time) }
}

/// One record.
#[derive(Clone, Debug)]
struct Record {
    source: u32,
    transfer: u64,
    category: u8,
    algorithm: u8,
    pair_class: u8,
    fast: bool,
    completed: bool,
    from: u16,
    to: u16,
    size: Option<u64>,
    started: Picos,
    first_sent: Option<Picos>,
    last_acked: Option<Picos>,
    sent: u64,
    delivered: u64,
    loss_events: u32,
    timeouts: u32,
    syns: u32,
    goodput: f64,
}

/// Records of flows.
#[derive(Clone, Debug)]
pub struct FlowRecords {
    seed: u64,
    fraction: f64,
    records: Vec<Record>,
}

impl FlowRecords {
    /// Records the given fraction of the flows of the users, and every explicit flow.
    #[must_use]
    pub fn new(seed: u64, fraction: f64) -> Self {
        Self { seed, fraction, records: Vec::new() }
    }

    /// Whether this flow leaves a record: a draw from its own stream.
    fn wanted(&self, flow: &Flow) -> bool {
        flow.category == EXPLICIT
            || self.fraction >= 1.0
            || (self.fraction > 0.0
                && Stream::new(self.seed, Purpose::Record, u64::from(flow.source), flow.transfer).uniform()
                    < self.fraction)
    }

    /// A flow has ended, or the run has.
    pub fn add(&mut self, flow: &Flow, fast: bool, completed: bool) {
        if !self.wanted(flow) {
            return;
        }
        let size = flow.end - flow.base;
        let started_sending = flow.sent > 0;
        self.records.push(Record {
            source: flow.source,
            transfer: flow.transfer,
            category: flow.category,
            algorithm: flow.algorithm,
            pair_class: flow.pair_class,
            fast,
            completed,
            from: flow.origin,
            to: flow.receiver,
            size: (flow.end != u64::MAX).then_some(size),
            started: flow.started,
            first_sent: started_sending.then_some(flow.first_sent),
            last_acked: (flow.delivered > 0).then_some(flow.last_acked),
            sent: flow.sent,
            delivered: flow.delivered,
            loss_events: flow.loss_events,
            timeouts: flow.timeouts,
            syns: flow.syns,
            goodput: goodput(flow),
        });
    }

    /// Hands the records over and forgets them.
    pub fn take(&mut self, network: &Network, algorithms: &[&'static str]) -> Table {
        let records = std::mem::take(&mut self.records);
        let router = |access: u16| network.topology.routers[network.access[usize::from(access)]].name.clone();
        let time = |t: Option<Picos>| t.map_or(f64::NAN, seconds);
        let text = |f: &dyn Fn(&Record) -> String| records.iter().map(f).collect::<Vec<_>>();
        let whole = |f: &dyn Fn(&Record) -> u64| records.iter().map(f).collect::<Vec<_>>();
        let float = |f: &dyn Fn(&Record) -> f64| records.iter().map(f).collect::<Vec<_>>();
        let mut table = Table::default();
        table.integer("source", whole(&|r| u64::from(r.source)));
        table.integer("transfer", whole(&|r| r.transfer));
        table.text("category", text(&|r| FILE_CATEGORIES[usize::from(r.category)].into()));
        table.text("algorithm", text(&|r| algorithms[usize::from(r.algorithm)].into()));
        table.text("path_class", text(&|r| PairClass::path_class(r.pair_class).into()));
        table.text("rate_class", text(&|r| rate_class(r.fast).into()));
        table.text("from", text(&|r| router(r.from)));
        table.text("to", text(&|r| router(r.to)));
        table.float("size", float(&|r| r.size.map_or(f64::NAN, |s| s as f64)));
        table.integer("completed", whole(&|r| u64::from(r.completed)));
        table.float("started_s", float(&|r| seconds(r.started)));
        table.float("first_sent_s", float(&|r| time(r.first_sent)));
        table.float("last_acked_s", float(&|r| time(r.last_acked)));
        table.integer("segments_sent", whole(&|r| r.sent));
        table.integer("segments_delivered", whole(&|r| r.delivered));
        table.integer("loss_events", whole(&|r| u64::from(r.loss_events)));
        table.integer("timeouts", whole(&|r| u64::from(r.timeouts)));
        table.integer("syns", whole(&|r| u64::from(r.syns)));
        table.float("goodput", float(&|r| r.goodput));
        table
    }
}

fn rate_class(fast: bool) -> &'static str {
    if fast { "fast" } else { "normal" }
}

/// Sums over the completed flows of one group.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    flows: u64,
    size: u128,
    sent: u128,
    goodput: u128,
    goodput_squared: u128,
    size_goodput: u128,
}

/// File category, path class, fast interface, algorithm.
type GroupKey = (u8, &'static str, bool, u8);

/// Completed flows of the measured span by file category, path class, interface rate and algorithm.
#[derive(Clone, Debug, Default)]
pub struct FlowGroups(BTreeMap<GroupKey, Group>);

impl FlowGroups {
    /// Adds a completed flow.
    pub fn add(&mut self, flow: &Flow, fast: bool) {
        let path_class = PairClass::path_class(flow.pair_class);
        let group = self.0.entry((flow.category, path_class, fast, flow.algorithm)).or_default();
        let goodput = (goodput(flow) * GOODPUT_UNIT) as u128;
        group.flows += 1;
        group.size += u128::from(flow.delivered);
        group.sent += u128::from(flow.sent);
        group.goodput += goodput;
        group.goodput_squared += goodput * goodput;
        group.size_goodput += goodput * u128::from(flow.delivered);
    }

    /// One row a group that has flows.
    #[must_use]
    pub fn table(&self, algorithms: &[&'static str]) -> Table {
        let mut table = Table::default();
        let text = |f: &dyn Fn(&GroupKey) -> &'static str| {
            self.0.keys().map(|k| f(k).to_string()).collect::<Vec<_>>()
        };
        let float = |f: &dyn Fn(&Group) -> f64| self.0.values().map(f).collect::<Vec<_>>();
        table.text("category", text(&|k| FILE_CATEGORIES[usize::from(k.0)]));
        table.text("path_class", text(&|k| k.1));
        table.text("rate_class", text(&|k| rate_class(k.2)));
        table.text("algorithm", text(&|k| algorithms[usize::from(k.3)]));
        table.integer("flows", self.0.values().map(|g| g.flows).collect());
        table.float("mean_size", float(&|g| g.size as f64 / g.flows as f64));
        table.float("goodput", float(&|g| g.goodput as f64 / GOODPUT_UNIT / g.flows as f64));
        table.float("goodput_sd", float(&Group::standard_deviation));
        table.float("goodput_by_size", float(&|g| g.size_goodput as f64 / GOODPUT_UNIT / g.size as f64));
        table.float("retransmission_rate", float(&|g| 1.0 - g.size as f64 / g.sent as f64));
        table
    }
}

impl Group {
    /// Sample standard deviation of the goodput, segments/s; NaN for fewer than two flows.
    fn standard_deviation(&self) -> f64 {
        let n = self.flows as f64;
        let (sum, squares) = (self.goodput as f64 / GOODPUT_UNIT, self.goodput_squared as f64);
        let squares = squares / (GOODPUT_UNIT * GOODPUT_UNIT);
        if self.flows < 2 { f64::NAN } else { ((squares - sum * sum / n).max(0.0) / (n - 1.0)).sqrt() }
    }
}
