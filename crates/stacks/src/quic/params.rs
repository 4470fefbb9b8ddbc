//! Constants of QUIC stacks. 0 leaves the default of the stack.

use crate::HOST;
use mesonet_cc::Param;

const OWN: &str = "0: the default of the stack";

/// Constants of a QUIC stack, those of its host first.
pub const PARAMS: [Param; 11] = [
    HOST[0],
    HOST[1],
    HOST[2],
    HOST[3],
    Param::new("initial_window", "initial congestion window", "bytes", [0.0, 1e9], 0.0, OWN),
    Param::new(
        "receive_window",
        "flow control: data that a receiver takes ahead of its application",
        "bytes",
        [0.0, 1e10],
        0.0,
        OWN,
    ),
    Param::new(
        "send_window",
        "data that a sender keeps until they are acknowledged",
        "bytes",
        [0.0, 1e10],
        0.0,
        OWN,
    ),
    Param::new(
        "packet_threshold",
        "packets acknowledged later after which a packet is lost",
        "packets",
        [0.0, 1e6],
        0.0,
        OWN,
    ),
    Param::new(
        "time_threshold",
        "part of the round-trip time after which a packet is lost",
        "1",
        [0.0, 1e3],
        0.0,
        OWN,
    ),
    Param::new("initial_rtt", "round-trip time before there is a sample", "ms", [0.0, 1e4], 0.0, OWN),
    Param::new("idle_timeout", "idle time after which a connection ends", "s", [0.0, 1e5], 0.0, OWN),
];
