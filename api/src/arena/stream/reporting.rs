//! An agent that reports what it does, for spectators.

use std::{sync::Arc, time::Duration};

use actix_ws::{AggregatedMessage, AggregatedMessageStream, CloseCode, CloseReason, Session};
use buildtrack_domain::{
    arena::matches::{Match, MatchError},
    ids::MatchId,
};
use buildtrack_store::{ArenaChange, NewReport, StoreError};
use futures_util::StreamExt;
use serde_json::{Map, Value, json};
use tokio::time::{Instant, timeout};

use crate::{
    arena::tokens::Reporter,
    http::{app::App, streaming::Permit},
};

/// The types of events (seed: «Tipos de eventos»).
const TYPES: [&str; 8] = [
    "thinking",
    "spawn_subagent",
    "tool_call",
    "tool_response",
    "subagent_done",
    "intermediate_result",
    "answer",
    "error",
];
/// Bytes of a report.
const REPORT_MAX: usize = 2048;
/// Reports that an agent may send in each period.
const REPORTS: u32 = 50;
const PERIOD: Duration = Duration::from_secs(10);
/// A connection without a message for so long is closed.
const IDLE: Duration = Duration::from_mins(5);

/// Stores an agent's reports until the connection ends.
pub(super) async fn report(
    app: Arc<App>,
    reporter: Reporter,
    (mut session, mut messages): (Session, AggregatedMessageStream),
    permit: Permit,
) {
    let (mut counted, mut period_ends) = (0, Instant::now() + PERIOD);
    // The match whose reports are full, which the agent is told once.
    let mut full = None;
    let stopping = app.stopping.clone();
    let reason = loop {
        let message = tokio::select! {
            message = timeout(IDLE, messages.next()) => message,
            () = stopping.cancelled() => break CloseReason { code: CloseCode::Restart, description: None },
        };
        let text = match message {
            Err(_) => {
                break CloseReason { code: CloseCode::Policy, description: Some("no message for 5 minutes".into()) };
            }
            Ok(Some(Ok(AggregatedMessage::Text(text)))) => text,
            Ok(Some(Ok(AggregatedMessage::Ping(bytes)))) => {
                if session.pong(&bytes).await.is_err() {
                    return;
                }
                continue;
            }
            Ok(Some(Ok(AggregatedMessage::Binary(_) | AggregatedMessage::Pong(_)))) => continue,
            Ok(Some(Ok(AggregatedMessage::Close(_)) | Err(_)) | None) => return drop(session.close(None).await),
        };
        if Instant::now() >= period_ends {
            (counted, period_ends) = (0, Instant::now() + PERIOD);
        }
        counted += 1;
        let stored = if counted > REPORTS {
            Err(("rate_limited", "more than 50 reports in 10 seconds; this one is dropped".to_owned()))
        } else {
            store(&app, &reporter, &text, &mut full).await
        };
        if let Err((code, message)) = stored {
            let error = json!({ "type": "stream.error", "code": code, "message": message });
            if session.text(error.to_string()).await.is_err() {
                return;
            }
        }
    };
    drop(session.close(Some(reason)).await);
    drop(permit);
}

async fn store(
    app: &App,
    reporter: &Reporter,
    text: &str,
    full: &mut Option<MatchId>,
) -> Result<(), (&'static str, String)> {
    let invalid = |message: &str| ("invalid_report", message.to_owned());
    if text.len() > REPORT_MAX {
        return Err(("report_too_large", format!("a report has at most {REPORT_MAX} bytes")));
    }
    let mut body: Map<String, Value> =
        serde_json::from_str(text).map_err(|_| invalid("a report is a JSON object with a \"type\""))?;
    let event_type = body.get("type").and_then(Value::as_str).unwrap_or_default();
    if !TYPES.contains(&event_type) {
        return Err(invalid("\"type\" is not one of the eight event types"));
    }
    let named = body.remove("match_id").and_then(|id| id.as_str().and_then(|id| id.parse().ok()));
    let unavailable = |error: StoreError| {
        tracing::warn!(%error, "a report could not be stored");
        ("unavailable", "the server cannot store this now".to_owned())
    };
    let match_id: MatchId = match reporter.match_id.or(named) {
        Some(match_id) => match_id,
        None => match app.store.matches_of(reporter.agent_id).await.map_err(unavailable)?[..] {
            [match_id] => match_id,
            [] => return Err(("no_match", "the agent plays no match".to_owned())),
            _ => return Err(("several_matches", "the agent plays several matches: send \"match_id\"".to_owned())),
        },
    };
    let state = app.store.arena_state(match_id).await.map_err(unavailable)?;
    let turn = turn_of(&state, reporter).map_err(|error| ("not_playing", error.to_string()))?;
    if *full == Some(match_id) {
        return Ok(());
    }
    if app.store.has_all_reports(match_id, reporter.agent_id).await.map_err(unavailable)? {
        *full = Some(match_id);
        let message = "the match has all reports that the server keeps; further ones are dropped without an answer";
        return Err(("too_many_reports", message.to_owned()));
    }
    let report = NewReport { match_id, agent_id: reporter.agent_id, turn, body: Value::Object(body).to_string() };
    app.store.write_side([ArenaChange::Reported(Box::new(report))]).await.map_err(unavailable)
}

/// The open turn of the match, if the agent has a seat in it.
fn turn_of(state: &Match, reporter: &Reporter) -> Result<u16, MatchError> {
    let (created, open) = state.playing()?;
    created.seat_of(reporter.agent_id)?;
    Ok(open.number)
}
