//! Loss detection by time, RACK (RFC 8985, sections 5 and 6): a segment is lost when one that left later was
//! acknowledged and a round trip has passed, be it a first transmission or a retransmission.
//!
//! The acknowledgement names the copy that caused it by its departure, as an exact timestamp option would, so
//! that nothing of section 6.2 is ambiguous. Only impaired links change the order of a flow's segments:
//! elsewhere the reordering window is the one of a sender which has not seen any.

use crate::transport::flow::OFF;
use crate::transport::short_queue::ShortQueue;
use crate::transport::{Recovery, RttEstimator, Scoreboard};
use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};

/// Recoveries after which a window widened by needless retransmissions is narrow again (RFC 8985:
/// `reo_wnd_persist`).
const PERSISTENCE: u16 = 16;

/// Departures that lie inline: enough for the small windows of flows that lose many segments (chosen).
const FEW_DEPARTURES: usize = 4;

/// Retransmissions on their way that lie inline, for the same reason.
const FEW_RESENT: usize = 2;

/// Retransmissions to be sent again that lie inline, for the same reason.
const FEW_AGAIN: usize = 4;

/// A copy that left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Transmission {
    time: Picos,
    sequence: u64,
}

/// The timer of loss detection: how late it comes.
#[derive(Clone, Copy, Debug, Default)]
pub struct RackTimer {
    /// Time that it runs longer than it could.
    pub margin: Picos,
    /// Tick of its clock; 0 for an exact one.
    pub tick: Picos,
}

impl RackTimer {
    /// The end of a timer that is started `now` and must not end before `at`. A clock with ticks counts
    /// whole ones, and not the present one (Linux: `tcp_rack_mark_lost`, `calc_index` of the timer wheel).
    fn due(self, now: Picos, at: Picos) -> Picos {
        let wait = at - now + self.margin;
        match self.tick {
            0 => now + wait,
            tick => (now / tick + wait.div_ceil(tick) + 1) * tick,
        }
    }
}

/// The loss detection of a flow.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(C)]
pub struct Rack {
    /// The first of `departures`.
    first: u64,
    /// When the oldest open copy is lost if no acknowledgement covers it, [`OFF`] where none is open.
    pub timer: Picos,
    /// The copy, among those acknowledged, that left last, and its round-trip time.
    latest: Transmission,
    rtt: Picos,
    /// When the window was last reduced.
    reduced: Picos,
    /// When the first transmissions left whose fate is open, in order from segment `first` on, or were
    /// restored; some may have been acknowledged since. [`OFF`] where the copy of a probe has taken their
    /// place.
    departures: ShortQueue<Picos, FEW_DEPARTURES>,
    /// The window is not widened again before this is acknowledged.
    widened: u64,
    /// Retransmissions whose fate is open, in the order in which they left; some may have been acknowledged
    /// since.
    resent: ShortQueue<Transmission, FEW_RESENT>,
    /// Retransmissions found lost so far.
    relapses: u32,
    /// The reordering window is this many quarters of the smallest round-trip time.
    multiplier: u16,
    /// A first transmission arrived after one that had left later.
    reordered: bool,
    /// Recoveries until it is one again.
    persist: u16,
    /// Retransmissions found lost, to be sent again, rising.
    again: ShortQueue<u64, FEW_AGAIN>,
}

impl Default for Rack {
    fn default() -> Self {
        Self {
            departures: ShortQueue::default(),
            first: 0,
            resent: ShortQueue::default(),
            latest: Transmission { time: 0, sequence: 0 },
            rtt: 0,
            again: ShortQueue::default(),
            relapses: 0,
            reduced: 0,
            multiplier: 1,
            reordered: false,
            persist: PERSISTENCE,
            widened: 0,
            timer: OFF,
        }
    }
}

impl Rack {
    /// Segment `sequence` leaves at `now` for the first time, the one before having done so before.
    #[inline]
    pub fn sent(&mut self, sequence: u64, now: Picos) {
        if self.departures.is_empty() {
            self.first = sequence;
        }
        debug_assert_eq!(self.first + self.departures.len() as u64, sequence);
        self.departures.push_back(now);
    }

    /// When segment `sequence`, whose fate is open, left for the first time; `None` once a probe has.
    #[must_use]
    pub fn departure(&self, sequence: u64) -> Option<Picos> {
        let place = sequence.checked_sub(self.first)? as usize;
        self.departures.get(place).copied().filter(|time| *time != OFF)
    }

    /// Segment `sequence` leaves at `now` again. A probe takes the place of the copy before it, about which
    /// nothing is known.
    #[inline(never)]
    pub fn sent_again(&mut self, sequence: u64, now: Picos, probe: bool) {
        if probe {
            self.forget(sequence);
        }
        self.resent.push_back(Transmission { time: now, sequence });
    }

    /// Forgets the last copy of segment `sequence`.
    fn forget(&mut self, sequence: u64) {
        let before = self.resent.iter().rev().position(|copy| copy.sequence == sequence);
        if let Some(back) = before {
            self.resent.remove(self.resent.len() - 1 - back);
            return;
        }
        let place = sequence.checked_sub(self.first);
        if let Some(departure) = place.and_then(|place| self.departures.get_mut(place as usize)) {
            *departure = OFF;
            self.skip_forgotten();
        }
    }

    fn skip_forgotten(&mut self) {
        while self.departures.front() == Some(&OFF) {
            self.departures.pop_front();
            self.first += 1;
        }
    }

    /// The oldest copy whose fate is open.
    #[inline]
    fn oldest(&self) -> Option<Transmission> {
        let first = self.departures.front().map(|time| Transmission { time: *time, sequence: self.first });
        match (first, self.resent.front()) {
            (Some(first), Some(again)) => Some(first.min(*again)),
            (first, again) => first.or(again.copied()),
        }
    }

    /// The fate of the oldest copy is known.
    #[inline]
    fn settle(&mut self, copy: Transmission) {
        if self.first == copy.sequence && self.departures.front() == Some(&copy.time) {
            self.departures.pop_front();
            self.first += 1;
            self.skip_forgotten();
        } else {
            self.resent.pop_front();
        }
    }

    /// The original of segment `sequence`, which left at `departure`, has arrived; it is the lowest
    /// outstanding one, and none is missing. Returns whether nothing is found lost and no timer runs: all
    /// copies whose fate is open left later.
    #[inline(always)]
    pub fn in_order(&mut self, sequence: u64, departure: Picos, now: Picos) -> bool {
        let copy = Transmission { time: departure, sequence };
        if copy <= self.latest || !self.resent.is_empty() || !self.again.is_empty() {
            return false;
        }
        (self.latest, self.rtt, self.timer) = (copy, now - departure, OFF);
        self.settle_below(sequence + 1);
        true
    }

    /// Before segment `sequence` is taken off the scoreboard: the copy that left at `departure` has arrived,
    /// the `original` or a retransmission.
    pub fn acknowledged(
        &mut self,
        board: &mut Scoreboard,
        sequence: u64,
        departure: Picos,
        original: bool,
        now: Picos,
    ) {
        let copy = Transmission { time: departure, sequence };
        self.reordered |= original && copy < self.latest && !board.has_arrived(sequence);
        if copy > self.latest {
            (self.latest, self.rtt) = (copy, now - departure);
        }
        if self.again.is_empty() {
            return;
        }
        let place = self.place_again(sequence);
        if self.again.get(place) == Some(&sequence) {
            self.again.remove(place);
            // It was not lost.
            board.believe(board.pipe() + 1);
        }
    }

    /// The place of segment `sequence` among those to be sent again.
    fn place_again(&self, sequence: u64) -> usize {
        self.again.partition_point(|again| *again < sequence)
    }

    /// A segment arrived that the receiver had: a retransmission was needless, and the window grows, once a
    /// round trip (RFC 8985, section 6.2, step 4).
    pub fn needless(&mut self, board: &Scoreboard) {
        if board.una() >= self.widened {
            self.widened = board.next();
            self.multiplier = self.multiplier.saturating_add(1);
            self.persist = PERSISTENCE;
        }
    }

    /// A recovery has ended.
    pub fn recovered(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.multiplier = 1;
        }
    }

    /// Time beyond a round trip that a segment may take. As long as no segment was seen out of order there is
    /// none in recovery, or where `enough` segments have passed a missing one (RFC 8985, section 6.2, step 4;
    /// `DupThresh`).
    #[must_use]
    pub fn reordering_window(&self, rtt: &RttEstimator, recovery: Recovery, enough: bool) -> Picos {
        if !self.reordered && (recovery != Recovery::Open || enough) {
            return 0;
        }
        (u64::from(self.multiplier) * rtt.min_rtt / 4).min(rtt.srtt)
    }

    /// The fate of all below segment `una` is known, as nearly always.
    #[inline]
    fn settle_below(&mut self, una: u64) {
        while self.first < una && self.departures.discard_front() {
            self.first += 1;
        }
    }

    /// Finds the segments that are lost at `now`, reports retransmissions among them to `lost_again`, and
    /// sets the timer. After `threshold` segments beyond a missing one it waits no longer. Returns whether
    /// one of these retransmissions left after the last reduction: its loss is a second indication of
    /// congestion (RFC 5681, section 4.3).
    pub fn detect(
        &mut self,
        board: &mut Scoreboard,
        now: Picos,
        recovery: Recovery,
        rtt: &RttEstimator,
        threshold: u32,
        mut lost_again: impl FnMut(u64),
    ) -> bool {
        self.timer = OFF;
        if self.resent.is_empty() && board.is_whole() {
            self.settle_below(board.una());
        }
        let mut congested = false;
        while let Some(copy) = self.oldest() {
            if !board.has_arrived(copy.sequence) {
                if copy > self.latest {
                    break;
                }
                let enough = board.passed_over() >= u64::from(threshold);
                let lost_at = copy.time + self.rtt + self.reordering_window(rtt, recovery, enough);
                if lost_at > now {
                    self.timer = lost_at;
                    break;
                }
                if board.lose(copy.sequence) {
                    self.again.insert(self.place_again(copy.sequence), copy.sequence);
                    self.relapses += 1;
                    congested |= copy.time >= self.reduced;
                    lost_again(copy.sequence);
                }
            }
            self.settle(copy);
        }
        congested
    }

    /// The timer that was set `now` runs as `rules` have it.
    pub fn defer(&mut self, now: Picos, rules: RackTimer) {
        if self.timer != OFF {
            self.timer = rules.due(now, self.timer);
        }
    }

    /// The lowest retransmission to send again below `limit`.
    pub fn resend(&mut self, board: &mut Scoreboard, limit: u64) -> Option<u64> {
        let sequence = *self.again.front().filter(|s| **s < limit)?;
        self.again.pop_front();
        board.believe(board.pipe() + 1);
        Some(sequence)
    }

    /// The window is reduced at `now`.
    pub fn reduced(&mut self, now: Picos) {
        self.reduced = now;
    }

    /// Grows with every retransmission found lost.
    #[must_use]
    pub fn relapses(&self) -> u64 {
        self.relapses.into()
    }

    /// Nothing that is missing below `next` counts as lost any more: as if it left at `now`, in its order.
    pub fn restore(&mut self, board: &Scoreboard, now: Picos) {
        self.resent.clear();
        self.again.clear();
        self.timer = OFF;
        let known = if self.departures.is_empty() { board.next() } else { self.first };
        for _ in board.una()..known {
            self.departures.insert(0, now);
        }
        self.first = known.min(board.una());
    }

    /// The retransmission timer expired: all copies count as lost.
    pub fn timed_out(&mut self, now: Picos) {
        self.departures.clear();
        self.resent.clear();
        self.again.clear();
        self.reduced = now;
        self.timer = OFF;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mesonet_cc::MILLISECOND;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    const MS: Picos = MILLISECOND;
    const OPEN: Recovery = Recovery::Open;
    const FAST: Recovery = Recovery::Fast;

    fn rtt(min: u64, srtt: u64) -> RttEstimator {
        let mut estimator = RttEstimator::default();
        (estimator.min_rtt, estimator.srtt) = (min * MS, srtt * MS);
        estimator
    }

    /// A flow that has sent `n` segments, one each millisecond from 0 on.
    fn flow(n: u64) -> (Rack, Scoreboard) {
        let (mut rack, mut board) = (Rack::default(), Scoreboard::new(0));
        for i in 0..n {
            board.send_new();
            rack.sent(i, i * MS);
        }
        (rack, board)
    }

    /// The copy of `sequence` that left at `sent` ms is acknowledged at `now` ms: retransmissions found lost.
    fn acknowledge(rack: &mut Rack, board: &mut Scoreboard, sequence: u64, sent: u64, now: u64) -> Vec<u64> {
        rack.acknowledged(board, sequence, sent * MS, false, now * MS);
        board.acknowledge(sequence, u32::MAX);
        let mut again = Vec::new();
        rack.detect(board, now * MS, OPEN, &rtt(100, 110), 3, |s| again.push(s));
        again
    }

    /// Section 6.2, step 4, and the numbers of the specification.
    #[test]
    fn reordering_windows() {
        let (mut rack, board) = flow(1);
        let window = |rack: &Rack, enough| rack.reordering_window(&rtt(100, 110), OPEN, enough);
        assert_eq!(window(&rack, false), 25 * MS);
        assert_eq!(window(&rack, true), 0);
        assert_eq!(rack.reordering_window(&rtt(100, 110), FAST, false), 0);
        rack.needless(&board);
        rack.needless(&board);
        assert_eq!(window(&rack, false), 50 * MS);
        rack.multiplier = 5;
        assert_eq!(window(&rack, false), 110 * MS);
        for _ in 0..15 {
            rack.recovered();
        }
        assert_eq!(window(&rack, false), 110 * MS);
        rack.recovered();
        assert_eq!(window(&rack, false), 25 * MS);
    }

    /// One or two later segments leave time for reordering, the third does not.
    #[test]
    fn a_missing_segment_waits_a_quarter_of_the_round_trip() {
        let (mut rack, mut board) = flow(10);
        acknowledge(&mut rack, &mut board, 0, 0, 100);
        acknowledge(&mut rack, &mut board, 2, 2, 102);
        assert!(!board.has_loss());
        // Left at 1 ms, a round trip of 100 ms and 25 ms more.
        assert_eq!(rack.timer, 126 * MS);
        let mut waited = (rack.clone(), board.clone());
        waited.0.detect(&mut waited.1, 126 * MS, OPEN, &rtt(100, 110), 3, |_| ());
        assert!(waited.1.has_loss() && waited.0.timer == OFF);
        acknowledge(&mut rack, &mut board, 3, 3, 103);
        assert!(!board.has_loss());
        acknowledge(&mut rack, &mut board, 4, 4, 104);
        assert!(board.has_loss());
        assert_eq!((board.lost(), board.pipe(), rack.timer), (1, 5, OFF));
    }

    /// Section 3.4: a lost retransmission is found by what left after it, and the tail as soon as a
    /// retransmission is acknowledged that left after it.
    #[test]
    fn lost_retransmissions_and_lost_tails() {
        let (mut rack, mut board) = flow(8);
        for i in 2..6 {
            acknowledge(&mut rack, &mut board, i, i, 100 + i);
        }
        rack.reduced(104 * MS);
        assert_eq!((board.lost(), board.pipe()), (2, 2));
        for (sequence, sent) in [(0, 104), (1, 105)] {
            assert_eq!(board.retransmit(8, false), Some(sequence));
            rack.sent_again(sequence, sent * MS, false);
        }
        assert_eq!(board.pipe(), 4);
        // The second one arrives: the first one is lost again, and so are 6 and 7, which left before both.
        assert_eq!(acknowledge(&mut rack, &mut board, 1, 105, 205), [0]);
        assert_eq!((board.una(), board.lost(), board.pipe(), rack.relapses()), (0, 3, 0, 1));
        assert_eq!(rack.resend(&mut board, 8), Some(0));
        assert_eq!((rack.resend(&mut board, 8), board.pipe()), (None, 1));
        rack.sent_again(0, 205 * MS, false);
        assert_eq!((board.retransmit(8, false), board.retransmit(8, false)), (Some(6), Some(7)));
        rack.sent_again(6, 206 * MS, false);
        rack.sent_again(7, 207 * MS, false);
        for (sequence, sent) in [(0, 205), (6, 206), (7, 207)] {
            assert!(acknowledge(&mut rack, &mut board, sequence, sent, sent + 100).is_empty());
        }
        assert_eq!((board.una(), board.pipe(), rack.oldest()), (8, 0, None));
    }

    /// Measured on a kernel of 250 ticks a second: 5.3 ms took 8.1 to 12.1 ms.
    #[test]
    fn a_timer_of_linux_counts_whole_ticks() {
        let exact = RackTimer::default();
        assert_eq!(exact.due(3 * MS, 9 * MS), 9 * MS);
        let linux = RackTimer { margin: 2 * MS, tick: 4 * MS };
        for (now, wait, due) in [(0, 5, 12), (3, 5, 12), (4, 5, 16), (4, 6, 16), (4, 7, 20)] {
            assert_eq!(linux.due(now * MS, (now + wait) * MS), due * MS, "{wait} ms from {now} ms on");
        }
    }

    #[test]
    fn a_retransmission_that_was_late_counts_once() {
        let (mut rack, mut board) = flow(6);
        for i in 1..5 {
            acknowledge(&mut rack, &mut board, i, i, 100 + i);
        }
        assert_eq!(board.retransmit(6, false), Some(0));
        rack.sent_again(0, 104 * MS, false);
        board.send_new();
        rack.sent(6, 105 * MS);
        assert_eq!(acknowledge(&mut rack, &mut board, 6, 105, 205), [0]);
        // After all.
        acknowledge(&mut rack, &mut board, 0, 104, 206);
        assert_eq!((board.una(), board.pipe(), rack.resend(&mut board, 9)), (5, 0, None));
    }

    /// Segments that a needless recovery had found lost count as sent when it was undone, later than segments
    /// that follow them: these are found lost by the time at which they left.
    #[test]
    fn after_an_undone_recovery_later_losses_are_found() {
        let (mut rack, mut board) = flow(15);
        for sequence in (0..5).chain([6, 7, 9, 10, 11, 12]) {
            acknowledge(&mut rack, &mut board, sequence, sequence, 100 + sequence);
        }
        assert_eq!((board.una(), board.lost()), (5, 2));
        acknowledge(&mut rack, &mut board, 5, 5, 120);
        rack.restore(&board, 120 * MS);
        board.restore();
        acknowledge(&mut rack, &mut board, 14, 14, 121);
        acknowledge(&mut rack, &mut board, 8, 8, 122);
        assert!(rack.timer != OFF || board.lost() == 1, "segment 13 is missing");
    }

    proptest! {
        /// A first-in first-out path that drops at will, retransmissions too, with time standing in for
        /// order: whatever is found lost was dropped, what is in flight is what the path holds and what is
        /// not yet found lost, and all arrives once the path drops no more.
        #[test]
        fn finds_what_a_path_dropped_and_nothing_else(steps in proptest::collection::vec((0u8..4, any::<bool>()), 1..300)) {
            let (mut rack, mut board) = (Rack::default(), Scoreboard::new(0));
            let mut path = VecDeque::new();
            let (mut now, mut held) = (0, 0);
            let quiet = (0..3000).map(|i| (if i % 2 == 0 { 2 } else { 3 }, false));
            let (noisy, limit) = (steps.len(), 200);
            for (i, (what, dropped)) in steps.into_iter().chain(quiet).enumerate() {
                now += MS;
                let before = board.next();
                let sequence = match what {
                    0 | 1 if i < noisy => Some(board.send_new()),
                    2 => rack.resend(&mut board, u64::MAX).or_else(|| board.retransmit(u64::MAX, false)).or_else(|| {
                        // Something always follows, so that losses are noticed.
                        (i >= noisy && board.next() < limit).then(|| board.send_new())
                    }),
                    3 => {
                        if let Some((sequence, sent, original)) = path.pop_front() {
                            held -= 1;
                            let next = original && board.is_whole() && board.una() == sequence;
                            let (mut short, mut short_board) = (rack.clone(), board.clone());
                            let in_order = next && short.in_order(sequence, sent, now);
                            rack.acknowledged(&mut board, sequence, sent, false, now);
                            board.acknowledge(sequence, u32::MAX);
                            rack.detect(&mut board, now, FAST, &rtt(1, 1), 3, |_| ());
                            if in_order {
                                short_board.acknowledge(sequence, u32::MAX);
                                let state = |rack, board| postcard::to_allocvec(&(rack, board)).unwrap();
                                prop_assert_eq!(state(&short, &short_board), state(&rack, &board));
                            }
                        }
                        None
                    }
                    _ => None,
                };
                if let Some(sequence) = sequence {
                    if sequence == before {
                        rack.sent(sequence, now);
                    } else {
                        rack.sent_again(sequence, now, false);
                    }
                    if !dropped {
                        path.push_back((sequence, now, sequence == before));
                        held += 1;
                    }
                }
                prop_assert!(u64::from(board.pipe()) >= held, "{} in flight, {held} on the path", board.pipe());
                prop_assert!(u64::from(board.pipe()) <= held + (rack.departures.len() + rack.resent.len()) as u64);
            }
            prop_assert_eq!((board.una(), board.pipe()), (board.next(), 0));
        }
    }
}
