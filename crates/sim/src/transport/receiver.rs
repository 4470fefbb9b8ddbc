//! A receiver that delays acknowledgements (RFC 1122, section 4.2.3.2; RFC 5681, section 4.2).
//!
//! No acknowledgement is lost and all of a flow take the same time, so what the receiver decides follows from when its
//! acknowledgements would arrive: the decisions are taken at the sender, a one-way delay later, and nothing changes in the
//! network (decision 0005).

use super::flow::OFF;
use crate::engine::Segment;
use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};

/// What one receiver holds back: at most every second segment goes unacknowledged.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Receiver {
    held: Option<Segment>,
    /// When the held segment is acknowledged whatever comes; [`OFF`] while there is none.
    pub timer: Picos,
}

impl Default for Receiver {
    fn default() -> Self {
        Self { held: None, timer: OFF }
    }
}

/// How a receiver answers an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// With nothing yet; the one that was held is acknowledged alone, because it was marked and this one is not, or the other
    /// way round (RFC 8257, section 3.2).
    Hold(Option<Segment>),
    /// With one acknowledgement for the held segment and this one.
    Both(Segment),
    /// At once, the held segment first.
    AtOnce(Option<Segment>),
}

impl Receiver {
    /// Segments held.
    #[must_use]
    pub fn holds(&self) -> u64 {
        u64::from(self.held.is_some())
    }

    /// `segment` arrives; it `follows` all that arrived before, and more is to come. It is held for `delay` at most.
    pub fn answer(&mut self, segment: Segment, follows: bool, now: Picos, delay: Picos) -> Answer {
        let held = self.release();
        match held {
            _ if !follows => Answer::AtOnce(held),
            Some(held) if held.is_marked() == segment.is_marked() => Answer::Both(held),
            _ => {
                (self.held, self.timer) = (Some(segment), now + delay);
                Answer::Hold(held)
            }
        }
    }

    /// The held segment is acknowledged.
    pub fn release(&mut self) -> Option<Segment> {
        self.timer = OFF;
        self.held.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::FlowId;

    fn segment(sequence: u32) -> Segment {
        Segment::new(0, FlowId::default(), sequence, 0)
    }

    #[test]
    fn every_second_segment_is_acknowledged() {
        let mut receiver = Receiver::default();
        assert_eq!(receiver.answer(segment(1), true, 100, 40), Answer::Hold(None));
        assert_eq!((receiver.holds(), receiver.timer), (1, 140));
        assert_eq!(receiver.answer(segment(2), true, 110, 40), Answer::Both(segment(1)));
        assert_eq!((receiver.holds(), receiver.timer), (0, OFF));
    }

    #[test]
    fn what_does_not_follow_is_acknowledged_at_once_with_what_was_held() {
        let mut receiver = Receiver::default();
        assert_eq!(receiver.answer(segment(2), false, 100, 40), Answer::AtOnce(None));
        receiver.answer(segment(3), true, 100, 40);
        assert_eq!(receiver.answer(segment(5), false, 101, 40), Answer::AtOnce(Some(segment(3))));
        assert_eq!(receiver.holds(), 0);
    }

    /// RFC 8257, section 3.2: an acknowledgement tells of one kind of segment only.
    #[test]
    fn a_change_of_marks_is_told_at_once() {
        let mut marked = segment(2).ecn_capable();
        marked.mark();
        let mut receiver = Receiver::default();
        receiver.answer(segment(1), true, 100, 40);
        assert_eq!(receiver.answer(marked, true, 101, 40), Answer::Hold(Some(segment(1))));
        assert_eq!(receiver.timer, 141);
        assert_eq!(receiver.answer(marked, true, 102, 40), Answer::Both(marked));
    }
}
