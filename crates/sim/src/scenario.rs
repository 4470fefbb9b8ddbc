//! A scenario: every parameter of a run, typed, in base units (seconds, segments, segments per second).
//!
//! The canonical JSON of the Python package deserialises into [`Scenario`]; unknown keys are refused.
//! Defaults, units in text and presets belong to the Python side: here every value is given. Labels X1 to X20
//! are those of the study.

use crate::network::RouterClass;
use mesonet_cc::plugin::{self, Plugin, PluginConfig};
use mesonet_cc::{
    Codepoint, Common, Config, HyStart, HyStartRules, IdleRule, SlowStart, SlowStartRules, TimeoutRule,
    WindowBasis, picos, registry,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

mod application;
mod arrivals;
pub mod bounds;
mod changes;
mod deployment;
mod receiver;
mod stacks;
mod topology;
mod traffic;

pub use crate::disciplines::{AqmParameters, BufferUnit, DisciplineName};
pub use application::{Abr, Application, Law, Protocol, Source, Video};
pub use arrivals::{ArrivalProcess, Gaps, Sizes};
pub(crate) use bounds::within;
pub use deployment::{Deployment, Ranks, Unit};
pub use receiver::ReceiverKind;
pub use stacks::StackSpec;
pub use topology::{
    GivenLink, GivenRouter, GivenTopology, LinkValues, PlaceRule, Places, TierParameters, TopologyChoice,
};
pub use traffic::{Demand, Traffic, TrafficRule};

/// Beginnings of the names of users that have none of their own: of sources, homes and explicit flows.
pub const UNNAMED_USERS: [&str; 3] = ["source ", "home ", "flow "];

/// Why a scenario was refused: where, and what is allowed.
#[derive(Clone, Debug, PartialEq)]
pub struct InvalidScenario {
    /// Dotted path of the offending value.
    pub path: String,
    /// The value and what is allowed.
    pub message: String,
}

impl fmt::Display for InvalidScenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

impl std::error::Error for InvalidScenario {}

/// Shorthand for a refusal.
pub(crate) fn invalid(path: impl Into<String>, message: impl Into<String>) -> InvalidScenario {
    InvalidScenario { path: path.into(), message: message.into() }
}

/// All parameters of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The network (X4).
    pub topology: TopologyChoice,
    /// Routers built below a backbone.
    pub tiers: TierParameters,
    /// Values of links in place of the values of the topology.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<LinkValues>,
    /// Preset from which the defaults came; for the record only.
    pub preset: String,
    /// Speeds, delays, buffers.
    pub network: NetworkParameters,
    /// Queue disciplines.
    pub aqm: AqmParameters,
    /// Effects of links on the segments that cross them.
    pub impairments: ImpairmentParameters,
    /// Effects of other links on the segments that cross them, by the name of the set.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub impairment_sets: BTreeMap<String, ImpairmentParameters>,
    /// Places and behaviour of users.
    pub users: UserParameters,
    /// Connection establishment.
    pub connection: ConnectionParameters,
    /// The sender.
    pub transport: TransportParameters,
    /// Congestion controls and their shares of the sources (X15).
    pub algorithms: Vec<AlgorithmShare>,
    /// Explicit flows, beside the users.
    pub flows: Vec<ExplicitFlow>,
    /// Open-loop arrivals, beside the users.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arrivals: Vec<ArrivalProcess>,
    /// Shares of algorithms by time and place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deployment: Vec<Deployment>,
    /// Time line.
    pub time: TimeParameters,
    /// The tables and samples to record.
    pub measurement: MeasurementParameters,
    /// The flows and routers to trace.
    pub trace: TraceParameters,
}

/// Speeds, delays, buffers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkParameters {
    /// Base speed, segments/s (X1).
    pub speed: f64,
    /// Speed of backbone routers, segments/s; none, here and below: their multiple of `speed`.
    pub backbone_speed: Option<f64>,
    /// Speed of points of presence.
    pub pop_speed: Option<f64>,
    /// Speed of normal access routers.
    pub normal_speed: Option<f64>,
    /// Speed of fast access routers.
    pub fast_speed: Option<f64>,
    /// Speed of direct access routers.
    pub direct_speed: Option<f64>,
    /// Speed of plain routers.
    pub plain_speed: Option<f64>,
    /// Factor on the propagation delay of every link (X2).
    pub delay_multiplier: f64,
    /// Buffer of every router (X3).
    pub buffer: BufferRule,
    /// Smallest buffer, segments.
    pub buffer_floor: u64,
    /// The segment in service occupies a place of the buffer.
    pub buffer_counts_in_service: bool,
    /// Unit in which buffers count where segments have a size.
    pub buffer_counts: BufferUnit,
    /// A router marks a segment of a flow that uses ECN if more segments than this are in the router,
    /// including the segment in service; none: no marks.
    pub ecn_threshold: Option<f64>,
    /// Change of the ECN field of data by hops.
    pub ecn_rewrite: EcnRewrite,
    /// The queues before which they do: all, classes of routers, routers, or ports.
    pub ecn_rewrite_at: Vec<String>,
    /// The way of acknowledgements and SYN-ACKs.
    pub ack_path: AckPath,
    /// The place of queues.
    pub queue: QueuePlace,
    /// Size of an acknowledgement or a SYN-ACK, bytes; a port serves it in less time than data.
    pub ack_bytes: f64,
    /// Multiplies the capacities that the topology gives its links.
    pub capacity_factor: f64,
    /// Use of routes of equal cost.
    pub routing: Routing,
    /// Changes during the run.
    pub changes: Vec<GivenChange>,
}

impl NetworkParameters {
    /// Speed of the routers of a class, segments/s; none: its multiple of `speed`.
    #[must_use]
    pub fn class_speed(&self, class: RouterClass) -> Option<f64> {
        match class {
            RouterClass::Backbone => self.backbone_speed,
            RouterClass::Pop => self.pop_speed,
            RouterClass::Normal => self.normal_speed,
            RouterClass::Fast => self.fast_speed,
            RouterClass::Direct => self.direct_speed,
            RouterClass::Plain => self.plain_speed,
        }
    }
}

/// Effects of some links on the segments that cross them.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImpairmentParameters {
    /// The links, by direction: all, classes of routers, routers, links, or directions of links.
    pub at: Vec<String>,
    /// The segments concerned.
    pub of: Concerned,
    /// Probability that a segment is lost, in the good state.
    pub loss: Timed,
    /// Probability that a segment is lost, in the bad state.
    pub loss_bad: Timed,
    /// Probability that a segment ends the good state.
    pub to_bad: Timed,
    /// Probability that a segment ends the bad state.
    pub to_good: Timed,
    /// Law of random delays.
    pub jitter: JitterLaw,
    /// Their mean, s.
    pub jitter_mean: Timed,
    /// Time for which a random delay holds, s; 0 for one segment.
    pub jitter_slot: f64,
    /// Segments wait for those that left before them.
    pub keep_order: bool,
    /// Probability that a segment is late.
    pub late: Timed,
    /// By how much, s.
    pub late_by: Timed,
    /// Probability that a segment arrives twice.
    pub duplicate: Timed,
    /// Fate of segments in an outage.
    pub outage: OutageKind,
    /// Beginning of the first outage, s.
    pub outage_start: f64,
    /// Length of each outage, s; 0 for none.
    pub outage_length: f64,
    /// Time from the beginning of an outage to that of the next, s; 0 for one outage.
    pub outage_period: f64,
    /// Beginnings and lengths of outages, in place of these.
    pub outages: Option<Points>,
    /// Rate of a policer, segments/s; 0: no policer.
    pub policer_rate: Timed,
    /// Bucket of the policer, segments.
    pub policer_burst: Timed,
    /// Added delays by time.
    pub delays: Option<Points>,
    /// Rates by time.
    pub capacity: Option<CapacityTrace>,
    /// Buffers by time, segments.
    pub buffers: Option<Points>,
}

impl ImpairmentParameters {
    /// There are outages.
    #[must_use]
    pub fn has_outage(&self) -> bool {
        self.outage_length > 0.0 || self.outages.is_some()
    }
}

/// Segments that an impairment concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Concerned {
    /// Data.
    Data,
    /// Acknowledgements.
    Acks,
    /// All.
    Both,
}

/// The law of random delays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JitterLaw {
    /// None.
    None,
    /// Uniform from 0 to twice the mean.
    Uniform,
    /// Exponential.
    Exponential,
    /// Wi-Fi (draft-huitema-ccwg-c4-test).
    Wifi,
}

/// Fate of segments in an outage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutageKind {
    /// They are lost.
    Drop,
    /// They wait in the queue, which is not served.
    Hold,
}

/// A number, or numbers that hold from instants on.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Timed {
    /// One number.
    Constant(f64),
    /// Numbers by time, the first one at 0.
    Points(Points),
}

impl Timed {
    /// All its numbers.
    pub fn values(&self) -> impl Iterator<Item = f64> {
        let (one, points) = match self {
            Self::Constant(value) => (Some(*value), &[][..]),
            Self::Points(points) => (None, points.points.as_slice()),
        };
        one.into_iter().chain(points.iter().map(|[_, value]| *value))
    }

    /// It is above 0 at some time.
    #[must_use]
    pub fn is_used(&self) -> bool {
        self.values().any(|value| value > 0.0)
    }
}

/// Numbers that hold from instants on.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Points {
    /// Time, s, and number; rising by time.
    pub points: Vec<[f64; 2]>,
    /// After how long they begin again, s; none: never.
    pub period: Option<f64>,
}

/// Rates of links by time.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CapacityTrace {
    /// Meaning of the points.
    pub kind: CapacityKind,
    /// Time, s, and rate from then on, segments/s, or segments that may leave then; rising by time. The first
    /// rate holds before its time, too.
    pub points: Vec<[f64; 2]>,
    /// After how long they begin again, s; none: never.
    pub period: Option<f64>,
}

/// Meaning of the points of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CapacityKind {
    /// Rates.
    Rates,
    /// Opportunities, as in files of mahimahi.
    Opportunities,
}

/// Change of the ECN field of the segments that a hop forwards (RFC 9331, section 5.4.1.1, has reasons).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EcnRewrite {
    /// Nothing.
    None,
    /// It clears the field, marks included: bleaching.
    NotEct,
    /// ECT(1) becomes ECT(0).
    Ect0,
    /// ECT(0) becomes ECT(1).
    Ect1,
}

/// The place of queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueuePlace {
    /// One in each router: all its links share a server and a buffer, and segments have no size.
    Router,
    /// One at each output of a router: it serves at the capacity of the link, in bytes.
    Port,
}

/// Use of routes of equal cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Routing {
    /// All flows take the route of the fewest links, then of the first routers.
    Shortest,
    /// Flows share the routes by a hash.
    Ecmp,
}

/// The way of acknowledgements and SYN-ACKs from the receiver back to the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AckPath {
    /// Propagation only: no router serves or drops them.
    Delay,
    /// Through the routers of the way back, in the queues of data: each takes a place and a service time, and
    /// may be dropped.
    Queued,
    /// Through the routers of the way back, in queues of their own: every router serves acknowledgements
    /// beside data, at the speed for data and with a buffer of the size for data.
    Direction,
}

/// A router's speed, or a link's delay, routing cost or state, from an instant on; speeds and delays by their
/// value, or as a multiple of that at the start.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenChange {
    /// When, s.
    pub time: f64,
    /// Name of a router.
    pub router: Option<String>,
    /// Names of the routers at the ends of a link.
    pub link: Option<[String; 2]>,
    /// Speed of the router, segments/s.
    pub speed: Option<f64>,
    /// One-way propagation delay of the link, s.
    pub delay: Option<f64>,
    /// Times the value at the start.
    pub factor: Option<f64>,
    /// Routing cost of the link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// State of the link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<GivenState>,
}

/// State of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GivenState {
    /// It carries segments.
    Up,
    /// It loses what leaves for it, and no route uses it.
    Down,
}

impl GivenChange {
    /// It moves no segment: routes change, no speed and no delay.
    #[must_use]
    pub fn is_of_routes(&self) -> bool {
        self.cost.is_some() || self.state.is_some()
    }
}

/// The size of buffers (X3).
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BufferRule {
    /// The rule.
    pub rule: BufferKind,
    /// Multiplies the rule; for `segments` the size itself, for `time` seconds.
    pub factor: f64,
}

/// Buffer rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BufferKind {
    /// Mean round-trip propagation delay times the router's speed.
    Bdp,
    /// Mean round-trip propagation delay times the router's speed, divided by the square root of the expected
    /// number of flows.
    BdpPerSqrtN,
    /// A fixed number of segments.
    Segments,
    /// Segments that are served in this time, s.
    Time,
}

/// Places and behaviour of users.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserParameters {
    /// Base number of sources under an access router.
    pub base_sources: f64,
    /// Factor on the number of sources (X12).
    pub source_multiplier: f64,
    /// Weight of normal, fast and direct access routers for sources; sums to 1 (X13).
    pub source_distribution: [f64; 3],
    /// Weight of normal, fast and direct access routers for receivers; sums to 1 (X14).
    pub receiver_distribution: [f64; 3],
    /// Mean think time, s (X7).
    pub think_time: f64,
    /// Mean Web object, segments (X5).
    pub web_object_size: f64,
    /// Shape of the Pareto distribution of sizes.
    pub size_shape: f64,
    /// Probability of a document (X6).
    pub document_probability: f64,
    /// Probability of a service pack (X6).
    pub service_pack_probability: f64,
    /// Probability of a movie (X6).
    pub movie_probability: f64,
    /// The rule that decides which files are service packs and movies.
    pub large_files: LargeFiles,
    /// Movies under way in each group, where concurrency limits them.
    pub concurrent_movies: u32,
    /// Service packs under way in each group, where concurrency limits them.
    pub concurrent_service_packs: u32,
    /// Documents are Web objects times this.
    pub document_factor: f64,
    /// Service packs are Web objects times this.
    pub service_pack_factor: f64,
    /// Movies are Web objects times this.
    pub movie_factor: f64,
    /// Probability that a source, and that a receiver, has a fast interface (X11).
    pub fast_interface_probability: f64,
    /// Rate of a normal interface, segments/s.
    pub normal_interface: f64,
    /// Rate of a fast interface, segments/s.
    pub fast_interface: f64,
    /// A receiver may sit under the same backbone router as its source.
    pub allow_same_backbone: bool,
    /// The reading of `receiver_distribution`.
    pub receiver_reading: ReceiverReading,
    /// Sources and their receivers.
    pub traffic: Traffic,
    /// Factor on the rates of a traffic matrix.
    pub traffic_factor: f64,
    /// Start-up pattern (X20).
    pub start: StartPattern,
    /// Probability that a source has finite patience (X8).
    pub patience_probability: f64,
    /// Age at which an impatient source gives up a short flow, or a long flow that is too slow, s.
    pub patience_time: f64,
    /// Time between later checks of a long flow, s.
    pub patience_interval: f64,
    /// A long flow is too slow below this fraction of its largest rate.
    pub patience_rate: f64,
    /// Flows of at most this many mean Web objects are short.
    pub patience_short: f64,
    /// Measured period in which files on very fast paths are jumbo files; 0 for none (X9).
    pub jumbo_period: u32,
    /// Jumbo files are larger by this factor.
    pub jumbo_factor: f64,
    /// Long-lived flows that start with the measured span, on the pairs of the topology (X10).
    pub long_lived_flows: u32,
    /// The unit that takes an algorithm as a whole.
    pub assignment: Unit,
    /// The ranks of units.
    pub ranks: Ranks,
    /// The algorithm that units leave first; none: the usual one of the mix.
    pub incumbent: Option<String>,
}

impl UserParameters {
    /// The probability with which a flow draws a large file, out of the probability for drawn categories.
    #[must_use]
    pub fn drawn(&self, probability: f64) -> f64 {
        if self.large_files == LargeFiles::Drawn { probability } else { 0.0 }
    }
}

/// The unit to which a weight of `receiver_distribution` applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReceiverReading {
    /// Each access router of a class, as for sources.
    PerRouter,
    /// Each class: the weight is the probability that a receiver sits under a router of the class.
    PerClass,
}

/// The rule that decides which files are service packs and movies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LargeFiles {
    /// Each flow draws its category.
    Drawn,
    /// A group of path class, interface rate and algorithm that has too few under way starts one.
    Concurrent,
}

/// Start-up pattern (X20).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StartPattern {
    /// Every source starts thinking.
    Thinking,
    /// A quarter of the sources connects within 200 ms. Another quarter has a quarter of the mean think time
    /// at first.
    HalfEarly,
}

/// Connection establishment.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConnectionParameters {
    /// Flows begin with SYNs; without, they send at once.
    pub establish: bool,
    /// Wait for the answer to the first SYN, s; doubled at each retry.
    pub syn_timeout: f64,
    /// Retries before the wait doubles.
    pub syn_linear_timeouts: u32,
    /// SYNs in all before the attempt fails.
    pub syn_attempts: u32,
    /// Initial window after a SYN had to be repeated, or was marked, segments.
    pub window_after_retry: f64,
    /// Conclusions from a SYN that had to be repeated.
    pub retry_rule: RetryRule,
    /// First SYNs are ECN-capable as data are.
    pub ecn: bool,
}

/// Conclusions of a flow from a SYN that had to be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetryRule {
    /// Each repeated SYN was lost, and no round trip is known (RFC 5681, section 3.1; RFC 6298, section 5.7).
    Rfc,
    /// Only a second repeated SYN reduces the window, and none that timestamps show to be needless. They give
    /// the round trip, too.
    Linux,
}

/// The sender.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TransportParameters {
    /// Initial window, segments (X16).
    pub initial_window: f64,
    /// Initial slow-start threshold, segments (X17).
    pub initial_ssthresh: f64,
    /// Window that an earlier connection saved, segments; 0: none, and no careful resume.
    pub saved_window: f64,
    /// Smallest round-trip time of that connection, s.
    pub saved_rtt: f64,
    /// The recovery of losses.
    pub recovery: RecoveryKind,
    /// The rate of sending during recovery with selective acknowledgements.
    pub prr: PrrKind,
    /// Receivers acknowledge every second segment that arrives in order, and every out-of-order segment at
    /// once.
    pub delayed_acks: bool,
    /// Longest time for which such receivers hold an acknowledgement back, s.
    pub ack_delay: f64,
    /// Acknowledgements of a new flow, and after a duplicate segment, that such receivers send at once.
    pub quick_acks: u32,
    /// Segments that the buffer of such receivers holds at first; 0: they follow no rule of Linux about it.
    pub receive_buffer: u64,
    /// Longest time for which such receivers hold selective acknowledgements back behind a gap, s; 0: not at
    /// all.
    pub sack_compression: f64,
    /// Tick of the timestamps that give congestion control the round-trip time of a retransmitted segment, s;
    /// 0: no timestamps.
    pub timestamp_tick: f64,
    /// Segments of a flow that leave back to back before it is paced.
    pub unpaced_segments: u32,
    /// Most segments that leave a host in one piece; 0: segments leave separately.
    pub burst: u32,
    /// Time whose segments at the pacing rate make a piece, s.
    pub burst_time: f64,
    /// When a segment counts as lost.
    pub loss_detection: LossDetection,
    /// Time by which the timer of that detection comes later than it could, s.
    pub rack_timer_margin: f64,
    /// Tick of the clock of that timer, s; 0 for an exact one.
    pub rack_timer_tick: f64,
    /// The lost retransmissions that reduce the window once more.
    pub second_reduction: SecondReduction,
    /// Longest time for which a receiver may hold an acknowledgement back, as tail loss probes assume, s.
    pub probe_ack_delay: f64,
    /// A segment is lost when this many later ones have been acknowledged.
    pub duplicate_threshold: u32,
    /// Retransmission timeout before the first sample, s.
    pub initial_rto: f64,
    /// Smallest retransmission timeout, s.
    pub min_rto: f64,
    /// Largest retransmission timeout, s.
    pub max_rto: f64,
    /// The quantity that `min_rto` bounds.
    pub rto_floor: RtoFloor,
    /// Events that restart the retransmission timer.
    pub rto_restart: RtoRestart,
    /// Acknowledgements that give a sample of the round-trip time.
    pub rtt_samples: RttSamples,
    /// Duration of a tick of the clock that times segments, s; 0 for an exact one.
    pub timer_tick: f64,
    /// Segment of a delayed acknowledgement whose round trip congestion control sees.
    pub ack_rtt: AckRtt,
    /// Each of the first two duplicate acknowledgements allows a new segment.
    pub limited_transmit: bool,
    /// With recovery = reno, too, duplicates of data sent before the last reduction begin no fast retransmit.
    pub recover_guard: bool,
    /// Reductions for segments that arrive after all are undone, with selective acknowledgements.
    pub undo: bool,
    /// The effect of a timeout on the window.
    pub timeout_rule: TimeoutKind,
    /// The window after an idle time.
    pub idle_restart: IdleRestart,
    /// From which quantity reductions start.
    pub reduce_from: BasisKind,
    /// Cause of the growth of windows.
    pub window_growth: WindowGrowth,
    /// Windows grow only while they limit the flow.
    pub grow_only_if_cwnd_limited: bool,
    /// When a window counts as limiting the flow.
    pub window_use: WindowUse,
    /// The acknowledgement that ends fast recovery raises the window.
    pub grow_at_recovery_exit: bool,
    /// Largest window, segments.
    pub max_cwnd: f64,
    /// Slow-start variant.
    pub slow_start: SlowStartKind,
    /// Slow start but HyStart++: most segments of one acknowledgement that count; 0 for no limit.
    pub slow_start_max_acked: u32,
    /// Limited slow start: window from which it is limited, segments.
    pub limited_slow_start_from: f64,
    /// HyStart++: smallest growth of the round-trip time that counts, s.
    pub hystart_min_threshold: f64,
    /// HyStart++: growth of the round-trip time that always counts, s.
    pub hystart_max_threshold: f64,
    /// HyStart++: between the two, a growth counts from the round-trip time divided by this number.
    pub hystart_divisor: f64,
    /// HyStart++: fewest samples in a round trip for a comparison.
    pub hystart_samples: u8,
    /// HyStart++: divisor of the growth of the window in conservative slow start.
    pub hystart_css_divisor: f64,
    /// HyStart++: round trips of conservative slow start.
    pub hystart_css_rounds: u8,
    /// HyStart++: most segments of one acknowledgement that count.
    pub hystart_max_acked: u32,
    /// Largest number of segments between the first unacknowledged one and the last sent: what receivers
    /// advertise.
    pub receiver_window: f64,
    /// Bytes in a data segment. Capacities in bit/s, queues that count bytes, the load of acknowledgements
    /// and policers depend on it.
    pub segment_bytes: f64,
}

/// The recovery of losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecoveryKind {
    /// Selective acknowledgements (RFC 6675).
    Sack,
    /// RFC 6582: duplicates of the cumulative acknowledgement; one hole a round trip.
    #[serde(rename = "newreno")]
    NewReno,
    /// RFC 5681, section 3.2: the first acknowledgement that moves on ends recovery.
    Reno,
}

/// The window with which a flow sends again, if nothing has left for more than a retransmission timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdleRestart {
    /// As before.
    Keep,
    /// At most the initial window (RFC 5681, section 4.1).
    Rfc5681,
    /// Halved for each timeout that has passed, down to the initial window (Linux).
    Linux,
}

/// Proportional rate reduction, and what bounds it below the new window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PrrKind {
    /// None: what the reduced window allows (RFC 6675).
    Off,
    /// RFC 6937, conservative reduction bound.
    Crb,
    /// RFC 6937, slow start reduction bound.
    Ssrb,
    /// RFC 9937: the slow start bound where an acknowledgement is safe, the conservative one otherwise.
    SafeAck,
}

/// When a segment counts as lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LossDetection {
    /// When enough later ones have been acknowledged (RFC 5681, RFC 6675).
    Dupthresh,
    /// When one that left later has been acknowledged and a round trip has passed (RFC 8985).
    Rack,
}

/// The lost retransmissions that reduce the window once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecondReduction {
    /// All that left after the last reduction (RFC 5681, section 4.3).
    Rfc5681,
    /// Retransmissions of a recovery that a timeout began (Linux).
    AfterTimeout,
}

/// The quantity that the smallest retransmission timeout bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RtoFloor {
    /// The timeout (RFC 6298, section 2.4).
    Rfc6298,
    /// Its variance term: the timeout is at least this much longer than the smoothed round-trip time.
    Linux,
}

/// Events that restart the retransmission timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RtoRestart {
    /// Acknowledgements of new data (RFC 6298, section 5.3, to the letter).
    NewData,
    /// Also each retransmission of the lowest outstanding segment.
    Retransmission,
    /// Also selective acknowledgements of data that left before that retransmission.
    Linux,
}

/// Acknowledgements that give a sample of the round-trip time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RttSamples {
    /// Timestamps: every one, with gains scaled by the samples of a window (RFC 7323, appendix G).
    Rfc7323,
    /// Timestamps: every one, with the gains of RFC 6298.
    EveryAck,
    /// No timestamps: one segment is timed at once (RFC 6298, section 3).
    RoundTrip,
    /// Timestamps: every one; the timer uses the largest deviation of a round trip.
    Linux,
}

/// Segment of a delayed acknowledgement whose round trip congestion control sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AckRtt {
    /// The first, which was held back (RFC 7323, section 4.3).
    First,
    /// The last.
    Last,
}

/// The effect of a timeout on the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeoutKind {
    /// RFC 5681.
    Rfc,
    /// RFC 2581.
    Rfc2581,
    /// The algorithm's own reduction, restart at the initial window.
    OwnReduction,
    /// The algorithm's own reduction, restart at one segment.
    Linux,
}

/// From which quantity reductions start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BasisKind {
    /// The congestion window.
    Cwnd,
    /// The flight.
    Flight,
}

/// Cause of the growth of windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WindowGrowth {
    /// Every segment that is acknowledged (RFC 3465; RFC 5681, section 3.1).
    Segments,
    /// Every acknowledgement that moves on, whatever it covers (RFC 2581, section 3.1).
    Acks,
}

/// When a window counts as limiting the flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WindowUse {
    /// At least half of it was in flight in the last two round trips (RFC 7661, section 4.3).
    Rfc7661,
    /// It was full since a round trip; in slow start also if half of it was outstanding.
    Linux,
}

/// Slow-start variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlowStartKind {
    /// RFC 5681.
    Classic,
    /// RFC 3742.
    Limited,
    /// RFC 9406.
    #[serde(rename = "hystart++")]
    HyStart,
}

/// A congestion control and its share of the sources.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlgorithmShare {
    /// Name in the registry, or a variant: the name and own constants in parentheses, which no other entry
    /// has.
    pub name: String,
    /// Probability that a source uses it.
    pub share: f64,
    /// Every constant of the algorithm.
    pub parameters: BTreeMap<String, f64>,
    /// Digest of the file of a plug-in; none: a built-in algorithm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plugin: Option<String>,
}

impl AlgorithmShare {
    /// The entry of the registry or of the plug-in: by the part of the name before the constants of a
    /// variant.
    #[must_use]
    pub fn registered(&self) -> Option<&'static mesonet_cc::Algorithm> {
        match &self.plugin {
            None => registry::algorithm(self.base()),
            Some(_) => self.loaded().map(|plugin| &plugin.algorithm),
        }
    }

    /// The plug-in, if it is one and was loaded.
    #[must_use]
    pub fn loaded(&self) -> Option<&'static Plugin> {
        self.plugin.as_ref().and_then(|digest| plugin::find(self.base(), digest))
    }

    /// The name without the constants of a variant.
    fn base(&self) -> &str {
        match self.name.split_once('(') {
            Some((name, rest)) if rest.ends_with(')') => name,
            _ => &self.name,
        }
    }
}

/// An explicit flow.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExplicitFlow {
    /// Router of the source.
    pub from: String,
    /// Router of the receiver.
    pub to: String,
    /// Instant of the first SYN, s; with `start_within` the earliest one.
    pub start: f64,
    /// Longest random delay of the start, s; the delay is uniform from 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub start_within: f64,
    /// Instant after which the flow sends no new data, s; none: the flow does not stop.
    pub stop: Option<f64>,
    /// Segments to send; none: the flow sends until it stops or the run ends.
    pub size: Option<f64>,
    /// Interface rate, segments/s.
    pub interface: f64,
    /// One-way delay between the source and its access router, s.
    pub extra_delay: f64,
    /// Largest random delay before the sender reacts to an event, s; the delay is uniform from 0.
    pub overhead: f64,
    /// Congestion control; none: drawn by the shares of the scenario.
    pub algorithm: Option<String>,
    /// Its user, which draws for all its flows; none: the flow alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Size of its data segments, bytes; none: that of the transport. Only ports look at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment_bytes: Option<f64>,
    /// Application that hands it its data; none: it always has data, up to its size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application: Option<Application>,
    /// Transport protocol.
    #[serde(default, skip_serializing_if = "Protocol::is_tcp")]
    pub transport: Protocol,
    /// Behaviour of its receiver.
    #[serde(default, skip_serializing_if = "ReceiverKind::is_standard")]
    pub receiver: ReceiverKind,
    /// Acknowledgements that its receiver sends in place of one, if it divides them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ack_pieces: Option<u32>,
    /// Numbers of its data segments, from 1, of which the first transmission never reaches the receiver.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost_segments: Vec<u32>,
}

/// Returns whether a value has no effect, so that scenarios leave it out.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

impl ExplicitFlow {
    /// A flow of a drawn algorithm that sends from the start to the end of the run, over an interface of 1
    /// segment/s.
    #[must_use]
    pub fn between(from: &str, to: &str) -> Self {
        Self {
            from: from.into(),
            to: to.into(),
            start: 0.0,
            start_within: 0.0,
            stop: None,
            size: None,
            interface: 1.0,
            extra_delay: 0.0,
            overhead: 0.0,
            algorithm: None,
            user: None,
            segment_bytes: None,
            application: None,
            transport: Protocol::Tcp,
            receiver: ReceiverKind::Standard,
            ack_pieces: None,
            lost_segments: Vec::new(),
        }
    }

    /// Returns whether its lanes are its own: it has an extra delay, a segment size, segments that are lost,
    /// or a receiver that is watched.
    #[must_use]
    pub fn has_own_lanes(&self) -> bool {
        self.extra_delay > 0.0
            || self.segment_bytes.is_some()
            || !self.lost_segments.is_empty()
            || self.is_watched()
    }

    /// Returns whether arrivals at its receiver are recorded.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        self.application.is_some() || !self.receiver.is_standard()
    }
}

/// Time line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeParameters {
    /// End of the run, s (X19).
    pub duration: f64,
    /// Start of the measured span, s.
    pub warmup: f64,
    /// Equal periods into which the measured span is divided.
    pub periods: u32,
    /// The run ends early once the means of transmitting sources and of segments leaving are known to within
    /// this fraction; 0 for never.
    pub converged: f64,
}

/// The tables and samples to record.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasurementParameters {
    /// Sampling interval, s (X18).
    pub interval: f64,
    /// Fraction of the flows that leave a record.
    pub flow_records: f64,
    /// Explicit flows, from the first, that have columns in the series.
    pub flow_series: u32,
    /// Drop-tail queues record how long segments wait, as those with a discipline do.
    pub queue_delays: bool,
    /// One-way delays of segments over TCP are recorded.
    pub segment_delays: bool,
    /// Flows are summed by user, period and class.
    pub units: bool,
    /// A flow is starved when nothing of it was acknowledged for this long, s.
    pub starved_after: f64,
    /// Length of the windows in which the goodputs of explicit flows are compared, s.
    pub fair_window: f64,
    /// Largest deviation from the fair share in a fair window.
    pub fair_within: f64,
    /// Fair windows in a row at which flows have converged.
    pub fair_windows: u32,
}

/// The flows and routers to trace.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceParameters {
    /// Numbers, from 1, of the explicit flows (long-lived ones come last).
    pub flows: Vec<u32>,
    /// Numbers, from 0, of the sources.
    pub sources: Vec<u32>,
    /// Names of routers, or `all`.
    pub routers: Vec<String>,
    /// A row each time this has passed, s.
    pub every: f64,
    /// Events of single segments of these flows and sources, too.
    pub packets: bool,
}

impl Scenario {
    /// Reads and checks the canonical JSON.
    ///
    /// # Errors
    /// [`InvalidScenario`] naming the path, the value and what is allowed.
    pub fn from_json(text: &str) -> Result<Self, InvalidScenario> {
        let refused = |e| invalid("scenario", format!("not a scenario: {e}"));
        let scenario: Self = serde_json::from_str(text).map_err(refused)?;
        bounds::check(&mut serde_json::Deserializer::from_str(text))?;
        scenario.check()?;
        Ok(scenario)
    }

    /// Holds values against each other; the range of each is in `bounds`.
    fn check(&self) -> Result<(), InvalidScenario> {
        self.check_users()?;
        self.check_transport()?;
        self.check_times()?;
        changes::check(&self.network.changes, self.time.duration)?;
        self.check_flows()?;
        let is_algorithm = |name: &str| self.algorithms.iter().any(|a| a.name == name);
        arrivals::check(&self.arrivals, self.time.duration, is_algorithm)?;
        self.check_applications()?;
        self.check_receivers()?;
        deployment::check(&self.deployment, &self.algorithms, self.time.duration)?;
        self.check_algorithms()?;
        stacks::check(self)
    }

    fn check_users(&self) -> Result<(), InvalidScenario> {
        let u = &self.users;
        within(|| "network.buffer", self.network.buffer.factor, 0.0, 1e12)?;
        for (path, weights) in [
            ("users.source_distribution", u.source_distribution),
            ("users.receiver_distribution", u.receiver_distribution),
        ] {
            for w in weights {
                within(|| path, w, 0.0, 1.0)?;
            }
            let sum: f64 = weights.iter().sum();
            if (sum - 1.0).abs() > 1e-6 {
                return Err(invalid(path, format!("the weights sum to {sum}; allowed: a sum of 1")));
            }
        }
        if u.jumbo_period > self.time.periods {
            let message =
                format!("there is no such period; allowed: 0 to time.periods, {}", self.time.periods);
            return Err(invalid("users.jumbo_period", message));
        }
        traffic::check(&u.traffic)?;
        let larger = u.document_probability + u.service_pack_probability + u.movie_probability;
        if larger > 1.0 {
            return Err(invalid(
                "users.document_probability",
                format!("the probabilities of larger files sum to {larger}; allowed: a sum of at most 1"),
            ));
        }
        Ok(())
    }

    fn check_transport(&self) -> Result<(), InvalidScenario> {
        let t = &self.transport;
        if t.recovery != RecoveryKind::Sack && t.prr != PrrKind::Off {
            return Err(invalid(
                "transport.prr",
                "needs transport.recovery = sack; allowed: off, or sack recovery",
            ));
        }
        if t.recovery != RecoveryKind::Sack && t.loss_detection != LossDetection::Dupthresh {
            let message = "rack needs transport.recovery = sack; allowed: dupthresh, or sack recovery";
            return Err(invalid("transport.loss_detection", message));
        }
        if t.burst > 0 && t.loss_detection != LossDetection::Rack {
            let message = "pieces need transport.loss_detection = rack; allowed: 0 segments, or rack";
            return Err(invalid("transport.burst", message));
        }
        if t.timer_tick > 0.0 && t.rtt_samples != RttSamples::RoundTrip {
            let message = "ticks need transport.rtt_samples = round_trip; allowed: 0 s, or these samples";
            return Err(invalid("transport.timer_tick", message));
        }
        if t.timer_tick > 0.0 && t.rto_floor != RtoFloor::Rfc6298 {
            let message =
                "linux needs transport.timer_tick = 0 s; allowed: rfc6298, or a timer without ticks";
            return Err(invalid("transport.rto_floor", message));
        }
        not_below(("transport.initial_rto", t.initial_rto), ("transport.min_rto", t.min_rto), time_text)?;
        not_below(("transport.max_rto", t.max_rto), ("transport.min_rto", t.min_rto), time_text)?;
        let initial_window = ("transport.initial_window", t.initial_window);
        not_below(("transport.max_cwnd", t.max_cwnd), initial_window, |window| format!("{window} segments"))?;
        if (t.saved_window > 0.0) != (t.saved_rtt > 0.0) {
            let (path, other) = if t.saved_window > 0.0 {
                ("transport.saved_rtt", "transport.saved_window")
            } else {
                ("transport.saved_window", "transport.saved_rtt")
            };
            return Err(invalid(path, format!("0, but {other} is set; allowed: both, or neither")));
        }
        let jump = ("half of transport.saved_window", t.saved_window / 2.0);
        not_below(("transport.max_cwnd", t.max_cwnd), jump, |window| format!("{window} segments"))?;
        let least = ("transport.hystart_min_threshold", t.hystart_min_threshold);
        not_below(("transport.hystart_max_threshold", t.hystart_max_threshold), least, time_text)
    }

    fn check_times(&self) -> Result<(), InvalidScenario> {
        let TimeParameters { duration, warmup, periods, converged } = self.time;
        if duration <= warmup {
            let message = format!(
                "the run ends inside the warm-up of {0}; allowed: more than {0}, or a shorter \
                 time.warmup: --set warmup='{1}', or in the file",
                time_text(warmup),
                time_text(duration / 2.0)
            );
            return Err(invalid("time.duration", message));
        }
        if converged > 0.0 && periods > 1 {
            let message =
                "a run of several periods cannot end early; allowed: 0, or one period: time.periods = 1";
            return Err(invalid("time.converged", message));
        }
        let trace = &self.trace;
        let traced = !(trace.flows.is_empty() && trace.sources.is_empty() && trace.routers.is_empty());
        let interval = self.measurement.interval;
        for (path, span, counts) in
            [("measurement.interval", interval, true), ("trace.every", trace.every, traced)]
        {
            if counts && span > duration {
                let message = format!("longer than the run; allowed: at most {}", time_text(duration));
                return Err(invalid(path, message));
            }
        }
        let period = (duration - warmup) / f64::from(periods);
        if interval > period * (1.0 + 1e-9) {
            let message = format!(
                "longer than a measured period of {0}; allowed: at most {0}, fewer periods, or a longer run",
                time_text(period)
            );
            return Err(invalid("measurement.interval", message));
        }
        Ok(())
    }

    fn check_flows(&self) -> Result<(), InvalidScenario> {
        for (i, flow) in self.flows.iter().enumerate() {
            let start = format!("flows[{i}].start");
            if flow.start > self.time.duration {
                let message =
                    format!("after the end of the run; allowed: at most {}", time_text(self.time.duration));
                return Err(invalid(start, message));
            }
            let latest = flow.start + flow.start_within;
            if latest > self.time.duration {
                let [latest, most] = [latest, self.time.duration - flow.start].map(time_text);
                let message = format!("up to {latest}, after the end of the run; allowed: at most {most}");
                return Err(invalid(format!("flows[{i}].start_within"), message));
            }
            if let Some(stop) = flow.stop {
                let latest_start = if flow.start_within > 0.0 { "start + start_within" } else { "start" };
                let path = format!("flows[{i}].{latest_start}");
                not_below((&format!("flows[{i}].stop"), stop), (&path, latest), time_text)?;
            }
            if let Some(name) = &flow.algorithm {
                if !self.algorithms.iter().any(|a| a.name == *name) {
                    return Err(invalid(
                        format!("flows[{i}].algorithm"),
                        format!("\"{name}\" is not among the algorithms of the scenario"),
                    ));
                }
            }
            let path = || format!("flows[{i}].user");
            let user = flow.user.as_deref();
            if user == Some("") {
                return Err(invalid(path(), "an empty name; allowed: the name of a user"));
            }
            if let Some(name) = user {
                if UNNAMED_USERS.iter().any(|first| name.starts_with(first)) {
                    let message = format!(
                        "\"{name}\" begins as the users without a name; allowed: another beginning than {}",
                        UNNAMED_USERS.map(|first| format!("\"{first}\"")).join(", ")
                    );
                    return Err(invalid(path(), message));
                }
            }
        }
        Ok(())
    }

    fn check_algorithms(&self) -> Result<(), InvalidScenario> {
        if self.algorithms.is_empty() || self.algorithms.len() > 255 {
            return Err(invalid(
                "algorithms",
                format!("{} algorithms; allowed: 1 to 255", self.algorithms.len()),
            ));
        }
        let mut sum = 0.0;
        for (i, algorithm) in self.algorithms.iter().enumerate() {
            let path = format!("algorithms.{}", algorithm.name);
            if self.algorithms[..i].iter().any(|a| a.name == algorithm.name) {
                return Err(invalid(path, "named twice; allowed: each algorithm once"));
            }
            let Some(known) = algorithm.registered() else {
                if algorithm.plugin.is_some() {
                    sum += algorithm.share;
                    continue; // its constants are checked when it is loaded, which only a simulation needs
                }
                let names: Vec<_> = registry::ALGORITHMS.iter().map(|a| a.name).collect();
                return Err(invalid(path, format!("unknown algorithm; allowed: {}", names.join(", "))));
            };
            if self.transport.undo && algorithm.loaded().is_some_and(|plugin| !plugin.can_undo()) {
                let message = format!(
                    "true, and the state of the plug-in {} has pointers: it cannot be as before a loss; allowed: false, or a plug-in with a \
                     function undo",
                    known.name
                );
                return Err(invalid("transport.undo", message));
            }
            within(|| path, algorithm.share, 0.0, 1.0)?;
            sum += algorithm.share;
            for name in algorithm.parameters.keys() {
                if !known.params.iter().any(|p| p.name == name) {
                    return Err(invalid(
                        format!("parameters.{}.{name}", known.name),
                        "unknown parameter of this algorithm",
                    ));
                }
            }
            for param in known.params {
                let path = || format!("parameters.{}.{}", known.name, param.name);
                let Some(value) = algorithm.parameters.get(param.name) else {
                    return Err(invalid(path(), "no value was given"));
                };
                within(path, *value, param.min, param.max)?;
                if param.is_choice && value.fract() != 0.0 {
                    let message =
                        format!("{value} is not a whole number; allowed: {} to {}", param.min, param.max);
                    return Err(invalid(path(), message));
                }
            }
        }
        if (sum - 1.0).abs() > 1e-6 {
            return Err(invalid("algorithms", format!("the shares sum to {sum}; allowed: a sum of 1")));
        }
        if let Some(name) = &self.users.incumbent {
            if !self.algorithms.iter().any(|a| a.name == *name) {
                let names: Vec<_> = self.algorithms.iter().map(|a| a.name.as_str()).collect();
                let message = format!(
                    "\"{name}\" is not among the algorithms of the scenario; allowed: auto, {}",
                    names.join(", ")
                );
                return Err(invalid("users.incumbent", message));
            }
        }
        Ok(())
    }

    /// Returns whether some algorithm is a whole transport stack.
    #[must_use]
    pub fn has_stacks(&self) -> bool {
        self.algorithms.iter().any(|share| share.loaded().is_some_and(Plugin::is_stack))
    }

    /// Refuses plug-ins that were not loaded.
    ///
    /// # Errors
    /// [`InvalidScenario`] for the first of them.
    pub fn refuse_unloaded(&self) -> Result<(), InvalidScenario> {
        match self.algorithms.iter().find(|algorithm| algorithm.registered().is_none()) {
            None => Ok(()),
            Some(AlgorithmShare { name, plugin: Some(version), .. }) if name.starts_with("stack:") => {
                let message = format!("{version} is not in this build; allowed: a build with this stack");
                Err(invalid(format!("algorithms.{name}"), message))
            }
            Some(algorithm) => Err(invalid(
                format!("algorithms.{}", algorithm.name),
                "a plug-in that is not loaded; allowed: a plug-in that was loaded from a file that you name",
            )),
        }
    }

    /// Rules that hold for every algorithm of the scenario.
    #[must_use]
    pub fn common(&self) -> Common {
        Common {
            timeout: match self.transport.timeout_rule {
                TimeoutKind::Rfc => TimeoutRule::Rfc,
                TimeoutKind::Rfc2581 => TimeoutRule::Rfc2581,
                TimeoutKind::OwnReduction => TimeoutRule::OwnReduction,
                TimeoutKind::Linux => TimeoutRule::Linux,
            },
            idle: match self.transport.idle_restart {
                IdleRestart::Keep => IdleRule::Keep,
                IdleRestart::Rfc5681 => IdleRule::Rfc5681,
                IdleRestart::Linux => IdleRule::Linux,
            },
            basis: match self.transport.reduce_from {
                BasisKind::Cwnd => WindowBasis::Cwnd,
                BasisKind::Flight => WindowBasis::Flight,
            },
            restart_window: self.transport.initial_window,
            grow_only_if_cwnd_limited: self.transport.grow_only_if_cwnd_limited,
            max_cwnd: self.transport.max_cwnd,
            slow_start: self.slow_start_rules(),
        }
    }

    /// Constants of the slow-start variants.
    fn slow_start_rules(&self) -> SlowStartRules {
        let t = &self.transport;
        SlowStartRules {
            limited_from: t.limited_slow_start_from,
            max_acked: t.slow_start_max_acked,
            hystart: HyStartRules {
                min_threshold: picos(t.hystart_min_threshold),
                max_threshold: picos(t.hystart_max_threshold),
                divisor: t.hystart_divisor,
                samples: t.hystart_samples,
                css_divisor: t.hystart_css_divisor,
                css_rounds: t.hystart_css_rounds,
                max_acked: t.hystart_max_acked,
            },
        }
    }

    /// The slow-start variant.
    #[must_use]
    pub fn slow_start(&self) -> SlowStart {
        match self.transport.slow_start {
            SlowStartKind::Classic => SlowStart::Classic,
            SlowStartKind::Limited => SlowStart::Limited,
            SlowStartKind::HyStart => SlowStart::HyStart(HyStart::default()),
        }
    }

    /// The constants of every algorithm, in scenario order.
    ///
    /// # Panics
    /// Never for a scenario that was checked.
    #[must_use]
    pub fn configs(&self) -> Vec<Config> {
        let config = |a: &AlgorithmShare| {
            let known = a.registered().expect("checked");
            let values: Vec<f64> = known.params.iter().map(|p| a.parameters[p.name]).collect();
            if let Some(plugin) = a.loaded() {
                return Config::plugin(PluginConfig::new(plugin, self.common(), &values));
            }
            Config::new(known.name, self.common(), &values).expect("checked")
        };
        self.algorithms.iter().map(config).collect()
    }

    /// ECN field of the segments of each algorithm; none if one of them is a plug-in that is not loaded.
    #[must_use]
    pub fn codepoints(&self) -> Vec<Codepoint> {
        if self.algorithms.iter().any(|algorithm| algorithm.registered().is_none()) {
            return Vec::new();
        }
        self.configs().iter().map(Config::codepoint).collect()
    }

    /// Mean file size over all categories that flows draw, segments.
    #[must_use]
    pub fn mean_file_size(&self) -> f64 {
        let u = &self.users;
        u.web_object_size
            * (1.0
                + u.document_probability * (u.document_factor - 1.0)
                + u.drawn(u.service_pack_probability) * (u.service_pack_factor - 1.0)
                + u.drawn(u.movie_probability) * (u.movie_factor - 1.0))
    }
}

/// A time, s, as the Python package shows it: below a second in ms.
pub(crate) fn time_text(time: f64) -> String {
    match time {
        0.0 | 1.0.. => format!("{time} s"),
        _ => format!("{} ms", (time * 1e12).round() / 1e9),
    }
}

/// Refuses a value below another one, both with their paths.
fn not_below(
    value: (&str, f64),
    other: (&str, f64),
    text: impl FnOnce(f64) -> String,
) -> Result<(), InvalidScenario> {
    if value.1 >= other.1 {
        return Ok(());
    }
    Err(invalid(value.0, format!("less than {}; allowed: at least {}", other.0, text(other.1))))
}
