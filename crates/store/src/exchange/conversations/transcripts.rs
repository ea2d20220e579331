//! Exchanges as their sides and owners see them.

use buildtrack_domain::{
    actors::ActorId,
    event::Event,
    exchange::{
        conversations::{Body, ExchangeEvent, Phase},
        documents::DocumentHash,
    },
    ids::{AgentId, ExchangeId},
};
use chrono::{DateTime, Utc};

use super::fitting;
use crate::{Recorded, Store, StoreError, db::read, log::LoggedEvent};

/// An exchange.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
#[expect(clippy::struct_excessive_bools, reason = "each is a column of its own, and says another thing")]
pub struct ExchangeView {
    /// The exchange.
    #[sqlx(try_from = "String")]
    pub id: ExchangeId,
    /// Where it was begun on the log.
    pub position: i64,
    /// Who asks; none where there was no session.
    pub asker_id: Option<String>,
    /// Its name at that moment.
    pub asker_name: Option<String>,
    /// The agent that is asked; none where it is this server.
    pub answerer_id: Option<String>,
    /// The document that both go by, in hex.
    pub document: Option<String>,
    /// Whether they settle on a document.
    pub negotiation: bool,
    /// Whether it may have several rounds.
    pub conversation: bool,
    /// How far it is; a conversation may have expired all the same.
    #[sqlx(try_from = "String")]
    pub phase: Phase,
    /// How many rounds were begun.
    pub rounds: i64,
    /// When the conversation is over, unless it goes on.
    pub expires_at: Option<DateTime<Utc>>,
    /// Whether the asker lets everybody read it.
    pub asker_published: bool,
    /// Whether the answerer does.
    pub answerer_published: bool,
    /// Whether its words were taken back.
    pub redacted: bool,
    /// When it was begun.
    pub opened_at: DateTime<Utc>,
    /// When something happened in it last.
    pub updated_at: DateTime<Utc>,
}

/// Which side of an exchange somebody is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExchangeRole {
    /// Who asks.
    Asker,
    /// Who answers.
    Answerer,
}

/// How far an exchange is, as it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExchangeStatus {
    /// What the log says; a conversation that is open has not expired.
    In(Phase),
    /// A conversation whose time is over.
    Expired,
}

/// Which exchanges to list; newest first.
#[derive(Debug, Clone)]
pub struct ExchangeFilter {
    /// Those of an agent, or of an owner and all of its agents.
    pub of: ActorId,
    /// Only of this one of them.
    pub agent: Option<AgentId>,
    /// Only on this side.
    pub role: Option<ExchangeRole>,
    /// Only those that are so far.
    pub status: Option<ExchangeStatus>,
    /// Only by this document.
    pub document: Option<DocumentHash>,
    /// Only begun before this position.
    pub before: Option<i64>,
    /// At most so many.
    pub limit: i64,
}

/// One thing that happened in an exchange.
#[derive(Debug, Clone)]
pub struct SaidView {
    /// Where it was recorded on the log.
    pub position: i64,
    /// When.
    pub recorded_at: DateTime<Utc>,
    /// What.
    pub event: ExchangeEvent,
    /// The very text that was hashed: with the salt, it can be checked against the public log.
    pub data: String,
    /// What was hashed before it, in hex.
    pub salt: String,
}

const EXCHANGE: &str = "SELECT id, position, asker_id, asker_name, answerer_id, document, negotiation, \
                        key_hash IS NOT NULL AS conversation, phase, rounds, expires_at, asker_published, \
                        answerer_published, redacted, opened_at, updated_at FROM exchanges";

/// One side of it is, or belongs to, the reader ($1), and is the agent asked for ($2). The subquery is entered by its index.
const MINE: &str = "IN (SELECT CAST($1 AS TEXT) UNION ALL SELECT agents.id FROM agents WHERE owner_id = $1)";

impl ExchangeFilter {
    fn conditions(&self) -> String {
        let side = |column: &str| format!("({column} {MINE} AND (CAST($2 AS TEXT) IS NULL OR {column} = $2))");
        let mine = match self.role {
            Some(ExchangeRole::Asker) => side("asker_id"),
            Some(ExchangeRole::Answerer) => side("answerer_id"),
            None => format!("({} OR {})", side("asker_id"), side("answerer_id")),
        };
        let status = match self.status {
            None => "",
            Some(ExchangeStatus::Expired) => " AND phase = 'open' AND expires_at <= $4",
            Some(ExchangeStatus::In(Phase::Open)) => " AND phase = 'open' AND expires_at > $4",
            Some(ExchangeStatus::In(Phase::Waiting)) => " AND phase = 'waiting'",
            Some(ExchangeStatus::In(Phase::Done)) => " AND phase = 'done'",
            Some(ExchangeStatus::In(Phase::Failed)) => " AND phase = 'failed'",
            Some(ExchangeStatus::In(Phase::Closed)) => " AND phase = 'closed'",
        };
        format!(
            "{mine} AND (CAST($3 AS TEXT) IS NULL OR document = $3) AND ($4 IS NOT NULL){status} \
             AND (CAST($5 AS BIGINT) IS NULL OR position < $5)"
        )
    }
}

impl Store {
    /// How many exchanges went by a document, and when the last of them began.
    pub async fn document_usage(&self, hash: &DocumentHash) -> Result<(i64, Option<DateTime<Utc>>), StoreError> {
        let statement = "SELECT count(*), max(opened_at) FROM exchanges WHERE document = $1";
        Ok(read!(&self.db, |pool| sqlx::query_as(statement).bind(hash.to_string()).fetch_one(pool).await?))
    }

    /// An exchange.
    pub async fn exchange(&self, id: ExchangeId) -> Result<Option<ExchangeView>, StoreError> {
        let statement = format!("{EXCHANGE} WHERE id = $1");
        Ok(read!(&self.db, |pool| { sqlx::query_as(&statement).bind(id.to_string()).fetch_optional(pool).await? }))
    }

    /// The conversation that goes on by an id with this SHA-256.
    pub async fn conversation(&self, key_hash: &str) -> Result<Option<ExchangeView>, StoreError> {
        let statement = format!("{EXCHANGE} WHERE key_hash = $1");
        Ok(read!(&self.db, |pool| { sqlx::query_as(&statement).bind(key_hash).fetch_optional(pool).await? }))
    }

    /// A list of exchanges.
    pub async fn exchanges(&self, filter: &ExchangeFilter) -> Result<Vec<ExchangeView>, StoreError> {
        let statement = format!("{EXCHANGE} WHERE {} ORDER BY position DESC LIMIT $6", filter.conditions());
        Ok(read!(&self.db, |pool| {
            sqlx::query_as(&statement)
                .bind(filter.of.to_string())
                .bind(filter.agent.map(|agent| agent.to_string()))
                .bind(filter.document.map(|document| document.to_string()))
                .bind(self.clock.now())
                .bind(filter.before)
                .bind(filter.limit)
                .fetch_all(pool)
                .await?
        }))
    }

    /// Everything that happened in an exchange beyond a position, in order; of what was taken back, nothing.
    pub async fn said(&self, id: ExchangeId, after: i64, limit: i64) -> Result<Vec<SaidView>, StoreError> {
        let rows: Vec<LoggedEvent> = read!(&self.db, |pool| {
            let rows = sqlx::query_as(
                "SELECT position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, redacted_by \
                 FROM events WHERE stream = $1 AND position > $2 ORDER BY version LIMIT $3",
            );
            let rows = rows.bind(id.to_string()).bind(after).bind(limit).fetch(pool);
            fitting(rows, |row: &LoggedEvent| row.data.as_ref().map_or(0, String::len)).await?
        });
        Ok(rows.into_iter().filter_map(said).collect())
    }

    /// What was answered last in an exchange before this position.
    pub async fn last_answer(&self, id: ExchangeId, before: i64) -> Result<Option<Body>, StoreError> {
        let row: Option<LoggedEvent> = read!(&self.db, |pool| {
            sqlx::query_as(
                "SELECT position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, redacted_by \
                 FROM events WHERE stream = $1 AND position < $2 AND type = 'exchange.answered' \
                 ORDER BY version DESC LIMIT 1",
            )
            .bind(id.to_string())
            .bind(before)
            .fetch_optional(pool)
            .await?
        });
        Ok(row.and_then(said).and_then(|said| match said.event {
            ExchangeEvent::Answered(answered) => Some(answered.body),
            _ => None,
        }))
    }
}

fn said(row: LoggedEvent) -> Option<SaidView> {
    let (data, salt) = (row.data.clone()?, row.salt.as_ref().map(hex::encode).unwrap_or_default());
    let Recorded { position, recorded_at, event, .. } = row.into_readable();
    match event {
        Some(Event::Exchange(event)) => Some(SaidView { position, recorded_at, event, data, salt }),
        _ => None,
    }
}
