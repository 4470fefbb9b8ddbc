//! Applications of explicit flows: frames of a media source, bursts, a constant rate.
//!
//! What an application hands over follows from the scenario, the seed and the number of the flow alone, never
//! from the network. So the sender and the receiver of a flow, which may be in different domains, each follow
//! it by a [`Producer`] of their own: the receiver knows when each message was handed over without a word
//! from the sender.

pub mod breaker;
pub mod producer;
pub mod reception;

pub use breaker::Breaker;
pub use producer::{Act, Producer};
pub use reception::{Heard, PeriodRecord, Reception};
