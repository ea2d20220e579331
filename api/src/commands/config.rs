//! `config check`: the settings in force, and all that is wrong with them, without starting anything.

use buildtrack_settings::{Settings, secret_is_kept};

use super::CommandError;

/// Prints every setting in force without secrets, and fails with everything that is wrong.
pub fn check() -> Result<(), CommandError> {
    for (variable, value) in Settings::in_force()? {
        println!("{variable}={value}");
    }
    let settings = Settings::load()?;
    secret_is_kept(&settings)?;
    println!("The settings are in order.");
    Ok(())
}
