//! Explicit congestion notification: what segments ask of queues, and the share of them that came back
//! marked.

use crate::AckEvent;
use serde::{Deserialize, Serialize};

/// The ECN field of the segments that a flow sends, where the network marks (RFC 3168, section 5; RFC 9331).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Codepoint {
    /// Not-ECT: queues drop, and never mark.
    #[serde(rename = "Not-ECT")]
    NotEct,
    /// ECT(0): queues may mark instead of dropping. Retransmissions are not marked (RFC 3168, section 6.1.5).
    #[serde(rename = "ECT(0)")]
    Ect0,
    /// ECT(1): congestion control is scalable. Queues may keep its segments apart and mark them early,
    /// retransmissions too (RFC 9331).
    #[serde(rename = "ECT(1)")]
    Ect1,
}

impl Codepoint {
    /// The codepoint of a value of the constant `ecn`.
    pub(crate) fn of(value: u8) -> Self {
        match value {
            0 => Self::NotEct,
            1 => Self::Ect0,
            _ => Self::Ect1,
        }
    }
}

/// Rules of the sender for the round trip after a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkRules {
    /// Windows do not grow while the echo of the mark lasts. Otherwise the algorithm itself decides how they
    /// grow.
    pub rests: bool,
    /// The reduction for the mark covers losses: they are repaired, and are no congestion event of their own.
    pub covers_losses: bool,
}

impl MarkRules {
    /// A mark is a loss without a lost segment (RFC 3168, section 6.1.2; Linux: the state CWR).
    pub const CLASSIC: Self = Self { rests: true, covers_losses: true };
    /// A mark says how much congestion there is, and a loss is congestion beyond it (RFC 9331, section 4.3).
    pub const SCALABLE: Self = Self { rests: false, covers_losses: false };
}

/// A weighted mean of the share of marked segments (RFC 8257, section 3.3): alpha.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct MarkedShare {
    /// The mean.
    pub alpha: f64,
    /// Segments acknowledged since the last update, and those of them that were marked.
    acked: u32,
    marked: u32,
}

impl MarkedShare {
    /// A mean that begins with `alpha`.
    pub fn new(alpha: f64) -> Self {
        Self { alpha, acked: 0, marked: 0 }
    }

    /// Counts an acknowledgement.
    #[inline]
    pub fn count(&mut self, ack: &AckEvent) {
        self.acked += ack.segments;
        self.marked += ack.ce;
    }

    /// Moves the mean by `gain` towards the share since the last update, which it returns.
    pub fn update(&mut self, gain: f64) -> f64 {
        let share = f64::from(self.marked) / f64::from(self.acked.max(1));
        self.alpha += gain * (share - self.alpha);
        self.clear();
        share
    }

    /// Begins to count anew.
    pub fn clear(&mut self) {
        (self.acked, self.marked) = (0, 0);
    }

    /// The part of a window that its first mark leaves (RFC 8257, section 3.3).
    pub fn remainder(&self) -> f64 {
        1.0 - self.alpha / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::acks;

    #[test]
    fn codepoints_are_numbered() {
        let named = [0, 1, 2].map(Codepoint::of);
        assert_eq!(named, [Codepoint::NotEct, Codepoint::Ect0, Codepoint::Ect1]);
    }

    #[test]
    fn the_mean_moves_by_its_gain_and_counts_anew() {
        let mut marks = MarkedShare::new(1.0);
        marks.count(&AckEvent { ce: 1, ..acks(4) });
        assert_eq!((marks.update(0.5), marks.alpha, marks.remainder()), (0.25, 0.625, 0.6875));
        assert_eq!((marks.update(0.5), marks.alpha), (0.0, 0.3125), "no acknowledgement: no mark");
    }
}
