//! Each stack of the build moves a file over a link, twice with the same bytes at the same instants.

use mesonet_cc::Picos;
use mesonet_sim::stacks::{Datagram, Endpoint, Outcome, Role, Setup};
use mesonet_stacks::{Build, builds};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// Time of the link in each direction, and time that a packet takes on it.
const DELAY: Picos = 10_000_000_000;
const SERVICE: Picos = 1_000_000_000;
const SECOND: Picos = 1_000_000_000_000;

/// A file that arrived.
struct Moved {
    /// Hash of all packets, with the instants at which they left.
    hash: u64,
    packets: u64,
    read: u64,
    outcome: Option<Outcome>,
    largest: usize,
}

/// Moves a file of `size` bytes. `lost` is the packets of the source that the link loses: of so many, one.
fn moved(build: &Build, size: u64, request: u64, lost: u64, seed: u64) -> Moved {
    let constants: BTreeMap<String, f64> =
        build.about.params.iter().map(|param| (param.name.to_string(), param.standard)).collect();
    let setup = |role| Setup {
        role,
        now: 0,
        size: Some(size),
        is_fed: false,
        request,
        mtu: 1500,
        batch: 4,
        seed: seed + u64::from(role == Role::Sink),
        constants: constants.clone(),
    };
    let mut ends: [Box<dyn Endpoint>; 2] =
        [Role::Source, Role::Sink].map(|role| (build.stack.make)(&setup(role)));
    let mut under_way: BTreeMap<(Picos, u64), (usize, Datagram)> = BTreeMap::new();
    let mut result = Moved { hash: 0xcbf2_9ce4_8422_2325, packets: 0, read: 0, outcome: None, largest: 0 };
    let (mut now, mut free, mut batch) = (0, [0; 2], Vec::new());
    while now < 60 * SECOND && result.outcome.is_none() {
        for side in 0..2 {
            loop {
                ends[side].drain(now, &mut batch);
                if batch.is_empty() {
                    break;
                }
                for datagram in batch.drain(..) {
                    result.packets += 1;
                    let bytes = now.to_le_bytes().into_iter().chain(datagram.payload.iter().copied());
                    for byte in bytes {
                        result.hash = (result.hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
                    }
                    result.largest = result.largest.max(datagram.payload.len() + datagram.headers as usize);
                    free[side] = now.max(free[side]) + SERVICE;
                    if side == 1 || lost == 0 || result.packets % lost != 0 {
                        under_way.insert((free[side] + DELAY, result.packets), (1 - side, datagram));
                    }
                }
            }
        }
        result.outcome = ends[0].outcome().cloned();
        let timers = [ends[0].next_timeout(), ends[1].next_timeout()];
        let arrival = under_way.first_key_value().map(|(key, _)| key.0);
        let Some(next) = timers.into_iter().chain([arrival]).flatten().min() else { break };
        now = next.max(now);
        while let Some(entry) = under_way.first_entry().filter(|entry| entry.key().0 <= now) {
            let (to, datagram) = entry.remove();
            ends[to].receive(now, datagram);
        }
        for end in &mut ends {
            if end.next_timeout().is_some_and(|at| at <= now) {
                end.timer(now);
            }
        }
    }
    result.read = ends[1].read();
    result
}

#[test]
fn files_arrive_whole_over_losses_with_and_without_a_request() {
    for build in builds() {
        for (request, lost) in [(0, 0), (0, 50), (700, 0), (700, 30)] {
            let moved = moved(&build, 1_000_000, request, lost, 7);
            let name = build.about.name;
            assert_eq!(moved.outcome, Some(Outcome::Completed), "{name}, {request}, {lost}");
            assert_eq!(moved.read, 1_000_000, "{name}, {request}, {lost}");
            assert!(moved.largest <= 1_500 && moved.largest > 1_400, "{name}: {} bytes", moved.largest);
        }
    }
}

/// Difference of two runs of a stack with one seed; empty if there is none.
fn difference(build: &Build) -> String {
    let [first, second] = [(); 2].map(|()| moved(build, 3_000_000, 0, 80, 7));
    if (first.hash, first.packets) == (second.hash, second.packets) {
        return String::new();
    }
    let [one, two] =
        [&first, &second].map(|run| format!("{} packets with hash {:016x}", run.packets, run.hash));
    format!("{}: two runs with one seed differ: {one}, {two}", build.about.name)
}

#[test]
fn a_seed_gives_the_same_packets_at_the_same_instants() {
    for build in builds() {
        assert_eq!(difference(&build), "");
        let [first, other] = [7, 9].map(|seed| moved(&build, 3_000_000, 0, 80, seed).hash);
        assert_ne!(first, other, "{}", build.about.name);
    }
}

/// Ends that the process made so far: a stack must not depend on them.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// A correct stack, but for a seed that grows with each end that the process made before.
fn counting(setup: &Setup) -> Box<dyn Endpoint> {
    let before = COUNT.fetch_add(1, Ordering::Relaxed);
    let correct = builds().into_iter().next().expect("a stack").stack;
    (correct.make)(&Setup { seed: setup.seed + before, ..setup.clone() })
}

#[test]
fn a_stack_that_depends_on_the_process_is_found() {
    let Some(mut build) = builds().into_iter().next() else { return };
    build.stack.make = counting;
    let found = difference(&build);
    assert!(found.starts_with(build.about.name), "{found}");
    assert!(found.contains("two runs with one seed differ"), "{found}");
    assert_eq!(moved(&build, 3_000_000, 0, 80, 7).outcome, Some(Outcome::Completed), "no other defect");
}

#[test]
fn names_and_constants_are_those_that_hosts_need() {
    for Build { about, version, stack } in builds() {
        assert_eq!(about.name, stack.name);
        assert!(about.name.starts_with("stack:") && version.contains('-'), "{version}");
        for name in ["batch", "call_time", "mtu", "request"] {
            assert!(about.params.iter().any(|param| param.name == name), "{}: {name}", about.name);
        }
    }
}
