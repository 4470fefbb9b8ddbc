//! What a flow that loses one of every `segments` acknowledged does by the texts alone: windows of BIC and CUBIC from cycle to
//! cycle, without a simulator and without the code of the algorithms. One acknowledgement a step, a round trip of `rtt`.

/// Mean windows of cycles that begin with a loss at the window `start`, with fast convergence or not.
pub fn bic(start: f64, segments: f64, cycles: usize, converges: bool) -> Vec<f64> {
    // Linux tcp_bic.c: 819/1024 kept, a fourth of the distance up to 16 segments a round trip, 1/5 within 4 segments.
    let kept = 819.0 / 1024.0;
    let (mut w, mut largest) = (start, 0.0);
    let mut means = Vec::new();
    for _ in 0..cycles {
        largest = if converges && w < largest { w * (1.0 + kept) / 2.0 } else { w };
        w *= if w <= 14.0 { 0.5 } else { kept };
        let mut round_trips = 0.0;
        for _ in 0..segments as u64 {
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
        means.push(segments.floor() / round_trips);
    }
    means
}

/// Mean windows of cycles that begin with a loss at the window `start`; RFC 9438, section 4, with fast convergence or not.
pub fn cubic(start: f64, segments: f64, cycles: usize, rtt: f64, converges: bool) -> Vec<f64> {
    const C: f64 = 0.4;
    const BETA: f64 = 0.7;
    let friendly = 3.0 * (1.0 - BETA) / (1.0 + BETA);
    let (mut w, mut largest) = (start, 0.0);
    let mut means = Vec::new();
    for _ in 0..cycles {
        let prior = w;
        largest = if converges && w < largest { w * (1.0 + BETA) / 2.0 } else { w };
        w = (BETA * w).max(2.0);
        let (mut reno, mut t) = (w, 0.0);
        let k = libm::cbrt((largest - w) / C);
        let at = |t: f64| C * (t - k) * (t - k) * (t - k) + largest;
        for _ in 0..segments as u64 {
            t += rtt / w;
            reno += if reno >= prior { 1.0 } else { friendly } / w;
            w = if at(t) < reno { w.max(reno) } else { w + (at(t + rtt).clamp(w, 1.5 * w) - w) / w };
        }
        means.push(segments.floor() / (t / rtt));
    }
    means
}
