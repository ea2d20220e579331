//! The follower: receives other processes' commit notifications, and polls the database slowly in case one is lost.

use std::{collections::BTreeSet, sync::LazyLock, time::Duration};

use buildtrack_domain::event::{self, Caching, EventType, Fact};
use chrono::{DateTime, Utc};
use sqlx::{
    Executor,
    postgres::{PgListener, PgPoolOptions},
};
use tokio::{
    task::JoinSet,
    time::{Instant, MissedTickBehavior, interval, sleep, timeout},
};

use super::masks::HIDINGS;
use super::{
    announcer::Announcer,
    commit_notification::CommitNotification,
    follower_connection::{FollowerConnection, ask},
    masks::hidden_stream,
    postgres::CHANNEL,
};
use crate::{
    StoreError,
    clock::Clock,
    database::{
        Db,
        postgres::{Pool, in_time, silent},
    },
};

const POLL: Duration = Duration::from_millis(200);
/// The pause before reconnecting after a failure.
const RECONNECT_DELAY: Duration = Duration::from_secs(1);

/// How long one poll may take.
const POLL_TIMEOUT: Duration = Duration::from_secs(2);
/// How long the listener receives nothing before it tests its connection.
const QUIET: Duration = Duration::from_secs(5);
/// The shortest interval between two log lines about clock skew.
const SKEW_LOG_INTERVAL: Duration = Duration::from_mins(1);

/// Starts the poll and, on PostgreSQL, the listener.
pub(crate) fn start(db: &Db, clock: &Clock, announcer: &Announcer, tasks: &mut JoinSet<()>) {
    tasks.spawn(poll(db.clone(), clock.clone(), announcer.clone()));
    if let Db::Postgres { reads: pool, .. } = db {
        tasks.spawn(listen(pool.clone(), announcer.clone()));
    }
}

async fn poll(db: Db, clock: Clock, announcer: Announcer) {
    let mut ticks = interval(POLL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut connection, mut seen, mut watch) = (None, None, ClockWatch::default());
    loop {
        let asked = ticks.tick().await;
        let look = look(&db, connection.take(), &clock, &announcer, &mut seen);
        match timeout(POLL_TIMEOUT, look).await {
            Ok(Ok(usable)) => {
                connection = Some(usable);
                announcer.tail.confirm(asked);
            }
            Ok(Err(error)) => tracing::warn!(%error, "reading the log's head failed"),
            Err(_) => tracing::warn!("reading the log's head timed out; the connection is dropped"),
        }
        watch.look(&clock);
    }
}

/// Polls once, on the connection of the previous poll. Returns the connection if it still works.
async fn look(
    db: &Db,
    connection: Option<FollowerConnection>,
    clock: &Clock,
    announcer: &Announcer,
    seen: &mut Option<Seen>,
) -> Result<FollowerConnection, StoreError> {
    let mut connection = match connection {
        Some(connection) => connection,
        None => FollowerConnection::open(db).await?,
    };
    catch_up(&mut connection, clock, announcer, seen).await?;
    Ok(connection)
}

/// The last head that the follower saw.
struct Seen {
    position: i64,
    hash: Vec<u8>,
    /// See [`Tail::rewinds`](super::Tail::rewinds).
    rewinds: u64,
}

/// The log's end in the database: position and hash, the hash at another position, and on PostgreSQL the time.
type End = (i64, Vec<u8>, Option<Vec<u8>>, Option<DateTime<Utc>>);

async fn end_of(connection: &mut FollowerConnection, position: i64) -> Result<End, StoreError> {
    let statement = format!(
        "SELECT position, hash, (SELECT hash FROM events WHERE events.position = $1) AS known, {} AS time FROM log_head",
        connection.time()
    );
    Ok(ask!(connection, |executor| sqlx::query_as(&statement).bind(position).fetch_one(executor).await?))
}

/// Reads the head's position, and sets the clock's reference to the database's time.
pub(crate) async fn head_and_time(db: &Db, clock: &Clock) -> Result<i64, StoreError> {
    let (head, _, _, time) = end_of(&mut FollowerConnection::open(db).await?, 0).await?;
    if let Some(time) = time {
        clock.refer_to(time);
    }
    Ok(head)
}

/// Reads the log's end and the changes that this process has not received: a notice can be lost, and an own commit says nothing of
/// another process's commit just before it. An end before the known position, or another event at a known position, shows that the
/// database has lost its last commits.
async fn catch_up(
    connection: &mut FollowerConnection,
    clock: &Clock,
    announcer: &Announcer,
    seen: &mut Option<Seen>,
) -> Result<(), StoreError> {
    // Read before the query, so that a commit in between does not look like a loss.
    let remembered = announcer.tail.head();
    // The writer may have detected the rewind first.
    seen.take_if(|seen| seen.rewinds != announcer.tail.rewinds());
    let (head, hash, known, time) = end_of(connection, seen.as_ref().map_or(0, |seen| seen.position)).await?;
    if let Some(time) = time {
        clock.refer_to(time);
    }
    let is_another = |seen: &Seen| seen.position > 0 && known.as_ref() != Some(&seen.hash);
    if head < remembered || seen.as_ref().is_some_and(is_another) {
        announcer.rewound(remembered, head);
    }
    *seen = Some(Seen { position: head, hash, rewinds: announcer.tail.rewinds() });
    let watermark = announcer.watermark.reached();
    if watermark < head {
        for (stream, position) in changed_streams(connection, watermark, head).await? {
            announcer.changes.invalidate_at(&stream, position);
        }
        announcer.watermark.record(watermark, head, &[]);
    }
    announcer.reached(head);
    Ok(())
}

/// Reports the wall clock's skew: as a metric always, in the log at most once a minute. Lets the reference follow a wall clock that
/// keeps another time.
#[derive(Default)]
struct ClockWatch(Option<Instant>);

impl ClockWatch {
    fn look(&mut self, clock: &Clock) {
        if let Some(step) = clock.settle() {
            metrics::counter!("buildtrack_clock_steps_total").increment(1);
            tracing::warn!(
                seconds = step,
                "this machine's clock has kept another time for ten minutes: it counts as right, and the server's time steps"
            );
        }
        let skew = clock.skew();
        metrics::gauge!("buildtrack_clock_skew_seconds").set(skew);
        if clock.is_corrected() && self.0.is_none_or(|logged| logged.elapsed() > SKEW_LOG_INTERVAL) {
            self.0 = Some(Instant::now());
            tracing::error!(
                seconds = skew,
                "this machine's clock is wrong: the server corrects times by the database's clock or the monotonic clock"
            );
        }
    }
}

/// The streams whose cached values events between two positions invalidate, each with the position of its last change, and whether
/// one of them may have changed the visibility of texts. By kinds and endings, which also select types of a newer version.
/// Parameters: after, up to.
static CHANGED_STREAMS: LazyLock<String> = LazyLock::new(|| {
    let kinds = event::declarations().filter(|declared| declared.caching == Caching::Cached).map(EventType::kind);
    let kinds: BTreeSet<_> = kinds.collect();
    let is_named = |declared: &&EventType| declared.is(Fact::Redacts) || declared.is(Fact::ChangesVisibility);
    let (kinds, named) = (kinds.into_iter().map(|kind| format!("type LIKE '{kind}.%' OR ")), types_where(is_named));
    let (kinds, shown) = (kinds.collect::<String>(), types_where(|declared| declared.is(Fact::ChangesVisibility)));
    format!(
        "SELECT stream, max(position), max(CASE WHEN type IN ({shown}) THEN 1 ELSE 0 END) FROM events \
         WHERE position > $1 AND position <= $2 AND ({kinds}type LIKE '%.redacted' OR type IN ({named})) GROUP BY stream"
    )
});

/// The quoted names of these types, separated by commas.
fn types_where(predicate: impl Fn(&&EventType) -> bool) -> String {
    let names = event::declarations().filter(predicate).map(|declared| format!("'{}'", declared.name));
    names.collect::<Vec<_>>().join(", ")
}

/// Streams of identities, sessions, endpoints and workspaces that changed between two positions, and texts that were redacted or
/// hidden, each with the position of its last change. At least those that [`Batch::invalidated`](super::batch::Batch) selects.
async fn changed_streams(
    connection: &mut FollowerConnection,
    after: i64,
    until: i64,
) -> Result<Vec<(String, i64)>, StoreError> {
    let changed_streams: Vec<(String, i64, i32)> = ask!(connection, |executor| {
        sqlx::query_as(CHANGED_STREAMS.as_str()).bind(after).bind(until).fetch_all(executor).await?
    });
    let changed = |(stream, position, changes_visibility): (String, i64, i32)| {
        let hidden = hidden_stream(&stream).map(str::to_owned);
        let hidings = (changes_visibility > 0).then(|| (HIDINGS.to_owned(), position));
        [(hidden.unwrap_or(stream), position)].into_iter().chain(hidings)
    };
    Ok(changed_streams.into_iter().flat_map(changed).collect())
}

async fn listen(pool: Pool, announcer: Announcer) {
    loop {
        if let Err(error) = follow(&pool, &announcer).await {
            tracing::warn!(%error, "listening for commit notifications failed; polling continues");
        }
        sleep(RECONNECT_DELAY).await;
    }
}

async fn follow(pool: &Pool, announcer: &Announcer) -> Result<(), sqlx::Error> {
    // The listener takes the options of this pool, and none of its connections.
    let options = PgPoolOptions::new().connect_lazy_with(pool.connect_options().clone());
    let mut listener = in_time(PgListener::connect_with(&options)).await?;
    in_time(listener.listen(CHANNEL)).await?;
    loop {
        let Ok(received) = timeout(QUIET, listener.try_recv()).await else {
            // A silent connection looks like a log to which nothing is appended.
            timeout(POLL_TIMEOUT, listener.execute("SELECT 1")).await.map_err(|_| silent())??;
            continue;
        };
        // `None` means that the connection was lost, and notices with it.
        let Some(notice) = received? else {
            announcer.changes.invalidate_all();
            continue;
        };
        match CommitNotification::read(notice.payload()) {
            Some(notification) => announcer.committed(&notification),
            None => announcer.changes.invalidate_all(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_selects_every_type_that_invalidates_cached_values() {
        assert_eq!(
            *CHANGED_STREAMS,
            "SELECT stream, max(position), max(CASE WHEN type IN ('owner.deleted', 'moderation.decided', 'moderation.erased') \
             THEN 1 ELSE 0 END) FROM events WHERE position > $1 AND position <= $2 \
             AND (type LIKE 'agent.%' OR type LIKE 'owner.%' OR type LIKE 'session.%' OR type LIKE 'webhook.%' \
             OR type LIKE 'workspace.%' OR type LIKE '%.redacted' OR type IN ('owner.deleted', 'agent.erased', \
             'message.redacted', 'post.redacted', 'reply.redacted', 'moderation.decided', 'moderation.erased', \
             'exchange.redacted')) GROUP BY stream"
        );
    }
}
