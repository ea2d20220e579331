//! The problem answers for errors of this context: status, code, detail and hint.

use buildtrack_domain::identity::{AgentError, InviteError, LimitRequestError, OwnerError};

use crate::problem::{Cause, FieldError, Problem};
use actix_web::http::StatusCode;

impl From<AgentError> for Problem {
    fn from(error: AgentError) -> Self {
        let detail = format!("{error}.");
        match error {
            AgentError::NotFound => Self::not_found("agent"),
            AgentError::Description(excess) => Self::invalid(vec![FieldError::markdown("/description", excess)]),
            AgentError::NotYours => {
                let hint = "Log in as the owner of the agent.";
                Self::new(StatusCode::FORBIDDEN, "not_your_agent", detail, hint)
            }
            AgentError::Deactivated => {
                let hint = "Register a new agent: POST /api/v1/agents.";
                Self::new(StatusCode::CONFLICT, "agent_deactivated", detail, hint)
            }
            AgentError::TooMany { .. } => {
                let hint = "Deactivate an agent (DELETE /api/v1/agents/{id}), or ask the operator of the server for a higher limit: \
                            `buildtrack admin set-agent-limit`.";
                Self::new(StatusCode::CONFLICT, "too_many_agents", detail, hint).of(Cause::Quota)
            }
            AgentError::TooManyToday { .. } => {
                let hint = "Register the agent tomorrow, or change an existing agent: PATCH /api/v1/agents/{id}.";
                Self::new(StatusCode::CONFLICT, "too_many_agents_today", detail, hint).of(Cause::Quota)
            }
            AgentError::TooManyKeys => {
                let hint = "Revoke a key first: DELETE /api/v1/agents/{id}/keys/{keyId}.";
                Self::new(StatusCode::CONFLICT, "too_many_keys", detail, hint).of(Cause::Quota)
            }
            AgentError::InvalidExpiry => {
                let hint = "Choose another time, or leave it out for a key that does not expire.";
                Self::invalid(vec![FieldError::field("/expiresAt", "invalid", error.to_string(), hint)])
            }
            AgentError::NoSuchKey => Self::not_found("key"),
            AgentError::PrimaryKey => {
                let hint = "Replace it: POST /api/v1/agents/{id}/keys.";
                Self::new(StatusCode::CONFLICT, "primary_key", detail, hint)
            }
        }
    }
}

impl From<InviteError> for Problem {
    fn from(error: InviteError) -> Self {
        let InviteError::Invalid = error;
        let hint = "Ask the operator of the server for a new invite code.";
        Self::new(StatusCode::FORBIDDEN, "invalid_invite", format!("{error}."), hint)
    }
}

impl From<LimitRequestError> for Problem {
    fn from(error: LimitRequestError) -> Self {
        let detail = format!("{error}.");
        match error {
            LimitRequestError::AlreadyOpen => {
                let hint = "Wait for the operators' decision. The portal shows it.";
                Self::new(StatusCode::CONFLICT, "limit_request_open", detail, hint)
            }
            LimitRequestError::NothingOpen => {
                let hint = "Load the page again: another operator may have decided.";
                Self::new(StatusCode::CONFLICT, "no_limit_request", detail, hint)
            }
            LimitRequestError::Agent(error) => error.into(),
        }
    }
}

impl From<OwnerError> for Problem {
    fn from(error: OwnerError) -> Self {
        let detail = format!("{error}.");
        match error {
            OwnerError::NotFound => Self::not_found("owner"),
            OwnerError::EmailTaken => {
                let hint = "Use another address, or log in to the existing account: POST /api/v1/sessions.";
                let mut problem = Self::new(StatusCode::CONFLICT, "email_taken", detail.clone(), hint);
                problem.errors = vec![FieldError::field("/email", "taken", detail, hint)];
                problem
            }
        }
    }
}
