//! Users: their places, their files, their think times and their congestion controls.

pub mod arrivals;
pub mod assignment;
pub mod deployment;
pub mod files;
mod flow_sizes;
mod owners;
pub mod population;
pub mod units;

pub use arrivals::{Arrival, Emitter, Emitters};
pub use assignment::{Assignment, Newcomer};
pub use files::{FILE_CATEGORIES, FileSizes};
pub use owners::{Owner, Owners};
pub use population::{Population, Source, Transfer};
