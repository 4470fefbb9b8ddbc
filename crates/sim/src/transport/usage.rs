//! Use of the window by the rule of Linux, which says whether the window limits a flow.

use serde::{Deserialize, Serialize};

/// Use of the window of a flow (Linux: `tcp_cwnd_validate`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// The window was full.
    is_full: bool,
    /// Most segments outstanding while it was not.
    most: u32,
    /// Both hold until this segment is acknowledged.
    until: u64,
}

impl Usage {
    /// The sender has sent what it could: segments `una` to `next` are outstanding.
    pub fn note(&mut self, is_full: bool, una: u64, next: u64) {
        let outstanding = (next - una) as u32;
        if una >= self.until || is_full || (!self.is_full && outstanding > self.most) {
            *self = Self { is_full, most: outstanding, until: next };
        }
    }

    /// The window limits the flow (Linux: `tcp_is_cwnd_limited`).
    #[must_use]
    pub fn limits(&self, cwnd: f64, in_slow_start: bool) -> bool {
        self.is_full || (in_slow_start && cwnd.floor() < 2.0 * f64::from(self.most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Outside slow start a window that was not full in the last round trip limits nothing.
    #[test]
    fn a_window_limits_while_it_was_full_or_in_slow_start_half_used() {
        let mut usage = Usage::default();
        usage.note(true, 0, 10);
        assert!(usage.limits(20.0, false));
        // Ten segments are outstanding until segment 10 is acknowledged, whatever is sent.
        usage.note(false, 5, 11);
        assert!(usage.limits(20.0, false));
        usage.note(false, 10, 16);
        assert!(!usage.limits(12.0, false));
        assert!(usage.limits(11.5, true) && !usage.limits(12.0, true));
        usage.note(false, 11, 18);
        assert!(usage.limits(13.9, true) && !usage.limits(14.0, true));
        usage.note(true, 12, 24);
        assert!(usage.limits(100.0, false));
    }
}
