//! An agent that reports what it does, for spectators.

use std::{sync::Arc, time::Duration};

use actix_ws::{AggregatedMessage, CloseCode, CloseReason, Session};
use buildtrack_domain::{
    arena::matches::{Match, MatchError},
    ids::MatchId,
};
use buildtrack_http::{
    app::App,
    frames::{Broken, Messages},
    streaming::Permit,
};
pub(super) use buildtrack_store::{ArenaChange, NewReport, StoreError};
use serde_json::{Map, Value, json};
use tokio::time::{Instant, timeout};

use crate::tokens::Reporter;

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
/// What the name of a type begins with that an agent has made up.
const OWN: &str = "x-";
/// Characters of such a name after that.
const OWN_MAX: usize = 38;
/// Bytes of a report.
const REPORT_MAX: usize = 2048;
/// Reports that an agent may send in each period.
const REPORTS: u32 = 50;
const PERIOD: Duration = Duration::from_secs(10);
/// A connection without a message for so long is closed.
const IDLE: Duration = Duration::from_mins(5);

/// Stores an agent's reports until the connection, or the right of its token, ends.
pub(super) async fn report(
    app: Arc<App>,
    reporter: Reporter,
    (mut session, messages): (Session, Messages),
    permit: Permit,
) {
    // Beside all of it, so that the connection also ends while an agent does not read.
    let reason = tokio::select! {
        reason = receive(&app, &reporter, &mut session, messages) => reason,
        ending = reporter.right.ended() => {
            Some(CloseReason { code: CloseCode::Policy, description: Some(ending.reason().to_owned()) })
        }
    };
    drop(permit);
    drop(session.close(reason).await);
}

/// Stores reports, and returns why the server closes the connection; `None` if the agent has closed it or is gone.
async fn receive(app: &App, reporter: &Reporter, session: &mut Session, mut messages: Messages) -> Option<CloseReason> {
    let (mut counted, mut period_ends) = (0, Instant::now() + PERIOD);
    // The match whose reports are full, which the agent is told once.
    let mut full = None;
    let stopping = app.stopping.clone();
    loop {
        let message = tokio::select! {
            message = timeout(IDLE, messages.next()) => message,
            () = stopping.cancelled() => return Some(CloseReason { code: CloseCode::Restart, description: None }),
        };
        let text = match message {
            Err(_) => {
                let description = Some("no message for 5 minutes".into());
                return Some(CloseReason { code: CloseCode::Policy, description });
            }
            Ok(Some(Ok(AggregatedMessage::Text(text)))) => text,
            Ok(Some(Ok(AggregatedMessage::Ping(bytes)))) => {
                session.pong(&bytes).await.ok()?;
                continue;
            }
            Ok(Some(Ok(AggregatedMessage::Binary(_)))) => match messages.count() {
                Ok(()) => continue,
                Err(broken) => return broken.reason(),
            },
            Ok(Some(Ok(AggregatedMessage::Pong(_)))) => continue,
            Ok(Some(Err(broken))) => {
                if broken == Broken::TooLarge {
                    drop(session.text(refusal(&too_large())).await);
                }
                return broken.reason();
            }
            Ok(Some(Ok(AggregatedMessage::Close(_))) | None) => return None,
        };
        if Instant::now() >= period_ends {
            (counted, period_ends) = (0, Instant::now() + PERIOD);
        }
        counted += 1;
        let stored = if counted > REPORTS {
            // A client that goes on without end is closed.
            if let Err(broken) = messages.count() {
                return broken.reason();
            }
            Err(("rate_limited", "more than 50 reports in 10 seconds; this one is dropped".to_owned()))
        } else {
            store(app, reporter, &text, &mut full).await
        };
        if let Err(error) = stored
            && session.text(refusal(&error)).await.is_err()
        {
            return None;
        }
    }
}

/// Why a report is refused: a code and its meaning.
type Refused = (&'static str, String);

/// The message that tells an agent why its report is refused.
fn refusal((code, message): &Refused) -> String {
    json!({ "type": "stream.error", "code": code, "message": message }).to_string()
}

fn too_large() -> Refused {
    ("report_too_large", format!("a report has at most {REPORT_MAX} bytes"))
}

async fn store(app: &App, reporter: &Reporter, text: &str, full: &mut Option<MatchId>) -> Result<(), Refused> {
    let invalid = |message: &str| ("invalid_report", message.to_owned());
    if text.len() > REPORT_MAX {
        return Err(too_large());
    }
    let mut body: Map<String, Value> =
        serde_json::from_str(text).map_err(|_| invalid("a report is a JSON object with a \"type\""))?;
    let event_type = body.get("type").and_then(Value::as_str).unwrap_or_default();
    if !is_type(event_type) {
        return Err(invalid("\"type\" is neither one of the eight event types nor a name like \"x-plan\""));
    }
    let named = body.remove("match_id").and_then(|id| id.as_str().and_then(|id| id.parse().ok()));
    let unavailable = |error: StoreError| {
        tracing::warn!(%error, "a report could not be stored");
        ("unavailable", "the server cannot store this now".to_owned())
    };
    let match_id: MatchId = match reporter.match_id.or(named) {
        Some(match_id) => match_id,
        None => match app.store.arena().matches_of(reporter.agent_id).await.map_err(unavailable)?[..] {
            [match_id] => match_id,
            [] => return Err(("no_match", "the agent plays no match".to_owned())),
            _ => return Err(("several_matches", "the agent plays several matches: send \"match_id\"".to_owned())),
        },
    };
    let state = app.store.arena().match_state(match_id).await.map_err(unavailable)?;
    let turn = turn_of(&state, reporter).map_err(|error| ("not_playing", error.to_string()))?;
    if *full == Some(match_id) {
        return Ok(());
    }
    if app.store.arena().has_all_reports(match_id, reporter.agent_id).await.map_err(unavailable)? {
        *full = Some(match_id);
        let message = "the match has all reports that the server keeps; further ones are dropped without an answer";
        return Err(("too_many_reports", message.to_owned()));
    }
    let report = NewReport { match_id, agent_id: reporter.agent_id, turn, body: Value::Object(body).to_string() };
    app.store.log().write_side([ArenaChange::Reported(Box::new(report))]).await.map_err(unavailable)
}

/// Whether this is a type of the protocol, or an agent's own: `x-` and 1 to 38 characters of a–z, 0–9 and `-`.
fn is_type(name: &str) -> bool {
    let own = name.strip_prefix(OWN).is_some_and(|own| {
        let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        (1..=OWN_MAX).contains(&own.len()) && own.bytes().all(allowed)
    });
    own || TYPES.contains(&name)
}

/// The open turn of the match, if the agent has a seat in it.
fn turn_of(state: &Match, reporter: &Reporter) -> Result<u16, MatchError> {
    let (created, open) = state.playing()?;
    created.seat_of(reporter.agent_id)?;
    Ok(open.number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_of_the_protocol_or_a_short_name_that_begins_with_x() {
        for name in TYPES.into_iter().chain(["x-plan", "x-2-b", "x--", &format!("x-{}", "a".repeat(OWN_MAX))]) {
            assert!(is_type(name), "{name}");
        }
        for name in ["", "plan", "x-", "X-plan", "x-Plan", "x-a b", "x_plan", "x-é", &format!("x-{}", "a".repeat(39))]
        {
            assert!(!is_type(name), "{name}");
        }
    }
}
