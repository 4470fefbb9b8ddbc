//! Receivers that delay acknowledgements which pass routers: what they hold back never enters a router.
//!
//! Such a receiver decides where it is, in the domain of its access router, from what has arrived there.
//! Updates of a connection come from the domain of the source before the first segment can arrive, when its
//! last segment becomes another one, and when the source has ended it. All take effect at instants that do
//! not depend on how the network is divided: a connection begins with the first segment that is not of an
//! earlier one, and changes and ends the lookahead after its source did.

use crate::engine::Segment;
use crate::network::DomainId;
use crate::simulation::code;
use crate::simulation::events::Events;
use crate::simulation::sending::{Missed, Senders};
use crate::simulation::shared::Shared;
use crate::transport::arrived::Arrived;
use crate::transport::receiver::{Arrival, Decision, Receiver};
use crate::transport::{Flow, OFF};
use mesonet_cc::Picos;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The receivers of a domain that delay acknowledgements.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Hosts {
    by_key: BTreeMap<ReceiverKey, Host>,
    /// Updates for the receivers of other domains, with the domain.
    #[serde(skip)]
    pub elsewhere: Vec<(DomainId, Update)>,
}

/// Identifies a receiver by flow and target: flows of a slot may have different receivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct ReceiverKey {
    flow: u32,
    target: u16,
}

impl ReceiverKey {
    fn of(flow: &Flow) -> Self {
        Self { flow: flow.id.0, target: flow.target }
    }

    /// The code of its timer. It does not depend on how the network is divided.
    fn code(self) -> u64 {
        code::RECEIVER | (u64::from(self.flow) << 16) | u64::from(self.target)
    }

    fn of_code(code: u64) -> Self {
        Self { flow: (code >> 16) as u32, target: code as u16 }
    }
}

/// Update of a connection from the domain of its source.
#[derive(Clone, Debug)]
pub struct Update(ReceiverKey, ConnectionEvent);

#[derive(Clone, Debug)]
enum ConnectionEvent {
    Opens(Box<Connection>),
    /// Its last segment is another one, from an instant on: the number after that.
    Changes(u64, Picos),
    /// From this instant on nothing of it matters.
    Ends(Picos),
}

/// The receiver of the flows in a slot.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Host {
    now: Option<Connection>,
    /// Later ones in turn. Each begins with the first segment that is not of an earlier one.
    coming: Vec<Connection>,
    /// When the timer entry comes up that watches what is held; [`OFF`] where none does.
    watched: Picos,
}

impl Default for Host {
    fn default() -> Self {
        Self { now: None, coming: Vec::new(), watched: OFF }
    }
}

impl Host {
    /// The last connection that was opened.
    fn last(&mut self) -> Option<&mut Connection> {
        self.coming.last_mut().or(self.now.as_mut())
    }

    /// The connection of a segment that arrives.
    fn of(&mut self, sequence: u32) -> Option<&mut Connection> {
        if let Some(last) = self.coming.iter().rposition(|connection| connection.has(sequence)) {
            self.now = self.coming.drain(..=last).next_back();
        }
        self.now.as_mut()
    }

    /// When to arm a timer entry so that one comes up when what is held is to be acknowledged, or before;
    /// none is needed where one does.
    fn watch(&mut self) -> Option<Picos> {
        let at = self.now.as_ref().map_or(OFF, |connection| connection.receiver.timer);
        if at >= self.watched {
            return None;
        }
        self.watched = at;
        Some(at)
    }
}

/// A connection as its receiver knows it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Connection {
    /// Number of its first segment.
    base: u64,
    /// The number after that of its last segment.
    end: u64,
    /// The number after its last segment from an instant on; [`OFF`] where it stays.
    then: (u64, Picos),
    /// Propagation delay back to the source when it opened.
    way_back: Picos,
    arrived: Arrived,
    receiver: Receiver,
    /// When the source has ended it.
    over: Picos,
}

impl Hosts {
    /// A flow opens its connection.
    pub fn announce_opened(&mut self, shared: &Shared, events: &mut Events, flow: &Flow) {
        let Some(rules) = &shared.answers else { return };
        let mut receiver = Receiver::default();
        receiver.begin(rules);
        let connection = Connection {
            base: flow.base,
            end: if flow.is_fed { u64::MAX } else { flow.end },
            then: (u64::MAX, OFF),
            way_back: flow.base_rtt / 2,
            arrived: Arrived::new(flow.base),
            receiver,
            over: OFF,
        };
        self.announce(shared, events, flow, ConnectionEvent::Opens(Box::new(connection)));
    }

    /// A flow has ended.
    pub fn announce_ended(&mut self, shared: &Shared, events: &mut Events, flow: &Flow) {
        if shared.answers.is_some() {
            let at = events.now + shared.spreading;
            self.announce(shared, events, flow, ConnectionEvent::Ends(at));
        }
    }

    /// A flow has another end than when it opened. Between windows,
    /// [`crate::simulation::windows::exchange_updates`] has to hand that over.
    pub fn announce_end(&mut self, shared: &Shared, events: &mut Events, flow: &Flow) {
        if shared.answers.is_some() {
            let from = events.now + shared.spreading;
            self.announce(shared, events, flow, ConnectionEvent::Changes(flow.end, from));
        }
    }

    fn announce(&mut self, shared: &Shared, events: &mut Events, flow: &Flow, event: ConnectionEvent) {
        let update = Update(ReceiverKey::of(flow), event);
        let home = shared.domain_of(flow.receiver);
        if home == events.number {
            self.take_update(events, update);
        } else {
            self.elsewhere.push((home, update));
        }
    }

    /// Update of a connection to a receiver that is here.
    pub fn take_update(&mut self, events: &mut Events, Update(key, event): Update) {
        match event {
            ConnectionEvent::Opens(connection) => {
                self.by_key.entry(key).or_default().coming.push(*connection);
            }
            ConnectionEvent::Changes(end, from) => {
                self.change(events, key, from, |connection| connection.then = (end, from));
            }
            ConnectionEvent::Ends(at) => self.change(events, key, at, |connection| connection.over = at),
        }
    }

    /// Changes the last connection of a receiver, and looks at that when the change takes effect.
    fn change(
        &mut self,
        events: &mut Events,
        key: ReceiverKey,
        at: Picos,
        change: impl FnOnce(&mut Connection),
    ) {
        if let Some(connection) = self.by_key.get_mut(&key).and_then(Host::last) {
            change(connection);
            events.arm(at, key.code());
        }
    }

    /// A segment reaches a receiver that is here.
    #[inline(never)]
    pub fn reach(&mut self, shared: &Shared, events: &mut Events, senders: &mut Senders, segment: [u64; 2]) {
        let segment = Segment::from_words(events.now, segment);
        let key = ReceiverKey { flow: segment.flow.0, target: segment.target() as u16 };
        let decision = self.decide(shared, events, key, segment);
        decision.carry_out(segment, |together| answer(shared, events, senders, key, together));
    }

    /// Decides which acknowledgements a segment causes.
    fn decide(
        &mut self,
        shared: &Shared,
        events: &mut Events,
        key: ReceiverKey,
        segment: Segment,
    ) -> Decision {
        let alone = Decision::Apart(None);
        let rules = &shared.answers.expect("receivers delay acknowledgements");
        let now = events.now;
        let Some(host) = self.by_key.get_mut(&key) else { return alone };
        let Some(connection) = host.of(segment.sequence).filter(|connection| now < connection.over) else {
            return alone;
        };
        let sequence = connection.arrived.expand(segment.sequence);
        if sequence < connection.base {
            return alone; // A SYN, or of an earlier flow.
        }
        let Connection { end, then, way_back, arrived, receiver, .. } = connection;
        if then.1 <= now {
            *end = then.0;
        }
        let (missing, has_gap) = (arrived.missing(), arrived.has_gap());
        // The way there now, and the shortest one back.
        let round_trip = segment.age(now) + *way_back;
        let arrival = Arrival {
            segment,
            sequence,
            missing,
            has_gap,
            is_known: !arrived.add(sequence),
            is_last: sequence + 1 >= *end,
            round_trip,
            took: round_trip,
        };
        let decision = receiver.decide(&arrival, now, rules);
        if let Some(at) = host.watch() {
            events.arm(at, key.code());
        }
        decision
    }

    /// A timer entry of a receiver came up: something has been held for long enough, or its connection is
    /// over.
    pub fn due(
        &mut self,
        shared: &Shared,
        events: &mut Events,
        senders: &mut Senders,
        code: u64,
        time: Picos,
    ) {
        let key = ReceiverKey::of_code(code);
        let Some(host) = self.by_key.get_mut(&key) else { return };
        if host.watched == time {
            host.watched = OFF;
        }
        host.coming.retain(|connection| time < connection.over);
        host.now = host.now.take().filter(|connection| time < connection.over);
        let Some(connection) = &mut host.now else {
            if host.coming.is_empty() {
                self.by_key.remove(&key);
            }
            return;
        };
        let mut together = Vec::new();
        let (end, from) = connection.then;
        // The news that the last segment has arrived is acknowledged at once, as the end of a connection is.
        if connection.receiver.timer <= time || (from <= time && connection.arrived.missing() >= end) {
            together = connection.receiver.release_all();
        }
        if let Some(at) = host.watch() {
            events.arm(at, key.code());
        }
        answer(shared, events, senders, key, &together);
    }
}

/// Sends a single acknowledgement for these segments.
fn answer(
    shared: &Shared,
    events: &mut Events,
    senders: &mut Senders,
    key: ReceiverKey,
    segments: &[Segment],
) {
    let Some((last, held)) = segments.split_last() else { return };
    for segment in held {
        let missed = Missed { time: events.now, segment: *segment, answer: Some(*last) };
        senders.hand_missed(shared, events.number, missed);
    }
    let network = &shared.network;
    let access_router = network.access[network.targets.access(usize::from(key.target)).0];
    let queued = network.queued_acks.as_ref().expect("acknowledgements pass routers");
    let router = shared.domains.router[queued.access_router(access_router)];
    events.fabric.answer(events.now, router, *last);
}

impl Connection {
    /// Returns whether a segment belongs to this connection or a later one, not to an earlier one of its
    /// slot.
    fn has(&self, sequence: u32) -> bool {
        self.arrived.expand(sequence) + 1 >= self.base
    }
}
