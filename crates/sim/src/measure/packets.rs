//! Events of single segments of traced flows.

use super::columns::Table;
use mesonet_cc::{Picos, seconds};
use serde::{Deserialize, Serialize};

/// An event of a transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PacketEvent {
    /// It leaves: a segment for the first time, or again.
    Sent {
        /// The segment had been sent before.
        again: bool,
    },
    /// Its acknowledgement reaches the sender.
    Acknowledged,
    /// The sender counts it as lost.
    Lost,
    /// A queue or a link drops it.
    Dropped,
}

impl PacketEvent {
    /// Words for users.
    fn name(self) -> &'static str {
        match self {
            Self::Sent { again: false } => "sent",
            Self::Sent { again: true } => "retransmitted",
            Self::Acknowledged => "acknowledged",
            Self::Lost => "lost",
            Self::Dropped => "dropped",
        }
    }
}

/// An event of a segment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PacketRow {
    /// When.
    pub time: Picos,
    /// The source.
    pub source: u32,
    /// Number of the transfer of this source.
    pub transfer: u64,
    /// The event.
    pub event: PacketEvent,
    /// Number of the transmission, from 1; retransmissions have numbers of their own.
    pub transmission: u64,
    /// Number of the data segment, from 1.
    pub segment: u64,
    /// A router has marked it, as far as its acknowledgement reports.
    pub marked: bool,
    /// Window, and segments in flight with it, where it is sent.
    pub flight: Option<(f64, u32)>,
}

/// The table of events by time; `name` names a source.
pub fn table(mut rows: Vec<PacketRow>, name: impl Fn(u32) -> String) -> Table {
    // The events at a sender are in their order; drops become known later, in the order of the domains.
    rows.sort_by_key(|row| {
        let dropped = (row.event == PacketEvent::Dropped).then_some(row.transmission);
        (row.time, row.source, row.transfer, dropped)
    });
    let whole = |f: &dyn Fn(&PacketRow) -> u64| rows.iter().map(f).collect::<Vec<_>>();
    let mut table = Table::default();
    table.float("time_s", rows.iter().map(|row| seconds(row.time)).collect());
    table.text("flow", rows.iter().map(|row| name(row.source)).collect());
    table.integer("transfer", whole(&|row| row.transfer));
    table.text("event", rows.iter().map(|row| row.event.name().to_owned()).collect());
    table.integer("transmission", whole(&|row| row.transmission));
    table.integer("segment", whole(&|row| row.segment));
    table.integer("marked", whole(&|row| u64::from(row.marked)));
    let flight = |f: fn((f64, u32)) -> f64| rows.iter().map(|row| row.flight.map_or(f64::NAN, f)).collect();
    table.float("cwnd", flight(|(cwnd, _)| cwnd));
    table.float("in_flight", flight(|(_, pipe)| f64::from(pipe)));
    table
}
