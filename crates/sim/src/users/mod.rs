//! Who sits where, what they fetch, how long they think.

pub mod files;
pub mod population;

pub use files::{FILE_CATEGORIES, FileSizes};
pub use population::{Population, Source, Transfer};
