//! A domain of the network: its parts, and which of them reacts to an event.

use super::answering::{Answering, take_arrivals};
use super::books::Books;
use super::code;
use super::events::Events;
use super::sending::{Outcome, Sender, Senders};
use super::sessions::{Members, Parts, Sessions};
use super::shared::Shared;
use super::stacks::Stacks;
use crate::engine::{FlowHome, Segment};
use crate::fabric::{Alarm, DroppedSegment, Event, EventKind, Fabric};
use crate::measure::Counters;
use crate::network::DomainId;
use crate::snapshot::{BadSnapshot, Passage};
use mesonet_cc::Picos;

/// A part of the network that advances alone. Its parts use only those before them.
#[derive(Clone, Debug)]
pub struct Domain {
    pub events: Events,
    pub books: Books,
    pub senders: Senders,
    pub answering: Answering,
    pub stacks: Stacks,
    pub sessions: Sessions,
}

impl Domain {
    /// A domain at its first instant.
    pub fn new(shared: &Shared, number: DomainId, fabric: Fabric, members: Members) -> Self {
        let users = &shared.scenario.users;
        let mut domain = Self {
            events: Events::new(number, fabric, [users.normal_interface, users.fast_interface]),
            books: Books::new(shared, number, &members.sources),
            senders: Senders::new(shared, number),
            answering: Answering::new(shared, number),
            stacks: Stacks::default(),
            sessions: Sessions::new(shared, members),
        };
        domain.session(shared, |sessions, parts| sessions.arm_start(parts));
        domain
    }

    /// Everything that happens before `limit`.
    pub fn run(&mut self, shared: &Shared, limit: Picos) {
        while let Some(Event { time: _, kind, segment }) = self.events.next(limit) {
            match kind {
                EventKind::Acknowledgement => self.acknowledged(shared, segment),
                EventKind::Arrival => {
                    let Self { events, senders, answering, .. } = self;
                    answering.hosts.reach(shared, events, senders, segment.words());
                }
                EventKind::Packet => self.packet(shared, segment.words()),
                EventKind::Alarm(Alarm::Timer) => self.timer(shared),
                EventKind::Alarm(Alarm::Interface(queue)) => self.interface(shared, queue),
            }
        }
    }

    #[inline(always)]
    fn acknowledged(&mut self, shared: &Shared, segment: Segment) {
        self.senders.fetch_for_ack(|| self.events.fabric.upcoming());
        if shared.queued_acks() && !self.events.fabric.dropped_acks().is_empty() {
            self.senders.take_dropped_acks(shared, &mut self.events);
        }
        let slot = self.senders.slot(segment.flow);
        let outcome = self.sender(shared, slot).acknowledged(segment);
        self.conclude(shared, slot, outcome);
    }

    // Rare beside segments: kept out of their loop.
    #[inline(never)]
    fn timer(&mut self, shared: &Shared) {
        let Some((time, code)) = self.events.take_timer() else { return };
        self.senders.fetch_for_timer(|| {
            let next = self.events.upcoming_timer()?;
            (next & code::KIND == code::FLOW).then(|| code::slot(next))
        });
        let (slot, number) = (code::slot(code), code as u32);
        match code & code::KIND {
            code::FLOW => {
                let outcome = self.sender(shared, slot).timer(time);
                self.conclude(shared, slot, outcome);
            }
            code::TICK => self.sender(shared, slot).tick(time),
            code::RECEIVER => {
                let Self { events, senders, answering, .. } = self;
                answering.hosts.due(shared, events, senders, code, time);
            }
            code::STACK => {
                let Self { events, books, senders, stacks, .. } = self;
                let outcome = stacks.due(shared, events, senders, books, (number, time));
                self.stacks.hear(shared, time, &mut self.answering.watched, number);
                self.conclude_stack(shared, outcome);
            }
            code::EARLY_ACK => self.early_ack(shared, number as usize),
            kind => self.session(shared, |sessions, parts| match kind {
                code::EXPLICIT => sessions.start_explicit(number, parts),
                code::SOURCE => sessions.start_transfer(number, parts),
                code::PATIENCE => sessions.lose_patience(slot, time, parts),
                code::ARRIVAL => sessions.start_arrival(number, parts),
                code::APPLICATION => sessions.run_application(number, parts),
                code::DATAGRAM => sessions.datagram_due(number, parts),
                _ => sessions.stop_explicit(number, parts),
            }),
        }
        self.events.rearm(Alarm::Timer);
    }

    /// A packet reaches a stack.
    #[inline(never)]
    fn packet(&mut self, shared: &Shared, segment: [u64; 2]) {
        let segment = Segment::from_words(self.events.now, segment);
        let FlowHome::Stack(direction) = segment.flow.home() else { return };
        let Self { events, books, senders, stacks, .. } = self;
        let outcome = stacks.arrive(shared, events, senders, books, (direction, segment));
        self.stacks.hear(shared, self.events.now, &mut self.answering.watched, direction);
        self.conclude_stack(shared, outcome);
    }

    fn conclude_stack(&mut self, shared: &Shared, outcome: Option<(u32, Outcome)>) {
        if let Some((slot, outcome)) = outcome {
            self.conclude(shared, slot, outcome);
        }
    }

    /// Lets flows take over what their stacks show.
    pub fn observe_stacks(&mut self, shared: &Shared) {
        self.stacks.observe(shared, &mut self.senders, &mut self.books);
    }

    /// An acknowledgement of an optimistic receiver reaches its source.
    fn early_ack(&mut self, shared: &Shared, own: usize) {
        let Some(segment) = self.senders.beside.leaving.early_acks.take(own) else { return };
        let slot = self.senders.slot(segment.flow);
        let outcome = self.sender(shared, slot).acknowledged_early(segment);
        self.conclude(shared, slot, outcome);
    }

    fn interface(&mut self, shared: &Shared, queue: u8) {
        let Some((time, code)) = self.events.take_interface(queue) else { return };
        self.sender(shared, code::slot(code)).interface(time);
        self.events.rearm(Alarm::Interface(queue));
    }

    /// The sender of the flow in a slot.
    #[inline(always)]
    fn sender<'a>(&'a mut self, shared: &'a Shared, slot: u32) -> Sender<'a> {
        self.senders.sender(shared, slot, &mut self.events, &mut self.books.counters)
    }

    /// Lets the sessions conclude from the outcome of an event of the flow in a slot.
    #[inline(always)]
    fn conclude(&mut self, shared: &Shared, slot: u32, outcome: Outcome) {
        if outcome != Outcome::Nothing {
            self.session(shared, |sessions, parts| sessions.conclude(parts, slot, outcome));
        }
    }

    /// Lets the sessions act on the other parts.
    fn session<R>(&mut self, shared: &Shared, act: impl FnOnce(&mut Sessions, &mut Parts) -> R) -> R {
        let Self { events, books, senders, answering, stacks, sessions } = self;
        act(sessions, &mut Parts { shared, events, books, senders, answering, stacks })
    }

    /// A segment of a flow of this domain was dropped, before now and not before this window began.
    pub fn count_drop(&mut self, shared: &Shared, drop: &DroppedSegment) {
        if let FlowHome::OwnLanes(own) = drop.flow.home() {
            if self.sessions.count_dropped_datagram(shared, own, drop) {
                return;
            }
        }
        if let FlowHome::Stack(direction) = drop.flow.home() {
            if let Some(slot) = self.stacks.count_drop(&mut self.events, direction, drop) {
                self.senders.flows[slot as usize].losses += 1;
            }
            return;
        }
        if let Some((slot, sequence)) = self.senders.count_drop(drop) {
            self.books.dropped(slot, sequence, drop.time);
        }
    }

    /// All drops of this window are known: flows that ended go into the books.
    pub fn end_window(&mut self) {
        self.books.write_ended();
        self.senders.beside.packets.forget_ended();
    }

    /// Takes from the fabric what has reached receivers that are watched.
    pub fn take_arrivals(&mut self, shared: &Shared) {
        take_arrivals(&mut self.answering.watched, shared, &mut self.events);
    }

    /// A measured period (from 0; none: the time before) ends now.
    pub fn end_period(&mut self, shared: &Shared, period: Option<usize>, now: Picos) {
        self.books.period_ends(shared, period, now, &self.senders.flows);
    }

    /// Records the flows that the end of the run cut short at `end`.
    pub fn record_unfinished(&mut self, shared: &Shared, end: Picos) {
        self.books.record_unfinished(shared, end, &self.senders.flows);
        self.stacks.record_unfinished(end, &self.senders.flows);
    }

    /// Counts of this domain since the start.
    pub fn counters(&self) -> Counters {
        self.books.counters(&self.events.fabric.crossed())
    }

    /// Writes or replaces what changes during a run, between two windows.
    pub fn pass(&mut self, passage: &mut Passage) -> Result<(), BadSnapshot> {
        // Runs with stacks have no snapshots.
        let Self { events, books, senders, answering, stacks: _, sessions } = self;
        events.pass(passage)?;
        books.pass(passage)?;
        senders.pass(passage)?;
        answering.pass(passage)?;
        sessions.pass(passage)
    }
}
