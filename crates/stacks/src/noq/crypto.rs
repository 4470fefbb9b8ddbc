//! Cryptography that protects nothing, with the sizes of AES-128-GCM.

use super::proto;
use crate::handshake::{Handshake, TAG, fill_signature};
use bytes::BytesMut;
use proto::crypto::{
    ClientConfig, CryptoError, ExportKeyingMaterialError, HandshakeTokenKey, HeaderKey, HmacKey, KeyPair,
    Keys, PacketKey, ServerConfig, Session, UnsupportedVersion,
};
use proto::transport_parameters::TransportParameters;
use proto::{ConnectError, ConnectionId, PathId, Side, TransportError};
use std::any::Any;

/// Every key.
pub struct Key;

/// Either side of the handshake.
pub struct Crypto;

struct NullSession {
    handshake: Handshake,
    side: Side,
}

fn keys() -> Keys {
    Keys {
        header: KeyPair { local: Box::new(Key), remote: Box::new(Key) },
        packet: KeyPair { local: Box::new(Key), remote: Box::new(Key) },
    }
}

fn session(side: Side, params: &TransportParameters) -> Box<dyn Session> {
    let mut own = Vec::new();
    params.write(&mut own);
    Box::new(NullSession { handshake: Handshake::new(side.is_client(), own), side })
}

impl Session for NullSession {
    fn initial_keys(&self, _: ConnectionId, _: Side) -> Keys {
        keys()
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        None
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        None
    }

    fn early_data_accepted(&self) -> Option<bool> {
        None
    }

    fn is_handshaking(&self) -> bool {
        self.handshake.is_handshaking()
    }

    fn read_handshake(&mut self, bytes: &[u8]) -> Result<bool, TransportError> {
        self.handshake.read(bytes);
        Ok(false)
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        let read = |mut bytes: &[u8]| TransportParameters::read(self.side, &mut bytes);
        Ok(self.handshake.peer().map(read).transpose()?)
    }

    fn write_handshake(&mut self, out: &mut Vec<u8>) -> Option<Keys> {
        self.handshake.write(out).then(keys)
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        Some(keys().packet)
    }

    fn is_valid_retry(&self, _: ConnectionId, _: &[u8], _: &[u8]) -> bool {
        true
    }

    fn export_keying_material(
        &self,
        _: &mut [u8],
        _: &[u8],
        _: &[u8],
    ) -> Result<(), ExportKeyingMaterialError> {
        Err(ExportKeyingMaterialError)
    }
}

impl ClientConfig for Crypto {
    fn start_session(
        &self,
        _: u32,
        _: &str,
        params: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        Ok(session(Side::Client, params))
    }
}

impl ServerConfig for Crypto {
    fn initial_keys(&self, _: u32, _: ConnectionId) -> Result<Keys, UnsupportedVersion> {
        Ok(keys())
    }

    fn retry_tag(&self, _: u32, _: ConnectionId, _: &[u8]) -> [u8; 16] {
        [0; 16]
    }

    fn start_session(&self, _: u32, params: &TransportParameters) -> Box<dyn Session> {
        session(Side::Server, params)
    }
}

impl PacketKey for Key {
    fn encrypt(&self, _: PathId, _: u64, _: &mut [u8], _: usize) {}

    fn decrypt(&self, _: PathId, _: u64, _: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        let length = payload.len().checked_sub(TAG).ok_or(CryptoError)?;
        payload.truncate(length);
        Ok(())
    }

    fn tag_len(&self) -> usize {
        TAG
    }

    fn confidentiality_limit(&self) -> u64 {
        u64::MAX
    }

    fn integrity_limit(&self) -> u64 {
        u64::MAX
    }
}

impl HeaderKey for Key {
    fn decrypt(&self, _: usize, _: &mut [u8]) {}

    fn encrypt(&self, _: usize, _: &mut [u8]) {}

    fn sample_size(&self) -> usize {
        TAG
    }
}

impl HmacKey for Key {
    fn sign(&self, data: &[u8], signature: &mut [u8]) {
        fill_signature(data, signature);
    }

    fn signature_len(&self) -> usize {
        32
    }

    fn verify(&self, _: &[u8], _: &[u8]) -> Result<(), CryptoError> {
        Ok(())
    }
}

impl HandshakeTokenKey for Key {
    fn seal(&self, _: u128, data: &mut Vec<u8>) -> Result<(), CryptoError> {
        data.extend_from_slice(&[0; TAG]);
        Ok(())
    }

    fn open<'a>(&self, _: u128, data: &'a mut [u8]) -> Result<&'a [u8], CryptoError> {
        let length = data.len().checked_sub(TAG).ok_or(CryptoError)?;
        Ok(&data[..length])
    }
}
