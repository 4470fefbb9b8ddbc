//! From the topology of a scenario, built in or given, to one that can be simulated, or to a refusal.

use super::built_in::{BUILT_IN, built_in};
use super::routing::{adjacency, nearest};
use super::tiers::{Attachment, with_tiers};
use super::topology::{LinkSpec, RouterClass, RouterSpec, Topology};
use crate::scenario::{
    GivenTopology, InvalidScenario, Scenario, TierParameters, TopologyChoice, invalid, within,
};

/// Most routers, and most links: routes are kept for every pair of a router and an access router.
pub const MOST_ROUTERS: usize = 10_000;

/// Most regions: what is expected of every pair of them is kept.
pub const MOST_REGIONS: usize = 1000;

/// Longest link, s: half of the longest round trip and more.
const LONGEST_DELAY: f64 = 1e3;

/// Largest routing cost: wider than any routing protocol's.
const LARGEST_COST: f64 = 1e9;

/// The topology of a scenario.
///
/// # Errors
/// [`InvalidScenario`] with a path below `topology` or `tiers`.
pub fn topology(scenario: &Scenario) -> Result<Topology, InvalidScenario> {
    match &scenario.topology {
        TopologyChoice::BuiltIn(name) => built_in(name).ok_or_else(|| {
            invalid("topology", format!("unknown topology \"{name}\"; allowed: {}", BUILT_IN.join(", ")))
        }),
        TopologyChoice::Given(given) => from_given(given, &scenario.tiers),
    }
}

/// A topology of the user's own, with tiers below it if it is a bare backbone.
///
/// # Errors
/// [`InvalidScenario`] with a path below `topology` or `tiers`. What is too large is refused before any work that grows
/// faster than its size.
pub fn from_given(given: &GivenTopology, tiers: &TierParameters) -> Result<Topology, InvalidScenario> {
    check_sizes(given)?;
    check_routers(given)?;
    check_links(given)?;
    let bare = given.routers.iter().all(|r| r.class == RouterClass::Backbone);
    let topology = if bare { below_backbone(given, tiers)? } else { as_it_is(given)? };
    check_names(topology.routers.iter().map(|r| r.name.as_str()))?;
    check_ends(&topology)?;
    Ok(topology)
}

fn check_sizes(given: &GivenTopology) -> Result<(), InvalidScenario> {
    for (what, count) in [("routers", given.routers.len()), ("links", given.links.len())] {
        if count > MOST_ROUTERS {
            return Err(invalid(
                format!("topology.{what}"),
                format!("{count} {what} are too many; at most {MOST_ROUTERS} are allowed"),
            ));
        }
    }
    let heads = given.routers.iter().filter(|r| r.class.is_head()).count();
    match heads {
        0 | 1 => Err(invalid(
            "topology.routers",
            format!("{heads} backbone and plain routers; at least 2 are needed, each is a region"),
        )),
        2..=MOST_REGIONS => Ok(()),
        _ => Err(invalid(
            "topology.routers",
            format!("{heads} backbone and plain routers are too many; at most {MOST_REGIONS} are allowed"),
        )),
    }
}

fn check_routers(given: &GivenTopology) -> Result<(), InvalidScenario> {
    for (i, router) in given.routers.iter().enumerate() {
        if router.name.trim().is_empty() {
            return Err(invalid(format!("topology.routers[{i}].name"), "a router without a name"));
        }
        if let Some(factor) = router.speed_factor {
            within(&format!("topology.routers[{i}].speed_factor"), factor, 1e-6, 1e6)?;
        }
    }
    check_names(given.routers.iter().map(|r| r.name.as_str()))
}

fn check_names<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), InvalidScenario> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => {
            Err(invalid("topology.routers", format!("two routers have the same name, \"{}\"", pair[0])))
        }
        None => Ok(()),
    }
}

fn check_links(given: &GivenTopology) -> Result<(), InvalidScenario> {
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
        within(&format!("{path}.delay"), link.delay, 0.0, LONGEST_DELAY)?;
        within(&format!("{path}.cost"), link.cost, 0.0, LARGEST_COST)?;
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

/// Everybody reaches everybody, and hosts attach in two regions or more.
fn check_ends(topology: &Topology) -> Result<(), InvalidScenario> {
    let neighbours = adjacency(topology);
    let reached = nearest(&topology.links, &neighbours, &[0]);
    if let Some(lost) = reached.iter().position(Option::is_none) {
        let [a, b] = [0, lost].map(|r| &topology.routers[r].name);
        return Err(invalid("topology", format!("routers \"{a}\" and \"{b}\" cannot reach each other")));
    }
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
                "all access routers lie in the region of router \"{name}\"; at least 2 regions are needed"
            ),
        ));
    }
    Ok(())
}

fn router_specs(given: &GivenTopology) -> Vec<RouterSpec> {
    let spec = |(i, router): (usize, &crate::scenario::GivenRouter)| RouterSpec {
        speed_factor: router.speed_factor.unwrap_or(router.class.speed_factor()),
        ..RouterSpec::new(router.name.clone(), router.class, i)
    };
    given.routers.iter().enumerate().map(spec).collect()
}

fn link_specs(given: &GivenTopology) -> Vec<LinkSpec> {
    given.links.iter().map(|l| LinkSpec { a: l.a, b: l.b, delay: l.delay, cost: l.cost }).collect()
}

/// A bare backbone with the tiers of the scenario below it.
fn below_backbone(given: &GivenTopology, tiers: &TierParameters) -> Result<Topology, InvalidScenario> {
    let n = given.routers.len();
    let [pops, fast, normal] =
        [tiers.pops_per_backbone, tiers.fast_per_pop, tiers.normal_per_pop].map(|count| count as usize);
    let direct = (tiers.direct_share * n as f64).round() as usize;
    let total = n * (1 + pops * (1 + fast + normal)) + direct * (1 + pops.min(1));
    if total > MOST_ROUTERS {
        return Err(invalid(
            "tiers",
            format!(
                "{total} routers with those below the backbone are too many; at most {MOST_ROUTERS} are allowed"
            ),
        ));
    }
    let mut degree = vec![0; n];
    for link in &given.links {
        degree[link.a] += 1;
        degree[link.b] += 1;
    }
    let mut by_links: Vec<usize> = (0..n).collect();
    by_links.sort_by_key(|&r| std::cmp::Reverse(degree[r]));
    let mut attachments = vec![Attachment { direct: 0, pops: vec![(fast, normal); pops] }; n];
    for &large in &by_links[..direct] {
        attachments[large].direct = 1;
        if let Some(first) = attachments[large].pops.first_mut() {
            first.0 += 1;
        }
    }
    Ok(with_tiers(&given.name, router_specs(given), link_specs(given), &attachments, "."))
}

/// Every backbone and plain router is a region, all others belong to the nearest. The heads of regions come first, each
/// kind otherwise in the order of the file.
fn as_it_is(given: &GivenTopology) -> Result<Topology, InvalidScenario> {
    let specs = router_specs(given);
    let (heads, others): (Vec<usize>, Vec<usize>) = (0..specs.len()).partition(|&r| specs[r].class.is_head());
    let regions = heads.len();
    let order: Vec<usize> = heads.into_iter().chain(others).collect();
    let mut place = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        place[old] = new;
    }
    let mut links = link_specs(given);
    for link in &mut links {
        (link.a, link.b) = (place[link.a], place[link.b]);
    }
    let routers = order.iter().map(|&r| specs[r].clone()).collect();
    let mut topology = Topology { name: given.name.clone(), routers, links, regions, long_lived: Vec::new() };
    let heads: Vec<usize> = (0..regions).collect();
    let nearest = nearest(&topology.links, &adjacency(&topology), &heads);
    for (router, region) in nearest.into_iter().enumerate() {
        topology.routers[router].region = region.ok_or_else(|| {
            let name = &topology.routers[router].name;
            let head = &topology.routers[0].name;
            invalid("topology", format!("routers \"{head}\" and \"{name}\" cannot reach each other"))
        })?;
    }
    Ok(topology)
}
