//! Buffers of queues that vary.

use super::Set;
use super::rules::steps;
use crate::links::Steps;
use crate::scenario::{DisciplineName, InvalidScenario, QueuePlace, Scenario, Timed};

impl Set<'_> {
    /// Segments that may wait in its queues by time, beside the one in service; none where their buffer is
    /// constant.
    ///
    /// # Errors
    /// [`InvalidScenario`] where the buffers of these `disciplines` cannot vary.
    pub fn waiting(
        &self,
        scenario: &Scenario,
        mut disciplines: impl Iterator<Item = DisciplineName>,
    ) -> Result<Option<Steps<u64>>, InvalidScenario> {
        let Some(given) = &self.given.buffers else { return Ok(None) };
        if scenario.network.queue == QueuePlace::Router {
            let message =
                "the buffer of a link varies only where it has a queue; allowed with network.queue = port";
            return Err(self.invalid("buffers", message));
        }
        if disciplines.any(|name| name != DisciplineName::DropTail) {
            let message = "the buffer of a queue under active management is constant; allowed with drop_tail";
            return Err(self.invalid("buffers", message));
        }
        let in_service = u64::from(scenario.network.buffer_counts_in_service);
        let waiting = |[size]: [f64; 1]| Ok((size.round() as u64).saturating_sub(in_service));
        steps(self, [("buffers", &Timed::Points(given.clone()))], waiting).map(Some)
    }
}
