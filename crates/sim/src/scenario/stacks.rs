//! The stacks that a scenario names with their constants, and what they cannot do.

use super::{AlgorithmShare, ExplicitFlow, InvalidScenario, QueuePlace, Scenario, Source, invalid};
use crate::stacks::{self, Stack, host};
use mesonet_cc::{Picos, picos};
use std::collections::BTreeMap;

/// A stack with the constants of the scenario.
#[derive(Clone, Debug)]
pub struct StackSpec {
    /// The stack, which makes its ends.
    pub stack: Stack,
    /// Every constant by name.
    pub constants: BTreeMap<String, f64>,
    /// Time of a call of its hosts.
    pub call_time: Picos,
    /// Bytes of the request of a receiver.
    pub request: u64,
    /// Largest packet, bytes.
    pub mtu: u32,
    /// Most datagrams of a call.
    pub batch: u32,
}

impl StackSpec {
    /// By algorithm of the scenario; empty where none is a stack.
    #[must_use]
    pub fn all(scenario: &Scenario) -> Vec<Option<Self>> {
        if !scenario.has_stacks() {
            return Vec::new();
        }
        scenario.algorithms.iter().map(Self::of).collect()
    }

    fn of(share: &AlgorithmShare) -> Option<Self> {
        let plugin = share.loaded().filter(|plugin| plugin.is_stack())?;
        let constants = &share.parameters;
        Some(Self {
            stack: stacks::find(plugin.algorithm.name).expect("checked: registered with its name"),
            constants: constants.clone(),
            call_time: picos(constants[host::CALL_TIME] * 1e-6),
            request: constants[host::REQUEST] as u64,
            mtu: constants[host::MTU] as u32,
            batch: constants[host::BATCH] as u32,
        })
    }
}

/// Holds a scenario against what stacks can do.
///
/// # Errors
/// [`InvalidScenario`] naming the path, the value and what is allowed.
pub fn check(scenario: &Scenario) -> Result<(), InvalidScenario> {
    let is_stack = |share: &&AlgorithmShare| share.loaded().is_some_and(|plugin| plugin.is_stack());
    let Some(first) = scenario.algorithms.iter().find(is_stack) else { return Ok(()) };
    if scenario.network.queue != QueuePlace::Port {
        let message = format!(
            "router, where packets have no size, and {} has packets of several sizes; allowed: port",
            first.name
        );
        return Err(invalid("network.queue", message));
    }
    let drawn = scenario.algorithms.iter().filter(is_stack).find(|share| share.share > 0.0);
    for (i, flow) in scenario.flows.iter().enumerate().filter(|(_, flow)| flow.transport.is_tcp()) {
        let share = match &flow.algorithm {
            Some(name) => scenario.algorithms.iter().filter(is_stack).find(|share| share.name == *name),
            None => drawn,
        };
        let Some(share) = share else { continue };
        if let Some((key, value, allowed)) = impossible(flow) {
            let message = format!("{value}, and the sender is {}; allowed: {allowed}", share.name);
            return Err(invalid(format!("flows[{i}].{key}"), message));
        }
        if scenario.trace.packets && scenario.trace.flows.contains(&(i as u32 + 1)) {
            let message = format!(
                "true, and flow {} is of {}, whose packets have no numbers that mesonet knows; allowed: false, or other flows",
                i + 1,
                share.name
            );
            return Err(invalid("trace.packets", message));
        }
    }
    if scenario.trace.packets && !scenario.trace.sources.is_empty() && drawn.is_some() {
        let message = format!("true, and sources use {}; allowed: false, or no sources", first.name);
        return Err(invalid("trace.packets", message));
    }
    Ok(())
}

/// A setting of a flow that a stack cannot have: its key, its value and what is allowed.
fn impossible(flow: &ExplicitFlow) -> Option<(&'static str, String, &'static str)> {
    if flow.application.as_ref().is_some_and(|application| matches!(application.source, Source::Video(_))) {
        return Some(("application", "a video".into(), "frames, constant, on_off, or none"));
    }
    if !flow.receiver.is_standard() {
        return Some(("receiver", flow.receiver.word().into(), "standard: the receiver is the stack"));
    }
    if flow.overhead > 0.0 {
        return Some((
            "overhead",
            format!("{} s", flow.overhead),
            "0 s; the constant call_time of the stack",
        ));
    }
    if let Some(bytes) = flow.segment_bytes {
        return Some(("segment_bytes", format!("{bytes} B"), "none; the constant mtu of the stack"));
    }
    if !flow.lost_segments.is_empty() {
        return Some(("lost_segments", "a list".into(), "none: packets of stacks have no such numbers"));
    }
    None
}
