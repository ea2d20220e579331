//! Tests of real processes over real ports: `buildtrack`, `buildtrack-worker` and the seed's receiver under Node, started as an
//! operator would start them, on SQLite and on PostgreSQL.
//!
//! They cover behaviour that only processes have: start and shutdown, output, crash recovery, and several processes on one
//! database. **Invariant:** dropping the value of a process ends the process. The tests do not sleep for a fixed time: they wait
//! for conditions, with a deadline.

mod administration;
#[path = "../arena/processes.rs"]
mod arena;
#[path = "../arena/examples.rs"]
mod arena_examples;
#[path = "../arena/judging.rs"]
mod arena_judging;
#[path = "../arena/own_tasks.rs"]
mod arena_own_tasks;
mod broker;
mod cast;
mod checks;
mod client;
mod client_commands;
mod collector;
mod database;
mod demo;
mod exactly_once;
mod examples;
mod exchanges;
mod kills;
mod listener;
mod load;
mod logs;
#[path = "../mcp/stdio.rs"]
mod mcp_stdio;
#[path = "../../../../crates/bus/tests/bus/node.rs"]
mod node;
mod outages;
mod printing;
mod privacy;
mod process;
mod programs;
mod proxies;
mod public_tools;
mod pushes;
mod receiver;
mod receivers;
mod refusals;
mod replicas;
mod retries;
mod sdks;
mod signatures;
pub(crate) mod site;
mod standard;
mod starts;
mod stops;
mod tampering;
mod traces;
mod waiting;
