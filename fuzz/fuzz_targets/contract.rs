//! Any sequence of events, over every registered algorithm: windows and rates stay finite and within their
//! bounds.
//!
//! `cargo +nightly fuzz run contract`, with `cargo install cargo-fuzz` before.

#![no_main]
#![allow(dead_code)]

#[path = "../../crates/cc/tests/support/events.rs"]
mod events;

use arbitrary::Arbitrary;
use events::{Event, Flow, What, constants};
use libfuzzer_sys::fuzz_target;
use mesonet_cc::registry::ALGORITHMS;
use mesonet_cc::{Common, Config, FlowName, HyStart, LossCause, Preset, ResumeStep, SECOND, SlowStart, Start};

/// A minute, in picoseconds: no event lies further from the one before, no round trip is longer.
const LONGEST: u64 = 60 * SECOND;

/// One event in a few bytes.
#[derive(Arbitrary, Debug)]
enum Step {
    Ack { wait: u64, acked: u8, rtt: u64, in_flight: u32, flags: u8 },
    Loss { wait: u64, in_flight: u32, cause: u8 },
    Idle { wait: u64, rto: u64 },
    Resume { cwnd: u32, rtt: u64, kind: u8 },
    Exit,
    Timer { wait: u64 },
    Send { in_flight: u32, retransmission: bool },
}

#[derive(Arbitrary, Debug)]
struct Input {
    study: bool,
    window: u8,
    ssthresh: u32,
    slow_start: u8,
    seed: u64,
    /// Per constant its default, its smallest or its largest value.
    extremes: Vec<u8>,
    steps: Vec<Step>,
}

fn event(step: &Step) -> Event {
    let (wait, what) = match *step {
        Step::Ack { wait, acked, rtt, in_flight, flags } => {
            let flag = |bit: u8| flags >> bit & 1 == 1;
            let what = What::Ack {
                acked: u32::from(acked).max(1),
                rtt: rtt % LONGEST,
                in_flight,
                in_recovery: flag(0),
                cwnd_limited: flag(1),
                round_start: flag(2),
                ce: flag(3),
            };
            (wait, what)
        }
        Step::Loss { wait, in_flight, cause } => {
            let causes = [LossCause::FastRetransmit, LossCause::Timeout, LossCause::Ecn];
            let cause_of = causes[usize::from(cause) % causes.len()];
            (wait, What::Loss { cause: cause_of, in_flight, first_timeout: cause > 127 })
        }
        Step::Idle { wait, rto } => {
            let rto = (rto % LONGEST).max(1);
            (wait, What::Idle { idle: wait % LONGEST, rto })
        }
        Step::Resume { cwnd, rtt, kind } => {
            let cwnd = f64::from(cwnd);
            let step = match kind % 4 {
                0 => ResumeStep::Jump { cwnd, rtt: (rtt % LONGEST).max(1) },
                1 => ResumeStep::Use { cwnd },
                2 => ResumeStep::Retreat { cwnd },
                _ => ResumeStep::Leave { ssthresh: cwnd },
            };
            (0, What::Resume(step))
        }
        Step::Exit => (0, What::RecoveryExit),
        Step::Timer { wait } => (wait, What::Timer),
        Step::Send { in_flight, retransmission } => (0, What::Send { in_flight, retransmission }),
    };
    Event { wait: wait % LONGEST, what }
}

fuzz_target!(|input: Input| {
    let start = Start {
        now: 0,
        initial_window: f64::from(input.window).max(1.0),
        initial_ssthresh: f64::from(input.ssthresh),
        slow_start: match input.slow_start % 3 {
            0 => SlowStart::Classic,
            1 => SlowStart::Limited,
            _ => SlowStart::HyStart(HyStart::default()),
        },
        rtt: input.seed % LONGEST,
        seed: input.seed,
        flow: FlowName::default(),
    };
    let preset = if input.study { Preset::Sp500282 } else { Preset::Standard };
    let extremes: Vec<u8> = input.extremes.iter().map(|e| e % 3).chain([0]).collect();
    let common = Common::of(preset);
    for algorithm in ALGORITHMS {
        let values = constants(algorithm, preset, &extremes);
        let config = Config::new(algorithm.name, common, &values).expect("registered");
        let mut flow = Flow::new(config, &start);
        // Some hundred steps last longer than any flow of a test, and keep time within its 64 bits.
        for step in input.steps.iter().take(1000) {
            flow.meet(&event(step));
            if let Err(problem) = flow.check(&common) {
                panic!("{}: {problem} after {step:?}", algorithm.name);
            }
        }
    }
});
