//! Exchanges as they are read: how far they are, what waits for whom, and who holds how many open.

mod holding;
mod projection;
mod requests;
mod transcripts;

pub(crate) use holding::{hold, prune, release};
pub(crate) use projection::project;
pub use requests::RequestView;
pub use transcripts::{ExchangeFilter, ExchangeRole, ExchangeStatus, ExchangeView, SaidView};
