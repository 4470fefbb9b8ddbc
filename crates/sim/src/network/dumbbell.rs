//! The two-router path of the ASME paper's Fig. 2.

use super::topology::{LinkSpec, RouterClass, RouterSpec, Topology};

/// Two routers, 81 ms apart (ASME paper, Fig. 2: 162 ms round trip).
#[must_use]
pub fn dumbbell() -> Topology {
    let plain = |name: &str, region| RouterSpec { name: name.into(), class: RouterClass::Plain, region };
    Topology {
        name: "dumbbell",
        routers: vec![plain("A", 0), plain("B", 1)],
        links: vec![LinkSpec { a: 0, b: 1, delay: 0.081, cost: 0.081 }],
        regions: 2,
        long_lived: Vec::new(),
    }
}
