//! One end of a connection between stacks: the stack, and the host that gives it a processor and an
//! interface.
//!
//! A call takes the processor for a time that is a constant of the stack: of one datagram that arrives, or of
//! a batch that leaves. What has left the processor leaves the interface at its rate, and reaches the access
//! router after the extra delay of the flow.

use super::payloads::Payloads;
use crate::engine::{FlowId, Segment};
use crate::network::DomainRouter;
use crate::simulation::code;
use crate::simulation::events::Events;
use crate::stacks::{Datagram, Ecn, Endpoint, HANDLE_BITS, LARGEST_DATAGRAM};
use mesonet_cc::{MILLISECOND, Picos};
use std::collections::VecDeque;

/// Shortest time until a timer of a stack comes up again. Stacks count nanoseconds.
const NANOSECOND: Picos = MILLISECOND / 1_000_000;

/// Facts about a host that stay.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Its direction: the name of the flow of its packets.
    pub direction: u32,
    /// Access router at which they enter.
    pub router: DomainRouter,
    /// Target that they name.
    pub target: u16,
    /// Time of a call.
    pub call_time: Picos,
    /// Time that a packet of `unit` bytes occupies the interface.
    pub interface_time: Picos,
    /// Bytes of a data segment of the scenario.
    pub unit: u32,
    /// Delay to the access router, and back.
    pub extra_delay: Picos,
}

/// An end of a connection.
pub struct Host {
    pub place: Place,
    pub endpoint: Box<dyn Endpoint>,
    /// Packets that it sent, and that have not arrived.
    pub payloads: Payloads,
    /// When the processor is free.
    free: Picos,
    /// When the interface is.
    interface_free: Picos,
    /// Datagrams that wait for the processor, with the instants of their arrival.
    arrived: VecDeque<(Picos, Datagram)>,
    /// Packets that have not entered the access router, with the instants at which they do.
    leaving: VecDeque<(Picos, Segment)>,
    /// It may have datagrams to send.
    may_send: bool,
    /// Instant of the earliest timer entry.
    armed: Picos,
    batch: Vec<Datagram>,
    /// Packets and bytes sent, headers included.
    pub sent: (u64, u64),
    /// Of these, packets that were dropped.
    pub dropped: u64,
}

impl Host {
    pub fn new(place: Place, endpoint: Box<dyn Endpoint>) -> Self {
        Self {
            place,
            endpoint,
            payloads: Payloads::default(),
            free: 0,
            interface_free: 0,
            arrived: VecDeque::new(),
            leaving: VecDeque::new(),
            may_send: true,
            armed: Picos::MAX,
            batch: Vec::new(),
            sent: (0, 0),
            dropped: 0,
        }
    }

    /// A datagram has left the access router for this host.
    pub fn arrive(&mut self, now: Picos, datagram: Datagram) {
        self.arrived.push_back((now + self.place.extra_delay, datagram));
    }

    /// A timer entry for `time` came up: returns whether it is not one that an earlier one replaced.
    pub fn expires(&mut self, time: Picos) -> bool {
        let is_right = self.armed == time;
        if is_right {
            self.armed = Picos::MAX;
        }
        is_right
    }

    /// The stack may have something to send.
    pub fn wake(&mut self) {
        self.may_send = true;
    }

    /// Does what is due now, and arms what comes next. Returns the number of packets that entered the
    /// network.
    pub fn run(&mut self, events: &mut Events) -> u64 {
        let now = events.now;
        let mut entered = self.enter(now, events);
        while self.free <= now {
            if let Some((_, datagram)) = due(&mut self.arrived, now) {
                self.call(now);
                self.endpoint.receive(now, datagram);
                self.may_send = true;
            } else if self.endpoint.next_timeout().is_some_and(|at| at <= now)
                && self.armed != now + NANOSECOND
            {
                self.endpoint.timer(now);
                self.may_send = true;
                // A stack that does not move its timer gets no second call at an instant.
                if self.endpoint.next_timeout().is_some_and(|at| at <= now) {
                    self.arm(now + NANOSECOND, events);
                }
            } else if std::mem::take(&mut self.may_send) {
                self.endpoint.drain(now, &mut self.batch);
                if !self.batch.is_empty() {
                    self.may_send = true;
                    self.call(now);
                    self.send(now);
                }
            } else {
                break;
            }
        }
        entered += self.enter(now, events);
        let free = self.free.max(now);
        let next = [
            self.leaving.front().map(|(at, _)| *at),
            self.arrived.front().map(|(at, _)| (*at).max(free)),
            self.endpoint.next_timeout().map(|at| at.max(free).max(now + NANOSECOND)),
            self.may_send.then_some(free),
        ];
        if let Some(next) = next.into_iter().flatten().min() {
            self.arm(next, events);
        }
        entered
    }

    fn arm(&mut self, at: Picos, events: &mut Events) {
        if at < self.armed {
            self.armed = at;
            events.arm(at, code::STACK | u64::from(self.place.direction));
        }
    }

    /// A call takes the processor from now on.
    fn call(&mut self, now: Picos) {
        self.free = now + self.place.call_time;
    }

    /// The batch leaves the processor when its call is over, then the interface.
    fn send(&mut self, now: Picos) {
        let leaves = now + self.place.call_time;
        let mut batch = std::mem::take(&mut self.batch);
        for datagram in batch.drain(..) {
            let bytes = datagram.payload.len() as u32 + datagram.headers;
            assert!(bytes <= LARGEST_DATAGRAM, "a packet of {bytes} bytes; allowed: {LARGEST_DATAGRAM}");
            self.sent = (self.sent.0 + 1, self.sent.1 + u64::from(bytes));
            let time =
                u128::from(self.place.interface_time) * u128::from(bytes) / u128::from(self.place.unit);
            // A packet leaves when the interface takes it, as segments of built-in flows do.
            let at = leaves.max(self.interface_free);
            self.interface_free = at + time as Picos;
            let ecn = datagram.ecn;
            let Some(handle) = self.payloads.put(datagram) else {
                // More packets are under way than a queue of a host holds.
                self.dropped += 1;
                continue;
            };
            let at = at + self.place.extra_delay;
            let flow = FlowId::stack(self.place.direction);
            let sequence = bytes << HANDLE_BITS | handle;
            let segment = Segment::new(at, flow, sequence, usize::from(self.place.target));
            // Marked as a copy, so that its departure is part of its name: numbers begin again.
            self.leaving.push_back((at, segment.copy().with_ecn_bits(ecn.bits())));
        }
        self.batch = batch;
    }

    /// Packets whose instant has come enter the access router.
    fn enter(&mut self, now: Picos, events: &mut Events) -> u64 {
        let mut entered = 0;
        while let Some((_, segment)) = due(&mut self.leaving, now) {
            entered += 1;
            events.fabric.enter(now, self.place.router, segment);
        }
        entered
    }

    /// The payload of a packet that it sent, which arrives as `segment` shows.
    pub fn take(&mut self, segment: &Segment) -> Option<Datagram> {
        let datagram = self.payloads.take(handle(segment.sequence))?;
        Some(Datagram { ecn: Ecn::of_bits(segment.ecn_bits()), ..datagram })
    }
}

/// Takes the first of a queue whose instant has come.
fn due<T>(queue: &mut VecDeque<(Picos, T)>, now: Picos) -> Option<(Picos, T)> {
    if queue.front()?.0 <= now { queue.pop_front() } else { None }
}

/// Number of a payload in a sequence number.
pub fn handle(sequence: u32) -> u32 {
    sequence & ((1 << HANDLE_BITS) - 1)
}
