//! A browser that runs a script of tests/node.

use std::{path::Path, process::Stdio, time::Duration};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    time::timeout,
};

/// The longest time that a step of a script may take.
const STEP: Duration = Duration::from_mins(3);

/// A script that drives a browser. It prints one line of JSON for each step.
pub(crate) struct Browser {
    _child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Browser {
    /// Starts a script of tests/node.
    pub(crate) fn run(script: &str, arguments: &[&str]) -> Self {
        assert!(std::env::var_os("BROWSER").is_some(), "BROWSER names no Chromium; ./scripts/test brings one");
        let mut command = Command::new("node");
        command.arg(script).args(arguments).stdout(Stdio::piped()).kill_on_drop(true);
        command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("node"));
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { _child: child, lines }
    }

    /// Waits for the next step.
    pub(crate) async fn step(&mut self) -> Value {
        let line = timeout(STEP, self.lines.next_line()).await.expect("the browser goes on").unwrap();
        serde_json::from_str(&line.expect("the browser has not ended")).unwrap()
    }
}
