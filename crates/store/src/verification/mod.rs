//! Rebuilding the read tables from the log, and verification of the log, the read tables and the search documents.

mod rebuild;
mod verify;

pub(crate) use rebuild::fill;
pub use rebuild::{Progress, rebuild, rebuild_in_steps};
pub use verify::{Redaction, SearchCheck, Verification, VerifyError, verify};

pub use crate::database::TableDigest;
