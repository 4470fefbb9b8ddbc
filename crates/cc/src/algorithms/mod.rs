//! One file per algorithm.

pub mod tcp;
