//! Fairness among explicit flows that send as much as they can: of their goodputs over measured periods and
//! growing horizons, and the time until they share equally.
//!
//! All flows weigh the same. Goodputs over one span are compared as counts of segments, so that sums are
//! integers.

use super::responses::Responses;
use crate::scenario::Scenario;
use crate::snapshot::{BadSnapshot, Passage};
use mesonet_cc::{Picos, picos, seconds};
use serde::{Deserialize, Serialize};

/// A period and its first half, quarter and eighth: each horizon is twice the one before (chosen; Arun et
/// al., SIGCOMM 2022, define starvation by a ratio that grows without bound in time).
const HORIZONS: usize = 3;

/// A flow is starved with less than 1/20 of the fair share (chosen: 5 %).
const STARVED_PART: u128 = 20;

/// The start of a flow that is not compared.
const NEVER: Picos = Picos::MAX;

/// Segments of each explicit flow that were acknowledged so far; none unless it is in progress.
pub type Progress = Vec<Option<u64>>;

/// The instant at which flows are looked at.
#[derive(Clone, Copy, Debug)]
pub struct Instant {
    /// Now.
    pub now: Picos,
    /// A sample is due.
    pub is_sample: bool,
    /// Measured period (from 0) of the interval that ends now.
    pub before: Option<usize>,
    /// Measured period of the interval that begins now; none at the end of the run.
    pub after: Option<usize>,
}

/// Constants of a run.
#[derive(Clone, Debug)]
struct Rules {
    /// Start by explicit flow; empty where fewer than two flows are compared.
    starts: Vec<Picos>,
    /// True for a flow without an end of its own, by explicit flow.
    unlimited: Vec<bool>,
    /// Starts of the flows without an end, rising.
    joins: Vec<Picos>,
    warmup: Picos,
    period_length: Picos,
    /// Samples in a window.
    samples: u32,
    /// Windows in a row that have to be fair.
    windows: u32,
    /// Largest deviation from the fair share in a fair window.
    within: f64,
}

/// Goodputs of the flows that ran for the whole of a span, in segments.
#[derive(Clone, Copy, Debug)]
struct Shares {
    flows: u64,
    sum: u128,
    squares: u128,
    lowest: u64,
    highest: u64,
}

/// Responses of a period.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Found {
    jain: f64,
    ratio: f64,
    /// Of the horizons, the shortest first.
    ratios: [f64; HORIZONS],
    starved: f64,
    /// Windows, and fair ones among them.
    windows: u64,
    fair: u64,
    /// Seconds.
    convergence: f64,
}

/// A measured period, or all together, in progress.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Span {
    /// Number of the period.
    number: usize,
    begin: Picos,
    length: Picos,
    /// Segments at its beginning, by explicit flow.
    from: Vec<u64>,
    ratios: Vec<f64>,
}

/// The window in progress, and the fair ones before.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Window {
    /// Flows without an end that have started.
    joined: usize,
    begin: Picos,
    /// Samples until its end.
    left: u32,
    from: Vec<u64>,
    /// Fair windows in a row, and the beginning of the first.
    fair: u32,
    since: Picos,
    /// Time from the last start until windows were fair.
    converged: Option<Picos>,
}

/// Fairness among the explicit flows of a run: those over TCP that no application limits.
#[derive(Clone, Debug)]
pub struct Fairness {
    rules: Rules,
    period: Span,
    measured: Span,
    window: Window,
    /// By period; the last one is of all together.
    found: Vec<Found>,
}

impl Fairness {
    /// Nothing seen yet of the explicit flows of a scenario.
    #[must_use]
    pub fn new(scenario: &Scenario, period_length: Picos) -> Self {
        let measured = picos(scenario.time.duration) - picos(scenario.time.warmup);
        Self::by(Rules::new(scenario, period_length), measured, scenario.time.periods as usize)
    }

    /// Nothing seen yet, in a measured time of a length and a number of periods.
    fn by(rules: Rules, measured: Picos, periods: usize) -> Self {
        let zeros = || vec![0; rules.starts.len()];
        let span =
            |length| Span { number: 0, begin: rules.warmup, length, from: zeros(), ratios: Vec::new() };
        Self {
            period: span(rules.period_length),
            measured: span(measured),
            window: Window::first(&rules),
            found: vec![Found::default(); periods + 1],
            rules,
        }
    }

    /// Looks at the flows at a sample or the border of a period, if something is due.
    pub fn look(&mut self, at: Instant, progress: impl FnOnce() -> Progress) {
        let rules = &self.rules;
        if rules.starts.is_empty() {
            return;
        }
        let joined = rules.joins[self.window.joined..].first().is_some_and(|start| *start <= at.now);
        let joins = at.is_sample && joined;
        let window = joins || (at.is_sample && self.window.pass_sample());
        let horizons = at.before.is_some() && (self.period.is_due(at.now) || self.measured.is_due(at.now));
        let boundary = at.before != at.after;
        if !(window || horizons || boundary) {
            return;
        }
        let progress = progress();
        if window {
            if let Some(fair) = self.window.end(rules, at.now, joins, &progress) {
                let last = self.found.len() - 1;
                for place in at.before.into_iter().chain(at.before.map(|_| last)) {
                    self.found[place].windows += 1;
                    self.found[place].fair += u64::from(fair);
                }
            }
        }
        if at.before.is_some() {
            self.period.reach_horizons(rules, at.now, &progress);
            self.measured.reach_horizons(rules, at.now, &progress);
        }
        if boundary {
            self.end_period(at, &progress);
        }
    }

    /// A period ends now, or the warm-up.
    fn end_period(&mut self, at: Instant, progress: &Progress) {
        let convergence = self.window.convergence(&self.rules, progress);
        let last = self.found.len() - 1;
        if let Some(period) = at.before.filter(|period| *period == self.period.number) {
            self.found[period].fill(&self.rules, &self.period, convergence, progress);
        }
        match at.after {
            Some(after) => self.period.restart(&self.rules, after, progress),
            None if at.before.is_some() => {
                self.found[last].fill(&self.rules, &self.measured, convergence, progress);
            }
            None => {}
        }
        if at.before.is_none() && at.after.is_some() {
            self.measured.from.clone_from(&self.period.from);
        }
    }

    /// The responses of a period (from 0; the last: all together). NaN where fewer than two flows could be
    /// compared.
    #[must_use]
    pub fn responses(&self, period: usize) -> Responses {
        let found = &self.found[period];
        let [eighth, quarter, half] = found.ratios;
        vec![
            ("jain_index", found.jain),
            ("goodput_ratio", found.ratio),
            ("goodput_ratio_half", half),
            ("goodput_ratio_quarter", quarter),
            ("goodput_ratio_eighth", eighth),
            ("starved_flows", found.starved),
            ("fair_windows", found.fair as f64 / found.windows as f64),
            ("convergence_time", found.convergence),
        ]
    }

    /// Writes or replaces what changes during a run.
    ///
    /// # Errors
    /// [`BadSnapshot`] where the bytes are none of these.
    pub fn pass(&mut self, passage: &mut Passage) -> Result<(), BadSnapshot> {
        let Self { rules: _, period, measured, window, found } = self;
        passage.field(period)?;
        passage.field(measured)?;
        passage.field(window)?;
        passage.field(found)
    }
}

impl Rules {
    fn new(scenario: &Scenario, period_length: Picos) -> Self {
        let measurement = &scenario.measurement;
        let flows = &scenario.flows;
        let is_compared =
            |flow: &crate::scenario::ExplicitFlow| flow.transport.is_tcp() && flow.application.is_none();
        let compared = flows.iter().filter(|flow| is_compared(flow)).count();
        let start = |flow| if is_compared(flow) { picos(flow.start) } else { NEVER };
        let starts: Vec<_> = if compared < 2 { Vec::new() } else { flows.iter().map(start).collect() };
        let unlimited: Vec<_> = flows.iter().map(|flow| is_compared(flow) && flow.size.is_none()).collect();
        let mut joins: Vec<_> =
            starts.iter().zip(&unlimited).filter(|(_, is_unlimited)| **is_unlimited).map(|s| *s.0).collect();
        joins.sort_unstable();
        Self {
            starts,
            unlimited,
            joins,
            warmup: picos(scenario.time.warmup),
            period_length,
            samples: (measurement.fair_window / measurement.interval).round().clamp(1.0, 1e9) as u32,
            windows: measurement.fair_windows,
            within: measurement.fair_within,
        }
    }

    /// Goodputs since `begin`, at which flows had `from`, of the flows that are in progress ever since.
    fn shares(&self, begin: Picos, from: &[u64], progress: &Progress, only_unlimited: bool) -> Shares {
        let mut shares = Shares { flows: 0, sum: 0, squares: 0, lowest: u64::MAX, highest: 0 };
        self.goodputs(begin, from, progress, only_unlimited).for_each(|goodput| shares.add(goodput));
        shares
    }

    fn goodputs<'a>(
        &'a self,
        begin: Picos,
        from: &'a [u64],
        progress: &'a Progress,
        only_unlimited: bool,
    ) -> impl Iterator<Item = u64> + 'a {
        let flows = self.starts.iter().zip(&self.unlimited).zip(from.iter().zip(progress));
        flows.filter_map(move |((start, is_unlimited), (from, delivered))| {
            let is_wanted = *start <= begin && (*is_unlimited || !only_unlimited);
            delivered.filter(|_| is_wanted).map(|delivered| delivered - from)
        })
    }
}

impl Shares {
    fn add(&mut self, goodput: u64) {
        self.flows += 1;
        self.sum += u128::from(goodput);
        self.squares += u128::from(goodput).pow(2);
        self.lowest = self.lowest.min(goodput);
        self.highest = self.highest.max(goodput);
    }

    /// Returns whether there are flows to compare that got something.
    fn is_comparable(&self) -> bool {
        self.flows >= 2 && self.sum > 0
    }

    fn jain(&self) -> f64 {
        let sum = self.sum as f64;
        if self.is_comparable() { sum * sum / (self.flows as f64 * self.squares as f64) } else { f64::NAN }
    }

    fn ratio(&self) -> f64 {
        if self.is_comparable() { self.lowest as f64 / self.highest as f64 } else { f64::NAN }
    }

    /// Returns whether a flow with this goodput is starved.
    fn starves(&self, goodput: u64) -> bool {
        STARVED_PART * u128::from(self.flows) * u128::from(goodput) < self.sum
    }

    /// Returns whether every flow is within a part of the fair share.
    fn is_fair(&self, within: f64) -> bool {
        let (sum, flows) = (self.sum as f64, self.flows as f64);
        let (lowest, highest) = (self.lowest as f64 * flows, self.highest as f64 * flows);
        self.is_comparable() && highest - sum <= within * sum && sum - lowest <= within * sum
    }
}

impl Default for Found {
    fn default() -> Self {
        let ratios = [f64::NAN; HORIZONS];
        let (jain, ratio, starved, convergence) = (f64::NAN, f64::NAN, f64::NAN, f64::NAN);
        Self { jain, ratio, ratios, starved, windows: 0, fair: 0, convergence }
    }
}

impl Found {
    /// Fills in what a period that ends now has.
    fn fill(&mut self, rules: &Rules, span: &Span, convergence: Option<Picos>, progress: &Progress) {
        let shares = rules.shares(span.begin, &span.from, progress, false);
        self.jain = shares.jain();
        self.ratio = shares.ratio();
        if shares.is_comparable() {
            let goodputs = rules.goodputs(span.begin, &span.from, progress, false);
            let starved = goodputs.filter(|goodput| shares.starves(*goodput)).count();
            self.starved = starved as f64 / shares.flows as f64;
        }
        self.ratios.iter_mut().zip(&span.ratios).for_each(|(found, ratio)| *found = *ratio);
        self.convergence = convergence.map_or(f64::NAN, seconds);
    }
}

impl Span {
    /// Returns whether the next horizon has been reached.
    fn is_due(&self, now: Picos) -> bool {
        let reached = self.ratios.len();
        reached < HORIZONS && now >= self.begin + (self.length >> (HORIZONS - reached))
    }

    fn reach_horizons(&mut self, rules: &Rules, now: Picos, progress: &Progress) {
        while self.is_due(now) {
            self.ratios.push(rules.shares(self.begin, &self.from, progress, false).ratio());
        }
    }

    /// Period `number` begins now.
    fn restart(&mut self, rules: &Rules, number: usize, progress: &Progress) {
        self.number = number;
        self.begin = rules.warmup + rules.period_length * number as Picos;
        self.from.clear();
        self.from.extend(progress.iter().map(|delivered| delivered.unwrap_or(0)));
        self.ratios.clear();
    }
}

impl Window {
    /// The window that begins with the run.
    fn first(rules: &Rules) -> Self {
        let joined = rules.joins.partition_point(|start| *start == 0);
        Self { joined, left: rules.samples, from: vec![0; rules.starts.len()], ..Self::default() }
    }

    /// A sample is taken; returns whether it ends the window.
    fn pass_sample(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.joined >= 2 && self.left == 0
    }

    /// The window ends now, and the next one begins. Returns whether it was fair; none where it does not
    /// count, because a flow joins or fewer than two are in progress.
    fn end(&mut self, rules: &Rules, now: Picos, joins: bool, progress: &Progress) -> Option<bool> {
        let shares = rules.shares(self.begin, &self.from, progress, true);
        let counts = !joins && shares.flows >= 2;
        let fair = counts && shares.is_fair(rules.within);
        if joins {
            self.joined = rules.joins.partition_point(|start| *start <= now);
            self.converged = None;
        }
        if fair {
            if self.fair == 0 {
                self.since = self.begin;
            }
            self.fair = self.fair.saturating_add(1);
            if self.fair >= rules.windows && self.converged.is_none() {
                self.converged = Some(self.since - rules.joins[self.joined - 1]);
            }
        } else {
            self.fair = 0;
        }
        self.begin = now;
        self.left = rules.samples;
        self.from.clear();
        self.from.extend(progress.iter().map(|delivered| delivered.unwrap_or(0)));
        counts.then_some(fair)
    }

    /// Time from the last start until windows were fair, if two flows without an end are in progress.
    fn convergence(&self, rules: &Rules, progress: &Progress) -> Option<Picos> {
        let is_open =
            |(delivered, is_unlimited): &(&Option<u64>, &bool)| delivered.is_some() && **is_unlimited;
        let open = progress.iter().zip(&rules.unlimited).filter(is_open).count();
        self.converged.filter(|_| open >= 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mesonet_cc::SECOND;

    const HALF: Picos = SECOND / 2;

    /// Flows that start at given seconds, with an end of their own or not; the first `warmup` s of 16 s are
    /// not measured.
    fn fairness(flows: &[(u64, bool)], warmup: u64, periods: usize) -> Fairness {
        let starts: Vec<_> = flows.iter().map(|flow| flow.0 * SECOND).collect();
        let mut joins: Vec<_> = flows.iter().filter(|flow| flow.1).map(|flow| flow.0 * SECOND).collect();
        joins.sort_unstable();
        let measured = (16 - warmup) * SECOND;
        let rules = Rules {
            starts,
            unlimited: flows.iter().map(|flow| flow.1).collect(),
            joins,
            warmup: warmup * SECOND,
            period_length: measured / periods as Picos,
            samples: 2,
            windows: 3,
            within: 0.1,
        };
        Fairness::by(rules, measured, periods)
    }

    /// Runs for 16 s with samples each half second: each flow gets `rate(flow, k)` segments in the k-th half
    /// second, and none when it is not in progress.
    fn run(mut fairness: Fairness, rate: impl Fn(usize, u64) -> Option<u64>) -> Fairness {
        let (warmup, length) = (fairness.rules.warmup, fairness.rules.period_length);
        let periods = fairness.found.len() - 1;
        let period = |now: Picos| {
            let place = now.checked_sub(warmup)?.checked_sub(1)? / length;
            (place < periods as u64).then_some(place as usize)
        };
        let flows = fairness.rules.starts.len();
        let mut delivered = vec![0; flows];
        for k in 1..=32 {
            let now = k * HALF;
            let gains: Vec<_> = (0..flows).map(|flow| rate(flow, k)).collect();
            delivered.iter_mut().zip(&gains).for_each(|(sum, gain)| *sum += gain.unwrap_or(0));
            let progress = delivered.iter().zip(gains).map(|(sum, gain)| gain.map(|_| *sum)).collect();
            let after = if k == 32 { None } else { period(now + HALF) };
            fairness.look(Instant { now, is_sample: true, before: period(now), after }, || progress);
        }
        fairness
    }

    fn value(fairness: &Fairness, period: usize, name: &str) -> f64 {
        fairness.responses(period).iter().find(|response| response.0 == name).expect("a response").1
    }

    fn assert_near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-12, "{found}, not {wanted}");
    }

    #[test]
    fn constant_rates_give_the_closed_forms() {
        let found = run(fairness(&[(0, true), (0, true)], 4, 3), |flow, _| Some([10, 30][flow]));
        for period in 0..4 {
            assert_near(value(&found, period, "jain_index"), 0.8);
            for name in
                ["goodput_ratio", "goodput_ratio_half", "goodput_ratio_quarter", "goodput_ratio_eighth"]
            {
                assert_near(value(&found, period, name), 1.0 / 3.0);
            }
            assert_near(value(&found, period, "starved_flows"), 0.0);
            assert_near(value(&found, period, "fair_windows"), 0.0);
            assert!(value(&found, period, "convergence_time").is_nan());
        }
    }

    #[test]
    fn starved_flows_get_less_than_a_twentieth_of_the_fair_share() {
        // A fair share of 100: 5 is a twentieth, 4 is less.
        let rates = [4, 5, 191, 200];
        let found = run(fairness(&[(0, true); 4], 0, 1), |flow, _| Some(rates[flow]));
        assert_near(value(&found, 0, "starved_flows"), 0.25);
        assert_near(value(&found, 1, "starved_flows"), 0.25);
    }

    #[test]
    fn a_flow_that_gets_nothing_any_more_halves_the_ratio_with_each_horizon() {
        // One second of equal rates, then one flow alone: 2 : 4 segments after the first eighth of 16 s.
        let found =
            run(fairness(&[(0, true), (0, true)], 0, 1), |flow, k| Some([u64::from(k <= 2), 1][flow]));
        let names = ["goodput_ratio_eighth", "goodput_ratio_quarter", "goodput_ratio_half", "goodput_ratio"];
        for (name, wanted) in names.into_iter().zip([0.5, 0.25, 0.125, 0.0625]) {
            assert_near(value(&found, 1, name), wanted);
        }
    }

    #[test]
    fn flows_converge_at_the_first_of_three_fair_windows() {
        // The second flow starts at 2 s. Shares are equal in the window from 3 s, then from 6 s on.
        let rate = |flow, k| match k {
            1..=4 => [Some(40), None][flow],
            7 | 8 | 13.. => Some(20),
            _ => Some([30, 10][flow]),
        };
        let found = run(fairness(&[(0, true), (2, true)], 0, 2), rate);
        assert_near(value(&found, 2, "convergence_time"), 4.0);
        // Three fair windows from 6 s end after the first period.
        assert!(value(&found, 0, "convergence_time").is_nan());
        assert_near(value(&found, 1, "convergence_time"), 4.0);
        // Windows end at 3 to 8 s and at 9 to 16 s.
        assert_near(value(&found, 0, "fair_windows"), 3.0 / 6.0);
        assert_near(value(&found, 1, "fair_windows"), 1.0);
        // One flow alone ran for the whole of the first period.
        assert!(value(&found, 0, "jain_index").is_nan() && value(&found, 2, "goodput_ratio").is_nan());
        assert_near(value(&found, 1, "jain_index"), 1.0);
        // It is unknown if the second flow has ended.
        let ended = run(fairness(&[(0, true), (2, true)], 0, 2), |flow, k| {
            rate(flow, k).filter(|_| flow == 0 || k < 30)
        });
        assert!(value(&ended, 2, "convergence_time").is_nan());
    }

    #[test]
    fn a_fair_window_keeps_every_flow_within_the_deviation() {
        let with = |rates: [u64; 3]| {
            let found = run(fairness(&[(0, true); 3], 0, 1), |flow, _| Some(rates[flow]));
            (value(&found, 1, "fair_windows"), value(&found, 1, "convergence_time"))
        };
        assert_eq!(with([90, 100, 110]), (1.0, 0.0));
        assert_eq!(with([89, 100, 111]).0, 0.0);
        // Nothing at all is not fair.
        assert_eq!(with([0, 0, 0]).0, 0.0);
    }

    #[test]
    fn flows_with_a_size_do_not_disturb_convergence_and_count_while_in_progress() {
        let flows = [(0, true), (0, true), (9, false), (4, false)];
        let found = run(fairness(&flows, 0, 2), |flow, k| match flow {
            0 | 1 => Some(10),
            2 => (19..25).contains(&k).then_some(50),
            _ => (9..=32).contains(&k).then_some(40),
        });
        assert_near(value(&found, 2, "convergence_time"), 0.0);
        assert_near(value(&found, 2, "fair_windows"), 1.0);
        assert_near(value(&found, 2, "jain_index"), 1.0);
        // The last one is in progress for the whole second period.
        assert_near(value(&found, 1, "goodput_ratio"), 0.25);
        assert_near(value(&found, 1, "jain_index"), 60.0 * 60.0 / (3.0 * 1800.0));
    }

    #[test]
    fn one_flow_has_no_fairness() {
        // The connection of the second flow fails.
        let found = run(fairness(&[(0, true), (9, true)], 0, 1), |flow, _| Some(10).filter(|_| flow == 0));
        for (name, value) in found.responses(1) {
            assert!(value.is_nan(), "{name} is {value}");
        }
    }
}
