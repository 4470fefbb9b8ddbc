//! What an application does, one act after the other.

use crate::random::{Purpose, Stream};
use crate::scenario::{ExplicitFlow, IdleLaw, Source};
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
    Bursts { size: u64, idle: f64, law: IdleLaw },
    /// Messages of a segment at a fixed rate during each burst.
    PacedBursts { time: Picos, rate: f64, idle: f64, law: IdleLaw },
    /// Data without end during each burst.
    GreedyBursts { time: Picos, idle: f64, law: IdleLaw },
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
    /// The application of explicit flow `number`, at its first act; none where the flow has no application.
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
            Source::OnOff { burst_size: Some(size), idle_time, idle, .. } => {
                Rule::Bursts { size: whole(size), idle: idle_time, law: idle }
            }
            Source::OnOff { burst_time, rate, idle_time, idle, .. } => {
                let time = picos(burst_time.expect("checked"));
                match rate {
                    Some(rate) => Rule::PacedBursts { time, rate, idle: idle_time, law: idle },
                    None => Rule::GreedyBursts { time, idle: idle_time, law: idle },
                }
            }
        };
        let start = picos(flow.start);
        Some(Self {
            rule,
            start,
            stop: flow.stop.map_or(Picos::MAX, picos),
            seed,
            flow: u64::from(number),
            position: Position { burst: start, ..Position::default() },
        })
    }

    /// The next act and its instant; none where the application has stopped.
    #[must_use]
    pub fn next(&self) -> Option<(Picos, Act)> {
        let Position { acts, end, burst, .. } = self.position;
        let (at, act) = match self.rule {
            Rule::Regular { rate, size, key_size, key_every } => {
                let size = if acts % key_every == 0 { key_size } else { size };
                // From the start each time, so that nothing drifts.
                (self.start + picos(acts as f64 / rate), Act::Give(end + size))
            }
            Rule::Bursts { size, .. } => (burst, Act::Give(end + size)),
            Rule::PacedBursts { rate, .. } => (burst + picos(acts as f64 / rate), Act::Give(end + 1)),
            Rule::GreedyBursts { .. } if acts == 0 => (burst, Act::Open),
            Rule::GreedyBursts { time, .. } => (burst + time, Act::Close),
        };
        (at < self.stop).then_some((at, act))
    }

    /// Moves on to the act after the next one.
    pub fn advance(&mut self) {
        if let Some((_, Act::Give(end))) = self.next() {
            self.position.end = end;
        }
        self.position.acts += 1;
        match self.rule {
            Rule::Regular { .. } => {}
            Rule::Bursts { idle, law, .. } => self.next_burst(0, idle, law),
            Rule::PacedBursts { time, rate, idle, law } => {
                if picos(self.position.acts as f64 / rate) >= time {
                    self.next_burst(time, idle, law);
                }
            }
            Rule::GreedyBursts { time, idle, law } => {
                if self.position.acts == 2 {
                    self.next_burst(time, idle, law);
                }
            }
        }
    }

    /// A burst of a duration is over.
    fn next_burst(&mut self, duration: Picos, idle: f64, law: IdleLaw) {
        let gap = match law {
            IdleLaw::Constant => picos(idle),
            IdleLaw::Exponential => {
                let bursts = self.position.bursts;
                picos(Stream::new(self.seed, Purpose::Application, self.flow, bursts).exponential(idle))
            }
        };
        self.position.burst = self.position.burst.saturating_add(duration).saturating_add(gap);
        self.position.bursts += 1;
        self.position.acts = 0;
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
            rate,
            idle_time: 0.5,
            idle: IdleLaw::Constant,
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

    /// Mean and standard deviation of exponential gaps, five standard errors; draws are named, so that two producers agree.
    #[test]
    fn exponential_gaps_have_their_mean_and_spread() {
        let source = Source::OnOff {
            burst_size: Some(1.0),
            burst_time: None,
            rate: None,
            idle_time: 0.2,
            idle: IdleLaw::Exponential,
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
}
