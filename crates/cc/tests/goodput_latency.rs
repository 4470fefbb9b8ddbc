//! Seconds that a flow needs from a window of 100 segments to one that fills its interface of 80 segments/ms,
//! without loss: what NIST SP 500-282, chapter 10, calls goodput latency.

use crate::support::{Fluid, assert_close, config};
use mesonet_cc::{Preset, seconds};

fn latency(name: &str, changes: &[(&str, f64)], rtt: f64) -> f64 {
    let mut fluid = Fluid::new(config(name, Preset::Sp500282, changes), 100.0);
    let period = fluid.timer_period().map_or(f64::INFINITY, seconds);
    let mut tick = period;
    while fluid.cwnd() < 80_000.0 * rtt {
        fluid.acknowledge(rtt);
        while fluid.now >= tick {
            fluid.tick();
            tick += period;
        }
    }
    fluid.now
}

#[test]
fn grows_with_the_round_trip_time_as_computed() {
    #[rustfmt::skip]
    let table = [
        // RTT ms, TCP, Scalable, HighSpeed, Compound, FAST every round trip, FAST every second one
        (40.7, 128.0, 14.3, 16.5, 5.8, 1.3, 2.6),
        (45.0, 157.0, 16.2, 19.2, 6.7, 1.6, 3.1),
        (48.5, 183.0, 17.8, 21.5, 7.4, 1.8, 3.7),
        (50.0, 195.0, 18.6, 22.5, 7.7, 2.0, 3.9),
        (55.0, 237.0, 21.0, 26.0, 8.9, 2.4, 4.7),
    ];
    for (ms, tcp, scalable, hstcp, ctcp, fast_every, fast_second) in table {
        let rtt = ms / 1000.0;
        assert_close("tcp", latency("tcp", &[], rtt), tcp, 0.01);
        assert_close("scalable", latency("scalable", &[], rtt), scalable, 0.01);
        assert_close("hstcp", latency("hstcp", &[], rtt), hstcp, 0.01);
        assert_close("ctcp", latency("ctcp", &[], rtt), ctcp, 0.03);
        assert_close("fast, step 1", latency("fast", &[("step", 1.0)], rtt), fast_every, 0.06);
        assert_close("fast", latency("fast", &[], rtt), fast_second, 0.03);
        assert_eq!(latency("fast-at", &[], rtt), latency("fast", &[], rtt), "no tuning so early");
    }
}

#[test]
fn h_tcp_that_keeps_four_fifths() {
    for (ms, expected) in [(40.7, 12.5), (45.0, 13.0), (48.5, 13.5), (50.0, 13.7), (55.0, 14.2)] {
        let changes = [("beta_min", 0.8), ("beta_max", 0.8)];
        assert_close("htcp", latency("htcp", &changes, ms / 1000.0), expected, 0.01);
    }
}

/// The growth before the first loss alone: a constant number of segments per round trip, or 5 % of the
/// window.
#[test]
fn bic_without_a_maximum_to_search_for() {
    let changes = |name, value| [(name, value)];
    for (changes, at_48_5, mean_of_three) in [
        (changes("max_increment", 16.0), 11.5, 17.3),
        (changes("max_increment", 32.0), 5.7, 8.6),
        (changes("first_growth", 0.05), 3.2, 3.8),
    ] {
        assert_close("bic at 48.5 ms", latency("bic", &changes, 0.0485), at_48_5, 0.04);
        let mean = [0.080, 0.059, 0.026].map(|rtt| latency("bic", &changes, rtt)).iter().sum::<f64>() / 3.0;
        assert_close("bic at 80, 59 and 26 ms", mean, mean_of_three, 0.04);
    }
}

/// Published: 3.7 and 3.7, 7.9, 16.6, 17.8, 22.4 s on paths that are not described; standard TCP is not part
/// of it.
#[test]
fn the_published_order_but_for_bic() {
    for rtt in [0.0407, 0.0485, 0.055] {
        let of = |name| latency(name, &[], rtt);
        assert_eq!(of("fast"), of("fast-at"));
        let latencies = ["fast", "ctcp", "htcp", "scalable", "hstcp", "tcp"].map(of);
        assert!(latencies.is_sorted(), "{latencies:?}");
    }
}

/// Published: 18.8 s, fifth of six, on paths that are not described. Growing from 100 segments to 80
/// segments/ms by 16 segments per round trip takes less, third or fourth of six.
#[test]
fn bic_of_the_study_is_within_a_factor_of_two() {
    let found = latency("bic", &[], 0.0485);
    assert!((18.8 / 2.0..18.8 * 2.0).contains(&found), "{found} s");
}

#[test]
fn compound_of_the_draft_grows_faster() {
    for (exponent, at_48_5, mean_of_three) in [(0.75, 7.4, 9.3), (0.8, 5.3, 6.6)] {
        let changes = [("exponent", exponent)];
        assert_close("ctcp at 48.5 ms", latency("ctcp", &changes, 0.0485), at_48_5, 0.03);
        let mean = [0.080, 0.059, 0.026].map(|rtt| latency("ctcp", &changes, rtt)).iter().sum::<f64>() / 3.0;
        assert_close("ctcp at 80, 59 and 26 ms", mean, mean_of_three, 0.03);
    }
}
