//! Faults of plug-ins: the first fault of a run is the same with any number of threads and on both engines.
//!
//! A plug-in that leaves a window that is not allowed unwinds. The domain of its flow stops there; the other
//! domains end their window, in which they may meet faults too. The earliest fault then unwinds to the caller
//! of the simulation, which cannot go on.

use super::domain::Domain;
use super::shared::Shared;
use mesonet_cc::Picos;
use mesonet_cc::plugin::Fault;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{MutexGuard, PoisonError};

impl Domain {
    /// Everything that happens before `limit`, up to a fault of a plug-in.
    #[inline]
    pub fn advance(&mut self, shared: &Shared, limit: Picos) {
        if shared.has_plugins {
            self.advance_to_fault(shared, limit);
        } else {
            self.run(shared, limit);
        }
    }

    fn advance_to_fault(&mut self, shared: &Shared, limit: Picos) {
        let Err(payload) = catch_unwind(AssertUnwindSafe(|| self.run(shared, limit))) else { return };
        match payload.downcast::<Fault>() {
            Ok(fault) => shared.met(*fault),
            Err(other) => resume_unwind(other),
        }
    }
}

impl Shared {
    fn met(&self, fault: Fault) {
        let mut first = self.first_fault();
        if first.as_ref().is_none_or(|known| fault.order() < known.order()) {
            *first = Some(fault);
        }
    }

    fn first_fault(&self) -> MutexGuard<'_, Option<Fault>> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Between two windows: unwinds with the first fault, if there was any.
    #[inline]
    pub fn raise_fault(&self) {
        if self.has_plugins {
            let fault = self.first_fault().clone();
            if let Some(fault) = fault {
                resume_unwind(Box::new(fault));
            }
        }
    }
}
