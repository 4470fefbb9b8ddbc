//! Counts and records of a domain. They receive values, and call no other part.

mod candidates;
mod slowdown;

pub use candidates::{Candidate, Candidates};

use super::shared::Shared;
use crate::fabric::Crossed;
use crate::measure::records::Record;
use crate::measure::{Carried, Counters, FlowGroups, FlowRecords, SlowdownClasses, UnitRow, Units};
use crate::network::DomainId;
use crate::snapshot::{BadSnapshot, Passage};
use crate::transport::{Flow, FlowState};
use crate::users::Source;
use crate::users::files::EXPLICIT;
use mesonet_cc::Picos;
use std::collections::BTreeMap;

/// A flow that ended in this window: drops of its segments may still become known.
#[derive(Clone, Debug)]
struct Ended {
    slot: u32,
    /// Its first data segment.
    base: u64,
    /// The measured period in which it completed.
    period: Option<usize>,
    /// The unit, if units are recorded.
    unit: Option<UnitRow>,
    record: Record,
}

/// Counts and records of a domain.
#[derive(Clone, Debug)]
pub struct Books {
    /// Counts of the endpoints.
    pub counters: Counters,
    /// Flows that ended in this window.
    ended: Vec<Ended>,
    pub records: FlowRecords,
    pub groups: FlowGroups,
    /// None: they are not recorded.
    pub units: Option<Units>,
    /// Of flows whose demand is known.
    pub carried: Carried,
    pub slowdowns: SlowdownClasses,
    /// Flows that may become movies and service packs, where these are limited by concurrency.
    pub candidates: Candidates,
    /// Slots of flows that were in progress when a period ended: what they had delivered, and when.
    counted: BTreeMap<u32, (u64, Picos)>,
    /// Sources that are traced, rising by number, with the slot of the transfer of each.
    traced: Vec<(u32, Option<u32>)>,
}

impl Books {
    /// Nothing has happened in domain `number`, which has these sources, rising by number.
    pub fn new(shared: &Shared, number: DomainId, sources: &[Source]) -> Self {
        let mut traced = shared.scenario.trace.sources.clone();
        traced.sort_unstable();
        traced.dedup();
        traced.retain(|number| sources.binary_search_by_key(number, |source| source.number).is_ok());
        Self {
            counters: Counters::default(),
            ended: Vec::new(),
            records: FlowRecords::new(shared.seed, shared.scenario.measurement.flow_records),
            groups: FlowGroups::default(),
            units: shared.scenario.measurement.units.then(Units::default),
            carried: Carried::default(),
            slowdowns: SlowdownClasses::default(),
            candidates: Candidates::new(number),
            counted: BTreeMap::new(),
            traced: traced.into_iter().map(|number| (number, None)).collect(),
        }
    }

    /// The counts since the start, with those of segments that crossed the network.
    pub fn counters(&self, crossed: &Crossed) -> Counters {
        Counters {
            leaving: crossed.leaving,
            dropped: crossed.dropped,
            acks_dropped: crossed.acks_dropped,
            lost_on_links: crossed.lost_on_links,
            duplicated: crossed.duplicated,
            marked: crossed.marked,
            ..self.counters
        }
    }

    /// A flow took a slot.
    pub fn flow_begins(&mut self, slot: u32, flow: &Flow) {
        self.set_traced(flow, Some(slot));
    }

    /// A flow ends now, in a measured period if it completed in one.
    pub fn flow_ends(&mut self, shared: &Shared, now: Picos, slot: u32, flow: &Flow, completed: bool) {
        self.record(shared, now, slot, flow, completed);
        self.set_traced(flow, None);
    }

    fn record(&mut self, shared: &Shared, now: Picos, slot: u32, flow: &Flow, completed: bool) {
        let period = shared.period(now);
        self.count_part(shared, slot, flow, period, now);
        self.counted.remove(&slot);
        let period = period.filter(|_| completed);
        let mut record = Record::of(flow, shared.is_fast(flow), completed, now);
        // What an application hands over in pieces takes as long as the application does.
        let is_fed = shared.explicit(flow).is_some_and(|spec| spec.application.is_some());
        if completed {
            let known = slowdown::of(shared, flow, now).filter(|_| !is_fed);
            record.slowdown = known.map(|(slowdown, _)| slowdown);
            match (period, known) {
                (Some(period), Some((slowdown, bytes))) => self.slowdowns.add(period, bytes, slowdown),
                (Some(period), None) => self.slowdowns.add_without(period),
                (None, _) => {}
            }
        }
        let unit = self.units.as_ref().map(|_| shared.unit(flow));
        self.ended.push(Ended { slot, base: flow.base, period, unit, record });
    }

    fn set_traced(&mut self, flow: &Flow, slot: Option<u32>) {
        if self.traced.is_empty() || flow.category == EXPLICIT {
            return;
        }
        if let Ok(place) = self.traced.binary_search_by_key(&flow.source, |traced| traced.0) {
            self.traced[place].1 = slot;
        }
    }

    /// Slot of the transfer of a traced source, if the source is here and has one.
    pub fn traced(&self, source: u32) -> Option<u32> {
        let place = self.traced.binary_search_by_key(&source, |traced| traced.0).ok()?;
        self.traced[place].1
    }

    /// A measured period (from 0; none: the time before) ends now, with these flows by slot.
    pub fn period_ends(&mut self, shared: &Shared, period: Option<usize>, now: Picos, flows: &[Flow]) {
        for (slot, flow) in flows.iter().enumerate() {
            if flow.state == FlowState::Sending && flow.sent > 0 {
                self.count_part(shared, slot as u32, flow, period, now);
                self.counted.insert(slot as u32, (flow.delivered, now));
            }
        }
    }

    /// Adds to `period` the segments that a flow got since the last period ended, or since its first segment.
    fn count_part(&mut self, shared: &Shared, slot: u32, flow: &Flow, period: Option<usize>, now: Picos) {
        let Some(period) = period else { return };
        if flow.sent == 0 {
            return;
        }
        let (delivered, since) = self.counted.get(&slot).copied().unwrap_or((0, flow.first_sent));
        let acked = flow.delivered - delivered;
        self.groups.add_part(period, flow, shared.is_fast(flow), acked, now - since);
        if let Some(units) = &mut self.units {
            units.add_part(period, shared.unit(flow), acked, now - since);
        }
        if let Some(cause) = shared.demanded_by(flow) {
            self.carried.add(cause, [flow.origin, flow.receiver], acked);
        }
    }

    /// Segment `sequence` of a flow that had this slot was dropped at `time`.
    pub fn dropped(&mut self, slot: u32, sequence: u64, time: Picos) {
        let of_it = |ended: &&mut Ended| ended.slot == slot && sequence >= ended.base;
        if let Some(ended) = self.ended.iter_mut().rev().find(of_it) {
            ended.record.losses += u32::from(time <= ended.record.ended);
        }
    }

    /// All drops of this window are known: its flows that ended go into the books.
    pub fn write_ended(&mut self) {
        for ended in self.ended.drain(..) {
            if let Some(period) = ended.period {
                self.groups.add(period, &ended.record);
                if let (Some(units), Some(unit)) = (&mut self.units, ended.unit) {
                    units.add(period, unit, &ended.record);
                }
            }
            self.records.add(ended.record);
        }
    }

    /// Records the flows that the end of the run cut short at `end`.
    pub fn record_unfinished(&mut self, shared: &Shared, end: Picos, flows: &[Flow]) {
        for (slot, flow) in flows.iter().enumerate().filter(|(_, flow)| flow.state != FlowState::Free) {
            self.record(shared, end, slot as u32, flow, false);
        }
        self.write_ended();
    }

    /// Writes or replaces what changes during a run.
    pub fn pass(&mut self, passage: &mut Passage) -> Result<(), BadSnapshot> {
        let Self { counters, ended, records, groups, units, carried, slowdowns, candidates, counted, traced } =
            self;
        debug_assert!(ended.is_empty(), "between windows all are in the books");
        passage.field(counters)?;
        passage.field(records)?;
        passage.field(groups)?;
        passage.field(units)?;
        passage.field(carried)?;
        passage.field(slowdowns)?;
        passage.field(candidates)?;
        passage.field(counted)?;
        passage.field(traced)
    }
}
