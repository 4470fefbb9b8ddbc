//! Events counted since the start of the run.

use super::pair_class::PAIR_CLASSES;
use serde::{Deserialize, Serialize};

/// A counter that has a column of the series and a response, both in events per interval.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    /// Name of the column.
    pub column: &'static str,
    /// Name of the response.
    pub response: &'static str,
    /// The count.
    pub of: fn(&Counters) -> u64,
}

/// Declares the counters, in the order of the series. One with a name in quotes is [`Counted`]: its column
/// and its response have this name, or the response has the name after `as`.
macro_rules! counters {
    ($($(#[$about:meta])* $field:ident $(: $column:literal $(as $response:literal)?)?,)*) => {
        /// Event counts; all grow only.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub struct Counters {
            $($(#[$about])* pub $field: u64,)*
            /// Data segments acknowledged, by pair class.
            pub acked_by_class: [u64; PAIR_CLASSES],
        }

        /// The counters that are measured per interval.
        pub const COUNTED: &[Counted] = &[
            $($(Counted {
                column: $column,
                response: counters!(@response $column $($response)?),
                of: |counters| counters.$field,
            },)?)*
        ];

        impl Counters {
            fn combine(&self, other: &Self, f: impl Fn(u64, u64) -> u64) -> Self {
                let mut acked_by_class = self.acked_by_class;
                for (a, b) in acked_by_class.iter_mut().zip(other.acked_by_class) {
                    *a = f(*a, b);
                }
                Self { $($field: f(self.$field, other.$field),)* acked_by_class }
            }
        }
    };
    (@response $column:literal) => { $column };
    (@response $column:literal $response:literal) => { $response };
}

counters! {
    /// Segments (data and SYN) that sources sent into the network.
    entering: "segments_entering",
    /// Segments (data and SYN) that left the network at a receiver.
    leaving: "segments_leaving",
    /// Segments dropped by routers.
    dropped: "segments_dropped",
    /// Acknowledgements and SYN-ACKs dropped by routers.
    acks_dropped: "acks_dropped",
    /// Segments of either kind that links lost, each also counted as dropped.
    lost_on_links: "lost_on_links",
    /// Copies of segments of either kind that links made.
    duplicated: "duplicated_on_links",
    /// Fast recoveries whose first segment had not been lost, where these are undone.
    spurious_recoveries: "spurious_recoveries",
    /// Segments marked by routers, each once.
    marked: "segments_marked",
    /// Data segments sent, retransmissions included.
    data_sent,
    /// Data segments acknowledged, each once.
    delivered,
    /// Flows completed.
    completed: "flows_completed",
    /// Sum of their sizes.
    completed_size,
    /// Data segments that they sent.
    completed_sent,
    /// Connection attempts that failed.
    failures: "connection_failures",
    /// Flows that an impatient source gave up.
    aborted,
    /// Acknowledgements and timers that raised a window.
    increases: "cwnd_increases",
    /// Acknowledgements that did not advance the cumulative one.
    duplicate_acks: "duplicate_acks",
    /// Retransmission timeouts.
    timeouts: "timeouts",
    /// Timeouts of a segment that had arrived.
    spurious_timeouts: "spurious_timeouts",
    /// Window reductions other than timeouts.
    loss_events: "loss_events" as "window_reductions",
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
}
