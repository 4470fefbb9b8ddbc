//! Routers and links before speeds and buffers: a backbone, and the tiers below it.

/// What a router is, which sets its speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

    /// Whether hosts attach.
    #[must_use]
    pub fn is_access(self) -> bool {
        !matches!(self, Self::Backbone | Self::Pop)
    }

    /// Place in a distribution over normal, fast and direct access routers; none for a router outside the tiers.
    #[must_use]
    pub fn distribution_index(self) -> Option<usize> {
        match self {
            Self::Normal => Some(0),
            Self::Fast => Some(1),
            Self::Direct => Some(2),
            _ => None,
        }
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
    /// What it is.
    pub class: RouterClass,
    /// Region: the index of the backbone (or plain) router it hangs on.
    pub region: usize,
}

/// A link, both directions.
#[derive(Clone, Copy, Debug)]
pub struct LinkSpec {
    /// One end.
    pub a: usize,
    /// Other end.
    pub b: usize,
    /// One-way propagation delay at multiplier 1, s.
    pub delay: f64,
    /// Routing cost.
    pub cost: f64,
}

/// Routers and links. The first `regions` routers are the backbone (or plain) routers, one a region.
#[derive(Clone, Debug)]
pub struct Topology {
    /// Name typed by users.
    pub name: &'static str,
    /// All routers.
    pub routers: Vec<RouterSpec>,
    /// All links.
    pub links: Vec<LinkSpec>,
    /// Number of regions.
    pub regions: usize,
    /// Names of the access routers between which long-lived flows run (X10): a long, a medium and a short path.
    pub long_lived: Vec<(String, String)>,
}

impl Topology {
    /// Index of the router called `name`.
    #[must_use]
    pub fn router(&self, name: &str) -> Option<usize> {
        self.routers.iter().position(|r| r.name == name)
    }
}

/// What hangs on one backbone router.
#[derive(Clone, Copy, Debug)]
pub struct Attachment {
    /// Access routers directly on the backbone router.
    pub direct: usize,
    /// For each point of presence: fast and normal access routers.
    pub pops: [(usize, usize); 2],
}

/// Builds the tiers below a backbone: points of presence and access routers, joined by links without delay. Long-lived
/// flows run between the direct routers of the given pairs of backbone letters.
#[must_use]
pub fn with_tiers(
    name: &'static str,
    links: Vec<LinkSpec>,
    attachments: &[Attachment],
    long_lived: [(char, char); 3],
) -> Topology {
    let letter = |i: usize| char::from(b'A' + i as u8);
    let regions = attachments.len();
    let mut routers: Vec<RouterSpec> = (0..regions)
        .map(|i| RouterSpec { name: letter(i).to_string(), class: RouterClass::Backbone, region: i })
        .collect();
    let mut links = links;
    let mut attach = |routers: &mut Vec<RouterSpec>, name: String, class, region, above| {
        routers.push(RouterSpec { name, class, region });
        links.push(LinkSpec { a: above, b: routers.len() - 1, delay: 0.0, cost: 0.0 });
        routers.len() - 1
    };
    for (region, attachment) in attachments.iter().enumerate() {
        let backbone = letter(region);
        for i in 0..attachment.direct {
            let name = format!("{backbone}0{}", char::from(b'a' + i as u8));
            attach(&mut routers, name, RouterClass::Direct, region, region);
        }
        for (p, (fast, normal)) in attachment.pops.into_iter().enumerate() {
            let pop_name = format!("{backbone}{}", p + 1);
            let pop = attach(&mut routers, pop_name.clone(), RouterClass::Pop, region, region);
            for i in 0..fast + normal {
                let class = if i < fast { RouterClass::Fast } else { RouterClass::Normal };
                let name = format!("{pop_name}{}", char::from(b'a' + i as u8));
                attach(&mut routers, name, class, region, pop);
            }
        }
    }
    let direct = |letter: char| format!("{letter}0a");
    let long_lived = long_lived.iter().map(|&(a, b)| (direct(a), direct(b))).collect();
    Topology { name, routers, links, regions, long_lived }
}
