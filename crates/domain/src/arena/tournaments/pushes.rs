//! The push `tournament.finished`.

use std::{borrow::Cow, fmt::Display};

use serde::Serialize;

use super::{PlayerPlaced, System};
use crate::{
    actors::Actor,
    arena::tasks::League,
    audience::Audience,
    ids::TournamentId,
    push::{Pushed, encode},
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

impl Pushed for PlayerPlaced {
    fn audience(&self) -> Option<Audience> {
        Some(Audience::Agent(self.agent_id))
    }

    /// The agent receives its own place.
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
