//! Open-loop arrivals: each emitter of a domain begins its flows, whatever became of the flows before them.

use super::code;
use super::connection::Opening;
use super::domain::Domain;
use crate::users::files::ARRIVAL;
use mesonet_cc::{Picos, picos};
use serde::{Deserialize, Serialize};

/// An emitter whose access router is in a domain.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ArrivalsHere {
    /// Its number in the scenario.
    pub emitter: u32,
    /// Number of the next arrival.
    next: u64,
}

impl ArrivalsHere {
    /// An emitter of which nothing has arrived.
    pub fn new(emitter: u32) -> Self {
        Self { emitter, next: 0 }
    }
}

impl Domain {
    /// Arms the first arrivals.
    pub(super) fn arm_arrivals(&mut self) {
        for place in 0..self.arrivals.len() as u32 {
            let emitter = self.arrivals[place as usize].emitter;
            let start = self.shared.emitters.process(&self.shared.scenario, emitter).start;
            self.arm_arrival(place, picos(start));
        }
    }

    /// Arms the next arrival of an emitter, unless it comes too late. `before` is the instant of the arrival before.
    fn arm_arrival(&mut self, place: u32, before: Picos) {
        let ArrivalsHere { emitter, next } = self.arrivals[place as usize];
        let shared = &self.shared;
        let gap = shared.emitters.gap(&shared.scenario, &shared.network, emitter, next);
        let at = before.saturating_add(gap);
        let stop = shared.emitters.process(&shared.scenario, emitter).stop.map_or(shared.end, picos);
        if at < stop {
            self.arm(at, code::ARRIVAL | u64::from(place));
        }
    }

    /// The next flow of an emitter arrives.
    pub(super) fn start_arrival(&mut self, place: u32) {
        let here = &mut self.arrivals[place as usize];
        let (emitter, k) = (here.emitter, here.next);
        here.next += 1;
        self.arm_arrival(place, self.now);
        let shared = &self.shared;
        let arrival = shared.emitters.arrival(&shared.scenario, &shared.network, emitter, k);
        let opening = Opening {
            source: shared.population.count + shared.scenario.flows.len() as u32 + emitter,
            home: (self.sources.len() + self.explicit.len()) as u32 + place,
            transfer: k,
            category: ARRIVAL,
            algorithm: arrival.algorithm,
            origin: shared.emitters.access(&shared.network, emitter),
            receiver: arrival.receiver,
            size: Some(arrival.size),
            rate: shared.emitters.process(&shared.scenario, emitter).interface,
            own: None,
            delays_sends: false,
            is_fed: false,
        };
        self.open(&opening);
    }
}
