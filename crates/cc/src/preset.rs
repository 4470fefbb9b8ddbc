//! Presets: sets of values that agree with a kind of implementation.

use serde::Serialize;

/// The set of defaults from which a scenario starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Preset {
    /// Today's RFCs.
    #[serde(rename = "standard")]
    Standard,
    /// The values of the study of NIST SP 500-282.
    #[serde(rename = "sp500_282")]
    Sp500282,
    /// A current Linux sender.
    #[serde(rename = "linux")]
    Linux,
    /// The simulator ns as it was in 2000.
    #[serde(rename = "ns-2000")]
    Ns2000,
}
