//! The forms of a log: a document with traces, or lines of which the first names the trace.

use super::trace::{About, Event, Trace};
use crate::refusal::{Error, refused, refused_at};
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::fmt;

const VERSIONS: [&str; 2] = ["0.3", "0.4"];
pub(super) const ALLOWED: &str =
    "qlog 0.3 or 0.4 of the sender: JSON, lines of JSON, or a JSON text sequence";

/// A file, or the first value of its lines.
#[derive(Default)]
pub(super) struct Document {
    number: Option<i64>,
    pub(super) version: Option<Value>,
    has_schema: bool,
    pub(super) has_traces: bool,
    /// Of the only trace of lines.
    pub(super) about: About,
    traces: i64,
    /// The chosen trace.
    found: Option<Trace>,
}

impl Document {
    pub(super) fn new(number: Option<i64>) -> Self {
        Self { number, ..Self::default() }
    }

    pub(super) fn check_version(&self) -> Result<(), Error> {
        match &self.version {
            // Sequences of 0.4 name a schema in place of a version.
            None if self.has_schema => Ok(()),
            Some(Value::String(version)) if VERSIONS.contains(&version.as_str()) => Ok(()),
            None => Err(refused_at("qlog_version", None, "no version", ALLOWED)),
            other => Err(refused_at("qlog_version", other.clone(), "another version", ALLOWED)),
        }
    }

    /// Returns whether the next trace is the chosen one.
    fn is_chosen(&self) -> bool {
        self.number.is_none_or(|number| number == self.traces + 1)
    }

    pub(super) fn keep(&mut self, trace: Trace) {
        if self.is_chosen() {
            self.found = Some(trace);
        }
        self.traces += 1;
    }

    pub(super) fn chosen(self) -> Result<Trace, Error> {
        let allowed = format!("1 to {}", self.traces);
        match (self.number, self.found) {
            (None, Some(found)) if self.traces == 1 => Ok(found),
            (Some(_), Some(found)) => Ok(found),
            _ if self.traces == 0 => Err(refused("no trace", ALLOWED)),
            (Some(number), None) => Err(refused_at("flow", Some(number.into()), "no such trace", allowed)),
            (None, _) => {
                Err(refused_at("flow", None, format!("{} traces", self.traces), format!("--flow {allowed}")))
            }
        }
    }
}

/// Reads a file, or the first value of its lines, into a document.
pub(super) struct Whole<'a>(pub(super) &'a mut Document);

impl<'de> DeserializeSeed<'de> for Whole<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Whole<'_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "qlog_version" => self.0.version = map.next_value()?,
                "file_schema" => {
                    self.0.has_schema = true;
                    map.next_value::<IgnoredAny>()?;
                }
                "trace" => self.0.about = map.next_value()?,
                "traces" => {
                    self.0.has_traces = true;
                    map.next_value_seed(EachTrace(self.0))?;
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// Reads the traces of a document, and keeps the chosen one.
struct EachTrace<'a>(&'a mut Document);

impl<'de> DeserializeSeed<'de> for EachTrace<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for EachTrace<'_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a list of traces")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        loop {
            let trace = if self.0.is_chosen() {
                list.next_element_seed(OneTrace)?
            } else {
                list.next_element::<IgnoredAny>()?.map(|_| Trace::default())
            };
            match trace {
                Some(trace) => self.0.keep(trace),
                None => return Ok(()),
            }
        }
    }
}

/// Reads a trace of a document.
struct OneTrace;

impl<'de> DeserializeSeed<'de> for OneTrace {
    type Value = Trace;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Trace, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for OneTrace {
    type Value = Trace;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a trace")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Trace, A::Error> {
        let mut about = About::default();
        let mut events = None;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "vantage_point" => about.vantage_point = map.next_value()?,
                "common_fields" => about.common_fields = map.next_value()?,
                "events" => events = Some(map.next_value_seed(Events(Trace::new(&about)))?),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        let mut trace = events.ok_or_else(|| A::Error::missing_field("events"))?;
        if trace.has_differences != about.has_differences() {
            return Err(A::Error::custom("common_fields behind the events whose times they describe"));
        }
        trace.is_of_mesonet = about.is_of_mesonet();
        Ok(trace)
    }
}

/// Counts a list of events into a trace.
struct Events(Trace);

impl<'de> DeserializeSeed<'de> for Events {
    type Value = Trace;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Trace, D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Events {
    type Value = Trace;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a list of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Trace, A::Error> {
        while let Some(event) = list.next_element::<Event>()? {
            self.0.count(&event).map_err(A::Error::custom)?;
        }
        Ok(self.0)
    }
}
