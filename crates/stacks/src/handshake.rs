//! A handshake in place of TLS: four messages in the order of TLS 1.3, which carry transport parameters and
//! protect nothing.

/// Length of the authentication tag, as of AES-128-GCM, so that packets have their real sizes.
pub const TAG: usize = 16;

/// Bytes of a message before its content: kind and length.
const HEAD: usize = 3;

const CLIENT_HELLO: u8 = 1;
const SERVER_HELLO: u8 = 2;
const SERVER_FINISHED: u8 = 3;
const CLIENT_FINISHED: u8 = 4;

/// One side of a handshake.
pub struct Handshake {
    is_client: bool,
    /// Number of the step that it has reached.
    step: u8,
    /// Own transport parameters.
    own: Vec<u8>,
    /// Bytes that are no whole message yet.
    incoming: Vec<u8>,
    /// Transport parameters of the peer.
    peer: Option<Vec<u8>>,
}

impl Handshake {
    pub fn new(is_client: bool, own: Vec<u8>) -> Self {
        Self { is_client, step: 0, own, incoming: Vec::new(), peer: None }
    }

    /// Takes bytes of the peer.
    pub fn read(&mut self, bytes: &[u8]) {
        self.incoming.extend_from_slice(bytes);
        while self.incoming.len() >= HEAD {
            let length = usize::from(u16::from_be_bytes([self.incoming[1], self.incoming[2]]));
            if self.incoming.len() < HEAD + length {
                return;
            }
            let rest = self.incoming.split_off(HEAD + length);
            let message = std::mem::replace(&mut self.incoming, rest);
            let content = message[HEAD..].to_vec();
            match (self.is_client, message[0]) {
                (false, CLIENT_HELLO) => (self.step, self.peer) = (1, Some(content)),
                (true, SERVER_HELLO) => self.step = 2,
                (true, SERVER_FINISHED) => (self.step, self.peer) = (4, Some(content)),
                (false, CLIENT_FINISHED) => self.step = 4,
                _ => {}
            }
        }
    }

    /// Writes what follows; returns whether packets have new keys from here on.
    pub fn write(&mut self, out: &mut Vec<u8>) -> bool {
        let (message, content, keys, next) = match (self.is_client, self.step) {
            (true, 0) => (Some(CLIENT_HELLO), &self.own[..], false, 1),
            (true, 2) => (None, &[][..], true, 3),
            (true, 4) => (Some(CLIENT_FINISHED), &[][..], true, 5),
            (false, 1) => (Some(SERVER_HELLO), &[][..], true, 2),
            (false, 2) => (Some(SERVER_FINISHED), &self.own[..], true, 3),
            _ => return false,
        };
        if let Some(kind) = message {
            out.push(kind);
            out.extend_from_slice(&(content.len() as u16).to_be_bytes());
            out.extend_from_slice(content);
        }
        self.step = next;
        keys
    }

    pub fn is_handshaking(&self) -> bool {
        self.step < 4
    }

    /// Transport parameters of the peer, once they have come.
    pub fn peer(&self) -> Option<&[u8]> {
        self.peer.as_deref()
    }
}

/// Bytes that stand for a signature of `data`: they differ where the data do (FNV-1a).
pub fn fill_signature(data: &[u8], signature: &mut [u8]) {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in data {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    for (place, byte) in signature.iter_mut().enumerate() {
        *byte = hash.rotate_left(8 * place as u32) as u8 ^ place as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_messages_carry_the_parameters_even_byte_by_byte() {
        let mut client = Handshake::new(true, vec![1, 2]);
        let mut server = Handshake::new(false, vec![3]);
        let mut flights = [Vec::new(), Vec::new()];
        let mut keys = [0, 0];
        // As a stack does: it writes after each message that it reads.
        for turn in 0..200 {
            let side = turn % 2;
            let end = if side == 0 { &mut client } else { &mut server };
            if let Some(byte) = (!flights[1 - side].is_empty()).then(|| flights[1 - side].remove(0)) {
                end.read(&[byte]);
            }
            keys[side] += u32::from(end.write(&mut flights[side]));
        }
        assert!(!client.is_handshaking() && !server.is_handshaking());
        assert_eq!((client.peer(), server.peer()), (Some(&[3][..]), Some(&[1, 2][..])));
        assert_eq!(keys, [2, 2]);
    }
}
