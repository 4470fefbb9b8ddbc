//! Departures in pieces, and pacing by the host: what leaves back to back, and the gaps between.

use super::pacing;
use super::sender::Sender;
use crate::transport::piece::Chance;
use crate::transport::{PieceRules, Recovery};
use mesonet_cc::Picos;

impl Sender<'_> {
    /// Sends the next segment of the piece that is leaving, or of a new one, after [`Self::may_send`].
    /// Returns false if the flow waits for a larger piece.
    #[inline(never)]
    pub fn send_piece(&mut self, rules: &PieceRules) -> bool {
        let (slot, now) = (self.slot as usize, self.now);
        let mut piece = self.beside.pieces[slot];
        if piece.is_leaving() && now > self.flow.interface_free {
            // The window closed on it.
            piece.end();
            if piece.free() > now {
                self.beside.pieces[slot] = piece;
                self.flow.interface_free = piece.free();
                self.may_send();
                return true;
            }
        }
        if !piece.is_leaving() {
            let Some(size) = self.piece_size(rules) else {
                self.beside.pieces[slot] = piece;
                return false;
            };
            piece.begin(now, size, rules.forms_pieces());
        }
        let recovering = self.flow.recovery != Recovery::Open;
        if let Some((sequence, retransmission)) = self.next_segment(recovering) {
            self.emit(sequence, retransmission);
            if self.shared.rules.rack && retransmission {
                self.watch_deadline();
            }
            piece.leave(self.segment_gap());
            let next = now + self.flow.interface_time;
            self.flow.interface_free = if piece.is_leaving() { next } else { next.max(piece.free()) };
            self.beside.pieces[slot] = piece;
            self.may_send();
        } else {
            piece.end();
            self.beside.pieces[slot] = piece;
        }
        true
    }

    /// Segments of the piece that begins now; `None` where the flow waits for a larger one.
    fn piece_size(&self, rules: &PieceRules) -> Option<u64> {
        let flow = &*self.flow;
        let own = flow.controller.pacing_rate();
        let goal = rules.goal(own.unwrap_or_else(|| flow.linux_rate()), own.is_some(), flow.rtt.min_rtt);
        let (una, next) = (flow.board.una(), flow.board.next());
        let window = self.allowed() as u64;
        let by_receiver = self.shared.receiver_window.saturating_sub(next - una);
        let chance = Chance {
            now: self.now,
            room: window.saturating_sub(u64::from(flow.board.pipe())).min(by_receiver).max(1),
            data: flow.end.saturating_sub(next),
            window,
            srtt: flow.rtt.srtt,
            head: self.repair.rack.departure(una),
        };
        let may_wait = flow.recovery == Recovery::Open && !flow.retransmit_first;
        self.beside.pieces[self.slot as usize].size(&chance, goal, may_wait)
    }

    /// Time that the segment which has just left takes at the pacing rate; 0 where the flow is not paced.
    fn segment_gap(&self) -> Picos {
        let flow = &*self.flow;
        match flow.pacing_rate(self.config) {
            Some(rate) if flow.sent >= self.shared.unpaced => pacing::interval(rate),
            _ => 0,
        }
    }
}
