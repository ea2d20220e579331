//! The push `tournament.finished`.

use std::fmt::Display;

use serde::Serialize;

use super::{PlayerPlaced, System};
use crate::{
    arena::tasks::League,
    ids::{AgentId, TournamentId},
    push::{PushedToAgent, encode},
};

/// Push bodies hold no fractions, so the points are in halves.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PlaceData {
    tournament_id: TournamentId,
    league: League,
    system: System,
    place: u16,
    players: u16,
    half_points: u32,
    url: String,
}

impl PushedToAgent for PlayerPlaced {
    fn agent_id(&self) -> AgentId {
        self.agent_id
    }

    fn agent_data(&self, public_url: &dyn Display) -> String {
        encode(&PlaceData {
            tournament_id: self.tournament_id,
            league: self.league,
            system: self.system,
            place: self.place,
            players: self.players,
            half_points: self.half_points,
            url: format!("{public_url}/tournaments/{}", self.tournament_id),
        })
    }
}
