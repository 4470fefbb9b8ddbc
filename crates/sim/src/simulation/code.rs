//! The code of a timer: a kind in the upper byte, then the place of the source in its domain, then the slot
//! of its flow.
//!
//! Equal instants come in the order of their codes: by kind, then by source. Slots never decide, so that the
//! order does not depend on how the network is divided into domains. Applications have their number in the
//! domain, which rises with the number of their flow. Receivers have the name of their flow, then their
//! access router. Stacks have the number of their direction.

use crate::engine::MOST_SLOTS;

pub const EXPLICIT: u64 = 1 << 56;
pub const SOURCE: u64 = 2 << 56;
pub const FLOW: u64 = 3 << 56;
pub const TICK: u64 = 4 << 56;
pub const PATIENCE: u64 = 5 << 56;
pub const STOP: u64 = 6 << 56;
pub const ARRIVAL: u64 = 7 << 56;
pub const APPLICATION: u64 = 8 << 56;
pub const DATAGRAM: u64 = 9 << 56;
pub const EARLY_ACK: u64 = 10 << 56;
pub const RECEIVER: u64 = 11 << 56;
pub const STACK: u64 = 12 << 56;
pub const KIND: u64 = 0xff << 56;

/// Bits of a slot.
const SLOT_BITS: u32 = MOST_SLOTS.trailing_zeros();

/// The part of a code that names a flow.
#[inline]
pub fn of_flow(home: u32, slot: u32) -> u64 {
    (u64::from(home) << SLOT_BITS) | u64::from(slot)
}

/// Slot in a code of a flow.
#[inline]
pub fn slot(code: u64) -> u32 {
    code as u32 & (MOST_SLOTS as u32 - 1)
}
