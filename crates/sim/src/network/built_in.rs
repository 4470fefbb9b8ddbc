//! The topologies that can be named.

use super::placement::refuse_places;
use super::topology::Topology;
use super::{abilene, dumbbell, isp, parking_lot};
use crate::scenario::{InvalidScenario, TierParameters, invalid};

/// Their names.
pub const BUILT_IN: &[&str] =
    &["abilene", "isp", "dumbbell", "dumbbell-two-rtt", "bottleneck", "parking-lot"];

/// The built-in topology called `name`, with its tiers placed as `tiers` says.
///
/// # Errors
/// [`InvalidScenario`] for another name, and with a path below `tiers` for places that it does not have.
pub fn built_in(name: &str, tiers: &TierParameters) -> Result<Topology, InvalidScenario> {
    let whole = match name {
        "abilene" => return abilene::abilene(tiers),
        "isp" => return isp::isp(tiers),
        "dumbbell" => dumbbell::dumbbell(),
        "dumbbell-two-rtt" => dumbbell::dumbbell_two_rtt(),
        "bottleneck" => dumbbell::bottleneck(),
        "parking-lot" => parking_lot::parking_lot(),
        _ => {
            let message = format!("unknown topology \"{name}\"; allowed: {}", BUILT_IN.join(", "));
            return Err(invalid("topology", message));
        }
    };
    refuse_places(name, tiers)?;
    Ok(whole)
}
