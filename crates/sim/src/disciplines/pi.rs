//! A proportional integral controller of the delay of a queue, as PI2 and DualPI2 use it (RFC 9332, appendix
//! A.1).

use super::constants::constants;
use mesonet_cc::{Picos, picos, seconds};
use serde::{Deserialize, Serialize};

constants! {
    /// Delay at which it aims, s.
    "pi2_target" => target: f64, 1e-6 to 10.0;
    /// Time between two updates of the probability, s.
    "pi2_update" => update: f64, 1e-5 to 10.0;
    /// Gain on the distance from the target, Hz.
    "pi2_alpha" => alpha: f64, 0.0 to 1e3;
    /// Gain on the change of the delay, Hz.
    "pi2_beta" => beta: f64, 0.0 to 1e3;
    /// Probability of scalable flows as a multiple of the base probability.
    "dualpi2_coupling" => coupling: f64, 0.0 to 1e3;
}

/// Probability of classic flows from which on marks no longer replace drops, because all scalable segments
/// are marked (RFC 9332, appendix A.1: p_Cmax = min(1/k^2, 1)).
pub fn most_marked(coupling: f64) -> f64 {
    (1.0 / (coupling * coupling)).min(1.0)
}

/// The controller: a probability that follows the delay.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Controller {
    target: f64,
    update: Picos,
    /// Gains, in Hz.
    alpha: f64,
    beta: f64,
    /// The base probability p'.
    pub probability: f64,
    /// Delay at the last update, s.
    before: f64,
    /// Instant of the next update.
    next: Picos,
}

impl Controller {
    /// A controller at rest.
    #[must_use]
    pub fn new(of: &Constants) -> Self {
        let Constants { target, alpha, beta, .. } = *of;
        let update = picos(of.update);
        Self { target, update, alpha, beta, probability: 0.0, before: 0.0, next: update }
    }

    /// Makes the updates that were due until `now`; `delay` gives the delay of the queue at an instant in
    /// between.
    pub fn catch_up(&mut self, now: Picos, delay: impl Fn(Picos) -> Picos) {
        while self.next <= now {
            let current = seconds(delay(self.next));
            if current == 0.0 && self.before == 0.0 && self.probability == 0.0 {
                // Nothing changes until something arrives.
                self.next += (now - self.next) / self.update * self.update;
            } else {
                let change = self.alpha * (current - self.target) + self.beta * (current - self.before);
                self.probability = (self.probability + change).clamp(0.0, 1.0);
                self.before = current;
            }
            self.next += self.update;
        }
    }
}
