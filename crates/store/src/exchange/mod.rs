//! The two-party exchange's read tables: who asked whom what, what documents there are, and who answers by which.

mod conversations;
mod documents;

pub use conversations::{
    ExchangeFilter, ExchangeRole, ExchangeStatus, ExchangeView, ROUNDS_BYTES_MAX, RequestView, SaidView,
};
pub(crate) use conversations::{hold, prune, release};
pub use documents::{DocumentFilter, DocumentView, SupportView, SupporterView};

use crate::{Recorded, StoreError, db::Tx};

pub(crate) async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    documents::project(tx, events).await?;
    conversations::project(tx, events).await
}
