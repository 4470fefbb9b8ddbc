//! Groups of access routers that share the lanes of their acknowledgements.
//!
//! An acknowledgement takes the time of the route from receiver to source, and acknowledgements with the same
//! delay never overtake each other. Access routers connected to the same router by links without delay, as
//! all do below a backbone router of the built-in topologies, are equally far from everywhere: they form a
//! group, and there is one lane from every group to every group.

use super::numbers::AccessGroup;
use super::routing::Adjacency;
use super::topology::Topology;

/// Groups of access routers.
#[derive(Clone, Debug)]
pub struct Groups {
    /// The router from which each group is measured, ascending.
    pub anchors: Vec<usize>,
    /// Group by access index.
    pub of: Vec<AccessGroup>,
}

impl Groups {
    /// The groups of `access` routers, in a time linear in routers and links; `delayed` links have a delay at
    /// some time.
    #[must_use]
    pub fn of(topology: &Topology, neighbours: &Adjacency, access: &[usize], delayed: &[bool]) -> Self {
        let above = above(topology, neighbours);
        let anchor = |&router: &usize| {
            let mut here = router;
            while let Some((up, link)) = above[here] {
                if delayed[link] {
                    break;
                }
                here = up;
            }
            here
        };
        let anchor_of: Vec<usize> = access.iter().map(anchor).collect();
        let mut anchors = anchor_of.clone();
        anchors.sort_unstable();
        anchors.dedup();
        let group = |a: &usize| AccessGroup::new(anchors.binary_search(a).expect("an anchor of the list"));
        Self { of: anchor_of.iter().map(group).collect(), anchors }
    }
}

/// For every router with one neighbour, once all routers behind it are taken away, the neighbour and the
/// link: the only way from it to anything that is not behind it.
fn above(topology: &Topology, neighbours: &Adjacency) -> Vec<Option<(usize, usize)>> {
    let n = topology.routers.len();
    let mut degree: Vec<usize> = neighbours.iter().map(Vec::len).collect();
    let mut above = vec![None; n];
    let mut taken = vec![false; n];
    let mut leaves: Vec<usize> = (0..n).filter(|&r| degree[r] == 1).collect();
    while let Some(leaf) = leaves.pop() {
        taken[leaf] = true;
        let Some(&(up, link)) = neighbours[leaf].iter().find(|(r, _)| !taken[*r]) else { continue };
        above[leaf] = Some((up, link));
        degree[up] -= 1;
        if degree[up] == 1 {
            leaves.push(up);
        }
    }
    above
}
