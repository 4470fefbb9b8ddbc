//! Numbers of lanes, routers, access routers and domains: in the whole network, or in one domain.

use serde::{Deserialize, Serialize};

/// Defines a number of 16 bits that only indexes what it numbers.
macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[repr(transparent)]
        pub struct $name(u16);

        impl $name {
            /// The number of what stands at `index`, which is below 65536.
            #[must_use]
            #[inline]
            pub fn new(index: usize) -> Self {
                debug_assert!(index <= usize::from(u16::MAX), "no number of 16 bits: {index}");
                Self(index as u16)
            }

            /// Place in a list by this number.
            #[must_use]
            #[inline]
            pub fn index(self) -> usize {
                usize::from(self.0)
            }
        }
    };
}

number! {
    /// A lane of the whole network.
    LaneId
}
number! {
    /// A router of the whole network.
    RouterId
}
number! {
    /// An access router, by its access index: its number among the access routers of the network.
    AccessRouter
}
number! {
    /// A group of access routers that are equally far from everywhere.
    AccessGroup
}
number! {
    /// A domain of the network.
    DomainId
}
number! {
    /// A lane of the domain in which it ends.
    DomainLane
}
number! {
    /// A lane of the domain in which it begins.
    EgressLane
}
number! {
    /// A router of its domain.
    DomainRouter
}
