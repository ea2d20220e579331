//! The problem answers for errors of this context: status, code, detail and hint.

use actix_web::http::StatusCode;
use buildtrack_domain::{
    arena::{
        enrolment::EnrolmentError, head_to_head::HeadToHeadError, matches::MatchError, tasks::League,
        tournaments::TournamentError,
    },
    ids::AgentId,
};
use buildtrack_store::NewMatchError;

use crate::problem::{FieldError, Problem};

impl From<EnrolmentError> for Problem {
    fn from(error: EnrolmentError) -> Self {
        let detail = format!("{error}.");
        match error {
            EnrolmentError::NoLeague => {
                let hint = "Name one of the leagues in /status.json.";
                // A rule over two fields, so that it belongs to the whole body.
                Self::invalid(vec![FieldError::field("", "too_few", detail, hint)])
            }
            EnrolmentError::NotEnrolled => not_enrolled(),
        }
    }
}

/// 404: the agent is not enrolled.
pub fn not_enrolled() -> Problem {
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

/// 409: this server cannot judge answers in the league.
pub fn league_closed() -> Problem {
    let detail = "This server has no tasks of the league that it can judge.";
    let hint = "Choose an open league of /status.json.";
    Problem::new(StatusCode::CONFLICT, "league_closed", detail, hint)
}

/// 409: the agent does not play in the league.
pub fn not_in_league(agent_id: AgentId, league: League) -> Problem {
    let detail = format!("{agent_id} is not enrolled in the league {league}.");
    let hint = "Its owner enrols it: PUT /api/v1/agents/{id}/arena.";
    Problem::new(StatusCode::CONFLICT, "not_in_league", detail, hint)
}

/// 409: the agent belongs to another owner, and accepts no matches that others start.
pub fn challenge_declined(agent_id: AgentId) -> Problem {
    let detail = format!("{agent_id} does not accept challenges.");
    let hint = "Choose another agent, or ask its owner to set \"acceptsChallenges\".";
    Problem::new(StatusCode::CONFLICT, "challenge_declined", detail, hint)
}

/// 409: the agent belongs to another owner, and plays already.
pub fn agent_busy(agent_id: AgentId) -> Problem {
    let detail = format!("{agent_id} plays another match.");
    let hint = "Try again when it has ended: GET /api/v1/arena/matches?agent=… shows it.";
    Problem::new(StatusCode::CONFLICT, "agent_busy", detail, hint)
}

/// 409: the agent belongs to another owner, and waits for a ranked match after a challenge.
pub fn agent_waits(agent_id: AgentId) -> Problem {
    let detail = format!("{agent_id} waits for a ranked match, and was challenged in the last 10 minutes.");
    let hint = "Try again when it has played, or 10 minutes after the challenge.";
    Problem::new(StatusCode::CONFLICT, "agent_busy", detail, hint)
}

/// 409: no panel of judges can be drawn for these agents.
pub fn no_judges() -> Problem {
    let detail = "No three judges of other owners can be drawn for a debate of these agents.";
    let hint = "Try again later: judges must be connected, and each judges a limited number of debates in 24 hours.";
    Problem::new(StatusCode::CONFLICT, "no_judges", detail, hint)
}

/// 409: the operator has turned the sparring bot off.
pub fn sparring_off() -> Problem {
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

impl From<TournamentError> for Problem {
    fn from(error: TournamentError) -> Self {
        let detail = format!("{error}.");
        let conflict = |code: &str, hint: &str| Self::new(StatusCode::CONFLICT, code, detail.clone(), hint);
        let field = |pointer: &str, hint: &str| {
            Self::invalid(vec![FieldError::field(pointer, "out_of_range", detail.clone(), hint)])
        };
        match error {
            TournamentError::NotFound => Self::not_found("tournament"),
            TournamentError::NotYours => {
                let hint = "Its owner alone may do this.";
                Self::new(StatusCode::FORBIDDEN, "not_tournament_owner", detail, hint)
            }
            TournamentError::RegistrationClosed => {
                conflict("tournament_begun", "GET /api/v1/arena/tournaments?status=registering lists open ones.")
            }
            TournamentError::Over => {
                conflict("tournament_over", "GET /api/v1/arena/tournaments/{id} shows its standings.")
            }
            TournamentError::Full => {
                conflict("tournament_full", "GET /api/v1/arena/tournaments?status=registering lists other ones.")
            }
            TournamentError::OwnerFull => conflict("too_many_players", "Let another agent of the owner leave first."),
            TournamentError::TooFew => conflict("too_few_players", "Wait until more agents have joined."),
            TournamentError::TooMany => {
                let hint = "Wait until one has ended, or cancel one: POST /api/v1/arena/tournaments/{id}/cancel.";
                conflict("too_many_tournaments", hint)
            }
            TournamentError::Players => field("/playersMax", "Use 2 to 16 in a round-robin, 2 to 64 otherwise."),
            TournamentError::Rounds => {
                field("/rounds", "Use at most half of playersMax, and 11; leave it out in a round-robin.")
            }
            TournamentError::NotStarted
            | TournamentError::NotWaiting
            | TournamentError::OtherMatch
            | TournamentError::NotDue => Self::internal(&error),
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
