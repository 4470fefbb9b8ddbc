//! A player of a video: it asks for one chunk after the other, and plays what has arrived.
//!
//! The player is where the sender is. The request for a chunk carries the acknowledgement of the chunk before
//! it, so that the sender knows each request, and each arrival, one way back later. All durations are as at
//! the receiver. A video is played in real time once the buffer holds enough. Without a chunk to play it
//! stalls.

use super::Act;
use crate::scenario::{Abr, ExplicitFlow, Source, Video};
use crate::snapshot::{BadSnapshot, Passage};
use mesonet_cc::{Picos, picos};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Bitrates are counted in millionths of a segment per second.
const RATE_UNIT: f64 = 1e6;

/// Playback of videos in a measured period.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VideoRecord {
    /// Videos that were started.
    pub started: u64,
    /// Time until they were played, or until now.
    pub startup: Picos,
    /// Time for which videos were played.
    pub played: Picos,
    /// Bitrate times the time for which it was played, 10^-18 segments.
    pub data: u128,
    /// Time for which videos stood still after they had been played.
    pub stalled: Picos,
    /// Times at which a video came to a stand.
    pub stalls: u64,
    /// Times at which a chunk was played that had another bitrate than the one before it.
    pub switches: u64,
}

impl VideoRecord {
    /// Adds another one.
    pub fn merge(&mut self, other: &Self) {
        self.started += other.started;
        self.startup += other.startup;
        self.played += other.played;
        self.data += other.data;
        self.stalled += other.stalled;
        self.stalls += other.stalls;
        self.switches += other.switches;
    }

    /// Mean bitrate of what was played, segments/s; NaN if nothing was.
    #[must_use]
    pub fn bitrate(&self) -> f64 {
        self.data as f64 / RATE_UNIT / self.played as f64
    }

    /// Part of the time, from the first playback on, in which videos stood still; NaN without such time.
    #[must_use]
    pub fn rebuffering(&self) -> f64 {
        self.stalled as f64 / (self.stalled + self.played) as f64
    }

    /// Mean time from the start of a video to its playback, s; NaN if none was started.
    #[must_use]
    pub fn startup_delay(&self) -> f64 {
        self.startup as f64 * 1e-12 / self.started as f64
    }
}

/// Stage of a playback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Stage {
    Starting,
    Playing,
    Stalled,
}

/// A chunk that was asked for and has not arrived.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Fetch {
    rung: usize,
    asked: Picos,
}

/// State that changes during a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Playback {
    /// It is known up to this instant.
    at: Picos,
    stage: Stage,
    /// Rungs of the chunks in the buffer; the first one is played.
    chunks: VecDeque<usize>,
    /// Part of the first chunk that has been played.
    played: Picos,
    /// Rung that was played last.
    shown: Option<usize>,
    /// The chunk that was asked for and has not arrived.
    fetch: Option<Fetch>,
    /// Rung of the last request.
    rung: usize,
    /// Segments of all requests.
    end: u64,
    /// Segments of the last chunks, and the time from request to arrival.
    fetched: VecDeque<(u64, Picos)>,
    /// By measured period from 1; the first has what lies outside of them.
    periods: Vec<VideoRecord>,
}

/// A player of a video.
#[derive(Clone, Debug)]
pub struct Player {
    video: Video,
    start: Picos,
    /// Nothing happens from here on.
    stop: Picos,
    chunk: Picos,
    buffer: Picos,
    startup: Picos,
    resume: Picos,
    playback: Playback,
}

impl Player {
    /// The player of an explicit flow in a run of so many measured periods; none where the flow has no video.
    #[must_use]
    pub fn new(flow: &ExplicitFlow, periods: usize) -> Option<Self> {
        let Source::Video(video) = &flow.application.as_ref()?.source else { return None };
        let start = picos(flow.start);
        Some(Self {
            start,
            stop: flow.stop.map_or(Picos::MAX, picos),
            chunk: picos(video.chunk_time),
            buffer: picos(video.playback_buffer),
            startup: picos(video.startup_buffer),
            resume: picos(video.resume_buffer),
            playback: Playback {
                at: start,
                stage: Stage::Starting,
                chunks: VecDeque::new(),
                played: 0,
                shown: None,
                fetch: None,
                rung: 0,
                end: 0,
                fetched: VecDeque::new(),
                periods: vec![VideoRecord::default(); periods + 1],
            },
            video: video.clone(),
        })
    }

    /// The next request and its instant; none while the player waits for a chunk, and after the end.
    #[must_use]
    pub fn next(&self) -> Option<(Picos, Act)> {
        let (at, level) = self.request()?;
        let end = self.playback.end + self.size(self.choose(level));
        (at < self.stop).then_some((at, Act::Give(end)))
    }

    /// Moves on to what comes after the next request.
    pub fn advance(&mut self) {
        let Some((asked, level)) = self.request() else { return };
        let rung = self.choose(level);
        self.playback.end += self.size(rung);
        self.playback.rung = rung;
        self.playback.fetch = Some(Fetch { rung, asked });
    }

    /// All of the chunk that was asked for has arrived; `span` gives the end of the measured period that an
    /// instant lies in or begins, and the number of the period, from 1.
    pub fn arrived(&mut self, now: Picos, span: impl Fn(Picos) -> (Picos, usize)) {
        let Some(Fetch { rung, asked }) = self.playback.fetch.take() else { return };
        self.play(now, span);
        let size = self.size(rung);
        let Playback { chunks, fetched, .. } = &mut self.playback;
        chunks.push_back(rung);
        if let Abr::Rate { rate_chunks, .. } = self.video.abr {
            fetched.push_back((size, now - asked));
            while fetched.len() > rate_chunks as usize {
                fetched.pop_front();
            }
        }
        let enough = match self.playback.stage {
            Stage::Starting => self.startup,
            Stage::Playing => return,
            Stage::Stalled => self.resume,
        };
        if self.level() >= enough {
            self.playback.stage = Stage::Playing;
        }
    }

    /// The records by measured period, from 0, as they stand at `now`.
    #[must_use]
    pub fn records(&self, now: Picos, span: impl Fn(Picos) -> (Picos, usize)) -> Vec<VideoRecord> {
        let mut player = self.clone();
        player.play(now, span);
        player.playback.periods.split_off(1)
    }

    /// Video in the buffer.
    fn level(&self) -> Picos {
        self.playback.chunks.len() as Picos * self.chunk - self.playback.played
    }

    /// The instant of the next request, and the video in the buffer then: as soon as a chunk fits.
    fn request(&self) -> Option<(Picos, Picos)> {
        let (level, room) = (self.level(), self.buffer - self.chunk);
        // A video whose buffer is full is played: `Video::check`.
        let wait = level.saturating_sub(room);
        self.playback.fetch.is_none().then_some((self.playback.at + wait, level - wait))
    }

    /// Segments of a chunk.
    fn size(&self, rung: usize) -> u64 {
        (self.video.ladder[rung] * self.video.chunk_time).ceil() as u64
    }

    /// The rung of the next chunk, with so much video in the buffer.
    fn choose(&self, level: Picos) -> usize {
        let ladder = &self.video.ladder;
        let below = |rate: f64| ladder.partition_point(|rung| *rung <= rate).saturating_sub(1);
        match self.video.abr {
            Abr::Buffer { reservoir, cushion } => {
                // A player that asks holds at most so much.
                let most = (self.buffer - self.chunk).max(1);
                self.by_buffer(level as f64 / most as f64, reservoir, cushion)
            }
            // Jiang et al., "Improving fairness, efficiency, and stability in HTTP-based adaptive video
            // streaming with FESTIVE", CoNEXT 2012: the harmonic mean of the throughputs.
            Abr::Rate { rate_safety, .. } => {
                let fetched = &self.playback.fetched;
                let inverse = |(size, took): &(u64, Picos)| *took as f64 * 1e-12 / *size as f64;
                let mean = fetched.len() as f64 / fetched.iter().map(inverse).sum::<f64>();
                if fetched.is_empty() { 0 } else { below(rate_safety * mean) }
            }
            Abr::Fixed { rung } => rung as usize - 1,
        }
    }

    /// BBA-0: Huang et al., "A buffer-based approach to rate adaptation", SIGCOMM 2014, algorithm 1. `level`,
    /// `reservoir` and `cushion` are shares of the most that a player holds which asks.
    fn by_buffer(&self, level: f64, reservoir: f64, cushion: f64) -> usize {
        let (ladder, last) = (&self.video.ladder, self.playback.rung);
        let highest = ladder.len() - 1;
        if level <= reservoir {
            return 0;
        }
        if level >= reservoir + cushion {
            return highest;
        }
        let map = ladder[0] + (level - reservoir) / cushion * (ladder[highest] - ladder[0]);
        if map >= ladder[(last + 1).min(highest)] {
            // The highest rung below the map.
            ladder.partition_point(|rung| *rung < map).saturating_sub(1)
        } else if map <= ladder[last.saturating_sub(1)] {
            // The lowest rung above it.
            ladder.partition_point(|rung| *rung <= map).min(highest)
        } else {
            last
        }
    }

    /// Plays until `now`.
    fn play(&mut self, now: Picos, span: impl Fn(Picos) -> (Picos, usize)) {
        let now = now.min(self.stop);
        let Playback { at, stage, chunks, played, shown, periods, .. } = &mut self.playback;
        while *at < now {
            let (end, period) = span(*at);
            let mut until = now.min(end);
            if *at == self.start {
                periods[period].started += 1;
            }
            if *stage == Stage::Playing {
                match chunks.front() {
                    Some(rung) => {
                        if *played == 0 {
                            let before = shown.replace(*rung);
                            periods[period].switches +=
                                u64::from(before.is_some_and(|before| before != *rung));
                        }
                        until = until.min(*at + self.chunk - *played);
                    }
                    None => {
                        *stage = Stage::Stalled;
                        periods[period].stalls += 1;
                    }
                }
            }
            let time = until - *at;
            match stage {
                Stage::Starting => periods[span(self.start).1].startup += time,
                Stage::Stalled => periods[period].stalled += time,
                Stage::Playing => {
                    let rate = (self.video.ladder[chunks[0]] * RATE_UNIT) as u128;
                    periods[period].played += time;
                    periods[period].data += rate * u128::from(time);
                    *played += time;
                    if *played == self.chunk {
                        chunks.pop_front();
                        *played = 0;
                    }
                }
            }
            *at = until;
        }
    }

    /// Writes or replaces what changes during a run.
    ///
    /// # Errors
    /// [`BadSnapshot`] where the bytes are none of it.
    pub fn pass(&mut self, passage: &mut Passage) -> Result<(), BadSnapshot> {
        let Self { video: _, start: _, stop: _, chunk: _, buffer: _, startup: _, resume: _, playback } = self;
        passage.field(playback)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Application;
    use mesonet_cc::{MILLISECOND, SECOND};

    /// Chunks of 4 s, of which 5 fit into the buffer.
    fn video(ladder: &[f64], abr: Abr) -> Video {
        Video {
            ladder: ladder.to_vec(),
            chunk_time: 4.0,
            playback_buffer: 20.0,
            startup_buffer: 4.0,
            resume_buffer: 8.0,
            abr,
        }
    }

    fn player(video: Video) -> Player {
        let application = Application { source: Source::Video(video), late_after: 0.0, report_interval: 0.0 };
        let flow =
            ExplicitFlow { start: 1.0, application: Some(application), ..ExplicitFlow::between("A", "B") };
        Player::new(&flow, 2).unwrap()
    }

    /// Two measured periods of 50 s from 1 s on.
    fn span(now: Picos) -> (Picos, usize) {
        match now / SECOND {
            0 => (SECOND, 0),
            1..51 => (51 * SECOND, 1),
            51..101 => (101 * SECOND, 2),
            _ => (Picos::MAX, 0),
        }
    }

    /// Instants of the requests, ms, and their rungs, over a path that carries `rate` segments/s at an
    /// instant.
    fn fetches(player: &mut Player, count: usize, rate: impl Fn(Picos) -> u64) -> Vec<(u64, usize)> {
        let (mut end, mut now) = (player.playback.end, 0);
        let mut fetch = || {
            let (at, act) = player.next()?;
            let Act::Give(next) = act else { panic!("{act:?}") };
            player.advance();
            assert_eq!(player.next(), None);
            assert!(at >= now);
            let rung = player.playback.rung;
            now = at + SECOND * (next - end) / rate(at);
            end = next;
            player.arrived(now, span);
            Some((at / MILLISECOND, rung))
        };
        std::iter::from_fn(&mut fetch).take(count).collect()
    }

    /// Half the bitrate: of 8 s in which a chunk comes, 4 are played.
    #[test]
    fn a_path_slower_than_the_lowest_bitrate_stalls() {
        let slow = Video { resume_buffer: 4.0, ..video(&[100.0, 300.0], Abr::Fixed { rung: 1 }) };
        let mut player = player(slow);
        fetches(&mut player, 20, |_| 50);
        let [first, second] = &player.records(101 * SECOND, span)[..] else { panic!("two periods") };
        // Chunks arrive at 9, 17, 25, ... s.
        assert_eq!((first.started, first.startup, second.started, second.startup), (1, 8 * SECOND, 0, 0));
        assert_eq!((first.played, first.stalled, first.stalls), (22 * SECOND, 20 * SECOND, 5));
        assert_eq!((second.played, second.stalled, second.stalls), (26 * SECOND, 24 * SECOND, 6));
        assert!((first.bitrate() - 100.0).abs() < 1e-9);
        assert_eq!((first.switches, second.switches), (0, 0));
    }

    /// A stall ends when two chunks have arrived.
    #[test]
    fn a_stall_ends_with_the_resume_buffer() {
        let mut player = player(video(&[100.0], Abr::Fixed { rung: 1 }));
        fetches(&mut player, 3, |_| 50);
        // Played from 9 to 13 s, and from 25 s to 33 s, where the next chunk arrives: that is no stall.
        let record = player.records(33 * SECOND, span).swap_remove(0);
        assert_eq!((record.played, record.stalled, record.stalls), (12 * SECOND, 12 * SECOND, 1));
        fetches(&mut player, 2, |_| 50);
        let record = player.records(41 * SECOND, span).swap_remove(0);
        assert_eq!((record.played, record.stalled, record.stalls), (16 * SECOND, 16 * SECOND, 2));
    }

    /// A chunk takes 1 s. The buffer is full after 7 of them: then a chunk for each that was played.
    #[test]
    fn a_full_buffer_asks_once_a_chunk() {
        let mut player = player(video(&[100.0], Abr::Fixed { rung: 1 }));
        let found: Vec<_> = fetches(&mut player, 9, |_| 400).into_iter().map(|(at, _)| at).collect();
        // The playback begins at 2 s, so that the buffer holds 4 (n - (t - 2) / 4) s after n chunks.
        assert_eq!(found, [1000, 2000, 3000, 4000, 5000, 6000, 10_000, 14_000, 18_000]);
    }

    /// A player that asks holds 16 s at most. The reservoir is 5 s and the cushion 10 s: the map is
    /// 100 + 30 (level - 5).
    #[test]
    fn the_buffer_chooses() {
        let mut player =
            player(video(&[100.0, 200.0, 300.0, 400.0], Abr::Buffer { reservoir: 0.3125, cushion: 0.625 }));
        for (last, level, expected) in [
            (0, 5.0, 0),
            (3, 5.0, 0),
            (0, 8.0, 0),  // 190: below the next rung
            (0, 8.5, 1),  // 205
            (0, 12.0, 2), // 310
            (2, 8.5, 2),  // 205: above the rung before
            (2, 8.0, 1),  // 190: the lowest above
            (3, 6.0, 1),  // 130
            (1, 14.9, 2), // 397
            (1, 15.0, 3),
            (3, 16.0, 3),
        ] {
            player.playback.rung = last;
            let level = (level * SECOND as f64) as Picos;
            assert_eq!(player.choose(level), expected, "{level} after {last}");
        }
    }

    /// Throughputs of 100, 300 and 600 segments/s: their harmonic mean is 200, of the last two 400.
    #[test]
    fn the_throughput_chooses() {
        let ladder: Vec<f64> = (1..9).map(|rung| 50.0 * f64::from(rung)).collect();
        let choose = |rate_chunks, rate_safety| {
            let mut player = player(video(&ladder, Abr::Rate { rate_chunks, rate_safety }));
            assert_eq!(player.choose(0), 0);
            let rates = [100, 300, 600];
            for rate in rates {
                player.advance();
                let Fetch { rung, asked } = player.playback.fetch.unwrap();
                player.arrived(asked + player.size(rung) * SECOND / rate, span);
            }
            ladder[player.choose(0)]
        };
        assert_eq!(choose(20, 1.0), 200.0);
        assert_eq!(choose(20, 0.85), 150.0);
        assert_eq!(choose(2, 1.0), 400.0);
        assert_eq!(choose(2, 0.1), 50.0);
    }

    /// 400 segments/s until 20 s, then 50: at first the throughput allows 300, later the harmonic mean does
    /// not.
    #[test]
    fn the_bitrate_falls_with_the_path() {
        let abr = Abr::Rate { rate_chunks: 2, rate_safety: 1.0 };
        let mut player = player(video(&[40.0, 90.0, 300.0], abr));
        let found = fetches(&mut player, 9, |at| if at < 20 * SECOND { 400 } else { 50 });
        // A chunk of 40 takes .4 s, of 300 it takes 3 s at first and 24 s later. The playback begins at
        // 1.4 s. Harmonic means: 400, then 2 / (1 / 400 + 1 / 50) = 89, then 50.
        let expected = [
            (1000, 0),
            (1400, 2),
            (4400, 2),
            (7400, 2),
            (10_400, 2),
            (13_400, 2),
            (16_400, 2),
            (19_400, 2),
            (22_400, 2),
        ];
        assert_eq!(found, expected);
        // 8 chunks until 22.4 s, of which 21 s have been played: 11 s are left, and a chunk of 24 s.
        let record = player.records(46_400 * MILLISECOND, span).swap_remove(0);
        assert_eq!((record.played, record.stalled, record.stalls), (32 * SECOND, 13 * SECOND, 1));
        assert_eq!(record.switches, 1);
        let data = (4.0 * 40.0 + 28.0 * 300.0) / 32.0;
        assert!((record.bitrate() - data).abs() < 1e-9, "{}", record.bitrate());
        let later = fetches(&mut player, 2, |_| 50);
        assert_eq!(later, [(46_400, 0), (49_600, 0)]);
    }

    #[test]
    fn a_video_that_stops_asks_for_no_more() {
        let mut player = player(video(&[100.0], Abr::Fixed { rung: 1 }));
        player.stop = 6 * SECOND;
        assert_eq!(fetches(&mut player, 9, |_| 400).len(), 5);
        let record = player.records(50 * SECOND, span).swap_remove(0);
        assert_eq!((record.startup, record.played), (SECOND, 4 * SECOND));
    }
}
