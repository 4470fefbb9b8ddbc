//! Samples every interval, and the responses made of them.

use super::{Simulation, code};
use crate::measure::responses::totals;
use crate::measure::sample::FlowSample;
use crate::measure::{Responses, Sample};
use crate::network::build::picos;
use crate::transport::{Flow, FlowState};
use mesonet_cc::{Picos, seconds};

impl Simulation {
    /// Instant of the `n`-th sample: always n times the interval, so that nothing drifts.
    pub(super) fn sample_time(&self, n: u64) -> Picos {
        picos(self.scenario.measurement.interval) * n
    }

    pub(super) fn sample(&mut self) {
        self.samples += 1;
        let mut sample = Sample::default();
        for flow in &self.flows {
            sample.add(flow, &self.configs[usize::from(flow.algorithm)], self.now);
        }
        let interval = self.counters.since(&self.sampled);
        self.sampled = self.counters;
        let explicit =
            self.explicit_slots.iter().map(|slot| explicit_sample(slot.map(|s| &self.flows[s as usize])));
        let explicit = explicit.collect();
        if let Some(period) = self.period(self.now) {
            let length = self.scenario.measurement.interval;
            self.periods[period].add(&sample, &interval, length);
            // The last one holds the whole measured span.
            if let Some(measured) = self.periods.last_mut() {
                measured.add(&sample, &interval, length);
            }
        }
        self.series.push(self.now, sample, interval, explicit);
        self.arm(self.sample_time(self.samples + 1), code::SAMPLE);
    }

    /// Measured period in which an interval that ends at `now` lies.
    pub(super) fn period(&self, now: Picos) -> Option<usize> {
        let warmup = picos(self.scenario.time.warmup);
        let count = u64::from(self.scenario.time.periods);
        let length = (self.end - warmup).div_ceil(count);
        let index = now.checked_sub(warmup)?.checked_sub(1)? / length;
        (index < count).then_some(index as usize)
    }

    /// All responses as (period, name, value): the measured periods by number, `measured` for all of them, `run` for
    /// totals from the start.
    #[must_use]
    pub fn responses(&self) -> Vec<(String, &'static str, f64)> {
        let sources = self.population.sources.len() as u64 + self.scenario.flows.len() as u64;
        let mut rows = Vec::new();
        let mut add = |period: &str, responses: Responses| {
            rows.extend(responses.into_iter().map(|(name, value)| (period.to_string(), name, value)));
        };
        for (i, period) in self.periods.iter().enumerate() {
            let last = i + 1 == self.periods.len();
            let name = if last { "measured".to_string() } else { (i + 1).to_string() };
            add(&name, period.responses(sources));
        }
        add("run", totals(&self.counters));
        rows
    }

    /// Window of explicit flow `index`, segments; NaN while it is not sending.
    #[must_use]
    pub fn flow_window(&self, index: usize) -> f64 {
        explicit_sample(self.explicit_slots[index].map(|s| &self.flows[s as usize])).cwnd
    }

    /// Seconds simulated so far.
    #[must_use]
    pub fn time(&self) -> f64 {
        seconds(self.now)
    }
}

fn explicit_sample(flow: Option<&Flow>) -> FlowSample {
    match flow {
        Some(flow) if flow.state == FlowState::Sending => FlowSample {
            cwnd: flow.controller.cwnd(),
            rtt_ms: if flow.rtt.srtt > 0 { flow.rtt.srtt as f64 * 1e-9 } else { f64::NAN },
            delivered: flow.delivered,
        },
        _ => FlowSample { cwnd: f64::NAN, rtt_ms: f64::NAN, delivered: 0 },
    }
}
