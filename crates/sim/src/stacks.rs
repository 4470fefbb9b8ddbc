//! Whole transport stacks as the ends of connections: what a stack implements, and the stacks of the build.
//!
//! A stack has no sockets and no clock. It gets datagrams and instants, and hands datagrams over. It draws
//! nothing but from the seed of its [`Setup`]. The simulator has the other half: packets, their way, and the
//! hosts (`simulation/stacks`).

use mesonet_cc::Picos;
use mesonet_cc::plugin::observed::Observed;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::RwLock;

/// Bytes of the largest datagram, with the headers below it, that the simulator carries.
pub const LARGEST_DATAGRAM: u32 = (1 << (32 - HANDLE_BITS)) - 1;

/// Bits of a packet that say which payload it has; the others have its size.
pub(crate) const HANDLE_BITS: u32 = 18;

/// Constants that each stack has: how its hosts hand packets over.
pub mod host {
    /// Most datagrams that leave in one call.
    pub const BATCH: &str = "batch";
    /// Time that a call takes the processor of a host, us.
    pub const CALL_TIME: &str = "call_time";
    /// Largest packet, bytes, IP header included.
    pub const MTU: &str = "mtu";
    /// Bytes of the request that a receiver sends before it gets data; 0: the source begins.
    pub const REQUEST: &str = "request";
}

/// The ECN field of a packet (RFC 3168, section 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// Not ECN-capable.
    #[default]
    NotEct,
    /// ECT(1).
    Ect1,
    /// ECT(0).
    Ect0,
    /// Congestion experienced.
    Ce,
}

impl Ecn {
    /// The field with these two bits.
    #[must_use]
    pub fn of_bits(bits: u8) -> Self {
        [Self::NotEct, Self::Ect1, Self::Ect0, Self::Ce][usize::from(bits & 3)]
    }

    /// Its two bits.
    #[must_use]
    pub fn bits(self) -> u8 {
        self as u8
    }
}

/// A packet of a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// Content, as the stack made it.
    pub payload: Vec<u8>,
    /// Bytes of the headers below the content, which the network carries, too.
    pub headers: u32,
    /// Its ECN field.
    pub ecn: Ecn,
}

/// The end of a connection that a stack plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It has data to send.
    Source,
    /// It reads.
    Sink,
}

/// A connection about to begin.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The end.
    pub role: Role,
    /// When, ps since the start of the run.
    pub now: Picos,
    /// Bytes that the source sends; none: it sends until it is stopped.
    pub size: Option<u64>,
    /// An application hands the source its data by [`Endpoint::supply`]; its size is 0.
    pub is_fed: bool,
    /// Bytes of the request for them. 0: the source opens the connection, and the sink does otherwise.
    pub request: u64,
    /// Largest packet, bytes, IP header included.
    pub mtu: u32,
    /// Most datagrams of one call of [`Endpoint::drain`].
    pub batch: u32,
    /// Seed of all that this end draws.
    pub seed: u64,
    /// Every constant of the stack by name.
    pub constants: BTreeMap<String, f64>,
}

impl Setup {
    /// This end opens the connection.
    #[must_use]
    pub fn is_client(&self) -> bool {
        (self.role == Role::Source) == (self.request == 0)
    }

    /// A constant of the stack.
    ///
    /// # Panics
    ///
    /// If the stack has no such constant.
    #[must_use]
    pub fn constant(&self, name: &str) -> f64 {
        self.constants[name]
    }

    /// A constant for which 0 means that the default of the stack holds.
    #[must_use]
    pub fn given(&self, name: &str) -> Option<f64> {
        Some(self.constant(name)).filter(|value| *value > 0.0)
    }
}

/// The end of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All data were acknowledged.
    Completed,
    /// The connection ended before, for this reason.
    Aborted(String),
}

/// Data of an application that pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supply {
    /// So many bytes behind those before.
    Bytes(u64),
    /// Always more data from now on.
    Endless,
    /// No more data for now.
    Pause,
}

impl Supply {
    /// Bytes that a source has yet to write, after `left` before; none: it always has data.
    #[must_use]
    pub fn after(self, left: Option<u64>) -> Option<u64> {
        match self {
            Self::Bytes(bytes) => left.map(|left| left + bytes),
            Self::Endless => None,
            Self::Pause => Some(0),
        }
    }
}

/// Numbers that an end of a connection shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stats {
    /// When the handshake was complete.
    pub connected: Option<Picos>,
    /// When the application read last.
    pub last_read: Picos,
    /// Smoothed round-trip time.
    pub rtt: Option<Picos>,
    /// Packets that were declared lost.
    pub lost: Option<u64>,
    /// Reductions of the window.
    pub reductions: Option<u64>,
    /// Reductions that the stack found needless.
    pub spurious_reductions: Option<u64>,
    /// Its congestion control; windows and rates in bytes.
    pub control: Observed,
}

/// One end of a connection: a stack with an application, without sockets and clock.
pub trait Endpoint: Send + Sync {
    /// A datagram arrives.
    fn receive(&mut self, now: Picos, datagram: Datagram);

    /// The instant of [`Self::next_timeout`] has come.
    fn timer(&mut self, now: Picos);

    /// When it wants to be called next, if nothing arrives before.
    fn next_timeout(&mut self) -> Option<Picos>;

    /// Hands over the datagrams of one call to the interface; none where nothing may leave now.
    fn drain(&mut self, now: Picos, out: &mut Vec<Datagram>);

    /// The application of a source hands data over, or pauses.
    fn supply(&mut self, now: Picos, supply: Supply);

    /// The application of a source hands no new data over. What [`Self::supply`] has handed over is still
    /// sent.
    fn stop(&mut self, now: Picos);

    /// Bytes that the application has read.
    fn read(&self) -> u64;

    /// The end of the connection, as this end of it knows; none: it has not ended.
    fn outcome(&self) -> Option<&Outcome>;

    /// Numbers that it shows.
    fn stats(&mut self) -> Stats;
}

/// A stack of the build.
#[derive(Clone, Copy)]
pub struct Stack {
    /// Name in scenarios, as in the list of algorithms.
    pub name: &'static str,
    /// Makes an end of a connection.
    pub make: fn(&Setup) -> Box<dyn Endpoint>,
}

impl fmt::Debug for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stack").field(&self.name).finish()
    }
}

static STACKS: RwLock<Vec<Stack>> = RwLock::new(Vec::new());

/// Adds a stack to those that simulations can use; one of a name that is known replaces that.
pub fn register(stack: Stack) {
    let mut stacks = STACKS.write().unwrap_or_else(std::sync::PoisonError::into_inner);
    stacks.retain(|known| known.name != stack.name);
    stacks.push(stack);
}

/// The stack of this name.
#[must_use]
pub fn find(name: &str) -> Option<Stack> {
    let stacks = STACKS.read().unwrap_or_else(std::sync::PoisonError::into_inner);
    stacks.iter().find(|stack| stack.name == name).copied()
}
