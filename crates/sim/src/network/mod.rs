//! What segments cross: topology, routes, speeds, buffers.

pub mod abilene;
pub mod build;
pub mod built_in;
pub mod describe;
pub mod dumbbell;
pub mod isp;
pub mod router;
pub mod routing;
pub mod topology;

pub use build::Network;
pub use router::Router;
pub use topology::{RouterClass, Topology};
