//! Careful resume: how its steps change the window, the gaps between segments and the recovery of a flow.

use super::acknowledging::Acknowledgement;
use super::sender::Sender;
use crate::transport::recovery::Prr;
use crate::transport::{Progress, Recovery};
use mesonet_cc::{LossEvent, Picos, ResumeStep};

impl Sender<'_> {
    /// Time between unvalidated segments; none where the flow has none.
    pub fn resume_gap(&self) -> Option<Picos> {
        self.shared.saved.and_then(|_| self.beside.resumes[self.slot as usize].gap())
    }

    /// Takes the step that follows an acknowledgement with the round-trip time `rtt`, 0 for none.
    #[inline(never)]
    pub fn resume(&mut self, ack: &Acknowledgement, rtt: Picos) {
        let Some(saved) = &self.shared.saved else { return };
        let congested = self.flow.recovery != Recovery::Open
            || self.flow.loss_events + self.flow.timeouts > 0
            || ack.is_marked()
            || self.finds_loss();
        let flow = &mut *self.flow;
        let progress = Progress {
            now: self.now,
            rtt: if rtt > 0 { rtt } else { flow.rtt.srtt },
            min_rtt: flow.rtt.min_rtt,
            acked: ack.originals(),
            highest: ack.highest(),
            una: ack.new_una,
            next: flow.board.next(),
            data_end: flow.end,
            flight: flow.board.pipe(),
            cwnd: flow.controller.cwnd(),
            initial_window: self.shared.scenario.transport.initial_window,
            congested,
        };
        let step = self.beside.resumes[self.slot as usize].acknowledged(saved, &progress);
        if let Some(step) = step {
            flow.controller.on_resume(self.config, &step);
        }
    }

    /// Retreats for a loss or a mark, if unvalidated segments are in flight: the congestion control reacts as
    /// with a window of `PipeSize`, then the window becomes half of that (section 3.5). Returns whether there
    /// were any.
    pub fn retreat(&mut self, loss: &LossEvent) -> bool {
        let flow = &mut *self.flow;
        let resume = &mut self.beside.resumes[self.slot as usize];
        let Some(pipe) = resume.congested(flow.board.next()) else { return false };
        flow.controller.on_resume(self.config, &ResumeStep::Use { cwnd: pipe });
        let in_flight = loss.in_flight.min(pipe as u32);
        flow.controller.on_loss(self.config, &LossEvent { in_flight, ..*loss });
        let step = resume.retreat_by(flow.controller.ssthresh() / pipe);
        flow.controller.on_resume(self.config, &step);
        if self.shared.rules.reduces() {
            // A gradual reduction does not drain the path (section 4.5).
            self.repair.prr = Prr::default();
        }
        true
    }
}
