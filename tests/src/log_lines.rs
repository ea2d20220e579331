//! Captures the log lines of every server in this process, so that tests can search them for secrets.

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

/// Captures every line from now on, including debug lines.
pub(crate) fn capture() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Except SQL statements and the log lines of the tests' own client.
        let filter = EnvFilter::new("debug,sqlx=info,hyper_util=off,reqwest=off");
        tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(|| Lines).init();
    });
}

/// The lines that all tests of this process have logged so far.
pub fn so_far() -> String {
    String::from_utf8_lossy(&LINES.lock().unwrap()).into_owned()
}
