//! The database of a run: made, looked at behind the servers' back, and removed.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use anyhow::{Context, Result, anyhow};
use buildtrack_store::clock::random;
use sqlx::{
    ConnectOptions, Connection, PgConnection, SqliteConnection,
    postgres::PgConnectOptions,
    sqlite::{SqliteConnectOptions, SqliteJournalMode},
};
use tokio::sync::{OnceCell, Semaphore, SemaphorePermit};

const STANDARD: &str = "postgres://postgres@127.0.0.1:5432/postgres";

/// Connections of the four processes of a run: pools of 16, those of their followers, and those that were lost and linger.
const CONNECTIONS: i64 = 90;

/// A run on PostgreSQL at a time for so many connections as the server allows.
static RUNS: OnceCell<Semaphore> = OnceCell::const_new();

/// A PostgreSQL database that is dropped with this value.
#[derive(Debug)]
pub(crate) struct PostgresDatabase {
    name: String,
    _turn: SemaphorePermit<'static>,
}

/// Where the runner looks at a database.
pub(crate) enum Database {
    Sqlite(PathBuf),
    Postgres(PostgresDatabase),
}

/// A connection of the runner's own, beside the proxies.
pub(crate) enum Connected {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

fn server() -> Result<PgConnectOptions> {
    let url = std::env::var("TEST_DATABASE_URL").unwrap_or_else(|_| STANDARD.to_owned());
    url.parse().context("TEST_DATABASE_URL is no address of PostgreSQL")
}

async fn on_server(statement: &str) -> Result<()> {
    let mut connection = PgConnection::connect_with(&server()?).await.context("PostgreSQL cannot be reached")?;
    sqlx::query(statement).execute(&mut connection).await?;
    Ok(connection.close().await?)
}

async fn turns() -> Result<Semaphore> {
    let mut connection = PgConnection::connect_with(&server()?).await.context("PostgreSQL cannot be reached")?;
    let setting = "SELECT current_setting('max_connections')::bigint";
    let connections: i64 = sqlx::query_scalar(setting).fetch_one(&mut connection).await?;
    Ok(Semaphore::new(usize::try_from(connections / CONNECTIONS).unwrap_or(1).max(1)))
}

impl PostgresDatabase {
    pub(crate) async fn create() -> Result<Self> {
        let turn = RUNS.get_or_try_init(turns).await?.acquire().await?;
        let run = std::env::var("BUILDTRACK_TEST_RUN").unwrap_or_else(|_| "dev".to_owned());
        let name = format!("bt_test_{run}_faults_{}", hex::encode(random::<6>()));
        on_server(&format!("CREATE DATABASE {name} TEMPLATE template0")).await?;
        Ok(Self { name, _turn: turn })
    }

    /// Its address, as a process reaches it at the server's own or at a proxy's.
    pub(crate) fn url(&self, proxy: Option<SocketAddr>) -> Result<String> {
        let options = server()?.database(&self.name);
        let options = match proxy {
            Some(proxy) => options.host(&proxy.ip().to_string()).port(proxy.port()),
            None => options,
        };
        Ok(options.to_url_lossy().into())
    }

    /// Where the server listens.
    pub(crate) async fn address() -> Result<SocketAddr> {
        let options = server()?;
        let mut found = tokio::net::lookup_host((options.get_host(), options.get_port())).await?;
        found.next().with_context(|| format!("no address of {}", options.get_host()))
    }
}

impl Drop for PostgresDatabase {
    fn drop(&mut self) {
        let statement = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        if let Err(error) = aside(async move { on_server(&statement).await }) {
            eprintln!("the database {} is left over: {error:#}", self.name);
        }
    }
}

/// Runs it to its end on a thread of its own: a `drop` may happen within a runtime.
pub(crate) fn aside(work: impl Future<Output = Result<()>> + Send + 'static) -> Result<()> {
    let run = move || tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(work);
    std::thread::spawn(run).join().unwrap_or_else(|_| Err(anyhow!("it broke off")))
}

/// `on!(self, |connection| body)`: the body once for each database.
macro_rules! on {
    ($connected:expr, |$connection:ident| $body:expr) => {
        match $connected {
            Connected::Sqlite($connection) => $body,
            Connected::Postgres($connection) => $body,
        }
    };
}
pub(crate) use on;

impl Database {
    pub(crate) async fn connect(&self) -> Result<Connected> {
        Ok(match self {
            Self::Sqlite(path) => {
                let options = SqliteConnectOptions::new().filename(path).journal_mode(SqliteJournalMode::Wal);
                Connected::Sqlite(options.busy_timeout(Duration::from_secs(10)).connect().await?)
            }
            Self::Postgres(database) => Connected::Postgres(PgConnection::connect(&database.url(None)?).await?),
        })
    }
}

impl Connected {
    /// The one number that a query gives.
    pub(crate) async fn number(&mut self, query: &str) -> Result<i64> {
        Ok(on!(self, |connection| sqlx::query_scalar(query).fetch_one(connection).await?))
    }
}
