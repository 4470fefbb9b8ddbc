//! The parking lot: routers in a line, so that one flow can cross the bottlenecks of several others.

use super::topology::{LinkSpec, RouterClass, RouterSpec, Topology};

/// One-way delay of each link, s (assumed: the shape is the classic one, no source gives its delays).
const DELAY: f64 = 0.010;

/// Routers A, B, C and D in a line.
#[must_use]
pub fn parking_lot() -> Topology {
    let names = ["A", "B", "C", "D"];
    let routers = names.into_iter().enumerate().map(|(i, n)| RouterSpec::new(n, RouterClass::Plain, i));
    Topology {
        name: "parking-lot".into(),
        routers: routers.collect(),
        links: (0..3).map(|i| LinkSpec::new(i, i + 1, DELAY, DELAY)).collect(),
        regions: names.len(),
        long_lived: Vec::new(),
    }
}
