//! Constants of BBRv3: names, ranges and defaults (draft-ietf-ccwg-bbr, section 2), and the values of a
//! scenario.

use crate::Common;
use crate::param::params;

params! {
    /// Constants of BBRv3.
    pub struct Bbr3Config {
        common: Common,
        /// pacing gain while the bandwidth is looked for: 4 ln 2
        startup_gain: number("1", [1.0, 10.0], 2.77, "draft-ietf-ccwg-bbr"),
        /// pacing gain while the queue of the start is drained
        drain_gain: number("1", [0.01, 1.0], 0.5,
            "draft-ietf-ccwg-bbr (earlier revisions: 1 / 2.77 and 0.75)"),
        /// rounds after which draining ends though more is in flight than the path holds
        drain_rounds: count("round trips", [1, 1_000_000_000], 3,
            "draft-ietf-ccwg-bbr, sections Drain and Exiting DRAIN Based on Time"),
        /// pacing gain after a probe for bandwidth
        down_gain: number("1", [0.01, 1.0], 0.9, "draft-ietf-ccwg-bbr"),
        /// pacing gain of a probe for bandwidth
        up_gain: number("1", [1.0, 10.0], 1.25, "draft-ietf-ccwg-bbr"),
        /// window over the product of bandwidth and smallest round-trip time
        cwnd_gain: number("1", [1.0, 100.0], 2.0, "draft-ietf-ccwg-bbr"),
        /// the same during a probe for bandwidth
        up_cwnd_gain: number("1", [1.0, 100.0], 2.25, "draft-ietf-ccwg-bbr"),
        /// share of lost segments that a probe may cause
        loss_threshold: number("1", [0.0, 0.5], 0.02, "draft-ietf-ccwg-bbr"),
        /// part of the bounds that a round with losses leaves at least
        beta: number("1", [0.01, 0.99], 0.7, "draft-ietf-ccwg-bbr"),
        /// part of the long-term bound that is left to others
        headroom: number("1", [0.0, 0.9], 0.15, "draft-ietf-ccwg-bbr"),
        /// smallest window outside loss recovery
        min_window: number("segments", [1.0, 1000.0], 4.0, "draft-ietf-ccwg-bbr"),
        /// time for which the smallest round-trip time counts
        min_rtt_time: time([0.01, 3600.0], 10.0, "draft-ietf-ccwg-bbr"),
        /// time after which a smallest round-trip time that has not fallen is probed
        probe_rtt_interval: time([0.01, 3600.0], 5.0, "draft-ietf-ccwg-bbr"),
        /// least time for which that probe holds the window down
        probe_rtt_time: time([0.0, 60.0], 0.2, "draft-ietf-ccwg-bbr"),
        /// window over the product while it does
        probe_rtt_gain: number("1", [0.01, 1.0], 0.5, "draft-ietf-ccwg-bbr"),
        /// growth of the delivery rate below which a round counts as one without growth
        full_growth: number("1", [1.0, 10.0], 1.25, "draft-ietf-ccwg-bbr"),
        /// rounds without growth after which the pipe counts as full
        full_rounds: count("round trips", [1, 100], 3, "draft-ietf-ccwg-bbr"),
        /// acknowledgements with losses in a round that ends the start
        full_losses: count("1", [1, 100], 6, "draft-ietf-ccwg-bbr"),
        /// least time between probes for bandwidth
        probe_wait: number("s", [0.0, 3600.0], 2.0, "draft-ietf-ccwg-bbr"),
        /// largest random addition to it
        probe_wait_random: number("s", [0.0, 3600.0], 1.0, "draft-ietf-ccwg-bbr"),
        /// most round trips between probes for bandwidth
        probe_rounds: number("round trips", [1.0, 10_000.0], 63.0, "draft-ietf-ccwg-bbr"),
        /// part of the bandwidth by which pacing stays below it
        pacing_margin: number("1", [0.0, 0.9], 0.01, "draft-ietf-ccwg-bbr"),
        /// segments that leave in one burst; the window has room for three
        quantum: number("segments", [0.0, 1000.0], 1.0,
            "draft-ietf-ccwg-bbr, for segments that leave one by one"),
        /// window beyond that during a probe for bandwidth
        up_extra: number("segments", [0.0, 1000.0], 2.0, "draft-ietf-ccwg-bbr"),
        /// part of the acknowledgements that come in bunches which is added to the window; 0: no such rule
        extra_acked_gain: number("1", [0.0, 10.0], 1.0, "draft-ietf-ccwg-bbr"),
        /// round trips of a window over which the largest bunch counts; the last one counts, too
        extra_acked_rounds: count("round trips", [1, 31], 5,
            "Google, tcp_bbr.c, version 3: 5 to 10 round trips (draft-ietf-ccwg-bbr: 10)"),
        /// round-trip time assumed before the first measurement
        first_rtt: number("s", [0.000_001, 10.0], 0.001, "draft-ietf-ccwg-bbr"),
        ecn: ecn(0, "draft-ietf-ccwg-bbr answers losses only, so its segments must not ask for marks (RFC 3168, section 5)"),
        /// weight of a round in the mean share of marked segments
        ecn_gain: number("1", [0.0001, 1.0], 0.0625, "Google, tcp_bbr.c, version 3"),
        /// mean share of marked segments at the beginning
        ecn_initial_alpha: number("1", [0.0, 1.0], 1.0, "Google, tcp_bbr.c, version 3"),
        /// part of the mean share by which a round with marks cuts what is in flight; 0: marks are not
        /// answered
        ecn_factor: number("1", [0.0, 1.0], 1.0 / 3.0, "Google, tcp_bbr.c, version 3"),
        /// share of marked segments that a probe may cause; 0: any
        ecn_threshold: number("1", [0.0, 1.0], 0.5, "Google, tcp_bbr.c, version 3"),
        /// rounds with larger shares that end the start; 0: none do
        ecn_rounds: count("round trips", [0, 100], 2, "Google, tcp_bbr.c, version 3"),
        /// part of the long-term bound that a probe adds in its first round after marks cease; 0: no such
        /// probe
        ecn_reprobe_gain: number("1", [0.0, 10.0], 0.5, "Google, tcp_bbr.c, version 3"),
        /// largest smallest round-trip time at which marks are answered; 0: any
        ecn_max_rtt: time([0.0, 10.0], 0.0,
            "RFC 9331, section 4.3: marks are always answered (Google, tcp_bbr.c, version 3, for data centres: 0.005)"),
    }
}
