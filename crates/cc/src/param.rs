//! Constants as data: what a user can change, in which range, and where the default comes from.

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

/// A constant of an algorithm.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Param {
    /// Name typed by users, lower case with underscores.
    pub name: &'static str,
    /// Its effect, in one line.
    pub doc: &'static str,
    /// Unit; `1` for a plain number.
    pub unit: &'static str,
    /// Smallest value allowed.
    pub min: f64,
    /// Largest value allowed.
    pub max: f64,
    /// Default in the preset `standard`.
    pub standard: f64,
    /// Defaults of the presets that have another one.
    pub presets: &'static [(Preset, f64)],
    /// Source of the defaults.
    pub source: &'static str,
    /// Each whole number of the range stands for a rule; no other number is allowed.
    pub is_choice: bool,
}

impl Param {
    /// A constant with one default: name, what it does, unit, smallest and largest value, default, source.
    #[must_use]
    pub const fn new(
        name: &'static str,
        doc: &'static str,
        unit: &'static str,
        [min, max]: [f64; 2],
        standard: f64,
        source: &'static str,
    ) -> Self {
        Self { name, doc, unit, min, max, standard, presets: &[], source, is_choice: false }
    }

    /// A choice between rules that have the numbers 0 to `last`: name, what it does, default, source.
    #[must_use]
    pub const fn choice(
        name: &'static str,
        doc: &'static str,
        last: u8,
        standard: f64,
        source: &'static str,
    ) -> Self {
        Self { is_choice: true, ..Self::new(name, doc, "1", [0.0, last as f64], standard, source) }
    }

    /// Growth of standard TCP, for algorithms that keep it.
    pub(crate) const INCREASE: Self = Self::new(
        "increase",
        "window growth per round trip in congestion avoidance",
        "segments",
        [0.0, 1000.0],
        1.0,
        "RFC 5681, section 3.1",
    );

    /// Reduction to a half after a loss, for algorithms whose `source` keeps it.
    pub(crate) const fn decrease(source: &'static str) -> Self {
        Self::new("decrease", "part of the window given up after a loss", "1", [0.01, 0.99], 0.5, source)
    }

    /// The same constant with other defaults in some presets.
    #[must_use]
    pub const fn with(self, presets: &'static [(Preset, f64)]) -> Self {
        Self { presets, ..self }
    }

    /// The default of a preset.
    #[must_use]
    pub fn default(&self, preset: Preset) -> f64 {
        self.presets.iter().find(|(other, _)| *other == preset).map_or(self.standard, |(_, value)| *value)
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
