//! The seal of debates: which events are shown without telling which seat wrote which argument.
//!
//! The state of a debate may be read before or after its events: a motion that was open at any time of the read is sealed, or has been
//! shown since.

use std::collections::{HashMap, HashSet};

use buildtrack_domain::{
    arena::{
        matches::{Phase, first_of_motion, is_sealed, sealed_members},
        tasks::League,
    },
    ids::{MatchId, OwnerId},
};
use buildtrack_macros::boxed;
use serde::Deserialize;
use serde_json::json;

use super::MatchView;
use crate::{
    StoreError,
    arena::Arena,
    database::{Db, columns::parse, values},
    log::LoggedEvent,
};

/// What tells the turn of a match's event.
#[derive(Deserialize)]
struct OfTurn {
    turn: i64,
}

impl MatchView {
    /// Whether it is not shown yet whose argument is whose in a turn.
    pub fn seals(&self, turn: i64) -> bool {
        self.league == League::Debate && self.phase == Phase::Playing.as_str() && is_sealed(turn, self.turn)
    }

    /// Whether this event of the match is shown without what tells whose argument is whose.
    pub(super) fn seals_event(&self, event_type: &str, data: &str) -> bool {
        !sealed_members(event_type).is_empty()
            && serde_json::from_str(data).is_ok_and(|OfTurn { turn }| self.seals(turn))
    }
}

/// The positions of those events whose data tell whose argument is whose in a motion that is open.
pub(super) async fn sealed_among(db: &Db, events: &[LoggedEvent]) -> Result<HashSet<i64>, StoreError> {
    let telling = || events.iter().filter(|event| !sealed_members(&event.event_type).is_empty());
    let matches: HashSet<&str> = telling().map(|event| &*event.stream).collect();
    if matches.is_empty() {
        return Ok(HashSet::new());
    }
    let listed = db.dialect().listed(1);
    let statement = format!(
        "SELECT id, turn FROM arena_matches WHERE league = 'debate' AND phase = 'playing' \
         AND id IN (SELECT value FROM {listed})"
    );
    let open: Vec<(String, i64)> = db.all(&statement, values![json!(matches).to_string()]).await?;
    let open: HashMap<String, i64> = open.into_iter().collect();
    let is_open = |event: &&LoggedEvent| {
        let turn = event.data.as_deref().and_then(|data| serde_json::from_str(data).ok());
        let known = open.get(&event.stream).zip(turn);
        known.is_some_and(|(open, OfTurn { turn })| is_sealed(turn, *open))
    };
    Ok(telling().filter(is_open).map(|event| event.position).collect())
}

#[boxed]
impl Arena {
    /// The owners whose agents have been on a panel of the motion that is debated in this turn of a match.
    pub async fn judging_owners_of(&self, match_id: MatchId, turn: u16) -> Result<Vec<OwnerId>, StoreError> {
        let owners: Vec<String> = self
            .db
            .all(
                "SELECT DISTINCT owner_id FROM arena_judges WHERE match_id = $1 AND turn >= $2",
                values![match_id.to_string(), first_of_motion(turn.into())],
            )
            .await?;
        owners.iter().map(|owner| parse(owner)).collect()
    }
}
