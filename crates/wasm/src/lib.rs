//! The simulator as a module for browsers and other WebAssembly hosts: canonical JSON in, JSON out. Nothing
//! else is decided here.
//!
//! Numbers leave as the shortest decimal text that names them exactly, so that a host reads equal bits. A
//! number that is not finite leaves as `null`. A panic ends the module; [`last_panic`] returns its message.

use mesonet_sim::measure::{Column, Table};
use mesonet_sim::{Scenario, Simulation};
use serde_json::{Map, Value, json};
use std::sync::Mutex;
use wasm_bindgen::prelude::wasm_bindgen;

static PANIC: Mutex<String> = Mutex::new(String::new());

/// Keeps messages of panics for [`last_panic`].
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|info| {
        if let Ok(mut message) = PANIC.lock() {
            *message = info.to_string();
        }
    }));
}

/// Message of the last panic with its place in the sources; empty without a panic.
#[wasm_bindgen]
#[must_use]
pub fn last_panic() -> String {
    PANIC.lock().map(|message| message.clone()).unwrap_or_default()
}

/// Hash of everything that can change a result; equal to `mesonet._core.code_version()` of the same sources.
#[wasm_bindgen]
#[must_use]
pub fn code_version() -> String {
    env!("MESONET_CODE_VERSION").to_owned()
}

/// A running simulation of one scenario, on one thread.
#[wasm_bindgen]
pub struct Run(Simulation);

#[wasm_bindgen]
impl Run {
    /// A simulation at its first instant. The seed is text, because a number of JavaScript has 53 bits.
    ///
    /// # Errors
    /// "path: message" for an invalid scenario or seed.
    #[wasm_bindgen(constructor)]
    pub fn new(scenario_json: &str, seed: &str) -> Result<Run, String> {
        let seed = seed.parse().map_err(|_| {
            format!("seed: \"{seed}\" is no seed; allowed: a whole number from 0 to {}", u64::MAX)
        })?;
        let scenario = Scenario::from_json(scenario_json).map_err(|error| error.to_string())?;
        Simulation::new(scenario, seed).map(Run).map_err(|error| error.to_string())
    }

    /// Runs until `until_s` seconds of simulated time or the end of the run, whichever comes first.
    pub fn advance(&mut self, until_s: f64) {
        self.0.advance(until_s);
    }

    /// Returns whether the run has reached its end.
    #[must_use]
    pub fn finished(&self) -> bool {
        self.0.finished()
    }

    /// Simulated time, s.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.0.time()
    }

    /// Rows since the last call, as a JSON object of tables: "series", "flow_traces", "router_traces" and
    /// "packets".
    pub fn take(&mut self) -> String {
        let tables = [
            ("series", self.0.take_series()),
            ("flow_traces", self.0.take_flow_traces()),
            ("router_traces", self.0.take_router_traces()),
            ("packets", self.0.take_packets()),
        ];
        object(tables)
    }

    /// Responses until now, as a JSON table with the columns period, name and value.
    #[must_use]
    pub fn responses(&self) -> String {
        table(self.responses_table()).to_string()
    }

    fn responses_table(&self) -> Table {
        let rows = self.0.responses();
        let mut responses = Table::default();
        responses.text("period", rows.iter().map(|row| row.0.clone()).collect());
        responses.text("name", rows.iter().map(|row| row.1.to_string()).collect());
        responses.float("value", rows.iter().map(|row| row.2).collect());
        responses
    }

    /// Ends the run, and returns a JSON object of the tables that `mesonet._core.Simulation.finish` returns.
    /// Rows that `take` has returned are not in it.
    pub fn finish(&mut self) -> String {
        self.0.record_unfinished();
        let tables = [
            ("responses", self.responses_table()),
            ("series", self.0.take_series()),
            ("flow_traces", self.0.take_flow_traces()),
            ("router_traces", self.0.take_router_traces()),
            ("packets", self.0.take_packets()),
            ("groups", self.0.groups()),
            ("units", self.0.units()),
            ("applications", self.0.applications()),
            ("routers", self.0.routers()),
            ("demands", self.0.demands()),
            ("flows", self.0.take_flows()),
        ];
        object(tables)
    }

    /// Work done so far, as a JSON object.
    #[must_use]
    pub fn performance(&self) -> String {
        let counters = self.0.counters();
        let done = json!({
            "data_segments_delivered": counters.delivered,
            "data_segments_sent": counters.data_sent,
            "segments_dropped": counters.dropped,
            "router_hops": self.0.router_hops(),
            "simulated_s": self.0.time(),
        });
        done.to_string()
    }
}

fn object(tables: impl IntoIterator<Item = (&'static str, Table)>) -> String {
    let found: Map<String, Value> =
        tables.into_iter().map(|(name, content)| (name.to_owned(), table(content))).collect();
    Value::Object(found).to_string()
}

/// A table as an object of column name to array.
fn table(content: Table) -> Value {
    let columns = content.columns.into_iter().map(|(name, column)| {
        let values = match column {
            Column::Float(values) => Value::from(values),
            Column::Integer(values) => Value::from(values),
            Column::Text(values) => Value::from(values),
        };
        (name, values)
    });
    Value::Object(columns.collect())
}
