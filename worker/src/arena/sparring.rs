//! The sparring bot: answers its open turns at once, sealed like all answers.

use buildtrack_domain::{
    arena::{
        matches::{AnswerTurn, Match, SealedAnswer, Settled},
        sparring::{SPARRING_AGENT, sparring_answer},
        tasks::Bank,
    },
    decide::Command,
    ids::MatchId,
};
use buildtrack_store::{ArenaChange, Store, StoreError, clock::random};
use chrono::TimeDelta;
use futures_util::future::join_all;

use super::judge::task_of;
use crate::{decisions::on_thread, sweeps::Sweep};

/// How long an agent of the queue waits for an opponent before it plays the bot.
pub(super) const PATIENCE: TimeDelta = TimeDelta::seconds(5);
/// Turns that are answered at once.
const TURNS: i64 = 100;

/// The bot. A turn that it cannot answer keeps it from no other one.
pub(super) struct Bot {
    sweep: Sweep,
    /// The position of the last turn that it looked at, if there are more.
    after: i64,
}

impl Bot {
    pub(super) fn new() -> Self {
        Self { sweep: Sweep::new("arena sparring"), after: 0 }
    }

    /// Answers the open turns, up to a number. The next call continues behind them, and after the last one from the front.
    pub(super) async fn answer_turns(&mut self, store: &Store) -> Result<(), StoreError> {
        let mut waiting = store.arena().sparring_turns(self.after, TURNS).await?;
        let is_full = i64::try_from(waiting.len()).is_ok_and(|count| count >= TURNS);
        self.after = waiting.last().filter(|_| is_full).map_or(0, |(position, _)| *position);
        waiting.retain(|(_, match_id)| !self.sweep.is_postponed(&match_id.to_string()));
        if waiting.is_empty() {
            return Ok(());
        }
        let shared = store.clone();
        let answered = on_thread(move || async move {
            let answers = waiting.into_iter().map(|(_, match_id)| {
                let shared = &shared;
                async move { (match_id.to_string(), answer(shared, match_id).await) }
            });
            join_all(answers).await
        });
        for (key, outcome) in answered.await? {
            self.sweep.attempt(store, &key, async { outcome }).await?;
        }
        Ok(())
    }
}

/// Answers the open turn of a match. One that is settled or closed meanwhile stays as it is.
async fn answer(store: &Store, match_id: MatchId) -> Result<(), StoreError> {
    let answered = store
        .log()
        .transact::<(), StoreError>(None, async |unit| {
            let state = unit.load::<Match>(match_id).await?;
            let Some((turn, answer)) = chosen(store.arena().bank(), &state.state) else { return Ok(()) };
            let (agent_id, commitment, now) = (SPARRING_AGENT, answer.commitment(), store.log().clock().now());
            let Ok(events) = AnswerTurn { agent_id, turn, commitment, now }.decide(&state.state) else { return Ok(()) };
            unit.append(match_id, &state, events);
            unit.write_side(ArenaChange::Sealed { match_id, turn, agent_id, answer });
            Ok(())
        })
        .await;
    match answered {
        Err(StoreError::Conflict { .. }) => Ok(()),
        answered => answered.map(drop),
    }
}

/// The open turn with the bot's answer. A turn without its task is void when it closes.
fn chosen(bank: &'static Bank, state: &Match) -> Option<(u16, SealedAnswer)> {
    let (created, open) = state.playing().ok()?;
    let seat = created.seat_of(SPARRING_AGENT).ok()?;
    if open.settled.get(usize::from(seat)).is_none_or(|settled: &Option<Settled>| settled.is_some()) {
        return None;
    }
    let output = sparring_answer(task_of(bank, open).ok()?.public());
    Some((open.number, SealedAnswer { output, salt: random(), rationale: None, confidence: None }))
}
