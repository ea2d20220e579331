//! Hears of what other processes commit: by one notice a batch, with a slow poll as a net.

use std::time::Duration;

use buildtrack_domain::moderation::Erasure;
use sqlx::postgres::PgListener;
use tokio::{
    task::JoinSet,
    time::{MissedTickBehavior, interval, sleep},
};

use super::{Tail, announcer::Announcer, news::News};
use crate::{
    StoreError,
    db::{Db, read},
    masking::HIDINGS,
    moderation::hidden_stream,
    postgres::CHANNEL,
};

const POLL: Duration = Duration::from_millis(200);
/// How soon somebody whose connection was refused asks for one again.
const AGAIN: Duration = Duration::from_secs(1);

/// Starts to hear of it.
pub(crate) fn start(db: &Db, announcer: &Announcer, tasks: &mut JoinSet<()>) {
    tasks.spawn(poll(db.clone(), announcer.clone()));
    if let Db::Postgres(pool) = db {
        tasks.spawn(listen(pool.clone(), announcer.clone()));
    }
}

async fn poll(db: Db, announcer: Announcer) {
    let mut ticks = interval(POLL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let asked = ticks.tick().await;
        match catch_up(&db, &announcer).await {
            Ok(()) => announcer.tail.confirm(asked),
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
             OR type LIKE 'workspace.%' OR type LIKE '%.redacted' OR type IN ('moderation.decided', 'moderation.erased')) GROUP BY stream",
        )
        .bind(after)
        .bind(until)
        .fetch_all(pool)
        .await?
    });
    let changed = |(stream, position): (String, i64)| match hidden_stream(&stream) {
        Some(hidden) => vec![(hidden.to_owned(), position), (HIDINGS.to_owned(), position)],
        None if stream == Erasure::STREAM => vec![(HIDINGS.to_owned(), position)],
        None => vec![(stream, position)],
    };
    Ok(touched.into_iter().flat_map(changed).collect())
}

async fn listen(pool: sqlx::PgPool, announcer: Announcer) {
    loop {
        if let Err(error) = follow(&pool, &announcer).await {
            tracing::warn!(%error, "listening for commits failed; the poll goes on");
        }
        sleep(AGAIN).await;
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
