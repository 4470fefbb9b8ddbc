//! The events of a trace. They count as they come: `packet_sent`, acknowledgements in `packet_received`, and
//! `packet_lost` (draft-ietf-quic-qlog-quic-events).

use super::Log;
use crate::numbers::{grouped, significant};
use crate::refusal::{Error, refused, refused_at};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// Formats of time in which an event has its distance from the event before.
const DIFFERENCES: [&str; 2] = ["delta", "relative_to_previous_event"];
/// Types of packets whose numbers count together: the application's.
const DATA: [&str; 2] = ["1rtt", "0rtt"];
/// Most packets of data of a trace (chosen): they take about 500 MB of memory.
const MOST: usize = 5_000_000;
/// Longest packet of UDP, bytes.
const LONGEST: f64 = 65_535.0;
const S_PER_MS: f64 = 1e-3;
/// Longest round trip, s (chosen): times in us look longer.
const LONGEST_TRIP_S: f64 = 10.0;
/// Ratio of two round trips, logged and of packets, from which their units differ (chosen).
const UNITS: f64 = 10.0;

/// Statements of a trace about itself.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct About {
    pub(super) vantage_point: Option<VantagePoint>,
    pub(super) common_fields: Option<CommonFields>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct VantagePoint {
    name: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct CommonFields {
    time_format: Value,
}

impl About {
    pub(super) fn is_of_mesonet(&self) -> bool {
        let name = self.vantage_point.as_ref().and_then(|point| point.name.as_str());
        name.is_some_and(|name| name.starts_with("mesonet "))
    }

    pub(super) fn has_differences(&self) -> bool {
        let format = self.common_fields.as_ref().and_then(|fields| fields.time_format.as_str());
        format.is_some_and(|format| DIFFERENCES.contains(&format))
    }
}

/// A number, which some logs write as text.
#[derive(Clone, Copy, Debug)]
struct Number(f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(from)?;
        let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
        let finite = number.filter(|number: &f64| number.is_finite());
        finite.map(Self).ok_or_else(|| D::Error::custom(format!("{value} is no number")))
    }
}

#[derive(Deserialize)]
pub(super) struct Event {
    time: Number,
    name: String,
    data: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Packet {
    header: Option<Header>,
    raw: Option<Raw>,
    frames: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Header {
    packet_type: Option<String>,
    r#type: Option<String>,
    packet_number: Option<Number>,
}

#[derive(Deserialize)]
struct Raw {
    length: Option<Number>,
}

#[derive(Deserialize)]
struct Frame {
    frame_type: String,
    acked_ranges: Option<Vec<Vec<Number>>>,
}

#[derive(Deserialize)]
struct Metrics {
    latest_rtt: Option<Number>,
}

impl Header {
    /// Returns true for a packet with the application's numbers.
    fn is_data(&self) -> bool {
        let kind = self.packet_type.as_ref().or(self.r#type.as_ref());
        kind.is_none_or(|kind| DATA.contains(&kind.to_lowercase().as_str()))
    }

    fn number(&self) -> Result<u64, serde_json::Error> {
        self.packet_number.map(|number| number.0 as u64).ok_or_else(|| missing("packet_number"))
    }
}

fn missing(field: &'static str) -> serde_json::Error {
    serde_json::Error::missing_field(field)
}

/// A packet of the application.
struct Sent {
    time_s: f64,
    length: f64,
    acked_s: f64,
    lost: bool,
}

/// The events of a sender; times in s from its first packet.
pub(super) struct Trace {
    pub(super) has_differences: bool,
    pub(super) is_of_mesonet: bool,
    /// Time of the last event.
    now_s: f64,
    begin_s: Option<f64>,
    sent: BTreeMap<u64, Sent>,
    handshake_s: f64,
    has_handshake: bool,
    /// The shortest one.
    latest_rtt_s: f64,
    /// Bytes of received packets with data.
    received: f64,
    total: u64,
}

impl Default for Trace {
    fn default() -> Self {
        Self {
            has_differences: false,
            is_of_mesonet: false,
            now_s: 0.0,
            begin_s: None,
            sent: BTreeMap::new(),
            handshake_s: f64::NAN,
            has_handshake: false,
            latest_rtt_s: f64::INFINITY,
            received: 0.0,
            total: 0,
        }
    }
}

impl Trace {
    pub(super) fn new(about: &About) -> Self {
        Self {
            has_differences: about.has_differences(),
            is_of_mesonet: about.is_of_mesonet(),
            ..Self::default()
        }
    }

    pub(super) fn count(&mut self, event: &Event) -> Result<(), serde_json::Error> {
        self.total += 1;
        self.now_s = S_PER_MS * event.time.0 + if self.has_differences { self.now_s } else { 0.0 };
        let data = event.data.as_ref().map_or("{}", |data| data.get());
        match event.name.rsplit(':').next().unwrap_or_default() {
            "packet_sent" => self.packet_sent(data),
            "packet_received" => self.packet_received(data),
            "packet_lost" => self.packet_lost(data),
            "metrics_updated" => {
                if let Some(trip) = serde_json::from_str::<Metrics>(data)?.latest_rtt {
                    self.latest_rtt_s = self.latest_rtt_s.min(S_PER_MS * trip.0);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn packet_sent(&mut self, data: &str) -> Result<(), serde_json::Error> {
        let (packet, header) = packet(data)?;
        let begin_s = *self.begin_s.get_or_insert(self.now_s);
        if !header.is_data() {
            self.has_handshake = true;
            return Ok(());
        }
        let length = packet.raw.and_then(|raw| raw.length).ok_or_else(|| missing("raw.length"))?.0;
        let sent = Sent { time_s: self.now_s - begin_s, length, acked_s: f64::NAN, lost: false };
        if self.sent.len() <= MOST {
            self.sent.insert(header.number()?, sent);
        }
        Ok(())
    }

    fn packet_received(&mut self, data: &str) -> Result<(), serde_json::Error> {
        let Some(begin_s) = self.begin_s else { return Ok(()) };
        if self.has_handshake && self.handshake_s.is_nan() {
            self.handshake_s = self.now_s - begin_s;
        }
        let (packet, header) = packet(data)?;
        if !header.is_data() {
            return Ok(());
        }
        self.received += packet.raw.and_then(|raw| raw.length).map_or(0.0, |length| length.0);
        let Some(frames) = packet.frames else { return Ok(()) };
        for frame in serde_json::from_str::<Vec<Frame>>(frames.get())? {
            if frame.frame_type == "ack" {
                let ranges = frame.acked_ranges.ok_or_else(|| missing("acked_ranges"))?;
                ranges.iter().for_each(|range| self.acknowledge(range, self.now_s - begin_s));
            }
        }
        Ok(())
    }

    /// Acknowledges the packets of a range, from its end. An acknowledgement repeats ranges: behind packets
    /// that all were acknowledged before, nothing is new.
    fn acknowledge(&mut self, range: &[Number], time_s: f64) {
        const KNOWN: u32 = 100;
        let (Some(first), Some(last)) = (range.first(), range.last()) else { return };
        let (first, last) = (first.0 as u64, last.0 as u64);
        if first > last {
            return;
        }
        let mut known = 0;
        for (_, packet) in self.sent.range_mut(first..=last).rev() {
            if packet.acked_s.is_nan() {
                packet.acked_s = time_s;
            } else {
                known += 1;
                if known > KNOWN {
                    break;
                }
            }
        }
    }

    fn packet_lost(&mut self, data: &str) -> Result<(), serde_json::Error> {
        let (_, header) = packet(data)?;
        if header.is_data() {
            let number = header.number()?;
            self.sent.entry(number).and_modify(|packet| packet.lost = true);
        }
        Ok(())
    }

    /// Returns the packets; refuses a log that does not show a sender of data.
    pub(super) fn log(self, fewest: u64) -> Result<Log, Error> {
        let mut packets: Vec<Sent> = self.sent.into_values().collect();
        packets.sort_by(|a, b| a.time_s.total_cmp(&b.time_s));
        if packets.len() > MOST {
            let problem = format!("more than {} packets of data", grouped(MOST as u64));
            return Err(refused(problem, "the beginning of the log"));
        }
        if packets.iter().map(|each| each.length).sum::<f64>() < self.received {
            return Err(refused("the log of the receiver of the data", "the log of its sender"));
        }
        let acked = packets.iter().filter(|each| !each.acked_s.is_nan()).count() as u64;
        if acked < fewest {
            let problem = format!("{} packets of data, {acked} of them acknowledged", packets.len());
            let allowed = format!("packet_sent and frames of type ack of {fewest} packets or more");
            return Err(refused(problem, allowed));
        }
        let least = packets.iter().map(|each| each.length).fold(f64::INFINITY, f64::min);
        let most = packets.iter().map(|each| each.length).fold(0.0, f64::max);
        if !(least >= 1.0 && most <= LONGEST) {
            let allowed = format!("at least 1 byte and at most {LONGEST} bytes");
            return Err(refused_at(
                "raw.length",
                None,
                format!("packets of {least} to {most} bytes"),
                allowed,
            ));
        }
        let shortest_s = packets.iter().map(|each| each.acked_s - each.time_s).fold(f64::INFINITY, f64::min);
        let latest_s = self.latest_rtt_s;
        if latest_s.is_finite() && !(shortest_s / UNITS < latest_s && latest_s < shortest_s * UNITS) {
            let [latest, shortest] = [latest_s, shortest_s].map(significant);
            let problem =
                format!("its shortest latest_rtt is {latest} s, and its packets took {shortest} s at least");
            return Err(refused(problem, "times in ms"));
        }
        if shortest_s > LONGEST_TRIP_S {
            let problem = format!("its packets took {} s at least", significant(shortest_s));
            return Err(refused(
                problem,
                format!("times in ms, and round trips of at most {LONGEST_TRIP_S} s"),
            ));
        }
        Ok(Log {
            sent_s: packets.iter().map(|each| each.time_s).collect(),
            acked_s: packets.iter().map(|each| each.acked_s).collect(),
            lost: packets.iter().map(|each| each.lost && each.acked_s.is_nan()).collect(),
            length: packets.iter().map(|each| each.length as u32).collect(),
            handshake_s: self.handshake_s,
            has_handshake: self.has_handshake,
            of_mesonet: self.is_of_mesonet,
            total: self.total,
        })
    }
}

/// Returns an event of a packet, and its header, whose fields some versions have in the event itself.
fn packet(data: &str) -> Result<(Packet, Header), serde_json::Error> {
    let mut packet: Packet = serde_json::from_str(data)?;
    let header = match packet.header.take() {
        Some(header) => header,
        None => serde_json::from_str(data)?,
    };
    Ok((packet, header))
}
