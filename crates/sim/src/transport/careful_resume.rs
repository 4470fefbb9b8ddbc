//! Careful resume (RFC 9959): a flow begins with half the window that an earlier connection saved, once its
//! initial window has arrived in a round-trip time like the saved one.
//!
//! * Reconnaissance (section 3.2): the initial window is acknowledged without congestion, and more data waits
//!   than the window lets through. The smallest round-trip time is more than half and at most ten times the
//!   saved one.
//! * Unvalidated (section 3.3): the window jumps; segments are paced over the current round-trip time, until
//!   the first of them is acknowledged, the round trip is over or the window is full. The window is then what
//!   is in flight. A flow that sent no more than `PipeSize` continues as without careful resume.
//! * Validating (section 3.4): until all unvalidated segments are acknowledged.
//! * Safe retreat (section 3.5): after congestion the window is half of `PipeSize` and does not grow, until
//!   the last unvalidated segment is acknowledged.

use crate::scenario::TransportParameters;
use mesonet_cc::{Picos, ResumeStep, picos};
use serde::{Deserialize, Serialize};

/// The parameters that an earlier connection saved.
#[derive(Clone, Copy, Debug)]
pub struct Saved {
    /// Half of the saved window, segments: `jump_cwnd` (section 3.3).
    jump: f64,
    /// Smallest round-trip time of that connection.
    rtt: Picos,
}

/// Smallest part, and largest multiple, of the saved round-trip time that confirms the path (section 4.2.1).
const CONFIRMED: [f64; 2] = [0.5, 10.0];

/// The factor of `PipeSize` in the slow-start threshold where the congestion control has none in this range
/// (section 3.5): Beta.
const BETA: [f64; 2] = [0.5, 1.0];

impl Saved {
    /// The saved parameters of a scenario, if it has them.
    #[must_use]
    pub fn new(transport: &TransportParameters) -> Option<Self> {
        let jump = (transport.saved_window / 2.0).floor();
        (transport.saved_window > 0.0).then(|| Self { jump, rtt: picos(transport.saved_rtt) })
    }

    /// A round-trip time is like the saved one.
    fn confirms(&self, rtt: Picos) -> bool {
        let ratio = rtt as f64 / self.rtt as f64;
        ratio > CONFIRMED[0] && ratio <= CONFIRMED[1]
    }
}

/// The phase of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Phase {
    /// The flow does not use the saved parameters, or no longer.
    #[default]
    Normal,
    Reconnaissance,
    Unvalidated,
    Validating,
    SafeRetreat,
}

/// Careful resume of one flow.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct CarefulResume {
    phase: Phase,
    /// Segments that are known to fit into the path: `PipeSize`.
    pipe: f64,
    /// First unvalidated segment; before the jump the end of the initial window.
    first: u64,
    /// End of the unvalidated segments.
    end: u64,
    /// The unvalidated phase lasts to this instant at most.
    until: Picos,
    /// Time between unvalidated segments.
    gap: Picos,
    /// The window does not grow beyond this: before validation, and during a retreat.
    limit: f64,
    /// Factor of `PipeSize` in the slow-start threshold after a retreat.
    beta: f64,
}

/// State of the sender after an acknowledgement.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The instant of the acknowledgement.
    pub now: Picos,
    /// Current round-trip time.
    pub rtt: Picos,
    /// Smallest round-trip time.
    pub min_rtt: Picos,
    /// Segments newly acknowledged that were sent once.
    pub acked: u32,
    /// Highest segment acknowledged.
    pub highest: u64,
    /// Lowest unacknowledged segment.
    pub una: u64,
    /// Next segment to be sent.
    pub next: u64,
    /// End of the data that wait.
    pub data_end: u64,
    /// Segments in flight.
    pub flight: u32,
    /// Congestion window, segments.
    pub cwnd: f64,
    /// Initial window, segments.
    pub initial_window: f64,
    /// A segment was lost or marked since the flow began.
    pub congested: bool,
}

impl CarefulResume {
    /// A connection is established, whose initial window ends before segment `end`.
    #[must_use]
    pub fn new(end: u64) -> Self {
        Self { phase: Phase::Reconnaissance, first: end, ..Self::default() }
    }

    /// Time between segments, as long as they are paced (section 4.3.2).
    #[must_use]
    pub fn gap(&self) -> Option<Picos> {
        (self.phase == Phase::Unvalidated).then_some(self.gap)
    }

    /// Unvalidated segments are in flight.
    #[must_use]
    pub fn is_tentative(&self) -> bool {
        matches!(self.phase, Phase::Unvalidated | Phase::Validating)
    }

    /// Segments were acknowledged; returns the step that follows.
    pub fn acknowledged(&mut self, saved: &Saved, progress: &Progress) -> Option<ResumeStep> {
        match self.phase {
            Phase::Normal => None,
            Phase::Reconnaissance => self.reconnoitre(saved, progress),
            Phase::Unvalidated => self.send_unvalidated(saved, progress),
            Phase::Validating => {
                self.pipe += f64::from(progress.acked);
                if progress.una >= self.end {
                    self.phase = Phase::Normal;
                }
                None
            }
            Phase::SafeRetreat => self.follow_retreat(progress),
        }
    }

    /// Confirms the path, and jumps (section 3.2).
    fn reconnoitre(&mut self, saved: &Saved, progress: &Progress) -> Option<ResumeStep> {
        if progress.congested {
            self.phase = Phase::Normal;
            return None;
        }
        // The initial window is acknowledged, and the sender is not limited by its data.
        let room = (progress.cwnd - f64::from(progress.flight)).max(0.0) as u64;
        if progress.una < self.first || progress.data_end <= progress.next.saturating_add(room) {
            return None;
        }
        if !saved.confirms(progress.min_rtt) || saved.jump <= progress.cwnd || progress.rtt == 0 {
            self.phase = Phase::Normal;
            return None;
        }
        *self = Self {
            phase: Phase::Unvalidated,
            pipe: f64::from(progress.flight),
            first: progress.next,
            end: progress.next,
            until: progress.now + progress.rtt,
            gap: picos_of(progress.rtt as f64 / saved.jump),
            limit: saved.jump,
            beta: BETA[0],
        };
        Some(ResumeStep::Jump { cwnd: saved.jump, rtt: progress.rtt })
    }

    /// Unvalidated segments leave (section 3.3).
    fn send_unvalidated(&mut self, saved: &Saved, progress: &Progress) -> Option<ResumeStep> {
        self.pipe += f64::from(progress.acked);
        self.end = progress.next;
        if !saved.confirms(progress.min_rtt) {
            return Some(self.retreat());
        }
        let flight = f64::from(progress.flight);
        let was_full = flight + f64::from(progress.acked) + 1.0 > progress.cwnd.min(self.limit);
        if progress.highest < self.first && progress.now <= self.until && !was_full {
            return (progress.cwnd > self.limit).then_some(ResumeStep::Use { cwnd: self.limit });
        }
        if flight < progress.initial_window || flight <= self.pipe {
            self.phase = Phase::Normal;
            return Some(ResumeStep::Use { cwnd: self.pipe.max(progress.initial_window) });
        }
        self.phase = Phase::Validating;
        Some(ResumeStep::Use { cwnd: flight })
    }

    /// The path drains (section 3.5).
    fn follow_retreat(&mut self, progress: &Progress) -> Option<ResumeStep> {
        self.pipe += f64::from(progress.acked);
        if progress.highest + 1 >= self.end || progress.una >= self.end {
            self.phase = Phase::Normal;
            return Some(ResumeStep::Leave { ssthresh: self.pipe * self.beta });
        }
        (progress.cwnd > self.limit).then_some(ResumeStep::Use { cwnd: self.limit })
    }

    /// Congestion, when segment `next` is the next one to be sent: the end of reconnaissance, or a retreat.
    /// Returns `PipeSize` if unvalidated segments are in flight.
    pub fn congested(&mut self, next: u64) -> Option<f64> {
        match self.phase {
            Phase::Unvalidated => self.end = next,
            Phase::Validating => {}
            Phase::Reconnaissance => {
                self.phase = Phase::Normal;
                return None;
            }
            Phase::Normal | Phase::SafeRetreat => return None,
        }
        Some(self.pipe)
    }

    /// Begins a retreat, after which the slow-start threshold is `factor` times `PipeSize`, within the range
    /// of Beta.
    pub fn retreat_by(&mut self, factor: f64) -> ResumeStep {
        let step = self.retreat();
        self.beta = factor.clamp(BETA[0], BETA[1]);
        step
    }

    fn retreat(&mut self) -> ResumeStep {
        self.phase = Phase::SafeRetreat;
        self.limit = (self.pipe / 2.0).floor().max(1.0);
        ResumeStep::Retreat { cwnd: self.limit }
    }

    /// The congestion was none: validation continues.
    pub fn undo(&mut self) {
        if self.phase == Phase::SafeRetreat {
            self.phase = Phase::Validating;
        }
    }

    /// A timeout, or an idle time: the flow continues without the saved parameters (section 3.6).
    pub fn stop(&mut self) {
        self.phase = Phase::Normal;
    }
}

/// A duration, rounded up.
fn picos_of(duration: f64) -> Picos {
    duration.ceil() as Picos
}

#[cfg(test)]
mod tests {
    use super::*;
    use mesonet_cc::MILLISECOND;

    const RTT: Picos = 100 * MILLISECOND;

    /// A saved window of 300 segments: the worked example of RFC 9959, appendix "Examples".
    fn saved() -> Saved {
        Saved { jump: 150.0, rtt: RTT }
    }

    /// 29 segments in flight, the 10 of the initial window acknowledged.
    fn progress() -> Progress {
        Progress {
            now: RTT,
            rtt: RTT,
            min_rtt: RTT,
            acked: 1,
            highest: 9,
            una: 10,
            next: 39,
            data_end: 1000,
            flight: 29,
            cwnd: 29.0,
            initial_window: 10.0,
            congested: false,
        }
    }

    fn unvalidated() -> CarefulResume {
        let mut resume = CarefulResume::new(10);
        let step = resume.acknowledged(&saved(), &progress());
        assert_eq!(step, Some(ResumeStep::Jump { cwnd: 150.0, rtt: RTT }));
        resume
    }

    /// The first unvalidated segment is acknowledged; 150 are in flight.
    fn validating() -> CarefulResume {
        let mut resume = unvalidated();
        let all =
            Progress { now: 2 * RTT, acked: 30, highest: 39, una: 40, next: 190, flight: 150, ..progress() };
        let step = resume.acknowledged(&saved(), &Progress { cwnd: 180.0, ..all });
        assert_eq!(step, Some(ResumeStep::Use { cwnd: 150.0 }));
        assert_eq!(resume.phase, Phase::Validating);
        resume
    }

    #[test]
    fn the_window_jumps_to_half_of_the_saved_one_and_its_segments_are_paced() {
        let resume = unvalidated();
        assert_eq!((resume.phase, resume.pipe), (Phase::Unvalidated, 29.0));
        assert_eq!(resume.gap(), Some(RTT.div_ceil(150)));
    }

    #[test]
    fn reconnaissance_waits_for_the_initial_window_and_for_data() {
        for waits in [Progress { una: 9, ..progress() }, Progress { data_end: 39, ..progress() }] {
            let mut resume = CarefulResume::new(10);
            assert_eq!(resume.acknowledged(&saved(), &waits), None);
            assert_eq!(resume.phase, Phase::Reconnaissance);
            assert!(resume.acknowledged(&saved(), &progress()).is_some());
        }
    }

    #[test]
    fn congestion_other_round_trips_and_large_windows_end_reconnaissance() {
        for (ends, step) in [
            (Progress { congested: true, ..progress() }, None),
            (Progress { min_rtt: RTT / 2, ..progress() }, None),
            (Progress { min_rtt: 10 * RTT + 1, ..progress() }, None),
            (Progress { cwnd: 150.0, ..progress() }, None),
            (Progress { min_rtt: RTT / 2 + 1, ..progress() }, Some(RTT)),
            (Progress { min_rtt: 10 * RTT, rtt: 11 * RTT, ..progress() }, Some(11 * RTT)),
        ] {
            let mut resume = CarefulResume::new(10);
            let expected = step.map(|rtt| ResumeStep::Jump { cwnd: 150.0, rtt });
            assert_eq!(resume.acknowledged(&saved(), &ends), expected, "{ends:?}");
            let phase = if step.is_some() { Phase::Unvalidated } else { Phase::Normal };
            assert_eq!(resume.phase, phase);
        }
        let mut resume = CarefulResume::new(10);
        assert_eq!((resume.congested(39), resume.phase), (None, Phase::Normal));
    }

    #[test]
    fn the_window_does_not_grow_before_validation() {
        let mut resume = unvalidated();
        let more = Progress { now: RTT + 1, next: 50, flight: 40, cwnd: 151.0, ..progress() };
        assert_eq!(resume.acknowledged(&saved(), &more), Some(ResumeStep::Use { cwnd: 150.0 }));
        assert_eq!((resume.phase, resume.pipe), (Phase::Unvalidated, 30.0));
    }

    /// The first acknowledgement of an unvalidated segment, a full window and the end of the round trip.
    #[test]
    fn unvalidated_segments_leave_for_a_round_trip_at_most() {
        let more = Progress { now: RTT + 1, next: 160, flight: 120, cwnd: 150.0, ..progress() };
        for (over, flight) in [
            (Progress { highest: 39, ..more }, 120.0),
            (Progress { flight: 149, ..more }, 149.0),
            (Progress { now: 2 * RTT + 1, ..more }, 120.0),
        ] {
            let mut resume = unvalidated();
            assert_eq!(resume.acknowledged(&saved(), &more), None);
            assert_eq!(resume.acknowledged(&saved(), &over), Some(ResumeStep::Use { cwnd: flight }));
            assert_eq!((resume.phase, resume.end, resume.gap()), (Phase::Validating, 160, None));
        }
    }

    #[test]
    fn a_flow_that_does_not_use_the_jump_keeps_what_is_known_to_fit() {
        for (flight, acked, window) in [(31, 2, 31.0), (9, 0, 29.0)] {
            let mut resume = unvalidated();
            let over = Progress { now: 2 * RTT + 1, acked, flight, next: 60, cwnd: 150.0, ..progress() };
            assert_eq!(resume.acknowledged(&saved(), &over), Some(ResumeStep::Use { cwnd: window }));
            assert_eq!(resume.phase, Phase::Normal);
        }
    }

    #[test]
    fn the_last_unvalidated_segment_ends_validation() {
        let mut resume = validating();
        let open = Progress { acked: 100, highest: 188, una: 189, next: 300, flight: 111, ..progress() };
        assert_eq!(resume.acknowledged(&saved(), &open), None);
        assert_eq!(resume.phase, Phase::Validating);
        assert_eq!(resume.acknowledged(&saved(), &Progress { una: 190, ..open }), None);
        assert_eq!((resume.phase, resume.congested(300)), (Phase::Normal, None));
    }

    /// The example of a loss: 66 segments are known to fit when it is found, 33 may be in flight then.
    #[test]
    fn congestion_halves_what_is_known_to_fit() {
        let mut resume = validating();
        let before = Progress { acked: 7, highest: 63, una: 47, next: 200, flight: 143, ..progress() };
        assert_eq!(resume.acknowledged(&saved(), &before), None);
        assert_eq!(resume.congested(200), Some(66.0));
        assert_eq!(resume.retreat_by(0.7), ResumeStep::Retreat { cwnd: 33.0 });
        assert_eq!(resume.congested(200), None, "one retreat");
        let rest = Progress { acked: 50, highest: 120, flight: 30, cwnd: 34.0, ..before };
        assert_eq!(resume.acknowledged(&saved(), &rest), Some(ResumeStep::Use { cwnd: 33.0 }));
        let last = Progress { acked: 4, highest: 189, cwnd: 33.0, ..rest };
        assert_eq!(resume.acknowledged(&saved(), &last), Some(ResumeStep::Leave { ssthresh: 120.0 * 0.7 }));
        assert_eq!(resume.phase, Phase::Normal);
    }

    #[test]
    fn beta_is_between_a_half_and_one() {
        for (factor, beta) in [(0.1, 0.5), (0.7, 0.7), (f64::INFINITY, 1.0)] {
            let mut resume = validating();
            let _ = resume.retreat_by(factor);
            assert_eq!(resume.beta, beta);
        }
    }

    #[test]
    fn a_short_round_trip_makes_unvalidated_segments_retreat() {
        let mut resume = unvalidated();
        let short = Progress { now: RTT + 1, min_rtt: RTT / 2, ..progress() };
        assert_eq!(resume.acknowledged(&saved(), &short), Some(ResumeStep::Retreat { cwnd: 15.0 }));
        assert_eq!((resume.phase, resume.beta), (Phase::SafeRetreat, 0.5));
    }

    #[test]
    fn timeouts_end_careful_resume_and_undone_losses_resume_validation() {
        let mut resume = validating();
        let _ = resume.retreat_by(0.5);
        resume.undo();
        assert_eq!(resume.phase, Phase::Validating);
        resume.stop();
        resume.undo();
        assert_eq!((resume.phase, resume.is_tentative()), (Phase::Normal, false));
    }
}
