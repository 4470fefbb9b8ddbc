//! The smallest of many keys, each of which changes in place.

use serde::{Deserialize, Serialize};

/// A key that is never due.
pub const NEVER: u64 = u64::MAX;

/// Nodes of a tree of up to 256 leaves, which fits a domain of the built-in topologies.
const FEW: usize = 2 << 8;
/// Leaves of the largest tree, one for every lane that can be numbered.
pub const MOST_LEAVES: usize = 1 << 16;
/// Nodes of the largest tree.
const MANY: usize = 2 * MOST_LEAVES;

/// A winner tree (tournament): leaf i holds the key of lane i, every inner node the smallest of its four children.
///
/// Node 1 is the root, the children of node i are 4 i to 4 i + 3. Four children instead of two: a step up waits for one
/// comparison either way, since those among the other children do not depend on the step below.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Vec<u64>", into = "Vec<u64>")]
pub struct WinnerTree {
    nodes: Nodes,
    leaves: usize,
}

/// Arrays of a length that the compiler knows: a mask takes the place of a bounds check. The part beyond `2 x leaves`
/// is not used.
#[derive(Clone, Debug)]
enum Nodes {
    Few(Box<[u64; FEW]>),
    Many(Box<[u64; MANY]>),
}

impl WinnerTree {
    /// A tree of `lanes` leaves, none of them due.
    ///
    /// # Panics
    /// If there are more than [`MOST_LEAVES`].
    #[must_use]
    pub fn new(lanes: usize) -> Self {
        let levels = lanes.max(2).next_power_of_two().trailing_zeros().div_ceil(2);
        let leaves = 1 << (2 * levels);
        assert!(2 * leaves <= MANY, "{lanes} lanes");
        let nodes = if 2 * leaves <= FEW { Nodes::Few(never()) } else { Nodes::Many(never()) };
        Self { nodes, leaves }
    }

    /// The smallest key.
    #[must_use]
    #[inline]
    pub fn min(&self) -> u64 {
        match &self.nodes {
            Nodes::Few(nodes) => nodes[1],
            Nodes::Many(nodes) => nodes[1],
        }
    }

    /// Gives leaf `lane` the key `key`.
    #[inline]
    pub fn set(&mut self, lane: usize, key: u64) {
        let leaf = self.leaves + lane;
        match &mut self.nodes {
            Nodes::Few(nodes) => climb(nodes, leaf, key),
            Nodes::Many(nodes) => climb(nodes, leaf, key),
        }
    }
}

/// The keys of the leaves: the inner nodes follow from them.
impl From<WinnerTree> for Vec<u64> {
    fn from(tree: WinnerTree) -> Self {
        let leaves = tree.leaves..2 * tree.leaves;
        match tree.nodes {
            Nodes::Few(nodes) => nodes[leaves].to_vec(),
            Nodes::Many(nodes) => nodes[leaves].to_vec(),
        }
    }
}

impl TryFrom<Vec<u64>> for WinnerTree {
    type Error = &'static str;

    fn try_from(keys: Vec<u64>) -> Result<Self, Self::Error> {
        if 2 * keys.len() > MANY {
            return Err("more keys than a tree has leaves");
        }
        let mut tree = Self::new(keys.len());
        keys.into_iter().enumerate().for_each(|(lane, key)| tree.set(lane, key));
        Ok(tree)
    }
}

fn never<const N: usize>() -> Box<[u64; N]> {
    vec![NEVER; N].into_boxed_slice().try_into().expect("the length of the array")
}

/// Writes a key at a leaf and the winners above it. Without a branch on keys: they are not predictable.
#[inline]
fn climb<const N: usize>(nodes: &mut [u64; N], leaf: usize, key: u64) {
    let mut node = leaf;
    let mut winner = key;
    nodes[node & (N - 1)] = key;
    while node > 1 {
        let [a, b, c] = [1, 2, 3].map(|other| nodes[(node ^ other) & (N - 1)]);
        winner = winner.min(a.min(b).min(c));
        node >>= 2;
        nodes[node & (N - 1)] = winner;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn root_is_the_smallest_leaf(
            lanes in prop_oneof![1usize..70, 300usize..301],
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
