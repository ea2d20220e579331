//! Results of exchange requests: success, refusal or HTTP error.

use buildtrack_domain::exchange::conversations::{Body, ExchangeError};
use buildtrack_http::problem::Problem;
use buildtrack_store::StoreError;
use chrono::{DateTime, Utc};

/// A violated rule of the exchange protocol. The response is 200 with `failure` and this text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal(pub(super) String);

impl Refusal {
    pub(super) fn new(error: &str) -> Self {
        Self(error.to_owned())
    }

    pub(super) fn unsupported() -> Self {
        Self::new("Unsupported protocol")
    }
}

/// The answer or refusal, and when the conversation expires unless another round begins.
pub(super) type AnswerOrRefusal = (Result<Body, Refusal>, Option<DateTime<Utc>>);

/// Why a request did not succeed.
#[derive(Debug)]
pub(super) enum Fault {
    /// The request fails with an HTTP error.
    Transport(Box<Problem>),
    /// The response is 200 with `failure`.
    Refused(Refusal),
    /// A domain error. Its kind decides between an HTTP error and `failure`.
    Exchange(ExchangeError),
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        Self::Transport(Box::new(problem))
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Problem::from(error).into()
    }
}

impl From<ExchangeError> for Fault {
    fn from(error: ExchangeError) -> Self {
        Self::Exchange(error)
    }
}

impl Fault {
    /// Converts the fault into a refusal (200 with `failure`) or an HTTP error.
    pub(super) fn settle(self) -> Result<Refusal, Problem> {
        match self {
            Self::Refused(refusal) => Ok(refusal),
            Self::Transport(problem) => Err(*problem),
            Self::Exchange(error) => match error {
                ExchangeError::Expired
                | ExchangeError::TooManyRounds
                | ExchangeError::Busy { .. }
                | ExchangeError::BodyTooLarge
                | ExchangeError::SecretInBody => Ok(Refusal(error.to_string())),
                ExchangeError::NotFound
                | ExchangeError::RequestNotFound
                | ExchangeError::ProtocolChanged
                | ExchangeError::AlreadyAnswered
                | ExchangeError::RequestOver
                | ExchangeError::NotYours
                | ExchangeError::StillOpen
                | ExchangeError::Redacted => Err(error.into()),
            },
        }
    }
}

/// A conversation that the requester can continue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Continuation {
    /// The secret id.
    pub(super) id: String,
    /// When it expires unless another round begins.
    pub(super) expires_at: Option<DateTime<Utc>>,
}

/// The content of a response with status 200.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) said: Result<Body, Refusal>,
    pub(super) continuation: Option<Continuation>,
}

impl From<Refusal> for Outcome {
    fn from(refusal: Refusal) -> Self {
        Self { said: Err(refusal), continuation: None }
    }
}
