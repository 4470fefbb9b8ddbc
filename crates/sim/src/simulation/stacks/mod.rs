//! Connections between whole transport stacks.
//!
//! Each is a flow in the books like others ([`Flow`]): it has a slot, and its fields take over what its
//! stacks show ([`Stacks::observe`]), before every look at the domains. Its packets are those of two
//! directions ([`crate::engine::FlowHome::Stack`]). The domain is the whole network.

mod host;
mod payloads;

use super::answering::Watched;
use super::books::Books;
use super::events::Events;
use super::sending::{Outcome, Senders};
use super::shared::Shared;
use crate::applications::Act;
use crate::engine::{MOST_STACK_FLOWS, Segment};
use crate::fabric::DroppedSegment;
use crate::measure::StackRow;
use crate::stacks::{self, Role, Setup, Supply};
use crate::transport::{Flow, FlowState};
use host::{Host, Place, handle};
use mesonet_cc::plugin::observed::Observed;
use mesonet_cc::{Picos, picos};
use std::collections::BTreeMap;
use std::fmt;

/// The connections of a domain.
#[derive(Default)]
pub struct Stacks {
    /// By number, of which the directions have twice that and the next.
    connections: BTreeMap<u32, Connection>,
    next: u32,
    /// Connections by slot of their flow.
    by_slot: BTreeMap<u32, u32>,
    /// Connections that ended.
    pub rows: Vec<StackRow>,
}

/// A connection.
struct Connection {
    slot: u32,
    /// The source, then the sink.
    hosts: [Host; 2],
    /// Number of its flow among those with lanes of their own, where the receiver of its application is
    /// watched.
    watched: Option<usize>,
    /// When the last packet that reached the sink had left.
    departure: Picos,
    /// Segments that its application has handed over.
    given: u64,
    /// Segments that its flow has taken over: read, delivered, and sent.
    read: u64,
    delivered: u64,
    sent: u64,
    /// Reductions that it has taken over, and needless ones.
    reductions: u64,
    spurious: u64,
}

impl fmt::Debug for Stacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stacks").field("connections", &self.connections.len()).finish_non_exhaustive()
    }
}

impl Clone for Stacks {
    /// # Panics
    ///
    /// If there are connections: stacks cannot be copied.
    fn clone(&self) -> Self {
        assert!(self.connections.is_empty(), "connections of stacks cannot be copied");
        Self { rows: self.rows.clone(), ..Self::default() }
    }
}

impl Stacks {
    /// The flow in a slot, which is one of a stack, begins.
    pub fn begin(&mut self, shared: &Shared, events: &mut Events, flow: &mut Flow, slot: u32) {
        let spec = shared.stacks[usize::from(flow.algorithm)].as_ref().expect("a stack");
        while self.connections.contains_key(&self.next) {
            self.next = (self.next + 1) % (MOST_STACK_FLOWS / 2);
        }
        let number = self.next;
        self.next = (self.next + 1) % (MOST_STACK_FLOWS / 2);
        let explicit = shared.explicit(flow);
        let unit = shared.network.bytes[0];
        let back = shared.target(flow.origin, flow.source, flow.transfer);
        let seed = shared.start(events.now, 1.0, 0, flow.source, flow.transfer).seed;
        let host = |role| {
            let is_source = role == Role::Source;
            let access = if is_source { flow.origin } else { flow.receiver };
            let extra_delay = explicit.filter(|_| is_source).map_or(0.0, |flow| flow.extra_delay);
            let place = Place {
                direction: 2 * number + u32::from(!is_source),
                router: shared.domains.router[shared.network.access[access.index()]],
                target: if is_source { flow.target } else { back },
                call_time: spec.call_time,
                interface_time: flow.interface_time,
                unit,
                extra_delay: picos(extra_delay),
            };
            let setup = Setup {
                role,
                now: events.now,
                size: (flow.end != u64::MAX).then(|| (flow.end - flow.base) * u64::from(unit)),
                is_fed: flow.is_fed,
                request: spec.request,
                mtu: spec.mtu,
                batch: spec.batch,
                seed: seed.wrapping_add(u64::from(!is_source)),
                constants: spec.constants.clone(),
            };
            Host::new(place, (spec.stack.make)(&setup))
        };
        let hosts = [Role::Source, Role::Sink].map(host);
        let watched = flow.is_fed.then(|| flow.source - shared.population.count);
        let connection = Connection {
            slot,
            hosts,
            watched: watched.and_then(|index| shared.own.binary_search_by_key(&index, |own| own.0).ok()),
            departure: 0,
            given: 0,
            read: 0,
            delivered: 0,
            sent: 0,
            reductions: 0,
            spurious: 0,
        };
        self.connections.insert(number, connection);
        self.by_slot.insert(slot, number);
    }

    /// Lets both ends of the flow in a slot act for the first time.
    pub fn start(&mut self, events: &mut Events, books: &mut Books, slot: u32) {
        let number = self.by_slot[&slot];
        for side in 0..2 {
            self.run(events, books, 2 * number + side);
        }
    }

    /// Returns whether the flow in a slot is one of a stack.
    pub fn has(&self, slot: u32) -> bool {
        self.by_slot.contains_key(&slot)
    }

    /// The application of the flow in a slot does something; none: it hands nothing more over.
    pub fn feed(&mut self, shared: &Shared, events: &mut Events, books: &mut Books, fed: (u32, Option<Act>)) {
        let (slot, act) = fed;
        let Some(number) = self.by_slot.get(&slot).copied() else { return };
        let Some(connection) = self.connections.get_mut(&number) else { return };
        let source = &mut connection.hosts[0];
        let supply = match act {
            None => None,
            Some(Act::Open) => Some(Supply::Endless),
            Some(Act::Close) => Some(Supply::Pause),
            Some(Act::Give(end)) => {
                let new = end - std::mem::replace(&mut connection.given, end);
                Some(Supply::Bytes(new * u64::from(shared.network.bytes[0])))
            }
        };
        match supply {
            Some(supply) => source.endpoint.supply(events.now, supply),
            None => source.endpoint.stop(events.now),
        }
        source.wake();
        self.run(events, books, 2 * number);
    }

    /// The receivers of applications hear what the sink of a direction has read.
    pub fn hear(
        &mut self,
        shared: &Shared,
        now: Picos,
        watched: &mut [Option<Box<Watched>>],
        direction: u32,
    ) {
        let Some(connection) = self.connections.get_mut(&(direction / 2)) else { return };
        let Some(receiver) = connection.watched.and_then(|own| watched[own].as_mut()) else { return };
        let read = connection.hosts[1].endpoint.read() / u64::from(shared.network.bytes[0]);
        let before = std::mem::replace(&mut connection.read, read);
        receiver.read(shared, before..read, now, connection.departure);
    }

    /// A packet reaches a stack. Returns the slot of its flow, with what follows for that.
    pub fn arrive(
        &mut self,
        shared: &Shared,
        events: &mut Events,
        senders: &mut Senders,
        books: &mut Books,
        packet: (u32, Segment),
    ) -> Option<(u32, Outcome)> {
        self.count_copies(events);
        let (direction, segment) = packet;
        let connection = self.connections.get_mut(&(direction / 2))?;
        let [source, sink] = &mut connection.hosts;
        let (from, to) = if direction % 2 == 0 { (source, sink) } else { (sink, source) };
        if direction % 2 == 0 {
            connection.departure = segment.departure(events.now);
        }
        let datagram = from.take(&segment)?;
        to.arrive(events.now, datagram);
        self.follow(shared, events, senders, books, direction ^ 1)
    }

    /// A timer entry of an end came up.
    pub fn due(
        &mut self,
        shared: &Shared,
        events: &mut Events,
        senders: &mut Senders,
        books: &mut Books,
        due: (u32, Picos),
    ) -> Option<(u32, Outcome)> {
        let (direction, time) = due;
        let connection = self.connections.get_mut(&(direction / 2))?;
        if !connection.hosts[(direction % 2) as usize].expires(time) {
            return None;
        }
        self.follow(shared, events, senders, books, direction)
    }

    /// Lets an end act. Returns the slot of its flow where the connection has ended.
    fn follow(
        &mut self,
        shared: &Shared,
        events: &mut Events,
        senders: &mut Senders,
        books: &mut Books,
        direction: u32,
    ) -> Option<(u32, Outcome)> {
        self.run(events, books, direction);
        let connection = self.connections.get_mut(&(direction / 2))?;
        let slot = connection.slot;
        let host = &connection.hosts[(direction % 2) as usize];
        let outcome = match host.endpoint.outcome()? {
            // Only the source knows that all has arrived.
            stacks::Outcome::Completed if direction % 2 == 1 => return None,
            stacks::Outcome::Completed => Outcome::Completed,
            stacks::Outcome::Aborted(_) => Outcome::Aborted,
        };
        let flow = &mut senders.flows[slot as usize];
        connection.observe(shared, flow, books);
        if outcome == Outcome::Completed {
            // It has delivered all of its size, or it was stopped.
            flow.end = flow.base + flow.delivered;
        }
        Some((slot, outcome))
    }

    fn run(&mut self, events: &mut Events, books: &mut Books, direction: u32) {
        if let Some(connection) = self.connections.get_mut(&(direction / 2)) {
            let entered = connection.hosts[(direction % 2) as usize].run(events);
            books.counters.entering += if direction % 2 == 0 { entered } else { 0 };
        }
    }

    /// Takes from the fabric the packets of which links made copies.
    fn count_copies(&mut self, events: &mut Events) {
        for copied in std::mem::take(events.fabric.copies()) {
            if let crate::engine::FlowHome::Stack(direction) = copied.flow.home() {
                if let Some(connection) = self.connections.get_mut(&(direction / 2)) {
                    connection.hosts[(direction % 2) as usize].payloads.copy(handle(copied.sequence));
                }
            }
        }
    }

    /// A packet of a direction was dropped. Returns the slot of its flow if it went from the source.
    pub fn count_drop(&mut self, events: &mut Events, direction: u32, drop: &DroppedSegment) -> Option<u32> {
        self.count_copies(events);
        let connection = self.connections.get_mut(&(direction / 2))?;
        let host = &mut connection.hosts[(direction % 2) as usize];
        host.payloads.take(handle(drop.sequence));
        host.dropped += 1;
        (direction % 2 == 0).then_some(connection.slot)
    }

    /// Lets all flows take over what their stacks show.
    pub fn observe(&mut self, shared: &Shared, senders: &mut Senders, books: &mut Books) {
        for connection in self.connections.values_mut() {
            connection.observe(shared, &mut senders.flows[connection.slot as usize], books);
        }
    }

    /// The flow in a slot ends, completed or not: its connection leaves a row, and its ends are gone.
    pub fn end(
        &mut self,
        shared: &Shared,
        now: Picos,
        senders: &mut Senders,
        books: &mut Books,
        end: (u32, bool),
    ) {
        let (slot, completed) = end;
        let Some(number) = self.by_slot.remove(&slot) else { return };
        let Some(mut connection) = self.connections.remove(&number) else { return };
        let flow = &mut senders.flows[slot as usize];
        connection.observe(shared, flow, books);
        self.rows.push(connection.row(now, flow, Some(completed)));
    }

    /// Rows of the connections that the end of the run cuts short.
    pub fn record_unfinished(&mut self, now: Picos, flows: &[Flow]) {
        for connection in self.connections.values_mut() {
            let row = connection.row(now, &flows[connection.slot as usize], None);
            self.rows.push(row);
        }
    }
}

impl Connection {
    /// The flow takes over what the stacks show.
    fn observe(&mut self, shared: &Shared, flow: &mut Flow, books: &mut Books) {
        let unit = f64::from(shared.network.bytes[0]);
        let [source, sink] = &mut self.hosts;
        let (seen, read, last_read) =
            (source.endpoint.stats(), sink.endpoint.read(), sink.endpoint.stats().last_read);
        let control = Observed {
            cwnd: seen.control.cwnd.map(|bytes| bytes / unit),
            ssthresh: seen.control.ssthresh.map(|bytes| bytes / unit),
            pacing_rate: seen.control.pacing_rate.map(|rate| rate / unit),
            bandwidth: seen.control.bandwidth / unit,
            ..seen.control
        };
        flow.controller.observe(&control);
        if let Some(connected) = seen.connected.filter(|_| flow.state == FlowState::Connecting) {
            flow.state = FlowState::Sending;
            (flow.first_sent, flow.heard) = (connected, connected);
        }
        flow.rtt.srtt = seen.rtt.unwrap_or(0);
        flow.initial_slow_start &= control.slow_start;
        let counters = &mut books.counters;
        let unit = u64::from(shared.network.bytes[0]);
        let delivered = read / unit;
        let new = delivered - self.delivered;
        self.delivered = delivered;
        flow.delivered += new;
        counters.delivered += new;
        counters.acked_by_class[usize::from(flow.pair_class)] += new;
        if read > 0 {
            flow.heard = last_read.max(flow.first_sent);
        }
        let sent = source.sent.1.div_ceil(unit);
        if seen.connected.is_some() {
            let new = sent - self.sent;
            self.sent = sent;
            flow.sent += new;
            counters.data_sent += new;
        }
        let reductions = seen.reductions.unwrap_or(0);
        let new = reductions - self.reductions;
        self.reductions = reductions;
        flow.loss_events += new as u32;
        counters.loss_events += new;
        let spurious = seen.spurious_reductions.unwrap_or(0);
        counters.spurious_recoveries += spurious - self.spurious;
        self.spurious = spurious;
    }

    /// The row of a connection; `completed` is none where the run ends before.
    fn row(&mut self, now: Picos, flow: &Flow, completed: Option<bool>) -> StackRow {
        let reason = self.hosts.iter().find_map(|host| match host.endpoint.outcome() {
            Some(stacks::Outcome::Aborted(reason)) => Some(reason.clone()),
            _ => None,
        });
        let [source, sink] = &mut self.hosts;
        let (seen, read, last_read) =
            (source.endpoint.stats(), sink.endpoint.read(), sink.endpoint.stats().last_read);
        let outcome = match (completed, &reason) {
            (Some(true), _) => "completed",
            (_, Some(_)) => "aborted",
            (Some(false), None) => "given up",
            (None, None) => "cut short",
        };
        StackRow {
            source: flow.source,
            transfer: flow.transfer,
            category: flow.category,
            algorithm: flow.algorithm,
            outcome,
            reason: reason.unwrap_or_default(),
            started: flow.started,
            connected: seen.connected,
            ended: now,
            bytes: read,
            last_read: (read > 0).then_some(last_read),
            packets: source.sent.0,
            answers: sink.sent.0,
            dropped: source.dropped,
            lost: seen.lost,
            reductions: seen.reductions,
            spurious_reductions: seen.spurious_reductions,
            rtt: seen.rtt,
            cwnd: seen.control.cwnd,
            bandwidth: Some(seen.control.bandwidth).filter(|rate| *rate > 0.0),
        }
    }
}
