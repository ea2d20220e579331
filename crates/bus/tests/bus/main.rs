//! The bus, in-process and through RabbitMQ: one contract, and what RabbitMQ has to stand besides.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

mod broker;
mod contract;
mod faults;
mod node;
mod proxy;
