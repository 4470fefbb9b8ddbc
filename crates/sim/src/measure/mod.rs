//! What is measured: counters, samples, responses, flow records. Sums are integers, so that they do not depend on the
//! order in which flows are visited.

pub mod columns;
pub mod counters;
pub mod pair_class;
pub mod records;
pub mod responses;
pub mod sample;

pub use columns::{Column, Table};
pub use counters::Counters;
pub use pair_class::PairClass;
pub use records::{FlowGroups, FlowRecords};
pub use responses::{PeriodSums, Responses};
pub use sample::Sample;
