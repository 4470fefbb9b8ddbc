//! QUIC of quinn (`quinn-proto`), unmodified: without TLS, with the clock and the randomness of the
//! simulator.

use crate::{Build, version};
use mesonet_cc::plugin::observed::About;
use mesonet_sim::stacks::{Endpoint, Setup, Stack};
use quinn_proto as proto;
use quinn_proto::congestion::{
    Bbr, BbrConfig, Controller, ControllerFactory, ControllerMetrics, CubicConfig, NewRenoConfig,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[path = "quic/control.rs"]
mod control;
#[path = "quinn/crypto.rs"]
mod crypto;
#[path = "quinn/difference.rs"]
mod difference;
#[path = "quic/endpoint.rs"]
mod endpoint;
#[path = "quic/params.rs"]
mod params;

/// Name and version. A build with a checkout (`supply/stacks.py`) sets the variable.
const SOURCE: &str = match option_env!("MESONET_QUINN") {
    Some(checkout) => checkout,
    None => "quinn-proto 0.11.19",
};

/// Numbers that a connection shows.
struct Seen<'a> {
    rtt: Duration,
    lost: u64,
    reductions: u64,
    spurious: Option<u64>,
    controller: &'a dyn Controller,
}

/// The stacks of this module.
pub(crate) fn builds() -> [Build; 3] {
    let version = version(
        SOURCE,
        &[
            include_str!("handshake.rs"),
            include_str!("randomness.rs"),
            include_str!("quinn.rs"),
            include_str!("quinn/crypto.rs"),
            include_str!("quinn/difference.rs"),
            include_str!("quic/endpoint.rs"),
            include_str!("quic/control.rs"),
            include_str!("quic/params.rs"),
        ],
    );
    let build = |name, title, make, modes| Build {
        about: About { name, title, source: SOURCE, params: &params::PARAMS, modes },
        version: version.clone(),
        stack: Stack { name, make },
    };
    [
        build("stack:quinn/cubic", "QUIC of quinn with its CUBIC", cubic, &[]),
        build("stack:quinn/newreno", "QUIC of quinn with its NewReno", new_reno, &[]),
        build("stack:quinn/bbr", "QUIC of quinn with its BBR, version 1", bbr, control::MODE_NAMES),
    ]
}

fn cubic(setup: &Setup) -> Box<dyn Endpoint> {
    let mut config = CubicConfig::default();
    if let Some(bytes) = setup.given("initial_window") {
        config.initial_window(bytes as u64);
    }
    end(setup, Arc::new(config))
}

fn new_reno(setup: &Setup) -> Box<dyn Endpoint> {
    let mut config = NewRenoConfig::default();
    if let Some(bytes) = setup.given("initial_window") {
        config.initial_window(bytes as u64);
    }
    end(setup, Arc::new(config))
}

fn bbr(setup: &Setup) -> Box<dyn Endpoint> {
    let mut config = BbrConfig::default();
    if let Some(bytes) = setup.given("initial_window") {
        config.initial_window(bytes as u64);
    }
    end(setup, Arc::new(Seeded { seed: setup.seed, config: Arc::new(config) }))
}

fn end(setup: &Setup, control: Arc<dyn ControllerFactory + Send + Sync>) -> Box<dyn Endpoint> {
    let mut transport = endpoint::transport(setup);
    transport.congestion_controller_factory(control);
    Box::new(endpoint::End::new(setup, transport))
}

/// Makes controllers that draw when they are made.
struct Seeded {
    seed: u64,
    config: Arc<BbrConfig>,
}

impl ControllerFactory for Seeded {
    fn build(self: Arc<Self>, now: Instant, mtu: u16) -> Box<dyn Controller> {
        let config = Arc::clone(&self.config);
        crate::randomness::with_seed(self.seed, move || config.build(now, mtu))
    }
}

/// Its pacing rate and its estimate of the bandwidth, bytes/s.
fn rates(metrics: &ControllerMetrics) -> [Option<f64>; 2] {
    [metrics.pacing_rate.map(|bits| bits as f64 / 8.0), None]
}

/// The text of the mode of a controller that has modes.
fn state(controller: &dyn Controller) -> Option<String> {
    let bbr = controller.clone_box().into_any().downcast::<Bbr>().ok()?;
    control::field(&bbr, "mode")
}
