//! The relay's read tables: envelopes as they are polled for, and threads as they stand.

mod envelopes;
mod projection;
mod refusals;
mod threads;

pub use envelopes::{EnvelopeFilter, EnvelopeView, Ties};
pub(crate) use projection::{EnvelopeRow, project};
pub use refusals::{NewRefusal, RefusalView};
pub(crate) use refusals::{KEPT, prune, write};
pub use threads::{Record, ThreadView};
