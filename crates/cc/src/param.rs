//! Constants as data: what a user can change, in which range, and where the default comes from.

use crate::{Codepoint, Common, Picos, Preset, picos};
use serde::Serialize;
use std::slice::Iter;

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
    /// The codepoint of an algorithm, for those that leave a choice.
    pub(crate) const fn ecn(standard: u8, source: &'static str) -> Self {
        Self::choice(
            "ecn",
            "codepoint of segments where the network marks: 0 none, 1 ECT(0), 2 ECT(1)",
            2,
            standard,
            source,
        )
    }

    /// Pacing by the sender, for algorithms that set no rate of their own.
    pub(crate) const PACED: Self = Self::choice(
        "paced",
        "1: segments are paced at 1.2 times the window per round trip, twice it far below ssthresh; 0: not",
        1,
        0,
        "Linux without fq: 0; tcp_update_pacing_rate, tcp_pacing_ca_ratio, tcp_pacing_ss_ratio",
    );

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
        standard: u8,
        source: &'static str,
    ) -> Self {
        let range = [0.0, last as f64];
        Self { is_choice: true, ..Self::new(name, doc, "1", range, standard as f64, source) }
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

    /// This constant with other defaults in some presets.
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

/// Declares the constants of an algorithm: a struct of their values, which implements [`Params`].
///
/// A field has the name that users type, and its comment is the line that users read. Its kind says what
/// follows: unit, range, default, defaults of presets, source.
///
/// * `number("segments", [1.0, 1e6], 8.0, Linux = 9.0, "source")`: f64
/// * `count("round trips", [1, 100], 3, "source")`: u32, the nearest whole number
/// * `time([0.0, 60.0], 0.2, "source")`: [`Picos`], given in seconds
/// * `flag(true, Linux = false, "source")`: bool; users type 1 or 0
/// * `choice(3, 0, Linux = 3, "source")`: u8, the number of a rule, up to 3 here
/// * `increase()`, `decrease("source")`, `ecn(1, "source")`, `paced()`: constants that algorithms share
///
/// A field without parentheses is a part: [`Common`], or constants that another `params!` declares.
macro_rules! params {
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            $($(#[doc = $doc:literal])* $field:ident: $kind:ident $(($($given:tt)*))?,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug)]
        pub struct $name {
            $($(#[doc = $doc])* pub(crate) $field: params!(@type $kind),)*
        }

        impl $crate::param::Value for $name {
            fn take(common: &$crate::Common, values: &mut std::slice::Iter<'_, f64>) -> Self {
                Self { $($field: $crate::param::Value::take(common, values)),* }
            }
        }

        impl $crate::Params for $name {
            const ALL: &'static [$crate::Param] = {
                const PARTS: &[&[$crate::Param]] =
                    &[$(params!(@params $field [concat!($($doc),*)] $kind $(($($given)*))?)),*];
                &$crate::param::join::<{ $crate::param::count(PARTS) }>(PARTS)
            };
        }
    };

    (@type number) => { f64 };
    (@type count) => { u32 };
    (@type time) => { $crate::Picos };
    (@type flag) => { bool };
    (@type choice) => { u8 };
    (@type increase) => { f64 };
    (@type decrease) => { f64 };
    (@type ecn) => { $crate::Codepoint };
    (@type paced) => { bool };
    (@type $part:ident) => { $part };

    (@params $name:ident [$doc:expr] number(
        $unit:literal, $range:expr, $standard:expr $(, $preset:ident = $value:expr)*, $source:literal
    )) => {
        &[$crate::Param::new(stringify!($name), $doc.trim_ascii_start(), $unit, $range, $standard, $source)
            .with(&[$(($crate::Preset::$preset, $value)),*])]
    };
    (@params $name:ident $doc:tt count(
        $unit:literal, [$min:literal, $max:literal], $standard:literal, $source:literal
    )) => {
        params!(@params $name $doc number($unit, [$min as f64, $max as f64], $standard as f64, $source))
    };
    (@params $name:ident $doc:tt time($($given:tt)*)) => {
        params!(@params $name $doc number("s", $($given)*))
    };
    (@params $name:ident $doc:tt flag(
        $standard:literal $(, $preset:ident = $value:literal)*, $source:literal
    )) => {
        params!(@params $name $doc choice(1, $standard as u8 $(, $preset = $value)*, $source))
    };
    (@params $name:ident [$doc:expr] choice(
        $last:literal, $standard:expr $(, $preset:ident = $value:literal)*, $source:literal
    )) => {
        &[$crate::Param::choice(stringify!($name), $doc.trim_ascii_start(), $last, $standard, $source)
            .with(&[$(($crate::Preset::$preset, $value as u8 as f64)),*])]
    };
    (@params increase $doc:tt increase()) => { &[$crate::Param::INCREASE] };
    (@params decrease $doc:tt decrease($source:literal)) => { &[$crate::Param::decrease($source)] };
    (@params ecn $doc:tt ecn($standard:literal, $source:literal)) => {
        &[$crate::Param::ecn($standard, $source)]
    };
    (@params paced $doc:tt paced()) => { &[$crate::Param::PACED] };
    (@params $field:ident $doc:tt $part:ident) => { <$part as $crate::Params>::ALL };
}

pub(crate) use params;

/// The constants of an algorithm: what `params!` declares.
pub trait Params: Value {
    /// The constants, in the order of their values.
    const ALL: &'static [Param];

    /// The values of [`Self::ALL`], and the rules that all algorithms share.
    ///
    /// # Panics
    ///
    /// If there are not as many values as constants.
    fn new(common: &Common, values: &[f64]) -> Self {
        assert_eq!(values.len(), Self::ALL.len(), "one value per parameter");
        Self::take(common, &mut values.iter())
    }
}

/// The value of a constant, or the values of several.
pub trait Value: Sized {
    /// Takes what it needs from the front of `values`.
    fn take(common: &Common, values: &mut Iter<'_, f64>) -> Self;
}

impl Value for f64 {
    fn take(_: &Common, values: &mut Iter<'_, f64>) -> Self {
        *values.next().expect("one value per parameter")
    }
}

impl Value for u32 {
    fn take(common: &Common, values: &mut Iter<'_, f64>) -> Self {
        f64::take(common, values).round() as Self
    }
}

impl Value for Picos {
    fn take(common: &Common, values: &mut Iter<'_, f64>) -> Self {
        picos(f64::take(common, values))
    }
}

impl Value for bool {
    fn take(common: &Common, values: &mut Iter<'_, f64>) -> Self {
        u8::take(common, values) == 1
    }
}

impl Value for u8 {
    fn take(common: &Common, values: &mut Iter<'_, f64>) -> Self {
        let value = f64::take(common, values);
        debug_assert!(value.fract() == 0.0, "{value} is no number of a rule");
        value as Self
    }
}

impl Value for Codepoint {
    fn take(common: &Common, values: &mut Iter<'_, f64>) -> Self {
        Self::of(u8::take(common, values))
    }
}

impl Value for Common {
    fn take(common: &Common, _: &mut Iter<'_, f64>) -> Self {
        *common
    }
}

impl Params for Common {
    const ALL: &'static [Param] = &[];
}

/// Number of constants of all parts.
pub(crate) const fn count(parts: &[&[Param]]) -> usize {
    let (mut count, mut part) = (0, 0);
    while part < parts.len() {
        count += parts[part].len();
        part += 1;
    }
    count
}

/// The constants of all parts, in order.
pub(crate) const fn join<const N: usize>(parts: &[&[Param]]) -> [Param; N] {
    let mut all = [Param::INCREASE; N];
    let (mut next, mut part) = (0, 0);
    while part < parts.len() {
        let mut place = 0;
        while place < parts[part].len() {
            all[next] = parts[part][place];
            (next, place) = (next + 1, place + 1);
        }
        part += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    params! {
        /// Constants that two algorithms share.
        pub struct Shared {
            /// rounds without
            /// growth
            rounds: count("round trips", [1, 9], 3, "a source"),
            ecn: ecn(1, "another source"),
        }
    }

    params! {
        /// One constant of each kind.
        pub struct Each {
            common: Common,
            /// a part of the window
            part: number("1", [0.0, 1.0], 0.5, Linux = 717.0 / 1024.0, Ns2000 = 1.0, "RFC 0"),
            shared: Shared,
            /// how long
            period: time([0.0, 60.0], 0.25, "RFC 1"),
            /// 1: on; 0: off
            on: flag(true, Sp500282 = false, "RFC 2"),
            /// 0 this; 1 that; 2 neither
            rule: choice(2, 0, Linux = 2, "RFC 3"),
        }
    }

    #[test]
    fn constants_are_described_in_the_order_of_their_fields() {
        let names: Vec<_> = Each::ALL.iter().map(|p| p.name).collect();
        assert_eq!(names, ["part", "rounds", "ecn", "period", "on", "rule"]);
        let ranges: Vec<_> = Each::ALL.iter().map(|p| (p.unit, p.min, p.max, p.is_choice)).collect();
        let choice = |last| ("1", 0.0, last, true);
        let numbers = [("1", 0.0, 1.0, false), ("round trips", 1.0, 9.0, false), ("s", 0.0, 60.0, false)];
        assert_eq!(ranges, [numbers[0], numbers[1], choice(2.0), numbers[2], choice(1.0), choice(2.0)]);
        assert_eq!((Each::ALL[1].doc, Each::ALL[1].source), ("rounds without growth", "a source"));
        let defaults = |preset| Each::ALL.iter().map(|p| p.default(preset)).collect::<Vec<_>>();
        assert_eq!(defaults(Preset::Standard), [0.5, 3.0, 1.0, 0.25, 1.0, 0.0]);
        assert_eq!(defaults(Preset::Sp500282), [0.5, 3.0, 1.0, 0.25, 0.0, 0.0]);
        assert_eq!(defaults(Preset::Linux), [717.0 / 1024.0, 3.0, 1.0, 0.25, 1.0, 2.0]);
        assert_eq!(defaults(Preset::Ns2000), [1.0, 3.0, 1.0, 0.25, 1.0, 0.0]);
    }

    #[test]
    fn values_have_the_type_of_their_kind() {
        let common = Common { max_cwnd: 7.0, ..Common::of(Preset::Standard) };
        let each = Each::new(&common, &[0.3, 2.6, 2.0, 1e-12, 0.0, 1.0]);
        assert_eq!((each.common.max_cwnd, each.part, each.shared.rounds), (7.0, 0.3, 3));
        assert_eq!(each.shared.ecn, Codepoint::Ect1);
        assert_eq!((each.period, each.on, each.rule), (1, false, 1));
    }

    #[test]
    #[should_panic(expected = "one value per parameter")]
    fn there_is_one_value_per_constant() {
        let _ = Each::new(&Common::of(Preset::Standard), &[0.3; 7]);
    }
}
