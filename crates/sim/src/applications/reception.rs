//! Messages of an application that the receiver of an explicit flow got, and their delays.
//!
//! A message is what the application hands over at one instant: a frame, a burst of a size, or a segment at a
//! constant rate. It is delivered when the receiver can use it. Over TCP, which hands data on in order, that
//! is when its last segment and all segments before have reached the receiver. Over UDP it is when all of its
//! own segments have.

use super::{Act, Breaker, Producer};
use crate::measure::Histogram;
use crate::scenario::{ExplicitFlow, Source};
use crate::snapshot::{BadSnapshot, Passage};
use mesonet_cc::{Picos, picos};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// Delays are counted in units of 1 us.
const TIME_UNIT: Picos = 1_000_000;

/// No segment is in flight for longer: the 48 bits of its departure (`check_spans`).
const OLDEST: Picos = 1 << 48;

/// Messages that were handed over in one period, segments that left in it, and how many of both the receiver
/// got.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PeriodRecord {
    /// Messages handed over; those that may still arrive in time are counted when they do or cannot any more.
    pub messages: u64,
    /// Messages delivered.
    pub delivered: u64,
    /// Messages delivered in time.
    pub in_time: u64,
    /// Delays of the delivered messages, us.
    pub delays: Histogram,
    /// Segments received, each once.
    pub segments: u64,
    /// Their one-way delays, us.
    pub segment_delays: Histogram,
    /// Trips of the circuit breakers.
    pub trips: u64,
}

impl PeriodRecord {
    /// Adds another one.
    pub fn merge(&mut self, other: &Self) {
        self.messages += other.messages;
        self.delivered += other.delivered;
        self.in_time += other.in_time;
        self.delays.merge(&other.delays);
        self.segments += other.segments;
        self.segment_delays.merge(&other.segment_delays);
        self.trips += other.trips;
    }

    /// Messages that came too late, or not at all.
    #[must_use]
    pub fn late(&self) -> u64 {
        self.messages - self.in_time
    }
}

/// A message of datagrams of which some are missing, or which is behind one.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Pending {
    /// When it was handed over.
    at: Picos,
    /// End of its segments.
    end: u64,
    /// When a segment of a later message was the first to arrive: all of this one had left.
    passed: Picos,
    /// Its segments that have arrived: all before `next`, and those in `ahead`, as end by beginning.
    next: u64,
    ahead: BTreeMap<u64, u64>,
}

impl Pending {
    fn is_complete(&self) -> bool {
        self.next == self.end
    }
}

/// Segments that have arrived.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Arrived {
    /// Of a stream: all before `next`, and those in `ahead`, as end by beginning.
    InOrder { next: u64, ahead: BTreeMap<u64, u64> },
    /// Of datagrams: messages that have begun and are not complete, in order; `next` is the first segment
    /// after them.
    Datagrams { next: u64, pending: VecDeque<Pending> },
}

/// A segment that has reached its receiver.
#[derive(Clone, Copy, Debug)]
pub struct Heard {
    /// Its number in its flow, from 0.
    pub number: u64,
    /// When.
    pub now: Picos,
    /// When it had left.
    pub departure: Picos,
    /// Propagation delay of an answer.
    pub back: Picos,
}

/// The receiver of an explicit flow.
#[derive(Clone, Debug)]
pub struct Reception {
    /// The first message that is not delivered, or not begun for datagrams; none without an application, and
    /// for a video.
    producer: Option<Producer>,
    late_after: Picos,
    arrived: Arrived,
    breaker: Option<Breaker>,
    /// By measured period from 1; the first has what lies outside of them.
    periods: Vec<PeriodRecord>,
}

impl Reception {
    /// The receiver of explicit flow `number`, in a run of so many measured periods.
    #[must_use]
    pub fn new(flow: &ExplicitFlow, number: u32, seed: u64, periods: usize) -> Self {
        let datagrams = !flow.transport.is_tcp();
        let application = flow.application.as_ref();
        let breaker = application.filter(|_| datagrams).map(|application| {
            let (framing, group) = match application.source {
                Source::Frames { rate, key_every, .. } => (1.0 / rate, f64::from(key_every) / rate),
                Source::Constant { rate } => (1.0 / rate, 1.0 / rate),
                Source::OnOff { idle_time, .. } => (idle_time, idle_time),
                Source::Video(_) => unreachable!("a video needs acknowledgements: checked"),
            };
            Breaker::new(picos(flow.start), picos(application.report_interval), framing, group)
        });
        Self {
            producer: Producer::new(flow, number, seed),
            late_after: application.map_or(0, |application| picos(application.late_after)),
            arrived: if datagrams {
                Arrived::Datagrams { next: 0, pending: VecDeque::new() }
            } else {
                Arrived::InOrder { next: 0, ahead: BTreeMap::new() }
            },
            breaker,
            periods: vec![PeriodRecord::default(); periods + 1],
        }
    }

    /// The number of the segment whose low 32 bits are `low`: the next one expected is near.
    #[must_use]
    pub fn expand(&self, low: u32) -> u64 {
        let (Arrived::InOrder { next, .. } | Arrived::Datagrams { next, .. }) = self.arrived;
        next.wrapping_add_signed(i64::from(low.wrapping_sub(next as u32) as i32))
    }

    /// A segment arrives; `period` is the measured period (from 0) of an instant.
    pub fn hear(&mut self, heard: &Heard, period: impl Fn(Picos) -> Option<usize>) {
        let place = |at| period(at).map_or(0, |period| period + 1);
        if let Some(breaker) = &mut self.breaker {
            breaker.arrived(heard.now, heard.number, heard.now - heard.departure + heard.back);
        }
        let is_new = match &mut self.arrived {
            Arrived::InOrder { next, ahead } => insert(next, ahead, heard.number),
            Arrived::Datagrams { next, pending } => {
                while *next <= heard.number {
                    let Some(producer) = &mut self.producer else { break };
                    let Some((at, Act::Give(end))) = producer.next() else { break };
                    if let Some(last) = pending.back_mut() {
                        last.passed = heard.now;
                    }
                    let passed = Picos::MAX;
                    pending.push_back(Pending { at, end, passed, next: *next, ahead: BTreeMap::new() });
                    *next = end;
                    producer.advance();
                }
                let of_it = pending.partition_point(|message| message.end <= heard.number);
                // A second copy is of a complete message, or has its place in the list.
                pending
                    .get_mut(of_it)
                    .is_some_and(|message| insert(&mut message.next, &mut message.ahead, heard.number))
            }
        };
        if !is_new {
            return;
        }
        let record = &mut self.periods[place(heard.departure)];
        record.segments += 1;
        record.segment_delays.add((heard.now - heard.departure) / TIME_UNIT);
        let Some(producer) = &mut self.producer else { return };
        let late_after = self.late_after;
        let mut deliver = |at: Picos| {
            let delay = heard.now - at;
            let record = &mut self.periods[place(at)];
            record.messages += 1;
            record.delivered += 1;
            record.in_time += u64::from(delay <= late_after);
            record.delays.add(delay / TIME_UNIT);
        };
        match &mut self.arrived {
            Arrived::InOrder { next, .. } => {
                while let Some((at, Act::Give(end))) = producer.next() {
                    if end > *next {
                        break;
                    }
                    deliver(at);
                    producer.advance();
                }
            }
            Arrived::Datagrams { pending, .. } => {
                let of_it = pending.partition_point(|message| message.end <= heard.number);
                if let Some(message) = pending.get(of_it) {
                    if message.is_complete() {
                        deliver(message.at);
                    }
                }
                while let Some(first) = pending.front() {
                    if !first.is_complete() && first.passed.saturating_add(OLDEST) >= heard.now {
                        break;
                    }
                    self.periods[place(first.at)].messages += u64::from(!first.is_complete());
                    pending.pop_front();
                }
            }
        }
    }

    /// Segments received so far, each once.
    #[must_use]
    pub fn segments(&self) -> u64 {
        self.periods.iter().map(|record| record.segments).sum()
    }

    /// The records by measured period, from 0, as they stand at `now`. Messages that have not been delivered,
    /// but could still be in time, count in none.
    #[must_use]
    pub fn records(&self, now: Picos, period: impl Fn(Picos) -> Option<usize>) -> Vec<PeriodRecord> {
        let mut periods = self.periods.clone();
        let place = |at| period(at).map_or(0, |period| period + 1);
        let mut miss = |at: Picos| {
            if now.saturating_sub(at) > self.late_after {
                periods[place(at)].messages += 1;
            }
        };
        if let Arrived::Datagrams { pending, .. } = &self.arrived {
            pending.iter().filter(|message| !message.is_complete()).for_each(|message| miss(message.at));
        }
        if let Some(mut producer) = self.producer.clone() {
            while let Some((at, Act::Give(_))) = producer.next() {
                if at >= now {
                    break;
                }
                miss(at);
                producer.advance();
            }
        }
        if let Some(mut breaker) = self.breaker.clone() {
            breaker.pass(now);
            breaker.trips.iter().for_each(|at| periods[place(*at)].trips += 1);
        }
        periods.split_off(1)
    }

    /// Writes or replaces what changes during a run.
    ///
    /// # Errors
    /// [`BadSnapshot`] where the bytes are none of it.
    pub fn pass(&mut self, passage: &mut Passage) -> Result<(), BadSnapshot> {
        let Self { producer, late_after: _, arrived, breaker, periods } = self;
        if let Some(producer) = producer {
            producer.pass(passage)?;
        }
        passage.field(arrived)?;
        passage.field(breaker)?;
        passage.field(periods)
    }
}

/// Adds segment `number` to those that have arrived; returns whether it is new.
fn insert(next: &mut u64, ahead: &mut BTreeMap<u64, u64>, number: u64) -> bool {
    if number < *next || ahead.range(..=number).next_back().is_some_and(|(_, end)| number < *end) {
        return false;
    }
    if number > *next {
        let end = ahead.remove(&(number + 1)).unwrap_or(number + 1);
        match ahead.range_mut(..number).next_back() {
            Some((_, before)) if *before == number => *before = end,
            _ => {
                ahead.insert(number, end);
            }
        }
        return true;
    }
    *next = ahead.remove(&(number + 1)).unwrap_or(number + 1);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// In any order of arrival each segment is new once, and `next` is the first missing segment.
        #[test]
        fn arrivals_agree_with_a_set(numbers in proptest::collection::vec(0u64..40, 0..200)) {
            let (mut next, mut ahead) = (0, BTreeMap::new());
            let mut set = BTreeSet::new();
            for number in numbers {
                prop_assert_eq!(insert(&mut next, &mut ahead, number), set.insert(number));
                prop_assert_eq!(next, (0..).find(|n| !set.contains(n)).unwrap());
                let beyond: BTreeSet<u64> = ahead.iter().flat_map(|(begin, end)| *begin..*end).collect();
                prop_assert!(beyond.iter().eq(set.range(next..)));
            }
        }
    }
}
