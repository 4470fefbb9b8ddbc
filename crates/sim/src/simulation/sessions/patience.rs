//! Impatient sources (X8) give up short flows that take too long and long flows that progress too slowly.

use super::parts::Parts;
use super::state::Sessions;
use crate::simulation::code;
use crate::transport::FlowState;
use mesonet_cc::{Picos, picos, seconds};

/// Arms the first look at a flow of an impatient source.
pub fn arm(parts: &mut Parts, slot: u32) {
    look_at(parts, slot, parts.events.now + picos(parts.shared.scenario.users.patience_time));
}

fn look_at(parts: &mut Parts, slot: u32, at: Picos) {
    let mut sender = parts.sender(slot);
    sender.flow.patience = at;
    sender.arm(at, code::PATIENCE);
}

impl Sessions {
    /// The source looks at its flow: a short one has had its time, a long one must have kept its pace.
    pub fn lose_patience(&mut self, slot: u32, time: Picos, parts: &mut Parts) {
        let flow = &parts.senders.flows[slot as usize];
        if flow.state == FlowState::Free || flow.patience != time {
            return;
        }
        let users = &parts.shared.scenario.users;
        let short = (flow.end - flow.base) as f64 <= users.patience_short * users.web_object_size;
        let goodput = flow.delivered as f64 / seconds(time - flow.started);
        let largest = 1.0 / seconds(flow.interface_time);
        if short || goodput < users.patience_rate * largest {
            parts.books.counters.aborted += 1;
            self.close(parts, slot, false);
        } else {
            look_at(parts, slot, time + picos(users.patience_interval));
        }
    }
}
