//! The algorithms: a file for each; a long file is divided into a folder of the same name.

pub mod bbr;
pub mod bbr3;
pub mod bic;
pub mod ctcp;
pub mod cubic;
pub mod dctcp;
pub mod fast;
pub mod fast_at;
pub mod hstcp;
pub mod htcp;
pub mod illinois;
pub mod prague;
pub mod scalable;
pub mod tcp;
pub mod vegas;
pub mod westwood;
