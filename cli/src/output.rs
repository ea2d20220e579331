//! Output for people and for programs. **Invariant:** colours and progress appear on a terminal only.

use std::io::{self, ErrorKind, IsTerminal, Write};

use serde_json::Value;

use crate::{display::json_line, failure::Failure};

/// Where a command prints: answers to standard output, notes and progress to standard error.
#[derive(Debug)]
pub(crate) struct Output {
    json: bool,
    colours: bool,
    progress: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        let plain = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
        let colours = !json && io::stdout().is_terminal() && !plain("NO_COLOR") && !is_dumb;
        Self { json, colours, progress: io::stderr().is_terminal() && !is_dumb }
    }

    /// Prints an answer: for programs as one line of JSON, for people as a text.
    pub(crate) fn show(&self, answer: &Value, text: impl FnOnce() -> String) -> Result<(), Failure> {
        let line = if self.json { json_line(answer) } else { text() };
        self.print(&line)
    }

    /// Prints a line to standard output.
    pub(crate) fn print(&self, line: &str) -> Result<(), Failure> {
        self.clear_progress();
        let mut stdout = io::stdout().lock();
        match writeln!(stdout, "{line}").and_then(|()| stdout.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::OutputClosed),
            Err(error) => Err(Failure::Failed(format!("standard output: {error}"))),
            Ok(()) => Ok(()),
        }
    }

    /// Prints a line to standard error. Where that is closed, the command goes on.
    pub(crate) fn note(&self, line: &str) {
        self.clear_progress();
        drop(writeln!(io::stderr(), "{line}"));
    }

    /// Replaces the line of progress, if standard error is a terminal.
    pub(crate) fn progress(&self, line: &str) {
        if self.progress {
            drop(write!(io::stderr(), "\r\u{1b}[2K{line}"));
        }
    }

    fn clear_progress(&self) {
        self.progress("");
    }

    /// Prints a failure to standard error; returns the exit code.
    pub(crate) fn report(&self, failure: &Failure) -> u8 {
        match failure {
            Failure::OutputClosed => {}
            failure if self.json => self.note(&json_line(&failure.document())),
            failure => self.note(&format!("buildtrack: {failure}")),
        }
        failure.exit_code()
    }

    pub(crate) fn bold(&self, text: &str) -> String {
        self.styled("1", text)
    }

    pub(crate) fn faint(&self, text: &str) -> String {
        self.styled("2", text)
    }

    fn styled(&self, style: &str, text: &str) -> String {
        if self.colours { format!("\u{1b}[{style}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}
