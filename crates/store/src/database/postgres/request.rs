//! A statement with its arguments, which can be sent again over another connection.

use std::io::ErrorKind;

use sqlx::{
    Error, Execute, Postgres,
    error::BoxDynError,
    postgres::{PgArguments, PgStatement},
};

/// A statement for the pool. The pool runs reads, leases and counts, each in a transaction of its own, so that a statement whose
/// connection the server closed can be sent again.
#[derive(Clone)]
pub(super) struct Request<'q> {
    sql: &'q str,
    /// None for statements that are sent as a text without preparation.
    arguments: Option<PgArguments>,
    persistent: bool,
}

impl<'q> Request<'q> {
    pub(super) fn new(mut query: impl Execute<'q, Postgres>) -> Result<Self, Error> {
        let arguments = query.take_arguments().map_err(Error::Encode)?;
        Ok(Self { sql: query.sql(), arguments, persistent: query.persistent() })
    }
}

impl<'q> Execute<'q, Postgres> for Request<'q> {
    fn sql(&self) -> &'q str {
        self.sql
    }

    fn statement(&self) -> Option<&PgStatement<'q>> {
        None
    }

    fn take_arguments(&mut self) -> Result<Option<PgArguments>, BoxDynError> {
        Ok(self.arguments.take())
    }

    fn persistent(&self) -> bool {
        self.persistent
    }
}

/// Whether the connection ended, as when the server restarts: the statement did not fail by itself.
pub(super) fn is_closed(error: &Error) -> bool {
    // PostgreSQL's codes `admin_shutdown`, `crash_shutdown`, `cannot_connect_now` and `idle_session_timeout`.
    const CLOSED: [&str; 4] = ["57P01", "57P02", "57P03", "57P05"];
    match error {
        Error::Database(error) => error.code().is_some_and(|code| CLOSED.contains(&&*code)),
        Error::Io(error) => matches!(
            error.kind(),
            ErrorKind::UnexpectedEof
                | ErrorKind::ConnectionReset
                | ErrorKind::ConnectionAborted
                | ErrorKind::BrokenPipe
                | ErrorKind::NotConnected
        ),
        _ => false,
    }
}
