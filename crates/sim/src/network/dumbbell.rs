//! The two-router path of the ASME paper's Fig. 2.

use super::topology::{LinkSpec, RouterClass, RouterSpec, Topology};

/// One-way delay, s: 162 ms round trip.
const DELAY: f64 = 0.081;

/// Two routers, 81 ms apart (ASME paper, Fig. 2: 162 ms round trip).
#[must_use]
pub fn dumbbell() -> Topology {
    Topology {
        name: "dumbbell".into(),
        routers: vec![plain("A", 0), plain("B", 1)],
        links: vec![link(0, 1)],
        regions: 2,
        long_lived: Vec::new(),
    }
}

fn plain(name: &str, region: usize) -> RouterSpec {
    RouterSpec::new(name, RouterClass::Plain, region)
}

fn link(a: usize, b: usize) -> LinkSpec {
    LinkSpec { a, b, delay: DELAY, cost: DELAY }
}
