//! Constants of disciplines: what a scenario has under `aqm` beside the discipline and its places, with
//! ranges.

/// Range of a constant, in base units.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// Dotted path in a scenario.
    pub path: &'static str,
    /// Smallest value.
    pub least: f64,
    /// Largest value.
    pub most: f64,
}

/// Declares the `Constants` of a discipline. Of each: its name under `aqm` in a scenario, its name here, its
/// type, and its range unless it is a flag. Defaults, units in text and sources are in
/// `python/mesonet/scenarios/parameters.py`.
macro_rules! constants {
    ($($(#[$about:meta])* $name:literal => $field:ident: $type:ty $(, $least:literal to $most:literal)?;)*) => {
        /// Constants of the discipline.
        #[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
        pub struct Constants {
            $($(#[$about])* #[serde(rename = $name)] pub $field: $type,)*
        }

        impl Constants {
            /// Their ranges.
            pub const RANGES: &[super::constants::Range] = &[
                $($(super::constants::Range { path: concat!("aqm.", $name), least: $least, most: $most },)?)*
            ];
        }
    };
}
pub(super) use constants;
