//! Sessions begin and end the flows of a domain: users' sources, explicit flows with their applications,
//! open-loop arrivals.
//!
//! A session acts on the parts of the domain below it ([`Parts`]). Connections begin and end in one place
//! (`connection`).

mod applications;
mod arriving;
mod connection;
mod explicit;
mod feeder;
mod parts;
mod patience;
mod start;
mod state;
mod users;

pub use explicit::{draw_flows, with_lanes};
pub use feeder::Feeder;
pub use parts::Parts;
pub use state::{ExplicitHere, Members, Sessions};
