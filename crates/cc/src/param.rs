//! Constants as data: what a user can change, in which range, and where the default comes from.

use serde::Serialize;

/// Which set of defaults a scenario starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Preset {
    /// Today's RFCs and kernels.
    Standard,
    /// What the study of NIST SP 500-282 used.
    Sp500282,
}

/// One constant of an algorithm.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Param {
    /// Name typed by users, lower case with underscores.
    pub name: &'static str,
    /// What it does, one line.
    pub doc: &'static str,
    /// Unit; `1` for a plain number.
    pub unit: &'static str,
    /// Smallest value allowed.
    pub min: f64,
    /// Largest value allowed.
    pub max: f64,
    /// Default in the preset `standard`.
    pub standard: f64,
    /// Default in the preset `sp500_282`.
    pub sp500_282: f64,
    /// Source of the defaults.
    pub source: &'static str,
}

impl Param {
    /// The default of a preset.
    #[must_use]
    pub fn default(&self, preset: Preset) -> f64 {
        match preset {
            Preset::Standard => self.standard,
            Preset::Sp500282 => self.sp500_282,
        }
    }
}

/// The values of all parameters, by name at the caller: `let [increase, decrease] = constants(values);`.
///
/// # Panics
///
/// If there are not as many values as names.
pub(crate) fn constants<const N: usize>(values: &[f64]) -> [f64; N] {
    values.try_into().expect("one value per parameter")
}
