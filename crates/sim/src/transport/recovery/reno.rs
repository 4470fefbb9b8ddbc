//! Recovery without selective acknowledgements: Reno (RFC 5681, section 3.2) and NewReno (RFC 6582).
//!
//! The sender knows two things, the cumulative acknowledgement and how often it came again. An
//! acknowledgement either moves the cumulative point that the sender knows or is a duplicate, and both follow
//! from the scoreboard, which holds what the receiver holds (decision 0005). Nothing else of the scoreboard
//! is looked at.
//!
//! RFC 6582 inflates cwnd by each duplicate and deflates it by what a partial acknowledgement covers, less
//! one. Here cwnd stays what the congestion control says, and the same numbers are taken off what counts as
//! in flight instead: `flight + 1 <= cwnd + inflation` is `flight - inflation + 1 <= cwnd`. A duplicate means
//! that one segment has left the network; a partial acknowledgement takes back the duplicates of the segments
//! that it covers.

use crate::transport::scoreboard::Acked;
use crate::transport::{Recovery, Scoreboard};
use serde::{Deserialize, Serialize};

/// The cumulative acknowledgements of a flow.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Reno {
    /// Segments that duplicates say have left the network.
    duplicates: u64,
    /// Flight when the first of the duplicates came: without what limited transmit has sent since (RFC 3042).
    flight: u64,
    /// Duplicates count only once the cumulative point is here (RFC 6582: it covers more than `recover`).
    guard: u64,
    /// After a timeout: everything from here on is sent again in turn, whatever the receiver holds ("go back
    /// N").
    next: u64,
    /// Segments below have been sent again after a timeout: no round-trip samples (Karn).
    resent_end: u64,
    /// The first partial acknowledgement of this recovery has restarted the timer.
    partial: bool,
}

impl Reno {
    /// A flow whose first segment has number `first`.
    #[must_use]
    pub fn new(first: u64) -> Self {
        Self { next: first, resent_end: first, ..Self::default() }
    }

    /// Takes the arrival of segment `sequence`; returns the news of the acknowledgement that it causes. The
    /// sender knew all below `una` to have arrived: acknowledgements of others may have been dropped.
    /// `limited_transmit` of RFC 3042 counts duplicates before fast retransmit, too.
    pub fn acknowledged(
        &mut self,
        board: &mut Scoreboard,
        una: u64,
        sequence: u64,
        recovery: Recovery,
        limited_transmit: bool,
    ) -> Acked {
        let flight = board.flight();
        let known = board.receive(sequence);
        let covered = board.una() - una;
        if covered == 0 {
            if self.duplicates == 0 {
                self.flight = flight;
            }
            self.duplicates += 1;
        } else if recovery == Recovery::Fast {
            self.duplicates = self.duplicates.saturating_sub(covered - 1);
        } else {
            self.duplicates = 0;
        }
        self.estimate(board, recovery, limited_transmit);
        match known {
            Acked::Known => Acked::Known,
            // Only an acknowledgement that moves on gives a sample, and only of a segment that was sent once.
            Acked::New { sent_once } => {
                Acked::New { sent_once: sent_once && covered > 0 && sequence >= self.resent_end }
            }
        }
    }

    /// The number of segments that count as in flight. After a timeout it is what has been sent since (RFC
    /// 5681, section 3.1).
    fn estimate(&self, board: &mut Scoreboard, recovery: Recovery, limited_transmit: bool) {
        let flight = match recovery {
            Recovery::Timeout => self.next.saturating_sub(board.una()),
            Recovery::Open if !limited_transmit => board.flight(),
            Recovery::Open | Recovery::Fast => board.flight().saturating_sub(self.duplicates),
        };
        board.believe(flight as u32);
    }

    /// Enough duplicates for a fast retransmit, and not of segments that were sent again for no need.
    #[must_use]
    pub fn finds_loss(&self, board: &Scoreboard, threshold: u32) -> bool {
        self.duplicates >= u64::from(threshold) && board.una() >= self.guard
    }

    /// Fast recovery begins; what was in flight before the duplicates. With `guarded`, none begins again
    /// before something that is sent from now on is acknowledged.
    pub fn begin(&mut self, board: &mut Scoreboard, guarded: bool) -> u64 {
        self.partial = false;
        self.estimate(board, Recovery::Fast, true);
        if guarded {
            self.guard = board.next() + 1;
        }
        self.flight
    }

    /// A partial acknowledgement: whether it restarts the retransmission timer. The first one does
    /// ("impatient", RFC 6582, section 3.2): when a window has many holes a timeout repairs them faster than
    /// one a round trip.
    pub fn partial(&mut self) -> bool {
        !std::mem::replace(&mut self.partial, true)
    }

    /// Recovery has ended.
    pub fn ended(&mut self, board: &mut Scoreboard, limited_transmit: bool) {
        self.duplicates = 0;
        self.estimate(board, Recovery::Open, limited_transmit);
    }

    /// The retransmission timer expired.
    pub fn timed_out(&mut self, board: &mut Scoreboard) {
        (self.duplicates, self.next, self.guard) = (0, board.una(), board.next() + 1);
        self.estimate(board, Recovery::Timeout, true);
    }

    /// The next segment to send again after a timeout, below `limit`.
    pub fn resend(&mut self, board: &mut Scoreboard, limit: u64) -> Option<u64> {
        let sequence = self.next.max(board.una());
        if sequence >= limit {
            return None;
        }
        self.next = sequence + 1;
        self.resent_end = self.resent_end.max(self.next);
        self.estimate(board, Recovery::Timeout, true);
        Some(sequence)
    }

    /// A new segment was sent.
    pub fn sent_new(&mut self, board: &Scoreboard) {
        self.next = board.next();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: Recovery = Recovery::Open;
    const FAST: Recovery = Recovery::Fast;

    /// An acknowledgement of which none before was dropped.
    fn take(reno: &mut Reno, board: &mut Scoreboard, sequence: u64, recovery: Recovery) -> Acked {
        let una = board.una();
        reno.acknowledged(board, una, sequence, recovery, true)
    }

    /// `n` segments sent, those in `arrived` have arrived in this order.
    fn after(n: u64, arrived: &[u64]) -> (Reno, Scoreboard) {
        let (mut reno, mut board) = (Reno::new(0), Scoreboard::new(0));
        for _ in 0..n {
            board.send_new();
        }
        for &sequence in arrived {
            take(&mut reno, &mut board, sequence, OPEN);
        }
        (reno, board)
    }

    #[test]
    fn three_duplicates_find_a_loss() {
        let (mut reno, mut board) = after(10, &[0, 1, 3, 4]);
        assert!(!reno.finds_loss(&board, 3));
        // Limited transmit: two segments have left the network.
        assert_eq!((board.una(), board.flight(), board.pipe()), (2, 8, 6));
        board.send_new();
        board.send_new();
        take(&mut reno, &mut board, 5, OPEN);
        assert!(reno.finds_loss(&board, 3));
        // RFC 5681, section 3.2, step 2: without the two that limited transmit has sent.
        assert_eq!(reno.begin(&mut board, true), 8);
        assert_eq!((board.flight(), board.pipe()), (10, 7));
    }

    /// RFC 6582, section 3.2: a window of ten of which the first and the sixth are lost. In its terms cwnd is
    /// ssthresh + 3 at the third duplicate, one more at each further one, and 5 - 1 less at the partial
    /// acknowledgement of 5.
    #[test]
    fn a_partial_acknowledgement_deflates_by_what_it_covers_less_one() {
        let (mut reno, mut board) = after(10, &[1, 2, 3]);
        assert!(reno.finds_loss(&board, 3));
        reno.begin(&mut board, true);
        let inflation = |board: &Scoreboard| board.flight() - u64::from(board.pipe());
        assert_eq!(inflation(&board), 3);
        for sequence in [4, 6, 7, 8, 9] {
            take(&mut reno, &mut board, sequence, FAST);
        }
        assert_eq!((board.una(), inflation(&board)), (0, 8));
        take(&mut reno, &mut board, 0, FAST);
        assert_eq!((board.una(), board.flight(), inflation(&board)), (5, 5, 8 - 5 + 1));
        assert!(reno.partial() && !reno.partial());
        // The full one.
        take(&mut reno, &mut board, 5, FAST);
        reno.ended(&mut board, true);
        assert_eq!((board.una(), board.flight(), board.pipe()), (10, 0, 0));
    }

    /// RFC 6582, section 3.2, step 2, and section 4: what was sent again for no need causes no fast
    /// retransmit.
    #[test]
    fn after_a_time_out_duplicates_count_only_above_what_was_outstanding() {
        let (mut reno, mut board) = after(10, &[0, 2, 4, 6, 8]);
        reno.timed_out(&mut board);
        assert_eq!(board.pipe(), 0);
        assert_eq!((reno.resend(&mut board, 10), board.pipe()), (Some(1), 1));
        // 1 fills its hole, so that 3 is next: what was acknowledged meanwhile is not sent again.
        assert_eq!(take(&mut reno, &mut board, 1, Recovery::Timeout), Acked::New { sent_once: false });
        let again: Vec<u64> = std::iter::from_fn(|| reno.resend(&mut board, 10)).collect();
        assert_eq!(again, [3, 4, 5, 6, 7, 8, 9]);
        take(&mut reno, &mut board, 3, Recovery::Timeout);
        assert_eq!(board.una(), 5);
        for unneeded in [4, 6, 8] {
            assert_eq!(take(&mut reno, &mut board, unneeded, Recovery::Timeout), Acked::Known);
        }
        assert!(!reno.finds_loss(&board, 3));
        for sequence in [5, 7, 9] {
            assert_eq!(
                take(&mut reno, &mut board, sequence, Recovery::Timeout),
                Acked::New { sent_once: false }
            );
        }
        assert_eq!((board.una(), board.pipe()), (10, 0));
    }

    /// Of five acknowledgements the sender hears the last one only: it moves the cumulative point over what
    /// the others would have reported, and is no duplicate.
    #[test]
    fn an_acknowledgement_speaks_for_those_that_were_dropped() {
        let (mut reno, mut board) = after(6, &[]);
        let una = board.una();
        for dropped in 0..4 {
            assert_eq!(board.receive(dropped), Acked::New { sent_once: true });
        }
        // Segment 4 is lost, 5 arrives.
        assert_eq!(reno.acknowledged(&mut board, una, 5, OPEN, true), Acked::New { sent_once: true });
        assert_eq!((board.una(), reno.finds_loss(&board, 1)), (4, false));
        // The next one has nothing new: a duplicate.
        take(&mut reno, &mut board, 5, OPEN);
        assert!(reno.finds_loss(&board, 1));
    }
}
