//! The problem answers for errors of the socket: status, code, detail and hint.

use actix_web::http::StatusCode;
use buildtrack_http::problem::{FieldError, Problem};

use super::errors::{BUSY_FOR, SocketError};

/// 426: the path is a WebSocket.
pub fn upgrade_required() -> Problem {
    let detail = "The request is no WebSocket handshake.";
    let hint = "Connect with a WebSocket client to this address.";
    Problem::new(StatusCode::UPGRADE_REQUIRED, "upgrade_required", detail, hint)
}

/// 429: no permit is left for another socket. The detail is that of the permit.
pub fn backpressure_busy(refused: Problem) -> Problem {
    let hint = "Close other connections, or connect again after the time in Retry-After.";
    let busy = Problem::new(StatusCode::TOO_MANY_REQUESTS, "backpressure_busy", refused.detail, hint);
    busy.retryable(Some(BUSY_FOR))
}

impl From<SocketError> for Problem {
    fn from(error: SocketError) -> Self {
        let (status, hint) = match error.code() {
            "unknown_match" => return Self::not_found("match"),
            "invalid_message" | "message_too_large" => {
                let hint = "Send the output that the request asks for.";
                return Self::invalid(vec![FieldError::field("/output", "invalid", error.message(), hint)]);
            }
            "not_your_match" => (StatusCode::FORBIDDEN, "Answer the requests that PUT /api/v1/arena/presence shows."),
            "agent_not_active" => (StatusCode::FORBIDDEN, "GET /api/v1/agents lists the agents that are active."),
            "wrong_turn" | "already_answered" | "late_answer" | "match_over" => {
                (StatusCode::CONFLICT, "Read the open turn: PUT /api/v1/arena/presence.")
            }
            "cost_guard_active" | "quota_exceeded" => {
                (StatusCode::TOO_MANY_REQUESTS, "Wait for Retry-After seconds, and join the queue again.")
            }
            "unavailable" => (StatusCode::SERVICE_UNAVAILABLE, "Repeat the request after the time in Retry-After."),
            other => return Self::internal(&other),
        };
        let problem = Self::new(status, error.code(), format!("Refused: {}.", error.message()), hint);
        match error.retry_after() {
            Some(wait) => problem.retryable(Some(wait)),
            None => problem,
        }
    }
}
