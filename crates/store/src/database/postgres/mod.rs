//! Statements and connections specific to PostgreSQL: opening and pooling. Mirrors [`crate::database::sqlite`] function by function.

use std::{net::IpAddr, time::Duration};

use buildtrack_macros::embedded;
use sqlx::{
    ConnectOptions, Connection, Executor, PgConnection,
    postgres::{PgConnectOptions, PgSslMode},
};
use tokio::time::{Instant, sleep, timeout};

use super::{Db, migrations::Migrations};
use crate::StoreError;

mod connections;
mod pool;
mod request;

pub(crate) use pool::{Pool, in_time, silent};

static MIGRATIONS: Migrations = Migrations(embedded!("../../migrations/postgres"));

/// Planner settings. Prepared statements keep plans that PostgreSQL made while a table was small, which scan the whole table. Every
/// statement here finds its rows through an index, so sequential scans are disabled at any size. Every list has an index in its own
/// order, so sorts are disabled where that index can be used: without statistics PostgreSQL would read a whole list to sort it,
/// although the statement needs one page of it. JIT compilation is disabled, because high cost estimates of unavoidable scans would
/// trigger it.
const PLANS: [(&str, &str); 5] = [
    ("enable_seqscan", "off"),
    ("enable_sort", "off"),
    ("enable_hashjoin", "off"),
    ("enable_mergejoin", "off"),
    ("jit", "off"),
];
/// Uses one generic plan for each prepared statement. A plan for each run's parameters would take longer than running the
/// statement, and would use the same index.
const GENERIC_PLANS: &str = "SET plan_cache_mode = force_generic_plan";
const GENERIC: [(&str, &str); 1] = [("plan_cache_mode", "force_generic_plan")];
/// How many connections answer reads.
const READERS: usize = 16;
/// How many connections answer the few statements that consumers of the log run all day.
const FREQUENT: usize = 2;
/// Compresses long values with LZ4 if this PostgreSQL was built with it. The default method takes longer than all other work on a
/// long text.
const PACKING: &str = "SELECT set_config(name, 'lz4', false) FROM pg_settings \
     WHERE name = 'default_toast_compression' AND 'lz4' = ANY(enumvals)";
/// Makes a backslash in a string literal an ordinary character.
const QUOTING: (&str, &str) = ("standard_conforming_strings", "on");

/// How long the first connection may take. An operator sees a wrong address within 2 s.
const REACH: Duration = Duration::from_millis(1500);
/// How long the start waits for a server that does not answer yet.
const STARTING: Duration = Duration::from_secs(10);
/// The pause between two tries.
const AGAIN: Duration = Duration::from_millis(500);

pub(crate) async fn open(url: &str) -> Result<Db, StoreError> {
    let options = connect_options(url)?.options(PLANS).options([QUOTING]);
    let mut connection = reach(&options).await?;
    // The migrator holds an advisory lock, so that replicas may start together.
    MIGRATIONS.migrator().await?.run(&mut connection).await?;
    connection.close().await?;
    let reads = Pool::new(options.clone(), &[], READERS)?;
    Ok(Db::Postgres { reads, frequent: Pool::new(options, &GENERIC, FREQUENT)? })
}

/// Opens the first connection. A server that refuses the user aborts the start at once. An unreachable server may be starting up, so
/// the connection is retried for [`STARTING`].
async fn reach(options: &PgConnectOptions) -> Result<PgConnection, StoreError> {
    let begun = Instant::now();
    let mut warned = false;
    loop {
        match first_connection(options).await {
            Err(error @ StoreError::Unreachable { .. }) if begun.elapsed() < STARTING => {
                if !std::mem::replace(&mut warned, true) {
                    tracing::warn!("{error}; retrying for {} s", STARTING.as_secs());
                }
                sleep(AGAIN).await;
            }
            outcome => return outcome,
        }
    }
}

async fn first_connection(options: &PgConnectOptions) -> Result<PgConnection, StoreError> {
    match timeout(REACH, PgConnection::connect_with(options)).await {
        Ok(Ok(connection)) => Ok(connection),
        Ok(Err(error)) => Err(refusal(options, error)),
        Err(_) => {
            let reason = format!("no answer within {REACH:?}");
            Err(StoreError::Unreachable { address: address_of(options), reason })
        }
    }
}

/// Maps a connection error: the server is unreachable or not ready, or it refuses the user.
fn refusal(options: &PgConnectOptions, error: sqlx::Error) -> StoreError {
    // PostgreSQL's classes: 28, invalid authorization; 3D, no such database; 42501, no right to connect.
    const DENIED: [&str; 3] = ["28", "3D", "42501"];
    let address = address_of(options);
    match error {
        sqlx::Error::Database(error) => {
            let (code, reason) = (error.code().unwrap_or_default(), error.message().to_owned());
            if DENIED.iter().any(|class| code.starts_with(class)) {
                StoreError::AccessDenied { address, user: options.get_username().to_owned(), reason }
            } else {
                // For example a server that is starting up, or that has reached its connection limit.
                StoreError::Unreachable { address, reason }
            }
        }
        sqlx::Error::Io(error) => StoreError::Unreachable { address, reason: error.to_string() },
        error => error.into(),
    }
}

fn address_of(options: &PgConnectOptions) -> String {
    format!("{}:{}", options.get_host(), options.get_port())
}

/// Connection options for the address. A local connection uses no TLS unless the address or the environment asks for it: a commit
/// takes several round trips, and each would be encrypted twice.
fn connect_options(url: &str) -> Result<PgConnectOptions, StoreError> {
    let options = url.parse::<PgConnectOptions>()?;
    let host = options.get_host();
    let here = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    let asked = url.contains("sslmode=") || url.contains("ssl-mode=") || std::env::var_os("PGSSLMODE").is_some();
    Ok(if here && !asked { options.ssl_mode(PgSslMode::Disable) } else { options })
}

/// Named prepared statements of a writing connection. Statements that run in one text with others take no parameters, and would
/// otherwise be planned each time.
const PREPARED: &str = "PREPARE lock_head AS SELECT position, hash, recorded_at FROM log_head FOR UPDATE; \
     PREPARE move_head (bigint, bytea, timestamptz) AS UPDATE log_head SET position = $1, hash = $2, recorded_at = $3; \
     PREPARE versions (text[]) AS SELECT stream, version FROM unnest($1) AS wanted (name) CROSS JOIN LATERAL \
     (SELECT stream, version FROM events WHERE stream = name ORDER BY version DESC LIMIT 1) AS latest; \
     PREPARE lock_consumer (text) AS INSERT INTO consumers (name, position) VALUES ($1, 0) \
     ON CONFLICT (name) DO UPDATE SET position = consumers.position RETURNING position; \
     PREPARE consumed_beyond (text) AS SELECT first, last FROM consumed WHERE consumer = $1 ORDER BY first; \
     PREPARE move_consumer (text, bigint) AS UPDATE consumers SET position = $2 WHERE name = $1; \
     PREPARE forget_consumed (text) AS DELETE FROM consumed WHERE consumer = $1; \
     PREPARE note_consumed (text, bigint[], bigint[]) AS INSERT INTO consumed (consumer, first, last) \
     SELECT $1, * FROM unnest($2, $3)";

/// The server ends a transaction whose client sends no further statement for so long, as behind a frozen connection, and releases the
/// head's lock. It is shorter than the time limit of a batch, so that the other replicas' batches are still written.
const ABANDONED: &str = "SET idle_in_transaction_session_timeout = '8s'";

/// Opens a writing connection.
pub(crate) async fn open_writing(pool: &Pool) -> Result<PgConnection, StoreError> {
    let mut connection = pool.connect_options().connect().await?;
    connection.execute(&*format!("{GENERIC_PLANS}; {PACKING}; {ABANDONED}; {PREPARED}")).await?;
    Ok(connection)
}

/// Opens a connection outside the pool.
pub(crate) async fn open_reading(pool: &Pool) -> Result<PgConnection, StoreError> {
    Ok(pool.connect_options().connect().await?)
}

/// Creates an empty temporary copy of a read table, which shadows the table on this connection.
pub(crate) async fn shadow(connection: &mut PgConnection, table: &str) -> Result<(), StoreError> {
    let statement = format!("CREATE TEMP TABLE {table} (LIKE public.{table} INCLUDING ALL)");
    sqlx::query(&statement).execute(connection).await?;
    Ok(())
}

/// A table's rows as JSON texts, ordered by the key columns.
pub(crate) async fn rows_as_text(
    connection: &mut PgConnection,
    table: &str,
    order: &str,
) -> Result<Vec<String>, StoreError> {
    let statement = format!("SELECT row_to_json(shown)::text FROM {table} AS shown ORDER BY {order}");
    Ok(sqlx::query_scalar(&statement).fetch_all(connection).await?)
}
