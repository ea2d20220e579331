//! What the launcher has to do, as the server tells it on the command line.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The second argument of the launcher, as JSON. Holds no secret: other users of the machine see command lines.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Plan {
    /// The server's process, with which the run ends.
    pub(crate) server: u32,
    /// Whether to become the user `nobody` (65534). Only root can.
    pub(crate) as_nobody: bool,
    /// The interpreter's files.
    pub(crate) python: Python,
}

/// An interpreter and the files that it needs. Nothing else is readable in the sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Python {
    /// The interpreter itself, without symbolic links.
    pub(crate) executable: PathBuf,
    /// The version, such as 3.11.
    pub(crate) version: (u32, u32),
    /// The folders of the standard library.
    pub(crate) folders: Vec<PathBuf>,
    /// The interpreter, the loader and shared libraries.
    pub(crate) files: Vec<PathBuf>,
}
