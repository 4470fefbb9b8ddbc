//! From the topology of a scenario, built in or given, to one that can be simulated, or to a refusal.

use super::built_in::built_in;
use super::changes::link;
use super::check;
use super::placement::{Attachment, Backbone, refuse_places};
use super::routing::{adjacency, nearest};
use super::tiers::with_tiers;
use super::topology::{LinkSpec, RouterClass, RouterSpec, Topology};
use crate::scenario::{
    GivenRouter, GivenState, GivenTopology, InvalidScenario, LinkValues, Places, QueuePlace, Scenario,
    TierParameters, TopologyChoice, invalid,
};

/// The topology of a scenario.
///
/// # Errors
/// [`InvalidScenario`] with a path below `topology` or `tiers`.
pub fn topology(scenario: &Scenario) -> Result<Topology, InvalidScenario> {
    let mut topology = match &scenario.topology {
        TopologyChoice::BuiltIn(name) => built_in(name, &scenario.tiers)?,
        TopologyChoice::Given(given) => from_given(given, &scenario.tiers)?,
    };
    change_links(&mut topology, scenario)?;
    for router in topology.routers.iter_mut().filter(|router| !router.has_own_speed) {
        if let Some(speed) = scenario.network.class_speed(router.class) {
            router.speed_factor = speed / scenario.network.speed;
            router.has_own_speed = true;
        }
    }
    Ok(topology)
}

/// Gives links the values that the scenario has in place of the values of the topology. A later entry
/// replaces the values of an earlier one.
fn change_links(topology: &mut Topology, scenario: &Scenario) -> Result<(), InvalidScenario> {
    let mut down = Vec::new();
    for (index, values) in scenario.links.iter().enumerate() {
        let path = format!("links[{index}]");
        let of_ports = [values.capacity, values.capacity_factor, values.buffer];
        if of_ports.iter().any(Option::is_some) && scenario.network.queue == QueuePlace::Router {
            let message = "links have no capacity and no buffer where a router has one queue; allowed: \
                           network.queue = port";
            return Err(invalid(path, message));
        }
        for place in named_links(topology, values, &path)? {
            change_link(topology, place, values, scenario, &path)?;
            if let Some(state) = values.state {
                down.retain(|link| *link != place);
                down.extend((state == GivenState::Down).then_some(place));
            }
        }
    }
    let mut number = 0..;
    topology.links.retain(|_| number.next().is_none_or(|link| !down.contains(&link)));
    if down.is_empty() { Ok(()) } else { check::connected(&topology.routers, &topology.links) }
}

fn change_link(
    topology: &mut Topology,
    place: usize,
    values: &LinkValues,
    scenario: &Scenario,
    path: &str,
) -> Result<(), InvalidScenario> {
    let Topology { routers, links, .. } = topology;
    let LinkSpec { a, b, delay, cost, capacity, buffer } = &mut links[place];
    *delay = values.delay.map_or(*delay, |delay| [delay; 2]);
    *cost = values.cost.map_or(*cost, |cost| [cost; 2]);
    let bits = 8.0 * scenario.transport.segment_bytes;
    *capacity = values.capacity.map_or(*capacity, |capacity| Some([capacity * bits; 2]));
    *buffer = values.buffer.map_or(*buffer, |buffer| [Some(buffer); 2]);
    let Some(factor) = values.capacity_factor else { return Ok(()) };
    let Some(given) = capacity else {
        let (a, b) = (&routers[*a].name, &routers[*b].name);
        let message = format!("the link \"{a} - {b}\" has no capacity to multiply; allowed: a capacity");
        return Err(invalid(path, message));
    };
    *capacity = Some(given.map(|capacity| capacity * factor));
    Ok(())
}

/// The links of an entry. The class of a link is the class of the end that is nearer to hosts.
fn named_links(topology: &Topology, values: &LinkValues, path: &str) -> Result<Vec<usize>, InvalidScenario> {
    let place = match (&values.between, &values.at) {
        (Some(ends), None) => return Ok(vec![link(topology, ends, path)?]),
        (None, Some(place)) => place,
        _ => return Err(invalid(path, "allowed: one of between and at")),
    };
    let is_meant = |link: &LinkSpec| {
        let ends = [link.a, link.b].map(|end| &topology.routers[end]);
        let rank = |class: RouterClass| RouterClass::ALL.iter().position(|each| *each == class);
        let class = ends.map(|end| end.class).into_iter().max_by_key(|class| rank(*class));
        place == "all"
            || class.is_some_and(|class| place == class.word() || (place == "access" && class.is_access()))
            || ends.iter().any(|end| end.name == *place)
    };
    let found: Vec<usize> = topology
        .links
        .iter()
        .enumerate()
        .filter(|(_, link)| is_meant(link))
        .map(|(place, _)| place)
        .collect();
    if found.is_empty() {
        let message = format!(
            "\"{place}\" names no link; allowed: all, access, {}, the name of a router, or both ends of a link",
            RouterClass::ALL.map(RouterClass::word).join(", ")
        );
        return Err(invalid(path, message));
    }
    Ok(found)
}

/// A topology of the user's own, with tiers below it if it is a bare backbone.
///
/// # Errors
/// [`InvalidScenario`] with a path below `topology` or `tiers`. What is too large is refused before any work
/// that grows faster than its size.
pub fn from_given(given: &GivenTopology, tiers: &TierParameters) -> Result<Topology, InvalidScenario> {
    check::routers_and_links(given)?;
    let bare = given.routers.iter().all(|r| r.class == RouterClass::Backbone);
    let topology = if bare {
        below_backbone(given, tiers)?
    } else {
        refuse_places(&given.name, tiers)?;
        as_it_is(given)?
    };
    check::whole(&topology)?;
    Ok(topology)
}

fn router_specs(given: &GivenTopology) -> Vec<RouterSpec> {
    let spec = |(i, router): (usize, &GivenRouter)| RouterSpec {
        speed_factor: router.speed_factor.unwrap_or(router.class.speed_factor()),
        has_own_speed: router.speed_factor.is_some(),
        access: router.access.clone(),
        ..RouterSpec::new(router.name.clone(), router.class, i)
    };
    given.routers.iter().enumerate().map(spec).collect()
}

fn link_specs(given: &GivenTopology) -> Vec<LinkSpec> {
    given
        .links
        .iter()
        .map(|l| LinkSpec {
            a: l.a,
            b: l.b,
            delay: [l.delay, l.delay_back.unwrap_or(l.delay)],
            cost: [l.cost, l.cost_back.unwrap_or(l.cost)],
            capacity: l.capacity,
            buffer: l.buffer.unwrap_or_default(),
        })
        .collect()
}

/// A bare backbone with the tiers of the scenario below it.
fn below_backbone(given: &GivenTopology, tiers: &TierParameters) -> Result<Topology, InvalidScenario> {
    let n = given.routers.len();
    let [pops, fast, normal] =
        [tiers.pops_per_backbone, tiers.fast_per_pop, tiers.normal_per_pop].map(|count| count as usize);
    let direct = (tiers.direct_share * n as f64).round() as usize;
    let placed = |places: &Places| if let Places::Names(names) = places { names.len() } else { direct };
    let total = n * (1 + pops * (1 + fast + normal))
        + placed(&tiers.direct_at)
        + placed(&tiers.second_fast_at) * pops.min(1);
    if total > check::MOST_ROUTERS {
        return Err(invalid(
            "tiers",
            format!(
                "{total} routers with those below the backbone are too many; allowed: at most {} routers",
                check::MOST_ROUTERS
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
    by_links.truncate(direct);
    let backbone = Backbone {
        name: given.name.clone(),
        routers: router_specs(given),
        links: link_specs(given),
        largest: by_links,
        separator: ".",
    };
    check::connected(&backbone.routers, &backbone.links)?;
    with_tiers(backbone, vec![Attachment { direct: 0, pops: vec![(fast, normal); pops] }; n], tiers)
}

/// Every backbone and plain router is a region, all others belong to the nearest. The heads of regions come
/// first, each kind otherwise in the order of the file.
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
    let neighbours = adjacency(topology.routers.len(), &topology.links);
    let nearest = nearest(&topology.links, &neighbours, &heads);
    for (router, region) in nearest.into_iter().enumerate() {
        topology.routers[router].region = region.ok_or_else(|| {
            let name = &topology.routers[router].name;
            let head = &topology.routers[0].name;
            invalid("topology", format!("routers \"{head}\" and \"{name}\" cannot reach each other"))
        })?;
    }
    Ok(topology)
}
