//! Allowed ranges of the numbers of a scenario, one row each, in base units.
//!
//! The only place of these ranges, with `disciplines` for their constants: the Python package shows and
//! checks the same rows.

use super::{AqmParameters, InvalidScenario, invalid};
use serde::Serialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt::Formatter;

/// Range of one number.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Bound {
    /// Dotted path; `[]` stands for every entry of a list, a number for the entry at this place.
    pub path: &'static str,
    /// Smallest value.
    pub least: f64,
    /// Largest value.
    pub most: f64,
    /// The smallest value itself is not allowed.
    pub above: bool,
}

const fn from(path: &'static str, least: f64, most: f64) -> Bound {
    Bound { path, least, most, above: false }
}

const fn above(path: &'static str, least: f64, most: f64) -> Bound {
    Bound { path, least, most, above: true }
}

/// Ranges of all numbers that are not constants of algorithms, which have theirs in the registry.
pub fn all() -> impl Iterator<Item = Bound> {
    BOUNDS
        .iter()
        .chain(TIMED.iter().flatten())
        .copied()
        .chain(AqmParameters::ranges().map(|range| from(range.path, range.least, range.most)))
}

/// Bounds of a number that may follow the time, and of its points.
macro_rules! timed {
    ($path:literal, $least:literal, $most:literal) => {
        [
            from($path, $least, $most),
            from(concat!($path, ".points[].0"), 0.0, 1e6),
            from(concat!($path, ".points[].1"), $least, $most),
            above(concat!($path, ".period"), 0.0, 1e6),
        ]
    };
}

/// Bounds of numbers that may follow the time.
const TIMED: &[[Bound; 4]] = &[
    timed!("impairments.loss", 0.0, 1.0),
    timed!("impairments.loss_bad", 0.0, 1.0),
    timed!("impairments.to_bad", 0.0, 1.0),
    timed!("impairments.to_good", 0.0, 1.0),
    timed!("impairments.jitter_mean", 0.0, 10.0),
    timed!("impairments.late", 0.0, 1.0),
    timed!("impairments.late_by", 0.0, 10.0),
    timed!("impairments.duplicate", 0.0, 1.0),
    timed!("impairments.policer_rate", 0.0, 1e9),
    timed!("impairments.policer_burst", 1.0, 1e9),
];

/// Bounds of other numbers that are no constants of disciplines.
const BOUNDS: &[Bound] = &[
    from("network.speed", 1.0, 1e9),
    from("network.backbone_speed", 1.0, 1e9),
    from("network.pop_speed", 1.0, 1e9),
    from("network.normal_speed", 1.0, 1e9),
    from("network.fast_speed", 1.0, 1e9),
    from("network.direct_speed", 1.0, 1e9),
    from("network.plain_speed", 1.0, 1e9),
    above("network.delay_multiplier", 0.0, 1000.0),
    from("network.buffer_floor", 1.0, 1e9),
    from("network.ecn_threshold", 0.0, 1e9),
    from("network.ack_bytes", 1.0, 1e6),
    above("network.capacity_factor", 0.0, 1e6),
    from("tiers.homes_per_pop", 1.0, 1000.0),
    from("tiers.pops_per_backbone", 0.0, 100.0),
    from("tiers.fast_per_pop", 0.0, 1000.0),
    from("tiers.normal_per_pop", 0.0, 1000.0),
    from("tiers.direct_share", 0.0, 1.0),
    from("users.base_sources", 0.0, 1e7),
    from("users.source_multiplier", 0.0, 1e4),
    from("users.think_time", 1e-6, 1e6),
    from("users.web_object_size", 1.0, 1e9),
    from("users.size_shape", 1.000_001, 100.0),
    from("users.document_probability", 0.0, 1.0),
    from("users.service_pack_probability", 0.0, 1.0),
    from("users.movie_probability", 0.0, 1.0),
    from("users.concurrent_movies", 0.0, 1e6),
    from("users.concurrent_service_packs", 0.0, 1e6),
    from("users.document_factor", 1.0, 1e9),
    from("users.service_pack_factor", 1.0, 1e9),
    from("users.movie_factor", 1.0, 1e9),
    from("users.fast_interface_probability", 0.0, 1.0),
    from("users.normal_interface", 1.0, 1e9),
    from("users.fast_interface", 1.0, 1e9),
    above("users.traffic_factor", 0.0, 1e6),
    from("users.traffic[].share", 0.0, 1e12),
    from("users.traffic[].rate", 0.0, 1e12),
    from("users.patience_probability", 0.0, 1.0),
    from("users.patience_time", 1e-3, 1e6),
    from("users.patience_interval", 1e-3, 1e6),
    from("users.patience_rate", 0.0, 1.0),
    from("users.patience_short", 0.0, 1e9),
    // At most the number of periods.
    from("users.jumbo_period", 0.0, 100.0),
    from("users.jumbo_factor", 1.0, 1e9),
    from("users.long_lived_flows", 0.0, 3.0),
    from("connection.syn_timeout", 1e-9, 1e4),
    from("connection.syn_linear_timeouts", 0.0, 20.0),
    from("connection.syn_attempts", 1.0, 40.0),
    from("connection.window_after_retry", 1.0, 1e6),
    from("transport.initial_window", 1.0, 1e6),
    from("transport.initial_ssthresh", 2.0, 4_294_967_296.0),
    from("transport.saved_window", 0.0, 1e9),
    from("transport.saved_rtt", 0.0, 1000.0),
    from("transport.receiver_window", 1.0, 1e12),
    from("transport.segment_bytes", 1.0, 1e6),
    from("transport.probe_ack_delay", 0.0, 1000.0),
    from("transport.ack_delay", 0.0, 0.5),
    from("transport.quick_acks", 0.0, 1e6),
    from("transport.receive_buffer", 0.0, 1e9),
    from("transport.sack_compression", 0.0, 0.5),
    from("transport.timestamp_tick", 0.0, 10.0),
    from("transport.unpaced_segments", 0.0, 1e6),
    from("transport.burst", 0.0, 1e6),
    from("transport.burst_time", 0.0, 1.0),
    from("transport.rack_timer_margin", 0.0, 10.0),
    from("transport.rack_timer_tick", 0.0, 10.0),
    from("transport.duplicate_threshold", 1.0, 1000.0),
    above("transport.initial_rto", 0.0, 1e4),
    from("transport.min_rto", 0.0, 1e4),
    above("transport.max_rto", 0.0, 1e5),
    from("transport.timer_tick", 0.0, 10.0),
    from("transport.max_cwnd", 1.0, 2_147_483_648.0),
    from("transport.slow_start_max_acked", 0.0, 1e9),
    from("transport.limited_slow_start_from", 2.0, 1e12),
    from("transport.hystart_min_threshold", 0.0, 1000.0),
    from("transport.hystart_max_threshold", 0.0, 1000.0),
    from("transport.hystart_divisor", 1.0, 1e6),
    from("transport.hystart_samples", 1.0, 255.0),
    from("transport.hystart_css_divisor", 1.0, 1e6),
    from("transport.hystart_css_rounds", 1.0, 255.0),
    from("transport.hystart_max_acked", 1.0, 1e9),
    from("time.duration", 1e-3, 1e6),
    from("impairments.jitter_slot", 0.0, 1e3),
    from("impairments.outage_start", 0.0, 1e6),
    from("impairments.outage_length", 0.0, 1e3),
    from("impairments.outage_period", 0.0, 1e6),
    from("impairments.outages.points[].0", 0.0, 1e6),
    above("impairments.outages.points[].1", 0.0, 1e3),
    above("impairments.outages.period", 0.0, 1e6),
    from("impairments.capacity.points[].0", 0.0, 1e6),
    from("impairments.capacity.points[].1", 0.0, 1e9),
    above("impairments.capacity.period", 0.0, 1e6),
    from("impairments.delays.points[].0", 0.0, 1e6),
    from("impairments.delays.points[].1", 0.0, 100.0),
    above("impairments.delays.period", 0.0, 1e6),
    from("impairments.buffers.points[].0", 0.0, 1e6),
    from("impairments.buffers.points[].1", 1.0, 1e9),
    above("impairments.buffers.period", 0.0, 1e6),
    // Ends before the longest run.
    from("time.warmup", 0.0, 999_999.0),
    from("time.periods", 1.0, 100.0),
    from("time.converged", 0.0, 1.0),
    from("measurement.interval", 1e-6, 1e5),
    from("measurement.flow_records", 0.0, 1.0),
    from("measurement.flow_series", 0.0, 1e5),
    from("measurement.starved_after", 1e-3, 1e6),
    from("measurement.fair_window", 1e-6, 1e6),
    from("measurement.fair_within", 0.0, 1.0),
    from("measurement.fair_windows", 1.0, 1e6),
    from("trace.every", 1e-6, 1e5),
    from("network.changes[].time", 0.0, 1e6),
    // Slower routers, and longer links, make round trips that a segment cannot measure (`simulation::check`).
    from("network.changes[].speed", 0.015, 1e9),
    from("network.changes[].delay", 0.0, 140.0),
    from("network.changes[].factor", 0.0, 1e6),
    from("network.changes[].cost", 0.0, 1e9),
    from("links[].capacity", 1e-3, 1e9),
    above("links[].capacity_factor", 0.0, 1e6),
    from("links[].buffer", 0.0, 1e3),
    from("links[].cost", 0.0, 1e9),
    from("links[].delay", 0.0, 140.0),
    from("flows[].start", 0.0, 1e6),
    from("flows[].start_within", 0.0, 1e6),
    from("flows[].stop", 0.0, 1e7),
    from("flows[].size", 1.0, 1e15),
    from("flows[].interface", 1.0, 1e9),
    from("flows[].extra_delay", 0.0, 100.0),
    from("flows[].overhead", 0.0, 100.0),
    from("flows[].segment_bytes", 1.0, 1e6),
    from("flows[].ack_pieces", 2.0, 1e4),
    from("arrivals[].matrix[].share", 0.0, 1e12),
    from("arrivals[].matrix[].rate", 0.0, 1e12),
    above("arrivals[].factor", 0.0, 1e6),
    above("arrivals[].rate", 0.0, 1e9),
    above("arrivals[].load", 0.0, 100.0),
    from("arrivals[].sigma", 0.0, 4.0),
    from("arrivals[].start", 0.0, 1e6),
    from("arrivals[].stop", 0.0, 1e7),
    from("arrivals[].interface", 1.0, 1e9),
    above("arrivals[].sizes.size", 0.0, 1e12),
    above("arrivals[].sizes.mean", 0.0, 1e12),
    from("arrivals[].sizes.shape", 1.000_001, 100.0),
    from("deployment[].time", 0.0, 1e6),
    from("deployment[].share", 0.0, 1.0),
    above("flows[].application.late_after", 0.0, 1e6),
    from("flows[].application.report_interval", 1e-3, 1e6),
    from("flows[].application.source.frames.rate", 1e-3, 1e6),
    above("flows[].application.source.frames.size", 0.0, 1e9),
    above("flows[].application.source.frames.key_size", 0.0, 1e9),
    from("flows[].application.source.frames.key_every", 1.0, 1e6),
    from("flows[].application.source.constant.rate", 1e-3, 1e9),
    above("flows[].application.source.on_off.burst_size", 0.0, 1e12),
    from("flows[].application.source.on_off.burst_time", 1e-6, 1e6),
    from("flows[].application.source.on_off.rate", 1e-3, 1e9),
    from("flows[].application.source.on_off.idle_time", 1e-6, 1e6),
    from("flows[].application.source.video.ladder[]", 1e-3, 1e9),
    from("flows[].application.source.video.chunk_time", 1e-3, 1e3),
    from("flows[].application.source.video.playback_buffer", 1e-3, 1e6),
    from("flows[].application.source.video.startup_buffer", 0.0, 1e6),
    from("flows[].application.source.video.resume_buffer", 0.0, 1e6),
    from("flows[].application.source.video.abr.buffer.reservoir", 0.0, 1.0),
    from("flows[].application.source.video.abr.buffer.cushion", 0.0, 1.0),
    from("flows[].application.source.video.abr.rate.rate_chunks", 1.0, 1000.0),
    above("flows[].application.source.video.abr.rate.rate_safety", 0.0, 10.0),
    from("flows[].application.source.video.abr.fixed.rung", 1.0, 1000.0),
];

/// Holds the numbers of a scenario, as canonical JSON, against their ranges while it is read: there can be
/// 100,000 flows. Other things than numbers are left to the types.
///
/// # Errors
/// [`InvalidScenario`] naming the path, the value and the range.
pub fn check<'de, D: Deserializer<'de>>(scenario: D) -> Result<(), InvalidScenario> {
    let mut ranges = Ranges::default();
    for bound in all() {
        ranges.add(bound, bound.path);
        if let Some(path) = bound.path.strip_prefix("impairments.") {
            let sets = Below { name: "impairments", holds: Holds::Sets, ..Below::of("impairment_sets") };
            ranges.below(sets).add(bound, path);
        }
    }
    match (At { ranges: &ranges, holds: Holds::One }.deserialize(scenario)) {
        Ok(None) => Ok(()),
        Ok(Some(refused)) => Err(refused),
        Err(error) => Err(invalid("scenario", format!("not a scenario: {error}"))),
    }
}

/// Ranges by the parts of their paths: a flow is asked for the few numbers that it has, not for all that
/// flows may have.
#[derive(Default)]
struct Ranges {
    /// The range of the value here.
    bound: Option<Bound>,
    /// The ranges below, sorted by key.
    below: Vec<Below>,
}

/// The ranges at a key.
struct Below {
    key: &'static str,
    /// The key in messages.
    name: &'static str,
    holds: Holds,
    ranges: Ranges,
}

/// The value that has ranges.
#[derive(Clone, Copy)]
enum Holds {
    /// The value itself.
    One,
    /// Each entry of a list.
    List,
    /// Each set of impairments, by its name.
    Sets,
}

impl Ranges {
    /// Adds a range with its path from here.
    fn add(&mut self, bound: Bound, path: &'static str) {
        if path.is_empty() {
            self.bound = Some(bound);
            return;
        }
        let (key, rest) = path.split_once('.').unwrap_or((path, ""));
        let below = match key.strip_suffix("[]") {
            Some(list) => Below { holds: Holds::List, ..Below::of(list) },
            None => Below::of(key),
        };
        self.below(below).add(bound, rest);
    }

    /// The ranges at the key of `new`, which is put there if nothing was.
    fn below(&mut self, new: Below) -> &mut Self {
        let place = self.below.binary_search_by_key(&new.key, |below| below.key).unwrap_or_else(|place| {
            self.below.insert(place, new);
            place
        });
        &mut self.below[place].ranges
    }

    fn at(&self, key: &str) -> Option<&Below> {
        self.below.binary_search_by_key(&key, |below| below.key).ok().map(|place| &self.below[place])
    }
}

impl Below {
    fn of(key: &'static str) -> Self {
        Self { key, name: key, holds: Holds::One, ranges: Ranges::default() }
    }

    /// The ranges of the value at the key.
    fn here(&self) -> At<'_> {
        At { ranges: &self.ranges, holds: self.holds }
    }
}

/// Checks the value that is read next: the first refusal in it, with the path from there. All of the value is
/// read.
#[derive(Clone, Copy)]
struct At<'a> {
    ranges: &'a Ranges,
    holds: Holds,
}

impl<'a> At<'a> {
    /// The ranges of the entry at a place of the value, where entries have ranges of their own.
    fn at_place(self, place: usize) -> Option<&'a Below> {
        let below = matches!(self.holds, Holds::One).then_some(&self.ranges.below)?;
        below.iter().find(|below| below.key.parse() == Ok(place))
    }

    fn number<E>(self, number: f64) -> Result<Option<InvalidScenario>, E> {
        let bound = self.ranges.bound.filter(|_| matches!(self.holds, Holds::One));
        Ok(bound.and_then(|bound| bound.check(String::new, number).err()))
    }

    /// These ranges for an entry of the value.
    fn entry(self) -> Self {
        Self { holds: Holds::One, ..self }
    }
}

impl<'de> DeserializeSeed<'de> for At<'_> {
    type Value = Option<InvalidScenario>;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<Self::Value, D::Error> {
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for At<'_> {
    type Value = Option<InvalidScenario>;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        self.number(number)
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        self.number(number as f64)
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        self.number(number as f64)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut first = None;
        match self.holds {
            Holds::One => {
                while let Some(known) = map.next_key_seed(Key(self.ranges))? {
                    if let Some(at) = known {
                        let refused = map.next_value_seed(at.here())?;
                        first = first.or(refused.map(|refused| below(at.name, refused)));
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
            }
            Holds::Sets => {
                while let Some(name) = map.next_key::<String>()? {
                    let refused = map.next_value_seed(self.entry())?;
                    first = first.or(refused.map(|refused| below(&name, refused)));
                }
            }
            Holds::List => while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {},
        }
        Ok(first)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut first = None;
        for place in 0.. {
            if matches!(self.holds, Holds::List) {
                let Some(refused) = list.next_element_seed(self.entry())? else { break };
                first = first.or_else(|| refused.map(|refused| below(&format!("[{place}]"), refused)));
            } else if let Some(at) = self.at_place(place) {
                let Some(refused) = list.next_element_seed(at.here())? else { break };
                first = first.or_else(|| refused.map(|refused| below(at.name, refused)));
            } else if list.next_element::<IgnoredAny>()?.is_none() {
                break;
            }
        }
        Ok(first)
    }
}

/// Finds the ranges at the key that is read next.
struct Key<'a>(&'a Ranges);

impl<'de, 'a> DeserializeSeed<'de> for Key<'a> {
    type Value = Option<&'a Below>;

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> Result<Self::Value, D::Error> {
        key.deserialize_str(self)
    }
}

impl<'a> Visitor<'_> for Key<'a> {
    type Value = Option<&'a Below>;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.at(key))
    }
}

impl Bound {
    /// Refuses a value outside of the range, in the words of the Python package; `path` names it then.
    fn check<P: Into<String>>(&self, path: impl FnOnce() -> P, value: f64) -> Result<(), InvalidScenario> {
        let high_enough = if self.above { value > self.least } else { value >= self.least };
        if value <= self.most && high_enough {
            return Ok(());
        }
        let least = if self.above { "more than" } else { "at least" };
        let problem = if high_enough { "too high" } else { "too low" };
        let message =
            format!("{value} is {problem}; allowed: {least} {} and at most {}", self.least, self.most);
        Err(invalid(path(), message))
    }
}

/// Puts `name` before the path of a refusal.
fn below(name: &str, refused: InvalidScenario) -> InvalidScenario {
    let dot = if refused.path.is_empty() || refused.path.starts_with('[') { "" } else { "." };
    InvalidScenario { path: format!("{name}{dot}{}", refused.path), ..refused }
}

/// Refuses a value that is not between `least` and `most`; `path` names it then.
pub(crate) fn within<P: Into<String>>(
    path: impl FnOnce() -> P,
    value: f64,
    least: f64,
    most: f64,
) -> Result<(), InvalidScenario> {
    from("", least, most).check(path, value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_without_a_row_are_refused_in_the_same_form() {
        assert!(within(|| "a.b", 1.0, 0.0, 1.0).is_ok());
        let refused = within(|| "a.b", 1.5, 0.0, 1.0).unwrap_err();
        assert_eq!(refused.to_string(), "a.b: 1.5 is too high; allowed: at least 0 and at most 1");
        assert!(within(|| "a.b", f64::NAN, 0.0, 1.0).is_err());
    }

    #[test]
    fn paths_of_lists_name_the_entry() {
        let scenario = json!({"flows": [{"start": 1.0}, {"start": -1.0}], "network": {"speed": 5.0, "ecn_threshold": null}});
        let refused = check(&scenario).unwrap_err();
        assert_eq!(refused.path, "flows[1].start");
        assert_eq!(refused.message, "-1 is too low; allowed: at least 0 and at most 1000000");
        let refused = check(json!({"network": {"speed": 0.5}})).unwrap_err();
        assert_eq!(refused.path, "network.speed");
        let points = json!({"capacity": {"points": [[0.0, 1.0], [1.0, -1.0]]}});
        let refused = check(json!({"impairment_sets": {"mobile": points}})).unwrap_err();
        assert_eq!(refused.path, "impairments.mobile.capacity.points[1].1");
        let text =
            r#"{"flows":[{"start":-1,"x":[{}]},{"size":0,"y":null}],"time":{"duration":0,"z":"text"}}"#;
        let refused = check(&mut serde_json::Deserializer::from_str(text)).unwrap_err();
        assert_eq!(refused.path, "flows[0].start", "the first one, and what follows is read");
        for odd in [
            json!([1]),
            json!({"flows": 3}),
            json!({"flows": {"start": -1}}),
            json!({"impairment_sets": [-1]}),
        ] {
            assert!(check(&odd).is_ok(), "{odd} is left to the types");
        }
    }

    #[test]
    fn an_open_end_is_not_allowed_itself() {
        for (value, allowed) in
            [(0.0, false), (1e-9, true), (1000.0, true), (1000.1, false), (f64::NAN, true)]
        {
            // JSON has no NaN: serde_json makes it null, which the types refuse.
            let scenario = json!({"network": {"delay_multiplier": value}});
            assert_eq!(check(&scenario).is_ok(), allowed, "{value}");
        }
    }

    #[test]
    fn every_range_holds_something_and_has_a_path_of_its_own() {
        let mut paths: Vec<_> = all().map(|bound| bound.path).collect();
        assert!(all().all(|bound| bound.least < bound.most));
        paths.sort_unstable();
        paths.dedup();
        assert_eq!(paths.len(), all().count());
    }
}
