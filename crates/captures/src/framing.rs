//! Files of packets, pcap and pcapng: the first bytes of each packet.

use crate::numbers::grouped;
use crate::refusal::{Error, malformed, refused};
use crate::source::Source;
use std::io::Read;

/// Bytes of a packet that are looked at: Ethernet with two VLAN tags, IPv6, and TCP with all options need
/// 122.
pub const KEPT: usize = 160;

/// Longest packet in a file, bytes (chosen): the limit of libpcap is 262,144, of a super-segment 524,280.
const LONGEST: u32 = 1 << 20;
/// Longest block of pcapng around a packet.
const LONGEST_BLOCK: u32 = LONGEST + 4096;
const MOST_INTERFACES: usize = 1 << 16;
const SECOND_NS: i64 = 1_000_000_000;
const DAY_NS: u64 = 86_400 * 1_000_000_000;
/// Types of blocks of pcapng (draft-ietf-opsawg-pcapng, section 4).
const SECTION: u32 = 0x0A0D_0D0A;
const INTERFACE: u32 = 1;
const SIMPLE: u32 = 3;
const ENHANCED: u32 = 6;
const ORDER_MAGIC: u32 = 0x1A2B_3C4D;
/// Option of an interface with the length of its tick (section 4.2).
const IF_TSRESOL: u16 = 9;

/// One packet of a file.
pub struct Packet<'a> {
    /// Its link type, a number of libpcap.
    pub link: u32,
    pub time_ns: i64,
    /// Bytes in the file.
    pub captured: u32,
    /// Bytes on the wire.
    pub length: u32,
    /// The first bytes in the file, up to `KEPT`.
    pub head: &'a [u8],
}

/// The next part of a file.
pub enum Next<'a> {
    Packet(Packet<'a>),
    /// A packet that the end of the file cuts.
    Cut,
    End,
}

/// The packets of a file.
pub struct Packets<R: Read> {
    source: Source<R>,
    form: Form,
    /// Of the section of pcapng.
    interfaces: Vec<Interface>,
    /// Packets so far.
    number: u64,
    last_ns: Option<i64>,
    head: [u8; KEPT],
}

#[derive(Clone, Copy)]
enum Form {
    Pcap { order: Order, tick_ns: u32, link: u32 },
    Pcapng { order: Order },
}

/// An interface of pcapng: its link type, and a tick as a fraction of ns.
#[derive(Clone, Copy)]
struct Interface {
    link: u32,
    numerator: u128,
    denominator: u128,
}

/// A packet whose header was read, and whose bytes follow.
struct Place {
    link: u32,
    time_ns: i64,
    captured: u32,
    length: u32,
    /// Of the block around it: bytes behind the packet, and the length that ends it.
    block: Option<(u32, u32)>,
}

enum Found {
    Place(Place),
    Cut,
    End,
}

#[derive(Clone, Copy)]
enum Order {
    Little,
    Big,
}

impl Order {
    fn two(self, bytes: &[u8]) -> u16 {
        let bytes = [bytes[0], bytes[1]];
        match self {
            Self::Little => u16::from_le_bytes(bytes),
            Self::Big => u16::from_be_bytes(bytes),
        }
    }

    fn four(self, bytes: &[u8]) -> u32 {
        let bytes = [bytes[0], bytes[1], bytes[2], bytes[3]];
        match self {
            Self::Little => u32::from_le_bytes(bytes),
            Self::Big => u32::from_be_bytes(bytes),
        }
    }
}

impl<R: Read> Packets<R> {
    /// Begins to read a file.
    pub fn new(mut source: Source<R>) -> Result<Self, Error> {
        let mut magic = [0; 4];
        source.fill(&mut magic)?;
        let pcap = match magic {
            [0xd4, 0xc3, 0xb2, 0xa1] => Some((Order::Little, 1000)),
            [0xa1, 0xb2, 0xc3, 0xd4] => Some((Order::Big, 1000)),
            [0x4d, 0x3c, 0xb2, 0xa1] => Some((Order::Little, 1)),
            [0xa1, 0xb2, 0x3c, 0x4d] => Some((Order::Big, 1)),
            _ => None,
        };
        let mut packets = Self {
            source,
            form: Form::Pcapng { order: Order::Little },
            interfaces: Vec::new(),
            number: 0,
            last_ns: None,
            head: [0; KEPT],
        };
        let is_whole = match pcap {
            Some((order, tick_ns)) => {
                let mut rest = [0; 20];
                let is_whole = packets.source.fill(&mut rest)? == rest.len();
                packets.form = Form::Pcap { order, tick_ns, link: order.four(&rest[16..]) & 0x0FFF_FFFF };
                is_whole
            }
            None if u32::from_be_bytes(magic) == SECTION => {
                let mut length = [0; 4];
                packets.source.fill(&mut length)? == 4 && packets.section(length)?
            }
            None => return Err(malformed("neither pcap nor pcapng")),
        };
        if is_whole { Ok(packets) } else { Err(malformed("ends in its first header")) }
    }

    /// Returns the next packet; refuses a file whose packets cannot be separated to its end.
    pub fn next(&mut self) -> Result<Next<'_>, Error> {
        let found = match self.form {
            Form::Pcap { order, tick_ns, link } => self.record(order, tick_ns, link)?,
            Form::Pcapng { .. } => self.block()?,
        };
        let place = match found {
            Found::Place(place) => place,
            Found::Cut => return Ok(Next::Cut),
            Found::End => return Ok(Next::End),
        };
        let captured = place.captured as usize;
        let kept = KEPT.min(captured);
        let had = self.source.fill(&mut self.head[..kept])? + self.source.skip(captured - kept)?;
        if had < captured {
            return Ok(Next::Cut);
        }
        if let Some((rest, length)) = place.block {
            if !self.closed(rest, length)? {
                return Ok(Next::Cut);
            }
        }
        if self.last_ns.is_some_and(|last| place.time_ns.abs_diff(last) > DAY_NS) {
            return Err(lost(self.number, "its time is more than a day from the packet before"));
        }
        self.last_ns = Some(place.time_ns);
        Ok(Next::Packet(Packet {
            link: place.link,
            time_ns: place.time_ns,
            captured: place.captured,
            length: place.length,
            head: &self.head[..kept],
        }))
    }

    /// Reads the header of a packet of pcap.
    fn record(&mut self, order: Order, tick_ns: u32, link: u32) -> Result<Found, Error> {
        let mut head = [0; 16];
        match self.source.fill(&mut head)? {
            16 => {}
            0 => return Ok(Found::End),
            _ => return Ok(Found::Cut),
        }
        self.number += 1;
        let [seconds, ticks, captured, length] = [0, 4, 8, 12].map(|at| order.four(&head[at..]));
        let part_ns = i64::from(ticks) * i64::from(tick_ns);
        if captured > LONGEST || captured > length || part_ns >= SECOND_NS {
            return Err(lost(self.number, &format!("{captured} bytes of {length}")));
        }
        let time_ns = i64::from(seconds) * SECOND_NS + part_ns;
        Ok(Found::Place(Place { link, time_ns, captured, length, block: None }))
    }

    /// Reads blocks of pcapng up to the content of the next packet.
    fn block(&mut self) -> Result<Found, Error> {
        loop {
            let mut head = [0; 8];
            match self.source.fill(&mut head)? {
                8 => {}
                0 => return Ok(Found::End),
                _ => return Ok(Found::Cut),
            }
            if u32::from_be_bytes([head[0], head[1], head[2], head[3]]) == SECTION {
                if !self.section([head[4], head[5], head[6], head[7]])? {
                    return Ok(Found::Cut);
                }
                continue;
            }
            let order = self.order();
            let (kind, length) = (order.four(&head), order.four(&head[4..]));
            self.check_length(length, 12)?;
            let is_whole = match kind {
                ENHANCED => return self.enhanced(order, length),
                SIMPLE => {
                    return Err(refused("its packets have no times", "a capture with times of packets"));
                }
                INTERFACE => self.interface(order, length)?,
                _ => self.closed(length - 12, length)?,
            };
            if !is_whole {
                return Ok(Found::Cut);
            }
        }
    }

    /// Reads the fields of a packet of pcapng.
    fn enhanced(&mut self, order: Order, length: u32) -> Result<Found, Error> {
        if length < 32 {
            return Err(malformed("a block ends early"));
        }
        let mut fields = [0; 20];
        if self.source.fill(&mut fields)? < fields.len() {
            return Ok(Found::Cut);
        }
        self.number += 1;
        let [number, high, low, captured, wire] = [0, 4, 8, 12, 16].map(|at| order.four(&fields[at..]));
        let interface = self.interfaces.get(number as usize);
        let (Some(interface), true) = (interface, captured <= length - 32) else {
            return Err(lost(self.number, &format!("{captured} bytes in a block of {length}")));
        };
        let ticks = u128::from(high) << 32 | u128::from(low);
        let Ok(time_ns) = i64::try_from(ticks * interface.numerator / interface.denominator) else {
            return Err(lost(self.number, "its time is centuries from now"));
        };
        let block = Some((length - 32 - captured, length));
        Ok(Found::Place(Place { link: interface.link, time_ns, captured, length: wire, block }))
    }

    /// Reads the description of an interface; false: the file ends in it.
    fn interface(&mut self, order: Order, length: u32) -> Result<bool, Error> {
        if length < 20 {
            return Err(malformed("a block ends early"));
        }
        if self.interfaces.len() == MOST_INTERFACES {
            let problem = format!("more than {} interfaces", grouped(MOST_INTERFACES as u64));
            return Err(refused(problem, "the packets of one flow, such as by editcap -r"));
        }
        let mut body = vec![0; length as usize - 12];
        if self.source.fill(&mut body)? < body.len() {
            return Ok(false);
        }
        let (numerator, denominator) = resolution(&body[8..], order);
        self.interfaces.push(Interface { link: u32::from(order.two(&body)), numerator, denominator });
        self.closed(0, length)
    }

    /// Reads the head of a section, behind its type; false: the file ends in it.
    fn section(&mut self, length: [u8; 4]) -> Result<bool, Error> {
        let mut magic = [0; 4];
        if self.source.fill(&mut magic)? < magic.len() {
            return Ok(false);
        }
        let order = if magic == ORDER_MAGIC.to_le_bytes() { Order::Little } else { Order::Big };
        self.form = Form::Pcapng { order };
        self.interfaces.clear();
        let length = order.four(&length);
        self.check_length(length, 16)?;
        self.closed(length - 16, length)
    }

    /// Passes over the rest of a block and compares the length at its end; false: the file ends in it.
    fn closed(&mut self, rest: u32, length: u32) -> Result<bool, Error> {
        let mut closing = [0; 4];
        if self.source.skip(rest as usize)? < rest as usize || self.source.fill(&mut closing)? < closing.len()
        {
            return Ok(false);
        }
        if self.order().four(&closing) == length {
            return Ok(true);
        }
        Err(lost(self.number + 1, "a block has two lengths"))
    }

    fn check_length(&self, length: u32, least: u32) -> Result<(), Error> {
        if (least..=LONGEST_BLOCK).contains(&length) && length % 4 == 0 {
            return Ok(());
        }
        Err(lost(self.number + 1, &format!("a block of {length} bytes")))
    }

    fn order(&self) -> Order {
        match self.form {
            Form::Pcap { order, .. } | Form::Pcapng { order } => order,
        }
    }
}

/// Returns a tick of an interface in ns, as a fraction.
fn resolution(mut options: &[u8], order: Order) -> (u128, u128) {
    while options.len() >= 4 {
        let (code, size) = (order.two(options), order.two(&options[2..]));
        if let (IF_TSRESOL, 1, Some(&exponent)) = (code, size, options.get(4)) {
            let base: u128 = if exponent & 128 > 0 { 2 } else { 10 };
            // A shorter tick than the largest denominator has no ns in 64 bits of ticks, either.
            return (1_000_000_000, base.checked_pow(u32::from(exponent & 127)).unwrap_or(u128::MAX));
        }
        options = options.get(4 + usize::from(size).next_multiple_of(4)..).unwrap_or(&[]);
    }
    (1000, 1)
}

fn lost(number: u64, problem: &str) -> Error {
    let problem =
        format!("packet {}: {problem}; the packets from here on cannot be separated", grouped(number));
    refused(problem, "a capture without holes, or its part before this packet")
}
