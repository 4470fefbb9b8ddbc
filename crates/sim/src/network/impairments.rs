//! Links of a network that lose, delay and reorder segments, and queues that serve at a rate that varies.
//!
//! `[impairments]` is one set of values for the links of its places; each set with a name is another one. A
//! link belongs to one set at most. A link that fails loses what leaves for it meanwhile, whatever its set
//! is.

mod buffers;
mod rates;
mod rules;

use super::lanes::LaneEnd;
use super::topology::RouterClass;
use super::wiring::Wiring;
use crate::links::{Clock, Rules, Steps};
use crate::scenario::{DisciplineName, ImpairmentParameters, InvalidScenario, Scenario, invalid, time_text};
use mesonet_cc::{Picos, picos};
use std::sync::Arc;

/// Impaired links and queues with a clock.
#[derive(Clone, Debug, Default)]
pub struct Impairments {
    /// By lane, those of data and their mirror images: what its link does; empty where all are perfect.
    rules: Vec<Option<Arc<Rules>>>,
    /// By lane of data: a set that does something names it.
    named: Vec<bool>,
    /// By queue: the clock of its server; empty where all rates are constant.
    clocks: Vec<Option<Arc<Clock>>>,
    /// By queue: segments that may wait in it by time; empty where all buffers are constant.
    buffers: Vec<Option<Arc<Steps<u64>>>>,
    /// A link may delay segments.
    delay: bool,
}

/// A set of values and the path at which users write it.
#[derive(Clone, Debug)]
pub struct Set<'a> {
    path: String,
    given: &'a ImpairmentParameters,
}

impl Set<'_> {
    fn at(&self, key: &str) -> String {
        format!("{}.{key}", self.path)
    }

    pub(super) fn invalid(&self, key: &str, message: impl Into<String>) -> InvalidScenario {
        invalid(self.at(key), message)
    }

    /// The lanes of data whose links its places name, rising.
    ///
    /// # Errors
    /// [`InvalidScenario`] where a place names no link.
    pub fn lanes(&self, wiring: &Wiring) -> Result<Vec<usize>, InvalidScenario> {
        let chosen = chosen(self, wiring)?;
        Ok((0..chosen.len()).filter(|lane| chosen[*lane]).collect())
    }
}

/// The sets of a scenario: `[impairments]`, then those with names.
pub fn sets(scenario: &Scenario) -> impl Iterator<Item = Set<'_>> {
    let named = scenario
        .impairment_sets
        .iter()
        .map(|(name, given)| Set { path: format!("impairments.{name}"), given });
    std::iter::once(Set { path: "impairments".into(), given: &scenario.impairments }).chain(named)
}

/// Gives the queues whose rate follows a trace its mean as their speed.
///
/// # Errors
/// [`InvalidScenario`] where a trace is wrong, or too fast.
pub fn follow_traces(
    scenario: &Scenario,
    wiring: &Wiring,
    speeds: &mut [f64],
) -> Result<(), InvalidScenario> {
    for set in sets(scenario) {
        set.check_rates(scenario)?;
        let Some(mean) = set.mean_rate(scenario) else { continue };
        if picos(1.0 / mean) == 0 {
            let message = "its mean rate serves a segment in less than 1 ps; allowed: lower rates, or a smaller \
                           network.capacity_factor";
            return Err(set.invalid("capacity", message));
        }
        for lane in set.lanes(wiring)? {
            speeds[lane] = mean;
        }
    }
    Ok(())
}

impl Impairments {
    /// Rules of the link of a lane; none where it is perfect.
    #[must_use]
    pub fn rules(&self, lane: usize) -> Option<&Arc<Rules>> {
        self.rules.get(lane)?.as_ref()
    }

    /// Some link may delay segments.
    #[must_use]
    pub fn delay(&self) -> bool {
        self.delay
    }

    /// Clock of the queue with this number; none where the rate is constant.
    #[must_use]
    pub fn clock(&self, queue: usize) -> Option<Arc<Clock>> {
        self.clocks.get(queue).cloned().flatten()
    }

    /// Segments that may wait by time in the queue with this number; none where its buffer is constant.
    #[must_use]
    pub fn buffer(&self, queue: usize) -> Option<Arc<Steps<u64>>> {
        self.buffers.get(queue).cloned().flatten()
    }

    /// The buffer of some queue varies.
    #[must_use]
    pub fn buffers_vary(&self) -> bool {
        !self.buffers.is_empty()
    }

    /// The link of a lane of data is impaired, or its rate or buffer varies.
    #[must_use]
    pub fn has(&self, lane: usize) -> bool {
        self.named.get(lane) == Some(&true)
    }

    /// Segments may overtake others on some links.
    #[must_use]
    pub fn reorders(&self) -> bool {
        self.rules.iter().flatten().any(|rules| !rules.keeps_order)
    }

    /// The impairments of a scenario; `speeds` are those of the queues, those that traces set included.
    ///
    /// # Errors
    /// [`InvalidScenario`] where they name what does not exist, or contradict each other.
    pub fn new(
        scenario: &Scenario,
        wiring: &Wiring,
        speeds: &[f64],
        disciplines: &[DisciplineName],
    ) -> Result<Self, InvalidScenario> {
        let mut found = Self::default();
        let data = wiring.data_lanes();
        let mut taken: Vec<Option<String>> = vec![None; data];
        for set in sets(scenario) {
            let rules = rules::rules(scenario, &set)?.map(Arc::new);
            let lanes = set.lanes(wiring)?;
            let of_queues = lanes.iter().filter_map(|lane| disciplines.get(*lane).copied());
            let buffer = set.waiting(scenario, of_queues)?.map(Arc::new);
            let does_something = rules.is_some() || set.varies() || buffer.is_some();
            if !does_something && set.path == "impairments" {
                continue;
            }
            for lane in &lanes {
                if let Some(other) = taken[*lane].replace(set.path.clone()) {
                    let message = format!(
                        "{} is a link of {other} already; allowed: each link in one set",
                        wiring.lane_name(*lane)
                    );
                    return Err(set.invalid("at", message));
                }
            }
            if let Some(rules) = &rules {
                found.delay |= rules.delay();
                found.rules.resize(data, None);
                lanes.iter().for_each(|lane| found.rules[*lane] = Some(Arc::clone(rules)));
            }
            if set.varies() {
                found.clocks.resize(data, None);
                for queue in &lanes {
                    let nominal = picos(1.0 / speeds[*queue]);
                    found.clocks[*queue] = Some(Arc::new(set.clock(scenario, nominal)?));
                }
            }
            if buffer.is_some() {
                found.buffers.resize(data, None);
                lanes.iter().for_each(|queue| found.buffers[*queue].clone_from(&buffer));
            }
            if does_something {
                found.named.resize(data, false);
                lanes.iter().for_each(|lane| found.named[*lane] = true);
            }
        }
        for (lane, failures) in &wiring.failures {
            found.rules.resize(data, None);
            let own = found.rules[lane.index()].take().map_or(Rules::PERFECT, |rules| (*rules).clone());
            found.rules[lane.index()] =
                Some(Arc::new(Rules { only_loses: false, failures: failures.clone(), ..own }));
        }
        if let Some(queued) = wiring.queued_acks.as_ref().filter(|queued| !queued.lanes.is_empty()) {
            let of_data = found.rules.clone();
            found.rules.resize(if of_data.is_empty() { 0 } else { queued.lanes.start }, None);
            found.rules.extend(of_data);
        }
        Ok(found)
    }

    /// Time by which the link of a lane of data, and its queue if this has a clock, delay a segment at most,
    /// beyond propagation and a queue of `backlog` at a constant rate; of random delays all but one in 1e16.
    #[must_use]
    pub fn longest_delay(&self, lane: usize, backlog: Picos) -> Picos {
        let of_link = self.rules(lane).map_or(0, |rules| rules.longest_delay());
        let of_queue = self.clock(lane).map_or(0, |clock| clock.longest(backlog).saturating_sub(backlog));
        of_link.saturating_add(of_queue)
    }
}

/// Points of a trace: rising by time, before the period.
fn check_points(path: &str, points: &[[f64; 2]], period: Option<f64>) -> Result<(), InvalidScenario> {
    if points.is_empty() {
        return Err(invalid(path, "no point; allowed: at least one, with a time and a value"));
    }
    let mut before = 0.0;
    for (place, [time, _]) in points.iter().enumerate() {
        if *time < before {
            let [time, before] = [*time, before].map(time_text);
            let message =
                format!("point {place} is at {time}, before the last one; allowed: at least {before}");
            return Err(invalid(path, message));
        }
        before = *time;
    }
    match period {
        Some(period) if period <= before => {
            let [period, before] = [period, before].map(time_text);
            let message = format!("a period of {period}; allowed: more than the last time, {before}");
            Err(invalid(path, message))
        }
        _ => Ok(()),
    }
}

/// Returns of each lane of data whether the places of a set name it.
fn chosen(set: &Set, wiring: &Wiring) -> Result<Vec<bool>, InvalidScenario> {
    let data = wiring.data_lanes();
    let name = |router: usize| wiring.topology.routers[router].name.as_str();
    let mut found = vec![false; data];
    for (index, place) in set.given.at.iter().enumerate() {
        let mut any = false;
        for (lane, chosen) in found.iter_mut().enumerate() {
            let spec = &wiring.lanes[lane];
            let from = spec.from.index();
            let class: RouterClass = wiring.topology.routers[from].class;
            let is_meant = match spec.end {
                LaneEnd::Router(to) => {
                    let (from, to) = (name(from), name(to.index()));
                    place == "all"
                        || *place == format!("{from} -> {to}")
                        || *place == format!("{from} - {to}")
                        || *place == format!("{to} - {from}")
                }
                LaneEnd::Receivers(_) | LaneEnd::Sources(_) => {
                    place == "hosts" || *place == format!("{} -> hosts", name(from))
                }
            };
            let of_router =
                place == class.word() || place == name(from) || (place == "access" && class.is_access());
            if is_meant || (of_router && matches!(spec.end, LaneEnd::Router(_))) {
                (*chosen, any) = (true, true);
            }
        }
        if !any {
            let [a, b] =
                wiring.topology.links.first().map_or(["A", "B"], |link| [name(link.a), name(link.b)]);
            let message = format!(
                "\"{place}\" names no link; allowed: all, a link such as \"{a} - {b}\", one direction such as \
                 \"{a} -> {b}\", the way to the hosts of a router such as \"{a} -> hosts\", hosts for all such ways, a router, access or a \
                 class of routers for the links on which segments leave them"
            );
            return Err(set.invalid(&format!("at[{index}]"), message));
        }
    }
    Ok(found)
}
