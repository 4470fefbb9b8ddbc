//! Captures in, NumPy columns out.

use crate::array;
use mesonet_captures::{Error, Flow, flows, log, transfer};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde_json::Value;
use std::io::{self, Read, Seek, SeekFrom};

/// A file of Python, open to be read in binary. Signals of the process are looked at with each read.
struct File(Py<PyAny>);

impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| {
            py.check_signals()?;
            let read = self.0.bind(py).call_method1("read", (buffer.len(),))?;
            let bytes = read.cast::<PyBytes>().map_err(PyErr::from)?.as_bytes();
            let into = buffer.get_mut(..bytes.len()).ok_or(io::ErrorKind::InvalidData)?;
            into.copy_from_slice(bytes);
            Ok(bytes.len())
        })
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (offset, from) = match to {
            SeekFrom::Start(offset) => (i64::try_from(offset).map_err(io::Error::other)?, 0),
            SeekFrom::Current(offset) => (offset, 1),
            SeekFrom::End(offset) => (offset, 2),
        };
        Ok(Python::attach(|py| self.0.call_method1(py, "seek", (offset, from))?.extract(py))?)
    }
}

/// A refusal as a ValueError with the problem, the path, the value and what is allowed; None without them.
fn raised(error: Error) -> PyErr {
    match error {
        Error::Failed(error) => error.into(),
        Error::Refused(refusal) => {
            let number = refusal.value.as_ref().and_then(Value::as_i64);
            let text = refusal.value.filter(|_| number.is_none()).map(|value| match value {
                Value::String(text) => text,
                other => other.to_string(),
            });
            PyValueError::new_err((refusal.problem, refusal.path, number, text, refusal.allowed))
        }
    }
}

/// Start and duration in s, packets, bytes of data, and whether the handshake is there.
type FlowRow = (f64, f64, u64, u64, bool);

/// The flows of a file of packets. Raises ValueError for a file that is refused.
#[pyfunction]
pub fn capture_flows(py: Python<'_>, file: Py<PyAny>) -> PyResult<Vec<FlowRow>> {
    let found = py.detach(|| flows(File(file))).map_err(raised)?;
    let row = |each: Flow| (each.start_s, each.duration_s, each.packets, each.data_bytes, each.begins);
    Ok(found.into_iter().map(row).collect())
}

/// The packets of a flow in a file of packets, with their fates, as a dict of columns and numbers. Raises
/// ValueError for a file that is refused.
#[pyfunction]
pub fn capture_transfer<'py>(
    py: Python<'py>,
    file: Py<PyAny>,
    number: Option<i64>,
    fewest: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let found = py.detach(|| transfer(File(file), number, fewest)).map_err(raised)?;
    let dict = columns(py, found.sent_s, found.acked_s, found.lost, found.data)?;
    dict.set_item("handshake_s", found.handshake_s)?;
    dict.set_item("segment", found.segment)?;
    dict.set_item("header", found.header)?;
    dict.set_item("bursts", found.bursts)?;
    dict.set_item("marked", found.marked)?;
    dict.set_item("unseen", found.unseen)?;
    dict.set_item("read", found.read)?;
    dict.set_item("total", found.total)?;
    dict.set_item("is_cut_off", found.is_cut_off)?;
    Ok(dict)
}

/// The packets of a trace in a log of QUIC, as a dict of columns and numbers. Raises ValueError for a file
/// that is refused.
#[pyfunction]
pub fn quic_log<'py>(
    py: Python<'py>,
    file: Py<PyAny>,
    number: Option<i64>,
    fewest: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let found = py.detach(|| log(File(file), number, fewest)).map_err(raised)?;
    let dict = columns(py, found.sent_s, found.acked_s, found.lost, found.length)?;
    dict.set_item("handshake_s", found.handshake_s)?;
    dict.set_item("has_handshake", found.has_handshake)?;
    dict.set_item("of_mesonet", found.of_mesonet)?;
    dict.set_item("total", found.total)?;
    Ok(dict)
}

fn columns(
    py: Python<'_>,
    sent_s: Vec<f64>,
    acked_s: Vec<f64>,
    lost: Vec<bool>,
    bytes: Vec<u32>,
) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("sent_s", array(py, "float64", sent_s.into_iter().map(f64::to_ne_bytes))?)?;
    dict.set_item("acked_s", array(py, "float64", acked_s.into_iter().map(f64::to_ne_bytes))?)?;
    dict.set_item("lost", array(py, "bool", lost.into_iter().map(|lost| [u8::from(lost)]))?)?;
    dict.set_item("bytes", array(py, "uint32", bytes.into_iter().map(u32::to_ne_bytes))?)?;
    Ok(dict)
}
