//! Constants of CUBIC: names, ranges and defaults.

use crate::Common;
use crate::param::params;

params! {
    /// Constants of CUBIC.
    pub struct CubicParams {
        common: Common,
        /// how fast the cubic function grows
        c: number("segments/s^3", [0.001, 1000.0], 0.4, "RFC 9438, section 5.1"),
        /// part of the window kept after a loss
        beta: number("1", [0.01, 0.99], 0.7, Linux = 717.0 / 1024.0,
            "RFC 9438, section 4.6 (Linux: 717/1024)"),
        /// 1: a flow that lost below its last maximum aims lower; 0: at the window of its last loss
        fast_convergence: flag(true, "RFC 9438, section 4.7"),
        /// 1: the window is never smaller than standard TCP's would be; 0: the cubic function alone
        reno_friendly: flag(true, "RFC 9438, section 4.3"),
        /// largest target of one round trip, part of the window
        target_limit: number("1", [1.0, 1000.0], 1.5, "RFC 9438, section 4.2"),
        /// round-trip time by which the target looks ahead: 0 the smoothed one; 1 the smallest one
        rtt_statistic: choice(1, 0, Linux = 1, "RFC 9438, section 4.1.2 (Linux, ns-3: 1)"),
        /// 1: W_est grows by 1 per round trip from the window of the last congestion event on; 0: by alpha
        alpha_one: flag(true, Linux = false, "RFC 9438, section 4.3 (Linux tcp_cubic.c: 0)"),
        /// before the first loss the window grows by at least a segment per so many acknowledged; 0: no such
        /// rule
        first_growth: number("segments", [0.0, 1e6], 0.0, Linux = 20.0,
            "none in RFC 9438 (Linux tcp_cubic.c: 20)"),
        /// 1: time in which something else limits the flow counts; 0: it does not
        limited_time: flag(false, Linux = true,
            "RFC 9438, section 5.8 (Linux tcp_cubic.c, while something is in flight: 1)"),
        /// 1: windows grow and shrink by whole segments, in Linux's arithmetic; 0: real numbers
        whole_segments: flag(false, Linux = true, "RFC 9438 (Linux tcp_cubic.c: 1)"),
        /// resolution of the clock, used where whole_segments = 1
        tick: time([0.0001, 0.01], 0.001,
            "Linux with HZ = 1000 (chosen: kernels are built with 250, 300 and 1000)"),
        /// HyStart as in Linux: 0 none, slow start is that of the scenario; 1 trains; 2 delays; 3 both
        hystart: choice(3, 0, Linux = 3,
            "RFC 9438, section 4.10, leaves slow start open (Linux tcp_cubic.c: 3)"),
        /// HyStart: smallest window at which slow start ends
        hystart_low_window: number("segments", [0.0, 1e6], 16.0, "Linux tcp_cubic.c"),
        /// HyStart: longest time between two acknowledgements of a train
        hystart_ack_gap: time([0.0, 1.0], 0.002, "Linux tcp_cubic.c"),
        /// HyStart: most that the time of bursts adds to the round-trip time of which a train has half
        hystart_slack: time([0.0, 1.0], 0.001, "Linux tcp_cubic.c"),
        /// HyStart: segments of the largest burst, four of which make that time
        hystart_burst: number("segments", [0.0, 1e6], 45.0, "Linux: 65215 bytes of 1448 each"),
        /// HyStart: smallest growth of the round-trip time that ends slow start
        hystart_min_threshold: time([0.0, 10.0], 0.004, "Linux tcp_cubic.c"),
        /// HyStart: growth of the round-trip time that always ends slow start, unless the smallest one is
        /// larger
        hystart_max_threshold: time([0.0, 10.0], 0.016, "Linux tcp_cubic.c"),
        /// HyStart: between the two, growth by the smallest round-trip time over this ends slow start
        hystart_divisor: number("1", [1.0, 1e6], 8.0, "Linux tcp_cubic.c"),
        /// HyStart: round-trip times of a round before the next one may end slow start
        hystart_samples: count("1", [0, 255], 8, "Linux tcp_cubic.c"),
        ecn: ecn(1, "RFC 3168, section 6.1"),
        paced: paced(),
    }
}
