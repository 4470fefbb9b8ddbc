//! Response functions under random loss: the mean window of a flow of which each segment is lost
//! independently of the others.
//!
//! Published response functions are the means of a cycle of exactly 1/p segments. Independent losses lie at
//! geometric distances: short cycles begin at small windows and long ones end at large windows. The constant
//! changes, the exponent does not. For rules of one power, a w^k segments a round trip and the part b kept,
//! it follows from the moments of the window:
//!
//! * Between losses y = w^(2-k) / (2-k) grows by a for each segment. A loss multiplies y by g = b^(2-k).
//! * In equilibrium s M(s-1) = (p/a) (1 - g^s) M(s) for the moments M(s) = E[y^s] over segments, so that
//!   M(s) = (p/a)^(-s) Γ(s+1) Π (1 - g^(s+k)) / (1 - g^k) over k = 1, 2, ...
//! * A segment takes 1/w of a round trip, so that the mean window by time is 1 / E[1/w], with
//!   E[1/w] = (2-k)^(-1/(2-k)) M(-1/(2-k)).
//!
//! Standard TCP has 1.3098 / sqrt(p) so (Ott, Kemperman and Mathis 1996: 1.31), against 1.2247 / sqrt(p) of
//! even cycles. Other rules are held against recursions with the same losses.

use crate::support::{Fluid, config, recursions};
use mesonet_cc::draw::Draw;
use mesonet_cc::{Preset, seconds};

const RTT: f64 = 0.1;

/// Geometric distances of losses of probability `p`.
fn gaps(p: f64, count: usize) -> Vec<u64> {
    let mut draw = Draw::new(12);
    let mut gap = || (libm::log(1.0 - draw.uniform()) / libm::log(1.0 - p)) as u64 + 1;
    (0..count).map(|_| gap()).collect()
}

/// The mean window by time of all cycles but the first tenth, and the loss rate there.
fn mean(gaps: &[u64], windows: &[f64]) -> (f64, f64) {
    let after = gaps.len() / 10;
    let segments: u64 = gaps[after..].iter().sum();
    let round_trips: f64 =
        gaps[after..].iter().zip(&windows[after..]).map(|(gap, window)| *gap as f64 / window).sum();
    (segments as f64 / round_trips, (gaps.len() - after) as f64 / segments as f64)
}

/// Mean windows of the cycles of an algorithm of the preset `standard`.
fn windows(name: &str, changes: &[(&str, f64)], start: f64, gaps: &[u64]) -> Vec<f64> {
    let mut fluid = Fluid::new(config(name, Preset::Standard, changes), start);
    let period = fluid.timer_period().map(seconds);
    let mut next = period.unwrap_or(f64::INFINITY);
    let cycle = |&gap: &u64| {
        fluid.lose();
        let began = fluid.now;
        for _ in 0..gap {
            fluid.acknowledge(RTT);
            while fluid.now >= next {
                fluid.tick();
                next += period.unwrap_or(f64::INFINITY);
            }
        }
        gap as f64 / ((fluid.now - began) / RTT)
    };
    gaps.iter().map(cycle).collect()
}

/// Mean window of a rule that adds `a w^k` segments a round trip, and keeps the part `kept` after a loss.
fn of_powers(a: f64, k: f64, kept: f64, p: f64) -> f64 {
    let (power, s) = (2.0 - k, -1.0 / (2.0 - k));
    let g = libm::pow(kept, power);
    let product: f64 =
        (1..200).map(f64::from).map(|k| (1.0 - libm::pow(g, s + k)) / (1.0 - libm::pow(g, k))).product();
    let moment = libm::pow(p / a, -s) * libm::tgamma(s + 1.0) * product;
    libm::pow(power, -s) / moment
}

/// Number of losses, and the part by which the mean over them may differ from the closed form: three standard
/// errors, of cycles whose means vary by a third once the loss rate of the sample is known.
fn enough(p: f64) -> (usize, f64) {
    let count = if p > 5e-4 {
        6_000
    } else if p > 5e-5 {
        3_000
    } else {
        500
    };
    (count, 1.0 / f64::sqrt(count as f64))
}

/// Asserts the mean windows of an algorithm under random losses beside those of a recursion under the same
/// ones.
#[track_caller]
fn check(
    name: &str,
    changes: &[(&str, f64)],
    rates: &[f64],
    tolerance: f64,
    near: impl Fn(f64) -> f64,
    recursion: impl Fn(f64, &[u64]) -> Vec<f64>,
) -> Vec<f64> {
    let one = |&p: &f64| {
        let gaps = gaps(p, enough(p).0);
        let (found, _) = mean(&gaps, &windows(name, changes, near(p), &gaps));
        let (expected, rate) = mean(&gaps, &recursion(near(p), &gaps));
        let off = found / expected - 1.0;
        println!("{name}: p {rate:.3e}, window {found:.2}, recursion {expected:.2}, {:+.2} %", 100.0 * off);
        assert!(off.abs() <= tolerance, "{name} at p = {p}: {found}, expected {expected}");
        found
    };
    rates.iter().map(one).collect()
}

/// Asserts the mean windows of rules of one power by their closed form. Each loss stops growth for up to
/// `late` round trips: that part of a cycle is missing at most.
#[track_caller]
fn check_powers(
    name: &str,
    changes: &[(&str, f64)],
    rates: &[f64],
    (a, k, kept): (f64, f64, f64),
    late: f64,
) {
    for &p in rates {
        let (count, tolerance) = enough(p);
        let gaps = gaps(p, count);
        let (found, rate) = mean(&gaps, &windows(name, changes, of_powers(a, k, kept, p), &gaps));
        let expected = of_powers(a, k, kept, rate);
        let (off, missing) = (found / expected - 1.0, late * rate * expected);
        println!("{name}: p {rate:.3e}, window {found:.2}, closed form {expected:.2}, {:+.2} %", 100.0 * off);
        assert!(
            (-tolerance - missing..=tolerance).contains(&off),
            "{name} at p = {p}: {found}, not {expected}"
        );
    }
}

const RATES: [f64; 4] = [1e-2, 1e-3, 1e-4, 1e-5];

fn reno(p: f64) -> f64 {
    f64::sqrt(1.5 / p)
}

#[test]
fn constants_of_the_closed_form() {
    assert!((of_powers(1.0, 0.0, 0.5, 1.0) - 1.3098).abs() < 1e-4, "Ott, Kemperman and Mathis 1996");
    // Towards one power of the window the law becomes that of Kelly 2003, whatever the distances of losses.
    let kelly = 0.01 / libm::log(1.0 / 0.875);
    let near = of_powers(0.01, 0.9999, 0.875, 1.0);
    assert!((near / kelly - 1.0).abs() < 0.01, "{near} {kelly}");
}

/// 1.3098 / sqrt(p): the rules of standard TCP, which DCTCP and Prague follow after losses and Vegas without
/// a queue.
#[test]
#[ignore = "takes seconds: make verify"]
fn standard_tcp_and_those_that_follow_it() {
    for name in ["tcp", "dctcp", "prague"] {
        check_powers(name, &[], &RATES, (1.0, 0.0, 0.5), 0.0);
        check(name, &[], &RATES, 0.005, reno, |start, gaps| {
            recursions::memoryless(start, gaps, |_| 1.0, |_| 0.5)
        });
    }
}

/// Vegas without a queue adds a segment in each whole round trip; the one in which a loss falls is not whole.
#[test]
#[ignore = "takes seconds: make verify"]
fn vegas_without_a_queue() {
    check_powers("vegas", &[], &RATES, (1.0, 0.0, 0.5), 1.0);
}

#[test]
#[ignore = "takes seconds: make verify"]
fn scalable() {
    check_powers("scalable", &[], &[1e-4, 1e-5], (0.01, 0.99999, 0.875), 0.0);
    check(
        "scalable",
        &[],
        &RATES,
        0.01,
        |p| 0.075 / p,
        |start, gaps| {
            let is_low = |w: f64| w <= 16.0;
            let increase = |w: f64| if is_low(w) { 1.0 } else { 0.01 * w };
            recursions::memoryless(start, gaps, increase, |w| if is_low(w) { 0.5 } else { 0.875 })
        },
    );
}

/// a(w) and b(w) of RFC 3649, section 5.
#[test]
#[ignore = "takes seconds: make verify"]
fn hstcp() {
    let b = |w: f64| 0.5 - 0.4 * (libm::log(w) - libm::log(38.0)) / (libm::log(83_000.0) - libm::log(38.0));
    let p =
        |w: f64| 1e-3 * libm::pow(w / 38.0, -4.0 * libm::log(10.0) / (libm::log(83_000.0) - libm::log(38.0)));
    let increase = |w: f64| if w <= 38.0 { 1.0 } else { (w * w * p(w) * 2.0 * b(w) / (2.0 - b(w))).max(1.0) };
    check(
        "hstcp",
        &[],
        &RATES,
        0.01,
        |p| 0.12 / libm::pow(p, 0.835),
        |start, gaps| {
            recursions::memoryless(start, gaps, increase, |w| if w <= 38.0 { 0.5 } else { 1.0 - b(w) })
        },
    );
}

/// Without a queue the window grows by w^0.75 / 8 a round trip (Tan et al. 2006); the one in which a loss
/// falls adds no delay window.
#[test]
#[ignore = "takes seconds: make verify"]
fn ctcp() {
    check_powers("ctcp", &[], &[1e-4, 1e-5], (0.125, 0.75, 0.5), 1.0);
}

/// Without a queue alpha is 10 and beta 1/8 from 15 segments on (Liu et al. 2008).
#[test]
#[ignore = "takes seconds: make verify"]
fn illinois() {
    check_powers("illinois", &[], &[1e-3, 1e-4, 1e-5], (10.0, 0.0, 0.875), 0.0);
}

#[test]
#[ignore = "takes seconds: make verify"]
fn cubic() {
    for converges in [false, true] {
        let changes = [("fast_convergence", f64::from(u8::from(converges)))];
        let near = |p: f64| (1.0538 * libm::pow(RTT / p, 0.75)).max(reno(p));
        check("cubic", &changes, &RATES, 0.01, near, |start, gaps| {
            recursions::cubic(start, gaps, RTT, converges)
        });
    }
}

#[test]
#[ignore = "takes seconds: make verify"]
fn bic() {
    for converges in [false, true] {
        let changes = [("fast_convergence", f64::from(u8::from(converges)))];
        let near = |p: f64| 8.49 / f64::sqrt(p);
        check("bic", &changes, &RATES, 0.01, near, |start, gaps| recursions::bic(start, gaps, converges));
    }
}

/// With a fixed back-off; the adaptive one lies between its two ends.
#[test]
#[ignore = "takes seconds: make verify"]
fn htcp() {
    let near = |p: f64| 3.0 * reno(p);
    for kept in [0.5, 0.8] {
        let fixed = [("adaptive_backoff", 0.0), ("beta_min", kept)];
        check("htcp", &fixed, &RATES, 0.01, near, |start, gaps| recursions::htcp(start, gaps, kept));
    }
    for p in RATES {
        let gaps = gaps(p, enough(p).0);
        let of = |changes: &[(&str, f64)]| mean(&gaps, &windows("htcp", changes, near(p), &gaps)).0;
        let [least, most] = [0.5, 0.8].map(|kept| of(&[("adaptive_backoff", 0.0), ("beta_min", kept)]));
        let found = of(&[]);
        println!("htcp: p {p:.0e}, window {found:.2}, between {least:.2} and {most:.2}");
        assert!((least..=most).contains(&found), "{found} not in {least} to {most}");
    }
}

/// Without a queue the published function of Westwood+ (Grieco and Mascolo 2004), sqrt((1 - p) / (p RTT T))
/// with the mean queueing time T, has no value: a loss leaves what the path has carried. The lag of its
/// filter alone ends growth, so that windows are far above those of standard TCP.
#[test]
#[ignore = "takes seconds: make verify"]
fn westwood_has_no_function_without_a_queue() {
    for p in [1e-2, 1e-3, 1e-4] {
        let gaps = gaps(p, enough(p).0);
        let (found, rate) = mean(&gaps, &windows("westwood", &[], reno(p), &gaps));
        let standard = of_powers(1.0, 0.0, 0.5, rate);
        println!("westwood: p {rate:.3e}, window {found:.2}, standard TCP {standard:.2}");
        assert!(found > 3.0 * standard, "{found} at p = {p}");
    }
}

/// FAST without a queue adds gamma alpha in every second round trip, and halves. Control begins a round trip
/// after a loss.
#[test]
#[ignore = "takes seconds: make verify"]
fn fast_without_a_queue() {
    check_powers("fast", &[], &[1e-4, 1e-5], (50.0, 0.0, 0.5), 2.0);
}
