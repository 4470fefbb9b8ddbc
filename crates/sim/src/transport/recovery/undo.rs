//! Reductions that were not needed are undone: the segment that seemed lost has arrived after all (Eifel: RFC
//! 3522 and RFC 4015; F-RTO, RFC 5682, and duplicate SACKs, RFC 3708, find the same with less information).
//!
//! The acknowledgement names the copy that caused it, as an exact timestamp option would.

use mesonet_cc::Controller;
use serde::{Deserialize, Serialize};

/// The state before the last reduction.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Undo {
    /// The segment whose loss caused the reduction.
    head: u64,
    /// The congestion control before; none where there is nothing to undo.
    before: Option<Box<Controller>>,
}

impl Undo {
    /// The window is about to be reduced because `head` is lost.
    pub fn arm(&mut self, head: u64, controller: &Controller) {
        *self = Self { head, before: Some(Box::new(controller.clone())) };
    }

    /// Nothing is to be undone.
    pub fn disarm(&mut self) {
        self.before = None;
    }

    /// An original of segment `sequence` arrived: the congestion control before the reduction, if the segment
    /// caused it.
    pub fn take(&mut self, sequence: u64) -> Option<Box<Controller>> {
        self.before.take_if(|_| self.head == sequence)
    }
}
