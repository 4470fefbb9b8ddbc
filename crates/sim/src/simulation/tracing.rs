//! Detailed traces: which flows and routers are watched, and when.

use super::domain::Domain;
use super::look::Look;
use super::shared::Shared;
use crate::measure::{Table, Traces, packets};
use crate::network::Network;
use crate::scenario::{InvalidScenario, Scenario, invalid};
use crate::snapshot::{BadSnapshot, Passage};
use mesonet_cc::Picos;
use mesonet_cc::picos;
use std::collections::BTreeSet;

/// The traced flows and routers, and the rows so far.
#[derive(Clone, Debug)]
pub struct Tracing {
    interval: Picos,
    rows: u64,
    /// Indices of explicit flows.
    explicit: Vec<usize>,
    /// Numbers of sources in rising order.
    sources: Vec<u32>,
    /// Queues.
    routers: Vec<usize>,
    /// Of the explicit flows, then of the sources.
    names: Vec<String>,
    traces: Traces,
}

impl Tracing {
    /// Looks up what a scenario wants traced; its long-lived flows are not among its explicit flows yet.
    ///
    /// # Errors
    /// [`InvalidScenario`] where it names a flow, a source or a router that does not exist.
    pub fn new(scenario: &Scenario, network: &Network) -> Result<Self, InvalidScenario> {
        let trace = &scenario.trace;
        let known: u64 = network.traffic.sources.iter().sum();
        let mut names = Vec::new();
        let mut explicit = Vec::new();
        let count = scenario.flows.len() + scenario.users.long_lived_flows as usize;
        for &number in &trace.flows {
            if number == 0 || number as usize > count {
                let allowed = match count {
                    0 => "none, the scenario has no explicit flows".into(),
                    _ => format!("a number from 1 to {count}"),
                };
                let message = format!("there is no flow {number}; allowed: {allowed}");
                return Err(invalid("trace.flows", message));
            }
            explicit.push(number as usize - 1);
        }
        explicit.sort_unstable();
        explicit.dedup();
        names.extend(explicit.iter().map(|flow| format!("flow {}", flow + 1)));
        let mut sources = trace.sources.clone();
        sources.sort_unstable();
        sources.dedup();
        for &source in &sources {
            if u64::from(source) >= known {
                let allowed = match known {
                    0 => "none, the scenario has no sources".into(),
                    _ => format!("at least 0 and less than {known}"),
                };
                let message = format!("there is no source {source}; allowed: {allowed}");
                return Err(invalid("trace.sources", message));
            }
            names.push(format!("source {source}"));
        }
        if trace.packets && names.is_empty() {
            let message = "packets of no flow; allowed: with trace.flows or trace.sources";
            return Err(invalid("trace.packets", message));
        }
        let routers: BTreeSet<usize> = if trace.routers.iter().any(|name| name == "all") {
            (0..network.queues.count()).collect()
        } else {
            let index = |name: &String| {
                network.topology.router(name).ok_or_else(|| {
                    let routers = &network.topology.routers;
                    let some: Vec<&str> = routers.iter().take(12).map(|r| r.name.as_str()).collect();
                    let more = if routers.len() > some.len() { ", ..." } else { "" };
                    let message =
                        format!("there is no router \"{name}\"; allowed: all, {}{more}", some.join(", "));
                    invalid("trace.routers", message)
                })
            };
            let mut wanted = BTreeSet::new();
            for name in &trace.routers {
                wanted.extend(network.queues.of_router(index(name)?));
            }
            wanted
        };
        Ok(Self {
            interval: picos(trace.every),
            rows: 0,
            explicit,
            sources,
            routers: routers.into_iter().collect(),
            names,
            traces: Traces::default(),
        })
    }

    /// Writes or replaces what changes during a run.
    pub fn pass(&mut self, passage: &mut Passage) -> Result<(), BadSnapshot> {
        let Self { interval: _, rows, explicit: _, sources: _, routers: _, names: _, traces } = self;
        passage.field(rows)?;
        passage.field(traces)
    }

    /// Instant of the next row; none where nothing is traced.
    pub fn next(&self) -> Option<Picos> {
        let something = !self.names.is_empty() || !self.routers.is_empty();
        something.then(|| self.interval * (self.rows + 1))
    }

    /// A row for everything that is traced.
    pub fn trace(&mut self, look: &Look) {
        let explicit = self.explicit.iter().map(|index| look.explicit(*index));
        let flows = explicit.chain(self.sources.iter().map(|source| look.traced(*source)));
        for (index, flow) in flows.enumerate() {
            let Some(flow) = flow else { continue };
            self.traces.flow(look.now, index, flow, &look.shared.configs[usize::from(flow.algorithm)]);
        }
        let states: Vec<_> = self.routers.iter().map(|queue| look.queue(*queue)).collect();
        self.traces.routers(look.now, &self.routers, &states);
        self.rows += 1;
    }

    /// Rows of flows since the last call.
    pub fn take_flows(&mut self) -> Table {
        self.traces.take_flows(&self.names)
    }

    /// Events of segments since the last call.
    pub fn take_packets(&self, shared: &Shared, domains: &mut [Domain]) -> Table {
        let rows = domains.iter_mut().flat_map(|domain| domain.senders.beside.packets.take()).collect();
        let place = |source: u32| match source.checked_sub(shared.population.count) {
            Some(index) => self.explicit.binary_search(&(index as usize)),
            None => self.sources.binary_search(&source).map(|place| self.explicit.len() + place),
        };
        packets::table(rows, |source| self.names[place(source).expect("a traced source")].clone())
    }

    /// Rows of routers since the last call.
    pub fn take_routers(&mut self, network: &Network) -> Table {
        self.traces.take_routers(network)
    }
}
