//! Slow start as a part of its own: how the window grows below ssthresh.

use crate::AckEvent;
use serde::{Deserialize, Serialize};

/// A slow-start variant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SlowStart {
    /// One segment per acknowledged segment (RFC 5681).
    #[default]
    Classic,
}

impl SlowStart {
    /// Segments by which the window may grow for this acknowledgement.
    pub(crate) fn growth(&mut self, ack: &AckEvent) -> f64 {
        match self {
            SlowStart::Classic => f64::from(ack.acked),
        }
    }
}
