//! Pieces: segments that a host hands to its interface at once (segmentation offload), by the rules of Linux.
//!
//! A piece leaves back to back. A paced flow then waits as long as all its segments take at the pacing rate.

use crate::scenario::TransportParameters;
use mesonet_cc::{MILLISECOND, Picos};
use serde::{Deserialize, Serialize};

/// Growth of the smallest round-trip time that halves the pieces of short paths (Linux: tcp_tso_rtt_log 9).
const HALVING: Picos = 512 * MILLISECOND / 1000;

/// Segments of the smallest piece (Linux: tcp_min_tso_segs).
const LEAST: f64 = 2.0;

/// Pacing rate below which a congestion control with a rate of its own sends single segments, segments/s
/// (Linux: bbr_min_tso_segs).
const SLOW: f64 = 150_000.0 / 1448.0;

/// Longest wait for a larger piece (Linux 6.18: tcp_tso_should_defer).
const LONGEST_WAIT: Picos = MILLISECOND;

/// Part of the window that is a piece, whatever its goal (Linux: tcp_tso_win_divisor).
const DIVISOR: u64 = 3;

/// Sizes of pieces in a scenario.
#[derive(Clone, Copy, Debug)]
pub struct PieceRules {
    /// Segments of the largest piece; 0: each segment is a piece.
    most: u32,
    /// Time whose segments at the pacing rate make a piece, s.
    time: f64,
}

/// State of a flow that may send.
#[derive(Clone, Copy, Debug)]
pub struct Chance {
    /// The instant.
    pub now: Picos,
    /// Segments that the window and the receiver allow now, at least 1.
    pub room: u64,
    /// Segments of data that were never sent.
    pub data: u64,
    /// The window, whole segments.
    pub window: u64,
    /// Smoothed round-trip time.
    pub srtt: Picos,
    /// Departure of the lowest outstanding segment, if it is known.
    pub head: Option<Picos>,
}

impl PieceRules {
    /// The rules of a scenario.
    #[must_use]
    pub fn new(parameters: &TransportParameters) -> Self {
        Self { most: parameters.burst, time: parameters.burst_time }
    }

    /// Pieces may have more than one segment.
    #[must_use]
    pub fn forms_pieces(&self) -> bool {
        self.most > 0
    }

    /// Segments that make a full piece (tcp_tso_autosize) at `rate` segments/s; `is_own` where the congestion
    /// control sets it. `min_rtt`: smallest round-trip time, 0 before the first.
    #[must_use]
    pub fn goal(&self, rate: f64, is_own: bool, min_rtt: Picos) -> u64 {
        if self.most == 0 {
            return 1;
        }
        let most = f64::from(self.most);
        let halvings = min_rtt / HALVING;
        let near = if min_rtt > 0 && halvings < 32 { most / (1u64 << halvings) as f64 } else { 0.0 };
        let least = if is_own && rate < SLOW { 1.0 } else { LEAST };
        (rate * self.time + near).max(least).min(most) as u64
    }
}

/// The piece of a flow that is leaving, or left last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// Segments that have not left yet.
    left: u32,
    /// When the next piece may leave (Linux: tcp_wstamp_ns).
    free: Picos,
    /// By how much it left later than it could, as far as its gap is not shortened for that.
    credit: Picos,
}

impl Piece {
    /// Some of its segments have not left.
    #[must_use]
    pub fn is_leaving(&self) -> bool {
        self.left > 0
    }

    /// When the next piece may leave.
    #[must_use]
    pub fn free(&self) -> Picos {
        self.free
    }

    /// No more of its segments leave.
    pub fn end(&mut self) {
        self.left = 0;
    }

    /// Segments of the piece that begins with this chance, with a goal of `goal`; `None` where the flow waits
    /// for a larger one (tcp_tso_should_defer).
    #[must_use]
    pub fn size(&self, chance: &Chance, goal: u64, may_wait: bool) -> Option<u64> {
        // At least two pieces are in flight (tcp_cwnd_test).
        let full = goal.min((chance.window / 2).max(1));
        if may_wait && self.waits(chance, goal) { None } else { Some(full.min(chance.room)) }
    }

    /// A larger piece is worth a wait.
    fn waits(&self, chance: &Chance, goal: u64) -> bool {
        let &Chance { now, room, data, window, srtt, head } = chance;
        if room >= goal || room >= data || DIVISOR * room >= window || now > self.free + LONGEST_WAIT {
            return false;
        }
        // The next acknowledgement is near.
        head.is_some_and(|head| head + srtt <= now + LONGEST_WAIT.min(srtt / 2))
    }

    /// A piece of `size` segments begins. `catches_up`: its gap is shorter if it is late.
    pub fn begin(&mut self, now: Picos, size: u64, catches_up: bool) {
        let late = now.saturating_sub(self.free);
        *self =
            Self { left: size as u32, free: self.free.max(now), credit: if catches_up { late } else { 0 } };
    }

    /// A segment of it leaves, which takes `gap` at the pacing rate (tcp_update_skb_after_send).
    pub fn leave(&mut self, gap: Picos) {
        let used = self.credit.min(gap / 2);
        self.credit -= used;
        self.free += gap - used;
        self.left -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINUX: PieceRules = PieceRules { most: 45, time: 1.0 / 1024.0 };
    const FAR: Picos = 40 * MILLISECOND;

    /// A window of 100 segments, whose next acknowledgement is near.
    const CHANCE: Chance =
        Chance { now: FAR, room: 2, data: u64::MAX, window: 100, srtt: FAR, head: Some(0) };

    #[test]
    fn a_piece_is_a_millisecond_of_the_pacing_rate() {
        let goal = |rate| LINUX.goal(rate, false, FAR);
        assert_eq!([50.0, 3071.0, 3072.0, 10_240.0, 1e6, f64::INFINITY].map(goal), [2, 2, 3, 10, 45, 45]);
        assert_eq!([103.0, 104.0].map(|rate| LINUX.goal(rate, true, FAR)), [1, 2]);
        assert_eq!(PieceRules { most: 1, ..LINUX }.goal(1e5, false, FAR), 1);
        assert_eq!(PieceRules { most: 0, ..LINUX }.goal(1e5, false, FAR), 1);
    }

    /// Half as much for each 512 us of the smallest round trip, before the first of which nothing is added.
    #[test]
    fn pieces_are_larger_on_short_paths() {
        let goal = |microseconds: u64| LINUX.goal(4096.0, false, microseconds * MILLISECOND / 1000);
        assert_eq!([0, 1, 511, 512, 1024, 1536, 3072, 40_000].map(goal), [4, 45, 45, 26, 15, 9, 4, 4]);
    }

    #[test]
    fn a_flow_waits_for_a_larger_piece_while_the_next_acknowledgement_is_near() {
        let piece = Piece { free: FAR - MILLISECOND, ..Piece::default() };
        let size = |chance| piece.size(&chance, 9, true);
        assert_eq!(size(CHANCE), None);
        assert_eq!(piece.size(&CHANCE, 9, false), Some(2), "recovery does not wait");
        assert_eq!(size(Chance { room: 9, ..CHANCE }), Some(9));
        assert_eq!(size(Chance { room: 20, ..CHANCE }), Some(9));
        assert_eq!(size(Chance { data: 2, ..CHANCE }), Some(2), "no more will come");
        assert_eq!(size(Chance { window: 6, ..CHANCE }), Some(2), "a third of the window is free");
        assert_eq!(size(Chance { head: None, ..CHANCE }), Some(2), "nothing is outstanding");
        assert_eq!(size(Chance { head: Some(MILLISECOND), ..CHANCE }), None);
        assert_eq!(size(Chance { head: Some(MILLISECOND + 1), ..CHANCE }), Some(2), "it is far");
        assert_eq!(size(Chance { now: FAR + 1, ..CHANCE }), Some(2), "the last piece left long ago");
        let narrow = Chance { room: 4, window: 4, ..CHANCE };
        assert_eq!(size(narrow), Some(2), "two pieces are in flight");
    }

    /// The gap of a late piece is shorter, by half at most.
    #[test]
    fn a_late_piece_catches_up() {
        for (late, gap) in [(0, 30), (4, 26), (15, 15), (100, 15)] {
            let mut piece = Piece { free: 1000, ..Piece::default() };
            piece.begin(1000 + late, 3, true);
            (0..3).for_each(|_| piece.leave(10));
            assert_eq!((piece.free(), piece.is_leaving()), (1000 + late + gap, false), "{late}");
            piece.begin(piece.free() + late, 1, false);
            let begun = piece.free();
            piece.leave(10);
            assert_eq!(piece.free(), begun + 10);
        }
    }
}
