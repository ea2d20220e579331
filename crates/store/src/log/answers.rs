//! Stored responses for idempotent retries: a repeated request with the same `Idempotency-Key` receives the first response.
//! Retention: 24 hours.

use std::{collections::HashMap, time::Duration};

use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use super::{
    Log,
    commit::{Commit, Render},
    postgres, sqlite,
};
use crate::{
    StoreError, StoredAnswer,
    database::{FromRow, Row, RowError, Tx, values},
};

/// How long a response is stored.
const RETENTION: Duration = Duration::from_hours(24);
/// Largest body that is stored, in bytes. A text of 20000 characters, each escaped, fits together with the fields around it.
const BODY_MAX: usize = 128 * 1024;
/// The text that a repeated request receives instead of a larger body.
const TOO_LARGE: &str = "The response was too large to be stored. Fetch the resource from its address.";

/// A request with an idempotency key.
#[derive(Debug, Clone)]
pub struct Ticket {
    /// Hash of caller, method, path and key, in hex.
    pub scope: String,
    /// Hash of the body, in hex.
    pub fingerprint: String,
}

/// A response as the client receives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The `Location` header.
    pub location: Option<String>,
    /// The JSON text.
    pub body: String,
    /// Set where the body holds a secret and must not be stored: the text that a repeated request receives instead.
    pub withheld: Option<String>,
    /// The stream whose redaction deletes the stored body.
    pub subject: Option<String>,
}

impl Answer {
    /// The response, with a body that is too large to be stored withheld from repeated requests.
    pub(crate) fn bounded(self) -> Self {
        if self.body.len() <= BODY_MAX || self.withheld.is_some() {
            return self;
        }
        metrics::counter!("buildtrack_refused_total", "reason" => "stored_answer_too_large").increment(1);
        Self { withheld: Some(TOO_LARGE.to_owned()), ..self }
    }

    /// The body, unless it is withheld.
    pub(crate) fn storable(&self) -> Option<&str> {
        self.withheld.is_none().then_some(&*self.body)
    }
}

impl FromRow for StoredAnswer {
    fn from_row(row: Row<'_>) -> Result<Self, RowError> {
        Ok(Self {
            scope: row.get("scope")?,
            fingerprint: row.get("fingerprint")?,
            status: row.get("status")?,
            location: row.get("location")?,
            body: row.get("body")?,
            withheld: row.get("withheld")?,
        })
    }
}

impl Ticket {
    /// What a second request with the same key receives while the first one runs.
    pub(crate) fn running(&self) -> StoredAnswer {
        let Self { scope, fingerprint } = self.clone();
        StoredAnswer { scope, fingerprint, status: 0, location: None, body: None, withheld: None }
    }
}

/// The unexpired stored responses of these requests, by scope.
pub(crate) async fn stored(
    tx: &mut Tx<'_>,
    tickets: &[&Ticket],
    now: DateTime<Utc>,
) -> Result<HashMap<String, StoredAnswer>, StoreError> {
    if tickets.is_empty() {
        return Ok(HashMap::new());
    }
    let scopes: Vec<_> = tickets.iter().map(|ticket| &*ticket.scope).collect();
    let answers = match tx {
        Tx::Postgres(connection) => postgres::answers(connection, &scopes, now).await?,
        Tx::Sqlite(script) => sqlite::answers(script.connection().await?, &scopes, now).await?,
    };
    Ok(answers.into_iter().map(|answer| (answer.scope.clone(), answer)).collect())
}

pub(crate) async fn store(tx: &mut Tx<'_>, rows: &[(&Ticket, &Answer)], now: DateTime<Utc>) -> Result<(), StoreError> {
    if rows.is_empty() {
        return Ok(());
    }
    match tx {
        Tx::Postgres(connection) => postgres::insert_answers(connection, rows, now + RETENTION).await,
        Tx::Sqlite(script) => sqlite::insert_answers(script, rows, now + RETENTION).await,
    }
}

#[boxed]
impl Log {
    /// The response that a request with this key received within the last 24 hours.
    pub async fn stored_answer(&self, ticket: &Ticket) -> Result<Option<StoredAnswer>, StoreError> {
        self.db
            .optional(
                "SELECT scope, fingerprint, status, location, body, withheld FROM answers \
                 WHERE scope = $1 AND expires_at > $2",
                values![&ticket.scope, self.clock.now()],
            )
            .await
    }

    /// Stores the response of a request that appended no events; [`StoreError::Answered`] where one is stored already.
    pub async fn store_answer(&self, ticket: Ticket, answer: Answer) -> Result<(), StoreError> {
        let render: Render = Box::new(move |_| answer.clone());
        let commit = Commit { ticket: Some(ticket), render: Some(render), ..Commit::default() };
        self.commit(commit).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(bytes: usize) -> Answer {
        Answer { status: 201, location: None, body: "x".repeat(bytes), withheld: None, subject: None }
    }

    #[test]
    fn a_body_that_is_too_large_is_returned_but_not_stored() {
        assert_eq!(answer(BODY_MAX).bounded(), answer(BODY_MAX));
        let large = answer(BODY_MAX + 1).bounded();
        assert_eq!((large.body.len(), large.storable()), (BODY_MAX + 1, None));
        assert_eq!(large.withheld.as_deref(), Some(TOO_LARGE));
    }
}
