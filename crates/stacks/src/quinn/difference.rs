//! Calls whose form differs between quinn and noq.

use super::endpoint::Identifiers;
use super::{Seen, proto};
pub(super) use super::{rates, state};
use bytes::{Bytes, BytesMut};
use mesonet_cc::draw::Draw;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

/// Gives an endpoint its connection identifiers.
pub fn identify(config: &mut proto::EndpointConfig, seed: u64) {
    config.cid_generator(move || Box::new(Identifiers(Draw::new(seed))));
}

pub fn endpoint(
    config: Arc<proto::EndpointConfig>,
    server: Option<Arc<proto::ServerConfig>>,
) -> proto::Endpoint {
    proto::Endpoint::new(config, server, true, None)
}

pub fn handle(
    endpoint: &mut proto::Endpoint,
    now: Instant,
    peer: SocketAddr,
    (ecn, data): (Option<proto::EcnCodepoint>, BytesMut),
    buffer: &mut Vec<u8>,
) -> Option<proto::DatagramEvent> {
    endpoint.handle(now, peer, None, ecn, data, buffer)
}

/// Writes as much as the stream takes; none where it takes nothing.
pub fn write(stream: &mut proto::SendStream<'_>, bytes: Bytes) -> Option<u64> {
    stream.write_chunks(&mut [bytes]).ok().map(|written| written.bytes as u64)
}

pub fn transmit(
    connection: &mut proto::Connection,
    now: Instant,
    batch: usize,
    buffer: &mut Vec<u8>,
) -> Option<proto::Transmit> {
    connection.poll_transmit(now, batch, buffer)
}

#[allow(clippy::unnecessary_wraps)]
pub fn seen(connection: &mut proto::Connection) -> Option<Seen<'_>> {
    let path = connection.stats().path;
    Some(Seen {
        rtt: path.rtt,
        lost: path.lost_packets,
        reductions: path.congestion_events,
        spurious: None,
        controller: connection.congestion_state(),
    })
}
