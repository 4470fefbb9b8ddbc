//! Logs of QUIC senders, qlog 0.3 and 0.4: one JSON document, lines of JSON, or a JSON text sequence.

mod document;
mod trace;

use crate::refusal::{Error, refused};
use crate::source::Source;
use document::{ALLOWED, Document, Whole};
use serde::de::DeserializeSeed;
use std::io::{self, BufRead, BufReader, Read};
use trace::Trace;

const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];
/// Mark before each value of a JSON text sequence (RFC 7464).
const RECORD: u8 = 0x1E;

/// The packets of one sender in the order in which they left.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    /// When each left, s since the first packet of the log.
    pub sent_s: Vec<f64>,
    /// When it was acknowledged, s; NaN if it was not.
    pub acked_s: Vec<f64>,
    /// True where it was lost, and never acknowledged.
    pub lost: Vec<bool>,
    /// Bytes of the packet of QUIC.
    pub length: Vec<u32>,
    /// Round trip of the handshake, s; NaN if unknown.
    pub handshake_s: f64,
    /// True if packets of the handshake left.
    pub has_handshake: bool,
    /// True if mesonet wrote the log, whose packets are segments with all their headers.
    pub of_mesonet: bool,
    /// Events of the log.
    pub total: u64,
}

/// Returns the packets of a trace.
///
/// `number`: its place in the file, from 1; None: the only one. `fewest`: packets that must be acknowledged.
pub fn log<R: Read>(file: R, number: Option<i64>, fewest: u64) -> Result<Log, Error> {
    let mut source = Source::new(file)?;
    let is_gzip = matches!(source, Source::Gzip(_));
    let problem = |error: serde_json::Error| match error.classify() {
        serde_json::error::Category::Io => Source::<R>::problem(is_gzip, error.into()),
        serde_json::error::Category::Data => {
            refused(format!("an event without its fields: {error}"), ALLOWED)
        }
        _ => refused(format!("neither JSON nor lines of JSON: {error}"), ALLOWED),
    };
    if source.fill_buf().is_ok_and(|bytes| bytes.starts_with(&BYTE_ORDER_MARK)) {
        source.consume(BYTE_ORDER_MARK.len());
    }
    let mut json = serde_json::Deserializer::from_reader(BufReader::new(Unmarked(source)));
    let mut document = Document::new(number);
    let whole = Whole(&mut document).deserialize(&mut json);
    if whole.is_ok() || document.version.is_some() {
        document.check_version()?; // other versions have other forms
    }
    whole.map_err(problem)?;
    if !document.has_traces {
        let mut trace = Trace::new(&document.about);
        for event in json.into_iter() {
            trace.count(&event.map_err(problem)?).map_err(problem)?;
        }
        document.keep(trace);
    }
    document.chosen()?.log(fewest)
}

/// Bytes of a JSON text sequence without its marks, which no string has.
struct Unmarked<R: Read>(Source<R>);

impl<R: Read> Read for Unmarked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(buffer)?;
        buffer[..count].iter_mut().filter(|byte| **byte == RECORD).for_each(|byte| *byte = b' ');
        Ok(count)
    }
}
