//! The largest possible gain of several threads over one: the bound that the domains of each window set.
//!
//! A window takes as long as its busiest thread. Threads take domains as in [`super::threads`]: the next in
//! the order whenever they are free, those with most work in the last windows first. Work is counted in
//! events at fixed costs, so that the bound is the same on every machine.

use super::look::Look;
use super::threads::WINDOWS_OF_AN_ORDER;
use std::cmp::Reverse;

/// Nanoseconds of a segment at a router: 14 to 20 where measured (`docs/explanation/engine-speed.md`).
const HOP_NS: u64 = 20;
/// Nanoseconds of a data segment at its source, from departure to acknowledgement (measured on exp-2a).
const SEGMENT_NS: u64 = 60;
/// Nanoseconds between two windows, in which one thread hands over what left the domains (measured on
/// exp-2a).
const EXCHANGE_NS: u64 = 5_000;

/// The time of all windows so far, by number of threads.
#[derive(Clone, Debug)]
pub struct WindowTimes {
    threads: Vec<usize>,
    /// Time with each number of threads, ns.
    times: Vec<u64>,
    /// Time with one thread, ns.
    alone: u64,
    windows: u32,
    /// Work of each domain until the last window, and since the domains were last put in order, ns.
    before: Vec<u64>,
    recent: Vec<u64>,
    order: Vec<usize>,
}

impl WindowTimes {
    /// No window has ended since this look.
    pub fn new(threads: &[usize], look: &Look) -> Self {
        Self::since(threads, work(look))
    }

    /// No window has ended since the domains had worked `before`.
    fn since(threads: &[usize], before: Vec<u64>) -> Self {
        let domains = before.len();
        Self {
            threads: threads.to_vec(),
            times: vec![0; threads.len()],
            alone: 0,
            windows: 0,
            before,
            recent: vec![0; domains],
            order: (0..domains).collect(),
        }
    }

    /// A window ended: a look at the instant before the next one begins.
    pub fn window_ended(&mut self, look: &Look) {
        self.add(work(look));
    }

    /// Largest possible speed of each number of threads over the speed of one thread, in the windows that
    /// were watched.
    #[allow(clippy::cast_precision_loss)]
    pub fn bounds(&self) -> Vec<(usize, f64)> {
        let ratio = |time: &u64| self.alone as f64 / *time as f64;
        self.threads.iter().copied().zip(self.times.iter().map(ratio)).collect()
    }

    /// A window ended, until which the domains had worked `until`.
    fn add(&mut self, until: Vec<u64>) {
        let work: Vec<u64> = until.iter().zip(&self.before).map(|(until, before)| until - before).collect();
        self.alone += EXCHANGE_NS + work.iter().sum::<u64>();
        let in_order: Vec<u64> = self.order.iter().map(|domain| work[*domain]).collect();
        for (time, threads) in self.times.iter_mut().zip(&self.threads) {
            *time += EXCHANGE_NS + longest(&in_order, *threads);
        }
        self.before = until;
        self.recent.iter_mut().zip(work).for_each(|(recent, work)| *recent += work);
        self.windows += 1;
        if self.windows % WINDOWS_OF_AN_ORDER == 0 {
            let recent = std::mem::replace(&mut self.recent, vec![0; self.order.len()]);
            self.order.sort_by_key(|domain| (Reverse(recent[*domain]), *domain));
        }
    }
}

/// When the last of `threads` ends that take the next piece of work whenever they are free.
fn longest(work: &[u64], threads: usize) -> u64 {
    let mut ends = vec![0; threads];
    for piece in work {
        let free = ends.iter_mut().min().expect("there is a thread");
        *free += piece;
    }
    ends.into_iter().max().unwrap_or(0)
}

/// Work of each domain so far, ns.
fn work(look: &Look) -> Vec<u64> {
    let mut work: Vec<u64> =
        look.domains.iter().map(|domain| SEGMENT_NS * domain.counters().data_sent).collect();
    for (domain, hops) in look.hops() {
        work[domain.index()] += HOP_NS * hops;
    }
    work
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_take_the_next_piece_when_they_are_free() {
        assert_eq!(longest(&[5, 4, 3, 3], 1), 15);
        assert_eq!(longest(&[5, 4, 3, 3], 2), 8);
        assert_eq!(longest(&[3, 3, 4, 5], 2), 8);
        assert_eq!(longest(&[3, 3, 3, 5], 2), 8);
        assert_eq!(longest(&[5, 4, 3, 3], 8), 5);
    }

    #[test]
    fn domains_are_put_in_order_of_their_work() {
        let mut times = WindowTimes::since(&[2], vec![0, 0, 0]);
        for windows in 1..=u64::from(WINDOWS_OF_AN_ORDER) {
            times.add(vec![windows, windows, 2 * windows]);
        }
        let windows = u64::from(WINDOWS_OF_AN_ORDER);
        assert_eq!(times.times, [windows * (EXCHANGE_NS + 3)]);
        times.add(vec![windows + 1, windows + 1, 2 * windows + 2]);
        assert_eq!(times.times, [windows * (EXCHANGE_NS + 3) + EXCHANGE_NS + 2]);
        assert_eq!(times.alone, (windows + 1) * (EXCHANGE_NS + 4));
    }
}
