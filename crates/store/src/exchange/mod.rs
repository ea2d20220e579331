//! Read tables of the two-party exchange: conversations and their requests, protocol documents, and the agents that support them.

mod conversations;
mod documents;
mod side_tables;

pub use conversations::{
    DueTaskPush, ExchangeFilter, ExchangeRole, ExchangeStatus, ExchangeView, NewTaskPush, PUSHES_OF_REQUESTER,
    PUSHES_OF_TASK, ROUNDS_BYTES_MAX, RequestView, TaskFilter, TaskPush, TaskPushOutcome, TaskStates, Tasks,
    TranscriptEvent, conversations_cap, waiting_requests_cap,
};
// Texts of exchanges are in no read table.
pub(crate) use documents::{DOCUMENT_WORDS, fold_document_words, rewrite_text};
pub use documents::{DocumentFilter, DocumentView, SupportView, SupporterView};

use futures_util::FutureExt;

use crate::{
    StoreError,
    clock::Clock,
    database::{Db, Tx},
    log::{
        Log, Recorded,
        context::{Context, NameCopy, ReadTable},
    },
};
pub use side_tables::Change;
use side_tables::{has_expired, prune};

/// The read tables of this context.
const READ_TABLES: &[ReadTable] = &[
    ReadTable::new(
        "documents",
        "hash",
        &[NameCopy::of_actor("registrar_id", "registrar_name").with_models(&["registrar_model"])],
    ),
    ReadTable::new("supports", "agent_id, hash", &[]),
    ReadTable::new("exchanges", "id", &[NameCopy::of_actor("asker_id", "asker_name")]),
    ReadTable::new("exchange_requests", "id", &[]),
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

/// Conversations of two parties, and protocol documents. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Exchange {
    db: Db,
    clock: Clock,
    log: Log,
}

impl Exchange {
    pub(crate) fn new(log: &Log) -> Self {
        Self { db: log.db.clone(), clock: log.clock.clone(), log: log.clone() }
    }
}

async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    documents::project(tx, events).await?;
    conversations::project(tx, events).await
}
