//! Proportional rate reduction (RFC 9937, before that RFC 6937): how much a sender sends for each
//! acknowledgement of fast recovery, so that what is in flight comes down to the new window over one round
//! trip, and not at once.

use crate::scenario::PrrKind;
use serde::{Deserialize, Serialize};

/// The reduction of one flow.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Prr {
    /// Segments outstanding when recovery began: `RecoverFS`.
    outstanding: u32,
    /// Segments delivered since: `prr_delivered`.
    delivered: u32,
    /// Segments sent since: `prr_out`.
    out: u32,
    /// Segments that may be in flight now.
    window: f64,
    /// End of the losses known at the last acknowledgement.
    losses: u64,
}

/// The news of an acknowledgement during fast recovery.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Segments newly acknowledged.
    pub acked: u32,
    /// Segments in flight.
    pub pipe: u32,
    /// The window at which recovery is to end: `ssthresh`.
    pub target: f64,
    /// The cumulative point has moved on.
    pub advanced: bool,
    /// Any number that grows with each segment found lost.
    pub losses: u64,
}

impl Prr {
    /// Recovery begins with `outstanding` segments, sent and not acknowledged before this acknowledgement.
    /// `managed` flows reduce what they send: others keep the window of their congestion control.
    #[must_use]
    pub fn new(outstanding: u64, losses: u64, managed: bool) -> Self {
        Self { outstanding: if managed { outstanding.max(1) as u32 } else { 0 }, losses, ..Self::default() }
    }

    /// Segments were newly acknowledged, the one that began recovery included.
    pub fn acknowledged(&mut self, kind: PrrKind, step: &Step) {
        if self.outstanding == 0 {
            return;
        }
        self.delivered += step.acked;
        let safe = step.advanced && step.losses == self.losses;
        self.losses = step.losses;
        let (pipe, target) = (u64::from(step.pipe), step.target as u64);
        let [outstanding, delivered, out] = [self.outstanding, self.delivered, self.out].map(u64::from);
        let mut count = if pipe > target {
            (delivered * target).div_ceil(outstanding).saturating_sub(out)
        } else {
            let catch_up = match kind {
                PrrKind::Ssrb => 1,
                PrrKind::SafeAck => u64::from(safe),
                PrrKind::Crb | PrrKind::Off => 0,
            };
            (delivered.saturating_sub(out).max(u64::from(step.acked)) + catch_up).min(target - pipe)
        };
        if self.out == 0 {
            // The fast retransmit.
            count = count.max(1);
        }
        self.window = (pipe + count) as f64;
    }

    /// A segment was sent.
    pub fn sent(&mut self) {
        self.out += 1;
    }

    /// Segments that may be in flight where the congestion control allows `cwnd`.
    #[must_use]
    pub fn window(&self, cwnd: f64) -> f64 {
        if self.outstanding == 0 { cwnd } else { self.window }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segments sent for each of `acks` acknowledgements of one segment, `lost` of `flight` segments being
    /// lost.
    fn sends(kind: PrrKind, flight: u32, lost: u32, target: f64, acks: u32) -> Vec<u32> {
        let mut prr = Prr::new(u64::from(flight), 0, true);
        let mut pipe = flight - lost;
        let step = |_: u32| {
            pipe -= 1;
            prr.acknowledged(kind, &Step { acked: 1, pipe, target, advanced: false, losses: 0 });
            let mut sent = 0;
            while f64::from(pipe) + 1.0 <= prr.window(target) {
                pipe += 1;
                sent += 1;
                prr.sent();
            }
            sent
        };
        (0..acks).map(step).collect()
    }

    /// One segment for every other acknowledgement where the window is halved, seven of ten where it is kept
    /// to 0.7.
    #[test]
    fn sends_in_proportion() {
        assert_eq!(sends(PrrKind::SafeAck, 100, 1, 50.0, 6), [1, 0, 1, 0, 1, 0]);
        assert_eq!(sends(PrrKind::SafeAck, 100, 1, 70.0, 10), [1, 1, 1, 0, 1, 1, 0, 1, 1, 0]);
        // RFC 9937, section 6.1: over the round trip as many as the new window holds.
        for target in [30.0, 50.0, 70.0, 90.0] {
            let all: u32 = sends(PrrKind::SafeAck, 100, 1, target, 99).iter().sum();
            assert!((f64::from(all) - target).abs() <= 1.0, "{all} of {target}");
        }
    }

    /// Below the target: as much as is delivered, and one more where the bound is the one of slow start.
    #[test]
    fn bounds_below_the_target() {
        let allowed = |kind, pipe, advanced, new_losses: u64| {
            let mut prr = Prr { delivered: 2, out: 1, ..Prr::new(20, 7, true) };
            prr.acknowledged(kind, &Step { acked: 1, pipe, target: 6.0, advanced, losses: 7 + new_losses });
            prr.window(6.0) as u32 - pipe
        };
        // prr_delivered 3, prr_out 1: two may be sent, three with the slow-start bound, never beyond the
        // target.
        assert_eq!([4, 1].map(|pipe| allowed(PrrKind::Ssrb, pipe, false, 0)), [2, 3]);
        assert_eq!([4, 1].map(|pipe| allowed(PrrKind::Crb, pipe, true, 0)), [2, 2]);
        assert_eq!(allowed(PrrKind::SafeAck, 1, true, 0), 3);
        assert_eq!(allowed(PrrKind::SafeAck, 1, false, 0), 2);
        assert_eq!(allowed(PrrKind::SafeAck, 1, true, 1), 2);
    }

    #[test]
    fn the_fast_retransmit_is_always_sent() {
        // Far more is in flight than the target allows.
        assert_eq!(sends(PrrKind::SafeAck, 1000, 1, 1.0, 5), [1, 0, 0, 0, 0]);
        let mut prr = Prr::new(10, 0, true);
        prr.acknowledged(
            PrrKind::SafeAck,
            &Step { acked: 1, pipe: 2, target: 2.0, advanced: false, losses: 0 },
        );
        assert!(prr.window(2.0) >= 3.0);
    }

    #[test]
    fn flows_that_manage_their_own_flight_keep_their_window() {
        let mut prr = Prr::new(10, 0, false);
        prr.acknowledged(
            PrrKind::SafeAck,
            &Step { acked: 1, pipe: 8, target: 2.0, advanced: false, losses: 0 },
        );
        assert_eq!(prr.window(17.5), 17.5);
    }
}
