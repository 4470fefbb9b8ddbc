//! Tables of functions that were loaded: checked once, kept to the end of the process.

use super::{Plugin, abi};
use crate::{Algorithm, Param, picos};
use std::ffi::{CStr, c_char};
use std::sync::RwLock;

/// Largest state of a flow, bytes (chosen): a hundred times the largest built-in state.
const LARGEST_STATE: u32 = 1 << 16;
/// Most constants of an algorithm (chosen).
const MOST_PARAMS: u32 = 64;
/// Shortest period of a timer, s (chosen): shorter than any round trip, and a run still ends.
const SHORTEST_PERIOD: f64 = 1e-6;
/// Longest period of a timer, s: the end of the range of instants.
const LONGEST_PERIOD: f64 = 1e6;
const MOST_NAME: usize = 40;
const MOST_TEXT: usize = 400;

pub(super) static LOADED: RwLock<Vec<&'static Plugin>> = RwLock::new(Vec::new());

/// The plug-in called `name` of the file with this digest, if it was loaded.
#[must_use]
pub fn find(name: &str, digest: &str) -> Option<&'static Plugin> {
    let loaded = LOADED.read().unwrap_or_else(std::sync::PoisonError::into_inner);
    loaded.iter().find(|p| p.algorithm.name == name && p.digest == digest).copied()
}

/// Checks the table of functions at an address and keeps it under the digest of its file. Names of `built_in`
/// algorithms are taken.
///
/// # Errors
/// A sentence with what is not allowed.
///
/// # Safety
/// At `table` there is a table as `mesonet_cc.h` describes it, with all that it points to, to the end of the
/// process; of another version of the interface only its first two numbers.
#[allow(unsafe_code)]
pub unsafe fn load(
    table: *const abi::Algorithm,
    digest: &str,
    built_in: &[Algorithm],
) -> Result<&'static Plugin, String> {
    if table.is_null() {
        return Err("mesonet_cc returned NULL; allowed: a table of functions".into());
    }
    // SAFETY: the caller's promise; these two numbers are first in every version.
    let [version, size] = unsafe { table.cast::<[u32; 2]>().read() };
    if version != abi::ABI {
        return Err(format!("abi = {version}: another version of the interface; allowed: {}", abi::ABI));
    }
    let expected = size_of::<abi::Algorithm>() as u32;
    if size != expected && size != abi::FIRST_SIZE {
        return Err(format!("size = {size}: not the table of this version; allowed: {expected}"));
    }
    // SAFETY: a table without functions, then the caller's promise: there are so many bytes. What an older
    // table lacks is NULL.
    let table = unsafe {
        let mut whole = std::mem::zeroed::<abi::Algorithm>();
        std::ptr::copy_nonoverlapping(table.cast::<u8>(), (&raw mut whole).cast::<u8>(), size as usize);
        whole
    };
    refuse_numbers(&table)?;
    refuse_functions(&table)?;
    // SAFETY: the caller's promise.
    let (algorithm, modes) = unsafe { (algorithm(&table, built_in)?, modes(&table)?) };
    if let Some(known) = find(algorithm.name, digest) {
        return Ok(known);
    }
    let timer_period = (table.timer_period > 0.0).then(|| picos(table.timer_period));
    let plugin: &'static Plugin = Box::leak(Box::new(Plugin {
        algorithm,
        digest: digest.to_owned(),
        table,
        timer_period,
        modes,
        is_observed: false,
    }));
    LOADED.write().unwrap_or_else(std::sync::PoisonError::into_inner).push(plugin);
    Ok(plugin)
}

fn refuse_numbers(table: &abi::Algorithm) -> Result<(), String> {
    let least = size_of::<abi::Window>() as u32;
    if !(least..=LARGEST_STATE).contains(&table.state_size) {
        return Err(format!("state_size = {}; allowed: {least} to {LARGEST_STATE}", table.state_size));
    }
    let known = 2 * abi::LOSS_AFTER_MARK - 1;
    if table.flags & !known != 0 {
        return Err(format!(
            "flags = {}: an unknown flag; allowed: sums of 1 to {}",
            table.flags,
            abi::LOSS_AFTER_MARK
        ));
    }
    if table.codepoint > 2 {
        return Err(format!("codepoint = {}; allowed: 0 (Not-ECT), 1 (ECT(0)), 2 (ECT(1))", table.codepoint));
    }
    if table.param_count > MOST_PARAMS {
        return Err(format!("param_count = {}; allowed: 0 to {MOST_PARAMS}", table.param_count));
    }
    if table.param_count > 0 && table.params.is_null() {
        return Err(format!("params is NULL; allowed: {} constants", table.param_count));
    }
    let period = table.timer_period;
    if period != 0.0 && !(SHORTEST_PERIOD..=LONGEST_PERIOD).contains(&period) {
        return Err(format!(
            "timer_period = {period} s; allowed: 0 (no timer), {SHORTEST_PERIOD} to {LONGEST_PERIOD} s"
        ));
    }
    Ok(())
}

fn refuse_functions(table: &abi::Algorithm) -> Result<(), String> {
    let flag = |bit: u32| table.flags & bit != 0;
    for (name, is_there, needed) in [
        (
            "on_ack",
            table.on_ack.is_some() || table.on_round.is_some(),
            Some("every algorithm without on_round"),
        ),
        ("on_loss", table.on_loss.is_some(), Some("every algorithm")),
        ("on_timer", table.on_timer.is_some(), (table.timer_period > 0.0).then_some("timer_period")),
        ("on_send", table.on_send.is_some(), flag(abi::WANTS_SENDS).then_some("MESONET_WANTS_SENDS")),
    ] {
        if let Some(reason) = needed.filter(|_| !is_there) {
            return Err(format!("{name} is NULL; allowed: a function, which {reason} needs"));
        }
    }
    for (name, is_there, allowed, reason) in [
        ("on_timer", table.on_timer.is_some(), table.timer_period > 0.0, "a timer_period above 0"),
        ("on_send", table.on_send.is_some(), flag(abi::WANTS_SENDS), "MESONET_WANTS_SENDS"),
        (
            "on_segment_lost",
            table.on_segment_lost.is_some(),
            flag(abi::WANTS_DELIVERY_RATE),
            "MESONET_WANTS_DELIVERY_RATE",
        ),
        ("release", table.release.is_some(), flag(abi::HAS_POINTERS), "MESONET_HAS_POINTERS"),
    ] {
        if is_there && !allowed {
            return Err(format!(
                "{name} is a function that would never be called; allowed: NULL, or {reason}"
            ));
        }
    }
    Ok(())
}

/// The facts that users can list, from a table whose numbers are right.
///
/// # Safety
/// As [`load`].
#[allow(unsafe_code)]
unsafe fn algorithm(table: &abi::Algorithm, built_in: &[Algorithm]) -> Result<Algorithm, String> {
    // SAFETY: the caller's promise.
    let (name, title, source) =
        unsafe { (text("name", table.name)?, text("title", table.title)?, text("source", table.source)?) };
    refuse_name("name", name, |c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_')?;
    if built_in.iter().any(|known| known.name == name) {
        return Err(format!("name = \"{name}\": a built-in algorithm has this name; allowed: another name"));
    }
    let mut params: Vec<Param> = Vec::new();
    for place in 0..table.param_count as usize {
        // SAFETY: the caller's promise: there are so many.
        let param = unsafe { table.params.add(place).read() };
        let at = |field: &str| format!("params[{place}].{field}");
        // SAFETY: as above.
        let known = unsafe {
            Param::new(
                text(&at("name"), param.name)?,
                text(&at("doc"), param.doc)?,
                text(&at("unit"), param.unit)?,
                [param.min, param.max],
                param.value,
                text(&at("source"), param.source)?,
            )
        };
        refuse_name(&at("name"), known.name, |c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')?;
        if params.iter().any(|other| other.name == known.name) {
            return Err(format!(
                "{} = \"{}\": named twice; allowed: each constant once",
                at("name"),
                known.name
            ));
        }
        if !(known.min.is_finite() && known.max.is_finite() && known.min <= known.max) {
            return Err(format!(
                "{} = {} to {}: not a range; allowed: finite, min <= max",
                at("min"),
                known.min,
                known.max
            ));
        }
        if !(known.min..=known.max).contains(&known.standard) {
            return Err(format!(
                "{} = {}; allowed: {} to {}",
                at("value"),
                known.standard,
                known.min,
                known.max
            ));
        }
        params.push(known);
    }
    Ok(Algorithm { name, title, source, params: params.leak(), shared_slow_start: false })
}

/// The names of modes.
///
/// # Safety
/// As [`load`].
#[allow(unsafe_code)]
unsafe fn modes(table: &abi::Algorithm) -> Result<Vec<&'static str>, String> {
    if table.modes.is_null() {
        return Ok(Vec::new());
    }
    if table.report.is_none() {
        return Err("report is NULL; allowed: a function, which modes needs".into());
    }
    // SAFETY: the caller's promise.
    let names: Vec<_> = unsafe { text("modes", table.modes)? }.split_ascii_whitespace().collect();
    for name in &names {
        refuse_name("modes", name, |c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')?;
    }
    Ok(names)
}

fn refuse_name(field: &str, name: &str, allowed: impl Fn(char) -> bool) -> Result<(), String> {
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
    if begins && name.len() <= MOST_NAME && name.chars().all(allowed) {
        return Ok(());
    }
    Err(format!(
        "{field} = \"{name}\"; allowed: a lower-case letter, then letters, digits and _ (names of algorithms: also -), at most \
         {MOST_NAME}"
    ))
}

/// A text of a table, copied.
///
/// # Safety
/// `start` is NULL or a text that ends with 0.
#[allow(unsafe_code)]
unsafe fn text(field: &str, start: *const c_char) -> Result<&'static str, String> {
    if start.is_null() {
        return Err(format!("{field} is NULL; allowed: text"));
    }
    // SAFETY: the caller's promise.
    let bytes = unsafe { CStr::from_ptr(start) }.to_bytes();
    let text = std::str::from_utf8(bytes).map_err(|_| format!("{field} is not UTF-8; allowed: text"))?;
    if text.is_empty() || text.len() > MOST_TEXT || text.chars().any(char::is_control) {
        return Err(format!(
            "{field} = \"{}\"; allowed: 1 to {MOST_TEXT} characters in a line",
            text.escape_debug()
        ));
    }
    Ok(text.to_owned().leak())
}
