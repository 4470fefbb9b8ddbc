//! Calls whose form differs between quinn and noq.

use super::endpoint::Identifiers;
use super::{Seen, proto};
pub(super) use super::{rates, state};
use bytes::{Bytes, BytesMut};
use mesonet_cc::draw::Draw;
use noq_proto::{FourTuple, PathId};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

/// Gives an endpoint its connection identifiers.
pub fn identify(config: &mut proto::EndpointConfig, seed: u64) {
    config.cid_generator(Arc::new(move || Box::new(Identifiers(Draw::new(seed)))));
}

pub fn endpoint(
    config: Arc<proto::EndpointConfig>,
    server: Option<Arc<proto::ServerConfig>>,
) -> proto::Endpoint {
    proto::Endpoint::new(config, server, true)
}

pub fn handle(
    endpoint: &mut proto::Endpoint,
    now: Instant,
    peer: SocketAddr,
    (ecn, data): (Option<proto::EcnCodepoint>, BytesMut),
    buffer: &mut Vec<u8>,
) -> Option<proto::DatagramEvent> {
    endpoint.handle(now, FourTuple::new(peer, None), ecn, data, buffer)
}

/// Writes as much as the stream takes; none where it takes nothing.
pub fn write(stream: &mut proto::SendStream<'_>, bytes: Bytes) -> Option<u64> {
    stream.write_chunks(&mut &mut [bytes][..]).ok().map(|written| written as u64)
}

pub fn transmit(
    connection: &mut proto::Connection,
    now: Instant,
    batch: usize,
    buffer: &mut Vec<u8>,
) -> Option<proto::Transmit> {
    let batch = NonZeroUsize::new(batch).unwrap_or(NonZeroUsize::MIN);
    connection.poll_transmit(now, batch, buffer)
}

pub fn seen(connection: &mut proto::Connection) -> Option<Seen<'_>> {
    let path = connection.path_stats(PathId::ZERO)?;
    Some(Seen {
        rtt: path.rtt,
        lost: path.lost_packets,
        reductions: path.congestion_events,
        spurious: Some(path.spurious_congestion_events),
        controller: connection.congestion_state(PathId::ZERO)?,
    })
}
