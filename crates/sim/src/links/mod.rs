//! Links that lose, delay and reorder what crosses them, and rates that vary.
//!
//! A segment crosses a link when it leaves the queue before it. Its luck belongs to the link and to its place
//! in its flow, never to the order of events: two runs that send the same segments lose the same ones. The
//! state of a link that loses in bursts moves with each segment that crosses it.

mod clock;
mod jitter;

pub use clock::{Clock, Piece};
pub use jitter::{Jitter, WIFI_MEANS};

use crate::engine::Segment;
use crate::random::{Purpose, Stream};
use mesonet_cc::Picos;
use mesonet_cc::draw::{Draw, mix};
use serde::{Deserialize, Serialize};

/// Purposes of the draws of one segment.
#[derive(Clone, Copy)]
enum Luck {
    Jitter = 1,
    Reorder = 2,
    State = 3,
    Slot = 4,
    Duplicate = 5,
}

/// Loss in two states (Gilbert 1960, Elliott 1963); with one state that it never leaves, independent of the
/// past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Chance that a segment is lost in the good state, and in the bad one.
    lost: [Chance; 2],
    /// Chance that a segment ends the good state, and the bad one.
    leaves: [Chance; 2],
}

impl Loss {
    /// From the probability that a segment is lost, and that it ends the state, in the good state and in the
    /// bad one.
    #[must_use]
    pub fn new(lost: [f64; 2], leaves: [f64; 2]) -> Self {
        Self { lost: lost.map(Chance::new), leaves: leaves.map(Chance::new) }
    }
}

/// A probability as the number of equally likely cases in which something happens, of [`Chance::CASES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Chance(u64);

impl Chance {
    const CASES: f64 = 9_007_199_254_740_992.0;

    fn new(probability: f64) -> Self {
        Self((probability * Self::CASES).ceil() as u64)
    }

    /// Returns whether it happens for these random bits.
    #[inline]
    fn happens(self, bits: u64) -> bool {
        bits >> 11 < self.0
    }
}

/// Times in which a link carries nothing: what leaves the queue then is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outages {
    /// Instant from which the times below count.
    pub since: Picos,
    /// Beginning and end of each, rising.
    pub spans: Vec<[Picos; 2]>,
    /// After how long they begin again; 0 for never.
    pub period: Picos,
}

impl Outages {
    fn has(&self, time: Picos) -> bool {
        let Some(since) = time.checked_sub(self.since) else { return false };
        is_within(&self.spans, if self.period > 0 { since % self.period } else { since })
    }
}

/// Returns whether a time is in one of these spans, which rise.
fn is_within(spans: &[[Picos; 2]], time: Picos) -> bool {
    let begun = spans.partition_point(|[start, _]| *start <= time);
    begun.checked_sub(1).is_some_and(|last| time < spans[last][1])
}

/// A token bucket without a queue: what finds too few tokens is lost (RFC 2697, color-blind, without the
/// excess burst).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policer {
    /// Time in which the tokens of a data segment of `bytes` come, at the rate of the clock if there is one.
    pub service: Picos,
    /// Bytes of such a segment.
    pub bytes: u32,
    /// Time in which a full bucket comes.
    pub burst: Steps,
    /// Clock of the tokens; none where their rate is constant.
    pub clock: Option<Clock>,
}

/// Values that hold for a while each, in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps<T = Picos> {
    /// Since when, and the value; rising by time, the first at 0.
    pub steps: Vec<(Picos, T)>,
    /// After how long they begin again; 0 for never.
    pub period: Picos,
}

impl<T: Copy> Steps<T> {
    /// One value for all times.
    #[must_use]
    pub fn constant(value: T) -> Self {
        Self { steps: vec![(0, value)], period: 0 }
    }

    /// All values.
    pub fn values(&self) -> impl Iterator<Item = T> {
        self.steps.iter().map(|(_, value)| *value)
    }

    /// The value at a time.
    #[must_use]
    pub fn at(&self, time: Picos) -> T {
        let time = if self.period > 0 { time % self.period } else { time };
        let past = self.steps.partition_point(|(since, _)| *since <= time);
        self.steps[past - 1].1
    }
}

/// Effects of links on the segments that cross them.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// They concern data, and acknowledgements.
    pub concerns: [bool; 2],
    /// Random loss.
    pub loss: Option<Steps<Loss>>,
    /// Nothing but that happens.
    pub only_loses: bool,
    /// Random delays.
    pub jitter: Option<Steps<Jitter>>,
    /// Time for which a random delay holds for all segments; 0 for each a delay of its own.
    pub slot: Picos,
    /// Segments wait for those that left before them.
    pub keeps_order: bool,
    /// Probability that a segment is late, and by how much.
    pub late: Option<Steps<(f64, Picos)>>,
    /// Probability that a segment arrives twice.
    pub duplicate: Option<Steps<f64>>,
    /// Times without delivery.
    pub outages: Option<Outages>,
    /// A limit on the rate.
    pub policer: Option<Policer>,
    /// Delays that follow the time.
    pub steps: Option<Steps>,
    /// Beginning and end of the times for which the link is down, rising: whatever leaves for it then is
    /// lost.
    pub failures: Vec<[Picos; 2]>,
}

impl Rules {
    /// Rules of a perfect link.
    pub const PERFECT: Self = Self {
        concerns: [true; 2],
        loss: None,
        only_loses: false,
        jitter: None,
        slot: 0,
        keeps_order: true,
        late: None,
        duplicate: None,
        outages: None,
        policer: None,
        steps: None,
        failures: Vec::new(),
    };

    /// They may delay a segment.
    #[must_use]
    pub fn delay(&self) -> bool {
        self.longest_delay() > 0
    }

    /// The longest delay that they add; of random delays all but one in 1e16.
    #[must_use]
    pub fn longest_delay(&self) -> Picos {
        let steps = self.steps.iter().flat_map(Steps::values).max();
        let late =
            self.late.iter().flat_map(Steps::values).filter(|late| late.0 > 0.0).map(|late| late.1).max();
        let jitter = self.jitter.iter().flat_map(Steps::values).map(Jitter::longest).max();
        [steps, late, jitter].into_iter().flatten().sum()
    }
}

/// The fate of a segment that crosses a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It does not arrive.
    Lost,
    /// It arrives so much later than the propagation delay lets it.
    Late(Picos),
    /// As late, and a second time at once.
    Twice(Picos),
}

/// State of a link that changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkState {
    /// Bits that name the link in this run.
    key: u64,
    /// Segments that have crossed it, if its state changes.
    crossed: u64,
    /// It is in the bad state.
    is_bad: bool,
    /// When the bucket of the policer will be full, on the clock of its tokens.
    full_at: Picos,
}

impl LinkState {
    /// The link with this number at the beginning of a run.
    #[must_use]
    pub fn new(seed: u64, lane: usize) -> Self {
        let key = Stream::new(seed, Purpose::Link, lane as u64, 0).bits();
        Self { key, ..Self::default() }
    }

    /// Random bits of a segment. A retransmission has others than the first transmission.
    #[inline]
    fn bits(&self, segment: &Segment, is_ack: bool) -> u64 {
        let name = u64::from(segment.flow.0) << 32 | u64::from(segment.sequence);
        let key = if is_ack { !self.key } else { self.key };
        let bits = mix(key ^ name);
        if segment.is_copy() { mix(bits ^ segment.departure_bits()) } else { bits }
    }

    /// Random numbers of a segment for one purpose.
    fn luck(&self, of: Luck, segment: &Segment, is_ack: bool) -> Draw {
        Draw::new(mix(self.bits(segment, is_ack) ^ of as u64))
    }

    /// A segment of `bytes` crosses the link: it leaves the queue before it at `time`.
    pub fn cross(&mut self, rules: &Rules, time: Picos, segment: &Segment, is_ack: bool, bytes: u32) -> Fate {
        if is_within(&rules.failures, time) {
            return Fate::Lost;
        }
        if !rules.concerns[usize::from(is_ack)] {
            return Fate::Late(0);
        }
        let dropped = self.loses(rules, time, segment, is_ack)
            || rules.outages.as_ref().is_some_and(|outages| outages.has(time))
            || rules.policer.as_ref().is_some_and(|policer| !self.conforms(policer, time, bytes));
        if dropped {
            return Fate::Lost;
        }
        let mut late = rules.steps.as_ref().map_or(0, |steps| steps.at(time));
        if let Some(jitter) = rules.jitter.as_ref().map(|jitter| jitter.at(time)) {
            late += match time.checked_div(rules.slot) {
                None => jitter.draw(&mut self.luck(Luck::Jitter, segment, is_ack)),
                Some(slot) => jitter.draw(&mut Draw::new(mix(mix(self.key ^ Luck::Slot as u64) ^ slot))),
            };
        }
        let happens = |of: Luck, probability: f64| {
            probability > 0.0 && self.luck(of, segment, is_ack).uniform() < probability
        };
        if let Some((probability, by)) = rules.late.as_ref().map(|late| late.at(time)) {
            late += if happens(Luck::Reorder, probability) { by } else { 0 };
        }
        match &rules.duplicate {
            Some(duplicate) if happens(Luck::Duplicate, duplicate.at(time)) => Fate::Twice(late),
            _ => Fate::Late(late),
        }
    }

    /// The link loses a segment at `time` by chance.
    #[inline]
    pub fn loses(&mut self, rules: &Rules, time: Picos, segment: &Segment, is_ack: bool) -> bool {
        let Some(loss) = &rules.loss else { return false };
        if !rules.concerns[usize::from(is_ack)] {
            return false;
        }
        let loss = loss.at(time);
        if loss.leaves[0] == Chance(0) {
            self.is_bad = false;
        } else {
            self.move_on(loss);
        }
        loss.lost[usize::from(self.is_bad)].happens(self.bits(segment, is_ack))
    }

    /// One more segment may change the state of the link.
    fn move_on(&mut self, loss: Loss) {
        self.crossed += 1;
        let bits = mix(mix(self.key ^ Luck::State as u64) ^ self.crossed);
        self.is_bad ^= loss.leaves[usize::from(self.is_bad)].happens(bits);
    }

    /// The bucket has tokens for a segment, which takes them.
    fn conforms(&mut self, policer: &Policer, time: Picos, bytes: u32) -> bool {
        let product = u128::from(policer.service) * u128::from(bytes);
        let tokens = product.div_ceil(u128::from(policer.bytes)) as Picos;
        let now = policer.clock.as_ref().map_or(time, |clock| clock.work(time));
        let full_at = self.full_at.max(now) + tokens;
        if full_at - now > policer.burst.at(time) {
            return false;
        }
        self.full_at = full_at;
        true
    }
}

#[cfg(test)]
mod tests;
