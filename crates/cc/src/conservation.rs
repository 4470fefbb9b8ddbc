//! Loss recovery of both versions of BBR: it ends with the window from before it (Linux `tcp_bbr.c`;
//! draft-ietf-ccwg-bbr, section 5.6.4.4).
//!
//! Of version 1 alone: in the first round what is delivered may be sent, and later losses are taken off the
//! window.

use crate::{AckEvent, Limits, LossCause};
use serde::{Deserialize, Serialize};

/// The stage of recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Recovery {
    #[default]
    Open,
    Fast,
    Timeout,
}

/// The fast recovery that the last acknowledgement has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Ended {
    #[default]
    No,
    /// In its first round.
    Conserving,
    /// Beyond its first round.
    Later,
}

/// Recovery of one flow.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Conservation {
    recovery: Recovery,
    /// First round of fast recovery: packet conservation.
    conserving: bool,
    /// Window before recovery, or before the smallest round-trip time was probed.
    prior_window: f64,
    ended: Ended,
    /// The acknowledgement that has ended it is not yet accounted for.
    ends_now: bool,
    /// The window that it would have if it went on.
    ended_window: f32,
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

    /// An acknowledgement, before anything else about it but the end of recovery.
    pub fn see_ack(&mut self) {
        if !std::mem::take(&mut self.ends_now) {
            self.ended = Ended::No;
        }
    }

    /// A round trip is over.
    pub fn end_round(&mut self) {
        self.conserving = false;
        if self.ended == Ended::Conserving {
            self.ended = Ended::Later;
        }
    }

    /// Remembers the window `cwnd`; the larger of two where it is held down already, by recovery or
    /// `probing_rtt`.
    pub fn save(&mut self, cwnd: f64, probing_rtt: bool) {
        let fresh = self.recovery == Recovery::Open && !probing_rtt;
        self.prior_window = if fresh { cwnd } else { self.prior_window.max(cwnd) };
    }

    /// The window from before.
    pub fn restored(&self, cwnd: f64) -> f64 {
        cwnd.at_least(self.prior_window)
    }

    /// Losses, by fast retransmit or timeout.
    pub fn begin(&mut self, cause: LossCause, cwnd: f64, probing_rtt: bool) {
        self.save(cwnd, probing_rtt);
        self.conserving = cause == LossCause::FastRetransmit;
        self.recovery = if self.conserving { Recovery::Fast } else { Recovery::Timeout };
    }

    /// Recovery is over: the window from before it. A recovery that did not begin leaves the window.
    pub fn end(&mut self, cwnd: f64) -> f64 {
        if self.recovery == Recovery::Open {
            return cwnd;
        }
        (self.recovery, self.conserving) = (Recovery::Open, false);
        self.restored(cwnd)
    }

    /// Recovery is over, unless the acknowledgement that ends it, which is still to be seen, begins fast
    /// recovery again: see [`Self::go_on`].
    pub fn end_for_now(&mut self, cwnd: f64) -> f64 {
        if self.recovery == Recovery::Fast {
            self.ended = if self.conserving { Ended::Conserving } else { Ended::Later };
            (self.ends_now, self.ended_window) = (true, cwnd as f32);
        }
        self.end(cwnd)
    }

    /// The window that has ended its recovery is at most `cwnd`, too, where that goes on.
    pub fn limit(&mut self, cwnd: f64) {
        self.ended_window = self.ended_window.min(cwnd as f32);
    }

    /// The window that has ended its recovery is at least `cwnd`, too, where that goes on.
    pub fn raise(&mut self, cwnd: f64) {
        self.ended_window = self.ended_window.max(cwnd as f32);
    }

    /// The fast recovery that the last acknowledgement has ended goes on: its window. None where that has
    /// ended none.
    pub fn go_on(&mut self) -> Option<f64> {
        if self.ended == Ended::No {
            return None;
        }
        let cwnd = f64::from(self.ended_window);
        (self.recovery, self.conserving) = (Recovery::Fast, self.ended == Ended::Conserving);
        self.save(cwnd, false);
        Some(cwnd)
    }

    /// The window after an acknowledgement: towards `target`, beyond which it does not grow once the path is
    /// `full`, and at least `smallest`; `initial` is the initial window.
    pub fn window(
        &mut self,
        cwnd: f64,
        target: f64,
        full: bool,
        initial: f64,
        smallest: f64,
        ack: &AckEvent,
    ) -> f64 {
        let acked = f64::from(ack.acked);
        let after = |recovery: Recovery, conserving: bool, cwnd: f64| {
            let cwnd = match recovery {
                Recovery::Open => cwnd,
                Recovery::Fast | Recovery::Timeout => (cwnd - f64::from(ack.lost)).at_least(1.0),
            };
            if conserving {
                return cwnd.at_least(f64::from(ack.in_flight) + acked);
            }
            grown(cwnd, target, full, initial, ack).at_least(smallest)
        };
        if self.ended != Ended::No {
            let conserving = self.ended == Ended::Conserving;
            self.ended_window = after(Recovery::Fast, conserving, f64::from(self.ended_window)) as f32;
        }
        after(self.recovery, self.conserving, cwnd)
    }
}

/// The window after an acknowledgement without regard to losses: towards `target`, beyond which it does not
/// grow once the path is `full`; `initial` is the initial window (draft-ietf-ccwg-bbr, section 5.6.4.6).
pub fn grown(cwnd: f64, target: f64, full: bool, initial: f64, ack: &AckEvent) -> f64 {
    let larger = cwnd + f64::from(ack.acked);
    if full {
        larger.at_most(target)
    } else if cwnd < target || (ack.delivered as f64) < initial {
        larger
    } else {
        cwnd
    }
}
