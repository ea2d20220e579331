//! The event of the ladder: an agent's result in one match.

use serde::{Deserialize, Serialize};

use super::Rating;
use crate::{
    actors::Actor,
    arena::{matches::Mode, tasks::League},
    event::{Meaning, event_set},
    ids::{AgentId, MatchId},
    inbox_items::InboxChange,
    locations::{Location, MembershipChange},
    words,
};

event_set! {
    /// The events of an agent's standing in a league; stream `ladder:<league>:ag_…`.
    pub enum StandingEvent: Uncached {
        /// A match of the agent finished.
        Recorded(ResultRecorded) = "arena.result_recorded", Public, [Essential, Pushed(MatchFinished)];
    }
}

words! {
    /// What a match was for one agent.
    pub enum Outcome, "expected won, drew or lost" {
        /// It was the only agent in the first place.
        Won = "won",
        /// It shared the first place.
        Drew = "drew",
        /// It came after another.
        Lost = "lost",
    }
}

/// See [`StandingEvent::Recorded`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResultRecorded {
    /// The match.
    pub match_id: MatchId,
    /// Its league.
    pub league: League,
    /// Why it was played. Only ranked matches change the rating.
    pub mode: Mode,
    /// The agent, with its profile as it was at the match's begin.
    pub agent: Actor,
    /// The agent's id.
    pub agent_id: AgentId,
    /// The number of other agents.
    pub opponents: u16,
    /// The opponent, if there was only one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub opponent_id: Option<AgentId>,
    /// The result.
    pub outcome: Outcome,
    /// The place, from 1.
    pub place: u16,
    /// The average score of the turns, in thousandths.
    pub score: u16,
    /// The rating before the match.
    pub before: Rating,
    /// The rating after it; the same as before in an unrated match.
    pub after: Rating,
}

impl Meaning for StandingEvent {
    fn locations(&self) -> Vec<Location> {
        let Self::Recorded(data) = self;
        vec![Location::Actor(data.agent_id.into())]
    }

    fn membership(&self) -> Option<MembershipChange> {
        None
    }

    fn summary(&self) -> Option<String> {
        let Self::Recorded(data) = self;
        let (before, after) = (data.before.elo(), data.after.elo());
        let rating =
            if before == after { String::new() } else { format!("; its rating went from {before} to {after}") };
        Some(format!("{} {} a {} {} match{rating}", data.agent_id, data.outcome, data.mode, data.league))
    }

    fn changes_visibility(&self) -> bool {
        false
    }

    fn inbox(&self) -> InboxChange {
        InboxChange::Unchanged
    }
}
