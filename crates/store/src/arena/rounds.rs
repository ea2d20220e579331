//! Rounds that wait for the answer of an endpoint: those of seats, and the ballots of judges.

use buildtrack_domain::ids::{AgentId, MatchId};

use super::PauseReason;
use crate::{
    Store, StoreError,
    database::{columns::parse, read},
};

/// Match, turn, agent, address of the endpoint, and why it is paused, or an empty text.
type Row = (String, i64, String, Option<String>, Option<String>);

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
}

impl Store {
    /// Up to `limit` rounds that wait for the answer of an endpoint, and whose deadline has not passed; oldest match first.
    pub async fn open_rounds(&self, limit: i64) -> Result<Vec<OpenRound>, StoreError> {
        let seats = "FROM arena_seats AS asked JOIN arena_matches ON arena_matches.id = match_id";
        self.rounds_of(seats, "playing AND NOT settled AND due_at > $1 ORDER BY asked.position, match_id, seat", limit)
            .await
    }

    /// Up to `limit` rounds of the seats or judges that `from` calls `asked`, which are reached by their endpoint.
    pub(super) async fn rounds_of(
        &self,
        from: &str,
        condition_and_order: &str,
        limit: i64,
    ) -> Result<Vec<OpenRound>, StoreError> {
        let statement = format!(
            "SELECT match_id, turn, asked.agent_id, endpoint_url, (SELECT coalesce(reason, '') FROM arena_endpoints \
             WHERE arena_endpoints.agent_id = asked.agent_id AND paused_until > $1) {from} \
             LEFT JOIN arena_enrolments ON arena_enrolments.agent_id = asked.agent_id \
             WHERE channel = 'push' AND {condition_and_order} LIMIT $2"
        );
        let rows: Vec<Row> = read!(&self.db, |pool| {
            sqlx::query_as(&statement).bind(self.clock.now()).bind(limit).fetch_all(pool).await?
        });
        let round = |(match_id, turn, agent_id, endpoint_url, reason): Row| {
            let turn = u16::try_from(turn).map_err(|_| StoreError::Damaged("the number of a turn".into()))?;
            let paused = reason.as_deref().map(PauseReason::stored);
            Ok(OpenRound { match_id: parse(&match_id)?, turn, agent_id: parse(&agent_id)?, endpoint_url, paused })
        };
        rows.into_iter().map(round).collect()
    }
}
