//! Checks that need the network: every source finds a receiver, explicit flows have ends.

use crate::network::Network;
use crate::scenario::{InvalidScenario, Scenario, invalid};

/// Holds the users and the explicit flows of a scenario against its network.
///
/// # Errors
/// [`InvalidScenario`] naming the path, the value and what is allowed.
pub fn check(scenario: &Scenario, network: &Network) -> Result<(), InvalidScenario> {
    check_receivers(scenario, network)?;
    check_explicit(scenario, network)
}

/// Every source must find a receiver.
fn check_receivers(scenario: &Scenario, network: &Network) -> Result<(), InvalidScenario> {
    for (access, &count) in network.sources.iter().enumerate() {
        let region = network.region_of(access);
        let weights = network.receiver_weights_from(region, scenario.users.allow_same_backbone);
        if count > 0 && weights.iter().sum::<f64>() <= 0.0 {
            let name = &network.topology.routers[network.access[access]].name;
            return Err(invalid(
                "users.receiver_distribution",
                format!("the sources under router {name} have no receiver to choose"),
            ));
        }
    }
    Ok(())
}

/// Both ends of an explicit flow must be routers with hosts, and not the same.
fn check_explicit(scenario: &Scenario, network: &Network) -> Result<(), InvalidScenario> {
    let known = |path: String, name: &str| {
        let router = network.topology.router(name);
        if router.is_some_and(|r| network.access_index[r].is_some()) {
            return Ok(());
        }
        let names: Vec<&str> =
            network.access.iter().take(8).map(|&r| network.topology.routers[r].name.as_str()).collect();
        let more = if network.access.len() > 8 { ", ..." } else { "" };
        Err(invalid(path, format!("\"{name}\" is not an access router; allowed: {}{more}", names.join(", "))))
    };
    for (i, flow) in scenario.flows.iter().enumerate() {
        known(format!("flows[{i}].from"), &flow.from)?;
        known(format!("flows[{i}].to"), &flow.to)?;
        if flow.from == flow.to {
            return Err(invalid(format!("flows[{i}].to"), "a flow must leave the router it starts at"));
        }
    }
    Ok(())
}
