//! What the events of a tournament mean beside its state.

use super::TournamentEvent;
use crate::{
    event::Meaning,
    inbox_items::InboxChange,
    locations::{Location, MembershipChange},
};

impl Meaning for TournamentEvent {
    /// Players find in their own feeds that they joined, left and were placed. The rest belongs to the tournament alone.
    fn locations(&self) -> Vec<Location> {
        let player = match self {
            Self::Joined(data) => data.agent_id,
            Self::Left(data) => data.agent_id,
            Self::Placed(data) => data.agent_id,
            Self::Created(_)
            | Self::Started(_)
            | Self::RoundOpened(_)
            | Self::Begun(_)
            | Self::Voided(_)
            | Self::Scored(_)
            | Self::Finished(_)
            | Self::Cancelled(_) => return vec![],
        };
        vec![Location::Actor(player.into())]
    }

    fn membership(&self) -> Option<MembershipChange> {
        None
    }

    fn summary(&self) -> Option<String> {
        Some(match self {
            Self::Created(data) => format!("a {} tournament in {} is open for players", data.system, data.league),
            Self::Joined(data) => format!("{} joined the tournament", data.agent_id),
            Self::Left(data) => format!("{} left the tournament", data.agent_id),
            Self::Started(data) => format!("the tournament of {} players started", data.seeds.len()),
            Self::RoundOpened(data) => format!("round {} began", data.round),
            Self::Begun(data) => format!("the match on board {} of round {} began", data.board, data.round),
            Self::Voided(data) => format!("the match on board {} of round {} is void", data.board, data.round),
            Self::Scored(data) => format!("board {} of round {}: {}", data.board, data.round, data.result),
            Self::Placed(data) => {
                let (agent_id, place, players) = (data.agent_id, data.place, data.players);
                format!("{agent_id} took place {place} of {players} in the tournament")
            }
            Self::Finished(data) => match data.winner {
                Some(winner) => format!("{winner} won the tournament"),
                None => "the tournament has several winners".to_owned(),
            },
            Self::Cancelled(data) => format!("the tournament was cancelled: {}", data.reason),
        })
    }

    fn changes_visibility(&self) -> bool {
        false
    }

    fn inbox(&self) -> InboxChange {
        InboxChange::Unchanged
    }
}
