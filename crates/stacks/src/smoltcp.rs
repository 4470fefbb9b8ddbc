//! TCP of smoltcp, unmodified, over IPv4 without checksums. It shows neither window nor round-trip times.

use crate::{Build, HOST, version};
use mesonet_cc::plugin::observed::About;
use mesonet_cc::{Param, Picos};
use mesonet_sim::stacks::{Datagram, Ecn, Endpoint, Outcome, Role, Setup, Stack, Stats, Supply};
use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::phy::{ChecksumCapabilities, Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::socket::tcp::{CongestionControl, Socket, SocketBuffer, State};
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{HardwareAddress, IpAddress, IpCidr};
use std::collections::VecDeque;

/// Name and version. A build with a checkout (`supply/stacks.py`) sets the variable.
const SOURCE: &str = match option_env!("MESONET_SMOLTCP") {
    Some(checkout) => checkout,
    None => "smoltcp 0.14.0",
};
const SERVER_PORT: u16 = 80;
const CLIENT_PORT: u16 = 49152;
/// Bytes of the buffers for the way that carries no data, or a request.
const SMALL: usize = 1 << 16;

/// Constants, those of the host first.
const PARAMS: [Param; 8] = [
    HOST[0],
    HOST[1],
    HOST[2],
    HOST[3],
    Param::new(
        "receive_buffer",
        "buffer of a receiver, which sets the window scale",
        "bytes",
        [4096.0, 1e9],
        1_048_576.0,
        "chosen: smoltcp has no default",
    ),
    Param::new(
        "send_buffer",
        "buffer of a sender",
        "bytes",
        [4096.0, 1e9],
        1_048_576.0,
        "chosen: smoltcp has no default",
    ),
    Param::new("ack_delay", "time for which an acknowledgement is held back", "ms", [0.0, 1e3], 10.0, SOURCE),
    Param::choice("nagle", "1: small segments wait (RFC 896); 0: they do not", 1, 1, SOURCE),
];

/// The stacks of this module.
pub(crate) fn builds() -> [Build; 2] {
    let version = version(SOURCE, &[include_str!("smoltcp.rs")]);
    let build = |name, title, make| Build {
        about: About { name, title, source: SOURCE, params: &PARAMS, modes: &[] },
        version: version.clone(),
        stack: Stack { name, make },
    };
    [
        build("stack:smoltcp/cubic", "TCP of smoltcp with its CUBIC", |setup| {
            Box::new(End::new(setup, CongestionControl::Cubic))
        }),
        build("stack:smoltcp/reno", "TCP of smoltcp with its Reno", |setup| {
            Box::new(End::new(setup, CongestionControl::Reno))
        }),
    ]
}

/// The instant of smoltcp, which counts microseconds.
fn instant(now: Picos) -> Instant {
    Instant::from_micros((now / 1_000_000) as i64)
}

/// Packets in place of a network card.
#[derive(Debug)]
struct Card {
    mtu: usize,
    arrived: VecDeque<Vec<u8>>,
    leaving: VecDeque<Vec<u8>>,
}

struct Arrived(Vec<u8>);

struct Leaving<'a>(&'a mut VecDeque<Vec<u8>>);

impl Device for Card {
    type RxToken<'a> = Arrived;
    type TxToken<'a> = Leaving<'a>;

    fn receive(&mut self, _: Instant) -> Option<(Arrived, Leaving<'_>)> {
        let packet = self.arrived.pop_front()?;
        Some((Arrived(packet), Leaving(&mut self.leaving)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Leaving<'_>> {
        Some(Leaving(&mut self.leaving))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ip;
        capabilities.max_transmission_unit = self.mtu;
        capabilities.checksum = ChecksumCapabilities::ignored();
        capabilities
    }
}

impl RxToken for Arrived {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        f(&self.0)
    }
}

impl TxToken for Leaving<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, f: F) -> R {
        let mut packet = vec![0; length];
        let result = f(&mut packet);
        self.0.push_back(packet);
        result
    }
}

/// One end of a connection.
struct End {
    role: Role,
    is_client: bool,
    card: Card,
    interface: Interface,
    sockets: SocketSet<'static>,
    handle: SocketHandle,
    /// Bytes of the request that this end has not written, or not read.
    request: u64,
    /// Bytes that the source has not written; none: it never ends.
    left: Option<u64>,
    /// An application hands it more.
    is_fed: bool,
    is_finished: bool,
    batch: usize,
    now: Picos,
    connected: Option<Picos>,
    read: u64,
    last_read: Picos,
    outcome: Option<Outcome>,
}

impl End {
    fn new(setup: &Setup, control: CongestionControl) -> Self {
        let mut card = Card { mtu: setup.mtu as usize, arrived: VecDeque::new(), leaving: VecDeque::new() };
        let mut config = Config::new(HardwareAddress::Ip);
        config.random_seed = setup.seed;
        let mut interface = Interface::new(config, &mut card, instant(setup.now));
        let is_client = setup.is_client();
        let [own, peer] = if is_client { [1, 2] } else { [2, 1] };
        let address = |host| IpAddress::v4(10, 0, 0, host);
        interface.update_ip_addrs(|list| list.push(IpCidr::new(address(own), 24)).expect("room for one"));
        let large = setup.role == Role::Source;
        let buffer = |is_large: bool, name| if is_large { setup.constant(name) as usize } else { SMALL };
        let [receive, send] = [buffer(!large, "receive_buffer"), buffer(large, "send_buffer")];
        let mut socket = Socket::new(SocketBuffer::new(vec![0; receive]), SocketBuffer::new(vec![0; send]));
        socket.set_congestion_control(control);
        socket.set_ack_delay(Some(Duration::from_micros((setup.constant("ack_delay") * 1e3) as u64)));
        socket.set_nagle_enabled(setup.constant("nagle") != 0.0);
        if is_client {
            let remote = (address(peer), SERVER_PORT);
            socket.connect(interface.context(), remote, CLIENT_PORT).expect("a new socket");
        } else {
            socket.listen(SERVER_PORT).expect("a new socket");
        }
        let mut sockets = SocketSet::new(Vec::new());
        let handle = sockets.add(socket);
        let mut end = Self {
            role: setup.role,
            is_client,
            card,
            interface,
            sockets,
            handle,
            request: setup.request,
            left: setup.size,
            is_fed: setup.is_fed,
            is_finished: false,
            batch: setup.batch as usize,
            now: setup.now,
            connected: None,
            read: 0,
            last_read: 0,
            outcome: None,
        };
        end.work(setup.now);
        end
    }

    /// Lets the stack handle what has come and what is due, and the application read and write.
    fn work(&mut self, now: Picos) {
        self.now = now;
        self.interface.poll(instant(now), &mut self.card, &mut self.sockets);
        if self.apply(now) {
            self.interface.poll(instant(now), &mut self.card, &mut self.sockets);
        }
        self.look(now);
    }

    /// Lets the application read and write; returns whether it did.
    fn apply(&mut self, now: Picos) -> bool {
        let socket = self.sockets.get_mut::<Socket>(self.handle);
        let is_source = self.role == Role::Source;
        let mut has_acted = false;
        while socket.can_recv() {
            let Ok(bytes) = socket.recv(|buffer| (buffer.len(), buffer.len() as u64)) else { break };
            has_acted = true;
            if is_source {
                self.request = self.request.saturating_sub(bytes);
            } else {
                self.read += bytes;
                self.last_read = now;
            }
        }
        let may_write = if is_source { self.is_client || self.request == 0 } else { self.is_client };
        if self.is_finished || !may_write || !socket.may_send() {
            return has_acted;
        }
        let left = if is_source { &mut self.left } else { &mut Some(self.request) };
        while *left != Some(0) && socket.can_send() {
            let most = left.map_or(usize::MAX, |left| usize::try_from(left).unwrap_or(usize::MAX));
            let Ok(bytes) = socket.send(|buffer| {
                let length = buffer.len().min(most);
                (length, length as u64)
            }) else {
                break;
            };
            has_acted = true;
            if let Some(left) = left {
                *left -= bytes;
            }
        }
        if !is_source {
            self.request = left.unwrap_or(0);
            self.is_finished = self.request == 0;
        } else if *left == Some(0) && !self.is_fed {
            socket.close();
            (self.is_finished, has_acted) = (true, true);
        }
        has_acted
    }

    /// Notes what became of the connection.
    fn look(&mut self, now: Picos) {
        let state = self.sockets.get::<Socket>(self.handle).state();
        if self.connected.is_none() && !matches!(state, State::Listen | State::SynSent | State::SynReceived) {
            self.connected = Some(now).filter(|_| state != State::Closed);
        }
        let is_closed = matches!(state, State::FinWait2 | State::TimeWait);
        if self.role == Role::Source && self.is_finished && is_closed {
            self.outcome.get_or_insert(Outcome::Completed);
        } else if state == State::Closed {
            self.outcome.get_or_insert(Outcome::Aborted("reset, or timed out".into()));
        }
    }
}

impl Endpoint for End {
    fn receive(&mut self, now: Picos, datagram: Datagram) {
        self.card.arrived.push_back(datagram.payload);
        self.work(now);
    }

    fn timer(&mut self, now: Picos) {
        self.work(now);
    }

    fn next_timeout(&mut self) -> Option<Picos> {
        let at = self.interface.poll_at(instant(self.now), &self.sockets)?;
        Some(at.total_micros() as Picos * 1_000_000)
    }

    fn drain(&mut self, _: Picos, out: &mut Vec<Datagram>) {
        let count = self.batch.min(self.card.leaving.len());
        let packets = self.card.leaving.drain(..count);
        out.extend(packets.map(|payload| Datagram { payload, headers: 0, ecn: Ecn::NotEct }));
    }

    fn supply(&mut self, now: Picos, supply: Supply) {
        self.left = supply.after(self.left);
        self.work(now);
    }

    fn stop(&mut self, now: Picos) {
        self.left = self.left.filter(|_| std::mem::take(&mut self.is_fed)).or(Some(0));
        self.work(now);
    }

    fn read(&self) -> u64 {
        self.read
    }

    fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    fn stats(&mut self) -> Stats {
        Stats { connected: self.connected, last_read: self.last_read, ..Stats::default() }
    }
}
