//! Places where segments queue: routers, or ports of routers.
//!
//! A router has one queue for all its links (the study). Or it has one at each output, which serves at the
//! capacity of the link, and one towards its hosts, which serves at the speed of the router. A queue has the
//! number of its router, or of the lane that begins at its port.

use super::lanes::{LaneEnd, LaneSpec};
use super::topology::{LinkSpec, RouterClass, Topology};
use crate::scenario::{
    AqmParameters, DisciplineName, EcnRewrite, InvalidScenario, NetworkParameters, QueuePlace, Scenario,
    invalid,
};

/// The queues of data.
#[derive(Clone, Debug)]
pub struct Queues {
    place: QueuePlace,
    /// Router of each.
    routers: Vec<usize>,
    /// Router to which a port leads; none towards hosts.
    towards: Vec<Option<usize>>,
}

impl Queues {
    /// The queues of a network whose `lanes` so far are those of data.
    #[must_use]
    pub fn new(place: QueuePlace, topology: &Topology, lanes: &[LaneSpec]) -> Self {
        match place {
            QueuePlace::Router => {
                Self { place, routers: (0..topology.routers.len()).collect(), towards: Vec::new() }
            }
            QueuePlace::Port => {
                let towards = |lane: &LaneSpec| match lane.end {
                    LaneEnd::Router(router) => Some(router.index()),
                    LaneEnd::Receivers(_) | LaneEnd::Sources(_) => None,
                };
                Self {
                    place,
                    routers: lanes.iter().map(|lane| lane.from.index()).collect(),
                    towards: lanes.iter().map(towards).collect(),
                }
            }
        }
    }

    /// Number of queues.
    #[must_use]
    pub fn count(&self) -> usize {
        self.routers.len()
    }

    /// They are at ports.
    #[must_use]
    pub fn at_ports(&self) -> bool {
        self.place == QueuePlace::Port
    }

    /// Router of a queue.
    #[must_use]
    pub fn router(&self, queue: usize) -> usize {
        self.routers[queue]
    }

    /// Router to which the port of a queue leads; none towards hosts, and where a router has one queue.
    #[must_use]
    pub fn towards(&self, queue: usize) -> Option<usize> {
        self.towards.get(queue).copied().flatten()
    }

    /// The queues of a router.
    pub fn of_router(&self, router: usize) -> impl Iterator<Item = usize> {
        self.routers.iter().enumerate().filter(move |(_, of)| **of == router).map(|(queue, _)| queue)
    }

    /// Class of the router of a queue.
    #[must_use]
    pub fn class(&self, queue: usize, topology: &Topology) -> RouterClass {
        topology.routers[self.routers[queue]].class
    }

    /// Name of a queue: that of its router, with the end of the link at a port.
    #[must_use]
    pub fn name(&self, queue: usize, topology: &Topology) -> String {
        let name = &topology.routers[self.routers[queue]].name;
        match self.towards.get(queue) {
            None => name.clone(),
            Some(None) => format!("{name} -> hosts"),
            Some(Some(other)) => format!("{name} -> {}", topology.routers[*other].name),
        }
    }

    /// Discipline of each.
    ///
    /// # Errors
    /// [`InvalidScenario`] where a place names no queue.
    pub fn disciplines(
        &self,
        aqm: &AqmParameters,
        topology: &Topology,
    ) -> Result<Vec<DisciplineName>, InvalidScenario> {
        let chosen = self.at("aqm.at", &aqm.at, topology)?;
        let discipline = |is_meant: bool| if is_meant { aqm.discipline } else { DisciplineName::DropTail };
        Ok(chosen.into_iter().map(discipline).collect())
    }

    /// Changes of the ECN field by hops, before each queue.
    ///
    /// # Errors
    /// [`InvalidScenario`] where a place names no queue.
    pub fn rewrites(
        &self,
        network: &NetworkParameters,
        topology: &Topology,
    ) -> Result<Vec<EcnRewrite>, InvalidScenario> {
        let chosen = self.at("network.ecn_rewrite_at", &network.ecn_rewrite_at, topology)?;
        let rewrite = |is_meant: bool| if is_meant { network.ecn_rewrite } else { EcnRewrite::None };
        Ok(chosen.into_iter().map(rewrite).collect())
    }

    /// Returns of each queue whether the `places` of the value at `path` name it.
    fn at(&self, path: &str, places: &[String], topology: &Topology) -> Result<Vec<bool>, InvalidScenario> {
        let mut found = vec![false; self.count()];
        for (index, place) in places.iter().enumerate() {
            let mut any = false;
            for (queue, chosen) in found.iter_mut().enumerate() {
                let class = self.class(queue, topology);
                let is_meant = match place.as_str() {
                    "all" => true,
                    "access" => class.is_access(),
                    _ => {
                        place == class.word()
                            || *place == topology.routers[self.routers[queue]].name
                            || *place == self.name(queue, topology)
                    }
                };
                if is_meant {
                    (*chosen, any) = (true, true);
                }
            }
            if !any {
                let message = format!(
                    "\"{place}\" names no queue; allowed: all, access, {}, the name of a router, or of a port such as \
                     {}",
                    RouterClass::ALL.map(RouterClass::word).join(", "),
                    self.name(0, topology)
                );
                return Err(invalid(format!("{path}[{index}]"), message));
            }
        }
        Ok(found)
    }

    /// Buffer that the link of a port has of its own, s of service, by queue. `link_of` as for `speeds`.
    #[must_use]
    pub fn buffers(&self, link_of: &[(&LinkSpec, bool)]) -> Vec<Option<f64>> {
        let own = |queue: usize| {
            let (link, back) = self.link(queue, link_of)?;
            link.buffer[usize::from(back)]
        };
        (0..self.count()).map(own).collect()
    }

    /// By queue: a port serves at the capacity of its link. `link_of` as for `speeds`.
    #[must_use]
    pub fn have_capacity(&self, link_of: &[(&LinkSpec, bool)]) -> Vec<bool> {
        (0..self.count())
            .map(|queue| self.link(queue, link_of).is_some_and(|(link, _)| link.capacity.is_some()))
            .collect()
    }

    /// The link of a port, and whether the port is at its second end.
    fn link<'a>(&self, queue: usize, link_of: &[(&'a LinkSpec, bool)]) -> Option<(&'a LinkSpec, bool)> {
        link_of.get(queue).filter(|_| self.at_ports()).copied()
    }

    /// Speed of each, segments/s. `routers` has the speeds of the routers, `link_of` the link of each lane of
    /// data that has one, and whether the lane begins at its second end. The port of a plain router towards
    /// its hosts is at least as fast as the links into the router, unless the topology gives its speed.
    #[must_use]
    pub fn speeds(
        &self,
        scenario: &Scenario,
        topology: &Topology,
        routers: &[f64],
        link_of: &[(&LinkSpec, bool)],
    ) -> Vec<f64> {
        let segments_per_bit = scenario.network.capacity_factor / (8.0 * scenario.transport.segment_bytes);
        let mut into = vec![0.0; routers.len()];
        for (towards, (link, back)) in self.towards.iter().zip(link_of) {
            if let (Some(other), Some(capacity)) = (towards, link.capacity) {
                into[*other] += capacity[usize::from(*back)] * segments_per_bit;
            }
        }
        let speed = |queue: usize| {
            let router = self.routers[queue];
            let own = routers[router];
            let (Some(Some(other)), Some((link, back))) = (self.towards.get(queue), link_of.get(queue))
            else {
                let spec = &topology.routers[router];
                let follows = spec.class == RouterClass::Plain && !spec.has_own_speed;
                return if follows { own.max(into[router]) } else { own };
            };
            match link.capacity {
                Some(capacity) => capacity[usize::from(*back)] * segments_per_bit,
                None => own.min(routers[*other]),
            }
        };
        (0..self.count()).map(speed).collect()
    }
}
