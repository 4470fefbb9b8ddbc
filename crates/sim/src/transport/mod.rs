//! The state of a flow: segments sent and acknowledged, its timer, its loss recovery.

pub mod arrived;
mod careful_resume;
pub mod delivery;
pub mod flow;
pub mod piece;
pub mod receiver;
pub mod recovery;
pub mod rtt;
pub mod scoreboard;
mod short_queue;
mod usage;

pub use careful_resume::{CarefulResume, Progress, Saved};
pub use delivery::DeliverySampler;
pub use flow::{DROP_LINES, Flow, FlowEnds, FlowState, HOT_LINES, OFF, Recovery, SAMPLED_LINES};
pub use piece::{Piece, PieceRules};
pub use receiver::Receiver;
pub use recovery::{HOT_REPAIR_LINES, Repair, Rules};
pub use rtt::{RtoRules, RttEstimator, Timing};
pub use scoreboard::Scoreboard;
pub use usage::Usage;
