//! The store: connections, the two lanes of writing, and what is remembered in memory.

use std::sync::Arc;

use tokio::{
    sync::Mutex,
    task::{JoinHandle, JoinSet},
};

use crate::{
    Database, Secret, StoreError,
    clock::Clock,
    db::Db,
    limits::Limits,
    log::{
        Tail,
        writer::{Commit, Committed, Writer},
    },
    sessions::Sessions,
    states::States,
};

/// How to open a store.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where it lives.
    pub database: Database,
    /// Seals secrets at rest.
    pub secret: Secret,
    /// The machine's clock, unless a test stands it still.
    pub clock: Clock,
}

/// Everything that is remembered. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    pub(crate) db: Db,
    pub(crate) clock: Clock,
    pub(crate) secret: Secret,
    pub(crate) states: States,
    pub(crate) sessions: Sessions,
    pub(crate) limits: Arc<Limits>,
    pub(crate) tail: Tail,
    lanes: Arc<Mutex<Option<Lanes>>>,
    log: Writer,
    beside: Writer,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Store").field("db", &self.db).finish_non_exhaustive()
    }
}

struct Lanes {
    writers: Vec<JoinHandle<()>>,
    watching: JoinSet<()>,
}

/// Tells this process's readers that something was committed.
#[derive(Clone)]
pub(crate) struct Announcer {
    pub(crate) tail: Tail,
    pub(crate) sessions: Sessions,
}

impl Announcer {
    /// A batch of this process is durable: its caches forget what changed before any caller hears of it.
    pub(crate) fn committed(&self, position: i64, touched: &[Arc<str>]) {
        for stream in touched {
            self.sessions.forget(stream);
        }
        self.tail.reached(position);
    }

    /// Something was committed by another process, which told what to forget; or (`None`) did not.
    pub(crate) fn heard(&self, position: i64, touched: Option<&str>) {
        match touched {
            Some(streams) if streams != "*" => {
                streams.split_whitespace().for_each(|stream| self.sessions.forget(stream))
            }
            _ => self.sessions.forget_all(),
        }
        self.tail.reached(position);
    }
}

impl Store {
    /// Opens the database, brings its schema up to date and starts the writers.
    pub async fn open(settings: Settings) -> Result<Self, StoreError> {
        let Settings { database, secret, clock } = settings;
        let db = Db::open(&database).await?;
        let tail = Tail::at(Tail::head_of(&db).await?);
        let announcer = Announcer { tail: tail.clone(), sessions: Sessions::new() };
        let (log, log_task) = Writer::start(db.clone(), clock.clone(), announcer.clone());
        let mut writers = vec![log_task];
        // SQLite has one writer. On PostgreSQL, what needs no position does not wait for the log's lock.
        let beside = match &db {
            Db::Sqlite { .. } => log.clone(),
            Db::Postgres(_) => {
                let (beside, task) = Writer::start(db.clone(), clock.clone(), announcer.clone());
                writers.push(task);
                beside
            }
        };
        let mut watching = JoinSet::new();
        tail.watch(&db, &announcer, &mut watching);
        Ok(Self {
            limits: Arc::new(Limits::new()),
            states: States::new(),
            sessions: announcer.sessions,
            lanes: Arc::new(Mutex::new(Some(Lanes { writers, watching }))),
            db,
            clock,
            secret,
            tail,
            log,
            beside,
        })
    }

    /// The clock this store runs by.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Seals and hashes.
    pub fn secret(&self) -> &Secret {
        &self.secret
    }

    /// Where the log ends, and being woken when it grows.
    pub fn tail(&self) -> &Tail {
        &self.tail
    }

    pub(crate) async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let lane = if commit.needs_log() { &self.log } else { &self.beside };
        lane.commit(commit).await
    }

    /// Whether the database answers.
    pub async fn check(&self) -> Result<(), StoreError> {
        Tail::head_of(&self.db).await.map(drop)
    }

    /// Writes what was accepted and closes the database. The caller has stopped making requests by then.
    pub async fn close(self) {
        let Self { db, log, beside, lanes, .. } = self;
        drop((log, beside));
        if let Some(mut lanes) = lanes.lock().await.take() {
            lanes.watching.shutdown().await;
            for mut writer in lanes.writers {
                // A clone of the store that is still alive keeps its door open; what it sends then is its own loss.
                let stopped = tokio::time::timeout(std::time::Duration::from_secs(5), &mut writer).await;
                if stopped.is_err() {
                    writer.abort();
                }
            }
        }
        db.close().await;
    }
}
