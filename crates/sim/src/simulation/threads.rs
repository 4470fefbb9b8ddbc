//! Windows on several threads: each free thread takes the next domain of the window, those with most work
//! first.
//!
//! The calling thread works too, so that threads which the system does not run cost nothing; it alone hands
//! over what left the domains. Which thread advances a domain changes nothing in what the domain does. A
//! thread that waits for long sleeps, so that other programs have its processor.

use super::domain::Domain;
use super::shared::Shared;
use super::waiting::Waiting;
use super::windows::{exchange, window};
use mesonet_cc::Picos;
use mesonet_cc::plugin::Shown;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Windows after which the domains are ordered anew by the work that they had (chosen: a sort is a
/// microsecond).
pub const WINDOWS_OF_AN_ORDER: u32 = 64;

/// The threads of a run as they share the domains of one window after another.
struct WorkerPool<'a> {
    shared: &'a Shared,
    domains: Vec<Mutex<&'a mut Domain>>,
    /// Domains in the order in which they are taken.
    order: Vec<AtomicUsize>,
    /// The next place in the order to be taken; none is left from the number of domains on.
    next: AtomicUsize,
    /// End of the window.
    end: AtomicU64,
    /// Domains that are done with the window.
    done: AtomicUsize,
    /// No window will come.
    over: AtomicBool,
    /// Threads that wait for a window, or for the end of one.
    waiting: Waiting,
}

/// Counts a domain as done, even if the thread panics.
struct Done<'a, 'b>(&'a WorkerPool<'b>);

impl Drop for Done<'_, '_> {
    fn drop(&mut self) {
        if self.0.done.fetch_add(1, Ordering::SeqCst) + 1 == self.0.domains.len() {
            self.0.waiting.wake();
        }
    }
}

/// Ends the other threads, even if this one panics.
struct Over<'a, 'b>(&'a WorkerPool<'b>);

impl Drop for Over<'_, '_> {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::SeqCst);
        self.0.waiting.wake();
    }
}

/// Everything that happens before `limit`, on `threads` threads.
pub fn run_before(shared: &Shared, domains: &mut [Domain], threads: usize, limit: Picos) {
    let count = domains.len();
    let pool = WorkerPool {
        shared,
        domains: domains.iter_mut().map(Mutex::new).collect(),
        order: (0..count).map(AtomicUsize::new).collect(),
        next: AtomicUsize::new(count),
        end: AtomicU64::new(0),
        done: AtomicUsize::new(count),
        over: AtomicBool::new(false),
        waiting: Waiting::default(),
    };
    std::thread::scope(|scope| {
        let over = Over(&pool);
        for _ in 1..threads {
            scope.spawn(|| pool.serve());
        }
        let mut before = vec![0; count];
        let mut windows = 0;
        let mut next = pool.with_all(|domains| window(domains, shared, limit));
        while let Some(end) = next {
            pool.open(end);
            while pool.take() {}
            pool.waiting.until(|| pool.done.load(Ordering::SeqCst) == count);
            windows += 1;
            shared.raise_fault();
            next = pool.with_all(|domains| {
                exchange(shared, domains);
                if windows % WINDOWS_OF_AN_ORDER == 0 {
                    pool.put_in_order(domains, &mut before);
                }
                window(domains, shared, limit)
            });
        }
        drop(over);
    });
}

impl WorkerPool<'_> {
    /// Does something with all domains, which no thread is at work on.
    fn with_all<T>(&self, act: impl FnOnce(&mut [&mut Domain]) -> T) -> T {
        let lock = |domain| Mutex::lock(domain).expect("a thread panicked");
        let mut guards: Vec<MutexGuard<&mut Domain>> = self.domains.iter().map(lock).collect();
        act(&mut guards.iter_mut().map(|guard| &mut ***guard).collect::<Vec<_>>())
    }

    /// Puts the domains that had most work since the last order first, because the longest decides when a
    /// window ends.
    fn put_in_order(&self, domains: &[&mut Domain], before: &mut [u64]) {
        let mut work: Vec<(u64, usize)> = Vec::with_capacity(domains.len());
        for (number, domain) in domains.iter().enumerate() {
            let counters = domain.counters();
            let now = counters.delivered + counters.leaving;
            work.push((now - before[number], number));
            before[number] = now;
        }
        work.sort_unstable_by_key(|(work, number)| (std::cmp::Reverse(*work), *number));
        for (place, (_, number)) in self.order.iter().zip(work) {
            place.store(number, Ordering::Relaxed);
        }
    }

    /// Opens a window that ends at `end`.
    fn open(&self, end: Picos) {
        self.end.store(end, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
        self.next.store(0, Ordering::SeqCst);
        self.waiting.wake();
    }

    /// Takes domains, window after window.
    fn serve(&self) {
        let _shown = Shown::new();
        loop {
            self.waiting.until(|| self.is_open() || self.over.load(Ordering::SeqCst));
            if self.over.load(Ordering::SeqCst) {
                return;
            }
            while self.take() {}
        }
    }

    /// Some domain of the window has not been taken.
    fn is_open(&self) -> bool {
        self.next.load(Ordering::SeqCst) < self.domains.len()
    }

    /// Takes a domain and advances it to the end of the window; whether there was one.
    fn take(&self) -> bool {
        let Some(place) = self.order.get(self.next.fetch_add(1, Ordering::SeqCst)) else {
            return false;
        };
        let _done = Done(self);
        // The window cannot close before this domain is done.
        let end = self.end.load(Ordering::Acquire);
        self.domains[place.load(Ordering::Relaxed)]
            .lock()
            .expect("a thread panicked")
            .advance(self.shared, end);
        true
    }
}
