//! Classes of paths by the access routers at both ends.

use crate::network::RouterClass;

/// Access router classes of both ends of a flow, whatever the direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairClass {
    /// Direct and direct.
    DD = 0,
    /// Direct and fast.
    DF = 1,
    /// Direct and normal.
    DN = 2,
    /// Fast and fast.
    FF = 3,
    /// Fast and normal.
    FN = 4,
    /// Normal and normal.
    NN = 5,
    /// Routers outside the tiers.
    Other = 6,
}

/// Number of pair classes.
pub const PAIR_CLASSES: usize = 7;

impl PairClass {
    /// The class of two ends.
    #[must_use]
    pub fn of(a: RouterClass, b: RouterClass) -> Self {
        use RouterClass::{Direct, Fast, Normal};
        match (a, b) {
            (Direct, Direct) => Self::DD,
            (Direct, Fast) | (Fast, Direct) => Self::DF,
            (Direct, Normal) | (Normal, Direct) => Self::DN,
            (Fast, Fast) => Self::FF,
            (Fast, Normal) | (Normal, Fast) => Self::FN,
            (Normal, Normal) => Self::NN,
            _ => Self::Other,
        }
    }
}

/// Class of a path: its slowest access router decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathClass {
    /// Direct routers at both ends.
    VeryFast = 0,
    /// A fast router, no normal one.
    Fast = 1,
    /// A normal router.
    Typical = 2,
    /// Routers outside the tiers.
    Other = 3,
}

/// Number of path classes.
pub const PATH_CLASSES: usize = 4;

impl PathClass {
    /// Words for users, in order.
    pub const NAMES: [&str; PATH_CLASSES] = ["very fast", "fast", "typical", "other"];

    /// The path class of a pair class, given as its number.
    #[must_use]
    pub fn of(pair_class: usize) -> Self {
        match pair_class {
            0 => Self::VeryFast,
            1 | 3 => Self::Fast,
            2 | 4 | 5 => Self::Typical,
            _ => Self::Other,
        }
    }

    /// Word for users.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}
