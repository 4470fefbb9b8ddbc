//! Tail loss probes, TLP (RFC 8985, section 7): where acknowledgements do not come, something more is sent
//! after two round trips, so that its acknowledgement reports missing segments long before the retransmission
//! timer does.

use crate::transport::flow::OFF;
use crate::transport::{Flow, Recovery};
use mesonet_cc::{Picos, SECOND};
use serde::{Deserialize, Serialize};

/// The probe timer and the probe of one flow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[repr(C)]
pub struct Probe {
    /// When a probe is due, [`OFF`] for never.
    pub timer: Picos,
    /// The segment that was sent as a probe and is not acknowledged; [`NONE`] for none.
    outstanding: u64,
    /// When it left, where it had been sent before; else [`OFF`].
    again: Picos,
}

/// No segment.
const NONE: u64 = u64::MAX;

impl Default for Probe {
    fn default() -> Self {
        Self { timer: OFF, outstanding: NONE, again: OFF }
    }
}

/// Time after which a flow probes (RFC 8985, section 7.2): two round trips, and where a single segment is
/// outstanding the delay with which its receiver may acknowledge it; a second before the first sample.
#[must_use]
pub fn timeout(srtt: Picos, flight: u64, max_ack_delay: Picos) -> Picos {
    match srtt {
        0 => SECOND,
        _ => 2 * srtt + if flight == 1 { max_ack_delay } else { 0 },
    }
}

impl Probe {
    /// Something new was sent, or the cumulative point moved on. The probe is due before the retransmission
    /// timer.
    pub fn schedule(&mut self, flow: &Flow, now: Picos, max_ack_delay: Picos) {
        let flight = flow.board.flight();
        let wanted = flow.recovery == Recovery::Open && flow.board.is_whole() && flight > 0;
        let due = now + timeout(flow.rtt.srtt, flight, max_ack_delay);
        self.timer = if wanted { due.min(flow.deadline) } else { OFF };
    }

    /// Returns whether a probe may be sent: one at a time.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.outstanding == NONE
    }

    /// Segment `sequence` was sent as a probe, at `now` if it had been sent before.
    pub fn sent(&mut self, sequence: u64, again: Option<Picos>) {
        *self = Self { timer: OFF, outstanding: sequence, again: again.unwrap_or(OFF) };
    }

    /// The copy of `sequence` that left at `departure` has arrived, the first one to do so where it is `new`.
    /// Whether that means that the probe repaired a loss, which is then congestion (RFC 8985, section 7.4).
    pub fn acknowledged(&mut self, sequence: u64, departure: Picos, new: bool) -> bool {
        if sequence != self.outstanding {
            return false;
        }
        let again = self.again;
        if again == OFF || departure >= again {
            self.outstanding = NONE;
        }
        new && again != OFF && departure >= again
    }

    /// A duplicate of `sequence` says nothing about reordering: it was a probe.
    #[must_use]
    pub fn is(&self, sequence: u64) -> bool {
        sequence == self.outstanding
    }

    /// Everything below `una` was acknowledged; a probe beyond is still out.
    pub fn forget_below(&mut self, una: u64) {
        // The copy of a probe that was needless still comes, and is then known.
        if self.outstanding < una && self.again == OFF {
            self.outstanding = NONE;
        }
    }

    /// The retransmission timer expired.
    pub fn timed_out(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mesonet_cc::MILLISECOND;

    const MS: Picos = MILLISECOND;

    /// Section 7.2, and the numbers of the specification.
    #[test]
    fn timeouts() {
        assert_eq!(timeout(162 * MS, 10, 200 * MS), 324 * MS);
        assert_eq!(timeout(162 * MS, 1, 200 * MS), 524 * MS);
        assert_eq!(timeout(0, 10, 200 * MS), SECOND);
    }

    /// Section 7.4: congestion where the original was lost and the probe repaired it, and only there.
    #[test]
    fn what_the_acknowledgement_of_a_probe_tells() {
        let probing = |again| {
            let mut probe = Probe::default();
            probe.sent(9, again);
            assert!(!probe.is_free());
            probe
        };
        let mut repaired = probing(Some(300 * MS));
        assert!(!repaired.acknowledged(8, 8 * MS, true));
        assert!(repaired.acknowledged(9, 300 * MS, true) && repaired.is_free());
        // The original was late: its own acknowledgement comes first, then that of the probe.
        let mut needless = probing(Some(300 * MS));
        assert!(!needless.acknowledged(9, 9 * MS, true) && !needless.is_free());
        needless.forget_below(10);
        assert!(needless.is(9) && !needless.acknowledged(9, 300 * MS, false) && needless.is_free());
        // Something new as a probe.
        let mut new = probing(None);
        assert!(!new.acknowledged(9, 300 * MS, true) && new.is_free());
    }
}
