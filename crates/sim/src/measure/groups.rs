//! Flows by group: sums and histograms of those that completed, and what all of them got while in progress.

use super::columns::Table;
use super::histogram::Histogram;
use super::pair_class::PathClass;
use super::records::{Record, rate_class};
use super::responses::Responses;
use super::slowdown::Slowdowns;
use crate::transport::Flow;
use crate::users::FILE_CATEGORIES;
use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Goodputs are summed in units of 2^-10 segments/s.
pub const GOODPUT_UNIT: f64 = 1024.0;

/// Completion times are counted in units of 1 us.
const TIME_UNIT: Picos = 1_000_000;

/// Flow groups in the order of the ASME paper's Table 6: movies, service packs, documents, Web objects.
const CATEGORY_ORDER: [u8; 6] = [3, 2, 1, 0, 4, 5];

/// Responses by pair class and, in the order of their numbers, file category.
const COMPLETED_GOODPUT: [[&str; 4]; 6] = [
    ["goodput_dd_web_object", "goodput_dd_document", "goodput_dd_service_pack", "goodput_dd_movie"],
    ["goodput_df_web_object", "goodput_df_document", "goodput_df_service_pack", "goodput_df_movie"],
    ["goodput_dn_web_object", "goodput_dn_document", "goodput_dn_service_pack", "goodput_dn_movie"],
    ["goodput_ff_web_object", "goodput_ff_document", "goodput_ff_service_pack", "goodput_ff_movie"],
    ["goodput_fn_web_object", "goodput_fn_document", "goodput_fn_service_pack", "goodput_fn_movie"],
    ["goodput_nn_web_object", "goodput_nn_document", "goodput_nn_service_pack", "goodput_nn_movie"],
];

/// Sums and histograms of the flows of one group.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Group {
    flows: u64,
    size: u128,
    sent: u128,
    goodput: u128,
    goodput_squared: u128,
    size_goodput: u128,
    loss_events: u64,
    losses: u64,
    timeouts: u64,
    /// Sum of their last queueing delays, and the flows that have one.
    queueing: (u128, u64),
    /// Segments of flows in progress that were acknowledged, whether or not the flows completed.
    acked: u64,
    /// Time for which those flows were sending.
    active: u128,
    goodputs: Histogram,
    times: Histogram,
    slowdowns: Slowdowns,
}

/// Measured period (from 0), file category, pair class, fast interface, algorithm.
type Key = (u16, u8, u8, bool, u8);

/// Instead of an algorithm: all of them together. A scenario has at most 255 algorithms.
const ALL: u8 = u8::MAX;

/// Period (from 0, the largest for all together), then place of the category, path class, slow interface,
/// algorithm.
type Row = (u16, [u8; 4]);

/// Flows of the measured span by period, file category, pair class, interface rate and algorithm.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FlowGroups(BTreeMap<Key, Group>);

impl FlowGroups {
    /// Adds a flow that completed in a measured period (from 0).
    pub fn add(&mut self, period: usize, flow: &Record) {
        let key = (period as u16, flow.category, flow.pair_class, flow.fast, flow.algorithm);
        let group = self.0.entry(key).or_default();
        let goodput = (flow.goodput * GOODPUT_UNIT) as u128;
        let size = u128::from(flow.delivered);
        group.flows += 1;
        group.size += size;
        group.sent += u128::from(flow.sent);
        group.goodput += goodput;
        group.goodput_squared += goodput * goodput;
        group.size_goodput += goodput * size;
        group.loss_events += u64::from(flow.loss_events);
        group.losses += u64::from(flow.losses);
        group.timeouts += u64::from(flow.timeouts);
        group.queueing.0 += u128::from(flow.queueing.unwrap_or(0));
        group.queueing.1 += u64::from(flow.queueing.is_some());
        group.goodputs.add(goodput as u64);
        group.times.add((flow.ended - flow.started) / TIME_UNIT);
        flow.slowdown.into_iter().for_each(|slowdown| group.slowdowns.add(slowdown));
    }

    /// Adds what a flow, completed or not, got in a part of a measured period (from 0): `acked` segments in
    /// the time `active`.
    pub fn add_part(&mut self, period: usize, flow: &Flow, fast: bool, acked: u64, active: Picos) {
        let key = (period as u16, flow.category, flow.pair_class, fast, flow.algorithm);
        let group = self.0.entry(key).or_default();
        group.acked += acked;
        group.active += u128::from(active);
    }

    /// Adds the flows of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (key, group) in &other.0 {
            self.0.entry(*key).or_default().merge(group);
        }
    }

    /// The responses of a period, of all periods where it is none.
    #[must_use]
    pub fn responses(&self, period: Option<usize>) -> Responses {
        let goodput = |(class, names): (usize, &[&'static str; 4])| {
            let by_category = |(category, name): (usize, &&'static str)| {
                (*name, self.goodput(period, category as u8, class))
            };
            names.iter().enumerate().map(by_category).collect::<Vec<_>>()
        };
        COMPLETED_GOODPUT.iter().enumerate().flat_map(goodput).collect()
    }

    /// Mean goodput, segments/s, of the flows of one file category and pair class that completed in `period`,
    /// in all of them where it is none; NaN without any.
    fn goodput(&self, period: Option<usize>, category: u8, pair_class: usize) -> f64 {
        let wanted = |k: &Key| {
            period.is_none_or(|p| p == usize::from(k.0)) && k.1 == category && usize::from(k.2) == pair_class
        };
        let mut all = Group::default();
        self.0.iter().filter(|(key, _)| wanted(key)).for_each(|(_, group)| all.merge(group));
        all.mean_goodput()
    }

    /// The table: a row for each period, and for all together (`measured`), and each group that has flows:
    /// groups 1 to 24 of the ASME paper's Table 6 by algorithm and, where there are several, for all
    /// algorithms together (`all`: how fairly they share); then those without a number.
    #[must_use]
    pub fn table(&self, algorithms: &[String]) -> Table {
        let mut rows: BTreeMap<Row, Group> = BTreeMap::new();
        for (&(period, category, pair_class, fast, algorithm), group) in &self.0 {
            let category = CATEGORY_ORDER.iter().position(|c| *c == category).unwrap_or(0) as u8;
            let path = PathClass::of(usize::from(pair_class)) as u8;
            for period in [period, u16::MAX] {
                let mut add = |algorithm| {
                    let key = (period, [category, path, u8::from(!fast), algorithm]);
                    rows.entry(key).or_default().merge(group);
                };
                add(algorithm);
                if algorithms.len() > 1 {
                    add(ALL);
                }
            }
        }
        let mut table = Table::default();
        let text = |f: &dyn Fn(&Row) -> String| rows.keys().map(f).collect::<Vec<_>>();
        let float = |f: &dyn Fn(&Group) -> f64| rows.values().map(f).collect::<Vec<_>>();
        let per_flow = |f: &dyn Fn(&Group) -> u64| float(&|g| f(g) as f64 / g.flows as f64);
        table.text(
            "period",
            text(&|k| if k.0 == u16::MAX { "measured".into() } else { (k.0 + 1).to_string() }),
        );
        table.float("group", rows.keys().map(|k| number(k.1)).collect());
        table.text(
            "category",
            text(&|k| FILE_CATEGORIES[usize::from(CATEGORY_ORDER[usize::from(k.1[0])])].into()),
        );
        table.text("path_class", text(&|k| PathClass::NAMES[usize::from(k.1[1])].into()));
        table.text("rate_class", text(&|k| rate_class(k.1[2] == 0).into()));
        table.text(
            "algorithm",
            text(&|k| algorithms.get(usize::from(k.1[3])).cloned().unwrap_or_else(|| "all".into())),
        );
        table.integer("flows", rows.values().map(|g| g.flows).collect());
        table.float("flow_seconds", float(&|g| g.active as f64 * 1e-12));
        table.float("throughput", float(&|g| g.acked as f64 / (g.active as f64 * 1e-12)));
        table.float("mean_size", float(&|g| g.size as f64 / g.flows as f64));
        table.float("goodput", float(&Group::mean_goodput));
        table.float("goodput_sd", float(&Group::standard_deviation));
        table.float("goodput_median", float(&|g| g.goodputs.quantile(0.5) / GOODPUT_UNIT));
        table.float("goodput_by_size", float(&|g| g.size_goodput as f64 / GOODPUT_UNIT / g.size as f64));
        table.float("jain_index", float(&Group::jain_index));
        for (name, q) in
            [("completion_time_p50", 0.5), ("completion_time_p95", 0.95), ("completion_time_p99", 0.99)]
        {
            table.float(name, float(&|g| g.times.quantile(q) * 1e-6));
        }
        table.float("slowdown_mean", float(&|g| g.slowdowns.mean()));
        for (name, q) in [("slowdown_p50", 0.5), ("slowdown_p95", 0.95), ("slowdown_p99", 0.99)] {
            table.float(name, float(&|g| g.slowdowns.quantile(q)));
        }
        table.float("retransmission_rate", float(&|g| 1.0 - g.size as f64 / g.sent as f64));
        table.float("loss_events_per_flow", per_flow(&|g| g.loss_events));
        table.float("losses_per_flow", per_flow(&|g| g.losses));
        table.float("timeouts_per_flow", per_flow(&|g| g.timeouts));
        table.float("queueing_delay_ms", float(&|g| g.queueing.0 as f64 * 1e-9 / g.queueing.1 as f64));
        table
    }
}

/// Number of a flow group in the ASME paper's Table 6, NaN for explicit flows, arrivals and paths outside the
/// tiers.
fn number([category, path, slow, _]: [u8; 4]) -> f64 {
    if category > 3 || path > 2 { f64::NAN } else { f64::from(category * 6 + path * 2 + slow + 1) }
}

impl Group {
    fn merge(&mut self, other: &Self) {
        self.flows += other.flows;
        self.size += other.size;
        self.sent += other.sent;
        self.goodput += other.goodput;
        self.goodput_squared += other.goodput_squared;
        self.size_goodput += other.size_goodput;
        self.loss_events += other.loss_events;
        self.losses += other.losses;
        self.timeouts += other.timeouts;
        self.queueing = (self.queueing.0 + other.queueing.0, self.queueing.1 + other.queueing.1);
        self.acked += other.acked;
        self.active += other.active;
        self.goodputs.merge(&other.goodputs);
        self.times.merge(&other.times);
        self.slowdowns.merge(&other.slowdowns);
    }

    fn mean_goodput(&self) -> f64 {
        self.goodput as f64 / GOODPUT_UNIT / self.flows as f64
    }

    /// Sample standard deviation of the goodput, segments/s; NaN for fewer than two flows.
    fn standard_deviation(&self) -> f64 {
        let n = self.flows as f64;
        let (sum, squares) = (self.goodput as f64 / GOODPUT_UNIT, self.goodput_squared as f64);
        let squares = squares / (GOODPUT_UNIT * GOODPUT_UNIT);
        if self.flows < 2 { f64::NAN } else { ((squares - sum * sum / n).max(0.0) / (n - 1.0)).sqrt() }
    }

    /// Jain's index of the goodputs: squared sum / (number x sum of squares), 1 where all are equal.
    fn jain_index(&self) -> f64 {
        let sum = self.goodput as f64;
        sum * sum / (self.flows as f64 * self.goodput_squared as f64)
    }
}
