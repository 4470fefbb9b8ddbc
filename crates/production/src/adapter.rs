//! The shape that adapters share: a [`Control`] gets the events of a QUIC sender, and fills the table of a
//! plug-in.
//!
//! The simulator names no packets in its events. The adapter remembers each packet that left and finds it
//! again by what the events hold: packets delivered and lost when it left, and packets in flight with it. Two
//! packets for which all of these are equal follow their order.

use mesonet_cc::plugin::abi;
use std::cmp::Ordering;
use std::collections::VecDeque;
use std::ffi::{CStr, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// The answer of a congestion control after each event.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// Congestion window, segments.
    pub cwnd: f64,
    /// Pacing rate, segments/s; 0: none.
    pub pacing_rate: f64,
    /// It is in slow start, or in what corresponds to it.
    pub slow_start: bool,
    /// Its mode: 1 is the first name of [`Control::MODES`]; 0: none.
    pub mode: u32,
    /// Its estimate of the bandwidth, segments/s; 0: none.
    pub bandwidth: f64,
}

/// Packets that an acknowledgement covers.
#[derive(Clone, Copy, Debug)]
pub struct Acknowledged<Packet> {
    /// When it arrived, since the start of the run.
    pub now: Duration,
    /// When the newest of the packets left.
    pub sent: Duration,
    /// The note that the control kept with that packet.
    pub packet: Packet,
    /// Number of packets.
    pub count: u32,
    /// Round-trip time, if the acknowledgement gives one.
    pub rtt: Option<Duration>,
    /// Packets with a congestion-experienced mark.
    pub marked: u32,
    /// Packets in flight afterwards.
    pub in_flight: u32,
}

/// A packet that is declared lost.
#[derive(Clone, Copy, Debug)]
pub struct Lost<Packet> {
    /// When it was.
    pub now: Duration,
    /// The note that the control kept with it.
    pub packet: Packet,
    /// The packet that was lost before it is not the one that left before it.
    pub new_burst: bool,
    /// The retransmission timer expired.
    pub timeout: bool,
}

/// A congestion control with the events of a QUIC sender.
pub trait Control: Sized + 'static {
    /// A note that it keeps with a packet until that is acknowledged or lost.
    type Packet: Copy;
    /// Name in results.
    const NAME: &'static CStr;
    /// Name in words.
    const TITLE: &'static CStr;
    /// Publication of the rules and the implementation.
    const SOURCE: &'static CStr;
    /// Names of its modes, separated by spaces.
    const MODES: Option<&'static CStr>;

    /// A flow begins: its initial window in segments, the round-trip time of the handshake, the seed of its
    /// random numbers.
    fn new(initial_window: f64, rtt: Option<Duration>, seed: u64) -> Self;
    /// A packet leaves.
    fn on_sent(&mut self, now: Duration, app_limited: bool) -> Self::Packet;
    /// Packets are acknowledged.
    fn on_acknowledged(&mut self, event: &Acknowledged<Self::Packet>);
    /// A packet is declared lost.
    fn on_lost(&mut self, event: &Lost<Self::Packet>);
    /// The window and the rate now.
    fn answer(&self) -> Answer;
}

/// A packet that left.
struct Sent<Packet> {
    time: Duration,
    delivered: u64,
    lost: u32,
    in_flight: u32,
    number: u64,
    /// None once it was acknowledged or lost.
    packet: Option<Packet>,
}

/// A flow of a control.
struct Flow<C: Control> {
    control: C,
    /// In the order of departure; the first one is outstanding. It can be 100,000 long, so nothing is taken
    /// from within.
    sent: VecDeque<Sent<C::Packet>>,
    /// Packets of `sent` that are outstanding.
    outstanding: usize,
    next_number: u64,
    delivered: u64,
    lost: u32,
    /// Number of the packet that was lost last.
    last_lost: Option<u64>,
    app_limited: bool,
    /// When the retransmission timer expired.
    timeout: Option<Duration>,
    /// The control does not know yet that it did.
    timeout_is_new: bool,
    /// Nothing was acknowledged since then.
    probes: bool,
}

/// The state of a plug-in: the window, then a pointer.
#[repr(C)]
struct State<C: Control> {
    window: abi::Window,
    flow: *mut Flow<C>,
}

/// The table of functions of a control. It stays to the end of the process.
#[must_use]
pub fn table<C: Control>() -> &'static abi::Algorithm {
    Box::leak(Box::new(abi::Algorithm {
        abi: abi::ABI,
        size: size_of::<abi::Algorithm>() as u32,
        state_size: size_of::<State<C>>() as u32,
        flags: abi::WANTS_DELIVERY_RATE
            | abi::WANTS_SENDS
            | abi::MANAGES_RECOVERY
            | abi::GROWS_AFTER_MARK
            | abi::HAS_POINTERS,
        codepoint: 1, // RFC 9000, section 13.4: ECT(0)
        param_count: 0,
        name: C::NAME.as_ptr(),
        title: C::TITLE.as_ptr(),
        source: C::SOURCE.as_ptr(),
        params: std::ptr::null(),
        timer_period: 0.0,
        init: Some(init::<C>),
        on_ack: Some(on_ack::<C>),
        on_loss: Some(on_loss::<C>),
        on_recovery_exit: None,
        on_timer: None,
        on_idle: Some(on_idle),
        on_send: Some(on_send::<C>),
        on_segment_lost: Some(on_segment_lost::<C>),
        undo: Some(undo),
        release: Some(release::<C>),
        modes: C::MODES.map_or(std::ptr::null(), CStr::as_ptr),
        report: Some(report::<C>),
        on_round: None,
    }))
}

impl<C: Control> Flow<C> {
    fn new(start: &abi::Start) -> Self {
        Self {
            control: C::new(start.initial_window, time(start.rtt), start.seed),
            sent: VecDeque::new(),
            outstanding: 0,
            next_number: 0,
            delivered: 0,
            lost: 0,
            last_lost: None,
            app_limited: false,
            timeout: None,
            timeout_is_new: false,
            probes: false,
        }
    }

    fn sent(&mut self, event: &abi::Send) {
        let now = instant(event.now);
        self.announce_timeout(now);
        let packet = self.control.on_sent(now, self.app_limited);
        let (delivered, lost, number) = (self.delivered, self.lost, self.next_number);
        let packet = Some(packet);
        self.sent.push_back(Sent { time: now, delivered, lost, in_flight: event.in_flight, number, packet });
        self.outstanding += 1;
        self.next_number += 1;
    }

    fn acknowledged(&mut self, event: &abi::Ack) {
        let now = instant(event.now);
        self.delivered = event.delivered;
        self.probes = false;
        self.app_limited = event.app_limited != 0;
        let since = self.lost.wrapping_sub(event.sample_lost);
        let delivered = event.sample_prior_delivered;
        let found = self.take(
            |sent| sent.delivered.cmp(&delivered),
            |sent| (sent.lost, sent.in_flight) == (since, event.sample_in_flight),
        );
        let Some((sent, _, packet)) = found else { return };
        self.control.on_acknowledged(&Acknowledged {
            now,
            sent,
            packet,
            count: event.acked,
            rtt: time(event.rtt),
            marked: event.ce,
            in_flight: event.in_flight,
        });
        // Of packets that one acknowledgement covers only the newest is named; the others leave here, in
        // time.
        let most = 2 * (event.next - event.una) as usize + 16;
        while self.outstanding > most {
            self.take_oldest();
        }
    }

    fn lost(&mut self, event: &abi::Lost) {
        let now = instant(event.now);
        self.lost = self.lost.wrapping_add(1);
        let since = self.lost.wrapping_sub(event.lost);
        let first = self.sent.front().map_or(0, |sent| sent.lost);
        let found = self.take(
            |sent| sent.lost.wrapping_sub(first).cmp(&since.wrapping_sub(first)),
            |sent| sent.in_flight == event.in_flight,
        );
        let Some((_, number, packet)) = found else { return };
        let new_burst = self.last_lost.is_none_or(|before| before + 1 != number);
        self.last_lost = Some(number);
        let timeout = self.timeout == Some(now);
        self.timeout_is_new &= !timeout;
        self.control.on_lost(&Lost { now, packet, new_burst, timeout });
    }

    /// Declares the oldest packet lost if a timeout found no packet that was not lost before.
    fn announce_timeout(&mut self, now: Duration) {
        if std::mem::take(&mut self.timeout_is_new) {
            if let Some((_, _, packet)) = self.take_oldest() {
                self.control.on_lost(&Lost { now, packet, new_burst: true, timeout: true });
            }
        }
    }

    /// Takes the first outstanding packet that is as wanted; without one, the oldest. Returns when it left,
    /// its number and its note.
    ///
    /// `order`: of a packet and the wanted one; along the queue it never falls.
    fn take(
        &mut self,
        order: impl Fn(&Sent<C::Packet>) -> Ordering,
        wanted: impl Fn(&Sent<C::Packet>) -> bool,
    ) -> Option<(Duration, u64, C::Packet)> {
        let from = self.sent.partition_point(|sent| order(sent).is_lt());
        let equal = self.sent.range(from..).take_while(|sent| order(sent).is_eq());
        let found = equal.enumerate().find(|(_, sent)| sent.packet.is_some() && wanted(sent));
        match found.map(|(place, _)| from + place) {
            Some(place) => self.take_at(place),
            None => self.take_oldest(),
        }
    }

    fn take_oldest(&mut self) -> Option<(Duration, u64, C::Packet)> {
        self.take_at(0)
    }

    fn take_at(&mut self, place: usize) -> Option<(Duration, u64, C::Packet)> {
        let sent = self.sent.get_mut(place)?;
        let taken = (sent.time, sent.number, sent.packet.take()?);
        self.outstanding -= 1;
        while self.sent.front().is_some_and(|sent| sent.packet.is_none()) {
            self.sent.pop_front();
        }
        Some(taken)
    }
}

fn instant(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// A time, none for 0.
fn time(seconds: f64) -> Option<Duration> {
    (seconds > 0.0).then(|| Duration::from_secs_f64(seconds))
}

/// Calls `event` on the flow of a state and writes the answer. A panic leaves a window that is no number: the
/// run ends, and the message names algorithm, event, flow and time.
///
/// # Safety
/// `state` is the state of a flow of `C` that was begun.
#[allow(unsafe_code)]
unsafe fn with<C: Control>(state: *mut c_void, event: impl FnOnce(&mut Flow<C>)) {
    // SAFETY: the caller's promise; one event is under way for a flow.
    let state = unsafe { &mut *state.cast::<State<C>>() };
    // SAFETY: `init` set the pointer, and only `release` frees what is there.
    let flow = unsafe { &mut *state.flow };
    let answer = catch_unwind(AssertUnwindSafe(|| {
        event(flow);
        flow.control.answer()
    }));
    let window = &mut state.window;
    let Ok(answer) = answer else {
        window.cwnd = f64::NAN;
        return;
    };
    // What leaves after a timeout is a probe (RFC 9002, section 6.2.4); the timer and its rule, one segment
    // for each expiry (RFC 6298, section 5), belong to the simulator.
    window.cwnd = if flow.probes { 1.0 } else { answer.cwnd.max(1.0) };
    window.pacing_rate = answer.pacing_rate;
    window.phase = if answer.slow_start { 0 } else { 2 };
}

#[allow(unsafe_code)]
unsafe extern "C" fn init<C: Control>(state: *mut c_void, _: *const abi::Config, start: *const abi::Start) {
    // SAFETY: the simulator's promise: a state of the declared size, and an event.
    let (place, start) = unsafe { (&mut *state.cast::<State<C>>(), &*start) };
    if place.flow.is_null() {
        place.flow = Box::into_raw(Box::new(Flow::new(start)));
        // SAFETY: it was begun now.
        unsafe { with::<C>(state, |_| ()) };
    } else {
        // SAFETY: it was begun when the connection opened; this is the instant at which it is established.
        unsafe { with::<C>(state, |flow| *flow = Flow::new(start)) };
    }
}

#[allow(unsafe_code)]
unsafe extern "C" fn on_ack<C: Control>(state: *mut c_void, _: *const abi::Config, event: *const abi::Ack) {
    // SAFETY: the simulator's promise, here and below: a state that was begun, and an event.
    unsafe { with::<C>(state, |flow| flow.acknowledged(&*event)) };
}

#[allow(unsafe_code)]
unsafe extern "C" fn on_loss<C: Control>(state: *mut c_void, _: *const abi::Config, event: *const abi::Loss) {
    // SAFETY: as in `on_ack`. Lost packets follow, each with an event; marks come with acknowledgements.
    unsafe {
        with::<C>(state, |flow| {
            if (*event).cause == 1 {
                flow.timeout = Some(instant((*event).now));
                (flow.timeout_is_new, flow.probes) = (true, true);
            }
        });
    }
}

#[allow(unsafe_code)]
unsafe extern "C" fn on_send<C: Control>(state: *mut c_void, _: *const abi::Config, event: *const abi::Send) {
    // SAFETY: as in `on_ack`.
    unsafe { with::<C>(state, |flow| flow.sent(&*event)) };
}

#[allow(unsafe_code)]
unsafe extern "C" fn on_segment_lost<C: Control>(
    state: *mut c_void,
    _: *const abi::Config,
    event: *const abi::Lost,
) {
    // SAFETY: as in `on_ack`.
    unsafe { with::<C>(state, |flow| flow.lost(&*event)) };
}

/// Does nothing: controls of QUIC see idle times by what is in flight.
extern "C" fn on_idle(_: *mut c_void, _: *const abi::Config, _: *const abi::Idle) {}

/// Does nothing: a QUIC sender does not undo its answer to a loss that was none.
extern "C" fn undo(_: *mut c_void, _: *const abi::Config, _: *const c_void) {}

#[allow(unsafe_code)]
unsafe extern "C" fn release<C: Control>(state: *mut c_void) {
    // SAFETY: the simulator calls this once, for a state that was begun.
    let flow = unsafe { (*state.cast::<State<C>>()).flow };
    if !flow.is_null() {
        // SAFETY: `init` made it from a box.
        drop(unsafe { Box::from_raw(flow) });
    }
}

#[allow(unsafe_code)]
unsafe extern "C" fn report<C: Control>(
    state: *const c_void,
    _: *const abi::Config,
    report: *mut abi::Report,
) {
    // SAFETY: the simulator's promise: a state that was begun, and memory for the report.
    let (flow, report) = unsafe { (&*(*state.cast::<State<C>>()).flow, &mut *report) };
    let answer = flow.control.answer();
    (report.mode, report.bandwidth) = (answer.mode, answer.bandwidth);
}
