//! Tests of the bus: the contract of both implementations, and faults of RabbitMQ and the network.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod broker;
mod contract;
mod faults;
mod node;
mod proxy;
