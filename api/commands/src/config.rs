//! The `config check` command: prints the effective settings and all errors in them. It starts nothing.

use buildtrack_settings::{Settings, bank, check_secret, python};
use buildtrack_terminal::visible_line;

use super::{CommandError, print};

/// Prints every effective setting without secrets. Fails with the complete list of errors if any setting is invalid.
pub fn check() -> Result<(), CommandError> {
    let lines: Vec<_> = Settings::in_force()?
        .into_iter()
        .map(|(variable, value)| format!("{variable}={}", visible_line(&value)))
        .collect();
    // The settings are checked even if their values cannot be printed.
    let printed = print(&lines.join("\n"));
    let settings = Settings::load()?;
    check_secret(&settings)?;
    bank(&settings)?;
    python(&settings)?;
    printed?;
    print("The settings are in order.")
}
