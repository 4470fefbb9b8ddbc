//! The responses of the ASME paper's Table 3, per measured period, and totals of the run.
//!
//! The table that names, defines and gives the unit of each response is part of the Python package; a test there holds
//! both against each other.

use super::counters::Counters;
use super::pair_class::PAIR_CLASSES;
use super::sample::Sample;

/// What one period needs to know.
#[derive(Clone, Copy, Debug, Default)]
pub struct PeriodSums {
    samples: u64,
    sending: u64,
    counters: Counters,
    window: Mean,
    rtt: Mean,
    queueing: Mean,
    goodput: [Mean; PAIR_CLASSES],
}

/// A mean over the intervals that had data.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    sum: f64,
    count: u64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        if value.is_finite() {
            self.sum += value;
            self.count += 1;
        }
    }

    fn get(&self) -> f64 {
        self.sum / self.count as f64
    }
}

/// Response names with their values.
pub type Responses = Vec<(&'static str, f64)>;

/// Goodput responses in the order of the pair classes.
const GOODPUT: [&str; 6] =
    ["goodput_dd", "goodput_df", "goodput_dn", "goodput_ff", "goodput_fn", "goodput_nn"];

impl PeriodSums {
    /// Adds the sample that ends an interval of `interval` seconds, with what was counted in it.
    pub fn add(&mut self, sample: &Sample, counted: &Counters, interval: f64) {
        self.samples += 1;
        self.sending += sample.sending;
        self.counters = self.counters.plus(counted);
        self.window.add(sample.mean_window());
        self.rtt.add(sample.mean_rtt());
        self.queueing.add(sample.mean_queueing());
        for (class, mean) in self.goodput.iter_mut().enumerate() {
            mean.add(counted.acked_by_class[class] as f64 / interval / sample.by_class[class] as f64);
        }
    }

    /// The 22 responses, y1 to y22. NaN where there was nothing to measure.
    #[must_use]
    pub fn responses(&self, sources: u64) -> Responses {
        let c = &self.counters;
        let per_interval = |count: u64| count as f64 / self.samples as f64;
        let sending = per_interval(self.sending);
        let (completed, failures) = (per_interval(c.completed), per_interval(c.failures));
        let mut responses = vec![
            ("transmitting_sources", sending),
            ("transmitting_fraction", sending / sources as f64),
            ("segments_entering", per_interval(c.entering)),
            ("segments_leaving", per_interval(c.leaving)),
            ("loss_rate", c.dropped as f64 / (c.dropped + c.leaving) as f64),
            ("flows_completed", completed),
            ("completion_ratio", completed / (completed + sending)),
            ("connection_failures", failures),
            ("connection_failure_ratio", failures / (failures + sending)),
            ("retransmission_rate", 1.0 - c.completed_size as f64 / c.completed_sent as f64),
            ("cwnd", self.window.get()),
            ("cwnd_increases", per_interval(c.increases)),
            ("duplicate_acks", per_interval(c.duplicate_acks)),
            ("timeouts", per_interval(c.timeouts)),
            ("rtt", self.rtt.get() * 1e3),
            ("queueing_delay", self.queueing.get() * 1e3),
        ];
        responses.extend(GOODPUT.iter().zip(&self.goodput).map(|(name, mean)| (*name, mean.get())));
        responses
    }
}

/// Totals from the start of the run.
#[must_use]
pub fn totals(c: &Counters) -> Responses {
    vec![
        ("total_flows_completed", c.completed as f64),
        ("total_connection_failures", c.failures as f64),
        ("total_flows_aborted", c.aborted as f64),
        ("total_data_segments_sent", c.data_sent as f64),
        ("total_data_segments_delivered", c.delivered as f64),
        ("total_segments_dropped", c.dropped as f64),
    ]
}
