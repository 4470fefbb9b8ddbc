//! Delivery-rate samples of the flows whose algorithm wants them.

use super::Simulation;
use crate::transport::{DeliverySampler, Flow};
use mesonet_cc::Config;

impl Simulation {
    /// A flow with samples is connected.
    pub(super) fn start_sampling(&mut self, slot: u32) {
        let slot = slot as usize;
        if self.samplers.len() <= slot {
            self.samplers.resize_with(slot + 1, DeliverySampler::default);
        }
        self.samplers[slot] = DeliverySampler::new(self.flows[slot].base);
    }
}

/// Tells the congestion control which segments the scoreboard has found lost; their number.
pub(super) fn tell_losses(sampler: &mut DeliverySampler, flow: &mut Flow, config: &Config) -> u32 {
    let mut lost = 0;
    while let Some(segment) = sampler.next_lost(&flow.board) {
        flow.controller.on_segment_lost(config, &segment);
        lost += 1;
    }
    sampler.forget_below(flow.board.una());
    lost
}

/// After an acknowledgement: whether the sender, not the network, limits what is in flight. It has nothing more to
/// send, or the algorithm holds it back.
pub(super) fn update_limits(sampler: &mut DeliverySampler, flow: &Flow) {
    if flow.controller.holds_back() || flow.board.next() == flow.end {
        sampler.limited(flow.board.pipe());
    }
}
