//! The first events of a domain.

use super::parts::Parts;
use super::state::Sessions;
use crate::simulation::code;
use mesonet_cc::picos;

impl Sessions {
    /// Arms what happens first.
    pub fn arm_start(&self, parts: &mut Parts) {
        for (place, source) in self.sources.iter().enumerate() {
            let at = parts.shared.population.first_start(source.number);
            parts.events.arm(at, code::SOURCE | place as u64);
        }
        for (place, flow) in self.explicit.iter().enumerate() {
            let spec = &parts.shared.scenario.flows[flow.index as usize];
            parts.events.arm(picos(spec.start), code::EXPLICIT | place as u64);
            if let Some(stop) = spec.stop {
                parts.events.arm(picos(stop), code::STOP | place as u64);
            }
        }
        for (place, arrivals) in self.arrivals.iter().enumerate() {
            arrivals.arm_first(place as u32, parts);
        }
    }
}
