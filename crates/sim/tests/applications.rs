//! Applications of explicit flows: frames, bursts, constant rates, datagrams.

use crate::common::*;
use crate::{engines, snapshots};
use mesonet_sim::Simulation;
use mesonet_sim::measure::Table;
use serde_json::{Value, json};

/// An explicit flow from A to B with an application.
fn fed(source: &Value) -> Value {
    let mut flow = flow("A", "B", 0.0);
    flow["application"] = json!({"source": source, "late_after": 0.25, "report_interval": 5.0});
    flow
}

fn frames(rate: f64, size: f64, key_size: Option<f64>, key_every: u32) -> Value {
    fed(&json!({"frames": {"rate": rate, "size": size, "key_size": key_size, "key_every": key_every}}))
}

fn constant(rate: f64) -> Value {
    fed(&json!({"constant": {"rate": rate}}))
}

/// A video of chunks of `chunk` s; the buffer holds 6 of them, and playback begins with one.
fn video(ladder: &[f64], chunk: f64, abr: &Value) -> Value {
    fed(&json!({"video": {
        "ladder": ladder, "chunk_time": chunk, "playback_buffer": 6.0 * chunk, "startup_buffer": chunk,
        "resume_buffer": chunk, "abr": abr
    }}))
}

fn by_buffer() -> Value {
    json!({"buffer": {"reservoir": 0.375, "cushion": 0.525}})
}

fn fixed(rung: u32) -> Value {
    json!({"fixed": {"rung": rung}})
}

fn bursts(size: Option<f64>, time: Option<f64>, rate: Option<f64>, idle_time: f64, idle: &str) -> Value {
    fed(&json!({"on_off": {
        "burst_size": size, "burst_time": time, "rate": rate, "idle_time": idle_time, "idle": idle
    }}))
}

/// `flow` with bursts of exponential lengths.
fn exponential(mut flow: Value) -> Value {
    flow["application"]["source"]["on_off"]["burst"] = json!("exponential");
    flow
}

/// `flow` with datagrams.
fn datagrams(mut flow: Value) -> Value {
    flow["transport"] = json!("udp");
    flow
}

/// Two routers of `speed` segments/s, 81 ms apart, with buffers of so many segments; a sender of the RFCs.
fn path(flows: &[Value], speed: f64, buffer: f64, time: Value) -> Value {
    with(
        dumbbell(),
        &[
            ("network.speed", json!(speed)),
            ("network.buffer", segments(buffer)),
            ("transport.initial_window", json!(10.0)),
            ("transport.grow_only_if_cwnd_limited", json!(true)),
            ("flows", json!(flows)),
            ("time", time),
        ],
    )
}

/// The row of the whole measured span, of the only flow or of the first one.
fn measured(simulation: &Simulation, name: &str) -> f64 {
    let table = simulation.applications();
    let row = texts(&table, "period").iter().position(|period| period == "measured").expect("a row");
    value(&table, name, row)
}

fn value(table: &Table, name: &str, row: usize) -> f64 {
    let (_, column) = table.columns.iter().find(|column| column.0 == name).expect("a column");
    match column {
        mesonet_sim::measure::Column::Float(values) => values[row],
        mesonet_sim::measure::Column::Integer(values) => values[row] as f64,
        mesonet_sim::measure::Column::Text(_) => panic!("{name} is a word"),
    }
}

fn refused(scenario: &Value) -> String {
    let scenario = match mesonet_sim::Scenario::from_json(&scenario.to_string()) {
        Ok(scenario) => scenario,
        Err(error) => return error.to_string(),
    };
    Simulation::new(scenario, 1).err().map_or_else(String::new, |error| error.to_string())
}

/// With a window that holds every frame, the first segment takes 81 ms of propagation and the services of two
/// routers, 1 ms each; the others follow it through the first router, one each millisecond.
#[test]
fn frames_over_an_idle_path_take_the_time_of_their_segments() {
    // A second has one key frame of 25 segments and 14 frames of 3 (2.2, rounded up).
    let scenario = path(&[frames(15.0, 2.2, Some(25.0), 15)], 1000.0, 1000.0, time(21.0, 1.0, 1));
    let scenario = with(scenario, &[("transport.initial_window", json!(40.0))]);
    let s = run(&scenario, 1);
    // The frame of 21 s is one too late, that of 20.933 s is in flight and could still be in time: it does
    // not count.
    let sent = response(&s, "frames_sent");
    assert!((298.0..=300.0).contains(&sent), "{sent}");
    assert_eq!((response(&s, "frames_delivered"), response(&s, "frames_late")), (sent, 0.0));
    let delay = |name| response(&s, name);
    let expected = |size: f64| 81.0 + 2.0 + (size - 1.0);
    assert!((delay("frame_delay_p50") / expected(3.0) - 1.0).abs() < 0.01, "{}", delay("frame_delay_p50"));
    assert!((delay("frame_delay_p99") / expected(25.0) - 1.0).abs() < 0.01, "{}", delay("frame_delay_p99"));
    // 14 of 15 frames are small.
    assert!((delay("frame_delay_p95") / expected(25.0) - 1.0).abs() < 0.01, "{}", delay("frame_delay_p95"));
    assert_eq!(measured(&s, "messages"), sent);
}

/// 5 Mbit/s in segments of 1,500 bytes carry a video of 3 Mbit/s: it is played at its bitrate from the
/// arrival of the first chunk on. A chunk of a full buffer comes each 4 s.
#[test]
fn a_video_below_the_rate_of_the_path_never_stalls() {
    let speed = 5e6 / 12_000.0;
    for abr in [fixed(2), by_buffer()] {
        let scenario = path(&[video(&[100.0, 250.0], 4.0, &abr)], speed, 200.0, time(200.0, 0.0, 1));
        let s = run(&scenario, 1);
        let [rate, ratio, stalls, startup, switches] =
            ["bitrate", "rebuffering", "stalls", "startup_delay", "switches"]
                .map(|name| response(&s, &format!("video_{name}")));
        assert_eq!((ratio, stalls), (0.0, 0.0));
        let played = measured(&s, "video_played_s");
        assert!((played + startup - 200.0).abs() < 1e-9, "{played} + {startup}");
        if abr["fixed"].is_object() {
            assert_eq!((rate, switches), (250.0, 0.0));
            // 1,000 segments at the rate of the path, and less than 10 round trips of slow start.
            assert!((2.4..2.4 + 10.0 * 0.17).contains(&startup), "{startup}");
            // 49 chunks are played, and 5 or 6 are in the buffer or in transit.
            let received = measured(&s, "segments_received");
            assert!((54_000.0..=55_500.0).contains(&received), "{received}");
        } else {
            // The highest bitrate begins with a buffer of 18 s: 7 chunks, of which each took about 1.3 s.
            let expected = 250.0 - 150.0 * 28.0 / played;
            assert!((rate - expected).abs() < 1e-6, "{rate}, {expected}");
            assert_eq!(switches, 1.0);
        }
    }
}

/// While a chunk is played, the path carries the part capacity / bitrate of the next one, less a round trip.
#[test]
fn a_video_above_the_rate_of_the_path_stalls_for_the_rest() {
    for (part, warmup) in [(0.9, 50.0), (0.5, 100.0)] {
        let scenario =
            path(&[video(&[100.0, 200.0], 4.0, &fixed(1))], 100.0 * part, 60.0, time(1050.0, warmup, 1));
        let s = run(&scenario, 1);
        let ratio = response(&s, "video_rebuffering");
        // A chunk of 400 segments takes their services and a round trip: 162 ms and the second router.
        let took = 0.162 + 401.0 / (100.0 * part);
        assert!((ratio - (1.0 - 4.0 / took)).abs() < 0.002, "{part}: {ratio}");
        let [played, stalled] = ["video_played_s", "video_stalled_s"].map(|name| measured(&s, name));
        assert!((played + stalled - (1050.0 - warmup)).abs() < 1e-9);
        // A stall for each chunk.
        assert!((response(&s, "video_stalls") - played / 4.0).abs() <= 1.0);
        assert!(response(&s, "video_startup_delay").is_nan());
    }
}

/// The path carries 400 segments/s, from 40 s on 60: the ladder goes down before the buffer is empty.
#[test]
fn a_video_goes_down_the_ladder_when_the_path_does() {
    let change = json!({
        "time": 40.0, "router": "A", "link": null, "speed": 60.0, "delay": null, "factor": null
    });
    for (abr, stalls) in [(by_buffer(), 0.0), (fixed(3), 6.0)] {
        let scenario = path(&[video(&[40.0, 100.0, 240.0], 2.0, &abr)], 400.0, 200.0, time(100.0, 20.0, 4));
        let scenario = with(scenario, &[("network.changes", json!([change]))]);
        let s = run(&scenario, 1);
        let rates = |row: usize| value(&s.applications(), "video_bitrate", row);
        assert_eq!(rates(0), 240.0);
        if stalls == 0.0 {
            assert_eq!(response(&s, "video_stalls"), 0.0);
            assert!(rates(1) < 240.0 && rates(2) < 100.0 && rates(3) < 100.0, "{} {}", rates(1), rates(2));
            // A rung of 40 and one of 100 share the time, so that the path of 60 is filled.
            assert!((rates(3) / 60.0 - 1.0).abs() < 0.15, "{}", rates(3));
        } else {
            // 12 s in the buffer less a chunk; a chunk of 480 segments takes 8 s.
            let ratio = value(&s.applications(), "video_rebuffering", 3);
            assert!((ratio - 0.75).abs() < 0.03, "{ratio}");
        }
    }
}

/// A receiver that holds acknowledgements back acknowledges the end of a chunk at once, with its request.
#[test]
fn delayed_acknowledgements_do_not_delay_requests() {
    let startup = |ack_path: &str, delayed: bool| {
        // Chunks of 7 segments, sent at once: an odd number.
        let scenario = path(&[video(&[7.0], 1.0, &fixed(1))], 1000.0, 100.0, time(20.0, 0.0, 1));
        let scenario = with(
            scenario,
            &[("transport.delayed_acks", json!(delayed)), ("network.ack_path", json!(ack_path))],
        );
        response(&run(&scenario, 1), "video_startup_delay")
    };
    for ack_path in ["delay", "queued"] {
        let (at_once, delayed) = (startup(ack_path, false), startup(ack_path, true));
        assert!((at_once - delayed).abs() < 0.02, "{ack_path}: {at_once} and {delayed}");
    }
}

/// A window of one segment sends a frame of n segments in n round trips, less the way back of the last one.
#[test]
fn a_frame_larger_than_the_window_takes_round_trips() {
    let scenario = path(&[frames(0.5, 4.0, None, 1)], 1e5, 1e6, time(10.0, 0.0, 1));
    let scenario =
        with(scenario, &[("transport.initial_window", json!(1.0)), ("transport.max_cwnd", json!(1.0))]);
    let s = run(&scenario, 1);
    let round_trip = 162.0 + 0.02;
    let expected = 3.0 * round_trip + 81.02;
    let found = response(&s, "frame_delay_p50");
    assert!((found / expected - 1.0).abs() < 0.01, "{found}");
    assert_eq!(response(&s, "frames_late"), response(&s, "frames_sent"));
}

/// RFC 7661: the window of a flow that does not use it stays where it is, for every algorithm that has such a
/// window.
#[test]
fn the_window_of_a_flow_that_its_application_limits_does_not_grow() {
    for name in ["tcp", "cubic", "scalable", "htcp", "vegas", "westwood", "illinois", "dctcp"] {
        let limited = with(frames(20.0, 2.0, None, 1), &[("algorithm", json!(name))]);
        let scenario = path(&[limited], 1e5, 1e6, time(30.0, 0.0, 1));
        let scenario = with(scenario, &[("algorithms", json!([algorithm(name, 1.0)]))]);
        let mut s = run(&scenario, 1);
        let series = s.take_series();
        // 4 frames of 2 segments wait for the connection, and 3 more leave in the first round trip of 162 ms:
        // 14 segments, the most that are ever in flight. No window is more than twice that, and after 2 s
        // none grows.
        let windows = float(&series, "flow_1_cwnd");
        let largest = |from: usize| windows[from..].iter().copied().fold(0.0, f64::max);
        assert!(largest(3) <= 28.0, "{name}: {}", largest(3));
        assert!(largest(20) <= windows[19], "{name}: {} after {}", largest(20), windows[19]);
        // With data without end it grows.
        let bulk = with(flow("A", "B", 0.0), &[("algorithm", json!(name))]);
        let scenario = with(scenario, &[("flows", json!([bulk]))]);
        let mut s = run(&scenario, 1);
        let largest = float(&s.take_series(), "flow_1_cwnd").iter().copied().fold(0.0, f64::max);
        assert!(largest > 100.0, "{name}: {largest}");
    }
}

/// The bandwidth that BBR sees is that of the path, not that of the application: it knows which samples are
/// limited.
#[test]
fn an_application_that_pauses_does_not_lower_what_bbr_believes() {
    for name in ["bbr", "bbr3"] {
        let on_off = with(bursts(None, Some(3.0), None, 2.0, "constant"), &[("algorithm", json!(name))]);
        let scenario = path(&[on_off], 1000.0, 200.0, time(40.0, 0.0, 1));
        let scenario = with(scenario, &[("algorithms", json!([algorithm(name, 1.0)]))]);
        let s = run(&scenario, 1);
        // 8 bursts of 3 s at 1,000 segments/s; a start of half a second each at most.
        let received = measured(&s, "segments_received");
        assert!((8.0 * 2500.0..8.0 * 3200.0).contains(&received), "{name}: {received}");
        assert_eq!(response(&s, "timeouts"), 0.0, "{name}");
    }
}

#[test]
fn an_idle_flow_does_not_transmit_and_one_that_stops_completes() {
    let once = with(bursts(Some(5.0), None, None, 100.0, "constant"), &[("stop", json!(3.0))]);
    let mut s = run(&path(&[once], 1e5, 1e6, time(10.0, 0.0, 1)), 1);
    let series = s.take_series();
    let sending: u64 = integer(&series, "sending").iter().sum();
    // SYN until 162 ms, data until 324 ms: the samples of 200 and 300 ms.
    assert_eq!(sending, 2);
    let table = s.take_flows();
    assert_eq!((integer(&table, "completed"), float(&table, "size")), (&[1][..], &[5.0][..]));
    // What was handed over before the stop is still sent: 10 segments, one in a round trip.
    let slow = with(bursts(Some(10.0), None, None, 100.0, "constant"), &[("stop", json!(0.5))]);
    let scenario = path(&[slow], 1e5, 1e6, time(10.0, 0.0, 1));
    let scenario =
        with(scenario, &[("transport.initial_window", json!(1.0)), ("transport.max_cwnd", json!(1.0))]);
    let mut s = run(&scenario, 1);
    let table = s.take_flows();
    assert_eq!((integer(&table, "completed"), float(&table, "size")), (&[1][..], &[10.0][..]));
    assert!((float(&table, "last_acked_s")[0] - 11.0 * 0.16202).abs() < 1e-6);
}

/// Datagrams at `rate` segments/s through 1,000 segments/s.
fn flood(rate: f64, time: Value) -> Simulation {
    run(&path(&[datagrams(constant(rate))], 1000.0, 100.0, time), 1)
}

#[test]
fn datagrams_lose_what_the_line_does_not_carry() {
    for (factor, lost) in [(0.5, 0.0), (2.0, 0.5), (10.0, 0.9)] {
        let s = flood(1000.0 * factor, time(60.0, 10.0, 1));
        let [sent, delivered, dropped] =
            ["datagrams_sent", "datagrams_delivered", "datagrams_lost"].map(|name| response(&s, name));
        assert_eq!(sent, 50_000.0 * factor);
        assert!((dropped / sent - lost).abs() < 1e-3, "{factor}: {dropped} of {sent}");
        // Those that left in the last 0.2 s may be on their way, in a queue of 100, or dropped after the end.
        assert!(((delivered + dropped) / sent - 1.0).abs() < 0.01, "{factor}: {delivered} + {dropped}");
        // The queue of the first router is empty or full: 100 segments and two services.
        let expected = 83.0 + if lost > 0.0 { 100.0 } else { 0.0 };
        let delay = response(&s, "datagram_delay_p50");
        assert!((delay / expected - 1.0).abs() < 0.02, "{factor}: {delay}");
        // No connection, no acknowledgement.
        assert_eq!(s.census().acknowledgements, 0);
        assert_eq!(s.counters().data_sent, 0);
        let c = s.counters();
        assert_eq!(c.entering, c.leaving + c.dropped + s.census().queued + s.census().in_flight);
    }
}

/// 1,000 segments/s of 2,000 arrive after 183 ms: TCP would get 9.5 segments/s.
#[test]
fn the_circuit_breaker_trips_where_datagrams_flood_a_line() {
    let trips = |rate| response(&flood(rate, time(60.0, 0.0, 1)), "circuit_breaker_trips");
    assert_eq!(trips(900.0), 0.0);
    assert!((3.0..=4.0).contains(&trips(2000.0)), "{}", trips(2000.0));
}

#[test]
fn a_frame_of_datagrams_is_delivered_when_all_of_it_is() {
    // A queue of 10 segments: of each frame of 20 that comes at once, 11 pass.
    let burst = with(datagrams(frames(10.0, 20.0, None, 1)), &[("interface", json!(1e6))]);
    let s = run(&path(&[burst], 1000.0, 10.0, time(20.0, 0.0, 1)), 1);
    assert_eq!(response(&s, "frames_delivered"), 0.0);
    assert!(response(&s, "frames_late") > 190.0);
    // With room for it, the last segment waits for 19 others.
    let frame = with(datagrams(frames(10.0, 20.0, None, 1)), &[("interface", json!(1e6))]);
    let s = run(&path(&[frame], 1000.0, 100.0, time(20.0, 0.0, 1)), 1);
    assert_eq!(response(&s, "frames_late"), 0.0);
    let delay = response(&s, "frame_delay_p99");
    assert!((delay / (83.0 + 19.0) - 1.0).abs() < 0.01, "{delay}");
}

/// Frames, bursts and datagrams beside bulk flows and users, on networks of many domains.
pub fn everything_fed() -> Value {
    let mut scenario = with(everything_at_once(), &[("time", time(5.0, 1.0, 2))]);
    let mut flows = vec![
        frames(30.0, 3.0, Some(25.0), 30),
        constant(50.0),
        bursts(Some(40.0), None, None, 0.3, "exponential"),
        bursts(None, Some(0.4), None, 0.3, "exponential"),
        bursts(None, Some(0.2), Some(500.0), 0.3, "constant"),
        datagrams(frames(25.0, 5.0, Some(40.0), 10)),
        datagrams(constant(30_000.0)),
        datagrams(bursts(None, Some(0.2), Some(5000.0), 0.1, "exponential")),
        exponential(bursts(Some(40.0), None, None, 0.3, "exponential")),
        exponential(bursts(None, Some(0.4), None, 0.3, "exponential")),
        exponential(datagrams(bursts(None, Some(0.2), Some(5000.0), 0.1, "exponential"))),
        video(&[200.0, 500.0, 900.0, 2000.0], 0.3, &by_buffer()),
        video(&[200.0, 5000.0, 90_000.0], 0.1, &json!({"rate": {"rate_chunks": 5, "rate_safety": 0.9}})),
        video(&[2000.0, 5000.0], 0.2, &fixed(2)),
    ];
    let access = access_routers(&scenario);
    for (place, flow) in flows.iter_mut().enumerate() {
        flow["from"] = json!(access[place * 7 % access.len()]);
        flow["to"] = json!(access[(place * 11 + 30) % access.len()]);
        flow["start"] = json!(0.1 * place as f64);
        if flow.get("transport").is_none() {
            flow["algorithm"] = json!(["tcp", "cubic", "bbr", "bbr3", "fast"][place % 5]);
        }
        if place % 3 == 2 {
            flow["stop"] = json!(4.0);
        }
        if place % 4 == 1 {
            flow["extra_delay"] = json!(0.004);
        }
    }
    scenario["flows"] = json!(flows);
    scenario
}

/// Smallest window after the first burst, and what was delivered: bursts of 400 segments each 4 s, which slow
/// start has sent after one second.
fn after_idle(name: &str, rule: &str) -> (f64, f64) {
    let on_off = with(bursts(Some(400.0), None, None, 4.0, "constant"), &[("algorithm", json!(name))]);
    let scenario = path(&[on_off], 1e5, 1e6, time(20.0, 0.0, 1));
    let values = [
        ("algorithms", json!([algorithm(name, 1.0)])),
        ("transport.idle_restart", json!(rule)),
        ("transport.initial_ssthresh", json!(100.0)),
    ];
    let mut s = run(&with(scenario, &values), 1);
    let received = measured(&s, "segments_received");
    let series = s.take_series();
    (float(&series, "flow_1_cwnd")[35..].iter().copied().fold(f64::INFINITY, f64::min), received)
}

/// RFC 5681, section 4.1: the initial window, 10. Linux halves for each timeout of 1 s that has passed; 3 or
/// 4 have. BBR and BBRv3 keep their model.
#[test]
fn windows_restart_after_idle_times() {
    for algorithm in mesonet_cc::registry::ALGORITHMS {
        let name = algorithm.name;
        let [keep, rfc5681, linux] = ["keep", "rfc5681", "linux"].map(|rule| after_idle(name, rule));
        println!("{name}: {keep:?} {rfc5681:?} {linux:?}");
        if matches!(name, "bbr" | "bbr3") {
            assert!(keep == rfc5681 && keep == linux, "{name}");
            continue;
        }
        assert!(keep.0 > 90.0, "{name}: {keep:?}");
        assert_eq!(rfc5681.0, 10.0, "{name}");
        assert!((10.0..0.3 * keep.0).contains(&linux.0), "{name}: {linux:?} of {keep:?}");
    }
}

#[test]
fn the_engines_agree_and_runs_continue_after_idle_times() {
    for rule in ["rfc5681", "linux"] {
        let values = [
            ("transport.idle_restart", json!(rule)),
            ("transport.min_rto", json!(0.2)),
            ("time", time(3.0, 1.0, 2)),
        ];
        let scenario = with(everything_fed(), &values);
        let text = engines::agree(&scenario, 6);
        snapshots::continues_as(&scenario, 6, mesonet_sim::Engine::Domains, 3, &text);
    }
}

#[test]
fn the_engines_agree_and_runs_continue() {
    let scenario = everything_fed();
    let text = engines::agree(&scenario, 3);
    snapshots::continues_as(&scenario, 3, mesonet_sim::Engine::Domains, 3, &text);
    let queued = with(scenario, &[("network.ack_path", json!("queued")), ("time", time(3.0, 1.0, 2))]);
    engines::agree(&queued, 4);
    let delayed =
        with(everything_fed(), &[("transport.delayed_acks", json!(true)), ("time", time(3.0, 1.0, 2))]);
    let text = engines::agree(&delayed, 5);
    snapshots::continues_as(&delayed, 5, mesonet_sim::Engine::Reference, 3, &text);
    for receiver in &receivers()[1..] {
        let both = with(queued.clone(), receiver);
        let text = engines::agree(&both, 6);
        snapshots::continues_as(&both, 6, mesonet_sim::Engine::Domains, 3, &text);
    }
}

#[test]
fn a_flow_with_an_application_changes_nothing_for_others_that_meet_none_of_it() {
    let of_users = |flows: Vec<Value>| {
        let mut s = run(&with(abilene(), &[("flows", json!(flows)), ("time", time(4.0, 0.0, 1))]), 1);
        let table = s.take_flows();
        let users: Vec<_> = texts(&table, "category").iter().map(|c| c != "explicit").collect();
        let acked = float(&table, "last_acked_s");
        let ended = users.iter().zip(acked).filter(|(user, _)| **user).map(|(_, t)| t.to_bits());
        ended.collect::<Vec<_>>()
    };
    let access = access_routers(&abilene());
    let mut silent = bursts(Some(1.0), None, None, 1e5, "constant");
    silent["from"] = json!(access[0]);
    silent["to"] = json!(access[40]);
    silent["start"] = json!(3.99);
    assert_eq!(of_users(vec![silent]), of_users(vec![]));
}

#[test]
fn bad_applications_are_refused() {
    let of_video = |key: &str, value: Value| {
        let path = format!("application.source.video.{key}");
        with(video(&[1.0, 2.0, 3.0], 1.0, &fixed(1)), &[(&path, value)])
    };
    let mut optimistic = video(&[1.0], 1.0, &fixed(1));
    optimistic["receiver"] = json!("optimistic");
    let on = |flow: Value| refused(&path(&[flow], 1000.0, 100.0, time(10.0, 0.0, 1)));
    for (flow, expected) in [
        (
            with(constant(10.0), &[("size", json!(7.0))]),
            "flows[0].size: an application hands over data until",
        ),
        (datagrams(flow("A", "B", 0.0)), "flows[0].application: udp needs an application; allowed: frames,"),
        (datagrams(constant(90_000.0)), "flows[0].interface: the application hands over 90000 segments/s"),
        (
            with(datagrams(constant(9.0)), &[("overhead", json!(0.1))]),
            "flows[0].overhead: datagrams have no congestion control",
        ),
        (bursts(None, None, None, 1.0, "constant"), "flows[0].burst_size: a burst has a size or a duration"),
        (bursts(Some(2.0), Some(2.0), None, 1.0, "constant"), "flows[0].burst_size: a burst has a size or"),
        (bursts(Some(2.0), None, Some(2.0), 1.0, "constant"), "flows[0].rate: a burst of a size is handed"),
        (
            datagrams(bursts(None, Some(2.0), None, 1.0, "constant")),
            "flows[0].interface: the application hands over inf",
        ),
        (constant(0.0), "flows[0].application.source.constant.rate: 0 is too low; allowed: at least 0.001"),
        (frames(30.0, 3.0, None, 0), "flows[0].application.source.frames.key_every: 0 is too low"),
        (datagrams(video(&[1.0], 1.0, &fixed(1))), "flows[0].transport: a player asks for a chunk when"),
        (
            optimistic,
            "flows[0].receiver: a player cannot play what has not arrived; allowed: standard, ack_division,",
        ),
        (with(video(&[1.0], 1.0, &fixed(1)), &[("size", json!(7.0))]), "flows[0].size: an application hands"),
        (video(&[], 1.0, &fixed(1)), "flows[0].ladder: not a ladder; allowed: at least one bitrate"),
        (video(&[2.0, 2.0], 1.0, &fixed(1)), "flows[0].ladder: not a ladder"),
        (video(&[1.0, 0.0], 1.0, &fixed(1)), "flows[0].application.source.video.ladder[1]: 0 is too low"),
        (
            of_video("playback_buffer", json!(0.9)),
            "flows[0].playback_buffer: no chunk of 1 s fits; allowed: at least 1 s",
        ),
        (
            of_video("startup_buffer", json!(6.5)),
            "flows[0].startup_buffer: a buffer of 6 s with chunks of 1 s never holds so much; allowed: at most 6 s",
        ),
        (of_video("resume_buffer", json!(7.0)), "flows[0].resume_buffer: a buffer of 6 s with chunks"),
        (
            of_video("abr", json!({"buffer": {"reservoir": 0.75, "cushion": 0.5}})),
            "flows[0].cushion: reservoir and cushion are more than the buffer; allowed: at most 0.25",
        ),
        (of_video("abr", fixed(4)), "flows[0].rung: the ladder ends below; allowed: 1 to 3"),
        (of_video("abr", fixed(0)), "flows[0].application.source.video.abr.fixed.rung: 0 is too low"),
    ] {
        let message = on(flow);
        assert!(message.starts_with(expected), "{message}");
    }
}
