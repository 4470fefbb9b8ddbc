//! Payloads of packets under way, by the number of the packet. Numbers depend on nothing but what was sent:
//! the luck of a packet on a link follows from them.

use crate::stacks::{Datagram, HANDLE_BITS};
use std::collections::VecDeque;

/// Numbers before they begin again.
const NUMBERS: u64 = 1 << HANDLE_BITS;

/// Payloads from the first packet that is under way.
#[derive(Debug, Default)]
pub struct Payloads {
    /// Number of the first.
    first: u64,
    /// With the number of packets that have it.
    under_way: VecDeque<Option<(Datagram, u32)>>,
}

impl Payloads {
    /// Keeps the payload of the next packet; none where a segment cannot name another one.
    pub fn put(&mut self, datagram: Datagram) -> Option<u32> {
        if self.under_way.len() as u64 == NUMBERS {
            return None;
        }
        let number = self.first + self.under_way.len() as u64;
        self.under_way.push_back(Some((datagram, 1)));
        Some((number % NUMBERS) as u32)
    }

    /// A link made a copy of the packet.
    pub fn copy(&mut self, handle: u32) {
        if let Some(Some((_, packets))) = self.slot(handle) {
            *packets += 1;
        }
    }

    /// The packet, or one of its copies, is no longer under way: its payload.
    pub fn take(&mut self, handle: u32) -> Option<Datagram> {
        let slot = self.slot(handle)?;
        let (datagram, packets) = slot.as_mut()?;
        *packets -= 1;
        if *packets > 0 {
            return Some(datagram.clone());
        }
        let taken = slot.take();
        while let Some(None) = self.under_way.front() {
            self.under_way.pop_front();
            self.first += 1;
        }
        taken.map(|(datagram, _)| datagram)
    }

    fn slot(&mut self, handle: u32) -> Option<&mut Option<(Datagram, u32)>> {
        let place = u64::from(handle).wrapping_sub(self.first) % NUMBERS;
        self.under_way.get_mut(place as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stacks::Ecn;

    fn datagram(byte: u8) -> Datagram {
        Datagram { payload: vec![byte], headers: 28, ecn: Ecn::NotEct }
    }

    #[test]
    fn a_payload_stays_until_all_copies_are_gone() {
        let mut payloads = Payloads::default();
        let [first, second] = [1, 2].map(|byte| payloads.put(datagram(byte)).unwrap());
        payloads.copy(first);
        assert_eq!(payloads.take(first), Some(datagram(1)));
        assert_eq!(payloads.take(first), Some(datagram(1)));
        assert_eq!((payloads.take(first), payloads.under_way.len()), (None, 1));
        assert_eq!(payloads.take(second), Some(datagram(2)));
        assert!(payloads.under_way.is_empty());
    }

    #[test]
    fn numbers_begin_again_and_never_depend_on_what_arrived() {
        let mut payloads = Payloads::default();
        for number in 0..NUMBERS + 10 {
            assert_eq!(payloads.put(datagram(0)), Some((number % NUMBERS) as u32));
            if number >= 9 {
                assert!(payloads.take(((number - 9) % NUMBERS) as u32).is_some());
            }
        }
        let more = (0..).take_while(|_| payloads.put(datagram(0)).is_some()).count() as u64;
        assert_eq!(more, NUMBERS - 9);
    }
}
