//! One flow that repeats its loss cycle on a path of 162 ms and 21 segments/ms with a buffer of 680 segments:
//! the path holds 3402 segments, and the window that overflows the buffer is 4082.

use crate::support::{Fluid, assert_close, config};
use mesonet_cc::Preset;

const SPEED: f64 = 21_000.0;
const PROPAGATION: f64 = 0.162;
const LARGEST: f64 = 4082.0;

/// Duration of one cycle in seconds, time-averaged window, and the part of the link that is used.
fn cycle(name: &str, preset: Preset, changes: &[(&str, f64)]) -> (f64, f64, f64) {
    let mut fluid = Fluid::new(config(name, preset, changes), LARGEST);
    fluid.lose();
    let (mut area, mut delivered) = (0.0, 0.0);
    // Whole round trips: a loss is only noticed when the round that overflows the buffer is over.
    while fluid.cwnd() < LARGEST {
        let window = fluid.cwnd();
        let rtt = f64::max(PROPAGATION, window / SPEED);
        let ends = fluid.now + rtt;
        for _ in 0..window.round() as u32 {
            fluid.acknowledge(rtt);
        }
        fluid.now = ends;
        area += window * rtt;
        delivered += window;
    }
    (fluid.now, area / fluid.now, delivered / SPEED / fluid.now)
}

#[test]
fn one_cycle() {
    let exact31 = [("low_window", 31.0), ("low_p", 1.5 / 961.0)];
    for (name, preset, changes, duration, window, utilisation) in [
        ("tcp", Preset::Standard, &[][..], 341.6, 3086.5, 0.8708),
        ("scalable", Preset::Standard, &[][..], 2.542, 3819.6, 1.0),
        ("hstcp", Preset::Standard, &[][..], 10.82, 3553.0, 0.980),
        ("hstcp", Preset::Standard, &exact31[..], 10.16, 3570.0, 0.982),
        ("hstcp", Preset::Sp500282, &[][..], 11.19, 3569.0, 0.982),
    ] {
        let (got_duration, got_window, got_utilisation) = cycle(name, preset, changes);
        assert_close(&format!("duration of a cycle of {name}"), got_duration, duration, 1e-3);
        assert_close(&format!("window of {name}"), got_window, window, 1e-3);
        assert_close(&format!("utilisation by {name}"), got_utilisation, utilisation, 1e-3);
    }
}
