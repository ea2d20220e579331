//! Report of runs: a compact table for people, one line of JSON for programs.

pub(crate) mod deliver;
mod json;
mod run;
mod table;

pub(crate) use json::json;
pub(crate) use run::{Count, Run, Title, Usage, accepted_per_second};
pub(crate) use table::{refusals, summary, table};
