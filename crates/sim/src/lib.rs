//! Many TCP flows over a routed network, segment by segment: a scenario goes in, responses come out.
//!
//! No files, no Python, no wall clock. One seed gives the same bytes on any machine:
//! * time is integer picoseconds and simultaneous events are ordered by (lane, sequence), never by chance;
//! * random numbers are named by (seed, purpose, source, k-th transfer), never by the order of events, so
//!   that two congestion controls face the same users;
//! * no hash-map iteration, no platform-dependent mathematics, sums over flows in integers.
//!
//! | module | what it knows |
//! |---|---|
//! | [`scenario`] | the parameters, typed and checked |
//! | [`network`] | topology, routes, speeds and buffers; a router is one FIFO |
//! | [`disciplines`] | what a queue does besides holding what fits |
//! | [`links`] | what a link does to what crosses it, and rates that vary |
//! | [`engine`] | the order of events: segments, lanes, timers, the winner tree |
//! | [`fabric`] | what carries segments from endpoint to endpoint |
//! | [`transport`] | one flow: scoreboard, round-trip time, recovery |
//! | [`applications`] | what the applications of explicit flows hand over, and what their receivers get |
//! | [`users`] | who sits where, what they fetch, how long they think |
//! | [`measure`] | time series, responses, flow records |
//! | [`simulation`] | the loop that joins them |
//! | [`snapshot`] | state as bytes, and back |
//! | [`stacks`] | whole transport stacks as the ends of connections: their interface, and their list |

pub mod applications;
pub mod disciplines;
pub mod engine;
pub mod fabric;
pub mod links;
pub mod measure;
pub mod network;
pub mod random;
pub mod scenario;
pub mod simulation;
pub mod snapshot;
pub mod stacks;
pub mod transport;
pub mod users;

pub use scenario::{InvalidScenario, Scenario};
pub use simulation::{Engine, Simulation};
pub use snapshot::BadSnapshot;
