//! The two-router path of the ASME paper's Fig. 2, one that a second group of flows reaches from twice as
//! far, and one whose round trip is a number of milliseconds.

use super::topology::{LinkSpec, RouterClass, RouterSpec, Topology};

/// One-way delay of each link, s (ASME paper, Fig. 2: 162 ms round trip).
const DELAY: f64 = 0.081;

/// One-way delay of the bottleneck, s: `delay_multiplier` is its round trip in ms.
const HALF_MS: f64 = 0.0005;

/// Speed of the far router as a multiple of the others (assumed: enough never to be the bottleneck).
const FAR_SPEED: f64 = 10.0;

/// Two routers, A and B.
#[must_use]
pub fn dumbbell() -> Topology {
    two_routers("dumbbell", DELAY)
}

/// Two routers, A and B, with a round trip of 1 ms.
#[must_use]
pub fn bottleneck() -> Topology {
    two_routers("bottleneck", HALF_MS)
}

/// The dumbbell with a router F beyond A, as far from A as B is: flows from F to B have twice the round trip
/// of flows from A to B and share their bottleneck. Two groups of round trips as Qiu, Zhang and Keshav
/// studied them; the delays are assumed.
#[must_use]
pub fn dumbbell_two_rtt() -> Topology {
    let far = RouterSpec { speed_factor: FAR_SPEED, has_own_speed: true, ..plain("F", 2) };
    Topology {
        name: "dumbbell-two-rtt".into(),
        routers: vec![plain("A", 0), plain("B", 1), far],
        links: vec![link(0, 1, DELAY), link(0, 2, DELAY)],
        regions: 3,
        long_lived: Vec::new(),
    }
}

fn two_routers(name: &str, delay: f64) -> Topology {
    Topology {
        name: name.into(),
        routers: vec![plain("A", 0), plain("B", 1)],
        links: vec![link(0, 1, delay)],
        regions: 2,
        long_lived: Vec::new(),
    }
}

fn plain(name: &str, region: usize) -> RouterSpec {
    RouterSpec::new(name, RouterClass::Plain, region)
}

fn link(a: usize, b: usize, delay: f64) -> LinkSpec {
    LinkSpec::new(a, b, delay, delay)
}
