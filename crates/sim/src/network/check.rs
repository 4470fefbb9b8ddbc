//! The checks that a topology of the user's own must pass.

use super::routing::{adjacency, nearest};
use super::topology::{LinkSpec, RouterSpec, Topology};
use crate::scenario::{GivenTopology, InvalidScenario, invalid, within};

/// Most routers, and most links: routes are kept for every pair of a router and an access router.
pub const MOST_ROUTERS: usize = 10_000;

/// Most regions: what is expected of every pair of them is kept.
pub const MOST_REGIONS: usize = 1000;

/// Longest link, s: half of the longest round trip and more.
const LONGEST_DELAY: f64 = 1e3;

/// Largest routing cost: wider than any routing protocol's.
const LARGEST_COST: f64 = 1e9;
/// Smallest and largest capacity of a link, bit/s: slower than any modem, and as fast as the unit of time
/// allows.
const SMALLEST_CAPACITY: f64 = 1e3;
const LARGEST_CAPACITY: f64 = 1e13;

/// Holds what was given against its ranges, in a time that grows with its size only.
///
/// # Errors
/// [`InvalidScenario`] with a path below `topology`.
pub fn routers_and_links(given: &GivenTopology) -> Result<(), InvalidScenario> {
    sizes(given)?;
    routers(given)?;
    links(given)
}

/// Holds a topology, tiers included, against what holds for the whole.
///
/// # Errors
/// [`InvalidScenario`] with a path of `topology`.
pub fn whole(topology: &Topology) -> Result<(), InvalidScenario> {
    names(topology.routers.iter().map(|r| r.name.as_str()))?;
    connected(&topology.routers, &topology.links)?;
    ends(topology)
}

fn sizes(given: &GivenTopology) -> Result<(), InvalidScenario> {
    for (what, count) in [("routers", given.routers.len()), ("links", given.links.len())] {
        if count > MOST_ROUTERS {
            return Err(invalid(
                format!("topology.{what}"),
                format!("{count} {what} are too many; allowed: at most {MOST_ROUTERS} {what}"),
            ));
        }
    }
    let heads = given.routers.iter().filter(|r| r.class.is_head()).count();
    match heads {
        0 | 1 => Err(invalid(
            "topology.routers",
            format!(
                "{heads} backbone and plain routers, each of which is a region; allowed: at least 2 such routers"
            ),
        )),
        2..=MOST_REGIONS => Ok(()),
        _ => Err(invalid(
            "topology.routers",
            format!(
                "{heads} backbone and plain routers are too many; allowed: at most {MOST_REGIONS} such routers"
            ),
        )),
    }
}

fn routers(given: &GivenTopology) -> Result<(), InvalidScenario> {
    for (i, router) in given.routers.iter().enumerate() {
        if router.name.trim().is_empty() {
            return Err(invalid(format!("topology.routers[{i}].name"), "a router without a name"));
        }
        if let Some(factor) = router.speed_factor {
            within(|| format!("topology.routers[{i}].speed_factor"), factor, 1e-6, 1e6)?;
        }
    }
    names(given.routers.iter().map(|r| r.name.as_str()))
}

fn names<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), InvalidScenario> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => {
            Err(invalid("topology.routers", format!("two routers have the same name, \"{}\"", pair[0])))
        }
        None => Ok(()),
    }
}

fn links(given: &GivenTopology) -> Result<(), InvalidScenario> {
    let count = given.routers.len();
    for (i, link) in given.links.iter().enumerate() {
        let path = format!("topology.links[{i}]");
        for (end, router) in [("a", link.a), ("b", link.b)] {
            if router >= count {
                let allowed = count - 1;
                return Err(invalid(
                    format!("{path}.{end}"),
                    format!("there is no router {router}; it must lie between 0 and {allowed}"),
                ));
            }
        }
        if link.a == link.b {
            let name = &given.routers[link.a].name;
            return Err(invalid(path, format!("the link joins router \"{name}\" to itself")));
        }
        within(|| format!("{path}.delay"), link.delay, 0.0, LONGEST_DELAY)?;
        if let Some(delay) = link.delay_back {
            within(|| format!("{path}.delay_back"), delay, 0.0, LONGEST_DELAY)?;
        }
        within(|| format!("{path}.cost"), link.cost, 0.0, LARGEST_COST)?;
        if let Some(cost) = link.cost_back {
            within(|| format!("{path}.cost_back"), cost, 0.0, LARGEST_COST)?;
        }
        for capacity in link.capacity.into_iter().flatten() {
            within(|| format!("{path}.capacity"), capacity, SMALLEST_CAPACITY, LARGEST_CAPACITY)?;
        }
        for buffer in link.buffer.into_iter().flatten().flatten() {
            within(|| format!("{path}.buffer"), buffer, 0.0, LONGEST_DELAY)?;
        }
    }
    let mut ends: Vec<(usize, usize, usize)> =
        given.links.iter().enumerate().map(|(i, l)| (l.a.min(l.b), l.a.max(l.b), i)).collect();
    ends.sort_unstable();
    let double = ends.windows(2).find(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1));
    if let Some(&[(a, b, first), (_, _, second)]) = double.and_then(|pair| pair.first_chunk()) {
        let [a, b] = [a, b].map(|r| &given.routers[r].name);
        return Err(invalid(
            format!("topology.links[{second}]"),
            format!("routers \"{a}\" and \"{b}\" are joined by link {first} already"),
        ));
    }
    Ok(())
}

/// Refuses routers that cannot reach each other.
///
/// # Errors
/// [`InvalidScenario`] with the path `topology`.
pub fn connected(routers: &[RouterSpec], links: &[LinkSpec]) -> Result<(), InvalidScenario> {
    let reached = nearest(links, &adjacency(routers.len(), links), &[0]);
    if let Some(lost) = reached.iter().position(Option::is_none) {
        let [a, b] = [0, lost].map(|r| &routers[r].name);
        return Err(invalid("topology", format!("routers \"{a}\" and \"{b}\" cannot reach each other")));
    }
    Ok(())
}

/// Refuses hosts in fewer than two regions.
fn ends(topology: &Topology) -> Result<(), InvalidScenario> {
    let mut regions: Vec<usize> =
        topology.routers.iter().filter(|r| r.class.is_access()).map(|r| r.region).collect();
    if regions.is_empty() {
        return Err(invalid(
            "topology",
            "there is no access router; one of class normal, fast, direct or plain is needed",
        ));
    }
    regions.dedup();
    if regions.iter().all(|r| *r == regions[0]) {
        let name = &topology.routers[regions[0]].name;
        return Err(invalid(
            "topology",
            format!(
                "all access routers lie in the region of router \"{name}\"; allowed: access routers in at least 2 regions"
            ),
        ));
    }
    Ok(())
}
