//! Routers and links before speeds and buffers.

use serde::{Deserialize, Serialize};

/// The class of a router, which sets its speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RouterClass {
    /// Backbone router: twice the base speed (derived: SP 500-282 Table 9-5 against Table 9-2).
    Backbone,
    /// Point of presence: a quarter of the base speed (ASME paper, section 2).
    Pop,
    /// Normal access router: 2.5 % of the base speed.
    Normal,
    /// Fast access router: 5 % of the base speed (Table 9-7 confirms it against the misprint in Table 9-5).
    Fast,
    /// Access router directly on the backbone: a quarter of the base speed.
    Direct,
    /// A router outside the tiers that is both end and middle of a path: the base speed.
    Plain,
}

impl RouterClass {
    /// All, from the core to the hosts.
    pub const ALL: [Self; 6] =
        [Self::Backbone, Self::Pop, Self::Normal, Self::Fast, Self::Direct, Self::Plain];

    /// Speed as a fraction of the base speed X1.
    #[must_use]
    pub fn speed_factor(self) -> f64 {
        match self {
            Self::Backbone => 2.0,
            Self::Pop | Self::Direct => 0.25,
            Self::Normal => 0.025,
            Self::Fast => 0.05,
            Self::Plain => 1.0,
        }
    }

    /// Returns whether a router of the class is the head of a region.
    #[must_use]
    pub fn is_head(self) -> bool {
        matches!(self, Self::Backbone | Self::Plain)
    }

    /// Returns whether hosts attach.
    #[must_use]
    pub fn is_access(self) -> bool {
        !matches!(self, Self::Backbone | Self::Pop)
    }

    /// Place in a distribution over normal, fast and direct access routers; none for a router outside the
    /// tiers.
    #[must_use]
    pub fn distribution_index(self) -> Option<usize> {
        match self {
            Self::Normal => Some(0),
            Self::Fast => Some(1),
            Self::Direct => Some(2),
            _ => None,
        }
    }

    /// Word in files: `normal` for `normal access`.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.name().trim_end_matches(" access")
    }

    /// Word for users.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Backbone => "backbone",
            Self::Pop => "pop",
            Self::Normal => "normal access",
            Self::Fast => "fast access",
            Self::Direct => "direct access",
            Self::Plain => "plain",
        }
    }
}

/// A router.
#[derive(Clone, Debug)]
pub struct RouterSpec {
    /// Name: `A`, `A1`, `A1a`.
    pub name: String,
    /// Its class.
    pub class: RouterClass,
    /// Region: the index of the backbone (or plain) router it belongs to.
    pub region: usize,
    /// Speed as a multiple of the base speed X1.
    pub speed_factor: f64,
    /// The topology or the scenario gives that speed; else it is the multiple of the class.
    pub has_own_speed: bool,
    /// Kind of access of the hosts below it, where the topology names one.
    pub access: Option<String>,
}

impl RouterSpec {
    /// A router with the speed of its class.
    #[must_use]
    pub fn new(name: impl Into<String>, class: RouterClass, region: usize) -> Self {
        let speed_factor = class.speed_factor();
        Self { name: name.into(), class, region, speed_factor, has_own_speed: false, access: None }
    }

    /// Kind of access of the hosts below it: the name that the topology gives, or the word for its class.
    #[must_use]
    pub fn access_kind(&self) -> &str {
        self.access.as_deref().unwrap_or(self.class.word())
    }
}

/// A link, both directions.
#[derive(Clone, Copy, Debug)]
pub struct LinkSpec {
    /// First end.
    pub a: usize,
    /// Second end.
    pub b: usize,
    /// Propagation delay from `a` to `b` and from `b` to `a` at multiplier 1, s.
    pub delay: [f64; 2],
    /// Routing cost from `a` to `b` and from `b` to `a`; infinite where the link is down.
    pub cost: [f64; 2],
    /// Capacity from `a` to `b` and from `b` to `a`, bit/s; none follows from the speeds of the routers.
    pub capacity: Option<[f64; 2]>,
    /// Buffer of both ports, s of service; none: that of the network.
    pub buffer: [Option<f64>; 2],
}

impl LinkSpec {
    /// Place of the values from `router`, one of its ends, in pairs such as `delay`.
    #[must_use]
    pub fn from(&self, router: usize) -> usize {
        usize::from(self.b == router)
    }

    /// Returns whether it is up.
    #[must_use]
    pub fn is_up(&self) -> bool {
        self.cost[0].is_finite()
    }

    /// A link with the same delay and cost in both directions.
    #[must_use]
    pub fn new(a: usize, b: usize, delay: f64, cost: f64) -> Self {
        Self { a, b, delay: [delay; 2], cost: [cost; 2], capacity: None, buffer: [None; 2] }
    }
}

/// Routers and links. The first `regions` routers are the backbone (or plain) routers, one a region.
#[derive(Clone, Debug)]
pub struct Topology {
    /// Name typed by users.
    pub name: String,
    /// All routers.
    pub routers: Vec<RouterSpec>,
    /// All links.
    pub links: Vec<LinkSpec>,
    /// Number of regions.
    pub regions: usize,
    /// Names of the access routers between which long-lived flows run (X10), where the topology has chosen
    /// them: a long, a medium and a short path.
    pub long_lived: Vec<(String, String)>,
}

impl Topology {
    /// Index of the router called `name`.
    #[must_use]
    pub fn router(&self, name: &str) -> Option<usize> {
        self.routers.iter().position(|r| r.name == name)
    }
}
