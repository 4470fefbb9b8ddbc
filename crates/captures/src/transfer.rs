//! The transfer of one flow: its packets with their fates, from the handshake on.

use crate::connections::{Connection, each};
use crate::fates::{Arrivals, Sent};
use crate::headers::{ACK, ECE, SYN, Segment};
use crate::numbers::{Counts, Unwrapped, apart, grouped, significant};
use crate::refusal::{Error, refused};
use std::io::Read;

/// Most packets of a flow, and most segments (chosen): together they take at most 700 MB of memory.
pub const MOST: usize = 5_000_000;
const NS: f64 = 1e-9;
/// Largest share of the round trip of the handshake that may be on the side of the sender of the data
/// (chosen).
const NEAR: i64 = 4;

/// Share of the acknowledged bytes that may be in no packet (chosen): the FIN takes a byte, and cards drop
/// some packets.
const MOST_UNSEEN: f64 = 0.01;

/// The packets of one sender, each of one segment at most, in the order in which they left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transfer {
    /// When each left, s since the first packet of the flow.
    pub sent_s: Vec<f64>,
    /// When its arrival was reported, s; NaN if it did not arrive, or if a copy had arrived before.
    pub acked_s: Vec<f64>,
    /// True where it was lost.
    pub lost: Vec<bool>,
    /// Bytes of its data.
    pub data: Vec<u32>,
    /// Round trip of the handshake, s.
    pub handshake_s: f64,
    /// Bytes of data of a full packet.
    pub segment: u32,
    /// Bytes of the headers of IP and TCP; the median.
    pub header: u32,
    /// True if a packet of the file has several segments.
    pub bursts: bool,
    /// True if the receiver reported marks (ECN).
    pub marked: bool,
    /// Acknowledged bytes that are in no packet; the FIN has one.
    pub unseen: u64,
    /// Packets of the flow, of both directions.
    pub read: u64,
    /// Packets of the file.
    pub total: u64,
    /// True if the end of the file cuts a packet.
    pub is_cut_off: bool,
}

/// The first or the last SYN of a kind.
#[derive(Clone, Copy)]
struct Syn {
    time_ns: i64,
    seq: u32,
    side: usize,
}

/// Packets of data: when they left, number and bytes.
struct Data {
    time_ns: i64,
    seq: u32,
    length: u32,
}

/// An acknowledgement.
struct Answer {
    time_ns: i64,
    number: u32,
    /// Place of its first selective block, and their count.
    place: u32,
    blocks: u8,
}

/// All that stays of the packets of a flow.
struct Kept<'a> {
    connection: &'a Connection,
    sender: usize,
    cut: u64,
    /// The first SYN without ACK.
    opening: Option<Syn>,
    /// The last SYN without ACK before the last SYN-ACK.
    repeated_ns: Option<i64>,
    /// The first SYN of the sender of the data, with or without ACK.
    start: Option<Syn>,
    /// The first other packet after the last SYN-ACK, by side.
    third_ns: [Option<i64>; 2],
    mss: Option<u16>,
    options: Counts,
    headers: Counts,
    data: Vec<Data>,
    answers: Vec<Answer>,
    /// Selective blocks of all answers: first number, and number behind the last.
    blocks: Vec<(u32, u32)>,
    marked: bool,
}

/// Reads the packets of a connection.
pub fn read<R: Read>(file: R, connection: &Connection, fewest: u64) -> Result<Transfer, Error> {
    let mut kept = Kept {
        connection,
        sender: connection.sender(),
        cut: 0,
        opening: None,
        repeated_ns: None,
        start: None,
        third_ns: [None; 2],
        mss: None,
        options: Counts::default(),
        headers: Counts::default(),
        data: Vec::new(),
        answers: Vec::new(),
        blocks: Vec::new(),
        marked: false,
    };
    each(file, |time_ns, found| match found {
        Ok(segment) => match connection.side(&segment.ends) {
            Some(side) => kept.keep(side, time_ns, &segment),
            None => Ok(()),
        },
        Err(_) => Ok(()),
    })?;
    kept.transfer(fewest)
}

impl Kept<'_> {
    fn keep(&mut self, side: usize, time_ns: i64, packet: &Segment) -> Result<(), Error> {
        self.cut += u64::from(packet.is_cut);
        if packet.flags & SYN > 0 {
            self.keep_syn(Syn { time_ns, seq: packet.seq, side }, packet);
            return Ok(());
        }
        if self.connection.answered_ns.is_some_and(|answered| time_ns >= answered) {
            let third = &mut self.third_ns[side];
            *third = Some(third.map_or(time_ns, |known| known.min(time_ns)));
        }
        if side == self.sender && packet.payload > 0 {
            self.options.add(packet.options);
            self.headers.add(packet.header);
            self.data.push(Data { time_ns, seq: packet.seq, length: packet.payload });
        } else if side != self.sender && packet.flags & ACK > 0 {
            self.marked |= packet.flags & ECE > 0;
            let (place, blocks) = (self.blocks.len() as u32, packet.block_count as u8);
            self.blocks.extend_from_slice(&packet.blocks[..packet.block_count]);
            self.answers.push(Answer { time_ns, number: packet.ack, place, blocks });
        }
        if self.data.len() + self.answers.len() > MOST {
            let problem = format!("the flow has more than {} packets", grouped(MOST as u64));
            return Err(refused(problem, "the first packets of the flow, such as by editcap -r"));
        }
        Ok(())
    }

    fn keep_syn(&mut self, syn: Syn, packet: &Segment) {
        let earlier = |known: Option<Syn>| match known {
            Some(known) if known.time_ns <= syn.time_ns => Some(known),
            _ => Some(syn),
        };
        if packet.flags & ACK == 0 {
            self.opening = earlier(self.opening);
            if self.connection.answered_ns.is_some_and(|answered| syn.time_ns <= answered) {
                self.repeated_ns = self.repeated_ns.max(Some(syn.time_ns));
            }
        }
        if syn.side == self.sender {
            self.start = earlier(self.start);
        }
        let stated = packet.mss.unwrap_or(0);
        self.mss = Some(self.mss.map_or(stated, |known| known.min(stated)));
    }

    fn transfer(mut self, fewest: u64) -> Result<Transfer, Error> {
        if self.cut > 0 {
            let problem =
                format!("{} packets are cut inside of their TCP header (snaplen)", grouped(self.cut));
            return Err(refused(problem, "a snaplen of at least 128 bytes, such as tcpdump -s 128"));
        }
        let (begin_ns, handshake_s) = self.handshake()?;
        let bytes: u64 = self.data.iter().map(|each| u64::from(each.length)).sum();
        // The option of the SYN does not count options of TCP (RFC 9293, section 3.7.1).
        let segment = u32::from(self.mss.unwrap_or(0)).saturating_sub(self.options.median());
        if segment == 0 || bytes < fewest * u64::from(segment) {
            let problem = format!("the flow has {} bytes of data", grouped(bytes));
            return Err(refused(problem, format!("at least {fewest} full packets")));
        }
        let Some(start) = self.start else {
            return Err(refused("the handshake is not whole", "a capture of its beginning"));
        };
        let first = start.seq.wrapping_add(1);
        let (times, sent) = pieces(&mut self.data, first, segment)?;
        let seconds = |time_ns: i64| (time_ns - begin_ns) as f64 * NS;
        let sent_s: Vec<f64> = times.into_iter().map(seconds).collect();
        let (arrivals, highest) = self.arrivals(&sent, first, seconds);
        let unseen = arrivals.unseen(highest);
        if unseen as f64 > MOST_UNSEEN * highest as f64 {
            let [unseen, all] = [unseen, highest as u64].map(grouped);
            let problem =
                format!("{unseen} of {all} acknowledged bytes are in no packet: the capture lacks packets");
            return Err(refused(problem, "a capture of all packets, such as by tcpdump with a larger -B"));
        }
        let found = arrivals.fates(&sent_s);
        if found.acked_s.iter().all(|at| at.is_nan()) {
            return Err(refused("no data was acknowledged", "a capture of both directions"));
        }
        Ok(Transfer {
            sent_s,
            acked_s: found.acked_s,
            lost: found.lost,
            data: sent.iter().map(|each| each.length).collect(),
            handshake_s,
            segment,
            header: self.headers.median(),
            bursts: self.data.iter().any(|each| each.length > segment),
            marked: self.marked,
            unseen,
            read: self.connection.packets.iter().sum(),
            ..Transfer::default()
        })
    }

    /// Returns when the segments of transmissions were reported, and the number behind the last acknowledged
    /// byte.
    fn arrivals(&mut self, sent: &[Sent], first: u32, seconds: impl Fn(i64) -> f64) -> (Arrivals, i64) {
        self.answers.sort_by_key(|each| each.time_ns);
        let mut highest = 0;
        let mut arrivals = Arrivals::new(sent);
        let mut numbers = Unwrapped::default();
        for answer in &self.answers {
            let up_to = numbers.next(answer.number.wrapping_sub(first));
            let time_s = seconds(answer.time_ns);
            arrivals.before(up_to, time_s);
            highest = highest.max(up_to);
            // Edges of blocks are within half of all numbers from the acknowledgement that carries them.
            for (begin, end) in
                self.blocks.iter().skip(answer.place as usize).take(usize::from(answer.blocks))
            {
                arrivals.between(
                    up_to + apart(*begin, answer.number),
                    up_to + apart(*end, answer.number),
                    time_s,
                );
            }
        }
        (arrivals, highest)
    }

    /// Returns the time of the first SYN, ns, and the round trip of the handshake, s; refuses the side of the
    /// receiver.
    fn handshake(&self) -> Result<(i64, f64), Error> {
        let beginning = "a capture of its beginning";
        if self.connection.packets.contains(&0) {
            return Err(refused("packets of one direction only", "a capture of both directions"));
        }
        let Some(opening) = self.opening else {
            return Err(refused("the flow begins before the capture: no SYN", beginning));
        };
        let times = (self.connection.answered_ns, self.third_ns[opening.side], self.repeated_ns);
        let (Some(answered_ns), Some(third_ns), Some(repeated_ns)) = times else {
            return Err(refused("the handshake is not whole", beginning));
        };
        let (before, after) = (answered_ns - repeated_ns, third_ns - answered_ns);
        // The sender of the data sends the SYN, or the SYN-ACK.
        let (near, far) = if opening.side == self.sender { (after, before) } else { (before, after) };
        if near > far / NEAR {
            let [near, far] = [near, far].map(|ns| significant(ns as f64 / 1e6));
            let problem =
                format!("captured {near} ms from the sender of the data, {far} ms from its receiver");
            return Err(refused(problem, "a capture at the sender"));
        }
        Ok((opening.time_ns, far as f64 * NS))
    }
}

/// Returns transmissions of one segment each, in the order in which they left, and their times. With offload
/// a packet of the file has several segments.
fn pieces(data: &mut [Data], first: u32, segment: u32) -> Result<(Vec<i64>, Vec<Sent>), Error> {
    data.sort_by_key(|each| each.time_ns);
    let count: u64 = data.iter().map(|each| u64::from(each.length.div_ceil(segment))).sum();
    if count > MOST as u64 {
        let problem = format!("the flow has more than {} segments", grouped(MOST as u64));
        return Err(refused(problem, "the first packets of the flow, such as by editcap -r"));
    }
    let (mut times, mut sent) = (Vec::with_capacity(count as usize), Vec::with_capacity(count as usize));
    let mut place = Unwrapped::default();
    for each in data {
        let start = place.next(each.seq.wrapping_sub(first));
        for done in (0..each.length).step_by(segment as usize) {
            times.push(each.time_ns);
            sent.push(Sent { start: start + i64::from(done), length: segment.min(each.length - done) });
        }
    }
    Ok((times, sent))
}
