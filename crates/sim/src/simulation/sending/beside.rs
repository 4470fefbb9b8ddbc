//! State of senders that only some flows need.

use super::dropped_acks::DroppedAcks;
use super::leaving::Leaving;
use super::packets::Packets;
use crate::snapshot::{BadSnapshot, Passage};
use crate::transport::{CarefulResume, DeliverySampler, Piece, Receiver, Usage};

/// State of senders that only some flows need, by slot where the scenario needs it.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// Delivery-rate samples by slot; empty if no algorithm wants them.
    pub samplers: Vec<DeliverySampler>,
    /// Receivers that delay acknowledgements by slot, where their senders decide; else empty.
    pub receivers: Vec<Receiver>,
    /// Use of the windows by slot, where the rule of Linux says whether they limit flows; else empty.
    pub usages: Vec<Usage>,
    /// Pieces by slot, where hosts form them or pace; else empty.
    pub pieces: Vec<Piece>,
    /// Careful resume by slot, where the scenario has it; else empty.
    pub resumes: Vec<CarefulResume>,
    /// Segments whose acknowledgements do not come, where acknowledgements pass routers.
    pub dropped_acks: DroppedAcks,
    pub leaving: Leaving,
    pub packets: Packets,
}

impl Beside {
    /// Writes or replaces what changes during a run.
    pub fn pass(&mut self, passage: &mut Passage) -> Result<(), BadSnapshot> {
        let Self { samplers, receivers, usages, pieces, resumes, dropped_acks, leaving, packets } = self;
        debug_assert!(dropped_acks.is_handed_over());
        passage.field(samplers)?;
        passage.field(receivers)?;
        passage.field(usages)?;
        passage.field(pieces)?;
        passage.field(resumes)?;
        passage.field(dropped_acks)?;
        passage.field(leaving)?;
        passage.field(packets)
    }
}
