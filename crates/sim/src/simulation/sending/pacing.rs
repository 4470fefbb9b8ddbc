//! The gap after a segment: what the interface takes, or more where the congestion control paces.

use crate::transport::Flow;
use mesonet_cc::{Picos, SECOND};

/// Longest gap, for rates that would stop a flow for good: longer than any round trip (assumed).
const LONGEST: f64 = 1000.0 * SECOND as f64;

/// Time from the departure of a segment to the earliest one of the next; the first `unpaced` segments are not
/// paced.
#[inline]
pub fn gap(flow: &Flow, unpaced: u64) -> Picos {
    match flow.controller.pacing_rate() {
        None => flow.interface_time,
        Some(_) if flow.sent < unpaced => flow.interface_time,
        Some(rate) => flow.interface_time.max(interval(rate)),
    }
}

/// Time that a segment takes at a rate, segments/s.
#[inline]
pub fn interval(rate: f64) -> Picos {
    let gap = (SECOND as f64 / rate).min(LONGEST);
    // Rounded up; a call of `ceil` takes longer.
    let whole = gap as Picos;
    whole + Picos::from((whole as f64) < gap)
}
