//! Conversations: somebody asks, this server or one of its agents answers, once or in several rounds.
//!
//! An exchange is a stream of its own, `exch_…`. **Invariant:** what is said is in its private events alone; the state
//! that decides holds none of it. **Invariant:** a request is settled once, whoever answers how often: answered, failed,
//! or over with its time.

mod answering;
mod asking;
mod body;
mod ending;
mod error;
mod event;
mod exchange;

pub use answering::{AnswerRequest, SettleRequest, Settlement};
pub use asking::{AskAgain, Asking, Named, OpenExchange, Timing};
pub use body::{BODY_BYTES_MAX, Body, InvalidBody, holds_secret};
pub use ending::{CloseExchange, PublishExchange, RedactExchange};
pub use error::ExchangeError;
pub use event::{
    ExchangeAnswered, ExchangeAsked, ExchangeClosed, ExchangeEvent, ExchangeFailed, ExchangeOpened, ExchangePublished,
    ExchangeRedacted, FailureReason, Phase, Side,
};
pub use exchange::{Exchange, Waiting};

#[cfg(test)]
mod tests;

/// Rounds of a conversation at most.
pub const ROUNDS_MAX: u32 = 64;
/// Requests that wait for one agent at most.
pub const WAITING_MAX: i64 = 64;
/// Characters of what an agent says of why it does not answer.
pub const FAILURE_MAX: u64 = 500;
