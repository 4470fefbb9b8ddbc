//! The work of `benches/acknowledgements.py`, without a clock of its own: acknowledgements for many flows of
//! one algorithm.
//!
//! `acknowledgements` prints the names of the algorithms; `acknowledgements NAME FLOWS ROUNDS ORDER`
//! acknowledges one segment of every flow per round, `in-order` or `scattered`: flow after flow as no cache
//! can guess.

use mesonet_cc::registry::{ALGORITHMS, Controller};
use mesonet_cc::{
    AckEvent, Common, Config, DeliverySample, FlowName, LossCause, LossEvent, MILLISECOND, Picos, Positions,
    Preset, SECOND, SlowStart, Start,
};

/// Segments that each flow has in flight: the larger windows of a busy network.
const WINDOW: u64 = 100;
const RTT: Picos = 100 * MILLISECOND;
/// Rounds between two losses of a flow: ten round trips.
const LOSS_EVERY: u64 = 10 * WINDOW;

fn main() {
    let given: Vec<String> = std::env::args().skip(1).collect();
    match given.as_slice() {
        [] => ALGORITHMS.iter().for_each(|algorithm| println!("{}", algorithm.name)),
        [name, flows, rounds, order] => {
            let number = |text: &String| text.parse().expect("a whole number");
            let order = match order.as_str() {
                "in-order" => (0..number(flows) as u32).collect(),
                _ => scattered(number(flows)),
            };
            println!("{}", work(name, number(rounds), &order));
        }
        _ => panic!("usage: acknowledgements [NAME FLOWS ROUNDS in-order|scattered]"),
    }
}

/// Mean window of the flows at the end: it keeps the compiler from leaving the work out.
fn work(name: &str, rounds: u64, order: &[u32]) -> f64 {
    let params =
        ALGORITHMS.iter().find(|algorithm| algorithm.name == name).expect("a registered algorithm").params;
    let values: Vec<f64> = params.iter().map(|p| p.default(Preset::Standard)).collect();
    let config = Config::new(name, Common::of(Preset::Standard), &values).expect("a registered algorithm");
    let mut controllers: Vec<Controller> =
        (0..order.len() as u64).map(|seed| config.start(&start(seed))).collect();
    let period = config.timer_period().map_or(u64::MAX, |period| (period / (RTT / WINDOW)).max(1));
    for round in 0..rounds {
        let ack = acknowledgement(round);
        for &flow in order {
            let controller = &mut controllers[flow as usize];
            controller.on_ack(&config, &ack, Positions::default);
            if (round + u64::from(flow)) % LOSS_EVERY == 0 {
                controller.on_loss(&config, &loss(ack.now));
                controller.on_recovery_exit(&config, ack.now);
            }
        }
        if round % period == period - 1 {
            controllers.iter_mut().for_each(|controller| controller.on_timer(&config, ack.now));
        }
    }
    controllers.iter().map(Controller::cwnd).sum::<f64>() / order.len() as f64
}

/// A flow in congestion avoidance.
fn start(seed: u64) -> Start {
    Start {
        now: SECOND,
        initial_window: WINDOW as f64,
        initial_ssthresh: 2.0,
        slow_start: SlowStart::Classic,
        rtt: RTT,
        seed,
        flow: FlowName { source: 0, transfer: seed },
    }
}

fn acknowledgement(round: u64) -> AckEvent {
    // A queue of up to 15 ms that fills and drains, so that algorithms that look at delay have something to
    // do.
    let rtt = RTT + (round / WINDOW % 16) * MILLISECOND;
    let delivered = WINDOW + round;
    AckEvent {
        now: 2 * SECOND + round * (RTT / WINDOW),
        acked: 1,
        rtt,
        min_rtt: RTT,
        srtt: rtt,
        in_flight: WINDOW as u32,
        delivered,
        delivery_rate: WINDOW as f64 / 0.1,
        sample: DeliverySample {
            prior_delivered: delivered - WINDOW,
            interval: rtt,
            in_flight: WINDOW as u32,
            lost: 0,
            ce: 0,
            app_limited: false,
        },
        round_start: round % WINDOW == 0,
        cwnd_limited: true,
        ..AckEvent::default()
    }
}

fn loss(now: Picos) -> LossEvent {
    LossEvent {
        now,
        cause: LossCause::FastRetransmit,
        in_flight: WINDOW as u32,
        lost: 1,
        first_timeout: true,
    }
}

/// Every flow once: a permutation from a fixed sequence (Fisher and Yates; constants of Knuth's MMIX
/// generator).
fn scattered(flows: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..flows as u32).collect();
    let mut state = 1_u64;
    for place in (1..order.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(place, (state >> 33) as usize % (place + 1));
    }
    order
}
