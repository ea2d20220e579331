//! Where the log ends: every process follows it, woken by its own commits or by one notice a batch, with a slow poll
//! as a net.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use sqlx::postgres::PgListener;
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{Instant, MissedTickBehavior, interval},
};

use crate::{
    StoreError,
    db::{Db, read},
    log::news::News,
    moderation::hidden_stream,
    postgres::CHANNEL,
    store::Announcer,
};

const POLL: Duration = Duration::from_millis(200);
/// How long this process may have heard nothing before what it remembers of sessions and endpoints no longer
/// counts.
const STALE: Duration = Duration::from_secs(1);

/// The log's end as this process knows it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Tail {
    head: watch::Sender<i64>,
    confirmed: Arc<AtomicU64>,
    started: Instant,
}

impl Tail {
    pub(crate) fn at(position: i64) -> Self {
        Self { head: watch::Sender::new(position), confirmed: Arc::default(), started: Instant::now() }
    }

    pub(crate) async fn head_of(db: &Db) -> Result<i64, StoreError> {
        Ok(read!(db, |pool| sqlx::query_scalar("SELECT position FROM log_head").fetch_one(pool).await?))
    }

    /// The last position known to be committed.
    pub fn head(&self) -> i64 {
        *self.head.borrow()
    }

    /// Waits until the log reaches beyond `position`.
    pub async fn beyond(&self, position: i64) {
        let mut head = self.head.subscribe();
        // The sender lives as long as `self`.
        drop(head.wait_for(|head| *head > position).await);
    }

    pub(crate) fn reached(&self, position: i64) {
        self.head.send_if_modified(|head| {
            let newer = position > *head;
            *head = position.max(*head);
            newer
        });
    }

    /// Whether this process has looked at the database within the last second.
    pub(crate) fn is_current(&self) -> bool {
        self.has_looked_within(STALE)
    }

    /// Whether this process has looked at the database within this time.
    pub(crate) fn has_looked_within(&self, time: Duration) -> bool {
        let confirmed = Duration::from_millis(self.confirmed.load(Ordering::Relaxed));
        self.started.elapsed().saturating_sub(confirmed) < time
    }

    /// The database has said how it was at that moment.
    fn confirm(&self, asked: Instant) {
        let elapsed = u64::try_from((asked - self.started).as_millis()).unwrap_or(u64::MAX);
        self.confirmed.store(elapsed, Ordering::Relaxed);
    }

    pub(crate) fn watch(&self, db: &Db, announcer: &Announcer, tasks: &mut JoinSet<()>) {
        tasks.spawn(poll(self.clone(), db.clone(), announcer.clone()));
        if let Db::Postgres(pool) = db {
            tasks.spawn(listen(pool.clone(), announcer.clone()));
        }
    }
}

async fn poll(tail: Tail, db: Db, announcer: Announcer) {
    let mut ticks = interval(POLL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let asked = ticks.tick().await;
        match catch_up(&db, &announcer).await {
            Ok(()) => tail.confirm(asked),
            Err(error) => tracing::warn!(%error, "the log's head cannot be read"),
        }
    }
}

/// Looks where the log ends, and at what has not been heard of it: a notice can be lost, and the head that a commit of our own
/// announces says nothing of what another process appended just before it.
async fn catch_up(db: &Db, announcer: &Announcer) -> Result<(), StoreError> {
    let head = Tail::head_of(db).await?;
    let heard = announcer.heard.reached();
    if heard < head {
        for (stream, position) in touched(db, heard, head).await? {
            announcer.changes.forget_at(&stream, position);
        }
        announcer.heard.hear(heard, head, &[]);
    }
    announcer.reached(head);
    Ok(())
}

/// The streams of identities, sessions, endpoints and workspaces that changed between two positions, or were redacted or
/// hidden, each with where that was.
async fn touched(db: &Db, after: i64, until: i64) -> Result<Vec<(String, i64)>, StoreError> {
    let touched: Vec<(String, i64)> = read!(db, |pool| {
        sqlx::query_as(
            "SELECT stream, max(position) FROM events WHERE position > $1 AND position <= $2 \
             AND (type LIKE 'owner.%' OR type LIKE 'agent.%' OR type LIKE 'session.%' OR type LIKE 'webhook.%' \
             OR type LIKE 'workspace.%' OR type LIKE '%.redacted' OR type = 'moderation.decided') GROUP BY stream",
        )
        .bind(after)
        .bind(until)
        .fetch_all(pool)
        .await?
    });
    let changed = |(stream, position): (String, i64)| match hidden_stream(&stream) {
        Some(hidden) => (hidden.to_owned(), position),
        None => (stream, position),
    };
    Ok(touched.into_iter().map(changed).collect())
}

async fn listen(pool: sqlx::PgPool, announcer: Announcer) {
    loop {
        if let Err(error) = follow(&pool, &announcer).await {
            tracing::warn!(%error, "listening for commits failed; the poll goes on");
        }
        tokio::time::sleep(STALE).await;
    }
}

async fn follow(pool: &sqlx::PgPool, announcer: &Announcer) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen(CHANNEL).await?;
    loop {
        // None: the connection was lost, and notices with it.
        let Some(notice) = listener.try_recv().await? else {
            announcer.changes.forget_all();
            continue;
        };
        match News::read(notice.payload()) {
            Some(news) => announcer.committed(&news),
            None => announcer.changes.forget_all(),
        }
    }
}
