//! Samples every interval, and the responses made of them.

use super::domain::Domain;
use super::look::Look;
use super::shared::Shared;
use crate::applications::Reception;
use crate::engine::prefetch;
use crate::measure::fairness::Instant;
use crate::measure::responses::{LONG_LIVED, totals};
use crate::measure::sample::{FlowSample, Series};
use crate::measure::{
    Convergence, Counters, Fairness, Interval, PeriodSums, Responses, RouterUse, Sample, applications,
};
use crate::snapshot::{BadSnapshot, Passage};
use crate::transport::{Flow, SAMPLED_LINES};
use mesonet_cc::{Picos, picos, seconds};

/// Flows between the one that a sample adds and the one whose state it asks for: some 50 ns each, for a
/// latency of 100 ns and more (chosen).
const AHEAD: usize = 4;

/// Samples and counts so far.
#[derive(Clone, Debug)]
pub struct Sampling {
    /// Counts until the last sample.
    sampled: Counters,
    samples: u64,
    /// The last look, and the counts until then.
    looked: Picos,
    counted: Counters,
    /// Sums by measured period, then of the whole measured span.
    periods: Vec<PeriodSums>,
    pub series: Series,
    pub routers: RouterUse,
    /// Segments of the long-lived flows acknowledged until the last look.
    long_lived: [u64; LONG_LIVED],
    convergence: Convergence<2>,
    fairness: Fairness,
}

impl Sampling {
    /// No sample was taken.
    pub fn new(shared: &Shared) -> Self {
        let periods = shared.scenario.time.periods as usize;
        Self {
            sampled: Counters::default(),
            samples: 0,
            looked: 0,
            counted: Counters::default(),
            periods: vec![PeriodSums::default(); periods + 1],
            series: Series::default(),
            routers: RouterUse::new(shared.network.queues.count(), periods),
            long_lived: [0; LONG_LIVED],
            convergence: Convergence::default(),
            fairness: Fairness::new(&shared.scenario, shared.period_length),
        }
    }

    /// Instant of the next look: a sample, or the border of a measured period.
    pub fn next(&self, shared: &Shared) -> Picos {
        self.next_sample(shared).min(shared.border_after(self.looked))
    }

    /// Instant of the next sample: always a multiple of the interval, so that nothing drifts.
    fn next_sample(&self, shared: &Shared) -> Picos {
        picos(shared.scenario.measurement.interval) * (self.samples + 1)
    }

    /// Counts what happened since the last look and, where a sample is due, looks at everything. Returns
    /// whether the means have converged, so that the run ends.
    pub fn look(&mut self, shared: &Shared, domains: &mut [Domain], now: Picos) -> bool {
        let is_sample = now == self.next_sample(shared);
        let look = Look { shared, domains: &*domains, now };
        let counters = look.counters();
        let since = Interval {
            length: seconds(now - self.looked),
            counted: counters.since(&self.counted),
            long_lived: self.long_lived_acked(&look),
        };
        (self.looked, self.counted) = (now, counters);
        let sampled = is_sample.then(|| (sample_flows(&look), explicit_samples(&look)));
        let period = shared.period(now);
        let next = shared.period(now + 1).filter(|_| now < shared.end);
        if next != period {
            domains.iter_mut().for_each(|domain| domain.end_period(shared, period, now));
            self.end_delays(shared, domains, period);
        }
        let look = Look { shared, domains: &*domains, now };
        let states: Vec<_> = (0..shared.network.queues.count()).map(|queue| look.queue(queue)).collect();
        let interval = shared.scenario.measurement.interval;
        self.routers.look(states.into_iter(), period, since.length / interval, is_sample);
        if let Some(period) = period {
            // The last one holds the whole measured span.
            for place in [period, self.periods.len() - 1] {
                self.periods[place].count(&since, interval);
                if let Some((sample, _)) = &sampled {
                    self.periods[place].sample(sample);
                }
            }
        }
        let mut converged = false;
        if let Some((sample, explicit)) = sampled {
            let counted = counters.since(&self.sampled);
            (self.samples, self.sampled) = (self.samples + 1, counters);
            let tolerance = shared.scenario.time.converged;
            let quantities = [sample.sending as f64, counted.leaving as f64];
            converged = period.is_some() && tolerance > 0.0 && self.convergence.add(quantities, tolerance);
            if converged {
                self.end_delays(shared, domains, period);
            }
            self.series.push(now, sample, counted, explicit);
            domains.iter_mut().for_each(|domain| domain.events.fabric.shrink());
        }
        let look = Look { shared, domains: &*domains, now };
        let instant = Instant { now, is_sample, before: period, after: next.filter(|_| !converged) };
        self.fairness.look(instant, || look.progress());
        converged
    }

    /// A measured period (from 0; none: the time before) ends now: the delays that were recorded in it.
    fn end_delays(&mut self, shared: &Shared, domains: &mut [Domain], period: Option<usize>) {
        let places = &shared.domains;
        for queue in 0..shared.network.queues.count() {
            let router = shared.network.queues.router(queue);
            let fabric = &mut domains[places.of[router].index()].events.fabric;
            let delays = fabric.take_delays(queue, places.router[router]);
            if let (Some(delays), Some(period)) = (delays, period) {
                self.routers.add_delays(period, queue, delays);
            }
        }
        for domain in domains {
            if let (Some(delays), Some(period)) = (domain.events.fabric.take_segment_delays(), period) {
                self.routers.add_one_way(period, &delays);
            }
        }
    }

    /// Segments of the long-lived flows, the last of the explicit ones, that were acknowledged since the last
    /// look.
    fn long_lived_acked(&mut self, look: &Look) -> [u64; LONG_LIVED] {
        let flows = look.shared.scenario.flows.len();
        let mut acked = [0; LONG_LIVED];
        for (i, index) in (flows - long_lived_flows(look.shared)..flows).enumerate() {
            let delivered = look.explicit_sample(index).delivered;
            acked[i] = delivered.saturating_sub(self.long_lived[i]);
            self.long_lived[i] = delivered;
        }
        acked
    }

    /// All responses as (period, name, value), in any order within a period: the measured periods by number,
    /// `measured` for all of them, `run` for totals from the start.
    pub fn responses(&self, look: &Look) -> Vec<(String, &'static str, f64)> {
        let shared = look.shared;
        let sources = f64::from(shared.population.count) + shared.scenario.flows.len() as f64;
        // Arrivals have no number of sources.
        let sources = if shared.scenario.arrivals.is_empty() { sources } else { f64::NAN };
        let (groups, slowdowns, applications) = (look.groups(), look.slowdowns(), look.applications());
        let mut rows = Vec::new();
        let mut add = |period: &str, responses: Responses| {
            rows.extend(responses.into_iter().map(|(name, value)| (period.to_string(), name, value)));
        };
        for (i, period) in self.periods.iter().enumerate() {
            let last = i + 1 == self.periods.len();
            let name = if last { "measured".to_string() } else { (i + 1).to_string() };
            let span = if last { 0..self.periods.len() - 1 } else { i..i + 1 };
            add(&name, period.responses(sources, long_lived_flows(shared)));
            add(&name, groups.responses((!last).then_some(i)));
            add(&name, slowdowns.responses((!last).then_some(i)));
            add(&name, self.routers.responses(&shared.network, &span, shared.scenario.measurement.interval));
            add(&name, applications::responses(&applications, &span));
            add(&name, self.fairness.responses(i));
        }
        add("run", totals(&look.counters()));
        rows
    }

    /// Writes or replaces what changes during a run.
    pub fn pass(&mut self, passage: &mut Passage) -> Result<(), BadSnapshot> {
        let Self {
            sampled,
            samples,
            looked,
            counted,
            periods,
            series,
            routers,
            long_lived,
            convergence,
            fairness,
        } = self;
        passage.field(sampled)?;
        passage.field(samples)?;
        passage.field(looked)?;
        passage.field(counted)?;
        passage.field(periods)?;
        passage.field(series)?;
        passage.field(routers)?;
        passage.field(long_lived)?;
        passage.field(convergence)?;
        fairness.pass(passage)
    }
}

/// A sample of the flows of all domains.
fn sample_flows(look: &Look) -> Sample {
    let mut sample = Sample::default();
    for domain in look.domains {
        let flows = &domain.senders.flows;
        if domain.sessions.feeders.is_empty() {
            add_flows(&mut sample, flows, look.shared, look.now);
        } else {
            add_fed_flows(&mut sample, flows, look.shared, look.now);
        }
    }
    sample
}

/// Adds the flows of a domain to a sample.
// Each of the two kinds of flows has a loop of its own, which the code of the other one would slow down.
#[inline(never)]
fn add_flows(sample: &mut Sample, flows: &[Flow], shared: &Shared, now: Picos) {
    let patience = picos(shared.scenario.measurement.starved_after);
    for (slot, flow) in flows.iter().enumerate() {
        if let Some(later) = flows.get(slot + AHEAD) {
            prefetch(later, SAMPLED_LINES);
        }
        sample.add(flow, &shared.configs[usize::from(flow.algorithm)], now, patience);
    }
}

/// Adds the flows of a domain that has applications to a sample.
#[inline(never)]
fn add_fed_flows(sample: &mut Sample, flows: &[Flow], shared: &Shared, now: Picos) {
    let patience = picos(shared.scenario.measurement.starved_after);
    for flow in flows {
        sample.add_fed(flow, &shared.configs[usize::from(flow.algorithm)], now, patience);
    }
}

/// The explicit flows that the series has now, in the order of the scenario.
fn explicit_samples(look: &Look) -> Vec<FlowSample> {
    let flows = &look.shared.scenario.flows;
    let wanted = look.shared.scenario.measurement.flow_series as usize;
    let sample = |index| {
        let mut sample = look.explicit_sample(index);
        if !flows[index].transport.is_tcp() {
            sample.delivered = look.reception(index as u32).map_or(0, Reception::segments);
        }
        sample
    };
    (0..flows.len().min(wanted)).map(sample).collect()
}

/// Number of long-lived flows.
fn long_lived_flows(shared: &Shared) -> usize {
    shared.scenario.users.long_lived_flows as usize
}
