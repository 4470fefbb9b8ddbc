//! The order of events.
//!
//! Segments on one directed lane (router to router, router to receiver, acknowledgements from one place to
//! another) never overtake each other, so a lane is a ring buffer and only its head takes part in the
//! ordering: a winner tree over lane heads. Timers that can be armed in any order lie in slots of time; the
//! next one is one more leaf of the same tree, an alarm; interfaces that become free have alarms of their
//! own.

pub mod interfaces;
pub mod lanes;
pub mod prefetch;
pub mod ring;
pub mod segment;
pub mod timers;
pub mod winner_tree;

pub use interfaces::Interfaces;
pub use lanes::Lanes;
pub use prefetch::prefetch;
pub use ring::Ring;
pub use segment::{FlowHome, FlowId, MOST_GROUPS, MOST_SLOTS, MOST_STACK_FLOWS, MOST_TARGETS, Segment};
pub use timers::{TIMER_SLOT_BITS, Timers};
pub use winner_tree::WinnerTree;
