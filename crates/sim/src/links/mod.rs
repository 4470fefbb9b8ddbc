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

/// Instants at which a link carries nothing: what leaves the queue then is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// Beginning of the first.
    pub start: Picos,
    /// Length of each.
    pub length: Picos,
    /// Distance between two beginnings; 0 for only one.
    pub period: Picos,
}

impl Outage {
    fn has(&self, time: Picos) -> bool {
        let Some(since) = time.checked_sub(self.start) else { return false };
        let since = if self.period > 0 { since % self.period } else { since };
        since < self.length
    }
}

/// A token bucket without a queue: what finds too few tokens is lost (RFC 2697, color-blind, without the
/// excess burst).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policer {
    /// Time in which the tokens of a data segment of `bytes` come.
    pub service: Picos,
    /// Bytes of such a segment.
    pub bytes: u32,
    /// Time in which a full bucket comes.
    pub burst: Picos,
}

/// Values that hold for a while each, in turn: delays that are added, or laws of random ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps<T = Picos> {
    /// Since when, and the value; rising by time, the first at 0.
    pub steps: Vec<(Picos, T)>,
    /// After how long they begin again; 0 for never.
    pub period: Picos,
}

impl<T: Copy> Steps<T> {
    fn at(&self, time: Picos) -> T {
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
    pub loss: Option<Loss>,
    /// Nothing but that happens.
    pub only_loses: bool,
    /// Random delays.
    pub jitter: Option<Jitter>,
    /// Random delays whose law follows the time, in place of `jitter`.
    pub jitters: Option<Steps<Jitter>>,
    /// Time for which a random delay holds for all segments; 0 for each a delay of its own.
    pub slot: Picos,
    /// Segments wait for those that left before them.
    pub keeps_order: bool,
    /// Probability that a segment is late, and by how much.
    pub late: (f64, Picos),
    /// Times without delivery.
    pub outage: Option<Outage>,
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
        jitters: None,
        slot: 0,
        keeps_order: true,
        late: (0.0, 0),
        outage: None,
        policer: None,
        steps: None,
        failures: Vec::new(),
    };

    /// The link is down.
    fn has_failed(&self, time: Picos) -> bool {
        let begun = self.failures.partition_point(|[start, _]| *start <= time);
        begun.checked_sub(1).is_some_and(|last| time < self.failures[last][1])
    }

    /// They may delay a segment.
    #[must_use]
    pub fn delay(&self) -> bool {
        self.longest_delay() > 0
    }

    /// The law of random delays at this time.
    fn jitter_at(&self, time: Picos) -> Option<Jitter> {
        self.jitters.as_ref().map_or(self.jitter, |jitters| Some(jitters.at(time)))
    }

    /// The longest delay that they add; of random delays all but one in 1e16.
    #[must_use]
    pub fn longest_delay(&self) -> Picos {
        let steps =
            self.steps.as_ref().map_or(0, |steps| steps.steps.iter().map(|step| step.1).max().unwrap_or(0));
        let (probability, by) = self.late;
        let late = if probability > 0.0 { by } else { 0 };
        let laws = self.jitters.iter().flat_map(|jitters| jitters.steps.iter().map(|step| step.1));
        steps + late + laws.chain(self.jitter).map(Jitter::longest).max().unwrap_or(0)
    }
}

/// The fate of a segment that crosses a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It does not arrive.
    Lost,
    /// It arrives so much later than the propagation delay lets it.
    Late(Picos),
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
    /// When the bucket of the policer will be full.
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
        if rules.has_failed(time) {
            return Fate::Lost;
        }
        if !rules.concerns[usize::from(is_ack)] {
            return Fate::Late(0);
        }
        let dropped = self.loses(rules, segment, is_ack)
            || rules.outage.is_some_and(|outage| outage.has(time))
            || rules.policer.is_some_and(|policer| !self.conforms(policer, time, bytes));
        if dropped {
            return Fate::Lost;
        }
        let mut late = rules.steps.as_ref().map_or(0, |steps| steps.at(time));
        if let Some(jitter) = rules.jitter_at(time) {
            late += match time.checked_div(rules.slot) {
                None => jitter.draw(&mut self.luck(Luck::Jitter, segment, is_ack)),
                Some(slot) => jitter.draw(&mut Draw::new(mix(mix(self.key ^ Luck::Slot as u64) ^ slot))),
            };
        }
        let (probability, by) = rules.late;
        if probability > 0.0 && self.luck(Luck::Reorder, segment, is_ack).uniform() < probability {
            late += by;
        }
        Fate::Late(late)
    }

    /// The link loses a segment by chance.
    #[inline]
    pub fn loses(&mut self, rules: &Rules, segment: &Segment, is_ack: bool) -> bool {
        let Some(loss) = rules.loss.filter(|_| rules.concerns[usize::from(is_ack)]) else { return false };
        if loss.leaves[0] != Chance(0) {
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
    fn conforms(&mut self, policer: Policer, time: Picos, bytes: u32) -> bool {
        let product = u128::from(policer.service) * u128::from(bytes);
        let tokens = product.div_ceil(u128::from(policer.bytes)) as Picos;
        let full_at = self.full_at.max(time) + tokens;
        if full_at - time > policer.burst {
            return false;
        }
        self.full_at = full_at;
        true
    }
}

#[cfg(test)]
mod tests;
