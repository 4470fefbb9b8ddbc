//! The flows of a file: how many packets and bytes of data each has.

use crate::framing::{Next, Packets};
use crate::headers::{ACK, Ends, Other, SYN, Segment, segment};
use crate::numbers::grouped;
use crate::refusal::{Error, refused};
use crate::source::Source;
use std::collections::BTreeMap;
use std::io::Read;

/// Most connections in a file (chosen): they take about 300 MB of memory.
const MOST: u64 = 1_000_000;

/// A connection. Its two sides are 0, which sent the first packet, and 1.
pub struct Connection {
    pub ends: Ends,
    pub first_ns: i64,
    pub last_ns: i64,
    /// Packets that each side sent.
    pub packets: [u64; 2],
    /// Bytes of data that each side sent, retransmissions included.
    pub data: [u64; 2],
    pub has_syn: bool,
    /// Time of the last SYN-ACK.
    pub answered_ns: Option<i64>,
}

impl Connection {
    /// Returns the side that sent more data.
    pub fn sender(&self) -> usize {
        usize::from(self.data[1] > self.data[0])
    }

    /// Returns the side that sent a packet.
    pub fn side(&self, ends: &Ends) -> Option<usize> {
        [self.ends, turned(&self.ends)].iter().position(|own| own == ends)
    }
}

/// All packets of a file, as numbers.
pub struct Survey {
    /// Packets, whatever they are.
    pub total: u64,
    pub connections: Vec<Connection>,
    /// Time of the first packet of TCP.
    pub first_ns: i64,
    pub is_cut: bool,
}

/// Counts the packets of a file; refuses a file without TCP.
pub fn survey<R: Read>(file: R) -> Result<Survey, Error> {
    let mut ways = BTreeMap::<Ends, (usize, usize)>::new();
    let mut others = BTreeMap::<Other, u64>::new();
    let mut survey = Survey { total: 0, connections: Vec::new(), first_ns: i64::MAX, is_cut: false };
    let end = each(file, |time_ns, found| {
        survey.total += 1;
        let segment = match found {
            Ok(segment) => segment,
            Err(other) => {
                *others.entry(other).or_default() += 1;
                return Ok(());
            }
        };
        let connections = &mut survey.connections;
        let (number, side) = match ways.get(&segment.ends) {
            Some(way) => *way,
            None => {
                let way = (connections.len(), 0);
                if way.0 as u64 == MOST {
                    let problem = format!("more than {} flows of TCP", grouped(MOST));
                    return Err(refused(problem, "the packets of one flow, such as by editcap -r"));
                }
                ways.insert(turned(&segment.ends), (way.0, 1));
                ways.insert(segment.ends, way);
                connections.push(begun(segment.ends, time_ns));
                way
            }
        };
        survey.first_ns = survey.first_ns.min(time_ns);
        connections[number].count(side, time_ns, &segment);
        Ok(())
    });
    survey.is_cut = end?;
    if survey.is_cut {
        survey.total += 1;
        *others.entry(Other::Cut).or_default() += 1;
    }
    if survey.connections.is_empty() {
        return Err(no_tcp(&others));
    }
    Ok(survey)
}

/// Calls a function with each packet: its time, and its headers if it is of TCP. Returns true if the end of
/// the file cuts a packet.
pub fn each<R: Read>(
    file: R,
    mut call: impl FnMut(i64, Result<Segment, Other>) -> Result<(), Error>,
) -> Result<bool, Error> {
    let mut packets = Packets::new(Source::new(file)?)?;
    loop {
        match packets.next()? {
            Next::Packet(packet) => call(packet.time_ns, segment(&packet))?,
            Next::Cut => return Ok(true),
            Next::End => return Ok(false),
        }
    }
}

impl Connection {
    fn count(&mut self, side: usize, time_ns: i64, segment: &Segment) {
        self.first_ns = self.first_ns.min(time_ns);
        self.last_ns = self.last_ns.max(time_ns);
        self.packets[side] += 1;
        self.data[side] += u64::from(segment.payload);
        match segment.flags & (SYN | ACK) {
            SYN => self.has_syn = true,
            flags if flags == SYN | ACK => self.answered_ns = self.answered_ns.max(Some(time_ns)),
            _ => {}
        }
    }
}

fn begun(ends: Ends, time_ns: i64) -> Connection {
    Connection {
        ends,
        first_ns: time_ns,
        last_ns: time_ns,
        packets: [0; 2],
        data: [0; 2],
        has_syn: false,
        answered_ns: None,
    }
}

fn turned(ends: &Ends) -> Ends {
    let mut turned = *ends;
    turned.rotate_left(18);
    turned
}

fn no_tcp(others: &BTreeMap<Other, u64>) -> Error {
    let mut counts: Vec<_> = others.iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let names: Vec<String> = counts
        .iter()
        .take(3)
        .map(|(other, count)| format!("{} {}", grouped(**count), other.name()))
        .collect();
    let held = if names.is_empty() { "no packet".into() } else { names.join(", ") };
    let allowed = "packets of TCP that are not inside of a tunnel; a qlog file for QUIC";
    refused(format!("no packet of TCP (it has {held})"), allowed)
}
