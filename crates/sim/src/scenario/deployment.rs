//! Deployments: the share of the units that use an algorithm from an instant on, at some places.

use super::{AlgorithmShare, InvalidScenario, invalid, time_text};
use serde::{Deserialize, Serialize};

/// Most entries (chosen: a switchback of an hour that switches every four seconds has fewer).
const MOST_ENTRIES: usize = 1000;

/// The unit that takes an algorithm as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A source; explicit flows of one user, or one explicit flow; one open-loop arrival.
    User,
    /// The access router of the home end of a flow.
    Home,
    /// A flow.
    Flow,
    /// The place of that access router: its point of presence, or its router of the backbone.
    Place,
}

/// The ranks of units, by which they leave the incumbent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ranks {
    /// Each unit draws its own: shares hold on average.
    Independent,
    /// The units that are known before the run are in random order, at equal distances: shares hold exactly.
    Even,
}

/// A share of the units at some places, from an instant on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deployment {
    /// When, s.
    pub time: f64,
    /// Places: all, classes of access routers, or routers with everything below them.
    pub at: Vec<String>,
    /// Algorithm that the share uses; the other units keep the mix without it.
    pub algorithm: String,
    /// Share of the units.
    pub share: f64,
}

impl Deployment {
    /// The share of an algorithm of the mix where this entry holds: all but the deployed one have what is
    /// left, in proportion to their shares of the mix.
    #[must_use]
    pub fn share_of(&self, algorithm: &AlgorithmShare, mix: &[AlgorithmShare]) -> f64 {
        if algorithm.name == self.algorithm {
            return self.share;
        }
        match others(&self.algorithm, mix) {
            0.0 => 0.0,
            others => (1.0 - self.share) * algorithm.share / others,
        }
    }
}

/// Share of all algorithms of the mix but one.
fn others(algorithm: &str, mix: &[AlgorithmShare]) -> f64 {
    // An empty sum of floating-point numbers is -0.
    mix.iter().filter(|other| other.name != algorithm).fold(0.0, |sum, other| sum + other.share)
}

/// Holds entries against each rule that needs no network.
///
/// # Errors
/// [`InvalidScenario`] with the path of the first value that is not right.
pub fn check(entries: &[Deployment], mix: &[AlgorithmShare], duration: f64) -> Result<(), InvalidScenario> {
    if entries.len() > MOST_ENTRIES {
        let message =
            format!("{} entries are too many; allowed: at most {MOST_ENTRIES} entries", entries.len());
        return Err(invalid("deployment", message));
    }
    for (number, entry) in entries.iter().enumerate() {
        let at = |key: &str| format!("deployment[{number}].{key}");
        if entry.time > duration {
            let message = format!("after the end of the run; allowed: at most {}", time_text(duration));
            return Err(invalid(at("time"), message));
        }
        if entry.at.is_empty() {
            let message = "no place; allowed: all, normal, fast, direct, plain, or names of routers";
            return Err(invalid(at("at"), message));
        }
        if !mix.iter().any(|algorithm| algorithm.name == entry.algorithm) {
            let message = format!("\"{}\" is not among the algorithms of the scenario", entry.algorithm);
            return Err(invalid(at("algorithm"), message));
        }
        if entry.share < 1.0 && others(&entry.algorithm, mix) == 0.0 {
            let message = format!(
                "the mix has no other algorithm than {} for the rest; allowed: 1, or a mix with another algorithm",
                entry.algorithm
            );
            return Err(invalid(at("share"), message));
        }
    }
    Ok(())
}
