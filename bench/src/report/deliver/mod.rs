//! Report of `deliver`: figures, a table of them, and the same as JSON.

mod figures;
mod json;
mod table;

pub(crate) use figures::{Balance, Drain, Faults, Hanging, Latency, Peaks, Run, Sustained, Title};
pub(crate) use json::json;
pub(crate) use table::{summary, table};
