//! Choices of loss recovery beside the default one, selective acknowledgements by the rules of the scoreboard.
//!
//! What these need to know of a flow is kept beside it, in a [`Repair`] by flow slot that exists only where a scenario
//! asks for one of them: flows with the default rules pay a branch.

mod prr;
mod reno;

use super::{Recovery, Scoreboard};
use crate::scenario::{PrrKind, RecoveryKind, TransportParameters};
pub use prr::{Prr, Step};
pub use reno::Reno;

/// What a scenario chooses.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// What repairs losses.
    pub kind: RecoveryKind,
    /// How much is sent meanwhile.
    pub prr: PrrKind,
}

impl Rules {
    /// From the parameters of a scenario.
    #[must_use]
    pub fn new(parameters: &TransportParameters) -> Self {
        Self { kind: parameters.recovery, prr: parameters.prr }
    }

    /// Nothing is kept beside the flows.
    #[must_use]
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.kind == RecoveryKind::Sack && self.prr == PrrKind::Off
    }

    /// Recovery reduces what it sends in proportion.
    #[must_use]
    #[inline]
    pub fn reduces(&self) -> bool {
        self.prr != PrrKind::Off
    }

    /// An acknowledgement that came in `recovery` ends it, whatever is outstanding: the first one that `advanced` the
    /// cumulative point ends Reno's fast recovery.
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

/// What recovery keeps of one flow beside the scoreboard.
#[derive(Clone, Debug, Default)]
pub struct Repair {
    /// Cumulative acknowledgements and their duplicates.
    pub reno: Reno,
    /// What fast recovery may send.
    pub prr: Prr,
}

impl Repair {
    /// Of a flow whose first segment has number `first`.
    #[must_use]
    pub fn new(first: u64) -> Self {
        Self { reno: Reno::new(first), prr: Prr::default() }
    }

    /// Recovery has ended.
    pub fn ended(&mut self, rules: &Rules, board: &mut Scoreboard) {
        if rules.is_cumulative() {
            self.reno.ended(board);
        }
    }
}
