//! Applications of explicit flows: what they hand to the transport, and when.

use super::{ExplicitFlow, InvalidScenario, Scenario, invalid};
use serde::{Deserialize, Serialize};

/// An application that hands data to the transport of an explicit flow.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Application {
    /// Data that it hands over, and the instants.
    pub source: Source,
    /// A message that is delivered later than this after it was handed over is late, s.
    pub late_after: f64,
    /// Time between two reports of the receiver of datagrams, s.
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
        }
    }

    /// Mean rate of what is handed over, segments/s; infinite where a burst always has data.
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
            Self::OnOff { .. } => f64::INFINITY,
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
