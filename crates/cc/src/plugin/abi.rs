//! The structs of `mesonet_cc.h`, field by field; the header documents them. The assertions at the end of
//! both files hold the sizes, and a test of the Python package sends every field through a plug-in.

#![allow(missing_docs)]

use std::ffi::{c_char, c_void};
use std::mem::offset_of;

/// `MESONET_CC_ABI`.
pub const ABI: u32 = 1;

pub const WANTS_DELIVERY_RATE: u32 = 1;
pub const WANTS_SENDS: u32 = 2;
pub const MANAGES_RECOVERY: u32 = 4;
pub const GROWS_AFTER_MARK: u32 = 8;
pub const HAS_POINTERS: u32 = 16;
pub const LOSS_AFTER_MARK: u32 = 32;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub cwnd: f64,
    pub ssthresh: f64,
    pub pacing_rate: f64,
    pub phase: u32,
    pub holds_back: u32,
    pub initial: f64,
}

#[repr(C)]
#[derive(Debug)]
pub struct Config {
    pub params: *const f64,
    pub max_cwnd: f64,
    pub timeout_rule: u32,
    pub idle_rule: u32,
    pub reduce_from_flight: u32,
    pub grow_if_cwnd_limited: u32,
}

#[repr(C)]
#[derive(Debug)]
pub struct Start {
    pub now: f64,
    pub initial_window: f64,
    pub initial_ssthresh: f64,
    pub rtt: f64,
    pub seed: u64,
}

#[repr(C)]
#[derive(Debug)]
pub struct Ack {
    pub now: f64,
    pub rtt: f64,
    pub min_rtt: f64,
    pub srtt: f64,
    pub delivery_rate: f64,
    pub sample_interval: f64,
    pub sample_prior_delivered: u64,
    pub delivered: u64,
    pub acked: u32,
    pub in_flight: u32,
    pub lost: u32,
    pub ce: u32,
    pub sample_in_flight: u32,
    pub sample_lost: u32,
    pub sample_ce: u32,
    pub sample_app_limited: u32,
    pub round_start: u32,
    pub in_recovery: u32,
    pub after_timeout: u32,
    pub cwnd_limited: u32,
    pub app_limited: u32,
    pub segments: u32,
    pub una: u64,
    pub next: u64,
}

#[repr(C)]
#[derive(Debug)]
pub struct Loss {
    pub now: f64,
    pub cause: u32,
    pub in_flight: u32,
    pub lost: u32,
    pub first_timeout: u32,
}

#[repr(C)]
#[derive(Debug)]
pub struct Lost {
    pub now: f64,
    pub delivered: u64,
    pub in_flight: u32,
    pub lost: u32,
    pub app_limited: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Debug)]
pub struct Round {
    pub now: f64,
    pub interval: f64,
    pub rtt: f64,
    pub least_rtt: f64,
    pub min_rtt: f64,
    pub srtt: f64,
    pub delivered: u64,
    pub acked: u32,
    pub lost: u32,
    pub ce: u32,
    pub losses: u32,
    pub in_flight: u32,
    pub in_recovery: u32,
    pub after_timeout: u32,
    pub cwnd_limited: u32,
    pub app_limited: u32,
    pub segments: u32,
}

#[repr(C)]
#[derive(Debug)]
pub struct Idle {
    pub now: f64,
    pub idle: f64,
    pub rto: f64,
}

#[repr(C)]
#[derive(Debug)]
pub struct Send {
    pub now: f64,
    pub in_flight: u32,
    pub retransmission: u32,
}

#[repr(C)]
#[derive(Debug)]
pub struct Report {
    pub bandwidth: f64,
    pub mode: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Param {
    pub name: *const c_char,
    pub doc: *const c_char,
    pub unit: *const c_char,
    pub min: f64,
    pub max: f64,
    pub value: f64,
    pub source: *const c_char,
}

/// A function of an event: state of the flow, scenario, event.
pub type On<E> = unsafe extern "C" fn(*mut c_void, *const Config, *const E);
/// A function of an instant.
pub type At = unsafe extern "C" fn(*mut c_void, *const Config, f64);
/// `undo`.
pub type Undo = unsafe extern "C" fn(*mut c_void, *const Config, *const c_void);
/// `report`.
pub type ReportOf = unsafe extern "C" fn(*const c_void, *const Config, *mut Report);
/// `release`.
pub type Release = unsafe extern "C" fn(*mut c_void);

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    pub abi: u32,
    pub size: u32,
    pub state_size: u32,
    pub flags: u32,
    pub codepoint: u32,
    pub param_count: u32,
    pub name: *const c_char,
    pub title: *const c_char,
    pub source: *const c_char,
    pub params: *const Param,
    pub timer_period: f64,
    pub init: Option<On<Start>>,
    pub on_ack: Option<On<Ack>>,
    pub on_loss: Option<On<Loss>>,
    pub on_recovery_exit: Option<At>,
    pub on_timer: Option<At>,
    pub on_idle: Option<On<Idle>>,
    pub on_send: Option<On<Send>>,
    pub on_segment_lost: Option<On<Lost>>,
    pub undo: Option<Undo>,
    pub release: Option<Release>,
    pub modes: *const c_char,
    pub report: Option<ReportOf>,
    pub on_round: Option<On<Round>>,
}

/// Bytes of the tables of libraries from before `modes`, `report` and `on_round`.
pub const FIRST_SIZE: u32 = offset_of!(Algorithm, modes) as u32;

const _: () = assert!(size_of::<Window>() == 40);
const _: () = assert!(size_of::<Config>() == 32);
const _: () = assert!(size_of::<Start>() == 40);
const _: () = assert!(size_of::<Ack>() == 136);
const _: () = assert!(size_of::<Loss>() == 24);
const _: () = assert!(size_of::<Lost>() == 32);
const _: () = assert!(size_of::<Idle>() == 24);
const _: () = assert!(size_of::<Send>() == 16);
const _: () = assert!(size_of::<Report>() == 16);
const _: () = assert!(size_of::<Round>() == 96);
// Tables with pointers, on machines that can load libraries.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Param>() == 56 && size_of::<Algorithm>() == 168);
