//! Readers of captures: what they find, what they refuse, and what no file makes them do.

mod files;

use files::{Packet, SEGMENT, TRIP, pcap, pcap_header, pcapng, record, transfer};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use mesonet_captures::{Error, Flow, Transfer, flows, log};
use proptest::prelude::*;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::path::Path;

const FEWEST: u64 = 100;

fn read(file: &[u8]) -> Result<Transfer, Error> {
    mesonet_captures::transfer(Cursor::new(file), None, FEWEST)
}

/// The problem of a file that is refused.
fn problem<T>(found: Result<T, Error>) -> String {
    match found {
        Ok(_) => "none".into(),
        Err(Error::Refused(refusal)) => refusal.problem,
        Err(Error::Failed(error)) => panic!("{error}"),
    }
}

/// Compares transfers, in which times may be NaN.
fn assert_equal(found: &Transfer, expected: &Transfer) {
    assert!(format!("{found:?}") == format!("{expected:?}"));
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

#[test]
fn every_form_has_the_transfer() {
    let packets = transfer(200);
    let plain = read(&pcap(&packets)).unwrap();
    assert_eq!((plain.read, plain.total), (packets.len() as u64, packets.len() as u64));
    assert_eq!((plain.segment, plain.header, plain.data[7]), (SEGMENT, 52, SEGMENT));
    assert_eq!(plain.sent_s.len(), 201);
    assert!((plain.handshake_s - TRIP as f64 * 1e-6).abs() < 1e-12);
    let lost: Vec<usize> = (0..201).filter(|place| plain.lost[*place]).collect();
    assert_eq!(lost, [50]);
    assert!((plain.acked_s[55] - plain.sent_s[55] - TRIP as f64 * 1e-6).abs() < 1e-9);
    assert!(!plain.bursts && !plain.marked && !plain.is_cut_off);
    assert_equal(&read(&gzip(&pcap(&packets))).unwrap(), &plain);
    let other = read(&pcapng(&packets)).unwrap();
    assert_eq!(other.lost, plain.lost);
    assert!(
        other
            .acked_s
            .iter()
            .zip(&plain.acked_s)
            .all(|(a, b)| (a.is_nan() && b.is_nan()) || (a - b).abs() < 2e-6)
    );
    // Files of several cards are a little out of order.
    let mut swapped = packets.clone();
    swapped[20..300].chunks_exact_mut(4).for_each(<[Packet]>::reverse);
    assert_equal(&read(&pcap(&swapped)).unwrap(), &plain);
}

#[test]
fn flows_have_numbers() {
    let mut packets = transfer(200);
    let other = packets.iter().map(|own| Packet { port: 9, time_us: own.time_us + 500_000, ..own.clone() });
    packets.extend(other.collect::<Vec<_>>());
    packets.sort_by_key(|packet| packet.time_us);
    let file = pcap(&packets);
    let found = flows(Cursor::new(&file)).unwrap();
    let each = Flow { start_s: 0.0, duration_s: 0.27902, packets: 403, data_bytes: 201 * 1448, begins: true };
    assert_eq!(found.len(), 2);
    assert_eq!(found[1], Flow { start_s: 0.5, ..each });
    assert_eq!(problem(read(&file)), "2 of its 2 flows carry data of 100 packets");
    let chosen = |number| mesonet_captures::transfer(Cursor::new(&file), Some(number), FEWEST);
    assert_eq!(chosen(2).unwrap().sent_s, chosen(1).unwrap().sent_s);
    for number in [0, 3, -1, i64::MIN, i64::MAX] {
        assert_eq!(problem(chosen(number)), "no such flow");
    }
}

#[test]
fn what_shows_no_path_is_refused() {
    let packets = transfer(200);
    let without = |drop: fn(&Packet) -> bool| {
        let kept: Vec<Packet> = packets.iter().filter(|packet| !drop(packet)).cloned().collect();
        problem(read(&pcap(&kept)))
    };
    assert_eq!(without(|packet| packet.flags & 0x02 > 0), "the flow begins before the capture: no SYN");
    assert_eq!(without(|packet| packet.flags == 0x12), "the handshake is not whole");
    assert_eq!(without(|packet| packet.is_answer), "packets of one direction only");
    assert_eq!(
        without(|packet| packet.payload > 0 && packet.time_us > 100_000),
        "the flow has 86,880 bytes of data"
    );
    assert_eq!(without(|packet| packet.is_answer && packet.flags == 0x10), "no data was acknowledged");
    let holes = without(|packet| packet.payload > 0 && packet.seq % 7 == 3);
    assert_eq!(holes, "41,992 of 289,600 acknowledged bytes are in no packet: the capture lacks packets");
    let mut late = packets.clone();
    late.iter_mut().filter(|packet| packet.is_answer).for_each(|packet| packet.time_us -= 39_000);
    late.sort_by_key(|packet| packet.time_us);
    assert!(problem(read(&pcap(&late))).starts_with("captured 39 ms from the sender of the data"));
    assert_eq!(problem(read(b"")), "neither pcap nor pcapng");
    assert_eq!(problem(read(&pcap(&[]))), "no packet of TCP (it has no packet)");
}

#[test]
fn holes_are_refused_by_the_number_of_the_packet() {
    let mut file = pcap(&transfer(200));
    file.drain(5000..5040);
    let found = problem(read(&file));
    assert!(found.starts_with("packet 74: ") && found.ends_with("cannot be separated"), "{found}");
    let mut file = pcapng(&transfer(200));
    file.drain(5000..5040);
    assert!(problem(read(&file)).ends_with("cannot be separated"));
}

#[test]
fn files_that_end_early_are_read_or_refused() {
    let packets = transfer(200);
    for file in [pcap(&packets), pcapng(&packets), gzip(&pcap(&packets))] {
        let is_packed = file.starts_with(&[0x1f, 0x8b]);
        for length in (0..file.len()).step_by(7) {
            let found = read(&file[..length]);
            if is_packed && length > 2 {
                assert!(problem(found).starts_with("not a whole gzip file"), "{length}");
            } else if length > file.len() - 60 {
                let found = found.unwrap();
                assert!(found.total == packets.len() as u64 || !found.is_cut_off, "{length}");
            }
        }
    }
}

#[test]
fn headers_that_the_file_cuts_are_counted() {
    let mut file = pcap_header();
    for packet in transfer(200) {
        let mut bytes = record(&packet);
        bytes.truncate(16 + 60);
        let captured = (bytes.len() as u32 - 16).to_le_bytes();
        bytes[8..12].copy_from_slice(&captured);
        file.extend(bytes);
    }
    assert!(problem(read(&file)).contains("cut inside of their TCP header (snaplen)"));
}

#[test]
fn hostile_sizes_are_refused() {
    let mut packets = transfer(200);
    // Packets of 1 GB, in segments of 1448 bytes.
    packets.iter_mut().filter(|packet| packet.payload > 0).for_each(|packet| packet.payload = 1 << 30);
    assert_eq!(problem(read(&pcap(&packets))), "the flow has more than 5,000,000 segments");
    for (place, value) in [(32, u32::MAX), (36, 0), (28, 2_000_000)] {
        let mut file = pcap(&transfer(200));
        file[place..place + 4].copy_from_slice(&value.to_le_bytes());
        assert!(problem(read(&file)).starts_with("packet 1: "), "{place}");
    }
    let mut file = pcapng(&transfer(200));
    file[4..8].copy_from_slice(&u32::MAX.to_be_bytes());
    assert_eq!(
        problem(read(&file)),
        "packet 1: a block of 4294967295 bytes; the packets from here on cannot be separated"
    );
}

/// A file of some packets, and one that repeats.
struct Repeated {
    head: Vec<u8>,
    packet: Vec<u8>,
    count: usize,
    at: usize,
}

impl Read for Repeated {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = match self.at.checked_sub(self.head.len()) {
            None => &self.head[self.at..],
            Some(at) if at < self.count * self.packet.len() => &self.packet[at % self.packet.len()..],
            Some(_) => &[],
        };
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        Ok(count)
    }
}

impl Seek for Repeated {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        self.at = 0;
        Ok(0)
    }
}

#[test]
fn a_flow_of_too_many_packets_is_refused() {
    let packets = transfer(200);
    let packet = record(packets.last().unwrap());
    let mut file = Repeated { head: pcap(&packets), packet, count: 5_000_000, at: 0 };
    let found = mesonet_captures::transfer(&mut file, None, FEWEST);
    assert_eq!(problem(found), "the flow has more than 5,000,000 packets");
    // Packets without an end of other flows stay numbers.
    let other = Packet { port: 7, ..packets[0].clone() };
    let mut file = Repeated { head: pcap(&packets), packet: record(&other), count: 1_000_000, at: 0 };
    assert_eq!(
        mesonet_captures::transfer(&mut file, None, FEWEST).unwrap().total,
        packets.len() as u64 + 1_000_000
    );
}

fn event(time_ms: f64, name: &str, data: &str) -> String {
    format!(r#"{{"time": {time_ms}, "name": "transport:{name}", "data": {data}}}"#)
}

/// A log of `count` packets 1 ms apart with a round trip of 40 ms, of which packet 3 is lost.
fn events(count: u32) -> Vec<String> {
    let mut found = Vec::new();
    for number in 0..count {
        let header = format!(r#""header": {{"packet_type": "1RTT", "packet_number": {number}}}"#);
        let at = f64::from(number);
        found.push((at, event(at, "packet_sent", &format!(r#"{{{header}, "raw": {{"length": 1200}}}}"#))));
        let (name, data) = match number {
            3 => ("packet_lost", format!("{{{header}}}")),
            _ => (
                "packet_received",
                format!(
                    r#"{{{header}, "frames": [{{"frame_type": "ack", "acked_ranges": [[{number}, {number}]]}}]}}"#
                ),
            ),
        };
        found.push((at + 40.0, event(at + 40.0, name, &data)));
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.into_iter().map(|each| each.1).collect()
}

fn quic(text: &str) -> Result<mesonet_captures::Log, Error> {
    log(text.as_bytes(), None, FEWEST)
}

#[test]
fn every_form_of_a_log_has_its_packets() {
    let events = events(200);
    let document = format!(r#"{{"qlog_version": "0.3", "traces": [{{"events": [{}]}}]}}"#, events.join(","));
    let found = quic(&document).unwrap();
    assert_eq!((found.sent_s.len(), found.total), (200, 400));
    assert_eq!(found.lost.iter().position(|lost| *lost), Some(3));
    assert!((found.acked_s[9] - 0.049).abs() < 1e-12);
    let lines = format!("{{\"qlog_version\": \"0.3\", \"trace\": {{}}}}\n{}\n", events.join("\n"));
    assert_eq!(quic(&lines).unwrap().sent_s, found.sent_s);
    let marked = format!("\u{feff}\u{1e}{{\"file_schema\": \"urn:x\"}}\n\u{1e}{}\n", events.join("\n\u{1e}"));
    assert_eq!(quic(&marked).unwrap().lost, found.lost);
    assert_eq!(log(&gzip(document.as_bytes())[..], Some(1), FEWEST).unwrap().sent_s, found.sent_s);
    let two = document.replace("}]}]}", "}]}, {\"events\": []}]}");
    assert_eq!(problem(quic(&two)), "2 traces");
    assert_eq!(log(two.as_bytes(), Some(1), FEWEST).unwrap().sent_s, found.sent_s);
    assert_eq!(problem(log(two.as_bytes(), Some(3), FEWEST)), "no such trace");
}

#[test]
fn times_may_be_differences() {
    let mut rows: Vec<serde_json::Value> =
        events(200).iter().map(|text| serde_json::from_str(text).unwrap()).collect();
    let times: Vec<f64> = rows.iter().map(|row| row["time"].as_f64().unwrap()).collect();
    for (place, row) in rows.iter_mut().enumerate().skip(1) {
        row["time"] = (times[place] - times[place - 1]).into();
    }
    let trace = |before: &str, behind: &str| {
        let list = serde_json::to_string(&rows).unwrap();
        quic(&format!(r#"{{"qlog_version": "0.3", "traces": [{{{before}"events": {list}{behind}}}]}}"#))
    };
    let fields = r#""common_fields": {"time_format": "delta"}"#;
    assert!((trace(&format!("{fields}, "), "").unwrap().sent_s[199] - 0.199).abs() < 1e-9);
    assert!(problem(trace("", &format!(", {fields}"))).contains("common_fields"));
}

#[test]
fn hostile_logs_are_refused() {
    let head = r#"{"qlog_version": "0.3"}"#;
    for (text, words) in [
        ("{", "neither JSON nor lines of JSON"),
        (r#"{"qlog_version": "draft-02"}"#, "another version"),
        (
            r#"{"qlog_version": "draft-01", "traces": [{"events": [[0, "transport", "packet_sent", {}]]}]}"#,
            "another version",
        ),
        (r#"{"file": 1}"#, "no version"),
        (r#"{"qlog_version": "0.4", "traces": []}"#, "no trace"),
        (r#"{"traces": [3]}"#, "an event without its fields"),
        ("[]", "an event without its fields"),
        (head, "0 packets of data"),
    ] {
        assert!(problem(quic(text)).starts_with(words), "{text}");
    }
    // A range that ends nowhere costs no more than the packets that were sent.
    let ack =
        r#"{"frames": [{"frame_type": "ack", "acked_ranges": [[0, 4611686018427387903], [9, 2], []]}]}"#;
    let mut lines = vec![head.to_string()];
    lines.extend(events(200));
    lines.extend((0..1000).map(|_| event(500.0, "packet_received", ack)));
    assert!(quic(&lines.join("\n")).is_ok());
    let deep = format!("{head}\n{}", "[".repeat(1_000_000));
    assert!(problem(quic(&deep)).starts_with("neither JSON") || problem(quic(&deep)).starts_with("an event"));
}

/// Captures of the repository, unpacked, without most of their packets.
fn shipped() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/captures");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "gz") {
            let mut bytes = Vec::new();
            GzDecoder::new(std::fs::File::open(path).unwrap()).take(100_000).read_to_end(&mut bytes).unwrap();
            found.push(bytes);
        }
    }
    assert!(found.len() > 1);
    found.push(pcapng(&transfer(200)));
    found.push(events(150).join("\n").into_bytes());
    found
}

/// Reads bytes as every kind of file.
fn read_as_all(bytes: &[u8]) {
    let _ = flows(bytes);
    let _ = read(bytes);
    let _ = mesonet_captures::transfer(Cursor::new(bytes), Some(1), 1);
    let _ = log(bytes, None, 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 300 } else { 3000 }))]

    #[test]
    fn changed_captures_are_read_or_refused(
        which in 0_usize..8,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0_usize..40, 0_u8..3), 1..8),
    ) {
        let files = shipped();
        let mut bytes = files[which % files.len()].clone();
        for (place, value, length, kind) in changes {
            let at = place.index(bytes.len().min(20_000));
            let end = (at + length).min(bytes.len());
            match kind {
                0 => bytes[at] = value,
                1 => drop(bytes.drain(at..end)),
                _ => bytes[at..end].fill(value),
            }
        }
        read_as_all(&bytes);
    }
}
