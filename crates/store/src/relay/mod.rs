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

use futures_util::FutureExt;

use crate::{
    clock::Clock,
    database::Db,
    log::{
        Log,
        context::{Context, ReadTable},
    },
};
pub use directory::{Candidacy, DirectoryEntry};
pub use envelopes::{EnvelopeFilter, EnvelopeHeader, EnvelopeView, Ties};
pub use links::{LinkView, LinkedAgent};
pub use presences::NewPresence;
pub(crate) use projection::{EnvelopeRow, ThreadChange, ThreadRow, project, rewrite_text};
pub use refusals::{NewRefusal, RefusalView};
pub use side_tables::Change;
use side_tables::{has_expired, prune};
pub use signing::ReceiptView;
pub use threads::{Record, ThreadView};

/// The read tables of this context.
const READ_TABLES: &[ReadTable] = &[
    ReadTable::new("envelopes", "position", &[]),
    ReadTable::new("threads", "id", &[]),
    ReadTable::new("directory", "did", &[]),
    ReadTable::new("directory_intents", "intent, did", &[]),
    ReadTable::new("did_links", "did", &[]),
];

/// What the context declares to the log.
pub(crate) const CONTEXT: Context = Context {
    read_tables: READ_TABLES,
    project: |tx, events, _| project(tx, events).boxed(),
    rewrite_text: |tx, text| rewrite_text(tx, text).boxed(),
    prune: |tx, expiry, now| prune(tx, expiry, now).boxed(),
    has_expired: |db, expiry, now| has_expired(db, expiry, now).boxed(),
    ..Context::EMPTY
};

/// Envelopes, threads and the directory of the relay. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Relay {
    db: Db,
    clock: Clock,
    log: Log,
}

impl Relay {
    pub(crate) fn new(log: &Log) -> Self {
        Self { db: log.db.clone(), clock: log.clock.clone(), log: log.clone() }
    }
}
