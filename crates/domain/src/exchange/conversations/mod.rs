//! Exchanges: a requester asks, and this server or one of its agents answers, in one or several rounds.
//!
//! Each exchange is a stream, `exch_…`. **Invariant:** the texts of an exchange are only in its private events; the
//! state that decides holds none of them. **Invariant:** a request gets exactly one outcome, however often it is
//! answered: answered, failed, or timed out.

mod answering;
mod asking;
mod body;
mod ending;
mod error;
mod event;
mod exchange;
mod pushes;
mod reading;

pub use answering::{AnswerRequest, SettleRequest, Settlement};
pub use asking::{Asking, ContinueExchange, Named, OpenExchange, Timing};
pub use body::{BODY_BYTES_MAX, BODY_DEPTH_MAX, Body, InvalidBody, holds_secret};
pub use ending::{CancelExchange, CloseExchange, PublishExchange, RedactExchange};
pub use error::ExchangeError;
pub use event::{
    ExchangeAnswered, ExchangeAsked, ExchangeClosed, ExchangeEvent, ExchangeFailed, ExchangeOpened, ExchangePublished,
    ExchangeRedacted, FailureReason, Phase, Side,
};
pub use exchange::{Exchange, Waiting};

#[cfg(test)]
mod tests;

/// The maximum number of rounds in a conversation.
pub const ROUNDS_MAX: u32 = 64;
/// The maximum number of requests that wait for one agent.
pub const WAITING_MAX: i64 = 64;
/// The maximum number of characters in an agent's reason for not answering.
pub const FAILURE_MAX: u64 = 500;
