//! A router against queueing theory.

use mesonet_sim::network::Router;
use mesonet_sim::random::{Purpose, Stream};

/// Service time, ps: with arrivals on whole picoseconds a millionth of it is the resolution.
const SERVICE: u64 = 1_000_000;

/// Batches, and the 99.5 % quantile of Student's t with one degree of freedom less.
const BATCHES: usize = 30;
const QUANTILE: f64 = 2.756;

/// Arrivals in a batch: some thousand relaxation times of the queue at the highest utilisation.
const BATCH: usize = 100_000;

/// Mean wait of each batch of Poisson arrivals, in service times.
fn mean_waits(utilisation: f64) -> Vec<f64> {
    let mut router = Router::new(SERVICE, u64::MAX);
    let mut stream = Stream::new(1, Purpose::Transfer, 0, 0);
    let mut arrival = 0.0;
    let mut batch = || {
        let mut sum = 0.0;
        for _ in 0..BATCH {
            arrival += stream.exponential(SERVICE as f64 / utilisation);
            let now = arrival as u64;
            let departure = router.arrive(now).expect("room for all");
            sum += (departure - SERVICE - now) as f64;
        }
        sum / (BATCH as f64 * SERVICE as f64)
    };
    // The first one starts with an empty queue and is left out.
    batch();
    (0..BATCHES).map(|_| batch()).collect()
}

/// M/D/1 (Pollaczek and Khinchine): Poisson arrivals and a fixed service time 1/mu wait rho / (2 mu (1 -
/// rho)) on average. The 99 % confidence interval of the batch means holds it, and is narrow enough.
#[test]
fn mean_wait_of_poisson_arrivals_is_that_of_pollaczek_and_khinchine() {
    for utilisation in [0.3, 0.6, 0.9] {
        let expected = utilisation / (2.0 * (1.0 - utilisation));
        let waits = mean_waits(utilisation);
        let n = BATCHES as f64;
        let mean = waits.iter().sum::<f64>() / n;
        let variance = waits.iter().map(|w| (w - mean) * (w - mean)).sum::<f64>() / (n - 1.0);
        let half = QUANTILE * (variance / n).sqrt();
        println!("{utilisation}: {mean:.5} +- {half:.5}, expected {expected:.5}");
        assert!(half < 0.03 * expected, "{utilisation}: {mean} +- {half} is too wide");
        assert!((mean - expected).abs() < half, "{utilisation}: {mean} +- {half} against {expected}");
    }
}
