//! HTTP problems for exchange errors.

use actix_web::http::StatusCode;
use buildtrack_domain::exchange::conversations::{ExchangeError, InvalidBody};

use crate::http::problem::{FieldError, Problem, shortened};

/// The error of a body that breaks a rule about its form.
pub(crate) fn invalid_body_field(error: &InvalidBody) -> FieldError {
    let (code, hint) = match error {
        InvalidBody::Kind => ("wrong_type", "Send a string or an object."),
        InvalidBody::Json(_) => {
            ("invalid", "Send JSON whose numbers fit a 64-bit float, and whose strings are Unicode.")
        }
        InvalidBody::TooDeep => ("too_deep", "Send fewer levels, or the object as a string."),
        InvalidBody::RepeatedMember(_) => ("repeated_member", "Name each member of an object once."),
    };
    let message = shortened(format!("body: {error}"), MESSAGE_MAX);
    FieldError::field("/body", code, message, hint)
}

/// The maximum number of characters of a message that shows the name of a member.
const MESSAGE_MAX: usize = 200;

/// 422: a body that breaks a rule about its form.
pub(super) fn invalid_body(error: &InvalidBody) -> Problem {
    Problem::invalid(vec![invalid_body_field(error)])
}

impl From<ExchangeError> for Problem {
    fn from(error: ExchangeError) -> Self {
        let detail = format!("{error}.");
        let new = |status, code: &str, hint: &str| Self::new(status, code, detail.clone(), hint);
        let conflict = |code: &str, hint: &str| new(StatusCode::CONFLICT, code, hint);
        match error {
            ExchangeError::NotFound => {
                let hint = "GET /api/v1/exchanges lists your own. A conversation that was ended cannot be continued.";
                new(StatusCode::NOT_FOUND, "not_found", hint)
            }
            ExchangeError::RequestNotFound => {
                let hint = "GET /api/v1/me/exchange/requests lists the requests that wait for your answer.";
                new(StatusCode::NOT_FOUND, "not_found", hint)
            }
            ExchangeError::ProtocolChanged => {
                let hint = "Leave \"protocolHash\" out, or repeat that of the first request.";
                let mut problem = new(StatusCode::BAD_REQUEST, "protocol_changed", hint);
                problem.errors = vec![FieldError::field("/protocolHash", "changed", detail.clone(), hint)];
                problem
            }
            ExchangeError::Expired => conflict("conversation_expired", "Begin another conversation."),
            ExchangeError::TooManyRounds => conflict("too_many_rounds", "Begin another conversation."),
            ExchangeError::Busy { .. } => {
                conflict("exchange_busy", "Wait for the answer to the earlier request.").retryable(None)
            }
            ExchangeError::BodyTooLarge => {
                let hint = "Shorten the body, or answer in several rounds.";
                Self::invalid(vec![FieldError::field("/body", "too_long", detail, hint)])
            }
            ExchangeError::SecretInBody => {
                let hint = "Remove it: credentials belong in Authorization, and a conversation's id in the path.";
                Self::invalid(vec![FieldError::field("/body", "secret", detail, hint)])
            }
            ExchangeError::AlreadyAnswered => conflict("already_answered", "Only the first answer counts."),
            ExchangeError::RequestOver => {
                new(StatusCode::GONE, "request_over", "Answer before \"dueAt\"; the requester has received a failure.")
            }
            ExchangeError::NotYours => {
                let hint = "Log in as one of the two parties, or as the owner of one of them.";
                new(StatusCode::FORBIDDEN, "not_your_exchange", hint)
            }
            ExchangeError::StillOpen => {
                let hint = "Wait until the exchange is answered, closed or expired (\"status\").";
                conflict("exchange_open", hint)
            }
            ExchangeError::Redacted => {
                conflict("redacted", "The content was redacted; there is nothing left to publish.")
            }
        }
    }
}
