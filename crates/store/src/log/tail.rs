//! Where the log ends: every process follows it, woken by its own commits or by one notice a batch, with a slow poll
//! as a net.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
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
    postgres::CHANNEL,
    store::Announcer,
};

const POLL: Duration = Duration::from_millis(200);
/// How long this process may have heard nothing before what it remembers of sessions no longer counts.
const STALE: Duration = Duration::from_secs(1);

/// The log's end as this process knows it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Tail {
    head: watch::Sender<i64>,
    confirmed: Arc<AtomicI64>,
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
        let age =
            self.started.elapsed().as_millis() - u128::try_from(self.confirmed.load(Ordering::Relaxed)).unwrap_or(0);
        age < STALE.as_millis()
    }

    fn confirm(&self) {
        let elapsed = i64::try_from(self.started.elapsed().as_millis()).unwrap_or(i64::MAX);
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
        ticks.tick().await;
        let known = tail.head();
        match Tail::head_of(&db).await {
            // Nobody told us of what is there: not our own commits, and no notice came.
            Ok(position) if position > known && position > tail.head() => announcer.heard(position, None),
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(%error, "the log's head cannot be read");
                continue;
            }
        }
        tail.confirm();
    }
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
            announcer.sessions.forget_all();
            continue;
        };
        let (position, touched) = notice.payload().split_once(' ').unwrap_or((notice.payload(), "*"));
        if let Ok(position) = position.parse() {
            announcer.heard(position, Some(touched));
        }
    }
}
