//! Dual queue, coupled, with PI2 (RFC 9332, appendix A): scalable flows have a queue of their own, whose
//! marks follow the probability of the classic one.

use super::constants::constants;
use super::fifo::Fifo;
use super::pi::{self, Controller, most_marked};
use super::queue::{Draws, Holds, QueueFacts, Signals, Waiting};
use mesonet_cc::{Picos, picos};
use serde::{Deserialize, Serialize};

constants! {
    /// Scalable segments that waited for longer are marked, s.
    "dualpi2_step" => step: f64, 0.0 to 10.0;
    /// These found so many others in the queue of scalable flows, segments.
    "dualpi2_step_floor" => step_floor: u64, 0.0 to 1e9;
    /// Least share of classic flows.
    "dualpi2_classic_share" => classic_share: f64, 0.01 to 0.99;
}

/// Both queues and their controller.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Dualpi2 {
    facts: QueueFacts,
    scalable: Fifo,
    classic: Fifo,
    controller: Controller,
    coupling: f64,
    most_marked: f64,
    /// Scalable segments that waited for longer are marked.
    step: Picos,
    /// ... if they found so many others.
    step_floor: u64,
    /// Weights of the classic and of the scalable queue, in percent.
    weights: [i64; 2],
    /// Positive while it is the classic queue's turn; in bytes and percent.
    credit: i64,
}

impl Dualpi2 {
    /// Empty queues.
    #[must_use]
    pub fn new(pi: &pi::Constants, of: &Constants, facts: QueueFacts) -> Self {
        let share: f64 = 100.0 * of.classic_share;
        let classic = share.round() as i64;
        Self {
            facts,
            scalable: Fifo::default(),
            classic: Fifo::default(),
            controller: Controller::new(pi),
            coupling: pi.coupling,
            most_marked: most_marked(pi.coupling),
            step: picos(of.step),
            step_floor: of.step_floor,
            weights: [classic, 100 - classic],
            credit: 0,
        }
    }

    /// Credit while one queue is empty: the queue with the larger weight begins.
    fn first_credit(&self) -> i64 {
        i64::from(self.facts.bytes) * (self.weights[0] - self.weights[1])
    }

    /// The updates until now. Between two events no queue changes but by the time that its first segment has
    /// waited.
    fn catch_up(&mut self, now: Picos) {
        let since = [&self.classic, &self.scalable].map(|queue| queue.front().map(|first| first.since));
        let waited = |at: Picos| since.into_iter().flatten().map(|since| at.saturating_sub(since)).max();
        self.controller.catch_up(now, |at| waited(at).unwrap_or(0));
    }

    /// The next segment by weighted turns, as in sch_dualpi2 of Linux: the classic queue has at least its
    /// share of bytes.
    fn next(&mut self) -> Option<(Waiting, bool)> {
        let both = !self.scalable.is_empty() && !self.classic.is_empty();
        let scalable = !self.scalable.is_empty() && (self.classic.is_empty() || self.credit <= 0);
        let queue = if scalable { &mut self.scalable } else { &mut self.classic };
        let first = queue.pop()?;
        let bytes = first.bytes as i64;
        if both {
            self.credit += if scalable { self.weights[0] * bytes } else { -self.weights[1] * bytes };
        } else {
            self.credit = self.first_credit();
        }
        Some((first, scalable))
    }
}

impl Holds for Dualpi2 {
    const KEEPS_ORDER: bool = false;

    fn enqueue(&mut self, now: Picos, mut arrival: Waiting, in_service: u32, signals: &mut Signals) {
        self.catch_up(now);
        let bytes = self.scalable.bytes() + self.classic.bytes() + u64::from(arrival.bytes);
        if self.facts.is_over(bytes, self.len() + 1, in_service) {
            signals.dropped.push(arrival);
            return;
        }
        let queue = if !arrival.is_ack && arrival.segment.is_scalable() {
            arrival.may_step = self.scalable.len() as u64 >= self.step_floor;
            &mut self.scalable
        } else {
            &mut self.classic
        };
        queue.push(arrival);
    }

    fn dequeue(&mut self, now: Picos, draws: &mut Draws, signals: &mut Signals) -> Option<Waiting> {
        self.catch_up(now);
        while let Some((mut first, scalable)) = self.next() {
            let base = self.controller.probability;
            let classic = base * base;
            let overloaded = classic >= self.most_marked;
            if scalable {
                // In overload scalable segments are dropped as classic ones are, and all others are marked.
                if overloaded && draws.uniform() < classic {
                    signals.dropped.push(first);
                    continue;
                }
                let waited = now - first.since;
                if (first.may_step && waited > self.step) || draws.uniform() < self.coupling * base {
                    signals.mark(&mut first);
                }
                return Some(first);
            }
            if draws.uniform() < classic {
                if !first.may_be_marked() || overloaded {
                    signals.dropped.push(first);
                    continue;
                }
                signals.mark(&mut first);
            }
            return Some(first);
        }
        None
    }

    fn waiting(&self) -> Vec<Waiting> {
        self.scalable.iter().chain(self.classic.iter()).collect()
    }

    fn len(&self) -> usize {
        self.scalable.len() + self.classic.len()
    }
}
