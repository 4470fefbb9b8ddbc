//! Rules of a link, from the parameters of impairments.

use super::{Set, check_points};
use crate::links::{Clock, Jitter, Loss, Outages, Piece, Policer, Rules, Steps, WIFI_MEANS};
use crate::scenario::{
    AckPath, Concerned, GivenChange, ImpairmentParameters, InvalidScenario, JitterLaw, OutageKind, Points,
    Scenario, Timed, time_text,
};
use mesonet_cc::{Picos, picos, seconds};

/// The rules of a set; none where it neither loses nor delays anything.
///
/// # Errors
/// [`InvalidScenario`] where values contradict each other.
pub fn rules(scenario: &Scenario, set: &Set) -> Result<Option<Rules>, InvalidScenario> {
    let given = set.given;
    let loss = loss(set)?;
    let jitter = jitter(set)?;
    let late = given.late.is_used().then(|| late(set)).transpose()?;
    let duplicate = given.duplicate.is_used().then(|| duplicate(set)).transpose()?;
    let outages = outages(set)?.filter(|_| given.outage == OutageKind::Drop);
    let policer = given.policer_rate.is_used().then(|| policer(scenario, set)).transpose()?;
    let steps = given.delays.as_ref().map(|points| delays(set, points)).transpose()?;
    let does_more = jitter.is_some()
        || late.is_some()
        || duplicate.is_some()
        || outages.is_some()
        || policer.is_some()
        || steps.is_some();
    if loss.is_none() && !does_more {
        return Ok(None);
    }
    if given.of == Concerned::Acks && scenario.network.ack_path == AckPath::Delay {
        let message =
            "acknowledgements cross no link with network.ack_path = delay; allowed with it: data, both";
        return Err(set.invalid("of", message));
    }
    check_order(scenario, set)?;
    Ok(Some(Rules {
        concerns: [given.of != Concerned::Acks, given.of != Concerned::Data],
        only_loses: !does_more,
        loss,
        jitter,
        slot: picos(given.jitter_slot),
        keeps_order: given.keep_order,
        late,
        duplicate,
        outages,
        policer,
        steps,
        failures: Vec::new(),
    }))
}

/// Random loss; none where nothing is ever lost.
fn loss(set: &Set) -> Result<Option<Steps<Loss>>, InvalidScenario> {
    let given = set.given;
    let loses = given.loss.is_used() || (given.to_bad.is_used() && given.loss_bad.is_used());
    if !loses {
        return Ok(None);
    }
    let keys = [
        ("loss", &given.loss),
        ("loss_bad", &given.loss_bad),
        ("to_bad", &given.to_bad),
        ("to_good", &given.to_good),
    ];
    let loss = |[lost, lost_bad, to_bad, to_good]: [f64; 4]| {
        if to_bad > 0.0 && to_good == 0.0 {
            return Err(set.invalid("to_good", "0: the bad state would never end; allowed: more than 0"));
        }
        Ok(Loss::new([lost, lost_bad], [to_bad, to_good]))
    };
    steps(set, keys, loss).map(Some)
}

/// Probability and delay of late segments.
fn late(set: &Set) -> Result<Steps<(f64, Picos)>, InvalidScenario> {
    let keys = [("late", &set.given.late), ("late_by", &set.given.late_by)];
    steps(set, keys, |[probability, by]| Ok((probability, picos(by))))
}

/// Probability that a segment arrives twice.
fn duplicate(set: &Set) -> Result<Steps<f64>, InvalidScenario> {
    steps(set, [("duplicate", &set.given.duplicate)], |[probability]| Ok(probability))
}

/// A policer whose rate may vary; a bucket that shrinks loses what it held beyond.
fn policer(scenario: &Scenario, set: &Set) -> Result<Policer, InvalidScenario> {
    let given = set.given;
    if given.policer_rate.values().any(|rate| rate == 0.0) {
        let message = "a rate of 0 beside others; allowed: rates above 0, such as a high one for no policer";
        return Err(set.invalid("policer_rate", message));
    }
    let services = steps(set, [("policer_rate", &given.policer_rate)], |[rate]| Ok(picos(1.0 / rate)))?;
    let nominal = services.steps[0].1;
    let piece = |&(time, service): &(Picos, Picos)| Piece { time, work: 0, service };
    let varies = services.steps.len() > 1;
    let period = (services.period > 0).then_some(services.period);
    let clock = varies.then(|| Clock::new(services.steps.iter().map(piece).collect(), nominal, period));
    let bytes = scenario.transport.segment_bytes.round() as u32;
    let burst = steps(set, [("policer_burst", &given.policer_burst)], |[segments]| {
        Ok((segments * nominal as f64).round() as Picos)
    })?;
    Ok(Policer { service: nominal, bytes, burst, clock })
}

/// The law of random delays; none without a law.
fn jitter(set: &Set) -> Result<Option<Steps<Jitter>>, InvalidScenario> {
    if set.given.jitter == JitterLaw::None {
        return Ok(None);
    }
    let law = |[mean]: [f64; 1]| match set.given.jitter {
        JitterLaw::None | JitterLaw::Uniform => Ok(Jitter::Uniform(picos(mean))),
        JitterLaw::Exponential => Ok(Jitter::Exponential(picos(mean))),
        JitterLaw::Wifi => {
            let [least, most] = WIFI_MEANS;
            if !(least..=most).contains(&mean) {
                let [mean, least, most] = [mean, least, most].map(time_text);
                let message = format!("a mean of {mean} is not one of this law; allowed: {least} to {most}");
                return Err(set.invalid("jitter_mean", message));
            }
            Ok(Jitter::wifi(mean))
        }
    };
    steps(set, [("jitter_mean", &set.given.jitter_mean)], law).map(Some)
}

/// Refuses segments that overtake each other on a link whose waiting segments a change would move.
fn check_order(scenario: &Scenario, set: &Set) -> Result<(), InvalidScenario> {
    if set.given.keep_order || scenario.network.changes.iter().all(GivenChange::is_of_routes) {
        return Ok(());
    }
    let message = "links whose segments overtake each other have constant delays; allowed with network.changes of \
                   speeds or delays: true";
    Err(set.invalid("keep_order", message))
}

/// Times of outages; none without outages.
///
/// # Errors
/// [`InvalidScenario`] where one lasts longer than the period.
pub fn outages(set: &Set) -> Result<Option<Outages>, InvalidScenario> {
    let ImpairmentParameters { outage_start, outage_length: length, outage_period: period, .. } = *set.given;
    let Some(given) = &set.given.outages else {
        if period > 0.0 && length >= period {
            let period = time_text(period);
            let message = format!("not below {}.outage_period, {period}: the link never works", set.path);
            return Err(set.invalid("outage_length", message));
        }
        let spans = vec![[0, picos(length)]];
        let outages = Outages { since: picos(outage_start), spans, period: picos(period) };
        return Ok((length > 0.0).then_some(outages));
    };
    if length > 0.0 {
        let message = format!("beside {}.outage_length; allowed: one of the two", set.path);
        return Err(set.invalid("outages", message));
    }
    check_points(&set.at("outages"), &given.points, given.period)?;
    let mut spans: Vec<[Picos; 2]> = Vec::new();
    for [start, length] in &given.points {
        let [start, end] = [picos(*start), picos(start + length)];
        match spans.last_mut() {
            Some(last) if start <= last[1] => last[1] = last[1].max(end),
            _ => spans.push([start, end]),
        }
    }
    let end = seconds(spans.last().map_or(0, |last| last[1]));
    if given.period.is_some_and(|period| period < end) {
        let message =
            format!("an outage ends at {}, after the period; allowed: a longer period", time_text(end));
        return Err(set.invalid("outages", message));
    }
    Ok(Some(Outages { since: 0, spans, period: picos(given.period.unwrap_or(0.0)) }))
}

/// Delays that are added by time: none before the first point.
fn delays(set: &Set, given: &Points) -> Result<Steps, InvalidScenario> {
    check_points(&set.at("delays"), &given.points, given.period)?;
    let mut steps: Vec<_> = given.points.iter().map(|point| (picos(point[0]), picos(point[1]))).collect();
    if steps[0].0 > 0 {
        steps.insert(0, (0, 0));
    }
    Ok(Steps { steps, period: picos(given.period.unwrap_or(0.0)) })
}

/// The values that `make` returns for the numbers at `keys`, from each instant on at which one changes.
///
/// # Errors
/// [`InvalidScenario`] where points do not begin at 0, or begin again at different times.
pub fn steps<T, const N: usize>(
    set: &Set,
    keys: [(&str, &Timed); N],
    make: impl Fn([f64; N]) -> Result<T, InvalidScenario>,
) -> Result<Steps<T>, InvalidScenario> {
    let mut instants = vec![0];
    let mut first: Option<(&str, Option<f64>)> = None;
    for (key, value) in keys {
        let Timed::Points(given) = value else { continue };
        check_points(&set.at(key), &given.points, given.period)?;
        if given.points[0][0] > 0.0 {
            let start = time_text(given.points[0][0]);
            return Err(
                set.invalid(key, format!("its first point is at {start}; allowed: a first point at 0 s"))
            );
        }
        let (other, period) = *first.get_or_insert((key, given.period));
        if period != given.period {
            let message = format!("another period than {}; allowed: one period for both", set.at(other));
            return Err(set.invalid(key, message));
        }
        instants.extend(given.points.iter().map(|point| picos(point[0])));
    }
    instants.sort_unstable();
    instants.dedup();
    let at = |time: Picos, value: &Timed| match value {
        Timed::Constant(value) => *value,
        Timed::Points(given) => {
            given.points[given.points.partition_point(|point| picos(point[0]) <= time) - 1][1]
        }
    };
    let step = |time: Picos| Ok((time, make(keys.map(|(_, value)| at(time, value)))?));
    let steps = instants.into_iter().map(step).collect::<Result<_, _>>()?;
    Ok(Steps { steps, period: picos(first.and_then(|(_, period)| period).unwrap_or(0.0)) })
}
