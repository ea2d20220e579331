//! The command line, with its help.

use clap::Parser;

use crate::{OUTPUT_FAILED, PrintError, note};

/// Parses the command line of the process. Otherwise prints the help, the version or what is wrong, and returns the exit code.
pub fn arguments<T: Parser>() -> Result<T, u8> {
    T::try_parse().map_err(|unparsed| {
        let code = u8::try_from(unparsed.exit_code()).unwrap_or(2);
        match unparsed.print().map_err(PrintError::from) {
            Err(error @ PrintError::Failed(_)) if !unparsed.use_stderr() => {
                note(&format!("{}: {error}", T::command().get_name()));
                OUTPUT_FAILED
            }
            _ => code,
        }
    })
}
