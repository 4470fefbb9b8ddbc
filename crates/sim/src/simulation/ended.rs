//! Flows that end, and segments that were dropped, some of them in other domains.

use super::domain::Domain;
use crate::engine::{FlowHome, FlowId, prefetch};
use crate::fabric::DroppedSegment;
use crate::measure::records::Record;
use crate::transport::{DROP_LINES, Flow, FlowState};
use mesonet_cc::Picos;

/// A flow that ended in this window: drops of its segments may still become known.
#[derive(Clone, Debug)]
pub(super) struct Ended {
    slot: u32,
    /// Its first data segment.
    base: u64,
    /// The measured period in which it completed.
    period: Option<usize>,
    record: Record,
}

impl Domain {
    /// A flow ends now, in a measured period if it completed in one.
    pub(super) fn ended(&mut self, slot: u32, completed: bool) {
        let now = self.shared.period(self.now);
        self.count_part(slot, now, self.now);
        self.counted.remove(&slot);
        let flow = &self.flows[slot as usize];
        let period = now.filter(|_| completed);
        let mut record = Record::of(flow, self.is_fast(flow), completed, self.now);
        // What an application hands over in pieces takes as long as the application does.
        if completed && !self.has_application(flow) {
            let (slowdown, bytes) = self.slowdown(flow);
            record.slowdown = Some(slowdown);
            if let Some(period) = period {
                self.slowdowns.add(period, bytes, slowdown);
            }
        }
        self.ended.push(Ended { slot, base: flow.base, period, record });
    }

    /// A measured period (from 0; none: the time before) ends now: what the flows in progress got in it goes into the books.
    pub(super) fn end_period(&mut self, period: Option<usize>, now: Picos) {
        for slot in 0..self.flows.len() as u32 {
            let flow = &self.flows[slot as usize];
            if flow.state == FlowState::Sending && flow.sent > 0 {
                let delivered = flow.delivered;
                self.count_part(slot, period, now);
                self.counted.insert(slot, (delivered, now));
            }
        }
    }

    /// Adds to `period` the segments that a flow got since the last period ended, or since its first segment.
    fn count_part(&mut self, slot: u32, period: Option<usize>, now: Picos) {
        let flow = &self.flows[slot as usize];
        let Some(period) = period else { return };
        if flow.sent == 0 {
            return;
        }
        let (delivered, since) = self.counted.get(&slot).copied().unwrap_or((0, flow.first_sent));
        let fast = self.is_fast(flow);
        self.groups.add_part(period, flow, fast, flow.delivered - delivered, now - since);
    }

    /// Returns whether the flow runs at the fast interface rate.
    pub(super) fn is_fast(&self, flow: &Flow) -> bool {
        flow.interface_time <= self.shared.fast_interface_time
    }

    /// Asks for what [`Self::count_drop`] looks at.
    pub(super) fn fetch_for_drop(&self, flow: FlowId) {
        // Datagrams have no flow.
        if let Some(flow) = self.flows.get(self.slot(flow) as usize) {
            prefetch(flow, DROP_LINES);
        }
    }

    /// A segment of a flow of this domain was dropped, before now and not before this window began.
    pub(super) fn count_drop(&mut self, drop: DroppedSegment) {
        if let FlowHome::OwnLanes(own) = drop.flow.home()
            && self.count_dropped_datagram(own, &drop)
        {
            return;
        }
        let slot = self.slot(drop.flow);
        let flow = &mut self.flows[slot as usize];
        let sequence = flow.expand(drop.sequence);
        // A SYN has the number before the first data segment.
        if flow.state != FlowState::Free && sequence >= flow.base {
            flow.losses += 1;
            return;
        }
        let of_it = |e: &&mut Ended| e.slot == slot && sequence >= e.base;
        if let Some(ended) = self.ended.iter_mut().rev().find(of_it) {
            ended.record.losses += u32::from(drop.time <= ended.record.ended);
        }
    }

    /// All drops of this window are known: its flows that ended go into the books.
    pub(super) fn write_ended(&mut self) {
        for ended in self.ended.drain(..) {
            if let Some(period) = ended.period {
                self.groups.add(period, &ended.record);
            }
            self.records.add(ended.record);
        }
    }

    /// Records the flows that the end of the run cut short at `end`.
    pub(super) fn record_unfinished(&mut self, end: Picos) {
        self.now = end;
        for slot in 0..self.flows.len() {
            if self.flows[slot].state != FlowState::Free {
                self.ended(slot as u32, false);
            }
        }
        self.write_ended();
    }
}
