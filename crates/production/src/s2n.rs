//! CUBIC and BBRv2 of s2n-quic-core, unmodified.
//!
//! A segment stands for a datagram of 1,200 bytes, for which s2n-quic makes its controls. Its clock counts
//! microseconds.

use crate::adapter::{Acknowledged, Answer, Control, Lost, table};
use crate::{Build, version};
use mesonet_cc::draw::Draw;
use s2n_quic_core::event::builder::{BbrState, SlowStartExitCause};
use s2n_quic_core::inet::SocketAddress;
use s2n_quic_core::packet::number::PacketNumberSpace;
use s2n_quic_core::path::mtu;
use s2n_quic_core::random::Generator;
use s2n_quic_core::recovery::bandwidth::{Bandwidth, RateSample};
use s2n_quic_core::recovery::congestion_controller::{Endpoint, PathInfo, Publisher};
use s2n_quic_core::recovery::{CongestionController, RttEstimator, bbr, cubic};
use s2n_quic_core::time::Timestamp;
use std::ffi::CStr;
use std::time::Duration;

/// Bytes of a datagram: the controls are made for this size (`CubicCongestionController::new`).
const DATAGRAM: u32 = 1200;
/// The round-trip time before there is one (RFC 9002, section 6.2.2).
const INITIAL_RTT: Duration = Duration::from_millis(333);

/// The controls of this module.
pub(crate) fn builds() -> [Build; 2] {
    let version = version("s2n-quic-core-0.91.0", &[include_str!("adapter.rs"), include_str!("s2n.rs")]);
    [table::<Sender<cubic::Endpoint>>(), table::<Sender<bbr::Endpoint>>()]
        .map(|table| Build { table, version: version.clone() })
}

/// The controls of s2n-quic, and how they are made.
trait Maker: Endpoint {
    const NAME: &'static CStr;
    const TITLE: &'static CStr;
    const SOURCE: &'static CStr;
    const MODES: Option<&'static CStr>;

    /// With an initial window in bytes.
    fn with_initial_window(bytes: u32) -> Self;
}

impl Maker for cubic::Endpoint {
    const NAME: &'static CStr = c"s2n-cubic";
    const TITLE: &'static CStr = c"CUBIC of s2n-quic";
    const SOURCE: &'static CStr = c"s2n-quic-core 0.91.0, recovery/cubic.rs; RFC 8312, HyStart";
    const MODES: Option<&'static CStr> = None;

    fn with_initial_window(bytes: u32) -> Self {
        cubic::builder::Builder::default().with_initial_congestion_window(bytes).build()
    }
}

impl Maker for bbr::Endpoint {
    const NAME: &'static CStr = c"s2n-bbr2";
    const TITLE: &'static CStr = c"BBR, version 2, of s2n-quic";
    const SOURCE: &'static CStr =
        c"s2n-quic-core 0.91.0, recovery/bbr.rs; draft-cardwell-iccrg-bbr-congestion-control-02";
    const MODES: Option<&'static CStr> = Some(c"startup drain probe_down cruise refill probe_up probe_rtt");

    fn with_initial_window(bytes: u32) -> Self {
        bbr::builder::Builder::default().with_initial_congestion_window(bytes).build()
    }
}

/// A sender of s2n-quic, as far as its congestion control knows.
struct Sender<M: Maker> {
    control: M::CongestionController,
    rtt: RttEstimator,
    random: Random,
    seen: Seen,
}

impl<M: Maker> Control for Sender<M> {
    type Packet = <M::CongestionController as CongestionController>::PacketInfo;
    const NAME: &'static CStr = M::NAME;
    const TITLE: &'static CStr = M::TITLE;
    const SOURCE: &'static CStr = M::SOURCE;
    const MODES: Option<&'static CStr> = M::MODES;

    fn new(initial_window: f64, rtt: Option<Duration>, seed: u64) -> Self {
        let mut maker = M::with_initial_window((initial_window * f64::from(DATAGRAM)) as u32);
        let (path, address) = (mtu::Config::default(), SocketAddress::default());
        let control = maker.new_congestion_controller(PathInfo::new(&path, &address));
        // The first mode is published when it ends.
        let seen = Seen { rate: 0, bandwidth: 0, slow_start: true, mode: u32::from(M::MODES.is_some()) };
        let mut sender =
            Self { control, rtt: RttEstimator::new(INITIAL_RTT), random: Random(Draw::new(seed)), seen };
        if let Some(rtt) = rtt {
            sender.rtt.update_rtt(
                Duration::ZERO,
                rtt,
                timestamp(rtt),
                true,
                PacketNumberSpace::ApplicationData,
            );
        }
        sender
    }

    fn on_sent(&mut self, now: Duration, app_limited: bool) -> Self::Packet {
        let (bytes, limited) = (DATAGRAM as usize, Some(app_limited));
        self.control.on_packet_sent(timestamp(now), bytes, limited, &self.rtt, &mut self.seen)
    }

    fn on_acknowledged(&mut self, event: &Acknowledged<Self::Packet>) {
        let (now, sent) = (timestamp(event.now), timestamp(event.sent));
        if let Some(sample) = event.rtt {
            self.rtt.update_rtt(Duration::ZERO, sample, now, true, PacketNumberSpace::ApplicationData);
            self.control.on_rtt_update(sent, now, &self.rtt, &mut self.seen);
        }
        // A packet that was declared lost and arrived after all is no longer in flight for s2n-quic.
        let bytes = (event.count * DATAGRAM).min(self.control.bytes_in_flight());
        if bytes > 0 {
            let (random, seen) = (&mut self.random, &mut self.seen);
            self.control.on_ack(sent, bytes as usize, event.packet, &self.rtt, random, now, seen);
        }
        let surplus = self.control.bytes_in_flight().saturating_sub(event.in_flight * DATAGRAM);
        if surplus > 0 {
            self.control.on_packet_discarded(surplus as usize, &mut self.seen);
        }
        if event.marked > 0 {
            self.control.on_explicit_congestion(event.marked.into(), now, &mut self.seen);
        }
    }

    fn on_lost(&mut self, event: &Lost<Self::Packet>) {
        let bytes = DATAGRAM.min(self.control.bytes_in_flight());
        if bytes == 0 {
            return;
        }
        // RFC 9002, section 7.6.1: the answer to persistent congestion is that of TCP to a retransmission
        // timeout.
        self.seen.slow_start |= event.timeout;
        let (random, seen, now) = (&mut self.random, &mut self.seen, timestamp(event.now));
        self.control.on_packet_lost(bytes, event.packet, event.timeout, event.new_burst, random, now, seen);
    }

    fn answer(&self) -> Answer {
        let segments = |bytes: f64| bytes / f64::from(DATAGRAM);
        Answer {
            cwnd: segments(self.control.congestion_window().into()),
            pacing_rate: segments(self.seen.rate as f64),
            slow_start: self.seen.slow_start,
            mode: self.seen.mode,
            bandwidth: segments(self.seen.bandwidth as f64),
        }
    }
}

#[allow(unsafe_code)]
fn timestamp(instant: Duration) -> Timestamp {
    // SAFETY: nothing depends on it; the function is marked for sources of time, and the simulator is one.
    unsafe { Timestamp::from_duration(instant) }
}

/// The facts that a control publishes.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// Pacing rate, bytes/s.
    rate: u64,
    /// Pacing rate without its gain, which is the estimate of BBR, bytes/s.
    bandwidth: u64,
    slow_start: bool,
    mode: u32,
}

impl Publisher for Seen {
    fn on_slow_start_exited(&mut self, _: SlowStartExitCause, _: u32) {
        self.slow_start = false;
    }

    fn on_delivery_rate_sampled(&mut self, _: RateSample) {}

    fn on_pacing_rate_updated(&mut self, rate: Bandwidth, _: u32, gain: num_rational::Ratio<u64>) {
        self.rate = rate.as_bytes_per_second();
        self.bandwidth = if self.mode > 0 { self.rate * gain.denom() / gain.numer().max(&1) } else { 0 };
    }

    fn on_bbr_state_changed(&mut self, state: BbrState) {
        self.mode = match state {
            BbrState::Startup => 1,
            BbrState::Drain => 2,
            BbrState::ProbeBwDown => 3,
            BbrState::ProbeBwCruise => 4,
            BbrState::ProbeBwRefill => 5,
            BbrState::ProbeBwUp => 6,
            _ => 7,
        };
        self.slow_start = self.mode == 1;
    }
}

/// Random numbers of one flow.
#[derive(Clone, Copy, Debug)]
struct Random(Draw);

impl Generator for Random {
    fn public_random_fill(&mut self, place: &mut [u8]) {
        for part in place.chunks_mut(8) {
            part.copy_from_slice(&self.0.bits().to_le_bytes()[..part.len()]);
        }
    }

    fn private_random_fill(&mut self, place: &mut [u8]) {
        self.public_random_fill(place);
    }
}
