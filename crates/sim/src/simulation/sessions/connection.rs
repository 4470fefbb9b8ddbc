//! Connections: how they begin, and what follows when they end.

use super::parts::Parts;
use super::state::Sessions;
use crate::fabric::OwnLanes;
use crate::measure::PairClass;
use crate::measure::rtt_class::rtt_class;
use crate::network::AccessRouter;
use crate::simulation::code;
use crate::simulation::sending::Outcome;
use crate::transport::{Flow, FlowEnds, FlowState, RttEstimator, Scoreboard};
use crate::users::files::{ARRIVAL, EXPLICIT};
use mesonet_cc::picos;

/// A flow about to connect.
pub struct Opening<'a> {
    pub source: u32,
    /// Place of the source in the domain.
    pub home: u32,
    pub transfer: u64,
    pub category: u8,
    pub algorithm: u8,
    pub origin: AccessRouter,
    pub receiver: AccessRouter,
    /// None sends to the end of the run.
    pub size: Option<u64>,
    pub rate: f64,
    /// Its number among the flows with lanes of their own, and these, if its source is some way from the
    /// access router.
    pub own: Option<(usize, &'a OwnLanes)>,
    /// Its sender waits before it reacts.
    pub delays_sends: bool,
    /// An application hands it its data.
    pub is_fed: bool,
    /// A player asks for them.
    pub is_asked_for: bool,
}

/// A flow takes a slot and sends its first SYN. Returns the slot.
pub fn open(opening: &Opening, parts: &mut Parts) -> u32 {
    let Parts { shared, events, books, senders, answering, stacks } = parts;
    let (origin, receiver) = (opening.origin, opening.receiver);
    // Where a flow is watched or loses segments by number, its first segment has the first number of a slot.
    let counts = opening.own.is_some_and(|(_, own)| own.receiver.is_watched || !own.lost.is_empty());
    let (slot, id) = senders.take(shared, origin, counts, opening.own.map(|(number, _)| number));
    let network = &shared.network;
    let access_lane = opening.own.map(|(_, own)| own.access);
    let class = PairClass::of(network.class_of(origin.index()), network.class_of(receiver.index()));
    let access_router = shared.domains.router[network.access[origin.index()]];
    let (source, transfer) = (opening.source, opening.transfer);
    let target = shared.target(receiver, source, transfer);
    let ends = FlowEnds { origin, receiver, id, target };
    let base_rtt = shared.base_rtt(&ends, access_lane, events.now);
    let start = shared.start(events.now, shared.scenario.transport.initial_window, 0, source, transfer);
    let controller = shared.configs[usize::from(opening.algorithm)].start(&start);
    // Sequence numbers go on where the last flow of the slot ended; the SYN takes one.
    let syn = senders.next_number(slot);
    let mut flow = Flow {
        state: FlowState::Connecting,
        algorithm: opening.algorithm,
        pair_class: class as u8,
        origin,
        receiver,
        target: ends.target,
        id,
        access_router,
        access_lane,
        delays_sends: opening.delays_sends,
        is_delayed: shared.network.delays(origin.index(), receiver.index(), events.now),
        is_fed: opening.is_fed,
        notes_sends: opening.is_fed || shared.logs_packets_of(opening.source),
        is_asked_for: opening.is_asked_for,
        base: syn + 1,
        end: u64::MAX,
        board: Scoreboard::new(syn + 1),
        rtt: RttEstimator::new(shared.rto.initial),
        timing: shared.rto.timing(shared.clock_phase(source, transfer)),
        interface_time: picos(1.0 / opening.rate),
        base_rtt,
        rtt_class: rtt_class(base_rtt),
        timed_out: u64::MAX,
        source,
        home: opening.home,
        transfer,
        category: opening.category,
        started: events.now,
        heard: events.now,
        ..Flow::free(controller)
    };
    if let Some(size) = opening.size {
        flow.resize(size);
    }
    if shared.is_stack(opening.algorithm) {
        stacks.begin(shared, events, &mut flow, slot);
        books.flow_begins(slot, &flow);
        senders.begin(shared, events, slot, flow);
        stacks.start(events, books, slot);
        return slot;
    }
    answering.hosts.announce_opened(shared, events, &flow);
    books.flow_begins(slot, &flow);
    senders.begin(shared, events, slot, flow);
    parts.sender(slot).connect();
    slot
}

impl Sessions {
    /// Concludes from the outcome of an event of the flow in a slot.
    #[inline]
    pub fn conclude(&mut self, parts: &mut Parts, slot: u32, outcome: Outcome) {
        match outcome {
            Outcome::Nothing => {}
            Outcome::Completed => self.complete(parts, slot),
            Outcome::Delivered => self.feed_player(slot, parts),
            Outcome::Aborted => {
                let counters = &mut parts.books.counters;
                match parts.senders.flows[slot as usize].state {
                    FlowState::Connecting => counters.failures += 1,
                    _ => counters.aborted += 1,
                }
                self.close(parts, slot, false);
            }
            Outcome::GaveUp => {
                parts.books.counters.failures += 1;
                self.close(parts, slot, false);
            }
        }
    }

    /// Every segment has been acknowledged.
    pub fn complete(&mut self, parts: &mut Parts, slot: u32) {
        let flow = &parts.senders.flows[slot as usize];
        let counters = &mut parts.books.counters;
        counters.completed += 1;
        counters.completed_size += flow.end - flow.base;
        counters.completed_sent += flow.sent;
        self.close(parts, slot, true);
    }

    /// The flow ends, and its slot is free; the source thinks.
    pub fn close(&mut self, parts: &mut Parts, slot: u32, completed: bool) {
        let Parts { shared, events, books, senders, answering, stacks } = parts;
        stacks.end(shared, events.now, senders, books, (slot, completed));
        let flow = &senders.flows[slot as usize];
        let (home, category, delivered) = (flow.home, flow.category, flow.delivered);
        books.flow_ends(shared, events.now, slot, flow, completed);
        if !shared.is_stack(flow.algorithm) {
            answering.hosts.announce_ended(shared, events, flow);
        }
        senders.end(shared, events.now, slot);
        if category == EXPLICIT {
            let explicit = &mut self.explicit[home as usize - self.sources.len()];
            explicit.slot = None;
            explicit.delivered = delivered;
            return;
        }
        if category == ARRIVAL {
            return;
        }
        let source = self.sources[home as usize];
        let think = shared.population.think(source.number, u64::from(source.transfers));
        events.arm(events.now + think, code::SOURCE | u64::from(home));
    }
}
