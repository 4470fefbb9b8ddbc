//! Tests of the simulator against theory, against the reference engine and against itself: one program, so
//! that it is linked once.

// Scenarios are large literals.
#![recursion_limit = "256"]

mod common;
#[path = "../../cc/tests/support/recursions.rs"]
#[allow(dead_code, reason = "each test program uses its part")]
mod recursions;

mod applications;
mod arrivals;
mod assignment;
mod bbr;
mod bbr_cases;
mod bursts;
mod careful_resume;
mod changes;
mod delayed_acks;
mod determinism;
mod disciplines;
mod dumbbell;
mod ecmp;
mod ecn;
mod engines;
mod explicit_flows;
mod factors;
mod fairness;
mod impairments;
mod large_files;
mod matrix;
mod network;
mod packets;
mod periodic_loss;
mod pieces;
mod placement;
mod ports;
mod queued_acks;
mod queueing;
mod random_loss;
mod receivers;
mod recovery;
mod response_functions;
mod routes;
mod segment_delays;
mod slow_start;
mod slowdown;
mod snapshots;
mod stacks;
mod timers;
mod topology;
mod traffic;
mod units;
