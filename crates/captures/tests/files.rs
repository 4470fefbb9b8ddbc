//! Files of a small transfer, for tests of the readers.

/// Bytes of data of a full packet.
pub const SEGMENT: u32 = 1448;
/// Round trip, us.
pub const TRIP: u64 = 40_000;

/// A packet at the sender of the data.
#[derive(Clone, Default)]
pub struct Packet {
    pub time_us: u64,
    pub is_answer: bool,
    pub seq: u32,
    pub ack: u32,
    pub payload: u32,
    pub flags: u8,
    pub block: Option<(u32, u32)>,
    pub port: u16,
}

/// Returns a handshake, and `count` packets of data 1 ms apart, each of which is acknowledged a round trip
/// later. Packet 50 is lost, and sent again when the acknowledgement of packet 60 came; blocks report those
/// between.
pub fn transfer(count: u32) -> Vec<Packet> {
    let first = u32::MAX - 20 * SEGMENT;
    let number = |place: u32| first.wrapping_add(1).wrapping_add(place * SEGMENT);
    let plain = Packet { flags: 0x10, ack: 1, port: 40_000, ..Packet::default() };
    let mut packets = vec![
        Packet { flags: 0x02, seq: first, ack: 0, ..plain.clone() },
        Packet { time_us: TRIP, is_answer: true, flags: 0x12, ack: number(0), ..plain.clone() },
        Packet { time_us: TRIP + 10, seq: number(0), ..plain.clone() },
    ];
    let (lost, again) = (50, 60);
    for place in 0..count {
        let sent = TRIP + 20 + 1000 * u64::from(place);
        packets.push(Packet { time_us: sent, seq: number(place), payload: SEGMENT, ..plain.clone() });
        if place == lost {
            continue;
        }
        let waits = (lost..again + TRIP as u32 / 1000).contains(&place);
        packets.push(Packet {
            time_us: sent + TRIP,
            is_answer: true,
            ack: number(if waits { lost } else { place + 1 }),
            block: waits.then(|| (number(lost + 1), number(place + 1))),
            ..plain.clone()
        });
        if place == again {
            let at = sent + TRIP + 1;
            packets.push(Packet { time_us: at, seq: number(lost), payload: SEGMENT, ..plain.clone() });
        }
    }
    packets.sort_by_key(|packet| packet.time_us);
    packets
}

/// Returns the headers of a packet: IPv4 and TCP.
fn headers(packet: &Packet) -> Vec<u8> {
    let mut options = vec![1, 1, 8, 10, 0, 0, 0, 0, 0, 0, 0, 0];
    if packet.flags & 0x02 > 0 {
        options.extend([2, 4]);
        options.extend((SEGMENT as u16 + 12).to_be_bytes());
    }
    if let Some((begin, end)) = packet.block {
        options.extend([1, 1, 5, 10]);
        options.extend([begin.to_be_bytes(), end.to_be_bytes()].concat());
    }
    let own = 20 + options.len() as u32;
    let mut bytes = vec![0x45, 0];
    // A super-segment of more than 65,535 bytes states no length.
    bytes.extend(u16::try_from(20 + own + packet.payload).unwrap_or(0).to_be_bytes());
    bytes.extend([0, 0, 0, 0, 64, 6, 0, 0]);
    let (source, target) = if packet.is_answer { (2, 1) } else { (1, 2) };
    bytes.extend([10, 0, 0, source, 10, 0, 0, target]);
    let ports = if packet.is_answer { [5001, packet.port] } else { [packet.port, 5001] };
    bytes.extend(ports.map(u16::to_be_bytes).concat());
    bytes.extend([packet.seq.to_be_bytes(), packet.ack.to_be_bytes()].concat());
    bytes.extend([((own / 4) << 4) as u8, packet.flags, 0, 9, 0, 0, 0, 0]);
    bytes.extend(options);
    bytes
}

/// Returns the header of a file of raw IP.
pub fn pcap_header() -> Vec<u8> {
    let mut file = 0xA1B2_C3D4_u32.to_le_bytes().to_vec();
    file.extend([2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 0, 0, 0, 101, 0, 0, 0]);
    file
}

/// Returns a packet of such a file.
pub fn record(packet: &Packet) -> Vec<u8> {
    let bytes = headers(packet);
    let time = [packet.time_us / 1_000_000 + 1_000, packet.time_us % 1_000_000].map(|part| part as u32);
    let sizes = [bytes.len() as u32, bytes.len() as u32 + packet.payload];
    [time, sizes].concat().into_iter().flat_map(u32::to_le_bytes).chain(bytes).collect()
}

pub fn pcap(packets: &[Packet]) -> Vec<u8> {
    pcap_header().into_iter().chain(packets.iter().flat_map(record)).collect()
}

fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u32 + 12).to_be_bytes();
    [&kind.to_be_bytes(), &length, body, &length].concat()
}

/// Returns a file of pcapng with big-endian numbers, and times in 1/2^20 s.
pub fn pcapng(packets: &[Packet]) -> Vec<u8> {
    let mut file =
        block(0x0A0D_0D0A, &[0x1A, 0x2B, 0x3C, 0x4D, 0, 1, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255]);
    file.extend(block(1, &[0, 101, 0, 0, 0, 0, 0, 0, 0, 9, 0, 1, 128 | 20, 0, 0, 0, 0, 0, 0, 0]));
    file.extend(block(4, &[0; 8]));
    for packet in packets {
        let mut bytes = headers(packet);
        let time = ((packet.time_us << 20) / 1_000_000).to_be_bytes();
        let sizes = [bytes.len() as u32, bytes.len() as u32 + packet.payload].map(u32::to_be_bytes).concat();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        file.extend(block(6, &[&[0; 4][..], &time, &sizes, &bytes].concat()));
    }
    file
}
