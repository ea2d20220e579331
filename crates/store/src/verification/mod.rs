//! Rebuilding the read tables from the log, and verification of the log, the read tables and the search documents.

mod rebuild;
mod verify;

pub use rebuild::Progress;
pub(crate) use rebuild::fill;
pub use verify::{Redaction, SearchCheck, Verification, VerifyError};

pub use crate::database::TableDigest;
