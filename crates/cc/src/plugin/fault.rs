//! Faults of a plug-in, and the call of a plug-in that a thread is in: for messages, also of a signal.

use super::Plugin;
use crate::{FlowName, Picos, SECOND};
use std::cell::Cell;
use std::fmt;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering};

/// The function of a plug-in that is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Event {
    Init,
    OnAck,
    OnRound,
    OnLoss,
    OnRecoveryExit,
    OnTimer,
    OnIdle,
    OnSend,
    OnSegmentLost,
    Undo,
    Release,
    Report,
}

/// Every event, in the order of its numbers.
const EVENTS: [Event; 12] = [
    Event::Init,
    Event::OnAck,
    Event::OnRound,
    Event::OnLoss,
    Event::OnRecoveryExit,
    Event::OnTimer,
    Event::OnIdle,
    Event::OnSend,
    Event::OnSegmentLost,
    Event::Undo,
    Event::Release,
    Event::Report,
];

impl Event {
    /// Name in `mesonet_cc.h`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::OnAck => "on_ack",
            Self::OnRound => "on_round",
            Self::OnLoss => "on_loss",
            Self::OnRecoveryExit => "on_recovery_exit",
            Self::OnTimer => "on_timer",
            Self::OnIdle => "on_idle",
            Self::OnSend => "on_send",
            Self::OnSegmentLost => "on_segment_lost",
            Self::Undo => "undo",
            Self::Release => "release",
            Self::Report => "report",
        }
    }
}

/// A call of a function of a plug-in.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Call {
    pub(super) plugin: &'static Plugin,
    pub(super) event: Event,
    pub(super) flow: FlowName,
    pub(super) now: Option<Picos>,
}

impl Call {
    /// Returns whether another call is the very same: a call that lasts.
    pub fn is(&self, other: &Self) -> bool {
        (self.event, self.flow, self.now) == (other.event, other.flow, other.now)
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, event) = (self.plugin.algorithm.name, self.event.name());
        let FlowName { source, transfer } = self.flow;
        write!(f, "plug-in {name}: {event} of source {source}, transfer {transfer}")?;
        match self.now {
            // Digits of integers only: this is also written from a signal handler.
            Some(now) => write!(f, ", at {}.{:012} s", now / SECOND, now % SECOND),
            None => Ok(()),
        }
    }
}

thread_local! {
    static PRESENT: Cell<Option<Call>> = const { Cell::new(None) };
}

/// The call that a thread beside the first one is in: for signal handlers, which run in the first thread.
struct Slot {
    taken: AtomicBool,
    /// NULL between two calls.
    plugin: AtomicPtr<Plugin>,
    event: AtomicU8,
    source: AtomicU32,
    transfer: AtomicU64,
    /// Picoseconds; [`u64::MAX`] for a call without an instant.
    now: AtomicU64,
    /// Calls so far.
    calls: AtomicU64,
    /// The call, by its number, that was in progress when [`mark`] was called; 0 for none.
    marked: AtomicU64,
}

/// Threads that are shown at most (chosen): more than the cores of a machine on which one simulation runs.
const MOST_THREADS: usize = 256;

static SLOTS: [Slot; MOST_THREADS] = [const {
    Slot {
        taken: AtomicBool::new(false),
        plugin: AtomicPtr::new(ptr::null_mut()),
        event: AtomicU8::new(0),
        source: AtomicU32::new(0),
        transfer: AtomicU64::new(0),
        now: AtomicU64::new(0),
        calls: AtomicU64::new(0),
        marked: AtomicU64::new(0),
    }
}; MOST_THREADS];

thread_local! {
    static SLOT: Cell<Option<&'static Slot>> = const { Cell::new(None) };
}

/// Shows the calls of this thread to the other ones, as long as this lives.
#[derive(Debug)]
pub struct Shown(());

impl Shown {
    /// Takes a slot, if any is free.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "it changes the thread")]
    pub fn new() -> Self {
        SLOT.set(SLOTS.iter().find(|slot| !slot.taken.swap(true, Ordering::AcqRel)));
        Self(())
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        if let Some(slot) = SLOT.take() {
            slot.plugin.store(ptr::null_mut(), Ordering::Release);
            slot.taken.store(false, Ordering::Release);
        }
    }
}

impl Slot {
    fn show(&self, call: &Call) {
        self.event.store(call.event as u8, Ordering::Relaxed);
        self.source.store(call.flow.source, Ordering::Relaxed);
        self.transfer.store(call.flow.transfer, Ordering::Relaxed);
        self.now.store(call.now.unwrap_or(u64::MAX), Ordering::Relaxed);
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.plugin.store(ptr::from_ref(call.plugin).cast_mut(), Ordering::Release);
    }

    /// The call in progress.
    #[allow(unsafe_code)]
    fn call(&self) -> Option<Call> {
        // SAFETY: NULL or a plug-in, which lives to the end of the process.
        let plugin: &'static Plugin = unsafe { self.plugin.load(Ordering::Acquire).as_ref()? };
        let event = *EVENTS.get(usize::from(self.event.load(Ordering::Relaxed)))?;
        let source = self.source.load(Ordering::Relaxed);
        let flow = FlowName { source, transfer: self.transfer.load(Ordering::Relaxed) };
        let now = Some(self.now.load(Ordering::Relaxed)).filter(|now| *now != u64::MAX);
        Some(Call { plugin, event, flow, now })
    }
}

/// Marks the calls that other threads are in; returns whether there is any. May be called from a signal
/// handler.
#[must_use]
pub fn mark() -> bool {
    let mut any = false;
    for slot in SLOTS.iter().filter(|slot| slot.taken.load(Ordering::Acquire)) {
        let busy = !slot.plugin.load(Ordering::Acquire).is_null();
        slot.marked.store(if busy { slot.calls.load(Ordering::Relaxed) } else { 0 }, Ordering::Relaxed);
        any |= busy;
    }
    any
}

/// The first call of another thread that was in progress at [`mark`] and still is. May be called from a
/// signal handler.
#[must_use]
pub fn marked() -> Option<Call> {
    let lasts = |slot: &&Slot| {
        let marked = slot.marked.load(Ordering::Relaxed);
        marked != 0 && marked == slot.calls.load(Ordering::Relaxed)
    };
    SLOTS.iter().filter(|slot| slot.taken.load(Ordering::Acquire)).filter(lasts).find_map(Slot::call)
}

/// Makes `call` the call that this thread is in, until [`leave`].
#[inline]
pub(super) fn enter(call: Call) {
    PRESENT.set(Some(call));
    if let Some(slot) = SLOT.get() {
        slot.show(&call);
    }
}

/// This thread is in no call.
#[inline]
pub(super) fn leave() {
    PRESENT.set(None);
    if let Some(slot) = SLOT.get() {
        slot.plugin.store(ptr::null_mut(), Ordering::Release);
    }
}

/// The call of a plug-in that this thread is in.
#[must_use]
pub fn present() -> Option<Call> {
    PRESENT.get()
}

/// A state that a plug-in left and that is not allowed.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Name of the plug-in.
    pub plugin: &'static str,
    /// The function that left it.
    pub event: &'static str,
    /// Its flow.
    pub flow: FlowName,
    /// When.
    pub now: Picos,
    /// The whole message.
    pub message: String,
}

impl Fault {
    /// The fault of a call.
    pub(super) fn new(call: &Call, problem: fmt::Arguments<'_>) -> Self {
        let message = format!("{call}: {problem}");
        Self {
            plugin: call.plugin.algorithm.name,
            event: call.event.name(),
            flow: call.flow,
            now: call.now.unwrap_or(0),
            message,
        }
    }

    /// Unwinds with this fault as the payload; no panic message is printed.
    pub(super) fn raise(self) -> ! {
        std::panic::resume_unwind(Box::new(self))
    }

    /// The order of faults: by instant, then flow.
    #[must_use]
    pub fn order(&self) -> (Picos, FlowName) {
        (self.now, self.flow)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
