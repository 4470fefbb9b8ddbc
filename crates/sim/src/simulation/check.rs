//! Checks that need the network: every source finds a receiver, explicit flows have ends, and what is traced
//! exists.

use super::long_lived;
use super::tracing::Tracing;
use crate::engine::winner_tree::MOST_LEAVES;
use crate::engine::{Lanes, MOST_SLOTS};
use crate::fabric::ALARMS;
use crate::network::lanes::{LaneEnd, MOST_LANES as MOST_LANE_NUMBERS};
use crate::network::{Domains, Network};
use crate::scenario::{InvalidScenario, Scenario, invalid};
use crate::users::deployment;
use mesonet_cc::{Picos, seconds};

/// Holds a scenario without its long-lived flows against its network: what passes can run.
///
/// # Errors
/// [`InvalidScenario`] naming the path, the value and what is allowed.
pub fn check(scenario: &Scenario, network: &Network, domains: &Domains) -> Result<(), InvalidScenario> {
    check_receivers(network)?;
    check_explicit(scenario, network)?;
    long_lived::check(scenario, network)?;
    check_spans(scenario, network, horizon(scenario, network, domains)?)?;
    check_slots(scenario, network, domains)?;
    deployment::check(scenario, network)?;
    Tracing::new(scenario, network).map(|_| ())
}

/// Most lanes that end in one domain.
const MOST_LANES: usize = MOST_LEAVES - ALARMS;

/// The last instant that the keys of events can express in the domain that has most lanes.
///
/// # Errors
/// [`InvalidScenario`] where it, or the network, has too many.
fn horizon(scenario: &Scenario, network: &Network, domains: &Domains) -> Result<Picos, InvalidScenario> {
    // Flows with lanes of their own get two each.
    let own = scenario.flows.iter().filter(|flow| flow.has_own_lanes()).count();
    // A queue that holds its segments has a place among them.
    let lanes = domains.lane.iter().max().map_or(0, |last| last.index() + 1) + network.stored_queues();
    let room =
        MOST_LANES.saturating_sub(lanes).min(MOST_LANE_NUMBERS.saturating_sub(network.lanes.len())) / 2;
    if lanes <= MOST_LANES && own <= room {
        return Ok(Lanes::new(lanes + 2 * own, ALARMS).horizon());
    }
    if own == 0 {
        let message = format!(
            "{lanes} lanes and queues are in one domain; allowed: at most {MOST_LANES} lanes and queues"
        );
        return Err(invalid("topology", message));
    }
    let message = format!(
        "{own} flows with an extra delay, a segment size, an application or a receiver of their own are too many; \
         allowed: at most {room} flows"
    );
    Err(invalid("flows", message))
}

/// Flows that a domain can name at once: no more than its sources, and its explicit flows.
fn check_slots(scenario: &Scenario, network: &Network, domains: &Domains) -> Result<(), InvalidScenario> {
    let explicit = scenario.flows.len() as u64 + u64::from(scenario.users.long_lived_flows);
    let mut flows = vec![explicit; domains.count];
    for (access, sources) in network.traffic.sources.iter().enumerate() {
        flows[domains.of[network.access[access]].index()] += sources;
    }
    let arrivals: f64 = network.load().arrivals_in_progress(scenario, &network.speeds).iter().sum();
    if arrivals > MOST_SLOTS as f64 {
        let message = format!(
            "about {arrivals:.2e} flows would be in progress at once; allowed: at most {MOST_SLOTS} flows"
        );
        return Err(invalid("arrivals", message));
    }
    let most = flows.into_iter().max().unwrap_or(0);
    let all: u64 = network.traffic.sources.iter().sum();
    if most <= MOST_SLOTS as u64 && all <= u64::from(u32::MAX) {
        return Ok(());
    }
    Err(invalid(
        "users.base_sources",
        format!(
            "{most} sources of {all} are in one domain of the network; allowed: at most {MOST_SLOTS} sources in one \
             domain and {} in all",
            u32::MAX
        ),
    ))
}

/// Longest round trip that a segment's 48-bit departure stamp can measure, s.
const LONGEST_ROUND_TRIP: f64 = 281.0;

/// Holds the spans of time that can occur against the widths in which the engine keeps them: a segment
/// carries its departure in 48 bits, an event key holds instants up to `horizon`.
///
/// # Errors
/// [`InvalidScenario`] where queues are too long, or the run is.
fn check_spans(scenario: &Scenario, network: &Network, horizon: Picos) -> Result<(), InvalidScenario> {
    let mut service: Vec<Picos> = network.routers.iter().map(|router| router.service).collect();
    let mut delay: Vec<Picos> = network.lanes.iter().map(|lane| lane.delay).collect();
    for change in &network.changes {
        change.routers.iter().for_each(|t| service[t.of.index()] = service[t.of.index()].max(t.to));
        change.lanes.iter().for_each(|t| delay[t.of.index()] = delay[t.of.index()].max(t.to));
    }
    let longest_queue = service.iter().zip(&network.buffers).map(|(s, b)| seconds(*s) * (*b as f64 + 1.0));
    let longest_queue = longest_queue.fold(0.0, f64::max);
    let lanes = network.lanes.iter().zip(delay);
    let acknowledgements = lanes.filter(|(lane, _)| matches!(lane.end, LaneEnd::Sources(_)));
    let extra = scenario.flows.iter().map(|flow| flow.extra_delay).fold(0.0, f64::max);
    let propagation = 2.0 * (acknowledgements.map(|(_, delay)| seconds(delay)).fold(0.0, f64::max) + extra);
    if propagation > LONGEST_ROUND_TRIP {
        return Err(invalid(
            if extra > 0.0 { "flows" } else { "topology" },
            format!(
                "the longest round trip takes {propagation:.0} s without any queue; allowed: at most \
                 {LONGEST_ROUND_TRIP} s"
            ),
        ));
    }
    let queues =
        if network.queued_acks.is_some() { 2 * network.longest_route } else { network.longest_route };
    // No segment measures more than the run, but keys of events hold the instant at which it would arrive.
    let duration = scenario.time.duration;
    let limit = if duration <= LONGEST_ROUND_TRIP { seconds(horizon) - duration } else { LONGEST_ROUND_TRIP };
    let delays = check_impairments(scenario, network, limit)?;
    let round_trip = longest_queue * queues as f64 + propagation + delays;
    if round_trip > limit {
        let of_buffers = network.impairments.buffers_vary();
        return Err(invalid(
            if of_buffers { "impairments.buffers" } else { "network.buffer" },
            format!(
                "a round trip through full queues could take {round_trip:.0} s (one queue {longest_queue:.1} s); allowed: \
                 at most {limit:.0} s"
            ),
        ));
    }
    let round_trip = with_detours(network, round_trip, limit)?;
    let longest_run = seconds(horizon) - round_trip;
    if duration > longest_run {
        return Err(invalid(
            "time.duration",
            format!("{duration} s is too long for this topology; allowed: at most {longest_run:.0} s"),
        ));
    }
    Ok(())
}

/// Longest time, s, of a round trip of at most `round_trip` by routes that stay, where these change: after
/// each change on its way a segment may have a whole route before it.
///
/// # Errors
/// [`InvalidScenario`] where a segment cannot measure it.
fn with_detours(network: &Network, round_trip: f64, limit: f64) -> Result<f64, InvalidScenario> {
    let turns = network.routes.windows(2).zip(&network.changes).filter(|(routes, _)| routes[0] != routes[1]);
    let times: Vec<f64> = turns.map(|(_, change)| seconds(change.time)).collect();
    let mut trips = 1.0;
    while trips * round_trip <= limit {
        let longest = trips * round_trip;
        let within = |first: usize| times[first..].partition_point(|time| *time <= times[first] + longest);
        let most = (0..times.len()).map(within).max().unwrap_or(0) as f64;
        if most < trips {
            return Ok(longest);
        }
        // As many trips as changes at least, and one more.
        trips = most + 1.0;
    }
    let message = format!(
        "routes change so often that a segment may be under way for more than {limit:.0} s; allowed: fewer changes of \
         cost or state, or shorter queues (a round trip takes up to {round_trip:.1} s)"
    );
    Err(invalid("network.changes", message))
}

/// Longest time, s, by which impaired links delay a round trip, of segments and of acknowledgements where
/// these cross links.
///
/// # Errors
/// [`InvalidScenario`] where a segment cannot measure it.
fn check_impairments(scenario: &Scenario, network: &Network, limit: f64) -> Result<f64, InvalidScenario> {
    let delay = |lane: usize| {
        let backlog =
            network.routers.get(lane).map_or(0, |queue| queue.service.saturating_mul(queue.places() + 1));
        network.impairments.longest_delay(lane, backlog)
    };
    let delays: Vec<Picos> = (0..network.data_lanes()).map(delay).collect();
    if delays.iter().all(|delay| *delay == 0) {
        return Ok(0.0);
    }
    let there = network.longest_sum(&delays);
    let back = if network.queued_acks.is_some() { there } else { 0 };
    let both = seconds(there.saturating_add(back));
    if both <= limit {
        return Ok(both);
    }
    let sets = scenario.impairment_sets.keys().map(|name| format!(", impairments.{name}"));
    Err(invalid(
        "impairments",
        format!(
            "links on one round trip delay a segment by up to {both:.0} s (impairments{}); allowed: at most \
             {limit:.0} s",
            sets.collect::<String>()
        ),
    ))
}

/// Every source must find a receiver.
fn check_receivers(network: &Network) -> Result<(), InvalidScenario> {
    for (access, &count) in network.traffic.sources.iter().enumerate() {
        if count > 0 && network.traffic.pairs.weight_sum(access) <= 0.0 {
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
    for (i, flow) in scenario.flows.iter().enumerate() {
        network.host(|| format!("flows[{i}].from"), &flow.from)?;
        network.host(|| format!("flows[{i}].to"), &flow.to)?;
        if flow.from == flow.to {
            return Err(invalid(format!("flows[{i}].to"), "a flow must leave the router it starts at"));
        }
    }
    Ok(())
}
