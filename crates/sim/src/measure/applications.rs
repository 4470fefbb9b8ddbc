//! Deliveries of the applications of explicit flows: responses and the table of applications.

use super::columns::Table;
use super::responses::Responses;
use crate::applications::{PeriodRecord, VideoRecord};
use mesonet_cc::seconds;

/// Percentiles of delays.
const DELAYS: [f64; 3] = [0.5, 0.95, 0.99];

/// Names of the delays of frames and of datagrams, in the order of the percentiles.
const FRAME_DELAYS: [&str; 3] = ["frame_delay_p50", "frame_delay_p95", "frame_delay_p99"];
const DATAGRAM_DELAYS: [&str; 3] = ["datagram_delay_p50", "datagram_delay_p95", "datagram_delay_p99"];

/// One explicit flow that has an application, by measured period.
#[derive(Clone, Debug)]
pub struct FlowApplication {
    /// Number of the flow, from 1.
    pub flow: u64,
    /// Name of its user.
    pub user: String,
    /// Name of its congestion control; empty without one.
    pub algorithm: String,
    /// Word for the class of its path.
    pub path_class: &'static str,
    /// Word for the class of its round-trip propagation delay.
    pub rtt_class: &'static str,
    /// Name of the point of presence above its home end.
    pub pop: String,
    /// Kind of access of its home end.
    pub access: String,
    /// Word for the application.
    pub application: &'static str,
    /// Word for the transport.
    pub transport: &'static str,
    /// Word for the receiver.
    pub receiver: &'static str,
    /// Deliveries to the receiver, by period.
    pub records: Vec<PeriodRecord>,
    /// Segments sent and segments dropped, where it sends datagrams.
    pub counts: Option<Vec<[u64; 2]>>,
    /// Playback by period, where it has a video.
    pub video: Option<Vec<VideoRecord>>,
}

/// Deliveries of applications of one kind in some periods.
#[derive(Clone, Debug, Default)]
struct Sum {
    flows: usize,
    record: PeriodRecord,
    sent: u64,
    dropped: u64,
    video: VideoRecord,
}

impl Sum {
    fn add(&mut self, flow: &FlowApplication, periods: &std::ops::Range<usize>) {
        self.flows += 1;
        flow.records[periods.clone()].iter().for_each(|record| self.record.merge(record));
        for [sent, dropped] in flow.counts.iter().flat_map(|counts| &counts[periods.clone()]) {
            self.sent += sent;
            self.dropped += dropped;
        }
        flow.video.iter().flat_map(|video| &video[periods.clone()]).for_each(|video| self.video.merge(video));
    }
}

fn sum<'a>(flows: impl Iterator<Item = &'a FlowApplication>, periods: &std::ops::Range<usize>) -> Sum {
    let mut sum = Sum::default();
    flows.for_each(|flow| sum.add(flow, periods));
    sum
}

/// Milliseconds of a number of microseconds.
fn ms(us: f64) -> f64 {
    us * 1e-3
}

/// The responses of some measured periods (from 0): of the frames, then of the datagrams and the videos. NaN
/// without such flows.
#[must_use]
pub fn responses(flows: &[FlowApplication], periods: &std::ops::Range<usize>) -> Responses {
    let frames = sum(flows.iter().filter(|flow| flow.application == "frames"), periods);
    let datagrams = sum(flows.iter().filter(|flow| flow.counts.is_some()), periods);
    let videos = sum(flows.iter().filter(|flow| flow.video.is_some()), periods);
    let count = |of: &Sum, count: u64| if of.flows > 0 { count as f64 } else { f64::NAN };
    let mut responses = vec![
        ("frames_sent", count(&frames, frames.record.messages)),
        ("frames_delivered", count(&frames, frames.record.delivered)),
        ("frames_late", count(&frames, frames.record.late())),
    ];
    let delays = FRAME_DELAYS.iter().zip(DELAYS);
    responses.extend(delays.map(|(name, q)| (*name, ms(frames.record.delays.quantile(q)))));
    responses.extend([
        ("datagrams_sent", count(&datagrams, datagrams.sent)),
        ("datagrams_delivered", count(&datagrams, datagrams.record.segments)),
        ("datagrams_lost", count(&datagrams, datagrams.dropped)),
    ]);
    let delays = DATAGRAM_DELAYS.iter().zip(DELAYS);
    responses.extend(delays.map(|(name, q)| (*name, ms(datagrams.record.segment_delays.quantile(q)))));
    responses.extend([
        ("circuit_breaker_trips", count(&datagrams, datagrams.record.trips)),
        ("video_bitrate", videos.video.bitrate()),
        ("video_rebuffering", videos.video.rebuffering()),
        ("video_stalls", count(&videos, videos.video.stalls)),
        ("video_startup_delay", videos.video.startup_delay()),
        ("video_switches", count(&videos, videos.video.switches)),
    ]);
    responses
}

/// The table: a row for each period, and for all together (`measured`), and each flow.
#[must_use]
pub fn table(flows: &[FlowApplication], periods: usize) -> Table {
    let mut rows: Vec<(String, &FlowApplication, Sum)> = Vec::new();
    for period in 0..=periods {
        let (name, span) = if period == periods {
            ("measured".to_string(), 0..periods)
        } else {
            ((period + 1).to_string(), period..period + 1)
        };
        rows.extend(flows.iter().map(|flow| (name.clone(), flow, sum(std::iter::once(flow), &span))));
    }
    let mut table = Table::default();
    let text = |f: &dyn for<'a> Fn(&'a FlowApplication) -> &'a str| {
        rows.iter().map(|row| f(row.1).to_string()).collect::<Vec<_>>()
    };
    let whole = |f: &dyn Fn(&Sum) -> u64| rows.iter().map(|row| f(&row.2)).collect::<Vec<_>>();
    let float = |f: &dyn Fn(&Sum) -> f64| rows.iter().map(|row| f(&row.2)).collect::<Vec<_>>();
    let of_datagrams = |f: &dyn Fn(&Sum) -> u64| {
        let value = |(_, flow, sum): &(String, &FlowApplication, Sum)| {
            if flow.counts.is_some() { f(sum) as f64 } else { f64::NAN }
        };
        rows.iter().map(value).collect::<Vec<_>>()
    };
    table.text("period", rows.iter().map(|row| row.0.clone()).collect());
    table.integer("flow", rows.iter().map(|row| row.1.flow).collect());
    table.text("user", text(&|flow| &flow.user));
    table.text("algorithm", text(&|flow| &flow.algorithm));
    table.text("path_class", text(&|flow| flow.path_class));
    table.text("rtt_class", text(&|flow| flow.rtt_class));
    table.text("pop", text(&|flow| &flow.pop));
    table.text("access", text(&|flow| &flow.access));
    table.text("application", text(&|flow| flow.application));
    table.text("transport", text(&|flow| flow.transport));
    table.text("receiver", text(&|flow| flow.receiver));
    table.integer("messages", whole(&|sum| sum.record.messages));
    table.integer("messages_delivered", whole(&|sum| sum.record.delivered));
    table.integer("messages_late", whole(&|sum| sum.record.late()));
    for (name, q) in
        ["message_delay_p50_ms", "message_delay_p95_ms", "message_delay_p99_ms"].iter().zip(DELAYS)
    {
        table.float(name, float(&|sum| ms(sum.record.delays.quantile(q))));
    }
    table.float("segments_sent", of_datagrams(&|sum| sum.sent));
    table.integer("segments_received", whole(&|sum| sum.record.segments));
    table.float("segments_dropped", of_datagrams(&|sum| sum.dropped));
    for (name, q) in
        ["segment_delay_p50_ms", "segment_delay_p95_ms", "segment_delay_p99_ms"].iter().zip(DELAYS)
    {
        table.float(name, float(&|sum| ms(sum.record.segment_delays.quantile(q))));
    }
    table.float("circuit_breaker_trips", of_datagrams(&|sum| sum.record.trips));
    let of_videos = |f: &dyn Fn(&VideoRecord) -> f64| {
        let value = |(_, flow, sum): &(String, &FlowApplication, Sum)| {
            if flow.video.is_some() { f(&sum.video) } else { f64::NAN }
        };
        rows.iter().map(value).collect::<Vec<_>>()
    };
    table.float("video_bitrate", of_videos(&VideoRecord::bitrate));
    table.float("video_rebuffering", of_videos(&VideoRecord::rebuffering));
    table.float("video_played_s", of_videos(&|video| seconds(video.played)));
    table.float("video_stalled_s", of_videos(&|video| seconds(video.stalled)));
    table.float("video_stalls", of_videos(&|video| video.stalls as f64));
    table.float("video_startup_delay_s", of_videos(&VideoRecord::startup_delay));
    table.float("video_switches", of_videos(&|video| video.switches as f64));
    table
}
