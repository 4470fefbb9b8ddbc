//! Any bytes, as every kind of capture: each reader returns a result or a refusal.
//!
//! `cargo +nightly fuzz run captures fuzz/corpus/captures tests/captures`, with `cargo install cargo-fuzz`
//! before.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mesonet_captures::{flows, log, transfer};
use std::io::Cursor;

fuzz_target!(|bytes: &[u8]| {
    let _ = flows(bytes);
    let _ = transfer(Cursor::new(bytes), None, 100);
    let _ = transfer(Cursor::new(bytes), Some(1), 1);
    let _ = log(bytes, None, 1);
});
