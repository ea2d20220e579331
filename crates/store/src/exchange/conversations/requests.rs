//! Exchange requests, and those that wait for a response.

use buildtrack_domain::{
    event::EventSet,
    exchange::conversations::{ExchangeAsked, ExchangeEvent},
    ids::{AgentId, ExchangeId, RequestId},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use super::ROUNDS_BYTES_MAX;
use crate::{
    StoreError,
    database::{Due, DueCursor, FromRow, columns::parse, values},
    exchange::Exchange,
    log::Cap,
};

/// One request of an exchange.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct RequestView {
    /// The request's id.
    #[column(from = String)]
    pub id: RequestId,
    /// The exchange that it belongs to.
    #[column(from = String)]
    pub exchange_id: ExchangeId,
    /// Position of its event on the log.
    pub position: i64,
    /// Deadline for the response.
    pub due_at: DateTime<Utc>,
    /// Whether it was answered; none while it waits for a response.
    pub answered: Option<bool>,
}

/// The maximum number of requests that wait for an agent's response, for the commit that records one.
pub fn waiting_requests_cap(agent: AgentId, most: i64) -> Cap {
    let count = "SELECT count(*) FROM exchange_requests WHERE answerer_id = $1 AND answered IS NULL";
    Cap::of(count, agent, most)
}

#[boxed]
impl Exchange {
    /// A request; none where it has been redacted.
    pub async fn request(&self, id: RequestId) -> Result<Option<RequestView>, StoreError> {
        self.db
            .optional(
                "SELECT id, exchange_id, position, due_at, answered FROM exchange_requests WHERE id = $1",
                values![id.to_string()],
            )
            .await
    }

    /// Up to `limit` requests beyond a position that wait for an agent's response, in log order.
    pub async fn requests_waiting(
        &self,
        agent: AgentId,
        after: i64,
        limit: i64,
    ) -> Result<Vec<(i64, ExchangeAsked)>, StoreError> {
        let rows: Vec<(i64, String, Option<String>)> = self
            .db
            .within_bytes(
                "SELECT events.position, type, data FROM exchange_requests \
                 JOIN events ON events.position = exchange_requests.position \
                 WHERE answerer_id = $1 AND answered IS NULL AND due_at > $2 AND exchange_requests.position > $3 \
                 ORDER BY exchange_requests.position LIMIT $4",
                values![agent.to_string(), self.clock.now(), after, limit],
                ROUNDS_BYTES_MAX,
                |(_, _, data): &(i64, String, Option<String>)| data.as_ref().map_or(0, String::len),
            )
            .await?;
        let hidings = self.log.hidings().await?;
        let asked = |(position, event_type, data): (i64, String, Option<String>)| {
            // An event that is redacted at this moment has no data any more.
            let event = ExchangeEvent::decode(&event_type, &hidings.masked_data(position, &event_type, data?));
            match event {
                Ok(ExchangeEvent::Asked(asked)) => Some(Ok((position, asked))),
                Ok(_) => None,
                Err(error) => Some(Err(error.into())),
            }
        };
        rows.into_iter().filter_map(asked).collect()
    }

    /// Up to `limit` requests past their deadline, in order of deadline, beyond a cursor.
    pub async fn requests_due(
        &self,
        after: Option<DueCursor>,
        limit: i64,
    ) -> Result<Vec<Due<(ExchangeId, RequestId)>>, StoreError> {
        let select = "SELECT due_at, id, exchange_id FROM exchange_requests WHERE answered IS NULL AND due_at <= $1";
        let due = |(due_at, key, exchange_id): (_, String, String)| {
            let item = parse(&exchange_id).and_then(|exchange_id| Ok((exchange_id, parse(&key)?)));
            Due { key, due_at, item }
        };
        Ok(self.db.due(self.clock.now(), select, after, limit).await?.into_iter().map(due).collect())
    }
}
