//! Connections: sources that begin a transfer, SYNs and their retries, flows that end.

use super::{Simulation, code};
use crate::engine::Segment;
use crate::measure::PairClass;
use crate::network::RouterClass;
use crate::network::build::picos;
use crate::random::{Purpose, Stream};
use crate::transport::{Flow, FlowState, OFF, Recovery, RttEstimator, Scoreboard};
use crate::users::files::EXPLICIT;
use mesonet_cc::{Picos, SECOND, Start};

/// Data timeout after a SYN had to be repeated (RFC 6298, 5.7).
const RTO_AFTER_SYN_RETRY: Picos = 3 * SECOND;

/// Largest file, segments: more than any run delivers, and sequence numbers cannot overflow (a chosen bound; products of
/// size factors could exceed it).
const LARGEST_SIZE: u64 = 1 << 50;

/// Lanes of one flow whose source is some way from its access router.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnLanes {
    /// From the source to its access router.
    pub access: u16,
    /// From the receiver back to the source.
    pub acks: u16,
}

/// A flow about to connect.
pub(super) struct Opening {
    pub source: u32,
    pub transfer: u64,
    pub category: u8,
    pub algorithm: u8,
    pub origin: u16,
    pub receiver: u16,
    /// None sends to the end of the run.
    pub size: Option<u64>,
    pub rate: f64,
    /// Lanes of its own, if its source is some way from the access router.
    pub own: Option<OwnLanes>,
    /// Its sender waits before it reacts.
    pub delays_sends: bool,
}

impl Simulation {
    /// A source has thought enough.
    pub(super) fn start_transfer(&mut self, source: u32) {
        let s = &mut self.population.sources[source as usize];
        let k = u64::from(s.transfers);
        s.transfers += 1;
        let (origin, algorithm) = (s.access, s.algorithm);
        let region = self.network.region_of(usize::from(origin));
        let transfer = self.population.transfer(source, k, region);
        let slot = self.open(&Opening {
            source,
            transfer: k,
            category: transfer.category,
            algorithm,
            origin,
            receiver: transfer.receiver,
            size: Some(self.jumbo(transfer.size, origin, transfer.receiver)),
            rate: transfer.rate,
            own: None,
            delays_sends: false,
        });
        if self.population.sources[source as usize].impatient {
            self.arm_patience(slot);
        }
    }

    /// The size of a file that is fetched now: larger on very fast paths in the jumbo period (X9).
    fn jumbo(&self, size: u64, origin: u16, receiver: u16) -> u64 {
        let users = &self.scenario.users;
        let ends = [origin, receiver].map(|access| self.network.class_of(usize::from(access)));
        let period = self.period(self.now + 1).map_or(0, |p| p as u32 + 1);
        if users.jumbo_period == 0 || period != users.jumbo_period || ends != [RouterClass::Direct; 2] {
            return size;
        }
        (size as f64 * users.jumbo_factor).round() as u64
    }

    /// Takes a slot and sends the first SYN.
    pub(super) fn open(&mut self, opening: &Opening) -> u32 {
        let slot = self.free.pop().unwrap_or(self.flows.len() as u32);
        let (origin, receiver) = (usize::from(opening.origin), usize::from(opening.receiver));
        let ack_lane = opening.own.map_or_else(|| self.network.ack_lane(receiver, origin), |own| own.acks);
        let extra = opening.own.map_or(0, |own| self.network.lanes[usize::from(own.access)].delay);
        let seed = self.control_seed(opening.source, opening.transfer);
        let start = self.start(self.scenario.transport.initial_window, 0, seed);
        let controller = self.configs[usize::from(opening.algorithm)].start(&start);
        // Sequence numbers go on where the last flow of the slot ended; the SYN takes one.
        let syn = self.flows.get(slot as usize).map_or(0, |f| f.board.next());
        let class = PairClass::of(self.network.class_of(origin), self.network.class_of(receiver));
        let flow = Flow {
            state: FlowState::Connecting,
            algorithm: opening.algorithm,
            pair_class: class as u8,
            origin: opening.origin,
            receiver: opening.receiver,
            ack_lane,
            access_lane: opening.own.map(|own| own.access),
            delays_sends: opening.delays_sends,
            base: syn + 1,
            end: opening.size.map_or(u64::MAX, |size| syn + 1 + size.min(LARGEST_SIZE)),
            board: Scoreboard::new(syn + 1),
            rtt: RttEstimator::new(self.limits.initial),
            interface_time: picos(1.0 / opening.rate),
            base_rtt: self.network.round_trip(origin, receiver) + 2 * extra,
            timed_out: u64::MAX,
            source: opening.source,
            transfer: opening.transfer,
            category: opening.category,
            started: self.now,
            ..Flow::free(controller)
        };
        if slot as usize == self.flows.len() {
            self.flows.push(flow);
            self.ack_lanes.push(ack_lane);
        } else {
            self.flows[slot as usize] = flow;
            self.ack_lanes[slot as usize] = ack_lane;
        }
        self.trace_opened(slot);
        if self.scenario.connection.establish {
            self.send_syn(slot);
        } else {
            self.established(slot, None);
        }
        slot
    }

    /// Names the random numbers of the congestion control of one transfer.
    fn control_seed(&self, source: u32, transfer: u64) -> u64 {
        Stream::new(self.seed, Purpose::Control, u64::from(source), transfer).bits()
    }

    fn start(&self, initial_window: f64, rtt: Picos, seed: u64) -> Start {
        Start {
            now: self.now,
            initial_window,
            initial_ssthresh: self.scenario.transport.initial_ssthresh,
            slow_start: self.scenario.slow_start(),
            rtt,
            seed,
        }
    }

    /// Sends a SYN and waits for its answer, twice as long each time.
    fn send_syn(&mut self, slot: u32) {
        let flow = &mut self.flows[slot as usize];
        // No wait needs to reach beyond the end of the run.
        let wait =
            picos(self.scenario.connection.syn_timeout).saturating_mul(1 << flow.syns).min(self.end + 1);
        flow.syns += 1;
        flow.deadline = self.now + wait;
        let deadline = flow.deadline;
        let segment = Segment::new(self.now, slot, flow.base.wrapping_sub(1) as u32, flow.receiver);
        self.watch(slot, deadline);
        self.counters.entering += 1;
        self.inject(segment);
    }

    /// No answer to the last SYN.
    pub(super) fn syn_expired(&mut self, slot: u32) {
        if self.flows[slot as usize].syns < self.scenario.connection.syn_attempts {
            self.send_syn(slot);
            return;
        }
        self.counters.failures += 1;
        self.close(slot, false);
    }

    /// The SYN was answered after `rtt`; none where flows begin without one.
    pub(super) fn established(&mut self, slot: u32, rtt: Option<Picos>) {
        let retried = self.flows[slot as usize].syns > 1;
        let window = if retried {
            self.scenario.connection.window_after_retry
        } else {
            self.scenario.transport.initial_window
        };
        let (source, transfer) = (self.flows[slot as usize].source, self.flows[slot as usize].transfer);
        let measured = rtt.filter(|_| !retried).unwrap_or(0);
        let start = self.start(window, measured, self.control_seed(source, transfer));
        let flow = &mut self.flows[slot as usize];
        let algorithm = usize::from(flow.algorithm);
        flow.state = FlowState::Sending;
        flow.controller = self.configs[algorithm].start(&start);
        flow.round_end = flow.base;
        flow.deadline = OFF;
        if retried {
            flow.rtt.rto = flow.rtt.rto.max(RTO_AFTER_SYN_RETRY);
        } else if let Some(rtt) = rtt {
            flow.rtt.sample(rtt, &self.limits);
        }
        if self.configs[algorithm].wants_delivery_rate() {
            self.start_sampling(slot);
        }
        if !self.rules.is_plain() {
            self.start_repair(slot);
        }
        let flow = &mut self.flows[slot as usize];
        if let Some(period) = self.tick_period[algorithm] {
            flow.tick = self.now + period;
            let tick = flow.tick;
            self.arm(tick, code::TICK | u64::from(slot));
        }
        self.send_allowed(slot);
    }

    /// Every segment has been acknowledged.
    pub(super) fn complete(&mut self, slot: u32) {
        let flow = &self.flows[slot as usize];
        self.counters.completed += 1;
        self.counters.completed_size += flow.end - flow.base;
        self.counters.completed_sent += flow.sent;
        if let Some(period) = self.period(self.now) {
            let fast = self.is_fast(flow);
            self.groups.add(period, flow, fast, self.now);
        }
        self.close(slot, true);
    }

    /// Whether the flow runs at the fast interface rate.
    fn is_fast(&self, flow: &Flow) -> bool {
        flow.interface_time <= picos(1.0 / self.scenario.users.fast_interface)
    }

    /// Frees the slot; the source thinks.
    pub(super) fn close(&mut self, slot: u32, completed: bool) {
        let flow = &mut self.flows[slot as usize];
        flow.state = FlowState::Free;
        flow.recovery = Recovery::Open;
        flow.interface_armed = false;
        let (source, category, delivered) = (flow.source, flow.category, flow.delivered);
        let flow = &self.flows[slot as usize];
        self.records.add(flow, self.is_fast(flow), completed);
        self.free.push(slot);
        self.trace_closed(slot);
        if category == EXPLICIT {
            let index = source as usize - self.population.sources.len();
            self.explicit_slots[index] = None;
            self.explicit_delivered[index] = delivered;
            return;
        }
        let k = u64::from(self.population.sources[source as usize].transfers);
        let wake = self.now + self.population.think(source, k);
        self.arm(wake, code::SOURCE | u64::from(source));
    }

    /// Records the flows that the end of the run cut short.
    pub fn record_unfinished(&mut self) {
        for slot in 0..self.flows.len() {
            let flow = &self.flows[slot];
            if flow.state != FlowState::Free {
                self.records.add(flow, self.is_fast(flow), false);
            }
        }
    }
}
