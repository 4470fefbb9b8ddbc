//! PI2 in one queue: the squared probability of a linear controller for classic flows, and a linear one for scalable flows
//! (De Schepper et al. 2016; RFC 9332, appendix A).

use super::pi::Controller;
use super::{Draws, Verdict, Waiting};
use crate::scenario::AqmParameters;
use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};

/// The state of the controller.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pi2 {
    controller: Controller,
    coupling: f64,
    /// When and with what backlog the last segment had arrived, itself included.
    emptied: Picos,
}

/// Probability of classic flows beyond which marks no longer replace drops (RFC 9332, appendix A.2: p_Cmax).
pub const MOST_MARKED: f64 = 0.25;

impl Pi2 {
    /// The controller of an empty queue.
    #[must_use]
    pub fn new(aqm: &AqmParameters) -> Self {
        let controller = Controller::new(aqm.pi2_target, aqm.pi2_update, aqm.pi2_alpha, aqm.pi2_beta);
        Self { controller, coupling: aqm.dualpi2_coupling, emptied: 0 }
    }

    /// See [`super::Arrival::decide`].
    pub fn decide(&mut self, backlog: Picos, arrival: &Waiting, draws: &mut Draws) -> Verdict {
        let now = arrival.since;
        // Between two arrivals the queue only drains.
        let emptied = self.emptied;
        self.controller.catch_up(now, |at| emptied.saturating_sub(at));
        self.emptied = now + backlog;
        let base = self.controller.probability;
        let classic = base * base;
        if !arrival.is_ack && arrival.segment.is_scalable() {
            let signalled = draws.uniform() < self.coupling * base;
            return match signalled {
                false => Verdict::Pass,
                true if classic >= MOST_MARKED && draws.uniform() < classic => Verdict::Drop,
                true => Verdict::Mark,
            };
        }
        if draws.uniform() >= classic {
            return Verdict::Pass;
        }
        if arrival.may_be_marked() && classic < MOST_MARKED { Verdict::Mark } else { Verdict::Drop }
    }

    /// What arrived last has entered, and the queue runs empty at `emptied`.
    pub fn entered(&mut self, emptied: Picos) {
        self.emptied = emptied;
    }
}
