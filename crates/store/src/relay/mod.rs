//! The relay's read tables: envelopes as they are polled for, and threads as they stand.

mod envelopes;
mod projection;
mod refusals;
mod signing;
mod threads;

pub use envelopes::{EnvelopeFilter, EnvelopeHeader, EnvelopeView, Ties};
pub(crate) use projection::{EnvelopeRow, ThreadChange, ThreadRow, project};
pub(crate) use refusals::{KEPT, prune, write};
pub use refusals::{NewRefusal, RefusalView};
pub use signing::ReceiptView;
pub use threads::{Record, ThreadView};
