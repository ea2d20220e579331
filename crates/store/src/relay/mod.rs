//! Read tables of the relay: envelopes for polling, threads with their phases, and the directory of agents.

mod directory;
mod envelopes;
mod links;
mod postgres;
mod presences;
mod projection;
mod refusals;
mod retention;
mod side_tables;
mod signing;
mod sqlite;
mod threads;

use crate::read_tables::ReadTable;
pub(crate) use crate::side_tables::holds_no_texts as remove_texts;
pub use directory::{Candidacy, DirectoryEntry};
pub use envelopes::{EnvelopeFilter, EnvelopeHeader, EnvelopeView, Ties};
pub use links::{LinkView, LinkedAgent};
pub use presences::NewPresence;
pub(crate) use projection::{EnvelopeRow, ThreadChange, ThreadRow, project, rewrite_text};
pub use refusals::{NewRefusal, RefusalView};
pub use side_tables::Change;
pub(crate) use side_tables::{has_expired, prune};
pub use signing::ReceiptView;
pub use threads::{Record, ThreadView};

/// The read tables of this context.
pub(crate) const READ_TABLES: &[ReadTable] = &[
    ReadTable::new("envelopes", "position", &[]),
    ReadTable::new("threads", "id", &[]),
    ReadTable::new("directory", "did", &[]),
    ReadTable::new("directory_intents", "intent, did", &[]),
    ReadTable::new("did_links", "did", &[]),
];
