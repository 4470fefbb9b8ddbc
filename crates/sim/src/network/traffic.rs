//! Traffic: sources under each access router, and the receivers that they choose.

use super::pairs::Pairs;
use super::places::{AccessPlaces, PlaceDemands};
use super::topology::{LinkSpec, Topology};
use crate::scenario::{Demand, InvalidScenario, Scenario, Traffic as Choice, TrafficRule, invalid};
use std::collections::BTreeMap;

/// Most sources of a scenario: 16 bytes each before any traffic.
const MOST_SOURCES: u64 = 50_000_000;

/// Sources and the receivers that they choose.
#[derive(Clone, Debug)]
pub struct Traffic {
    /// Sources under each access router.
    pub sources: Vec<u64>,
    /// Transfers by access router of source and receiver.
    pub pairs: Pairs,
    /// Weight of each access router for receivers by its class alone.
    pub by_class: Vec<f64>,
    /// The rule in words.
    pub rule: &'static str,
    /// Transfers per second in an uncongested network, of a matrix; without one they follow from the mean
    /// round trip.
    pub rate: Option<f64>,
}

/// Builds the traffic of a scenario. `cycle` is the time from one transfer to the next of a source, in s, by
/// the access indices of sender and receiver, in an uncongested network.
///
/// # Errors
/// [`InvalidScenario`] for a name that no router has, a place without hosts, and too many sources or weights.
pub fn traffic(
    scenario: &Scenario,
    topology: &Topology,
    access: &[usize],
    cycle: impl Fn(usize, usize) -> f64,
) -> Result<Traffic, InvalidScenario> {
    let network = Access(AccessPlaces { scenario, topology, routers: access });
    match &scenario.users.traffic {
        Choice::Rule(TrafficRule::Tiers) => network.tiers(),
        Choice::Rule(TrafficRule::Gravity) => {
            let (demands, rule) = network.gravity()?;
            Ok(Traffic { rule, ..network.matrix(&demands, None, cycle)? })
        }
        Choice::Given(matrix) => {
            let demands = network.0.demands(MATRIX, matrix)?;
            let factor = matrix.iter().any(Demand::is_rate).then_some(scenario.users.traffic_factor);
            network.matrix(&demands, factor, cycle)
        }
    }
}

/// Path of the matrix.
pub const MATRIX: &str = "users.traffic";

struct Access<'a>(AccessPlaces<'a>);

impl Access<'_> {
    /// Sources in the order of access routers, by the weight of the class of each.
    fn counts(&self) -> Vec<u64> {
        let users = &self.0.scenario.users;
        let count = |weight: f64| {
            // Rounded on 1e-6: 1000 x 2 x 3 x (1/3) is 2000, not 1999.
            (users.base_sources * users.source_multiplier * weight + 1e-6).round() as u64
        };
        self.0.source_weights().into_iter().map(count).collect()
    }

    /// Every access router by its class, towards all others, or all of other regions.
    fn tiers(&self) -> Result<Traffic, InvalidScenario> {
        let places = &self.0;
        let receivers = places.receiver_weights();
        let same = places.scenario.users.allow_same_backbone;
        let row = |region: usize| {
            let weight = |(access, weight): (usize, &f64)| {
                if same || places.region(access) != region { *weight } else { 0.0 }
            };
            receivers.iter().enumerate().map(weight).collect()
        };
        let rows: Vec<Vec<f64>> = (0..places.topology.regions).map(row).collect();
        let row_of = (0..places.routers.len()).map(|access| places.region(access)).collect();
        let sources = checked(self.counts())?;
        let total: u64 = sources.iter().sum();
        let share = |count: &u64| if total == 0 { 0.0 } else { *count as f64 / total as f64 };
        let pairs = Pairs::new(sources.iter().map(share).collect(), rows, row_of);
        Ok(Traffic { sources, pairs, by_class: receivers, rule: "tiers", rate: None })
    }

    /// From each region with hosts to each other one, by the product of their weights: capacity, or number,
    /// of the links to other regions.
    fn gravity(&self) -> Result<(PlaceDemands, &'static str), InvalidScenario> {
        let topology = self.0.topology;
        let region = |router: usize| topology.routers[router].region;
        let between: Vec<&LinkSpec> = topology.links.iter().filter(|l| region(l.a) != region(l.b)).collect();
        let by_capacity = between.iter().all(|link| link.capacity.is_some());
        let mut weights = vec![0.0; topology.regions];
        for link in between {
            let [there, back] = link.capacity.filter(|_| by_capacity).unwrap_or([1.0; 2]);
            weights[region(link.a)] += there;
            weights[region(link.b)] += back;
        }
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for access in 0..self.0.routers.len() {
            members.entry(self.0.region(access)).or_default().push(access);
        }
        let same = self.0.scenario.users.allow_same_backbone;
        let mut list = Vec::new();
        for (from, source) in members.keys().enumerate() {
            for (to, receiver) in members.keys().enumerate().filter(|(_, to)| same || *to != source) {
                list.push((from, to, weights[*source] * weights[*receiver]));
            }
        }
        if list.is_empty() {
            let message = "the network has one region with hosts; allowed: tiers with \
                           users.allow_same_backbone = true, or a traffic matrix";
            return Err(invalid(MATRIX, message));
        }
        let rule = if by_capacity { "gravity by capacity of links" } else { "gravity by number of links" };
        Ok((PlaceDemands { places: members.into_values().collect(), list }, rule))
    }

    /// Sources and receivers for demands between places. `factor` multiplies demands that are rates, in
    /// segments/s; demands that are shares leave the number of all sources as it is.
    fn matrix(
        &self,
        demands: &PlaceDemands,
        factor: Option<f64>,
        cycle: impl Fn(usize, usize) -> f64,
    ) -> Result<Traffic, InvalidScenario> {
        let divided = self.0.divide(MATRIX, demands)?;
        // Time that the sources under each access router spend, per unit of demand.
        let mut busy = vec![0.0; self.0.routers.len()];
        for (access, busy) in busy.iter_mut().enumerate() {
            for (receiver, amount) in divided.receivers(access) {
                *busy += amount * cycle(access, receiver);
            }
        }
        // Transfers per second for a demand of 1.
        let per_demand = match factor {
            Some(factor) => factor / self.0.scenario.mean_file_size(),
            None => self.counts().iter().sum::<u64>() as f64 / busy.iter().sum::<f64>(),
        };
        // Rounded so that the sum over any run of access routers is right to one source.
        let mut so_far = 0.0;
        let sources = busy.iter().map(|busy| {
            let before: f64 = so_far;
            so_far += busy * per_demand;
            (so_far.round() - before.round()) as u64
        });
        let sources = checked(sources.collect())?;
        let (all, pairs) = divided.into_pairs();
        let rule = if factor.is_some() { "matrix of rates" } else { "matrix of shares" };
        let by_class = self.0.receiver_weights();
        Ok(Traffic { sources, pairs, by_class, rule, rate: Some(all * per_demand) })
    }
}

/// Refuses too many sources.
fn checked(sources: Vec<u64>) -> Result<Vec<u64>, InvalidScenario> {
    let total = sources.iter().fold(0, |sum: u64, n| sum.saturating_add(*n));
    if total > MOST_SOURCES {
        let message = format!("{total} sources are too many; allowed: at most {MOST_SOURCES} sources");
        return Err(invalid("users.base_sources", message));
    }
    Ok(sources)
}
