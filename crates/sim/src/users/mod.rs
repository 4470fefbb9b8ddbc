//! Who sits where, what they fetch, how long they think.

pub mod arrivals;
pub mod files;
mod flow_sizes;
pub mod population;

pub use arrivals::{Arrival, Emitter, Emitters};
pub use files::{FILE_CATEGORIES, FileSizes};
pub use population::{Population, Source, Transfer};
