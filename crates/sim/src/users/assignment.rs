//! Assignment: the congestion control that each flow takes when it begins.
//!
//! Every unit has one rank in [0, 1). Algorithms have intervals of [0, 1) in an order that does not depend on
//! the order of the mix: the incumbent first, then the others by name. So the units that leave the incumbent
//! at a share also leave it at every larger one, and every alternative to the incumbent has the same units.
//! Ranks are drawn, or even: then a share of n units is the whole number of units next to it.

use super::deployment::{homes, turns};
use super::files::{ARRIVAL, EXPLICIT};
use super::population::{Source, rank_of_source};
use super::units::{home_end, rank};
use crate::network::{AccessRouter, Network, Wiring};
use crate::random::{Purpose, Stream};
use crate::scenario::{AlgorithmShare, Deployment, InvalidScenario, Ranks, Scenario, Unit};
use mesonet_cc::Picos;
use std::collections::BTreeMap;

/// Names of algorithms that are incumbents, in this order, where a scenario names none (chosen: the default
/// of today's systems, and standard TCP).
const INCUMBENTS: [&str; 2] = ["cubic", "tcp"];

/// A flow about to take an algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Newcomer {
    /// Category of its file.
    pub category: u8,
    /// Access router of the source.
    pub origin: AccessRouter,
    /// Access router of the receiver.
    pub receiver: AccessRouter,
    /// Rank of its user, or its own where flows are units.
    pub rank: f64,
}

/// The shares of algorithms by time and place, and the unit that has them.
#[derive(Clone, Debug)]
pub struct Assignment {
    unit: Unit,
    seed: u64,
    /// Algorithms of the scenario, in canonical order.
    order: Vec<u8>,
    /// Shares in that order: of the mix, then of the mix that each entry of the deployment leaves.
    mixes: Vec<Vec<f64>>,
    /// By access router the instants from which another mix holds, rising, and its number; empty without a
    /// deployment.
    turns: Vec<Vec<(Picos, usize)>>,
    /// Rank of the unit that each access router belongs to, where homes or places are units.
    ranks: Vec<f64>,
    /// Even ranks of sources and of explicit flows by number; empty where each draws its own.
    even: [Vec<f64>; 2],
}

impl Assignment {
    /// The assignment of a scenario.
    ///
    /// # Errors
    /// [`InvalidScenario`] with a path below `deployment` for a place that the network does not have.
    pub fn new(scenario: &Scenario, network: &Network, seed: u64) -> Result<Self, InvalidScenario> {
        let order = canonical_order(scenario);
        let name = |router: usize| network.topology.routers[router].name.as_str();
        let unit = scenario.users.assignment;
        let routers = match unit {
            Unit::User | Unit::Flow => Vec::new(),
            Unit::Home => network.access.clone(),
            Unit::Place => network.places(),
        };
        let mut ranks: Vec<f64> = routers.iter().map(|router| rank(seed, name(*router))).collect();
        let is_even = scenario.users.ranks == Ranks::Even;
        if is_even && !ranks.is_empty() {
            let is_unit = homes(scenario, network);
            let units = (0..ranks.len()).filter(|access| is_unit[*access]);
            let units: Vec<(usize, f64)> = units.map(|access| (routers[access], ranks[access])).collect();
            let even = evenly(units.iter().copied());
            ranks
                .iter_mut()
                .zip(&routers)
                .for_each(|(rank, router)| *rank = *even.get(router).unwrap_or(rank));
        }
        let shares = |share: &dyn Fn(&AlgorithmShare) -> f64| -> Vec<f64> {
            order.iter().map(|number| share(&scenario.algorithms[usize::from(*number)])).collect()
        };
        let left = |entry: &Deployment| shares(&|algorithm| entry.share_of(algorithm, &scenario.algorithms));
        let mixes = std::iter::once(shares(&|algorithm| algorithm.share))
            .chain(scenario.deployment.iter().map(left))
            .collect();
        let mut found = Self {
            unit,
            seed,
            mixes,
            turns: turns(scenario, network)?,
            ranks,
            even: Default::default(),
            order,
        };
        if is_even {
            found.even = [found.even_sources(network), found.even_flows(scenario)];
        }
        Ok(found)
    }

    /// Even ranks by source, where users are units.
    fn even_sources(&self, network: &Network) -> Vec<f64> {
        if self.unit != Unit::User {
            return Vec::new();
        }
        let count = network.traffic.sources.iter().sum::<u64>() as u32;
        let drawn = (0..count).map(|number| (number, rank_of_source(self.seed, number)));
        evenly(drawn).into_values().collect()
    }

    /// Even ranks by explicit flow, of those that take their algorithm from the mix.
    fn even_flows(&self, scenario: &Scenario) -> Vec<f64> {
        let unit = |number: usize| match &scenario.flows[number].user {
            Some(user) if self.unit == Unit::User => (Some(user), 0),
            _ => (None, number),
        };
        let drawn = |number: usize| self.drawn_of_explicit(number, scenario.flows[number].user.as_deref());
        let takes = (0..scenario.flows.len()).filter(|number| scenario.flows[*number].algorithm.is_none());
        let even = evenly(takes.map(|number| (unit(number), drawn(number))));
        (0..scenario.flows.len()).map(|number| even.get(&unit(number)).copied().unwrap_or(0.0)).collect()
    }

    /// The incumbent.
    #[must_use]
    pub fn incumbent(&self) -> u8 {
        self.order[0]
    }

    /// The algorithm of a flow that begins at `now`.
    #[must_use]
    pub fn algorithm(&self, wiring: &Wiring, flow: &Newcomer, now: Picos) -> u8 {
        let place = || self.place(wiring, flow);
        let rank = match self.unit {
            Unit::User | Unit::Flow => flow.rank,
            Unit::Home | Unit::Place => self.ranks[place().index()],
        };
        let mut mix = 0;
        if !self.turns.is_empty() {
            let turns = &self.turns[place().index()];
            let past = turns.partition_point(|(time, _)| *time <= now);
            mix = past.checked_sub(1).map_or(0, |last| turns[last].1);
        }
        self.order[pick(rank, &self.mixes[mix])]
    }

    /// Access router where the unit of a flow is: at its source where users are units, else at its home end.
    fn place(&self, wiring: &Wiring, flow: &Newcomer) -> AccessRouter {
        if self.unit == Unit::User && !matches!(flow.category, EXPLICIT | ARRIVAL) {
            return flow.origin;
        }
        home_end(wiring, flow.category, flow.origin, flow.receiver)
    }

    /// Rank of the `k`-th transfer of a source, or of the source.
    #[must_use]
    pub fn rank_of_transfer(&self, source: &Source, k: u64) -> f64 {
        match self.unit {
            Unit::Flow => Stream::new(self.seed, Purpose::Unit, u64::from(source.number), k).uniform(),
            _ => self.even[0].get(source.number as usize).copied().unwrap_or(source.rank),
        }
    }

    /// Rank of the explicit flow with a number, or of its user.
    #[must_use]
    pub fn rank_of_explicit(&self, number: usize, user: Option<&str>) -> f64 {
        self.even[1].get(number).copied().unwrap_or_else(|| self.drawn_of_explicit(number, user))
    }

    fn drawn_of_explicit(&self, number: usize, user: Option<&str>) -> f64 {
        match user.filter(|_| self.unit == Unit::User) {
            Some(name) => rank(self.seed, name),
            None => Stream::new(self.seed, Purpose::Algorithm, number as u64, 0).uniform(),
        }
    }
}

/// Ranks at equal distances, in the order of drawn ranks; of a key that is there twice once.
fn evenly<K: Ord + Copy>(drawn: impl Iterator<Item = (K, f64)>) -> BTreeMap<K, f64> {
    let mut even: BTreeMap<K, f64> = drawn.collect();
    let mut order: Vec<(K, f64)> = even.iter().map(|(key, rank)| (*key, *rank)).collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    for (place, (key, _)) in order.iter().enumerate() {
        even.insert(*key, (place as f64 + 0.5) / order.len() as f64);
    }
    even
}

/// Numbers of the algorithms of a scenario: the incumbent first, then the others by name. The incumbent is
/// the algorithm that the scenario names, else the first of [`INCUMBENTS`] with a share, else the last by
/// name with a share.
fn canonical_order(scenario: &Scenario) -> Vec<u8> {
    let algorithms = &scenario.algorithms;
    let mut order: Vec<u8> = (0..algorithms.len() as u8).collect();
    order.sort_by_key(|number| &algorithms[usize::from(*number)].name);
    let named = |name: &str, place: &u8| algorithms[usize::from(*place)].name == name;
    let has_share = |number: &u8| algorithms[usize::from(*number)].share > 0.0;
    let with_share = |wanted: &dyn Fn(&u8) -> bool| order.iter().rposition(|n| has_share(n) && wanted(n));
    let incumbent = match &scenario.users.incumbent {
        Some(name) => order.iter().position(|number| named(name, number)),
        None => INCUMBENTS
            .iter()
            .find_map(|name| with_share(&|number| named(name, number)))
            .or_else(|| with_share(&|_| true)),
    };
    order[..=incumbent.unwrap_or(0)].rotate_right(1);
    order
}

/// Place of the share into which `u` falls.
fn pick(mut u: f64, shares: &[f64]) -> usize {
    let mut last = 0;
    for (place, share) in shares.iter().enumerate() {
        if *share > 0.0 {
            last = place;
        }
        if u < *share {
            return place;
        }
        u -= share;
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_respected() {
        assert_eq!([0.0, 0.29, 0.3, 0.99].map(|u| pick(u, &[0.3, 0.7])), [0, 0, 1, 1]);
        // Shares that round to less than 1: the last positive one takes the rest.
        assert_eq!(pick(0.999_999_9, &[0.5, 0.499_999, 0.0]), 1);
    }
}
