//! The statistics of what links do.

use super::*;
use crate::engine::FlowId;
use mesonet_cc::{MILLISECOND, SECOND};

fn segment(number: u32) -> Segment {
    Segment::new(u64::from(number) * MILLISECOND, FlowId(7), number, 3)
}

/// Fates of `count` data segments, one each millisecond.
fn fates(rules: &Rules, count: u32) -> Vec<Fate> {
    let mut link = LinkState::new(1, 2);
    let cross =
        |number: u32| link.cross(rules, u64::from(number) * MILLISECOND, &segment(number), false, 1500);
    (0..count).map(cross).collect()
}

fn is_lost(fates: &[Fate]) -> Vec<bool> {
    fates.iter().map(|fate| *fate == Fate::Lost).collect()
}

#[test]
fn independent_losses_have_their_probability() {
    for p in [0.001, 0.05, 0.5] {
        let rules = Rules { loss: Some(Steps::constant(Loss::new([p, 1.0], [0.0, 1.0]))), ..Rules::PERFECT };
        let lost = is_lost(&fates(&rules, 200_000));
        let share = lost.iter().filter(|lost| **lost).count() as f64 / 200_000.0;
        assert!((share - p).abs() < 5.0 * (p * (1.0 - p) / 200_000.0).sqrt(), "{share} of {p}");
        // No memory: two in a row with the square of it.
        let pairs = lost.windows(2).filter(|two| two[0] && two[1]).count() as f64 / 200_000.0;
        assert!((pairs - p * p).abs() < 5.0 * (p * p / 200_000.0).sqrt() + 1e-9, "{pairs}");
    }
}

/// Gilbert 1960: the bad state holds p / (p + r) of the segments, and lasts 1 / r of them.
#[test]
fn bursts_have_the_length_of_the_bad_state() {
    let (p, r) = (0.01, 0.25);
    let rules = Rules { loss: Some(Steps::constant(Loss::new([0.0, 1.0], [p, r]))), ..Rules::PERFECT };
    let lost = is_lost(&fates(&rules, 400_000));
    let share = lost.iter().filter(|lost| **lost).count() as f64 / 400_000.0;
    assert!((share - p / (p + r)).abs() < 0.002, "{share}");
    let bursts = lost.windows(2).filter(|two| !two[0] && two[1]).count() as f64;
    let length = share * 400_000.0 / bursts;
    assert!((length - 1.0 / r).abs() < 0.15, "{length}");
}

/// Lengths of bursts are geometric, and so are the distances between them: moments of both within five
/// standard errors.
#[test]
fn lengths_of_bursts_are_geometric() {
    let (p, r, count) = (0.02, 0.2, 400_000);
    let rules = Rules { loss: Some(Steps::constant(Loss::new([0.0, 1.0], [p, r]))), ..Rules::PERFECT };
    let lost = is_lost(&fates(&rules, count));
    for (state, leaves) in [(true, r), (false, p)] {
        let runs: Vec<f64> =
            lost.chunk_by(|a, b| a == b).filter(|run| run[0] == state).map(|run| run.len() as f64).collect();
        let n = runs.len() as f64;
        let mean = runs.iter().sum::<f64>() / n;
        let variance = runs.iter().map(|run| (run - mean) * (run - mean)).sum::<f64>() / n;
        let (expected, of_law) = (1.0 / leaves, (1.0 - leaves) / (leaves * leaves));
        assert!((mean - expected).abs() < 5.0 * (of_law / n).sqrt(), "{mean} of {expected}");
        // The fourth moment of an exponential law is nine variances squared.
        assert!((variance / of_law - 1.0).abs() < 5.0 * (8.0 / n).sqrt(), "{variance} of {of_law}");
    }
}

/// Elliott 1963: loss in both states. The correlation of losses k segments apart is (1 - p - r)^k times the
/// variance of the states' loss rates.
#[test]
fn losses_of_two_states_are_correlated() {
    let (p, r, good, bad, count) = (0.02, 0.08, 0.01, 0.4, 400_000);
    let rules = Rules { loss: Some(Steps::constant(Loss::new([good, bad], [p, r]))), ..Rules::PERFECT };
    let lost = is_lost(&fates(&rules, count));
    let in_bad = p / (p + r);
    let rate = good + in_bad * (bad - good);
    let share = lost.iter().filter(|lost| **lost).count() as f64 / f64::from(count);
    // States last 1 / (p + r) segments: so many are one sample.
    let spread = 5.0 * (2.0 / (p + r) / f64::from(count)).sqrt();
    assert!((share - rate).abs() < spread * (bad - good), "{share} of {rate}");
    for distance in [1, 5, 20] {
        let both = lost.windows(distance + 1).filter(|run| run[0] && run[distance]).count() as f64
            / f64::from(count);
        let states = in_bad * (1.0 - in_bad) * (bad - good) * (bad - good);
        let expected = rate * rate + states * libm::pow(1.0 - p - r, distance as f64);
        assert!((both - expected).abs() < spread * (bad - good) * rate, "{both} of {expected} at {distance}");
    }
}

/// The luck of a segment belongs to its link and to its place in its flow; a copy has its own.
#[test]
fn luck_follows_the_segment() {
    let loss = Some(Steps::constant(Loss::new([0.5, 1.0], [0.0, 1.0])));
    let rules = Rules { loss, ..Rules::PERFECT };
    let lost = |lane: usize, time: Picos, segment: Segment, is_ack: bool| {
        LinkState::new(1, lane).cross(&rules, time, &segment, is_ack, 1500) == Fate::Lost
    };
    let all = |lost: &dyn Fn(u32) -> bool| (0..64).map(lost).collect::<Vec<bool>>();
    let first = all(&|n| lost(2, 0, segment(n), false));
    assert_eq!(first, all(&|n| lost(2, SECOND, Segment::new(99, FlowId(7), n, 3), false)), "at any time");
    assert_ne!(first, all(&|n| lost(3, 0, segment(n), false)), "another link");
    assert_ne!(first, all(&|n| lost(2, 0, segment(n), true)), "acknowledgements");
    let copies = |sent: Picos| all(&|n| lost(2, 0, Segment::new(sent, FlowId(7), n, 3).copy(), false));
    assert_ne!(first, copies(MILLISECOND));
    assert_ne!(copies(MILLISECOND), copies(2 * MILLISECOND), "and each copy");
}

#[test]
fn outages_lose_all_and_come_again() {
    let outages =
        Outages { since: 20 * MILLISECOND, spans: vec![[0, 5 * MILLISECOND]], period: 100 * MILLISECOND };
    let lost = is_lost(&fates(&Rules { outages: Some(outages.clone()), ..Rules::PERFECT }, 300));
    let at: Vec<usize> = (0..300).filter(|n| lost[*n]).collect();
    let expected: Vec<usize> = [20, 120, 220].iter().flat_map(|start| *start..start + 5).collect();
    assert_eq!(at, expected);
    let once = Rules { outages: Some(Outages { period: 0, ..outages }), ..Rules::PERFECT };
    assert_eq!(is_lost(&fates(&once, 300)).iter().filter(|l| **l).count(), 5);
}

/// A segment each millisecond against tokens for one in two, and a bucket of ten.
#[test]
fn a_policer_lets_its_burst_and_its_rate_pass() {
    let policer = Policer {
        service: 2 * MILLISECOND,
        bytes: 1500,
        burst: Steps::constant(20 * MILLISECOND),
        clock: None,
    };
    let lost = is_lost(&fates(&Rules { policer: Some(policer.clone()), ..Rules::PERFECT }, 1000));
    // 10 tokens, and one more for each two segments: the first loss is the twentieth segment.
    assert_eq!(lost.iter().position(|lost| *lost), Some(19));
    let passed = lost.iter().filter(|lost| !**lost).count();
    assert!((509..=510).contains(&passed), "{passed}");
    let mut link = LinkState::new(1, 2);
    let rules = Rules { policer: Some(policer), ..Rules::PERFECT };
    let small = (0..200).filter(|n| link.cross(&rules, 0, &segment(*n), false, 150) != Fate::Lost).count();
    assert_eq!(small, 100, "bytes count, not segments");
}

#[test]
fn delays_follow_time_and_chance() {
    let steps = Some(Steps {
        steps: vec![(0, 3), (10 * MILLISECOND, 9), (15 * MILLISECOND, 0)],
        period: 20 * MILLISECOND,
    });
    let rules = Rules { steps, late: Some(Steps::constant((0.25, 1000))), ..Rules::PERFECT };
    let fates = fates(&rules, 4000);
    let late = |n: usize| match fates[n] {
        Fate::Late(by) => by,
        fate => panic!("{fate:?}"),
    };
    for n in 0..4000 {
        let expected = [3, 9, 0][[0, 1, 2][usize::from(n % 20 >= 10) + usize::from(n % 20 >= 15)]];
        assert_eq!(late(n) % 1000, expected, "{n}");
    }
    let share = (0..4000).filter(|n| late(*n) >= 1000).count() as f64 / 4000.0;
    assert!((share - 0.25).abs() < 0.035, "{share}");
}

/// Each law holds for its time, with the luck that a segment has under one law.
#[test]
fn laws_follow_time() {
    let laws = [Jitter::Uniform(0), Jitter::Uniform(SECOND), Jitter::Exponential(MILLISECOND)];
    let starts = [0, 10 * MILLISECOND, 15 * MILLISECOND];
    let jitter = Some(Steps { steps: starts.into_iter().zip(laws).collect(), period: 20 * MILLISECOND });
    let rules = Rules { jitter, ..Rules::PERFECT };
    assert_eq!(rules.longest_delay(), 2 * SECOND);
    let found = fates(&rules, 400);
    let under = laws.map(|law| fates(&Rules { jitter: Some(Steps::constant(law)), ..Rules::PERFECT }, 400));
    for n in 0..400 {
        assert_eq!(found[n], under[usize::from(n % 20 >= 10) + usize::from(n % 20 >= 15)][n], "{n}");
    }
    assert_eq!(found[0], Fate::Late(0));
    assert_ne!(found[10], found[11]);
}

#[test]
fn a_slot_has_one_delay() {
    let jitter = Some(Steps::constant(Jitter::Exponential(MILLISECOND)));
    let alone = fates(&Rules { jitter: jitter.clone(), ..Rules::PERFECT }, 100);
    let slotted = fates(&Rules { jitter, slot: 10 * MILLISECOND, ..Rules::PERFECT }, 100);
    let different = |fates: &[Fate]| fates.windows(2).filter(|two| two[0] != two[1]).count();
    assert_eq!((different(&alone), different(&slotted)), (99, 9));
}
