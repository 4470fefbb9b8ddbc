//! A proportional integral controller of the delay of a queue, as PI2 and DualPI2 use it (RFC 9332, appendix A.1).

use mesonet_cc::{Picos, picos, seconds};
use serde::{Deserialize, Serialize};

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
    /// A controller at rest; times in s.
    #[must_use]
    pub fn new(target: f64, update: f64, alpha: f64, beta: f64) -> Self {
        let update = picos(update);
        Self { target, update, alpha, beta, probability: 0.0, before: 0.0, next: update }
    }

    /// Makes the updates that were due until `now`; `delay` gives the delay of the queue at an instant in between.
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
