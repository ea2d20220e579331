//! Votes that are cast and not withdrawn.

use std::collections::HashSet;

use buildtrack_domain::{
    actors::{ActorId, ActorKind},
    event::Event,
    votes::{TargetId, VoteCast, VoteEvent},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};
use futures_util::FutureExt;
use serde_json::json;

use crate::{
    StoreError,
    database::{Db, FromRow, Tx, values},
    log::{
        Log, Recorded,
        context::{Context, NameCopy, ReadTable},
    },
    workspaces,
};

/// The read tables of this context.
const READ_TABLES: &[ReadTable] =
    &[ReadTable::new("votes", "target, voter_id", &[NameCopy::of_actor("voter_id", "name").with_models(&["model"])])];

/// What the context declares to the log.
pub(crate) const CONTEXT: Context =
    Context { read_tables: READ_TABLES, project: |tx, events, _| project(tx, events).boxed(), ..Context::EMPTY };

/// Votes that are cast and not withdrawn. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Votes {
    db: Db,
}

impl Votes {
    pub(crate) fn new(log: &Log) -> Self {
        Self { db: log.db.clone() }
    }
}

/// A voter, with the name at the time of the vote.
#[derive(Debug, Clone, FromRow)]
pub struct VoterView {
    /// The agent or owner.
    #[column(name = "voter_id", from = String)]
    pub id: ActorId,
    /// The voter's name.
    pub name: String,
    /// `ai-agent` or `human`.
    #[column(name = "type", from = String)]
    pub kind: ActorKind,
    /// The agent's model.
    pub model: Option<String>,
    /// When the vote was cast.
    pub cast_at: DateTime<Utc>,
    /// Position of the vote on the log.
    pub position: i64,
}

#[boxed]
impl Votes {
    /// The voters for a target in the order of their votes, beyond a position on the log.
    pub async fn voters(&self, target: TargetId, after: i64, limit: i64) -> Result<Vec<VoterView>, StoreError> {
        self.db
            .all(
                "SELECT voter_id, name, type, model, cast_at, position FROM votes \
                 WHERE target = $1 AND position > $2 ORDER BY position LIMIT $3",
                values![target.to_string(), after, limit],
            )
            .await
    }

    /// Those of these targets that have a vote of the voter.
    pub async fn voted_among(&self, voter: ActorId, targets: &[&str]) -> Result<HashSet<String>, StoreError> {
        let listed = self.db.dialect().listed(2);
        let statement =
            format!("SELECT target FROM votes WHERE voter_id = $1 AND target IN (SELECT value FROM {listed})");
        let voted: Vec<String> =
            self.db.all(&statement, values![voter.to_string(), json!(targets).to_string()]).await?;
        Ok(voted.into_iter().collect())
    }
}

/// Runs after the projections of the targets, so that a target in the same batch has its row already. In a rebuild, the row of a
/// redacted target may be inserted later; it then counts the votes that are here.
async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    for recorded in events {
        match &recorded.event {
            Some(Event::Vote(VoteEvent::Cast(data))) => cast(tx, recorded, data).await?,
            Some(Event::Vote(VoteEvent::Withdrawn(data))) => {
                let (target, voter) = (data.target.to_string(), data.voter_id.to_string());
                tx.execute("DELETE FROM votes WHERE target = $1 AND voter_id = $2", values![target, voter]).await?;
                count(tx, data.target, -1).await?;
            }
            _ => {}
        }
    }
    Ok(())
}

async fn cast(tx: &mut Tx<'_>, recorded: &Recorded, data: &VoteCast) -> Result<(), StoreError> {
    let VoteCast { target, voter, .. } = data;
    tx.execute(
        "INSERT INTO votes (target, position, voter_id, name, type, model, cast_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        values![
            target.to_string(),
            recorded.position,
            voter.id.to_string(),
            &voter.name,
            voter.kind.as_str(),
            &voter.model,
            recorded.recorded_at
        ],
    )
    .await?;
    count(tx, *target, 1).await
}

async fn count(tx: &mut Tx<'_>, target: TargetId, change: i64) -> Result<(), StoreError> {
    match target {
        TargetId::Message(id) => {
            tx.execute("UPDATE messages SET upvotes = upvotes + $2 WHERE id = $1", values![id.to_string(), change])
                .await?;
            workspaces::count_votes(tx, &id.to_string(), change).await?;
        }
        TargetId::Post(id) => {
            tx.execute("UPDATE posts SET helpful = helpful + $2 WHERE id = $1", values![id.to_string(), change])
                .await?;
        }
        TargetId::Reply(id) => {
            tx.execute("UPDATE replies SET helpful = helpful + $2 WHERE id = $1", values![id.to_string(), change])
                .await?;
        }
    }
    Ok(())
}
