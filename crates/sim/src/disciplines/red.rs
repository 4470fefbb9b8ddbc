//! Random early detection (Floyd and Jacobson 1993), gentle, and with a largest probability that adapts
//! (Floyd, Gummadi and Shenker 2001).

use super::constants::constants;
use super::queue::{Arrives, Backlog, Draws, QueueFacts, Verdict, Waiting};
use mesonet_cc::{MILLISECOND, Picos, seconds};
use serde::{Deserialize, Serialize};

constants! {
    /// Average queue below which nothing is signalled, segments.
    "red_min" => min: f64, 0.0 to 1e9;
    /// Average queue at which the probability is `max_probability`, segments.
    "red_max" => max: f64, 1e-3 to 1e9;
    /// Weight of an arrival in the average.
    "red_weight" => weight: f64, 1e-9 to 1.0;
    /// Probability at `max`; where it adapts, at the start.
    "red_max_probability" => max_probability: f64, 1e-6 to 1.0;
    /// The probability rises to 1 at twice `max`, instead of at once.
    "red_gentle" => gentle: bool;
    /// Thresholds and weight follow from `target`, and the largest probability adapts.
    "red_adaptive" => adaptive: bool;
    /// Delay at which adaptive RED aims, s.
    "red_target" => target: f64, 1e-6 to 10.0;
}

/// Time between two changes of the largest probability (Adaptive RED, section 3).
const ADAPTS_EVERY: Picos = 500 * MILLISECOND;
/// Range of the average that the adaptation keeps, as parts of the way between the thresholds (Adaptive RED,
/// section 3).
const KEPT_BETWEEN: [f64; 2] = [0.4, 0.6];
/// Bounds of the largest probability, and the factor by which it falls (Adaptive RED, section 3).
const PROBABILITIES: [f64; 2] = [0.01, 0.5];
const FALLS_BY: f64 = 0.9;
/// Smallest minimum threshold of adaptive RED, segments (Adaptive RED, section 5.1).
const LEAST_MINIMUM: f64 = 5.0;

/// The state of the average.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Red {
    service: Picos,
    minimum: f64,
    maximum: f64,
    weight: f64,
    most: f64,
    gentle: bool,
    adaptive: bool,
    average: f64,
    /// Arrivals since the last signal while the average was between the thresholds; -1 below them.
    count: i64,
    /// Last arrival, on the clock of the server.
    seen: Picos,
    adapted: Picos,
}

impl Red {
    /// The average of an empty queue.
    #[must_use]
    pub fn new(of: &Constants, facts: QueueFacts) -> Self {
        let rate = 1.0 / seconds(facts.service);
        let minimum = (of.target * rate / 2.0).max(LEAST_MINIMUM);
        let adaptive = of.adaptive;
        Self {
            service: facts.service,
            minimum: if adaptive { minimum } else { of.min },
            maximum: if adaptive { 3.0 * minimum } else { of.max },
            weight: if adaptive { 1.0 - libm::exp(-1.0 / rate) } else { of.weight },
            most: of.max_probability,
            gentle: of.gentle || adaptive,
            adaptive,
            average: 0.0,
            count: -1,
            seen: 0,
            adapted: 0,
        }
    }

    fn adapt(&mut self, now: Picos) {
        if !self.adaptive || now - self.adapted < ADAPTS_EVERY {
            return;
        }
        self.adapted = now;
        let [low, high] = KEPT_BETWEEN.map(|part| self.minimum + part * (self.maximum - self.minimum));
        if self.average > high && self.most <= PROBABILITIES[1] {
            self.most += (self.most / 4.0).min(PROBABILITIES[0]);
        } else if self.average < low && self.most >= PROBABILITIES[0] {
            self.most *= FALLS_BY;
        }
    }
}

impl Arrives for Red {
    fn decide(&mut self, backlog: Backlog, arrival: &Waiting, draws: &mut Draws) -> Verdict {
        if backlog.work() == 0 {
            // As if so many small segments had found an empty queue.
            let idle = (backlog.at - backlog.empty.max(self.seen)) as f64 / self.service as f64;
            self.average *= libm::pow(1.0 - self.weight, idle);
        } else {
            let queue = backlog.work().div_ceil(self.service) as f64;
            self.average += self.weight * (queue - self.average);
        }
        self.seen = backlog.at;
        self.adapt(arrival.since);
        let most_at = if self.gentle { 2.0 * self.maximum } else { self.maximum };
        if self.average < self.minimum {
            self.count = -1;
            return Verdict::Pass;
        }
        if self.average >= most_at {
            self.count = 0;
            return Verdict::Drop;
        }
        self.count += 1;
        let base = if self.average < self.maximum {
            self.most * (self.average - self.minimum) / (self.maximum - self.minimum)
        } else {
            self.most + (1.0 - self.most) * (self.average - self.maximum) / self.maximum
        };
        // Signals at even distances instead of geometric ones.
        let even = base / (1.0 - self.count as f64 * base);
        if (0.0..1.0).contains(&even) && draws.uniform() >= even {
            return Verdict::Pass;
        }
        self.count = 0;
        if arrival.may_be_marked() { Verdict::Mark } else { Verdict::Drop }
    }
}
