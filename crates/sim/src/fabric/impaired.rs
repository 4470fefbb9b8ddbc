//! Impaired links, and queues with a clock or a buffer that varies, in either fabric.

use crate::engine::Segment;
use crate::links::{Clock, Fate, LinkState, Rules, Steps};
use crate::network::Network;
use crate::snapshot::{BadSnapshot, Passage};
use mesonet_cc::Picos;
use std::sync::Arc;

/// The links of a fabric that impair what crosses them, and the clocks and buffers of its queues.
#[derive(Clone, Debug)]
pub struct Impaired {
    /// By lane of the network or egress lane of the domain.
    links: Vec<Option<Link>>,
    /// By queue.
    clocks: Vec<Option<Arc<Clock>>>,
    /// By queue: segments that may wait by time.
    buffers: Vec<Option<Arc<Steps<u64>>>>,
    /// Bytes of an acknowledgement.
    ack_bytes: u32,
}

/// An impaired link.
#[derive(Clone, Debug)]
struct Link {
    rules: Arc<Rules>,
    state: LinkState,
}

impl Impaired {
    /// The links on which `lanes` begin, and what varies at `queues`, by their numbers in the whole network;
    /// none where links are perfect, and rates and buffers constant.
    #[must_use]
    pub fn new(network: &Network, lanes: &[usize], queues: &[usize], seed: u64) -> Option<Box<Self>> {
        let impairments = &network.impairments;
        let link = |lane: &usize| {
            let rules = Arc::clone(impairments.rules(*lane)?);
            Some(Link { rules, state: LinkState::new(seed, *lane) })
        };
        let links: Vec<_> = lanes.iter().map(link).collect();
        let clocks: Vec<_> = queues.iter().map(|queue| impairments.clock(*queue)).collect();
        let buffers: Vec<_> = queues.iter().map(|queue| impairments.buffer(*queue)).collect();
        let is_perfect = links.iter().all(Option::is_none);
        if is_perfect && clocks.iter().all(Option::is_none) && buffers.iter().all(Option::is_none) {
            return None;
        }
        let ack_bytes = network.bytes[usize::from(network.queues.at_ports())];
        Some(Box::new(Self { links, clocks, buffers, ack_bytes }))
    }

    /// Returns whether a link loses a segment, where that is all that it does.
    #[inline]
    pub fn loses(&mut self, lane: usize, time: Picos, segment: &Segment, is_ack: bool) -> Option<bool> {
        let Some(Link { rules, state }) = &mut self.links[lane] else { return Some(false) };
        rules.only_loses.then(|| state.loses(rules, time, segment, is_ack))
    }

    /// A segment leaves the queue before a lane at `time`; `data_bytes` is its size if it is of data.
    pub fn cross(
        &mut self,
        lane: usize,
        time: Picos,
        segment: &Segment,
        is_ack: bool,
        data_bytes: u32,
    ) -> Fate {
        let Some(Link { rules, state }) = &mut self.links[lane] else { return Fate::Late(0) };
        let bytes = if is_ack { self.ack_bytes } else { data_bytes };
        state.cross(rules, time, segment, is_ack, bytes)
    }

    /// Segments on a lane wait for those that left before them.
    #[must_use]
    pub fn keeps_order(&self, lane: usize) -> bool {
        self.links[lane].as_ref().is_none_or(|link| link.rules.keeps_order)
    }

    /// Writes or replaces what changes during a run.
    ///
    /// # Errors
    /// [`BadSnapshot`] where the bytes are of no such links.
    pub fn pass(&mut self, passage: &mut Passage) -> Result<(), BadSnapshot> {
        self.links.iter_mut().flatten().try_for_each(|link| passage.field(&mut link.state))
    }
}

/// Segments that may wait in a queue from `now` on, beside the one in service; none where its buffer is
/// constant.
#[must_use]
pub fn waiting_of(impaired: Option<&Impaired>, queue: usize, now: Picos) -> Option<u64> {
    Some(impaired?.buffers.get(queue)?.as_ref()?.at(now))
}

/// Clock of a queue; none where its rate is constant.
#[must_use]
pub fn clock_of(impaired: Option<&Impaired>, queue: usize) -> Option<&Clock> {
    impaired?.clocks.get(queue)?.as_deref()
}
