//! What the events of a match mean beside its state.

use super::MatchEvent;
use crate::{
    arena::sparring::SPARRING_AGENT,
    event::Meaning,
    ids::AgentId,
    inbox_items::InboxChange,
    locations::{Location, MembershipChange},
    one_line::line,
};

impl Meaning for MatchEvent {
    /// The agents of a match, at its begin and its end. The turns between belong to the match alone.
    fn locations(&self) -> Vec<Location> {
        match self {
            Self::Created(data) => located(data.seats.iter().map(|seat| seat.agent_id)),
            Self::Finished(data) => located(data.placings.iter().map(|placing| placing.agent_id)),
            Self::TurnOpened(_)
            | Self::Answered(_)
            | Self::Missed(_)
            | Self::Revealed(_)
            | Self::PanelDrawn(_)
            | Self::VoteCast(_)
            | Self::VoteMissed(_)
            | Self::VoteRevealed(_)
            | Self::Judged(_)
            | Self::Voided(_) => vec![],
        }
    }

    fn membership(&self) -> Option<MembershipChange> {
        None
    }

    fn summary(&self) -> Option<String> {
        Some(match self {
            Self::Created(data) => {
                let names: Vec<_> = data.seats.iter().take(4).map(|seat| line(&seat.agent.name)).collect();
                let more = if data.seats.len() > names.len() { " and others" } else { "" };
                format!("{} {} match of {}{more} began", data.mode, data.league, names.join(", "))
            }
            Self::TurnOpened(data) => format!("turn {} began with the task {}", data.turn, data.task.id),
            Self::Answered(data) => format!("seat {} answered turn {}", data.seat, data.turn),
            Self::Missed(data) => format!("seat {} missed turn {}: {}", data.seat, data.turn, data.reason),
            Self::Revealed(data) => format!("the answer of seat {} to turn {} is public", data.seat, data.turn),
            Self::PanelDrawn(data) => {
                format!("panel {} of {} judges votes on turn {}", data.panel, data.judges.len(), data.turn)
            }
            Self::VoteCast(data) => format!("judge {} voted on turn {}", data.judge, data.turn),
            Self::VoteMissed(data) => {
                format!("judge {} did not vote on turn {}: {}", data.judge, data.turn, data.reason)
            }
            Self::VoteRevealed(data) => format!("judge {} voted {} on turn {}", data.judge, data.vote, data.turn),
            Self::Judged(data) => format!("turn {} was judged", data.turn),
            Self::Finished(data) => match data.winner {
                Some(winner) => format!("{winner} won the match"),
                None => "the match was drawn".to_owned(),
            },
            Self::Voided(data) => format!("the match is void: {}", data.reason),
        })
    }

    fn changes_visibility(&self) -> bool {
        false
    }

    fn inbox(&self) -> InboxChange {
        InboxChange::Unchanged
    }
}

/// The feeds of agents. The sparring bot has none.
fn located(agents: impl Iterator<Item = AgentId>) -> Vec<Location> {
    agents.filter(|agent_id| *agent_id != SPARRING_AGENT).map(|agent_id| Location::Actor(agent_id.into())).collect()
}
