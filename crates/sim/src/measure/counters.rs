//! Events counted since the start of the run.

use super::pair_class::PAIR_CLASSES;
use serde::{Deserialize, Serialize};

/// Event counts; all grow only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Segments (data and SYN) that sources sent into the network.
    pub entering: u64,
    /// Segments (data and SYN) that left the network at a receiver.
    pub leaving: u64,
    /// Segments dropped by routers.
    pub dropped: u64,
    /// Acknowledgements and SYN-ACKs dropped by routers.
    pub acks_dropped: u64,
    /// Fast recoveries whose first segment had not been lost, where these are undone.
    pub spurious_recoveries: u64,
    /// Segments of either kind that links lost, each also counted as dropped.
    pub lost_on_links: u64,
    /// Segments marked by routers, each once.
    pub marked: u64,
    /// Data segments sent, retransmissions included.
    pub data_sent: u64,
    /// Data segments acknowledged, each once.
    pub delivered: u64,
    /// Flows completed.
    pub completed: u64,
    /// Sum of their sizes.
    pub completed_size: u64,
    /// Data segments that they sent.
    pub completed_sent: u64,
    /// Connection attempts that failed.
    pub failures: u64,
    /// Flows that an impatient source gave up.
    pub aborted: u64,
    /// Acknowledgements and timers that raised a window.
    pub increases: u64,
    /// Acknowledgements that did not advance the cumulative one.
    pub duplicate_acks: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Timeouts of a segment that had arrived.
    pub spurious_timeouts: u64,
    /// Window reductions other than timeouts.
    pub loss_events: u64,
    /// Data segments acknowledged, by pair class.
    pub acked_by_class: [u64; PAIR_CLASSES],
}

impl Counters {
    /// Counts since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        self.combine(earlier, |now, before| now - before)
    }

    /// Both counts together.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a + b)
    }

    fn combine(&self, other: &Self, f: impl Fn(u64, u64) -> u64) -> Self {
        let mut by_class = self.acked_by_class;
        for (a, b) in by_class.iter_mut().zip(other.acked_by_class) {
            *a = f(*a, b);
        }
        Self {
            entering: f(self.entering, other.entering),
            leaving: f(self.leaving, other.leaving),
            dropped: f(self.dropped, other.dropped),
            acks_dropped: f(self.acks_dropped, other.acks_dropped),
            spurious_recoveries: f(self.spurious_recoveries, other.spurious_recoveries),
            lost_on_links: f(self.lost_on_links, other.lost_on_links),
            marked: f(self.marked, other.marked),
            data_sent: f(self.data_sent, other.data_sent),
            delivered: f(self.delivered, other.delivered),
            completed: f(self.completed, other.completed),
            completed_size: f(self.completed_size, other.completed_size),
            completed_sent: f(self.completed_sent, other.completed_sent),
            failures: f(self.failures, other.failures),
            aborted: f(self.aborted, other.aborted),
            increases: f(self.increases, other.increases),
            duplicate_acks: f(self.duplicate_acks, other.duplicate_acks),
            timeouts: f(self.timeouts, other.timeouts),
            spurious_timeouts: f(self.spurious_timeouts, other.spurious_timeouts),
            loss_events: f(self.loss_events, other.loss_events),
            acked_by_class: by_class,
        }
    }
}
