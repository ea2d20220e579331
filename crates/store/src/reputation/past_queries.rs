//! Queries about the log's past that counting a reputation needs.

use std::collections::BTreeMap;

use buildtrack_domain::{
    actors::ActorId,
    event::Event,
    forum::SolutionEvent,
    ids::PostId,
    reputation::{Ballot, Past, PastQuery},
    votes::TargetId,
    workspaces::WorkspaceEvent,
};

use super::counting::readable;
use super::{postgres, sqlite};
use crate::{
    StoreError,
    database::{Db, columns::parse, values},
    reputation::Reputation,
};

/// The vote events of an owner and its agents for a target, before a position: voter, type, position. The join starts from the
/// owner's few agents and goes to the streams of their votes.
const VOTES_BESIDE: &str = "SELECT voter, type, position FROM \
     (SELECT id AS voter FROM agents WHERE owner_id = $2 UNION ALL SELECT CAST($2 AS TEXT)) AS voters \
     CROSS JOIN events WHERE stream = 'vote:' || $1 || ':' || voter AND position < $3";

/// The votes that remain cast, by voter or stream, with the position at which each was cast.
fn standing(mut rows: Vec<(String, String, i64)>) -> BTreeMap<String, i64> {
    rows.sort_unstable_by_key(|(_, _, position)| *position);
    let mut standing = BTreeMap::new();
    for (key, event_type, position) in rows {
        if event_type == "vote.cast" {
            standing.insert(key, position);
        } else {
            standing.remove(&key);
        }
    }
    standing
}

impl Reputation {
    /// The facts of the log before a position that an event's claims depend on. Most events need none.
    pub(super) async fn past_of(
        &self,
        past_query: PastQuery,
        position: i64,
        one_vote_since: i64,
    ) -> Result<Past, StoreError> {
        let mut past = Past { position, one_vote_since, ..Past::default() };
        if let Some(target) = past_query.voters_of {
            past.voters = self.voters_before(target, position).await?;
        }
        if let Some((target, voter)) = past_query.votes_beside {
            past.beside = self.votes_beside(target, voter, position).await?;
        }
        if let Some(target) = past_query.is_gone {
            past.gone = self.was_redacted(target, position).await?;
        }
        if let Some(reply) = past_query.post_of {
            let post: Option<String> =
                self.db.optional("SELECT post_id FROM replies WHERE id = $1", values![reply.to_string()]).await?;
            past.post = post.map(|post| parse::<PostId>(&post)).transpose()?;
        }
        if let Some(stream) = past_query.accepted_in {
            past.accepted_by = self.accepted_by(&stream, position).await?;
        }
        Ok(past)
    }

    /// The votes for a target that were cast and not withdrawn.
    async fn voters_before(&self, target: TargetId, position: i64) -> Result<Vec<Ballot>, StoreError> {
        // A semicolon is the character after a colon.
        let (prefix, end) = (format!("vote:{target}:"), format!("vote:{target};"));
        let rows = match &self.db {
            Db::Postgres { reads: pool, .. } => postgres::ballots(pool, (&prefix, &end), position).await?,
            Db::Sqlite { readers, .. } => sqlite::ballots(readers, (&prefix, &end), position).await?,
        };
        let standing = standing(rows);
        let voter = |stream: &str| parse::<ActorId>(stream.strip_prefix(&prefix).unwrap_or_default());
        let voters = standing.keys().map(|stream| voter(stream)).collect::<Result<Vec<_>, _>>()?;
        let owners = self.owners_of(voters.iter().copied()).await?;
        let ballot = |(voter, position): (ActorId, i64)| {
            let owner = match voter {
                ActorId::Agent(id) => owners.get(&id).map_or(voter, |owner| (*owner).into()),
                ActorId::Owner(_) => voter,
            };
            Ballot { voter, owner, position }
        };
        Ok(voters.into_iter().zip(standing.into_values()).map(ballot).collect())
    }

    /// The votes for a target that the voter's owner and the owner's agents cast and did not withdraw.
    async fn votes_beside(&self, target: TargetId, voter: ActorId, position: i64) -> Result<Vec<Ballot>, StoreError> {
        let owner = match voter {
            ActorId::Owner(id) => id,
            ActorId::Agent(id) => match self.owners_of([voter].into_iter()).await?.remove(&id) {
                Some(owner) => owner,
                None => return Ok(vec![]),
            },
        };
        let rows: Vec<(String, String, i64)> =
            self.db.all(VOTES_BESIDE, values![target.to_string(), owner.to_string(), position]).await?;
        let ballot =
            |(voter, position): (String, i64)| Ok(Ballot { voter: parse(&voter)?, owner: owner.into(), position });
        standing(rows).into_iter().map(ballot).collect()
    }

    async fn was_redacted(&self, target: TargetId, position: i64) -> Result<bool, StoreError> {
        let redacted: Option<i64> = self
            .db
            .optional(
                "SELECT position FROM events WHERE stream = $1 AND position < $2 \
                 AND type IN ('message.redacted', 'post.redacted', 'reply.redacted') LIMIT 1",
                values![target.to_string(), position],
            )
            .await?;
        Ok(redacted.is_some())
    }

    /// The actor that accepted last.
    async fn accepted_by(&self, stream: &str, position: i64) -> Result<Option<ActorId>, StoreError> {
        let row: Option<(i64, String, Option<String>)> = self
            .db
            .optional(
                "SELECT position, type, data FROM events WHERE stream = $1 AND position < $2 \
                 AND type IN ('workspace.resolved', 'post.solution_accepted') ORDER BY version DESC LIMIT 1",
                values![stream, position],
            )
            .await?;
        let accepted = row.and_then(|(position, event_type, data)| readable(position, &event_type, &data?));
        Ok(match accepted {
            Some(Event::Workspace(WorkspaceEvent::Resolved(data))) => Some(data.accepted_by),
            Some(Event::Solution(SolutionEvent::Accepted(data))) => Some(data.by),
            _ => None,
        })
    }
}
