//! Flows by user, measured period and class: sums, so that their number follows from the users and not from
//! the flows.

use super::columns::Table;
use super::groups::GOODPUT_UNIT;
use super::pair_class::PathClass;
use super::records::{Record, rate_class};
use super::rtt_class::RTT_CLASSES;
use super::slowdown::SLOWDOWN_UNIT;
use crate::network::Wiring;
use crate::transport::Flow;
use crate::users::{Owner, Owners};
use mesonet_cc::{Picos, seconds};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Natural logarithms are summed in units of 2^-24 (chosen: to 6e-8, and no run overflows the sum).
const LOG_UNIT: f64 = 16_777_216.0;

/// Whose flows a row has: those of one user in one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnitRow {
    owner: Owner,
    algorithm: u8,
    path_class: u8,
    rtt_class: u8,
    slow: bool,
}

impl UnitRow {
    /// The unit of a flow that belongs to `owner`.
    #[must_use]
    pub fn of(flow: &Flow, owner: Owner, fast: bool) -> Self {
        Self {
            owner,
            algorithm: flow.algorithm,
            path_class: PathClass::of(usize::from(flow.pair_class)) as u8,
            rtt_class: flow.rtt_class,
            slow: !fast,
        }
    }
}

/// Values of flows.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Sum {
    flows: u64,
    sum: u128,
    /// Sum of the natural logarithms.
    logs: i64,
}

impl Sum {
    /// Adds a value in whole units, and as a positive number for its logarithm.
    fn add(&mut self, whole: u128, number: f64) {
        self.flows += 1;
        self.sum += whole;
        self.logs += (libm::log(number.max(f64::MIN_POSITIVE)) * LOG_UNIT).round() as i64;
    }

    fn merge(&mut self, other: &Self) {
        self.flows += other.flows;
        self.sum += other.sum;
        self.logs += other.logs;
    }

    /// The mean; `unit`: of the whole values.
    fn mean(&self, unit: f64) -> f64 {
        self.sum as f64 * unit / self.flows as f64
    }

    fn mean_log(&self) -> f64 {
        self.logs as f64 / LOG_UNIT / self.flows as f64
    }
}

/// Sums over the flows of a row. Those after `active` are over completed flows.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Sums {
    /// Segments that were acknowledged in the period.
    acked: u64,
    /// Time for which the flows were sending in the period.
    active: u128,
    flows: u64,
    size: u64,
    sent: u64,
    loss_events: u64,
    losses: u64,
    timeouts: u64,
    goodput: Sum,
    time: Sum,
    slowdown: Sum,
    /// Last queueing delays, and the flows that have one.
    queueing: (u128, u64),
    /// Last smoothed round-trip times, and the flows that have one.
    rtt: (u128, u64),
}

impl Sums {
    fn add(&mut self, flow: &Record) {
        self.flows += 1;
        self.size += flow.delivered;
        self.sent += flow.sent;
        self.loss_events += u64::from(flow.loss_events);
        self.losses += u64::from(flow.losses);
        self.timeouts += u64::from(flow.timeouts);
        let time = flow.ended - flow.started;
        self.goodput.add((flow.goodput * GOODPUT_UNIT) as u128, flow.goodput);
        self.time.add(u128::from(time), seconds(time));
        if let Some(slowdown) = flow.slowdown {
            self.slowdown.add(u128::from(slowdown), slowdown as f64 / SLOWDOWN_UNIT);
        }
        for (last, (sum, flows)) in [(flow.queueing, &mut self.queueing), (flow.rtt, &mut self.rtt)] {
            *sum += u128::from(last.unwrap_or(0));
            *flows += u64::from(last.is_some());
        }
    }

    fn merge(&mut self, other: &Self) {
        self.acked += other.acked;
        self.active += other.active;
        self.flows += other.flows;
        self.size += other.size;
        self.sent += other.sent;
        self.loss_events += other.loss_events;
        self.losses += other.losses;
        self.timeouts += other.timeouts;
        self.goodput.merge(&other.goodput);
        self.time.merge(&other.time);
        self.slowdown.merge(&other.slowdown);
        self.queueing = (self.queueing.0 + other.queueing.0, self.queueing.1 + other.queueing.1);
        self.rtt = (self.rtt.0 + other.rtt.0, self.rtt.1 + other.rtt.1);
    }
}

/// Flows of the measured span by period (from 0) and unit.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Units(BTreeMap<(u16, UnitRow), Sums>);

impl Units {
    /// Adds a flow that completed in a measured period.
    pub fn add(&mut self, period: usize, unit: UnitRow, flow: &Record) {
        self.0.entry((period as u16, unit)).or_default().add(flow);
    }

    /// Adds what a flow, completed or not, got in a part of a measured period: `acked` segments in the time
    /// `active`.
    pub fn add_part(&mut self, period: usize, unit: UnitRow, acked: u64, active: Picos) {
        let sums = self.0.entry((period as u16, unit)).or_default();
        sums.acked += acked;
        sums.active += u128::from(active);
    }

    /// Adds the flows of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (key, sums) in &other.0 {
            self.0.entry(*key).or_default().merge(sums);
        }
    }

    /// The table: a row for each period and unit that had flows.
    #[must_use]
    pub fn table(&self, algorithms: &[String], owners: &Owners, wiring: &Wiring) -> Table {
        let mut table = Table::default();
        let text =
            |f: &dyn Fn(&UnitRow) -> String| self.0.keys().map(|(_, unit)| f(unit)).collect::<Vec<_>>();
        let whole = |f: &dyn Fn(&Sums) -> u64| self.0.values().map(f).collect::<Vec<_>>();
        let float = |f: &dyn Fn(&Sums) -> f64| self.0.values().map(f).collect::<Vec<_>>();
        table.text("period", self.0.keys().map(|(period, _)| (period + 1).to_string()).collect());
        table.text("user", text(&|unit| owners.name(wiring, &unit.owner)));
        table.text("home", text(&|unit| wiring.access_name(unit.owner.home).into()));
        table.text("pop", text(&|unit| owners.place(wiring, unit.owner.home).into()));
        table.text("access", text(&|unit| wiring.access_kind(unit.owner.access).into()));
        table.text("algorithm", text(&|unit| algorithms[usize::from(unit.algorithm)].clone()));
        table.text("path_class", text(&|unit| PathClass::NAMES[usize::from(unit.path_class)].into()));
        table.text("rtt_class", text(&|unit| RTT_CLASSES[usize::from(unit.rtt_class)].into()));
        table.text("rate_class", text(&|unit| rate_class(!unit.slow).into()));
        table.integer("flows", whole(&|s| s.flows));
        table.integer("segments_delivered", whole(&|s| s.acked));
        table.float("flow_seconds", float(&|s| s.active as f64 * 1e-12));
        table.float("mean_size", float(&|s| s.size as f64 / s.flows as f64));
        table.float("goodput", float(&|s| s.goodput.mean(1.0 / GOODPUT_UNIT)));
        table.float("goodput_log", float(&|s| s.goodput.mean_log()));
        table.float("completion_time", float(&|s| s.time.mean(1e-12)));
        table.float("completion_time_log", float(&|s| s.time.mean_log()));
        table.integer("slowdown_flows", whole(&|s| s.slowdown.flows));
        table.float("slowdown", float(&|s| s.slowdown.mean(1.0 / SLOWDOWN_UNIT)));
        table.float("slowdown_log", float(&|s| s.slowdown.mean_log()));
        table.integer("segments_sent", whole(&|s| s.sent));
        table.float("retransmission_rate", float(&|s| 1.0 - s.size as f64 / s.sent as f64));
        table.integer("loss_events", whole(&|s| s.loss_events));
        table.integer("losses", whole(&|s| s.losses));
        table.integer("timeouts", whole(&|s| s.timeouts));
        table.integer("queueing_delay_flows", whole(&|s| s.queueing.1));
        table.float("queueing_delay_ms", float(&|s| s.queueing.0 as f64 * 1e-9 / s.queueing.1 as f64));
        table.integer("rtt_flows", whole(&|s| s.rtt.1));
        table.float("rtt_ms", float(&|s| s.rtt.0 as f64 * 1e-9 / s.rtt.1 as f64));
        table
    }
}
