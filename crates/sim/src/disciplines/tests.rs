//! Laws of all disciplines, and rules of the RFCs for each.

use super::dualpi2::Dualpi2;
use super::pi2::Pi2;
use super::red::Red;
use super::*;
use crate::engine::{FlowId, Segment};
use crate::network::numbers::EgressLane;
use mesonet_cc::{MILLISECOND, SECOND};
use proptest::prelude::*;

const ALL: &[DisciplineName] = DisciplineName::ALL;

/// Bytes of a data segment, and of an acknowledgement.
const BYTES: u32 = 1500;
const ACK_BYTES: u32 = 75;

/// 1,000 data segments a second, and room for `places`.
pub(super) fn facts(places: u64) -> QueueFacts {
    QueueFacts {
        service: MILLISECOND,
        ack_service: MILLISECOND / 20,
        bytes: BYTES,
        ack_bytes: ACK_BYTES,
        places,
        counts: BufferUnit::Bytes,
        name: Draws::new(1, 2).name(),
    }
}

/// The constants of the Python package, with marks.
fn aqm() -> AqmParameters {
    let all: serde_json::Value =
        serde_json::from_str(include_str!("../../tests/common/defaults.json")).unwrap();
    AqmParameters { ecn: true, ..serde_json::from_value(all["aqm"].clone()).unwrap() }
}

pub(super) fn segment(flow: u32, number: u32, since: Picos) -> Waiting {
    Waiting {
        segment: Segment::new(since, FlowId(flow), number, 0),
        since,
        bytes: BYTES,
        is_ack: false,
        egress: EgressLane::default(),
        may_step: false,
    }
}

/// A queue that serves segments at a constant rate, whatever its discipline; what it served, dropped and
/// marked.
pub(super) struct Bench {
    discipline: Discipline,
    facts: QueueFacts,
    draws: Draws,
    pub signals: Signals,
    free: Picos,
    /// With the beginning of the service.
    pub served: Vec<(Picos, Waiting)>,
    pub dropped: Vec<Waiting>,
}

impl Bench {
    fn new(name: DisciplineName, places: u64) -> Self {
        Self::with(name, facts(places), 1)
    }

    pub fn with(name: DisciplineName, facts: QueueFacts, seed: u64) -> Self {
        let draws = Draws::new(seed, 2);
        let facts = QueueFacts { name: draws.name(), ..facts };
        let discipline = Discipline::of(name, &aqm(), facts);
        let signals = Signals::default();
        Self { discipline, facts, draws, signals, free: 0, served: Vec::new(), dropped: Vec::new() }
    }

    fn service(&self, waiting: &Waiting) -> Picos {
        self.facts.service_of(waiting)
    }

    /// Everything that leaves before `now`.
    pub fn run(&mut self, now: Picos) {
        while self.free < now {
            let Discipline::Stored(stored) = &mut self.discipline else { return };
            let Some(next) = stored.dequeue(self.free, &mut self.draws, &mut self.signals) else {
                self.free = now;
                break;
            };
            self.served.push((self.free, next));
            self.free += self.service(&next);
        }
        self.dropped.append(&mut self.signals.dropped);
    }

    pub fn arrive(&mut self, mut arrival: Waiting) {
        let now = arrival.since;
        self.run(now);
        let size = self.service(&arrival);
        match &mut self.discipline {
            Discipline::Stored(stored) => {
                let serving = self.served.last().filter(|_| self.free > now);
                let in_service = serving.map_or(0, |(_, segment)| segment.bytes);
                stored.enqueue(now, arrival, in_service, &mut self.signals);
            }
            Discipline::Arrival(arrivals) => {
                let backlog = self.free.saturating_sub(now);
                let found = Backlog::at_constant_rate(now, self.free);
                let verdict = arrivals.decide(found, &arrival, &mut self.draws);
                let full = backlog + size > self.facts.service * (self.facts.places);
                if verdict == Verdict::Drop || full {
                    self.dropped.push(arrival);
                    return;
                }
                if verdict == Verdict::Mark {
                    self.signals.mark(&mut arrival);
                }
                self.free = now + backlog + size;
                self.served.push((now + backlog, arrival));
            }
        }
        self.dropped.append(&mut self.signals.dropped);
    }

    fn waiting(&self) -> usize {
        if let Discipline::Stored(stored) = &self.discipline { stored.len() } else { 0 }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Nothing is lost or made, flows keep their order, a marked segment was ECN-capable, acknowledgements
    /// are never marked.
    #[test]
    fn the_contract(
        name in 0..ALL.len(),
        gaps in proptest::collection::vec((0u64..3_000, 0u32..5, 0u32..3, any::<bool>()), 1..400),
    ) {
        // Flows have segments of different sizes.
        let sizes = [BYTES, BYTES, 100, 700, 3000];
        let mut bench = Bench::new(ALL[name], 30);
        let (mut now, count) = (0, gaps.len());
        for (number, (gap, flow, ecn, is_ack)) in gaps.into_iter().enumerate() {
            now += gap * MILLISECOND / 1000;
            let mut arrival = segment(flow, number as u32, now);
            (arrival.is_ack, arrival.bytes) = (is_ack, if is_ack { ACK_BYTES } else { sizes[flow as usize] });
            arrival.segment = match ecn {
                1 => arrival.segment.ecn_capable(),
                2 => arrival.segment.scalable(),
                _ => arrival.segment,
            };
            bench.arrive(arrival);
            prop_assert_eq!(bench.served.len() + bench.dropped.len() + bench.waiting(), number + 1);
        }
        bench.run(now + 100 * SECOND);
        prop_assert_eq!(bench.served.len() + bench.dropped.len(), count);
        prop_assert_eq!(bench.waiting(), 0);
        for key in 0..20 {
            let key = |w: &Waiting| w.segment.flow.0 * 4 + u32::from(w.is_ack) * 2 + u32::from(w.segment.is_scalable()) == key;
            let of = bench.served.iter().filter(|(_, w)| key(w) && !w.segment.is_marked());
            let numbers: Vec<u32> = of.map(|(_, w)| w.segment.sequence).collect();
            prop_assert!(numbers.is_sorted(), "{numbers:?}");
        }
        for (start, served) in &bench.served {
            prop_assert!(*start >= served.since);
            prop_assert!(!(served.is_ack && served.segment.is_marked()));
        }
    }
}

/// Segments at half of the rate pass: no discipline signals without a queue.
#[test]
fn light_load_passes() {
    for &name in ALL {
        let mut bench = Bench::new(name, 100);
        for number in 0..5_000 {
            bench.arrive(segment(number % 7, number, u64::from(number) * 2 * MILLISECOND).with_ecn());
        }
        bench.run(20 * SECOND);
        assert_eq!(
            (bench.served.len(), bench.dropped.len(), bench.signals.marked),
            (5_000, 0, 0),
            "{name:?}"
        );
    }
}

/// The largest number of segments in a queue is its buffer, whatever the discipline and the unit: the segment
/// in service counts.
#[test]
fn a_queue_holds_its_buffer_and_no_more() {
    for &name in ALL {
        for counts in [BufferUnit::Bytes, BufferUnit::Packets] {
            for places in [1, 2, 8, 100] {
                let mut bench = Bench::with(name, QueueFacts { counts, ..facts(places) }, 1);
                bench.arrive(segment(0, 0, 0));
                // In the middle of the service of the first, and at its end, when there is room for one more.
                for (now, of) in [(MILLISECOND / 2, places as u32 + 10), (MILLISECOND, 5)] {
                    (0..of).for_each(|number| bench.arrive(segment(0, number + 1, now)));
                }
                assert_eq!(bench.dropped.len(), 10 + 4 + 1, "{name:?} {counts:?} {places}");
            }
        }
    }
}

/// Backlog of an arrival whose queue runs empty so many milliseconds later, at a constant rate.
fn after(queue: u64, arrival: &Waiting) -> Backlog {
    Backlog::at_constant_rate(arrival.since, arrival.since + queue * MILLISECOND)
}

/// RED counts segments, whatever the time that they wait: a server that varies its rate has the verdicts of
/// one with the same backlog of work.
#[test]
fn red_counts_segments_at_any_rate() {
    let verdicts = |slower: u64| {
        let mut red =
            Red::new(&red::Constants { weight: 0.1, max_probability: 0.1, ..aqm().red }, facts(100));
        let mut draws = Draws::new(3, 1);
        let one = |number: u32| {
            let at = u64::from(number) * MILLISECOND;
            let empty = at + u64::from(number % 30) * MILLISECOND;
            let arrival = segment(1, number, slower * at);
            red.decide(Backlog { at, empty, empty_at: slower * empty }, &arrival, &mut draws)
        };
        (0..2_000).map(one).collect::<Vec<_>>()
    };
    assert!(verdicts(1).contains(&Verdict::Drop));
    assert_eq!(verdicts(1), verdicts(50));
}

impl Waiting {
    pub(super) fn with_ecn(self) -> Self {
        Self { segment: self.segment.ecn_capable(), ..self }
    }
}

/// RFC 8289, section 5.3 and appendix A: the first drop after the delay was above the target for an interval,
/// the next ones an interval over the root of their number later.
#[test]
fn codel_drops_by_its_control_law() {
    let mut bench = Bench::new(DisciplineName::Codel, 10_000);
    // 5 % more than it can serve, for 10 s.
    let mut drops = Vec::new();
    for number in 0..10_500u32 {
        let now = u64::from(number) * MILLISECOND * 20 / 21;
        let before = bench.dropped.len();
        bench.arrive(segment(1, number, now));
        drops.extend((before..bench.dropped.len()).map(|_| bench.free));
    }
    // The delay passes 5 ms when five segments too many have come, after .1 s.
    let first = drops[0] as f64 / SECOND as f64;
    assert!((first - 0.205).abs() < 0.01, "{first}");
    let gaps: Vec<f64> = drops.windows(2).map(|two| (two[1] - two[0]) as f64 / SECOND as f64).collect();
    for (number, gap) in gaps.iter().take(20).enumerate() {
        let expected = 0.1 / libm::sqrt(number as f64 + 1.0);
        assert!((gap - expected).abs() < 0.0021, "drop {number}: {gap} {expected}");
    }
}

/// RFC 8290, section 1.2: flows get equal bytes however many segments they send, and one that sends little
/// does not wait.
#[test]
fn fq_codel_shares_bytes_and_serves_sparse_flows_first() {
    let mut bench = Bench::new(DisciplineName::FqCodel, 400);
    let mut number = 0;
    for tick in 0..8_000u64 {
        let now = tick * MILLISECOND;
        for (flow, every) in [(1, 1), (2, 1), (3, 2), (9, 100)] {
            if tick % every == 0 {
                number += 1;
                bench.arrive(segment(flow, number, now));
            }
        }
    }
    let count = |flow: u32| bench.served.iter().filter(|(_, w)| w.segment.flow.0 == flow).count() as f64;
    let third = (8_000.0 - 80.0) / 3.0;
    for flow in 1..4 {
        assert!((count(flow) / third - 1.0).abs() < 0.05, "flow {flow}: {} of {third}", count(flow));
    }
    // At first all flows are new.
    let sparse = bench.served.iter().filter(|(_, w)| w.segment.flow.0 == 9 && w.since > SECOND);
    let longest = sparse.map(|(start, w)| start - w.since).max().unwrap();
    assert!(longest <= 2 * MILLISECOND, "{longest}");
}

/// RFC 8033: a burst of 150 ms passes a queue that was calm; then the probability follows the delay.
#[test]
fn pie_lets_a_burst_pass_and_then_controls() {
    let mut bench = Bench::new(DisciplineName::Pie, 1_000);
    for number in 0..30_000u32 {
        // Twice the rate for ever.
        bench.arrive(segment(1, number, u64::from(number) * MILLISECOND / 2));
    }
    let first = bench.dropped[0].since;
    assert!(first >= 150 * MILLISECOND, "{first}");
    // In the end half is dropped, and the delay is near the target.
    let late = |w: &Waiting| w.since > 10 * SECOND;
    let dropped = bench.dropped.iter().filter(|w| late(w)).count() as f64 / 10_000.0;
    assert!((dropped - 0.5).abs() < 0.02, "{dropped}");
    let delays: Vec<Picos> =
        bench.served.iter().filter(|(_, w)| late(w)).map(|(start, w)| start - w.since).collect();
    let mean = delays.iter().sum::<Picos>() / delays.len() as Picos;
    assert!((5 * MILLISECOND..40 * MILLISECOND).contains(&mean), "{mean}");
}

/// Floyd and Jacobson 1993, section 4: signals of a constant average come at distances up to the inverse of
/// the probability.
#[test]
fn red_signals_at_even_distances() {
    let mut red = Red::new(&red::Constants { weight: 1.0, max_probability: 0.1, ..aqm().red }, facts(100));
    let mut draws = Draws::new(3, 1);
    let mut last = 0;
    let mut gaps = Vec::new();
    for number in 0..20_000u32 {
        let arrival = segment(1, number, u64::from(number) * MILLISECOND);
        // Ten segments: half of the way between the thresholds, a probability of .05.
        if red.decide(after(10, &arrival), &arrival, &mut draws) != Verdict::Pass {
            gaps.push(number - last);
            last = number;
        }
    }
    let longest = gaps.iter().skip(1).max().unwrap();
    assert!(*longest <= 20, "{longest}");
    let mean = gaps.iter().map(|gap| f64::from(*gap)).sum::<f64>() / gaps.len() as f64;
    // Uniform over 1 to 20.
    assert!((mean - 10.5).abs() < 0.5, "{mean}");
    let verdict = |queue: u64, draws: &mut Draws| {
        let arrival = segment(1, 0, 30 * SECOND).with_ecn();
        red.clone().decide(after(queue, &arrival), &arrival, draws)
    };
    assert_eq!(verdict(4, &mut draws), Verdict::Pass);
    assert_eq!(verdict(31, &mut draws), Verdict::Drop, "beyond twice the maximum even what could be marked");
}

/// RFC 9332, appendix A.1: classic flows are marked until all segments of scalable ones are, at p' = 1/k.
#[test]
fn marks_end_where_the_coupling_has_them_end() {
    for (coupling, most) in [(0.0, 1.0), (0.5, 1.0), (1.0, 1.0), (2.0, 0.25), (4.0, 0.0625)] {
        assert_eq!(pi::most_marked(coupling), most);
    }
}

/// sch_dualpi2 of Linux, `min_qlen_step`: at a link that needs 2.4 ms for a segment every segment waits for
/// longer than the step. With a floor of one only what found others in the queue is marked.
#[test]
fn the_step_has_a_floor() {
    let marks = |floor: u64, spacing: Picos| {
        let facts = QueueFacts { service: 12 * MILLISECOND / 5, ..facts(1_000) };
        let mut queue =
            Dualpi2::new(&aqm().pi, &dualpi2::Constants { step_floor: floor, ..aqm().dualpi2 }, facts);
        let (mut draws, mut signals) = (Draws::new(1, 1), Signals::default());
        let (mut free, mut next) = (0, 0);
        for number in 0..300u32 {
            let now = u64::from(number) * spacing;
            while free <= now && queue.len() > 0 {
                next += 1;
                queue.dequeue(free, &mut draws, &mut signals);
                free += facts.service;
            }
            // Pairs: the second one of each comes while the first one waits or is served.
            let arrival = segment(0, number, now);
            let scalable = Waiting { segment: arrival.segment.scalable(), ..arrival };
            if queue.len() == 0 && free <= now {
                free = now + facts.service;
            } else {
                queue.enqueue(now, scalable, 0, &mut signals);
            }
        }
        (signals.marked, next)
    };
    // One in service and at most one that waits, for longer than 1 ms: marked without a floor.
    let light = 12 * MILLISECOND / 5 - MILLISECOND / 200;
    let [(without, _), (with_floor, served)] = [0, 1].map(|floor| marks(floor, light));
    assert!(without > 50 && with_floor < without / 2, "{without} {with_floor} of {served}");
}

/// RFC 9332, section 2.1: a scalable flow is signalled with k p', a classic one with p' squared, whatever the
/// queue.
#[test]
fn the_coupling() {
    for name in [DisciplineName::Pi2, DisciplineName::Dualpi2] {
        let mut bench = Bench::new(name, 1_000);
        let mut number = 0;
        // Of each kind 60 % of what can be served: their marks cannot help it.
        for tick in 0..40_000u64 {
            let now = tick * MILLISECOND;
            for kind in [0, 1] {
                if tick % 5 < 3 || tick % 97 == 0 {
                    number += 1;
                    let arrival = segment(kind, number, now);
                    let segment =
                        if kind == 0 { arrival.segment.ecn_capable() } else { arrival.segment.scalable() };
                    bench.arrive(Waiting { segment, ..arrival });
                }
            }
        }
        assert!(bench.dropped.len() > 1_000, "{name:?}: overload ends in drops");
        assert!(bench.signals.marked > 100, "{name:?}: and begins with marks");
    }
    let mut pi2 = Pi2::new(&aqm().pi, facts(100));
    let mut draws = Draws::new(9, 9);
    let (mut classic, mut scalable) = (0.0, 0.0);
    let rounds = 400_000u32;
    for number in 0..rounds {
        let now = u64::from(number) * MILLISECOND / 1000;
        let base = segment(1, number, now);
        // A queue that stays at 100 ms for .4 s: p' rises to about .16 x 25 x .085 + 3.2 x .1.
        let one = pi2.decide(after(100, &base), &base.with_ecn(), &mut draws);
        classic += f64::from(u8::from(one != Verdict::Pass));
        let other = Waiting { segment: base.segment.scalable(), ..base };
        scalable += f64::from(u8::from(pi2.decide(after(100, &other), &other, &mut draws) != Verdict::Pass));
    }
    let [classic, scalable] = [classic, scalable].map(|count| count / f64::from(rounds));
    // Mean of p'^2 and of 2 p' over the same updates: Jensen allows a little more than equality.
    let ratio = classic / (scalable / 2.0 * scalable / 2.0);
    assert!((1.0..1.3).contains(&ratio), "{classic} {scalable} {ratio}");
}
