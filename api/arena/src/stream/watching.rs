//! Spectators of a match.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use actix_ws::{AggregatedMessage, CloseCode, CloseReason, Session};
use buildtrack_domain::ids::MatchId;
use buildtrack_http::{app::App, frames::Messages, streaming::Permit};
use buildtrack_store::{MatchView, Store, StoreError};
use chrono::{DateTime, TimeDelta, Utc};
use tokio::{
    sync::broadcast::{self, error::RecvError},
    time::sleep,
};
use tokio_util::sync::CancellationToken;

use super::showing::{News, Seen, shown, state_of};

/// How often a watched match is read.
const EVERY: Duration = Duration::from_millis(300);
/// Reports that are read at once.
const STEP: i64 = 200;
/// Reports that wait for a slow spectator.
const WAITING: usize = 256;
/// A spectator gets a ping when nothing was sent for so long.
const KEEP_ALIVE: Duration = Duration::from_secs(30);

/// A match, and the delay with which it is watched.
type Key = (MatchId, Duration);

/// The matches that are watched on this server: one reader each, for all spectators with the same delay.
#[derive(Debug, Default)]
pub struct Broadcasts {
    watched: Mutex<HashMap<Key, Watched>>,
}

/// A match that is watched.
#[derive(Debug)]
struct Watched {
    sender: broadcast::Sender<News>,
    /// The state that spectators were told last.
    state: Option<Arc<str>>,
}

impl Broadcasts {
    /// The state that the spectators of a match know, and what it shows from now on. Starts its reader if it has none: after the
    /// report with the number `after`.
    fn subscribe(
        self: &Arc<Self>,
        store: &Store,
        key: Key,
        after: i64,
        stopping: &CancellationToken,
    ) -> (Option<Arc<str>>, broadcast::Receiver<News>) {
        let mut watched = self.watched();
        if let Some(Watched { sender, state }) = watched.get(&key) {
            return (state.clone(), sender.subscribe());
        }
        let (sender, receiver) = broadcast::channel(WAITING);
        watched.insert(key, Watched { sender: sender.clone(), state: None });
        let (broadcasts, store, stopping) = (Arc::clone(self), store.clone(), stopping.clone());
        tokio::spawn(async move {
            let reading = read(&store, key, after, (&sender, &broadcasts));
            match stopping.run_until_cancelled(reading).await {
                Some(Some(last)) => {
                    broadcasts.watched().remove(&key);
                    drop(sender.send(News::End(last)));
                }
                // Removed already. The key may be that of a newer reader.
                Some(None) => {}
                None => drop(broadcasts.watched().remove(&key)),
            }
        });
        (None, receiver)
    }

    /// Tells the spectators of a match its state, and those that come later.
    fn tell(&self, key: Key, state: Arc<str>) {
        if let Some(watched) = self.watched().get_mut(&key) {
            watched.state = Some(Arc::clone(&state));
            drop(watched.sender.send(News::State(state)));
        }
    }

    /// Removes a match without spectators.
    fn remove_if_unwatched(&self, key: Key, sender: &broadcast::Sender<News>) -> bool {
        let mut watched = self.watched();
        let is_unwatched = sender.receiver_count() == 0;
        if is_unwatched {
            watched.remove(&key);
        }
        is_unwatched
    }

    fn watched(&self) -> MutexGuard<'_, HashMap<Key, Watched>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads a match for its spectators until it has ended, and returns the number of its last report; or until the last of them has
/// left, and returns `None`.
async fn read(
    store: &Store,
    key: Key,
    mut after: i64,
    (sender, broadcasts): (&broadcast::Sender<News>, &Broadcasts),
) -> Option<i64> {
    let (match_id, delay) = key;
    let (mut last_state, mut held) = (String::new(), VecDeque::new());
    loop {
        // One time for the reports and the end, so that the end is not shown before the last reports.
        let now = store.log().clock().now();
        match step(store, (key, now), after).await {
            Ok((reports, view)) => {
                let is_empty = reports.is_empty();
                for (sequence, text) in reports {
                    after = sequence;
                    drop(sender.send(News::Report(sequence, text.into())));
                }
                let state = state_of(&view);
                let due = |at: DateTime<Utc>| at.min(now) + delta(delay);
                if state != last_state {
                    // The end is shown with the last reports, however late it was read.
                    held.push_back((due(view.ended_at.unwrap_or(now)), Arc::from(&*state)));
                    last_state = state;
                }
                while let Some((_, state)) = held.pop_front_if(|(at, _): &mut (DateTime<Utc>, Arc<str>)| *at <= now) {
                    broadcasts.tell(key, state);
                }
                let is_over = view.ended_at.is_some_and(|ended_at| due(ended_at) <= now);
                if is_over && is_empty && held.is_empty() {
                    return Some(after);
                }
            }
            Err(error) => tracing::warn!(%error, %match_id, "a match could not be read for its spectators"),
        }
        sleep(EVERY).await;
        if broadcasts.remove_if_unwatched(key, sender) {
            return None;
        }
    }
}

async fn step(
    store: &Store,
    ((match_id, delay), now): (Key, DateTime<Utc>),
    after: i64,
) -> Result<(Vec<(i64, String)>, MatchView), StoreError> {
    let until = now - delta(delay);
    let reports = store.arena().match_reports(match_id, after, until, STEP).await?;
    let view = store.arena().match_view(match_id).await?;
    let view = view.ok_or_else(|| StoreError::Damaged(format!("{match_id} is gone")))?;
    Ok((reports.iter().map(|report| (report.sequence, shown(report, &view))).collect(), view))
}

fn delta(delay: Duration) -> TimeDelta {
    TimeDelta::from_std(delay).unwrap_or(TimeDelta::zero())
}

/// Sends a match to a spectator until it has ended.
pub(super) async fn watch(
    app: Arc<App>,
    broadcasts: Arc<Broadcasts>,
    (match_id, (from, delay)): (MatchId, (i64, Duration)),
    (mut session, mut messages): (Session, Messages),
    permit: Permit,
) {
    let end = show(&app, &broadcasts, ((match_id, delay), from), (&mut session, &mut messages)).await;
    if let Some(reason) = end {
        drop(session.close(Some(reason)).await);
    }
    drop(permit);
}

/// Returns the reason to close with; `None` if the spectator is gone.
async fn show(
    app: &App,
    broadcasts: &Arc<Broadcasts>,
    (key, from): (Key, i64),
    (session, messages): (&mut Session, &mut Messages),
) -> Option<CloseReason> {
    let (match_id, delay) = key;
    // Subscribed first, so that nothing is missed between the past and what follows.
    let Ok(head) = app.store.arena().last_report(match_id, app.store.log().clock().now() - delta(delay)).await else {
        return Some(CloseCode::Again.into());
    };
    let (state, mut receiver) = broadcasts.subscribe(&app.store, key, head, &app.stopping);
    let mut seen = Seen::up_to(match_id, from);
    loop {
        let Ok((past, _)) = step(&app.store, (key, app.store.log().clock().now()), seen.sequence).await else {
            return Some(CloseCode::Again.into());
        };
        if past.is_empty() {
            break;
        }
        for (sequence, text) in past {
            session.text(text).await.ok()?;
            seen.sequence = sequence;
        }
    }
    if let Some(state) = state {
        send(session, seen.messages(News::State(state))).await?;
    }
    loop {
        tokio::select! {
            news = receiver.recv() => match news {
                Ok(news) => {
                    let is_end = matches!(news, News::End(_));
                    send(session, seen.messages(news)).await?;
                    if is_end {
                        return Some(CloseCode::Normal.into());
                    }
                }
                // The next report tells how many were left out.
                Err(RecvError::Lagged(_)) => {}
                // The reader ends without news of the end when the server stops.
                Err(RecvError::Closed) => return Some(CloseCode::Restart.into()),
            },
            message = messages.next() => match message {
                Some(Ok(AggregatedMessage::Ping(bytes))) => session.pong(&bytes).await.ok()?,
                Some(Err(broken)) => return broken.reason(),
                Some(Ok(AggregatedMessage::Close(_))) | None => return Some(CloseCode::Normal.into()),
                Some(Ok(_)) => {}
            },
            () = sleep(KEEP_ALIVE) => session.ping(b"").await.ok()?,
            () = app.stopping.cancelled() => return Some(CloseCode::Restart.into()),
        }
    }
}

/// Sends messages; `None` if the spectator is gone.
async fn send(session: &mut Session, messages: Vec<Arc<str>>) -> Option<()> {
    for message in messages {
        session.text(&*message).await.ok()?;
    }
    Some(())
}
