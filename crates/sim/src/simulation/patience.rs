//! Impatient sources (X8) give up short flows that take too long and long flows that progress too slowly.

use super::code;
use super::domain::Domain;
use crate::transport::FlowState;
use mesonet_cc::picos;
use mesonet_cc::{Picos, seconds};

impl Domain {
    /// Arms the first look at a flow of an impatient source.
    pub(super) fn arm_patience(&mut self, slot: u32) {
        self.look_at(slot, self.now + picos(self.shared.scenario.users.patience_time));
    }

    fn look_at(&mut self, slot: u32, at: Picos) {
        self.flows[slot as usize].patience = at;
        self.arm_flow(at, code::PATIENCE, slot);
    }

    /// The source looks at its flow: a short one has had its time, a long one must have kept its pace.
    pub(super) fn lose_patience(&mut self, slot: u32, time: Picos) {
        let flow = &self.flows[slot as usize];
        if flow.state == FlowState::Free || flow.patience != time {
            return;
        }
        let users = &self.shared.scenario.users;
        let short = (flow.end - flow.base) as f64 <= users.patience_short * users.web_object_size;
        let goodput = flow.delivered as f64 / seconds(time - flow.started);
        let largest = 1.0 / seconds(flow.interface_time);
        if short || goodput < users.patience_rate * largest {
            self.counters.aborted += 1;
            self.close(slot, false);
        } else {
            self.look_at(slot, time + picos(self.shared.scenario.users.patience_interval));
        }
    }
}
