//! Headers of IP and TCP.

use crate::framing::{KEPT, Packet};

pub const SYN: u8 = 0x02;
pub const ACK: u8 = 0x10;
pub const ECE: u8 = 0x40;
/// Most blocks of a selective acknowledgement (RFC 2018, section 3).
pub const BLOCKS: usize = 4;

const TCP: u8 = 6;
const ETHERNET: u32 = 1;
/// Types of Ethernet with a VLAN tag before the next type (IEEE 802.1Q).
const VLAN: [u16; 2] = [0x8100, 0x88A8];
/// Most data of a packet, bytes (chosen).
const MOST_DATA: u32 = 1 << 30;

/// Addresses and ports: of the source, then of the target.
pub type Ends = [u8; 36];

/// A packet of TCP.
pub struct Segment {
    pub ends: Ends,
    pub seq: u32,
    pub ack: u32,
    pub flags: u8,
    /// Bytes of data on the wire.
    pub payload: u32,
    /// Bytes of the headers of IP and TCP.
    pub header: u8,
    /// Bytes of options of TCP.
    pub options: u8,
    /// The largest segment that its option states.
    pub mss: Option<u16>,
    /// Selective acknowledgements: first number, and number behind the last.
    pub blocks: [(u32, u32); BLOCKS],
    pub block_count: usize,
    /// True if the file lacks a part of the TCP header.
    pub is_cut: bool,
}

/// Packets that are no TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Other {
    Protocol(u8),
    Link(u32),
    NoIp,
    Fragment,
    Cut,
}

impl Other {
    /// Returns the name, for messages.
    pub fn name(self) -> String {
        let name = match self {
            Self::Protocol(1) => "ICMP",
            Self::Protocol(4) => "IP in IP",
            Self::Protocol(17) => "UDP",
            Self::Protocol(41) => "IPv6 in IP",
            Self::Protocol(47) => "GRE",
            Self::Protocol(50) => "ESP",
            Self::Protocol(58) => "ICMPv6",
            Self::Protocol(number) => return format!("protocol {number}"),
            Self::Link(number) => return format!("link type {number}"),
            Self::NoIp => "no IP",
            Self::Fragment => "later fragment of TCP",
            Self::Cut => "packet that the end of the file cuts",
        };
        name.into()
    }
}

/// The bytes of a packet; 0 where the file has none.
#[derive(Clone, Copy)]
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn one(self, at: usize) -> u8 {
        self.0.get(at).copied().unwrap_or(0)
    }

    fn two(self, at: usize) -> u16 {
        u16::from_be_bytes([self.one(at), self.one(at + 1)])
    }

    fn four(self, at: usize) -> u32 {
        u32::from(self.two(at)) << 16 | u32::from(self.two(at + 2))
    }

    fn copy(self, at: usize, to: &mut [u8]) {
        for (place, byte) in to.iter_mut().enumerate() {
            *byte = self.one(at + place);
        }
    }
}

/// Returns the headers of a packet.
pub fn segment(packet: &Packet<'_>) -> Result<Segment, Other> {
    let bytes = Bytes(packet.head);
    let mut at = before_ip(packet.link).ok_or(Other::Link(packet.link))?;
    if packet.link == ETHERNET {
        for _ in 0..2 {
            at += if VLAN.contains(&bytes.two(at - 2)) { 4 } else { 0 };
        }
    }
    let is_old = match bytes.one(at) >> 4 {
        4 => true,
        6 => false,
        _ => return Err(Other::NoIp),
    };
    let protocol = bytes.one(at + if is_old { 9 } else { 6 });
    if protocol != TCP {
        return Err(Other::Protocol(protocol));
    }
    if is_old && bytes.two(at + 6) & 0x1FFF > 0 {
        return Err(Other::Fragment);
    }
    let first = if is_old { usize::from(bytes.one(at) & 15) * 4 } else { 40 };
    let tcp = at + first;
    let own = usize::from(bytes.one(tcp + 12) >> 4) * 4;
    let end = tcp + own;
    // A super-segment of more than 65,535 bytes states no length.
    let stated = u32::from(bytes.two(at + if is_old { 2 } else { 4 }));
    let length = match (stated, is_old) {
        (0, _) => packet.length.saturating_sub(at as u32),
        (stated, true) => stated,
        (stated, false) => stated + 40,
    };
    let mut ends = [0; 36];
    let (size, source, target) = if is_old { (4, 12, 16) } else { (16, 8, 24) };
    bytes.copy(at + source, &mut ends[..size]);
    bytes.copy(at + target, &mut ends[18..18 + size]);
    bytes.copy(tcp, &mut ends[16..18]);
    bytes.copy(tcp + 2, &mut ends[34..]);
    let mut segment = Segment {
        ends,
        seq: bytes.four(tcp + 4),
        ack: bytes.four(tcp + 8),
        flags: bytes.one(tcp + 13),
        payload: length.saturating_sub((first + own) as u32).min(MOST_DATA),
        header: (first + own) as u8,
        options: own.saturating_sub(20) as u8,
        mss: None,
        blocks: [(0, 0); BLOCKS],
        block_count: 0,
        is_cut: (packet.captured as usize) < end || end > KEPT || own < 20,
    };
    options(bytes, tcp + 20, end, &mut segment);
    Ok(segment)
}

/// Returns the bytes before the IP header by link type: loopback, Ethernet, raw IP, and Linux's header of any
/// interface.
fn before_ip(link: u32) -> Option<usize> {
    Some(match link {
        0 | 108 => 4,
        ETHERNET => 14,
        12 | 14 | 101 | 228 | 229 => 0,
        113 => 16,
        276 => 20,
        _ => return None,
    })
}

/// Reads the options of TCP: the largest segment (RFC 9293) and selective acknowledgements (RFC 2018).
fn options(bytes: Bytes<'_>, mut at: usize, end: usize, segment: &mut Segment) {
    while at < end {
        let (kind, size) = (bytes.one(at), usize::from(bytes.one(at + 1)));
        match kind {
            0 => return,
            1 => {
                at += 1;
                continue;
            }
            2 if size == 4 => segment.mss = Some(bytes.two(at + 2)),
            5 => {
                segment.block_count = (size.saturating_sub(2) / 8).min(BLOCKS);
                for (place, block) in segment.blocks.iter_mut().take(segment.block_count).enumerate() {
                    *block = (bytes.four(at + 2 + 8 * place), bytes.four(at + 6 + 8 * place));
                }
            }
            _ => {}
        }
        if size < 2 {
            return;
        }
        at += size;
    }
}
