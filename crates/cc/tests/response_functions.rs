//! Response functions: the time-averaged window of a flow that loses exactly one of every 1/p segments.

use crate::support::{Fluid, assert_close, config};
use mesonet_cc::{Config, Preset};

const RTT: f64 = 0.1;

/// Time-averaged window once a cycle differs by less than the part `settled` from the one before, from a
/// first window near the answer.
fn mean_window(config: Config, p: f64, near: f64, settled: f64) -> f64 {
    let segments_per_loss = (1.0 / p).round() as u32;
    let mut fluid = Fluid::new(config, near);
    let mut before = 0.0;
    loop {
        let began = fluid.now;
        for _ in 0..segments_per_loss {
            fluid.acknowledge(RTT);
        }
        let mean = f64::from(segments_per_loss) / ((fluid.now - began) / RTT);
        if (mean / before - 1.0).abs() < settled {
            return mean;
        }
        before = mean;
        fluid.lose();
    }
}

#[track_caller]
fn check(name: &str, preset: Preset, changes: &[(&str, f64)], table: &[(f64, f64)]) {
    for &(p, window) in table {
        // A loss reduces the distance from the cycle by 1/8 or more, so what is left is at most 7 times this
        // change.
        let mean = mean_window(config(name, preset, changes), p, window, 1e-3);
        assert_close(&format!("{name} at p = {p}"), mean, window, 0.03);
    }
}

#[test]
fn tcp() {
    let table = [(1e-2, 12.01), (1e-3, 38.48), (1e-4, 122.2), (1e-5, 387.0), (1e-6, 1224.5)];
    check("tcp", Preset::Standard, &[], &table);
    check("tcp", Preset::Sp500282, &[], &table);
}

#[test]
fn additive_increase_and_multiplicative_decrease() {
    // RFC 9438: sqrt(a (1 + beta) / (2 (1 - beta) p)) for an increase a that keeps beta of the window.
    for (a, beta) in [(1.0, 0.5), (1.0, 0.7), (0.529, 0.7), (4.0, 0.5), (0.2, 0.875)] {
        for p in [1e-4, 1e-5] {
            let window = f64::sqrt(a * (1.0 + beta) / (2.0 * (1.0 - beta) * p));
            let changes = [("increase", a), ("decrease", 1.0 - beta)];
            check("tcp", Preset::Standard, &changes, &[(p, window)]);
        }
    }
}

#[test]
fn scalable() {
    let table = [(1e-2, 16.4), (1e-3, 74.5), (1e-4, 742.0), (1e-5, 7419.0), (1e-6, 74190.0)];
    check("scalable", Preset::Standard, &[], &table);
    // The mean of its own rules alone: a / (p ln 1/(1 - b)).
    for p in [1e-4, 1e-5] {
        check("scalable", Preset::Standard, &[], &[(p, 0.07489 / p)]);
    }
}

/// The windows of Scalable and standard TCP are equal where their response functions cross: sqrt(3 / (2 p)) =
/// 0.075 / p.
#[test]
fn scalable_crosses_standard_tcp_at_twenty_segments() {
    for name in ["tcp", "scalable"] {
        check(name, Preset::Standard, &[], &[(3.75e-3, 20.0)]);
    }
}

#[test]
fn hstcp_of_the_rfc() {
    let table = [(1e-2, 12.01), (1e-3, 40.2), (1e-4, 263.5), (1e-5, 1812.0), (1e-6, 12417.0)];
    check("hstcp", Preset::Standard, &[], &table);
}

/// 0.12 / p^0.835 is sqrt(3 / (2 p)) at p = 9.74e-4, 39 segments (RFC 3649). As an increase is at least that
/// of standard TCP, the flows do not cross there but part: equal where the window stays below 38 segments,
/// never less, and 4 % more at the crossing, where standard TCP has its 39.
#[test]
fn hstcp_parts_from_standard_tcp_at_39_segments() {
    let crossing = libm::pow(0.12 / f64::sqrt(1.5), 1.0 / 0.335);
    assert_close("crossing", crossing, 9.74e-4, 1e-3);
    let ratio = |p: f64| {
        let [hstcp, tcp] = ["hstcp", "tcp"]
            .map(|name| mean_window(config(name, Preset::Standard, &[]), p, f64::sqrt(1.5 / p), 1e-6));
        (hstcp / tcp, tcp)
    };
    assert_close("below", ratio(2e-3).0, 1.0, 1e-6);
    let (at, tcp) = ratio(crossing);
    assert_close("standard TCP at the crossing", tcp, 39.0, 0.01);
    assert!((1.0..1.06).contains(&at), "{at}");
    assert!(ratio(5e-4).0 > 1.2);
}

#[test]
fn hstcp_through_the_response_function_of_standard_tcp_at_31() {
    let table = [(1e-2, 12.01), (1e-3, 44.8), (1e-4, 297.0), (1e-5, 1962.0), (1e-6, 12911.0)];
    check("hstcp", Preset::Standard, &[("low_window", 31.0), ("low_p", 1.5 / 961.0)], &table);
}

#[test]
fn hstcp_of_the_study() {
    let table = [(1e-3, 40.5), (1e-4, 260.7), (1e-5, 1786.0), (1e-6, 12196.0)];
    check("hstcp", Preset::Sp500282, &[], &table);
}

/// The increment follows the window within a round trip, as in Linux. One step per round trip gives more, 49
/// at 1e-3 and 362 at 1e-4 (see the unit tests of the algorithm), because the increment shrinks on the way to
/// the maximum.
#[test]
fn bic() {
    for preset in [Preset::Standard, Preset::Sp500282] {
        for (p, window) in [(1e-2, 14.12), (1e-3, 43.03), (1e-4, 320.5), (1e-5, 1912.0)] {
            // The maximum that the flow remembers settles slowly.
            let mean = mean_window(config("bic", preset, &[]), p, window, 1e-5);
            assert_close(&format!("bic at p = {p}"), mean, window, 0.01);
        }
    }
}

#[test]
fn ctcp() {
    let table = [(1e-2, 12.01), (1e-3, 63.0), (1e-4, 400.1), (1e-5, 2535.0)];
    for preset in [Preset::Standard, Preset::Sp500282] {
        check("ctcp", preset, &[], &table);
    }
    check("ctcp", Preset::Sp500282, &[], &[(1e-6, 16036.0)]);
    // Its own rules alone: 0.2553 / p^0.8.
    check("ctcp", Preset::Standard, &[], &[(1e-5, 0.2553e4)]);
}

#[test]
fn the_largest_window_of_ctcp() {
    // 0.3504 / p^0.8 at p = 1e-5, of its own rules alone.
    let mut fluid = Fluid::new(config("ctcp", Preset::Sp500282, &[]), 3504.0);
    for _ in 0..20 {
        fluid.lose();
        for _ in 0..100_000 {
            fluid.acknowledge(RTT);
        }
    }
    assert_close("ctcp", fluid.cwnd(), 3504.0, 0.03);
}

/// Time-averaged window of the last two of `cycles` cycles: those of a flow that makes room whenever it lost
/// below its last maximum may alternate.
fn mean_of_two_cycles(config: Config, rtt: f64, p: f64, near: f64, cycles: u32) -> f64 {
    let segments_per_loss = (1.0 / p).round() as u32;
    let mut fluid = Fluid::new(config, near);
    let mut began = 0.0;
    for cycle in 0..cycles {
        if cycle == cycles - 2 {
            began = fluid.now;
        }
        for _ in 0..segments_per_loss {
            fluid.acknowledge(rtt);
        }
        if cycle < cycles - 1 {
            fluid.lose();
        }
    }
    2.0 * f64::from(segments_per_loss) / ((fluid.now - began) / rtt)
}

#[test]
fn cubic() {
    #[rustfmt::skip]
    let table = [
        // round-trip time, p, window of RFC 9438, cycles, tolerance
        (0.1, 1e-2, 12.0, 40, 0.03), (0.1, 1e-4, 187.4, 40, 0.03), (0.1, 1e-5, 1053.8, 40, 0.03),
        (0.1, 1e-6, 5926.0, 10, 0.03), (0.01, 1e-2, 12.0, 40, 0.03),
        // Where the cubic function and standard TCP grow alike, the flow has the larger of both windows at
        // every instant and so more than either on average; the RFC has the larger of the averages, 1.2 /
        // sqrt(p).
        (0.1, 1e-3, 38.0, 40, 0.05), (0.01, 1e-6, 1200.0, 20, 0.05),
    ];
    for preset in [Preset::Standard, Preset::Sp500282] {
        for (rtt, p, window, cycles, tolerance) in table {
            let mean = mean_of_two_cycles(config("cubic", preset, &[]), rtt, p, window, cycles);
            assert_close(&format!("cubic at p = {p}, {rtt} s"), mean, window, tolerance);
        }
    }
}

#[test]
#[ignore = "takes seconds: make verify"]
fn cubic_at_the_smallest_loss_rate_of_the_rfc() {
    for (rtt, window) in [(0.1, 33325.0), (0.01, 5926.0)] {
        let mean = mean_of_two_cycles(config("cubic", Preset::Standard, &[]), rtt, 1e-7, window, 6);
        assert_close(&format!("cubic at p = 1e-7, {rtt} s"), mean, window, 0.03);
    }
}

#[test]
fn cubic_in_the_region_of_standard_tcp() {
    // sqrt(3 / (2 p)), where the cubic function is the smaller one.
    for p in [1e-2, 1e-3, 1e-4, 1e-5] {
        let expected = f64::sqrt(1.5 / p);
        let mean = mean_of_two_cycles(config("cubic", Preset::Standard, &[]), 0.01, p, expected, 20);
        assert_close(&format!("cubic at p = {p}"), mean, expected, 0.01);
    }
}
