//! Writing to standard output and standard error.

use std::io::{self, ErrorKind, IsTerminal, Stderr, Write, stderr, stdout};

use crate::texts::{json, visible, visible_with_styles};

/// Erases the line of progress.
const ERASED: &str = "\r\u{1b}[2K";

/// An answer could not be printed.
#[derive(Debug, thiserror::Error)]
pub enum PrintError {
    /// The reader, such as `head`, has left. That is no failure.
    #[error("standard output is closed")]
    Closed,
    /// The answer cannot be written, as to a full disk.
    #[error("standard output: {0}. The answer of the command is incomplete")]
    Failed(io::Error),
}

impl PrintError {
    /// The result of a command that goes on, or has done its work, when the reader has left.
    pub fn unless_closed(printed: Result<(), Self>) -> Result<(), Self> {
        match printed {
            Err(Self::Closed) => Ok(()),
            printed => printed,
        }
    }
}

impl From<io::Error> for PrintError {
    fn from(error: io::Error) -> Self {
        if error.kind() == ErrorKind::BrokenPipe { Self::Closed } else { Self::Failed(error) }
    }
}

/// Prints a text of one or more lines.
pub fn print(text: &str) -> Result<(), PrintError> {
    write_line(&visible(text))
}

/// Prints a text with [styles](crate::styled).
pub fn print_styled(text: &str) -> Result<(), PrintError> {
    write_line(&visible_with_styles(text))
}

/// Prints a JSON document.
pub fn print_json(document: &str) -> Result<(), PrintError> {
    write_line(&json(document))
}

/// Prints bytes that this program has made without texts of others, such as a man page, as they are.
pub fn write_generated(bytes: &[u8]) -> Result<(), PrintError> {
    let mut stdout = stdout().lock();
    stdout.write_all(bytes)?;
    Ok(stdout.flush()?)
}

/// In one write, so that lines of several threads do not mix.
fn write_line(text: &str) -> Result<(), PrintError> {
    write_generated(format!("{text}\n").as_bytes())
}

/// Prints a line to standard error. Where that is closed or full, the command goes on: there is no place left to say so.
pub fn note(text: &str) {
    write_note(&format!("{}\n", visible(text)));
}

/// Asks for a line on standard error.
pub fn prompt(text: &str) {
    write_note(&visible(text));
}

/// Replaces the line of progress; an empty text erases it. For a standard error that [is shown](notes_are_shown).
pub fn progress(text: &str) {
    write_note(&format!("{ERASED}{}", visible(text)));
}

fn write_note(text: &str) {
    drop(stderr().write_all(text.as_bytes()));
}

/// Whether standard output is a terminal.
pub fn answers_are_shown() -> bool {
    stdout().is_terminal()
}

/// Whether standard error is a terminal.
pub fn notes_are_shown() -> bool {
    stderr().is_terminal()
}

/// Where log lines go.
pub fn log() -> Stderr {
    stderr()
}
