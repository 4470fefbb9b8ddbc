//! The state of a flow: segments sent and acknowledged, its timer, its loss recovery.

pub mod delivery;
pub mod flow;
pub mod receiver;
pub mod recovery;
pub mod rtt;
pub mod scoreboard;

pub use delivery::DeliverySampler;
pub use flow::{Flow, FlowState, OFF, Recovery};
pub use receiver::Receiver;
pub use recovery::{Repair, Rules};
pub use rtt::{RtoRules, RttEstimator, Timing};
pub use scoreboard::Scoreboard;
