//! What was asked, and what waits for an answer.

use buildtrack_domain::{
    event::EventSet,
    exchange::conversations::{ExchangeAsked, ExchangeEvent},
    ids::{AgentId, ExchangeId, RequestId},
};
use chrono::{DateTime, Utc};

use super::fitting;
use crate::{Store, StoreError, db::read, identity::parse};

/// A request.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct RequestView {
    /// The request.
    #[sqlx(try_from = "String")]
    pub id: RequestId,
    /// The exchange that it belongs to.
    #[sqlx(try_from = "String")]
    pub exchange_id: ExchangeId,
    /// Where it was recorded on the log.
    pub position: i64,
    /// When it is too late for an answer.
    pub due_at: DateTime<Utc>,
    /// Whether it was answered; none while it waits.
    pub answered: Option<bool>,
}

impl Store {
    /// A request; none where its words were taken back.
    pub async fn exchange_request(&self, id: RequestId) -> Result<Option<RequestView>, StoreError> {
        Ok(read!(&self.db, |pool| {
            sqlx::query_as("SELECT id, exchange_id, position, due_at, answered FROM exchange_requests WHERE id = $1")
                .bind(id.to_string())
                .fetch_optional(pool)
                .await?
        }))
    }

    /// Up to `limit` requests beyond a position that wait for an agent, in order.
    pub async fn requests_waiting(
        &self,
        agent: AgentId,
        after: i64,
        limit: i64,
    ) -> Result<Vec<(i64, ExchangeAsked)>, StoreError> {
        let rows: Vec<(i64, String, Option<String>)> = read!(&self.db, |pool| {
            let rows = sqlx::query_as(
                "SELECT events.position, type, data FROM exchange_requests \
                 JOIN events ON events.position = exchange_requests.position \
                 WHERE answerer_id = $1 AND answered IS NULL AND due_at > $2 AND exchange_requests.position > $3 \
                 ORDER BY exchange_requests.position LIMIT $4",
            );
            let rows = rows.bind(agent.to_string()).bind(self.clock.now()).bind(after).bind(limit).fetch(pool);
            fitting(rows, |(_, _, data): &(i64, String, Option<String>)| data.as_ref().map_or(0, String::len)).await?
        });
        let asked = |(position, event_type, data): (i64, String, Option<String>)| {
            // What was taken back at this moment has no data any more.
            let event = ExchangeEvent::decode(&event_type, &data?);
            match event {
                Ok(ExchangeEvent::Asked(asked)) => Some(Ok((position, asked))),
                Ok(_) => None,
                Err(error) => Some(Err(error.into())),
            }
        };
        rows.into_iter().filter_map(asked).collect()
    }

    /// How many requests wait for an agent.
    pub async fn count_requests_waiting(&self, agent: AgentId) -> Result<i64, StoreError> {
        Ok(read!(&self.db, |pool| {
            sqlx::query_scalar("SELECT count(*) FROM exchange_requests WHERE answerer_id = $1 AND answered IS NULL")
                .bind(agent.to_string())
                .fetch_one(pool)
                .await?
        }))
    }

    /// Up to `limit` requests whose time is over, in the order in which it was.
    pub async fn requests_due(&self, limit: i64) -> Result<Vec<(ExchangeId, RequestId)>, StoreError> {
        let rows: Vec<(String, String)> = read!(&self.db, |pool| {
            sqlx::query_as(
                "SELECT exchange_id, id FROM exchange_requests WHERE answered IS NULL AND due_at <= $1 \
                 ORDER BY due_at LIMIT $2",
            )
            .bind(self.clock.now())
            .bind(limit)
            .fetch_all(pool)
            .await?
        });
        rows.into_iter().map(|(exchange_id, id)| Ok((parse(&exchange_id)?, parse(&id)?))).collect()
    }
}
