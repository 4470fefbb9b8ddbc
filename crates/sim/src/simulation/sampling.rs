//! Samples every interval, and the responses made of them.

use super::Simulation;
use super::domain::{Domain, ExplicitHere};
use crate::applications::Reception;
use crate::engine::prefetch;
use crate::measure::fairness::{Instant, Progress};
use crate::measure::responses::{LONG_LIVED, totals};
use crate::measure::sample::FlowSample;
use crate::measure::{FlowGroups, Interval, Responses, Sample, SlowdownClasses, applications};
use crate::network::RouterClass;
use crate::transport::{Flow, FlowState, SAMPLED_LINES};
use mesonet_cc::picos;
use mesonet_cc::{Picos, seconds};

/// Names of the responses of the queues of a class of routers.
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

/// Responses by pair class and, in the order of their numbers, file category.
const COMPLETED_GOODPUT: [[&str; 4]; 6] = [
    ["goodput_dd_web_object", "goodput_dd_document", "goodput_dd_service_pack", "goodput_dd_movie"],
    ["goodput_df_web_object", "goodput_df_document", "goodput_df_service_pack", "goodput_df_movie"],
    ["goodput_dn_web_object", "goodput_dn_document", "goodput_dn_service_pack", "goodput_dn_movie"],
    ["goodput_ff_web_object", "goodput_ff_document", "goodput_ff_service_pack", "goodput_ff_movie"],
    ["goodput_fn_web_object", "goodput_fn_document", "goodput_fn_service_pack", "goodput_fn_movie"],
    ["goodput_nn_web_object", "goodput_nn_document", "goodput_nn_service_pack", "goodput_nn_movie"],
];

/// Responses by class of routers: buffer use, loss rate, mark rate, and delays at `DELAYS`.
const OF_QUEUES: [(RouterClass, [&str; 6]); 6] = [
    (RouterClass::Backbone, of_queues!("backbone")),
    (RouterClass::Pop, of_queues!("pop")),
    (RouterClass::Normal, of_queues!("normal")),
    (RouterClass::Fast, of_queues!("fast")),
    (RouterClass::Direct, of_queues!("direct")),
    (RouterClass::Plain, of_queues!("plain")),
];

/// Flows between the one that a sample adds and the one whose state it asks for: some 50 ns each, for a latency of 100 ns
/// and more (chosen).
const AHEAD: usize = 4;

/// Percentiles of delays.
const DELAYS: [f64; 3] = [0.5, 0.95, 0.99];

impl Simulation {
    /// Instant of the `n`-th sample: always n times the interval, so that nothing drifts.
    pub(super) fn sample_time(&self, n: u64) -> Picos {
        picos(self.shared.scenario.measurement.interval) * n
    }

    /// Looks at everything now.
    pub(super) fn sample(&mut self) {
        self.samples += 1;
        let measurement = &self.shared.scenario.measurement;
        let mut sample = Sample::default();
        let patience = picos(measurement.starved_after);
        for domain in &self.domains {
            if domain.feeders.is_empty() {
                self.add_flows(&mut sample, domain, patience);
            } else {
                self.add_fed_flows(&mut sample, domain, patience);
            }
        }
        let explicit = self.explicit_samples();
        let counters = self.counters();
        let interval = Interval {
            length: measurement.interval,
            counted: counters.since(&self.sampled),
            long_lived: self.long_lived_acked(),
        };
        self.sampled = counters;
        let period = self.shared.period(self.now);
        let next = self.shared.period(self.sample_time(self.samples + 1));
        if next != period {
            self.domains.iter_mut().for_each(|domain| domain.end_period(period, self.now));
            self.end_delays(period);
        }
        let states: Vec<_> = (0..self.shared.network.queues.count()).map(|q| self.queue(q)).collect();
        self.routers.sample(states.into_iter(), period);
        if let Some(period) = period {
            self.periods[period].add(&sample, &interval);
            // The last one holds the whole measured span.
            if let Some(measured) = self.periods.last_mut() {
                measured.add(&sample, &interval);
            }
            let tolerance = self.shared.scenario.time.converged;
            let quantities = [sample.sending as f64, interval.counted.leaving as f64];
            if tolerance > 0.0 && self.convergence.add(quantities, tolerance) {
                self.end = self.now;
                self.end_delays(Some(period));
            }
        }
        self.compare_flows(period, next.filter(|_| self.now < self.end));
        self.series.push(self.now, sample, interval.counted, explicit);
        self.domains.iter_mut().for_each(|domain| domain.fabric.shrink());
    }

    /// Adds the flows of a domain to a sample.
    fn add_flows(&self, sample: &mut Sample, domain: &Domain, patience: Picos) {
        for (slot, flow) in domain.flows.iter().enumerate() {
            if let Some(later) = domain.flows.get(slot + AHEAD) {
                prefetch(later, SAMPLED_LINES);
            }
            sample.add(flow, &self.shared.configs[usize::from(flow.algorithm)], self.now, patience);
        }
    }

    /// The same in a domain that has applications.
    #[inline(never)]
    fn add_fed_flows(&self, sample: &mut Sample, domain: &Domain, patience: Picos) {
        for flow in &domain.flows {
            sample.add_fed(flow, &self.shared.configs[usize::from(flow.algorithm)], self.now, patience);
        }
    }

    /// A measured period (from 0; none: the time before) ends now: the delays that were recorded in it.
    fn end_delays(&mut self, period: Option<usize>) {
        let domains = &self.shared.domains;
        for queue in 0..self.shared.network.queues.count() {
            let router = self.shared.network.queues.router(queue);
            let fabric = &mut self.domains[domains.of[router].index()].fabric;
            let delays = fabric.take_delays(queue, domains.router[router]);
            if let (Some(delays), Some(period)) = (delays, period) {
                self.routers.add_delays(period, queue, delays);
            }
        }
        for domain in &mut self.domains {
            if let (Some(delays), Some(period)) = (domain.fabric.take_segment_delays(), period) {
                self.routers.add_one_way(period, &delays);
            }
        }
    }

    /// Looks at how explicit flows share, if something is due at the end of an interval of a measured period (from 0; none:
    /// the time before).
    fn compare_flows(&mut self, before: Option<usize>, after: Option<usize>) {
        let (domains, flows) = (&self.domains, self.shared.scenario.flows.len());
        self.fairness.look(Instant { now: self.now, before, after }, || {
            let mut progress: Progress = vec![None; flows];
            for domain in domains {
                for explicit in &domain.explicit {
                    let flow = explicit.slot.map(|slot| &domain.flows[slot as usize]);
                    progress[explicit.index as usize] =
                        flow.map(|flow| explicit_sample((explicit, Some(flow))).delivered);
                }
            }
            progress
        });
    }

    /// The explicit flows that the series has now, in the order of the scenario.
    fn explicit_samples(&self) -> Vec<FlowSample> {
        let wanted = self.shared.scenario.measurement.flow_series as usize;
        let count = self.shared.scenario.flows.len().min(wanted);
        let sample = |index| {
            let mut sample = explicit_sample(self.explicit(index));
            if !self.shared.scenario.flows[index].transport.is_tcp() {
                sample.delivered = self.reception(index as u32).map_or(0, Reception::segments);
            }
            sample
        };
        (0..count).map(sample).collect()
    }

    /// The explicit flow `index`, and the flow that it is while it lives.
    pub(super) fn explicit(&self, index: usize) -> (&ExplicitHere, Option<&Flow>) {
        let index = index as u32;
        let domain = &self.domains[self.shared.domain_of(self.shared.origin(index)).index()];
        let place = domain.explicit.binary_search_by_key(&index, |e| e.index).expect("of the scenario");
        let explicit = &domain.explicit[place];
        (explicit, explicit.slot.map(|slot| &domain.flows[slot as usize]))
    }

    /// Segments of the long-lived flows, the last of the explicit ones, that were acknowledged since the last sample.
    fn long_lived_acked(&mut self) -> [u64; LONG_LIVED] {
        let flows = self.shared.scenario.flows.len();
        let mut acked = [0; LONG_LIVED];
        for (i, index) in (flows - self.long_lived_flows()..flows).enumerate() {
            let delivered = explicit_sample(self.explicit(index)).delivered;
            acked[i] = delivered.saturating_sub(self.long_lived[i]);
            self.long_lived[i] = delivered;
        }
        acked
    }

    fn long_lived_flows(&self) -> usize {
        self.shared.scenario.users.long_lived_flows as usize
    }

    /// All responses as (period, name, value): the measured periods by number, `measured` for all of them, `run` for
    /// totals from the start.
    #[must_use]
    pub fn responses(&self) -> Vec<(String, &'static str, f64)> {
        let sources = f64::from(self.shared.population.count) + self.shared.scenario.flows.len() as f64;
        // Arrivals have no number of sources.
        let sources = if self.shared.scenario.arrivals.is_empty() { sources } else { f64::NAN };
        let groups = self.all_groups();
        let mut slowdowns = SlowdownClasses::default();
        self.domains.iter().for_each(|domain| slowdowns.merge(&domain.slowdowns));
        let applications = self.flow_applications();
        let mut rows = Vec::new();
        let mut add = |period: &str, responses: Responses| {
            rows.extend(responses.into_iter().map(|(name, value)| (period.to_string(), name, value)));
        };
        for (i, period) in self.periods.iter().enumerate() {
            let last = i + 1 == self.periods.len();
            let name = if last { "measured".to_string() } else { (i + 1).to_string() };
            add(&name, period.responses(sources, self.long_lived_flows()));
            let span = if last { 0..self.periods.len() - 1 } else { i..i + 1 };
            add(&name, Self::completed_goodputs(&groups, (!last).then_some(i)));
            add(&name, slowdowns.responses((!last).then_some(i)));
            add(&name, self.queues_by_class(&span));
            add(
                &name,
                self.routers.of_network(
                    &self.shared.network,
                    &span,
                    self.shared.scenario.measurement.interval,
                ),
            );
            add(&name, applications::responses(&applications, &span));
            add(&name, self.fairness.responses(i));
        }
        add("run", totals(&self.counters()));
        rows
    }

    /// Goodput of the flows that completed in a period (all where it is none), by pair class and file category.
    fn completed_goodputs(groups: &FlowGroups, period: Option<usize>) -> Responses {
        let goodput = |(class, names): (usize, &[&'static str; 4])| {
            let by_category = |(category, name): (usize, &&'static str)| {
                (*name, groups.goodput(period, category as u8, class))
            };
            names.iter().enumerate().map(by_category).collect::<Vec<_>>()
        };
        COMPLETED_GOODPUT.iter().enumerate().flat_map(goodput).collect()
    }

    /// What the queues of each class of routers did.
    fn queues_by_class(&self, periods: &std::ops::Range<usize>) -> Responses {
        let of = |(class, names): (RouterClass, [&'static str; 6])| {
            let queues = self.routers.of_class(&self.shared.network, class, periods);
            let [p50, p95, p99] = DELAYS.map(|q| queues.delay_ms(q));
            names.into_iter().zip([queues.buffer_use, queues.loss_rate, queues.mark_rate, p50, p95, p99])
        };
        OF_QUEUES.into_iter().flat_map(of).collect()
    }

    /// Window of explicit flow `index`, segments; NaN while it is not sending.
    #[must_use]
    pub fn flow_window(&self, index: usize) -> f64 {
        explicit_sample(self.explicit(index)).cwnd
    }

    /// Pacing rate of explicit flow `index`, segments/s; none where it is not sending, or sends unpaced.
    #[must_use]
    pub fn flow_pacing_rate(&self, index: usize) -> Option<f64> {
        self.explicit(index).1?.controller.pacing_rate()
    }

    /// Seconds simulated so far.
    #[must_use]
    pub fn time(&self) -> f64 {
        seconds(self.now)
    }
}

/// An explicit flow now.
fn explicit_sample((explicit, flow): (&ExplicitHere, Option<&Flow>)) -> FlowSample {
    match flow {
        Some(flow) if flow.state == FlowState::Sending => FlowSample {
            cwnd: flow.controller.cwnd(),
            rtt_ms: if flow.rtt.srtt > 0 { flow.rtt.srtt as f64 * 1e-9 } else { f64::NAN },
            delivered: flow.delivered,
        },
        _ => FlowSample { cwnd: f64::NAN, rtt_ms: f64::NAN, delivered: explicit.delivered },
    }
}
