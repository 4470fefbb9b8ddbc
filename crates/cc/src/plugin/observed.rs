//! Congestion controls outside of the simulator, inside of whole transport stacks: their window is observed,
//! and they get no event. Their flows are those of [`Plugin`]s that the build has.

use super::{GUARD, LOADED, Plugin, PluginFlow, abi, find};
use crate::window::Window;
use crate::{Algorithm, Param, Phase};
use std::ffi::c_void;

/// Facts about a stack that users can list.
#[derive(Clone, Debug)]
pub struct About {
    /// Name in scenarios and results.
    pub name: &'static str,
    /// Name in words.
    pub title: &'static str,
    /// Implementation with its version.
    pub source: &'static str,
    /// Constants that a user can change.
    pub params: &'static [Param],
    /// Names of its modes.
    pub modes: &'static [&'static str],
}

/// Window, rates and mode, as far as a congestion control shows them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Observed {
    /// Congestion window, segments; none: it is not shown.
    pub cwnd: Option<f64>,
    /// Slow-start threshold, segments.
    pub ssthresh: Option<f64>,
    /// Pacing rate, segments/s.
    pub pacing_rate: Option<f64>,
    /// It is in slow start, or in what corresponds to it.
    pub slow_start: bool,
    /// Its mode: 1 is the first name; 0: none.
    pub mode: u32,
    /// Its estimate of the bandwidth, segments/s; 0: none.
    pub bandwidth: f64,
}

/// The state of a flow.
#[repr(C)]
struct State {
    window: abi::Window,
    bandwidth: f64,
    mode: u32,
    reserved: u32,
}

/// Keeps a stack under its version, as [`super::load`] keeps a plug-in under the digest of its file.
#[must_use]
pub fn keep(about: &About, version: &str) -> &'static Plugin {
    if let Some(known) = find(about.name, version) {
        return known;
    }
    let About { name, title, source, params, .. } = *about;
    let table = abi::Algorithm {
        abi: abi::ABI,
        size: size_of::<abi::Algorithm>() as u32,
        state_size: size_of::<State>() as u32,
        // The state of its connections is not here, and cannot be written.
        flags: abi::HAS_POINTERS,
        codepoint: 0,
        param_count: 0,
        name: std::ptr::null(),
        title: std::ptr::null(),
        source: std::ptr::null(),
        params: std::ptr::null(),
        timer_period: 0.0,
        init: None,
        on_ack: None,
        on_loss: None,
        on_recovery_exit: None,
        on_timer: None,
        on_idle: None,
        on_send: None,
        on_segment_lost: None,
        undo: Some(undo),
        release: None,
        modes: std::ptr::null(),
        report: Some(report),
        on_round: None,
    };
    let plugin: &'static Plugin = Box::leak(Box::new(Plugin {
        algorithm: Algorithm { name, title, source, params, shared_slow_start: false },
        digest: version.to_owned(),
        table,
        timer_period: None,
        modes: about.modes.to_vec(),
        is_observed: true,
    }));
    LOADED.write().unwrap_or_else(std::sync::PoisonError::into_inner).push(plugin);
    plugin
}

/// Does nothing: the simulator undoes no loss of a stack.
extern "C" fn undo(_: *mut c_void, _: *const abi::Config, _: *const c_void) {}

#[allow(unsafe_code)]
unsafe extern "C" fn report(state: *const c_void, _: *const abi::Config, report: *mut abi::Report) {
    // SAFETY: the caller's promise: a state of the declared size, and memory for the report.
    let (state, report) = unsafe { (&*state.cast::<State>(), &mut *report) };
    (report.bandwidth, report.mode) = (state.bandwidth, state.mode);
}

impl PluginFlow {
    /// Takes over what a stack shows.
    #[allow(unsafe_code)]
    pub(crate) fn observe(&mut self, seen: &Observed) {
        let size = size_of_val(&*self.memory);
        assert!(size >= size_of::<State>() + GUARD, "the state of a flow of a stack");
        // SAFETY: the memory is aligned and large enough, and every bit pattern is a state.
        let state = unsafe { &mut *self.memory.as_mut_ptr().cast::<State>() };
        (state.bandwidth, state.mode) = (seen.bandwidth, seen.mode);
        let initial = self.window.initial();
        self.window = Window::of(seen.cwnd.unwrap_or(f64::NAN), seen.ssthresh.unwrap_or(f64::NAN), initial);
        self.pacing_rate = seen.pacing_rate.unwrap_or(0.0);
        self.phase = if seen.slow_start { Phase::SlowStart } else { Phase::Alternate };
    }
}
