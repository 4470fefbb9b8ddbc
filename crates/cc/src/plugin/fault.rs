//! Faults of a plug-in, and the call of a plug-in that a thread is in: for messages, also of a signal.

use super::Plugin;
use crate::{FlowName, Picos, SECOND};
use std::cell::Cell;
use std::fmt::{self, Write};

/// The function of a plug-in that is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Event {
    Init,
    OnAck,
    OnLoss,
    OnRecoveryExit,
    OnTimer,
    OnIdle,
    OnSend,
    OnSegmentLost,
    Undo,
    Release,
}

impl Event {
    /// Name in `mesonet_cc.h`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::OnAck => "on_ack",
            Self::OnLoss => "on_loss",
            Self::OnRecoveryExit => "on_recovery_exit",
            Self::OnTimer => "on_timer",
            Self::OnIdle => "on_idle",
            Self::OnSend => "on_send",
            Self::OnSegmentLost => "on_segment_lost",
            Self::Undo => "undo",
            Self::Release => "release",
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

/// Makes `call` the call that this thread is in, until [`leave`].
#[inline]
pub(super) fn enter(call: Call) {
    PRESENT.set(Some(call));
}

/// This thread is in no call.
#[inline]
pub(super) fn leave() {
    PRESENT.set(None);
}

/// The call of a plug-in that this thread is in.
#[must_use]
pub fn present() -> Option<Call> {
    PRESENT.get()
}

/// A window that a plug-in left and that is not allowed.
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
    /// The fault of a call that left `value` in a field of the window.
    pub(super) fn new(call: &Call, field: &str, value: f64, allowed: &str) -> Self {
        let mut message = String::new();
        write!(message, "{call}: it left {field} = {value}; allowed: {allowed}").expect("text");
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
