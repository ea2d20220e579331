//! Hears of what other processes commit: by one notice a batch, with a slow poll as a net.

use std::time::Duration;

use buildtrack_domain::moderation::Erasure;
use chrono::{DateTime, Utc};
use sqlx::{
    Executor,
    postgres::{PgListener, PgPoolOptions},
};
use tokio::{
    task::JoinSet,
    time::{Instant, MissedTickBehavior, interval, sleep, timeout},
};

use super::{
    announcer::Announcer,
    line::{Line, ask},
    news::News,
};
use crate::{
    StoreError,
    clock::Clock,
    db::Db,
    masking::HIDINGS,
    moderation::hidden_stream,
    postgres::{CHANNEL, Pool, in_time, silent},
};

const POLL: Duration = Duration::from_millis(200);
/// How soon somebody whose connection was refused asks for one again.
const AGAIN: Duration = Duration::from_secs(1);

/// How long a look may take.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long the listener hears nothing before it asks whether its connection still answers.
const QUIET: Duration = Duration::from_secs(5);
/// How often the log says that the clock is wrong.
const SKEW_TOLD: Duration = Duration::from_mins(1);

/// Starts to hear of it.
pub(crate) fn start(db: &Db, clock: &Clock, announcer: &Announcer, tasks: &mut JoinSet<()>) {
    tasks.spawn(poll(db.clone(), clock.clone(), announcer.clone()));
    if let Db::Postgres { reads: pool, .. } = db {
        tasks.spawn(listen(pool.clone(), announcer.clone()));
    }
}

async fn poll(db: Db, clock: Clock, announcer: Announcer) {
    let mut ticks = interval(POLL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut line, mut seen, mut watch) = (None, None, ClockWatch::default());
    loop {
        let asked = ticks.tick().await;
        let look = look(&db, line.take(), &clock, &announcer, &mut seen);
        match timeout(PATIENCE, look).await {
            Ok(Ok(kept)) => {
                line = Some(kept);
                announcer.tail.confirm(asked);
            }
            Ok(Err(error)) => tracing::warn!(%error, "the log's head cannot be read"),
            Err(_) => tracing::warn!("the database does not say where the log ends; its connection is given up"),
        }
        watch.look(&clock);
    }
}

/// One look, on the connection of the last one; gives it back where it still answers.
async fn look(
    db: &Db,
    line: Option<Line>,
    clock: &Clock,
    announcer: &Announcer,
    seen: &mut Option<Seen>,
) -> Result<Line, StoreError> {
    let mut line = match line {
        Some(line) => line,
        None => Line::open(db).await?,
    };
    catch_up(&mut line, clock, announcer, seen).await?;
    Ok(line)
}

/// Where the log was seen to end, and with which hash.
struct Seen {
    position: i64,
    hash: Vec<u8>,
    /// See [`Tail::rewinds`](super::Tail::rewinds).
    rewinds: u64,
}

/// The log's end as the database has it: position and hash, the hash at another position, and on PostgreSQL the time.
type End = (i64, Vec<u8>, Option<Vec<u8>>, Option<DateTime<Utc>>);

async fn end_of(line: &mut Line, position: i64) -> Result<End, StoreError> {
    let statement = format!(
        "SELECT position, hash, (SELECT hash FROM events WHERE events.position = $1) AS known, {} AS time FROM log_head",
        line.time()
    );
    Ok(ask!(line, |executor| sqlx::query_as(&statement).bind(position).fetch_one(executor).await?))
}

/// Where the log ends; from now on the clock goes by the database's.
pub(crate) async fn head_and_time(db: &Db, clock: &Clock) -> Result<i64, StoreError> {
    let (head, _, _, time) = end_of(&mut Line::open(db).await?, 0).await?;
    if let Some(time) = time {
        clock.refer_to(time);
    }
    Ok(head)
}

/// Looks where the log ends, and at what has not been heard of it: a notice can be lost, and the head that a commit of our own
/// announces says nothing of what another process appended just before it. An end before what is known, or another event
/// where one was seen, is that of a database that has lost its last commits.
async fn catch_up(
    line: &mut Line,
    clock: &Clock,
    announcer: &Announcer,
    seen: &mut Option<Seen>,
) -> Result<(), StoreError> {
    // Known before the look, so that nothing which is committed meanwhile is taken for lost.
    let remembered = announcer.tail.head();
    // A write may have found it first.
    seen.take_if(|seen| seen.rewinds != announcer.tail.rewinds());
    let (head, hash, known, time) = end_of(line, seen.as_ref().map_or(0, |seen| seen.position)).await?;
    if let Some(time) = time {
        clock.refer_to(time);
    }
    let is_another = |seen: &Seen| seen.position > 0 && known.as_ref() != Some(&seen.hash);
    if head < remembered || seen.as_ref().is_some_and(is_another) {
        announcer.rewound(remembered, head);
    }
    *seen = Some(Seen { position: head, hash, rewinds: announcer.tail.rewinds() });
    let heard = announcer.heard.reached();
    if heard < head {
        for (stream, position) in touched(line, heard, head).await? {
            announcer.changes.forget_at(&stream, position);
        }
        announcer.heard.hear(heard, head, &[]);
    }
    announcer.reached(head);
    Ok(())
}

/// Tells how far the wall clock is from its reference, in the log at most once a minute.
#[derive(Default)]
struct ClockWatch(Option<Instant>);

impl ClockWatch {
    fn look(&mut self, clock: &Clock) {
        let skew = clock.skew();
        metrics::gauge!("buildtrack_clock_skew_seconds").set(skew);
        if skew.abs() > 1.0 && self.0.is_none_or(|told| told.elapsed() > SKEW_TOLD) {
            self.0 = Some(Instant::now());
            tracing::error!(
                seconds = skew,
                "this machine's clock is wrong: times are held to the database's clock, or to the monotonic one"
            );
        }
    }
}

/// The streams of identities, sessions, endpoints and workspaces that changed between two positions, or were redacted or
/// hidden, each with where that was.
async fn touched(line: &mut Line, after: i64, until: i64) -> Result<Vec<(String, i64)>, StoreError> {
    let touched: Vec<(String, i64)> = ask!(line, |executor| {
        sqlx::query_as(
            "SELECT stream, max(position) FROM events WHERE position > $1 AND position <= $2 \
             AND (type LIKE 'owner.%' OR type LIKE 'agent.%' OR type LIKE 'session.%' OR type LIKE 'webhook.%' \
             OR type LIKE 'workspace.%' OR type LIKE '%.redacted' OR type IN ('moderation.decided', 'moderation.erased')) GROUP BY stream",
        )
        .bind(after)
        .bind(until)
        .fetch_all(executor)
        .await?
    });
    let changed = |(stream, position): (String, i64)| match hidden_stream(&stream) {
        Some(hidden) => vec![(hidden.to_owned(), position), (HIDINGS.to_owned(), position)],
        None if stream == Erasure::STREAM => vec![(HIDINGS.to_owned(), position)],
        None => vec![(stream, position)],
    };
    Ok(touched.into_iter().flat_map(changed).collect())
}

async fn listen(pool: Pool, announcer: Announcer) {
    loop {
        if let Err(error) = follow(&pool, &announcer).await {
            tracing::warn!(%error, "listening for commits failed; the poll goes on");
        }
        sleep(AGAIN).await;
    }
}

async fn follow(pool: &Pool, announcer: &Announcer) -> Result<(), sqlx::Error> {
    // The listener takes the options of this pool, and none of its connections.
    let options = PgPoolOptions::new().connect_lazy_with(pool.connect_options().clone());
    let mut listener = in_time(PgListener::connect_with(&options)).await?;
    in_time(listener.listen(CHANNEL)).await?;
    loop {
        let Ok(received) = timeout(QUIET, listener.try_recv()).await else {
            // A connection that fell silent looks like a log on which nothing happens.
            timeout(PATIENCE, listener.execute("SELECT 1")).await.map_err(|_| silent())??;
            continue;
        };
        // None: the connection was lost, and notices with it.
        let Some(notice) = received? else {
            announcer.changes.forget_all();
            continue;
        };
        match News::read(notice.payload()) {
            Some(news) => announcer.committed(&news),
            None => announcer.changes.forget_all(),
        }
    }
}
