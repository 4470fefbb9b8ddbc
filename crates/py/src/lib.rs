//! The Python module `mesonet._core`: canonical JSON in, NumPy columns out. Nothing else is decided here.

use mesonet_cc::plugin::{self, Fault};
use mesonet_cc::registry::ALGORITHMS;
use mesonet_sim::measure::{Column, Table};
use mesonet_sim::network::{Domains, Network};
use mesonet_sim::{Engine, Scenario, Simulation};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyString};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;

mod captures;
#[cfg(unix)]
mod signals;

pyo3::create_exception!(
    mesonet._core,
    PluginFault,
    PyRuntimeError,
    "A plug-in left a window that is not allowed."
);

fn refuse(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Numbers of some bytes as a NumPy array, over memory of its own.
fn array<'py, const BYTES: usize>(
    py: Python<'py>,
    kind: &str,
    numbers: impl ExactSizeIterator<Item = [u8; BYTES]>,
) -> PyResult<Bound<'py, PyAny>> {
    let memory = PyByteArray::new_with(py, BYTES * numbers.len(), |memory| {
        for (place, number) in memory.chunks_exact_mut(BYTES).zip(numbers) {
            place.copy_from_slice(&number);
        }
        Ok(())
    })?;
    py.import("numpy")?.call_method1("frombuffer", (memory, kind))
}

/// A table as a dict of column name to NumPy array (numbers) or list (words).
fn columns(py: Python<'_>, table: Table) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for (name, column) in table.columns {
        match column {
            Column::Float(values) => {
                dict.set_item(name, array(py, "float64", values.into_iter().map(f64::to_ne_bytes))?)?;
            }
            Column::Integer(values) => {
                dict.set_item(name, array(py, "uint64", values.into_iter().map(u64::to_ne_bytes))?)?;
            }
            // Equal words are one object.
            Column::Text(values) => {
                let words = values.into_iter().map(|word| PyString::intern(py, &word));
                dict.set_item(name, words.collect::<Vec<_>>())?;
            }
        }
    }
    Ok(dict)
}

/// The responses so far: period, name and value.
fn responses(simulation: &Simulation) -> Table {
    let rows = simulation.responses();
    let mut table = Table::default();
    table.text("period", rows.iter().map(|row| row.0.clone()).collect());
    table.text("name", rows.iter().map(|row| row.1.to_string()).collect());
    table.float("value", rows.iter().map(|row| row.2).collect());
    table
}

/// The scenario that was checked or described last, with its text. A check, a description and a run follow
/// each other: a scenario with thousands of flows is parsed once.
static LAST: Mutex<Option<(String, Scenario)>> = Mutex::new(None);

fn keep(text: &str, scenario: Scenario) {
    if let Ok(mut last) = LAST.lock() {
        *last = Some((text.to_owned(), scenario));
    }
}

/// The scenario of a text; it is not kept any more.
fn taken(text: &str) -> PyResult<Scenario> {
    let last = LAST.lock().ok().and_then(|mut last| last.take_if(|(known, _)| known == text));
    last.map_or_else(|| Scenario::from_json(text).map_err(refuse), |(_, scenario)| Ok(scenario))
}

/// Name of the engine that runs where none is named.
const DEFAULT_ENGINE: &str = "domains";

/// A running simulation of one scenario.
#[pyclass(name = "Simulation", module = "mesonet._core")]
struct PySimulation(Simulation);

#[pymethods]
impl PySimulation {
    /// A simulation at its first instant, or where it was when `snapshot` was taken. Raises ValueError
    /// ("path: message") for an invalid scenario and, with the path "snapshot", for bytes that are none of
    /// this run.
    #[new]
    #[pyo3(signature = (scenario_json, seed, threads = 1, engine = DEFAULT_ENGINE, snapshot = None))]
    fn new(
        py: Python<'_>,
        scenario_json: &str,
        seed: u64,
        threads: usize,
        engine: &str,
        snapshot: Option<&[u8]>,
    ) -> PyResult<Self> {
        let engine = match engine {
            "domains" => Engine::Domains,
            "reference" => Engine::Reference,
            other => return Err(refuse(format!("engine: {other} is not an engine; domains or reference"))),
        };
        py.detach(|| {
            let scenario = taken(scenario_json)?;
            let simulation = Simulation::with(scenario, seed, engine, threads).map_err(refuse)?;
            let Some(bytes) = snapshot else { return Ok(Self(simulation)) };
            simulation.restored(bytes).map(Self).map_err(|error| refuse(format!("snapshot: {error}")))
        })
    }

    /// Runs until `until_s` seconds of simulated time, or the end. Raises PluginFault if a plug-in leaves a
    /// window that is not allowed; the simulation cannot go on then.
    fn advance(&mut self, py: Python<'_>, until_s: f64) -> PyResult<()> {
        if !self.0.has_plugins() {
            py.detach(|| self.0.advance(until_s));
            return Ok(());
        }
        let advanced = py.detach(|| {
            #[cfg(unix)]
            let _watch = signals::Watch::new();
            catch_unwind(AssertUnwindSafe(|| self.0.advance(until_s)))
        });
        advanced.or_else(|payload| match payload.downcast::<Fault>() {
            Ok(fault) => Err(PluginFault::new_err(fault.message)),
            Err(other) => resume_unwind(other),
        })
    }

    /// All that is needed to go on from now, as bytes. Raises ValueError where the state of a plug-in cannot
    /// be written.
    fn snapshot<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        if let Some(name) = self.0.without_snapshots() {
            return Err(refuse(format!("the state of {name} cannot be written: there are no snapshots")));
        }
        let bytes = py.detach(|| self.0.snapshot());
        Ok(PyBytes::new(py, &bytes))
    }

    /// Ends the run and makes its tables of these names. Raises ValueError for a name of none.
    fn finish<'py>(&mut self, py: Python<'py>, names: Vec<String>) -> PyResult<Bound<'py, PyDict>> {
        self.0.record_unfinished();
        let tables = PyDict::new(py);
        for name in names {
            let table = match name.as_str() {
                "responses" => responses(&self.0),
                "series" => self.0.take_series(),
                "flows" => self.0.take_flows(),
                "stacks" => self.0.take_stacks(),
                "groups" => self.0.groups(),
                "units" => self.0.units(),
                "routers" => self.0.routers(),
                "demands" => self.0.demands(),
                "applications" => self.0.applications(),
                "flow_traces" => self.0.take_flow_traces(),
                "router_traces" => self.0.take_router_traces(),
                "packets" => self.0.take_packets(),
                other => return Err(refuse(format!("tables: {other} is not a table"))),
            };
            tables.set_item(name, columns(py, table)?)?;
        }
        Ok(tables)
    }

    /// Work done so far.
    fn performance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counters = self.0.counters();
        let dict = PyDict::new(py);
        dict.set_item("data_segments_delivered", counters.delivered)?;
        dict.set_item("data_segments_sent", counters.data_sent)?;
        dict.set_item("segments_dropped", counters.dropped)?;
        dict.set_item("router_hops", self.0.router_hops())?;
        dict.set_item("simulated_s", self.0.time())?;
        Ok(dict)
    }

    /// Return whether the run has reached the end of the scenario.
    fn finished(&self) -> bool {
        self.0.finished()
    }
}

/// Every registered congestion control with its constants, as a JSON array.
#[pyfunction]
fn algorithms() -> PyResult<String> {
    serde_json::to_string(mesonet_cc::registry::ALGORITHMS).map_err(refuse)
}

/// Checks the table of functions of a plug-in, at an address, and keeps it for scenarios that name its file's
/// digest. Returns a JSON object: what users can list, and `pointers`. Raises ValueError for what is not
/// allowed.
#[pyfunction]
#[allow(unsafe_code)]
fn load_plugin(address: usize, digest: &str) -> PyResult<String> {
    // SAFETY: the Python package got the address from the function `mesonet_cc` of a library that it never
    // unloads.
    let loaded = unsafe { plugin::load(std::ptr::with_exposed_provenance(address), digest, ALGORITHMS) }
        .map_err(refuse)?;
    let about = serde_json::json!({ "algorithm": loaded.algorithm, "pointers": loaded.has_pointers() });
    Ok(about.to_string())
}

/// Names the file of a plug-in before it is loaded, and nothing after it. If its code ends the process by
/// `exit`, here or in a run, the process prints it, with an exit code that is no success.
#[pyfunction]
#[pyo3(signature = (file))]
fn loading(file: Option<String>) {
    #[cfg(unix)]
    signals::loading(file);
    #[cfg(not(unix))]
    let _ = file;
}

/// Loads the congestion controls of production software and the transport stacks that this build has. Returns
/// a JSON array: of each what `load_plugin` returns, and `digest`.
#[pyfunction]
#[allow(unsafe_code)]
fn load_production() -> PyResult<String> {
    let mut found = Vec::new();
    for build in mesonet_production::builds() {
        // SAFETY: a table of this build, which stays to the end of the process.
        let loaded = unsafe { plugin::load(build.table, &build.version, ALGORITHMS) }.map_err(refuse)?;
        found.push(serde_json::json!({
            "algorithm": loaded.algorithm, "pointers": loaded.has_pointers(), "digest": build.version,
        }));
    }
    for build in mesonet_stacks::builds() {
        let kept = plugin::observed::keep(&build.about, &build.version);
        mesonet_sim::stacks::register(build.stack);
        found.push(serde_json::json!({
            "algorithm": kept.algorithm, "pointers": kept.has_pointers(), "digest": build.version,
        }));
    }
    Ok(serde_json::Value::from(found).to_string())
}

/// Allowed ranges of the numbers of a scenario, as a JSON list.
#[pyfunction]
fn bounds() -> PyResult<String> {
    serde_json::to_string(&mesonet_sim::scenario::bounds::all().collect::<Vec<_>>()).map_err(refuse)
}

/// Holds the values of a scenario against their ranges and against each other.
#[pyfunction]
fn check(scenario_json: &str) -> PyResult<()> {
    taken(scenario_json).map(|scenario| keep(scenario_json, scenario))
}

/// Numbers that follow from a scenario before anything is simulated, as a JSON object.
#[pyfunction]
fn describe(scenario_json: &str) -> PyResult<String> {
    let scenario = taken(scenario_json)?;
    let network = Network::build(&scenario).map_err(refuse)?;
    mesonet_sim::simulation::check::check(&scenario, &network, &Domains::of(&network)).map_err(refuse)?;
    let described = serde_json::to_string(&network.describe(&scenario)).map_err(refuse)?;
    keep(scenario_json, scenario);
    Ok(described)
}

/// The queues that pairs of regions cross, and what users and arrivals offer to each queue, as a JSON object.
#[pyfunction]
fn ways(scenario_json: &str) -> PyResult<String> {
    let scenario = taken(scenario_json)?;
    let network = Network::build(&scenario).map_err(refuse)?;
    let ways = network.ways(&scenario).map_err(refuse)?;
    let text = serde_json::to_string(&ways).map_err(refuse)?;
    keep(scenario_json, scenario);
    Ok(text)
}

/// Names of the built-in topologies.
#[pyfunction]
fn topologies() -> Vec<&'static str> {
    mesonet_sim::network::built_in::BUILT_IN.to_vec()
}

/// Hash of everything that can change a result: sources of the simulator and its lock file.
#[pyfunction]
fn code_version() -> &'static str {
    env!("MESONET_CODE_VERSION")
}

/// Profile of this build, the machine that it is for, and the default engine.
#[pyfunction]
fn build() -> [(&'static str, &'static str); 3] {
    [("profile", env!("MESONET_PROFILE")), ("target", env!("MESONET_TARGET")), ("engine", DEFAULT_ENGINE)]
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PySimulation>()?;
    module.add_function(wrap_pyfunction!(algorithms, module)?)?;
    module.add("PluginFault", module.py().get_type::<PluginFault>())?;
    module.add_function(wrap_pyfunction!(loading, module)?)?;
    module.add_function(wrap_pyfunction!(load_plugin, module)?)?;
    module.add_function(wrap_pyfunction!(load_production, module)?)?;
    module.add_function(wrap_pyfunction!(bounds, module)?)?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(describe, module)?)?;
    module.add_function(wrap_pyfunction!(ways, module)?)?;
    module.add_function(wrap_pyfunction!(topologies, module)?)?;
    module.add_function(wrap_pyfunction!(code_version, module)?)?;
    module.add_function(wrap_pyfunction!(build, module)?)?;
    module.add_function(wrap_pyfunction!(captures::capture_flows, module)?)?;
    module.add_function(wrap_pyfunction!(captures::capture_transfer, module)?)?;
    module.add_function(wrap_pyfunction!(captures::quic_log, module)?)?;
    Ok(())
}
