//! Answers to turns, and votes of judges: the events and the sealed text.

use buildtrack_domain::{
    arena::matches::{AnswerTurn, CastVote, Match, MatchEvent, SealedAnswer, Vote},
    decide::Command,
    ids::AgentId,
};
use chrono::{DateTime, Utc};

use super::{errors::SocketError, reading};

/// The events of an agent's answer to a turn, or of its vote if it judges the turn, with what is sealed.
pub(crate) fn decide_answer(
    state: &Match,
    agent_id: AgentId,
    (turn, answer): (u16, &SealedAnswer),
    now: DateTime<Utc>,
) -> Result<(SealedAnswer, Vec<MatchEvent>), SocketError> {
    let is_judge = is_judge(state, agent_id);
    let answer = if is_judge { vote(answer)? } else { answer.clone() };
    let commitment = answer.commitment();
    let decided = if is_judge {
        CastVote { agent_id, turn, commitment, now }.decide(state)
    } else {
        AnswerTurn { agent_id, turn, commitment, now }.decide(state)
    };
    Ok((answer, decided.map_err(reading::refused)?))
}

/// Whether the agent is on the panel that judges the open turn.
fn is_judge(state: &Match, agent_id: AgentId) -> bool {
    let panel = state.open.as_ref().and_then(|open| open.panel());
    panel.is_some_and(|panel| panel.judge_of(agent_id).is_some())
}

/// The vote that an answer stands for.
fn vote(answer: &SealedAnswer) -> Result<SealedAnswer, SocketError> {
    let invalid = || SocketError::invalid("\"output\" of a judge must be \"A\", \"B\" or \"draw\"");
    let vote = Vote::read(&answer.output).ok_or_else(invalid)?;
    Ok(SealedAnswer { output: vote.as_str().to_owned(), ..answer.clone() })
}
