//! Applications of explicit flows: what they hand to the transport, and when.

use super::receiver::ReceiverKind;
use super::{ExplicitFlow, InvalidScenario, Scenario, invalid, is_zero};
use mesonet_cc::picos;
use serde::{Deserialize, Serialize};

/// An application that hands data to the transport of an explicit flow.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Application {
    /// Data that it hands over, and the instants.
    pub source: Source,
    /// A message that is delivered later than this after it was handed over is late, s; 0 for a video, which
    /// has no messages.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub late_after: f64,
    /// Time between two reports of the receiver of datagrams, s; 0 for a video.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub report_interval: f64,
}

/// Data that an application hands over.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Source {
    /// Frames at a fixed rate.
    Frames {
        /// Frames per second.
        rate: f64,
        /// Size of a frame, segments; rounded up.
        size: f64,
        /// Size of a key frame, segments; rounded up. None: that of the others.
        key_size: Option<f64>,
        /// Every so-manyth frame is a key frame, the first one included.
        key_every: u32,
    },
    /// Single segments at a fixed rate, segments/s.
    Constant {
        /// Segments per second.
        rate: f64,
    },
    /// Bursts with gaps between them.
    OnOff {
        /// Mean segments of a burst, handed over at once; rounded up. None: a burst lasts `burst_time`.
        burst_size: Option<f64>,
        /// Mean duration of a burst, s. None: a burst has `burst_size`.
        burst_time: Option<f64>,
        /// Distribution of the size or the duration.
        #[serde(default)]
        burst: Law,
        /// Rate during a burst of a duration, segments/s. None: the flow always has data during the burst.
        rate: Option<f64>,
        /// Mean time from the end of a burst to the next one, s.
        idle_time: f64,
        /// Distribution of this time.
        idle: Law,
    },
    /// Chunks of a video, for which a player asks.
    Video(Video),
}

/// A video and its player.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Video {
    /// Bitrates, rising, segments/s.
    pub ladder: Vec<f64>,
    /// Duration of a chunk, s.
    pub chunk_time: f64,
    /// Most video that the player holds, s.
    pub playback_buffer: f64,
    /// Video in the buffer with which the playback begins, s.
    pub startup_buffer: f64,
    /// Video in the buffer with which it continues after a stall, s.
    pub resume_buffer: f64,
    /// Choice of the bitrates.
    pub abr: Abr,
}

/// Choice of the bitrate of the next chunk.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Abr {
    /// By the buffer.
    Buffer {
        /// Part of the buffer, less a chunk, up to which the lowest bitrate is chosen.
        reservoir: f64,
        /// Part of it above in which the bitrate rises to the highest.
        cushion: f64,
    },
    /// By the throughput.
    Rate {
        /// Last chunks whose throughputs count.
        rate_chunks: u32,
        /// Part of their harmonic mean that the bitrate may have.
        rate_safety: f64,
    },
    /// Always the same.
    Fixed {
        /// Its place in the ladder, from 1.
        rung: u32,
    },
}

/// Distribution of the bursts, or of the times between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Law {
    /// Always the same.
    #[default]
    Constant,
    /// Exponential.
    Exponential,
}

/// The transport protocol of an explicit flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// A connection with congestion control.
    #[default]
    Tcp,
    /// Datagrams: no connection, no acknowledgements, no retransmission, no window.
    Udp,
}

impl Protocol {
    /// Returns whether it is TCP.
    #[must_use]
    pub fn is_tcp(&self) -> bool {
        *self == Self::Tcp
    }
}

impl Source {
    /// Its name in tables.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Frames { .. } => "frames",
            Self::Constant { .. } => "constant",
            Self::OnOff { .. } => "on_off",
            Self::Video(_) => "video",
        }
    }

    /// Mean rate of what is handed over, segments/s; infinite where a burst always has data, and for chunks.
    #[must_use]
    pub fn mean_rate(&self) -> f64 {
        match *self {
            Self::Frames { rate, size, key_size, key_every } => {
                let key = key_size.unwrap_or(size).ceil();
                rate * (size.ceil() + (key - size.ceil()) / f64::from(key_every))
            }
            Self::Constant { rate } => rate,
            Self::OnOff { burst_size: Some(size), burst, idle_time, .. } => {
                let segments = match burst {
                    Law::Constant => size.ceil(),
                    // The mean of a geometric distribution: an exponential number, rounded up.
                    Law::Exponential => -1.0 / libm::expm1(-1.0 / size),
                };
                segments / idle_time
            }
            Self::OnOff { rate: Some(rate), .. } => rate,
            Self::OnOff { .. } | Self::Video(_) => f64::INFINITY,
        }
    }
}

impl Scenario {
    /// Holds the applications and the transports of the explicit flows against the rest.
    ///
    /// # Errors
    /// [`InvalidScenario`] naming the path, the value and what is allowed.
    pub(super) fn check_applications(&self) -> Result<(), InvalidScenario> {
        for (i, flow) in self.flows.iter().enumerate() {
            let path = |key: &str| format!("flows[{i}].{key}");
            match &flow.application {
                Some(application) => check_application(&path, flow, application)?,
                None if !flow.transport.is_tcp() => {
                    let message = "udp needs an application; allowed: frames, constant, on_off";
                    return Err(invalid(path("application"), message));
                }
                None => {}
            }
        }
        Ok(())
    }
}

fn check_application(
    path: &impl Fn(&str) -> String,
    flow: &ExplicitFlow,
    application: &Application,
) -> Result<(), InvalidScenario> {
    if flow.size.is_some() {
        let message = "an application hands over data until the flow stops; allowed: unlimited, with a stop";
        return Err(invalid(path("size"), message));
    }
    if let Source::OnOff { burst_size, burst_time, rate, .. } = &application.source {
        if burst_size.is_some() == burst_time.is_some() {
            let message = "a burst has a size or a duration; allowed: one of burst_size and burst_time";
            return Err(invalid(path("burst_size"), message));
        }
        if burst_size.is_some() && rate.is_some() {
            let message = "a burst of a size is handed over at once; allowed: no rate, or burst_time";
            return Err(invalid(path("rate"), message));
        }
    }
    if let Source::Video(video) = &application.source {
        return check_video(path, flow, video);
    }
    if flow.transport.is_tcp() {
        return Ok(());
    }
    for (key, is_given) in [("algorithm", flow.algorithm.is_some()), ("overhead", flow.overhead > 0.0)] {
        if is_given {
            let message =
                "datagrams have no congestion control and no sender that reacts; allowed: no such key";
            return Err(invalid(path(key), message));
        }
    }
    let rate = application.source.mean_rate();
    if rate > flow.interface {
        let message = format!(
            "the application hands over {rate} segments/s, more than the interface sends; allowed: with udp at least \
             this rate"
        );
        return Err(invalid(path("interface"), message));
    }
    Ok(())
}

fn check_video(
    path: &impl Fn(&str) -> String,
    flow: &ExplicitFlow,
    video: &Video,
) -> Result<(), InvalidScenario> {
    if !flow.transport.is_tcp() {
        let message = "a player asks for a chunk when the one before it was acknowledged; allowed: tcp";
        return Err(invalid(path("transport"), message));
    }
    if flow.receiver == ReceiverKind::Optimistic {
        let message =
            "a player cannot play what has not arrived; allowed: standard, ack_division, ignores_ce";
        return Err(invalid(path("receiver"), message));
    }
    let Video { ladder, chunk_time, playback_buffer, startup_buffer, resume_buffer, abr } = video;
    if ladder.is_empty() || ladder.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(invalid(path("ladder"), "not a ladder; allowed: at least one bitrate, from low to high"));
    }
    let whole = picos(*playback_buffer) / picos(*chunk_time);
    if whole == 0 {
        let message = format!("no chunk of {chunk_time} s fits; allowed: at least {chunk_time} s");
        return Err(invalid(path("playback_buffer"), message));
    }
    for (key, level) in [("startup_buffer", startup_buffer), ("resume_buffer", resume_buffer)] {
        if picos(*level) > whole * picos(*chunk_time) {
            let message = format!(
                "a buffer of {playback_buffer} s with chunks of {chunk_time} s never holds so much; allowed: at most \
                 {} s",
                whole as f64 * chunk_time
            );
            return Err(invalid(path(key), message));
        }
    }
    match *abr {
        Abr::Buffer { reservoir, cushion } if reservoir + cushion > 1.0 => {
            let message = format!(
                "reservoir and cushion are more than the buffer; allowed: at most {}",
                1.0 - reservoir
            );
            Err(invalid(path("cushion"), message))
        }
        Abr::Fixed { rung } if rung as usize > ladder.len() => {
            Err(invalid(path("rung"), format!("the ladder ends below; allowed: 1 to {}", ladder.len())))
        }
        _ => Ok(()),
    }
}
