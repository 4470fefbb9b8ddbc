//! Rules of a link, from the parameters of impairments.

use super::{Set, check_points};
use crate::links::{Jitter, Loss, Outage, Policer, Rules, Steps, WIFI_MEANS};
use crate::scenario::{
    AckPath, Concerned, DelayTrace, GivenChange, ImpairmentParameters, InvalidScenario, JitterLaw,
    OutageKind, Scenario, time_text,
};
use mesonet_cc::picos;

/// The rules of a set; none where it neither loses nor delays anything.
///
/// # Errors
/// [`InvalidScenario`] where values contradict each other.
pub fn rules(scenario: &Scenario, set: &Set) -> Result<Option<Rules>, InvalidScenario> {
    let given = set.given;
    let loses = given.loss > 0.0 || (given.to_bad > 0.0 && given.loss_bad > 0.0);
    if given.to_bad > 0.0 && given.to_good == 0.0 {
        return Err(set.invalid("to_good", "0: the bad state would never end; allowed: more than 0"));
    }
    let jitter = jitter(set)?;
    let jitters = jitters(set)?;
    let drops = given.has_outage() && given.outage == OutageKind::Drop;
    check_outage(set)?;
    let policer = (given.policer_rate > 0.0).then(|| {
        let service = picos(1.0 / given.policer_rate);
        let bytes = scenario.transport.segment_bytes.round() as u32;
        Policer { service, bytes, burst: picos(given.policer_burst / given.policer_rate) }
    });
    let does_more = jitter.is_some()
        || jitters.is_some()
        || given.late > 0.0
        || drops
        || policer.is_some()
        || given.delays.is_some();
    if !loses && !does_more {
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
        loss: loses.then(|| Loss::new([given.loss, given.loss_bad], [given.to_bad, given.to_good])),
        only_loses: loses && !does_more,
        jitter,
        jitters,
        slot: picos(given.jitter_slot),
        keeps_order: given.keep_order,
        late: (given.late, picos(given.late_by)),
        outage: drops.then(|| Outage {
            start: picos(given.outage_start),
            length: picos(given.outage_length),
            period: picos(given.outage_period),
        }),
        policer,
        steps: given.delays.as_ref().map(|trace| delays(set, trace)).transpose()?,
        failures: Vec::new(),
    }))
}

/// The law with one mean; none where the mean follows the time.
fn jitter(set: &Set) -> Result<Option<Jitter>, InvalidScenario> {
    if set.given.jitter_means.is_some() {
        return Ok(None);
    }
    law(set, "jitter_mean", set.given.jitter_mean)
}

/// The law with a mean that follows the time.
fn jitters(set: &Set) -> Result<Option<Steps<Jitter>>, InvalidScenario> {
    let Some(trace) = &set.given.jitter_means else { return Ok(None) };
    if set.given.jitter == JitterLaw::None {
        let message = "means of no law; allowed with impairments.jitter = uniform, exponential or wifi";
        return Err(set.invalid("jitter_means", message));
    }
    let means = steps(set, "jitter_means", trace)?;
    let mut laws = Vec::new();
    for (since, mean) in means {
        laws.extend(law(set, "jitter_means", mean)?.map(|law| (picos(since), law)));
    }
    Ok(Some(Steps { steps: laws, period: picos(trace.period.unwrap_or(0.0)) }))
}

/// The law with a mean, s, which `key` gives.
fn law(set: &Set, key: &str, mean: f64) -> Result<Option<Jitter>, InvalidScenario> {
    Ok(match set.given.jitter {
        JitterLaw::None => None,
        JitterLaw::Uniform => Some(Jitter::Uniform(picos(mean))),
        JitterLaw::Exponential => Some(Jitter::Exponential(picos(mean))),
        JitterLaw::Wifi => {
            let [least, most] = WIFI_MEANS;
            if !(least..=most).contains(&mean) {
                let [mean, least, most] = [mean, least, most].map(time_text);
                let message = format!("a mean of {mean} is not one of this law; allowed: {least} to {most}");
                return Err(set.invalid(key, message));
            }
            Some(Jitter::wifi(mean))
        }
    })
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

fn check_outage(set: &Set) -> Result<(), InvalidScenario> {
    let ImpairmentParameters { outage_length: length, outage_period: period, .. } = *set.given;
    if period > 0.0 && length >= period {
        let period = time_text(period);
        let message = format!("not below {}.outage_period, {period}: the link never works", set.path);
        return Err(set.invalid("outage_length", message));
    }
    Ok(())
}

/// Delays that are added by time.
fn delays(set: &Set, trace: &DelayTrace) -> Result<Steps, InvalidScenario> {
    let steps = steps(set, "delays", trace)?.into_iter();
    let steps = steps.map(|(time, delay)| (picos(time), picos(delay))).collect();
    Ok(Steps { steps, period: picos(trace.period.unwrap_or(0.0)) })
}

/// Times and delays of a trace, s, from 0 on: none before its first point.
fn steps(set: &Set, key: &str, trace: &DelayTrace) -> Result<Vec<(f64, f64)>, InvalidScenario> {
    check_points(&set.at(key), &trace.points, trace.period)?;
    let mut steps: Vec<_> = trace.points.iter().map(|[time, delay]| (*time, *delay)).collect();
    if steps[0].0 > 0.0 {
        steps.insert(0, (0.0, 0.0));
    }
    Ok(steps)
}
