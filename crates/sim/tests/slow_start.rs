//! The slow-start variants on the path of 162 ms and 21 segments/ms, which holds 3402 segments.

use crate::common::*;
use mesonet_sim::Simulation;
use serde_json::json;

/// Round trips that double the initial window of 2 to 100 segments.
const ROUNDS_TO_100: f64 = 5.64;

/// One flow with an interface of 80 segments/ms and a buffer of so many segments, for so many seconds.
fn flow(slow_start: &str, buffer: f64, seconds: f64) -> Simulation {
    let changes = [
        ("transport.slow_start", json!(slow_start)),
        ("network.buffer", json!({"rule": "segments", "factor": buffer})),
        ("time", time(seconds, 0.0, 1)),
    ];
    run(&with(dumbbell(), &changes), 1)
}

fn dropped(simulation: &Simulation) -> f64 {
    response(simulation, "total_segments_dropped")
}

/// A standing queue begins when the window exceeds what the path holds, and the next round trip shows it:
/// classic slow start goes on to several times that, HyStart++ adds a quarter as much in each of its last
/// round trips.
#[test]
fn hystart_leaves_slow_start_where_a_standing_queue_begins() {
    let (classic, hystart) = (flow("classic", 20_000.0, 3.0), flow("hystart++", 20_000.0, 3.0));
    assert_eq!(dropped(&classic) + dropped(&hystart), 0.0);
    let delivered = |s: &Simulation| response(s, "total_data_segments_delivered");
    assert_eq!(delivered(&hystart), delivered(&classic), "the path is full either way");
    // Twice the window of the round trip that showed the queue, then 5/4 per round trip of its growing
    // length.
    let (classic, hystart) = (classic.flow_window(0), hystart.flow_window(0));
    assert!(classic > 20_000.0, "{classic}");
    assert!((6_800.0..13_000.0).contains(&hystart), "{hystart}");
    assert_eq!(dropped(&flow("hystart++", 20_000.0, 4.0)), 0.0);
    assert!(dropped(&flow("classic", 20_000.0, 4.0)) > 20_000.0);
}

/// Until a queue stands, the first delays of each round trip are those of an empty path: bursts that overflow
/// a buffer smaller than what the path holds go unseen.
#[test]
fn hystart_does_not_see_a_small_buffer_overflow() {
    let (classic, hystart) = (flow("classic", 680.0, 8.0), flow("hystart++", 680.0, 8.0));
    assert!(dropped(&classic) > 1000.0);
    assert_eq!(dropped(&hystart), dropped(&classic));
    assert_eq!(hystart.flow_window(0), classic.flow_window(0));
}

/// At most 50 segments per round trip from 100 on: no burst overflows the buffer, and filling the path takes
/// 66 round trips and more.
#[test]
fn limited_slow_start_overflows_no_buffer_and_takes_its_time() {
    let limited = flow("limited", 680.0, 8.0);
    assert_eq!(dropped(&limited), 0.0);
    let rounds = 8.0 / 0.162;
    let most = 100.0 + 50.0 * (rounds - ROUNDS_TO_100);
    let window = limited.flow_window(0);
    assert!((0.9 * most..=most).contains(&window), "{window} against {most}");
}

/// RFC 3465, section 2.3: an acknowledgement that covers many segments, because those before it were lost,
/// raises the window by 2 at most; in Linux by all of them.
#[test]
fn a_window_grows_by_the_limit_where_acknowledgements_are_lost() {
    let most = |limit: u32, delayed: bool| {
        let scenario = with(
            dumbbell(),
            &[
                ("transport.slow_start_max_acked", json!(limit)),
                ("transport.delayed_acks", json!(delayed)),
                ("network.ack_path", json!("queued")),
                ("network.buffer", segments(20_000.0)),
                ("impairments.of", json!("acks")),
                ("impairments.at", json!(["all"])),
                ("impairments.loss", json!(0.5)),
                ("network.delay_multiplier", json!(0.1)),
                ("transport.initial_window", json!(10.0)),
                ("time", time(1.0, 0.0, 1)),
            ],
        );
        let mut simulation = simulation(&scenario, 1);
        let (mut most, mut window) = (0.0_f64, 0.0);
        while simulation.time() < 0.6 && simulation.step(u64::MAX) {
            let now = simulation.flow_window(0);
            if window > 0.0 {
                most = most.max(now - window);
            }
            window = if now.is_nan() { 0.0 } else { now };
        }
        assert!(
            simulation.counters().acks_dropped > 50,
            "{limit} {delayed} {most} {:?}",
            simulation.counters()
        );
        most
    };
    assert_eq!([1, 2, 8].map(|limit| most(limit, false)), [1.0, 2.0, 8.0]);
    assert!(most(0, false) > 8.0);
    assert_eq!(most(2, true), 2.0);
}
