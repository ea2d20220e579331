//! Exit codes of `buildtrack` and `buildtrack-worker`, following sysexits.h, so that a service manager or a cron job can tell
//! temporary faults from permanent ones.

use buildtrack_store::StoreError;

/// The command failed, or found a fault.
pub const FAILED: u8 = 1;
/// An agent was not checked: it cannot be reached. Or a replay was not checked in full: a task is missing. The same code as for an
/// invalid command line.
pub const NOT_CHECKED: u8 = 2;
/// The database or the broker is unreachable: nothing was checked or done (`EX_UNAVAILABLE`).
pub const UNAVAILABLE: u8 = 69;
/// Another server uses the data directory (`EX_TEMPFAIL`).
pub const LOCKED: u8 = 75;
/// The database or the broker refuses the user or the password (`EX_NOPERM`).
pub const REFUSED: u8 = 77;
/// The settings are invalid, or the secret is missing or does not match the database (`EX_CONFIG`).
pub const CONFIGURATION: u8 = 78;

/// The list of exit codes for `--help`.
pub const HELP: &str = "Exit codes:
  0   success; verify-log: the log is in order
  1   failure; verify-log: the log is NOT in order; arena tasks check: a file has errors; arena check: a fault
  2   the command line is invalid; arena check: nothing was checked;
      arena replay: a task is missing
  69  the database or the broker is unreachable; verify-log: nothing was checked, try again
  74  the answer cannot be written, as to a full disk
  75  another server uses the data directory
  77  the database or the broker refuses the user or the password
  78  the settings are invalid, or the secret is missing or does not match the database";

/// The exit code for a failure of the store.
pub fn code_of(error: &StoreError) -> u8 {
    match error {
        StoreError::Database(_) | StoreError::Unreachable { .. } | StoreError::Closed => UNAVAILABLE,
        StoreError::AccessDenied { .. } => REFUSED,
        StoreError::ForeignSecret | StoreError::Folder { .. } => CONFIGURATION,
        StoreError::Locked { .. } => LOCKED,
        _ => FAILED,
    }
}
