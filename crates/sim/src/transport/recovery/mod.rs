//! Choices of loss recovery beside the default one, selective acknowledgements by the rules of the
//! scoreboard.
//!
//! Their state of a flow is beside the flow, in a [`Repair`] by flow slot that exists only where a scenario
//! asks for one of them: flows with the default rules pay a branch.

mod probe;
mod prr;
mod rack;
mod reno;
mod undo;

use super::{Recovery, Scoreboard};
use crate::scenario::{LossDetection, PrrKind, RecoveryKind, SecondReduction, TransportParameters};
use mesonet_cc::Picos;
use mesonet_cc::picos;
pub use probe::Probe;
pub use prr::{Prr, Step};
pub use rack::{Rack, RackTimer};
pub use reno::Reno;
use serde::{Deserialize, Serialize};
use std::mem::offset_of;
pub use undo::Undo;

/// Cache lines of the hot state of a [`Repair`].
pub const HOT_REPAIR_LINES: usize = 4;

/// The rules that a scenario chooses.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The recovery of losses.
    pub kind: RecoveryKind,
    /// The rate of sending meanwhile.
    pub prr: PrrKind,
    /// Losses are found by time.
    pub rack: bool,
    /// With cumulative acknowledgements each duplicate before fast retransmit allows a new segment (RFC
    /// 3042).
    pub limited_transmit: bool,
    /// With them duplicates of data sent before the last reduction begin no fast retransmit (RFC 6582,
    /// section 3.2, step 2).
    pub guarded: bool,
    /// Longest time for which a receiver may hold an acknowledgement back, as probes assume.
    pub probe_ack_delay: Picos,
    /// Reductions that were not needed are undone.
    pub undoes: bool,
    /// The loss of a retransmission reduces the window once more in fast recovery, too.
    pub reduces_again: bool,
    /// The timer of losses by time.
    pub rack_timer: RackTimer,
    plain: bool,
}

impl Rules {
    /// From the parameters of a scenario.
    #[must_use]
    pub fn new(parameters: &TransportParameters) -> Self {
        let (kind, prr) = (parameters.recovery, parameters.prr);
        let rack = parameters.loss_detection == LossDetection::Rack;
        // With cumulative acknowledgements nothing is undone.
        let undoes = parameters.undo && kind == RecoveryKind::Sack;
        let plain = kind == RecoveryKind::Sack && prr == PrrKind::Off && !rack && !undoes;
        Self {
            kind,
            prr,
            rack,
            limited_transmit: parameters.limited_transmit,
            guarded: kind == RecoveryKind::NewReno || parameters.recover_guard,
            probe_ack_delay: picos(parameters.probe_ack_delay),
            undoes,
            reduces_again: parameters.second_reduction == SecondReduction::Rfc5681,
            rack_timer: RackTimer {
                margin: picos(parameters.rack_timer_margin),
                tick: picos(parameters.rack_timer_tick),
            },
            plain,
        }
    }

    /// Nothing is kept beside the flows.
    #[must_use]
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// Recovery reduces what it sends in proportion.
    #[must_use]
    #[inline]
    pub fn reduces(&self) -> bool {
        self.prr != PrrKind::Off
    }

    /// An acknowledgement that came in `recovery` ends it, whatever is outstanding: the first one that
    /// `advanced` the cumulative point ends Reno's fast recovery.
    #[must_use]
    #[inline]
    pub fn ends(&self, recovery: Recovery, advanced: bool) -> bool {
        self.kind == RecoveryKind::Reno && recovery == Recovery::Fast && advanced
    }

    /// The sender sees cumulative acknowledgements only.
    #[must_use]
    #[inline]
    pub fn is_cumulative(&self) -> bool {
        self.kind != RecoveryKind::Sack
    }
}

/// The state of recovery of a flow beside the scoreboard. As in [`super::Flow`] the hot state stands first:
/// the first two cache lines serve flows that lose nothing, the next two fast recovery.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Repair {
    /// Tail loss probes.
    pub probe: Probe,
    /// Retransmissions found lost reported to the congestion control since the last acknowledgement.
    pub lost_again: u32,
    /// A retransmission that left after the last reduction was found lost.
    pub relapsed: bool,
    /// A probe has repaired a loss.
    pub repaired: bool,
    /// Losses by time.
    pub rack: Rack,
    /// Segments that fast recovery may send.
    pub prr: Prr,
    /// Cumulative acknowledgements and their duplicates.
    pub reno: Reno,
    /// The state before the last reduction.
    pub undo: Undo,
}

const _: () = assert!(offset_of!(Repair, rack) == 32 && offset_of!(Repair, reno) <= HOT_REPAIR_LINES * 64);

impl Repair {
    /// The next flow of the slot begins with the segment of number `first`.
    pub fn begin(&mut self, first: u64) {
        *self = Self { reno: Reno::new(first), ..Self::default() };
    }

    /// Recovery has ended.
    pub fn ended(&mut self, rules: &Rules, board: &mut Scoreboard) {
        if rules.is_cumulative() {
            self.reno.ended(board, rules.limited_transmit);
        }
        self.rack.recovered();
    }

    /// When the sender must look at the flow next, the retransmission timer apart.
    #[must_use]
    pub fn timer(&self) -> Picos {
        self.rack.timer.min(self.probe.timer)
    }
}
