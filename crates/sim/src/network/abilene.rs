//! The Abilene backbone (X4 = -1): 11 routers and 14 links, with 22 points of presence and 139 access routers
//! below.
//!
//! Map: Topology Zoo, Internet2 map of February 2005, great-circle lengths. Delay = km x 0.0088272 ms, which
//! gives the published mean round trips of 41 and 81 ms; routing on it gives the published 3.51 routers per
//! backbone path. The attachment of access routers is not published beyond the class counts 6 D + 28 F + 105
//! N: as even as they allow, but where `tiers` says otherwise.

use super::placement::Attachment;
use super::tiers::lettered;
use super::topology::{LinkSpec, Topology};
use crate::scenario::{InvalidScenario, TierParameters};

/// Cities in the order of their letters A to K.
pub const CITIES: [&str; 11] = [
    "Seattle",
    "Sunnyvale",
    "Los Angeles",
    "Denver",
    "Kansas City",
    "Houston",
    "Indianapolis",
    "Chicago",
    "Atlanta",
    "Washington DC",
    "New York",
];

/// Ends and one-way delay in ms.
const LINKS: [(usize, usize, f64); 14] = [
    (0, 1, 10.051),
    (0, 3, 14.486),
    (1, 2, 4.441),
    (1, 3, 13.272),
    (2, 5, 19.479),
    (3, 4, 7.872),
    (4, 5, 9.197),
    (4, 6, 6.450),
    (5, 8, 9.953),
    (8, 9, 7.697),
    (8, 6, 6.070),
    (6, 7, 2.324),
    (7, 10, 10.114),
    (9, 10, 2.900),
];

/// The largest metropolitan areas, B, C, H, I, J and K (assumed).
const LARGEST: [usize; 6] = [1, 2, 7, 8, 9, 10];

/// The four-tier network.
///
/// # Errors
/// [`InvalidScenario`] with a path below `tiers` for a name that no router has.
pub fn abilene(tiers: &TierParameters) -> Result<Topology, InvalidScenario> {
    let links = LINKS.iter().map(|&(a, b, ms)| LinkSpec::new(a, b, ms / 1e3, ms / 1e3)).collect();
    // Five normal routers per point of presence, four on D1, D2, E1, E2 and G1.
    let normal = |region: usize| match region {
        3 | 4 => [4, 4],
        6 => [4, 5],
        _ => [5, 5],
    };
    let even = (0..CITIES.len()).map(|region| Attachment::even(normal(region))).collect();
    // Assumed: Sunnyvale - New York (80 ms), Los Angeles - Atlanta (59 ms), Chicago - Washington (26 ms).
    lettered("abilene", links, even, &LARGEST, tiers, [('B', 'K'), ('C', 'I'), ('H', 'J')])
}
