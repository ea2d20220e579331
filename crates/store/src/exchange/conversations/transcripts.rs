//! Exchanges and their transcripts, as their parties and the parties' owners read them.

use buildtrack_domain::{
    actors::ActorId,
    event::Event,
    exchange::{
        conversations::{Body, ExchangeEvent, Phase},
        documents::DocumentHash,
    },
    ids::{AgentId, ExchangeId},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use super::ROUNDS_BYTES_MAX;
use crate::{
    Listed, StoreError,
    database::{FromRow, values},
    exchange::Exchange,
    log::{LoggedEvent, Recorded},
};

/// An exchange, as listed.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
#[expect(clippy::struct_excessive_bools, reason = "each is a column of its own with its own meaning")]
pub struct ExchangeView {
    /// The exchange's id.
    #[column(from = String)]
    pub id: ExchangeId,
    /// Position of its first event on the log.
    pub position: i64,
    /// Position of its last event.
    pub active_position: i64,
    /// The requester; none where the caller had no session.
    pub asker_id: Option<String>,
    /// The requester's name when the exchange was opened.
    pub asker_name: Option<String>,
    /// The responding agent; none where this server responds.
    pub answerer_id: Option<String>,
    /// Hash of the protocol document that both parties use, in hex.
    pub document: Option<String>,
    /// Whether the exchange negotiates a protocol document.
    pub negotiation: bool,
    /// Whether it may have several rounds.
    pub conversation: bool,
    /// State on the log; a conversation may have expired although it is `open`.
    #[column(from = String)]
    pub phase: Phase,
    /// Number of rounds begun.
    pub rounds: i64,
    /// When the conversation expires, unless another round extends it.
    pub expires_at: Option<DateTime<Utc>>,
    /// Whether the requester has published it.
    pub asker_published: bool,
    /// Whether the responder has published it.
    pub answerer_published: bool,
    /// Whether its texts have been redacted.
    pub redacted: bool,
    /// When it was opened.
    pub opened_at: DateTime<Utc>,
    /// Time of its last event.
    pub updated_at: DateTime<Utc>,
}

/// A party's role in an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExchangeRole {
    /// The requester.
    Asker,
    /// The responder.
    Answerer,
}

/// An exchange's state as clients see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExchangeStatus {
    /// The state on the log; an `open` conversation has not expired.
    In(Phase),
    /// An `open` conversation that has expired.
    Expired,
}

/// Filters of an exchange list; newest first.
#[derive(Debug, Clone)]
pub struct ExchangeFilter {
    /// Only exchanges of this agent, or of this owner and all of the owner's agents.
    pub of: ActorId,
    /// Only exchanges of this agent among them.
    pub agent: Option<AgentId>,
    /// Only exchanges in which they have this role.
    pub role: Option<ExchangeRole>,
    /// Only exchanges in this state.
    pub status: Option<ExchangeStatus>,
    /// Only exchanges under this protocol document.
    pub document: Option<DocumentHash>,
    /// Only exchanges opened before this position.
    pub before: Option<i64>,
    /// Maximum number of rows.
    pub limit: i64,
}

/// One event of an exchange's transcript.
#[derive(Debug, Clone)]
pub struct TranscriptEvent {
    /// Position of the event on the log.
    pub position: i64,
    /// When the event was recorded.
    pub recorded_at: DateTime<Utc>,
    /// The event, with hidden texts masked.
    pub event: ExchangeEvent,
    /// The exact text that was hashed: with the salt, a reader can check it against the public log.
    pub data: String,
    /// The bytes hashed before the data, in hex: the salt, and the fields that a sealed header leaves out. Empty where operators
    /// have hidden or erased texts of the event.
    pub salt: String,
}

pub(super) const EXCHANGE: &str = "SELECT id, position, active_position, asker_id, asker_name, answerer_id, document, negotiation, \
                        key_hash IS NOT NULL AS conversation, phase, rounds, expires_at, asker_published, \
                        answerer_published, redacted, opened_at, updated_at FROM exchanges";

/// Condition: the column names the reader ($1) or one of the reader's agents. As a subquery, it uses the column's index.
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

#[boxed]
impl Exchange {
    /// Number of exchanges under a protocol document, and when the last of them was opened.
    pub async fn document_usage(&self, hash: &DocumentHash) -> Result<(i64, Option<DateTime<Utc>>), StoreError> {
        let statement = "SELECT count(*), max(opened_at) FROM exchanges WHERE document = $1";
        self.db.one(statement, values![hash.to_string()]).await
    }

    /// One exchange.
    pub async fn exchange(&self, id: ExchangeId) -> Result<Option<ExchangeView>, StoreError> {
        let statement = format!("{EXCHANGE} WHERE id = $1");
        self.db.optional(&statement, values![id.to_string()]).await
    }

    /// The conversation whose id has this SHA-256.
    pub async fn conversation(&self, key_hash: &str) -> Result<Option<ExchangeView>, StoreError> {
        let statement = format!("{EXCHANGE} WHERE key_hash = $1");
        self.db.optional(&statement, values![key_hash]).await
    }

    /// A list of exchanges.
    pub async fn exchanges(&self, filter: &ExchangeFilter) -> Result<Vec<ExchangeView>, StoreError> {
        let statement = format!("{EXCHANGE} WHERE {} ORDER BY position DESC LIMIT $6", filter.conditions());
        self.db
            .all(
                &statement,
                values![
                    filter.of.to_string(),
                    filter.agent.map(|agent| agent.to_string()),
                    filter.document.map(|document| document.to_string()),
                    self.clock.now(),
                    filter.before,
                    filter.limit
                ],
            )
            .await
    }

    /// The events of an exchange beyond a position, in order; redacted events are left out.
    pub async fn transcript_events(
        &self,
        id: ExchangeId,
        after: i64,
        limit: i64,
    ) -> Result<Vec<TranscriptEvent>, StoreError> {
        let rows = self.transcript_rows(id, after, limit).await?;
        self.shown(rows).await
    }

    /// As [`Self::transcript_events`], for a page: fewer than `limit` events, and where the next page begins. That depends on the size of what is
    /// stored, which can be longer than what is shown.
    pub async fn transcript_page(
        &self,
        id: ExchangeId,
        after: i64,
        limit: i64,
    ) -> Result<Listed<TranscriptEvent>, StoreError> {
        let mut rows = self.transcript_rows(id, after, limit).await?;
        let bytes: usize = rows.iter().map(bytes_of).sum();
        let stopped = bytes > ROUNDS_BYTES_MAX || i64::try_from(rows.len()).is_ok_and(|count| count >= limit);
        let more = stopped && rows.len() > 1;
        if more {
            // The last one begins the next page.
            rows.pop();
        }
        let scanned_to = rows.last().map(|row| row.position).filter(|_| more);
        Ok(Listed { rows: self.shown(rows).await?, scanned_to })
    }

    async fn transcript_rows(&self, id: ExchangeId, after: i64, limit: i64) -> Result<Vec<LoggedEvent>, StoreError> {
        self.db
            .within_bytes(
                "SELECT position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, \
                 redacted_by, sealed FROM events WHERE stream = $1 AND position > $2 ORDER BY version LIMIT $3",
                values![id.to_string(), after, limit],
                ROUNDS_BYTES_MAX,
                bytes_of,
            )
            .await
    }

    /// The first event of an exchange beyond a position; redacted events are left out.
    pub async fn next_transcript_event(
        &self,
        id: ExchangeId,
        after: i64,
    ) -> Result<Option<TranscriptEvent>, StoreError> {
        let row: Option<LoggedEvent> = self
            .db
            .optional(
                "SELECT position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, redacted_by, \
                 sealed FROM events WHERE stream = $1 AND position > $2 AND data IS NOT NULL ORDER BY version LIMIT 1",
                values![id.to_string(), after],
            )
            .await?;
        Ok(self.shown(row.into_iter().collect()).await?.pop())
    }

    /// The last events of an exchange, in order, at most `limit` and at most [`ROUNDS_BYTES_MAX`](super::ROUNDS_BYTES_MAX)
    /// bytes beside the first of them; redacted events are left out.
    pub async fn last_transcript_events(&self, id: ExchangeId, limit: i64) -> Result<Vec<TranscriptEvent>, StoreError> {
        let mut rows: Vec<LoggedEvent> = self
            .db
            .within_bytes(
                "SELECT position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, \
                 redacted_by, sealed FROM events WHERE stream = $1 ORDER BY version DESC LIMIT $2",
                values![id.to_string(), limit],
                ROUNDS_BYTES_MAX,
                bytes_of,
            )
            .await?;
        rows.reverse();
        self.shown(rows).await
    }

    async fn shown(&self, rows: Vec<LoggedEvent>) -> Result<Vec<TranscriptEvent>, StoreError> {
        let (hidings, rows) = (self.log.hidings().await?, self.log.without_deleted_names(rows).await?);
        Ok(rows.into_iter().filter_map(|row| transcript_event(hidings.masked(row))).collect())
    }

    /// The last response in an exchange before this position.
    pub async fn last_answer(&self, id: ExchangeId, before: i64) -> Result<Option<Body>, StoreError> {
        let row: Option<LoggedEvent> = self
            .db
            .optional(
                "SELECT position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, redacted_by, \
                 sealed FROM events WHERE stream = $1 AND position < $2 AND type = 'exchange.answered' \
                 ORDER BY version DESC LIMIT 1",
                values![id.to_string(), before],
            )
            .await?;
        Ok(row.and_then(transcript_event).and_then(|said| match said.event {
            ExchangeEvent::Answered(answered) => Some(answered.body),
            _ => None,
        }))
    }
}

fn bytes_of(row: &LoggedEvent) -> usize {
    row.data.as_ref().map_or(0, String::len)
}

fn transcript_event(row: LoggedEvent) -> Option<TranscriptEvent> {
    let (data, mut salt) = (row.data.clone()?, row.salt.clone().unwrap_or_default());
    if row.sealed && !salt.is_empty() {
        salt.extend_from_slice(row.header().withheld().as_bytes());
    }
    let salt = hex::encode(salt);
    let Recorded { position, recorded_at, event, .. } = row.into_readable();
    match event {
        Some(Event::Exchange(event)) => Some(TranscriptEvent { position, recorded_at, event, data, salt }),
        _ => None,
    }
}
