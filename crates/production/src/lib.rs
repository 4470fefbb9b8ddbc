//! Congestion controls of production software, unmodified, as plug-ins of the build.
//!
//! Each cargo feature adds the controls of one implementation; none is on by default. [`adapter`] gives them
//! the events of the simulator as a QUIC sender has them: packets that are sent, acknowledged and lost, each
//! with an event. A module of its own holds what one implementation needs.

pub mod adapter;
#[cfg(feature = "s2n")]
pub mod s2n;

use mesonet_cc::plugin::abi;

/// A congestion control of this build.
#[derive(Clone, Debug)]
pub struct Build {
    /// Its table of functions, as of a plug-in.
    pub table: &'static abi::Algorithm,
    /// Version of the implementation and hash of its adapter, which stand for the digest of a file.
    pub version: String,
}

/// A version with the hash (FNV-1a) of the sources of an adapter.
#[cfg(feature = "s2n")]
fn version(implementation: &str, sources: &[&str]) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in sources.iter().flat_map(|source| source.bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{implementation}-{hash:016x}")
}

/// The congestion controls of this build, in the order of their features.
#[must_use]
pub fn builds() -> Vec<Build> {
    #[allow(unused_mut)]
    let mut found = Vec::new();
    #[cfg(feature = "s2n")]
    found.extend(s2n::builds());
    found
}
