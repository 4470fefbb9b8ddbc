//! Threads that wait for one another: first in an empty loop, then asleep.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// Turns of an empty loop before a waiting thread sleeps: some 0.1 ms, twice what it takes to wake one in a
/// virtual machine (chosen).
const PATIENCE: u32 = 2_000;

/// Threads that wait for what other threads change.
///
/// Conditions read, and others write, with sequentially consistent order: either a thread that is about to
/// sleep sees the change, or the one that changes something sees the sleeper.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    sleepers: AtomicUsize,
    gate: Mutex<()>,
    changed: Condvar,
}

impl Waiting {
    /// Waits until `condition` holds.
    pub fn until(&self, condition: impl Fn() -> bool) {
        for _ in 0..PATIENCE {
            if condition() {
                return;
            }
            std::hint::spin_loop();
        }
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        let mut gate = self.gate.lock().unwrap_or_else(PoisonError::into_inner);
        while !condition() {
            gate = self.changed.wait(gate).unwrap_or_else(PoisonError::into_inner);
        }
        drop(gate);
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
    }

    /// Wakes those that sleep, after something changed.
    pub fn wake(&self) {
        if self.sleepers.load(Ordering::SeqCst) > 0 {
            drop(self.gate.lock().unwrap_or_else(PoisonError::into_inner));
            self.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each of three threads raises the number in turn; a change that a sleeper misses would hang here.
    #[test]
    fn no_change_is_missed() {
        const ROUNDS: usize = 20_000;
        let (waiting, number) = (Waiting::default(), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for thread in 0..3 {
                let (waiting, number) = (&waiting, &number);
                scope.spawn(move || {
                    for round in 0..ROUNDS {
                        waiting.until(|| number.load(Ordering::SeqCst) == 3 * round + thread);
                        number.fetch_add(1, Ordering::SeqCst);
                        waiting.wake();
                    }
                });
            }
        });
        assert_eq!(number.into_inner(), 3 * ROUNDS);
    }
}
