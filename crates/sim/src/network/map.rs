//! Every router and link by name, for tables and drawings.

use super::Network;
use super::lanes::LaneEnd;
use super::numbers::RouterId;
use super::topology::{LinkSpec, RouterSpec};
use crate::scenario::Scenario;
use crate::users::deployment::units;
use serde::Serialize;

/// A router.
#[derive(Clone, Debug, Serialize)]
pub struct MapRouter {
    /// Name.
    pub name: String,
    /// Class.
    pub class: &'static str,
    /// Index of the backbone (or plain) router it belongs to.
    pub region: usize,
    /// Index of the router of its place; none where no hosts attach.
    pub place: Option<usize>,
    /// Sources below it.
    pub sources: u64,
    /// Open-loop arrivals below it, flows/s.
    pub arrivals: f64,
    /// Units below it that take their algorithm from the mix.
    pub units: f64,
}

/// A link.
#[derive(Clone, Debug, Serialize)]
pub struct MapLink {
    /// Index of the router at one end.
    pub a: usize,
    /// Index of the router at the other end.
    pub b: usize,
    /// Propagation delay from `a` to `b`, multiplied, s.
    pub delay: f64,
    /// Propagation delay from `b` to `a`, multiplied, s.
    pub delay_back: f64,
    /// Routing cost from `a` to `b`.
    pub cost: f64,
    /// Routing cost from `b` to `a`.
    pub cost_back: f64,
    /// It loses or delays segments, or its rate varies, in a direction.
    pub impaired: bool,
}

/// Every router and link. Backbone and plain routers come first.
#[derive(Clone, Debug, Serialize)]
pub struct NetworkMap {
    /// Routers.
    pub routers: Vec<MapRouter>,
    /// Links.
    pub links: Vec<MapLink>,
}

impl Network {
    /// The map of the network.
    #[must_use]
    pub fn map(&self, scenario: &Scenario) -> NetworkMap {
        let multiplier = scenario.network.delay_multiplier;
        let (places, units) = (self.places(), units(scenario, self));
        let router = |(index, router): (usize, &RouterSpec)| {
            let access = self.access_index[index];
            MapRouter {
                name: router.name.clone(),
                class: router.class.name(),
                region: router.region,
                place: access.map(|access| places[access.index()]),
                sources: access.map_or(0, |access| self.traffic.sources[access.index()]),
                arrivals: access.map_or(0.0, |access| self.arrival_rate(access)),
                units: access.map_or(0.0, |access| units[access.index()]),
            }
        };
        let of_link = |at: RouterId, to: usize| {
            self.lanes.iter().position(|lane| {
                lane.from == at && matches!(lane.end, LaneEnd::Router(end) if end.index() == to)
            })
        };
        let is_impaired = |a: usize, b: usize| {
            let lane = of_link(RouterId::new(a), b);
            lane.is_some_and(|lane| self.impairments.has(lane))
        };
        let link = |link: &LinkSpec| MapLink {
            a: link.a,
            b: link.b,
            delay: link.delay[0] * multiplier,
            delay_back: link.delay[1] * multiplier,
            cost: link.cost[0],
            cost_back: link.cost[1],
            impaired: is_impaired(link.a, link.b) || is_impaired(link.b, link.a),
        };
        NetworkMap {
            routers: self.topology.routers.iter().enumerate().map(router).collect(),
            links: self.topology.links.iter().map(link).collect(),
        }
    }
}
