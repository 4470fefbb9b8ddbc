//! Acts of an application, one after the other.

use crate::random::{Purpose, Stream};
use crate::scenario::{ExplicitFlow, Law, Source};
use mesonet_cc::{Picos, picos};
use serde::{Deserialize, Serialize};

/// Something that an application does at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// It hands over a message: the data of its flow now end before this segment, counted from 0.
    Give(u64),
    /// It always has data from now on.
    Open,
    /// It has no more data for now.
    Close,
}

/// When and how much, in units of the engine.
#[derive(Clone, Copy, Debug)]
enum Rule {
    /// Messages at a fixed rate; every `key_every`-th one has `key_size` segments, the others have `size`.
    Regular { rate: f64, size: u64, key_size: u64, key_every: u64 },
    /// A message in each burst.
    Bursts(Bursts),
    /// Messages of a segment at a fixed rate during each burst.
    PacedBursts { rate: f64, bursts: Bursts },
    /// Data without end during each burst.
    GreedyBursts(Bursts),
}

/// Lengths of bursts, and of the times between them.
#[derive(Clone, Copy, Debug)]
struct Bursts {
    /// Mean size, segments, or mean duration, s.
    mean: f64,
    law: Law,
    /// Mean time between two bursts, s.
    idle: f64,
    idle_law: Law,
}

/// Position in what an application does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Position {
    /// Acts so far; since the beginning of the burst where there are bursts.
    acts: u64,
    /// Segments handed over so far.
    end: u64,
    /// Bursts that are over.
    bursts: u64,
    /// Beginning of the burst that is next, or under way.
    burst: Picos,
    /// Its length: segments of a burst of a size, picoseconds of a burst of a duration.
    length: u64,
}

/// The acts of one application, in order.
#[derive(Clone, Debug)]
pub struct Producer {
    rule: Rule,
    start: Picos,
    /// Nothing happens from here on.
    stop: Picos,
    seed: u64,
    /// Number of the explicit flow, which names the draws.
    flow: u64,
    position: Position,
}

impl Producer {
    /// The application of explicit flow `number`, at its first act; none where the flow has no application,
    /// or a video.
    #[must_use]
    pub fn new(flow: &ExplicitFlow, number: u32, seed: u64) -> Option<Self> {
        let whole = |size: f64| size.ceil() as u64;
        let rule = match flow.application.as_ref()?.source {
            Source::Frames { rate, size, key_size, key_every } => Rule::Regular {
                rate,
                size: whole(size),
                key_size: whole(key_size.unwrap_or(size)),
                key_every: u64::from(key_every),
            },
            Source::Constant { rate } => Rule::Regular { rate, size: 1, key_size: 1, key_every: 1 },
            Source::OnOff { burst_size, burst_time, burst, rate, idle_time, idle } => {
                let mean = burst_size.or(burst_time).expect("checked");
                let bursts = Bursts { mean, law: burst, idle: idle_time, idle_law: idle };
                match (burst_size, rate) {
                    (Some(_), _) => Rule::Bursts(bursts),
                    (None, Some(rate)) => Rule::PacedBursts { rate, bursts },
                    (None, None) => Rule::GreedyBursts(bursts),
                }
            }
            Source::Video(_) => return None,
        };
        let start = picos(flow.start);
        let mut producer = Self {
            rule,
            start,
            stop: flow.stop.map_or(Picos::MAX, picos),
            seed,
            flow: u64::from(number),
            position: Position { burst: start, ..Position::default() },
        };
        producer.position.length = producer.length();
        Some(producer)
    }

    /// The next act and its instant; none where the application has stopped.
    #[must_use]
    pub fn next(&self) -> Option<(Picos, Act)> {
        let Position { acts, end, burst, length, .. } = self.position;
        let (at, act) = match self.rule {
            Rule::Regular { rate, size, key_size, key_every } => {
                let size = if acts % key_every == 0 { key_size } else { size };
                // From the start each time, so that nothing drifts.
                (self.start + picos(acts as f64 / rate), Act::Give(end + size))
            }
            Rule::Bursts(_) => (burst, Act::Give(end + length)),
            Rule::PacedBursts { rate, .. } => (burst + picos(acts as f64 / rate), Act::Give(end + 1)),
            Rule::GreedyBursts(_) if acts == 0 => (burst, Act::Open),
            Rule::GreedyBursts(_) => (burst + length, Act::Close),
        };
        (at < self.stop).then_some((at, act))
    }

    /// Moves on to the act after the next one.
    pub fn advance(&mut self) {
        if let Some((_, Act::Give(end))) = self.next() {
            self.position.end = end;
        }
        self.position.acts += 1;
        let Position { acts, length, .. } = self.position;
        match self.rule {
            Rule::Regular { .. } => {}
            Rule::Bursts(bursts) => self.next_burst(0, &bursts),
            Rule::PacedBursts { rate, bursts } => {
                if picos(acts as f64 / rate) >= length {
                    self.next_burst(length, &bursts);
                }
            }
            Rule::GreedyBursts(bursts) => {
                if acts == 2 {
                    self.next_burst(length, &bursts);
                }
            }
        }
    }

    /// The draws of the burst that is next, or under way.
    fn draws(&self) -> Stream {
        Stream::new(self.seed, Purpose::Application, self.flow, self.position.bursts)
    }

    /// The length of the burst that is next; 0 where there are no bursts.
    fn length(&self) -> u64 {
        let (Rule::Bursts(bursts) | Rule::PacedBursts { bursts, .. } | Rule::GreedyBursts(bursts)) =
            self.rule
        else {
            return 0;
        };
        let length = match bursts.law {
            Law::Constant => bursts.mean,
            Law::Exponential => {
                let mut draws = self.draws();
                // The first draw is of the time behind the burst.
                draws.exponential(1.0);
                draws.exponential(bursts.mean)
            }
        };
        match self.rule {
            Rule::Bursts(_) => (length.ceil() as u64).max(1),
            _ => picos(length),
        }
    }

    /// A burst of a duration is over.
    fn next_burst(&mut self, duration: Picos, bursts: &Bursts) {
        let gap = match bursts.idle_law {
            Law::Constant => picos(bursts.idle),
            Law::Exponential => picos(self.draws().exponential(bursts.idle)),
        };
        self.position.burst = self.position.burst.saturating_add(duration).saturating_add(gap);
        self.position.bursts += 1;
        self.position.acts = 0;
        self.position.length = self.length();
    }

    /// Writes or replaces what changes during a run.
    ///
    /// # Errors
    /// [`crate::BadSnapshot`] where the bytes are none of it.
    pub fn pass(&mut self, passage: &mut crate::snapshot::Passage) -> Result<(), crate::BadSnapshot> {
        passage.field(&mut self.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Application, Protocol};
    use mesonet_cc::{MILLISECOND, SECOND, seconds};

    fn producer(source: Source, stop: Option<f64>) -> Producer {
        let application = Application { source, late_after: 0.25, report_interval: 5.0 };
        let flow = ExplicitFlow {
            start: 1.0,
            stop,
            application: Some(application),
            transport: Protocol::Tcp,
            ..ExplicitFlow::between("A", "B")
        };
        Producer::new(&flow, 3, 7).unwrap()
    }

    fn acts(mut producer: Producer, count: usize) -> Vec<(Picos, Act)> {
        let next = || {
            let act = producer.next()?;
            producer.advance();
            Some(act)
        };
        std::iter::from_fn(next).take(count).collect()
    }

    #[test]
    fn frames_come_at_their_rate_and_every_third_one_is_a_key_frame() {
        let source = Source::Frames { rate: 30.0, size: 2.5, key_size: Some(25.0), key_every: 3 };
        assert!((source.mean_rate() - 10.0 * (25.0 + 3.0 + 3.0)).abs() < 1e-9);
        let found = acts(producer(source, Some(1.134)), 100);
        let third = SECOND / 30;
        let expected = [(0, 25), (1, 28), (2, 31), (3, 56), (4, 59)];
        assert_eq!(found.len(), expected.len());
        for ((at, act), (frame, end)) in found.into_iter().zip(expected) {
            assert!(at.abs_diff(SECOND + frame * third) <= frame, "{at}");
            assert_eq!(act, Act::Give(end));
        }
    }

    #[test]
    fn bursts_have_a_size_a_rate_or_no_end() {
        let on_off = |burst_size, burst_time, rate| Source::OnOff {
            burst_size,
            burst_time,
            burst: Law::Constant,
            rate,
            idle_time: 0.5,
            idle: Law::Constant,
        };
        let ms = |at: u64, act| (at * MILLISECOND, act);
        assert_eq!(
            acts(producer(on_off(Some(9.5), None, None), None), 3),
            [ms(1000, Act::Give(10)), ms(1500, Act::Give(20)), ms(2000, Act::Give(30))]
        );
        assert_eq!(
            acts(producer(on_off(None, Some(0.25), Some(10.0)), None), 5),
            [1000, 1100, 1200, 1750, 1850]
                .map(|at| at * MILLISECOND)
                .into_iter()
                .zip((1..6).map(Act::Give))
                .collect::<Vec<_>>()
        );
        assert_eq!(
            acts(producer(on_off(None, Some(0.25), None), Some(2.0)), 9),
            [ms(1000, Act::Open), ms(1250, Act::Close), ms(1750, Act::Open)]
        );
    }

    /// Mean and standard deviation of exponential gaps, five standard errors; draws are named, so that two
    /// producers agree.
    #[test]
    fn exponential_gaps_have_their_mean_and_spread() {
        let source = Source::OnOff {
            burst_size: Some(1.0),
            burst_time: None,
            burst: Law::Constant,
            rate: None,
            idle_time: 0.2,
            idle: Law::Exponential,
        };
        let count = 40_000;
        let found = acts(producer(source.clone(), None), count + 1);
        assert_eq!(found, acts(producer(source, None), count + 1));
        let gaps: Vec<f64> = found.windows(2).map(|pair| seconds(pair[1].0 - pair[0].0)).collect();
        let mean = gaps.iter().sum::<f64>() / count as f64;
        let deviation =
            (gaps.iter().map(|gap| (gap - mean) * (gap - mean)).sum::<f64>() / count as f64).sqrt();
        assert!((mean - 0.2).abs() < 5.0 * 0.2 / 200.0, "{mean}");
        // Standard error of the standard deviation of an exponential: sigma x sqrt(2 / n).
        assert!((deviation - 0.2).abs() < 5.0 * 0.2 * (2.0 / count as f64).sqrt(), "{deviation}");
    }

    /// Sizes are geometric: P(more than k) = exp(-k / mean). Five standard errors. Gaps have the draws of
    /// equal bursts.
    #[test]
    fn exponential_bursts_have_their_mean_and_leave_the_gaps() {
        let (mean, count) = (3.0, 40_000);
        let source = |burst| Source::OnOff {
            burst_size: Some(mean),
            burst_time: None,
            burst,
            rate: None,
            idle_time: 0.2,
            idle: Law::Exponential,
        };
        let found = acts(producer(source(Law::Exponential), None), count);
        let equal = acts(producer(source(Law::Constant), None), count);
        assert!(found.iter().zip(&equal).all(|(one, other)| one.0 == other.0));
        let ends: Vec<u64> = std::iter::once(0)
            .chain(found.iter().map(|(_, act)| match act {
                Act::Give(end) => *end,
                _ => panic!("{act:?}"),
            }))
            .collect();
        let sizes: Vec<u64> = ends.windows(2).map(|pair| pair[1] - pair[0]).collect();
        for more in 0..8 {
            let expected = libm::exp(-f64::from(more) / mean);
            let part = sizes.iter().filter(|size| **size > more as u64).count() as f64 / count as f64;
            let error = (expected * (1.0 - expected) / count as f64).sqrt();
            assert!((part - expected).abs() <= 5.0 * error, "{more}: {part}, {expected}");
        }
        let rate = source(Law::Exponential).mean_rate() * 0.2;
        let found = sizes.iter().sum::<u64>() as f64 / count as f64;
        assert!((found - rate).abs() < 5.0 * mean / (count as f64).sqrt(), "{found}, {rate}");
        // No gap and the burst before it are of the same draw: independent numbers have a correlation of 0.
        let gaps: Vec<f64> = equal.windows(2).map(|pair| seconds(pair[1].0 - pair[0].0)).collect();
        let centred = gaps.iter().zip(&sizes).map(|(gap, size)| (gap - 0.2) * (*size as f64 - rate));
        let correlation = centred.sum::<f64>() / (count as f64 * 0.2 * mean);
        assert!(correlation.abs() < 5.0 / (count as f64).sqrt(), "{correlation}");
    }

    #[test]
    fn exponential_durations_share_their_time_between_bursts_and_gaps() {
        let source = |rate| Source::OnOff {
            burst_size: None,
            burst_time: Some(0.3),
            burst: Law::Exponential,
            rate,
            idle_time: 0.1,
            idle: Law::Exponential,
        };
        let found = acts(producer(source(None), None), 80_000);
        let on: f64 = found.chunks(2).map(|pair| seconds(pair[1].0 - pair[0].0)).sum();
        let all = seconds(found[found.len() - 1].0 - SECOND);
        // Standard deviation of the share over n bursts and gaps: p (1 - p) sqrt(2 / n).
        assert!((on / all - 0.75).abs() < 5.0 * 0.75 * 0.25 * (2.0f64 / 40_000.0).sqrt(), "{}", on / all);
        // With a rate the same bursts begin at the same instants, and have a segment for each interval that
        // they begin.
        let paced = acts(producer(source(Some(100.0)), None), 40_000);
        let begins: Vec<Picos> = found.chunks(2).map(|pair| pair[0].0).collect();
        let lengths: Vec<Picos> = found.chunks(2).map(|pair| pair[1].0 - pair[0].0).collect();
        let mut expected = begins.iter().zip(&lengths).flat_map(|(begin, length)| {
            (0u64..).map(|k| k * SECOND / 100).take_while(move |at| at < length).map(move |at| begin + at)
        });
        assert!(paced.iter().all(|(at, _)| expected.next().is_some_and(|time| time.abs_diff(*at) <= 1)));
    }
}
