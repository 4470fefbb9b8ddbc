//! Classes of flows by the propagation round trip of their path.

use mesonet_cc::Picos;

/// Round trips from which a flow is in the next class (chosen: within a region, a country, a continent, and
/// between continents).
const CLASS_LIMITS: [Picos; 3] = [20_000_000_000, 50_000_000_000, 100_000_000_000];

/// Words for users, in order.
pub const RTT_CLASSES: [&str; CLASS_LIMITS.len() + 1] =
    ["below 20 ms", "20 to 50 ms", "50 to 100 ms", "from 100 ms"];

/// Class of a round-trip propagation delay, an index of [`RTT_CLASSES`].
#[must_use]
pub fn rtt_class(base_rtt: Picos) -> u8 {
    CLASS_LIMITS.partition_point(|limit| *limit <= base_rtt) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use mesonet_cc::picos;

    #[test]
    fn classes_begin_at_their_limits() {
        let name = |seconds| RTT_CLASSES[usize::from(rtt_class(picos(seconds)))];
        let found = [0.0, 0.019_999, 0.02, 0.05, 0.099, 0.1, 3.0].map(name);
        let [near, country, continent, far] = RTT_CLASSES;
        assert_eq!(found, [near, near, country, continent, continent, far, far]);
    }
}
