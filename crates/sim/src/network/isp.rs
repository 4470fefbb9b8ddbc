//! The ISP backbone (X4 = +1): 16 routers and 24 links routed by cost, with 32 points of presence and 170
//! access routers below.
//!
//! Published are the counts (8 D + 40 F + 122 N access routers, 240 ordered paths on costs that the ISP
//! assigned). The map itself is not: this one is constructed of 16 US cities. Cost = km / 100, times 1.5 on
//! six long secondary trunks in imitation of traffic engineering; delay = km x 0.0088272 ms as for Abilene.

use super::placement::Attachment;
use super::tiers::lettered;
use super::topology::{LinkSpec, Topology};
use crate::scenario::{InvalidScenario, TierParameters};

/// Cities in the order of their letters A to P.
pub const CITIES: [&str; 16] = [
    "SEA", "SJC", "LAX", "PHX", "DEN", "DAL", "HOU", "MKC", "STL", "CHI", "ATL", "ORL", "CLE", "WDC", "NYC",
    "BOS",
];

/// Ends, one-way delay in ms, cost.
const LINKS: [(&str, &str, f64, f64); 24] = [
    ("SEA", "SJC", 10.08, 11.0),
    ("SEA", "DEN", 14.49, 16.0),
    ("SEA", "CHI", 24.62, 42.0),
    ("SJC", "LAX", 4.34, 5.0),
    ("SJC", "DEN", 13.17, 15.0),
    ("SJC", "CHI", 26.10, 44.0),
    ("LAX", "PHX", 5.07, 6.0),
    ("LAX", "DAL", 17.57, 30.0),
    ("PHX", "DAL", 12.56, 14.0),
    ("DEN", "MKC", 7.87, 9.0),
    ("DAL", "HOU", 3.20, 4.0),
    ("DAL", "MKC", 6.45, 7.0),
    ("DAL", "ATL", 10.23, 12.0),
    ("HOU", "ORL", 12.04, 20.0),
    ("MKC", "STL", 3.42, 4.0),
    ("STL", "CHI", 3.69, 4.0),
    ("STL", "ATL", 6.64, 11.0),
    ("CHI", "CLE", 4.38, 5.0),
    ("CHI", "NYC", 10.11, 11.0),
    ("CLE", "WDC", 4.33, 7.0),
    ("ATL", "ORL", 5.70, 6.0),
    ("ATL", "WDC", 7.70, 9.0),
    ("WDC", "NYC", 2.90, 3.0),
    ("NYC", "BOS", 2.70, 3.0),
];

/// The eight largest metropolitan areas (assumed).
const LARGEST: [&str; 8] = ["SJC", "LAX", "DAL", "HOU", "CHI", "ATL", "WDC", "NYC"];

/// The four-tier network.
///
/// # Errors
/// [`InvalidScenario`] with a path below `tiers` for a name that no router has.
pub fn isp(tiers: &TierParameters) -> Result<Topology, InvalidScenario> {
    let city = |name: &str| CITIES.iter().position(|c| *c == name).expect("a city of the list");
    let link = |&(a, b, ms, cost): &(&str, &str, f64, f64)| LinkSpec::new(city(a), city(b), ms / 1e3, cost);
    // Four normal routers per point of presence, but three on the second of the six smallest metropolitan
    // areas.
    let even = |name: &&str| {
        let small = matches!(*name, "PHX" | "MKC" | "STL" | "ORL" | "CLE" | "BOS");
        Attachment::even([4, 4 - usize::from(small)])
    };
    let largest = LARGEST.map(city);
    // The same pairs of cities as on Abilene (assumed): SJC - NYC, LAX - ATL, CHI - WDC.
    lettered(
        "isp",
        LINKS.iter().map(link).collect(),
        CITIES.iter().map(even).collect(),
        &largest,
        tiers,
        [('B', 'O'), ('C', 'K'), ('J', 'N')],
    )
}
