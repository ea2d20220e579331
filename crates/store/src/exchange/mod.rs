//! Read tables of the two-party exchange: conversations and their requests, protocol documents, and the agents that support them.

mod conversations;
mod documents;

pub use conversations::{
    ExchangeFilter, ExchangeRole, ExchangeStatus, ExchangeView, ROUNDS_BYTES_MAX, RequestView, TranscriptEvent,
};
pub(crate) use conversations::{hold, prune, release};
pub use documents::{DocumentFilter, DocumentView, SupportView, SupporterView};

use crate::{StoreError, database::Tx, log::Recorded};

pub(crate) async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    documents::project(tx, events).await?;
    conversations::project(tx, events).await
}
