//! Controlled delay (CoDel, RFC 8289): drops at the head while segments wait for longer than a target.

use super::constants::constants;
use super::fifo::Fifo;
use super::queue::{Draws, Holds, QueueFacts, Signals, Waiting};
use mesonet_cc::{Picos, picos};
use serde::{Deserialize, Serialize};

constants! {
    /// Delay that is accepted, s.
    "codel_target" => target: f64, 1e-6 to 10.0;
    /// Time above the target before the first drop, s.
    "codel_interval" => interval: f64, 1e-6 to 100.0;
}

/// The constants of the control law.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Law {
    target: Picos,
    interval: Picos,
}

impl Law {
    /// The constants of a scenario.
    #[must_use]
    pub fn new(of: &Constants) -> Self {
        Self { target: picos(of.target), interval: picos(of.interval) }
    }
}

/// The state of the control law of a queue (RFC 8289, section 5).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Control {
    /// When the delay will have been above the target for an interval; 0 while it is below.
    first_above: Picos,
    /// When the next segment is dropped.
    drop_next: Picos,
    /// Drops since the dropping state began, and how many there had been when the last one ended.
    count: u32,
    last_count: u32,
    dropping: bool,
}

impl Control {
    /// A segment passes an empty queue.
    pub fn pass(&mut self) {
        self.first_above = 0;
        self.dropping = false;
    }

    /// The first segment, and whether it may be dropped: for an interval none has waited for less than the
    /// target.
    fn take(
        &mut self,
        queue: &mut Fifo,
        now: Picos,
        facts: &QueueFacts,
        law: Law,
    ) -> (Option<Waiting>, bool) {
        let Some(first) = queue.pop() else {
            self.first_above = 0;
            return (None, false);
        };
        // A queue of one segment or less is no standing queue.
        if now - first.since < law.target || queue.bytes() <= u64::from(facts.bytes) {
            self.first_above = 0;
            return (Some(first), false);
        }
        if self.first_above == 0 {
            self.first_above = now + law.interval;
            return (Some(first), false);
        }
        (Some(first), now >= self.first_above)
    }

    /// When the next segment is to be dropped: intervals shorten with the root of the number of drops.
    fn later(&self, from: Picos, law: Law) -> Picos {
        from + (law.interval as f64 / libm::sqrt(f64::from(self.count))).round() as Picos
    }

    /// The next segment to be served.
    pub fn dequeue(
        &mut self,
        queue: &mut Fifo,
        now: Picos,
        facts: &QueueFacts,
        law: Law,
        signals: &mut Signals,
    ) -> Option<Waiting> {
        let (mut first, mut too_long) = self.take(queue, now, facts, law);
        if self.dropping {
            if !too_long {
                self.dropping = false;
            }
            while self.dropping && now >= self.drop_next {
                let Some(mut dropped) = first else { break };
                self.count += 1;
                if dropped.may_be_marked() {
                    signals.mark(&mut dropped);
                    self.drop_next = self.later(self.drop_next, law);
                    return Some(dropped);
                }
                signals.dropped.push(dropped);
                (first, too_long) = self.take(queue, now, facts, law);
                if too_long {
                    self.drop_next = self.later(self.drop_next, law);
                } else {
                    self.dropping = false;
                }
            }
            return first;
        }
        if let (Some(mut dropped), true) = (first, too_long) {
            if dropped.may_be_marked() {
                signals.mark(&mut dropped);
                first = Some(dropped);
            } else {
                signals.dropped.push(dropped);
                first = self.take(queue, now, facts, law).0;
            }
            self.dropping = true;
            // If it has not been long since the last time, the rate that controlled the queue then is a
            // better start.
            let since = self.count - self.last_count;
            let recent = now.saturating_sub(self.drop_next) < 16 * law.interval;
            self.count = if since > 1 && recent { since } else { 1 };
            self.drop_next = self.later(now, law);
            self.last_count = self.count;
        }
        first
    }
}

/// A queue under control.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Codel {
    facts: QueueFacts,
    law: Law,
    queue: Fifo,
    control: Control,
}

impl Codel {
    /// An empty queue.
    #[must_use]
    pub fn new(of: &Constants, facts: QueueFacts) -> Self {
        Self { facts, law: Law::new(of), queue: Fifo::default(), control: Control::default() }
    }
}

impl Holds for Codel {
    fn enqueue(&mut self, _: Picos, arrival: Waiting, in_service: u32, signals: &mut Signals) {
        let bytes = self.queue.bytes() + u64::from(arrival.bytes);
        if self.facts.is_over(bytes, self.queue.len() + 1, in_service) {
            signals.dropped.push(arrival);
        } else {
            self.queue.push(arrival);
        }
    }

    fn dequeue(&mut self, now: Picos, _: &mut Draws, signals: &mut Signals) -> Option<Waiting> {
        self.control.dequeue(&mut self.queue, now, &self.facts, self.law, signals)
    }

    fn through(&mut self, _: Picos, arrival: Waiting, _: &mut Draws, _: &mut Signals) -> Option<Waiting> {
        self.control.pass();
        Some(arrival)
    }

    fn waiting(&self) -> Vec<Waiting> {
        self.queue.iter().collect()
    }

    fn len(&self) -> usize {
        self.queue.len()
    }
}
