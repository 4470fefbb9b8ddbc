//! State on its way out of a simulation as bytes, and back into one.
//!
//! State that follows from a scenario is built anew, never stored; a snapshot holds state that changes during
//! a run. Each part of a simulation lists its fields once, in a method `pass` that serves both directions,
//! and takes itself apart by name there: a field that is added and not thought of does not compile.

use serde::{Serialize, de::DeserializeOwned};
use std::fmt;

/// A direction of travel.
#[derive(Debug)]
pub enum Passage<'a> {
    /// Out of a simulation, to the end of these bytes.
    Out(Vec<u8>),
    /// Into one, from the beginning of these.
    In(&'a [u8]),
}

impl Passage<'_> {
    /// Writes `field`, or replaces it by what was written.
    ///
    /// # Errors
    /// [`BadSnapshot::Broken`] where the bytes are none of it.
    pub fn field<T: Serialize + DeserializeOwned>(&mut self, field: &mut T) -> Result<(), BadSnapshot> {
        match self {
            Self::Out(bytes) => {
                // Fails for lists of unknown length only, of which a state has none.
                *bytes =
                    postcard::to_extend(field, std::mem::take(bytes)).map_err(|_| BadSnapshot::Broken)?;
            }
            Self::In(bytes) => {
                (*field, *bytes) = postcard::take_from_bytes(bytes).map_err(|_| BadSnapshot::Broken)?;
            }
        }
        Ok(())
    }

    /// Each of `items`, of which the scenario says how many there are.
    ///
    /// # Errors
    /// [`BadSnapshot::Broken`] where as many were not written, or those of `pass`.
    pub fn each<T>(
        &mut self,
        items: &mut [T],
        mut pass: impl FnMut(&mut T, &mut Self) -> Result<(), BadSnapshot>,
    ) -> Result<(), BadSnapshot> {
        self.same(&items.len(), BadSnapshot::Broken)?;
        items.iter_mut().try_for_each(|item| pass(item, self))
    }

    /// Something that both sides know.
    ///
    /// # Errors
    /// `otherwise` where something else was written.
    pub fn same<T: Serialize + DeserializeOwned + Clone + PartialEq>(
        &mut self,
        known: &T,
        otherwise: BadSnapshot,
    ) -> Result<(), BadSnapshot> {
        let mut passed = known.clone();
        self.field(&mut passed)?;
        if passed == *known { Ok(()) } else { Err(otherwise) }
    }

    /// Nothing comes any more.
    ///
    /// # Errors
    /// [`BadSnapshot::Broken`] where bytes are left.
    pub fn end(&self) -> Result<(), BadSnapshot> {
        match self {
            Self::In(bytes) if !bytes.is_empty() => Err(BadSnapshot::Broken),
            _ => Ok(()),
        }
    }
}

/// Why a simulation cannot go on from some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadSnapshot {
    /// They are no snapshot, or one of other code.
    Broken,
    /// They are of another run.
    OtherRun,
}

impl fmt::Display for BadSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Broken => "not a snapshot that can be read",
            Self::OtherRun => "a snapshot of another scenario, seed or engine",
        })
    }
}

impl std::error::Error for BadSnapshot {}
