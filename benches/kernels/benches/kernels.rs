//! Costs of the inner loops, alone and with their state in the caches: `cargo bench` in `benches/kernels`.
//!
//! * a hop: the next segment of all lanes is taken, waits in a router and is put on another lane;
//! * a timer: the next of many is taken and armed again;
//! * an acknowledgement, for each algorithm: its rules on a flow in congestion avoidance.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use mesonet_cc::registry::ALGORITHMS;
use mesonet_cc::{
    AckEvent, Common, Config, DeliverySample, FlowName, MILLISECOND, Picos, Positions, Preset, SECOND, SlowStart, Start,
};
use mesonet_sim::engine::{FlowId, Lanes, Segment, Timers};
use mesonet_sim::network::router::Router;
use std::hint::black_box;

const DELAY: Picos = 5 * MILLISECOND;
/// Ten segments per millisecond.
const SERVICE: Picos = MILLISECOND / 10;

/// Routers in a circle whose lanes cross, each about 60 % busy.
fn hop(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("hop");
    for lanes in [16_usize, 64, 512] {
        group.bench_function(BenchmarkId::new("lanes", lanes), |bencher| {
            let mut network = Lanes::new(lanes, 0);
            let mut routers: Vec<Router> = (0..lanes).map(|_| Router::new(SERVICE, 1_000_000)).collect();
            for number in 0..30 * lanes as u64 {
                let lane = number as usize % lanes;
                let mut segment = Segment::new(0, FlowId(number as u32), 0, 0);
                segment.time = number / lanes as u64 * SERVICE + lane as u64;
                network.push(lane, segment);
            }
            bencher.iter(|| {
                let (now, lane) = network.next();
                let mut segment = network.pop(lane);
                if let Some(departure) = routers[lane].arrive(now) {
                    segment.time = departure + DELAY;
                    network.push((lane * 5 + 3) % lanes, segment);
                }
            });
        });
    }
    group.finish();
}

/// Timers of a second and more, as retransmission timers.
fn timer(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("timer");
    for armed in [1_000_u64, 100_000] {
        group.bench_function(BenchmarkId::new("armed", armed), |bencher| {
            let mut timers = Timers::default();
            (0..armed).for_each(|code| timers.arm(code * 7_919_000_003 % SECOND, code));
            bencher.iter(|| {
                let (at, code) = timers.take().expect("as many as were armed");
                timers.arm(at + SECOND + at % MILLISECOND, code);
            });
        });
    }
    group.finish();
}

fn acknowledgement(criterion: &mut Criterion) {
    const RTT: Picos = 100 * MILLISECOND;
    const WINDOW: u64 = 100;
    let mut group = criterion.benchmark_group("acknowledgement");
    for algorithm in ALGORITHMS {
        let values: Vec<f64> = algorithm.params.iter().map(|p| p.default(Preset::Standard)).collect();
        let config =
            Config::new(algorithm.name, Common::of(Preset::Standard), &values).expect("it is registered");
        let start = Start {
            now: SECOND,
            initial_window: WINDOW as f64,
            initial_ssthresh: 2.0,
            slow_start: SlowStart::Classic,
            rtt: RTT,
            seed: 1,
            flow: FlowName::default(),
        };
        group.bench_function(algorithm.name, |bencher| {
            let mut controller = config.start(&start);
            let mut number = 0;
            bencher.iter(|| {
                number += 1;
                // A queue of up to 15 ms that fills and drains, so that algorithms that look at delay have
                // work.
                let rtt = RTT + (number / WINDOW % 16) * MILLISECOND;
                let ack = AckEvent {
                    now: 2 * SECOND + number * (RTT / WINDOW),
                    acked: 1,
                    rtt,
                    min_rtt: RTT,
                    srtt: rtt,
                    in_flight: WINDOW as u32,
                    delivered: WINDOW + number,
                    delivery_rate: WINDOW as f64 / 0.1,
                    sample: DeliverySample {
                        prior_delivered: number,
                        interval: rtt,
                        in_flight: WINDOW as u32,
                        lost: 0,
                        ce: 0,
                        app_limited: false,
                    },
                    round_start: number % WINDOW == 0,
                    cwnd_limited: true,
                    ..AckEvent::default()
                };
                controller.on_ack(&config, black_box(&ack), Positions::default);
            });
            black_box(controller.cwnd());
        });
    }
    group.finish();
}

criterion_group!(kernels, hop, timer, acknowledgement);
criterion_main!(kernels);
