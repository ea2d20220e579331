//! A script of SQLite statements whose results are not needed one by one. They are executed together, usually with the commit,
//! because one round trip to SQLite's thread costs as much as several rows.
//!
//! **Invariant:** the statements are executed in the order in which they were added, and before any other statement on the
//! connection.

use futures_util::TryStreamExt;
use sqlx::{Executor, QueryBuilder, Sqlite, SqliteConnection};

use super::rows::{Row, chunks, push_rows};
use crate::StoreError;

/// A connection with pending statements. Pending statements are discarded on drop: code that does not commit must call
/// [`Script::flush`].
pub(crate) struct Script<'c> {
    connection: &'c mut SqliteConnection,
    waiting: QueryBuilder<'static, Sqlite>,
    statements: usize,
}

impl<'c> Script<'c> {
    pub(crate) fn new(connection: &'c mut SqliteConnection) -> Self {
        Self { connection, waiting: QueryBuilder::new(""), statements: 0 }
    }

    /// The connection, after executing all pending statements.
    pub(crate) async fn connection(&mut self) -> Result<&mut SqliteConnection, StoreError> {
        self.flush().await?;
        Ok(self.connection)
    }

    /// Executes the pending statements. If one fails, those after it are not executed.
    pub(crate) async fn flush(&mut self) -> Result<(), StoreError> {
        let (mut waiting, statements) = self.take();
        if statements == 0 {
            return Ok(());
        }
        let executed = self.connection.execute_many(waiting.build());
        let executed = executed.try_fold(0, async |executed, _| Ok(executed + 1)).await?;
        // If SQLite's thread stops, its results only end early.
        if executed == statements { Ok(()) } else { Err(sqlx::Error::WorkerCrashed.into()) }
    }

    /// Discards the pending statements.
    pub(crate) fn clear(&mut self) {
        self.take();
    }

    fn take(&mut self) -> (QueryBuilder<'static, Sqlite>, usize) {
        (std::mem::replace(&mut self.waiting, QueryBuilder::new("")), std::mem::take(&mut self.statements))
    }

    /// Begins another statement. All its parameters must be `?`.
    pub(crate) fn statement(&mut self) -> &mut QueryBuilder<'static, Sqlite> {
        if self.statements > 0 {
            self.waiting.push("; ");
        }
        self.statements += 1;
        &mut self.waiting
    }

    /// Inserts these rows into `into` and appends `ending`. The table has `columns` columns, of which the first is never NULL. Rows
    /// beyond one statement's limit are executed at once.
    ///
    /// Uses `OR FAIL`, because callers roll the whole transaction back when a statement fails: SQLite then keeps no statement
    /// journal, which would take half as long again.
    pub(crate) async fn insert<T>(
        &mut self,
        into: &str,
        columns: usize,
        rows: &[T],
        bind: impl Fn(&mut Row<'_>, &T),
        ending: &str,
    ) -> Result<(), StoreError> {
        for chunk in chunks(rows) {
            let query = self.statement();
            query.push("INSERT OR FAIL INTO ").push(into).push(" SELECT * FROM (");
            push_rows(query, columns, chunk, &bind);
            query.push(") WHERE column1 IS NOT NULL").push(ending);
            if chunk.len() < rows.len() {
                self.flush().await?;
            }
        }
        Ok(())
    }

    /// Executes `change`, which reads these rows from the table `from`. Splits the rows as [`Script::insert`] does.
    pub(crate) async fn change<T>(
        &mut self,
        from: &str,
        columns: usize,
        rows: &[T],
        bind: impl Fn(&mut Row<'_>, &T),
        change: &str,
    ) -> Result<(), StoreError> {
        for chunk in chunks(rows) {
            let query = self.statement();
            query.push("WITH ").push(from).push(" AS (");
            push_rows(query, columns, chunk, &bind);
            query.push(") ").push(change);
            if chunk.len() < rows.len() {
                self.flush().await?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use sqlx::Connection;

    use super::*;

    async fn connection() -> SqliteConnection {
        let mut connection = SqliteConnection::connect("sqlite::memory:").await.unwrap();
        sqlx::query("CREATE TABLE t (n INTEGER PRIMARY KEY)").execute(&mut connection).await.unwrap();
        connection
    }

    async fn sum(connection: &mut SqliteConnection) -> i64 {
        sqlx::query_scalar("SELECT coalesce(sum(n), 0) FROM t").fetch_one(connection).await.unwrap()
    }

    async fn insert(script: &mut Script<'_>, rows: &[i64]) {
        let bind = |row: &mut Row<'_>, n: &i64| {
            row.push_bind(*n);
        };
        script.insert("t (n)", 1, rows, bind, "").await.unwrap();
    }

    #[tokio::test]
    async fn pending_statements_run_in_order_before_the_connection_is_returned() {
        let mut connection = connection().await;
        let mut script = Script::new(&mut connection);
        insert(&mut script, &[1, 2, 3]).await;
        let bind = |row: &mut Row<'_>, (n, to): &(i64, i64)| {
            row.push_bind(*n).push_bind(*to);
        };
        let change = "UPDATE t SET n = becomes FROM change WHERE n = was";
        script.change("change (was, becomes)", 2, &[(3, 30)], bind, change).await.unwrap();
        assert_eq!(sum(script.connection().await.unwrap()).await, 33);
    }

    #[tokio::test]
    async fn many_rows_are_written_by_several_statements() {
        let mut connection = connection().await;
        let mut script = Script::new(&mut connection);
        let rows: Vec<_> = (1..=600).collect();
        insert(&mut script, &rows).await;
        assert_eq!(sum(script.connection().await.unwrap()).await, 600 * 601 / 2);
    }

    #[tokio::test]
    async fn cleared_and_dropped_statements_are_not_executed() {
        let mut connection = connection().await;
        let mut script = Script::new(&mut connection);
        insert(&mut script, &[1]).await;
        script.clear();
        insert(&mut script, &[2]).await;
        assert_eq!(sum(script.connection().await.unwrap()).await, 2);
        insert(&mut script, &[3]).await;
        drop(script);
        assert_eq!(sum(&mut connection).await, 2);
    }

    #[tokio::test]
    async fn a_failed_pending_statement_prevents_the_commit_and_allows_a_rollback() {
        let mut connection = connection().await;
        sqlx::query("BEGIN").execute(&mut connection).await.unwrap();
        let mut script = Script::new(&mut connection);
        insert(&mut script, &[1]).await;
        insert(&mut script, &[1]).await;
        script.statement().push("COMMIT");
        assert!(script.flush().await.is_err());
        sqlx::query("ROLLBACK").execute(script.connection().await.unwrap()).await.unwrap();
        assert_eq!(sum(&mut connection).await, 0);
        // After a commit or a rollback there is no transaction to roll back.
        sqlx::query("ROLLBACK").execute(&mut connection).await.unwrap_err();
    }
}
