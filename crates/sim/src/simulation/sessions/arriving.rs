//! Open-loop arrivals: each emitter of a domain begins its flows, whatever became of the flows before them.

use super::connection::{Opening, open};
use super::parts::Parts;
use super::state::{ArrivalsHere, Sessions};
use crate::simulation::code;
use crate::users::Newcomer;
use crate::users::files::ARRIVAL;
use mesonet_cc::{Picos, picos};

impl ArrivalsHere {
    /// Arms the first arrival.
    pub fn arm_first(&self, place: u32, parts: &mut Parts) {
        let start = parts.shared.emitters.process(&parts.shared.scenario, self.emitter).start;
        self.arm(place, picos(start), parts);
    }

    /// Arms the next arrival, unless it comes too late. `before` is the instant of the arrival before.
    fn arm(&self, place: u32, before: Picos, parts: &mut Parts) {
        let shared = parts.shared;
        let gap = shared.emitters.gap(&shared.scenario, &shared.network, self.emitter, self.next);
        let at = before.saturating_add(gap);
        let stop = shared.emitters.process(&shared.scenario, self.emitter).stop.map_or(shared.end, picos);
        if at < stop {
            parts.events.arm(at, code::ARRIVAL | u64::from(place));
        }
    }
}

impl Sessions {
    /// The next flow of an emitter arrives.
    pub fn start_arrival(&mut self, place: u32, parts: &mut Parts) {
        let arrivals = &mut self.arrivals[place as usize];
        let ArrivalsHere { emitter, next: k } = *arrivals;
        arrivals.next += 1;
        arrivals.arm(place, parts.events.now, parts);
        let shared = parts.shared;
        let arrival = shared.emitters.arrival(&shared.scenario, &shared.network, emitter, k);
        let process = shared.emitters.process(&shared.scenario, emitter);
        let (origin, receiver) = (shared.emitters.access(&shared.network, emitter), arrival.receiver);
        let named = process.algorithm.as_ref();
        let algorithm = match named.and_then(|name| shared.algorithm_names.iter().position(|a| a == name)) {
            Some(algorithm) => algorithm as u8,
            None => {
                let newcomer = Newcomer { category: ARRIVAL, origin, receiver, rank: arrival.rank };
                shared.assignment.algorithm(&shared.network, &newcomer, parts.events.now)
            }
        };
        let opening = Opening {
            source: shared.population.count + shared.scenario.flows.len() as u32 + emitter,
            home: (self.sources.len() + self.explicit.len()) as u32 + place,
            transfer: k,
            category: ARRIVAL,
            algorithm,
            origin,
            receiver,
            size: Some(arrival.size),
            rate: process.interface,
            own: None,
            delays_sends: false,
            is_fed: false,
            is_asked_for: false,
        };
        open(&opening, parts);
    }
}
