//! Rounds that wait for the answer of an endpoint: those of seats, and the ballots of judges.

use buildtrack_domain::ids::{AgentId, MatchId, OwnerId};
use buildtrack_macros::boxed;

use super::PauseReason;
use crate::{
    StoreError,
    arena::Arena,
    database::{columns::parse, values},
};

/// Match, turn, agent, address of the endpoint, why it is paused, or an empty text; owner, and place among the owner's rounds.
type Row = (String, i64, String, Option<String>, Option<String>, String, i64);

/// A round that waits for the answer of an agent's endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenRound {
    /// The match.
    pub match_id: MatchId,
    /// The turn.
    pub turn: u16,
    /// The agent.
    pub agent_id: AgentId,
    /// The base address of its endpoint; `None` if it has none any more.
    pub endpoint_url: Option<String>,
    /// Why the agent is paused, if it is.
    pub paused: Option<PauseReason>,
    /// The agent's owner.
    pub owner_id: OwnerId,
    /// Its rank among the owner's open rounds, from 1.
    pub rank: i64,
}

/// Which rounds are asked for: those of seats or of judges.
pub(super) struct Asked {
    /// The tables, in which `asked` is that of the seats or judges.
    pub(super) from: &'static str,
    /// The condition that a round is open. Parameter: the time.
    pub(super) is_open: &'static str,
    /// The column that orders the seats or judges of a match.
    pub(super) number: &'static str,
}

#[boxed]
impl Arena {
    /// Up to `limit` rounds that wait for the answer of an endpoint, and whose deadline has not passed. Owners take turns: the oldest
    /// round of each comes first, then the second of each.
    pub async fn open_rounds(&self, limit: i64) -> Result<Vec<OpenRound>, StoreError> {
        let from = "arena_seats AS asked JOIN arena_matches ON arena_matches.id = match_id";
        let is_open = "playing AND NOT settled AND due_at > $1";
        self.rounds_of(Asked { from, is_open, number: "seat" }, limit).await
    }

    /// Up to `limit` rounds of seats or judges that are reached by their endpoint, in the order of [`Self::open_rounds`].
    pub(super) async fn rounds_of(&self, asked: Asked, limit: i64) -> Result<Vec<OpenRound>, StoreError> {
        let Asked { from, is_open, number } = asked;
        let statement = format!(
            "SELECT match_id, turn, agent_id, endpoint_url, pause, owner_id, place FROM \
             (SELECT match_id, turn, asked.agent_id AS agent_id, endpoint_url, (SELECT coalesce(reason, '') FROM arena_endpoints \
             WHERE arena_endpoints.agent_id = asked.agent_id AND paused_until > $1) AS pause, asked.owner_id AS owner_id, \
             asked.position AS position, {number} AS number, \
             row_number() OVER (PARTITION BY asked.owner_id ORDER BY asked.position, match_id, {number}) AS place \
             FROM {from} LEFT JOIN arena_enrolments ON arena_enrolments.agent_id = asked.agent_id \
             WHERE channel = 'push' AND {is_open}) AS open ORDER BY place, position, match_id, number LIMIT $2"
        );
        let rows: Vec<Row> = self.db.all(&statement, values![self.clock.now(), limit]).await?;
        let round = |(match_id, turn, agent_id, endpoint_url, reason, owner_id, rank): Row| {
            let turn = u16::try_from(turn).map_err(|_| StoreError::Damaged("the number of a turn".into()))?;
            let paused = reason.as_deref().map(PauseReason::stored);
            let (match_id, agent_id, owner_id) = (parse(&match_id)?, parse(&agent_id)?, parse(&owner_id)?);
            Ok(OpenRound { match_id, turn, agent_id, endpoint_url, paused, owner_id, rank })
        };
        rows.into_iter().map(round).collect()
    }
}
