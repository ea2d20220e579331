//! Spectators of a match.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use actix_ws::{AggregatedMessage, AggregatedMessageStream, CloseCode, CloseReason, Session};
use buildtrack_domain::ids::MatchId;
use buildtrack_store::{MatchView, ReportRow, Store, StoreError};
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::{
    sync::broadcast,
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;

use crate::http::{app::App, streaming::Permit};

/// How often a watched match is read.
const EVERY: Duration = Duration::from_millis(300);
/// Reports that are read at once.
const STEP: i64 = 200;
/// Reports that wait for a slow spectator.
const WAITING: usize = 256;
/// A spectator gets a ping when nothing was sent for so long.
const KEEP_ALIVE: Duration = Duration::from_secs(30);

/// The matches that are watched on this server: one reader each, for all spectators with the same delay.
#[derive(Debug, Default)]
pub(crate) struct Broadcasts {
    watched: Mutex<HashMap<(MatchId, Duration), broadcast::Sender<Shown>>>,
}

/// What spectators receive.
#[derive(Debug, Clone)]
enum Shown {
    /// A report: its number and its text.
    Report(i64, Arc<str>),
    /// The match changed: turn, scores or end.
    State(Arc<str>),
    /// The match has ended, and all its reports were sent.
    End,
}

impl Broadcasts {
    /// What a match shows from now on. Starts its reader if it has none.
    fn subscribe(
        self: &Arc<Self>,
        store: &Store,
        key: (MatchId, Duration),
        after: i64,
        stopping: &CancellationToken,
    ) -> broadcast::Receiver<Shown> {
        let mut watched = self.watched();
        if let Some(sender) = watched.get(&key) {
            return sender.subscribe();
        }
        let (sender, receiver) = broadcast::channel(WAITING);
        watched.insert(key, sender.clone());
        let (broadcasts, store, stopping) = (Arc::clone(self), store.clone(), stopping.clone());
        tokio::spawn(async move {
            let reading = read(&store, key, after, (&sender, &broadcasts));
            let has_ended = stopping.run_until_cancelled(reading).await;
            broadcasts.watched().remove(&key);
            if has_ended.is_some() {
                drop(sender.send(Shown::End));
            }
        });
        receiver
    }

    /// Removes a match without spectators.
    fn remove_if_unwatched(&self, key: (MatchId, Duration), sender: &broadcast::Sender<Shown>) -> bool {
        let mut watched = self.watched();
        let is_unwatched = sender.receiver_count() == 0;
        if is_unwatched {
            watched.remove(&key);
        }
        is_unwatched
    }

    fn watched(&self) -> MutexGuard<'_, HashMap<(MatchId, Duration), broadcast::Sender<Shown>>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads a match for its spectators until it has ended, or until the last of them has left.
async fn read(
    store: &Store,
    (match_id, delay): (MatchId, Duration),
    mut after: i64,
    (sender, broadcasts): (&broadcast::Sender<Shown>, &Broadcasts),
) {
    let (mut last_state, mut held) = (String::new(), VecDeque::new());
    loop {
        match step(store, (match_id, delay), after).await {
            Ok((reports, view)) => {
                let is_empty = reports.is_empty();
                for (sequence, text) in reports {
                    after = sequence;
                    drop(sender.send(Shown::Report(sequence, text.into())));
                }
                let state = state_of(&view);
                if state != last_state {
                    held.push_back((Instant::now() + delay, Arc::from(&*state)));
                    last_state = state;
                }
                while let Some((_, state)) =
                    held.pop_front_if(|(at, _): &mut (Instant, Arc<str>)| *at <= Instant::now())
                {
                    drop(sender.send(Shown::State(state)));
                }
                let is_over = view.ended_at.is_some_and(|ended_at| ended_at + delta(delay) <= store.clock().now());
                if is_over && is_empty {
                    return;
                }
            }
            Err(error) => tracing::warn!(%error, %match_id, "a match could not be read for its spectators"),
        }
        sleep(EVERY).await;
        if broadcasts.remove_if_unwatched((match_id, delay), sender) {
            return;
        }
    }
}

async fn step(
    store: &Store,
    (match_id, delay): (MatchId, Duration),
    after: i64,
) -> Result<(Vec<(i64, String)>, MatchView), StoreError> {
    let until = store.clock().now() - delta(delay);
    let reports = store.match_reports(match_id, after, until, STEP).await?;
    let view = store.arena_match(match_id).await?;
    let view = view.ok_or_else(|| StoreError::Damaged(format!("{match_id} is gone")))?;
    Ok((reports.iter().map(|report| (report.sequence, shown(report, &view))).collect(), view))
}

fn delta(delay: Duration) -> TimeDelta {
    TimeDelta::from_std(delay).unwrap_or(TimeDelta::zero())
}

fn time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// A report as spectators see it. An answer is sealed until its turn has closed.
pub(in crate::arena) fn shown(report: &ReportRow, view: &MatchView) -> String {
    let mut body: serde_json::Map<String, Value> = serde_json::from_str(&report.body).unwrap_or_default();
    let is_open = view.ended_at.is_none() && report.turn >= view.turn;
    if is_open && body.get("type").is_some_and(|event_type| event_type == "answer") {
        body.remove("value");
        body.insert("sealed".to_owned(), json!(true));
    }
    body.insert("seq".to_owned(), json!(report.sequence));
    body.insert("match_id".to_owned(), json!(view.id));
    body.insert("agent_id".to_owned(), json!(report.agent_id));
    body.insert("round".to_owned(), json!(report.turn));
    body.insert("reported_at".to_owned(), json!(time(report.reported_at)));
    Value::Object(body).to_string()
}

/// The state of the match, as spectators see it.
fn state_of(view: &MatchView) -> String {
    let agents: Vec<_> = view
        .seats
        .iter()
        .map(|seat| {
            json!({
                "agent_id": seat.agent_id, "name": seat.agent_name, "answered": seat.settled,
                "total": seat.total, "place": seat.place,
            })
        })
        .collect();
    json!({
        "type": "match.state", "match_id": view.id, "league": view.league, "status": view.phase, "round": view.turn,
        "total_rounds": view.turn_count, "task_id": view.task_id, "deadline": view.deadline.map(time),
        "winner_agent_id": view.winner_id, "agents": agents,
    })
    .to_string()
}

/// Sends a match to a spectator until it has ended.
pub(super) async fn watch(
    app: Arc<App>,
    broadcasts: Arc<Broadcasts>,
    (match_id, (from, delay)): (MatchId, (i64, Duration)),
    (mut session, mut messages): (Session, AggregatedMessageStream),
    permit: Permit,
) {
    let end = show(&app, &broadcasts, (match_id, from, delay), (&mut session, &mut messages)).await;
    if let Some(code) = end {
        drop(session.close(Some(CloseReason { code, description: None })).await);
    }
    drop(permit);
}

/// Returns the code to close with; `None` if the spectator is gone.
async fn show(
    app: &App,
    broadcasts: &Arc<Broadcasts>,
    (match_id, from, delay): (MatchId, i64, Duration),
    (session, messages): (&mut Session, &mut AggregatedMessageStream),
) -> Option<CloseCode> {
    // Subscribed first, so that nothing is missed between the past and what follows.
    let head = match app.store.match_reports(match_id, from, app.store.clock().now() - delta(delay), STEP).await {
        Ok(reports) => reports.last().map_or(from, |report| report.sequence),
        Err(_) => return Some(CloseCode::Again),
    };
    let mut receiver = broadcasts.subscribe(&app.store, (match_id, delay), head, &app.stopping);
    let mut sent = from;
    loop {
        let Ok((past, view)) = step(&app.store, (match_id, delay), sent).await else { return Some(CloseCode::Again) };
        if past.is_empty() {
            if delay.is_zero() {
                session.text(state_of(&view)).await.ok()?;
            }
            break;
        }
        for (sequence, text) in past {
            session.text(text).await.ok()?;
            sent = sequence;
        }
    }
    loop {
        tokio::select! {
            shown = receiver.recv() => match shown {
                Ok(Shown::Report(sequence, text)) if sequence > sent => {
                    sent = sequence;
                    session.text(&*text).await.ok()?;
                }
                Ok(Shown::Report(..)) => {}
                Ok(Shown::State(text)) => session.text(&*text).await.ok()?,
                Ok(Shown::End) | Err(broadcast::error::RecvError::Closed) => {
                    session.text(json!({ "type": "stream.end", "match_id": match_id, "seq": sent }).to_string()).await.ok()?;
                    return Some(CloseCode::Normal);
                }
                Err(broadcast::error::RecvError::Lagged(missed)) => {
                    session.text(json!({ "type": "stream.gap", "missed": missed, "seq": sent }).to_string()).await.ok()?;
                }
            },
            message = messages.next() => match message {
                Some(Ok(AggregatedMessage::Ping(bytes))) => session.pong(&bytes).await.ok()?,
                Some(Ok(AggregatedMessage::Close(_)) | Err(_)) | None => return Some(CloseCode::Normal),
                Some(Ok(_)) => {}
            },
            () = sleep(KEEP_ALIVE) => session.ping(b"").await.ok()?,
            () = app.stopping.cancelled() => return Some(CloseCode::Restart),
        }
    }
}
