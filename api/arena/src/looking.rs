//! What an agent without a socket has to do: its place in the queue, its open turn, and the result of its latest match.

use std::cell::RefCell;

use buildtrack_domain::{
    arena::matches::Match,
    ids::{AgentId, MatchId},
};
use buildtrack_http::{app::App, problem::Problem};
use buildtrack_store::{MatchFilter, Store, StoreError};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::value::RawValue;

use super::{
    playing_schemas::ArenaPresence,
    socket::{Story, request_to},
};

/// How long the result of an agent's latest match is shown.
const SHOWN: TimeDelta = TimeDelta::minutes(10);
/// How long it is news, for which an idle agent does not wait.
const NEWS: TimeDelta = TimeDelta::seconds(30);

/// What an agent was told.
pub(super) struct Seen {
    pub(super) presence: ArenaPresence,
    /// Whether the agent does nothing since its match ended a short time ago.
    pub(super) has_just_ended: bool,
    /// The end of the log before the look.
    pub(super) head: i64,
}

/// The result that a call has read: a call looks many times, and the log of a match may be long.
pub(super) type ResultCache = RefCell<Option<(MatchId, Box<RawValue>)>>;

/// Looks what an agent has to do. Its place in the queue is missing: to count the agents before it is not worth the work at each look.
pub(super) async fn look(app: &App, agent_id: AgentId, cache: &ResultCache) -> Result<Seen, Problem> {
    let store = &app.store;
    // Read before the queries, so that no event after it can be missed.
    let head = store.log().tail().head();
    let matches = store.arena().matches_of(agent_id).await?;
    let status = if !matches.is_empty() {
        "playing"
    } else if store.arena().is_queued(agent_id).await? {
        "queued"
    } else {
        "idle"
    };
    let request = request(store, agent_id, &matches).await?;
    let now = store.log().clock().now();
    let ended = if matches.is_empty() { latest_result(store, agent_id, now - SHOWN, cache).await? } else { None };
    let has_just_ended = status == "idle" && ended.as_ref().is_some_and(|(ended_at, _)| now - *ended_at <= NEWS);
    let result = ended.map(|(_, result)| result);
    let presence = ArenaPresence { status, position: None, queue_size: 0, request, result };
    Ok(Seen { presence, has_just_ended, head })
}

impl Seen {
    /// What the agent is told, with its place in the queue.
    pub(super) async fn placed(self, store: &Store, agent_id: AgentId) -> Result<ArenaPresence, StoreError> {
        let (position, queue_size) = store.arena().queue_position(agent_id).await?;
        let status = match position {
            _ if self.presence.status == "playing" => "playing",
            Some(_) => "queued",
            None => "idle",
        };
        Ok(ArenaPresence { status, position, queue_size, ..self.presence })
    }
}

/// The request of the turn that ends first, of those that the agent has to answer or to judge.
async fn request(store: &Store, agent_id: AgentId, matches: &[MatchId]) -> Result<Option<Box<RawValue>>, StoreError> {
    let now = store.log().clock().now();
    let mut first: Option<(DateTime<Utc>, MatchId)> = None;
    for match_id in matches.iter().copied().chain(store.arena().ballots_of(agent_id).await?) {
        let state = store.arena().match_state(match_id).await?;
        let due_at = due_to(&state, agent_id).filter(|due_at| *due_at > now);
        first = first.into_iter().chain(due_at.map(|due_at| (due_at, match_id))).min_by_key(|(due_at, _)| *due_at);
    }
    let Some((_, match_id)) = first else { return Ok(None) };
    let events = store.arena().match_course(match_id).await?;
    let mut story = Story::of(&events);
    story.take_answers(store, &[agent_id]).await?;
    let text = request_to(&story, store.arena().bank(), agent_id, now);
    Ok(text.and_then(|text| RawValue::from_string(text).ok()))
}

/// Until when an agent may answer the open turn, or vote on it; `None` if it may not.
fn due_to(state: &Match, agent_id: AgentId) -> Option<DateTime<Utc>> {
    let (created, open) = state.playing().ok()?;
    if let Some(panel) = open.panel() {
        return panel.waiting().any(|judge| judge.agent_id == agent_id).then_some(panel.due_at);
    }
    let seat = created.seat_of(agent_id).ok()?;
    matches!(open.settled.get(usize::from(seat)), Some(None)).then_some(open.due_at)
}

/// The result of the agent's latest match, with the time of its end, if it ended since then.
async fn latest_result(
    store: &Store,
    agent_id: AgentId,
    since: DateTime<Utc>,
    cache: &ResultCache,
) -> Result<Option<(DateTime<Utc>, Box<RawValue>)>, StoreError> {
    let filter = MatchFilter { agent_id: Some(agent_id), limit: 1, ..MatchFilter::default() };
    let latest = store.arena().matches(&filter).await?.pop();
    let ended = latest.and_then(|latest| Some((latest.id, latest.ended_at?)));
    let Some((match_id, ended_at)) = ended.filter(|(_, ended_at)| *ended_at >= since) else { return Ok(None) };
    let known = cache.borrow().as_ref().filter(|(known, _)| *known == match_id).map(|(_, result)| result.clone());
    if let Some(result) = known {
        return Ok(Some((ended_at, result)));
    }
    let events = store.arena().match_course(match_id).await?;
    let story = Story::of(&events);
    let text = story.state.created.as_deref().map(|created| story.result(created));
    let result = text.and_then(|text| RawValue::from_string(text).ok());
    *cache.borrow_mut() = result.clone().map(|result| (match_id, result));
    Ok(result.map(|result| (ended_at, result)))
}
