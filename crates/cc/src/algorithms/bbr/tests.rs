//! Tests of BBR, version 1.

use super::*;
use crate::testing::{RTT, acks, assert_near, config, loss, round, start};
use crate::{MILLISECOND, Preset, SECOND};

const MS: Picos = MILLISECOND;

fn flow() -> (BbrConfig, Bbr) {
    let config = config::<Bbr>(Preset::Standard, &[]);
    let bbr = Bbr::new(&config, &Start { rtt: RTT, ..start(10.0, 1e9) });
    (config, bbr)
}

/// A flow in PROBE_BW that knows 21 segments/ms and 162 ms, in its phase `phase`.
fn probing(phase: u8) -> (BbrConfig, Bbr) {
    let (config, mut bbr) = flow();
    (bbr.mode, bbr.full) = (Mode::ProbeBw, true);
    bbr.bandwidth.add(10, 0, 21_000.0);
    bbr.begin_phase(0, u32::from(phase));
    (config, bbr)
}

#[test]
fn the_window_and_the_rates_of_a_known_path() {
    let (config, mut bbr) = probing(2);
    // The product is 3402; three bursts of one segment, to the next even number.
    assert_eq!(bbr.target(&config, 2.0), 6808.0);
    assert_eq!(bbr.target(&config, 1.0), 3406.0);
    for (phase, rate) in [(0, 25_987.5), (1, 15_592.5), (2, 20_790.0), (7, 20_790.0)] {
        bbr.phase = phase;
        bbr.set_pacing_rate(&config, &acks(1));
        assert_near(bbr.pacing_rate, rate, 1e-9);
    }
    bbr.phase = 0;
    assert_eq!(bbr.target(&config, 2.0), 6810.0, "two more while bandwidth is looked for");
}

#[test]
fn the_pipe_is_full_after_three_rounds_without_a_quarter_more() {
    let (config, mut bbr) = flow();
    let mut found = Vec::new();
    for (i, rate) in [10.0, 20.0, 21.0, 21.0, 21.0].into_iter().enumerate() {
        bbr.on_ack(&config, &round(bbr.delivered, RTT * (1 + i as u64), rate, 5000));
        found.push((bbr.full_bandwidth, bbr.full, bbr.mode));
    }
    assert_eq!(found[1], (20_000.0, false, Mode::Startup));
    assert_eq!(found[3], (20_000.0, false, Mode::Startup));
    assert_eq!(found[4], (20_000.0, true, Mode::Drain));
    assert_near(bbr.pacing_rate, 21_000.0 * 0.99 * 0.3466, 1e-6);
    bbr.on_ack(&config, &round(bbr.delivered, 6 * RTT, 21.0, 3407));
    assert_eq!(bbr.mode, Mode::Drain);
    bbr.on_ack(&config, &round(bbr.delivered, 7 * RTT, 21.0, 3406));
    assert_eq!(bbr.mode, Mode::ProbeBw);
}

#[test]
fn the_start_doubles_the_window_in_each_round() {
    let (config, mut bbr) = flow();
    let mut rounds = 0;
    while bbr.cwnd() < 3402.0 {
        rounds += 1;
        // The rate that the window of the round before gives.
        let (rate, acked) = (bbr.cwnd() / 162.0, bbr.cwnd() as u32);
        let ack = AckEvent { acked, ..round(bbr.delivered, RTT * rounds, rate, acked) };
        bbr.on_ack(&config, &ack);
    }
    // log2(3402 / 10) = 8.4 doublings of the initial window.
    assert_eq!((rounds, bbr.cwnd()), (9, 5120.0));
}

#[test]
fn samples_that_the_sender_limited_count_only_upwards() {
    let (config, mut bbr) = flow();
    let limited = |rate: f64, bbr: &Bbr| {
        let mut ack = round(bbr.delivered, RTT, rate, 10);
        ack.sample.app_limited = true;
        ack
    };
    bbr.on_ack(&config, &round(bbr.delivered, RTT, 10.0, 10));
    for _ in 0..20 {
        bbr.on_ack(&config, &limited(5.0, &bbr));
    }
    assert_eq!((bbr.bandwidth.get(), bbr.full), (10_000.0, false));
    bbr.on_ack(&config, &limited(12.0, &bbr));
    assert_eq!(bbr.bandwidth.get(), 12_000.0);
}

#[test]
fn the_bandwidth_is_the_largest_of_ten_rounds() {
    let (config, mut bbr) = flow();
    bbr.on_ack(&config, &round(bbr.delivered, RTT, 20.0, 10));
    for i in 0..10 {
        bbr.on_ack(&config, &round(bbr.delivered, RTT * (2 + i), 10.0, 10));
        assert_eq!(bbr.bandwidth.get(), 20_000.0);
    }
    bbr.on_ack(&config, &round(bbr.delivered, RTT * 12, 10.0, 10));
    assert_eq!(bbr.bandwidth.get(), 10_000.0);
}

#[test]
fn phases_end_as_their_gains_say() {
    let next = |phase: u8, now: Picos, in_flight: u32, lost: u32| {
        let (config, mut bbr) = probing(phase);
        bbr.update_phase(&config, &AckEvent { now, in_flight, lost, ..acks(1) });
        bbr.phase
    };
    let (early, late) = (RTT, RTT + 1);
    // 1.25 x 3402 with room for bursts and two more is 4258.
    assert_eq!([next(0, late, 4256, 0), next(0, late, 4257, 0), next(0, late, 10, 1)], [0, 1, 1]);
    assert_eq!([next(0, early, 9999, 1), next(1, early, 3406, 0), next(1, early, 3405, 0)], [0, 1, 2]);
    assert_eq!([next(1, late, 9999, 0), next(2, early, 0, 0), next(7, late, 9999, 0)], [2, 2, 0]);
}

#[test]
fn the_first_phase_is_drawn_from_all_but_the_second() {
    let mut counts = [0; 8];
    for seed in 0..700 {
        let (config, mut bbr) = probing(3);
        bbr.draw = Draw::new(seed);
        bbr.probe_bandwidth(&config, 0);
        counts[usize::from(bbr.phase)] += 1;
    }
    assert_eq!(counts[1], 0);
    assert!(counts.iter().enumerate().all(|(i, c)| i == 1 || (60..140).contains(c)), "{counts:?}");
}

#[test]
fn lost_segments_were_in_flight_before_the_acknowledgement() {
    for (in_flight, lost, phase) in [(3405, 0, 2), (3395, 10, 2), (3395, 11, 1), (3405, 1, 1)] {
        let (config, mut bbr) = probing(1);
        bbr.update_phase(&config, &AckEvent { now: MS, in_flight, lost, ..acks(1) });
        assert_eq!(bbr.phase, phase, "{in_flight} in flight, {lost} lost");
    }
}

fn changed(changes: &[(&str, f64)]) -> BbrConfig {
    config::<Bbr>(Preset::Standard, changes)
}

#[test]
fn linux_has_room_for_three_bursts_of_a_millisecond() {
    let linux = changed(&[("burst_time", 1.0 / 1024.0)]);
    // 1.2 Mbit/s are 103.6 segments/s; 3 segments leave in 1/1024 s from 3072 segments/s on; 65215 bytes
    // are 45.
    for (rate, burst) in [(103.0, 1.0), (104.0, 2.0), (3071.0, 2.0), (3072.0, 3.0), (1e6, 45.0)] {
        assert_eq!(linux.burst(rate), burst, "{rate}");
    }
    let (_, mut bbr) = probing(2);
    bbr.pacing_rate = 2000.0;
    // 3402 + 3 x 2, which is even.
    assert_eq!(bbr.target(&linux, 1.0), 3408.0);
}

#[test]
fn linux_adds_what_was_acknowledged_in_bunches() {
    let linux = changed(&[("extra_acked_gain", 1.0)]);
    let (_, mut bbr) = probing(2);
    // 9 at once, and 9000 in a tenth of a second at 21 segments/ms.
    for (acked, most) in [(9, 9.0), (8991, 2100.0)] {
        bbr.aggregation.add(0, acked, 21_000.0, 1e4);
        assert_eq!(bbr.aggregated(&linux), most);
    }
    assert_eq!(bbr.aggregated(&changed(&[])), 0.0);
    bbr.full = false;
    assert_eq!(bbr.aggregated(&linux), 0.0);
}

#[test]
fn linux_takes_two_lossy_intervals_of_one_rate_for_a_policer() {
    let linux = changed(&[("long_term", 1.0)]);
    // Round trips of 100 ms in which `delivered` segments arrive and `lost` do not.
    let round = |bbr: &mut Bbr, delivered: u64, lost: u32| {
        bbr.acked_at += 100 * MS;
        bbr.delivered += delivered;
        bbr.lost += lost;
        bbr.sample_long_term(&linux, lost > 0, true, false);
        (bbr.long_term.used, bbr.long_term.bandwidth)
    };
    let (_, mut bbr) = probing(0);
    bbr.acked_at = 0;
    // The interval begins with the first loss, its fourth round trip ends it: 300 segments in 0.3 s, a fifth
    // lost.
    for expected in [0.0, 0.0, 0.0, 1000.0] {
        assert_eq!(round(&mut bbr, 100, 20), (false, expected));
    }
    // 112 segments per round trip are within an eighth of it. Four round trips more.
    for _ in 0..3 {
        assert!(!round(&mut bbr, 112, 23).0);
    }
    assert_eq!(round(&mut bbr, 112, 23), (true, 1060.0));
    assert_eq!((bbr.pacing_gain(&linux), bbr.bandwidth()), (1.0, 1060.0));
    for _ in 0..47 {
        assert!(round(&mut bbr, 100, 30).0);
    }
    assert_eq!(round(&mut bbr, 100, 30), (false, 0.0), "for 48 round trips");
    assert_eq!(bbr.bandwidth(), 21_000.0);
    // Fewer losses, or another rate, are no policer.
    for (second, lost, bandwidth) in [(100, 19, 1000.0), (130, 30, 1300.0)] {
        let (_, mut bbr) = probing(0);
        bbr.acked_at = 0;
        for _ in 0..4 {
            round(&mut bbr, 100, 20);
        }
        for _ in 0..4 {
            round(&mut bbr, second, lost);
        }
        assert_eq!((bbr.long_term.used, bbr.long_term.bandwidth), (false, bandwidth));
    }
}

#[test]
fn a_flow_that_was_idle_paces_at_its_bandwidth_and_probes_no_round_trip_time() {
    let (config, mut bbr) = probing(0);
    let idle = IdleEvent { now: 30 * SECOND, idle: 12 * SECOND, rto: SECOND };
    let ack = |now, bbr: &Bbr| AckEvent { rtt: RTT + MS, ..round(bbr.delivered, now, 21.0, 100) };
    (bbr.min_rtt, bbr.min_rtt_stamp) = (RTT, 0);
    bbr.on_idle(&config, &idle);
    assert_near(bbr.pacing_rate, 20_790.0, 1e-9);
    bbr.on_ack(&config, &ack(idle.now + RTT, &bbr));
    assert_eq!((bbr.mode, bbr.min_rtt), (Mode::ProbeBw, RTT + MS));
    // The next one is due 10 s later.
    bbr.on_ack(&config, &ack(idle.now + RTT + 10_001 * MS, &bbr));
    assert_eq!(bbr.mode, Mode::ProbeRtt);
}

#[test]
fn recovery_begins_with_as_many_segments_as_were_acknowledged() {
    let (config, mut bbr) = probing(2);
    bbr.window.set(&config.common, 6808.0);
    bbr.on_ack(&config, &AckEvent { acked: 2, ..round(bbr.delivered, MS, 21.0, 5000) });
    bbr.on_loss(&config, &loss(LossCause::FastRetransmit, 6000));
    assert_eq!(bbr.cwnd(), 5002.0);
}

#[test]
fn an_old_min_rtt_is_probed_with_four_segments_for_200_ms_and_a_round() {
    let (config, mut bbr) = probing(2);
    bbr.window.set(&config.common, 6808.0);
    let mut now = 10_001 * MS;
    let late =
        |now, in_flight, bbr: &Bbr| AckEvent { rtt: RTT + MS, ..round(bbr.delivered, now, 21.0, in_flight) };
    bbr.on_ack(&config, &late(now, 3402, &bbr));
    assert_eq!((bbr.mode, bbr.cwnd(), bbr.min_rtt), (Mode::ProbeRtt, 4.0, RTT + MS));
    assert!(bbr.holds_back());
    bbr.on_ack(&config, &late(now, 4, &bbr));
    now += 200 * MS;
    bbr.on_ack(&config, &late(now, 4, &bbr));
    assert_eq!(bbr.mode, Mode::ProbeRtt);
    bbr.on_ack(&config, &late(now + 1, 4, &bbr));
    assert_eq!((bbr.mode, bbr.min_rtt_stamp), (Mode::ProbeBw, now + 1));
    assert!(bbr.cwnd() >= 6808.0 && !bbr.holds_back());
}

#[test]
fn recovery_conserves_packets_for_a_round_and_restores_the_window() {
    let (config, mut bbr) = probing(2);
    bbr.window.set(&config.common, 6808.0);
    bbr.on_ack(&config, &round(bbr.delivered, MS, 21.0, 5000));
    bbr.on_loss(&config, &loss(LossCause::FastRetransmit, 6000));
    assert_eq!(bbr.cwnd(), 5001.0);
    let within = |bbr: &Bbr, in_flight, lost| {
        let mut ack = AckEvent { lost, in_recovery: true, ..round(bbr.delivered, 2 * MS, 21.0, in_flight) };
        ack.sample.prior_delivered = 0;
        ack
    };
    bbr.on_ack(&config, &within(&bbr, 4000, 10));
    assert_eq!(bbr.cwnd(), 4991.0);
    bbr.on_ack(&config, &within(&bbr, 5500, 0));
    assert_eq!(bbr.cwnd(), 5501.0);
    bbr.on_recovery_exit(&config, 3 * MS);
    assert_eq!(bbr.cwnd(), 6808.0);
}

/// A flow whose recovery, in its first round or beyond it, an acknowledgement has just ended.
fn ends_and_begins(joins: f64, conserving: bool) -> (BbrConfig, Bbr) {
    let (_, mut bbr) = probing(2);
    let config = config::<Bbr>(Preset::Standard, &[("joins_recoveries", joins)]);
    bbr.window.set(&config.common, 6808.0);
    bbr.on_ack(&config, &round(bbr.delivered, MS, 21.0, 5000));
    bbr.on_loss(&config, &loss(LossCause::FastRetransmit, 6000));
    if !conserving {
        // Beyond the first round the window loses what is lost.
        bbr.on_ack(
            &config,
            &AckEvent { lost: 11, in_recovery: true, ..round(bbr.delivered, 2 * MS, 21.0, 5000) },
        );
        assert_eq!(bbr.cwnd(), 4991.0);
    }
    bbr.on_recovery_exit(&config, 3 * MS);
    assert_eq!(bbr.cwnd(), 6808.0);
    (config, bbr)
}

fn within_the_round(bbr: &Bbr, now: Picos, in_flight: u32) -> AckEvent {
    let mut ack = round(bbr.delivered, now, 21.0, in_flight);
    ack.sample.prior_delivered = 0;
    ack
}

fn found(now: Picos) -> LossEvent {
    LossEvent { now, ..loss(LossCause::FastRetransmit, 5500) }
}

/// Linux calls BBR once, after a recovery has ended and another one has begun.
#[test]
fn a_recovery_that_begins_with_the_end_of_another_goes_on() {
    for (joins, conserving, ends_with, then) in
        [(0.0, false, 5502.0, 5502.0), (1.0, false, 4992.0, 4993.0), (1.0, true, 5502.0, 5602.0)]
    {
        let (config, mut bbr) = ends_and_begins(joins, conserving);
        bbr.on_ack(&config, &within_the_round(&bbr, 3 * MS, 5501));
        assert_eq!(bbr.cwnd(), 6808.0);
        bbr.on_loss(&config, &found(3 * MS));
        assert_eq!(bbr.cwnd(), ends_with);
        let in_flight = if joins == 1.0 { 5601 } else { 5501 };
        bbr.on_ack(&config, &within_the_round(&bbr, 4 * MS, in_flight));
        assert_eq!(bbr.cwnd(), then);
        bbr.on_recovery_exit(&config, 5 * MS);
        assert_eq!(bbr.cwnd(), 6808.0);
    }
}

#[test]
fn a_recovery_that_begins_later_is_another_one() {
    // With the next acknowledgement; found by a timer; after a probe that has repaired its loss.
    let (config, mut bbr) = ends_and_begins(1.0, false);
    bbr.on_ack(&config, &round(bbr.delivered, 3 * MS, 21.0, 5501));
    let mut by_timer = bbr;
    let mut probed = bbr;
    bbr.on_ack(&config, &round(bbr.delivered, 4 * MS, 21.0, 5000));
    bbr.on_loss(&config, &found(4 * MS));
    assert_eq!(bbr.cwnd(), 5001.0);
    by_timer.on_loss(&config, &found(4 * MS));
    assert_eq!(by_timer.cwnd(), 5502.0);
    probed.on_ack(&config, &round(probed.delivered, 4 * MS, 21.0, 5000));
    probed.on_loss(&config, &found(4 * MS));
    probed.on_recovery_exit(&config, 4 * MS);
    probed.on_ack(&config, &round(probed.delivered, 5 * MS, 21.0, 5100));
    probed.on_loss(&config, &found(5 * MS));
    assert_eq!(probed.cwnd(), 5101.0);
}

#[test]
fn a_recovery_that_goes_on_keeps_the_window_of_probe_rtt() {
    let begins = 10_001 * MS;
    let (config, mut bbr) = ends_and_begins(1.0, false);
    bbr.on_ack(&config, &AckEvent { rtt: RTT + MS, ..round(bbr.delivered, begins, 21.0, 3402) });
    bbr.on_loss(&config, &found(begins));
    assert_eq!((bbr.mode, bbr.cwnd()), (Mode::ProbeRtt, 4.0));

    let (config, mut bbr) = ends_and_begins(1.0, false);
    bbr.mode = Mode::ProbeRtt;
    (bbr.probe_rtt_done, bbr.probe_rtt_round_done) = (MS, true);
    bbr.recovery.limit(4.0);
    bbr.on_ack(&config, &round(bbr.delivered, 3 * MS, 21.0, 4));
    bbr.on_loss(&config, &found(3 * MS));
    assert_eq!((bbr.mode, bbr.cwnd()), (Mode::ProbeBw, 6808.0));
}

#[test]
fn a_time_out_sends_one_segment_and_then_restores_the_window() {
    let (config, mut bbr) = probing(2);
    bbr.window.set(&config.common, 100.0);
    bbr.on_loss(&config, &loss(LossCause::Timeout, 100));
    assert_eq!((bbr.cwnd(), bbr.full_bandwidth), (1.0, 0.0));
    bbr.on_ack(&config, &AckEvent { after_timeout: true, ..round(bbr.delivered, MS, 21.0, 0) });
    assert_eq!(bbr.cwnd(), 4.0);
    bbr.on_ack(&config, &round(bbr.delivered, 2 * MS, 21.0, 0));
    assert_eq!(bbr.cwnd(), 101.0);
}

#[test]
fn pacing_starts_from_the_first_round_trip_and_does_not_fall_before_the_pipe_is_full() {
    let config = config::<Bbr>(Preset::Standard, &[]);
    let mut bbr = Bbr::new(&config, &start(10.0, 1e9));
    assert_near(bbr.pacing_rate, 10.0 / 0.001 * 2.885 * 0.99, 1e-6);
    bbr.on_ack(&config, &AckEvent { rtt: RTT, srtt: RTT, ..acks(1) });
    assert_near(bbr.pacing_rate, 11.0 / 0.162 * 2.885 * 0.99, 18.0);
    let before = bbr.pacing_rate;
    bbr.on_ack(&config, &round(bbr.delivered, RTT, 0.001, 10));
    assert_eq!(bbr.pacing_rate, before);
}

/// RFC 9959: half of the saved window paces STARTUP, and congestion leads to DRAIN, whose rates are not those
/// of the path.
#[test]
fn careful_resume_paces_startup_and_retreats_to_drain() {
    let (config, mut bbr) = flow();
    bbr.on_resume(&config, &ResumeStep::Jump { cwnd: 1701.0, rtt: RTT });
    assert_near(bbr.pacing_rate, 10_500.0, 1e-6);
    assert_near(bbr.cwnd(), 1701.0 * config.high_gain, 1e-6);
    bbr.on_ack(&config, &round(0, RTT, 2.0, 1500));
    assert_eq!((bbr.mode, bbr.bandwidth.get()), (Mode::Startup, 2000.0));
    bbr.on_resume(&config, &ResumeStep::Retreat { cwnd: 100.0 });
    bbr.on_ack(&config, &round(1000, 2 * RTT, 9.0, 1500));
    assert_eq!((bbr.mode, bbr.bandwidth.get()), (Mode::Drain, 2000.0));
    bbr.on_ack(&config, &round(2000, 3 * RTT, 9.0, 100));
    assert_eq!(bbr.mode, Mode::ProbeBw);
    bbr.on_ack(&config, &round(3000, 4 * RTT, 9.0, 100));
    assert_eq!(bbr.bandwidth.get(), 9000.0);
    // After STARTUP it is not used.
    let (rate, cwnd) = (bbr.pacing_rate, bbr.cwnd());
    bbr.on_resume(&config, &ResumeStep::Jump { cwnd: 1e6, rtt: RTT });
    assert_eq!((bbr.pacing_rate, bbr.cwnd()), (rate, cwnd));
}
