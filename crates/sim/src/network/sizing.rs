//! Buffers of queues, and the routers or ports that have them.

use super::Router;
use super::load::Load;
use crate::scenario::{BufferKind, InvalidScenario, Scenario, invalid};
use mesonet_cc::picos;

/// Buffers, and the routers or ports that have them, by queue of data.
#[derive(Default)]
pub struct Queued {
    /// As asked for, segments.
    pub asked: Vec<f64>,
    /// As they are, segments.
    pub buffers: Vec<u64>,
    pub routers: Vec<Router>,
}

/// Values that links give to queues at ports.
pub struct Sizing<'a> {
    /// Buffer that the link of a port has of its own, s of service, by queue.
    pub own: &'a [Option<f64>],
    /// By queue: a port serves at the capacity of its link.
    pub have_capacity: &'a [bool],
}

impl Sizing<'_> {
    /// Buffer as asked for and as it is, segments, and router or port, of each queue of data. The floor holds
    /// for products of rate and delay, not for buffers in segments, bytes or time.
    ///
    /// # Errors
    /// [`InvalidScenario`] where a queue would be too fast.
    pub fn queues(
        &self,
        scenario: &Scenario,
        load: &Load,
        speeds: &[f64],
    ) -> Result<Queued, InvalidScenario> {
        let (parameters, queues) = (&scenario.network, &load.wiring.queues);
        let mut queued = Queued::default();
        let is_product = matches!(parameters.buffer.rule, BufferKind::Bdp | BufferKind::BdpPerSqrtN);
        let rtt = load.mean_round_trip;
        let flows: Vec<f64> = match parameters.buffer.rule {
            BufferKind::BdpPerSqrtN => load.expected_flows(scenario),
            _ => vec![1.0; queues.count()],
        };
        let ack_share = parameters.ack_bytes / scenario.transport.segment_bytes;
        for (queue, ((speed, flows), own)) in speeds.iter().zip(flows).zip(self.own).enumerate() {
            let size = match (own, parameters.buffer.rule) {
                (Some(time), _) => time * speed,
                (None, BufferKind::Segments) => parameters.buffer.factor,
                (None, BufferKind::Time) => parameters.buffer.factor * speed,
                (None, BufferKind::Bdp) => parameters.buffer.factor * rtt * speed,
                (None, BufferKind::BdpPerSqrtN) => {
                    parameters.buffer.factor * rtt * speed / flows.max(1.0).sqrt()
                }
            };
            let floor = if is_product && own.is_none() { parameters.buffer_floor } else { 1 };
            let buffer = (size.round() as u64).max(floor);
            let service = picos(1.0 / speed);
            if service == 0 {
                let path =
                    if self.have_capacity[queue] { "network.capacity_factor" } else { "network.speed" };
                let name = queues.name(queue, &load.wiring.topology);
                let message =
                    "would serve a segment in less than 1 ps; allowed: a service time of at least 1 ps";
                return Err(invalid(path, format!("{name} {message}")));
            }
            let waiting = if parameters.buffer_counts_in_service { buffer.saturating_sub(1) } else { buffer };
            queued.asked.push(size);
            queued.buffers.push(buffer);
            let router = Router::new(service, waiting).marking(parameters.ecn_threshold);
            let ack_service = picos(ack_share / speed).max(1);
            let at_port = queues.at_ports();
            queued.routers.push(if at_port { router.serving_acks(ack_service) } else { router });
        }
        Ok(queued)
    }
}
