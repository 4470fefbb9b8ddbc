//! PI2 in one queue: the squared probability of a linear controller for classic flows, and a linear one for
//! scalable flows (De Schepper et al. 2016; RFC 9332, appendix A).

use super::pi::{Constants, Controller, most_marked};
use super::queue::{Arrives, Backlog, Draws, QueueFacts, Verdict, Waiting};
use serde::{Deserialize, Serialize};

/// The state of the controller.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pi2 {
    controller: Controller,
    coupling: f64,
    most_marked: f64,
}

impl Pi2 {
    /// The controller of an empty queue.
    #[must_use]
    pub fn new(of: &Constants, _: QueueFacts) -> Self {
        Self { controller: Controller::new(of), coupling: of.coupling, most_marked: most_marked(of.coupling) }
    }
}

impl Arrives for Pi2 {
    fn decide(&mut self, backlog: Backlog, arrival: &Waiting, draws: &mut Draws) -> Verdict {
        // Between two arrivals the queue only drains.
        self.controller.catch_up(arrival.since, |at| backlog.empty_at.saturating_sub(at));
        let base = self.controller.probability;
        let classic = base * base;
        if !arrival.is_ack && arrival.segment.is_scalable() {
            let signalled = draws.uniform() < self.coupling * base;
            return match signalled {
                false => Verdict::Pass,
                true if classic >= self.most_marked && draws.uniform() < classic => Verdict::Drop,
                true => Verdict::Mark,
            };
        }
        if draws.uniform() >= classic {
            return Verdict::Pass;
        }
        if arrival.may_be_marked() && classic < self.most_marked { Verdict::Mark } else { Verdict::Drop }
    }
}
