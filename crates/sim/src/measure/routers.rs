//! The table of routers by measured period: queue, drops, utilisation.

use super::columns::Table;
use super::histogram::Histogram;
use super::responses::Responses;
use crate::network::router::RouterState;
use crate::network::{Network, RouterClass};
use mesonet_cc::{Picos, seconds};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Sums over the samples of one period for one router.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct RouterSums {
    queue: u64,
    longest: u64,
    accepted: u64,
    busy: Picos,
    /// Work that the server could have done, where its rate varies.
    possible: Picos,
    dropped: u64,
    marked: u64,
}

/// Names of the responses of the queues of a class of routers, in the order of [`RouterUse::of_class`].
macro_rules! of_queues {
    ($class:literal) => {
        [
            concat!("buffer_use_", $class),
            concat!("queue_loss_rate_", $class),
            concat!("queue_mark_rate_", $class),
            concat!("queue_delay_p50_", $class),
            concat!("queue_delay_p95_", $class),
            concat!("queue_delay_p99_", $class),
        ]
    };
}

/// Responses by class of routers.
const OF_QUEUES: [(RouterClass, [&str; 6]); 6] = [
    (RouterClass::Backbone, of_queues!("backbone")),
    (RouterClass::Pop, of_queues!("pop")),
    (RouterClass::Normal, of_queues!("normal")),
    (RouterClass::Fast, of_queues!("fast")),
    (RouterClass::Direct, of_queues!("direct")),
    (RouterClass::Plain, of_queues!("plain")),
];

/// Routers by measured period.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RouterUse {
    /// Routers at the last look.
    seen: Vec<RouterState>,
    /// Samples of each period.
    samples: Vec<u64>,
    /// Time of each period, in intervals between samples.
    intervals: Vec<f64>,
    periods: Vec<Vec<RouterSums>>,
    /// By period the delays that queues have recorded, in microseconds, by queue.
    delays: Vec<BTreeMap<u32, Histogram>>,
    /// By period the one-way delays of segments, in microseconds.
    one_way: Vec<Histogram>,
}

impl RouterUse {
    /// Nothing seen yet of `routers` routers in `periods` measured periods.
    #[must_use]
    pub fn new(routers: usize, periods: usize) -> Self {
        Self {
            seen: vec![RouterState::default(); routers],
            samples: vec![0; periods],
            intervals: vec![0.0; periods],
            periods: vec![vec![RouterSums::default(); routers]; periods],
            delays: vec![BTreeMap::new(); periods],
            one_way: vec![Histogram::default(); periods],
        }
    }

    /// Looks at every router. The time since the last look, in intervals, lies in a measured period (from 0)
    /// or in none; queues are sampled where a sample is due.
    pub fn look(
        &mut self,
        states: impl Iterator<Item = RouterState>,
        period: Option<usize>,
        intervals: f64,
        is_sample: bool,
    ) {
        if let Some(period) = period {
            self.intervals[period] += intervals;
            self.samples[period] += u64::from(is_sample);
        }
        for (index, (state, seen)) in states.zip(&mut self.seen).enumerate() {
            let before = std::mem::replace(seen, state);
            let Some(period) = period else { continue };
            let sums = &mut self.periods[period][index];
            let accepted = seen.accepted - before.accepted;
            if is_sample {
                sums.queue += seen.queue;
                sums.longest = sums.longest.max(seen.queue);
            }
            sums.accepted += accepted;
            sums.busy += seen.busy - before.busy;
            sums.possible += seen.possible - before.possible;
            sums.dropped += seen.dropped - before.dropped;
            sums.marked += seen.marked - before.marked;
        }
    }

    /// The delays that a queue has recorded in a period.
    pub fn add_delays(&mut self, period: usize, queue: usize, delays: Histogram) {
        self.delays[period].insert(queue as u32, delays);
    }

    /// The one-way delays that segments had in a period, in a part of the network.
    pub fn add_one_way(&mut self, period: usize, delays: &Histogram) {
        self.one_way[period].merge(delays);
    }

    /// The responses of the given periods, in which a sample was taken every `interval` s: of the queues of
    /// each class of routers, and of the whole network.
    #[must_use]
    pub fn responses(&self, network: &Network, periods: &std::ops::Range<usize>, interval: f64) -> Responses {
        let of_class = |(class, names): (RouterClass, [&'static str; 6])| {
            names.into_iter().zip(self.of_class(network, class, periods))
        };
        let mut responses: Responses = OF_QUEUES.into_iter().flat_map(of_class).collect();
        responses.extend(self.of_network(network, periods, interval));
        responses
    }

    fn of_network(
        &self,
        network: &Network,
        periods: &std::ops::Range<usize>,
        interval: f64,
    ) -> [(&'static str, f64); 4] {
        let intervals: f64 = self.intervals[periods.clone()].iter().sum();
        let utilisation = |queue: usize| {
            let sums = self.periods[periods.clone()].iter().map(|period| period[queue]);
            utilisation(&sums.fold(RouterSums::default(), RouterSums::plus), intervals * interval)
        };
        // `f64::max` ignores NaN, which is there before the first sample.
        let highest = (0..network.queues.count()).map(utilisation).fold(f64::NAN, f64::max);
        let mut one_way = Histogram::default();
        self.one_way[periods.clone()].iter().for_each(|delays| one_way.merge(delays));
        let delay = |q| one_way.quantile(q) / 1e3;
        [
            ("utilisation_bottleneck", highest),
            ("segment_delay_p50", delay(0.5)),
            ("segment_delay_p95", delay(0.95)),
            ("segment_delay_p99", delay(0.99)),
        ]
    }

    /// Adds the delays of a queue in some periods to `all`.
    fn merge_delays(&self, periods: std::ops::Range<usize>, queue: usize, all: &mut Histogram) {
        self.delays[periods]
            .iter()
            .filter_map(|delays| delays.get(&(queue as u32)))
            .for_each(|d| all.merge(d));
    }

    /// The queues of a class of routers: mean share of their places that segments filled, over queues and
    /// samples; segments dropped / (dropped + accepted); segments marked / accepted; the time, ms, that 50,
    /// 95 and 99 % of the segments waited at most. NaN where nothing was measured.
    fn of_class(&self, network: &Network, class: RouterClass, periods: &std::ops::Range<usize>) -> [f64; 6] {
        let (mut filled, mut samples) = (0.0, 0u64);
        let mut all = RouterSums::default();
        let mut delays = Histogram::default();
        for (index, router) in network.routers[..network.queues.count()].iter().enumerate() {
            if network.queues.class(index, &network.topology) != class {
                continue;
            }
            for period in periods.clone() {
                let sums = self.periods[period][index];
                filled += sums.queue as f64 / router.places() as f64;
                samples += self.samples[period];
                all = all.plus(sums);
            }
            self.merge_delays(periods.clone(), index, &mut delays);
        }
        let delay_ms = |q| delays.quantile(q) / 1e3;
        [
            filled / samples as f64,
            all.dropped as f64 / (all.dropped + all.accepted) as f64,
            all.marked as f64 / all.accepted as f64,
            delay_ms(0.5),
            delay_ms(0.95),
            delay_ms(0.99),
        ]
    }

    /// The table: a row for each period (and `measured` for all) and router. `interval` s lies between
    /// samples.
    #[must_use]
    pub fn table(&self, network: &Network, interval: f64) -> Table {
        let count = self.periods.len();
        let spans: Vec<(String, std::ops::Range<usize>)> = (0..count)
            .map(|p| ((p + 1).to_string(), p..p + 1))
            .chain([("measured".to_string(), 0..count)])
            .collect();
        let mut rows = Vec::new();
        for (name, span) in &spans {
            let samples: u64 = self.samples[span.clone()].iter().sum();
            let intervals: f64 = self.intervals[span.clone()].iter().sum();
            for router in 0..network.queues.count() {
                let sums = self.periods[span.clone()].iter().map(|p| p[router]);
                let sums = sums.fold(RouterSums::default(), RouterSums::plus);
                let mut delays = Histogram::default();
                self.merge_delays(span.clone(), router, &mut delays);
                rows.push((name.clone(), router, samples, sums, delays, intervals * interval));
            }
        }
        type Row = (String, usize, u64, RouterSums, Histogram, f64);
        let text = |f: &dyn Fn(&Row) -> String| rows.iter().map(f).collect::<Vec<_>>();
        let whole = |f: &dyn Fn(&Row) -> u64| rows.iter().map(f).collect::<Vec<_>>();
        let float = |f: &dyn Fn(&Row) -> f64| rows.iter().map(f).collect::<Vec<_>>();
        let mut table = Table::default();
        table.text("period", text(&|r| r.0.clone()));
        table.text("router", text(&|r| network.queues.name(r.1, &network.topology)));
        table.text("class", text(&|r| network.queues.class(r.1, &network.topology).name().into()));
        table.float("speed", float(&|r| network.speeds[r.1]));
        table.integer("buffer", whole(&|r| network.buffers[r.1]));
        table.float("utilisation", float(&|r| utilisation(&r.3, r.5)));
        table.float("queue_mean", float(&|r| r.3.queue as f64 / r.2 as f64));
        table.integer("queue_max", whole(&|r| r.3.longest));
        table.integer("segments_accepted", whole(&|r| r.3.accepted));
        table.integer("segments_dropped", whole(&|r| r.3.dropped));
        table.float("loss_rate", float(&|r| r.3.dropped as f64 / (r.3.dropped + r.3.accepted) as f64));
        table.integer("segments_marked", whole(&|r| r.3.marked));
        table.float("delay_p50_ms", float(&|r| r.4.quantile(0.5) / 1e3));
        table.float("delay_p95_ms", float(&|r| r.4.quantile(0.95) / 1e3));
        table.float("delay_p99_ms", float(&|r| r.4.quantile(0.99) / 1e3));
        table
    }
}

/// Share of the span, s, in which the server of a queue worked; where its rate varies, of what it could have
/// done.
fn utilisation(sums: &RouterSums, span: f64) -> f64 {
    if sums.possible > 0 { sums.busy as f64 / sums.possible as f64 } else { seconds(sums.busy) / span }
}

impl RouterSums {
    fn plus(self, other: Self) -> Self {
        Self {
            queue: self.queue + other.queue,
            longest: self.longest.max(other.longest),
            accepted: self.accepted + other.accepted,
            busy: self.busy + other.busy,
            possible: self.possible + other.possible,
            dropped: self.dropped + other.dropped,
            marked: self.marked + other.marked,
        }
    }
}
