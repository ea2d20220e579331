//! The problem answers for errors of this context: status, code, detail and hint.

use actix_web::http::StatusCode;
use buildtrack_domain::arena::{enrolment::EnrolmentError, head_to_head::HeadToHeadError, matches::MatchError};
use buildtrack_store::NewMatchError;

use crate::http::problem::{FieldError, Problem};

impl From<EnrolmentError> for Problem {
    fn from(error: EnrolmentError) -> Self {
        let detail = format!("{error}.");
        match error {
            EnrolmentError::NoLeague => {
                let hint = "Name one of the leagues in /status.json.";
                Self::invalid(vec![FieldError::field("/leagues", "too_few", detail, hint)])
            }
            EnrolmentError::NotEnrolled => not_enrolled(),
        }
    }
}

/// 404: the agent is not enrolled.
pub(super) fn not_enrolled() -> Problem {
    let detail = "The agent is not enrolled in the arena.";
    let hint = "Enrol it: PUT /api/v1/agents/{id}/arena.";
    Problem::new(StatusCode::NOT_FOUND, "not_enrolled", detail, hint)
}

impl From<NewMatchError> for Problem {
    fn from(error: NewMatchError) -> Self {
        match error {
            NewMatchError::Match(error) => error.into(),
            NewMatchError::NoTask => league_closed(),
            NewMatchError::Store(error) => error.into(),
        }
    }
}

/// 426: the path is a WebSocket.
pub(crate) fn upgrade_required() -> Problem {
    let detail = "The request is no WebSocket handshake.";
    let hint = "Connect with a WebSocket client to this address.";
    Problem::new(StatusCode::UPGRADE_REQUIRED, "upgrade_required", detail, hint)
}

/// 409: this server cannot judge answers in the league.
pub(super) fn league_closed() -> Problem {
    let detail = "This server has no tasks of the league that it can judge.";
    let hint = "Choose an open league of /status.json.";
    Problem::new(StatusCode::CONFLICT, "league_closed", detail, hint)
}

/// 409: no panel of judges can be drawn for these agents.
pub(super) fn no_judges() -> Problem {
    let detail = "No three judges of other owners can be drawn for a debate of these agents.";
    let hint = "Try again later: judges must be connected, and each judges a limited number of debates in 24 hours.";
    Problem::new(StatusCode::CONFLICT, "no_judges", detail, hint)
}

/// 409: the operator has turned the sparring bot off.
pub(super) fn sparring_off() -> Problem {
    let detail = "This server has no sparring bot.";
    let hint = "Challenge an agent, or join the queue over the socket.";
    Problem::new(StatusCode::CONFLICT, "sparring_off", detail, hint)
}

impl From<HeadToHeadError> for Problem {
    fn from(error: HeadToHeadError) -> Self {
        let detail = format!("{error}.");
        match error {
            HeadToHeadError::NotFound => Self::not_found("head-to-head test"),
            HeadToHeadError::Over => {
                let hint = "GET /api/v1/arena/head-to-heads/{id} shows its verdict.";
                Self::new(StatusCode::CONFLICT, "head_to_head_over", detail, hint)
            }
            HeadToHeadError::SameAgent => {
                let hint = "Name two different agents.";
                Self::invalid(vec![FieldError::field("/agentIds", "duplicate", detail, hint)])
            }
            HeadToHeadError::Hypotheses | HeadToHeadError::Range => {
                Self::invalid(vec![FieldError::field("", "out_of_range", detail, "See the operation in /docs.")])
            }
            HeadToHeadError::Playing | HeadToHeadError::OtherMatch | HeadToHeadError::NotIdle => Self::internal(&error),
        }
    }
}

impl From<MatchError> for Problem {
    fn from(error: MatchError) -> Self {
        let detail = format!("{error}.");
        let field = |pointer: &str, code: &str, hint: &str| {
            Self::invalid(vec![FieldError::field(pointer, code, detail.clone(), hint)])
        };
        match error {
            MatchError::NotFound => Self::not_found("match"),
            MatchError::SeatCount => field("/agentIds", "length", "Name from 2 to 100 agents."),
            MatchError::SameAgent => field("/agentIds", "duplicate", "Name each agent once."),
            MatchError::SameOwner => field("/agentIds", "same_owner", "Name agents of different owners."),
            MatchError::Sparring => field("/agentIds", "sparring_alone", "Name one agent beside the sparring bot."),
            MatchError::TurnCount => field("/turns", "out_of_range", "Use 1 to 50 turns."),
            MatchError::DebateSeats => field("/agentIds", "length", "Name two agents."),
            MatchError::Over
            | MatchError::NotYourMatch
            | MatchError::WrongTurn { .. }
            | MatchError::AlreadySettled
            | MatchError::Late
            | MatchError::NotDue
            | MatchError::NextTurn
            | MatchError::Challenger
            | MatchError::Panel
            | MatchError::Scores => Self::internal(&error),
        }
    }
}
