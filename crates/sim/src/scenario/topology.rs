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

/// Routers and links of the user's own. Where every router is a backbone router, [`TierParameters`] say what
/// is built below; with any other class among them they are taken as they are.
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
    /// Latitude, degrees: for drawings only, as `longitude`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latitude: Option<f64>,
    /// Longitude, degrees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longitude: Option<f64>,
    /// Kind of access of the hosts below it; none: its class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<String>,
}

/// A link of the user's own.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenLink {
    /// Index of the router at one end.
    pub a: usize,
    /// Index of the router at the other end.
    pub b: usize,
    /// One-way propagation delay from `a` to `b` at multiplier 1, s.
    pub delay: f64,
    /// One-way propagation delay from `b` to `a` at multiplier 1, s; none: as long as from `a` to `b`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_back: Option<f64>,
    /// Routing cost from `a` to `b`.
    pub cost: f64,
    /// Routing cost from `b` to `a`; none: as from `a` to `b`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_back: Option<f64>,
    /// Capacity from `a` to `b` and from `b` to `a`, bit/s; none follows from the speeds of the routers.
    #[serde(default)]
    pub capacity: Option<[f64; 2]>,
    /// Buffer of the ports from `a` to `b` and from `b` to `a`, as time of service, s; none: that of the
    /// network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer: Option<[Option<f64>; 2]>,
}

/// Values of links in place of the values of the topology, in both directions: of one link, or of several.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkValues {
    /// Names of the routers at its ends; none with `at`.
    #[serde(default)]
    pub between: Option<[String; 2]>,
    /// Several links: all, access, the links of a class or of a router.
    #[serde(default)]
    pub at: Option<String>,
    /// Capacity, segments/s.
    #[serde(default)]
    pub capacity: Option<f64>,
    /// Multiplies the capacity.
    #[serde(default)]
    pub capacity_factor: Option<f64>,
    /// Buffer of the ports, s of service.
    #[serde(default)]
    pub buffer: Option<f64>,
    /// Routing cost.
    #[serde(default)]
    pub cost: Option<f64>,
    /// One-way propagation delay at multiplier 1, s.
    #[serde(default)]
    pub delay: Option<f64>,
    /// Down: the network has no such link.
    #[serde(default)]
    pub state: Option<super::GivenState>,
}

/// The routers built below a backbone. The numbers hold for a given topology that has backbone routers only,
/// the places for `abilene` and `isp` too.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TierParameters {
    /// Points of presence below each backbone router.
    pub pops_per_backbone: u32,
    /// Fast access routers below each point of presence.
    pub fast_per_pop: u32,
    /// Normal access routers below each point of presence.
    pub normal_per_pop: u32,
    /// Number of backbone routers that a rule chooses, as a share of all of them.
    pub direct_share: f64,
    /// Backbone routers with a direct access router.
    pub direct_at: Places,
    /// Points of presence with one more fast access router; a backbone router stands for its first one.
    pub second_fast_at: Places,
    /// Backbone routers whose points of presence have twice as many normal access routers as others, of the
    /// same total.
    pub double_normal_at: Places,
}

/// Places on a backbone. A name given twice counts twice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a rule (metropolitan, near, far, spread) or a list of names")]
pub enum Places {
    /// Chosen by a rule.
    Rule(PlaceRule),
    /// Names of routers.
    Names(Vec<String>),
}

/// A rule that chooses backbone routers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlaceRule {
    /// The largest metropolitan areas of a built-in topology; the most links, ties in the order of the file,
    /// of others.
    Metropolitan,
    /// The smallest mean propagation delay to all other backbone routers.
    Near,
    /// The largest one.
    Far,
    /// The one with the smallest mean delay first, then always the one farthest from all chosen before.
    Spread,
}

impl PlaceRule {
    /// All rules.
    pub const ALL: [Self; 4] = [Self::Metropolitan, Self::Near, Self::Far, Self::Spread];

    /// Word for users.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Metropolitan => "metropolitan",
            Self::Near => "near",
            Self::Far => "far",
            Self::Spread => "spread",
        }
    }
}

/// Decides by what it meets, so that a mistake in the object is named (an untagged enum would only say that
/// no variant fits).
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
