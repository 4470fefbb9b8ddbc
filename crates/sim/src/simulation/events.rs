//! The events of a domain: the fabric that carries its segments, its timers, and interfaces that become free.

use crate::engine::{Interfaces, TIMER_SLOT_BITS, Timers};
use crate::fabric::{Alarm, Event, Fabric};
use crate::network::DomainId;
use crate::snapshot::{BadSnapshot, Passage};
use mesonet_cc::{Picos, picos};

/// The clock of a domain and everything that is due in it.
#[derive(Clone, Debug)]
pub struct Events {
    /// Number of the domain.
    pub number: DomainId,
    pub now: Picos,
    pub fabric: Fabric,
    timers: Timers<TIMER_SLOT_BITS>,
    interfaces: Interfaces,
}

impl Events {
    /// No timer is armed; `rates` are those of the common interfaces, segments/s.
    pub fn new(number: DomainId, fabric: Fabric, rates: [f64; 2]) -> Self {
        let interfaces = Interfaces::new(rates.map(|rate| picos(1.0 / rate)));
        Self { number, now: 0, fabric, timers: Timers::default(), interfaces }
    }

    /// The next event before `limit`: it happens now.
    #[inline(always)]
    pub fn next(&mut self, limit: Picos) -> Option<Event> {
        let event = self.fabric.next(limit)?;
        self.now = event.time;
        Some(event)
    }

    /// Takes the timer that is due. Its handler is followed by [`Self::rearm`].
    #[inline]
    pub fn take_timer(&mut self) -> Option<(Picos, u64)> {
        self.timers.take()
    }

    /// Takes the flow that waited for an interface of this queue, as [`Self::take_timer`].
    #[inline]
    pub fn take_interface(&mut self, queue: u8) -> Option<(Picos, u64)> {
        self.interfaces.take(usize::from(queue))
    }

    /// The code of the next timer.
    #[inline]
    pub fn upcoming_timer(&self) -> Option<u64> {
        self.timers.upcoming()
    }

    /// Sets an alarm to the next entry of its queue, after the first one was taken and handled.
    #[inline]
    pub fn rearm(&mut self, alarm: Alarm) {
        let next = match alarm {
            Alarm::Timer => self.timers.next(),
            Alarm::Interface(queue) => self.interfaces.next(usize::from(queue)),
        };
        self.fabric.set_alarm(alarm, next);
    }

    /// Arms a timer.
    pub fn arm(&mut self, at: Picos, code: u64) {
        self.timers.arm(at, code);
        if self.timers.next() == Some(at) {
            self.fabric.set_alarm(Alarm::Timer, Some(at));
        }
    }

    /// Arms the event at which the interface of the flow with this [`super::code::of_flow`] becomes free.
    #[inline]
    pub fn arm_interface(&mut self, at: Picos, code: u64) {
        if let Some(queue) = self.interfaces.arm(self.now, at, code) {
            self.fabric.set_alarm(Alarm::Interface(queue as u8), Some(at));
        }
    }

    /// Writes or replaces what changes during a run.
    pub fn pass(&mut self, passage: &mut Passage) -> Result<(), BadSnapshot> {
        let Self { number: _, now, fabric, timers, interfaces } = self;
        passage.field(now)?;
        fabric.pass(passage)?;
        passage.field(timers)?;
        passage.field(interfaces)
    }
}
