//! Delivery-rate samples (draft-cheng-iccrg-delivery-rate-estimation), for flows whose algorithm wants them.
//!
//! The sender remembers of every outstanding segment how much had been delivered when it left. That is kept
//! beside the flow, so that flows without samples stay small.

use super::Scoreboard;
use crate::engine::prefetch;
use mesonet_cc::{DeliverySample, LostSegment, Picos, seconds};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The state of the flow when a segment left.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Departure {
    /// When it left.
    time: Picos,
    /// Segments delivered.
    delivered: u64,
    /// When the last of them was.
    delivered_time: Picos,
    /// When the segment left that was the last one delivered.
    first_sent_time: Picos,
    /// Segments in flight, itself included.
    in_flight: u32,
    /// Segments found lost.
    lost: u32,
    /// Segments delivered with a mark.
    marked: u32,
    /// The sender limited itself.
    app_limited: bool,
}

/// The samples of one flow.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DeliverySampler {
    /// Departures of the outstanding segments, those in between included; the first has the number `first`.
    departures: VecDeque<Departure>,
    first: u64,
    delivered: u64,
    delivered_time: Picos,
    first_sent_time: Picos,
    /// Samples count as limited by the sender until so many segments have been delivered.
    limited_until: u64,
    lost: u32,
    marked: u32,
    /// Missing segments below have been looked at.
    seen: u64,
}

impl DeliverySampler {
    /// A flow whose first segment has number `first`.
    #[must_use]
    pub fn new(first: u64) -> Self {
        Self { first, seen: first, ..Self::default() }
    }

    /// Segment `sequence` leaves at `now`; with it `in_flight` segments are in the network.
    pub fn sent(&mut self, sequence: u64, now: Picos, in_flight: u32) {
        if self.departures.is_empty() {
            // Nothing was outstanding: the rate is measured from here. What counts as lost is outstanding,
            // too, or the time without an answer before a timeout would be left out of the rate (SND.UNA =
            // SND.NXT, section 3.3).
            (self.first_sent_time, self.delivered_time) = (now, now);
        }
        let departure = Departure {
            time: now,
            delivered: self.delivered,
            delivered_time: self.delivered_time,
            first_sent_time: self.first_sent_time,
            in_flight,
            lost: self.lost,
            marked: self.marked,
            app_limited: self.limited_until > 0,
        };
        match self.departures.get_mut((sequence - self.first) as usize) {
            Some(before) => *before = departure,
            None => self.departures.push_back(departure),
        }
    }

    /// Segment `sequence`, not known to have arrived, is acknowledged at `now`, with a mark if it is
    /// `marked`: the delivery rate in segments/s, 0 where the sample spans less than `min_rtt`, and what it
    /// spans.
    pub fn acknowledged(
        &mut self,
        sequence: u64,
        now: Picos,
        min_rtt: Picos,
        marked: bool,
    ) -> (f64, DeliverySample) {
        let departure = self.departures[(sequence - self.first) as usize];
        self.delivered += 1;
        self.marked = self.marked.wrapping_add(u32::from(marked));
        self.delivered_time = now;
        if self.delivered > self.limited_until {
            self.limited_until = 0;
        }
        self.first_sent_time = departure.time;
        let sent_over = departure.time - departure.first_sent_time;
        let interval = sent_over.max(now - departure.delivered_time);
        let valid = interval >= min_rtt.max(1);
        let sample = DeliverySample {
            prior_delivered: departure.delivered,
            interval: if valid { interval } else { 0 },
            in_flight: departure.in_flight,
            lost: self.lost.wrapping_sub(departure.lost),
            ce: self.marked.wrapping_sub(departure.marked),
            app_limited: departure.app_limited,
        };
        let rate = if valid { sample.delivered(self.delivered) as f64 / seconds(interval) } else { 0.0 };
        (rate, sample)
    }

    /// The next segment that `board` has found lost since the last call.
    #[inline]
    pub fn next_lost(&mut self, board: &Scoreboard) -> Option<LostSegment> {
        if self.seen >= board.lost_end() {
            return None;
        }
        let sequence = board.lost_from(self.seen)?;
        self.seen = sequence + 1;
        Some(self.lost(sequence))
    }

    /// Segment `sequence` is found lost.
    pub fn lost(&mut self, sequence: u64) -> LostSegment {
        self.lost = self.lost.wrapping_add(1);
        let departure = self.departures[(sequence - self.first) as usize];
        LostSegment {
            delivered: self.delivered,
            in_flight: departure.in_flight,
            lost: self.lost.wrapping_sub(departure.lost),
            app_limited: departure.app_limited,
        }
    }

    /// Everything below `una` has been acknowledged.
    pub fn forget_below(&mut self, una: u64) {
        while self.first < una && self.departures.pop_front().is_some() {
            self.first += 1;
        }
    }

    /// Asks for the departure of the first outstanding segment ahead of its use.
    #[inline]
    pub fn fetch_first(&self) {
        if let Some(departure) = self.departures.front() {
            prefetch(departure, 0..1);
            prefetch(&departure.app_limited, 0..1);
        }
    }

    /// The sender, not the network, limits what is in flight: `in_flight` segments.
    pub fn limited(&mut self, in_flight: u32) {
        self.limited_until = (self.delivered + u64::from(in_flight)).max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mesonet_cc::MILLISECOND;

    const MS: Picos = MILLISECOND;

    /// Sends `count` segments, one each millisecond from `from` ms on, of a flow with nothing acknowledged
    /// meanwhile.
    fn send(sampler: &mut DeliverySampler, first: u64, count: u64, from: u64) {
        for i in 0..count {
            sampler.sent(first + i, (from + i) * MS, (first + i + 1) as u32);
        }
    }

    #[test]
    fn a_path_that_spreads_departures_is_measured_by_its_acknowledgements() {
        let mut sampler = DeliverySampler::new(0);
        send(&mut sampler, 0, 11, 0);
        // One each 2 ms, after 100 ms.
        for i in 0..10 {
            let (rate, sample) = sampler.acknowledged(i, (100 + 2 * i) * MS, 100 * MS, false);
            assert_eq!((sample.prior_delivered, sample.interval), (0, (100 + 2 * i) * MS));
            assert!((rate - 1000.0 * (i + 1) as f64 / (100 + 2 * i) as f64).abs() < 1e-9);
            sampler.forget_below(i + 1);
        }
        // Segment 9 left at 9 ms, 10 is lost, the next one leaves at 118 ms: sending took longer than the 100
        // ms to the answer.
        for i in 11..21 {
            sampler.sent(i, (118 + i - 11) * MS, 10);
        }
        let (rate, sample) = sampler.acknowledged(11, 218 * MS, 100 * MS, false);
        assert_eq!((sample.prior_delivered, sample.delivered(11), sample.interval), (10, 1, 109 * MS));
        assert!((rate - 1.0 / 0.109).abs() < 1e-9, "{rate}");
    }

    #[test]
    fn compressed_acknowledgements_do_not_inflate_the_rate() {
        let mut sampler = DeliverySampler::new(0);
        send(&mut sampler, 0, 10, 0);
        for i in 0..5 {
            sampler.acknowledged(i, 100 * MS, 100 * MS, false);
        }
        // Segments 10 to 19 leave one each millisecond; all the rest is acknowledged at once.
        for i in 10..20 {
            sampler.sent(i, (100 + i - 10) * MS, 10);
        }
        for i in 5..19 {
            sampler.acknowledged(i, 209 * MS, 100 * MS, false);
        }
        let (rate, sample) = sampler.acknowledged(19, 209 * MS, 100 * MS, false);
        // 15 segments since the 5th was delivered at 100 ms.
        assert_eq!((sample.prior_delivered, sample.interval), (5, 109 * MS));
        assert!((rate - 15.0 / 0.109).abs() < 1e-9, "{rate}");
    }

    #[test]
    fn a_retransmission_that_is_acknowledged_too_soon_gives_no_rate() {
        let mut sampler = DeliverySampler::new(7);
        sampler.sent(7, 0, 2);
        sampler.sent(8, 99 * MS, 2);
        sampler.acknowledged(8, 195 * MS, 90 * MS, false);
        // 97 ms after the segment that was delivered last.
        sampler.sent(7, 196 * MS, 2);
        // By its first copy, after all.
        let (rate, sample) = sampler.acknowledged(7, 201 * MS, 100 * MS, false);
        assert_eq!((rate, sample.interval), (0.0, 0));
    }

    #[test]
    fn the_time_before_a_time_out_counts() {
        let mut sampler = DeliverySampler::new(0);
        send(&mut sampler, 0, 2, 0);
        sampler.acknowledged(0, 100 * MS, 100 * MS, false);
        sampler.forget_below(1);
        // Segment 1 is lost and leaves again after a second.
        sampler.sent(1, 1100 * MS, 1);
        let (rate, sample) = sampler.acknowledged(1, 1200 * MS, 100 * MS, false);
        assert_eq!((sample.prior_delivered, sample.interval), (1, 1100 * MS));
        assert!((rate - 1.0 / 1.1).abs() < 1e-9, "{rate}");
        sampler.forget_below(2);
        // With nothing outstanding the rate is measured from the departure on.
        sampler.sent(2, 5000 * MS, 1);
        assert_eq!(sampler.acknowledged(2, 5100 * MS, 100 * MS, false).1.interval, 100 * MS);
    }

    #[test]
    fn samples_are_marked_until_what_was_in_flight_is_delivered() {
        let mut sampler = DeliverySampler::new(0);
        send(&mut sampler, 0, 2, 0);
        sampler.limited(2);
        sampler.sent(2, 2 * MS, 3);
        assert!(!sampler.acknowledged(0, 100 * MS, 0, false).1.app_limited);
        assert!(!sampler.acknowledged(1, 101 * MS, 0, false).1.app_limited);
        assert!(sampler.acknowledged(2, 102 * MS, 0, false).1.app_limited);
        sampler.sent(3, 103 * MS, 1);
        assert!(!sampler.acknowledged(3, 203 * MS, 0, false).1.app_limited);
    }

    #[test]
    fn losses_are_told_once_with_what_was_in_flight() {
        let (mut sampler, mut board) = (DeliverySampler::new(0), Scoreboard::new(0));
        for i in 0..10 {
            board.send_new();
            sampler.sent(i, i * MS, board.pipe());
        }
        for i in [0, 3, 4, 5] {
            board.acknowledge(i, 3);
            sampler.acknowledged(i, (100 + i) * MS, 0, false);
        }
        let told: Vec<_> = std::iter::from_fn(|| sampler.next_lost(&board))
            .map(|l| (l.in_flight, l.lost, l.delivered))
            .collect();
        assert_eq!(told, [(2, 1, 4), (3, 2, 4)]);
        sampler.forget_below(board.una());
        assert_eq!((sampler.first, sampler.departures.len()), (1, 9));
        board.acknowledge(6, 3);
        assert!(sampler.next_lost(&board).is_none());
        assert_eq!(sampler.acknowledged(6, 106 * MS, 0, false).1.lost, 2);
    }
}
