//! Lanes: directed ways of segments, on which they stay in order.

use super::numbers::{AccessRouter, RouterId};
use mesonet_cc::Picos;

/// Most lanes: their numbers are kept in 16 bits.
pub const MOST_LANES: usize = u16::MAX as usize - 1;

/// The end of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneEnd {
    /// Arrival at a router.
    Router(RouterId),
    /// Arrival at the receivers under this access router, and of acknowledgements that pass routers
    /// at the sources there.
    Receivers(AccessRouter),
    /// Acknowledgements that reach sources under this router, or under access routers no delay away from it.
    Sources(RouterId),
}

/// A directed lane.
#[derive(Clone, Copy, Debug)]
pub struct LaneSpec {
    /// Router at which it begins, or below which.
    pub from: RouterId,
    /// Its end.
    pub end: LaneEnd,
    /// Propagation delay at the start.
    pub delay: Picos,
    /// Smallest propagation delay during the run.
    pub least: Picos,
}
