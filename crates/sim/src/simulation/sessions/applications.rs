//! Applications of explicit flows in a domain: data for connections, and datagrams.

use super::feeder::{DROPPED, SENT};
use super::parts::Parts;
use super::state::Sessions;
use crate::applications::Act;
use crate::engine::{FlowId, Segment};
use crate::fabric::DroppedSegment;
use crate::simulation::code;
use crate::simulation::shared::Shared;

impl Sessions {
    /// The application of the explicit flow at `place`, by its number here.
    pub fn feeder(&self, place: u32) -> Option<usize> {
        self.feeders.binary_search_by_key(&place, |feeder| feeder.place).ok()
    }

    /// An application does what is due, and its next act is armed.
    #[inline(never)]
    pub fn run_application(&mut self, number: u32, parts: &mut Parts) {
        while let Some((at, act)) = self.feeders[number as usize].application.next() {
            if at > parts.events.now {
                parts.events.arm(at, code::APPLICATION | u64::from(number));
                return;
            }
            let feeder = &mut self.feeders[number as usize];
            feeder.application.advance();
            match (&mut feeder.datagrams, act) {
                (Some(datagrams), Act::Give(end)) => {
                    datagrams.end = end;
                    self.send_datagrams(number, parts);
                }
                (Some(_), Act::Open | Act::Close) => unreachable!("datagrams have a rate: checked"),
                (None, _) => match self.explicit[feeder.place as usize].slot {
                    Some(slot) if parts.stacks.has(slot) => {
                        parts.stacks.feed(parts.shared, parts.events, parts.books, (slot, Some(act)));
                    }
                    Some(slot) => {
                        if act != Act::Close {
                            parts.sender(slot).restart_after_idle();
                        }
                        parts.sender(slot).feed(act);
                        if feeder.application.player().is_some() {
                            let flow = &parts.senders.flows[slot as usize];
                            parts.answering.hosts.announce_end(parts.shared, parts.events, flow);
                        }
                    }
                    // The connection failed.
                    None => return,
                },
            }
        }
    }

    /// The player of the flow in a slot has all that it asked for, and asks for more when there is room.
    #[inline(never)]
    pub fn feed_player(&mut self, slot: u32, parts: &mut Parts) {
        let place = parts.senders.flows[slot as usize].home - self.sources.len() as u32;
        let Some(number) = self.feeder(place) else { return };
        let Some(player) = self.feeders[number].application.player() else { return };
        player.arrived(parts.events.now, |at| parts.shared.span_after(at));
        self.run_application(number as u32, parts);
    }

    /// Sends what the application has handed over, as far as the interface allows.
    #[inline(never)]
    fn send_datagrams(&mut self, number: u32, parts: &mut Parts) {
        let (shared, now) = (parts.shared, parts.events.now);
        let period = shared.period(now).map_or(0, |period| period + 1);
        let feeder = &mut self.feeders[number as usize];
        let Some(datagrams) = &mut feeder.datagrams else { return };
        while datagrams.next != datagrams.end {
            if datagrams.free > now {
                if !std::mem::replace(&mut datagrams.is_armed, true) {
                    parts.events.arm(datagrams.free, code::DATAGRAM | u64::from(number));
                }
                return;
            }
            datagrams.next += 1;
            datagrams.free = now + feeder.interface_time;
            datagrams.counts[period][SENT] += 1;
            let flow = FlowId::own(feeder.own);
            let segment = Segment::new(now, flow, datagrams.next as u32, feeder.receiver.index());
            parts.books.counters.entering += 1;
            parts.events.fabric.send_on(now, shared.own[feeder.own].1.access, segment);
        }
    }

    /// The interface of a sender of datagrams is free again.
    #[inline(never)]
    pub fn datagram_due(&mut self, number: u32, parts: &mut Parts) {
        if let Some(datagrams) = &mut self.feeders[number as usize].datagrams {
            datagrams.is_armed = false;
        }
        self.send_datagrams(number, parts);
    }

    /// Counts a drop, if it is of a datagram. Returns whether it is.
    #[cold]
    pub fn count_dropped_datagram(&mut self, shared: &Shared, own: usize, drop: &DroppedSegment) -> bool {
        let Ok(number) = self.feeders.binary_search_by_key(&own, |feeder| feeder.own) else { return false };
        let Some(datagrams) = &mut self.feeders[number].datagrams else { return false };
        let period = shared.period(drop.time).map_or(0, |period| period + 1);
        datagrams.counts[period][DROPPED] += 1;
        true
    }
}
