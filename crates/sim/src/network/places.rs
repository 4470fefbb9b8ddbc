//! AccessPlaces of a traffic matrix, and how its demands are divided among the access routers of the places.

use super::numbers::AccessRouter;
use super::pairs::Pairs;
use super::topology::{RouterClass, Topology};
use crate::scenario::{Demand, InvalidScenario, ReceiverReading, Scenario, invalid};
use std::collections::BTreeMap;

/// Most weights of receivers that are kept: of every row of the matrix, every access router.
const MOST_WEIGHTS: usize = 20_000_000;
/// Most names that a message lists.
const MOST_LISTED: usize = 30;

/// Demands between places.
#[derive(Clone, Debug, Default)]
pub struct PlaceDemands {
    /// Access indices of each place, rising.
    pub places: Vec<Vec<usize>>,
    /// Place of the sources, place of the receivers, and how much goes from one to the other.
    pub list: Vec<(usize, usize, f64)>,
}

/// Demands between access routers.
#[derive(Clone, Debug)]
pub struct Divided {
    rows: Vec<Vec<f64>>,
    row_of: Vec<usize>,
    /// Factor on the row of each access router.
    scales: Vec<f64>,
    /// Sum of what leaves each access router.
    pub leaving: Vec<f64>,
}

impl Divided {
    /// Receivers to which anything goes from an access router, and how much.
    pub fn receivers(&self, access: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let weights = self.rows[self.row_of[access]].iter().enumerate();
        let positive = weights.filter(|(_, weight)| **weight > 0.0);
        positive.map(move |(receiver, weight)| (receiver, self.scales[access] * weight))
    }

    /// The sum of all demands, and the pairs in which they begin.
    #[must_use]
    pub fn into_pairs(self) -> (f64, Pairs) {
        let all: f64 = self.leaving.iter().sum();
        let begun = self.leaving.into_iter().map(|amount| amount / all).collect();
        (all, Pairs::new(begun, self.rows, self.row_of))
    }
}

/// The access routers of a network, by place.
#[derive(Clone, Copy, Debug)]
pub struct AccessPlaces<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// Routers and links.
    pub topology: &'a Topology,
    /// Routers by access index.
    pub routers: &'a [usize],
}

impl AccessPlaces<'_> {
    /// Region of an access router.
    #[must_use]
    pub fn region(&self, access: usize) -> usize {
        self.topology.routers[self.routers[access]].region
    }

    /// Weight of each access router for sources.
    #[must_use]
    pub fn source_weights(&self) -> Vec<f64> {
        self.class_weights(&self.scenario.users.source_distribution)
    }

    /// Weight of each access router for receivers.
    #[must_use]
    pub fn receiver_weights(&self) -> Vec<f64> {
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

    fn class_weights(&self, distribution: &[f64; 3]) -> Vec<f64> {
        self.routers.iter().map(|&r| class_weight(self.topology.routers[r].class, distribution)).collect()
    }

    /// The entries of the matrix at `path` as demands between places.
    ///
    /// # Errors
    /// [`InvalidScenario`] for a name that no router has, and a place without hosts.
    pub fn demands(&self, path: &str, matrix: &[Demand]) -> Result<PlaceDemands, InvalidScenario> {
        let mut found = PlaceDemands::default();
        let mut known: BTreeMap<&str, usize> = BTreeMap::new();
        for (number, demand) in matrix.iter().enumerate() {
            let mut ends = [0; 2];
            for (end, (key, name)) in
                ends.iter_mut().zip([("from", demand.from.as_str()), ("to", demand.to.as_str())])
            {
                if !known.contains_key(name) {
                    known.insert(name, found.places.len());
                    found.places.push(self.place(&format!("{path}[{number}].{key}"), name)?);
                }
                *end = known[name];
            }
            found.list.push((ends[0], ends[1], demand.amount()));
        }
        Ok(found)
    }

    /// Divides the demands of the matrix at `path` among the access routers of their places, by the weight of
    /// the class of each.
    ///
    /// # Errors
    /// [`InvalidScenario`] for too many places, a place whose access routers have no weight, and demands of
    /// nothing.
    pub fn divide(&self, path: &str, demands: &PlaceDemands) -> Result<Divided, InvalidScenario> {
        let hosts = self.routers.len();
        if demands.list.len().min(hosts).saturating_mul(hosts) > MOST_WEIGHTS {
            let message =
                format!("too many places that send; allowed: at most {} places", MOST_WEIGHTS / hosts);
            return Err(invalid(path, message));
        }
        let [sending, receiving] = [self.source_weights(), self.receiver_weights()];
        let sums = |weights: &[f64]| -> Vec<f64> {
            demands.places.iter().map(|place| place.iter().map(|&a| weights[a]).sum()).collect()
        };
        let [sent, received] = [sums(&sending), sums(&receiving)];
        // Access routers that the same demands leave share a row, which their weights only multiply.
        let mut parts: Vec<Vec<(usize, f64)>> = vec![Vec::new(); hosts];
        for (number, &(from, to, _)) in demands.list.iter().enumerate().filter(|(_, d)| d.2 > 0.0) {
            for (end, key, place, sum) in
                [("from", "source", from, sent[from]), ("to", "receiver", to, received[to])]
            {
                if sum <= 0.0 {
                    let name = &self.topology.routers[self.routers[demands.places[place][0]]].name;
                    let message = format!(
                        "users.{key}_distribution gives weight 0 to all access routers of the place of {name}; \
                         allowed: a positive weight"
                    );
                    return Err(invalid(format!("{path}[{number}].{end}"), message));
                }
            }
            for &access in demands.places[from].iter().filter(|&&a| sending[a] > 0.0) {
                parts[access].push((number, sending[access] / sent[from]));
            }
        }
        let mut known: BTreeMap<Vec<(usize, u64)>, usize> = BTreeMap::new();
        let mut rows: Vec<Vec<f64>> = Vec::new();
        let (mut row_of, mut scales, mut leaving) = (vec![0; hosts], vec![0.0; hosts], vec![0.0; hosts]);
        for (access, parts) in parts.iter().enumerate() {
            let scale = parts.iter().map(|(_, part)| *part).fold(0.0, f64::max);
            let key = parts.iter().map(|(n, part)| (*n, (part / scale).to_bits())).collect();
            let row = *known.entry(key).or_insert_with(|| {
                let mut row = vec![0.0; hosts];
                for (number, part) in parts {
                    let (_, to, amount) = demands.list[*number];
                    for &receiver in &demands.places[to] {
                        row[receiver] += amount * part / scale * receiving[receiver] / received[to];
                    }
                }
                rows.push(row);
                rows.len() - 1
            });
            (row_of[access], scales[access]) = (row, scale);
            for weight in rows[row].iter().filter(|weight| **weight > 0.0) {
                leaving[access] += scale * weight;
            }
        }
        if leaving.iter().sum::<f64>() <= 0.0 {
            return Err(invalid(path, "the demands sum to 0; allowed: a positive sum"));
        }
        Ok(Divided { rows, row_of, scales, leaving })
    }

    /// Divides what each pair of access routers got among the demands, in proportion to their parts of this
    /// pair. Returns the sum of each demand.
    #[must_use]
    pub fn by_demand(
        &self,
        demands: &PlaceDemands,
        got: impl Iterator<Item = ([AccessRouter; 2], u64)>,
    ) -> Vec<f64> {
        // Of each access router the places that have it, and its part of them.
        let parts = |weights: Vec<f64>| {
            let mut parts: Vec<Vec<(usize, f64)>> = vec![Vec::new(); self.routers.len()];
            for (number, place) in demands.places.iter().enumerate() {
                let sum: f64 = place.iter().map(|&a| weights[a]).sum();
                place.iter().for_each(|&a| parts[a].push((number, weights[a] / sum)));
            }
            parts
        };
        let [sending, receiving] = [parts(self.source_weights()), parts(self.receiver_weights())];
        let mut between: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for (number, &(from, to, amount)) in demands.list.iter().enumerate() {
            if amount > 0.0 {
                between.entry((from, to)).or_default().push(number);
            }
        }
        let mut sums = vec![0.0; demands.list.len()];
        let mut shares: Vec<(usize, f64)> = Vec::new();
        for ([from, to], segments) in got {
            shares.clear();
            for (origin, sent) in &sending[from.index()] {
                for (end, received) in &receiving[to.index()] {
                    let numbers = between.get(&(*origin, *end)).into_iter().flatten();
                    shares.extend(numbers.map(|n| (*n, demands.list[*n].2 * sent * received)));
                }
            }
            let all: f64 = shares.iter().map(|(_, share)| share).sum();
            shares.iter().for_each(|(number, share)| sums[*number] += segments as f64 * (share / all));
        }
        sums
    }

    /// Access routers of a place: an access router itself, those at a point of presence, or those of a
    /// region.
    ///
    /// # Errors
    /// [`InvalidScenario`] for a name that no router has, and a place without hosts.
    pub fn place(&self, path: &str, name: &str) -> Result<Vec<usize>, InvalidScenario> {
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
        let mut below = vec![false; topology.routers.len()];
        match topology.routers[router].class {
            RouterClass::Backbone => below
                .iter_mut()
                .zip(&topology.routers)
                .for_each(|(is_below, other)| *is_below = other.region == router),
            RouterClass::Pop => topology.links.iter().for_each(|link| {
                below[link.a] |= link.b == router;
                below[link.b] |= link.a == router;
            }),
            _ => below[router] = true,
        }
        let place: Vec<usize> = (0..self.routers.len()).filter(|a| below[self.routers[*a]]).collect();
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
