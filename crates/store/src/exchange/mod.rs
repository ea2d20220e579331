//! The two-party exchange: who asked whom what, and what documents there are.

mod conversations;
mod documents;

pub use conversations::{ExchangeFilter, ExchangeRole, ExchangeStatus, ExchangeView, RequestView, SaidView};
pub(crate) use conversations::{hold, project, prune, release};
