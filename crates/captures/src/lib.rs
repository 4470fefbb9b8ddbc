//! Readers of captures: a file of packets (pcap, pcapng) or a log of QUIC (qlog), plain or gzip, in; the
//! packets of one sender with their fates out.
//!
//! A file is a stream: memory is bounded by what stays of each packet of the chosen flow. Headers alone are
//! looked at. Addresses number the flows and end there; content of packets is skipped.

mod capture;
mod connections;
mod fates;
mod framing;
mod headers;
mod numbers;
mod qlog;
mod refusal;
mod source;
mod transfer;

pub use capture::{Flow, flows, transfer};
pub use qlog::{Log, log};
pub use refusal::{Error, Refusal};
pub use transfer::Transfer;
