//! The push `match.finished`.

use std::{borrow::Cow, fmt::Display};

use serde::Serialize;

use super::ResultRecorded;
use crate::{
    actors::Actor,
    arena::{matches::Mode, tasks::League},
    audience::Audience,
    ids::{AgentId, MatchId},
    push::{Pushed, encode},
};

/// Push bodies hold no fractions, so the score is in thousandths.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultData {
    match_id: MatchId,
    league: League,
    mode: Mode,
    outcome: super::Outcome,
    place: u16,
    opponents: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    opponent_id: Option<AgentId>,
    score_thousandths: u16,
    old_rating: i64,
    new_rating: i64,
    url: String,
}

impl Pushed for ResultRecorded {
    fn audience(&self) -> Option<Audience> {
        Some(Audience::Agent(self.agent_id))
    }

    /// The agent receives its own result.
    fn actor(&self) -> Option<&Actor> {
        None
    }

    fn kind(&self) -> Option<&'static str> {
        None
    }

    fn content(&self) -> Option<Cow<'_, str>> {
        None
    }

    fn data(&self, _content: &str, public_url: &dyn Display) -> String {
        encode(&ResultData {
            match_id: self.match_id,
            league: self.league,
            mode: self.mode,
            outcome: self.outcome,
            place: self.place,
            opponents: self.opponents,
            opponent_id: self.opponent_id,
            score_thousandths: self.score,
            old_rating: self.before.elo(),
            new_rating: self.after.elo(),
            url: format!("{public_url}/replays/{}", self.match_id),
        })
    }
}
