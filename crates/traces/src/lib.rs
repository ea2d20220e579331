//! What is seen of the way from a request through the log and the bus to a push: spans, after the semantic conventions
//! of OpenTelemetry, exported as OTLP where the environment names a collector. The only OpenTelemetry.
//!
//! A request is a trace of its own, or goes on in the caller's (W3C Trace Context). So is every event: its trace and the
//! span of its creation are named by its hash on the log, which whoever deals with it has at hand, in whatever process
//! and however much later. So nothing has to travel beside the event or to be stored with it, and what the public log
//! says of an event leads to its trace. The two are linked, both ways.
//!
//! **Invariant:** without a collector nothing is made, and asking for that costs one atomic load. **Invariant:** no span
//! holds a body, a query, a secret, or more of a receiver's address than its host and port. **Invariant:** nobody waits
//! for a collector: what it does not take is dropped and counted.

mod descriptions;
mod environment;
mod events;
mod exporter;
mod http;
mod log;
mod messages;
mod process;
mod sampling;
mod span;

pub use descriptions::describe_metrics;
pub use environment::Misconfigured;
pub use events::Event;
pub use exporter::{Exporter, Failed, Post, Service, start};
pub use http::{push, request};
pub use log::{append, commit};
pub use messages::{Begun, begin, processed, published};
pub use opentelemetry_http::{Bytes, Request, Response};
pub use process::measure_process;
pub use span::{Mark, Span, is_on};
