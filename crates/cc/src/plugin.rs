//! Congestion controls of users: functions with the C ABI of `mesonet_cc.h`, called like the built-in
//! algorithms.
//!
//! The state of a flow is memory of the size that the plug-in declares. It begins with the window, which is
//! copied and checked after each call, so that reading the window is no call and no different from a built-in
//! algorithm. Only this folder and the boundary to Python have unsafe code for plug-ins: a plug-in is code
//! that the user chose, and can do what it likes. What can be checked is checked: the table when it is loaded
//! ([`load`]), the window and the bytes behind the state after each call ([`Fault`]).

pub mod abi;
mod fault;
mod load;
pub mod observed;
mod round;

use crate::window::Window;
use crate::{
    AckEvent, Algorithm, Codepoint, Common, IdleEvent, LossCause, LossEvent, LostSegment, Phase, Picos,
    Positions, ResumeStep,
};
use crate::{FlowName, IdleRule, SendEvent, Start, TimeoutRule, WindowBasis, seconds};
use abi::Config as Rules;
pub use fault::{Call, Event, Fault, Shown, mark, marked, present};
use load::LOADED;
pub use load::{find, load};
use round::RoundSums;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use std::ffi::c_void;
use std::sync::Arc;

/// A plug-in that was loaded; lives to the end of the process.
#[derive(Debug)]
pub struct Plugin {
    /// The facts that users can list.
    pub algorithm: Algorithm,
    /// Digest of its file.
    digest: String,
    table: abi::Algorithm,
    timer_period: Option<Picos>,
    /// Names of its modes.
    modes: Vec<&'static str>,
    /// It is inside of a stack, and only observed.
    is_observed: bool,
}

// SAFETY: the table holds functions, which are called with state of one flow at a time, and texts that were
// copied.
#[allow(unsafe_code)]
unsafe impl Send for Plugin {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl Sync for Plugin {}

impl Plugin {
    /// The state of a flow cannot be copied: no snapshots, no undo.
    #[must_use]
    pub fn has_pointers(&self) -> bool {
        self.table.flags & abi::HAS_POINTERS != 0
    }

    /// It is the congestion control of a whole transport stack, which the simulator only observes.
    #[must_use]
    pub fn is_stack(&self) -> bool {
        self.is_observed
    }

    /// Version or digest under which it is kept.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The state of a flow can be as it was before a loss.
    #[must_use]
    pub fn can_undo(&self) -> bool {
        !self.has_pointers() || self.table.undo.is_some()
    }
}

/// A plug-in with the constants of a scenario.
#[derive(Clone, Debug)]
pub struct PluginConfig(Arc<Constants>);

/// Words of 8 bytes of a [`Rules`].
const WORDS: usize = size_of::<Rules>() / 8;

#[derive(Debug)]
struct Constants {
    plugin: &'static Plugin,
    common: Common,
    /// Memory that the functions see: a [`Rules`], then the values of the constants, to which it points.
    rules: Box<[u64]>,
}

impl PluginConfig {
    /// Constants from the values of the plug-in's parameters, in their order.
    ///
    /// # Panics
    ///
    /// If there is not one value for each parameter.
    #[must_use]
    #[allow(unsafe_code)]
    pub fn new(plugin: &'static Plugin, common: Common, values: &[f64]) -> Self {
        assert_eq!(values.len(), plugin.algorithm.params.len(), "one value per parameter");
        let mut memory = vec![0_u64; WORDS + values.len()].into_boxed_slice();
        let (head, behind) = memory.split_at_mut(WORDS);
        behind.iter_mut().zip(values).for_each(|(place, value)| *place = value.to_bits());
        let rules = Rules {
            params: behind.as_ptr().cast(),
            max_cwnd: common.max_cwnd,
            timeout_rule: match common.timeout {
                TimeoutRule::Rfc => 0,
                TimeoutRule::Rfc2581 => 1,
                TimeoutRule::OwnReduction => 2,
                TimeoutRule::Linux => 3,
            },
            idle_rule: match common.idle {
                IdleRule::Keep => 0,
                IdleRule::Rfc5681 => 1,
                IdleRule::Linux => 2,
            },
            reduce_from_flight: u32::from(common.basis == WindowBasis::Flight),
            grow_if_cwnd_limited: u32::from(common.grow_only_if_cwnd_limited),
        };
        // SAFETY: so many words are a `Rules`, which is aligned as they are.
        unsafe { head.as_mut_ptr().cast::<Rules>().write(rules) };
        Self(Arc::new(Constants { plugin, common, rules: memory }))
    }

    #[inline]
    fn rules(&self) -> *const Rules {
        self.0.rules.as_ptr().cast()
    }

    /// The plug-in.
    #[must_use]
    pub fn plugin(&self) -> &'static Plugin {
        self.0.plugin
    }

    /// Returns whether a flag of the table is set.
    #[inline]
    pub(crate) fn flag(&self, bit: u32) -> bool {
        self.0.plugin.table.flags & bit != 0
    }

    pub(crate) fn timer_period(&self) -> Option<Picos> {
        self.0.plugin.timer_period
    }

    #[inline]
    pub(crate) fn codepoint(&self) -> Codepoint {
        match self.0.plugin.table.codepoint {
            0 => Codepoint::NotEct,
            1 => Codepoint::Ect0,
            _ => Codepoint::Ect1,
        }
    }
}

/// Memory of a state: aligned as `max_align_t` is.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[repr(C, align(16))]
struct Chunk([u64; 2]);

/// Bytes behind a state, which no function may change (chosen): what a `state_size` of a smaller struct
/// forgets.
const GUARD: usize = 64;

/// Content of [`GUARD`], and of the rest of the last chunk before it.
const UNTOUCHED: [u8; GUARD + size_of::<Chunk>()] = [0xa5; GUARD + size_of::<Chunk>()];

/// The state of one flow of a plug-in. The box keeps [`crate::Controller`] small.
#[derive(Debug, Serialize, Deserialize)]
#[repr(C)]
pub struct PluginFlow {
    /// Copied from the memory. First, as in the built-in algorithms: reading cwnd then needs no branch on the
    /// algorithm.
    window: Window,
    /// Copied, too: segments/s, 0 for none.
    pacing_rate: f64,
    name: FlowName,
    /// At least as large as a window, with [`UNTOUCHED`] bytes behind the state.
    #[serde(deserialize_with = "memory")]
    memory: Box<[Chunk]>,
    /// Frees what the state points to. Such a state is never written.
    #[serde(skip)]
    release: Option<Release>,
    /// Sums of the present round trip, for `on_round`.
    round: Option<Box<RoundSums>>,
    phase: Phase,
    holds_back: bool,
}

/// The memory of a state that was written.
fn memory<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<[Chunk]>, D::Error> {
    let memory = Box::<[Chunk]>::deserialize(deserializer)?;
    if size_of_val(&*memory) < size_of::<abi::Window>() {
        return Err(D::Error::custom("the state of a plug-in is too small"));
    }
    Ok(memory)
}

/// The function that frees what a state points to.
#[derive(Clone, Copy, Debug)]
struct Release {
    plugin: &'static Plugin,
    function: abi::Release,
}

impl Clone for PluginFlow {
    /// # Panics
    ///
    /// If the state points to other memory and the plug-in has no `undo`; scenarios that need such copies are
    /// refused before. With it the copy shares that memory, and never frees it.
    fn clone(&self) -> Self {
        let is_right = self.release.is_none_or(|release| release.plugin.can_undo());
        assert!(is_right, "the state of a plug-in with pointers cannot be copied");
        Self { memory: self.memory.clone(), release: None, round: self.round.clone(), ..*self }
    }
}

impl Drop for PluginFlow {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        if let Some(Release { plugin, function }) = self.release {
            fault::enter(Call { plugin, event: Event::Release, flow: self.name, now: None });
            // SAFETY: `load`: the plug-in's function for states that it began.
            unsafe { function(self.memory.as_mut_ptr().cast::<c_void>()) };
            fault::leave();
        }
    }
}

impl PluginFlow {
    /// State of a flow that begins.
    pub(crate) fn new(config: &PluginConfig, start: &Start) -> Self {
        let plugin = config.0.plugin;
        let chunks = (plugin.table.state_size as usize + GUARD).div_ceil(size_of::<Chunk>());
        let release = plugin.table.release.map(|function| Release { plugin, function });
        let begun = Window::new(&config.0.common, start);
        let mut flow = Self {
            window: Window::of(begun.cwnd(), begun.ssthresh(), begun.initial()),
            pacing_rate: 0.0,
            name: start.flow,
            memory: vec![Chunk::default(); chunks].into(),
            release: None,
            round: plugin.table.on_round.map(|_| Box::new(RoundSums::from(start.now))),
            phase: Phase::SlowStart,
            holds_back: false,
        };
        flow.behind(plugin).fill(UNTOUCHED[0]);
        *flow.answer() = abi::Window {
            cwnd: begun.cwnd(),
            ssthresh: begun.ssthresh(),
            pacing_rate: 0.0,
            phase: 0,
            holds_back: 0,
            initial: begun.initial(),
        };
        if let Some(init) = plugin.table.init {
            let event = abi::Start {
                now: seconds(start.now),
                initial_window: start.initial_window,
                initial_ssthresh: start.initial_ssthresh,
                rtt: seconds(start.rtt),
                seed: start.seed,
            };
            flow.on(config, Event::Init, start.now, init, &event);
        }
        flow.release = release; // only a state that was begun
        flow
    }

    #[inline(never)]
    pub(crate) fn on_ack(&mut self, config: &PluginConfig, ack: &AckEvent, positions: Positions) {
        self.end_round(config, ack);
        let Some(function) = config.0.plugin.table.on_ack else { return };
        let event = abi::Ack {
            now: seconds(ack.now),
            rtt: seconds(ack.rtt),
            min_rtt: seconds(ack.min_rtt),
            srtt: seconds(ack.srtt),
            delivery_rate: ack.delivery_rate,
            sample_interval: seconds(ack.sample.interval),
            sample_prior_delivered: ack.sample.prior_delivered,
            delivered: ack.delivered,
            acked: ack.acked,
            in_flight: ack.in_flight,
            lost: ack.lost,
            ce: ack.ce,
            sample_in_flight: ack.sample.in_flight,
            sample_lost: ack.sample.lost,
            sample_ce: ack.sample.ce,
            sample_app_limited: ack.sample.app_limited.into(),
            round_start: ack.round_start.into(),
            in_recovery: ack.in_recovery.into(),
            after_timeout: ack.after_timeout.into(),
            cwnd_limited: ack.cwnd_limited.into(),
            app_limited: ack.app_limited.into(),
            segments: ack.segments,
            una: positions.una,
            next: positions.next,
        };
        self.on(config, Event::OnAck, ack.now, function, &event);
    }

    /// Adds an acknowledgement to the present round trip; if it begins another, the plug-in gets the sums
    /// before.
    fn end_round(&mut self, config: &PluginConfig, ack: &AckEvent) {
        let (Some(sums), Some(function)) = (self.round.as_deref_mut(), config.0.plugin.table.on_round) else {
            return;
        };
        let ended = (ack.round_start && sums.acked > 0).then(|| sums.event(ack));
        if ended.is_some() {
            *sums = RoundSums::from(ack.now);
        }
        sums.add(ack);
        if let Some(event) = ended {
            self.on(config, Event::OnRound, ack.now, function, &event);
        }
    }

    #[inline(never)]
    pub(crate) fn on_loss(&mut self, config: &PluginConfig, loss: &LossEvent) {
        if let Some(sums) = &mut self.round {
            sums.losses += u32::from(loss.cause != LossCause::Ecn);
        }
        let Some(function) = config.0.plugin.table.on_loss else { return };
        let event = abi::Loss {
            now: seconds(loss.now),
            cause: match loss.cause {
                LossCause::FastRetransmit => 0,
                LossCause::Timeout => 1,
                LossCause::Ecn => 2,
            },
            in_flight: loss.in_flight,
            lost: loss.lost,
            first_timeout: loss.first_timeout.into(),
        };
        self.on(config, Event::OnLoss, loss.now, function, &event);
    }

    #[inline(never)]
    pub(crate) fn on_idle(&mut self, config: &PluginConfig, idle: &IdleEvent) {
        let Some(function) = config.0.plugin.table.on_idle else {
            self.window.restart(&config.0.common, idle);
            self.prescribe();
            return;
        };
        let event = abi::Idle { now: seconds(idle.now), idle: seconds(idle.idle), rto: seconds(idle.rto) };
        self.on(config, Event::OnIdle, idle.now, function, &event);
    }

    /// The sender resumes carefully: the window changes in the memory of the plug-in, without a call.
    #[inline(never)]
    pub(crate) fn on_resume(&mut self, config: &PluginConfig, step: &ResumeStep) {
        self.window.resume(&config.0.common, step);
        self.prescribe();
    }

    /// Copies the window to the memory of the plug-in.
    fn prescribe(&mut self) {
        let (cwnd, ssthresh) = (self.window.cwnd(), self.window.ssthresh());
        let answer = self.answer();
        (answer.cwnd, answer.ssthresh) = (cwnd, ssthresh);
    }

    #[inline(never)]
    pub(crate) fn on_recovery_exit(&mut self, config: &PluginConfig, now: Picos) {
        self.at(config, Event::OnRecoveryExit, now, config.0.plugin.table.on_recovery_exit);
    }

    #[inline(never)]
    pub(crate) fn on_timer(&mut self, config: &PluginConfig, now: Picos) {
        self.at(config, Event::OnTimer, now, config.0.plugin.table.on_timer);
    }

    #[inline(never)]
    pub(crate) fn on_send(&mut self, config: &PluginConfig, send: &SendEvent) {
        let Some(function) = config.0.plugin.table.on_send else { return };
        let event = abi::Send {
            now: seconds(send.now),
            in_flight: send.in_flight,
            retransmission: send.retransmission.into(),
        };
        self.on(config, Event::OnSend, send.now, function, &event);
    }

    #[inline(never)]
    pub(crate) fn on_segment_lost(&mut self, config: &PluginConfig, lost: &LostSegment, now: Picos) {
        let Some(function) = config.0.plugin.table.on_segment_lost else { return };
        let event = abi::Lost {
            now: seconds(now),
            delivered: lost.delivered,
            in_flight: lost.in_flight,
            lost: lost.lost,
            app_limited: lost.app_limited.into(),
            reserved: 0,
        };
        self.on(config, Event::OnSegmentLost, now, function, &event);
    }

    /// The last loss was none.
    #[inline(never)]
    #[allow(unsafe_code)]
    pub(crate) fn undo(&mut self, config: &PluginConfig, before: &Self, now: Picos) {
        let Some(function) = config.0.plugin.table.undo else {
            let (release, round) = (self.release.take(), self.round.take());
            *self = before.clone();
            (self.release, self.round) = (release, round);
            return;
        };
        let (state, then) = (self.state(), before.memory.as_ptr().cast::<c_void>());
        self.call(config, Event::Undo, now, || {
            // SAFETY: `load`: a function of this signature; both states have the size that the plug-in
            // declares.
            unsafe { function(state, config.rules(), then) }
        });
    }

    #[allow(unsafe_code)]
    #[inline]
    fn on<E>(&mut self, config: &PluginConfig, event: Event, now: Picos, function: abi::On<E>, about: &E) {
        let state = self.state();
        self.call(config, event, now, || {
            // SAFETY: `load`: a function of this signature; the state has the size that the plug-in declares.
            unsafe { function(state, config.rules(), about) }
        });
    }

    #[allow(unsafe_code)]
    fn at(&mut self, config: &PluginConfig, event: Event, now: Picos, function: Option<abi::At>) {
        let Some(function) = function else { return };
        let state = self.state();
        self.call(config, event, now, || {
            // SAFETY: as in `on`.
            unsafe { function(state, config.rules(), seconds(now)) }
        });
    }

    /// Calls a function of the plug-in and checks the window that it left.
    #[inline]
    fn call(&mut self, config: &PluginConfig, event: Event, now: Picos, function: impl FnOnce()) {
        let call = Call { plugin: config.0.plugin, event, flow: self.name, now: Some(now) };
        fault::enter(call);
        function();
        fault::leave();
        self.adopt(&call, config.0.common.max_cwnd);
    }

    /// Checks and copies the window that a call left.
    #[inline]
    fn adopt(&mut self, call: &Call, max_cwnd: f64) {
        let initial = self.window.initial();
        let behind = self.behind(call.plugin);
        if *behind != UNTOUCHED[..behind.len()] {
            let size = call.plugin.table.state_size;
            Fault::new(
                call,
                format_args!("it wrote behind its state; allowed: the {size} bytes of state_size"),
            )
            .raise();
        }
        let answer = self.answer();
        let right = answer.cwnd >= 1.0
            && answer.cwnd <= max_cwnd
            && answer.ssthresh >= 0.0
            && answer.pacing_rate >= 0.0
            && answer.pacing_rate < f64::INFINITY
            && answer.phase <= 2;
        if !right {
            settle(answer, call, max_cwnd);
        }
        let abi::Window { cwnd, ssthresh, pacing_rate, phase, holds_back, .. } = *answer;
        self.window = Window::of(cwnd, ssthresh.min(f64::MAX), initial);
        self.pacing_rate = pacing_rate;
        self.phase = match phase {
            0 => Phase::SlowStart,
            1 => Phase::Standard,
            _ => Phase::Alternate,
        };
        self.holds_back = holds_back != 0;
    }

    /// The mode and the bandwidth estimate of the plug-in, for traces.
    #[allow(unsafe_code)]
    fn report(&self, config: &PluginConfig) -> abi::Report {
        let mut report = abi::Report { bandwidth: 0.0, mode: 0, reserved: 0 };
        let Some(function) = config.0.plugin.table.report else { return report };
        fault::enter(Call { plugin: config.0.plugin, event: Event::Report, flow: self.name, now: None });
        // SAFETY: `load`: a function of this signature; it gets a state that it may read.
        unsafe { function(self.memory.as_ptr().cast::<c_void>(), config.rules(), &raw mut report) };
        fault::leave();
        report
    }

    /// Name of its mode, the one of the number that it reports; `None` for 0 and for numbers without a name.
    pub(crate) fn mode(&self, config: &PluginConfig) -> Option<&'static str> {
        let place = (self.report(config).mode as usize).checked_sub(1)?;
        config.0.plugin.modes.get(place).copied()
    }

    /// The rate that it reports, segments/s.
    pub(crate) fn bandwidth_estimate(&self, config: &PluginConfig) -> Option<f64> {
        Some(self.report(config).bandwidth).filter(|rate| rate.is_finite() && *rate > 0.0)
    }

    #[inline]
    fn state(&mut self) -> *mut c_void {
        self.memory.as_mut_ptr().cast::<c_void>()
    }

    /// The window in the memory.
    #[inline]
    #[allow(unsafe_code)]
    fn answer(&mut self) -> &mut abi::Window {
        // SAFETY: the memory is aligned, and not smaller than a window (`load`); every bit pattern is a
        // window.
        unsafe { &mut *self.memory.as_mut_ptr().cast::<abi::Window>() }
    }

    /// The bytes behind the state.
    #[inline]
    #[allow(unsafe_code)]
    fn behind(&mut self, plugin: &Plugin) -> &mut [u8] {
        let (size, state) = (size_of_val(&*self.memory), plugin.table.state_size as usize);
        // SAFETY: the bytes of the memory; every bit pattern is a number.
        let bytes = unsafe { std::slice::from_raw_parts_mut(self.memory.as_mut_ptr().cast::<u8>(), size) };
        &mut bytes[state..]
    }

    #[inline]
    pub(crate) fn cwnd(&self) -> f64 {
        self.window.cwnd()
    }

    #[inline]
    pub(crate) fn ssthresh(&self) -> f64 {
        self.window.ssthresh()
    }

    #[inline]
    pub(crate) fn pacing_rate(&self) -> Option<f64> {
        Some(self.pacing_rate).filter(|rate| *rate > 0.0)
    }

    #[inline]
    pub(crate) fn holds_back(&self) -> bool {
        self.holds_back
    }

    #[inline]
    pub(crate) fn phase(&self) -> Phase {
        self.phase
    }
}

/// Lowers a window that is too large, and unwinds with the fault for anything else that is not allowed.
#[cold]
#[inline(never)]
fn settle(window: &mut abi::Window, call: &Call, max_cwnd: f64) {
    let fault = |field: &str, value: f64, allowed: &str| {
        Fault::new(call, format_args!("it left {field} = {value}; allowed: {allowed}")).raise()
    };
    if !window.cwnd.is_finite() || window.cwnd < 1.0 {
        fault("cwnd", window.cwnd, "finite, at least 1");
    }
    if window.ssthresh.is_nan() || window.ssthresh < 0.0 {
        fault("ssthresh", window.ssthresh, "a number, at least 0");
    }
    if !window.pacing_rate.is_finite() || window.pacing_rate < 0.0 {
        fault("pacing_rate", window.pacing_rate, "finite, at least 0");
    }
    if window.phase > 2 {
        fault("phase", f64::from(window.phase), "0, 1 or 2");
    }
    window.cwnd = window.cwnd.min(max_cwnd);
}
