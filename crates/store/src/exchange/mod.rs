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

use crate::read_tables::{NameCopy, ReadTable};
pub(crate) use crate::side_tables::holds_no_texts as remove_texts;
use crate::{StoreError, database::Tx, log::Recorded};
pub use side_tables::Change;
pub(crate) use side_tables::{has_expired, prune};

/// The read tables of this context.
pub(crate) const READ_TABLES: &[ReadTable] = &[
    ReadTable::new(
        "documents",
        "hash",
        &[NameCopy::of_actor("registrar_id", "registrar_name").with_models(&["registrar_model"])],
    ),
    ReadTable::new("supports", "agent_id, hash", &[]),
    ReadTable::new("exchanges", "id", &[NameCopy::of_actor("asker_id", "asker_name")]),
    ReadTable::new("exchange_requests", "id", &[]),
];

pub(crate) async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    documents::project(tx, events).await?;
    conversations::project(tx, events).await
}
