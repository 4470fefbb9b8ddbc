//! Measurement: counters, samples, responses, flow records. Sums over flows are integers, so that they do not
//! depend on the order in which flows are visited.

pub mod applications;
pub mod carried;
pub mod columns;
pub mod convergence;
pub mod counters;
pub mod fairness;
pub mod groups;
pub mod histogram;
pub mod packets;
pub mod pair_class;
pub mod records;
pub mod responses;
pub mod routers;
pub mod rtt_class;
pub mod sample;
pub mod slowdown;
pub mod stacks;
pub mod traces;
pub mod units;

pub use applications::FlowApplication;
pub use carried::Carried;
pub use columns::{Column, Table};
pub use convergence::Convergence;
pub use counters::Counters;
pub use fairness::Fairness;
pub use groups::FlowGroups;
pub use histogram::Histogram;
pub use pair_class::{PATH_CLASSES, PairClass, PathClass};
pub use records::FlowRecords;
pub use responses::{Interval, PeriodSums, Responses};
pub use routers::RouterUse;
pub use sample::Sample;
pub use slowdown::SlowdownClasses;
pub use stacks::StackRow;
pub use traces::Traces;
pub use units::{UnitRow, Units};
