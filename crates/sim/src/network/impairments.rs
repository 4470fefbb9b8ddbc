//! Which links of a network lose, delay and reorder segments, and which queues serve at a rate that varies.

use super::Network;
use super::build::LaneEnd;
use super::topology::RouterClass;
use crate::links::{Clock, Jitter, Loss, Outage, Piece, Policer, Rules, Steps, WIFI_MEANS};
use crate::scenario::{
    AckPath, CapacityKind, CapacityTrace, Concerned, DelayTrace, ImpairmentParameters, InvalidScenario,
    JitterLaw, OutageKind, QueuePlace, Scenario, invalid,
};
use mesonet_cc::{Picos, picos};
use std::sync::Arc;

/// Impaired links and queues with a clock.
#[derive(Clone, Debug, Default)]
pub struct Impairments {
    /// What impaired links do; none where no link is impaired.
    pub rules: Option<Arc<Rules>>,
    /// By lane, those of data and their mirror images: it is impaired.
    impaired: Vec<bool>,
    /// By queue: the clock of its server.
    clocks: Vec<Option<Arc<Clock>>>,
}

impl Impairments {
    /// Clock of the queue with this number; none where the rate is constant.
    #[must_use]
    pub fn clock(&self, queue: usize) -> Option<Arc<Clock>> {
        self.clocks.get(queue).cloned().flatten()
    }

    /// Something is impaired.
    #[must_use]
    pub fn any(&self) -> bool {
        self.rules.is_some() || !self.clocks.is_empty()
    }

    /// The link of a lane of data is impaired, or its rate varies.
    #[must_use]
    pub fn has(&self, lane: usize) -> bool {
        self.impaired.get(lane) == Some(&true)
    }

    /// Segments may overtake others on some links.
    #[must_use]
    pub fn reorders(&self) -> bool {
        self.rules.as_ref().is_some_and(|rules| !rules.keeps_order)
    }

    /// The impairments of a scenario; `network` has lanes and queues, but for the speeds that traces set.
    ///
    /// # Errors
    /// [`InvalidScenario`] where they name what does not exist, or contradict each other.
    pub fn new(scenario: &Scenario, network: &Network) -> Result<Self, InvalidScenario> {
        let given = &scenario.impairments;
        let rules = rules(scenario)?;
        let varies = given.capacity.is_some() || (has_outage(given) && given.outage == OutageKind::Hold);
        if rules.is_none() && !varies {
            return Ok(Self::default());
        }
        let chosen = chosen(&given.at, network)?;
        let mut clocks = Vec::new();
        if varies {
            for (queue, is_chosen) in chosen.iter().enumerate() {
                let nominal = picos(1.0 / network.speeds[queue]);
                let clock = is_chosen.then(|| clock(scenario, nominal)).transpose()?;
                clocks.push(clock.map(Arc::new));
            }
        }
        let mut impaired = chosen.clone();
        if let Some(queued) = network.queued_acks.as_ref().filter(|queued| !queued.lanes.is_empty()) {
            impaired.resize(queued.lanes.start, false);
            impaired.extend(chosen);
        }
        Ok(Self { rules: rules.map(Arc::new), impaired, clocks })
    }
}

fn has_outage(given: &ImpairmentParameters) -> bool {
    given.outage_length > 0.0
}

/// The mean rate of a trace, segments/s: the speed of the queues that follow it.
pub fn mean_rate(scenario: &Scenario) -> Option<f64> {
    let trace = scenario.impairments.capacity.as_ref()?;
    let span = trace.period.unwrap_or(scenario.time.duration);
    let until = |place: usize| trace.points.get(place + 1).map_or(span, |next| next[0].min(span));
    let sum = |kind| match kind {
        CapacityKind::Rates => {
            let part = |(place, point): (usize, &[f64; 2])| point[1] * (until(place) - point[0]).max(0.0);
            trace.points.iter().enumerate().map(part).sum::<f64>()
        }
        CapacityKind::Opportunities => {
            trace.points.iter().filter(|point| point[0] <= span).map(|point| point[1]).sum()
        }
    };
    Some(sum(trace.kind) / span * scenario.network.capacity_factor)
}

/// What links do.
fn rules(scenario: &Scenario) -> Result<Option<Rules>, InvalidScenario> {
    let given = &scenario.impairments;
    let loses = given.loss > 0.0 || (given.to_bad > 0.0 && given.loss_bad > 0.0);
    if given.to_bad > 0.0 && given.to_good == 0.0 {
        return Err(invalid("impairments.to_good", "0: the bad state would never end; allowed: more than 0"));
    }
    let jitter = match given.jitter {
        JitterLaw::None => None,
        JitterLaw::Uniform => Some(Jitter::Uniform(picos(given.jitter_mean))),
        JitterLaw::Exponential => Some(Jitter::Exponential(picos(given.jitter_mean))),
        JitterLaw::Wifi => {
            let [least, most] = WIFI_MEANS;
            if !(least..=most).contains(&given.jitter_mean) {
                let message = format!(
                    "a mean of {} s is not one of this law; allowed: {least} to {most} s",
                    given.jitter_mean
                );
                return Err(invalid("impairments.jitter_mean", message));
            }
            Some(Jitter::wifi(given.jitter_mean))
        }
    };
    let drops = has_outage(given) && given.outage == OutageKind::Drop;
    check_outage(given)?;
    let policer = (given.policer_rate > 0.0).then(|| {
        let service = picos(1.0 / given.policer_rate);
        let bytes = scenario.transport.segment_bytes.round() as u32;
        Policer { service, bytes, burst: picos(given.policer_burst / given.policer_rate) }
    });
    let does_more =
        jitter.is_some() || given.late > 0.0 || drops || policer.is_some() || given.delays.is_some();
    if !loses && !does_more {
        return Ok(None);
    }
    if given.of == Concerned::Acks && scenario.network.ack_path == AckPath::Delay {
        let message =
            "acknowledgements cross no link with network.ack_path = delay; allowed with it: data, both";
        return Err(invalid("impairments.of", message));
    }
    let keeps_order = given.keep_order;
    if !keeps_order && scenario.network.ack_path != AckPath::Delay {
        let message = "what a lost acknowledgement reported, the next one reports: they must not overtake each other; \
                       allowed with network.ack_path = queued or direction: true";
        return Err(invalid("impairments.keep_order", message));
    }
    if !keeps_order && !scenario.network.changes.is_empty() {
        let message = "links whose segments overtake each other have constant delays; allowed with network.changes: \
                       true";
        return Err(invalid("impairments.keep_order", message));
    }
    Ok(Some(Rules {
        concerns: [given.of != Concerned::Acks, given.of != Concerned::Data],
        loss: loses.then(|| Loss::new([given.loss, given.loss_bad], [given.to_bad, given.to_good])),
        only_loses: loses && !does_more,
        jitter,
        slot: picos(given.jitter_slot),
        keeps_order,
        late: (given.late, picos(given.late_by)),
        outage: drops.then(|| Outage {
            start: picos(given.outage_start),
            length: picos(given.outage_length),
            period: picos(given.outage_period),
        }),
        policer,
        steps: given.delays.as_ref().map(steps).transpose()?,
    }))
}

fn check_outage(given: &ImpairmentParameters) -> Result<(), InvalidScenario> {
    if given.outage_period > 0.0 && given.outage_length >= given.outage_period {
        let message =
            format!("not below impairments.outage_period, {} s: the link never works", given.outage_period);
        return Err(invalid("impairments.outage_length", message));
    }
    Ok(())
}

/// Points of a trace: rising by time, from 0 on, before the period.
fn check_points(path: &str, points: &[[f64; 2]], period: Option<f64>) -> Result<(), InvalidScenario> {
    if points.is_empty() {
        return Err(invalid(path, "no point; allowed: at least one, with a time and a value"));
    }
    let mut before = 0.0;
    for (place, [time, value]) in points.iter().enumerate() {
        if !(time.is_finite() && *time >= before && value.is_finite() && *value >= 0.0) {
            let message = format!(
                "point {place}, at {time} s with {value}, is not allowed; allowed: times from 0 that do not fall, values from 0"
            );
            return Err(invalid(path, message));
        }
        before = *time;
    }
    match period {
        Some(period) if !(period > before && period.is_finite()) => {
            let message = format!("a period of {period} s; allowed: more than the last time, {before} s");
            Err(invalid(path, message))
        }
        _ => Ok(()),
    }
}

fn steps(trace: &DelayTrace) -> Result<Steps, InvalidScenario> {
    let path = "impairments.delays";
    check_points(path, &trace.points, trace.period)?;
    if let Some([_, delay]) = trace.points.iter().find(|point| point[1] > 100.0) {
        return Err(invalid(path, format!("a delay of {delay} s; allowed: at most 100 s")));
    }
    let mut steps: Vec<(Picos, Picos)> =
        trace.points.iter().map(|[time, delay]| (picos(*time), picos(*delay))).collect();
    if steps[0].0 > 0 {
        steps.insert(0, (0, 0));
    }
    Ok(Steps { steps, period: picos(trace.period.unwrap_or(0.0)) })
}

/// Refuses rates that vary where queues have a constant one, and traces that serve nothing.
///
/// # Errors
/// [`InvalidScenario`] at the trace or the outage.
pub fn check_rates(scenario: &Scenario) -> Result<(), InvalidScenario> {
    let given = &scenario.impairments;
    let holds = has_outage(given) && given.outage == OutageKind::Hold;
    if given.capacity.is_none() && !holds {
        return Ok(());
    }
    let path = if given.capacity.is_some() { "impairments.capacity" } else { "impairments.outage" };
    let refused = if scenario.network.queue == QueuePlace::Router {
        "the rate of a link varies only where it has a queue; allowed with network.queue = port"
    } else if given.capacity.is_some() && holds {
        "an outage that holds, beside a trace of rates; allowed: a rate of 0 in the trace"
    } else {
        let Some(trace) = &given.capacity else { return Ok(()) };
        follow(trace, scenario.network.capacity_factor, picos(1e-3))?;
        if mean_rate(scenario).is_some_and(|mean| mean > 0.0) {
            return Ok(());
        }
        "nothing is served during the run; allowed: a rate above 0 before time.duration"
    };
    Err(invalid(path, refused))
}

/// The clock of a queue that takes `nominal` for a segment.
fn clock(scenario: &Scenario, nominal: Picos) -> Result<Clock, InvalidScenario> {
    let given = &scenario.impairments;
    if let Some(trace) = &given.capacity {
        return follow(trace, scenario.network.capacity_factor, nominal);
    }
    let [start, length, period] = [given.outage_start, given.outage_length, given.outage_period].map(picos);
    if period > 0 && start + length > period {
        let message = format!(
            "the first outage ends after {} s, the period; allowed: a start of at most outage_period - outage_length",
            given.outage_period
        );
        return Err(invalid("impairments.outage_start", message));
    }
    let piece = |(time, service)| Piece { time, work: 0, service };
    let mut pieces = [(0, nominal), (start, 0), (start + length, nominal)].map(piece).to_vec();
    if start == 0 {
        pieces.remove(0);
    }
    let period = (period > 0).then_some(period);
    pieces.retain(|piece| period.is_none_or(|period| piece.time < period));
    Ok(Clock::new(pieces, nominal, period))
}

/// The clock of a trace.
fn follow(trace: &CapacityTrace, factor: f64, nominal: Picos) -> Result<Clock, InvalidScenario> {
    let path = "impairments.capacity";
    check_points(path, &trace.points, trace.period)?;
    let piece = |[time, value]: &[f64; 2]| {
        let value = value * factor;
        let time = picos(*time);
        match trace.kind {
            CapacityKind::Rates => {
                Piece { time, work: 0, service: if value > 0.0 { picos(1.0 / value).max(1) } else { 0 } }
            }
            CapacityKind::Opportunities => {
                Piece { time, work: (value * nominal as f64).round() as Picos, service: 0 }
            }
        }
    };
    let mut pieces: Vec<Piece> = trace.points.iter().map(piece).collect();
    if let Some(slow) = pieces.iter().position(|piece| piece.service > picos(1000.0)) {
        let message = format!("point {slow} has less than one segment in 1000 s; allowed: 0, or more");
        return Err(invalid(path, message));
    }
    if pieces[0].time > 0 {
        pieces.insert(0, Piece { time: 0, work: 0, service: 0 });
    }
    let serves = match trace.period {
        Some(_) => pieces.iter().any(|piece| piece.service > 0 || piece.work > 0),
        None => pieces.last().is_some_and(|last| last.service > 0),
    };
    if !serves {
        let message =
            "nothing is served in the end; allowed: a last rate above 0, or a trace that begins again";
        return Err(invalid(path, message));
    }
    Ok(Clock::new(pieces, nominal, trace.period.map(picos)))
}

/// Returns of each lane of data whether the places of `impairments.at` name it.
pub fn chosen(places: &[String], network: &Network) -> Result<Vec<bool>, InvalidScenario> {
    let data = 2 * network.topology.links.len() + network.access.len();
    let name = |router: usize| network.topology.routers[router].name.as_str();
    let mut found = vec![false; data];
    for (index, place) in places.iter().enumerate() {
        let mut any = false;
        for (lane, chosen) in found.iter_mut().enumerate() {
            let spec = &network.lanes[lane];
            let from = spec.from.index();
            let class: RouterClass = network.topology.routers[from].class;
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
                network.topology.links.first().map_or(["A", "B"], |link| [name(link.a), name(link.b)]);
            let message = format!(
                "\"{place}\" names no link; allowed: all, a link such as \"{a} - {b}\", one direction such as \
                 \"{a} -> {b}\", the way to the hosts of a router such as \"{a} -> hosts\", hosts for all such ways, a router, access or a \
                 class of routers for the links on which segments leave them"
            );
            return Err(invalid(format!("impairments.at[{index}]"), message));
        }
    }
    Ok(found)
}
