//! Tests of the algorithms: one program, so that it is linked once.

mod support;

mod contract;
mod dumbbell_cycle;
mod fast_equilibrium;
mod goodput_latency;
mod plugin;
mod random_loss;
mod response_functions;
