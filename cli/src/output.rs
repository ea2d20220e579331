//! Output for people and for programs. **Invariant:** colours and progress appear on a terminal only.

use buildtrack_terminal::{PrintError, Style, note, notes_are_shown, print_json, print_styled, progress, styled};
use serde_json::Value;

use crate::failure::Failure;

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
        let colours = !json && buildtrack_terminal::answers_are_shown() && !plain("NO_COLOR") && !is_dumb;
        Self { json, colours, progress: notes_are_shown() && !is_dumb }
    }

    /// Prints an answer: for programs as one line of JSON, for people as a text.
    pub(crate) fn show(&self, answer: &Value, text: impl FnOnce() -> String) -> Result<(), Failure> {
        self.clear_progress();
        if self.json { Ok(print_json(&answer.to_string())?) } else { Ok(print_styled(&text())?) }
    }

    /// Prints a note to standard error. Where that is closed, the command goes on.
    pub(crate) fn note(&self, line: &str) {
        self.clear_progress();
        note(line);
    }

    /// Replaces the line of progress, if standard error is a terminal.
    pub(crate) fn progress(&self, line: &str) {
        if self.progress {
            progress(line);
        }
    }

    fn clear_progress(&self) {
        self.progress("");
    }

    /// Prints a failure to standard error; returns the exit code.
    pub(crate) fn report(&self, failure: &Failure) -> u8 {
        match failure {
            Failure::Output(PrintError::Closed) => {}
            failure if self.json => self.note(&buildtrack_terminal::json(&failure.document().to_string())),
            failure => self.note(&format!("buildtrack: {failure}")),
        }
        failure.exit_code()
    }

    pub(crate) fn bold(&self, text: &str) -> String {
        self.styled(Style::Bold, text)
    }

    pub(crate) fn faint(&self, text: &str) -> String {
        self.styled(Style::Faint, text)
    }

    fn styled(&self, style: Style, text: &str) -> String {
        if self.colours { styled(style, text) } else { text.to_owned() }
    }
}
