//! Traffic: sources under each access router, and the receivers that they choose.

use super::topology::{LinkSpec, RouterClass, Topology};
use crate::scenario::{
    Demand, InvalidScenario, ReceiverReading, Scenario, Traffic as Choice, TrafficRule, invalid,
};
use std::collections::BTreeMap;

/// Most sources of a scenario: 16 bytes each before any traffic.
const MOST_SOURCES: u64 = 50_000_000;
/// Most weights of receivers that are kept: of every row of the matrix, every access router.
const MOST_WEIGHTS: usize = 20_000_000;
/// Most names that a message lists.
const MOST_LISTED: usize = 30;

/// Sources and the receivers that they choose.
#[derive(Clone, Debug)]
pub struct Traffic {
    /// Sources under each access router.
    pub sources: Vec<u64>,
    /// Share of all transfers that begin under each access router.
    pub begun: Vec<f64>,
    /// Weight of each access router for receivers by its class alone.
    pub by_class: Vec<f64>,
    /// Weight of each access router for receivers, by row.
    rows: Vec<Vec<f64>>,
    /// Sum of the weights, by row.
    sums: Vec<f64>,
    /// Row of the sources under each access router.
    row_of: Vec<usize>,
    /// The rule in words.
    pub rule: &'static str,
    /// Transfers per second in an uncongested network, of a matrix; without one they follow from the mean
    /// round trip.
    pub rate: Option<f64>,
}

impl Traffic {
    /// Weights of receivers for sources under an access router.
    #[must_use]
    pub fn weights(&self, access: usize) -> &[f64] {
        &self.rows[self.row_of[access]]
    }

    /// Sum of [`Self::weights`].
    #[must_use]
    pub fn weight_sum(&self, access: usize) -> f64 {
        self.sums[self.row_of[access]]
    }

    /// All rows of weights.
    #[must_use]
    pub fn rows(&self) -> &[Vec<f64>] {
        &self.rows
    }

    /// Row of the sources under an access router.
    #[must_use]
    pub fn row_of(&self, access: usize) -> usize {
        self.row_of[access]
    }

    /// Weight of each access router for receivers, over all transfers.
    #[must_use]
    pub fn received(&self) -> Vec<f64> {
        let mut by_row = vec![0.0; self.rows.len()];
        for (access, share) in self.begun.iter().enumerate() {
            by_row[self.row_of[access]] += share;
        }
        let mut received = vec![0.0; self.row_of.len()];
        for ((row, sum), share) in self.rows.iter().zip(&self.sums).zip(by_row) {
            if share > 0.0 {
                received.iter_mut().zip(row).for_each(|(total, weight)| *total += share * weight / sum);
            }
        }
        received
    }

    fn new(
        sources: Vec<u64>,
        by_class: Vec<f64>,
        rows: Vec<Vec<f64>>,
        row_of: Vec<usize>,
    ) -> Result<Self, InvalidScenario> {
        let total = sources.iter().fold(0, |sum: u64, n| sum.saturating_add(*n));
        if total > MOST_SOURCES {
            let message = format!("{total} sources are too many; allowed: at most {MOST_SOURCES} sources");
            return Err(invalid("users.base_sources", message));
        }
        let share = |count: &u64| if total == 0 { 0.0 } else { *count as f64 / total as f64 };
        let begun = sources.iter().map(share).collect();
        let sums = rows.iter().map(|row| row.iter().sum()).collect();
        Ok(Self { sources, begun, by_class, rows, sums, row_of, rule: "tiers", rate: None })
    }
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
    let network = Access { scenario, topology, routers: access };
    match &scenario.users.traffic {
        Choice::Rule(TrafficRule::Tiers) => network.tiers(),
        Choice::Rule(TrafficRule::Gravity) => {
            let (demands, rule) = network.gravity()?;
            Ok(Traffic { rule, ..network.matrix(&demands, None, cycle)? })
        }
        Choice::Given(demands) => {
            let known = demands.iter().enumerate().map(|(i, demand)| {
                let place = |key: &str, name: &str| network.place(&format!("users.traffic[{i}].{key}"), name);
                Ok((place("from", &demand.from)?, place("to", &demand.to)?, demand.amount()))
            });
            let factor = demands.iter().any(Demand::is_rate).then_some(scenario.users.traffic_factor);
            network.matrix(&known.collect::<Result<Vec<_>, _>>()?, factor, cycle)
        }
    }
}

/// Access indices of a place, and how much goes from one place to another.
type PlaceDemand = (Vec<usize>, Vec<usize>, f64);

struct Access<'a> {
    scenario: &'a Scenario,
    topology: &'a Topology,
    routers: &'a [usize],
}

impl Access<'_> {
    fn region(&self, access: usize) -> usize {
        self.topology.routers[self.routers[access]].region
    }

    /// Sources in the order of access routers, by the weight of the class of each.
    fn counts(&self) -> Vec<u64> {
        let users = &self.scenario.users;
        let count = |weight: f64| {
            // Rounded on 1e-6: 1000 x 2 x 3 x (1/3) is 2000, not 1999.
            (users.base_sources * users.source_multiplier * weight + 1e-6).round() as u64
        };
        self.class_weights(&users.source_distribution).into_iter().map(count).collect()
    }

    fn class_weights(&self, distribution: &[f64; 3]) -> Vec<f64> {
        self.routers.iter().map(|&r| class_weight(self.topology.routers[r].class, distribution)).collect()
    }

    /// Weight of each access router for receivers.
    fn receiver_weights(&self) -> Vec<f64> {
        let users = &self.scenario.users;
        let class = |router: &usize| self.topology.routers[*router].class;
        let of_class = |wanted| self.routers.iter().filter(|r| class(r) == wanted).count() as f64;
        let counts = [RouterClass::Normal, RouterClass::Fast, RouterClass::Direct, RouterClass::Plain]
            .map(|class| (class, of_class(class)));
        let weight = |(router, weight): (&usize, f64)| match users.receiver_reading {
            ReceiverReading::PerRouter => weight,
            ReceiverReading::PerClass => {
                weight / counts.iter().find(|c| c.0 == class(router)).map_or(1.0, |c| c.1)
            }
        };
        self.routers.iter().zip(self.class_weights(&users.receiver_distribution)).map(weight).collect()
    }

    /// Every access router by its class, towards all others, or all of other regions.
    fn tiers(&self) -> Result<Traffic, InvalidScenario> {
        let receivers = self.receiver_weights();
        let same = self.scenario.users.allow_same_backbone;
        let row = |region: usize| {
            let weight = |(access, weight): (usize, &f64)| {
                if same || self.region(access) != region { *weight } else { 0.0 }
            };
            receivers.iter().enumerate().map(weight).collect()
        };
        let rows: Vec<Vec<f64>> = (0..self.topology.regions).map(row).collect();
        let row_of = (0..self.routers.len()).map(|access| self.region(access)).collect();
        Traffic::new(self.counts(), receivers, rows, row_of)
    }

    /// From each region with hosts to each other one, by the product of their weights: capacity, or number,
    /// of the links to other regions.
    fn gravity(&self) -> Result<(Vec<PlaceDemand>, &'static str), InvalidScenario> {
        let topology = self.topology;
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
        for access in 0..self.routers.len() {
            members.entry(self.region(access)).or_default().push(access);
        }
        let same = self.scenario.users.allow_same_backbone;
        let mut demands = Vec::new();
        for (from, sources) in &members {
            for (to, receivers) in members.iter().filter(|(to, _)| same || *to != from) {
                demands.push((sources.clone(), receivers.clone(), weights[*from] * weights[*to]));
            }
        }
        if demands.is_empty() {
            let message = "the network has one region with hosts; allowed: tiers with \
                           users.allow_same_backbone = true, or a traffic matrix";
            return Err(invalid("users.traffic", message));
        }
        let rule = if by_capacity { "gravity by capacity of links" } else { "gravity by number of links" };
        Ok((demands, rule))
    }

    /// Sources and rows of weights for demands between places. `factor` multiplies demands that are rates, in
    /// segments/s; demands that are shares leave the number of all sources as it is.
    fn matrix(
        &self,
        demands: &[PlaceDemand],
        factor: Option<f64>,
        cycle: impl Fn(usize, usize) -> f64,
    ) -> Result<Traffic, InvalidScenario> {
        let hosts = self.routers.len();
        if demands.len().min(hosts).saturating_mul(hosts) > MOST_WEIGHTS {
            let message =
                format!("too many places that send; allowed: at most {} places", MOST_WEIGHTS / hosts);
            return Err(invalid("users.traffic", message));
        }
        let users = &self.scenario.users;
        let sending = self.class_weights(&users.source_distribution);
        let receiving = self.receiver_weights();
        let sum = |place: &[usize], weights: &[f64]| place.iter().map(|&a| weights[a]).sum::<f64>();
        // Access routers that the same demands leave share a row, which their weights only multiply.
        let mut leaving: Vec<Vec<(usize, f64)>> = vec![Vec::new(); hosts];
        for (number, (from, to, amount)) in demands.iter().enumerate() {
            for (place, weights, key) in [(from, &sending, "source"), (to, &receiving, "receiver")] {
                if sum(place, weights) <= 0.0 && *amount > 0.0 {
                    let end = if key == "source" { "from" } else { "to" };
                    let name = &self.topology.routers[self.routers[place[0]]].name;
                    let message = format!(
                        "users.{key}_distribution gives weight 0 to all access routers of the place of {name}; \
                         allowed: a positive weight"
                    );
                    return Err(invalid(format!("users.traffic[{number}].{end}"), message));
                }
            }
            if *amount > 0.0 {
                let all = sum(from, &sending);
                for &access in from.iter().filter(|&&a| sending[a] > 0.0) {
                    leaving[access].push((number, sending[access] / all));
                }
            }
        }
        let mut known: BTreeMap<Vec<(usize, u64)>, usize> = BTreeMap::new();
        let mut rows: Vec<Vec<f64>> = Vec::new();
        let mut row_of = vec![0; hosts];
        // Time that the sources under each access router spend, per unit of demand, and transfers.
        let (mut busy, mut begun) = (vec![0.0; hosts], vec![0.0; hosts]);
        for access in 0..hosts {
            let parts = &leaving[access];
            let scale = parts.iter().map(|(_, part)| *part).fold(0.0, f64::max);
            let key = parts.iter().map(|(n, part)| (*n, (part / scale).to_bits())).collect();
            let row = *known.entry(key).or_insert_with(|| {
                let mut row = vec![0.0; hosts];
                for (number, part) in parts {
                    let (_, to, amount) = &demands[*number];
                    let all = sum(to, &receiving);
                    for &receiver in to {
                        row[receiver] += amount * part / scale * receiving[receiver] / all;
                    }
                }
                rows.push(row);
                rows.len() - 1
            });
            row_of[access] = row;
            for (receiver, weight) in rows[row].iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
                busy[access] += scale * weight * cycle(access, receiver);
                begun[access] += scale * weight;
            }
        }
        let spent: f64 = busy.iter().sum();
        if spent <= 0.0 {
            return Err(invalid("users.traffic", "the demands sum to 0; allowed: a positive sum"));
        }
        // Transfers per second for a demand of 1.
        let per_demand = match factor {
            Some(factor) => factor / self.scenario.mean_file_size(),
            None => self.counts().iter().sum::<u64>() as f64 / spent,
        };
        // Rounded so that the sum over any run of access routers is right to one source.
        let mut so_far = 0.0;
        let sources = busy.iter().map(|busy| {
            let before: f64 = so_far;
            so_far += busy * per_demand;
            (so_far.round() - before.round()) as u64
        });
        let mut traffic = Traffic::new(sources.collect(), receiving, rows, row_of)?;
        let all: f64 = begun.iter().sum();
        traffic.rule = if factor.is_some() { "matrix of rates" } else { "matrix of shares" };
        traffic.rate = Some(all * per_demand);
        traffic.begun = begun.into_iter().map(|count| count / all).collect();
        Ok(traffic)
    }

    /// Access routers of a place: an access router itself, those at a point of presence, or those of a
    /// region.
    fn place(&self, path: &str, name: &str) -> Result<Vec<usize>, InvalidScenario> {
        let topology = self.topology;
        let Some(router) = topology.router(name) else {
            let heads = &topology.routers[..topology.regions.min(MOST_LISTED)];
            let heads: Vec<&str> = heads.iter().map(|r| r.name.as_str()).collect();
            let more = if topology.regions > MOST_LISTED { " and more" } else { "" };
            let message = format!(
                "\"{}\" has no router \"{name}\"; allowed: routers of the topology, such as {}{more}",
                topology.name,
                heads.join(", ")
            );
            return Err(invalid(path, message));
        };
        let class = topology.routers[router].class;
        let below = |access: &usize| {
            let host = self.routers[*access];
            match class {
                RouterClass::Backbone => self.region(*access) == router,
                RouterClass::Pop => topology
                    .links
                    .iter()
                    .any(|l| (l.a, l.b) == (router, host) || (l.b, l.a) == (router, host)),
                _ => host == router,
            }
        };
        let place: Vec<usize> = (0..self.routers.len()).filter(below).collect();
        if place.is_empty() {
            let message =
                format!("no hosts are below {name}; allowed: a router with access routers below it");
            return Err(invalid(path, message));
        }
        Ok(place)
    }
}

/// Three times the weight of the class, so that equal weights give 1; 1 for routers outside the tiers.
fn class_weight(class: RouterClass, distribution: &[f64; 3]) -> f64 {
    class.distribution_index().map_or(1.0, |i| 3.0 * distribution[i])
}
