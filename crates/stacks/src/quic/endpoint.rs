//! One end of a QUIC connection with one stream of data: what the adapters of quinn and noq share. Both name
//! the same interface, each in a crate of its own: `super` has what differs.

use super::control::control;
use super::proto::{
    self, ClientConfig, Connection, ConnectionHandle, ConnectionId, ConnectionIdGenerator, DatagramEvent,
    Dir, EcnCodepoint, EndpointConfig, Event, IdleTimeout, MtuDiscoveryConfig, ServerConfig, StreamEvent,
    StreamId, TimeSource, TransportConfig, VarInt,
};
use super::{Seen, crypto, difference};
use bytes::{Bytes, BytesMut};
use mesonet_cc::Picos;
use mesonet_cc::draw::Draw;
use mesonet_sim::stacks::{Datagram, Ecn, Endpoint, Outcome, Role, Setup, Stats, Supply};
use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Bytes of the headers of IPv4 and UDP.
const HEADERS: u32 = 28;
/// Largest datagram that MTU discovery tries by default (`MtuDiscoveryConfig::default`).
const LARGEST_PROBED: u32 = 1452;
/// Largest datagram that an endpoint takes by default (`EndpointConfig::new`).
const LARGEST_TAKEN: u32 = 1472;
/// Length of connection identifiers, as of `HashedConnectionIdGenerator`.
const CID: usize = 8;

/// Content of all data.
static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

/// One instant for the start of all runs: stacks look at differences only.
fn start() -> Instant {
    static START: OnceLock<Instant> = OnceLock::new();
    #[expect(clippy::disallowed_methods, reason = "an origin: no result depends on it")]
    *START.get_or_init(Instant::now)
}

/// The instant of a stack. It counts nanoseconds.
fn instant(now: Picos) -> Instant {
    start() + Duration::from_nanos(now / 1000)
}

/// Picoseconds since the start of the run.
fn picos(at: Instant) -> Picos {
    at.saturating_duration_since(start()).as_nanos() as Picos * 1000
}

/// The wall clock stands still: it only dates tokens.
struct Clock;

impl TimeSource for Clock {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH
    }
}

/// Connection identifiers from a seed.
pub(super) struct Identifiers(pub Draw);

impl ConnectionIdGenerator for Identifiers {
    fn generate_cid(&mut self) -> ConnectionId {
        ConnectionId::new(&self.0.bits().to_le_bytes())
    }

    fn cid_len(&self) -> usize {
        CID
    }

    fn cid_lifetime(&self) -> Option<Duration> {
        None
    }
}

/// One end of a connection.
pub struct End {
    role: Role,
    is_client: bool,
    endpoint: proto::Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    /// The stream of the data, once it is known.
    stream: Option<StreamId>,
    /// Bytes of the request that this end has not written, or not read.
    request: u64,
    /// Bytes that the source has not written; none: it never ends.
    left: Option<u64>,
    /// An application hands it more.
    is_fed: bool,
    /// It has finished its half of the stream.
    is_finished: bool,
    batch: usize,
    connected: Option<Picos>,
    read: u64,
    last_read: Picos,
    outcome: Option<Outcome>,
    /// Datagrams of the endpoint itself.
    answers: VecDeque<Datagram>,
    buffer: Vec<u8>,
}

impl End {
    /// An end that begins now.
    pub fn new(setup: &Setup, transport: TransportConfig) -> Self {
        let mut draw = Draw::new(setup.seed);
        let mut seed = [0; 32];
        seed.chunks_mut(8).for_each(|chunk| chunk.copy_from_slice(&draw.bits().to_le_bytes()));
        let identifiers = draw.bits();
        let mut config = EndpointConfig::new(Arc::new(crypto::Key));
        config.rng_seed(Some(seed));
        difference::identify(&mut config, identifiers);
        if setup.mtu - HEADERS > LARGEST_TAKEN {
            config.max_udp_payload_size((setup.mtu - HEADERS) as u16).expect("in the range of the constant");
        }
        let transport = Arc::new(transport);
        let is_client = setup.is_client();
        let server = (!is_client).then(|| {
            let mut server = ServerConfig::new(Arc::new(crypto::Crypto), Arc::new(crypto::Key));
            server.transport_config(Arc::clone(&transport)).time_source(Arc::new(Clock));
            Arc::new(server)
        });
        let mut end = Self {
            role: setup.role,
            is_client,
            endpoint: difference::endpoint(Arc::new(config), server),
            connection: None,
            stream: None,
            request: setup.request,
            left: setup.size,
            is_fed: setup.is_fed,
            is_finished: false,
            batch: setup.batch as usize,
            connected: None,
            read: 0,
            last_read: 0,
            outcome: None,
            answers: VecDeque::new(),
            buffer: Vec::new(),
        };
        if is_client {
            let mut client = ClientConfig::new(Arc::new(crypto::Crypto));
            let first = draw.bits().to_le_bytes();
            client
                .transport_config(transport)
                .initial_dst_cid_provider(Arc::new(move || ConnectionId::new(&first)));
            let connected = end.endpoint.connect(instant(setup.now), client, end.peer(), "mesonet");
            end.connection = Some(connected.expect("a configuration of this module"));
        }
        end.work(setup.now);
        end
    }

    /// Address of the other end.
    fn peer(&self) -> SocketAddr {
        let host = if self.is_client { Ipv4Addr::new(10, 0, 0, 2) } else { Ipv4Addr::new(10, 0, 0, 1) };
        (host, 443).into()
    }

    /// Handles all events, and lets the application read and write.
    fn work(&mut self, now: Picos) {
        loop {
            let Some((handle, connection)) = &mut self.connection else { return };
            if let Some(event) = connection.poll_endpoint_events() {
                if let Some(event) = self.endpoint.handle_event(*handle, event) {
                    connection.handle_event(event);
                }
                continue;
            }
            match connection.poll() {
                Some(event) => self.react(now, event),
                None => break,
            }
        }
        self.read(now);
        self.write();
    }

    fn react(&mut self, now: Picos, event: Event) {
        match event {
            Event::Connected => {
                self.connected = Some(now);
                if self.is_client {
                    if let Some((_, connection)) = &mut self.connection {
                        let dir = if self.role == Role::Source { Dir::Uni } else { Dir::Bi };
                        self.stream = connection.streams().open(dir);
                    }
                }
            }
            Event::ConnectionLost { reason } => self.abort(reason.to_string()),
            Event::Stream(StreamEvent::Opened { dir }) => {
                if let Some((_, connection)) = &mut self.connection {
                    self.stream = self.stream.or_else(|| connection.streams().accept(dir));
                }
            }
            Event::Stream(StreamEvent::Finished { .. }) if self.role == Role::Source => {
                self.outcome.get_or_insert(Outcome::Completed);
            }
            Event::Stream(StreamEvent::Stopped { error_code, .. }) => {
                self.abort(format!("stream stopped by peer with code {error_code}"));
            }
            _ => {}
        }
    }

    fn abort(&mut self, reason: String) {
        self.outcome.get_or_insert(Outcome::Aborted(reason));
    }

    /// Reads what has come on the stream.
    fn read(&mut self, now: Picos) {
        let is_asked = self.role == Role::Source && self.request > 0;
        let (Some(id), Some((_, connection))) = (self.stream, &mut self.connection) else { return };
        if self.role == Role::Source && !is_asked {
            return;
        }
        let mut stream = connection.recv_stream(id);
        let Ok(mut chunks) = stream.read(true) else { return };
        let mut bytes = 0;
        let mut reset = None;
        loop {
            match chunks.next(usize::MAX) {
                Ok(Some(chunk)) => bytes += chunk.bytes.len() as u64,
                Ok(None) | Err(proto::ReadError::Blocked) => break,
                Err(error) => {
                    reset = Some(error.to_string());
                    break;
                }
            }
        }
        let _ = chunks.finalize();
        if let Some(reason) = reset {
            self.abort(reason);
        }
        if is_asked {
            self.request = self.request.saturating_sub(bytes);
        } else if bytes > 0 {
            self.read += bytes;
            self.last_read = now;
        }
    }

    /// Writes what the stream takes: the request of a sink, or the data of a source.
    fn write(&mut self) {
        if self.is_finished || self.connected.is_none() {
            return;
        }
        let is_source = self.role == Role::Source;
        if is_source != self.is_client && is_source && self.request > 0 {
            return; // not asked yet
        }
        if !is_source && !self.is_client {
            return;
        }
        let (Some(id), Some((_, connection))) = (self.stream, &mut self.connection) else { return };
        let left = if is_source { &mut self.left } else { &mut Some(self.request) };
        let mut stream = connection.send_stream(id);
        while *left != Some(0) {
            let most = left.map_or(ZEROS.len(), |left| left.min(ZEROS.len() as u64) as usize);
            let Some(written) = difference::write(&mut stream, Bytes::from_static(&ZEROS[..most])) else {
                break;
            };
            if let Some(left) = left {
                *left -= written;
            }
        }
        if !is_source {
            self.request = left.unwrap_or(0);
            self.is_finished = self.request == 0 && stream.finish().is_ok();
        } else if *left == Some(0) && !self.is_fed {
            self.is_finished = stream.finish().is_ok();
        }
    }
}

impl Endpoint for End {
    fn receive(&mut self, now: Picos, datagram: Datagram) {
        let peer = self.peer();
        let ecn = EcnCodepoint::from_bits(datagram.ecn.bits());
        let data = BytesMut::from(&datagram.payload[..]);
        self.buffer.clear();
        let event = difference::handle(&mut self.endpoint, instant(now), peer, (ecn, data), &mut self.buffer);
        match event {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = &mut self.connection {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) if self.connection.is_none() => {
                self.buffer.clear();
                match self.endpoint.accept(incoming, instant(now), &mut self.buffer, None) {
                    Ok(accepted) => self.connection = Some(accepted),
                    Err(error) => self.abort(error.cause.to_string()),
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => self.endpoint.ignore(incoming),
            Some(DatagramEvent::Response(transmit)) => {
                let payload = self.buffer[..transmit.size].to_vec();
                self.answers.push_back(Datagram { payload, headers: HEADERS, ecn: Ecn::NotEct });
            }
            None => {}
        }
        self.work(now);
    }

    fn timer(&mut self, now: Picos) {
        if let Some((_, connection)) = &mut self.connection {
            connection.handle_timeout(instant(now));
        }
        self.work(now);
    }

    fn next_timeout(&mut self) -> Option<Picos> {
        self.connection.as_mut()?.1.poll_timeout().map(picos)
    }

    fn drain(&mut self, now: Picos, out: &mut Vec<Datagram>) {
        if let Some(answer) = self.answers.pop_front() {
            out.push(answer);
            return;
        }
        let Some((_, connection)) = &mut self.connection else { return };
        self.buffer.clear();
        let sent = difference::transmit(connection, instant(now), self.batch, &mut self.buffer);
        if let Some(transmit) = sent {
            let ecn = Ecn::of_bits(transmit.ecn.map_or(0, |ecn| ecn as u8));
            let segments =
                self.buffer[..transmit.size].chunks(transmit.segment_size.unwrap_or(transmit.size));
            out.extend(segments.map(|one| Datagram { payload: one.to_vec(), headers: HEADERS, ecn }));
            self.work(now);
        }
    }

    fn supply(&mut self, _: Picos, supply: Supply) {
        self.left = supply.after(self.left);
        self.write();
    }

    fn stop(&mut self, _: Picos) {
        self.left = self.left.filter(|_| std::mem::take(&mut self.is_fed)).or(Some(0));
        self.write();
    }

    fn read(&self) -> u64 {
        self.read
    }

    fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    fn stats(&mut self) -> Stats {
        let own = Stats { connected: self.connected, last_read: self.last_read, ..Stats::default() };
        let Some((_, connection)) = &mut self.connection else { return own };
        let Some(seen) = difference::seen(connection) else { return own };
        let Seen { rtt, lost, reductions, spurious, controller } = seen;
        Stats {
            rtt: self.connected.map(|_| rtt.as_nanos() as Picos * 1000),
            lost: Some(lost),
            reductions: Some(reductions),
            spurious_reductions: spurious,
            control: control(controller),
            ..own
        }
    }
}

/// The constants of QUIC stacks that 0 leaves at the default of the stack.
pub fn transport(setup: &Setup) -> TransportConfig {
    let mut config = TransportConfig::default();
    let integer = |value: f64| VarInt::from_u64(value as u64).expect("in the range of the constant");
    if let Some(bytes) = setup.given("receive_window") {
        config.receive_window(integer(bytes)).stream_receive_window(integer(bytes));
    }
    if let Some(bytes) = setup.given("send_window") {
        config.send_window(bytes as u64);
    }
    if let Some(packets) = setup.given("packet_threshold") {
        config.packet_threshold(packets as u32);
    }
    if let Some(share) = setup.given("time_threshold") {
        config.time_threshold(share as f32);
    }
    if let Some(ms) = setup.given("initial_rtt") {
        config.initial_rtt(Duration::from_secs_f64(ms / 1e3));
    }
    if let Some(seconds) = setup.given("idle_timeout") {
        let timeout = IdleTimeout::try_from(Duration::from_secs_f64(seconds));
        config.max_idle_timeout(Some(timeout.expect("in the range of the constant")));
    }
    let largest = setup.mtu - HEADERS;
    if largest < LARGEST_PROBED || largest > LARGEST_TAKEN {
        let mut discovery = MtuDiscoveryConfig::default();
        discovery.upper_bound(largest as u16);
        config.mtu_discovery_config(Some(discovery));
    }
    config
}
