//! Long-lived flows (X10): explicit flows on the pairs of the network, from the beginning of the measured
//! span.

use crate::network::Network;
use crate::random::{Purpose, Stream};
use crate::scenario::{ExplicitFlow, InvalidScenario, Scenario, invalid};
use crate::users::population::pick;

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
/// uses the first algorithm of the scenario, the others draw theirs by share, as sources do (assumed: the
/// study had flow 1 on standard TCP and the others at random).
pub fn add(scenario: &mut Scenario, network: &Network, seed: u64) {
    let wanted = scenario.users.long_lived_flows as usize;
    let pairs = network.long_lived_pairs();
    let sources = network.traffic.sources.iter().sum::<u64>();
    for (i, (from, to)) in pairs.iter().take(wanted).enumerate() {
        // Beyond the sources, so that no user shares the stream.
        let name = sources + (scenario.flows.len() as u64);
        let draw = Stream::new(seed, Purpose::Source, name, 0).uniform();
        let algorithm =
            if i == 0 { 0 } else { usize::from(pick(draw, scenario.algorithms.iter().map(|a| a.share))) };
        scenario.flows.push(ExplicitFlow {
            start: scenario.time.warmup,
            interface: scenario.users.fast_interface,
            algorithm: Some(scenario.algorithms[algorithm].name.clone()),
            ..ExplicitFlow::between(from, to)
        });
    }
}
