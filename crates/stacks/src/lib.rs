//! Whole transport stacks, unmodified, as the ends of connections in simulated networks.
//!
//! Each cargo feature adds the stacks of one implementation; none is on by default. Features need
//! `RUSTFLAGS='--cfg getrandom_backend="custom"'` (`make stacks`): what a stack draws without a seed of its
//! own comes from [`randomness`].

#[cfg(any(feature = "quinn", feature = "noq"))]
mod handshake;
#[cfg(feature = "noq")]
pub mod noq;
#[cfg(feature = "quinn")]
pub mod quinn;
#[cfg(any(feature = "quinn", feature = "noq"))]
pub mod randomness;
#[cfg(feature = "smoltcp")]
pub mod smoltcp;

use mesonet_cc::Param;
use mesonet_cc::plugin::observed::About;
use mesonet_sim::stacks::{Stack, host};

/// A stack of this build.
#[derive(Clone, Debug)]
pub struct Build {
    /// The facts that users can list.
    pub about: About,
    /// Version of the implementation and hash of its adapter.
    pub version: String,
    /// The stack, which makes ends of connections.
    pub stack: Stack,
}

/// A name and version with the hash (FNV-1a) of the sources of an adapter.
#[cfg(any(feature = "quinn", feature = "noq", feature = "smoltcp"))]
fn version(implementation: &str, sources: &[&str]) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in sources.iter().flat_map(|source| source.bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{}-{hash:016x}", implementation.replace(' ', "-"))
}

/// The stacks of this build, in the order of their features.
#[must_use]
pub fn builds() -> Vec<Build> {
    #[allow(unused_mut)]
    let mut found = Vec::new();
    #[cfg(feature = "quinn")]
    found.extend(quinn::builds());
    #[cfg(feature = "noq")]
    found.extend(noq::builds());
    #[cfg(feature = "smoltcp")]
    found.extend(smoltcp::builds());
    found
}

const CHOSEN: &str = "chosen; 1 without segmentation offload";

/// Constants of every stack: how its host hands packets over.
pub const HOST: [Param; 4] = [
    Param::new(host::BATCH, "most datagrams that leave in one call", "datagrams", [1.0, 64.0], 1.0, CHOSEN),
    Param::new(
        host::CALL_TIME,
        "time that a call takes the processor of a host: of a datagram that arrives, or of a batch that leaves",
        "us",
        [0.0, 1e6],
        0.0,
        "chosen; 0 for a processor that limits nothing",
    ),
    Param::new(
        host::MTU,
        "largest packet, IP header included",
        "bytes",
        [1228.0, 9000.0],
        1500.0,
        "Ethernet",
    ),
    Param::new(
        host::REQUEST,
        "request of the receiver, which opens the connection; 0: the source opens it and sends at once",
        "bytes",
        [0.0, 1e9],
        0.0,
        "chosen",
    ),
];

#[cfg(all(any(feature = "quinn", feature = "noq"), not(getrandom_backend = "custom")))]
compile_error!(
    "stacks draw from seeds only: build with RUSTFLAGS='--cfg getrandom_backend=\"custom\"', as make stacks does"
);
