//! A rate that varies as the clock of a queue: the work that its server could have done by an instant.
//!
//! On this clock every queue serves at a constant rate, so that it stays the one number that it is. Both
//! directions are exact in integers: the work by an instant is rounded down, the instant of an amount of work
//! up.

use mesonet_cc::Picos;

/// From `time` on, when `work` could have been done, a segment takes `service`; 0 for no service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Beginning.
    pub time: Picos,
    /// Work until then, what becomes possible at this instant included.
    pub work: Picos,
    /// Service time of a segment.
    pub service: Picos,
}

/// Work by time. Work is measured in time at the nominal rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Rising; the first begins at 0.
    pieces: Vec<Piece>,
    /// Service time of a segment at the nominal rate.
    nominal: Picos,
    /// After how long the pieces begin again, and the work until then.
    period: Option<(Picos, Picos)>,
}

impl Clock {
    /// A clock of these pieces, whose `work` counts only what becomes possible at once, at their beginning;
    /// the work of what lies between is added here.
    #[must_use]
    pub fn new(mut pieces: Vec<Piece>, nominal: Picos, period: Option<Picos>) -> Self {
        let mut before: Option<Piece> = None;
        for piece in &mut pieces {
            if let Some(before) = before {
                piece.work += done(&before, piece.time, nominal);
            }
            before = Some(*piece);
        }
        let period = period.map(|period| (period, before.map_or(0, |last| done(&last, period, nominal))));
        Self { pieces, nominal, period }
    }

    /// Work that could have been done by `time`.
    #[must_use]
    pub fn work(&self, time: Picos) -> Picos {
        let (rounds, time) = match self.period {
            None => (0, time),
            Some((period, all)) => (time / period * all, time % period),
        };
        let past = self.pieces.partition_point(|piece| piece.time <= time);
        rounds + done(&self.pieces[past - 1], time, self.nominal)
    }

    /// The first instant by which so much work could have been done.
    #[must_use]
    pub fn time(&self, work: Picos) -> Picos {
        let (rounds, work) = match self.period {
            Some((period, all)) if work > 0 => {
                let rounds = (work - 1) / all;
                (rounds * period, work - rounds * all)
            }
            _ => (0, work),
        };
        let past = self.pieces.partition_point(|piece| piece.work < work);
        let Some(piece) = past.checked_sub(1).map(|place| self.pieces[place]) else { return rounds };
        let next = self.pieces.get(past).map(|piece| piece.time).or(self.period.map(|(period, _)| period));
        let within = (piece.service > 0).then(|| {
            let product = u128::from(work - piece.work) * u128::from(piece.service);
            piece.time + product.div_ceil(u128::from(self.nominal)) as Picos
        });
        let first = [within, next].into_iter().flatten().min();
        rounds + first.expect("the last piece serves, or the pieces begin again")
    }

    /// The longest time that so much work takes, whenever it begins. Instants are whole picoseconds: the
    /// result can be less by the time that the slowest rate needs for a picosecond of work at the fastest.
    #[must_use]
    pub fn longest(&self, work: Picos) -> Picos {
        let took = |begin: Picos| self.time(self.work(begin) + work) - begin;
        // What work takes changes with the rate at its beginning and at its end, so that it is longest where
        // one of them changes. What becomes possible at an instant is missed just before.
        let (rounds, around) = self.period.map_or((0, 0), |(period, all)| (work.div_ceil(all), period));
        // Work of which the last part has to wait for the change ends there as well as what ends with it.
        let ends = self.pieces.iter().flat_map(|piece| {
            let end = piece.time + (rounds + 1) * around;
            let waiting = self.work(end.saturating_sub(1)) + 1;
            [self.work(end), waiting].map(|by| by.checked_sub(work).map(|begin| self.time(begin)))
        });
        let starts = self.pieces.iter().map(|piece| piece.time + around);
        starts
            .chain(ends.flatten())
            .flat_map(|begin| [begin.saturating_sub(1), begin])
            .map(took)
            .max()
            .unwrap_or(0)
    }
}

/// Work by `time` that piece and what was before it allow.
fn done(piece: &Piece, time: Picos, nominal: Picos) -> Picos {
    if piece.service == 0 {
        return piece.work;
    }
    let product = u128::from(time - piece.time) * u128::from(nominal);
    piece.work + (product / u128::from(piece.service)) as Picos
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn piece(time: Picos, work: Picos, service: Picos) -> Piece {
        Piece { time, work, service }
    }

    #[test]
    fn rates_change_and_come_again() {
        // 10 ps for a segment, 20 from 100 on, none from 200 to 250.
        let pieces = vec![piece(0, 0, 10), piece(100, 0, 20), piece(200, 0, 0)];
        let clock = Clock::new(pieces, 10, Some(250));
        let works = [0, 50, 100, 150, 200, 249, 250, 350].map(|time| clock.work(time));
        assert_eq!(works, [0, 50, 100, 125, 150, 150, 150, 250]);
        let times = [0, 1, 100, 101, 150, 151, 160, 300, 301].map(|work| clock.time(work));
        assert_eq!(times, [0, 1, 100, 102, 200, 251, 260, 450, 501]);
    }

    #[test]
    fn opportunities_come_at_their_instants() {
        // A segment of 10 ps at 5, two more at 8, and again from 20 on.
        let pieces = vec![piece(0, 0, 0), piece(5, 10, 0), piece(8, 20, 0)];
        let clock = Clock::new(pieces, 10, Some(20));
        assert_eq!([0, 4, 5, 7, 8, 19, 20, 25].map(|time| clock.work(time)), [0, 0, 10, 10, 30, 30, 30, 40]);
        assert_eq!([1, 10, 11, 30, 31, 45].map(|work| clock.time(work)), [5, 5, 8, 8, 25, 28]);
    }

    /// A clock of pieces given by gap, work at once and service, and the length of a round of it.
    fn of_pieces(given: &[(u64, u64, u64)], first: Picos, repeats: bool) -> (Clock, Picos) {
        let mut pieces = vec![piece(0, 0, first)];
        for (gap, at_once, service) in given {
            let time = pieces[pieces.len() - 1].time + gap;
            pieces.push(piece(time, *at_once, *service));
        }
        let last = pieces[pieces.len() - 1].time;
        if !repeats {
            pieces.push(piece(last + 1, 0, 7));
        }
        (Clock::new(pieces, 10, repeats.then_some(last + 5)), last + 5)
    }

    proptest! {
        /// The instant of an amount of work is the first by which it could have been done.
        #[test]
        fn the_two_directions_agree(
            given in proptest::collection::vec((1u64..50, 0u64..30, 0u64..9), 0..8),
            first in 1u64..9,
            repeats: bool,
            work in 1u64..2000,
        ) {
            let (clock, _) = of_pieces(&given, first, repeats);
            let time = clock.time(work);
            prop_assert!(clock.work(time) >= work);
            prop_assert!(time == 0 || clock.work(time - 1) < work);
        }

        /// No beginning takes longer than the longest, and one takes as long, to the rounding of instants.
        #[test]
        fn the_longest_time_is_the_longest_of_all_beginnings(
            given in proptest::collection::vec((1u64..20, 0u64..30, 0u64..9), 0..5),
            first in 1u64..9,
            repeats: bool,
            work in 1u64..200,
        ) {
            let (clock, span) = of_pieces(&given, first, repeats);
            let rounds = clock.period.map_or(2, |(_, all)| work / all + 3);
            let took = |begin| clock.time(clock.work(begin) + work) - begin;
            let found = (0..rounds * span).map(took).max().unwrap_or(0);
            let longest = clock.longest(work);
            let serving = || clock.pieces.iter().map(|piece| piece.service).filter(|service| *service > 0);
            let rounding = 2 + serving().max().unwrap_or(1).div_ceil(serving().min().unwrap_or(1));
            prop_assert!(longest.abs_diff(found) <= rounding, "{longest} {found}");
        }
    }
}
