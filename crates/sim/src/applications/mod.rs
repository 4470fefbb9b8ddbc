//! Applications of explicit flows: frames of a media source, bursts, a constant rate, a video.
//!
//! The acts of an application follow from the scenario, the seed and the number of the flow alone, never from
//! the network. So the sender and the receiver of a flow, which may be in different domains, each follow it
//! by a [`Producer`] of their own: the receiver knows when each message was handed over without a word from
//! the sender. A [`Player`] of a video waits for what it asked for, and is with the sender alone.

pub mod breaker;
pub mod player;
pub mod producer;
pub mod reception;

pub use breaker::Breaker;
pub use player::{Player, VideoRecord};
pub use producer::{Act, Producer};
pub use reception::{Heard, PeriodRecord, Reception};
