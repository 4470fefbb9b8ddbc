//! The smallest of many keys, each of which changes in place.

use serde::{Deserialize, Serialize};

/// A key that is never due.
pub const NEVER: u64 = u64::MAX;

/// Leaves of the largest tree, one for every lane that can be numbered.
pub const MOST_LEAVES: usize = 1 << 16;

/// A winner tree (tournament): leaf i holds the key of lane i, every inner node the smallest of its four
/// children.
///
/// Node 1 is the root, the children of node i are 4 i to 4 i + 3. Four children instead of two: a step up
/// waits for one comparison either way, since those among the other children do not depend on the step below.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Vec<u64>", into = "Vec<u64>")]
pub struct WinnerTree(Nodes);

/// Trees of 2, 3, 4 and 8 levels above the leaves. The compiler knows how many, so that a climb has no loop
/// and its indices need no bounds checks. A dumbbell has 16 leaves, a domain of the built-in topologies up
/// to 64.
#[derive(Clone, Debug)]
enum Nodes {
    Leaves16(Box<[u64; 2 << 4]>),
    Leaves64(Box<[u64; 2 << 6]>),
    Leaves256(Box<[u64; 2 << 8]>),
    Most(Box<[u64; 2 * MOST_LEAVES]>),
}

/// Evaluates an expression with the nodes of a tree, an array of a length that the compiler knows.
macro_rules! with_nodes {
    ($tree:expr, |$nodes:ident| $body:expr) => {
        match $tree {
            Nodes::Leaves16($nodes) => $body,
            Nodes::Leaves64($nodes) => $body,
            Nodes::Leaves256($nodes) => $body,
            Nodes::Most($nodes) => $body,
        }
    };
}

impl WinnerTree {
    /// A tree of at least `lanes` leaves, none of them due.
    ///
    /// # Panics
    /// If there are more than [`MOST_LEAVES`].
    #[must_use]
    pub fn new(lanes: usize) -> Self {
        assert!(lanes <= MOST_LEAVES, "{lanes} lanes");
        Self(match lanes {
            0..=16 => Nodes::Leaves16(never()),
            17..=64 => Nodes::Leaves64(never()),
            65..=256 => Nodes::Leaves256(never()),
            _ => Nodes::Most(never()),
        })
    }

    /// The smallest key.
    #[must_use]
    #[inline]
    pub fn min(&self) -> u64 {
        with_nodes!(&self.0, |nodes| nodes[1])
    }

    /// Gives leaf `lane` the key `key`.
    #[inline(always)]
    pub fn set(&mut self, lane: usize, key: u64) {
        with_nodes!(&mut self.0, |nodes| climb(nodes, lane, key));
    }

    /// Gives leaf `lane` the key `key` if that is smaller than its key.
    #[inline]
    pub fn lower(&mut self, lane: usize, key: u64) {
        with_nodes!(&mut self.0, |nodes| lower(nodes, lane, key));
    }
}

/// The keys of the leaves: the inner nodes follow from them.
impl From<WinnerTree> for Vec<u64> {
    fn from(tree: WinnerTree) -> Self {
        with_nodes!(tree.0, |nodes| nodes[nodes.len() / 2..].to_vec())
    }
}

impl TryFrom<Vec<u64>> for WinnerTree {
    type Error = &'static str;

    fn try_from(keys: Vec<u64>) -> Result<Self, Self::Error> {
        if keys.len() > MOST_LEAVES {
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

/// The node of a leaf. A mask takes the place of a bounds check.
#[inline]
fn leaf<const N: usize>(lane: usize) -> usize {
    let leaves = N / 2;
    debug_assert!(lane < leaves, "lane {lane} of {leaves}");
    leaves | (lane & (leaves - 1))
}

/// The levels above the leaves of a tree of `N` nodes.
const fn levels<const N: usize>() -> u32 {
    (N / 2).ilog2() / 2
}

/// Writes a key at a leaf and the winners above it. Without a branch on keys: they are not predictable.
#[inline]
fn climb<const N: usize>(nodes: &mut [u64; N], lane: usize, key: u64) {
    let mut node = leaf::<N>(lane);
    let mut winner = key;
    nodes[node] = key;
    for _ in 0..levels::<N>() {
        let [a, b, c] = [1, 2, 3].map(|other| nodes[node ^ other]);
        winner = winner.min(a.min(b).min(c));
        node >>= 2;
        nodes[node] = winner;
    }
}

/// Writes a key at a leaf and above where it is smaller. No step waits for the one below: siblings do not
/// matter.
#[inline]
fn lower<const N: usize>(nodes: &mut [u64; N], lane: usize, key: u64) {
    let mut node = leaf::<N>(lane);
    for _ in 0..=levels::<N>() {
        nodes[node] = nodes[node].min(key);
        node >>= 2;
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
            updates in proptest::collection::vec((0usize..70, any::<u64>(), any::<bool>()), 1..200),
        ) {
            let mut tree = WinnerTree::new(lanes);
            let mut keys = vec![NEVER; lanes];
            for (lane, key, lower) in updates {
                let lane = lane % lanes;
                if lower {
                    tree.lower(lane, key);
                    keys[lane] = key.min(keys[lane]);
                } else {
                    tree.set(lane, key);
                    keys[lane] = key;
                }
                prop_assert_eq!(tree.min(), *keys.iter().min().unwrap());
            }
        }
    }
}
