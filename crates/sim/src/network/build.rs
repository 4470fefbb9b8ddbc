//! From a scenario to routers, lanes and routes.

use super::Router;
use super::built_in::{BUILT_IN, built_in};
use super::routing::{adjacency, path, routes_to};
use super::topology::{RouterClass, Topology};
use crate::scenario::{BufferKind, InvalidScenario, ReceiverReading, Scenario, invalid};
use mesonet_cc::Picos;

/// Picoseconds in `seconds`, to the nearest.
#[must_use]
pub fn picos(seconds: f64) -> Picos {
    (seconds * 1e12).round() as Picos
}

/// Most sources of a scenario: 16 bytes each before any traffic.
const MOST_SOURCES: u64 = 50_000_000;

/// Where a lane ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneEnd {
    /// Arrival at a router.
    Router(u16),
    /// Arrival at the receivers under the access router with this access index.
    Receivers(u16),
    /// Acknowledgements that reach the sources of a region.
    Sources,
}

/// A directed lane.
#[derive(Clone, Copy, Debug)]
pub struct LaneSpec {
    /// Where it ends.
    pub end: LaneEnd,
    /// Propagation delay.
    pub delay: Picos,
}

/// Routers with speeds and buffers, lanes and routes.
#[derive(Clone, Debug)]
pub struct Network {
    /// Names and classes.
    pub topology: Topology,
    /// Queues, by router.
    pub routers: Vec<Router>,
    /// Buffer in segments, by router.
    pub buffers: Vec<u64>,
    /// Speed in segments/s, by router.
    pub speeds: Vec<f64>,
    /// Lanes: router to router, router to receivers, acknowledgements.
    pub lanes: Vec<LaneSpec>,
    /// Routers where hosts attach.
    pub access: Vec<usize>,
    /// Access index by router.
    pub access_index: Vec<Option<u16>>,
    /// Lane towards an access router: `next_lane[router * access.len() + access_index]`.
    next_lane: Vec<u16>,
    /// Lane of acknowledgements: `ack_lane[receiver region * regions + source region]`.
    ack_lane: Vec<u16>,
    /// Routers on the path between regions, region ends included: `region_path[from][to]`.
    pub region_path: Vec<Vec<Vec<usize>>>,
    /// Propagation delay between regions, one way, s.
    pub region_delay: Vec<Vec<f64>>,
    /// Weight of each access router for receivers.
    pub receiver_weight: Vec<f64>,
    /// Sources under each access router.
    pub sources: Vec<u64>,
}

impl Network {
    /// Builds the network of a scenario.
    ///
    /// # Errors
    /// [`InvalidScenario`] where the topology is unknown or disconnected, or a number leaves its range.
    pub fn build(scenario: &Scenario) -> Result<Self, InvalidScenario> {
        let topology = built_in(&scenario.topology).ok_or_else(|| {
            invalid(
                "topology",
                format!("unknown topology \"{}\"; allowed: {}", scenario.topology, BUILT_IN.join(", ")),
            )
        })?;
        let neighbours = adjacency(&topology);
        let n = topology.routers.len();
        let access: Vec<usize> = (0..n).filter(|&r| topology.routers[r].class.is_access()).collect();
        let mut access_index = vec![None; n];
        for (index, &router) in access.iter().enumerate() {
            access_index[router] = Some(index as u16);
        }
        let delay = |link: usize| topology.links[link].delay * scenario.network.delay_multiplier;

        // Lanes: both directions of every link, then one per access router to its receivers.
        let mut lanes = Vec::new();
        let mut lane_to: Vec<Vec<(usize, u16)>> = vec![Vec::new(); n];
        for (router, list) in neighbours.iter().enumerate() {
            for &(neighbour, link) in list {
                lane_to[router].push((neighbour, lanes.len() as u16));
                lanes.push(LaneSpec { end: LaneEnd::Router(neighbour as u16), delay: picos(delay(link)) });
            }
        }
        let receivers_lane = lanes.len() as u16;
        for index in 0..access.len() {
            lanes.push(LaneSpec { end: LaneEnd::Receivers(index as u16), delay: 0 });
        }

        let mut next_lane = vec![u16::MAX; n * access.len()];
        for (index, &target) in access.iter().enumerate() {
            let routes = routes_to(&topology, &neighbours, target);
            for router in 0..n {
                next_lane[router * access.len() + index] = match routes.next[router] {
                    Some(next) => lane_to[router].iter().find(|(to, _)| *to == next).expect("adjacent").1,
                    None if router == target => receivers_lane + index as u16,
                    None => return Err(invalid("topology", "the network is not connected")),
                };
            }
        }

        let regions = topology.regions;
        let mut region_path = vec![vec![Vec::new(); regions]; regions];
        let mut region_delay = vec![vec![0.0; regions]; regions];
        let mut ack_lane = vec![0; regions * regions];
        for to in 0..regions {
            let routes = routes_to(&topology, &neighbours, to);
            for from in 0..regions {
                let routers = path(&routes, from, to);
                region_delay[from][to] = routers
                    .windows(2)
                    .map(|w| delay(neighbours[w[0]].iter().find(|(r, _)| *r == w[1]).expect("adjacent").1))
                    .sum();
                region_path[from][to] = routers;
            }
        }
        // Acknowledgements take the way of the data back: propagation only.
        for receiver in 0..regions {
            for source in 0..regions {
                ack_lane[receiver * regions + source] = lanes.len() as u16;
                lanes.push(LaneSpec { end: LaneEnd::Sources, delay: picos(region_delay[source][receiver]) });
            }
        }
        if lanes.len() >= usize::from(u16::MAX) {
            return Err(invalid("topology", format!("{} lanes are too many; at most 65534", lanes.len())));
        }

        let mut network = Self {
            routers: Vec::new(),
            buffers: Vec::new(),
            speeds: topology
                .routers
                .iter()
                .map(|r| r.class.speed_factor() * scenario.network.speed)
                .collect(),
            receiver_weight: receiver_weights(scenario, &topology, &access),
            sources: access
                .iter()
                .map(|&r| {
                    let weight = class_weight(topology.routers[r].class, &scenario.users.source_distribution);
                    let count = scenario.users.base_sources * scenario.users.source_multiplier * weight;
                    // Rounded on 1e-6: 1000 x 2 x 3 x (1/3) is 2000, not 1999.
                    (count + 1e-6).round() as u64
                })
                .collect(),
            topology,
            lanes,
            access,
            access_index,
            next_lane,
            ack_lane,
            region_path,
            region_delay,
        };
        let sources: u64 = network.sources.iter().sum();
        if sources > MOST_SOURCES {
            return Err(invalid(
                "users.base_sources",
                format!("{sources} sources; at most {MOST_SOURCES} are allowed"),
            ));
        }
        network.set_buffers(scenario)?;
        Ok(network)
    }

    /// Lane that leads from `router` towards the access router with index `target`.
    #[must_use]
    #[inline]
    pub fn next_lane(&self, router: usize, target: usize) -> usize {
        usize::from(self.next_lane[router * self.access.len() + target])
    }

    /// Lane of acknowledgements from the access router `receiver` to the access router `source` (access indices).
    #[must_use]
    #[inline]
    pub fn ack_lane(&self, receiver: usize, source: usize) -> u16 {
        self.ack_lane[self.region_of(receiver) * self.topology.regions + self.region_of(source)]
    }

    /// Region of an access router.
    #[must_use]
    pub fn region_of(&self, access: usize) -> usize {
        self.topology.routers[self.access[access]].region
    }

    /// Class of an access router.
    #[must_use]
    pub fn class_of(&self, access: usize) -> RouterClass {
        self.topology.routers[self.access[access]].class
    }

    /// Round-trip propagation delay between the hosts of two access routers, s.
    #[must_use]
    pub fn round_trip(&self, source: usize, receiver: usize) -> f64 {
        2.0 * self.region_delay[self.region_of(source)][self.region_of(receiver)]
    }

    /// Mean round-trip propagation delay over the ordered pairs of different regions, s: `rtt` of the buffer rules.
    #[must_use]
    pub fn mean_round_trip(&self) -> f64 {
        let regions = self.topology.regions;
        let sum: f64 = self.region_delay.iter().flatten().sum();
        2.0 * sum / (regions * (regions - 1)) as f64
    }

    /// Weights of receivers as seen from a source in `region`: those it may choose.
    #[must_use]
    pub fn receiver_weights_from(&self, region: usize, allow_same_backbone: bool) -> Vec<f64> {
        (0..self.access.len())
            .map(|a| {
                let allowed = allow_same_backbone || self.region_of(a) != region;
                if allowed { self.receiver_weight[a] } else { 0.0 }
            })
            .collect()
    }

    /// Expected fraction of flows that cross each router.
    #[must_use]
    pub fn flow_shares(&self, scenario: &Scenario) -> Vec<f64> {
        let mut share = vec![0.0; self.topology.routers.len()];
        let total: u64 = self.sources.iter().sum();
        if total == 0 {
            return share;
        }
        let regions = self.topology.regions;
        // Flows between regions, and below the regions the access side of each end.
        let mut from_region = vec![0.0; regions];
        for (access, &count) in self.sources.iter().enumerate() {
            from_region[self.region_of(access)] += count as f64 / total as f64;
            self.add_access_side(&mut share, access, count as f64 / total as f64);
        }
        for (from, weight) in from_region.iter().enumerate() {
            let weights = self.receiver_weights_from(from, scenario.users.allow_same_backbone);
            let sum: f64 = weights.iter().sum();
            if sum <= 0.0 {
                continue;
            }
            for (access, w) in weights.iter().enumerate() {
                let flows = weight * w / sum;
                self.add_access_side(&mut share, access, flows);
                for &router in &self.region_path[from][self.region_of(access)] {
                    share[router] += flows;
                }
            }
        }
        share
    }

    /// Adds `flows` to the access router and to its point of presence.
    fn add_access_side(&self, share: &mut [f64], access: usize, flows: f64) {
        let router = self.access[access];
        let class = self.topology.routers[router].class;
        if class == RouterClass::Plain {
            return;
        }
        share[router] += flows;
        if class != RouterClass::Direct {
            // The tier builder links a normal or fast access router to its point of presence only.
            let lane = self.next_lane(router, usize::from(self.far_access(access)));
            if let LaneEnd::Router(pop) = self.lanes[lane].end {
                share[usize::from(pop)] += flows;
            }
        }
    }

    /// Any other access router.
    fn far_access(&self, access: usize) -> u16 {
        u16::from(access == 0)
    }

    fn set_buffers(&mut self, scenario: &Scenario) -> Result<(), InvalidScenario> {
        let parameters = &scenario.network;
        let rtt = self.mean_round_trip();
        let flows: Vec<f64> = match parameters.buffer.rule {
            BufferKind::BdpPerSqrtN => self.expected_flows(scenario),
            _ => vec![1.0; self.routers_len()],
        };
        for (speed, flows) in self.speeds.iter().zip(flows) {
            let size = match parameters.buffer.rule {
                BufferKind::Segments => parameters.buffer.factor,
                BufferKind::Bdp => parameters.buffer.factor * rtt * speed,
                BufferKind::BdpPerSqrtN => parameters.buffer.factor * rtt * speed / flows.max(1.0).sqrt(),
            };
            let buffer = (size.round() as u64).max(parameters.buffer_floor);
            let service = picos(1.0 / speed);
            if service == 0 {
                return Err(invalid("network.speed", "a router would serve a segment in less than 1 ps"));
            }
            let waiting = if parameters.buffer_counts_in_service { buffer.saturating_sub(1) } else { buffer };
            self.buffers.push(buffer);
            self.routers.push(Router::new(service, waiting));
        }
        Ok(())
    }

    fn routers_len(&self) -> usize {
        self.topology.routers.len()
    }

    /// Expected number of flows through each router of an uncongested network: the closed loop of thinking and
    /// transferring, with a transfer of log2(mean size / initial window) + 2 round trips.
    #[must_use]
    pub fn expected_flows(&self, scenario: &Scenario) -> Vec<f64> {
        let sources: u64 = self.sources.iter().sum();
        let rounds = libm::log2(scenario.mean_file_size() / scenario.transport.initial_window).max(0.0) + 2.0;
        let transfer = rounds * self.mean_round_trip();
        let active = transfer / (transfer + scenario.users.think_time);
        self.flow_shares(scenario).iter().map(|share| sources as f64 * active * share).collect()
    }
}

/// Weight of each access router for receivers.
fn receiver_weights(scenario: &Scenario, topology: &Topology, access: &[usize]) -> Vec<f64> {
    let users = &scenario.users;
    let of_class = |class| access.iter().filter(|&&r| topology.routers[r].class == class).count() as f64;
    let weight = |&router: &usize| {
        let class = topology.routers[router].class;
        let weight = class_weight(class, &users.receiver_distribution);
        match users.receiver_reading {
            ReceiverReading::PerRouter => weight,
            ReceiverReading::PerClass => weight / of_class(class),
        }
    };
    access.iter().map(weight).collect()
}

/// Three times the weight of the class, so that equal weights give 1; 1 for routers outside the tiers.
fn class_weight(class: RouterClass, distribution: &[f64; 3]) -> f64 {
    class.distribution_index().map_or(1.0, |i| 3.0 * distribution[i])
}
