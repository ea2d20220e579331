//! Sends rounds to agents' endpoints (seed AAP), in one process at a time, and records their answers.
//!
//! **Invariant:** what has been sent is in no table: after a loss of this process, another one sends the rounds of the open turns
//! again, with the time that is left. An agent may get a round twice, and its first answer counts.

use std::{collections::HashSet, time::Duration};

use buildtrack_domain::{
    arena::matches::{
        AnswerTurn, Match, MatchError, MatchEvent, MissReason, MissTurn, SealedAnswer, VoidMatch, VoidReason,
    },
    decide::Command,
    ids::{AgentId, MatchId},
};
use buildtrack_store::{ArenaChange, OpenRound, PauseReason, Store, StoreError};
use reqwest::{Method, StatusCode};
use tokio::{
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    aap::{Round, claims, read_answer},
    judge::task_of,
    panel, sparring,
    waiting::wait,
};
use crate::{
    decisions::on_thread,
    leased::{LeasedTask, Next, Schedule},
    outbound::{Body, CallError, Client, Limits, Refused, Request, Response},
};

const LEASE: &str = "arena rounds";
/// Rounds that are under way at once.
const ROUNDS: usize = 2000;
/// Bytes of an answer that are read: the longest answer, escaped, with its other members.
const BODY_MAX: usize = 512 * 1024;
/// How long an agent is paused that answered 429 (seed: «Tu agente paused 5min»).
const PAUSE: Duration = Duration::from_mins(5);
/// The least time that is left for a second try after a status 500.
const RETRY_MIN: Duration = Duration::from_secs(1);

pub(super) type Key = (MatchId, u16, AgentId);

/// Sends rounds.
pub(crate) struct Rounds {
    store: Store,
    client: Client,
    public_url: String,
    under_way: HashSet<Key>,
    calls: JoinSet<Key>,
}

impl Rounds {
    pub(crate) fn new(store: Store, client: Client, public_url: String) -> Self {
        Self { store, client, public_url, under_way: HashSet::new(), calls: JoinSet::new() }
    }
}

impl LeasedTask for Rounds {
    type Error = StoreError;

    const SCHEDULE: Schedule = Schedule::following(LEASE, Duration::from_secs(10), Duration::from_secs(1));

    async fn step(&mut self, stop: &CancellationToken) -> Result<Next, StoreError> {
        let seen = self.store.tail().head();
        while let Some(done) = self.calls.try_join_next() {
            if let Ok(key) = done {
                self.under_way.remove(&key);
            }
        }
        if self.calls.is_empty() {
            self.under_way.clear();
        }
        sparring::answer_turns(&self.store).await?;
        let limit = i64::try_from(ROUNDS).unwrap_or(i64::MAX);
        let rounds = self.store.open_rounds(limit).await?.into_iter().map(|round| (round, false));
        let ballots = self.store.open_ballots(limit).await?.into_iter().map(|round| (round, true));
        for (round, is_ballot) in rounds.chain(ballots) {
            let key = (round.match_id, round.turn, round.agent_id);
            if self.calls.len() < ROUNDS && self.under_way.insert(key) {
                let (store, client, public_url) = (self.store.clone(), self.client.clone(), self.public_url.clone());
                self.calls.spawn(async move {
                    let played = if is_ballot {
                        panel::ask(&store, &client, &public_url, round).await
                    } else {
                        play(&store, &client, &public_url, round).await
                    };
                    if let Err(error) = played {
                        tracing::warn!(%error, match_id = %key.0, agent_id = %key.2, "a round could not be played; it is sent again");
                    }
                    key
                });
            }
        }
        wait(&self.store, seen, stop).await?;
        Ok(Next::Now)
    }
}

/// How a round ended for its agent.
pub(super) enum Played {
    Answered(SealedAnswer),
    /// The agent is unavailable (AAP status 503).
    Unavailable,
    Missed(MissReason, Option<u16>),
}

/// Sends one round and records its outcome.
async fn play(store: &Store, client: &Client, public_url: &str, round: OpenRound) -> Result<(), StoreError> {
    let (match_id, turn, agent_id) = (round.match_id, round.turn, round.agent_id);
    let loaded = store.clone();
    let state = on_thread(move || async move { loaded.arena_state(match_id).await }).await??;
    let Ok((created, open)) = state.playing() else { return Ok(()) };
    if open.number != turn {
        return Ok(());
    }
    let Ok(task) = task_of(store.bank(), open) else { return Ok(()) };
    let played = match &round.endpoint_url {
        _ if round.is_paused => Played::Missed(MissReason::RateLimited, None),
        None => Played::Missed(MissReason::Withdrawn, None),
        Some(base) => {
            let token = store
                .sign_token(&claims((agent_id, match_id), (public_url, base), open.due_at, store.clock().uuid()))
                .await?;
            let seat = created.seat_of(agent_id).ok();
            let public = task.public_for(seat.and_then(|seat| open.sides.get(usize::from(seat)).copied()));
            let round = Round {
                match_id,
                round: turn,
                total_rounds: created.turn_count,
                opponents: created.seats.len() - 1,
                league: created.league,
                public: &public,
                limits: task.limits(),
            };
            let left = (open.due_at - store.clock().now()).to_std().unwrap_or_default();
            let url = format!("{base}/agora");
            let call = send(client, &url, &token, round.body(), left);
            // The referee closes the turn at its deadline.
            match timeout(left, call).await {
                Ok(played) => played,
                Err(_) => return Ok(()),
            }
        }
    };
    pause_after(store, agent_id, &played).await?;
    let shared = store.clone();
    on_thread(move || async move { record(&shared, (match_id, turn, agent_id), &played).await }).await?
}

/// Pauses an agent that asked for it.
pub(super) async fn pause_after(store: &Store, agent_id: AgentId, played: &Played) -> Result<(), StoreError> {
    let pause = match played {
        Played::Missed(MissReason::RateLimited, Some(_)) => Some(PauseReason::RateLimited),
        Played::Unavailable => Some(PauseReason::Unavailable),
        _ => None,
    };
    if let Some(reason) = pause {
        let until = store.clock().after(PAUSE);
        store.write_side([ArenaChange::EndpointPaused { agent_id, until, reason }]).await?;
    }
    Ok(())
}

/// The request of a round.
pub(super) fn request<'u>(url: &'u str, token: &str, body: String, timeout: Duration) -> Request<'u> {
    let limits = Limits { timeout, body_max: BODY_MAX };
    let headers = vec![("Content-Type", "application/json".to_owned()), ("Authorization", format!("Bearer {token}"))];
    Request { method: Method::POST, url, headers, body: Some(body), limits }
}

/// Sends the round, and a second time after a status 500.
pub(super) async fn send(client: &Client, url: &str, token: &str, body: String, left: Duration) -> Played {
    let begun = tokio::time::Instant::now();
    let mut tries = 0;
    loop {
        tries += 1;
        let request = request(url, token, body.clone(), left.saturating_sub(begun.elapsed()));
        // An agent gets rounds only after a good health check, so its host has the larger budget. The caller bounds the wait.
        let _permit = loop {
            match client.admit(url, true).await {
                Ok(permit) => break permit,
                Err(Refused { wait }) => sleep(wait).await,
            }
        };
        let answer = client.send(request).await;
        let may_retry = tries == 1 && left.saturating_sub(begun.elapsed()) > RETRY_MIN;
        match answer {
            Ok(answer) if answer.status == StatusCode::INTERNAL_SERVER_ERROR && may_retry => {}
            Ok(answer) => return read(&answer),
            Err(CallError::Timeout) => return Played::Missed(MissReason::Timeout, None),
            Err(_) => return Played::Missed(MissReason::Unreachable, None),
        }
    }
}

/// An agent that is unavailable in the first round skips the match, without penalty (seed: «Skip match, no penalty»). Later, and
/// in a match of more than two, it loses the round: it would otherwise decide over the others' match.
fn unavailable(state: &Match, (agent_id, turn): (AgentId, u16)) -> Result<Vec<MatchEvent>, MatchError> {
    let (created, _) = state.playing()?;
    if turn == 1 && created.seats.len() == 2 {
        let evidence = format!("{agent_id} answered 503 to the first round");
        return VoidMatch { reason: VoidReason::Unavailable, evidence }.decide(state);
    }
    MissTurn { agent_id, turn, reason: MissReason::ServerError, status: Some(503) }.decide(state)
}

/// The table of AAP's codes.
fn read(answer: &Response) -> Played {
    let status = answer.status.as_u16();
    let missed = |reason| Played::Missed(reason, Some(status));
    match status {
        200 => {
            let Body { bytes, is_complete } = &answer.body;
            match read_answer(bytes).filter(|_| *is_complete) {
                Some(sealed) => Played::Answered(sealed),
                None => missed(MissReason::InvalidAnswer),
            }
        }
        408 => missed(MissReason::Timeout),
        429 => missed(MissReason::RateLimited),
        503 => Played::Unavailable,
        500..=599 => missed(MissReason::ServerError),
        _ => missed(MissReason::InvalidAnswer),
    }
}

/// Records the outcome. An agent that is settled already, or a turn that is closed, stays as it is.
async fn record(store: &Store, (match_id, turn, agent_id): Key, played: &Played) -> Result<(), StoreError> {
    let recorded = store
        .transact::<(), StoreError>(Some(agent_id.into()), async |unit| {
            let state = unit.load::<Match>(match_id).await?;
            let decided = match played {
                Played::Answered(answer) => {
                    let (commitment, now) = (answer.commitment(), store.clock().now());
                    AnswerTurn { agent_id, turn, commitment, now }.decide(&state.state)
                }
                Played::Unavailable => unavailable(&state.state, (agent_id, turn)),
                Played::Missed(reason, status) => {
                    MissTurn { agent_id, turn, reason: *reason, status: *status }.decide(&state.state)
                }
            };
            let Ok(events) = decided else { return Ok(()) };
            if events.iter().any(|event| matches!(event, MatchEvent::Voided(_))) {
                unit.write_side(ArenaChange::Unsealed { match_id });
            }
            unit.append(match_id, &state, events);
            if let Played::Answered(answer) = played {
                unit.write_side(ArenaChange::Sealed { match_id, turn, agent_id, answer: answer.clone() });
            }
            Ok(())
        })
        .await;
    match recorded {
        Err(StoreError::Conflict { .. }) => Ok(()),
        recorded => recorded.map(drop),
    }
}
