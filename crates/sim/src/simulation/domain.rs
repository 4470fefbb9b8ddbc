//! A domain of the network with the sources in it and their flows.

use super::answering::Answering;
use super::applications::{self, Feeder, Watched};
use super::arriving::ArrivalsHere;
use super::code;
use super::dropped_acks::DroppedAcks;
use super::ended::Ended;
use super::large_files::Candidates;
use super::misbehaving::EarlyAcks;
use super::shared::Shared;
use super::slots::Slots;
use crate::engine::{FlowHome, FlowId, Interfaces, TIMER_SLOT_BITS, Timers, prefetch};
use crate::fabric::{Alarm, Event, EventKind, Fabric};
use crate::measure::{Counters, FlowGroups, FlowRecords, SlowdownClasses};
use crate::network::DomainId;
use crate::transport::{DeliverySampler, Flow, HOT_LINES, HOT_REPAIR_LINES, Receiver, Repair};
use crate::users::Source;
use mesonet_cc::Picos;
use mesonet_cc::picos;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An explicit flow whose source is in a domain.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ExplicitHere {
    /// Its number in the scenario.
    pub index: u32,
    /// Its slot while it lives.
    pub slot: Option<u32>,
    /// Segments that had been acknowledged when it ended.
    pub delivered: u64,
    /// Last departure, where an application hands over its data; 0 before the first one.
    pub last_sent: Picos,
}

/// What begins flows in a domain.
pub(super) struct Members {
    /// Users' sources, rising by number.
    pub sources: Vec<Source>,
    /// Numbers of explicit flows, rising.
    pub explicit: Vec<u32>,
    /// Numbers of emitters of arrivals, rising.
    pub emitters: Vec<u32>,
}

/// Flows of a domain from which on their state is asked for ahead of their events: some 500 kB of hot state. Less stays in
/// the second cache of a core (1 to 2 MB), other domains included (chosen).
const MANY_FLOWS: usize = 1024;

/// Cache lines of a sampler of delivery rates.
const SAMPLER_LINES: usize = size_of::<DeliverySampler>().div_ceil(64);

/// Cache lines of a large controller beyond the hot state.
const CONTROLLER_LINES: usize = 4;

/// Sources, flows, timers, and the fabric that carries their segments.
#[derive(Clone, Debug)]
pub(super) struct Domain {
    pub shared: Arc<Shared>,
    /// Its number.
    pub number: DomainId,
    pub now: Picos,
    pub fabric: Fabric,
    pub timers: Timers<TIMER_SLOT_BITS>,
    pub interfaces: Interfaces,
    pub flows: Vec<Flow>,
    /// Delivery-rate samples by slot; those of other flows are empty.
    pub samplers: Vec<DeliverySampler>,
    /// State of recovery by slot; empty where the rules are plain.
    pub repairs: Vec<Repair>,
    /// Receivers that delay acknowledgements, by slot of the flow; none where they do not.
    pub receivers: Vec<Receiver>,
    /// The same where they are, if acknowledgements pass routers.
    pub answering: Answering,
    /// Slots of flows.
    pub slots: Slots,
    /// Segments without acknowledgements of their own that no later one has reported, where acknowledgements pass routers.
    pub dropped_acks: DroppedAcks,
    /// Users' sources, rising by number.
    pub sources: Vec<Source>,
    pub explicit: Vec<ExplicitHere>,
    /// Emitters of open-loop arrivals, rising by number.
    pub arrivals: Vec<ArrivalsHere>,
    /// Applications of explicit flows.
    pub feeders: Vec<Feeder>,
    /// Receivers here that are watched, by the number of their flow among those that have lanes of their own.
    pub receptions: Vec<Option<Box<Watched>>>,
    /// Acknowledgements of optimistic receivers.
    pub early_acks: EarlyAcks,
    /// Slot by number of a flow that has lanes of its own.
    pub own_slots: Vec<u32>,
    /// Sources that are traced, rising by number, with the slot of the transfer of each.
    pub traced: Vec<(u32, Option<u32>)>,
    /// Counts of the endpoints.
    pub counters: Counters,
    /// Flows that ended in this window.
    pub ended: Vec<Ended>,
    pub records: FlowRecords,
    pub groups: FlowGroups,
    pub slowdowns: SlowdownClasses,
    /// Flows that may become movies and service packs, where these are limited by concurrency.
    pub candidates: Candidates,
    /// Slots of flows that were in progress when a period ended: what they had delivered, and when.
    pub counted: BTreeMap<u32, (u64, Picos)>,
    /// Number of the next transmission that a test loses, and of those after it, last first.
    pub next_loss: u64,
    pub losses: Vec<u64>,
}

impl Domain {
    /// A domain at its first instant.
    pub fn new(shared: &Arc<Shared>, number: DomainId, fabric: Fabric, members: Members) -> Self {
        let Members { sources, explicit, emitters } = members;
        let scenario = &shared.scenario;
        let rates = [scenario.users.normal_interface, scenario.users.fast_interface];
        let here = |index| ExplicitHere { index, slot: None, delivered: 0, last_sent: 0 };
        let mut traced = scenario.trace.sources.clone();
        traced.sort_unstable();
        traced.dedup();
        traced.retain(|number| sources.binary_search_by_key(number, |s| s.number).is_ok());
        let mut domain = Self {
            number,
            now: 0,
            fabric,
            timers: Timers::default(),
            interfaces: Interfaces::new(rates.map(|rate| picos(1.0 / rate))),
            flows: Vec::new(),
            samplers: Vec::new(),
            repairs: Vec::new(),
            receivers: Vec::new(),
            answering: Answering::default(),
            slots: Slots::new(shared, number),
            dropped_acks: DroppedAcks::default(),
            sources,
            feeders: applications::feeders(shared, &explicit),
            receptions: applications::receptions(shared, number),
            early_acks: EarlyAcks::default(),
            explicit: explicit.into_iter().map(here).collect(),
            arrivals: emitters.into_iter().map(ArrivalsHere::new).collect(),
            own_slots: vec![0; shared.own.len()],
            traced: traced.into_iter().map(|number| (number, None)).collect(),
            counters: Counters::default(),
            ended: Vec::new(),
            records: FlowRecords::new(shared.seed, scenario.measurement.flow_records),
            groups: FlowGroups::default(),
            slowdowns: SlowdownClasses::default(),
            candidates: Candidates::default(),
            counted: BTreeMap::new(),
            next_loss: u64::MAX,
            losses: Vec::new(),
            shared: Arc::clone(shared),
        };
        domain.arm_start();
        domain
    }

    fn arm_start(&mut self) {
        for (place, source) in self.sources.iter().enumerate() {
            let at = self.shared.population.first_start(source.number);
            self.timers.arm(at, code::SOURCE | place as u64);
        }
        for (place, flow) in self.explicit.iter().enumerate() {
            let spec = &self.shared.scenario.flows[flow.index as usize];
            self.timers.arm(picos(spec.start), code::EXPLICIT | place as u64);
            if let Some(stop) = spec.stop {
                self.timers.arm(picos(stop), code::STOP | place as u64);
            }
        }
        self.arm_arrivals();
        self.fabric.set_alarm(Alarm::Timer, self.timers.next());
    }

    /// Everything that happens before `limit`.
    pub fn run(&mut self, limit: Picos) {
        while let Some(Event { time, kind, segment }) = self.fabric.next(limit) {
            self.now = time;
            match kind {
                EventKind::Acknowledgement => {
                    let many = self.flows.len() >= MANY_FLOWS;
                    if (many || !self.samplers.is_empty())
                        && let Some(flow) = self.fabric.upcoming()
                    {
                        let slot = self.slot(flow);
                        if many { self.fetch(slot) } else { self.fetch_departures(slot) }
                    }
                    self.acknowledged(segment);
                }
                EventKind::Arrival => self.reach(segment.words()),
                EventKind::Alarm(Alarm::Timer) => self.timer(),
                EventKind::Alarm(Alarm::Interface(queue)) => self.interface(queue),
            }
        }
    }

    /// Asks for the state of a flow ahead of its next event.
    #[inline(always)]
    fn fetch(&self, slot: u32) {
        let slot = slot as usize;
        if let Some(flow) = self.flows.get(slot) {
            prefetch(flow, 0..HOT_LINES);
            if let Some(sampler) = self.samplers.get(slot) {
                // Algorithms that take samples have the large controllers.
                prefetch(sampler, 0..SAMPLER_LINES);
                prefetch(flow, HOT_LINES..HOT_LINES + CONTROLLER_LINES);
            }
        }
        if let Some(repair) = self.repairs.get(slot) {
            prefetch(repair, 0..HOT_REPAIR_LINES);
        }
    }

    /// Asks for the list of departures of a flow whose other state is in the caches.
    #[inline(always)]
    fn fetch_departures(&self, slot: u32) {
        if let Some(sampler) = self.samplers.get(slot as usize) {
            sampler.fetch_first();
        }
    }

    // Rare beside segments: kept out of their loop.
    #[inline(never)]
    fn timer(&mut self) {
        let Some((time, code)) = self.timers.take() else { return };
        if self.flows.len() >= MANY_FLOWS
            && let Some(next) = self.timers.upcoming()
            && next & code::KIND == code::FLOW
        {
            self.fetch(code::slot(next));
        }
        let slot = code::slot(code);
        match code & code::KIND {
            code::EXPLICIT => self.start_explicit(code as u32),
            code::SOURCE => self.start_transfer(code as u32),
            code::FLOW => self.flow_timer(slot, time),
            code::TICK => self.tick(slot, time),
            code::PATIENCE => self.lose_patience(slot, time),
            code::ARRIVAL => self.start_arrival(code as u32),
            code::APPLICATION => self.run_application(code as u32),
            code::DATAGRAM => self.datagram_due(code as u32),
            code::RECEIVER => self.receiver_due(code, time),
            code::EARLY_ACK => self.early_ack(code as u32 as usize),
            _ => self.stop_explicit(code as u32),
        }
        self.fabric.set_alarm(Alarm::Timer, self.timers.next());
    }

    fn interface(&mut self, queue: u8) {
        let Some((time, code)) = self.interfaces.take(usize::from(queue)) else { return };
        let slot = code::slot(code);
        let flow = &mut self.flows[slot as usize];
        if flow.interface_armed && flow.interface_free == time {
            flow.interface_armed = false;
            self.send_now(slot);
        }
        self.fabric.set_alarm(Alarm::Interface(queue), self.interfaces.next(usize::from(queue)));
    }

    /// Arms a timer of a kind for a flow.
    pub fn arm_flow(&mut self, at: Picos, kind: u64, slot: u32) {
        self.arm(at, kind | code::of_flow(self.flows[slot as usize].home, slot));
    }

    /// Arms a timer from outside the timer loop.
    pub fn arm(&mut self, at: Picos, code: u64) {
        self.timers.arm(at, code);
        if self.timers.next() == Some(at) {
            self.fabric.set_alarm(Alarm::Timer, Some(at));
        }
    }

    /// Arms the event at which the interface of a flow becomes free.
    #[inline]
    pub fn arm_interface(&mut self, at: Picos, slot: u32) {
        let code = code::of_flow(self.flows[slot as usize].home, slot);
        if let Some(queue) = self.interfaces.arm(self.now, at, code) {
            self.fabric.set_alarm(Alarm::Interface(queue as u8), Some(at));
        }
    }

    /// Slot of a flow whose source is here.
    #[inline]
    pub fn slot(&self, flow: FlowId) -> u32 {
        match flow.home() {
            FlowHome::Group(group) => self.slots.of(group, flow),
            FlowHome::OwnLanes(own) => self.own_slots[own],
        }
    }

    /// Counts of this domain since the start.
    pub fn counters(&self) -> Counters {
        let crossed = self.fabric.crossed();
        Counters {
            leaving: crossed.leaving,
            dropped: crossed.dropped,
            acks_dropped: crossed.acks_dropped,
            lost_on_links: crossed.lost_on_links,
            marked: crossed.marked,
            ..self.counters
        }
    }
}
