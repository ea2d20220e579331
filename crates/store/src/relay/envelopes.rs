//! Queries of accepted envelopes: polling, transcripts, and headers for long polls.

use buildtrack_domain::{
    event::EventSet,
    relay::{EnvelopeAccepted, EnvelopeEvent, EnvelopeId, MessageType},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    database::{self, FromRow, RowError, Value, values},
    log::masks::masked,
    relay::Relay,
};

/// Filters of an envelope poll; fields that are none do not filter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnvelopeFilter {
    /// Only envelopes addressed to this agent.
    pub recipient: Option<String>,
    /// Only envelopes signed by this agent.
    pub sender: Option<String>,
    /// Only envelopes of this type.
    pub kind: Option<MessageType>,
    /// Only envelopes of this thread.
    pub thread: Option<String>,
}

/// An accepted envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvelopeView {
    /// Position of the envelope on the log.
    pub position: i64,
    /// Its id, its thread, and the envelope itself.
    pub accepted: EnvelopeAccepted,
    /// The timestamp that its sender gave it.
    pub ts: DateTime<Utc>,
    /// When the server recorded it.
    pub recorded_at: DateTime<Utc>,
}

/// The first and the last of the envelopes with one sender timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ties {
    /// Position of the first.
    pub first: i64,
    /// Position of the last.
    pub last: i64,
}

#[derive(FromRow)]
struct Row {
    position: i64,
    data: Option<String>,
    ts: DateTime<Utc>,
    recorded_at: DateTime<Utc>,
    hidden: bool,
}

impl Row {
    fn view(self) -> Result<EnvelopeView, StoreError> {
        let Self { position, data, ts, recorded_at, hidden } = self;
        let (event_type, data) = ("envelope.accepted", data.unwrap_or_default());
        let data = if hidden { masked(position, event_type, data) } else { data };
        let EnvelopeEvent::Accepted(accepted) = EnvelopeEvent::decode(event_type, &data)?;
        Ok(EnvelopeView { position, accepted, ts, recorded_at })
    }
}

/// A row whose envelope has been read, for bounds on the texts of envelopes.
struct Read(Result<EnvelopeView, StoreError>);

impl FromRow for Read {
    fn from_row(row: database::Row<'_>) -> Result<Self, RowError> {
        Ok(Self(Row::from_row(row)?.view()))
    }
}

const ENVELOPE: &str = "SELECT envelopes.position, data, ts, envelopes.recorded_at, hidden FROM envelopes \
                        JOIN events ON events.position = envelopes.position";

impl EnvelopeFilter {
    /// The conditions of the fields that are set, with parameters from `first` on. Unset fields add no `… OR $n IS NULL` condition,
    /// because the planner would then scan all envelopes.
    fn conditions(&self, first: usize) -> String {
        let columns = [
            ("recipient", self.recipient.is_some()),
            ("sender", self.sender.is_some()),
            ("envelopes.type", self.kind.is_some()),
            ("thread_id", self.thread.is_some()),
        ];
        let set = columns.iter().filter(|(_, set)| *set).map(|(column, _)| column);
        let conditions: Vec<_> =
            set.zip(first..).map(|(column, number)| format!(" AND {column} = ${number}")).collect();
        conditions.concat()
    }

    /// The values of the fields that are set.
    fn values(&self) -> impl Iterator<Item = Value<'_>> {
        [self.recipient.as_deref(), self.sender.as_deref(), self.kind.map(MessageType::as_str), self.thread.as_deref()]
            .into_iter()
            .flatten()
            .map(Value::from)
    }
}

#[boxed]
impl Relay {
    /// Up to `limit` envelopes beyond a position that have not expired, in order.
    pub async fn polled(
        &self,
        filter: &EnvelopeFilter,
        after: i64,
        limit: i64,
    ) -> Result<Vec<EnvelopeView>, StoreError> {
        let conditions = filter.conditions(4);
        let statement = format!(
            "{ENVELOPE} WHERE envelopes.position > $1 AND expires_at > $2 AND NOT hidden{conditions} ORDER BY envelopes.position LIMIT $3"
        );
        let mut values = vec![Value::from(after), self.clock.now().into(), limit.into()];
        values.extend(filter.values());
        let rows: Vec<Row> = self.db.all(&statement, &values).await?;
        rows.into_iter().map(Row::view).collect()
    }

    /// The envelopes beyond a position, up to another, that have not expired, in order. Reads until there are `limit`, or until their
    /// texts exceed `bytes`, and at least two.
    pub async fn polled_within(
        &self,
        filter: &EnvelopeFilter,
        (after, until): (i64, i64),
        limit: i64,
        bytes: usize,
    ) -> Result<Vec<EnvelopeView>, StoreError> {
        let conditions = filter.conditions(5);
        let statement = format!(
            "{ENVELOPE} WHERE envelopes.position > $1 AND envelopes.position <= $2 AND expires_at > $3 AND NOT hidden{conditions} \
             ORDER BY envelopes.position LIMIT $4"
        );
        let mut values = vec![Value::from(after), until.into(), self.clock.now().into(), limit.into()];
        values.extend(filter.values());
        let text = |Read(view): &Read| view.as_ref().map_or(0, |view| view.accepted.envelope.as_str().len());
        let rows = self.db.within_bytes(&statement, &values, bytes, text).await?;
        rows.into_iter().map(|Read(view)| view).collect()
    }

    /// The envelopes with this sender timestamp, expired ones included.
    pub async fn ties(&self, filter: &EnvelopeFilter, ts: DateTime<Utc>) -> Result<Option<Ties>, StoreError> {
        let conditions = filter.conditions(2);
        let statement = format!("SELECT min(position), max(position) FROM envelopes WHERE ts = $1{conditions}");
        let mut values = vec![Value::from(ts)];
        values.extend(filter.values());
        let (first, last): (Option<i64>, Option<i64>) = self.db.one(&statement, &values).await?;
        Ok(first.zip(last).map(|(first, last)| Ties { first, last }))
    }

    /// The position before the first envelope recorded at or after this time; the log's head where there is none.
    pub async fn before_time(&self, time: DateTime<Utc>) -> Result<i64, StoreError> {
        // Read before the query, so that later envelopes have greater positions.
        let head = self.log.tail.head();
        let first: Option<i64> = self
            .db
            .optional(
                "SELECT position FROM envelopes WHERE recorded_at >= $1 ORDER BY recorded_at, position LIMIT 1",
                values![time],
            )
            .await?;
        Ok(first.map_or(head, |first| first - 1))
    }

    /// All envelopes of a thread beyond a position, in order, expired ones included.
    pub async fn transcript(&self, thread_id: &str, after: i64, limit: i64) -> Result<Vec<EnvelopeView>, StoreError> {
        let statement =
            format!("{ENVELOPE} WHERE thread_id = $1 AND envelopes.position > $2 ORDER BY envelopes.position LIMIT $3");
        let rows: Vec<Row> = self.db.all(&statement, values![thread_id, after, limit]).await?;
        rows.into_iter().map(Row::view).collect()
    }

    /// The envelope with this id.
    pub async fn envelope(&self, id: &EnvelopeId) -> Result<Option<EnvelopeView>, StoreError> {
        let statement = format!("{ENVELOPE} WHERE events.stream = $1 AND events.version = 1");
        let row: Option<Row> = self.db.optional(&statement, values![id.stream()]).await?;
        row.map(Row::view).transpose()
    }
}

/// The fields of an envelope that a filter compares.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct EnvelopeHeader {
    /// Position of the envelope on the log.
    pub position: i64,
    /// The recipient; none where the envelope is not addressed.
    pub recipient: Option<String>,
    sender: String,
    #[column(name = "type")]
    kind: String,
    thread_id: String,
}

impl EnvelopeHeader {
    /// Whether the envelope matches a filter.
    pub fn fits(&self, filter: &EnvelopeFilter) -> bool {
        let EnvelopeFilter { recipient, sender, kind, thread } = filter;
        recipient.as_ref().is_none_or(|wanted| self.recipient.as_ref() == Some(wanted))
            && sender.as_ref().is_none_or(|wanted| self.sender == *wanted)
            && kind.is_none_or(|wanted| self.kind == wanted.as_str())
            && thread.as_ref().is_none_or(|wanted| self.thread_id == *wanted)
    }
}

#[boxed]
impl Relay {
    /// Headers of the envelopes beyond `after` and up to `until`, at most `limit`, in order.
    pub async fn envelope_headers(
        &self,
        after: i64,
        until: i64,
        limit: i64,
    ) -> Result<Vec<EnvelopeHeader>, StoreError> {
        self.db
            .all(
                "SELECT position, recipient, sender, type, thread_id FROM envelopes \
                 WHERE position > $1 AND position <= $2 AND NOT hidden ORDER BY position LIMIT $3",
                values![after, until, limit],
            )
            .await
    }
}
