//! The topology of a scenario: the name of a built-in one, or routers and links of the user's own.

use crate::network::RouterClass;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The network (X4): a string, or an object with routers and links.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum TopologyChoice {
    /// Name of a built-in topology.
    BuiltIn(String),
    /// Routers and links.
    Given(GivenTopology),
}

/// Routers and links of the user's own. Where every router is a backbone router, [`TierParameters`] say what is built
/// below; with any other class among them they are taken as they are.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenTopology {
    /// Name, for the record.
    pub name: String,
    /// Routers.
    pub routers: Vec<GivenRouter>,
    /// Links, each in both directions.
    pub links: Vec<GivenLink>,
}

/// A router of the user's own.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenRouter {
    /// Name, not shared with another router.
    pub name: String,
    /// Its class.
    pub class: RouterClass,
    /// Speed as a multiple of X1; none takes that of the class.
    pub speed_factor: Option<f64>,
}

/// A link of the user's own.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenLink {
    /// Index of the router at one end.
    pub a: usize,
    /// Index of the router at the other end.
    pub b: usize,
    /// One-way propagation delay at multiplier 1, s.
    pub delay: f64,
    /// Routing cost.
    pub cost: f64,
}

/// The routers built below the backbone routers of a given topology that has no other routers. The
/// round(`direct_share` x n) backbone routers with the most links, ties in the order of the file, get a direct access
/// router and one more fast access router on their first point of presence, as the built-in Abilene has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TierParameters {
    /// Points of presence below each backbone router.
    pub pops_per_backbone: u32,
    /// Fast access routers below each point of presence.
    pub fast_per_pop: u32,
    /// Normal access routers below each point of presence.
    pub normal_per_pop: u32,
    /// Share of the backbone routers with a direct access router.
    pub direct_share: f64,
}

/// Decides by what it meets, so that a mistake in the object is named (an untagged enum would only say that no variant
/// fits).
impl<'de> Deserialize<'de> for TopologyChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Choice;
        impl<'de> Visitor<'de> for Choice {
            type Value = TopologyChoice;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a topology, or an object with name, routers and links")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
                Ok(TopologyChoice::BuiltIn(name.into()))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                GivenTopology::deserialize(MapAccessDeserializer::new(map)).map(TopologyChoice::Given)
            }
        }
        deserializer.deserialize_any(Choice)
    }
}
