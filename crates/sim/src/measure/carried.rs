//! Data carried between access routers, for the comparison with what a matrix or a process demands.

use crate::network::AccessRouter;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Cause of flows: 0 for users, then each process of arrivals.
pub type Cause = u32;

/// Segments acknowledged in the measured span, by cause and access routers of source and receiver.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Carried(BTreeMap<(Cause, [AccessRouter; 2]), u64>);

impl Carried {
    /// Adds segments of a flow.
    pub fn add(&mut self, cause: Cause, pair: [AccessRouter; 2], segments: u64) {
        *self.0.entry((cause, pair)).or_default() += segments;
    }

    /// Adds the segments of `other`.
    pub fn merge(&mut self, other: &Self) {
        other.0.iter().for_each(|((cause, pair), segments)| self.add(*cause, *pair, *segments));
    }

    /// Segments by pair, of one cause.
    pub fn of(&self, cause: Cause) -> impl Iterator<Item = ([AccessRouter; 2], u64)> + '_ {
        let all = [[0, 0], [usize::from(u16::MAX); 2]].map(|pair| (cause, pair.map(AccessRouter::new)));
        self.0.range(all[0]..=all[1]).map(|((_, pair), segments)| (*pair, *segments))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_by_cause_and_pair() {
        let pair = |from, to| [from, to].map(AccessRouter::new);
        let (mut one, mut other) = (Carried::default(), Carried::default());
        one.add(1, pair(0, 65535), 3);
        one.add(0, pair(2, 1), 4);
        other.add(1, pair(0, 65535), 5);
        other.add(2, pair(0, 0), 6);
        one.merge(&other);
        let of = |cause| one.of(cause).collect::<Vec<_>>();
        assert_eq!([of(0), of(1), of(2)], [[(pair(2, 1), 4)], [(pair(0, 65535), 8)], [(pair(0, 0), 6)]]);
    }
}
