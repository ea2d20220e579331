//! The hash that names the content of a task.

use std::fmt;

use agora_envelope::jcs::canonicalize;
use serde::{Serialize, Serializer};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The SHA-256 of a task's whole entry in its file, hidden part included, as canonical JSON (RFC 8785). Written as 64
/// hexadecimal digits. A battle records it, so that the task behind a verdict is known exactly.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskHash([u8; 32]);

impl TaskHash {
    /// The hash of an entry.
    pub(super) fn of(entry: &Value) -> Self {
        Self(Sha256::digest(canonicalize(entry)).into())
    }
}

impl fmt::Display for TaskHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for TaskHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl Serialize for TaskHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
