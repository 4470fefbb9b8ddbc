//! Units of an assignment: where a flow belongs, and the ranks of units that have a name.
//!
//! A rank is uniform in [0, 1) by the seed and the name, so that it depends neither on other units nor on the
//! order of the scenario.

use super::files::{ARRIVAL, EXPLICIT};
use crate::network::{AccessRouter, RouterClass, Wiring};
use crate::random::{Purpose, Stream};
use mesonet_cc::draw::{GAMMA, mix};
use std::cmp::Ordering;

/// The home end of a flow of a category: the end at the slower class of access router. Of equal classes it is
/// the source of a user's transfer, and the receiver of an explicit flow or an arrival.
#[must_use]
pub fn home_end(wiring: &Wiring, category: u8, origin: AccessRouter, receiver: AccessRouter) -> AccessRouter {
    let [from, to] = [origin, receiver].map(|end| wiring.class_of(end.index()));
    if begins_at_home(category, from, to) { origin } else { receiver }
}

/// Returns whether the source of a flow of a category is its home end, by the classes of both access routers.
#[must_use]
pub fn begins_at_home(category: u8, origin: RouterClass, receiver: RouterClass) -> bool {
    // Normal, fast, direct, plain: from the slowest class on.
    let speed = |class: RouterClass| class.distribution_index().unwrap_or(usize::MAX);
    match speed(origin).cmp(&speed(receiver)) {
        Ordering::Equal => !matches!(category, EXPLICIT | ARRIVAL),
        order => order == Ordering::Less,
    }
}

/// Rank of the unit with a name.
#[must_use]
pub fn rank(seed: u64, name: &str) -> f64 {
    let hash = name.bytes().fold(GAMMA, |hash, byte| mix(hash ^ u64::from(byte)).wrapping_add(GAMMA));
    Stream::new(seed, Purpose::Unit, hash, 0).uniform()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;
    use crate::network::Network;
    use crate::users::files::FILE_CATEGORIES;
    use serde_json::{Value, json};

    fn network(change: impl FnOnce(&mut Value)) -> Network {
        let mut scenario: Value =
            serde_json::from_str(include_str!("../../tests/common/defaults.json")).expect("JSON");
        change(&mut scenario);
        let scenario = Scenario::from_json(&scenario.to_string()).expect("a valid scenario");
        Network::build(&scenario).expect("a network")
    }

    #[test]
    fn a_flow_belongs_to_the_slower_end() {
        let network = network(|_| ());
        let first = |wanted: RouterClass| {
            let is_wanted = |access: &usize| network.class_of(*access) == wanted;
            AccessRouter::new((0..network.access.len()).find(is_wanted).expect("an access router"))
        };
        let slow_to_fast = [RouterClass::Normal, RouterClass::Fast, RouterClass::Direct].map(first);
        for category in 0..FILE_CATEGORIES.len() as u8 {
            for (i, slower) in slow_to_fast.iter().enumerate() {
                for faster in &slow_to_fast[i + 1..] {
                    assert_eq!(home_end(&network, category, *slower, *faster), *slower);
                    assert_eq!(home_end(&network, category, *faster, *slower), *slower);
                }
            }
        }
    }

    #[test]
    fn of_equal_ends_a_transfer_belongs_to_its_source_and_other_flows_to_their_receiver() {
        let network = network(|scenario| scenario["topology"] = json!("dumbbell"));
        let [a, b] = ["A", "B"].map(|name| network.access_router(name));
        let homes: Vec<AccessRouter> =
            (0..FILE_CATEGORIES.len() as u8).map(|category| home_end(&network, category, a, b)).collect();
        assert_eq!(homes, [a, a, a, a, b, b]);
    }

    /// The values themselves are part of the contract "same seed, same bytes".
    #[test]
    fn ranks_are_named_by_seed_and_name() {
        let ranks = [rank(1, "A1a"), rank(2, "A1a"), rank(1, "A1b"), rank(1, ""), rank(1, "a1A")];
        for (i, rank) in ranks.iter().enumerate() {
            assert!((0.0..1.0).contains(rank) && !ranks[..i].contains(rank), "{ranks:?}");
        }
        let n = 10_000;
        let mean = (0..n).map(|i| rank(7, &format!("A.fibre.{i}"))).sum::<f64>() / f64::from(n);
        assert!((mean - 0.5).abs() < 5.0 * 0.2887 / 100.0, "{mean}");
    }
}
