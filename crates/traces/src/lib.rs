//! Distributed tracing of a request through the log and the bus to a push: spans according to OpenTelemetry's semantic
//! conventions, exported as OTLP if the environment names a collector. The only user of OpenTelemetry.
//!
//! A request starts a trace or continues the caller's (W3C Trace Context). Every event starts a trace too: its trace id and
//! the span id of its creation derive from its hash on the log. Any process that handles the event has the hash, at any later
//! time. So no trace context has to travel with the event or be stored, and a reader of the public log can find an event's
//! trace. The two traces link to each other.
//!
//! **Invariant:** without a collector no span is created, and the check costs one atomic load. **Invariant:** no span
//! contains a body, a query, a secret, or more of a receiver's address than its host and port. **Invariant:** no operation
//! waits for a collector: spans that it does not accept are dropped and counted.

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
