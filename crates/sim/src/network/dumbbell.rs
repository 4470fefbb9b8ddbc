//! The two-router path of the ASME paper's Fig. 2, and one that a second group of flows reaches from twice as far.

use super::topology::{LinkSpec, RouterClass, RouterSpec, Topology};

/// One-way delay of each link, s (ASME paper, Fig. 2: 162 ms round trip).
const DELAY: f64 = 0.081;

/// Speed of the far router as a multiple of the others (assumed: enough never to be the bottleneck).
const FAR_SPEED: f64 = 10.0;

/// Two routers, A and B.
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

/// The same with a router F beyond A, as far from A as B is: flows from F to B have twice the round trip of flows
/// from A to B and share their bottleneck. Two groups of round trips as Qiu, Zhang and Keshav studied them; the delays are
/// assumed.
#[must_use]
pub fn dumbbell_two_rtt() -> Topology {
    let far = RouterSpec { speed_factor: FAR_SPEED, ..plain("F", 2) };
    Topology {
        name: "dumbbell-two-rtt".into(),
        routers: vec![plain("A", 0), plain("B", 1), far],
        links: vec![link(0, 1), link(0, 2)],
        regions: 3,
        long_lived: Vec::new(),
    }
}

fn plain(name: &str, region: usize) -> RouterSpec {
    RouterSpec::new(name, RouterClass::Plain, region)
}

fn link(a: usize, b: usize) -> LinkSpec {
    LinkSpec::new(a, b, DELAY, DELAY)
}
