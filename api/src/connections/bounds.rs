//! The bounds of connections.

use std::time::Duration;

/// Bounds of the number of connections, of the pace of clients, and of the memory that slow readers take.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The unit of the times below: one second, except in tests.
    pub tick: Duration,
    /// Ticks in which a write that waits for its client must move on.
    pub window: u64,
    /// Bytes that such a write must move in each window, unless it ends before.
    pub window_bytes: usize,
    /// Ticks from the first byte of a request to the end of its head.
    pub head: u64,
    /// Ticks that a connection may stay open without a request.
    pub idle: u64,
    /// Bytes of all requests and answers that wait for their clients.
    pub waiting_bytes: usize,
    /// Connections of an IPv4 address or a /64 network, in addition to its live streams and long polls.
    pub of_network: u32,
    /// Connections of the process, in addition to all live streams and long polls.
    pub of_process: usize,
}

impl Default for Bounds {
    /// A reader of less than 1 KiB/s is too slow. The system reports room for a write when a third of the socket's buffer is free,
    /// about 40 KiB, so that a reader of less than 2 KiB/s may be too slow as well.
    fn default() -> Self {
        Self {
            tick: Duration::from_secs(1),
            window: 20,
            window_bytes: 20 * 1024,
            head: 10,
            // Longer than the keep-alive time, which ends an idle connection without any data.
            idle: 90,
            waiting_bytes: 16 << 20,
            of_network: 1024,
            of_process: 8192,
        }
    }
}
