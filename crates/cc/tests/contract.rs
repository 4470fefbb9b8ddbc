//! Rules that every registered algorithm must keep, whatever happens to its flow. A new algorithm is tested
//! as it stands in the registry, without a change here.

use crate::support::events::{Event, Flow, What, constants};
use mesonet_cc::registry::{ALGORITHMS, algorithm};
use mesonet_cc::{
    Common, Config, FlowName, HyStart, LossCause, MILLISECOND, Phase, Picos, Preset, ResumeStep, SECOND,
    SlowStart, Start,
};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Durations of every order of magnitude, from a picosecond to a minute.
fn duration() -> impl Strategy<Value = Picos> {
    prop_oneof![
        1..MILLISECOND,
        MILLISECOND..500 * MILLISECOND,
        500 * MILLISECOND..5 * SECOND,
        5 * SECOND..60 * SECOND
    ]
}

fn wait() -> impl Strategy<Value = Picos> {
    prop_oneof![1 => Just(0), 4 => 0..10 * MILLISECOND, 2 => 0..SECOND, 1 => duration()]
}

fn in_flight() -> impl Strategy<Value = u32> {
    prop_oneof![0..10_u32, 0..1000_u32, 0..u32::MAX]
}

fn ack() -> impl Strategy<Value = What> {
    let rtt = prop_oneof![1 => Just(0), 6 => duration()];
    let acked = prop_oneof![6 => Just(1), 1 => 1..100_u32];
    (acked, rtt, in_flight(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(acked, rtt, in_flight, in_recovery, cwnd_limited, round_start, ce)| What::Ack {
            acked,
            rtt,
            in_flight,
            in_recovery,
            cwnd_limited,
            round_start,
            ce,
        },
    )
}

fn resume() -> impl Strategy<Value = What> {
    (0..4_u8, 0.0..1e6, duration()).prop_map(|(kind, cwnd, rtt)| {
        What::Resume(match kind {
            0 => ResumeStep::Jump { cwnd, rtt },
            1 => ResumeStep::Use { cwnd },
            2 => ResumeStep::Retreat { cwnd },
            _ => ResumeStep::Leave { ssthresh: cwnd },
        })
    })
}

fn event() -> impl Strategy<Value = Event> {
    let causes = [LossCause::FastRetransmit, LossCause::Timeout, LossCause::Ecn];
    let loss = (prop::sample::select(causes.to_vec()), in_flight(), any::<bool>())
        .prop_map(|(cause, in_flight, first_timeout)| What::Loss { cause, in_flight, first_timeout });
    let send = (in_flight(), any::<bool>())
        .prop_map(|(in_flight, retransmission)| What::Send { in_flight, retransmission });
    let idle = (duration(), duration()).prop_map(|(idle, rto)| What::Idle { idle, rto });
    let what = prop_oneof![12 => ack(), 1 => loss, 1 => idle, 1 => resume(), 1 => Just(What::RecoveryExit), 3 => Just(What::Timer), 1 => send];
    (wait(), what).prop_map(|(wait, what)| Event { wait, what })
}

const PRESETS: [Preset; 2] = [Preset::Standard, Preset::Sp500282];

fn classic_start() -> impl Strategy<Value = Start> {
    let ssthresh = prop_oneof![2.0..100.0, Just(2_147_483_648.0), Just(f64::INFINITY)];
    (0..100 * SECOND, 1.0..20.0, ssthresh).prop_map(|(now, window, initial_ssthresh)| Start {
        now,
        initial_window: window,
        initial_ssthresh,
        slow_start: SlowStart::Classic,
        rtt: now / 100,
        seed: now,
        flow: FlowName::default(),
    })
}

fn start() -> impl Strategy<Value = Start> {
    let variants = [SlowStart::Classic, SlowStart::Limited, SlowStart::HyStart(HyStart::default())];
    (classic_start(), prop::sample::select(variants.to_vec()))
        .prop_map(|(start, slow_start)| Start { slow_start, ..start })
}

proptest! {
    #[test]
    fn windows_stay_within_their_bounds(
        start in start(),
        max_cwnd in prop::sample::select(vec![2.0, 10.5, 1e4, 1_073_741_824.0]),
        extremes in prop_oneof![Just(vec![0]), prop::collection::vec(0..3_u8, 1..24)],
        events in prop::collection::vec(event(), 1..150),
    ) {
        for algorithm in ALGORITHMS {
            for preset in PRESETS {
                let common = Common { max_cwnd, ..Common::of(preset) };
                let values = constants(algorithm, preset, &extremes);
                let config = Config::new(algorithm.name, common, &values).expect("registered");
                let mut flow = Flow::new(config, &start);
                flow.check(&common).map_err(TestCaseError::fail)?;
                for event in &events {
                    flow.meet(event);
                    flow.check(&common).map_err(|e| {
                        TestCaseError::fail(format!("{} {preset:?} {values:?} {event:?}: {e}", algorithm.name))
                    })?;
                }
            }
        }
    }

    #[test]
    fn a_copy_and_a_restored_flow_continue_like_the_original(
        start in start(),
        before in prop::collection::vec(event(), 0..60),
        after in prop::collection::vec(event(), 1..60),
    ) {
        for algorithm in ALGORITHMS {
            for preset in PRESETS {
                let values = constants(algorithm, preset, &[0]);
                let config = Config::new(algorithm.name, Common::of(preset), &values).expect("registered");
                let mut original = Flow::new(config, &start);
                for event in &before {
                    original.meet(event);
                }
                let mut copy = original.clone();
                let mut restored = original.clone();
                restored.controller = serde_json::from_str(&original.state()).expect("its own state");
                prop_assert_eq!(restored.state(), original.state());
                for event in &after {
                    for flow in [&mut original, &mut copy, &mut restored] {
                        flow.meet(event);
                    }
                    prop_assert_eq!(copy.state(), original.state(), "{}", algorithm.name);
                    prop_assert_eq!(restored.state(), original.state(), "{}", algorithm.name);
                    prop_assert_eq!(restored.controller.cwnd().to_bits(), original.controller.cwnd().to_bits());
                }
            }
        }
    }

    #[test]
    fn slow_start_is_the_same_for_all_that_share_it(
        start in classic_start(),
        acks in prop::collection::vec((wait(), ack()), 1..100),
    ) {
        for preset in PRESETS {
            let flows = ALGORITHMS.iter().filter(|a| a.shared_slow_start).map(|algorithm| {
                let values = constants(algorithm, preset, &[0]);
                Flow::new(Config::new(algorithm.name, Common::of(preset), &values).expect("registered"), &start)
            });
            let mut flows: Vec<_> = flows.collect();
            let mut expected = start.initial_window;
            for &(wait, what) in &acks {
                if expected >= start.initial_ssthresh {
                    break;
                }
                let What::Ack { acked, rtt, in_flight, cwnd_limited, round_start, .. } = what else {
                    unreachable!("acknowledgements only")
                };
                let in_recovery = false;
                let what = What::Ack { acked, rtt, in_flight, in_recovery, cwnd_limited, round_start, ce: false };
                if cwnd_limited || !Common::of(preset).grow_only_if_cwnd_limited {
                    let counted = match Common::of(preset).slow_start.max_acked {
                        0 => acked,
                        most => acked.min(most),
                    };
                    expected = (expected + f64::from(counted)).min(start.initial_ssthresh);
                }
                for flow in &mut flows {
                    let phase = flow.controller.phase(&flow.config, flow.now);
                    prop_assert_eq!(phase, Phase::SlowStart);
                    // Timers fire when each algorithm asks for them.
                    if let Some(period) = flow.config.timer_period() {
                        let elapsed = |t: Picos| (t - start.now) / period;
                        for _ in (elapsed(flow.now)..elapsed(flow.now + wait)).take(100) {
                            flow.meet(&Event { wait: 0, what: What::Timer });
                        }
                    }
                    flow.meet(&Event { wait: 0, what: What::Send { in_flight, retransmission: false } });
                    flow.meet(&Event { wait, what });
                    // Of several segments, those beyond ssthresh are already congestion avoidance.
                    if expected < start.initial_ssthresh || acked == 1 {
                        prop_assert_eq!(flow.controller.cwnd(), expected);
                    }
                    prop_assert_eq!(flow.controller.pacing_rate(), None);
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn slow_start_of_another_kind_is_the_same_for_all_that_share_it(
        start in start(),
        acks in prop::collection::vec((wait(), ack()), 1..100),
    ) {
        for preset in PRESETS {
            let flows = ALGORITHMS.iter().filter(|a| a.shared_slow_start).map(|algorithm| {
                let values = constants(algorithm, preset, &[0]);
                Flow::new(Config::new(algorithm.name, Common::of(preset), &values).expect("registered"), &start)
            });
            let mut flows: Vec<_> = flows.collect();
            for &(wait, what) in &acks {
                for flow in &mut flows {
                    flow.meet(&Event { wait, what });
                }
                // The first one is standard TCP; what it has beyond ssthresh is congestion avoidance.
                let (cwnd, ssthresh) = (flows[0].controller.cwnd(), flows[0].controller.ssthresh());
                if cwnd >= ssthresh {
                    break;
                }
                for flow in &flows {
                    prop_assert_eq!(flow.controller.cwnd(), cwnd);
                    prop_assert_eq!(flow.controller.ssthresh(), ssthresh);
                }
            }
        }
    }
}

#[test]
fn every_algorithm_is_described() {
    let names: BTreeSet<_> = ALGORITHMS.iter().map(|a| a.name).collect();
    assert_eq!(names.len(), ALGORITHMS.len(), "names are unique");
    for a in ALGORITHMS {
        assert!(is_name(a.name, '-'), "{}", a.name);
        assert!(!a.title.is_empty() && !a.source.is_empty(), "{} lacks a title or a source", a.name);
        assert_eq!(algorithm(a.name).expect("found by name").title, a.title);
    }
    assert!(algorithm("no such algorithm").is_none());
    assert!(Config::new("no such algorithm", Common::of(Preset::Standard), &[]).is_none());
}

#[test]
fn every_parameter_is_described_and_its_defaults_are_in_range() {
    for a in ALGORITHMS {
        let names: BTreeSet<_> = a.params.iter().map(|p| p.name).collect();
        assert_eq!(names.len(), a.params.len(), "parameter names of {} are unique", a.name);
        for p in a.params {
            let what = format!("{} of {}", p.name, a.name);
            assert!(is_name(p.name, '_'), "{what}");
            assert!(
                !p.doc.is_empty() && !p.unit.is_empty() && !p.source.is_empty(),
                "{what} is not documented"
            );
            assert!(p.min.is_finite() && p.max.is_finite() && p.min <= p.max, "{what} has no range");
            for preset in PRESETS {
                assert!((p.min..=p.max).contains(&p.default(preset)), "{what}: default outside its range");
            }
        }
    }
}

#[test]
fn timers_have_a_period() {
    for a in ALGORITHMS {
        for preset in PRESETS {
            for extreme in 0..3 {
                let values = constants(a, preset, &[extreme]);
                let config = Config::new(a.name, Common::of(preset), &values).expect("registered");
                assert!(config.timer_period() != Some(0), "{}: a timer without a period", a.name);
            }
        }
    }
}

/// Lower-case words of letters and digits, joined by `joint`.
fn is_name(name: &str, joint: char) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == joint)
}

/// Name without ending of each file of `src/algorithms` but `mod.rs`, and its text with the files of the
/// folder of that name.
fn algorithm_files() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/algorithms");
    let mut files: Vec<_> = rust_files(&folder)
        .into_iter()
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let parts = rust_files(&path.with_extension(""));
            let texts = std::iter::once(&path).chain(&parts).map(|p| fs::read_to_string(p).expect("a text"));
            (name, texts.collect())
        })
        .filter(|(name, _)| name != "mod")
        .collect();
    files.sort();
    files
}

/// The files of Rust in a folder; none where there is no such folder.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.extension().is_some_and(|ending| ending == "rs")).collect()
}

#[test]
fn each_file_is_one_algorithm() {
    let files: BTreeSet<_> = algorithm_files().into_iter().map(|(name, _)| name.replace('_', "-")).collect();
    let registered: BTreeSet<_> = ALGORITHMS.iter().map(|a| a.name.to_owned()).collect();
    assert_eq!(files, registered);
    for (name, text) in algorithm_files() {
        let declarations = text.matches("const NAME: &'static str").count();
        assert_eq!(declarations, 1, "{name}.rs declares {declarations} algorithms");
    }
}

#[test]
fn no_algorithm_reads_a_clock() {
    for (name, text) in algorithm_files() {
        for clock in ["std::time", "core::time", "Instant", "SystemTime"] {
            assert!(!text.contains(clock), "{name}.rs mentions {clock}");
        }
    }
}
