//! The topologies that can be named.

use super::topology::Topology;
use super::{abilene, dumbbell, isp};

/// Their names.
pub const BUILT_IN: &[&str] = &["abilene", "isp", "dumbbell"];

/// The built-in topology called `name`.
#[must_use]
pub fn built_in(name: &str) -> Option<Topology> {
    match name {
        "abilene" => Some(abilene::abilene()),
        "isp" => Some(isp::isp()),
        "dumbbell" => Some(dumbbell::dumbbell()),
        _ => None,
    }
}
