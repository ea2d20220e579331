//! Read tables of the two-party exchange: conversations and their requests, protocol documents, and the agents that support them.

mod conversations;
mod documents;
mod side_tables;

pub use conversations::{
    ExchangeFilter, ExchangeRole, ExchangeStatus, ExchangeView, ROUNDS_BYTES_MAX, RequestView, TranscriptEvent,
};
pub use documents::{DocumentFilter, DocumentView, SupportView, SupporterView};

use crate::side_tables::ReadTables;
use crate::{StoreError, database::Tx, log::Recorded};
pub use side_tables::Change;
pub(crate) use side_tables::{has_expired, prune};

/// The read tables of this context.
pub(crate) const READ_TABLES: ReadTables =
    &[("documents", "hash"), ("supports", "agent_id, hash"), ("exchanges", "id"), ("exchange_requests", "id")];

pub(crate) async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    documents::project(tx, events).await?;
    conversations::project(tx, events).await
}
