//! The network that segments cross: topology, routes, speeds, buffers.

pub mod abilene;
pub mod acknowledgements;
pub mod alone;
pub mod arrivals;
pub mod build;
pub mod built_in;
pub mod changes;
mod check;
pub mod describe;
pub mod distances;
pub mod domains;
pub mod dumbbell;
pub mod ecmp;
pub mod impairments;
pub mod isp;
pub mod lanes;
pub mod link_loads;
pub mod load;
pub mod long_lived;
pub mod map;
pub mod numbers;
pub mod pairs;
pub mod parking_lot;
pub mod placement;
pub mod places;
pub mod queued_acks;
pub mod queues;
pub mod router;
pub mod routes;
pub mod routing;
pub mod scenario_topology;
mod sizing;
pub mod tiers;
pub mod topology;
pub mod traffic;
pub mod wiring;

pub use arrivals::Arrivals;
pub use build::Network;
pub use domains::Domains;
pub use numbers::{
    AccessGroup, AccessRouter, DomainId, DomainLane, DomainRouter, EgressLane, LaneId, RouterId,
};
pub use pairs::Pairs;
pub use queued_acks::QueuedAcks;
pub use queues::Queues;
pub use router::Router;
pub use topology::{RouterClass, Topology};
pub use traffic::Traffic;
pub use wiring::Wiring;
