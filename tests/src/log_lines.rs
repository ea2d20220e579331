//! The log lines of every server in this process, kept so that a test can look for what must not be in them.

use std::{
    io::{Result, Write},
    sync::{Mutex, Once},
};

use tracing_subscriber::EnvFilter;

static LINES: Mutex<Vec<u8>> = Mutex::new(Vec::new());

struct Lines;

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        LINES.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Keeps every line from here on, down to what is only logged for debugging.
pub(crate) fn capture() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Not: every statement, and what the tests' own client says of itself.
        let filter = EnvFilter::new("debug,sqlx=info,hyper_util=off,reqwest=off");
        tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(|| Lines).init();
    });
}

/// Everything that was logged so far, by all tests of this process.
pub fn so_far() -> String {
    String::from_utf8_lossy(&LINES.lock().unwrap()).into_owned()
}
