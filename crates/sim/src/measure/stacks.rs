//! Connections between whole transport stacks: a row for each.

use super::columns::Table;
use crate::users::FILE_CATEGORIES;
use mesonet_cc::{Picos, seconds};

/// A connection.
#[derive(Clone, Debug)]
pub struct StackRow {
    /// Source, as flows name it.
    pub source: u32,
    /// Number of the transfer of this source.
    pub transfer: u64,
    /// File category, index of `FILE_CATEGORIES`.
    pub category: u8,
    /// Index of the algorithm in the scenario.
    pub algorithm: u8,
    /// Its end, in a word or two.
    pub outcome: &'static str,
    /// Why it was aborted; empty where it was not.
    pub reason: String,
    /// When it began.
    pub started: Picos,
    /// When the handshake of the source was complete.
    pub connected: Option<Picos>,
    /// When it ended, or the run did.
    pub ended: Picos,
    /// Bytes that the receiving application read.
    pub bytes: u64,
    /// When it read last.
    pub last_read: Option<Picos>,
    /// Packets of the source.
    pub packets: u64,
    /// Packets of the sink.
    pub answers: u64,
    /// Packets of the source that the network dropped.
    pub dropped: u64,
    /// Packets that the source declared lost.
    pub lost: Option<u64>,
    /// Reductions of the window.
    pub reductions: Option<u64>,
    /// Reductions that the stack found needless.
    pub spurious_reductions: Option<u64>,
    /// Last smoothed round-trip time.
    pub rtt: Option<Picos>,
    /// Window, bytes.
    pub cwnd: Option<f64>,
    /// Bytes/s.
    pub bandwidth: Option<f64>,
}

/// The table of these rows, in the order in which they ended.
#[must_use]
pub fn table(mut rows: Vec<StackRow>, algorithms: &[String]) -> Table {
    rows.sort_by_key(|row| (row.ended, row.source, row.transfer));
    let text = |f: &dyn Fn(&StackRow) -> String| rows.iter().map(f).collect::<Vec<_>>();
    let whole = |f: &dyn Fn(&StackRow) -> u64| rows.iter().map(f).collect::<Vec<_>>();
    let float = |f: &dyn Fn(&StackRow) -> f64| rows.iter().map(f).collect::<Vec<_>>();
    let time = |t: Option<Picos>| t.map_or(f64::NAN, seconds);
    let count = |n: Option<u64>| n.map_or(f64::NAN, |n| n as f64);
    let mut table = Table::default();
    table.integer("source", whole(&|r| u64::from(r.source)));
    table.integer("transfer", whole(&|r| r.transfer));
    table.text("category", text(&|r| FILE_CATEGORIES[usize::from(r.category)].into()));
    table.text("algorithm", text(&|r| algorithms[usize::from(r.algorithm)].clone()));
    table.text("outcome", text(&|r| r.outcome.into()));
    table.text("reason", text(&|r| r.reason.clone()));
    table.float("started_s", float(&|r| seconds(r.started)));
    table.float("connected_s", float(&|r| time(r.connected)));
    table.float("ended_s", float(&|r| seconds(r.ended)));
    table.integer("bytes_read", whole(&|r| r.bytes));
    table.float("goodput_bit_s", float(&goodput));
    table.integer("packets_sent", whole(&|r| r.packets));
    table.integer("packets_answered", whole(&|r| r.answers));
    table.integer("packets_dropped", whole(&|r| r.dropped));
    table.float("packets_lost", float(&|r| count(r.lost)));
    table.float("spurious_losses", float(&|r| count(r.lost.map(|lost| lost.saturating_sub(r.dropped)))));
    table.float("window_reductions", float(&|r| count(r.reductions)));
    table.float("spurious_reductions", float(&|r| count(r.spurious_reductions)));
    table.float("rtt_ms", float(&|r| time(r.rtt) * 1e3));
    table.float("cwnd_bytes", float(&|r| r.cwnd.unwrap_or(f64::NAN)));
    table.float("bandwidth_bit_s", float(&|r| r.bandwidth.map_or(f64::NAN, |rate| rate * 8.0)));
    table
}

/// Bits that the application read, over the time from the end of the handshake until it read the last ones.
fn goodput(row: &StackRow) -> f64 {
    let time = row.last_read.zip(row.connected).map_or(0, |(last, first)| last.saturating_sub(first));
    if time == 0 { 0.0 } else { row.bytes as f64 * 8.0 / seconds(time) }
}
