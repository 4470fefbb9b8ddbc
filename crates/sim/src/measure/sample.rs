//! The state of all flows at one instant, and the time series made of such samples.

use super::columns::Table;
use super::counters::{COUNTED, Counters};
use super::pair_class::PAIR_CLASSES;
use crate::transport::{Flow, FlowState, Recovery};
use mesonet_cc::{Config, Phase, Picos, seconds};
use serde::{Deserialize, Serialize};

/// Windows are summed in units of 2^-10 segments.
const WINDOW_UNIT: f64 = 1024.0;

/// Sums over all flows at one instant.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Sample {
    /// Flows that are connecting.
    pub connecting: u64,
    /// Flows that are sending.
    pub sending: u64,
    /// Sending flows in their first slow start.
    pub initial_slow_start: u64,
    /// Sending flows under the rules of standard TCP (slow start after a timeout included).
    pub standard: u64,
    /// Sending flows under the rules of their own algorithm.
    pub alternate: u64,
    /// Sending flows in fast recovery, whichever rules they will go on with.
    pub recovery: u64,
    /// Sending flows of which nothing was acknowledged for a given time.
    pub starved: u64,
    /// Sending flows by pair class.
    pub by_class: [u64; PAIR_CLASSES],
    window: u128,
    /// Sending flows whose window is not known: stacks that do not show it.
    windowless: u64,
    round_trip: u128,
    with_rtt: u64,
    queueing: u128,
    with_queueing: u64,
}

/// A response that is the mean of what samples show, over those with anything to show.
#[derive(Clone, Copy, Debug)]
pub struct Sampled {
    /// Name of the response.
    pub response: &'static str,
    /// Its unit as a part of the base unit: 1e3 for ms.
    pub per_unit: f64,
    /// The number of a sample, in the base unit; not finite where there is nothing to show.
    pub of: fn(&Sample) -> f64,
}

impl Sampled {
    const fn new(response: &'static str, per_unit: f64, of: fn(&Sample) -> f64) -> Self {
        Self { response, per_unit, of }
    }
}

/// The responses that are means over samples.
pub const SAMPLED: [Sampled; 8] = [
    Sampled::new("cwnd", 1.0, Sample::mean_window),
    Sampled::new("rtt", 1e3, Sample::mean_rtt),
    Sampled::new("queueing_delay", 1e3, Sample::mean_queueing),
    Sampled::new("initial_slow_start_share", 1.0, |s| s.share(s.initial_slow_start)),
    Sampled::new("standard_share", 1.0, |s| s.share(s.standard)),
    Sampled::new("alternate_share", 1.0, |s| s.share(s.alternate)),
    Sampled::new("recovery_share", 1.0, |s| s.share(s.recovery)),
    Sampled::new("starved_share", 1.0, |s| s.share(s.starved)),
];

impl Sample {
    /// Adds one flow; it is starved when its last acknowledgement (before the first one, its beginning) is
    /// older than `patience`.
    #[inline(always)]
    pub fn add(&mut self, flow: &Flow, config: &Config, now: Picos, patience: Picos) {
        match flow.state {
            FlowState::Free => return,
            FlowState::Connecting => {
                self.connecting += 1;
                return;
            }
            FlowState::Sending => self.sending += 1,
        }
        self.by_class[usize::from(flow.pair_class)] += 1;
        let cwnd = flow.controller.cwnd();
        self.window += (cwnd * WINDOW_UNIT) as u128;
        self.windowless += u64::from(cwnd.is_nan());
        if flow.rtt.srtt > 0 {
            self.with_rtt += 1;
            self.round_trip += u128::from(flow.rtt.srtt);
        }
        if let Some(queueing) = flow.queueing() {
            self.with_queueing += 1;
            self.queueing += u128::from(queueing);
        }
        let phase = flow.controller.phase(config, now);
        self.recovery += u64::from(flow.recovery == Recovery::Fast);
        self.starved += u64::from(flow.heard + patience < now);
        if flow.initial_slow_start && phase == Phase::SlowStart {
            self.initial_slow_start += 1;
        } else if phase == Phase::Alternate {
            self.alternate += 1;
        } else {
            self.standard += 1;
        }
    }

    /// Adds one flow that an application may feed. An idle one does not send, and since one may have been
    /// idle for so long, none is starved.
    pub fn add_fed(&mut self, flow: &Flow, config: &Config, now: Picos, patience: Picos) {
        if flow.state == FlowState::Sending && flow.is_idle() {
            return;
        }
        let patience = if flow.is_fed { now } else { patience };
        self.add(flow, config, now, patience);
    }

    /// The share of `count` in the sending flows; NaN without any.
    fn share(&self, count: u64) -> f64 {
        count as f64 / self.sending as f64
    }

    /// Mean window of the sending flows that show it, segments; NaN without any.
    #[must_use]
    pub fn mean_window(&self) -> f64 {
        self.window as f64 / WINDOW_UNIT / (self.sending - self.windowless) as f64
    }

    /// Mean smoothed round-trip time, s; NaN without any.
    #[must_use]
    pub fn mean_rtt(&self) -> f64 {
        self.round_trip as f64 * 1e-12 / self.with_rtt as f64
    }

    /// Mean queueing delay (smoothed round-trip time less propagation), s; NaN without any.
    #[must_use]
    pub fn mean_queueing(&self) -> f64 {
        self.queueing as f64 * 1e-12 / self.with_queueing as f64
    }
}

/// An explicit flow at a sampling instant.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct FlowSample {
    /// Window, segments; NaN when it is not sending.
    pub cwnd: f64,
    /// Smoothed round-trip time, ms; NaN when there is none.
    pub rtt_ms: f64,
    /// Data segments acknowledged so far.
    pub delivered: u64,
}

/// The samples since the last hand-over.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Series {
    rows: Vec<(Picos, Sample, Counters)>,
    flows: Vec<Vec<FlowSample>>,
}

impl Series {
    /// Appends a row: the state at `now` and what was counted in the interval before.
    pub fn push(&mut self, now: Picos, sample: Sample, interval: Counters, flows: Vec<FlowSample>) {
        self.rows.push((now, sample, interval));
        self.flows.push(flows);
    }

    /// Hands the rows over and forgets them.
    pub fn take(&mut self) -> Table {
        let rows = std::mem::take(&mut self.rows);
        let flows = std::mem::take(&mut self.flows);
        let mut table = Table::default();
        let float = |f: &dyn Fn(&(Picos, Sample, Counters)) -> f64| rows.iter().map(f).collect::<Vec<_>>();
        let whole = |f: &dyn Fn(&(Picos, Sample, Counters)) -> u64| rows.iter().map(f).collect::<Vec<_>>();
        table.float("time_s", float(&|r| seconds(r.0)));
        table.integer("connecting", whole(&|r| r.1.connecting));
        table.integer("sending", whole(&|r| r.1.sending));
        table.integer("initial_slow_start", whole(&|r| r.1.initial_slow_start));
        table.integer("standard", whole(&|r| r.1.standard));
        table.integer("alternate", whole(&|r| r.1.alternate));
        table.integer("recovery", whole(&|r| r.1.recovery));
        table.float("cwnd", float(&|r| r.1.mean_window()));
        table.float("rtt_ms", float(&|r| r.1.mean_rtt() * 1e3));
        table.float("queueing_delay_ms", float(&|r| r.1.mean_queueing() * 1e3));
        for counted in COUNTED {
            table.integer(counted.column, whole(&|r| (counted.of)(&r.2)));
        }
        for i in 0..flows.first().map_or(0, Vec::len) {
            let n = i + 1;
            table.float(&format!("flow_{n}_cwnd"), flows.iter().map(|f| f[i].cwnd).collect());
            table.float(&format!("flow_{n}_rtt_ms"), flows.iter().map(|f| f[i].rtt_ms).collect());
            table.integer(&format!("flow_{n}_delivered"), flows.iter().map(|f| f[i].delivered).collect());
        }
        table
    }
}
