//! Errors of the settings.

use std::path::PathBuf;

use crate::{Faults, TaskFolderFaults};

/// Why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// Unknown keys, invalid values, or conflicting settings: all of them at once.
    #[error("settings: {0}")]
    Invalid(Faults),
    /// The file cannot be read.
    #[error("settings file {path}: {reason}")]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The reason of the operating system or the parser.
        reason: String,
    },
    /// The operator's own tasks cannot be used.
    #[error("the arena's own tasks: {0}")]
    Tasks(TaskFolderFaults),
    /// The database exists, but the secret stored beside it is missing.
    #[error(
        "the secret is missing: {} is gone, and the database beside it was made with it. Restore the file from a backup of \
         the data directory, or set BUILDTRACK_SECRET to what it held. A new secret could not read what the old one sealed",
        path.display()
    )]
    SecretLost {
        /// The path of the missing file.
        path: PathBuf,
    },
}
