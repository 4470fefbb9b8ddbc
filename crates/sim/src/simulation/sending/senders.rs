//! The flows with sources in a domain, by slot.

use super::beside::Beside;
use super::dropped_acks::Missed;
use super::sender::Sender;
use super::slots::Slots;
use crate::engine::{FlowId, prefetch};
use crate::fabric::DroppedSegment;
use crate::measure::Counters;
use crate::network::{AccessRouter, DomainId};
use crate::simulation::events::Events;
use crate::simulation::shared::Shared;
use crate::snapshot::{BadSnapshot, Passage};
use crate::transport::{
    CarefulResume, DROP_LINES, DeliverySampler, Flow, FlowState, HOT_LINES, HOT_REPAIR_LINES, Piece,
    Receiver, Recovery, Repair, Usage,
};
use mesonet_cc::Picos;

/// Flows of a domain from which on their state is asked for ahead of their events: some 500 kB of hot state.
/// Less stays in the second cache of a core (1 to 2 MB), other domains included (chosen).
const MANY_FLOWS: usize = 1024;

/// Cache lines of a sampler of delivery rates.
const SAMPLER_LINES: usize = size_of::<DeliverySampler>().div_ceil(64);

/// Cache lines of a large controller beyond the hot state.
const CONTROLLER_LINES: usize = 4;

/// The flows with sources in a domain, and the state of their senders.
#[derive(Clone, Debug)]
pub struct Senders {
    pub flows: Vec<Flow>,
    slots: Slots,
    /// State of recovery by slot; empty where the rules are plain.
    repairs: Vec<Repair>,
    /// Stands for the state of recovery where the rules are plain.
    no_repair: Repair,
    pub beside: Beside,
}

impl Senders {
    /// No flow has begun in domain `number`.
    pub fn new(shared: &Shared, number: DomainId) -> Self {
        Self {
            flows: Vec::new(),
            slots: Slots::new(shared, number),
            repairs: Vec::new(),
            no_repair: Repair::default(),
            beside: Beside::default(),
        }
    }

    /// Slot of a flow.
    #[inline(always)]
    pub fn slot(&self, flow: FlowId) -> u32 {
        self.slots.of(flow)
    }

    /// The sender of the flow in a slot.
    #[inline(always)]
    pub fn sender<'a>(
        &'a mut self,
        shared: &'a Shared,
        slot: u32,
        events: &'a mut Events,
        counters: &'a mut Counters,
    ) -> Sender<'a> {
        let place = slot as usize;
        let flow = &mut self.flows[place];
        Sender {
            shared,
            slot,
            now: events.now,
            config: &shared.configs[usize::from(flow.algorithm)],
            flow,
            repair: self.repairs.get_mut(place).unwrap_or(&mut self.no_repair),
            beside: &mut self.beside,
            events,
            counters,
        }
    }

    /// Takes a slot for a flow from an access router: one that was never used where it `must_be_new`. `own`
    /// is its number among the flows with lanes of their own. Returns the slot, and the name of the flow.
    pub fn take(
        &mut self,
        shared: &Shared,
        origin: AccessRouter,
        must_be_new: bool,
        own: Option<usize>,
    ) -> (u32, FlowId) {
        self.slots.take(shared, origin, must_be_new, own)
    }

    /// Sequence number after the last one that flows in a slot have used.
    pub fn next_number(&self, slot: u32) -> u64 {
        self.flows.get(slot as usize).map_or(0, |flow| flow.board.next())
    }

    /// A flow begins in the slot that was taken for it.
    pub fn begin(&mut self, shared: &Shared, events: &mut Events, slot: u32, flow: Flow) {
        let place = slot as usize;
        if shared.logs_packets_of(flow.source) {
            self.beside.packets.flow_begins(slot, &flow);
        }
        if let Some(former) = self.flows.get_mut(place) {
            *former = flow;
            return;
        }
        self.beside.dropped_acks.add_origin(events, flow.origin);
        self.flows.push(flow);
        if shared.samples {
            self.beside.samplers.push(DeliverySampler::default());
        }
        if !shared.rules.is_plain() {
            self.repairs.push(Repair::default());
        }
        if shared.acks.is_some() {
            self.beside.receivers.push(Receiver::default());
        }
        if shared.notes_usage {
            self.beside.usages.push(Usage::default());
        }
        if shared.pieces.is_some() {
            self.beside.pieces.push(Piece::default());
        }
        if shared.saved.is_some() {
            self.beside.resumes.push(CarefulResume::default());
        }
    }

    /// The flow in a slot ends now: the slot is free.
    pub fn end(&mut self, shared: &Shared, now: Picos, slot: u32) {
        let flow = &mut self.flows[slot as usize];
        flow.state = FlowState::Free;
        flow.recovery = Recovery::Open;
        flow.interface_armed = false;
        self.slots.release(shared, flow.origin, slot);
        self.beside.dropped_acks.forget(slot, flow);
        self.beside.packets.flow_ends(slot, now);
    }

    /// Takes from the fabric the acknowledgements that were dropped here.
    pub fn take_dropped_acks(&mut self, shared: &Shared, events: &mut Events) {
        for (time, segment) in std::mem::take(events.fabric.dropped_acks()) {
            self.hand_missed(shared, events.number, Missed { time, segment, answer: None });
        }
    }

    /// Hands a segment from domain `here` to the domain of its source.
    pub fn hand_missed(&mut self, shared: &Shared, here: DomainId, missed: Missed) {
        let home = if shared.domains.count == 1 { here } else { shared.home(missed.segment.flow) };
        if home == here {
            self.miss(shared, missed);
        } else {
            self.beside.dropped_acks.elsewhere.push((home, missed));
        }
    }

    /// The source, which is here, does not hear of a segment alone, since an instant that is not after now.
    pub fn miss(&mut self, shared: &Shared, missed: Missed) {
        let slot = self.slot(missed.segment.flow);
        let flow = &mut self.flows[slot as usize];
        let sequence = flow.expand(missed.segment.sequence);
        // Others are of an earlier flow of the slot, or answers to a SYN.
        if flow.state == FlowState::Sending && sequence >= flow.base && sequence < flow.board.next() {
            flow.acks_dropped = true;
            self.beside.dropped_acks.add(slot, missed, shared.news_delay);
        }
    }

    /// A segment was dropped, before now and not before this window began. Returns its slot and number, if
    /// the flow has ended.
    pub fn count_drop(&mut self, drop: &DroppedSegment) -> Option<(u32, u64)> {
        let slot = self.slot(drop.flow);
        let flow = &mut self.flows[slot as usize];
        let sequence = flow.expand(drop.sequence);
        self.beside.packets.dropped(slot, sequence, drop);
        // A SYN has the number before the first data segment.
        if flow.state == FlowState::Free || sequence < flow.base {
            return Some((slot, sequence));
        }
        flow.losses += 1;
        None
    }

    /// Asks for what [`Self::count_drop`] looks at.
    pub fn fetch_for_drop(&self, flow: FlowId) {
        // Datagrams have no flow.
        if let Some(flow) = self.flows.get(self.slot(flow) as usize) {
            prefetch(flow, DROP_LINES);
        }
    }

    /// Asks for the state of a flow ahead of its next acknowledgement, if caches may not hold it.
    #[inline(always)]
    pub fn fetch_for_ack(&self, flow: impl FnOnce() -> Option<FlowId>) {
        let many = self.flows.len() >= MANY_FLOWS;
        if many || !self.beside.samplers.is_empty() {
            if let Some(flow) = flow() {
                let slot = self.slot(flow);
                if many { self.fetch(slot) } else { self.fetch_departures(slot) }
            }
        }
    }

    /// Asks for the state of a flow ahead of its timer, if caches may not hold it.
    #[inline(always)]
    pub fn fetch_for_timer(&self, slot: impl FnOnce() -> Option<u32>) {
        if self.flows.len() >= MANY_FLOWS {
            if let Some(slot) = slot() {
                self.fetch(slot);
            }
        }
    }

    #[inline(always)]
    fn fetch(&self, slot: u32) {
        let slot = slot as usize;
        if let Some(flow) = self.flows.get(slot) {
            prefetch(flow, 0..HOT_LINES);
            if let Some(sampler) = self.beside.samplers.get(slot) {
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
        if let Some(sampler) = self.beside.samplers.get(slot as usize) {
            sampler.fetch_first();
        }
    }

    /// Gives every flow the round-trip propagation delay of `now`.
    pub fn change_round_trips(&mut self, shared: &Shared, now: Picos) {
        for flow in self.flows.iter_mut().filter(|flow| flow.state != FlowState::Free) {
            flow.base_rtt = shared.base_rtt(&flow.ends(), flow.access_lane, now);
            flow.is_delayed = shared.network.delays(flow.origin.index(), flow.receiver.index(), now);
        }
    }

    /// Writes or replaces what changes during a run.
    pub fn pass(&mut self, passage: &mut Passage) -> Result<(), BadSnapshot> {
        let Self { flows, slots, repairs, no_repair: _, beside } = self;
        passage.field(flows)?;
        passage.field(slots)?;
        passage.field(repairs)?;
        beside.pass(passage)
    }
}
