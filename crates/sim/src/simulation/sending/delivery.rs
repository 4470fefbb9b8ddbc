//! Delivery-rate samples of the flows whose algorithm wants them.

use crate::transport::{DeliverySampler, Flow};
use mesonet_cc::{Config, DeliverySample, Picos};

/// The delivery of an acknowledgement; all zero for flows without samples.
#[derive(Clone, Copy, Debug, Default)]
pub struct Delivery {
    /// Segments/s, 0 without a valid sample.
    pub rate: f64,
    pub sample: DeliverySample,
    /// Segments newly found lost.
    pub lost: u32,
}

// Kept out of the sender's code, which is faster without them for the flows that take no samples.

/// Segment `sequence` leaves.
#[inline(never)]
pub fn sent(sampler: &mut DeliverySampler, flow: &Flow, sequence: u64, now: Picos) {
    sampler.sent(sequence, now, flow.board.pipe());
}

/// Segment `sequence` is acknowledged, with its mark; the scoreboard knows already.
#[inline(never)]
pub fn sample(
    sampler: &mut DeliverySampler,
    flow: &mut Flow,
    config: &Config,
    sequence: u64,
    now: Picos,
    marked: bool,
) -> Delivery {
    let (rate, sample) = sampler.acknowledged(sequence, now, flow.rtt.min_rtt, marked);
    Delivery { rate, sample, lost: report_losses(sampler, flow, config, now) }
}

/// Reports to the congestion control the segments that the scoreboard has found lost; returns their number.
pub fn report_losses(sampler: &mut DeliverySampler, flow: &mut Flow, config: &Config, now: Picos) -> u32 {
    let mut lost = 0;
    while let Some(segment) = sampler.next_lost(&flow.board) {
        flow.controller.on_segment_lost(config, &segment, now);
        lost += 1;
    }
    sampler.forget_below(flow.board.una());
    lost
}

/// After an acknowledgement: whether the sender, not the network, limits what is in flight. It has nothing
/// more to send, or the algorithm holds it back.
#[inline(never)]
pub fn update_limits(sampler: &mut DeliverySampler, flow: &Flow) {
    if flow.controller.holds_back() || flow.board.next() == flow.end {
        sampler.limited(flow.board.pipe());
    }
}

/// Reports to the congestion control that segment `sequence` is lost, where the scoreboard does not know.
pub fn report_lost(
    sampler: &mut DeliverySampler,
    flow: &mut Flow,
    config: &Config,
    sequence: u64,
    now: Picos,
) {
    let lost = sampler.lost(sequence);
    flow.controller.on_segment_lost(config, &lost, now);
}
