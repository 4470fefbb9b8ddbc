//! Traffic between routers: a rule, or a matrix of the user's own.

use super::{InvalidScenario, invalid};
use serde::{Deserialize, Serialize};

/// The traffic of users.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a rule (tiers, gravity) or a list of demands")]
pub enum Traffic {
    /// From a rule.
    Rule(TrafficRule),
    /// From a matrix.
    Given(Vec<Demand>),
}

/// A rule for the traffic of users.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrafficRule {
    /// Sources and receivers by the class of their access router.
    Tiers,
    /// Between regions by the product of their capacities or numbers of links, below them by class.
    Gravity,
}

/// An entry of a traffic matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Demand {
    /// Router at or below which sources are.
    pub from: String,
    /// Router at or below which receivers are.
    pub to: String,
    /// Part of all transfers, relative to the other entries.
    pub share: Option<f64>,
    /// Data that an uncongested network carries, segments/s.
    pub rate: Option<f64>,
}

impl Demand {
    /// The share or the rate.
    #[must_use]
    pub fn amount(&self) -> f64 {
        self.rate.or(self.share).unwrap_or(0.0)
    }

    /// Returns whether the entry is a rate.
    #[must_use]
    pub fn is_rate(&self) -> bool {
        self.rate.is_some()
    }
}

/// Checks the entries of a matrix against each other.
///
/// # Errors
/// [`InvalidScenario`] with the path of the first entry that is not right.
pub fn check(traffic: &Traffic) -> Result<(), InvalidScenario> {
    let Traffic::Given(demands) = traffic else { return Ok(()) };
    check_matrix("users.traffic", demands, "tiers, gravity, or at least one entry")
}

/// Checks the entries of the matrix at `path` against each other. `allowed` instead of a matrix without
/// entries.
pub(super) fn check_matrix(path: &str, demands: &[Demand], allowed: &str) -> Result<(), InvalidScenario> {
    let Some(first) = demands.first() else {
        return Err(invalid(path, format!("no entry; allowed: {allowed}")));
    };
    for (i, demand) in demands.iter().enumerate() {
        let message = if demand.share.is_some() == demand.rate.is_some() {
            "an entry has either a share or a rate"
        } else if demand.is_rate() != first.is_rate() {
            "shares and rates in one matrix; allowed: only shares, or only rates"
        } else {
            continue;
        };
        return Err(invalid(format!("{path}[{i}]"), message));
    }
    Ok(())
}
