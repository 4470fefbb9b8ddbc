//! Users: their places, their files and their think times.

pub mod arrivals;
pub mod files;
mod flow_sizes;
pub mod population;
pub mod units;

pub use arrivals::{Arrival, Emitter, Emitters};
pub use files::{FILE_CATEGORIES, FileSizes};
pub use population::{Population, Source, Transfer};
