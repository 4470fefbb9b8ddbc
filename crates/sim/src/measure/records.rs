//! Records of flows that have ended: of all, or of a sample.

use super::columns::Table;
use super::pair_class::PathClass;
use super::rtt_class::RTT_CLASSES;
use super::slowdown::SLOWDOWN_UNIT;
use crate::network::{AccessRouter, Wiring};
use crate::random::{Purpose, Stream};
use crate::transport::Flow;
use crate::users::files::EXPLICIT;
use crate::users::{FILE_CATEGORIES, Owners};
use mesonet_cc::{Picos, seconds};
use serde::{Deserialize, Serialize};

/// Goodput of a flow in segments/s: size / (last acknowledgement - first segment sent); 0 before anything is
/// known.
#[must_use]
pub fn goodput(flow: &Flow) -> f64 {
    let time = flow.heard.saturating_sub(flow.first_sent);
    if time == 0 { 0.0 } else { flow.delivered as f64 / seconds(time) }
}

/// A record.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    pub(super) source: u32,
    transfer: u64,
    pub(super) category: u8,
    pub(super) algorithm: u8,
    pub(super) pair_class: u8,
    pub(super) fast: bool,
    rtt_class: u8,
    completed: bool,
    from: AccessRouter,
    to: AccessRouter,
    size: Option<u64>,
    pub(super) started: Picos,
    /// When it ended, or the run did.
    pub ended: Picos,
    first_sent: Option<Picos>,
    last_acked: Option<Picos>,
    pub(super) sent: u64,
    pub(super) delivered: u64,
    pub(super) loss_events: u32,
    /// Segments of its data that routers dropped.
    pub losses: u32,
    pub(super) timeouts: u32,
    spurious_timeouts: u32,
    syns: u32,
    pub(super) goodput: f64,
    /// Last smoothed round-trip time.
    pub(super) rtt: Option<Picos>,
    /// Last smoothed round-trip time less propagation.
    pub(super) queueing: Option<Picos>,
    /// Completion time / time alone, in units of 2^-10; none for a flow that did not complete.
    pub slowdown: Option<u64>,
}

impl Record {
    /// The record of a flow that ends now.
    #[must_use]
    pub fn of(flow: &Flow, fast: bool, completed: bool, now: Picos) -> Self {
        let started_sending = flow.sent > 0;
        Self {
            source: flow.source,
            transfer: flow.transfer,
            category: flow.category,
            algorithm: flow.algorithm,
            pair_class: flow.pair_class,
            fast,
            rtt_class: flow.rtt_class,
            completed,
            from: flow.origin,
            to: flow.receiver,
            size: (flow.end != u64::MAX).then_some(flow.end - flow.base),
            started: flow.started,
            ended: now,
            first_sent: started_sending.then_some(flow.first_sent),
            last_acked: (flow.delivered > 0).then_some(flow.heard),
            sent: flow.sent,
            delivered: flow.delivered,
            loss_events: flow.loss_events,
            losses: flow.losses,
            timeouts: flow.timeouts,
            spurious_timeouts: flow.spurious_timeouts,
            syns: flow.syns,
            goodput: goodput(flow),
            rtt: (flow.rtt.srtt > 0).then_some(flow.rtt.srtt),
            queueing: flow.queueing(),
            slowdown: None,
        }
    }
}

/// Records of flows.
#[derive(Clone, Debug, Serialize, Deserialize)]
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

    /// Returns whether this flow leaves a record: a draw from its own stream.
    fn wanted(&self, record: &Record) -> bool {
        let (source, transfer) = (u64::from(record.source), record.transfer);
        record.category == EXPLICIT
            || self.fraction >= 1.0
            || (self.fraction > 0.0
                && Stream::new(self.seed, Purpose::Record, source, transfer).uniform() < self.fraction)
    }

    /// Keeps the record of a flow that has ended, if it is wanted.
    pub fn add(&mut self, record: Record) {
        if self.wanted(&record) {
            self.records.push(record);
        }
    }

    /// Moves the records of `other` here.
    pub fn append(&mut self, other: &mut Self) {
        self.records.append(&mut other.records);
    }

    /// Hands the records over in the order in which the flows ended, and forgets them.
    pub fn take(&mut self, wiring: &Wiring, owners: &Owners, algorithms: &[String]) -> Table {
        let mut records = std::mem::take(&mut self.records);
        records.sort_by_key(|r| (r.ended, r.source, r.transfer));
        let owner = |r: &Record| owners.of(wiring, r.category, r.source, [r.from, r.to]);
        let time = |t: Option<Picos>| t.map_or(f64::NAN, seconds);
        let text = |f: &dyn Fn(&Record) -> String| records.iter().map(f).collect::<Vec<_>>();
        let whole = |f: &dyn Fn(&Record) -> u64| records.iter().map(f).collect::<Vec<_>>();
        let float = |f: &dyn Fn(&Record) -> f64| records.iter().map(f).collect::<Vec<_>>();
        let mut table = Table::default();
        table.integer("source", whole(&|r| u64::from(r.source)));
        table.integer("transfer", whole(&|r| r.transfer));
        table.text("user", text(&|r| owners.name(wiring, &owner(r))));
        table.text("category", text(&|r| FILE_CATEGORIES[usize::from(r.category)].into()));
        table.text("algorithm", text(&|r| algorithms[usize::from(r.algorithm)].clone()));
        table.text("path_class", text(&|r| PathClass::of(usize::from(r.pair_class)).name().into()));
        table.text("rtt_class", text(&|r| RTT_CLASSES[usize::from(r.rtt_class)].into()));
        table.text("rate_class", text(&|r| rate_class(r.fast).into()));
        table.text("from", text(&|r| wiring.access_name(r.from).into()));
        table.text("to", text(&|r| wiring.access_name(r.to).into()));
        table.text("pop", text(&|r| owners.place(wiring, owner(r).home).into()));
        table.text("access", text(&|r| wiring.access_kind(owner(r).access).into()));
        table.float("size", float(&|r| r.size.map_or(f64::NAN, |s| s as f64)));
        table.integer("completed", whole(&|r| u64::from(r.completed)));
        table.float("started_s", float(&|r| seconds(r.started)));
        table.float("first_sent_s", float(&|r| time(r.first_sent)));
        table.float("last_acked_s", float(&|r| time(r.last_acked)));
        table.integer("segments_sent", whole(&|r| r.sent));
        table.integer("segments_delivered", whole(&|r| r.delivered));
        table.integer("loss_events", whole(&|r| u64::from(r.loss_events)));
        table.integer("losses", whole(&|r| u64::from(r.losses)));
        table.integer("timeouts", whole(&|r| u64::from(r.timeouts)));
        table.integer("spurious_timeouts", whole(&|r| u64::from(r.spurious_timeouts)));
        table.integer("syns", whole(&|r| u64::from(r.syns)));
        table.float("goodput", float(&|r| r.goodput));
        table.float("rtt_ms", float(&|r| time(r.rtt) * 1e3));
        table.float("queueing_delay_ms", float(&|r| time(r.queueing) * 1e3));
        table.float("slowdown", float(&|r| r.slowdown.map_or(f64::NAN, |s| s as f64 / SLOWDOWN_UNIT)));
        table
    }
}

/// Word for the interface rate of a flow.
#[must_use]
pub fn rate_class(fast: bool) -> &'static str {
    if fast { "fast" } else { "normal" }
}
