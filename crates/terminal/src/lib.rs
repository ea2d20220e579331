//! What the programs print: answers go to standard output, notes, progress and log lines to standard error.
//!
//! **Invariant:** no other crate of the product writes there (`print_stdout`, `print_stderr`, `scripts/check-house`).
//! **Invariant:** texts of others reach a terminal without characters that control it. **Invariant:** a reader that has left ends no
//! program with a panic, and an answer that cannot be written is an error.

mod arguments;
mod printing;
mod texts;

pub use arguments::arguments;
pub use printing::{
    PrintError, answers_are_shown, log, note, notes_are_shown, print, print_json, print_styled, progress, prompt,
    write_generated,
};
pub use texts::{Style, json, styled, visible, visible_line};

/// The exit code of a command whose answer cannot be written, as to a full disk (`EX_IOERR` of sysexits.h).
pub const OUTPUT_FAILED: u8 = 74;
