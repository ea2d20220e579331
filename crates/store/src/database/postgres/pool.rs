//! The pool of PostgreSQL connections for reads, with a time limit on every statement.
//!
//! **Invariant:** a connection returns to the pool only after the database has answered its statement to the end. A connection that
//! did not answer in time, or whose caller gave up, is closed at once and frees its capacity: it may be silent for ever, as after the
//! failover of a proxy or a lost NAT entry. A statement whose connection turns out to be closed, as after a restart of the server, is
//! sent once more over a new one, if no row of its answer has arrived.

use std::{fmt, io::ErrorKind, time::Duration};

use async_stream::try_stream;
use deadpool::{
    Runtime,
    managed::{self, Object, PoolError},
};
use futures_util::{TryStreamExt, future::BoxFuture, stream::BoxStream};
use sqlx::{
    Describe, Either, Error, Execute, Executor, PgConnection, Postgres,
    postgres::{PgConnectOptions, PgQueryResult, PgRow, PgStatement, PgTypeInfo},
};
use tokio::time::timeout;

use super::{
    connections::Manager,
    request::{Request, is_closed},
};

/// How long the database may take to answer a statement, or to send its next row.
const ANSWER: Duration = Duration::from_secs(10);
/// How long opening a connection may take, with the retries while the server restarts or has no connection left.
const CONNECT: Duration = Duration::from_secs(5);
/// How long a caller waits for a connection of a pool whose connections are all in use.
const CAPACITY: Duration = Duration::from_secs(10);
/// The server closes a connection whose client is gone without a word.
const KEEP_ALIVE: [(&str, &str); 4] = [
    ("tcp_keepalives_idle", "10"),
    ("tcp_keepalives_interval", "5"),
    ("tcp_keepalives_count", "3"),
    ("tcp_user_timeout", "15s"),
];

/// A pool of connections, used as an executor: `query.fetch_all(&pool)`. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Pool {
    connections: managed::Pool<Manager>,
}

impl fmt::Debug for Pool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Pool").field("status", &self.connections.status()).finish()
    }
}

impl Pool {
    /// A pool of up to `size` connections, whose sessions have these settings. It connects when it is first used.
    pub(crate) fn new(
        options: PgConnectOptions,
        session: &'static [(&'static str, &'static str)],
        size: usize,
    ) -> Result<Self, Error> {
        let options = options.options(KEEP_ALIVE);
        let connections = managed::Pool::builder(Manager::new(options, session))
            .max_size(size)
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(CAPACITY))
            .create_timeout(Some(CONNECT))
            .build()
            .map_err(|error| Error::Configuration(error.into()))?;
        Ok(Self { connections })
    }

    /// How connections outside the pool are opened.
    pub(crate) fn connect_options(&self) -> &PgConnectOptions {
        self.connections.manager().options()
    }

    /// Closes the connections that are idle; those in use close when their statement ends.
    pub(crate) fn close(&self) {
        self.connections.close();
    }

    /// Runs a statement on one connection and returns its first row.
    async fn fetch_row(&self, request: Request<'_>) -> Result<Option<PgRow>, Error> {
        let mut lent = self.lend().await?;
        match in_time(lent.connection()?.fetch_optional(request)).await {
            Ok(row) => {
                lent.release();
                Ok(row)
            }
            Err(error) => Err(lent.release_after(error)),
        }
    }

    async fn lend(&self) -> Result<Lent, Error> {
        match self.connections.get().await {
            Ok(connection) => Ok(Lent(Some(connection))),
            Err(PoolError::Timeout(_)) => Err(Error::PoolTimedOut),
            Err(PoolError::Backend(error)) => Err(error),
            Err(PoolError::Closed) => Err(Error::PoolClosed),
            Err(error) => Err(Error::Configuration(error.into())),
        }
    }
}

/// A connection in use. Dropped before [`Self::release`], it leaves the pool and closes.
struct Lent(Option<Object<Manager>>);

impl Lent {
    fn connection(&mut self) -> Result<&mut PgConnection, Error> {
        self.0.as_deref_mut().ok_or(Error::PoolClosed)
    }

    /// Returns the connection for the next statement.
    fn release(mut self) {
        drop(self.0.take());
    }

    /// Returns the connection unless the failure is the connection's own: a statement that the database refused leaves it in order.
    fn release_after(self, error: Error) -> Error {
        match &error {
            error if is_closed(error) => self.suspect_others(),
            Error::Database(_) => self.release(),
            Error::Io(cause) if cause.kind() == ErrorKind::TimedOut => self.suspect_others(),
            _ => {}
        }
        error
    }

    /// Closes this connection, and those that were last used before now when they are next asked for.
    fn suspect_others(self) {
        if let Some(pool) = self.0.as_ref().and_then(Object::pool) {
            pool.manager().found_silent();
        }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        drop(self.0.take().map(Object::take));
    }
}

/// The outcome, or an error where the database has not answered in time.
pub(crate) async fn in_time<T>(answer: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    timeout(ANSWER, answer).await.unwrap_or_else(|_| Err(silent()))
}

/// The error of a database that did not answer in time. Whether it did what it was asked is unknown.
pub(crate) fn silent() -> Error {
    Error::Io(std::io::Error::new(ErrorKind::TimedOut, "the database did not answer in time"))
}

impl<'p> Executor<'p> for &'_ Pool {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, Result<Either<PgQueryResult, PgRow>, Error>>
    where
        'p: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let (pool, request) = (self.clone(), Request::new(query));
        Box::pin(try_stream! {
            let request = request?;
            let mut may_repeat = true;
            loop {
                let mut lent = pool.lend().await?;
                let failed = {
                    let mut answers = lent.connection()?.fetch_many(request.clone());
                    loop {
                        match in_time(answers.try_next()).await {
                            Ok(Some(answer)) => {
                                may_repeat = false;
                                yield answer;
                            }
                            Ok(None) => break None,
                            Err(error) => break Some(error),
                        }
                    }
                };
                let Some(error) = failed else {
                    lent.release();
                    break;
                };
                let error = lent.release_after(error);
                if !std::mem::take(&mut may_repeat) || !is_closed(&error) {
                    Err(error)?;
                }
            }
        })
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<PgRow>, Error>>
    where
        'p: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let (pool, request) = (self.clone(), Request::new(query));
        Box::pin(async move {
            let request = request?;
            match pool.fetch_row(request.clone()).await {
                Err(error) if is_closed(&error) => pool.fetch_row(request).await,
                outcome => outcome,
            }
        })
    }

    fn prepare_with<'e, 'q: 'e>(
        self,
        sql: &'q str,
        parameters: &'e [PgTypeInfo],
    ) -> BoxFuture<'e, Result<PgStatement<'q>, Error>>
    where
        'p: 'e,
    {
        let pool = self.clone();
        Box::pin(async move {
            let mut lent = pool.lend().await?;
            let prepared = in_time(lent.connection()?.prepare_with(sql, parameters)).await?;
            lent.release();
            Ok(prepared)
        })
    }

    fn describe<'e, 'q: 'e>(self, sql: &'q str) -> BoxFuture<'e, Result<Describe<Postgres>, Error>>
    where
        'p: 'e,
    {
        let pool = self.clone();
        Box::pin(async move {
            let mut lent = pool.lend().await?;
            let described = in_time(lent.connection()?.describe(sql)).await?;
            lent.release();
            Ok(described)
        })
    }
}
