//! Events of the segments of flows whose packets are traced. They watch only, and never influence the run.

use crate::engine::Segment;
use crate::fabric::DroppedSegment;
use crate::measure::packets::{PacketEvent, PacketRow};
use crate::transport::{Flow, Scoreboard};
use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The transmissions of a flow.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Log {
    source: u32,
    transfer: u64,
    /// First data segment.
    base: u64,
    /// When each transmission left: no two at one instant.
    departures: Vec<Picos>,
    /// Last transmission of each segment that is neither acknowledged nor lost.
    open: BTreeMap<u64, u64>,
    /// Missing segments below have been looked at.
    seen: u64,
}

impl Log {
    fn new(flow: &Flow) -> Self {
        Self {
            source: flow.source,
            transfer: flow.transfer,
            base: flow.base,
            departures: Vec::new(),
            open: BTreeMap::new(),
            seen: flow.base,
        }
    }

    /// Number of the transmission that left at an instant.
    fn transmission(&self, departure: Picos) -> u64 {
        self.departures.partition_point(|each| *each <= departure) as u64
    }

    fn row(&self, time: Picos, event: PacketEvent, transmission: u64, sequence: u64) -> PacketRow {
        PacketRow {
            time,
            source: self.source,
            transfer: self.transfer,
            event,
            transmission,
            segment: sequence - self.base + 1,
            marked: false,
            flight: None,
        }
    }

    /// The last transmission of a segment is lost, if that is news.
    fn lose(&mut self, sequence: u64, now: Picos) -> Option<PacketRow> {
        let transmission = self.open.remove(&sequence)?;
        Some(self.row(now, PacketEvent::Lost, transmission, sequence))
    }
}

/// The packets of the flows of a domain that are traced so.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Packets {
    /// Flows in progress by slot.
    logs: BTreeMap<u32, Log>,
    /// Flows that ended in this window, with slot and instant: drops may still become known.
    ended: Vec<(u32, Picos, Log)>,
    /// Rows since the last hand-over.
    rows: Vec<PacketRow>,
}

impl Packets {
    /// A flow takes a slot.
    pub fn flow_begins(&mut self, slot: u32, flow: &Flow) {
        self.logs.insert(slot, Log::new(flow));
    }

    /// The flow in a slot ends.
    pub fn flow_ends(&mut self, slot: u32, now: Picos) {
        self.ended.extend(self.logs.remove(&slot).map(|log| (slot, now, log)));
    }

    /// All drops of this window are known.
    pub fn forget_ended(&mut self) {
        self.ended.clear();
    }

    /// Segment `sequence` of a flow that has or had this slot was dropped.
    pub fn dropped(&mut self, slot: u32, sequence: u64, drop: &DroppedSegment) {
        let here = self.logs.get(&slot).map(|log| (Picos::MAX, log));
        let ended = self.ended.iter().rev().filter(|ended| ended.0 == slot).map(|(_, at, log)| (*at, log));
        let found = here.into_iter().chain(ended).find(|(_, log)| sequence >= log.base);
        if let Some((_, log)) = found.filter(|(end, _)| drop.time <= *end) {
            let transmission = log.transmission(drop.departure);
            self.rows.push(log.row(drop.time, PacketEvent::Dropped, transmission, sequence));
        }
    }

    /// Segment `sequence` leaves, and is counted already; what is lost by now was lost before.
    pub fn sent(&mut self, slot: u32, flow: &Flow, sequence: u64, again: bool, now: Picos) {
        self.find_losses(slot, &flow.board, now);
        let Some(log) = self.logs.get_mut(&slot) else { return };
        log.departures.push(now);
        log.open.insert(sequence, flow.sent);
        let row = log.row(now, PacketEvent::Sent { again }, flow.sent, sequence);
        let flight = Some((flow.controller.cwnd(), flow.board.pipe()));
        self.rows.push(PacketRow { flight, ..row });
    }

    /// The acknowledgement of `segment`, which has number `sequence`, reaches the sender.
    pub fn acknowledged(&mut self, slot: u32, sequence: u64, segment: Segment, now: Picos) {
        let Some(log) = self.logs.get_mut(&slot) else { return };
        log.open.remove(&sequence);
        let transmission = log.transmission(segment.departure(now));
        let row = log.row(now, PacketEvent::Acknowledged, transmission, sequence);
        self.rows.push(PacketRow { marked: segment.is_marked(), ..row });
    }

    /// The scoreboard may have found segments lost since the last call.
    pub fn find_losses(&mut self, slot: u32, board: &Scoreboard, now: Picos) {
        let Some(log) = self.logs.get_mut(&slot) else { return };
        while let Some(sequence) = board.lost_from(log.seen) {
            log.seen = sequence + 1;
            self.rows.extend(log.lose(sequence, now));
        }
    }

    /// Every outstanding transmission is lost.
    pub fn timed_out(&mut self, slot: u32, now: Picos) {
        let Some(log) = self.logs.get_mut(&slot) else { return };
        while let Some((&sequence, _)) = log.open.first_key_value() {
            self.rows.extend(log.lose(sequence, now));
        }
    }

    /// The last transmission of segment `sequence` is lost, if that is news.
    pub fn lost(&mut self, slot: u32, sequence: u64, now: Picos) {
        if let Some(log) = self.logs.get_mut(&slot) {
            self.rows.extend(log.lose(sequence, now));
        }
    }

    /// Hands the rows over, and forgets them.
    pub fn take(&mut self) -> Vec<PacketRow> {
        std::mem::take(&mut self.rows)
    }
}
