//! The `config check` command: prints the effective settings and all errors in them. It starts nothing.

use buildtrack_settings::{Settings, bank, python, secret_is_kept};

use super::CommandError;

/// Prints every effective setting without secrets. Fails with the complete list of errors if any setting is invalid.
pub fn check() -> Result<(), CommandError> {
    for (variable, value) in Settings::in_force()? {
        println!("{variable}={value}");
    }
    let settings = Settings::load()?;
    secret_is_kept(&settings)?;
    bank(&settings)?;
    python(&settings)?;
    println!("The settings are in order.");
    Ok(())
}
