//! Sends rounds to agents' endpoints (seed AAP), in one process at a time, and records their answers.
//!
//! **Invariant:** what has been sent is in no table: after a loss of this process, another one sends the rounds of the open turns
//! again, with the time that is left. An agent may get a round twice, and its first answer counts. **Invariant:** owners share the slots
//! of rounds ([`Shares`]): endpoints of one that do not answer delay its own rounds.

use std::{collections::HashSet, panic::AssertUnwindSafe, time::Duration};

use buildtrack_domain::{
    arena::matches::{AnswerTurn, Match, MatchError, MatchEvent, MissReason, MissTurn, SEATS_MAX, SkipMatch},
    decide::Command,
    ids::AgentId,
};
use buildtrack_store::{ArenaChange, OpenRound, Store, StoreError, skips_cap};
use chrono::TimeDelta;
use futures_util::FutureExt;
use tokio::{
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    aap::{Round, claims},
    judge::task_of,
    panel,
    sending::{Key, Played, pause_after, send, while_paused},
    shares::{ROUNDS, Share, Shares},
    sparring::Bot,
    waiting::{LONG_REST, wait},
};
use crate::{
    decisions::on_thread,
    leased::{LeasedTask, Next, Schedule},
    outbound::Client,
};

const LEASE: &str = "arena rounds";
/// Open rounds of each kind that are looked at: of each owner the oldest first.
const LOOKED_AT: i64 = 10_000;
/// The number of open rounds above which a look costs much, and the pause before the next one.
const CROWD: usize = 1000;
const CROWDED_REST: Duration = Duration::from_millis(250);
/// How long after a failure of the database a round is sent again: its endpoint is not to blame.
const AGAIN: Duration = Duration::from_secs(1);
/// The matches that an agent may skip without penalty in a day. Beyond, it could look at each task before it plays.
const SKIPS: i64 = 2;
const DAY: TimeDelta = TimeDelta::hours(24);

/// Sends rounds.
pub(crate) struct Rounds {
    store: Store,
    client: Client,
    public_url: String,
    bot: Bot,
    shares: Shares,
    under_way: HashSet<Key>,
    calls: JoinSet<(Key, Share)>,
}

impl Rounds {
    pub(crate) fn new(store: Store, client: Client, public_url: String) -> Self {
        let (bot, shares) = (Bot::new(), Shares::new(ROUNDS));
        Self { store, client, public_url, bot, shares, under_way: HashSet::new(), calls: JoinSet::new() }
    }

    /// Frees the slots of the rounds that have ended.
    fn settle(&mut self) {
        while let Some(done) = self.calls.try_join_next() {
            if let Ok((key, share)) = done {
                self.under_way.remove(&key);
                self.shares.give_back(share);
            }
        }
    }

    /// Sends a round, if it is not under way and its owner may have another slot.
    fn begin(&mut self, round: OpenRound, is_ballot: bool) {
        let key = (round.match_id, round.turn, round.agent_id);
        if self.under_way.contains(&key) {
            return;
        }
        let Some(share) = self.shares.take(round.owner_id) else { return };
        self.under_way.insert(key);
        let (store, client, public_url) = (self.store.clone(), self.client.clone(), self.public_url.clone());
        self.calls.spawn(async move {
            let played = async {
                if is_ballot {
                    panel::ask(&store, &client, &public_url, round).await
                } else {
                    play(&store, &client, &public_url, round).await
                }
            };
            let panicked = |_| Err(StoreError::Damaged("the work on the round panicked".to_owned()));
            if let Err(error) = AssertUnwindSafe(played).catch_unwind().await.unwrap_or_else(panicked) {
                tracing::warn!(%error, match_id = %key.0, agent_id = %key.2, "a round could not be played; it is sent again");
                sleep(AGAIN).await;
            }
            (key, share)
        });
    }
}

impl LeasedTask for Rounds {
    type Error = StoreError;

    const SCHEDULE: Schedule = Schedule::following(LEASE, Duration::from_secs(10), Duration::from_secs(1));

    async fn step(&mut self, stop: &CancellationToken) -> Result<Next, StoreError> {
        let seen = self.store.log().tail().head();
        self.settle();
        self.bot.answer_turns(&self.store).await?;
        let rounds = self.store.arena().open_rounds(LOOKED_AT).await?.into_iter().map(|round| (round, false));
        let ballots = self.store.arena().open_ballots(LOOKED_AT).await?.into_iter().map(|round| (round, true));
        let mut open: Vec<_> = rounds.chain(ballots).collect();
        let rest = if open.len() > CROWD { CROWDED_REST } else { LONG_REST };
        open.sort_by_key(|(round, _)| round.rank);
        for (round, is_ballot) in open {
            self.begin(round, is_ballot);
        }
        wait(&self.store, seen, rest, stop).await?;
        Ok(Next::Now)
    }
}

/// Sends one round and records its outcome.
async fn play(store: &Store, client: &Client, public_url: &str, round: OpenRound) -> Result<(), StoreError> {
    let (match_id, turn, agent_id) = (round.match_id, round.turn, round.agent_id);
    let loaded = store.clone();
    let state = on_thread(move || async move { loaded.arena().match_state(match_id).await }).await??;
    let Ok((created, open)) = state.playing() else { return Ok(()) };
    if open.number != turn {
        return Ok(());
    }
    let Ok(task) = task_of(store.arena().bank(), open) else { return Ok(()) };
    let played = match (round.paused, &round.endpoint_url) {
        (Some(reason), _) => while_paused(reason),
        (None, None) => Played::Missed(MissReason::Withdrawn, None),
        (None, Some(base)) => {
            let token = store
                .log()
                .sign_token(&claims((agent_id, match_id), (public_url, base), open.due_at, store.log().clock().uuid()))
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
            let left = (open.due_at - store.log().clock().now()).to_std().unwrap_or_default();
            let url = format!("{base}/agora");
            let call = send(client, &url, &token, round.body(), left);
            // The referee closes the turn at its deadline.
            match timeout(left, call).await {
                Ok(played) => played,
                Err(_) => return Ok(()),
            }
        }
    };
    let pause = pause_after(store, (agent_id, round.endpoint_url), &played);
    let shared = store.clone();
    on_thread(move || async move { record(&shared, (match_id, turn, agent_id), &played, pause).await }).await?
}

/// An agent that is unavailable in the first round skips the match, without penalty (seed: «Skip match, no penalty»), if it `may_skip`
/// another one. Otherwise it loses the round.
fn unavailable(state: &Match, (agent_id, turn): (AgentId, u16), may_skip: bool) -> Result<Vec<MatchEvent>, MatchError> {
    if turn == 1 && may_skip {
        return SkipMatch { agent_id }.decide(state);
    }
    MissTurn { agent_id, turn, reason: MissReason::Unavailable, status: Some(503) }.decide(state)
}

/// Records the outcome. An agent that is settled already, or a turn that is closed, stays as it is.
async fn record(
    store: &Store,
    (match_id, turn, agent_id): Key,
    played: &Played,
    pause: Option<ArenaChange>,
) -> Result<(), StoreError> {
    store
        .log()
        .transact::<(), StoreError>(Some(agent_id.into()), async |unit| {
            // The other seats may settle at the same moment.
            unit.retry_up_to(SEATS_MAX);
            let state = unit.load::<Match>(match_id).await?;
            let decided = match played {
                Played::Answered(answer) => {
                    let (commitment, now) = (answer.commitment(), store.log().clock().now());
                    AnswerTurn { agent_id, turn, commitment, now }.decide(&state.state)
                }
                Played::Unavailable => {
                    // Matches that begin at the same moment may skip together.
                    let may_skip =
                        turn == 1 && unit.fits(skips_cap(agent_id, store.log().clock().now() - DAY, SKIPS)).await?;
                    unavailable(&state.state, (agent_id, turn), may_skip)
                }
                Played::Missed(reason, status) => {
                    MissTurn { agent_id, turn, reason: *reason, status: *status }.decide(&state.state)
                }
            };
            if let Some(pause) = &pause {
                unit.write_side(pause.clone());
            }
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
        .await
        .map(drop)
}
