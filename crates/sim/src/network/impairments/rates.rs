//! Rates of queues that vary: traces, and outages that hold what waits.

use super::rules::outages;
use super::{Set, check_points};
use crate::links::{Clock, Outages, Piece};
use crate::scenario::{
    CapacityKind, CapacityTrace, InvalidScenario, OutageKind, QueuePlace, Scenario, invalid, time_text,
};
use mesonet_cc::{Picos, picos};

impl Set<'_> {
    /// The rate of its queues varies.
    #[must_use]
    pub fn varies(&self) -> bool {
        self.given.capacity.is_some() || self.holds()
    }

    fn holds(&self) -> bool {
        self.given.has_outage() && self.given.outage == OutageKind::Hold
    }

    /// The mean rate of its trace, segments/s: the speed of the queues that follow it.
    #[must_use]
    pub fn mean_rate(&self, scenario: &Scenario) -> Option<f64> {
        let trace = self.given.capacity.as_ref()?;
        let span = trace.period.unwrap_or(scenario.time.duration);
        let from = |place: usize| if place == 0 { 0.0 } else { trace.points[place][0] };
        let until = |place: usize| trace.points.get(place + 1).map_or(span, |next| next[0].min(span));
        let sum = |kind| match kind {
            CapacityKind::Rates => {
                let part =
                    |(place, point): (usize, &[f64; 2])| point[1] * (until(place) - from(place)).max(0.0);
                trace.points.iter().enumerate().map(part).sum::<f64>()
            }
            CapacityKind::Opportunities => {
                trace.points.iter().filter(|point| point[0] <= span).map(|point| point[1]).sum()
            }
        };
        Some(sum(trace.kind) / span * scenario.network.capacity_factor)
    }

    /// Refuses rates that vary where queues have a constant one, and traces that serve nothing.
    ///
    /// # Errors
    /// [`InvalidScenario`] at the trace or the outage.
    pub fn check_rates(&self, scenario: &Scenario) -> Result<(), InvalidScenario> {
        let given = self.given;
        if !self.varies() {
            return Ok(());
        }
        let key = if given.capacity.is_some() { "capacity" } else { "outage" };
        let refused = if scenario.network.queue == QueuePlace::Router {
            "the rate of a link varies only where it has a queue; allowed with network.queue = port"
        } else if given.capacity.is_some() && self.holds() {
            "an outage that holds, beside a trace of rates; allowed: a rate of 0 in the trace"
        } else {
            let Some(trace) = &given.capacity else { return Ok(()) };
            self.follow(trace, scenario.network.capacity_factor, picos(1e-3))?;
            if self.mean_rate(scenario).is_some_and(|mean| mean > 0.0) {
                return Ok(());
            }
            "nothing is served during the run; allowed: a rate above 0 before time.duration"
        };
        Err(self.invalid(key, refused))
    }

    /// The clock of a queue that takes `nominal` for a segment.
    ///
    /// # Errors
    /// [`InvalidScenario`] where the trace or the outage cannot be followed.
    pub fn clock(&self, scenario: &Scenario, nominal: Picos) -> Result<Clock, InvalidScenario> {
        let given = self.given;
        if let Some(trace) = &given.capacity {
            return self.follow(trace, scenario.network.capacity_factor, nominal);
        }
        let Some(Outages { since, spans, period }) = outages(self)? else {
            return Ok(Clock::new(vec![Piece { time: 0, work: 0, service: nominal }], nominal, None));
        };
        let [first, last] = [spans[0][0], spans[spans.len() - 1][1]].map(|time| since + time);
        if period > 0 && last > period {
            let message = format!(
                "the first outage ends after {}, the period; allowed: a start of at most outage_period - outage_length",
                time_text(given.outage_period)
            );
            return Err(self.invalid("outage_start", message));
        }
        let piece = |time, service| Piece { time, work: 0, service };
        let held =
            spans.iter().flat_map(|[start, end]| [piece(since + start, 0), piece(since + end, nominal)]);
        let pieces = (first > 0).then(|| piece(0, nominal)).into_iter().chain(held);
        let period = (period > 0).then_some(period);
        let pieces = pieces.filter(|piece| period.is_none_or(|period| piece.time < period));
        Ok(Clock::new(pieces.collect(), nominal, period))
    }

    /// The clock of a trace. Its first rate holds before its first point, too.
    fn follow(&self, trace: &CapacityTrace, factor: f64, nominal: Picos) -> Result<Clock, InvalidScenario> {
        let path = self.at("capacity");
        check_points(&path, &trace.points, trace.period)?;
        let piece = |[time, value]: &[f64; 2]| {
            let value = value * factor;
            let time = picos(*time);
            match trace.kind {
                CapacityKind::Rates => {
                    Piece { time, work: 0, service: if value > 0.0 { picos(1.0 / value).max(1) } else { 0 } }
                }
                CapacityKind::Opportunities => {
                    Piece { time, work: (value * nominal as f64).round() as Picos, service: 0 }
                }
            }
        };
        let mut pieces: Vec<Piece> = trace.points.iter().map(piece).collect();
        if let Some(slow) = pieces.iter().position(|piece| piece.service > picos(1000.0)) {
            let message = format!("point {slow} has less than one segment in 1000 s; allowed: 0, or more");
            return Err(invalid(path, message));
        }
        match trace.kind {
            CapacityKind::Rates => pieces[0].time = 0,
            CapacityKind::Opportunities if pieces[0].time > 0 => {
                pieces.insert(0, Piece { time: 0, work: 0, service: 0 });
            }
            CapacityKind::Opportunities => {}
        }
        let serves = match trace.period {
            Some(_) => pieces.iter().any(|piece| piece.service > 0 || piece.work > 0),
            None => pieces.last().is_some_and(|last| last.service > 0),
        };
        if !serves {
            let message =
                "nothing is served in the end; allowed: a last rate above 0, or a trace that begins again";
            return Err(invalid(path, message));
        }
        Ok(Clock::new(pieces, nominal, trace.period.map(picos)))
    }
}
