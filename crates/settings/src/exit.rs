//! The exit codes of `buildtrack` and `buildtrack-worker`, as sysexits.h names them, so that a service manager or a cron
//! job can tell a fault that a restart may mend from one that it cannot.

use buildtrack_store::StoreError;

/// The command found something wrong, or failed.
pub const FAILED: u8 = 1;
/// The database or the broker cannot be reached: nothing was checked or done (`EX_UNAVAILABLE`).
pub const UNAVAILABLE: u8 = 69;
/// Another server uses the data directory (`EX_TEMPFAIL`).
pub const LOCKED: u8 = 75;
/// The database or the broker refuses the user or the password (`EX_NOPERM`).
pub const REFUSED: u8 = 77;
/// The settings cannot be used, or the secret is missing or is not the one of the database (`EX_CONFIG`).
pub const CONFIGURATION: u8 = 78;

/// What `--help` says of the codes.
pub const HELP: &str = "Exit codes:
  0   done; verify-log: the log is in order
  1   failed; verify-log: the log is NOT in order
  2   the command line cannot be read
  69  the database or the broker cannot be reached; verify-log: nothing was checked, try again
  75  another server uses the data directory
  77  the database or the broker refuses the user or the password
  78  the settings cannot be used, or the secret is missing or is not the one of the database";

/// The code for a store that could not be opened or used.
pub fn code_of(error: &StoreError) -> u8 {
    match error {
        StoreError::Database(_) | StoreError::Unreachable { .. } | StoreError::Closed => UNAVAILABLE,
        StoreError::AccessDenied { .. } => REFUSED,
        StoreError::ForeignSecret | StoreError::Folder { .. } => CONFIGURATION,
        StoreError::Locked { .. } => LOCKED,
        _ => FAILED,
    }
}
