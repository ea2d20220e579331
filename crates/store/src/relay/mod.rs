//! Read tables of the relay: envelopes for polling, threads with their phases, and the directory of agents.

mod directory;
mod envelopes;
mod links;
mod postgres;
mod presences;
mod projection;
mod refusals;
mod retention;
mod signing;
mod sqlite;
mod threads;

pub use directory::{Candidacy, DirectoryEntry};
pub(crate) use directory::{relist, unlist};
pub use envelopes::{EnvelopeFilter, EnvelopeHeader, EnvelopeView, Ties};
pub use links::{LinkView, LinkedAgent};
pub use presences::NewPresence;
pub(crate) use presences::write as write_presence;
pub(crate) use projection::{EnvelopeRow, ThreadChange, ThreadRow, project};
pub(crate) use refusals::{KEPT, prune, write};
pub use refusals::{NewRefusal, RefusalView};
pub(crate) use retention::clear as clear_envelopes;
pub use signing::ReceiptView;
pub use threads::{Record, ThreadView};
