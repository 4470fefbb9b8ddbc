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

    /// Path class of the flow groups: the slowest access router decides.
    #[must_use]
    pub fn path_class(number: u8) -> &'static str {
        match number {
            0 => "very fast",
            1 | 3 => "fast",
            2 | 4 | 5 => "typical",
            _ => "other",
        }
    }
}
