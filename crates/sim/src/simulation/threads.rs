//! Windows on several threads: each free thread takes the next domain of the window.
//!
//! The calling thread works too, so that threads which the system does not run cost nothing; it alone hands over what
//! left the domains. Which thread advances a domain changes nothing in what the domain does.

use super::domain::Domain;
use super::shared::Shared;
use super::windows::{exchange, window};
use mesonet_cc::Picos;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Turns of an empty loop before a waiting thread lets others run: some microseconds, longer than most windows leave a
/// thread without work (chosen).
const PATIENCE: u32 = 2_000;

/// State that the threads share.
struct Work<'a> {
    domains: Vec<Mutex<&'a mut Domain>>,
    /// The next domain to be taken; none is left from the number of domains on.
    next: AtomicUsize,
    /// End of the window.
    end: AtomicU64,
    /// Domains that are done with the window.
    done: AtomicUsize,
    /// No window will come.
    over: AtomicBool,
}

/// Counts a domain as done, even if the thread panics.
struct Done<'a>(&'a AtomicUsize);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Release);
    }
}

/// Sends the other threads home, even if this one panics.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Everything that happens before `limit`, on `threads` threads.
pub(super) fn run_before(shared: &Shared, domains: Vec<&mut Domain>, threads: usize, limit: Picos) {
    let count = domains.len();
    let work = Work {
        domains: domains.into_iter().map(Mutex::new).collect(),
        next: AtomicUsize::new(count),
        end: AtomicU64::new(0),
        done: AtomicUsize::new(count),
        over: AtomicBool::new(false),
    };
    std::thread::scope(|scope| {
        let over = Over(&work.over);
        for _ in 1..threads {
            scope.spawn(|| work.serve());
        }
        let mut next = work.with_all(|domains| window(domains, shared, limit));
        while let Some(end) = next {
            work.end.store(end, Ordering::Relaxed);
            work.done.store(0, Ordering::Relaxed);
            work.next.store(0, Ordering::Release);
            while work.take() {}
            wait_until(|| work.done.load(Ordering::Acquire) == count);
            next = work.with_all(|domains| {
                exchange(shared, domains);
                window(domains, shared, limit)
            });
        }
        drop(over);
    });
}

impl Work<'_> {
    /// Does something with all domains, which no thread is at work on.
    fn with_all<T>(&self, act: impl FnOnce(&mut [&mut Domain]) -> T) -> T {
        let lock = |domain| Mutex::lock(domain).expect("a thread panicked");
        let mut guards: Vec<MutexGuard<&mut Domain>> = self.domains.iter().map(lock).collect();
        act(&mut guards.iter_mut().map(|guard| &mut ***guard).collect::<Vec<_>>())
    }

    /// Takes domains, window after window.
    fn serve(&self) {
        loop {
            wait_until(|| self.is_open() || self.over.load(Ordering::Acquire));
            if self.over.load(Ordering::Acquire) {
                return;
            }
            while self.take() {}
        }
    }

    /// Some domain of the window has not been taken.
    fn is_open(&self) -> bool {
        self.next.load(Ordering::Acquire) < self.domains.len()
    }

    /// Takes a domain and advances it to the end of the window; whether there was one.
    fn take(&self) -> bool {
        let Some(domain) = self.domains.get(self.next.fetch_add(1, Ordering::AcqRel)) else {
            return false;
        };
        let _done = Done(&self.done);
        // The window cannot close before this domain is done.
        let end = self.end.load(Ordering::Acquire);
        domain.lock().expect("a thread panicked").run(end);
        true
    }
}

/// Waits for something that is near.
fn wait_until(condition: impl Fn() -> bool) {
    let mut turns = 0;
    while !condition() {
        if turns < PATIENCE {
            turns += 1;
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
}
