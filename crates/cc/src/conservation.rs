//! Loss recovery of both versions of BBR (Linux `tcp_bbr.c`; draft-ietf-ccwg-bbr, section on the congestion window): in
//! its first round what is delivered may be sent, later losses are taken off the window, and it ends with the window from
//! before it.

use crate::{AckEvent, LossCause};
use serde::{Deserialize, Serialize};

/// The stage of recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Recovery {
    #[default]
    Open,
    Fast,
    Timeout,
}

/// Recovery of one flow.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Conservation {
    recovery: Recovery,
    /// First round of fast recovery: packet conservation.
    conserving: bool,
    /// Window before recovery, or before the smallest round-trip time was probed.
    prior_window: f64,
}

impl Conservation {
    /// Returns whether fast recovery is under way.
    pub fn is_fast(&self) -> bool {
        self.recovery == Recovery::Fast
    }

    /// Returns whether all segments outstanding at the timeout have been acknowledged.
    pub fn has_repaired_timeout(&self, ack: &AckEvent) -> bool {
        self.recovery == Recovery::Timeout && !ack.after_timeout
    }

    /// A round trip is over.
    pub fn end_round(&mut self) {
        self.conserving = false;
    }

    /// Remembers the window `cwnd`; the larger of two where it is held down already, by recovery or `probing_rtt`.
    pub fn save(&mut self, cwnd: f64, probing_rtt: bool) {
        let fresh = self.recovery == Recovery::Open && !probing_rtt;
        self.prior_window = if fresh { cwnd } else { self.prior_window.max(cwnd) };
    }

    /// The window from before.
    pub fn restored(&self, cwnd: f64) -> f64 {
        cwnd.max(self.prior_window)
    }

    /// Losses, by fast retransmit or timeout.
    pub fn begin(&mut self, cause: LossCause, cwnd: f64, probing_rtt: bool) {
        self.save(cwnd, probing_rtt);
        self.conserving = cause == LossCause::FastRetransmit;
        self.recovery = if self.conserving { Recovery::Fast } else { Recovery::Timeout };
    }

    /// Recovery is over: the window from before it.
    pub fn end(&mut self, cwnd: f64) -> f64 {
        (self.recovery, self.conserving) = (Recovery::Open, false);
        self.restored(cwnd)
    }

    /// The window after an acknowledgement: towards `target`, beyond which it does not grow once the path is `full`, and
    /// at least `smallest`; `initial` is the initial window.
    pub fn window(
        &self,
        cwnd: f64,
        target: f64,
        full: bool,
        initial: f64,
        smallest: f64,
        ack: &AckEvent,
    ) -> f64 {
        let acked = f64::from(ack.acked);
        let cwnd = match self.recovery {
            Recovery::Open => cwnd,
            Recovery::Fast | Recovery::Timeout => (cwnd - f64::from(ack.lost)).max(1.0),
        };
        if self.conserving {
            return cwnd.max(f64::from(ack.in_flight) + acked);
        }
        let grown = if full {
            (cwnd + acked).min(target)
        } else if cwnd < target || (ack.delivered as f64) < initial {
            cwnd + acked
        } else {
            cwnd
        };
        grown.max(smallest)
    }
}
