//! Fates of packets of TCP: which transmission of each segment arrived, and when the sender learned of it.

/// Share of the shortest round trip that a copy takes at least before its arrival is reported (chosen).
const SHORTEST: f64 = 0.9;

/// A transmission of one segment at most.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// Number of the first byte, from 0.
    pub start: i64,
    /// Bytes of data.
    pub length: u32,
}

impl Sent {
    fn end(self) -> i64 {
        self.start + i64::from(self.length)
    }
}

/// Fate of each transmission.
pub struct Fates {
    /// When its arrival was reported, s; NaN if it did not arrive, or if a copy had arrived before.
    pub acked_s: Vec<f64>,
    pub lost: Vec<bool>,
}

/// A segment: all transmissions that begin with one byte are its copies.
struct Segment {
    start: i64,
    /// Number behind the last byte, of this segment and those before.
    end: i64,
    /// When it was first reported; infinite: never.
    arrived_s: f64,
    /// Place of its first copy in `order`.
    copies: u32,
}

/// When each segment was first reported. Reports come in the order of time.
pub struct Arrivals {
    /// Transmissions by segment, then by time.
    order: Vec<u32>,
    segments: Vec<Segment>,
    /// Of each segment a later one, or itself, before which none is missing.
    missing: Vec<u32>,
    /// Segments before this one are reported.
    reported: usize,
}

impl Arrivals {
    /// Returns transmissions of which none is reported.
    pub fn new(sent: &[Sent]) -> Self {
        let mut order: Vec<u32> = (0..sent.len() as u32).collect();
        order.sort_by_key(|place| sent[*place as usize].start);
        let mut segments: Vec<Segment> = Vec::new();
        for (copies, place) in (0..).zip(&order) {
            let first = sent[*place as usize];
            let last = segments.last();
            if last.is_none_or(|last| last.start < first.start) {
                let end = last.map_or(first.end(), |last| last.end.max(first.end()));
                segments.push(Segment { start: first.start, end, arrived_s: f64::INFINITY, copies });
            }
        }
        let missing = (0..=segments.len() as u32).collect();
        Self { order, segments, missing, reported: 0 }
    }

    /// Reports all segments before a byte.
    pub fn before(&mut self, byte: i64, time_s: f64) {
        while self.segments.get(self.reported).is_some_and(|segment| segment.end <= byte) {
            self.report(self.reported, time_s);
            self.reported += 1;
        }
    }

    /// Reports the segments between two bytes.
    pub fn between(&mut self, begin: i64, end: i64, time_s: f64) {
        let first = self.segments.partition_point(|segment| segment.start < begin);
        let last = self.segments.partition_point(|segment| segment.end <= end);
        let mut place = self.next_missing(first);
        while place < last {
            self.report(place, time_s);
            place = self.next_missing(place + 1);
        }
    }

    fn report(&mut self, place: usize, time_s: f64) {
        let segment = &mut self.segments[place];
        segment.arrived_s = segment.arrived_s.min(time_s);
        self.missing[place] = place as u32 + 1;
    }

    /// Returns the first segment from a place on that is not reported. Shortens the way for later calls.
    fn next_missing(&mut self, mut place: usize) -> usize {
        while self.missing[place] as usize != place {
            self.missing[place] = self.missing[self.missing[place] as usize];
            place = self.missing[place] as usize;
        }
        place
    }

    /// Returns the bytes before a byte that no transmission has.
    pub fn unseen(&self, byte: i64) -> u64 {
        let mut end = 0;
        let mut unseen = 0;
        for segment in self.segments.iter().take_while(|segment| segment.start < byte) {
            unseen += segment.start.saturating_sub(end).max(0) as u64;
            end = end.max(segment.end);
        }
        unseen + byte.saturating_sub(end).max(0) as u64
    }

    /// Returns the fates of transmissions that left at these times.
    ///
    /// A segment was delivered by its last copy that left a round trip or more before it was reported.
    /// Earlier copies were lost; later copies were needless. The last copy of a segment that was never
    /// reported may be in flight.
    pub fn fates(self, sent_s: &[f64]) -> Fates {
        let mut fates = Fates { acked_s: vec![f64::NAN; sent_s.len()], lost: vec![false; sent_s.len()] };
        let shortest_s = SHORTEST * self.shortest_s(sent_s);
        let shortest_s = if shortest_s.is_finite() { shortest_s } else { 0.0 };
        for (place, segment) in self.segments.iter().enumerate() {
            let copies = self.copies(place);
            if segment.arrived_s.is_infinite() {
                copies[..copies.len() - 1].iter().for_each(|copy| fates.lost[*copy as usize] = true);
                continue;
            }
            let is_early = |copy: &&u32| sent_s[**copy as usize] + shortest_s <= segment.arrived_s;
            let delivered = copies.iter().take_while(is_early).count().saturating_sub(1);
            copies[..delivered].iter().for_each(|copy| fates.lost[*copy as usize] = true);
            fates.acked_s[copies[delivered] as usize] = segment.arrived_s;
        }
        fates
    }

    /// Returns the shortest time from a segment with one copy to its report, s.
    fn shortest_s(&self, sent_s: &[f64]) -> f64 {
        let segments = self.segments.iter().enumerate();
        segments.fold(f64::INFINITY, |shortest, (place, segment)| match self.copies(place) {
            [only] => shortest.min(segment.arrived_s - sent_s[*only as usize]),
            _ => shortest,
        })
    }

    fn copies(&self, place: usize) -> &[u32] {
        let end = self.segments.get(place + 1).map_or(self.order.len(), |next| next.copies as usize);
        &self.order[self.segments[place].copies as usize..end]
    }
}

#[cfg(test)]
mod tests {
    use super::{Arrivals, Sent};

    fn sent(starts: &[i64]) -> Vec<Sent> {
        starts.iter().map(|start| Sent { start: *start, length: 10 }).collect()
    }

    #[test]
    fn the_last_copy_that_could_arrive_is_delivered() {
        // The second segment left three times: the report comes a round trip after the second copy.
        let mut arrivals = Arrivals::new(&sent(&[0, 10, 20, 10, 10]));
        arrivals.before(10, 1.0);
        arrivals.between(20, 30, 1.2);
        arrivals.before(30, 2.5);
        let fates = arrivals.fates(&[0.0, 0.1, 0.2, 1.4, 2.4]);
        assert_eq!(fates.lost, [false, true, false, false, false]);
        assert_eq!(fates.acked_s[..1], [1.0]);
        assert_eq!(fates.acked_s[2..4], [1.2, 2.5]);
        assert!(fates.acked_s[1].is_nan() && fates.acked_s[4].is_nan());
    }

    #[test]
    fn what_was_never_reported_may_be_in_flight() {
        let mut arrivals = Arrivals::new(&sent(&[0, 10, 0]));
        arrivals.between(5, 15, 9.0);
        let fates = arrivals.fates(&[0.0, 0.1, 1.0]);
        assert_eq!(fates.lost, [true, false, false]);
        assert!(fates.acked_s.iter().all(|at| at.is_nan()));
    }

    #[test]
    fn bytes_between_transmissions_are_unseen() {
        let arrivals = Arrivals::new(&sent(&[5, 10, 40]));
        assert_eq!([0, 5, 20, 35, 50, 60].map(|byte| arrivals.unseen(byte)), [0, 5, 5, 20, 25, 35]);
    }

    #[test]
    fn many_reports_of_many_segments_cost_little() {
        let starts: Vec<i64> = (0..200_000).map(|place| 10 * place).collect();
        let mut arrivals = Arrivals::new(&sent(&starts));
        for report in 0..200_000 {
            arrivals.between(10, 10 * report, report as f64);
        }
        let fates = arrivals.fates(&vec![0.0; starts.len()]);
        assert_eq!(fates.acked_s[1], 2.0);
        assert_eq!(fates.acked_s[199_998], 199_999.0);
    }
}
