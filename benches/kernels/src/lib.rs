//! Nothing: see `benches/kernels.rs`.
