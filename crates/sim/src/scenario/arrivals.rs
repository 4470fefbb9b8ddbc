//! Open-loop arrivals: flows that begin at random instants, whatever became of the flows before them.

use super::traffic::check_matrix;
use super::{Demand, InvalidScenario, invalid, time_text};
use serde::{Deserialize, Serialize};

/// Most processes of a scenario (chosen).
const MOST_PROCESSES: usize = 100;
/// Most points of a distribution of sizes (chosen: a plot has fewer).
const MOST_POINTS: usize = 10_000;
/// Largest size of a distribution, segments.
const LARGEST_SIZE: f64 = 1e12;

/// A process of arrivals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArrivalProcess {
    /// Access routers of sources, or `all`; none of a matrix.
    pub from: Option<Vec<String>>,
    /// Access routers of receivers, or `all`; none of a matrix.
    pub to: Option<Vec<String>>,
    /// Demands between routers.
    pub matrix: Option<Vec<Demand>>,
    /// Factor on the rates of the matrix; none: 1.
    pub factor: Option<f64>,
    /// Flows per second, over all pairs of routers.
    pub rate: Option<f64>,
    /// Instead of the rate: data that the flows offer to `of`, as a share of its speed.
    pub load: Option<f64>,
    /// A router, a port, or a link.
    pub of: Option<String>,
    /// Distribution of flow sizes.
    pub sizes: Sizes,
    /// Distribution of the time between two arrivals.
    pub process: Gaps,
    /// Standard deviation of the logarithm of bursty gaps.
    pub sigma: f64,
    /// Instant from which flows arrive, s.
    pub start: f64,
    /// Instant from which none arrives, s; none: the end of the run.
    pub stop: Option<f64>,
    /// Interface rate of each flow, segments/s.
    pub interface: f64,
    /// Congestion control; none: drawn for each flow by the shares of the scenario.
    pub algorithm: Option<String>,
}

/// Distribution of the time from one arrival to the next at a router.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gaps {
    /// Exponential.
    Poisson,
    /// Log-normal.
    Bursty,
}

/// Distribution of flow sizes, segments. A flow has the drawn size rounded up, at least one segment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "law", rename_all = "snake_case", deny_unknown_fields)]
pub enum Sizes {
    /// All flows have one size.
    Constant {
        /// The size.
        size: f64,
    },
    /// Exponential.
    Exponential {
        /// Its mean.
        mean: f64,
    },
    /// Pareto.
    Pareto {
        /// Its mean.
        mean: f64,
        /// Its shape.
        shape: f64,
    },
    /// A cumulative distribution, linear between points.
    Cdf {
        /// Its name, for messages only.
        name: String,
        /// Sizes, and the probability of at most that size.
        points: Vec<[f64; 2]>,
    },
}

/// Holds processes against each rule that needs no network.
///
/// # Errors
/// [`InvalidScenario`] with the path of the first value that is not right.
pub fn check(
    processes: &[ArrivalProcess],
    duration: f64,
    is_algorithm: impl Fn(&str) -> bool,
) -> Result<(), InvalidScenario> {
    if processes.len() > MOST_PROCESSES {
        let message = format!(
            "{} processes are too many; allowed: at most {MOST_PROCESSES} processes",
            processes.len()
        );
        return Err(invalid("arrivals", message));
    }
    for (i, process) in processes.iter().enumerate() {
        let at = |key: &str| format!("arrivals[{i}].{key}");
        check_ends(process, &at)?;
        if process.rate.is_some() && process.load.is_some()
            || process.rate.is_none() && process.load.is_none() && process.matrix.is_none()
        {
            let message = "arrivals have either a rate or a load; allowed: rate in flows/s, or load with of";
            return Err(invalid(at("rate"), message));
        }
        if process.load.is_some() != process.of.is_some() {
            let (key, message) = if process.of.is_none() {
                ("load", "a load needs what it is a load of; allowed with of: a router, a port or a link")
            } else {
                ("of", "goes with load only")
            };
            return Err(invalid(at(key), message));
        }
        if process.start > duration {
            let message = format!("after the end of the run; allowed: at most {}", time_text(duration));
            return Err(invalid(at("start"), message));
        }
        if process.stop.is_some_and(|stop| stop < process.start) {
            let message = format!("before the start; allowed: at least {}", time_text(process.start));
            return Err(invalid(at("stop"), message));
        }
        if let Some(name) = process.algorithm.as_ref().filter(|name| !is_algorithm(name)) {
            let message = format!("\"{name}\" is not among the algorithms of the scenario");
            return Err(invalid(at("algorithm"), message));
        }
        if let Sizes::Cdf { points, .. } = &process.sizes {
            check_points(points).map_err(|message| invalid(at("sizes"), message))?;
        }
    }
    Ok(())
}

/// Checks who sends to whom: routers of equal weight, or a matrix, and what a matrix is scaled by.
fn check_ends(process: &ArrivalProcess, at: &impl Fn(&str) -> String) -> Result<(), InvalidScenario> {
    let is_scaled = process.rate.is_some() || process.load.is_some();
    let Some(matrix) = &process.matrix else {
        for (key, given) in [("from", &process.from), ("to", &process.to)] {
            if given.is_none() {
                return Err(invalid(at(key), "arrivals need from and to, or a matrix"));
            }
        }
        return match process.factor {
            Some(_) => Err(invalid(at("factor"), "goes with matrix only")),
            None => Ok(()),
        };
    };
    for (key, given) in [("from", &process.from), ("to", &process.to)] {
        if given.is_some() {
            let message = "arrivals have either from and to, or a matrix";
            return Err(invalid(at(key), message));
        }
    }
    check_matrix(&at("matrix"), matrix, "at least one entry")?;
    if !is_scaled && !matrix[0].is_rate() {
        let message =
            "shares have no rate; allowed: rates, or shares with rate in flows/s, or with load and of";
        return Err(invalid(at("matrix"), message));
    }
    if is_scaled && process.factor.is_some() {
        let message = "a factor beside rate or load; allowed: one of rate, load and factor";
        return Err(invalid(at("factor"), message));
    }
    Ok(())
}

/// Returns what is wrong with a cumulative distribution.
fn check_points(points: &[[f64; 2]]) -> Result<(), String> {
    if !(2..=MOST_POINTS).contains(&points.len()) {
        return Err(format!("{} points; allowed: 2 to {MOST_POINTS}", points.len()));
    }
    let before = std::iter::once([0.0, 0.0]).chain(points.iter().copied());
    for (number, (before, [size, probability])) in before.zip(points).enumerate() {
        let place = number + 1;
        if !(0.0..=LARGEST_SIZE).contains(size) {
            return Err(format!("point {place} has the size {size}; allowed: 0 to {LARGEST_SIZE} segments"));
        }
        if !(0.0..=1.0).contains(probability) {
            return Err(format!("point {place} has the probability {probability}; allowed: 0 to 1"));
        }
        if *size < before[0] || *probability < before[1] {
            return Err(format!(
                "point {place} is below point {number}; allowed: sizes and probabilities that rise"
            ));
        }
    }
    match points.last() {
        Some([size, 1.0]) if *size > 0.0 => Ok(()),
        Some([_, 1.0]) => Err("all flows have the size 0; allowed: a positive size at the end".into()),
        last => Err(format!(
            "the last probability is {}; allowed: 1, the probability of at most the largest size",
            last.map_or(0.0, |point| point[1])
        )),
    }
}
