//! Real processes over real ports: `buildtrack`, `buildtrack-worker` and the seed's receiver under Node, each as an
//! operator would start it, on SQLite and on PostgreSQL alike.
//!
//! Here is what only a process can show: its start and its end, what it prints, what a kill leaves behind, and what
//! several of them do to each other. **Invariant:** a process ends with the value that stands for it. Nothing here
//! sleeps: tests wait for what must come, with a deadline.

mod administration;
mod broker;
mod cast;
mod checks;
mod client;
mod collector;
mod database;
mod demo;
mod documentation;
mod exactly_once;
mod examples;
mod exchanges;
mod kills;
mod listener;
mod load;
mod logs;
#[path = "../../../../crates/bus/tests/bus/node.rs"]
mod node;
mod outages;
mod privacy;
mod process;
mod proxies;
mod pushes;
mod receiver;
mod receivers;
mod refusals;
mod replicas;
mod retries;
mod signatures;
mod site;
mod standard;
mod starts;
mod stops;
mod tampering;
mod traces;
mod waiting;
