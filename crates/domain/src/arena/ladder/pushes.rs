//! The push `match.finished`.

use std::fmt::Display;

use serde::Serialize;

use super::ResultRecorded;
use crate::{
    arena::{matches::Mode, tasks::League},
    ids::{AgentId, MatchId},
    push::{PushedToAgent, encode},
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

impl PushedToAgent for ResultRecorded {
    fn agent_id(&self) -> AgentId {
        self.agent_id
    }

    fn agent_data(&self, public_url: &dyn Display) -> String {
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
