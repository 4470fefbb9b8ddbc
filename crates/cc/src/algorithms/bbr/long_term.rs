//! The long-term bandwidth, which Linux looks for behind a policer (tcp_bbr.c).

use super::{Bbr, BbrConfig, Mode};
use crate::{MILLISECOND, Picos, seconds};
use serde::{Deserialize, Serialize};

/// The bandwidth of a policer.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct LongTerm {
    /// An interval is under way; the bandwidth found is used.
    pub(super) sampling: bool,
    pub(super) used: bool,
    /// Segments/s, of the last interval or in use; 0 where there is none.
    pub(super) bandwidth: f64,
    /// Round trips of the interval, or since the bandwidth is used.
    pub(super) rounds: u32,
    /// The beginning of the interval: segments delivered and lost, modulo 2^32, and when.
    pub(super) delivered: u32,
    pub(super) lost: u32,
    pub(super) stamp: Picos,
}

impl Bbr {
    /// Looks for a policer, with the acknowledgement at `self.acked_at` (bbr_lt_bw_sampling).
    #[cold]
    pub(super) fn sample_long_term(
        &mut self,
        c: &BbrConfig,
        losses: bool,
        round_start: bool,
        app_limited: bool,
    ) {
        let lt = &mut self.long_term;
        let begun = LongTerm {
            delivered: self.delivered as u32,
            lost: self.lost,
            stamp: self.acked_at,
            ..LongTerm::default()
        };
        if lt.used {
            if self.mode == Mode::ProbeBw && round_start {
                lt.rounds += 1;
                if lt.rounds >= c.lt_use_rounds {
                    *lt = begun;
                    self.probe_bandwidth(c, self.acked_at);
                }
            }
            return;
        }
        if !lt.sampling {
            if !losses {
                return;
            }
            *lt = LongTerm { sampling: true, bandwidth: lt.bandwidth, ..begun };
        }
        if app_limited {
            *lt = begun;
            return;
        }
        lt.rounds += u32::from(round_start);
        if lt.rounds < c.lt_rounds {
            return;
        }
        if lt.rounds > 4 * c.lt_rounds {
            *lt = begun;
            return;
        }
        let delivered = f64::from((self.delivered as u32).wrapping_sub(lt.delivered));
        let lossy = f64::from(self.lost.wrapping_sub(lt.lost)) >= c.lt_loss * delivered;
        let time = self.acked_at - lt.stamp;
        if !losses || delivered == 0.0 || !lossy || time < MILLISECOND {
            return;
        }
        let bandwidth = delivered / seconds(time);
        let difference = (bandwidth - lt.bandwidth).abs();
        let alike = difference <= c.lt_ratio * lt.bandwidth || difference <= c.lt_difference;
        if lt.bandwidth > 0.0 && alike {
            (lt.bandwidth, lt.used, lt.rounds) = ((bandwidth + lt.bandwidth) / 2.0, true, 0);
        } else {
            *lt = LongTerm { sampling: true, bandwidth, ..begun };
        }
    }
}
