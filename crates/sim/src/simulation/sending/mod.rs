//! The senders of a domain: their flows, and how these react to acknowledgements, losses and timers.
//!
//! A [`Sender`] borrows one flow and what its reactions change. Its methods are in layers, each of which uses
//! those before it: careful resume (`resuming`), departures of segments (`departures`, `pieces`), recovery of
//! losses (`recovery`), the handshake (`handshake`), acknowledgements (`acknowledging`), those that cover
//! several segments (`covering`), and what starts them all, acknowledgements and timers that come
//! (`incoming`). Packets that are traced are logged (`packets`).

mod acknowledging;
mod beside;
mod covering;
mod delivery;
mod departures;
mod dropped_acks;
mod handshake;
mod incoming;
mod leaving;
mod pacing;
mod packets;
mod pieces;
mod recovery;
mod resuming;
mod sender;
mod senders;
mod slots;

pub use dropped_acks::Missed;
pub use sender::{Outcome, Sender};
pub use senders::Senders;
