//! Proportional integral controller, enhanced (PIE, RFC 8033).

use super::constants::constants;
use super::queue::{Arrives, Backlog, Draws, QueueFacts, Verdict, Waiting};
use mesonet_cc::{Picos, picos, seconds};
use serde::{Deserialize, Serialize};

constants! {
    /// Delay at which it aims, s.
    "pie_target" => target: f64, 1e-6 to 10.0;
    /// Time between two updates of the probability, s.
    "pie_update" => update: f64, 1e-5 to 10.0;
    /// Burst that passes, s.
    "pie_burst" => burst: f64, 0.0 to 100.0;
    /// Gain on the distance from the target, Hz.
    "pie_alpha" => alpha: f64, 0.0 to 1e3;
    /// Gain on the change of the delay, Hz.
    "pie_beta" => beta: f64, 0.0 to 1e3;
    /// Probability from which on it drops instead of marking.
    "pie_mark_below" => mark_below: f64, 0.0 to 1.0;
}

/// The change of a probability is divided by this where the probability is below (RFC 8033, section 4.2).
const SCALES: [(f64, f64); 6] =
    [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0)];
/// Largest rise of a probability of a tenth or more (section 5.5).
const LARGEST_RISE: f64 = 0.02;
/// Decay of the probability while the queue is empty (section 4.2).
const DECAY: f64 = 0.98;

/// The state of the controller.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pie {
    target: f64,
    update: Picos,
    alpha: f64,
    beta: f64,
    longest_burst: Picos,
    mark_below: f64,
    /// Work that is never dropped: two data segments.
    few: Picos,
    probability: f64,
    burst: Picos,
    before: f64,
    next: Picos,
}

impl Pie {
    /// The controller of an empty queue.
    #[must_use]
    pub fn new(of: &Constants, facts: QueueFacts) -> Self {
        let update = picos(of.update);
        let longest_burst = picos(of.burst);
        Self {
            target: of.target,
            update,
            alpha: of.alpha,
            beta: of.beta,
            longest_burst,
            mark_below: of.mark_below,
            few: 2 * facts.service,
            probability: 0.0,
            burst: longest_burst,
            before: 0.0,
            next: update,
        }
    }

    fn catch_up(&mut self, now: Picos, empty_at: Picos) {
        while self.next <= now {
            let delay = seconds(empty_at.saturating_sub(self.next));
            let at_rest = self.probability == 0.0 && self.burst == self.longest_burst;
            if delay == 0.0 && self.before == 0.0 && at_rest {
                self.next += (now - self.next) / self.update * self.update;
            } else {
                self.renew(delay);
            }
            self.next += self.update;
        }
    }

    /// One update (section 4.2 and 4.4), with the queue's delay in s.
    fn renew(&mut self, delay: f64) {
        let mut change = self.alpha * (delay - self.target) + self.beta * (delay - self.before);
        if let Some((_, scale)) = SCALES.iter().find(|(below, _)| self.probability < *below) {
            change /= scale;
        } else {
            change = change.min(LARGEST_RISE);
        }
        self.probability += change;
        if delay == 0.0 && self.before == 0.0 {
            self.probability *= DECAY;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.burst = self.burst.saturating_sub(self.update);
        if self.probability == 0.0 && delay < self.target / 2.0 && self.before < self.target / 2.0 {
            self.burst = self.longest_burst;
        }
        self.before = delay;
    }
}

impl Arrives for Pie {
    fn decide(&mut self, backlog: Backlog, arrival: &Waiting, draws: &mut Draws) -> Verdict {
        // Between two arrivals the queue only drains.
        self.catch_up(arrival.since, backlog.empty_at);
        // Section 4.1: a burst after calm passes, and so does what finds a short queue.
        let calm = self.before < self.target / 2.0 && self.probability < 0.2;
        if self.burst > 0 || calm || backlog.work() <= self.few || draws.uniform() >= self.probability {
            return Verdict::Pass;
        }
        if arrival.may_be_marked() && self.probability < self.mark_below {
            Verdict::Mark
        } else {
            Verdict::Drop
        }
    }
}
