//! Long-lived flows (X10): explicit flows on the pairs of the network, from the beginning of the measured
//! span.

use crate::network::Network;
use crate::random::{Purpose, Stream};
use crate::scenario::{ExplicitFlow, InvalidScenario, Scenario, invalid};
use crate::users::files::EXPLICIT;
use crate::users::{Assignment, Newcomer};
use mesonet_cc::picos;

/// Refuses more long-lived flows than the topology has pairs.
///
/// # Errors
/// [`InvalidScenario`] at their number.
pub fn check(scenario: &Scenario, network: &Network) -> Result<(), InvalidScenario> {
    let (wanted, pairs) = (scenario.users.long_lived_flows as usize, network.long_lived_pairs().len());
    if wanted <= pairs {
        return Ok(());
    }
    let name = &network.topology.name;
    let message = format!("{wanted} is too many for the topology {name}; allowed: at most {pairs}");
    Err(invalid("users.long_lived_flows", message))
}

/// Adds the long-lived flows of a scenario to its explicit flows. Their interfaces are fast; the first one
/// uses the incumbent, the others draw their algorithms as sources do (assumed: the study had flow 1 on
/// standard TCP and the others at random).
pub fn add(scenario: &mut Scenario, network: &Network, assignment: &Assignment, seed: u64) {
    let wanted = scenario.users.long_lived_flows as usize;
    let pairs = network.long_lived_pairs();
    let sources = network.traffic.sources.iter().sum::<u64>();
    for (i, (from, to)) in pairs.iter().take(wanted).enumerate() {
        // Beyond the sources, so that no user shares the stream.
        let name = sources + (scenario.flows.len() as u64);
        let [origin, receiver] = [from, to].map(|router| network.access_router(router));
        let rank = Stream::new(seed, Purpose::Source, name, 0).uniform();
        let drawn = || {
            let flow = Newcomer { category: EXPLICIT, origin, receiver, rank };
            assignment.algorithm(network, &flow, picos(scenario.time.warmup))
        };
        let algorithm = if i == 0 { assignment.incumbent() } else { drawn() };
        scenario.flows.push(ExplicitFlow {
            start: scenario.time.warmup,
            interface: scenario.users.fast_interface,
            algorithm: Some(scenario.algorithms[usize::from(algorithm)].name.clone()),
            ..ExplicitFlow::between(from, to)
        });
    }
}
