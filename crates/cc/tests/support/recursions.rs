//! Behaviour of a flow by the texts alone, from loss to loss: without a simulator and without the code of the
//! algorithms.
//!
//! `gaps` has the segments that are acknowledged between two losses. One acknowledgement is a step, and a
//! window takes a round trip of `rtt` seconds. A function returns the mean window of each cycle by time,
//! which is its segments over its round trips.

/// A rule without memory: a window w adds `increase(w)` segments a round trip, and a loss leaves it the part
/// `kept(w)`.
pub fn memoryless(
    start: f64,
    gaps: &[u64],
    increase: impl Fn(f64) -> f64,
    kept: impl Fn(f64) -> f64,
) -> Vec<f64> {
    let mut w = start;
    let cycle = |&gap: &u64| {
        w = (kept(w) * w).max(2.0);
        let mut round_trips = 0.0;
        for _ in 0..gap {
            round_trips += 1.0 / w;
            w += increase(w).min(w) / w;
        }
        gap as f64 / round_trips
    };
    gaps.iter().map(cycle).collect()
}

/// BIC of Linux (tcp_bic.c) from the window `start`, with fast convergence or not.
pub fn bic(start: f64, gaps: &[u64], converges: bool) -> Vec<f64> {
    // 819/1024 kept, a fourth of the distance up to 16 segments a round trip, 1/5 within 4 segments.
    let kept = 819.0 / 1024.0;
    let (mut w, mut largest) = (start, 0.0);
    let cycle = |&gap: &u64| {
        largest = if converges && w < largest { w * (1.0 + kept) / 2.0 } else { w };
        w = (w * if w <= 14.0 { 0.5 } else { kept }).max(2.0);
        let mut round_trips = 0.0;
        for _ in 0..gap {
            round_trips += 1.0 / w;
            let increment = if w <= 14.0 {
                1.0
            } else if w < largest {
                let part = (largest - w) / 4.0;
                if part <= 1.0 { 0.2 } else { part.min(16.0) }
            } else {
                let beyond = w - largest;
                if beyond < 4.0 { 0.2 } else { (beyond / 3.0).min(16.0) }
            };
            w += increment.min(w) / w;
        }
        gap as f64 / round_trips
    };
    gaps.iter().map(cycle).collect()
}

/// CUBIC (RFC 9438, section 4) from the window `start`, with fast convergence or not.
pub fn cubic(start: f64, gaps: &[u64], rtt: f64, converges: bool) -> Vec<f64> {
    const C: f64 = 0.4;
    const BETA: f64 = 0.7;
    let friendly = 3.0 * (1.0 - BETA) / (1.0 + BETA);
    let (mut w, mut largest) = (start, 0.0);
    let cycle = |&gap: &u64| {
        let prior = w;
        largest = if converges && w < largest { w * (1.0 + BETA) / 2.0 } else { w };
        w = (BETA * w).max(2.0);
        let (mut reno, mut t) = (w, 0.0);
        let k = libm::cbrt((largest - w) / C);
        let at = |t: f64| C * (t - k) * (t - k) * (t - k) + largest;
        for _ in 0..gap {
            t += rtt / w;
            reno += if reno >= prior { 1.0 } else { friendly } / w;
            w = if at(t) < reno { w.max(reno) } else { w + (at(t + rtt).clamp(w, 1.5 * w) - w) / w };
        }
        gap as f64 / (t / rtt)
    };
    gaps.iter().map(cycle).collect()
}

/// H-TCP (draft-leith-tcp-htcp, increase function) from the window `start`, at a round trip of 0.1 s, where
/// its scaling is 1, and with a back-off that leaves the part `kept`.
pub fn htcp(start: f64, gaps: &[u64], kept: f64) -> Vec<f64> {
    let mut w = start;
    let cycle = |&gap: &u64| {
        w = (kept * w).max(2.0);
        let mut round_trips = 0.0;
        for _ in 0..gap {
            round_trips += 1.0 / w;
            let since = 0.1 * round_trips - 1.0;
            let f = 1.0 + 10.0 * since + since * since / 4.0;
            let alpha = if since <= 0.0 { 1.0 } else { (2.0 * (1.0 - kept) * f).max(1.0) };
            w += alpha / w;
        }
        gap as f64 / round_trips
    };
    gaps.iter().map(cycle).collect()
}
