//! Facts about algorithms that users can list.

use crate::Param;
use serde::Serialize;

/// The facts about an algorithm that users can list.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Algorithm {
    /// Name typed by users.
    pub name: &'static str,
    /// Full name.
    pub title: &'static str,
    /// Source of the rules.
    pub source: &'static str,
    /// Its constants.
    pub params: &'static [Param],
    /// See [`crate::CongestionControl::SHARED_SLOW_START`].
    pub shared_slow_start: bool,
}
