//! The topologies that can be named.

use super::topology::Topology;
use super::{abilene, dumbbell, isp, parking_lot};

/// Their names.
pub const BUILT_IN: &[&str] = &["abilene", "isp", "dumbbell", "dumbbell-two-rtt", "parking-lot"];

/// The built-in topology called `name`.
#[must_use]
pub fn built_in(name: &str) -> Option<Topology> {
    match name {
        "abilene" => Some(abilene::abilene()),
        "isp" => Some(isp::isp()),
        "dumbbell" => Some(dumbbell::dumbbell()),
        "dumbbell-two-rtt" => Some(dumbbell::dumbbell_two_rtt()),
        "parking-lot" => Some(parking_lot::parking_lot()),
        _ => None,
    }
}
