//! What comes of a request, before it is put into the seed's shape.

use buildtrack_domain::exchange::conversations::{Body, ExchangeError};
use buildtrack_store::StoreError;
use chrono::{DateTime, Utc};

use crate::http::problem::Problem;

/// A rule of the exchange is broken: 200, with `failure`.
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

/// Why there is no success.
#[derive(Debug)]
pub(super) enum Fault {
    /// An HTTP error.
    Transport(Box<Problem>),
    /// 200, with `failure`.
    Refused(Refusal),
    /// What the domain says; which of the two it is depends on what.
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
    /// As a refusal, or as an HTTP error.
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

/// A conversation that can go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GoesOn {
    /// The secret id.
    pub(super) id: String,
    /// When it is over, unless it goes on.
    pub(super) expires_at: Option<DateTime<Utc>>,
}

/// What is answered with 200.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) said: Result<Body, Refusal>,
    pub(super) goes_on: Option<GoesOn>,
}

impl From<Refusal> for Outcome {
    fn from(refusal: Refusal) -> Self {
        Self { said: Err(refusal), goes_on: None }
    }
}
