//! The smallest of many keys, each of which changes in place.

/// A key that is never due.
pub const NEVER: u64 = u64::MAX;

/// A winner tree (tournament): leaf i holds the key of lane i, every inner node the smaller of its children.
#[derive(Clone, Debug)]
pub struct WinnerTree {
    nodes: Vec<u64>,
    leaves: usize,
}

impl WinnerTree {
    /// A tree of `lanes` leaves, none of them due.
    #[must_use]
    pub fn new(lanes: usize) -> Self {
        let leaves = lanes.next_power_of_two().max(2);
        Self { nodes: vec![NEVER; 2 * leaves], leaves }
    }

    /// The smallest key.
    #[must_use]
    #[inline]
    pub fn min(&self) -> u64 {
        self.nodes[1]
    }

    /// Gives leaf `lane` the key `key`.
    #[inline]
    pub fn set(&mut self, lane: usize, key: u64) {
        let mut node = self.leaves + lane;
        let mut winner = key;
        self.nodes[node] = key;
        while node > 1 {
            winner = winner.min(self.nodes[node ^ 1]);
            node >>= 1;
            self.nodes[node] = winner;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn root_is_the_smallest_leaf(
            lanes in 1usize..70,
            updates in proptest::collection::vec((0usize..70, any::<u64>()), 1..200),
        ) {
            let mut tree = WinnerTree::new(lanes);
            let mut keys = vec![NEVER; lanes];
            for (lane, key) in updates {
                tree.set(lane % lanes, key);
                keys[lane % lanes] = key;
                prop_assert_eq!(tree.min(), *keys.iter().min().unwrap());
            }
        }
    }
}
