//! Files of packets: their flows, and the transfer of one of them.

use crate::connections::{Connection, survey};
use crate::refusal::{Error, refused_at};
use crate::transfer::{Transfer, read};
use std::io::{Read, Seek, SeekFrom};

const NS: f64 = 1e-9;
/// Smallest full packet, bytes (chosen): flows of fewer bytes than the fewest packets take are not chosen.
const SMALL: u64 = 500;

/// A connection in a capture, without its addresses.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Since the first packet of TCP in the file, s.
    pub start_s: f64,
    /// From its first packet to its last, s.
    pub duration_s: f64,
    /// Packets of both directions.
    pub packets: u64,
    /// Bytes of data in the direction with more, retransmissions included.
    pub data_bytes: u64,
    /// True if the capture has its SYN and its SYN-ACK.
    pub begins: bool,
}

/// Returns the flows of a file, in the order of their first packets.
pub fn flows<R: Read>(file: R) -> Result<Vec<Flow>, Error> {
    let found = survey(file)?;
    let flow = |each: &Connection| Flow {
        start_s: (each.first_ns - found.first_ns) as f64 * NS,
        duration_s: (each.last_ns - each.first_ns) as f64 * NS,
        packets: each.packets[0] + each.packets[1],
        data_bytes: each.data[each.sender()],
        begins: each.has_syn && each.answered_ns.is_some(),
    };
    Ok(found.connections.iter().map(flow).collect())
}

/// Returns the packets of a flow with their fates. The file is read twice: for its flows, and for the chosen
/// one.
///
/// `number`: of the flow, from 1; None: the only one that carries data. `fewest`: full packets that it needs.
pub fn transfer<R: Read + Seek>(mut file: R, number: Option<i64>, fewest: u64) -> Result<Transfer, Error> {
    let found = survey(&mut file)?;
    let connection = chosen(&found.connections, number, fewest)?;
    file.seek(SeekFrom::Start(0))?;
    let mut transfer = read(file, connection, fewest)?;
    transfer.total = found.total;
    transfer.is_cut_off = found.is_cut;
    Ok(transfer)
}

fn chosen(connections: &[Connection], number: Option<i64>, fewest: u64) -> Result<&Connection, Error> {
    let count = connections.len();
    if let Some(number) = number {
        let place = usize::try_from(number.saturating_sub(1)).ok();
        let allowed = format!("1 to {count}; --list shows the flows");
        let no_such = || refused_at("flow", Some(number.into()), "no such flow", allowed);
        return place.and_then(|place| connections.get(place)).ok_or_else(no_such);
    }
    let mut enough = connections.iter().filter(|each| each.data[each.sender()] > SMALL * fewest);
    match (enough.next(), enough.count()) {
        (Some(only), 0) => Ok(only),
        (first, more) => {
            let carry = if first.is_some() { (more + 1).to_string() } else { "none".into() };
            let problem = format!("{carry} of its {count} flows carry data of {fewest} packets");
            Err(refused_at("flow", None, problem, "--flow N; --list shows the flows"))
        }
    }
}
