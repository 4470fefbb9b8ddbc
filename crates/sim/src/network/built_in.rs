//! The topologies that can be named.

use super::topology::Topology;
use super::{abilene, dumbbell};

/// Their names.
pub const BUILT_IN: &[&str] = &["abilene", "dumbbell"];

/// The built-in topology called `name`.
#[must_use]
pub fn built_in(name: &str) -> Option<Topology> {
    match name {
        "abilene" => Some(abilene::abilene()),
        "dumbbell" => Some(dumbbell::dumbbell()),
        _ => None,
    }
}
