//! The reasons for which a file has no result.

use serde_json::Value;
use std::io;

/// A file that is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The problem, in one clause.
    pub problem: String,
    /// The option or the place in the file, such as `flow`.
    pub path: Option<&'static str>,
    /// The value there.
    pub value: Option<Value>,
    /// Allowed values, in words; None: the formats that are read.
    pub allowed: Option<String>,
}

/// A reader without a result.
#[derive(Debug)]
pub enum Error {
    /// The file does not show what is asked for.
    Refused(Refusal),
    /// The file cannot be read.
    Failed(io::Error),
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

/// Returns the error of a file that none of the formats allows.
pub fn malformed(problem: impl Into<String>) -> Error {
    Error::Refused(Refusal { problem: problem.into(), path: None, value: None, allowed: None })
}

/// Returns the error of a file that needs something else.
pub fn refused(problem: impl Into<String>, allowed: impl Into<String>) -> Error {
    let allowed = Some(allowed.into());
    Error::Refused(Refusal { problem: problem.into(), path: None, value: None, allowed })
}

/// Returns the error of a value at a path.
pub fn refused_at(
    path: &'static str,
    value: Option<Value>,
    problem: impl Into<String>,
    allowed: impl Into<String>,
) -> Error {
    Error::Refused(Refusal {
        problem: problem.into(),
        path: Some(path),
        value,
        allowed: Some(allowed.into()),
    })
}
