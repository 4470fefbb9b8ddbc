//! Connections: sources that begin a transfer, SYNs and their retries, flows that end.

use super::code;
use super::domain::Domain;
use crate::engine::{FlowId, MOST_SLOTS, Segment};
use crate::fabric::OwnLanes;
use crate::measure::PairClass;
use crate::network::{AccessRouter, LaneId, RouterClass};
use crate::random::{Purpose, Stream};
use crate::transport::rtt::Sample;
use crate::transport::{Flow, FlowState, OFF, Recovery, RttEstimator, Scoreboard};
use crate::users::files::{ARRIVAL, EXPLICIT};
use mesonet_cc::picos;
use mesonet_cc::{FlowName, Picos, SECOND, Start};

/// Data timeout after a SYN had to be repeated (RFC 6298, 5.7).
const RTO_AFTER_SYN_RETRY: Picos = 3 * SECOND;

/// A flow about to connect.
pub(super) struct Opening {
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
    /// Its number among the flows with lanes of their own, and these, if its source is some way from the access router.
    pub own: Option<(usize, OwnLanes)>,
    /// Its sender waits before it reacts.
    pub delays_sends: bool,
    /// An application hands it its data.
    pub is_fed: bool,
}

impl Domain {
    /// A source has thought enough.
    pub(super) fn start_transfer(&mut self, home: u32) {
        let source = &mut self.sources[home as usize];
        let k = u64::from(source.transfers);
        source.transfers += 1;
        let source = *source;
        let origin = source.access;
        let transfer = self.shared.population.transfer(&source, k);
        let slot = self.open(&Opening {
            source: source.number,
            home,
            transfer: k,
            category: transfer.category,
            algorithm: source.algorithm,
            origin,
            receiver: transfer.receiver,
            size: Some(self.jumbo(transfer.size, self.now, origin, transfer.receiver)),
            rate: transfer.rate,
            own: None,
            delays_sends: false,
            is_fed: false,
        });
        if source.impatient {
            self.arm_patience(slot);
        }
        self.note_candidate(slot);
    }

    /// The size of a file that is fetched from `start` on: larger on very fast paths in the jumbo period (X9).
    pub(super) fn jumbo(&self, size: u64, start: Picos, origin: AccessRouter, receiver: AccessRouter) -> u64 {
        let users = &self.shared.scenario.users;
        let ends = [origin, receiver].map(|access| self.shared.network.class_of(access.index()));
        let period = self.shared.period(start + 1).map_or(0, |p| p as u32 + 1);
        if users.jumbo_period == 0 || period != users.jumbo_period || ends != [RouterClass::Direct; 2] {
            return size;
        }
        (size as f64 * users.jumbo_factor).round() as u64
    }

    /// Round-trip propagation delay now, of a flow with a lane of its own to its access router if it has one.
    pub(super) fn base_rtt(
        &self,
        origin: AccessRouter,
        receiver: AccessRouter,
        access_lane: Option<LaneId>,
    ) -> Picos {
        let network = &self.shared.network;
        let extra = access_lane.map_or(0, |lane| network.lanes[lane.index()].delay);
        network.round_trip_at(origin.index(), receiver.index(), self.now) + 2 * extra
    }

    /// Takes a slot and sends the first SYN.
    pub(super) fn open(&mut self, opening: &Opening) -> u32 {
        // The receiver of a flow that is watched knows the number of its first segment: the first one of a slot.
        let is_watched = opening.own.is_some_and(|(_, own)| own.receiver.is_watched);
        let (slot, is_new) = self.slots.take(&self.shared, opening.origin, is_watched);
        let (origin, receiver) = (opening.origin, opening.receiver);
        let network = &self.shared.network;
        let access_lane = opening.own.map(|(_, own)| own.access);
        let base_rtt = self.base_rtt(origin, receiver, access_lane);
        let id = match opening.own {
            None => self.slots.name(network.group_of(origin.index()), slot),
            Some((number, _)) => {
                self.own_slots[number] = slot;
                FlowId::own(number)
            }
        };
        assert!((slot as usize) < MOST_SLOTS, "more sources in a domain than were checked");
        let class = PairClass::of(network.class_of(origin.index()), network.class_of(receiver.index()));
        let access_router = self.shared.domains.router[network.access[origin.index()]];
        let seed = self.control_seed(opening.source, opening.transfer);
        let name = FlowName { source: opening.source, transfer: opening.transfer };
        let start = self.start(self.shared.scenario.transport.initial_window, 0, seed, name);
        let controller = self.shared.configs[usize::from(opening.algorithm)].start(&start);
        // Sequence numbers go on where the last flow of the slot ended; the SYN takes one.
        let syn = self.flows.get(slot as usize).map_or(0, |f| f.board.next());
        let mut flow = Flow {
            state: FlowState::Connecting,
            algorithm: opening.algorithm,
            pair_class: class as u8,
            origin: opening.origin,
            receiver: opening.receiver,
            id,
            access_router,
            access_lane,
            delays_sends: opening.delays_sends,
            is_fed: opening.is_fed,
            base: syn + 1,
            end: u64::MAX,
            board: Scoreboard::new(syn + 1),
            rtt: RttEstimator::new(self.shared.rto.initial),
            timing: self.shared.rto.timing(self.clock_phase(opening.source, opening.transfer)),
            interface_time: picos(1.0 / opening.rate),
            base_rtt,
            timed_out: u64::MAX,
            source: opening.source,
            home: opening.home,
            transfer: opening.transfer,
            category: opening.category,
            started: self.now,
            heard: self.now,
            ..Flow::free(controller)
        };
        if let Some(size) = opening.size {
            flow.resize(size);
        }
        if is_new {
            self.flows.push(flow);
            self.add_origin(opening.origin);
        } else {
            self.flows[slot as usize] = flow;
        }
        self.announce_opened(slot);
        self.trace_opened(slot);
        if self.shared.scenario.connection.establish {
            self.send_syn(slot);
        } else {
            self.established(slot, None);
        }
        slot
    }

    /// Names the random numbers of the congestion control of one transfer.
    fn control_seed(&self, source: u32, transfer: u64) -> u64 {
        Stream::new(self.shared.seed, Purpose::Control, u64::from(source), transfer).bits()
    }

    /// Time from a tick of a host's coarse clock to the start of the run.
    fn clock_phase(&self, source: u32, transfer: u64) -> Picos {
        match self.shared.rto.tick {
            0 => 0,
            tick => {
                let mut stream = Stream::new(self.shared.seed, Purpose::Clock, u64::from(source), transfer);
                (stream.uniform() * tick as f64) as Picos
            }
        }
    }

    fn start(&self, initial_window: f64, rtt: Picos, seed: u64, flow: FlowName) -> Start {
        Start {
            now: self.now,
            initial_window,
            initial_ssthresh: self.shared.scenario.transport.initial_ssthresh,
            slow_start: self.shared.scenario.slow_start(),
            rtt,
            seed,
            flow,
        }
    }

    /// Sends a SYN and waits for its answer, twice as long each time.
    fn send_syn(&mut self, slot: u32) {
        let flow = &mut self.flows[slot as usize];
        // No wait needs to reach beyond the end of the run.
        let wait = picos(self.shared.scenario.connection.syn_timeout)
            .saturating_mul(1 << flow.syns)
            .min(self.shared.end + 1);
        flow.syns += 1;
        flow.deadline = self.now + wait;
        let deadline = flow.deadline;
        let mut segment =
            Segment::new(self.now, flow.id, flow.base.wrapping_sub(1) as u32, flow.receiver.index());
        if flow.syns > 1 {
            segment = segment.copy();
        }
        // A repeated SYN is Not-ECT: hops may drop what they do not expect (draft-ietf-tcpm-generalized-ecn, 3.2.1).
        if flow.syns == 1 && self.shared.marking && self.shared.scenario.connection.ecn {
            segment = self.shared.with_codepoint(segment, usize::from(flow.algorithm), false);
        }
        self.watch(slot, deadline);
        self.counters.entering += 1;
        self.inject(slot, segment.words());
    }

    /// No answer to the last SYN.
    pub(super) fn syn_expired(&mut self, slot: u32) {
        if self.flows[slot as usize].syns < self.shared.scenario.connection.syn_attempts {
            self.send_syn(slot);
            return;
        }
        self.counters.failures += 1;
        self.close(slot, false);
    }

    /// The SYN-ACK has arrived; none where flows begin without a SYN.
    pub(super) fn established(&mut self, slot: u32, syn_ack: Option<[u64; 2]>) {
        let syn_ack = syn_ack.map(|words| Segment::from_words(self.now, words));
        let retried = self.flows[slot as usize].syns > 1;
        let rtt = syn_ack.map(|segment| segment.age(self.now));
        // A mark counts as a loss (RFC 5562, section 3.2, of SYN-ACKs; draft-ietf-tcpm-generalized-ecn, of SYNs).
        let window = if retried || syn_ack.is_some_and(|segment| segment.is_marked()) {
            self.shared.scenario.connection.window_after_retry
        } else {
            self.shared.scenario.transport.initial_window
        };
        let (source, transfer) = (self.flows[slot as usize].source, self.flows[slot as usize].transfer);
        let measured = rtt.filter(|_| !retried).unwrap_or(0);
        let name = FlowName { source, transfer };
        let start = self.start(window, measured, self.control_seed(source, transfer), name);
        let flow = &mut self.flows[slot as usize];
        let algorithm = usize::from(flow.algorithm);
        flow.state = FlowState::Sending;
        flow.controller = self.shared.configs[algorithm].start(&start);
        flow.round_end = flow.base;
        flow.deadline = OFF;
        if retried {
            flow.rtt.rto = flow.rtt.rto.max(RTO_AFTER_SYN_RETRY);
        } else if let Some(rtt) = rtt {
            // The SYN is one segment of its own.
            let (now, base) = (self.now, flow.base);
            flow.rtt.see(rtt);
            if let Some(timing) = &mut flow.timing {
                timing.sent(base - 1, now - rtt);
            }
            let sample = Sample { now, rtt, una: base, next: base };
            flow.rtt.acknowledged(flow.timing.as_deref_mut(), &sample, &self.shared.rto);
        }
        if self.shared.configs[algorithm].wants_delivery_rate() {
            self.start_sampling(slot);
        }
        if !self.shared.rules.is_plain() {
            self.start_repair(slot);
        }
        if self.shared.acks.is_some() {
            self.start_receiving(slot);
        }
        let flow = &mut self.flows[slot as usize];
        if let Some(period) = self.shared.tick_period[algorithm] {
            flow.tick = self.now + period;
            let tick = flow.tick;
            self.arm_flow(tick, code::TICK, slot);
        }
        self.send_allowed(slot);
    }

    /// Every segment has been acknowledged.
    pub(super) fn complete(&mut self, slot: u32) {
        let flow = &self.flows[slot as usize];
        self.counters.completed += 1;
        self.counters.completed_size += flow.end - flow.base;
        self.counters.completed_sent += flow.sent;
        self.close(slot, true);
    }

    /// Frees the slot; the source thinks.
    pub(super) fn close(&mut self, slot: u32, completed: bool) {
        self.ended(slot, completed);
        self.announce_ended(slot);
        let flow = &mut self.flows[slot as usize];
        flow.state = FlowState::Free;
        flow.recovery = Recovery::Open;
        flow.interface_armed = false;
        let (home, category, delivered, origin) = (flow.home, flow.category, flow.delivered, flow.origin);
        self.slots.release(&self.shared, origin, slot);
        self.forget_dropped_acks(slot);
        self.trace_closed(slot);
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
        let think = self.shared.population.think(source.number, u64::from(source.transfers));
        self.arm(self.now + think, code::SOURCE | u64::from(home));
    }
}
