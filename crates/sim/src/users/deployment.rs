//! Places of a deployment: the access routers of each, and whether flows that take their algorithm from the
//! mix are there.

use super::files::{ARRIVAL, EXPLICIT};
use super::units::{begins_at_home, home_end};
use crate::network::places::AccessPlaces;
use crate::network::{AccessRouter, Network, RouterClass, Wiring};
use crate::scenario::{InvalidScenario, Scenario, Unit, invalid};
use mesonet_cc::{Picos, picos};
use std::collections::BTreeSet;

/// Stands for all access routers.
const ALL: &str = "all";

/// By access router the instants from which another mix holds, with its number in the list of mixes. Of
/// entries with one time the later in the list holds.
///
/// # Errors
/// [`InvalidScenario`] with the path of a place that the network does not have.
pub fn turns(scenario: &Scenario, wiring: &Wiring) -> Result<Vec<Vec<(Picos, usize)>>, InvalidScenario> {
    if scenario.deployment.is_empty() {
        return Ok(Vec::new());
    }
    let mut turns = vec![Vec::new(); wiring.access.len()];
    for (number, entry) in scenario.deployment.iter().enumerate() {
        for place in 0..entry.at.len() {
            for access in access_routers(scenario, wiring, number, place)? {
                turns[access].push((picos(entry.time), number + 1));
            }
        }
    }
    // A sort that keeps the order of equal instants.
    turns.iter_mut().for_each(|turns| turns.sort_by_key(|(time, _)| *time));
    Ok(turns)
}

/// Refuses a place of a deployment where no flow is that takes its algorithm from the mix.
///
/// # Errors
/// [`InvalidScenario`] with the path of the place.
pub fn check(scenario: &Scenario, network: &Network) -> Result<(), InvalidScenario> {
    if scenario.deployment.is_empty() {
        return Ok(());
    }
    let is_home = homes(scenario, network);
    for (number, entry) in scenario.deployment.iter().enumerate() {
        for place in 0..entry.at.len() {
            let found = access_routers(scenario, network, number, place)?;
            if found.iter().any(|access| is_home[*access]) {
                continue;
            }
            let (problem, unit) = match scenario.users.assignment {
                Unit::User => ("no user is there", ", or another users.assignment"),
                _ => ("no flow has its home end there", ""),
            };
            let example = is_home.iter().position(|is_home| *is_home);
            let allowed = example.map_or_else(
                || "flows without an algorithm of their own".into(),
                |access| {
                    let router = &network.topology.routers[network.access[access]].name;
                    format!("a place with some, such as {router}{unit}")
                },
            );
            let path = format!("deployment[{number}].at[{place}]");
            return Err(invalid(path, format!("{problem}; allowed: {allowed}")));
        }
    }
    Ok(())
}

/// Returns of each access router whether flows that take an algorithm from the mix can have their place
/// there.
pub fn homes(scenario: &Scenario, network: &Network) -> Vec<bool> {
    let count = network.access.len();
    let mut homes = vec![false; count];
    let users = &network.traffic;
    if scenario.users.assignment == Unit::User {
        homes.iter_mut().zip(&users.sources).for_each(|(is_home, sources)| *is_home |= *sources > 0);
    } else {
        let begun: Vec<bool> = users.sources.iter().map(|sources| *sources > 0).collect();
        let received: Vec<bool> = users.pairs.received().iter().map(|weight| *weight > 0.0).collect();
        add_homes(network, 0, [&begun, &received], &mut homes);
    }
    for (arrivals, _) in
        network.arrivals.iter().zip(&scenario.arrivals).filter(|(_, a)| a.algorithm.is_none())
    {
        let mut ends = [vec![false; count], vec![false; count]];
        arrivals.origins.iter().for_each(|origin| ends[0][origin.access.index()] = true);
        arrivals.receivers().into_iter().for_each(|access| ends[1][access.index()] = true);
        add_homes(network, ARRIVAL, [&ends[0], &ends[1]], &mut homes);
    }
    explicit_homes(scenario, network).into_iter().for_each(|(_, home)| homes[home.index()] = true);
    homes
}

/// Number of units at each access router that take their algorithm from the mix: homes, else sources and
/// users of explicit flows. Where only arrivals begin flows, their homes are units.
pub fn units(scenario: &Scenario, network: &Network) -> Vec<f64> {
    let unit = scenario.users.assignment;
    let mut units: Vec<f64> = network.traffic.sources.iter().map(|sources| *sources as f64).collect();
    let mut known = BTreeSet::new();
    for (user, home) in explicit_homes(scenario, network) {
        let is_new = user.filter(|_| unit == Unit::User).is_none_or(|user| known.insert(user));
        units[home.index()] += f64::from(u8::from(is_new));
    }
    if unit == Unit::Home || units.iter().all(|count| *count == 0.0) {
        units = homes(scenario, network).into_iter().map(|is_home| f64::from(u8::from(is_home))).collect();
    }
    units
}

/// User and home end of each explicit flow that takes its algorithm from the mix.
fn explicit_homes<'a>(scenario: &'a Scenario, network: &Network) -> Vec<(Option<&'a str>, AccessRouter)> {
    let flows = scenario.flows.iter().filter(|flow| flow.algorithm.is_none());
    let flows = flows.map(|flow| (flow.user.as_deref(), flow.from.clone(), flow.to.clone()));
    let long_lived = network.long_lived_pairs();
    let drawn = long_lived.into_iter().take(scenario.users.long_lived_flows as usize).skip(1);
    let home = |(user, from, to): (_, String, String)| {
        let [from, to] = [from, to].map(|name| network.access_router(&name));
        (user, home_end(network, EXPLICIT, from, to))
    };
    flows.chain(drawn.map(|(from, to)| (None, from, to))).map(home).collect()
}

/// Adds the access routers that are the home end of a flow of a category, of all flows from one set of access
/// routers to another.
fn add_homes(network: &Network, category: u8, ends: [&[bool]; 2], homes: &mut [bool]) {
    let classes = ends.map(|end| {
        let has = |class: &RouterClass| (0..end.len()).any(|a| end[a] && network.class_of(a) == *class);
        RouterClass::ALL.into_iter().filter(has).collect::<Vec<_>>()
    });
    for (access, is_home) in homes.iter_mut().enumerate() {
        let class = network.class_of(access);
        let sends = |other: &RouterClass| begins_at_home(category, class, *other);
        let receives = |other: &RouterClass| !begins_at_home(category, *other, class);
        *is_home |= ends[0][access] && classes[1].iter().any(sends)
            || ends[1][access] && classes[0].iter().any(receives);
    }
}

/// Access indices of a place of an entry, rising.
fn access_routers(
    scenario: &Scenario,
    wiring: &Wiring,
    number: usize,
    place: usize,
) -> Result<Vec<usize>, InvalidScenario> {
    let name = &scenario.deployment[number].at[place];
    let is_meant = |access: &usize| name == ALL || name == wiring.class_of(*access).word();
    let of_class: Vec<usize> = (0..wiring.access.len()).filter(is_meant).collect();
    if !of_class.is_empty() {
        return Ok(of_class);
    }
    let places = AccessPlaces { scenario, topology: &wiring.topology, routers: &wiring.access };
    places.place(&format!("deployment[{number}].at[{place}]"), name)
}
