//! The gap after a segment: what the interface takes, or more where the congestion control paces.

use crate::transport::Flow;
use mesonet_cc::{Picos, SECOND};

/// Longest gap, for rates that would stop a flow for good: longer than any round trip (assumed).
const LONGEST: f64 = 1000.0 * SECOND as f64;

/// Time from the departure of a segment to the earliest one of the next; the first `unpaced` segments are not paced.
#[inline]
pub(super) fn gap(flow: &Flow, unpaced: u64) -> Picos {
    match flow.controller.pacing_rate() {
        None => flow.interface_time,
        Some(_) if flow.sent < unpaced => flow.interface_time,
        Some(rate) => flow.interface_time.max((SECOND as f64 / rate).ceil().min(LONGEST) as Picos),
    }
}
