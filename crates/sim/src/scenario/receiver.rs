//! Receivers of explicit flows that misbehave (Savage et al. 1999, "TCP Congestion Control with a Misbehaving
//! Receiver").

use super::{AckPath, InvalidScenario, Scenario, invalid};
use serde::{Deserialize, Serialize};

/// Behaviour of the receiver of an explicit flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReceiverKind {
    /// The behaviour that the transport of the scenario sets.
    #[default]
    Standard,
    /// In place of each acknowledgement it sends several, each for a piece of what is acknowledged.
    AckDivision,
    /// It acknowledges each segment when the segment would arrive if there were no queue, whether or not it
    /// arrives.
    Optimistic,
    /// It does not report marks.
    IgnoresCe,
}

impl ReceiverKind {
    /// Returns whether it is as the transport has receivers.
    #[must_use]
    pub fn is_standard(&self) -> bool {
        *self == Self::Standard
    }

    /// Its name in scenarios and tables.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::AckDivision => "ack_division",
            Self::Optimistic => "optimistic",
            Self::IgnoresCe => "ignores_ce",
        }
    }
}

impl Scenario {
    /// Holds the receivers of the explicit flows against the rest.
    ///
    /// # Errors
    /// [`InvalidScenario`] naming the path, the value and what is allowed.
    pub(super) fn check_receivers(&self) -> Result<(), InvalidScenario> {
        for (i, flow) in self.flows.iter().enumerate() {
            let path = |key: &str| format!("flows[{i}].{key}");
            let kind = flow.receiver;
            if !kind.is_standard() && !flow.transport.is_tcp() {
                let message = "datagrams are not acknowledged; allowed with udp: standard";
                return Err(invalid(path("receiver"), message));
            }
            if (kind == ReceiverKind::AckDivision) != flow.ack_pieces.is_some() {
                let message = "pieces belong to ack_division; allowed: both or neither";
                return Err(invalid(path("ack_pieces"), message));
            }
            let listed = &flow.lost_segments;
            if !flow.transport.is_tcp() && !listed.is_empty() {
                let message = "datagrams have no retransmissions; allowed with udp: none";
                return Err(invalid(path("lost_segments"), message));
            }
            if listed.first() == Some(&0) || listed.windows(2).any(|two| two[0] >= two[1]) {
                let message = "not a list of rising numbers; allowed: numbers of data segments, from 1";
                return Err(invalid(path("lost_segments"), message));
            }
            let sends_others = matches!(kind, ReceiverKind::AckDivision | ReceiverKind::Optimistic);
            if sends_others && self.network.ack_path != AckPath::Delay {
                let message = format!(
                    "the acknowledgements of {} do not pass routers; allowed: standard, ignores_ce, or \
                     network.ack_path = delay",
                    kind.word()
                );
                return Err(invalid(path("receiver"), message));
            }
        }
        Ok(())
    }
}
